/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener.c - making a listener, giving it notes, ending it.
 */
#include "cache/listener.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "cache/listener_state.h"

#define DEFAULT_BOUND 1024

static kin_err check(const kin_registration_options *options, kin__pool *pool, kin_error *err);
static kin_err furnish(kin_registration *l, const kin__listener_counting *counting, kin_error *err);
static kin_err copy_name(kin_registration *l, kin_error *err);
static void release(kin_registration *l);
static bool matches(const kin_registration *l, const kin_object *object);
static bool is_unchanged(const kin_notification *n);
static void push_locked(kin_registration *l, kin__note *note) REQUIRES(l->lock);
static void fail_locked(kin_registration *l) REQUIRES(l->lock);
static bool is_busy_locked(const kin_registration *l) REQUIRES(l->lock);

kin_err kin__listener_new(const kin_registration_options *options, kin__pool *pool,
                          const kin__listener_hooks *hooks, const kin__listener_counting *counting,
                          kin_registration **out, kin_error *err)
{
    kin_registration_options o;
    kin_err code = kin__options_read(&o, sizeof o, options, "kin_registration_options", err);

    if (code == KIN_OK) {
        code = check(&o, pool, err);
    }
    if (code != KIN_OK) {
        return code;
    }
    kin_registration *l = kin__alloc_zero(1, sizeof *l);
    if (l == NULL) {
        return kin__error_no_memory(err);
    }
    atomic_init(&l->refs, 1);
    kin__mutex_init(&l->lock);
    kin__cond_init(&l->changed);
    l->pid = getpid();
    l->options = o;
    l->options.bound = o.bound == 0 ? DEFAULT_BOUND : o.bound;
    l->pool = pool;
    l->fd = -1;
    kin__mutex_lock(&l->lock);
    l->hooks = *hooks;
    l->state = KIN_REGISTRATION_ACTIVE;
    kin__mutex_unlock(&l->lock);
    code = furnish(l, counting, err);
    if (code != KIN_OK) {
        release(l);
        return code;
    }
    *out = l;
    return KIN_OK;
}

void kin__listener_guard_merges(kin_registration *listener, kin__may_merge_fn may_merge)
{
    kin__mutex_lock(&listener->lock);
    listener->pending.may_merge = may_merge;
    listener->pending.context = listener->options.context;
    kin__mutex_unlock(&listener->lock);
}

kin_registration *kin__listener_ref(kin_registration *listener)
{
    (void) atomic_fetch_add_explicit(&listener->refs, 1, memory_order_relaxed);
    return listener;
}

void kin__listener_unref(kin_registration *listener)
{
    if (listener != NULL &&
        atomic_fetch_sub_explicit(&listener->refs, 1, memory_order_acq_rel) == 1) {
        release(listener);
    }
}

const kin_registration_options *kin__listener_options(const kin_registration *listener)
{
    return &listener->options;
}

kin__listener_seat *kin__listener_seat_of(kin_registration *listener)
{
    return &listener->seat;
}

bool kin__listener_translate(const kin_registration *listener, bool is_due,
                             kin_notification *notification)
{
    if (notification->is_resync) {
        if (!is_due) {
            return false;
        }
    } else if (is_unchanged(notification) && !listener->options.tells_unchanged) {
        return false;
    }
    if (listener->labels == NULL && listener->fields == NULL) {
        return true;
    }
    bool knows_before = notification->before != NULL && matches(listener, notification->before);
    return kin__listener_narrow(notification, knows_before,
                                matches(listener, notification->object));
}

/*
 * Known before and visible now are what client-go's filtering handler asks.  It asks a deletion's
 * last state, though, which may match no longer: here a deletion is told to whoever knew the
 * object.
 */
