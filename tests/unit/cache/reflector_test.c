/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector_test.c - what a reflector does when all goes well; options, states, start and stop.
 */
#include "cache/reflector.h"

#include <string.h>

#include "support/allocator.h"
#include "unit/cache/reflector_script.h"

TEST(reflector, lists_at_0_and_watches_from_the_version_of_the_list)
{
    script s;
    script_begin(&s, NULL);

    expect(&s, "list rv=0 limit=500");
    expect(&s, "wait");
    send_object(&s, "a@5");
    send_object(&s, "b@7");
    expect_told(&s, "");
    end_page(&s, "12", NULL);
    expect_told(&s, "replace@12 [a@5 b@7]");

    expect(&s, "watch rv=12");
    send_open(&s);
    send_modified(&s, "a@13");
    send_deleted(&s, "b@14");
    send_added(&s, "c@15");
    expect_told(&s, "update a@13; remove b@14; add c@15");
    expect_version(&s, "15");
    script_end(&s);
}

TEST(reflector, tells_an_empty_list)
{
    script s;
    script_begin(&s, NULL);

    expect(&s, "list rv=0 limit=500");
    end_page(&s, "12", NULL);

    expect_told(&s, "replace@12 []");
    ASSERT_TRUE(kin__reflector_look(s.reflector).is_synced);
    expect(&s, "watch rv=12");
    script_end(&s);
}

TEST(reflector, watches_on_at_once_when_the_server_ends_the_watch)
{
    script s;
    begin_synced(&s);

    send_modified(&s, "a@20");
    pass(&s, 400000);
    end_well(&s);

    expect_told(&s, "update a@20");
    expect(&s, "watch rv=20");
    expect_state(&s, KIN__REFLECTOR_RESUMING);
    send_open(&s);
    expect_state(&s, KIN__REFLECTOR_WATCHING);
    script_end(&s);
}

TEST(reflector, gets_the_rest_when_a_watch_ends_with_most_events_missing)
{
    script s;
    begin_synced(&s);

    pass(&s, 5000);
    send_added(&s, "b@13");
    end_well(&s);

    expect(&s, "watch rv=13");
    send_added(&s, "c@14");
    send_added(&s, "d@15");
    expect_told(&s, "add b@13; add c@14; add d@15");
    script_end(&s);
}

TEST(reflector, asks_for_watches_of_5_to_10_minutes)
{
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;

    for (uint64_t seed = 0; seed < 500; seed++) {
        script s;
        kin__reflector_options options = { .seed = seed };

        script_begin(&s, &options);
        expect(&s, "list rv=0 limit=500");
        end_page(&s, "12", NULL);
        expect(&s, "watch rv=12");
        least = s.timeout_seconds < least ? s.timeout_seconds : least;
        most = s.timeout_seconds > most ? s.timeout_seconds : most;
        script_end(&s);
    }

    ASSERT_TRUE(least >= 300 && least < 310);
    ASSERT_TRUE(most <= 600 && most > 590);
}

TEST(reflector, asks_for_watches_as_long_as_the_program_says)
{
    script s;
    kin__reflector_options options = { .watch_seconds = 1800 };
    script_begin(&s, &options);

    expect(&s, "list rv=0 limit=500");
    end_page(&s, "12", NULL);
    expect(&s, "watch rv=12");

    ASSERT_TRUE(s.timeout_seconds >= 1800 && s.timeout_seconds <= 3600);
    script_end(&s);
}

TEST(reflector, hands_on_how_long_a_watch_may_be_silent)
{
    script s;
    kin__reflector_options options = { .idle_ms = 77, .resource_version = "3" };
    script_begin(&s, &options);
    expect(&s, "probe rv=3");
    end_page(&s, "3", NULL);

    kin__action action = kin__reflector_next(s.reflector, s.now_ms);

    ASSERT_EQ(action.type, KIN__ACTION_WATCH);
    ASSERT_EQ(action.watch.idle_ms, 77);
    script_end(&s);
}

TEST(reflector, chooses_how_to_begin_by_the_encoding)
{
    script s;
    kin__reflector_options protobuf = { .is_protobuf = true };
    kin__reflector_options list = { .is_protobuf = true, .mode = KIN__START_LIST };
    kin__reflector_options stream = { .mode = KIN__START_WATCH_LIST };

    script_begin(&s, &protobuf);
    expect(&s, "stream rv=");
    script_end(&s);
    script_begin(&s, &list);
    expect(&s, "list rv=0 limit=500");
    script_end(&s);
    script_begin(&s, &stream);
    expect(&s, "stream rv=");
    script_end(&s);
}

