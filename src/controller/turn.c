/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.c - what a controller does on its client's loop.
 *
 * A turn looks at everything that may have changed, so it does not matter why it came, nor how many
 * reasons there were.  It waits for nothing.
 */
#include "base/log.h"
#include "base/str.h"
#include "controller/reconcile.h"
#include "controller/runtime.h"

#define RETRY_MS 100 /* after a lack of memory */

static void take_turn(kin__job *job, void *context);
static void arm(kin_controller *controller, int64_t next_ms, int64_t now_ms);
static void on_timer(kin__timer *timer, void *context);
static void on_observed(void *context);
static bool begin_owned(kin_controller *controller);
static bool renew_dropped(kin_controller *controller);
static bool is_begun(kin_controller *controller);
static void check_synced_locked(kin_controller *controller) REQUIRES(controller->lock);
static bool wake_parked_locked(kin_controller *controller, int64_t now_ms)
    REQUIRES(controller->lock);
static bool release_debounced_locked(kin_controller *controller, int64_t now_ms)
    REQUIRES(controller->lock);
static bool queue_key_locked(kin_controller *controller, kin_str key, kin_priority priority)
    REQUIRES(controller->lock);
static int64_t next_ms_locked(const kin_controller *controller, int64_t now_ms)
    REQUIRES(controller->lock);
static void leave(kin__job *job, void *context);

void kin__runtime_turn_prepare(kin_controller *controller)
{
    controller->turn_job = (kin__job){ .run = take_turn, .context = controller };
    controller->leave_job = (kin__job){ .run = leave, .context = controller };
    controller->timer.fire = on_timer;
    controller->timer.context = controller;
}

void kin__runtime_observe(kin__runtime_watch *watch)
{
    watch->observer.fn = on_observed;
    watch->observer.context = watch->controller;
    kin__informer_observe(watch->informer, &watch->observer);
}

void kin__runtime_wake(kin_controller *controller)
{
    kin__loop_post_job(controller->loop, &controller->turn_job);
}

bool kin__runtime_leave_loop(kin_controller *controller)
{
    kin_error err;

    atomic_store(&controller->has_left, false);
    kin__loop_post_job(controller->loop, &controller->leave_job);
    return kin__loop_wait(controller->loop, &controller->has_left, &err) == KIN_OK;
}

void kin__runtime_finish_leaving(kin_controller *controller)
{
    kin_loop *loop = controller->loop;

    atomic_store(&controller->has_left, true);
    kin__loop_wake_waiters(loop); /* who waits may free the controller */
}

void kin__runtime_cancel_calls_locked(kin_controller *controller)
{
    for (kin__link *link = kin__list_first(&controller->running); link != NULL;
         link = kin__list_next(&controller->running, link)) {
        kin_reconcile *r = KIN__OWNER(link, kin_reconcile, link);
        if (r->call != NULL) {
            kin_call_cancel(r->call);
            r->was_cancelled = true;
        }
    }
}

/* Who is active and not on the list has returned from the program's function already. */
bool kin__runtime_is_returning_locked(const kin_controller *controller)
{
    size_t untouched = 0;

    for (kin__link *link = kin__list_first(&controller->running); link != NULL;
         link = kin__list_next(&controller->running, link)) {
        untouched += !KIN__OWNER(link, kin_reconcile, link)->was_cancelled;
    }
    return controller->active > untouched;
}

static void take_turn(kin__job *job, void *context)
{
    kin_controller *controller = context;
    int64_t now_ms = kin__runtime_now_ms(controller);
    bool is_done = begin_owned(controller);

    (void) job;
    is_done = renew_dropped(controller) && is_done;
    kin__mutex_lock(&controller->lock);
    check_synced_locked(controller);
    is_done = wake_parked_locked(controller, now_ms) && is_done;
    is_done = release_debounced_locked(controller, now_ms) && is_done;
    if (now_ms >= controller->cancel_at_ms) {
        kin__runtime_cancel_calls_locked(controller);
    }
    int64_t next_ms = next_ms_locked(controller, now_ms);
    kin__runtime_announce_locked(controller);
    kin__mutex_unlock(&controller->lock);

    int64_t handover_ms = kin__handover_turn(controller, now_ms);
    next_ms = handover_ms < next_ms ? handover_ms : next_ms;
    bool is_next_soon = next_ms > now_ms && next_ms < now_ms + RETRY_MS;
    if (!is_done && !is_next_soon) {
        next_ms = now_ms + RETRY_MS;
    }
    arm(controller, next_ms, now_ms);
}