bool kin__listener_narrow(kin_notification *n, bool knows_before, bool sees_object)
{
    switch (n->type) {
    case KIN_NOTIFICATION_ADDED:
        return sees_object;
    case KIN_NOTIFICATION_DELETED:
        return n->before == NULL ? sees_object : knows_before;
    default:
        break;
    }
    if (knows_before && !sees_object) {
        n->type = KIN_NOTIFICATION_DELETED;
        n->object = n->before;
        n->is_resync = false;
    } else if (sees_object && !knows_before) {
        n->type = KIN_NOTIFICATION_ADDED;
        n->before = NULL;
        n->is_resync = false;
    }
    return knows_before || sees_object;
}

void kin__listener_begin(kin_registration *listener, kin_snapshot *snapshot, bool is_store_synced)
{
    kin__mutex_lock(&listener->lock);
    listener->began_ns = kin__listener_metrics_now_ns(&listener->metrics);
    if (snapshot != NULL && kin__listener_is_telling_locked(listener)) {
        listener->replay_at = kin_view_all(kin_snapshot_view(snapshot));
        listener->replay_left = kin_view_count(kin_snapshot_view(snapshot));
        listener->replay = STEAL(snapshot);
    }
    listener->is_store_synced = is_store_synced;
    kin__listener_check_synced_locked(listener);
    kin__listener_settle_locked(listener);
    if (listener->options.mode == KIN_DELIVERY_INLINE && kin__listener_has_work_locked(listener)) {
        kin__listener_wake_locked(listener);
    }
    kin__mutex_unlock(&listener->lock);
    kin_snapshot_free(snapshot);
}

void kin__listener_push(kin_registration *listener, kin__list *notes)
{
    if (kin__list_first(notes) == NULL) {
        return;
    }
    kin__mutex_lock(&listener->lock);
    int64_t now_ns = kin__listener_metrics_now_ns(&listener->metrics);
    for (kin__link *link; (link = kin__list_first(notes)) != NULL;) {
        kin__note *note = KIN__OWNER(link, kin__note, link);
        kin__list_remove(link);
        note->at_ns = now_ns;
        push_locked(listener, note);
    }
    kin__listener_check_synced_locked(listener); /* the last initial ones may have been cancelled */
    bool is_due = kin__listener_claim_job_locked(listener);
    kin__listener_settle_locked(listener);
    kin__mutex_unlock(&listener->lock);
    if (is_due) {
        kin__pool_submit(listener->pool, &listener->job); /* whoever runs it wants the lock first */
    }
}

void kin__listener_set_store_synced(kin_registration *listener)
{
    kin__mutex_lock(&listener->lock);
    listener->is_store_synced = true;
    kin__listener_check_synced_locked(listener);
    kin__listener_settle_locked(listener);
    kin__mutex_unlock(&listener->lock);
}

bool kin__listener_is_waiting(kin_registration *listener)
{
    kin__mutex_lock(&listener->lock);
    bool is_waiting = !listener->is_running && kin__listener_has_work_locked(listener);
    kin__mutex_unlock(&listener->lock);
    return is_waiting;
}

bool kin__listener_is_busy(kin_registration *listener)
{
    kin__mutex_lock(&listener->lock);
    bool is_busy = is_busy_locked(listener);
    kin__mutex_unlock(&listener->lock);
    return is_busy;
}

bool kin__listener_is_blocking(kin_registration *listener)
{
    kin__mutex_lock(&listener->lock);
    bool is_blocking = kin__listener_is_blocking_locked(listener);
    kin__mutex_unlock(&listener->lock);
    return is_blocking;
}

bool kin__listener_is_over(kin_registration *listener)
{
    kin__mutex_lock(&listener->lock);
    bool is_over = listener->state != KIN_REGISTRATION_ACTIVE;
    kin__mutex_unlock(&listener->lock);
    return is_over;
}

