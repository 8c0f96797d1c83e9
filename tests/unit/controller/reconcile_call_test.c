/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconcile_call_test.c - a reconcile's calls to the server.
 */
#include "base/inside.h"
#include "unit/controller/workshop.h"

static kin_err ask_slowly(void *context, kin_reconcile *r, kin_error *err)
{
    kin_object *object = map_of("b", "1");
    kin_err code = kin_reconcile_create(r, object, NULL, err);

    note(context, "%s", kin_err_name(code));
    kin_object_unref(object);
    return code;
}

/* The call's time is real: the loop's. */
TEST(reconcile_call, takes_as_long_as_the_deadline_leaves)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = ask_slowly;
    w.options.deadline_ms = 20;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    fault(&w, "{\"do\":\"delay\",\"verb\":\"create\",\"ms\":600000}");
    start(&w);

    await_idle(&w);

    expect_seen(&w, "KIN_ERR_TIMEOUT");
    workshop_close(&w);
}

/* ---- calls and a stop ------------------------------------------------------------------------ */

static kin_err create_slowly(void *context, kin_reconcile *r, kin_error *err)
{
    kin_object *object = map_of("b", "1");

    note(context, "create");
    kin_err code = kin_reconcile_create(r, object, NULL, err);
    note(context, "%s", kin_err_name(code));
    code = kin_reconcile_create(r, object, NULL, err);
    note(context, "%s", kin_err_name(code));
    kin_object_unref(object);
    return code;
}

TEST(reconcile_call, ends_at_the_deadline_of_a_stop)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = create_slowly;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    fault(&w, "{\"do\":\"delay\",\"verb\":\"create\",\"ms\":600000}");
    start(&w);
    await_seen(&w, "create");
    await_fault(&w);

    ASSERT_OK(kin_controller_stop(w.controller, 0, &w.err));

    expect_seen(&w, "create KIN_ERR_CANCELLED KIN_ERR_CANCELLED");
    workshop_close(&w);
}

static kin_err return_slowly(void *context, kin_reconcile *r, kin_error *err)
{
    kin_err code = ask_slowly(context, r, err);

    hold(context);
    return code;
}

/* Lets it return when somebody waits for that, or has given up to. */
typedef struct release {
    workshop *w;
    _Atomic bool is_late;
} release;

static void *release_when_waited_for(void *context)
{
    release *when = context;
    kin_controller *controller = when->w->controller;
    bool is_waited_for = false;

    while (!is_waited_for && !when->is_late) {
        kin__mutex_lock(&controller->lock);
        is_waited_for = controller->waiters > 0;
        kin__mutex_unlock(&controller->lock);
        (void) sched_yield();
    }
    set_holding(when->w, false);
    return NULL;
}

static void cancel_until_held(workshop *w)
{
    int held = 0;

    while (held == 0) {
        kin__mutex_lock(&w->controller->lock);
        kin__runtime_cancel_calls_locked(w->controller);
        kin__mutex_unlock(&w->controller->lock);
        pthread_mutex_lock(&w->lock);
        held = w->held;
        pthread_mutex_unlock(&w->lock);
        (void) sched_yield();
    }
}

/* The loop may have cancelled it before whoever stops the controller looks. */
TEST(reconcile_call, that_was_cancelled_before_gives_its_reconcile_time_to_return)
{
    workshop w;
    release when = { .w = &w };
    pthread_t thread;

    workshop_open(&w);
    w.options.reconcile = return_slowly;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    fault(&w, "{\"do\":\"delay\",\"verb\":\"create\",\"ms\":600000}");
    set_holding(&w, true);
    start(&w);
    await_fault(&w);
    cancel_until_held(&w);

    ASSERT_EQ(pthread_create(&thread, NULL, release_when_waited_for, &when), 0);
    kin_err code = kin_controller_stop(w.controller, 0, &w.err);
    when.is_late = true;
    ASSERT_EQ(pthread_join(thread, NULL), 0);

    ASSERT_OK(code);
    expect_seen(&w, "KIN_ERR_CANCELLED");
    workshop_close(&w);
}

TEST(reconcile_call, ends_by_the_controllers_clock_when_nobody_waits_for_the_stop)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = create_slowly;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    fault(&w, "{\"do\":\"delay\",\"verb\":\"create\",\"ms\":600000}");
    start(&w);
    await_seen(&w, "create");
    kin__inside_enter(KIN__INSIDE_HANDLER);
    ASSERT_ERR(kin_controller_stop(w.controller, 1000, &w.err), KIN_ERR_USAGE);
    kin__inside_leave(KIN__INSIDE_HANDLER);
    await_timer(&w);

    pass(&w, 1000);
    await_seen(&w, "create KIN_ERR_CANCELLED KIN_ERR_CANCELLED");

    workshop_close(&w);
}

TEST(reconcile_call, ends_by_itself_when_a_stop_leaves_it_alone)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = create_slowly;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    fault(&w, "{\"do\":\"delay\",\"verb\":\"create\",\"ms\":20}");
    start(&w);
    await_seen(&w, "create");
    await_fault(&w);

    ASSERT_OK(kin_controller_stop(w.controller, -1, &w.err));

    expect_seen(&w, "create KIN_OK KIN_ERR_CANCELLED");
    workshop_close(&w);
}
