/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debounce_test.c - keys whose change waits for the next one.
 */
#include "controller/debounce.h"

#include "unit/controller/workshop.h"

static void add(kin__debounce *d, const char *key, kin_priority priority, int64_t due_ms)
{
    ASSERT_OK(kin__debounce_add(d, kin_str_of(key), priority, due_ms, NULL));
}

/* The first key that is due; "" for none. */
static const char *next(const kin__debounce *d, int64_t now_ms)
{
    static char words[64];
    kin_priority priority;
    kin_str key;

    words[0] = '\0';
    if (kin__debounce_next(d, now_ms, &key, &priority)) {
        (void) snprintf(words, sizeof words, "%.*s at %d", KIN_STR_ARG(key), (int) priority);
    }
    return words;
}

TEST(debounce, keeps_a_change_until_it_has_waited_for_long_enough)
{
    AUTO(kin__debounce_clear) kin__debounce d = { 0 };

    add(&d, "b", KIN_PRIORITY_NORMAL, 200);
    add(&d, "a", KIN_PRIORITY_NORMAL, 100);

    ASSERT_EQ(kin__debounce_due_ms(&d), 100);
    ASSERT_STR_EQ(next(&d, 99), "");
    ASSERT_STR_EQ(next(&d, 100), "a at 0");
    kin__debounce_remove(&d, kin_str_of("a"));
    ASSERT_STR_EQ(next(&d, 199), "");
    ASSERT_STR_EQ(next(&d, 200), "b at 0");
    kin__debounce_remove(&d, kin_str_of("b"));
    ASSERT_EQ(kin__debounce_count(&d), 0);
    ASSERT_EQ(kin__debounce_due_ms(&d), INT64_MAX);
}

TEST(debounce, puts_a_change_off_ten_times_at_most)
{
    AUTO(kin__debounce_clear) kin__debounce d = { 0 };

    for (int64_t at = 0; at <= 20; at++) {
        add(&d, "a", KIN_PRIORITY_NORMAL, 100 + at * 50);
        add(&d, "a", KIN_PRIORITY_NORMAL, 100 + at * 50); /* the same moment counts once */
    }

    ASSERT_EQ(kin__debounce_due_ms(&d), 100 + 10 * 50);
}

TEST(debounce, keeps_the_highest_priority)
{
    AUTO(kin__debounce_clear) kin__debounce d = { 0 };

    add(&d, "a", KIN_PRIORITY_NORMAL, 10);
    add(&d, "a", KIN_PRIORITY_HIGH, 20);
    add(&d, "a", KIN_PRIORITY_LOW, 30);

    ASSERT_STR_EQ(next(&d, 30), "a at 1");
}

TEST_FAILING_ALLOC(debounce, survives_every_failed_allocation)
{
    AUTO(kin__debounce_clear) kin__debounce d = { 0 };
    kin_error err;
    kin_err code = kin__debounce_add(&d, kin_str_of("a"), KIN_PRIORITY_NORMAL, 5, &err);

    ASSERT_EQ(kin__debounce_count(&d), code == KIN_OK ? 1 : 0);
    return code;
}

/* ---- with a controller ---------------------------------------------------------------------- */

TEST(debounce, holds_a_controller_back_until_nothing_has_changed_for_a_while)
{
    workshop w;

    workshop_open(&w);
    w.options.debounce_ms = 500;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);
    await_idle(&w); /* what was there does not wait */
    expect_seen(&w, "default/a");

    await_version(&w, w.maps, "default/a", put_map(&w, "a", "2"));
    await_told(&w);
    pass(&w, 400);
    await_version(&w, w.maps, "default/a", put_map(&w, "a", "3"));
    await_told(&w);
    pass(&w, 499);
    expect_seen(&w, "");
    ASSERT_EQ(status_of(&w).queue.waiting, 0);
    ASSERT_ERR(kin_controller_wait_idle(w.controller, 0, &w.err), KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(w.err.message, "changes wait for the next one");
    pass(&w, 1);
    await_idle(&w);
    expect_seen(&w, "default/a");
    workshop_close(&w);
}

static kin_err ask_for_later(void *context, kin_reconcile *r, kin_error *err)
{
    static _Atomic bool has_asked;

    if (!atomic_exchange(&has_asked, true)) {
        kin_reconcile_again(r, 10000);
    }
    return note_key(context, r, err);
}

TEST(debounce, leaves_what_a_key_is_to_come_for_later_alone)
{
    workshop w;

    workshop_open(&w);
    w.options.debounce_ms = 500;
    w.options.reconcile = ask_for_later;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);
    await_idle(&w);
    await_version(&w, w.maps, "default/a", put_map(&w, "a", "2"));
    await_told(&w);
    pass(&w, 500);
    await_idle(&w);
    expect_seen(&w, "default/a default/a");

    pass(&w, 9500);
    await_idle(&w);

    expect_seen(&w, "default/a");
    workshop_close(&w);
}