TEST(reflector, goes_on_from_a_version_of_another_life)
{
    script s;
    kin__reflector_options options = { .resource_version = "40" };
    script_begin(&s, &options);

    expect(&s, "probe rv=40");
    end_page(&s, "45", NULL);
    expect(&s, "watch rv=40");
    send_open(&s);
    ASSERT_TRUE(kin__reflector_look(s.reflector).is_synced);
    send_modified(&s, "a@41");
    expect_told(&s, "update a@41");
    script_end(&s);
}

TEST(reflector, lists_when_the_version_of_another_life_is_none)
{
    script s;
    kin__reflector_options options = { .resource_version = "0" };
    script_begin(&s, &options);

    expect(&s, "list rv=0 limit=500");
    script_end(&s);
}

TEST(reflector, lists_when_the_version_of_another_life_is_gone)
{
    script s;
    kin__reflector_options options = { .resource_version = "40" };
    script_begin(&s, &options);

    expect(&s, "probe rv=40");
    end_page(&s, "45", NULL);
    expect(&s, "watch rv=40");
    send_error(&s, expired());
    expect(&s, "cancel");
    end_cancelled(&s);

    expect(&s, "list rv=40 limit=0");
    script_end(&s);
}

/* ---- stop and start --------------------------------------------------------------------- */

TEST(reflector, does_nothing_before_it_is_started)
{
    kin__reflector_options options = { 0 };
    AUTO(kin__reflector_free) kin__reflector *reflector = NULL;
    kin_error err;

    ASSERT_OK(kin__reflector_new(&options, &reflector, &err));

    ASSERT_EQ(kin__reflector_next(reflector, 0).type, KIN__ACTION_STOPPED);
    ASSERT_EQ(kin__reflector_look(reflector).state, KIN__REFLECTOR_NEW);
}

TEST(reflector, asks_nothing_when_it_is_stopped_before_it_began)
{
    script s;
    script_begin(&s, NULL);

    kin__reflector_stop(s.reflector, s.now_ms);

    expect(&s, "stopped");
    expect(&s, "stopped");
    ASSERT_EQ(kin__reflector_look(s.reflector).lists, 0);
    expect_state(&s, KIN__REFLECTOR_STOPPED);
    script_end(&s);
}

TEST(reflector, ends_the_watch_when_it_is_stopped)
{
    script s;
    begin_synced(&s);

    kin__reflector_stop(s.reflector, s.now_ms);

    expect(&s, "cancel");
    expect(&s, "wait");
    end_cancelled(&s);
    expect(&s, "stopped");
    expect_told(&s, "");
    expect_state(&s, KIN__REFLECTOR_STOPPED);
    ASSERT_EQ(kin__reflector_look(s.reflector).watches, 1);
    script_end(&s);
}

TEST(reflector, tells_nothing_after_it_is_stopped)
{
    script s;
    begin_synced(&s);

    kin__reflector_stop(s.reflector, s.now_ms);
    send_modified(&s, "a@13");
    send_bookmark(&s, "14");

    expect_told(&s, "");
    expect_version(&s, "12");
    script_end(&s);
}

TEST(reflector, drops_half_a_list_when_it_is_stopped)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    send_object(&s, "a@5");

    kin__reflector_stop(s.reflector, s.now_ms);

    ASSERT_EQ(kin__reflector_look(s.reflector).collected, 0);
    expect(&s, "cancel");
    end_cancelled(&s);
    expect(&s, "stopped");
    script_end(&s);
}

TEST(reflector, stops_while_it_waits)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    end_badly(&s, refused());

    kin__reflector_stop(s.reflector, s.now_ms);

    expect(&s, "stopped");
    script_end(&s);
}

TEST(reflector, goes_on_where_it_was_stopped)
{
    script s;
    begin_synced(&s);
    send_modified(&s, "a@13");
    kin__reflector_stop(s.reflector, s.now_ms);
    expect(&s, "cancel");
    end_cancelled(&s);
    expect(&s, "stopped");

    pass(&s, 1000);
    kin__reflector_start(s.reflector, s.now_ms);

    expect(&s, "probe rv=13");
    end_page(&s, "20", NULL);
    expect(&s, "watch rv=13");
    send_modified(&s, "a@14");
    expect_told(&s, "update a@13; update a@14");
    script_end(&s);
}

TEST(reflector, can_be_started_again_before_its_end_has_come)
{
    script s;
    begin_synced(&s);
    kin__reflector_stop(s.reflector, s.now_ms);
    expect(&s, "cancel");

    kin__reflector_start(s.reflector, s.now_ms);
    send_modified(&s, "a@13");
    expect(&s, "wait");
    end_cancelled(&s);

    expect_told(&s, "");
    expect(&s, "probe rv=12");
    end_page(&s, "20", NULL);
    expect(&s, "watch rv=12");
    script_end(&s);
}

