/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.c - waiting for an informer, from other threads than the loop's.
 */
#include "informer/wait.h"

#include "base/error.h"
#include "base/inside.h"

static void on_begin(kin__job *job, void *context);
static bool begin_version(kin__informer_wait *wait);
static void look_at(kin__informer_wait *wait);
static void cancel(kin__informer_wait *wait);
static void on_deadline(kin__timer *timer, void *context);
static void finish(kin__informer_wait *wait, const kin_error *err);
static kin_err check_may_wait(const kin_informer *informer, int64_t deadline_ms, kin_error *err);

bool kin_informer_has_synced(const kin_informer *informer)
{
    return atomic_load(&informer->is_synced);
}

kin_err kin_informer_wait_synced(kin_informer *informer, int64_t deadline_ms, kin_error *err)
{
    kin_error unwanted;
    kin__informer_wait wait = { .kind = KIN__WAIT_SYNCED, .deadline_ms = deadline_ms };

    err = kin__error_or(err, &unwanted);
    if (kin_informer_has_synced(informer)) {
        return KIN_OK;
    }
    if (check_may_wait(informer, deadline_ms, err) != KIN_OK ||
        kin__informer_wait_for(informer, &wait, err) != KIN_OK) {
        return kin__error_prefix(err, "wait until informer \"%s\" is synced", informer->name);
    }
    return KIN_OK;
}

kin_err kin_informer_wait_for(kin_informer *informer, kin_str key, kin_str resource_version,
                              int64_t deadline_ms, kin_error *err)
{
    kin_error unwanted;
    kin__informer_wait wait = {
        .kind = KIN__WAIT_VERSION,
        .deadline_ms = deadline_ms,
        .version = { .key = key, .resource_version = resource_version },
    };

    err = kin__error_or(err, &unwanted);
    if (resource_version.len == 0) {
        kin__error_set(err, KIN_ERR_USAGE, "no resource version was given");
    } else if (check_may_wait(informer, deadline_ms, err) == KIN_OK &&
               kin__informer_wait_for(informer, &wait, err) == KIN_OK) {
        return KIN_OK;
    }
    return kin__error_prefix(err, "wait until informer \"%s\" has %.*s in version %.*s",
                             informer->name, KIN_STR_ARG(key), KIN_STR_ARG(resource_version));
}

kin_err kin__informer_wait_for(kin_informer *informer, kin__informer_wait *wait, kin_error *err)
{
    kin_loop *loop = informer->parts.loop;

    if (kin__loop_check_wait(loop, err) != KIN_OK) {
        return err->code;
    }
    wait->informer = informer;
    wait->job = (kin__job){ .run = on_begin, .context = wait };
    wait->timer.fire = on_deadline;
    wait->timer.context = wait;
    wait->error.code = KIN_OK;
    kin__loop_post_job(loop, &wait->job);
    if (kin__loop_wait(loop, &wait->is_done, err) != KIN_OK) {
        return err->code;
    }
    if (wait->error.code != KIN_OK) {
        *err = wait->error;
    }
    return wait->error.code;
}

void kin__informer_serve_waits(kin_informer *informer)
{
    kin__link *next;

    for (kin__version_wait *over;
         (over = kin__controller_take_wait(informer->controller)) != NULL;) {
        finish(KIN__OWNER(over, kin__informer_wait, version), NULL);
    }
    for (kin__link *link = kin__list_first(&informer->waits); link != NULL; link = next) {
        next = kin__list_next(&informer->waits, link);
        look_at(KIN__OWNER(link, kin__informer_wait, link));
    }
}

static void on_begin(kin__job *job, void *context)
{
    kin__informer_wait *wait = context;
    kin_informer *informer = wait->informer;
    kin_loop *loop = informer->parts.loop;
    kin_error err;

    (void) job;
    if (wait->kind == KIN__WAIT_GONE) {
        kin__informer_leave_loop(informer);
        finish(wait, NULL);
        return;
    }
    if (wait->kind == KIN__WAIT_VERSION && !begin_version(wait)) {
        return;
    }
    kin__list_push(&informer->waits, &wait->link);
    int64_t now_ms = kin__loop_now_ms(loop);
    if (wait->deadline_ms >= 0 &&
        kin__timer_set(loop, &wait->timer,
                       wait->deadline_ms > INT64_MAX - now_ms ? INT64_MAX
                                                              : now_ms + wait->deadline_ms,
                       &err) != KIN_OK) {
        finish(wait, &err);
        return;
    }
    look_at(wait);
}

