/* SPDX-License-Identifier: Apache-2.0 */
/*
 * survival_test.c - what was seen of live servers, on the embedded one: while it starts, while its
 * database is away, when it drops who reads slowly, when it comes back from a backup.
 */
#include <stdio.h>
#include <string.h>

#include "scenario/world.h"
#include "support/relay.h"

static world w;
static kin_error err;

static void follow_two(kin_client *client)
{
    kin_informer_options follow = maps_options();

    (void) world_follow(&w, client, follow, MAPS);
    follow.start = KIN_START_LIST;
    follow.encoding = KIN_ENCODING_JSON;
    (void) world_follow(&w, client, follow, MAPS);
}

static void open_world(void)
{
    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    follow_two(NULL);
    world_await_watching(&w);
    world_await_equal(&w);
}

static void follow_start(kin_start start)
{
    kin_informer_options follow = maps_options();

    follow.start = start;
    (void) world_follow(&w, NULL, follow, MAPS);
}

static uint64_t watches(void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < w.count; i++) {
        sum += status_of(&w.followers[i]).watches;
    }
    return sum;
}

static uint64_t restarts(void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < w.count; i++) {
        sum += status_of(&w.followers[i]).restarts;
    }
    return sum;
}

static void forbid(const char *rules)
{
    ASSERT_OK(kin_server_forbid(w.server, kin_str_of(rules), &err));
}

static void change_something_else(void)
{
    static int count;

    put(&w, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n%d\"}}",
        count++);
}

/* All watches get a bookmark, so that they know that there are some.  A server has none to tell
 * before something has changed. */
static void tell_bookmarks(void)
{
    uint64_t before[2];

    ASSERT_EQ(w.count, 2);
    for (size_t i = 0; i < 2; i++) {
        before[i] = status_of(&w.followers[i]).bookmarks;
    }
    ASSERT_OK(kin_server_bookmark(w.server, &err));
    for (size_t i = 0; i < 2; i++) {
        AWAIT(&w, status_of(&w.followers[i]).bookmarks > before[i])
    }
}

/* ---- a server that starts ------------------------------------------------------------------- */

/* It was away, and for half a second nobody has any rights: neither those who have followed it, nor
 * those who begin now. */
TEST(scenario_survival, of_403_while_the_server_starts)
{
    open_world();
    uint64_t id = fault(&w, "{\"do\":\"refuse\"}");
    (void) fault(&w, "{\"do\":\"cut-all\"}");
    AWAIT(&w, status_of(&w.followers[0]).state == KIN_INFORMER_UNREACHABLE)
    AWAIT(&w, status_of(&w.followers[1]).state == KIN_INFORMER_UNREACHABLE)
    make_changes(&w, "during");
    forbid("[{}]");
    ASSERT_OK(kin_server_end_fault(w.server, id, &err));
    follow_start(KIN_START_LIST);
    follow_start(KIN_START_WATCH_LIST);
    for (size_t i = 0; i < w.count; i++) {
        AWAIT(&w, status_of(&w.followers[i]).denied > 0)
    }
    world_pass(&w, 500);
    forbid("[]");

    world_await_equal(&w);

    ASSERT_EQ(restarts(), 0);
    world_close(&w);
}

/* Watches go on on connections that are to go, while the port is nobody's; then they end. */
TEST(scenario_survival, of_a_restart_whose_watches_live_on_for_a_minute)
{
    open_world();
    uint64_t id = fault(&w, "{\"do\":\"refuse\"}");
    (void) fault(&w, "{\"do\":\"go-away\"}");
    for (int second = 0; second < 60; second += 10) {
        make_changes(&w, "during");
        world_await_equal(&w);
        world_pass(&w, 10000);
    }
    ASSERT_EQ(watches(), 2);
    ASSERT_EQ(status_of(&w.followers[0]).failures, 0);

    (void) fault(&w, "{\"do\":\"end\",\"now\":true}");
    AWAIT(&w, status_of(&w.followers[0]).state == KIN_INFORMER_UNREACHABLE)
    make_changes(&w, "away");
    ASSERT_OK(kin_server_end_fault(w.server, id, &err));

    world_await_equal(&w);
    ASSERT_EQ(restarts(), 0);
    world_close(&w);
}

/* ---- a custom resource that was just made --------------------------------------------------- */