void kin__listener_stop(kin_registration *listener, bool is_draining)
{
    kin__list dropped = { 0 };

    kin__mutex_lock(&listener->lock);
    if (listener->state == KIN_REGISTRATION_ACTIVE && is_draining) {
        listener->state = KIN_REGISTRATION_STOPPED;
        listener->is_draining = true;
    } else if (!is_draining) {
        kin__listener_end_locked(listener, KIN_REGISTRATION_STOPPED, &dropped);
    }
    kin__listener_settle_locked(listener);
    kin__mutex_unlock(&listener->lock);
    kin__notes_free(&dropped);
}

bool kin__listener_await(kin_registration *listener, int64_t deadline_ms)
{
    bool is_in_time = true;

    kin__mutex_lock(&listener->lock);
    while (is_in_time && is_busy_locked(listener)) {
        if (deadline_ms == INT64_MAX) {
            kin__cond_wait(&listener->changed, &listener->lock);
        } else {
            is_in_time = kin__cond_wait_until(&listener->changed, &listener->lock, deadline_ms);
        }
    }
    bool is_busy = is_busy_locked(listener);
    kin__mutex_unlock(&listener->lock);
    return !is_busy;
}

void kin__listener_detach(kin_registration *listener)
{
    kin__mutex_lock(&listener->lock);
    listener->hooks = (kin__listener_hooks){ 0 };
    kin__mutex_unlock(&listener->lock);
}

void kin__listener_end_locked(kin_registration *l, kin_registration_state state, kin__list *dropped)
{
    if (state != KIN_REGISTRATION_FAILED) {
        l->owes_error = false;
    }
    if (!kin__listener_is_telling_locked(l)) {
        return;
    }
    bool was_blocking = kin__listener_is_blocking_locked(l);
    kin__listener_metrics_drop(&l->metrics, kin__listener_pending_locked(l));
    l->state = state;
    l->is_draining = false;
    l->owes_synced = false;
    kin__pending_drain(&l->pending, dropped);
    kin__listener_drop_replay_locked(l);
    if (was_blocking) {
        kin__listener_wake_locked(l);
    }
}

void kin__listener_explain_locked(const kin_registration *l, kin_error *out)
{
    *out = (kin_error){ .code = KIN_OK };
    if (l->state == KIN_REGISTRATION_FAILED) {
        kin__error_set(out, KIN_ERR_LIMIT,
                       "tell handler \"%s\": %zu notifications are pending, and no more may be",
                       l->name, l->options.bound);
    }
}

void kin__listener_drop_replay_locked(kin_registration *l)
{
    if (!l->is_running) {
        kin_snapshot_free(l->replay);
        l->replay = NULL;
        l->replay_left = 0;
    }
}

bool kin__listener_is_blocking_locked(const kin_registration *l)
{
    return l->options.policy == KIN_BACKLOG_BLOCK && l->state == KIN_REGISTRATION_ACTIVE &&
           l->pending.count >= l->options.bound;
}

size_t kin__listener_pending_locked(const kin_registration *l)
{
    return kin__listener_is_telling_locked(l) ? l->pending.count + l->replay_left : 0;
}

void kin__listener_wake_locked(const kin_registration *l)
{
    if (l->hooks.wake != NULL) {
        l->hooks.wake(l->hooks.context);
    }
}

static kin_err check(const kin_registration_options *options, kin__pool *pool, kin_error *err)
{
    if ((unsigned) options->mode > KIN_DELIVERY_INLINE ||
        (unsigned) options->policy > KIN_BACKLOG_FAIL) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "kin_registration_options: no such mode or policy");
    }
    if (options->mode == KIN_DELIVERY_POOL && pool == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "there are no threads for handlers here");
    }
    return KIN_OK;
}

