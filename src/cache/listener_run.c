/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener_run.c - telling a handler what is pending.
 *
 * One step is one call: what is next is taken with the lock held, told without it.  What is next:
 * the error that ended it; that it is synced; the rest of the replay; what is pending.
 */
#include <unistd.h>

#include "base/inside.h"
#include "cache/listener_state.h"

/* Calls that a handler makes on the pool before it is another one's turn. */
#define SLICE 64

typedef enum step_kind { STEP_ERROR, STEP_SYNCED, STEP_REPLAY, STEP_NOTE } step_kind;

typedef struct step {
    step_kind kind;
    kin_notification told; /* REPLAY, NOTE */
    int64_t since_ns;      /* ... waits since then */
    kin__note *note;       /* NOTE: what holds it; owned */
    kin_error error;       /* ERROR */
} step;

static bool take_locked(kin_registration *l, step *s) REQUIRES(l->lock);
static bool take_replay_locked(kin_registration *l, step *s) REQUIRES(l->lock);
static bool take_note_locked(kin_registration *l, step *s) REQUIRES(l->lock);
static bool make_call(kin_registration *l, step *s);
static int64_t count_locked(kin_registration *l, const step *s, bool is_made, int64_t from_ns)
    REQUIRES(l->lock);
static bool tell(kin_registration *l, kin_notification *n);
static void enter(const kin_registration *l);
static void leave(const kin_registration *l);
static bool passes(const kin_registration *l, const kin_object *object);
static void end_if_due_locked(kin_registration *l) REQUIRES(l->lock);
static void schedule_locked(kin_registration *l) REQUIRES(l->lock);
static void signal_locked(kin_registration *l) REQUIRES(l->lock);
static void run_job(kin__pool_job *job);

void kin__listener_run(kin_registration *listener, size_t max)
{
    kin__mutex_lock(&listener->lock);
    if (!listener->is_running) {
        listener->is_running = true;
        (void) kin__listener_tell_locked(listener, max);
        listener->is_running = false;
        kin__listener_settle_locked(listener);
    }
    kin__mutex_unlock(&listener->lock);
}

size_t kin__listener_tell_locked(kin_registration *l, size_t max)
{
    step s;
    size_t made = 0;
    int64_t from_ns = kin__listener_metrics_now_ns(&l->metrics);

    for (size_t steps = 0; (max == 0 || steps < max) && take_locked(l, &s); steps++) {
        kin__mutex_unlock(&l->lock);
        bool is_made = make_call(l, &s);
        kin__note_free(s.note);
        kin__mutex_lock(&l->lock);
        made += is_made;
        from_ns = count_locked(l, &s, is_made, from_ns);
        l->is_telling_initial = false;
        kin__listener_check_synced_locked(l);
    }
    return made;
}

/* One reading of the clock for each call: what lies between two is little.  Gives that reading. */
static int64_t count_locked(kin_registration *l, const step *s, bool is_made, int64_t from_ns)
{
    int64_t now_ns = kin__listener_metrics_now_ns(&l->metrics);

    if (s->kind >= STEP_REPLAY) {
        kin__listener_metrics_call(&l->metrics, s->told.type, is_made, from_ns - s->since_ns,
                                   now_ns - from_ns);
    }
    return now_ns;
}

void kin__listener_settle_locked(kin_registration *l)
{
    end_if_due_locked(l);
    schedule_locked(l);
    signal_locked(l);
    kin__listener_metrics_note(
        &l->metrics, &(kin__listener_facts){ .pending = kin__listener_pending_locked(l),
                                             .merged = l->pending.merged,
                                             .is_blocking = kin__listener_is_blocking_locked(l),
                                             .is_active = l->state == KIN_REGISTRATION_ACTIVE });
    kin__cond_broadcast(&l->changed);
}

void kin__listener_check_synced_locked(kin_registration *l)
{
    if (!atomic_load(&l->is_synced) && l->is_store_synced && l->replay_left == 0 &&
        l->pending.initial == 0 && !l->is_telling_initial && kin__listener_is_telling_locked(l)) {
        atomic_store(&l->is_synced, true);
        l->owes_synced = l->options.on_synced != NULL;
    }
}

bool kin__listener_claim_job_locked(kin_registration *l)
{
    if (l->options.mode != KIN_DELIVERY_POOL || l->is_scheduled ||
        !kin__listener_has_work_locked(l)) {
        return false;
    }
    l->is_scheduled = true;
    l->job.run = run_job;
    (void) kin__listener_ref(l);
    return true;
}

bool kin__listener_has_work_locked(const kin_registration *l)
{
    return l->owes_error || (kin__listener_is_telling_locked(l) &&
                             (l->owes_synced || l->replay != NULL || l->pending.count > 0));
}

bool kin__listener_is_inside_any(void)
{
    return kin__inside_is(KIN__INSIDE_HANDLER);
}

/* What is next; false: nothing. */
static bool take_locked(kin_registration *l, step *s)
{
    s->note = NULL;
    if (l->owes_error) {
        l->owes_error = false;
        s->kind = STEP_ERROR;
        kin__listener_explain_locked(l, &s->error);
        return true;
    }
    if (!kin__listener_is_telling_locked(l)) {
        return false;
    }
    if (l->replay != NULL && take_replay_locked(l, s)) {
        return true;
    }
    if (l->owes_synced) {
        l->owes_synced = false;
        s->kind = STEP_SYNCED;
        return true;
    }
    return take_note_locked(l, s);
}

