/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life_test.c - a controller that starts and stops.
 */
#include "support/allocator.h"
#include "unit/controller/workshop.h"

static kin_err hold_key(void *context, kin_reconcile *r, kin_error *err)
{
    note_key(context, r, err);
    hold(context);
    note(context, "%s", kin_reconcile_is_over(r) ? "over" : "on");
    return KIN_OK;
}

/* ---- starting ------------------------------------------------------------------------------- */

TEST(life, refuses_to_start_what_is_about_nothing_or_was_started_before)
{
    workshop w;

    workshop_open(&w);
    make_controller(&w);
    ASSERT_ERR(kin_controller_start(w.controller, &w.err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&w.err, "start controller \"test\": it is about nothing");
    ASSERT_ERR(kin_controller_wait_idle(w.controller, 0, &w.err), KIN_ERR_USAGE);
    ASSERT_OK(kin_controller_about(w.controller, w.maps, NULL, &w.err));
    start(&w);

    ASSERT_ERR(kin_controller_start(w.controller, &w.err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&w.err, "start controller \"test\": it was started before");
    ASSERT_ERR(kin_controller_reads(w.controller, w.maps, &w.err), KIN_ERR_USAGE);
    await_idle(&w);
    ASSERT_OK(kin_controller_stop(w.controller, -1, &w.err));
    ASSERT_ERR(kin_controller_start(w.controller, &w.err), KIN_ERR_USAGE);
    workshop_close(&w);
}

TEST(life, starts_before_its_informers_do)
{
    workshop w;

    workshop_open(&w);
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    ASSERT_OK(kin_controller_start(w.controller, &w.err));
    ASSERT_OK(kin_informer_start(w.maps, &w.err));

    await_idle(&w);

    expect_seen(&w, "default/a");
    workshop_close(&w);
}

TEST(life, starts_after_its_informers_have_synced)
{
    workshop w;

    workshop_open(&w);
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    ASSERT_OK(kin_informer_start(w.maps, &w.err));
    ASSERT_OK(kin_informer_wait_synced(w.maps, -1, &w.err));
    ASSERT_OK(kin_controller_start(w.controller, &w.err));

    await_idle(&w);

    expect_seen(&w, "default/a");
    workshop_close(&w);
}

static void map_nobody(void *context, const kin_object *object, kin_concerned *concerned)
{
    (void) context;
    (void) object;
    (void) concerned;
}

/* Its handlers begin anew, and what they were told before counts no more. */
TEST(life, starts_anew_after_a_start_that_failed)
{
    kin_err code = KIN_ERR_NO_MEMORY;
    workshop w;

    workshop_open(&w);
    make_controller_about_maps(&w);
    ASSERT_OK(kin_controller_maps(w.controller, w.maps, NULL, map_nobody, NULL, &w.err));
    put_map(&w, "a", "1");
    for (unsigned n = 1; code != KIN_OK; n++) {
        atomic_store(&w.controller->about->is_told, true);
        test_allocator_plan((alloc_failure){ n, true });
        code = kin_controller_start(w.controller, &w.err);
        test_allocator_plan((alloc_failure){ 0 });
        ASSERT_TRUE(code == KIN_OK || (n < 100 && code == KIN_ERR_NO_MEMORY));
    }
    ASSERT_FALSE(atomic_load(&w.controller->about->is_told));

    ASSERT_OK(kin_informer_start(w.maps, &w.err));
    await_idle(&w);

    expect_seen(&w, "default/a");
    workshop_close(&w);
}

TEST(life, can_be_freed_without_having_been_started)
{
    workshop w;

    workshop_open(&w);
    make_controller_about_maps(&w);
    kin_controller_free(NULL);

    workshop_close(&w);
}

/* ---- stopping ------------------------------------------------------------------------------- */

TEST(life, ends_what_runs_and_drops_what_waits)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = hold_key;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    put_map(&w, "b", "1");
    set_holding(&w, true);
    start(&w);
    await_held(&w, 1);

    ASSERT_ERR(kin_controller_stop(w.controller, 0, &w.err), KIN_ERR_TIMEOUT);
    ASSERT_MESSAGE(&w.err, "stop controller \"test\": 1 reconciles still run");
    ASSERT_TRUE(status_of(&w).is_stopped);
    ASSERT_EQ(status_of(&w).queue.waiting, 0);
    set_holding(&w, false);
    ASSERT_OK(kin_controller_stop(w.controller, -1, &w.err));

    pthread_mutex_lock(&w.lock);
    ASSERT_CONTAINS(w.seen.chars, " over");
    ASSERT_TRUE(strstr(w.seen.chars, "over ") == NULL); /* nothing after it */
    pthread_mutex_unlock(&w.lock);
    ASSERT_ERR(kin_controller_add(w.controller, kin_str_of("x"), NULL, &w.err), KIN_ERR_CANCELLED);
    ASSERT_ERR(kin_controller_wait_idle(w.controller, -1, &w.err), KIN_ERR_CANCELLED);
    workshop_close(&w);
}

/* ---- from where it must not wait ------------------------------------------------------------ */

static kin_err stop_oneself(void *context, kin_reconcile *r, kin_error *err)
{
    workshop *w = context;

    (void) r;
    ASSERT_ERR(kin_controller_wait_idle(w->controller, -1, err), KIN_ERR_USAGE);
    kin_controller_free(w->controller); /* refused, and logged */
    kin_err code = kin_controller_stop(w->controller, -1, err);
    note(w, "%s: %s", kin_err_name(code), err->message);
    return KIN_OK;
}

static void note_log(void *context, kin_log_level level, const char *component, const char *message)
{
    if (level == KIN_LOG_ERROR) {
        note(context, "%s: %s", component, message);
    }
}

TEST(life, stops_from_a_reconcile_without_waiting)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = stop_oneself;
    w.options.logger = (kin_logger) KIN_LOGGER_INIT;
    w.options.logger.log = note_log;
    w.options.logger.context = &w;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);
    await_seen(&w, "KIN_ERR_USAGE");

    ASSERT_OK(kin_controller_stop(w.controller, -1, &w.err));

    expect_seen(&w, "controller: test: not freed: not from a reconcile, a handler or the loop "
                    "KIN_ERR_USAGE: stop controller \"test\": and wait: not from a reconcile, a "
                    "handler or the loop");
    workshop_close(&w);
}

