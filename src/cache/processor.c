/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processor.c - listeners and the open batch.
 *
 * Staging makes a note for each listener, and one more that is kept for those who join while the
 * batch is open: they get copies of what was staged before they came.  Whether a listener that has
 * joined is to be told a batch is found out when it is committed: it is, unless its snapshot shows
 * the version that was published with the batch, or a later one.
 *
 * When the first batch is the first list, which its first notification says, no notes are made of
 * it, because it may be large.  Whoever is there by then begins with the store as that batch leaves
 * it, like one who comes just after.
 *
 * Locks: the processor's is taken before those of listeners.  Functions of the program are called
 * without either.
 */
#include "cache/processor.h"

#include <sys/types.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "cache/pending.h"
#include "cache/store.h"

struct kin__processor {
    kin__processor_options options;
    pid_t pid; /* of the process that made it */
    kin__mutex lock;
    kin__list listeners GUARDED_BY(lock);  /* holds references */
    kin__list staged GUARDED_BY(lock);     /* of the open batch, for those who join */
    uint64_t next_number GUARDED_BY(lock); /* of notifications that are staged */
    uint64_t joined GUARDED_BY(lock);      /* listeners, so far */
    kin__resync resync GUARDED_BY(lock);
    bool has_begun GUARDED_BY(lock);     /* listeners begin as they come */
    bool is_first_list GUARDED_BY(lock); /* the open batch, and it is not staged */
    bool is_synced GUARDED_BY(lock);
    bool is_stopped GUARDED_BY(lock);
};

typedef bool (*question)(kin_registration *listener);

static kin_err await(kin__processor *p, question is_awaited, int64_t deadline_ms, kin_error *err)
    EXCLUDES(p->lock);
static kin_registration *await_all(kin__processor *p, question is_awaited, int64_t deadline_ms)
    EXCLUDES(p->lock);
static kin_registration *next_active(kin__processor *p, uint64_t last) EXCLUDES(p->lock);
static void halt(kin__processor *p, bool is_draining, bool spares_queues) EXCLUDES(p->lock);
static kin_err join_locked(kin__processor *p, kin_registration *listener, int64_t now_ms,
                           kin_error *err) REQUIRES(p->lock);
static void begin_all_locked(kin__processor *p) REQUIRES(p->lock);
static void begin_locked(kin__processor *p, kin_registration *listener) REQUIRES(p->lock);
static kin_err catch_up_locked(kin__processor *p, kin_registration *listener, kin_error *err)
    REQUIRES(p->lock);
static void leave_seat(kin__listener_seat *seat);
static kin_err stage_locked(kin__processor *p, const kin_notification *notification, kin_error *err)
    REQUIRES(p->lock);
static kin_err stage_for(kin_registration *listener, const kin_notification *notification,
                         uint64_t number, kin_error *err);
static void unstage_locked(kin__processor *p, uint64_t number) REQUIRES(p->lock);
static void unstage_last(kin__list *staged, uint64_t number);
static void commit_to(kin_registration *listener, uint64_t version);
static void prune_locked(kin__processor *p) REQUIRES(p->lock);
static void dismiss_locked(kin__processor *p, kin_registration *listener) REQUIRES(p->lock);
static kin_registration *find(kin__processor *p, question is_wanted) EXCLUDES(p->lock);
static bool is_inline_and_waiting(kin_registration *listener);
static bool is_over_and_busy(kin_registration *listener);
static kin_registration *advance(kin__processor *p, kin_registration *listener) EXCLUDES(p->lock);
static kin_registration *first_locked(const kin__processor *p) REQUIRES(p->lock);
static kin_registration *next_locked(const kin__processor *p, kin_registration *listener)
    REQUIRES(p->lock);
static kin_registration *of_link(kin__link *link);

kin_err kin__processor_new(const kin__processor_options *options, kin__processor **out,
                           kin_error *err)
{
    kin__processor *p = kin__alloc_zero(1, sizeof *p);

    if (p == NULL) {
        return kin__error_no_memory(err);
    }
    p->options = *options;
    p->pid = getpid();
    kin__mutex_init(&p->lock);
    kin__mutex_lock(&p->lock);
    p->has_begun = options->store == NULL;
    kin__resync_init(&p->resync, options->resync_ms);
    kin__mutex_unlock(&p->lock);
    *out = p;
    return KIN_OK;
}

