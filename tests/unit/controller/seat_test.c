/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seat_test.c - a controller that works only while it leads, with a leader whose say the test has.
 */
#include "controller/leader.h"
#include "unit/controller/workshop.h"

static kin__leader_seat *seat;
static _Atomic bool is_leading;
static bool is_teller;
static void (*happens)(
    workshop *w); /* right after the leader was asked, with the lock held; once */
static workshop *shop;

void kin__leader_attend(kin_leader *leader, kin__leader_seat *its)
{
    (void) leader;
    seat = its;
}

void kin__leader_leave(kin_leader *leader, kin__leader_seat *its)
{
    (void) leader;
    ASSERT_TRUE(seat == its);
    seat = NULL;
}

bool kin_leader_is_leading(const kin_leader *leader)
{
    (void) leader;
    bool was_leading = is_leading;
    void (*now)(workshop * w) = happens;

    happens = NULL;
    if (now != NULL) {
        now(shop);
    }
    return was_leading;
}

bool kin__leader_is_teller(const kin_leader *leader)
{
    (void) leader;
    return is_teller;
}

static void lead(bool leads)
{
    is_leading = leads;
    seat->fn(seat->context, leads);
}

static void open_candidate(workshop *w, kin_reconcile_fn reconcile)
{
    workshop_open(w);
    w->options.leader = (kin_leader *) w; /* nobody looks */
    w->options.reconcile = reconcile;
    make_controller_about_maps(w);
    put_map(w, "a", "1");
}

