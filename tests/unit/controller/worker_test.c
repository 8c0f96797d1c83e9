/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker_test.c - keys that are reconciled.
 */
#include "controller/reconcile.h"
#include "unit/controller/workshop.h"

#define KEYS 8
#define ROUNDS 200

/* ---- what fails, and what is to come again -------------------------------------------------- */

static kin_err fail_twice(void *context, kin_reconcile *r, kin_error *err)
{
    note(context, "%u", kin_reconcile_failures(r));
    if (kin_reconcile_failures(r) < 2) {
        err->code = KIN_ERR_SERVER;
        (void) snprintf(err->message, sizeof err->message, "not yet");
        return KIN_ERR_SERVER;
    }
    return KIN_OK;
}

static void note_trouble(void *context, kin_str key, const kin_error *err, int64_t retry_ms)
{
    note(context, "%.*s:%s:%lld", KIN_STR_ARG(key), err->message, (long long) retry_ms);
}

TEST(worker, has_what_fails_come_again_later_each_time_until_it_succeeds)
{
    workshop w;
    kin_limiter limiter = KIN_LIMITER_INIT;

    workshop_open(&w);
    limiter.base_ms = 1000;
    w.options.limiter = &limiter;
    w.options.reconcile = fail_twice;
    w.options.on_trouble = note_trouble;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);
    await_idle(&w);
    expect_seen(&w, "0 default/a:not yet:1000");

    pass(&w, 999);
    await_idle(&w);
    expect_seen(&w, "");
    pass(&w, 1);
    await_idle(&w);
    expect_seen(&w, "1 default/a:not yet:2000");
    pass(&w, 2000);
    await_idle(&w);
    expect_seen(&w, "2");

    settle_map(&w, "a", "2"); /* forgotten: from the beginning */
    expect_seen(&w, "0 default/a:not yet:1000");
    ASSERT_EQ(status_of(&w).succeeded, 1);
    ASSERT_EQ(status_of(&w).failed, 3);
    ASSERT_EQ(status_of(&w).error.code, KIN_ERR_SERVER);
    ASSERT_STR_EQ(status_of(&w).error.message, "not yet");
    workshop_close(&w);
}

static kin_err ask_at_once(void *context, kin_reconcile *r, kin_error *err)
{
    static _Atomic int count;

    (void) err;
    note(context, "%.*s", KIN_STR_ARG(kin_reconcile_name(r)));
    if (atomic_fetch_add(&count, 1) < 2) {
        kin_reconcile_again(r, -5);
    }
    return KIN_OK;
}

TEST(worker, has_what_wants_so_come_again_at_once)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = ask_at_once;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);

    await_idle(&w);

    expect_seen(&w, "a a a");
    workshop_close(&w);
}

static kin_err note_priority(void *context, kin_reconcile *r, kin_error *err)
{
    (void) err;
    note(context, "%d", (int) r->item->priority);
    kin_reconcile_again(r, 1000);
    return KIN_OK;
}

/* What was there before does not come to be a fresh change by that. */
TEST(worker, has_what_is_to_come_again_come_as_it_came)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = note_priority;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);
    await_idle(&w);
    pass(&w, 1000);
    await_idle(&w);
    expect_seen(&w, "-1 -1");

    settle_map(&w, "a", "2");
    pass(&w, 1000);
    await_idle(&w);

    expect_seen(&w, "0 0");
    workshop_close(&w);
}

/* ---- one key, one worker -------------------------------------------------------------------- */

typedef struct crowd {
    workshop w;
    _Atomic int inside[KEYS];
    _Atomic int most;  /* with one key */
    _Atomic int count; /* in all */
} crowd;

static kin_err count_inside(void *context, kin_reconcile *r, kin_error *err)
{
    crowd *c = context;
    int number = kin_reconcile_name(r).data[0] - '0';

    (void) err;
    int now = atomic_fetch_add(&c->inside[number], 1) + 1;
    if (now > atomic_load(&c->most)) {
        atomic_store(&c->most, now);
    }
    (void) sched_yield();
    atomic_fetch_sub(&c->inside[number], 1);
    atomic_fetch_add(&c->count, 1);
    return KIN_OK;
}

