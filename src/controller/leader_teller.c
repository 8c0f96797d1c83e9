/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader_teller.c - the thread that tells who leads.
 *
 * It compares what is with what it has told, one step at a time: whatever changes while a function
 * runs is told after it, and what has changed back is not told at all.  So there is no queue, and
 * nothing to run out of memory for.
 *
 * `told` is set before the first function of a term is called and cleared after the last one has
 * returned.  While it is set the Lease is neither let go of nor asked for again.
 */
#include "base/error.h"
#include "controller/leader_state.h"

static bool take_step(kin_leader *leader) REQUIRES(leader->lock);
static void look_at_clock(kin_leader *leader) REQUIRES(leader->lock);
static void end_term(kin_leader *leader) REQUIRES(leader->lock);
static void begin_term(kin_leader *leader) REQUIRES(leader->lock);
static void tell_holder(kin_leader *leader) REQUIRES(leader->lock);
static void tell_seat(kin_leader *leader, kin__leader_seat *seat, bool is_leading)
    REQUIRES(leader->lock);
static kin__leader_seat *find_seat(kin_leader *leader, bool is_told) REQUIRES(leader->lock);
static bool has_new_holder(const kin_leader *leader) REQUIRES(leader->lock);
static void await_news(kin_leader *leader) REQUIRES(leader->lock);

void kin__leader_tell(void *context)
{
    kin_leader *leader = context;

    kin__mutex_lock(&leader->lock);
    while (take_step(leader) || !leader->is_ending) {
        continue;
    }
    kin__mutex_unlock(&leader->lock);
}

void kin__leader_end_teller(kin_leader *leader)
{
    kin__mutex_lock(&leader->lock);
    leader->is_ending = true;
    kin__cond_broadcast(&leader->news);
    kin__mutex_unlock(&leader->lock);
    kin__thread_join(&leader->teller);
}

/* Set before the first function is called: the thread is asked to by who holds the leader. */
bool kin__leader_is_teller(const kin_leader *leader)
{
    return pthread_equal(leader->teller.os, pthread_self()) != 0;
}

void kin__leader_attend(kin_leader *leader, kin__leader_seat *seat)
{
    kin__mutex_lock(&leader->lock);
    seat->is_told = false;
    kin__list_push(&leader->seats, &seat->link);
    kin__cond_broadcast(&leader->news);
    kin__mutex_unlock(&leader->lock);
}

void kin__leader_leave(kin_leader *leader, kin__leader_seat *seat)
{
    kin__mutex_lock(&leader->lock);
    kin__list_remove(&seat->link);
    while (leader->busy == seat) {
        kin__cond_wait(&leader->news, &leader->lock);
    }
    kin__mutex_unlock(&leader->lock);
}

/* False when there was nothing to tell; then it has waited, unless it is to end. */
static bool take_step(kin_leader *leader)
{
    kin__leader_seat *seat;

    look_at_clock(leader);
    if (leader->told != 0 && leader->told != leader->term) {
        end_term(leader);
    } else if (has_new_holder(leader)) {
        tell_holder(leader);
    } else if (leader->told != leader->term) {
        begin_term(leader);
    } else if (leader->told != 0 && (seat = find_seat(leader, false)) != NULL) {
        tell_seat(leader, seat, true);
    } else {
        if (!leader->is_ending) {
            await_news(leader);
        }
        return false;
    }
    return true;
}

/* For when the loop does not get to it: functions of the program may be in its way. */
static void look_at_clock(kin_leader *leader)
{
    if (leader->term != 0 && !kin_leader_is_leading(leader)) {
        leader->term = 0;
    }
}

static void end_term(kin_leader *leader)
{
    const kin_leader_options *options = &leader->options;

    for (kin__leader_seat *seat; (seat = find_seat(leader, true)) != NULL;) {
        tell_seat(leader, seat, false);
    }
    if (options->on_stopped != NULL) {
        kin__mutex_unlock(&leader->lock);
        options->on_stopped(options->context);
        kin__mutex_lock(&leader->lock);
    }
    leader->told = 0;
    kin__leader_wake(leader);
}

static void begin_term(kin_leader *leader)
{
    const kin_leader_options *options = &leader->options;

    leader->told = leader->term;
    if (options->on_started != NULL) {
        kin__mutex_unlock(&leader->lock);
        options->on_started(options->context);
        kin__mutex_lock(&leader->lock);
    }
}

static bool has_new_holder(const kin_leader *leader)
{
    return leader->facts.holder.len > 0 &&
           !kin__lease_holder_equal(&leader->facts.holder, &leader->told_holder);
}

static void tell_holder(kin_leader *leader)
{
    const kin_leader_options *options = &leader->options;

    leader->told_holder = leader->facts.holder;
    const char *name = leader->told_holder.name; /* changed by nobody else */
    if (options->on_new_leader != NULL) {
        kin__mutex_unlock(&leader->lock);
        options->on_new_leader(options->context, name);
        kin__mutex_lock(&leader->lock);
    }
}

static void tell_seat(kin_leader *leader, kin__leader_seat *seat, bool is_leading)
{
    seat->is_told = is_leading;
    leader->busy = seat;
    kin__mutex_unlock(&leader->lock);
    seat->fn(seat->context, is_leading);
    kin__mutex_lock(&leader->lock);
    leader->busy = NULL;
    kin__cond_broadcast(&leader->news);
}

static kin__leader_seat *find_seat(kin_leader *leader, bool is_told)
{
    kin__link *link = kin__list_first(&leader->seats);

    for (; link != NULL; link = kin__list_next(&leader->seats, link)) {
        kin__leader_seat *seat = KIN__OWNER(link, kin__leader_seat, link);
        if (seat->is_told == is_told) {
            return seat;
        }
    }
    return NULL;
}

/* On a clock of its own nothing but news wakes it: whoever moves that clock sees to it. */
static void await_news(kin_leader *leader)
{
    if (leader->told == 0 || leader->clock != kin__clock_real()) {
        kin__cond_wait(&leader->news, &leader->lock);
        return;
    }
    int64_t left_ms =
        (atomic_load(&leader->leads_until_ns) - kin__clock_boot_ns(leader->clock)) / 1000000 + 1;
    (void) kin__cond_wait_until(&leader->news, &leader->lock,
                                kin__clock_now_ms(leader->clock) + left_ms);
}