/* What may fail. */
static kin_err furnish(kin_registration *l, const kin__listener_counting *counting, kin_error *err)
{
    const kin_registration_options *o = &l->options;
    kin_err code = copy_name(l, err);

    if (code == KIN_OK) {
        kin__mutex_lock(&l->lock);
        code = kin__listener_metrics_init(&l->metrics, counting, l->name, err);
        kin__mutex_unlock(&l->lock);
    }
    if (code == KIN_OK && o->label_selector != NULL) {
        code = kin_selector_parse(o->label_selector, &l->labels, err);
    }
    if (code == KIN_OK && o->field_selector != NULL) {
        code = kin_field_selector_parse(o->field_selector, &l->fields, err);
    }
    l->options.label_selector = NULL; /* borrowed for the call that ends here */
    l->options.field_selector = NULL;
    if (code == KIN_OK && o->mode == KIN_DELIVERY_QUEUE) {
        l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (l->fd < 0) {
            code = kin__error_system(err, errno, "make a descriptor");
        }
    }
    if (code == KIN_OK && o->mode == KIN_DELIVERY_POOL) {
        code = kin__pool_prepare(l->pool, err);
    }
    return code;
}

static kin_err copy_name(kin_registration *l, kin_error *err)
{
    const char *name = l->options.name == NULL ? "handler" : l->options.name;
    size_t size = strlen(name) + 1;

    l->options.name = NULL;
    l->name = kin__alloc(size);
    if (l->name == NULL) {
        return kin__error_no_memory(err);
    }
    memcpy(l->name, name, size);
    l->options.name = l->name;
    return KIN_OK;
}

/* Nobody else has it any more; the processor has emptied its seat. */
static void release(kin_registration *l) UNCHECKED_LOCKS
{
    kin__list dropped = { 0 };

    kin__pending_drain(&l->pending, &dropped);
    kin__notes_free(&dropped);
    kin_snapshot_free(l->replay);
    if (l->fd >= 0) {
        (void) close(l->fd);
    }
    kin_selector_free(l->labels);
    kin_field_selector_free(l->fields);
    kin__listener_metrics_fini(&l->metrics);
    kin__cond_fini(&l->changed);
    kin__mutex_fini(&l->lock);
    kin__free(l->name);
    kin__free(l);
}

static bool matches(const kin_registration *l, const kin_object *object)
{
    return (l->labels == NULL || kin_selector_matches(l->labels, object)) &&
           (l->fields == NULL || kin_field_selector_matches(l->fields, object));
}

static bool is_unchanged(const kin_notification *n)
{
    if (n->type != KIN_NOTIFICATION_UPDATED || n->before == NULL) {
        return false;
    }
    kin_str version = kin_object_resource_version(n->object);
    return n->object == n->before ||
           (version.len > 0 && kin__str_equal(version, kin_object_resource_version(n->before)) &&
            kin__str_equal(kin_object_uid(n->object), kin_object_uid(n->before)));
}

/* Of several namespaces the first lists come one after the other, as notes.  They are no sign that
 * a handler cannot keep up. */
static void push_locked(kin_registration *l, kin__note *note)
{
    bool is_full = l->pending.count >= l->options.bound;
    bool is_behind = l->pending.count - l->pending.initial >= l->options.bound;

    if (l->state != KIN_REGISTRATION_ACTIVE) {
        kin__note_free(note);
    } else if (is_behind && !note->told.is_initial && l->options.policy == KIN_BACKLOG_FAIL) {
        kin__note_free(note);
        kin__listener_metrics_drop(&l->metrics, 1);
        fail_locked(l);
    } else {
        kin__pending_push(&l->pending, note, is_full && l->options.policy == KIN_BACKLOG_COALESCE);
    }
}

static void fail_locked(kin_registration *l)
{
    kin__list dropped = { 0 };

    l->owes_error = true;
    kin__listener_metrics_fail(&l->metrics);
    kin__listener_end_locked(l, KIN_REGISTRATION_FAILED, &dropped);
    kin__notes_free(&dropped);
}

static bool is_busy_locked(const kin_registration *l)
{
    return l->is_running ||
           (l->options.mode != KIN_DELIVERY_QUEUE && kin__listener_has_work_locked(l));
}