TEST(worker, never_has_a_key_that_another_one_has)
{
    crowd c = { 0 };

    workshop_open(&c.w);
    c.w.options.reconcile = count_inside;
    c.w.options.context = &c;
    c.w.options.workers = 8;
    make_controller_about_maps(&c.w);
    start(&c.w);
    for (int i = 0; i < KEYS * ROUNDS; i++) {
        char key[] = "default/0";
        key[8] = (char) ('0' + i % KEYS);
        ASSERT_OK(kin_controller_add(c.w.controller, kin_str_of(key), NULL, &c.w.err));
    }

    await_idle(&c.w);

    ASSERT_EQ(c.most, 1);
    ASSERT_TRUE(c.count >= KEYS);
    ASSERT_EQ(status_of(&c.w).succeeded, c.count);
    workshop_close(&c.w);
}

static kin_err hold_key(void *context, kin_reconcile *r, kin_error *err)
{
    note_key(context, r, err);
    hold(context);
    return KIN_OK;
}

TEST(worker, is_one_of_as_many_as_are_wanted)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = hold_key;
    w.options.workers = 3;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    put_map(&w, "b", "1");
    put_map(&w, "c", "1");
    put_map(&w, "d", "1");
    set_holding(&w, true);
    start(&w);

    await_held(&w, 3);

    ASSERT_EQ(status_of(&w).queue.running, 3);
    ASSERT_EQ(status_of(&w).queue.waiting, 1);
    workshop_close(&w);
}

TEST(worker, serves_a_key_again_that_changed_while_it_was_served)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = hold_key;
    w.options.workers = 2;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    set_holding(&w, true);
    start(&w);
    await_held(&w, 1);
    uint64_t revision = put_map(&w, "a", "2");
    await_version(&w, w.maps, "default/a", revision);
    await_told(&w);
    expect_seen(&w, "default/a");

    set_holding(&w, false);
    await_idle(&w);

    expect_seen(&w, "default/a");
    workshop_close(&w);
}

/* ---- conflicts ------------------------------------------------------------------------------ */

static kin_err conflict(void *context, kin_reconcile *r, kin_error *err)
{
    (void) context;
    (void) r;
    err->message[0] = '\0';
    return KIN_ERR_CONFLICT;
}

static void note_level(void *context, kin_log_level level, const char *component,
                       const char *message)
{
    if (level <= KIN_LOG_WARNING) {
        note(context, "%s: %s", component, message);
    }
}

TEST(worker, does_not_complain_of_conflicts)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = conflict;
    w.options.logger = (kin_logger) KIN_LOGGER_INIT;
    w.options.logger.log = note_level;
    w.options.logger.context = &w;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);

    await_idle(&w);

    expect_seen(&w, "");
    ASSERT_EQ(status_of(&w).conflicts, 1);
    ASSERT_EQ(status_of(&w).failed, 1);
    workshop_close(&w);
}

TEST(worker, logs_what_failed_and_when_it_comes_again)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = fail_twice;
    w.options.logger = (kin_logger) KIN_LOGGER_INIT;
    w.options.logger.log = note_level;
    w.options.logger.context = &w;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);

    await_idle(&w);

    expect_seen(&w, "0 controller: test: reconcile default/a: not yet; again in 5 ms");
    workshop_close(&w);
}

/* ---- during a stop -------------------------------------------------------------------------- */

static kin_err hold_and_fail(void *context, kin_reconcile *r, kin_error *err)
{
    (void) r;
    hold(context);
    err->code = KIN_ERR_SERVER;
    (void) snprintf(err->message, sizeof err->message, "no");
    return KIN_ERR_SERVER;
}

static void note_log(void *context, kin_log_level level, const char *part, const char *message)
{
    (void) level;
    if (strcmp(part, "controller") == 0) {
        note(context, "%s", message);
    }
}

TEST(worker, does_not_say_when_it_comes_again_what_fails_during_a_stop)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = hold_and_fail;
    w.options.logger.context = &w;
    w.options.logger.log = note_log;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    set_holding(&w, true);
    start(&w);
    await_held(&w, 1);
    ASSERT_ERR(kin_controller_stop(w.controller, 0, &w.err), KIN_ERR_TIMEOUT);

    set_holding(&w, false);
    ASSERT_OK(kin_controller_stop(w.controller, -1, &w.err));

    expect_seen(&w, "test: reconcile default/a: no; it is to stop");
    workshop_close(&w);
}
