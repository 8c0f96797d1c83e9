/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm_test.c - everything at once: a writer on a thread of its own, faults of every kind, rights
 * and tokens that come and go, informers that are stopped and started, handlers that are added and
 * removed.  After it stores, handlers and server are the same.
 *
 * What happens is chosen by chance, from a seed that is printed and that KIN_STORM_SEED replaces;
 * KIN_STORM_SECONDS makes it longer.  The server's time is real, that of the informers leaps.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario/world.h"
#include "support/random.h"

#define SECONDS 3
#define EVENT_MS 20
#define TOKEN "storm"
#define LISTENERS 8

/* A handler on the pool. */
typedef struct listener {
    kin_registration *registration; /* NULL: none */
    const follower *of;
    ledger told;
} listener;

static world w;
static uint64_t chance;
static kin_error err;
static listener listeners[LISTENERS];

static uint64_t number_from_environment(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);

    return value != NULL ? strtoull(value, NULL, 10) : otherwise;
}

/* ---- the writer ----------------------------------------------------------------------------- */

typedef struct writer {
    pthread_t thread;
    atomic_bool is_over;
    uint64_t chance;
    uint64_t writes;
} writer;

static void write_something(writer *one)
{
    static const char *const spaces[] = { "default", "storm-a", "storm-b" };
    char name[16];
    char json[320];
    kin_error ours;
    const char *space = spaces[random_below(&one->chance, 3)];
    size_t value = random_below(&one->chance, 4);

    (void) snprintf(name, sizeof name, "m%zu", random_below(&one->chance, 20));
    if (value == 3) {
        kin_err code = kin_server_remove(w.server, "v1", "ConfigMap", space, name, NULL, &ours);
        ASSERT_TRUE(code == KIN_OK || code == KIN_ERR_NOT_FOUND);
    } else {
        int len = snprintf(json, sizeof json,
                           "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                           "\"namespace\":\"%s\",\"name\":\"%s\",\"labels\":{\"is\":\"%zu\"}},"
                           "\"data\":{\"v\":\"%llu\"}}",
                           space, name, value, (unsigned long long) one->writes);
        ASSERT_OK(kin_server_put(w.server, (kin_str){ json, (size_t) len }, NULL, &ours));
    }
    one->writes++;
}

static void *write_all_the_time(void *context)
{
    writer *one = context;

    while (!atomic_load(&one->is_over)) {
        for (size_t n = random_below(&one->chance, 12); n > 0; n--) {
            write_something(one);
        }
        (void) usleep((useconds_t) (500 + random_below(&one->chance, 4000)));
    }
    return NULL;
}

/* ---- what happens --------------------------------------------------------------------------- */

#define TOO_LARGE "\"code\":504,\"message\":\"Too large resource version: 9, current: 3\""

/* The N in it becomes a digit from 1 to 4. */
static const char *const faults[] = {
    "{\"do\":\"refuse\",\"ms\":3N}",
    "{\"do\":\"reset\",\"ms\":3N}",
    "{\"do\":\"ignore\",\"ms\":2N}",
    "{\"do\":\"delay\",\"ms\":2N,\"times\":3}",
    "{\"do\":\"delay\",\"ms\":N00000,\"verb\":\"watch\",\"times\":1}",
    "{\"do\":\"drop\",\"times\":N}",
    "{\"do\":\"status\",\"code\":401,\"times\":N}",
    "{\"do\":\"status\",\"code\":403,\"times\":N}",
    "{\"do\":\"status\",\"code\":404,\"times\":N}",
    "{\"do\":\"status\",\"code\":410,\"times\":N}",
    "{\"do\":\"status\",\"code\":429,\"retry_after\":1,\"times\":N}",
    "{\"do\":\"status\",\"code\":50N,\"times\":3}",
    "{\"do\":\"status\"," TOO_LARGE ",\"verb\":\"list\",\"times\":N}",
    "{\"do\":\"cut\",\"after_bytes\":N00,\"times\":2}",
    "{\"do\":\"cut\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"hang-up\",\"after_bytes\":N000,\"times\":2}",
    "{\"do\":\"hang-up\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"stall\",\"verb\":\"list\",\"after_bytes\":N00}",
    "{\"do\":\"stall\",\"now\":true,\"namespace\":\"storm-a\",\"after_events\":N}",
    "{\"do\":\"corrupt\",\"after_bytes\":N1,\"times\":2}",
    "{\"do\":\"corrupt\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"slow\",\"bytes_per_second\":N00000,\"times\":3}",
    "{\"do\":\"expire\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"expire\",\"verb\":\"watch\",\"after_events\":N,\"times\":2}",
    "{\"do\":\"end\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"end\",\"verb\":\"watch\",\"after_events\":N,\"times\":4}",
    "{\"do\":\"duplicate\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"oversize\",\"now\":true,\"size\":N00000,\"after_events\":1}",
    "{\"do\":\"no-bookmarks\",\"now\":true,\"skip\":N}",
    "{\"do\":\"no-initial-end\",\"times\":N}",
    "{\"do\":\"go-away\",\"skip\":N}",
    "{\"do\":\"cut-all\",\"skip\":N}",
};

