/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconcile_test.c - one call of the program's function.
 */
#include "unit/controller/workshop.h"

/* ---- what it is about ----------------------------------------------------------------------- */

static kin_err describe(void *context, kin_reconcile *r, kin_error *err)
{
    workshop *w = context;
    const kin_object *object = kin_reconcile_object(r);

    (void) err;
    ASSERT_TRUE(kin_reconcile_client(r) == w->client);
    ASSERT_EQ(kin_reconcile_left_ms(r), -1);
    ASSERT_TRUE(object == kin_reconcile_object(r));
    note(w, "%.*s|%.*s|%s", KIN_STR_ARG(kin_reconcile_namespace(r)),
         KIN_STR_ARG(kin_reconcile_name(r)), object == NULL ? "gone" : "there");
    return KIN_OK;
}

TEST(reconcile, knows_what_it_is_about)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = describe;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);
    await_idle(&w);
    expect_seen(&w, "default|a|there");

    uint64_t revision = remove_map(&w, "a");
    await_version(&w, w.maps, "default/a", revision);
    await_idle(&w);
    expect_seen(&w, "default|a|gone");
    ASSERT_OK(kin_controller_add(w.controller, kin_str_of("node"), NULL, &w.err));
    await_idle(&w);
    expect_seen(&w, "|node|gone");
    workshop_close(&w);
}

/* ---- how long it has
 * ------------------------------------------------------------------------------ */

static void note_trouble(void *context, kin_str key, const kin_error *err, int64_t retry_ms)
{
    note(context, "%.*s:%s:%lld", KIN_STR_ARG(key), err->message, (long long) retry_ms);
}

static kin_err take_too_long(void *context, kin_reconcile *r, kin_error *err)
{
    workshop *w = context;
    kin_object *object = map_of("b", "1");

    note(w, "%lld %d", (long long) kin_reconcile_left_ms(r), kin_reconcile_is_over(r));
    kin__virtual_clock_advance(&w->clock, 999);
    note(w, "%lld %d", (long long) kin_reconcile_left_ms(r), kin_reconcile_is_over(r));
    kin__virtual_clock_advance(&w->clock, 1);
    note(w, "%lld %d", (long long) kin_reconcile_left_ms(r), kin_reconcile_is_over(r));
    kin_err code = kin_reconcile_create(r, object, NULL, err);
    kin_object_unref(object);
    return code;
}

TEST(reconcile, is_over_when_its_deadline_has_passed)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = take_too_long;
    w.options.deadline_ms = 1000;
    w.options.on_trouble = note_trouble;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);

    await_idle(&w);

    expect_seen(&w, "1000 0 1 0 0 1 "
                    "default/a:reconcile default/a: its deadline has passed:5");
    ASSERT_EQ(status_of(&w).overdue, 1);
    ASSERT_EQ(status_of(&w).failed, 1);
    ASSERT_EQ(status_of(&w).longest_us, 1000000);
    ASSERT_EQ(status_of(&w).error.code, KIN_ERR_TIMEOUT);
    workshop_close(&w);
}

/* ---- when it comes again -------------------------------------------------------------------- */

static kin_err ask_for_more(void *context, kin_reconcile *r, kin_error *err)
{
    (void) err;
    note(context, "%.*s", KIN_STR_ARG(kin_reconcile_name(r)));
    kin_reconcile_again(r, 60000);
    kin_reconcile_again(r, 5000);
    kin_reconcile_again(r, 9000);
    return KIN_OK;
}

TEST(reconcile, comes_again_at_the_earliest_of_the_times_it_asked_for)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = ask_for_more;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);
    await_idle(&w);
    expect_seen(&w, "a");

    pass(&w, 4999);
    await_idle(&w);
    expect_seen(&w, "");
    pass(&w, 1);
    await_idle(&w);
    expect_seen(&w, "a");
    ASSERT_EQ(status_of(&w).again, 2);
    ASSERT_EQ(status_of(&w).succeeded, 2);
    workshop_close(&w);
}
