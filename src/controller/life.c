/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life.c - a controller's life: started, stopped, waited for, looked at.
 */
#include <string.h>

#include "base/error.h"
#include "base/inside.h"
#include "base/options.h"
#include "controller/runtime.h"

#define GRACE_MS 1000 /* for a reconcile to return whose call was cancelled at the deadline */
#define LOOK_MS 1     /* how often a handler is looked at that has something to be told yet */

static kin_err enter(kin_controller *controller, kin_error *err);
static kin_err begin(kin_controller *controller, kin_error *err);
static void give_up(kin_controller *controller);
static void on_seat(void *context, bool is_leading);
static kin_err check_outside(kin_error *err);
static kin_err check_not_teller(const kin_controller *controller, kin_error *err);
static kin_err await_none_locked(kin_controller *controller, int64_t until_ms, kin_error *err)
    REQUIRES(controller->lock);
static kin_err await_idle_locked(kin_controller *controller, int64_t deadline_ms, kin_error *err)
    REQUIRES(controller->lock);
static const char *busy_locked(kin_controller *controller, bool *out_is_behind)
    REQUIRES(controller->lock);
static bool has_behind(const kin_controller *controller);
static void fill_in_locked(kin_controller *controller, kin_controller_status *status)
    REQUIRES(controller->lock);

kin_err kin_controller_start(kin_controller *controller, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    kin_err code = enter(controller, err);
    if (code == KIN_OK && begin(controller, err) != KIN_OK) {
        give_up(controller);
        code = err->code;
    }
    if (code != KIN_OK) {
        return kin__error_prefix(err, "start controller \"%s\"", controller->options.name);
    }
    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        kin__runtime_observe(KIN__OWNER(link, kin__runtime_watch, link));
    }
    kin__mutex_lock(&controller->lock);
    controller->is_begun = true;
    kin__mutex_unlock(&controller->lock);
    if (controller->options.leader != NULL) {
        controller->seat = (kin__leader_seat){ .fn = on_seat, .context = controller };
        kin__leader_attend(controller->options.leader, &controller->seat);
    }
    kin__runtime_wake(controller);
    return KIN_OK;
}

kin_err kin_controller_stop(kin_controller *controller, int64_t deadline_ms, kin_error *err)
{
    kin_error unwanted;
    int64_t until_ms = kin__runtime_moment(controller, deadline_ms);

    err = kin__error_or(err, &unwanted);
    kin__mutex_lock(&controller->lock);
    controller->is_stopping = true;
    controller->was_told_to_stop = true;
    controller->cancel_at_ms =
        until_ms < controller->cancel_at_ms ? until_ms : controller->cancel_at_ms;
    if (deadline_ms == 0) {
        kin__runtime_cancel_calls_locked(controller);
    }
    kin__runtime_announce_locked(controller);
    kin__mutex_unlock(&controller->lock);
    kin_queue_shut_down_now(controller->queue);
    kin__runtime_wake(controller);

    kin_err code = check_outside(err);
    if (code == KIN_OK) {
        kin__mutex_lock(&controller->lock);
        code = await_none_locked(controller, until_ms, err);
        kin__mutex_unlock(&controller->lock);
    }
    return code == KIN_OK
               ? KIN_OK
               : kin__error_prefix(err, "stop controller \"%s\"", controller->options.name);
}

kin_err kin_controller_wait_idle(kin_controller *controller, int64_t deadline_ms, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    kin_err code = check_outside(err);
    if (code == KIN_OK) {
        code = check_not_teller(controller, err);
    }
    if (code == KIN_OK) {
        kin__mutex_lock(&controller->lock);
        code = await_idle_locked(controller, deadline_ms, err);
        kin__mutex_unlock(&controller->lock);
    }
    return code == KIN_OK ? KIN_OK
                          : kin__error_prefix(err, "wait until controller \"%s\" is idle",
                                              controller->options.name);
}