/* From here on servers lie: a replica that is behind. */
static const char *const lies[] = {
    "{\"do\":\"back-in-time\",\"by\":N,\"times\":2}",
    "{\"do\":\"back-in-time\",\"verb\":\"list\",\"by\":N0,\"times\":3}",
    "{\"do\":\"back-in-time\",\"verb\":\"watch\",\"by\":N0,\"times\":3}",
};

static void strike(const char *json)
{
    char mine[256];

    (void) snprintf(mine, sizeof mine, "%s", json);
    *strchr(mine, 'N') = (char) ('1' + random_below(&chance, 4));
    (void) fault(&w, mine);
}

static void change_rights(void)
{
    static const char *const rules[] = {
        "[]",
        "[{\"verbs\":[\"watch\"]}]",
        "[{\"verbs\":[\"list\"],\"namespaces\":[\"storm-a\"]}]",
        "[{}]",
    };

    ASSERT_OK(kin_server_forbid(w.server, kin_str_of(rules[random_below(&chance, 4)]), &err));
}

static void remove_listener(listener *one)
{
    ASSERT_OK(kin_registration_remove_and_wait(one->registration, &err));
    kin_registration_free(one->registration);
    one->registration = NULL;
    ledger_fini(&one->told);
}

static void add_or_remove_listener(void)
{
    listener *one = &listeners[random_below(&chance, LISTENERS)];
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;

    if (one->registration != NULL) {
        remove_listener(one);
        return;
    }
    one->of = &w.followers[random_below(&chance, w.count)];
    ledger_init(&one->told, "a handler on the pool");
    options.context = &one->told;
    options.on_add = options.on_update = options.on_delete = ledger_note_notification;
    options.bound = 1 + random_below(&chance, 50);
    ASSERT_OK(kin_informer_add_handler(one->of->informer, &options, &one->registration, &err));
}

static void stop_or_start(void)
{
    kin_informer *informer = w.followers[random_below(&chance, w.count)].informer;

    if (random_below(&chance, 2) == 0) {
        ASSERT_OK(kin_informer_start(informer, &err)); /* most of them run */
    } else {
        ASSERT_OK(kin_informer_stop(informer, -1, &err));
    }
}

static void do_something(bool may_lie)
{
    enum { FAULTS = sizeof faults / sizeof *faults, LIES = sizeof lies / sizeof *lies };
    size_t which = random_below(&chance, FAULTS + 12);

    if (which < FAULTS) {
        strike(faults[which]);
    } else if (which < FAULTS + 3) {
        add_or_remove_listener();
    } else if (which < FAULTS + 5) {
        stop_or_start();
    } else if (which == FAULTS + 5) {
        change_rights();
    } else if (which == FAULTS + 6) {
        ASSERT_OK(
            kin_server_set_token(w.server, random_below(&chance, 2) == 0 ? TOKEN : "x", &err));
    } else if (which == FAULTS + 7) {
        ASSERT_OK(kin_server_compact(w.server, 0, &err));
    } else if (which == FAULTS + 8) {
        ASSERT_OK(kin_server_bookmark(w.server, &err));
    } else if (which == FAULTS + 9) {
        end_faults(&w);
    } else if (may_lie) {
        strike(lies[random_below(&chance, LIES)]);
    }
}

/* ---- the test ------------------------------------------------------------------------------- */

