/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_test.c - what goes wrong in the middle of an answer: lists and watches that are cut, stand
 * still, lie, or end with a word.
 */
#include <stdio.h>

#include "scenario/world.h"

static world w;
static kin_error err;

/* Three informers, each of which does it another way. */
static void open_world(const kin_server_options *options)
{
    kin_informer_options follow = maps_options();

    world_open(&w, options, QUICK);
    make_changes(&w, "before");
    (void) world_follow(&w, NULL, follow, MAPS);
    follow.start = KIN_START_LIST;
    follow.encoding = KIN_ENCODING_JSON;
    (void) world_follow(&w, NULL, follow, MAPS);
    follow.metadata_only = true;
    follow.start = KIN_START_WATCH_LIST;
    (void) world_follow(&w, NULL, follow, MAPS);
    world_await_watching(&w);
    world_await_equal(&w);
}

static uint64_t restarts(void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < w.count; i++) {
        sum += status_of(&w.followers[i]).restarts;
    }
    return sum;
}

static uint64_t watches(void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < w.count; i++) {
        sum += status_of(&w.followers[i]).watches;
    }
    return sum;
}

/* A fault strikes the open watches while things change, over both protocols.  Afterwards all is
 * known, each has watched again, and nobody has listed unless it had to. */
static void strike(const char *json, bool must_list)
{
    for (int is_http1 = 0; is_http1 < 2; is_http1++) {
        kin_server_options options = KIN_SERVER_OPTIONS_INIT;

        options.has_no_http2 = is_http1 == 1;
        open_world(&options);
        uint64_t id = fault(&w, json);
        make_changes(&w, "during");

        world_await_equal(&w);
        world_await_watching(&w);
        make_changes(&w, "after");
        world_await_equal(&w);

        ASSERT_EQ(met(&w, id), 3);
        ASSERT_EQ(watches(), 6);
        ASSERT_EQ(restarts(), must_list ? 3 : 0);
        world_close(&w);
    }
}

TEST(scenario_stream, cut_in_the_middle_of_an_event)
{
    strike("{\"do\":\"cut\",\"now\":true,\"after_events\":2}", false);
}

TEST(scenario_stream, reset_in_the_middle_of_an_event)
{
    strike("{\"do\":\"hang-up\",\"now\":true,\"after_events\":3}", false);
}

TEST(scenario_stream, ended_by_the_server)
{
    strike("{\"do\":\"end\",\"now\":true,\"after_events\":1}", false);
}

TEST(scenario_stream, expired_with_an_error_event)
{
    strike("{\"do\":\"expire\",\"now\":true,\"after_events\":2}", true);
}

/* Too much at once is no reason to list; what is wrong inside may be one. */
TEST(scenario_stream, ended_with_another_error_event)
{
    strike("{\"do\":\"error\",\"code\":429,\"retry_after\":3,\"now\":true,\"after_events\":1}",
           false);
    strike("{\"do\":\"error\",\"code\":500,\"now\":true,\"after_events\":2}", true);
}

/* A byte that makes no sense costs no more than the connection: what is known is known. */
TEST(scenario_stream, with_an_event_that_is_nonsense)
{
    strike("{\"do\":\"corrupt\",\"now\":true,\"after_events\":2}", false);
}

/* The same change twice: nobody is told twice. */
TEST(scenario_stream, that_repeats_an_event)
{
    open_world(NULL);
    uint64_t id = fault(&w, "{\"do\":\"duplicate\",\"now\":true,\"after_events\":1}");
    make_changes(&w, "during");

    world_await_equal(&w);

    ASSERT_EQ(met(&w, id), 3);
    ASSERT_EQ(watches(), 3);
    for (size_t i = 0; i < w.count; i++) {
        ASSERT_EQ(status_of(&w.followers[i]).stale, 1);
        ASSERT_CONTAINS(status_of(&w.followers[i]).error.message, "comes too late was dropped");
    }
    world_close(&w);
}

/* Two megabytes in one event. */
TEST(scenario_stream, with_an_object_that_is_large)
{
    open_world(NULL);
    (void) fault(&w, "{\"do\":\"oversize\",\"now\":true,\"size\":2000000}");
    put_map(&w, "large", "new");
    make_changes(&w, "during");

    world_await_equal(&w);

    ASSERT_EQ(watches(), 3);
    ASSERT_TRUE(status_of(&w.followers[0]).object_bytes > 2000000);
    world_close(&w);
}