TEST(reflector, begins_anew_when_it_was_stopped_before_it_knew_anything)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    send_object(&s, "a@5");
    kin__reflector_stop(s.reflector, s.now_ms);
    expect(&s, "cancel");
    end_cancelled(&s);
    expect(&s, "stopped");

    kin__reflector_start(s.reflector, s.now_ms);

    expect(&s, "list rv=0 limit=500");
    end_page(&s, "9", NULL);
    expect_told(&s, "replace@9 []");
    script_end(&s);
}

TEST(reflector, may_be_started_twice)
{
    script s;
    begin_synced(&s);

    kin__reflector_start(s.reflector, s.now_ms);

    expect(&s, "wait");
    send_modified(&s, "a@13");
    expect_told(&s, "update a@13");
    script_end(&s);
}

TEST(reflector, ignores_what_comes_while_nothing_is_under_way)
{
    script s;
    script_begin(&s, NULL);

    send_object(&s, "a@5");
    send_open(&s);
    send_added(&s, "a@5");
    end_page(&s, "12", NULL);

    expect_told(&s, "");
    expect(&s, "list rv=0 limit=500");
    send_added(&s, "a@5");
    end_page(&s, "12", NULL);
    expect_told(&s, "replace@12 []");
    script_end(&s);
}

/* ---- status ----------------------------------------------------------------------------- */

TEST(reflector, shows_how_it_stands)
{
    script s;
    script_begin(&s, NULL);
    expect_state(&s, KIN__REFLECTOR_LISTING);
    ASSERT_FALSE(kin__reflector_look(s.reflector).is_synced);
    sync_by_list(&s);
    send_modified(&s, "a@13");
    send_bookmark(&s, "14");

    kin__reflector_status status = kin__reflector_look(s.reflector);

    ASSERT_TRUE(status.is_synced);
    ASSERT_EQ(status.state, KIN__REFLECTOR_WATCHING);
    ASSERT_SLICE_EQ(status.resource_version, "14");
    ASSERT_TRUE(status.error == NULL);
    ASSERT_EQ(status.lists, 1);
    ASSERT_EQ(status.watches, 1);
    ASSERT_EQ(status.replaces, 1);
    ASSERT_EQ(status.events, 2);
    ASSERT_EQ(status.bookmarks, 1);
    ASSERT_EQ(status.failures, 0);
    script_end(&s);
}

TEST(reflector, shows_a_trouble_until_an_attempt_works)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    pass(&s, 20);
    end_badly(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"));

    expect_state(&s, KIN__REFLECTOR_FORBIDDEN);
    kin__reflector_status status = kin__reflector_look(s.reflector);
    ASSERT_EQ(status.error->code, KIN_ERR_FORBIDDEN);
    ASSERT_EQ(status.error_at_ms, s.now_ms);
    ASSERT_EQ(status.failures, 1);

    expect_wait(&s, 800);
    expect(&s, "list rv=0 limit=500");
    expect_state(&s, KIN__REFLECTOR_FORBIDDEN);
    send_object(&s, "a@5");
    expect_state(&s, KIN__REFLECTOR_LISTING);
    script_end(&s);
}

TEST(reflector, has_a_name_for_every_state)
{
    for (int i = KIN__REFLECTOR_NEW; i <= KIN__REFLECTOR_STOPPED; i++) {
        ASSERT_TRUE(strcmp(kin__reflector_state_name((kin__reflector_state) i), "unknown") != 0);
    }
    ASSERT_STR_EQ(kin__reflector_state_name((kin__reflector_state) 99), "unknown");
    ASSERT_STR_EQ(kin__reflector_state_name(KIN__REFLECTOR_STOPPED), "stopped");
    ASSERT_STR_EQ(kin__reflector_state_name(KIN__REFLECTOR_NOT_FOUND), "not found");
}

TEST(reflector, may_be_freed_while_a_list_is_under_way)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");

    send_object(&s, "a@5");

    script_end(&s);
}

/* ---- without memory ------------------------------------------------------------------------- */

/* A sink that only counts, and a server with the objects a and b, which then changes b. */
typedef struct small_world {
    kin_object *objects[3];
    size_t held;
    uint64_t changes;
} small_world;

static kin_err count_replace(void *context, kin_object *const *objects, size_t count,
                             kin_str version, kin_error *err)
{
    small_world *w = context;

    (void) objects;
    (void) version;
    (void) err;
    w->held = count;
    return KIN_OK;
}