TEST(seat, keeps_a_controller_from_working_until_it_leads)
{
    workshop w;

    open_candidate(&w, note_key);
    start(&w);
    while (!status_of(&w).is_synced) {
        (void) sched_yield();
    }
    ASSERT_FALSE(status_of(&w).is_leading);
    ASSERT_EQ(status_of(&w).queue.waiting, 1);
    ASSERT_ERR(kin_controller_wait_idle(w.controller, 0, &w.err), KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(w.err.message, "it does not lead");
    expect_seen(&w, "");

    lead(true);
    await_idle(&w);

    expect_seen(&w, "default/a");
    ASSERT_TRUE(status_of(&w).is_leading);
    workshop_close(&w);
    ASSERT_TRUE(seat == NULL);
}

/* It leads, and on_started has not returned yet: what that prepares may be needed. */
TEST(seat, keeps_a_controller_from_working_until_it_is_told)
{
    workshop w;

    open_candidate(&w, note_key);
    is_leading = true;
    start(&w);
    while (!status_of(&w).is_synced) {
        (void) sched_yield();
    }
    ASSERT_FALSE(status_of(&w).is_leading);
    expect_seen(&w, "");

    lead(true);
    await_idle(&w);

    expect_seen(&w, "default/a");
    workshop_close(&w);
}

/* That it leads is told to the controller when on_started has returned. */
TEST(seat, is_not_waited_for_in_a_function_of_the_leader)
{
    workshop w;

    open_candidate(&w, note_key);
    start(&w);
    is_teller = true;

    ASSERT_ERR(kin_controller_wait_idle(w.controller, -1, &w.err), KIN_ERR_USAGE);

    ASSERT_MESSAGE(&w.err, "wait until controller \"test\" is idle: not from a function of its "
                           "leader");
    workshop_close(&w);
}

static kin_err hold_and_write(void *context, kin_reconcile *r, kin_error *err)
{
    workshop *w = context;
    kin_object *object = map_of("b", "1");

    note(w, "begin:%d", kin_reconcile_is_over(r));
    hold(w);
    note(w, "end:%d", kin_reconcile_is_over(r));
    kin_err code = kin_reconcile_create(r, object, NULL, err);
    note(w, "%s", kin_err_name(code));
    kin_object_unref(object);
    return code;
}

static void *lose(void *context)
{
    lead(false);
    note(context, "lost");
    return NULL;
}

TEST(seat, is_given_up_when_no_reconcile_runs_any_more)
{
    workshop w;
    pthread_t thread;

    open_candidate(&w, hold_and_write);
    set_holding(&w, true);
    start(&w);
    lead(true);
    await_held(&w, 1);
    ASSERT_EQ(pthread_create(&thread, NULL, lose, &w), 0);
    while (status_of(&w).is_leading) {
        (void) sched_yield();
    }

    set_holding(&w, false);
    ASSERT_EQ(pthread_join(thread, NULL), 0);

    expect_seen(&w, "begin:0 end:1 KIN_ERR_CANCELLED lost");
    workshop_close(&w);
}

static kin_err write_slowly(void *context, kin_reconcile *r, kin_error *err)
{
    kin_object *object = map_of("b", "1");
    kin_err code = kin_reconcile_create(r, object, NULL, err);

    note(context, "%s", kin_err_name(code));
    kin_object_unref(object);
    return code;
}

TEST(seat, ends_calls_that_are_under_way_when_it_is_lost)
{
    workshop w;

    open_candidate(&w, write_slowly);
    fault(&w, "{\"do\":\"delay\",\"verb\":\"create\",\"ms\":600000}");
    start(&w);
    lead(true);
    await_fault(&w);

    lead(false); /* returns when nothing runs */

    expect_seen(&w, "KIN_ERR_CANCELLED");
    workshop_close(&w);
}

static void (*to_happen)(workshop *w);

/* Something happens between the question whether it may go on and the call: whoever ends calls
 * then has not found this one. */
static kin_err write_too_late(void *context, kin_reconcile *r, kin_error *err)
{
    happens = to_happen;
    return write_slowly(context, r, err);
}

static void expect_end_when(void (*what)(workshop *w))
{
    workshop w;

    shop = &w;
    to_happen = what;
    open_candidate(&w, write_too_late);
    fault(&w, "{\"do\":\"delay\",\"verb\":\"create\",\"ms\":600000}");
    start(&w);
    lead(true);

    await_seen(&w, "KIN_ERR_CANCELLED");

    workshop_close(&w);
}

static void lose_it(workshop *w)
{
    (void) w;
    is_leading = false;
}

TEST(seat, that_is_lost_ends_a_call_that_is_just_about_to_begin)
{
    expect_end_when(lose_it);
}

UNCHECKED_LOCKS static void let_deadline_pass(workshop *w)
{
    w->controller->cancel_at_ms = 0;
}

TEST(seat, that_is_kept_ends_a_call_that_is_just_about_to_begin_after_a_stop)
{
    expect_end_when(let_deadline_pass);
}

TEST(seat, brings_back_what_failed_for_the_loss_of_it)
{
    workshop w;

    open_candidate(&w, note_key);
    start(&w);
    lead(true);
    await_idle(&w);
    expect_seen(&w, "default/a");
    lead(false);
    await_version(&w, w.maps, "default/b", put_map(&w, "b", "1"));
    await_told(&w);
    expect_seen(&w, "");

    lead(true);
    await_idle(&w);

    expect_seen(&w, "default/b");
    workshop_close(&w);
}

/* Its time has run out, and its thread has yet to say so. */
TEST(seat, is_not_trusted_beyond_the_leaders_clock)
{
    workshop w;

    open_candidate(&w, note_key);
    start(&w);
    lead(true);
    await_idle(&w);
    expect_seen(&w, "default/a");

    is_leading = false;
    await_version(&w, w.maps, "default/b", put_map(&w, "b", "1"));
    await_told(&w);
    await_loop(&w);
    ASSERT_FALSE(status_of(&w).is_leading);
    expect_seen(&w, "");

    workshop_close(&w);
}

/* Until the worker has given back what it took, and waits for the gate. */
static void await_gate(workshop *w)
{
    bool waits = false;

    while (!waits) {
        kin__mutex_lock(&w->controller->lock);
        waits = w->controller->waiters == 1;
        kin__mutex_unlock(&w->controller->lock);
        (void) sched_yield();
    }
}

/* Its clock has run out and the leader has not said so; then it was renewed after all.  Nobody
 * tells that: the worker looks again by itself. */
TEST(seat, that_was_only_in_doubt_has_what_was_taken_meanwhile_come_as_it_came)
{
    kin_queue_add_options low = KIN_QUEUE_ADD_OPTIONS_INIT;
    workshop w;

    open_candidate(&w, note_key);
    start(&w);
    lead(true);
    await_idle(&w);
    expect_seen(&w, "default/a");
    is_leading = false;
    low.priority = KIN_PRIORITY_LOW;
    ASSERT_OK(kin_controller_add(w.controller, kin_str_of("x"), &low, &w.err));
    await_gate(&w);
    ASSERT_OK(kin_controller_add(w.controller, kin_str_of("y"), NULL, &w.err));
    expect_seen(&w, "");

    is_leading = true;
    await_seen(&w, "x");

    await_seen(&w, "y");
    expect_seen(&w, "y x");
    workshop_close(&w);
}