/* False when it is over already. */
static bool begin_version(kin__informer_wait *wait)
{
    bool is_over = false;
    kin_error err;

    if (kin__controller_wait(wait->informer->controller, &wait->version, &is_over, &err) !=
        KIN_OK) {
        err.code = KIN_ERR_USAGE;
        finish(wait, &err);
        return false;
    }
    if (is_over) {
        finish(wait, NULL);
    }
    return !is_over;
}

static void look_at(kin__informer_wait *wait)
{
    const kin_informer *informer = wait->informer;
    bool is_wanted = kin__informer_is_wanted(informer);
    bool is_over = false;

    switch (wait->kind) {
    case KIN__WAIT_SYNCED:
        is_over = atomic_load(&informer->is_synced);
        break;
    case KIN__WAIT_DRAINED:
        is_over = kin__informer_has_stopped(informer) &&
                  !kin__controller_is_pending(informer->controller);
        break;
    case KIN__WAIT_STOPPED:
        is_over = kin__informer_has_stopped(informer);
        break;
    case KIN__WAIT_VERSION:
    case KIN__WAIT_GONE:
        break;
    }
    bool waits_for_end = wait->kind == KIN__WAIT_STOPPED || wait->kind == KIN__WAIT_DRAINED;
    if (is_over) {
        finish(wait, NULL);
    } else if (waits_for_end == is_wanted) {
        cancel(wait);
    }
}

static void cancel(kin__informer_wait *wait)
{
    kin_error err;

    kin__error_set(&err, KIN_ERR_CANCELLED, "it was %s meanwhile",
                   kin__informer_is_wanted(wait->informer) ? "started" : "stopped");
    finish(wait, &err);
}

/* Says what went wrong last: that is why. */
static void on_deadline(kin__timer *timer, void *context)
{
    kin__informer_wait *wait = context;
    kin_informer *informer = wait->informer;
    kin_error err;

    (void) timer;
    kin__mutex_lock(&informer->lock);
    kin__informer_facts facts = informer->facts;
    const kin_error *last = kin__kept_error_get(&informer->error);
    err = last == NULL ? (kin_error){ .code = KIN_OK } : *last;
    kin__mutex_unlock(&informer->lock);
    if (wait->kind == KIN__WAIT_DRAINED) {
        kin__error_set(&err, KIN_ERR_TIMEOUT, "handlers have yet to be told something");
    } else if (err.code != KIN_OK) {
        kin__error_set(&err, KIN_ERR_TIMEOUT, "not within %lld ms: it is %s: %s",
                       (long long) wait->deadline_ms, kin_informer_state_name(facts.state),
                       err.message);
    } else {
        kin__error_set(&err, KIN_ERR_TIMEOUT, "not within %lld ms: it is %s",
                       (long long) wait->deadline_ms, kin_informer_state_name(facts.state));
    }
    finish(wait, &err);
}

/* When is_done is set, the wait may be gone. */
static void finish(kin__informer_wait *wait, const kin_error *err)
{
    kin_loop *loop = wait->informer->parts.loop;

    kin__list_remove(&wait->link);
    kin__list_remove(&wait->version.link);
    kin__timer_clear(loop, &wait->timer);
    if (err != NULL) {
        wait->error = *err;
    }
    atomic_store(&wait->is_done, true);
    kin__loop_wake_waiters(loop);
}

/* From a handler one may wait: neither the loop nor the store waits for it.  But its informer does
 * when it blocks, and others may wait for that. */
static kin_err check_may_wait(const kin_informer *informer, int64_t deadline_ms, kin_error *err)
{
    if (kin__loop_check_wait(informer->parts.loop, err) != KIN_OK) {
        return err->code;
    }
    if (deadline_ms < 0 && kin__inside_is(KIN__INSIDE_BLOCKING)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "not without a deadline from a handler that blocks, which it may be "
                              "waiting for");
    }
    if (!kin__informer_is_wanted(informer)) {
        return kin__error_set(err, KIN_ERR_USAGE, "it is not started");
    }
    return KIN_OK;
}
