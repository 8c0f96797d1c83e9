/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn_test.c - what a controller does on the loop.
 */
#include "unit/controller/workshop.h"

/* ---- what opens the gate
 * ------------------------------------------------------------------------- */

TEST(turn, has_workers_begin_when_all_informers_have_synced_with_what_has_changed_first)
{
    workshop w;

    workshop_open(&w);
    kin_informer *secrets = make_informer_of(&w, "secrets");
    make_controller_about_maps(&w);
    ASSERT_OK(kin_controller_reads(w.controller, secrets, &w.err));
    put_map(&w, "a", "1");
    put_map(&w, "b", "1");
    uint64_t revision = put_map(&w, "c", "1");
    start(&w);
    await_version(&w, w.maps, "default/c", revision);
    revision = put_map(&w, "c", "2");
    await_version(&w, w.maps, "default/c", revision);
    await_told(&w);
    await_loop(&w);
    expect_seen(&w, "");
    ASSERT_FALSE(status_of(&w).is_synced);
    ASSERT_EQ(status_of(&w).queue.waiting, 3);
    ASSERT_ERR(kin_controller_wait_idle(w.controller, 0, &w.err), KIN_ERR_TIMEOUT);
    ASSERT_MESSAGE(&w.err, "wait until controller \"test\" is idle: not within 0 ms: its informers "
                           "have not synced");

    ASSERT_OK(kin_informer_start(secrets, &w.err));
    await_idle(&w);

    ASSERT_TRUE(status_of(&w).is_synced);
    pthread_mutex_lock(&w.lock);
    ASSERT_EQ(strncmp(w.seen.chars, "default/c ", 10), 0);
    ASSERT_CONTAINS(w.seen.chars, "default/a");
    ASSERT_CONTAINS(w.seen.chars, "default/b");
    pthread_mutex_unlock(&w.lock);
    kin_controller_free(w.controller);
    w.controller = NULL;
    kin_informer_free(secrets);
    workshop_close(&w);
}

static bool hold_in_handler(const void *context, const kin_notification *n)
{
    (void) n;
    hold((workshop *) (uintptr_t) context);
    return true;
}

TEST(turn, has_workers_begin_when_handlers_have_been_told_what_was_there)
{
    workshop w;
    kin_predicate slow = { hold_in_handler, &w };

    workshop_open(&w);
    make_controller(&w);
    ASSERT_OK(kin_controller_about(w.controller, w.maps, &slow, &w.err));
    put_map(&w, "a", "1");
    set_holding(&w, true);
    start(&w);
    await_held(&w, 1);
    ASSERT_OK(kin_informer_wait_synced(w.maps, -1, &w.err));
    kin__runtime_wake(w.controller);
    await_loop(&w);
    ASSERT_FALSE(status_of(&w).is_synced);

    set_holding(&w, false);
    await_idle(&w);

    ASSERT_TRUE(status_of(&w).is_synced);
    expect_seen(&w, "default/a");
    workshop_close(&w);
}

static void map_nobody(void *context, const kin_object *object, kin_concerned *concerned)
{
    (void) context;
    (void) object;
    (void) concerned;
}

/* Of all informers, not only of the one it is about: `look_at` has it look at another one. */
static void expect_to_wait_for(kin_err (*look_at)(workshop *w, kin_informer *secrets,
                                                  const kin_predicate *slow))
{
    workshop w;
    kin_predicate slow = { hold_in_handler, &w };

    workshop_open(&w);
    kin_informer *secrets = make_informer_of(&w, "secrets");
    make_controller_about_maps(&w);
    ASSERT_OK(look_at(&w, secrets, &slow));
    put_map(&w, "a", "1");
    put(&w, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":"
            "\"default\",\"name\":\"s\"}}");
    set_holding(&w, true);
    ASSERT_OK(kin_informer_start(secrets, &w.err));
    start(&w);
    await_held(&w, 1);
    ASSERT_OK(kin_informer_wait_synced(w.maps, -1, &w.err));
    while (!atomic_load(&w.controller->about->is_told)) {
        (void) sched_yield();
    }
    kin__runtime_wake(w.controller);
    await_loop(&w);
    ASSERT_FALSE(status_of(&w).is_synced);

    set_holding(&w, false);
    await_idle(&w);

    expect_seen(&w, "default/a");
    kin_controller_free(w.controller);
    w.controller = NULL;
    kin_informer_free(secrets);
    workshop_close(&w);
}

static kin_err own(workshop *w, kin_informer *secrets, const kin_predicate *slow)
{
    return kin_controller_owns(w->controller, secrets, slow, &w->err);
}

TEST(turn, has_workers_begin_when_handlers_of_what_is_owned_have_been_told)
{
    expect_to_wait_for(own);
}

static kin_err map(workshop *w, kin_informer *secrets, const kin_predicate *slow)
{
    return kin_controller_maps(w->controller, secrets, slow, map_nobody, NULL, &w->err);
}

TEST(turn, has_workers_begin_when_handlers_of_what_is_mapped_have_been_told)
{
    expect_to_wait_for(map);
}

/* ---- what cannot be queued ------------------------------------------------------------------ */

static void map_too_long(void *context, const kin_object *object, kin_concerned *concerned)
{
    static char bytes[70000];

    (void) context;
    (void) object;
    memset(bytes, 'x', sizeof bytes);
    kin_concerned_add(concerned, (kin_str){ bytes, sizeof bytes });
}

static void note_error(void *context, kin_log_level level, const char *part, const char *message)
{
    (void) part;
    if (level == KIN_LOG_ERROR) {
        note(context, "%s", message);
    }
}

TEST(turn, says_that_it_drops_a_debounced_key_that_is_too_long)
{
    workshop w;

    workshop_open(&w);
    w.options.debounce_ms = 10;
    w.options.logger.context = &w;
    w.options.logger.log = note_error;
    make_controller(&w);
    ASSERT_OK(kin_controller_maps(w.controller, w.maps, NULL, map_too_long, NULL, &w.err));
    kin_informer *secrets = make_informer_of(&w, "secrets");
    ASSERT_OK(kin_controller_about(w.controller, secrets, NULL, &w.err));
    ASSERT_OK(kin_informer_start(secrets, &w.err));
    start(&w);
    await_idle(&w);
    await_version(&w, w.maps, "default/a", put_map(&w, "a", "1"));
    await_told(&w);

    pass(&w, 10);

    await_seen(&w, "a change is dropped");
    kin_controller_free(w.controller);
    w.controller = NULL;
    kin_informer_free(secrets);
    workshop_close(&w);
}