kin_err kin_controller_get_status(kin_controller *controller, kin_controller_status *out,
                                  kin_error *err)
{
    kin_error unwanted;
    kin_controller_status status;
    size_t their_size = out->size;

    err = kin__error_or(err, &unwanted);
    if (kin__options_read(&status, sizeof status, out, "kin_controller_status", err) != KIN_OK) {
        return err->code;
    }
    status.queue = (kin_queue_status) KIN_QUEUE_STATUS_INIT;
    if (kin_queue_get_status(controller->queue, &status.queue, err) != KIN_OK) {
        return err->code;
    }
    kin__mutex_lock(&controller->lock);
    fill_in_locked(controller, &status);
    kin__mutex_unlock(&controller->lock);
    status.size = their_size;
    memcpy(out, &status, their_size < sizeof status ? their_size : sizeof status);
    return KIN_OK;
}

/* ---- starting ------------------------------------------------------------------------------- */

static kin_err enter(kin_controller *controller, kin_error *err)
{
    const char *why = NULL;

    kin__mutex_lock(&controller->lock);
    if (kin__loop_is_forked(controller->loop)) {
        why = "not after a fork";
    } else if (controller->is_started || controller->is_stopping) {
        why = controller->is_started ? "it was started before" : "it was stopped before";
    } else if (controller->about == NULL) {
        why = "it is about nothing";
    } else {
        controller->is_started = true;
    }
    kin__mutex_unlock(&controller->lock);
    return why == NULL ? KIN_OK : kin__error_set(err, KIN_ERR_USAGE, "%s", why);
}

static kin_err begin(kin_controller *controller, kin_error *err)
{
    if (kin__runtime_start_workers(controller, err) != KIN_OK) {
        return err->code;
    }
    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        kin__runtime_watch *watch = KIN__OWNER(link, kin__runtime_watch, link);
        if (watch->role != KIN__RUNTIME_OWNS && watch->role != KIN__RUNTIME_READS) {
            if (kin__runtime_watch_begin(watch, err) != KIN_OK) {
                return err->code;
            }
        }
    }
    return KIN_OK;
}

/* A start that failed: as if it had not been tried, unless somebody has said stop meanwhile. */
static void give_up(kin_controller *controller)
{
    kin__mutex_lock(&controller->lock);
    controller->is_stopping = true;
    kin__runtime_announce_locked(controller);
    kin__mutex_unlock(&controller->lock);
    kin__runtime_join_workers(controller);
    kin__runtime_end_watches(controller);
    kin__mutex_lock(&controller->lock);
    controller->is_stopping = controller->was_told_to_stop;
    controller->is_started = false;
    kin__mutex_unlock(&controller->lock);
}

/* ---- leading -------------------------------------------------------------------------------- */

/* On the leader's thread.  It lets go of the Lease when this has returned: nothing runs by then. */
static void on_seat(void *context, bool is_leading)
{
    kin_controller *controller = context;

    kin__mutex_lock(&controller->lock);
    controller->is_seated = is_leading;
    controller->is_abreast = false;
    controller->abreast_by_ms = INT64_MAX;
    controller->term += is_leading;
    kin__runtime_announce_locked(controller);
    if (!is_leading) {
        kin__runtime_cancel_calls_locked(controller);
        while (controller->active > 0) {
            kin__runtime_wait_locked(controller, INT64_MAX);
        }
    }
    kin__mutex_unlock(&controller->lock);
    kin__runtime_wake(controller); /* the stores are to be as new as that */
}

/* ---- waiting -------------------------------------------------------------------------------- */

static kin_err check_outside(kin_error *err)
{
    if (kin__inside_is_any() || kin__inside_is(KIN__INSIDE_RECONCILE)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "and wait: not from a reconcile, a handler or the loop");
    }
    return KIN_OK;
}

/* Whether it leads is told by this very thread, after the program's function. */
static kin_err check_not_teller(const kin_controller *controller, kin_error *err)
{
    const kin_leader *leader = controller->options.leader;

    if (leader != NULL && kin__leader_is_teller(leader)) {
        return kin__error_set(err, KIN_ERR_USAGE, "not from a function of its leader");
    }
    return KIN_OK;
}