static kin_err count_change(void *context, kin_object *object, kin_error *err)
{
    small_world *w = context;

    (void) object;
    (void) err;
    w->changes++;
    return KIN_OK;
}

static void serve_small_list(const small_world *w, kin__reflector *r, const kin__list_ask *ask,
                             int64_t now_ms)
{
    bool is_first = ask->continue_token == NULL;

    kin__reflector_object(r, w->objects[is_first ? 0 : 1], now_ms);
    kin__reflector_end(
        r,
        &(kin__call_end){ .resource_version = "12", .continue_token = is_first ? "a-token" : NULL },
        now_ms);
}

static void serve_small_watch(const small_world *w, kin__reflector *r, const kin__watch_ask *ask,
                              int64_t now_ms)
{
    kin_event events[] = {
        { .type = KIN_EVENT_ADDED, .object = w->objects[1], .resource_version = kin_str_of("7") },
        { .type = KIN_EVENT_ADDED, .object = w->objects[0], .resource_version = kin_str_of("5") },
        { .type = KIN_EVENT_BOOKMARK,
          .is_initial_end = true,
          .resource_version = kin_str_of("12") },
        { .type = KIN_EVENT_MODIFIED,
          .object = w->objects[2],
          .resource_version = kin_object_resource_version(w->objects[2]) },
    };

    for (size_t i = ask->initial_events ? 0 : 3; i < 4; i++) {
        kin__reflector_event(r, &events[i], now_ms);
    }
}

/* Until all is told, or it has been tried often enough. */
static void drive(const small_world *w, kin__reflector *r)
{
    bool is_under_way = false;
    int64_t now_ms = 0;

    for (int i = 0; i < 100 && w->changes == 0; i++) {
        kin__action action = kin__reflector_next(r, now_ms);

        if (action.type == KIN__ACTION_LIST) {
            serve_small_list(w, r, &action.list, now_ms);
        } else if (action.type == KIN__ACTION_WATCH) {
            is_under_way = true;
            serve_small_watch(w, r, &action.watch, now_ms);
        } else if (action.type == KIN__ACTION_CANCEL) {
            ASSERT_TRUE(is_under_way);
            kin__reflector_end(r, &(kin__call_end){ 0 }, now_ms);
            is_under_way = false;
        } else if (action.until_ms != KIN__NEVER) {
            now_ms = action.until_ms;
        }
    }
}

static kin_err follow_small_world(small_world *w, kin__start_mode mode)
{
    kin__reflector_options options = {
        .mode = mode,
        .api_version = "v1",
        .kind = "Pod",
        .sink = { w, count_replace, count_change, count_change, count_change, NULL, NULL },
    };
    AUTO(kin__reflector_free) kin__reflector *r = NULL;
    kin_error err;

    if (kin__reflector_new(&options, &r, &err) != KIN_OK) {
        return err.code;
    }
    kin__reflector_start(r, 0);
    drive(w, r);
    kin__reflector_status status = kin__reflector_look(r);
    if (w->changes > 0 || test_allocator_failures() <= 1) {
        ASSERT_EQ(w->held, 2);
        ASSERT_EQ(w->changes, 1);
        ASSERT_EQ(status.state, KIN__REFLECTOR_WATCHING);
    }
    return status.error != NULL ? status.error->code : KIN_OK;
}

/* The version of the change is longer than what memory there is for versions. */
static kin_err with_small_world(kin__start_mode mode)
{
    static const char *const texts[] = {
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
        "\"resourceVersion\":\"5\"}}",
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\","
        "\"resourceVersion\":\"7\"}}",
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\","
        "\"resourceVersion\":\"1000000000000000000000000000000000000000000000000000000000000000"
        "000000000000000000000000000000000000000000000000000000000000000000000000000000000000\"}}",
    };
    small_world w = { 0 };
    kin_err code = KIN_OK;
    kin_error err;

    for (size_t i = 0; i < 3 && code == KIN_OK; i++) {
        code = kin_object_from_json(texts[i], strlen(texts[i]), NULL, &w.objects[i], &err);
    }
    if (code == KIN_OK) {
        code = follow_small_world(&w, mode);
    }
    for (size_t i = 0; i < 3; i++) {
        kin_object_unref(w.objects[i]);
    }
    return code;
}

TEST_FAILING_ALLOC(reflector, goes_on_without_memory_when_it_lists)
{
    return with_small_world(KIN__START_LIST);
}

TEST_FAILING_ALLOC(reflector, goes_on_without_memory_when_it_streams)
{
    return with_small_world(KIN__START_WATCH_LIST);
}