void kin__processor_free(kin__processor *processor)
{
    if (processor == NULL || processor->pid != getpid()) {
        return;
    }
    kin__mutex_lock(&processor->lock);
    bool was_stopped = processor->is_stopped;
    kin__mutex_unlock(&processor->lock);
    halt(processor, false, was_stopped);
    kin__mutex_lock(&processor->lock);
    for (kin_registration *l; (l = first_locked(processor)) != NULL;) {
        dismiss_locked(processor, l);
    }
    kin__notes_free(&processor->staged);
    kin__mutex_unlock(&processor->lock);
    kin__mutex_fini(&processor->lock);
    kin__free(processor);
}

kin_err kin__processor_add(kin__processor *processor, const kin_registration_options *options,
                           int64_t now_ms, kin_registration **out, kin_error *err)
{
    return kin__processor_add_guarded(processor, options, NULL, now_ms, out, err);
}

kin_err kin__processor_add_guarded(kin__processor *processor,
                                   const kin_registration_options *options,
                                   kin__may_merge_fn may_merge, int64_t now_ms,
                                   kin_registration **out, kin_error *err)
{
    AUTO(kin__listener_unref) kin_registration *listener = NULL;
    const kin__processor_options *o = &processor->options;
    kin_err code = kin__listener_new(options, o->pool, &o->hooks, &o->counting, &listener, err);

    if (code == KIN_OK) {
        kin__listener_guard_merges(listener, may_merge);
        kin__mutex_lock(&processor->lock);
        prune_locked(processor);
        code = join_locked(processor, listener, now_ms, err);
        kin__mutex_unlock(&processor->lock);
    }
    if (code != KIN_OK) {
        return kin__error_prefix(err, "add a handler");
    }
    *out = STEAL(listener);
    return KIN_OK;
}

kin_err kin__processor_stage(kin__processor *processor, const kin_notification *notification,
                             kin_error *err)
{
    kin_err code = KIN_OK;

    kin__mutex_lock(&processor->lock);
    processor->is_first_list |= !processor->has_begun && notification->is_initial;
    if (!processor->is_first_list) {
        begin_all_locked(processor);
        code = stage_locked(processor, notification, err);
    }
    kin__mutex_unlock(&processor->lock);
    return code;
}

void kin__processor_unstage(kin__processor *processor)
{
    kin__mutex_lock(&processor->lock);
    if (kin__list_first(&processor->staged) != NULL) {
        kin__note *last = KIN__OWNER(processor->staged.head.prev, kin__note, link);
        unstage_locked(processor, last->number);
    }
    kin__mutex_unlock(&processor->lock);
}

void kin__processor_commit(kin__processor *processor, uint64_t version)
{
    kin__mutex_lock(&processor->lock);
    begin_all_locked(processor);
    processor->is_first_list = false;
    for (kin_registration *l = first_locked(processor); l != NULL; l = next_locked(processor, l)) {
        commit_to(l, version);
    }
    kin__notes_free(&processor->staged);
    kin__mutex_unlock(&processor->lock);
    kin__processor_run(processor);
}

void kin__processor_set_synced(kin__processor *processor)
{
    kin__mutex_lock(&processor->lock);
    processor->is_synced = true;
    for (kin_registration *l = first_locked(processor); l != NULL; l = next_locked(processor, l)) {
        kin__listener_set_store_synced(l);
    }
    kin__mutex_unlock(&processor->lock);
    kin__processor_run(processor);
}

bool kin__processor_is_blocked(kin__processor *processor)
{
    kin_registration *listener = find(processor, kin__listener_is_blocking);

    kin__listener_unref(listener);
    return listener != NULL;
}

void kin__processor_run(kin__processor *processor)
{
    for (kin_registration *l; (l = find(processor, is_inline_and_waiting)) != NULL;) {
        kin__listener_run(l, 0);
        kin__listener_unref(l);
    }
}