static void put_gadgets(void)
{
    put(&w, "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
            "\"metadata\":{\"name\":\"gadgets.scenario.kin\"},\"spec\":{\"group\":\"scenario.kin\","
            "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"gadgets\",\"singular\":\"gadget\","
            "\"kind\":\"Gadget\",\"listKind\":\"GadgetList\"},\"versions\":[{\"name\":\"v1\","
            "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
            "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}");
    for (int i = 0; i < 5; i++) {
        put(&w,
            "{\"apiVersion\":\"scenario.kin/v1\",\"kind\":\"Gadget\",\"metadata\":{\"namespace\":"
            "\"default\",\"name\":\"g%d\"}}",
            i);
    }
}

/* Its address is a 404 in plain text; then lists are 429 and 503, and answers take two seconds. */
TEST(scenario_survival, of_a_custom_resource_from_its_first_moment)
{
    static const char *const path = "/apis/scenario.kin/v1/gadgets";
    kin_informer_options follow = KIN_INFORMER_OPTIONS_INIT;
    kin_resource *of = NULL;

    ASSERT_OK(kin_resource_new("scenario.kin", "v1", "gadgets", "Gadget", true, &of, &err));
    world_open(&w, NULL, QUICK);
    w.leap_ms = 10;
    follow.of = of;
    (void) world_follow(&w, NULL, follow, path);
    follow.start = KIN_START_WATCH_LIST;
    (void) world_follow(&w, NULL, follow, path);
    follow.of = NULL;
    follow.resource = "gadgets.scenario.kin";
    (void) world_follow(&w, NULL, follow, path);
    AWAIT(&w, w.followers[0].troubles[404] > 0 && w.followers[1].troubles[404] > 0)
    AWAIT(&w, status_of(&w.followers[2]).state == KIN_INFORMER_NOT_FOUND)
    uint64_t busy = fault(&w, "{\"do\":\"status\",\"resource\":\"gadgets\",\"code\":429,"
                              "\"message\":\"storage is (re)initializing\",\"retry_after\":1,"
                              "\"times\":6}");
    uint64_t absent = fault(&w, "{\"do\":\"status\",\"resource\":\"gadgets\",\"code\":503,"
                                "\"skip\":6,\"times\":3}");
    uint64_t slow = fault(&w, "{\"do\":\"delay\",\"resource\":\"gadgets\",\"ms\":200,"
                              "\"skip\":9,\"times\":3}");
    put_gadgets();

    world_await_synced(&w);
    world_await_equal(&w);

    ASSERT_TRUE(met(&w, busy) == 6 && met(&w, absent) == 3 && met(&w, slow) > 0);
    ASSERT_TRUE(w.followers[0].troubles[429] > 0);
    ASSERT_EQ(status_of(&w.followers[0]).objects, 5);
    kin_resource_unref(of);
    world_close(&w);
}

/* ---- a database that is away ---------------------------------------------------------------- */

/* Two minutes without a byte, and then all at once: it is the same watch. */
TEST(scenario_survival, of_a_watch_that_is_silent_for_minutes)
{
    open_world();
    change_something_else();
    tell_bookmarks();

    (void) fault(&w, "{\"do\":\"freeze\"}");
    make_changes(&w, "unheard");
    world_pass(&w, 130000);
    ASSERT_TRUE(status_of(&w.followers[0]).silent_ms >= 130000);
    ASSERT_EQ(status_of(&w.followers[0]).state, KIN_INFORMER_WATCHING);
    end_faults(&w);

    world_await_equal(&w);
    ASSERT_EQ(watches(), 2);
    ASSERT_EQ(status_of(&w.followers[0]).failures, 0);
    world_close(&w);
}

/* What is silent for too long is ended, and the next watch is silent as well. */
TEST(scenario_survival, of_watches_that_are_silent_one_after_the_other)
{
    open_world();
    change_something_else();
    tell_bookmarks();
    uint64_t id = fault(&w, "{\"do\":\"stall\",\"now\":true,\"verb\":\"watch\",\"after_events\":0,"
                            "\"times\":4}");
    make_changes(&w, "unheard");
    w.leap_ms = 2000;
    AWAIT(&w, met(&w, id) == 2 + 4)
    AWAIT(&w, watches() == 2 + 4 + 2)
    w.leap_ms = LEAP_MS;

    world_await_equal(&w);
    ASSERT_EQ(restarts(), 0);
    world_close(&w);
}