/* The replay's objects are borrowed from it: it stays while `is_running` is set. */
static bool take_replay_locked(kin_registration *l, step *s)
{
    if (!kin_view_next(&l->replay_at)) {
        kin_snapshot_free(l->replay);
        l->replay = NULL;
        l->replay_left = 0;
        kin__listener_check_synced_locked(l);
        return false;
    }
    l->replay_left--;
    l->is_telling_initial = true;
    s->kind = STEP_REPLAY;
    s->since_ns = l->began_ns;
    s->told = (kin_notification){ .type = KIN_NOTIFICATION_ADDED,
                                  .key = l->replay_at.key,
                                  .object = l->replay_at.object,
                                  .is_initial = true };
    return true;
}

static bool take_note_locked(kin_registration *l, step *s)
{
    bool was_blocking = kin__listener_is_blocking_locked(l);

    s->note = kin__pending_pop(&l->pending);
    if (s->note == NULL) {
        return false;
    }
    s->kind = STEP_NOTE;
    s->told = s->note->told;
    s->since_ns = s->note->at_ns;
    l->is_telling_initial = s->told.is_initial;
    if (was_blocking && !kin__listener_is_blocking_locked(l)) {
        kin__listener_wake_locked(l);
    }
    return true;
}

/* True when there was something to tell. */
static bool make_call(kin_registration *l, step *s)
{
    const kin_registration_options *o = &l->options;
    bool is_made = true;

    enter(l);
    switch (s->kind) {
    case STEP_ERROR:
        if (o->on_error != NULL) {
            o->on_error(o->context, &s->error);
        }
        break;
    case STEP_SYNCED:
        o->on_synced(o->context);
        break;
    case STEP_REPLAY:
        is_made = kin__listener_translate(l, false, &s->told) && tell(l, &s->told);
        break;
    case STEP_NOTE:
        is_made = tell(l, &s->told);
        break;
    }
    leave(l);
    return is_made;
}

static bool tell(kin_registration *l, kin_notification *n)
{
    const kin_registration_options *o = &l->options;

    if (o->filter != NULL) {
        bool knows_before = n->before != NULL && passes(l, n->before);
        if (!kin__listener_narrow(n, knows_before, passes(l, n->object))) {
            return false;
        }
    }
    kin_notification_fn fn = n->type == KIN_NOTIFICATION_ADDED     ? o->on_add
                             : n->type == KIN_NOTIFICATION_UPDATED ? o->on_update
                                                                   : o->on_delete;
    if (fn != NULL) {
        fn(o->context, n);
    }
    return true;
}

static void enter(const kin_registration *l)
{
    kin__inside_enter(KIN__INSIDE_HANDLER);
    if (l->options.policy == KIN_BACKLOG_BLOCK) {
        kin__inside_enter(KIN__INSIDE_BLOCKING);
    }
}

static void leave(const kin_registration *l)
{
    if (l->options.policy == KIN_BACKLOG_BLOCK) {
        kin__inside_leave(KIN__INSIDE_BLOCKING);
    }
    kin__inside_leave(KIN__INSIDE_HANDLER);
}

static bool passes(const kin_registration *l, const kin_object *object)
{
    return l->options.filter(l->options.context, object);
}

static void end_if_due_locked(kin_registration *l)
{
    if (l->is_running || l->is_ended || l->state == KIN_REGISTRATION_ACTIVE ||
        kin__listener_has_work_locked(l)) {
        return;
    }
    kin__listener_drop_replay_locked(l); /* it was running when the listener was ended */
    l->is_ended = true;
    if (l->options.on_end != NULL) {
        l->is_running = true;
        kin__mutex_unlock(&l->lock);
        enter(l);
        l->options.on_end(l->options.context);
        leave(l);
        kin__mutex_lock(&l->lock);
        l->is_running = false;
    }
}

/* The job's reference is taken here, and dropped by whoever runs it. */
static void schedule_locked(kin_registration *l)
{
    if (kin__listener_claim_job_locked(l)) {
        kin__pool_submit(l->pool, &l->job);
    }
}

static void signal_locked(kin_registration *l)
{
    bool is_wanted = kin__listener_has_work_locked(l);

    if (l->fd < 0 || is_wanted == l->is_signalled) {
        return;
    }
    uint64_t count = 1;
    ssize_t done =
        is_wanted ? write(l->fd, &count, sizeof count) : read(l->fd, &count, sizeof count);
    l->is_signalled = is_wanted;
    (void) done; /* fails only for a descriptor that the program has closed */
}

static void run_job(kin__pool_job *job)
{
    kin_registration *l = KIN__OWNER(job, kin_registration, job);

    kin__mutex_lock(&l->lock);
    if (!l->is_running) {
        l->is_running = true;
        (void) kin__listener_tell_locked(l, SLICE);
        l->is_running = false;
    }
    l->is_scheduled = false;
    kin__listener_settle_locked(l);
    kin__mutex_unlock(&l->lock);
    kin__listener_unref(l);
}