void kin__processor_start_resync(kin__processor *processor, int64_t now_ms)
{
    kin__mutex_lock(&processor->lock);
    kin__resync_start(&processor->resync, now_ms);
    kin__mutex_unlock(&processor->lock);
}

int64_t kin__processor_next_resync_ms(kin__processor *processor)
{
    kin__mutex_lock(&processor->lock);
    int64_t next_ms = kin__resync_next_tick_ms(&processor->resync);
    kin__mutex_unlock(&processor->lock);
    return next_ms;
}

bool kin__processor_tick_resync(kin__processor *processor, int64_t now_ms)
{
    kin__mutex_lock(&processor->lock);
    bool is_any_due = kin__resync_tick(&processor->resync, now_ms);
    kin__mutex_unlock(&processor->lock);
    return is_any_due;
}

size_t kin__processor_count(kin__processor *processor)
{
    size_t count = 0;

    kin__mutex_lock(&processor->lock);
    for (kin_registration *l = first_locked(processor); l != NULL; l = next_locked(processor, l)) {
        count += !kin__listener_is_over(l);
    }
    kin__mutex_unlock(&processor->lock);
    return count;
}

kin_err kin__processor_await(kin__processor *processor, int64_t deadline_ms, kin_error *err)
{
    return await(processor, kin__listener_is_busy, deadline_ms, err);
}

/* Not those that their on_end adds, which might go on for ever. */
void kin__processor_drop(kin__processor *processor)
{
    kin__mutex_lock(&processor->lock);
    uint64_t last = processor->joined;
    kin__mutex_unlock(&processor->lock);
    for (kin_registration *l; (l = next_active(processor, last)) != NULL;) {
        kin__listener_stop(l, false);
        kin__listener_unref(l);
    }
}

kin_err kin__processor_await_ended(kin__processor *processor, int64_t deadline_ms, kin_error *err)
{
    return await(processor, is_over_and_busy, deadline_ms, err);
}

kin_err kin__processor_stop(kin__processor *processor, bool is_draining, int64_t deadline_ms,
                            kin_error *err)
{
    halt(processor, is_draining, false);
    if (!kin__listener_is_inside_any()) {
        kin__processor_run(processor);
    }
    return kin__processor_await(processor, deadline_ms, err);
}

static kin_err await(kin__processor *p, question is_awaited, int64_t deadline_ms, kin_error *err)
{
    if (kin__listener_is_inside_any()) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "wait for the handlers: not from one, which would wait for itself");
    }
    kin_registration *busy = await_all(p, is_awaited, deadline_ms);
    if (busy == NULL) {
        return KIN_OK;
    }
    kin__error_set(err, KIN_ERR_TIMEOUT, "wait for the handlers: \"%s\" is still being called",
                   kin__listener_options(busy)->name);
    kin__listener_unref(busy);
    return KIN_ERR_TIMEOUT;
}

/* One that is busy past the deadline, with a reference; NULL: none. */
static kin_registration *await_all(kin__processor *p, question is_awaited, int64_t deadline_ms)
{
    for (kin_registration *l; (l = find(p, is_awaited)) != NULL;) {
        if (!kin__listener_await(l, deadline_ms)) {
            return l;
        }
        kin__listener_unref(l);
    }
    return NULL;
}

/* One that has not ended, of the first `last` that joined; with a reference; NULL: none. */
static kin_registration *next_active(kin__processor *p, uint64_t last)
{
    kin__mutex_lock(&p->lock);
    kin_registration *l = first_locked(p);
    while (l != NULL && kin__listener_is_over(l)) {
        l = next_locked(p, l);
    }
    l = l != NULL && kin__listener_seat_of(l)->number <= last ? kin__listener_ref(l) : NULL;
    kin__mutex_unlock(&p->lock);
    return l;
}