/* The list that a 410 asks for comes from a memory that is behind, or not at all. */
TEST(scenario_survival, of_lists_that_are_older_than_what_it_has)
{
    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    follow_start(KIN_START_LIST);
    world_await_watching(&w);
    world_await_equal(&w);
    uint64_t behind =
        fault(&w, "{\"do\":\"status\",\"verb\":\"list\",\"code\":504,\"reason\":\"Timeout\","
                  "\"message\":\"Too large resource version: 99, current: 3\"}");
    uint64_t silent =
        fault(&w, "{\"do\":\"stall\",\"verb\":\"list\",\"skip\":1,\"after_bytes\":0,\"times\":2}");
    (void) fault(&w, "{\"do\":\"status\",\"verb\":\"watch\",\"code\":410}");
    (void) fault(&w, "{\"do\":\"end\",\"now\":true}");
    make_changes(&w, "during");
    w.leap_ms = 1000;
    AWAIT(&w, met(&w, silent) == 2)
    ASSERT_EQ(status_of(&w.followers[0]).objects, 7);

    world_await_equal(&w);
    ASSERT_EQ(met(&w, behind), 1);
    ASSERT_EQ(restarts(), 1);
    world_close(&w);
}

/* A server breaks its word: the list that is to be no older than what there is is older.  It is not
 * taken, and the next one asks for the newest state; until that has come all stays as it was. */
TEST(scenario_survival, of_a_list_from_the_past)
{
    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    follow_start(KIN_START_LIST);
    world_await_watching(&w);
    make_changes(&w, "during");
    world_await_equal(&w);
    uint64_t past = fault(&w, "{\"do\":\"back-in-time\",\"lies\":true,\"verb\":\"list\",\"by\":9}");
    uint64_t silent =
        fault(&w, "{\"do\":\"stall\",\"verb\":\"list\",\"skip\":1,\"after_bytes\":0}");
    (void) fault(&w, "{\"do\":\"status\",\"verb\":\"watch\",\"code\":410}");
    (void) fault(&w, "{\"do\":\"end\",\"now\":true}");
    AWAIT(&w, met(&w, silent) == 1)

    ASSERT_EQ(met(&w, past), 1);
    world_await_equal(&w);
    ASSERT_EQ(status_of(&w.followers[0]).lists, 3);
    make_changes(&w, "after");
    w.leap_ms = 1000;
    world_await_equal(&w);
    ASSERT_EQ(status_of(&w.followers[0]).lists, 4);
    world_close(&w);
}

/* Whoever rested goes on where it was, though the server it meets is not that far yet. */
TEST(scenario_survival, of_a_stop_and_a_start_before_a_memory_that_is_behind)
{
    open_world();
    w.leap_ms = 10; /* the server takes 3 s to say that a version is too large */
    make_changes(&w, "during");
    world_await_equal(&w);
    for (size_t i = 0; i < w.count; i++) {
        ASSERT_OK(kin_informer_stop(w.followers[i].informer, -1, &err));
    }
    uint64_t id = fault(&w, "{\"do\":\"back-in-time\",\"by\":9,\"times\":2}");
    for (size_t i = 0; i < w.count; i++) {
        ASSERT_OK(kin_informer_start(w.followers[i].informer, &err));
    }
    AWAIT(&w, met(&w, id) == 2)
    make_changes(&w, "after");

    world_await_equal(&w);
    world_close(&w);
}

/* Not even a head comes; so it is a list, which the server's memory answers, some changes late. */
TEST(scenario_survival, of_a_streaming_list_that_never_begins)
{
    world_open(&w, NULL, QUICK);
    w.leap_ms = 400;
    make_changes(&w, "before");
    uint64_t id = fault(&w, "{\"do\":\"delay\",\"verb\":\"watch\",\"ms\":3600000,\"times\":1}");
    (void) fault(&w, "{\"do\":\"back-in-time\",\"verb\":\"list\",\"by\":5}");
    follow_start(KIN_START_WATCH_LIST);
    world_await_synced(&w);

    ASSERT_EQ(met(&w, id), 1);
    ASSERT_EQ(status_of(&w.followers[0]).lists, 1);
    ASSERT_TRUE(status_of(&w.followers[0]).sync_ms >= 30000);
    world_await_equal(&w);
    make_changes(&w, "after");
    world_await_equal(&w);
    world_close(&w);
}

/* Open watches are silent, new ones have no head, lists come from memory.  When it is over, those
 * that were open go on. */