/* Whose call is cancelled at the deadline gets a moment to return. */
static kin_err await_none_locked(kin_controller *controller, int64_t until_ms, kin_error *err)
{
    int64_t real_ms = kin__clock_now_ms(kin__clock_real());
    bool is_late = false;

    while (controller->active > 0) {
        if (!is_late && kin__runtime_now_ms(controller) >= until_ms) {
            kin__runtime_cancel_calls_locked(controller);
            is_late = true;
            real_ms = kin__clock_now_ms(kin__clock_real()) + GRACE_MS;
        }
        if (is_late && (!kin__runtime_is_returning_locked(controller) ||
                        kin__clock_now_ms(kin__clock_real()) >= real_ms)) {
            return kin__error_set(err, KIN_ERR_TIMEOUT, "%zu reconciles still run",
                                  controller->active);
        }
        if (is_late) {
            kin__runtime_wait_real_locked(controller, real_ms);
        } else {
            kin__runtime_wait_locked(controller, until_ms);
        }
    }
    return KIN_OK;
}

static kin_err await_idle_locked(kin_controller *controller, int64_t deadline_ms, kin_error *err)
{
    int64_t until_ms = kin__runtime_moment(controller, deadline_ms);

    if (!controller->is_started) {
        return kin__error_set(err, KIN_ERR_USAGE, "it was not started");
    }
    for (;;) {
        bool is_behind = false;
        const char *why = busy_locked(controller, &is_behind);
        if (controller->is_stopping) {
            return kin__error_set(err, KIN_ERR_CANCELLED, "it was stopped");
        }
        if (why == NULL) {
            return KIN_OK;
        }
        if (kin__runtime_now_ms(controller) >= until_ms) {
            return kin__error_set(err, KIN_ERR_TIMEOUT, "not within %lld ms: %s",
                                  (long long) deadline_ms, why);
        }
        if (is_behind) {
            kin__runtime_wait_real_locked(controller,
                                          kin__clock_now_ms(kin__clock_real()) + LOOK_MS);
        } else {
            kin__runtime_wait_locked(controller, until_ms);
        }
    }
}

/* What it is busy with; NULL: nothing.  `out_is_behind`: nobody tells when that is over. */
static const char *busy_locked(kin_controller *controller, bool *out_is_behind)
{
    kin_queue_status queue = KIN_QUEUE_STATUS_INIT;

    if (!controller->is_synced) {
        return "its informers have not synced";
    }
    if (!kin__runtime_leads_locked(controller)) {
        return "it does not lead";
    }
    if (!controller->is_abreast) {
        return "its informers are not as new as its lead";
    }
    if (controller->active > 0) {
        return "reconciles run";
    }
    if (controller->written.count > 0 || controller->written.parked_count > 0) {
        return "what was written has not come back";
    }
    if (kin__debounce_count(&controller->debounce) > 0) {
        return "changes wait for the next one";
    }
    if (has_behind(controller)) {
        *out_is_behind = true;
        return "its handlers have not been told everything";
    }
    (void) !kin_queue_get_status(controller->queue, &queue, NULL);
    *out_is_behind = queue.running > 0;
    return queue.waiting > 0 || queue.running > 0 ? "keys wait" : NULL;
}

static bool has_behind(const kin_controller *controller)
{
    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        if (kin__runtime_watch_is_behind(KIN__OWNER(link, kin__runtime_watch, link))) {
            return true;
        }
    }
    return false;
}

/* ---- looking -------------------------------------------------------------------------------- */

static void fill_in_locked(kin_controller *controller, kin_controller_status *status)
{
    const kin__runtime_counts *counts = &controller->counts;
    const kin_error *error = kin__kept_error_get(&controller->error);

    status->is_synced = controller->is_synced;
    status->is_leading = kin__runtime_leads_locked(controller);
    status->is_stopped = controller->is_stopping;
    status->succeeded = counts->succeeded;
    status->again = counts->again;
    status->failed = counts->failed;
    status->conflicts = counts->conflicts;
    status->overdue = counts->overdue;
    status->stale = counts->stale;
    status->longest_us = counts->longest_us;
    status->error = error == NULL ? (kin_error){ .code = KIN_OK } : *error;
}
