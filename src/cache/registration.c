/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registration.c - a listener, as the program sees it.
 *
 * After a fork the child has none of the threads, and locks that seem held for ever: there nothing
 * is locked, and nothing but the descriptor released.
 */
#include "kin/registration.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/inside.h"
#include "base/options.h"
#include "cache/listener_state.h"

static size_t due_locked(const kin_registration *l) REQUIRES(l->lock);
static kin_err check_may_wait_locked(const kin_registration *l, const char *what, kin_error *err)
    REQUIRES(l->lock);
static void await_end_locked(kin_registration *l) REQUIRES(l->lock);
static kin_err await_synced_locked(kin_registration *l, int64_t deadline_ms, kin_error *err)
    REQUIRES(l->lock);
static void fill_in_locked(const kin_registration *l, kin_registration_status *out)
    REQUIRES(l->lock);
static int64_t lag_ms_locked(const kin_registration *l) REQUIRES(l->lock);
static bool is_forked(const kin_registration *l);
static kin_err error_forked(kin_error *err);

void kin_registration_free(kin_registration *registration)
{
    if (registration == NULL) {
        return;
    }
    if (is_forked(registration)) {
        if (registration->fd >= 0) {
            (void) close(registration->fd);
        }
        return;
    }
    kin_registration_remove(registration);
    kin__listener_unref(registration);
}

int kin_registration_fd(const kin_registration *registration)
{
    return registration->fd;
}

kin_err kin_registration_dispatch(kin_registration *registration, size_t max, size_t *out_told,
                                  kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);
    kin_registration *l = registration;
    size_t told = 0;

    if (is_forked(l)) {
        return error_forked(err);
    }
    if (l->options.mode != KIN_DELIVERY_QUEUE) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "dispatch handler \"%s\": its mode is not KIN_DELIVERY_QUEUE",
                              l->name);
    }
    (void) kin__listener_ref(l); /* its own function may free it */
    kin__mutex_lock(&l->lock);
    bool is_free = !l->is_running;
    if (is_free) {
        l->is_running = true;
        told = kin__listener_tell_locked(l, max == 0 ? due_locked(l) : max);
        l->is_running = false;
        kin__listener_settle_locked(l);
    } else {
        kin__error_set(err, KIN_ERR_USAGE, "dispatch handler \"%s\": it is being called already",
                       l->name);
    }
    kin__mutex_unlock(&l->lock);
    kin__listener_unref(l);
    if (!is_free) {
        return KIN_ERR_USAGE;
    }
    if (out_told != NULL) {
        *out_told = told;
    }
    return KIN_OK;
}

bool kin_registration_has_synced(const kin_registration *registration)
{
    return atomic_load(&registration->is_synced);
}

kin_err kin_registration_wait_synced(kin_registration *registration, int64_t deadline_ms,
                                     kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);

    if (kin_registration_has_synced(registration)) {
        return KIN_OK;
    }
    if (is_forked(registration)) {
        return error_forked(err);
    }
    (void) kin__listener_ref(registration);
    kin__mutex_lock(&registration->lock);
    kin_err code = check_may_wait_locked(registration, "sync handler", err);
    if (code == KIN_OK) {
        code = await_synced_locked(registration, deadline_ms, err);
    }
    kin__mutex_unlock(&registration->lock);
    kin__listener_unref(registration);
    return code;
}

kin_err kin_registration_get_status(const kin_registration *registration,
                                    kin_registration_status *out, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);
    kin_registration_status status;
    size_t their_size = out->size;
    kin_err code = kin__options_read(&status, sizeof status, out, "kin_registration_status", err);

    if (code == KIN_OK && is_forked(registration)) {
        code = error_forked(err);
    }
    if (code != KIN_OK) {
        return code;
    }
    /* The lock is no part of what the caller promised not to change. */
    kin_registration *l = (kin_registration *) registration;
    kin__mutex_lock(&l->lock);
    fill_in_locked(l, &status);
    kin__mutex_unlock(&l->lock);
    size_t size = their_size < sizeof status ? their_size : sizeof status;
    status.size = their_size;
    memcpy(out, &status, size);
    return KIN_OK;
}

void kin_registration_remove(kin_registration *registration)
{
    kin__list dropped = { 0 };

    if (is_forked(registration)) {
        return;
    }
    (void) kin__listener_ref(registration); /* on_end may free it */
    kin__mutex_lock(&registration->lock);
    kin__listener_end_locked(registration, KIN_REGISTRATION_REMOVED, &dropped);
    kin__listener_settle_locked(registration);
    kin__mutex_unlock(&registration->lock);
    kin__notes_free(&dropped);
    kin__listener_unref(registration);
}