/* Nothing comes and nothing is closed.  Bookmarks that do not come any more give it away. */
TEST(scenario_stream, that_stands_still)
{
    open_world(NULL);
    ASSERT_OK(kin_server_bookmark(w.server, &err));
    for (size_t i = 0; i < w.count; i++) {
        put_map(&w, "marker", "x");
        ASSERT_OK(kin_server_bookmark(w.server, &err));
        AWAIT(&w, status_of(&w.followers[i]).bookmarks > 0)
    }
    uint64_t id = fault(&w, "{\"do\":\"stall\",\"now\":true,\"after_events\":1}");
    make_changes(&w, "during");
    AWAIT(&w, status_of(&w.followers[0]).silent_ms > 1000)
    ASSERT_EQ(watches(), 3);
    world_pass(&w, 160000);
    AWAIT(&w, watches() == 6 || status_of(&w.followers[0]).silent_ms > 200000)

    ASSERT_EQ(watches(), 6);
    world_await_equal(&w);
    ASSERT_EQ(met(&w, id), 3);
    ASSERT_EQ(restarts(), 0);
    world_close(&w);
}

/* The host is gone: connections stay, and nothing comes on them, not even for what is asked anew.
 */
TEST(scenario_stream, of_a_host_that_is_gone)
{
    for (int is_http1 = 0; is_http1 < 2; is_http1++) {
        kin_server_options options = KIN_SERVER_OPTIONS_INIT;

        options.has_no_http2 = is_http1 == 1;
        open_world(&options);
        for (size_t i = 0; i < w.count; i++) {
            put_map(&w, "marker", "x");
            ASSERT_OK(kin_server_bookmark(w.server, &err));
            AWAIT(&w, status_of(&w.followers[i]).bookmarks > 0)
        }
        (void) fault(&w, "{\"do\":\"freeze\"}");
        make_changes(&w, "during");
        w.leap_ms = 1000;
        world_await_equal(&w);
        w.leap_ms = LEAP_MS;

        make_changes(&w, "after");
        world_await_equal(&w);
        ASSERT_EQ(restarts(), 0);
        world_close(&w);
    }
}

/* Without any bookmarks a watch lasts for its time, and the next one begins where it was. */
TEST(scenario_stream, without_bookmarks)
{
    kin_informer_options follow = maps_options();

    world_open(&w, NULL, QUICK);
    uint64_t id = fault(&w, "{\"do\":\"no-bookmarks\",\"verb\":\"watch\",\"times\":0}");
    follow.start = KIN_START_LIST;
    follower *f = world_follow(&w, NULL, follow, MAPS);
    world_await_watching(&w);
    make_changes(&w, "before");
    ASSERT_OK(kin_server_bookmark(w.server, &err));
    world_await_equal(&w);

    (void) fault(&w, "{\"do\":\"end\",\"now\":true}");
    make_changes(&w, "during");
    world_await_equal(&w);

    ASSERT_TRUE(met(&w, id) >= 1);
    ASSERT_EQ(status_of(f).bookmarks, 0);
    ASSERT_EQ(status_of(f).restarts, 0);
    world_close(&w);
}

/* A streaming list whose end nobody announces becomes a list. */
TEST(scenario_stream, that_never_says_that_all_has_come)
{
    kin_informer_options follow = maps_options();

    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    uint64_t id = fault(&w, "{\"do\":\"no-initial-end\",\"verb\":\"watch\",\"times\":0}");
    follow.start = KIN_START_WATCH_LIST;
    follower *f = world_follow(&w, NULL, follow, MAPS);
    AWAIT(&w, met(&w, id) > 0)
    make_changes(&w, "during");

    world_await_synced(&w);
    world_await_equal(&w);
    make_changes(&w, "after");
    world_await_equal(&w);

    ASSERT_EQ(status_of(f).lists, 1);
    world_close(&w);
}

/* ---- first answers -------------------------------------------------------------------------- */

/* What is wrong with the first answer only, be it a list, a streaming list or the watch. */
static void begin_with(const char *json, int64_t leap_ms)
{
    for (int i = 0; i < 4; i++) {
        kin_informer_options follow = maps_options();

        world_open(&w, NULL, QUICK);
        w.leap_ms = leap_ms;
        for (int n = 0; n < 10; n++) {
            char prefix[16];

            (void) snprintf(prefix, sizeof prefix, "many%d", n);
            make_changes(&w, prefix);
        }
        uint64_t id = fault(&w, json);
        follow.start = i < 2 ? KIN_START_LIST : KIN_START_WATCH_LIST;
        follow.encoding = i % 2 == 0 ? KIN_ENCODING_JSON : KIN_ENCODING_PROTOBUF;
        (void) world_follow(&w, NULL, follow, MAPS);

        world_await_synced(&w);
        make_changes(&w, "many2");
        world_await_equal(&w);

        ASSERT_TRUE(met(&w, id) > 0);
        world_close(&w);
    }
}

TEST(scenario_stream, cut_in_the_first_answers)
{
    begin_with("{\"do\":\"cut\",\"resource\":\"configmaps\",\"after_bytes\":700,\"times\":3}",
               LEAP_MS);
}

TEST(scenario_stream, reset_in_the_first_answers)
{
    begin_with("{\"do\":\"hang-up\",\"resource\":\"configmaps\",\"after_bytes\":5000,\"times\":2}",
               LEAP_MS);
}