/* `spares_queues`: what the program drains itself is left to it. */
static void halt(kin__processor *p, bool is_draining, bool spares_queues)
{
    kin__mutex_lock(&p->lock);
    p->is_stopped = true;
    kin__mutex_unlock(&p->lock);
    for (kin_registration *l = advance(p, NULL); l != NULL; l = advance(p, l)) {
        if (!spares_queues || kin__listener_options(l)->mode != KIN_DELIVERY_QUEUE) {
            kin__listener_stop(l, is_draining);
        }
    }
}

static kin_err join_locked(kin__processor *p, kin_registration *listener, int64_t now_ms,
                           kin_error *err)
{
    kin__listener_seat *seat = kin__listener_seat_of(listener);

    if (p->is_stopped) {
        return kin__error_set(
            err, KIN_ERR_USAGE,
            "\"%s\" was not added to shared informer because it has stopped already",
            kin__listener_options(listener)->name);
    }
    if (p->options.store != NULL &&
        kin_store_snapshot(p->options.store, &seat->vacant, err) != KIN_OK) {
        return err->code;
    }
    if (catch_up_locked(p, listener, err) != KIN_OK) {
        leave_seat(seat);
        return err->code;
    }
    kin__resync_add(&p->resync, &seat->resync, kin__listener_options(listener)->resync_ms, now_ms);
    seat->listener = kin__listener_ref(listener);
    seat->number = ++p->joined;
    kin__list_push(&p->listeners, &seat->link);
    if (p->has_begun) {
        begin_locked(p, listener);
    }
    return KIN_OK;
}

static void begin_all_locked(kin__processor *p)
{
    for (kin_registration *l = p->has_begun ? NULL : first_locked(p); l != NULL;
         l = next_locked(p, l)) {
        begin_locked(p, l);
    }
    p->has_begun = true;
}

/* With the store as it is now. */
static void begin_locked(kin__processor *p, kin_registration *listener)
{
    kin__listener_seat *seat = kin__listener_seat_of(listener);
    kin_snapshot *snapshot = STEAL(seat->vacant);

    if (snapshot != NULL) {
        kin__snapshot_renew(snapshot, p->options.store);
        const kin_view *view = kin_snapshot_view(snapshot);
        seat->joined_at = kin_view_number(view);
        if (kin_view_count(view) == 0) {
            kin_snapshot_free(STEAL(snapshot));
        }
    }
    kin__listener_begin(listener, snapshot, p->is_synced);
}

static void leave_seat(kin__listener_seat *seat)
{
    kin__notes_free(&seat->staged);
    kin_snapshot_free(STEAL(seat->vacant));
}

static kin_err catch_up_locked(kin__processor *p, kin_registration *listener, kin_error *err)
{
    kin_err code = KIN_OK;

    for (kin__link *link = kin__list_first(&p->staged); link != NULL && code == KIN_OK;
         link = kin__list_next(&p->staged, link)) {
        kin__note *note = KIN__OWNER(link, kin__note, link);
        code = stage_for(listener, &note->told, note->number, err);
    }
    return code;
}

static kin_err stage_locked(kin__processor *p, const kin_notification *notification, kin_error *err)
{
    kin__note *note;
    kin_err code = KIN_OK;

    if (kin__list_first(&p->staged) == NULL) {
        prune_locked(p);
    }
    uint64_t number = ++p->next_number;
    for (kin_registration *l = first_locked(p); l != NULL && code == KIN_OK;
         l = next_locked(p, l)) {
        code = stage_for(l, notification, number, err);
    }
    if (code == KIN_OK) {
        code = kin__note_new(notification, number, &note, err);
    }
    if (code == KIN_OK) {
        kin__list_push(&p->staged, &note->link);
    } else {
        unstage_locked(p, number);
    }
    return code;
}

static kin_err stage_for(kin_registration *listener, const kin_notification *notification,
                         uint64_t number, kin_error *err)
{
    kin__listener_seat *seat = kin__listener_seat_of(listener);
    kin_notification told = *notification;
    kin__note *note;

    if (!kin__listener_translate(listener, seat->resync.is_due, &told)) {
        return KIN_OK;
    }
    kin_err code = kin__note_new(&told, number, &note, err);
    if (code == KIN_OK) {
        kin__list_push(&seat->staged, &note->link);
    }
    return code;
}