TEST(scenario_survival, of_a_database_that_stands_still)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;

    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    relay *wire = relay_start(world_port(&w));
    options.http1_only = true;
    kin_client *client = world_connect_over(&w, relay_port(wire), &options);
    follow_two(client);
    world_await_watching(&w);
    relay_stall(wire, true);
    uint64_t id = fault(&w, "{\"do\":\"delay\",\"verb\":\"watch\",\"ms\":3600000,\"times\":0}");
    (void) fault(&w, "{\"do\":\"back-in-time\",\"verb\":\"list\",\"by\":5,\"times\":2}");
    make_changes(&w, "unheard");
    follow_start(KIN_START_WATCH_LIST);
    follow_start(KIN_START_LIST);
    w.leap_ms = 200;
    world_await_synced(&w);
    AWAIT(&w, met(&w, id) >= 3) /* a streaming list, and the watches after two lists */

    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(status_of(&w.followers[i]).state, KIN_INFORMER_WATCHING);
        ASSERT_EQ(status_of(&w.followers[i]).watches, 1);
    }
    end_faults(&w);
    relay_stall(wire, false);
    make_changes(&w, "after");
    world_await_equal(&w);
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(status_of(&w.followers[i]).watches, 1);
    }
    world_unfollow_all(&w);
    kin_client_free(client);
    relay_stop(wire);
    world_close(&w);
}

/* ---- watches that end ----------------------------------------------------------------------- */

/* The server drops who reads slowly: 26 of the events, and an end like any other, again and again.
 * Both streams are on one connection. */
TEST(scenario_survival, of_streams_that_end_with_most_events_missing)
{
    enum { MANY = 150 };

    open_world();
    w.leap_ms = 200;
    size_t told = w.followers[1].told.count;
    uint64_t id = fault(&w, "{\"do\":\"end\",\"now\":true,\"verb\":\"watch\",\"after_events\":26,"
                            "\"times\":0}");
    for (int i = 0; i < MANY; i++) {
        char name[16];

        (void) snprintf(name, sizeof name, "many-%d", i);
        put_map(&w, name, "new");
    }

    world_await_equal(&w);

    ASSERT_TRUE(met(&w, id) >= 2 * (MANY / 26));
    ASSERT_TRUE(watches() >= 2 * (1 + MANY / 26));
    ASSERT_EQ(restarts(), 0);
    ASSERT_EQ(w.followers[1].told.count, told + MANY);
    world_close(&w);
}

/* Nothing else comes on the connection: an event is told when it is there. */
TEST(scenario_survival, of_large_objects_on_an_only_stream)
{
    static char value[16001];
    kin_informer_options follow = maps_options();

    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    follow.encoding = KIN_ENCODING_JSON;
    (void) world_follow(&w, NULL, follow, MAPS);
    world_await_watching(&w);
    for (size_t len = 3500; len < sizeof value; len += 500) {
        memset(value, 'v', len);
        put(&w,
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"default\","
            "\"name\":\"large\"},\"data\":{\"v\":\"%s\"}}",
            value);
        world_await_equal(&w);
    }
    ASSERT_EQ(watches(), 1);
    world_close(&w);
}

/* Each list is too old by the time that it is watched, for an hour: nobody asks all the time. */
TEST(scenario_survival, of_versions_that_expire_for_an_hour)
{
    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    follow_start(KIN_START_LIST);
    follow_start(KIN_START_LIST);
    world_await_watching(&w);
    uint64_t id = fault(&w, "{\"do\":\"expire\",\"now\":true,\"verb\":\"watch\",\"after_events\":0,"
                            "\"times\":0}");
    int64_t until_ms = kin__clock_now_ms(&w.clock.clock) + 3600000;
    w.leap_ms = 2000;
    for (int i = 0; kin__clock_now_ms(&w.clock.clock) < until_ms; i++) {
        if (i % 50 == 0) {
            put_map(&w, "beat", i % 100 == 0 ? "new" : "old");
        }
        world_turn(&w);
    }
    for (size_t i = 0; i < w.count; i++) {
        kin_informer_status status = status_of(&w.followers[i]);

        ASSERT_TRUE(status.restarts > 10);
        ASSERT_TRUE(status.lists + status.watches < 400);
    }
    ASSERT_TRUE(met(&w, id) > 20);
    end_faults(&w);
    w.leap_ms = LEAP_MS;

    world_await_equal(&w);
    world_close(&w);
}

/* As after a backup: the watch is accepted and silent until its time is over.  Then a list finds
 * out. */