TEST(scenario_stream, with_another_byte_in_the_first_answers)
{
    begin_with("{\"do\":\"corrupt\",\"resource\":\"configmaps\",\"after_bytes\":3,\"times\":3}",
               LEAP_MS);
}

TEST(scenario_stream, that_stands_still_in_the_first_answers)
{
    begin_with("{\"do\":\"stall\",\"resource\":\"configmaps\",\"after_bytes\":900}", 10 * LEAP_MS);
}

TEST(scenario_stream, in_which_something_happens_among_the_first_events)
{
    static const char *const acts[] = { "cut",   "hang-up", "end",       "expire",
                                        "error", "corrupt", "duplicate", "oversize" };

    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        char json[128];

        (void) snprintf(json, sizeof json,
                        "{\"do\":\"%s\",\"verb\":\"watch\",\"after_events\":3,\"size\":90000,"
                        "\"code\":500}",
                        acts[i]);
        begin_with(json, LEAP_MS);
    }
}

TEST(scenario_stream, cut_while_resources_are_asked_for)
{
    begin_with("{\"do\":\"cut\",\"path\":\"/api\",\"after_bytes\":100,\"times\":3}", LEAP_MS);
}

TEST(scenario_stream, that_drips)
{
    begin_with("{\"do\":\"slow\",\"resource\":\"configmaps\",\"bytes_per_second\":100000}",
               LEAP_MS);
}

/* ---- the past ------------------------------------------------------------------------------- */

/* 410 as the status of a watch. */
TEST(scenario_stream, refused_with_410)
{
    open_world(NULL);
    uint64_t id = fault(&w, "{\"do\":\"status\",\"verb\":\"watch\",\"code\":410,\"times\":3}");
    (void) fault(&w, "{\"do\":\"end\",\"now\":true,\"after_events\":1}");
    make_changes(&w, "during");

    world_await_equal(&w);

    ASSERT_EQ(met(&w, id), 3);
    ASSERT_EQ(restarts(), 3);
    world_close(&w);
}

/* History is forgotten while nobody is connected; things were deleted in it. */
TEST(scenario_stream, of_a_history_that_was_forgotten_meanwhile)
{
    open_world(NULL);
    uint64_t id = fault(&w, "{\"do\":\"refuse\"}");
    (void) fault(&w, "{\"do\":\"cut-all\"}");
    make_changes(&w, "before");
    remove_map(&w, "before-0");
    put_map(&w, "before-0", "other");
    remove_map(&w, "before-2");
    ASSERT_OK(kin_server_compact(w.server, 0, &err));
    put_map(&w, "last", "new");
    AWAIT(&w, status_of(&w.followers[0]).state == KIN_INFORMER_UNREACHABLE)
    ASSERT_OK(kin_server_end_fault(w.server, id, &err));

    world_await_equal(&w);

    ASSERT_EQ(restarts(), 3);
    world_close(&w);
}

/* A compaction alone disturbs nobody. */
TEST(scenario_stream, of_a_history_that_is_forgotten_under_it)
{
    open_world(NULL);
    for (int i = 0; i < 5; i++) {
        make_changes(&w, "during");
        ASSERT_OK(kin_server_compact(w.server, 0, &err));
        make_changes(&w, "more");
        world_await_equal(&w);
    }

    ASSERT_EQ(watches(), 3);
    ASSERT_EQ(restarts(), 0);
    world_close(&w);
}

/* A replica that is behind gets the first request of each after an expiry: nobody is told the past
 * again. */
TEST(scenario_stream, of_a_replica_that_is_behind)
{
    open_world(NULL);
    w.leap_ms = 10; /* the server takes 3 s to say that a version is too large */
    make_changes(&w, "during");
    world_await_equal(&w);
    uint64_t id = fault(&w, "{\"do\":\"back-in-time\",\"by\":12,\"times\":3}");
    (void) fault(&w, "{\"do\":\"expire\",\"now\":true}");
    AWAIT(&w, met(&w, id) == 3)
    make_changes(&w, "after");

    world_await_equal(&w);

    world_close(&w);
}

/* Whoever begins at such a replica begins in the past, and catches up. */
TEST(scenario_stream, that_begins_at_a_replica_that_is_behind)
{
    open_world(NULL);
    make_changes(&w, "during");
    uint64_t id = fault(&w, "{\"do\":\"back-in-time\",\"verb\":\"list\",\"by\":12}");
    kin_informer_options follow = maps_options();
    follow.start = KIN_START_LIST;
    follower *late = world_follow(&w, NULL, follow, MAPS);

    world_await_synced(&w);
    world_await_equal(&w);

    ASSERT_EQ(met(&w, id), 1);
    ASSERT_EQ(status_of(late).lists, 1);
    ASSERT_TRUE(status_of(late).events >= 12);
    world_close(&w);
}