static void follow_in_many_ways(kin_client *http1)
{
    static const char *const two[] = { "default", "storm-a", NULL };
    kin_informer_options options = maps_options();

    (void) world_follow(&w, NULL, options, MAPS);
    options.encoding = KIN_ENCODING_JSON;
    options.start = KIN_START_LIST;
    options.page_size = 7;
    (void) world_follow(&w, http1, options, MAPS);
    options.start = KIN_START_WATCH_LIST;
    options.metadata_only = true;
    (void) world_follow(&w, http1, options, MAPS);
    options = maps_options();
    options.label_selector = "is in (0, 2)";
    (void) world_follow(&w, NULL, options, MAPS "?labelSelector=is+in+(0,2)");
    options = maps_options();
    options.ns = "storm-a";
    options.start = KIN_START_LIST;
    (void) world_follow(&w, NULL, options, "/api/v1/namespaces/storm-a/configmaps");
    options.ns = NULL;
    options.namespaces = two;
    options.field_selector = "metadata.namespace!=storm-b";
    (void) world_follow(&w, NULL, options, MAPS "?fieldSelector=metadata.namespace!%3Dstorm-b");
}

static void calm_down(writer *one)
{
    atomic_store(&one->is_over, true);
    ASSERT_EQ(pthread_join(one->thread, NULL), 0);
    end_faults(&w);
    ASSERT_OK(kin_server_forbid(w.server, kin_str_of("[]"), &err));
    ASSERT_OK(kin_server_set_token(w.server, TOKEN, &err));
    for (size_t i = 0; i < w.count; i++) {
        ASSERT_OK(kin_informer_start(w.followers[i].informer, &err));
    }
    w.leap_ms = 600; /* a watch that stands still is noticed when its time is over: 11 minutes */
}

static void print_sum(const writer *one)
{
    kin_server_counts counts;

    kin_server_get_counts(w.server, &counts);
    (void) printf("%llu writes, %llu requests, %llu connections\n",
                  (unsigned long long) one->writes, (unsigned long long) counts.requests,
                  (unsigned long long) counts.connections);
}

static void end_listeners(bool may_lie)
{
    static truth unknown; /* of objects that nobody noted any state may be true */

    for (size_t i = 0; i < LISTENERS; i++) {
        listener *one = &listeners[i];

        if (one->registration == NULL) {
            continue;
        }
        AWAIT(&w, world_was_told(&w, &one->told, one->of->path))
        ASSERT_OK(kin_registration_remove_and_wait(one->registration, &err));
        if (!may_lie) {
            ledger_check(&one->told, &unknown);
        }
        remove_listener(one);
    }
}

static void rage(uint64_t seed, bool may_lie)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_client_options http1_options = KIN_CLIENT_OPTIONS_INIT;
    writer one = { .writes = 0 };

    chance = random_start(number_from_environment("KIN_STORM_SEED", seed));
    one.chance = ~chance;
    options.bookmark_ms = 100;
    options.token = TOKEN;
    world_open(&w, &options, QUICK);
    w.leap_ms = 100;
    http1_options.http1_only = true;
    kin_client *http1 = world_connect(&w, NULL, &http1_options);
    follow_in_many_ways(http1);
    ASSERT_EQ(pthread_create(&one.thread, NULL, write_all_the_time, &one), 0);

    int64_t end_ms =
        world_now_ms() + 1000 * (int64_t) number_from_environment("KIN_STORM_SECONDS", SECONDS);
    while (world_now_ms() < end_ms) {
        do_something(may_lie);
        for (int64_t next_ms = world_now_ms() + EVENT_MS; world_now_ms() < next_ms;) {
            world_turn(&w);
        }
    }
    calm_down(&one);
    print_sum(&one);

    if (may_lie) {
        world_await_same(&w);
    } else {
        world_await_equal(&w);
    }
    end_listeners(may_lie);
    world_unfollow_all(&w);
    kin_client_free(http1);
    world_close(&w);
}

TEST(scenario_storm, leaves_everything_as_the_server_has_it)
{
    rage(20262, false);
}

/* Replicas that are behind may tell of the past; in the end that is over too. */
TEST(scenario_storm, of_servers_that_are_behind_leaves_everything_as_the_server_has_it)
{
    rage(20263, true);
}