static bool stop_from_handler(const void *context, const kin_notification *n)
{
    workshop *w = (workshop *) (uintptr_t) context;

    (void) n;
    note(w, "%s", kin_err_name(kin_controller_stop(w->controller, -1, NULL)));
    return true;
}

TEST(life, stops_from_a_handler_without_waiting)
{
    workshop w;
    kin_predicate predicate = { stop_from_handler, &w };

    workshop_open(&w);
    make_controller(&w);
    ASSERT_OK(kin_controller_about(w.controller, w.maps, &predicate, &w.err));
    put_map(&w, "a", "1");
    start(&w);

    await_seen(&w, "KIN_ERR_USAGE");

    ASSERT_OK(kin_controller_stop(w.controller, -1, &w.err));
    workshop_close(&w);
}

TEST(life, waits_for_an_end_that_comes_in_time)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = hold_key;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    set_holding(&w, true);
    start(&w);
    await_held(&w, 1);
    ASSERT_ERR(kin_controller_wait_idle(w.controller, 0, &w.err), KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(w.err.message, "reconciles run");
    set_holding(&w, false);

    ASSERT_OK(kin_controller_wait_idle(w.controller, 10000, &w.err));

    expect_seen(&w, "default/a on");
    workshop_close(&w);
}

TEST(life, wants_a_status_to_be_initialised)
{
    kin_controller_status status = KIN_CONTROLLER_STATUS_INIT;
    workshop w;

    workshop_open(&w);
    make_controller_about_maps(&w);
    status.size = 0;

    ASSERT_ERR(kin_controller_get_status(w.controller, &status, &w.err), KIN_ERR_USAGE);

    ASSERT_FALSE(status_of(&w).is_synced);
    ASSERT_TRUE(status_of(&w).is_leading);
    ASSERT_FALSE(status_of(&w).is_stopped);
    ASSERT_EQ(status_of(&w).error.code, KIN_OK);
    workshop_close(&w);
}
