/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader_wait.c - waiting for a leader, from other threads than the loop's.
 */
#include "base/error.h"
#include "controller/leader_state.h"

static void on_begin(kin__job *job, void *context);
static bool look_at(kin__leader_wait *wait);
static bool look_at_leading(kin__leader_wait *wait);
static bool leave_loop(kin__leader_wait *wait);
static void on_deadline(kin__timer *timer, void *context);
static void finish(kin__leader_wait *wait, const kin_error *err);

kin_err kin__leader_wait_for(kin_leader *leader, kin__leader_wait *wait, kin_error *err)
{
    kin_loop *loop = leader->parts.loop;

    wait->leader = leader;
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

void kin__leader_serve_waits(kin_leader *leader)
{
    kin__link *next;

    for (kin__link *link = kin__list_first(&leader->waits); link != NULL; link = next) {
        next = kin__list_next(&leader->waits, link);
        (void) look_at(KIN__OWNER(link, kin__leader_wait, link));
    }
}

static void on_begin(kin__job *job, void *context)
{
    kin__leader_wait *wait = context;
    kin_loop *loop = wait->leader->parts.loop;
    kin_error err;

    (void) job;
    kin__list_push(&wait->leader->waits, &wait->link);
    if (look_at(wait)) {
        return;
    }
    int64_t now_ms = kin__loop_now_ms(loop);
    bool is_endless = wait->deadline_ms < 0 || wait->deadline_ms > INT64_MAX - now_ms;
    if (!is_endless &&
        kin__timer_set(loop, &wait->timer, now_ms + wait->deadline_ms, &err) != KIN_OK) {
        finish(wait, &err);
    }
}

/* True when it is over, and may be gone. */
static bool look_at(kin__leader_wait *wait)
{
    kin_leader *leader = wait->leader;

    switch (wait->kind) {
    case KIN__LEADER_WAIT_LEADING:
        return look_at_leading(wait);
    case KIN__LEADER_WAIT_STOPPED:
        if (leader->ended >= wait->life) {
            finish(wait, wait->life == leader->ended ? &leader->end_error : NULL);
            return true;
        }
        break;
    case KIN__LEADER_WAIT_GONE:
        return leave_loop(wait);
    }
    return false;
}

static bool look_at_leading(kin__leader_wait *wait)
{
    kin_leader *leader = wait->leader;
    kin_error err;

    kin__mutex_lock(&leader->lock);
    bool is_over = !leader->is_wanted || leader->life != wait->life;
    kin__mutex_unlock(&leader->lock);
    if (is_over) {
        kin__error_set(&err, KIN_ERR_CANCELLED, "it was stopped meanwhile");
        finish(wait, &err);
        return true;
    }
    if (kin_leader_is_leading(leader)) {
        finish(wait, NULL);
        return true;
    }
    return false;
}

/* When a call is under way, its end comes back here. */
static bool leave_loop(kin__leader_wait *wait)
{
    kin_leader *leader = wait->leader;
    kin_loop *loop = leader->parts.loop;

    leader->is_leaving = true;
    if (leader->call != NULL) {
        leader->parts.caller.cancel(leader->call);
        return false;
    }
    kin__timer_clear(loop, &leader->timer);
    (void) kin__loop_cancel_job(loop, &leader->turn_job);
    finish(wait, NULL);
    return true;
}

static void on_deadline(kin__timer *timer, void *context)
{
    kin__leader_wait *wait = context;
    kin_leader *leader = wait->leader;
    long long ms = (long long) wait->deadline_ms;
    kin_error err;

    (void) timer;
    kin__mutex_lock(&leader->lock);
    kin__leader_facts facts = leader->facts;
    bool is_told = leader->told != 0;
    kin__mutex_unlock(&leader->lock);
    if (wait->kind == KIN__LEADER_WAIT_STOPPED) {
        kin__error_set(&err, KIN_ERR_TIMEOUT, "not within %lld ms: %s", ms,
                       is_told ? "a function has not returned" : "the Lease is not written yet");
    } else if (facts.holder.len > 0) {
        kin__error_set(&err, KIN_ERR_TIMEOUT, "not within %lld ms: \"%s\" has the Lease", ms,
                       facts.holder.name);
    } else if (facts.error.code != KIN_OK) {
        kin__error_set(&err, KIN_ERR_TIMEOUT, "not within %lld ms: nobody is known to lead: %s", ms,
                       facts.error.message);
    } else {
        kin__error_set(&err, KIN_ERR_TIMEOUT, "not within %lld ms: nobody is known to lead", ms);
    }
    finish(wait, &err);
}

/* When is_done is set, the wait may be gone. */
static void finish(kin__leader_wait *wait, const kin_error *err)
{
    kin_loop *loop = wait->leader->parts.loop;

    kin__list_remove(&wait->link);
    kin__timer_clear(loop, &wait->timer);
    if (err != NULL) {
        wait->error = *err;
    }
    atomic_store(&wait->is_done, true);
    kin__loop_wake_waiters(loop);
}