/* The loop's clock may be another one than the controller's. */
static void arm(kin_controller *controller, int64_t next_ms, int64_t now_ms)
{
    kin_loop *loop = controller->loop;
    int64_t left_ms = next_ms > now_ms ? next_ms - now_ms : 0;
    int64_t loop_ms = kin__loop_now_ms(loop);
    kin_error err;

    if (next_ms == INT64_MAX || left_ms > INT64_MAX - loop_ms) {
        kin__timer_clear(loop, &controller->timer);
    } else if (kin__timer_set(loop, &controller->timer, loop_ms + left_ms, &err) != KIN_OK) {
        kin__runtime_wake(controller);
    }
}

static void on_timer(kin__timer *timer, void *context)
{
    (void) timer;
    kin__runtime_wake(context);
}

static void on_observed(void *context)
{
    kin__runtime_wake(context);
}

/* Handlers of what is owned are made when it is known who the owners are: before that they could
 * not tell whom a change concerns.  False: it is to be tried again. */
static bool begin_owned(kin_controller *controller)
{
    bool is_done = true;
    kin_error err;

    if (!is_begun(controller)) {
        return true;
    }
    if (controller->primary == NULL) {
        controller->primary = kin__informer_resource(controller->about->informer);
    }
    if (controller->primary == NULL) {
        return true; /* the informer's next turn brings another one */
    }
    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        kin__runtime_watch *watch = KIN__OWNER(link, kin__runtime_watch, link);
        if (watch->role == KIN__RUNTIME_OWNS && !watch->is_begun) {
            watch->is_begun = kin__runtime_watch_begin(watch, &err) == KIN_OK;
            is_done = is_done && watch->is_begun;
        }
    }
    return is_done;
}

/* False: it is to be tried again. */
static bool renew_dropped(kin_controller *controller)
{
    bool is_done = true;
    kin_error err;

    if (!is_begun(controller)) {
        return true;
    }
    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        is_done =
            kin__runtime_watch_renew(KIN__OWNER(link, kin__runtime_watch, link), &err) == KIN_OK &&
            is_done;
    }
    return is_done;
}

/* Started, and nobody has said stop. */
static bool is_begun(kin_controller *controller)
{
    kin__mutex_lock(&controller->lock);
    bool is_it = controller->is_begun && !controller->is_stopping;
    kin__mutex_unlock(&controller->lock);
    return is_it;
}

static void check_synced_locked(kin_controller *controller)
{
    bool is_synced = controller->is_begun;

    for (kin__link *link = kin__list_first(&controller->watches); is_synced && link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        is_synced = kin__runtime_watch_has_synced(KIN__OWNER(link, kin__runtime_watch, link));
    }
    controller->is_synced = controller->is_synced || is_synced;
}

static bool wake_parked_locked(kin_controller *controller, int64_t now_ms)
{
    kin__debt *debt;

    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        kin__written_look(&controller->written,
                          &KIN__OWNER(link, kin__runtime_watch, link)->written);
    }
    while ((debt = kin__written_next(&controller->written, now_ms)) != NULL) {
        if (!queue_key_locked(controller, kin__str(debt->key, debt->len), debt->priority)) {
            return false;
        }
        kin__written_unpark(&controller->written, debt);
    }
    return true;
}

static bool release_debounced_locked(kin_controller *controller, int64_t now_ms)
{
    kin_priority priority;
    kin_str key;

    while (kin__debounce_next(&controller->debounce, now_ms, &key, &priority)) {
        if (!queue_key_locked(controller, key, priority)) {
            return false;
        }
        kin__debounce_remove(&controller->debounce, key);
    }
    return true;
}

/* False: there is no memory.  After a stop nothing is queued; a key that is too long never is. */
static bool queue_key_locked(kin_controller *controller, kin_str key, kin_priority priority)
{
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;
    kin_error err;

    options.priority = priority;
    kin_err code = kin_queue_add(controller->queue, key, &options, &err);
    if (code != KIN_OK && code != KIN_ERR_NO_MEMORY && code != KIN_ERR_CANCELLED) {
        kin__log(&controller->logger, KIN_LOG_ERROR, "controller", "%s: a change is dropped: %s",
                 controller->options.name, err.message);
    }
    return code != KIN_ERR_NO_MEMORY;
}

static int64_t next_ms_locked(const kin_controller *controller, int64_t now_ms)
{
    int64_t written_ms = kin__written_due_ms(&controller->written);
    int64_t next_ms = kin__debounce_due_ms(&controller->debounce);

    next_ms = written_ms < next_ms ? written_ms : next_ms;
    if (controller->cancel_at_ms > now_ms && controller->cancel_at_ms < next_ms) {
        next_ms = controller->cancel_at_ms;
    }
    return next_ms;
}

/* Nobody posts a turn any more. */
static void leave(kin__job *job, void *context)
{
    kin_controller *controller = context;
    kin_loop *loop = controller->loop;

    (void) job;
    kin__timer_clear(loop, &controller->timer);
    (void) kin__loop_cancel_job(loop, &controller->turn_job);
    if (kin__handover_leave(controller)) {
        kin__runtime_finish_leaving(controller);
    }
}