kin_err kin_registration_remove_and_wait(kin_registration *registration, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);
    kin__list dropped = { 0 };

    if (is_forked(registration)) {
        return error_forked(err);
    }
    (void) kin__listener_ref(registration);
    kin__mutex_lock(&registration->lock);
    kin_err code = check_may_wait_locked(registration, "remove handler", err);
    if (code == KIN_OK) {
        kin__listener_end_locked(registration, KIN_REGISTRATION_REMOVED, &dropped);
        kin__listener_settle_locked(registration);
        await_end_locked(registration);
    }
    kin__mutex_unlock(&registration->lock);
    kin__notes_free(&dropped);
    kin__listener_unref(registration);
    return code;
}

/* So that a source that never rests cannot keep the program here for ever.  Two more, for on_synced
 * and on_error. */
static size_t due_locked(const kin_registration *l)
{
    return l->pending.count + l->replay_left + 2;
}

/* Two handlers that wait for each other's end would do so for ever, so none may wait; nor may who
 * has a store that a handler may be about to change. */
static kin_err check_may_wait_locked(const kin_registration *l, const char *what, kin_error *err)
{
    bool is_on_loop = kin__inside_is(KIN__INSIDE_LOOP) ||
                      (l->hooks.is_on_loop != NULL && l->hooks.is_on_loop(l->hooks.context));

    if (!is_on_loop && !kin__listener_is_inside_any() && !kin__inside_is(KIN__INSIDE_CHANGE)) {
        return KIN_OK;
    }
    return kin__error_set(err, KIN_ERR_USAGE,
                          "%s \"%s\" and wait: not from a handler or the loop, which might wait "
                          "for itself",
                          what, l->name);
}

static kin_err await_synced_locked(kin_registration *l, int64_t deadline_ms, kin_error *err)
{
    int64_t now_ms = kin__clock_now_ms(kin__clock_real());
    bool is_endless = deadline_ms < 0 || deadline_ms > INT64_MAX - now_ms;
    bool is_in_time = true;

    while (is_in_time && !atomic_load(&l->is_synced) && kin__listener_is_telling_locked(l)) {
        if (is_endless) {
            kin__cond_wait(&l->changed, &l->lock);
        } else {
            is_in_time = kin__cond_wait_until(&l->changed, &l->lock, now_ms + deadline_ms);
        }
    }
    if (atomic_load(&l->is_synced)) {
        return KIN_OK;
    }
    return is_in_time
               ? kin__error_set(err, KIN_ERR_CANCELLED, "sync handler \"%s\": it has ended",
                                l->name)
               : kin__error_set(err, KIN_ERR_TIMEOUT,
                                "sync handler \"%s\": not within %lld ms: %zu notifications "
                                "are pending",
                                l->name, (long long) deadline_ms, kin__listener_pending_locked(l));
}

static void await_end_locked(kin_registration *l)
{
    while (l->is_running || !l->is_ended) {
        kin__cond_wait(&l->changed, &l->lock);
    }
}

static void fill_in_locked(const kin_registration *l, kin_registration_status *out)
{
    out->state = l->state;
    out->is_synced = atomic_load(&l->is_synced);
    out->is_running = l->is_running;
    out->is_blocking = kin__listener_is_blocking_locked(l);
    out->pending = kin__listener_pending_locked(l);
    out->told = l->metrics.told;
    out->merged = l->pending.merged;
    kin__listener_explain_locked(l, &out->error);
    out->told_added = l->metrics.told_by_type[KIN_NOTIFICATION_ADDED - 1];
    out->told_updated = l->metrics.told_by_type[KIN_NOTIFICATION_UPDATED - 1];
    out->told_deleted = l->metrics.told_by_type[KIN_NOTIFICATION_DELETED - 1];
    out->filtered = l->metrics.filtered;
    out->dropped = l->metrics.dropped;
    out->lag_ms = lag_ms_locked(l);
    out->calls_us = (uint64_t) l->metrics.calls_ns / 1000;
    out->longest_call_us = (uint64_t) l->metrics.longest_ns / 1000;
}

static int64_t lag_ms_locked(const kin_registration *l)
{
    kin__link *first = kin__list_first(&((kin_registration *) (uintptr_t) l)->pending.notes);

    if (kin__listener_pending_locked(l) == 0) {
        return 0;
    }
    int64_t since_ns = l->replay != NULL || first == NULL
                           ? l->began_ns
                           : KIN__OWNER(first, kin__note, link)->at_ns;
    return (kin__listener_metrics_now_ns(&l->metrics) - since_ns) / 1000000;
}

static bool is_forked(const kin_registration *l)
{
    return l->pid != getpid();
}

static kin_err error_forked(kin_error *err)
{
    return kin__error_set(
        err, KIN_ERR_USAGE,
        "a registration works only in the process that made it, not after a fork");
}