static void unstage_locked(kin__processor *p, uint64_t number)
{
    for (kin_registration *l = first_locked(p); l != NULL; l = next_locked(p, l)) {
        unstage_last(&kin__listener_seat_of(l)->staged, number);
    }
    unstage_last(&p->staged, number);
}

static void unstage_last(kin__list *staged, uint64_t number)
{
    if (kin__list_first(staged) == NULL) {
        return;
    }
    kin__note *last = KIN__OWNER(staged->head.prev, kin__note, link);
    if (last->number == number) {
        kin__list_remove(&last->link);
        kin__note_free(last);
    }
}

/* Resyncs belong to no version, and are never in a snapshot. */
static void commit_to(kin_registration *listener, uint64_t version)
{
    kin__listener_seat *seat = kin__listener_seat_of(listener);

    if (seat->joined_at >= version) {
        kin__link *next = NULL;
        for (kin__link *link = kin__list_first(&seat->staged); link != NULL; link = next) {
            kin__note *note = KIN__OWNER(link, kin__note, link);
            next = kin__list_next(&seat->staged, link);
            if (!note->told.is_resync) {
                kin__list_remove(link);
                kin__note_free(note);
            }
        }
    }
    kin__listener_push(listener, &seat->staged);
}

/* Once it is stopped nobody leaves, so that halt() can walk the list; nor does one that is still
 * being called, which has to be waited for. */
static void prune_locked(kin__processor *p)
{
    kin_registration *next = NULL;

    for (kin_registration *l = p->is_stopped ? NULL : first_locked(p); l != NULL; l = next) {
        next = next_locked(p, l);
        if (kin__listener_is_over(l) && !kin__listener_is_busy(l)) {
            dismiss_locked(p, l);
        }
    }
}

static void dismiss_locked(kin__processor *p, kin_registration *listener)
{
    kin__listener_seat *seat = kin__listener_seat_of(listener);

    (void) p;
    kin__listener_detach(listener); /* it may outlive whoever the hooks are of */
    kin__list_remove(&seat->link);
    kin__resync_remove(&seat->resync);
    leave_seat(seat);
    kin__listener_unref(listener);
}

/* The first of which that is true, with a reference; NULL: none. */
static kin_registration *find(kin__processor *p, question is_wanted)
{
    kin__mutex_lock(&p->lock);
    kin_registration *l = first_locked(p);
    while (l != NULL && !is_wanted(l)) {
        l = next_locked(p, l);
    }
    if (l != NULL) {
        (void) kin__listener_ref(l);
    }
    kin__mutex_unlock(&p->lock);
    return l;
}

static bool is_inline_and_waiting(kin_registration *listener)
{
    return kin__listener_options(listener)->mode == KIN_DELIVERY_INLINE &&
           kin__listener_is_waiting(listener);
}

static bool is_over_and_busy(kin_registration *listener)
{
    return kin__listener_is_over(listener) && kin__listener_is_busy(listener);
}

/* The one behind `listener`, whose reference is dropped; NULL: the first.  Only once it is stopped.
 */
static kin_registration *advance(kin__processor *p, kin_registration *listener)
{
    kin__mutex_lock(&p->lock);
    kin_registration *next = listener == NULL ? first_locked(p) : next_locked(p, listener);
    if (next != NULL) {
        (void) kin__listener_ref(next);
    }
    kin__mutex_unlock(&p->lock);
    kin__listener_unref(listener);
    return next;
}

static kin_registration *first_locked(const kin__processor *p)
{
    kin__link *link = kin__list_first(&p->listeners);
    return link == NULL ? NULL : of_link(link);
}

static kin_registration *next_locked(const kin__processor *p, kin_registration *listener)
{
    kin__link *link = kin__list_next(&p->listeners, &kin__listener_seat_of(listener)->link);
    return link == NULL ? NULL : of_link(link);
}

static kin_registration *of_link(kin__link *link)
{
    return KIN__OWNER(link, kin__listener_seat, link)->listener;
}