TEST(scenario_survival, of_a_watch_from_the_future)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server_counts counts;

    options.has_no_tls = true;
    options.token = "";
    world_open(&w, &options, QUICK);
    for (int i = 0; i < 10; i++) {
        make_changes(&w, "before");
    }
    follow_two(NULL);
    world_await_watching(&w);
    make_changes(&w, "before");
    world_await_equal(&w);
    world_pass(&w, 5000);
    w.leap_ms = 10; /* the server takes 3 s to say that a version is too large */
    world_stop_server(&w);
    world_start_server(&w); /* before anybody has noticed */
    make_changes(&w, "restored");
    AWAIT(&w, (kin_server_get_counts(w.server, &counts), counts.watches == 2))
    world_pass(&w, 280000);
    ASSERT_EQ(status_of(&w.followers[0]).objects, 7);
    ASSERT_TRUE(status_of(&w.followers[0]).silent_ms >= 200000);
    (void) fault(&w, "{\"do\":\"end\",\"now\":true}");

    world_await_same(&w);
    world_await_watching(&w);
    make_changes(&w, "after");
    world_await_same(&w);
    ASSERT_EQ(restarts(), 2);
    world_close(&w);
}

/* Nothing changes but other things, or not even those. */
TEST(scenario_survival, of_bookmarks_that_repeat_a_version)
{
    open_world();
    for (int i = 0; i < 5; i++) {
        if (i % 2 == 0) {
            change_something_else();
        }
        tell_bookmarks();
        tell_bookmarks();
        world_pass(&w, 60000);
    }
    (void) fault(&w, "{\"do\":\"end\",\"now\":true}");
    make_changes(&w, "during");

    world_await_equal(&w);
    ASSERT_TRUE(status_of(&w.followers[0]).bookmarks >= 10);
    ASSERT_EQ(status_of(&w.followers[0]).failures, 0);
    ASSERT_EQ(status_of(&w.followers[0]).stale, 0);
    ASSERT_EQ(restarts(), 0);
    ASSERT_EQ(watches(), 4);
    world_close(&w);
}

/* A bookmark that is older than what is known: the next watch begins no earlier. */
TEST(scenario_survival, of_bookmarks_that_go_back)
{
    open_world();
    make_changes(&w, "some");
    world_await_equal(&w);
    uint64_t id = fault(&w, "{\"do\":\"old-bookmark\",\"by\":5,\"now\":true}");
    AWAIT(&w, status_of(&w.followers[0]).bookmarks > 0 && status_of(&w.followers[1]).bookmarks > 0)
    (void) fault(&w, "{\"do\":\"end\",\"now\":true}");
    make_changes(&w, "during");

    world_await_equal(&w);
    ASSERT_EQ(met(&w, id), 2);
    ASSERT_EQ(restarts(), 0);
    ASSERT_EQ(watches(), 4);
    world_close(&w);
}

/* ---- refusals ------------------------------------------------------------------------------- */

/* As real servers refuse what is too much, and proxies what they cannot reach. */
TEST(scenario_survival, of_refusals_in_plain_text)
{
    static const int codes[] = { 403, 429, 500, 502, 503 };

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        char json[160];

        world_open(&w, NULL, QUICK);
        make_changes(&w, "before");
        (void) snprintf(json, sizeof json,
                        "{\"do\":\"status\",\"resource\":\"configmaps\",\"code\":%d,\"times\":4,"
                        "\"text\":true,\"message\":\"not now\\n\"}",
                        codes[i]);
        (void) fault(&w, json);
        follow_two(NULL);

        world_await_synced(&w);
        make_changes(&w, "after");
        world_await_equal(&w);

        ASSERT_TRUE(w.followers[1].troubles[codes[i]] > 0);
        world_close(&w);
    }
}

/* A status is a status, whatever its body says. */
TEST(scenario_survival, of_refusals_whose_words_make_no_sense)
{
    static const int codes[] = { 403, 429, 500, 502, 503 };

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        char json[160];

        world_open(&w, NULL, QUICK);
        make_changes(&w, "before");
        (void) snprintf(json, sizeof json,
                        "{\"do\":\"status\",\"resource\":\"configmaps\",\"code\":%d,\"times\":4}",
                        codes[i]);
        (void) fault(&w, json);
        (void) fault(&w, "{\"do\":\"corrupt\",\"resource\":\"configmaps\",\"after_bytes\":0,"
                         "\"times\":4}");
        follow_two(NULL);

        world_await_synced(&w);
        make_changes(&w, "after");
        world_await_equal(&w);

        ASSERT_TRUE(w.followers[1].troubles[codes[i]] > 0);
        world_close(&w);
    }
}
