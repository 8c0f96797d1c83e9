/* SPDX-License-Identifier: Apache-2.0 */
/*
 * churn_test.c - a simulated cluster that changes hundreds of times a second, and every few
 * milliseconds something goes wrong with the server.
 *
 * Meanwhile the test writes down the true history of the pods, as the server tells it without a
 * connection.  At the end stores, handlers and server are compared, and all that handlers of pods
 * were told with that history.
 *
 * What goes wrong is chosen by chance, from a seed that KIN_CHURN_SEED replaces; KIN_CHURN_SECONDS
 * makes it longer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kin/testing/simulation.h"
#include "scenario/world.h"
#include "support/random.h"

#define SECONDS 4
#define FAULT_MS 50

static world w;
static kin_simulation *simulation;
static uint64_t chance;
static kin_error err;

static uint64_t number_from_environment(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);

    return value != NULL ? strtoull(value, NULL, 10) : otherwise;
}

/* ---- history -------------------------------------------------------------------------------- */

static truth history;            /* of the pods */
static uint64_t history_version; /* up to which it is known */

static truth_object *object_at(const char *key)
{
    for (size_t i = 0; i < history.count; i++) {
        if (strcmp(history.objects[i].key, key) == 0) {
            return &history.objects[i];
        }
    }
    ASSERT_TRUE(history.count < TRUTH_OBJECTS_MAX);
    truth_object *object = &history.objects[history.count++];
    (void) snprintf(object->key, sizeof object->key, "%s", key);
    return object;
}

static void note_state(const kin_object *pod, bool is_gone)
{
    char chars[TRUTH_KEY_MAX];
    truth_state state = { .is_gone = is_gone, .is_picked = true };

    (void) snprintf(chars, sizeof chars, "%.*s", KIN_STR_ARG(kin_object_key(pod)));
    truth_object *object = object_at(chars);
    (void) snprintf(chars, sizeof chars, "%.*s", KIN_STR_ARG(kin_object_resource_version(pod)));
    state.version = strtoull(chars, NULL, 10);
    history_version = state.version > history_version ? state.version : history_version;
    (void) snprintf(state.uid, sizeof state.uid, "%.*s", KIN_STR_ARG(kin_object_uid(pod)));
    if (object->count == object->capacity) {
        object->capacity = object->capacity == 0 ? 64 : 2 * object->capacity;
        object->states = realloc(object->states, object->capacity * sizeof *object->states);
        ASSERT_TRUE(object->states != NULL);
    }
    object->states[object->count++] = state;
}

static void note_event(const char *line, size_t len)
{
    static const char lead[] = ",\"object\":";
    const char *object = memmem(line, len, lead, strlen(lead));
    kin_object *pod = NULL;

    ASSERT_TRUE(object != NULL);
    object += strlen(lead);
    if (strncmp(line, "{\"type\":\"ERROR\"", 15) == 0) {
        FAIL("the history is gone: %.*s", (int) len, line);
    }
    size_t object_len = len - (size_t) (object - line) - 1;
    ASSERT_OK(kin_object_from_json(object, object_len, NULL, &pod, &err));
    note_state(pod, strncmp(line, "{\"type\":\"DELETED\"", 17) == 0);
    kin_object_unref(pod);
}

/* All that has happened since the last time. */
static void note_history(void)
{
    char path[128];

    (void) snprintf(path, sizeof path, PODS "?watch=1&resourceVersion=%llu",
                    (unsigned long long) history_version);
    kin_server_answer answer = ask(&w, "GET", path, "", 200);
    const char *line = answer.body;
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        note_event(line, (size_t) (end - line));
    }
    kin_server_answer_fini(&answer);
}

static void forget_history(void)
{
    for (size_t i = 0; i < history.count; i++) {
        free(history.objects[i].states);
    }
    history.count = 0;
}

/* ---- what happens --------------------------------------------------------------------------- */

/* The N in it becomes a digit from 1 to 4.  Those of the wire come first: they cost connections and
 * nothing else. */
static const char *const faults[] = {
    "{\"do\":\"cut\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"hang-up\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"end\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"stall\",\"now\":true,\"resource\":\"pods\",\"after_events\":N}",
    "{\"do\":\"cut\",\"after_bytes\":2N00,\"times\":2}",
    "{\"do\":\"drop\",\"times\":N}",
    "{\"do\":\"delay\",\"ms\":1N,\"times\":4}",
    "{\"do\":\"refuse\",\"ms\":4N}",
    "{\"do\":\"reset\",\"ms\":4N}",
    "{\"do\":\"no-bookmarks\",\"now\":true,\"skip\":N}",
    "{\"do\":\"cut-all\",\"skip\":N}",
    "{\"do\":\"go-away\",\"skip\":N}",
    /* From here on, of the server. */
    "{\"do\":\"expire\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"duplicate\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"corrupt\",\"now\":true,\"after_events\":N}",
    "{\"do\":\"oversize\",\"now\":true,\"size\":100000,\"after_events\":N}",
    "{\"do\":\"hang-up\",\"verb\":\"list\",\"after_bytes\":N0000}",
    "{\"do\":\"stall\",\"verb\":\"list\",\"after_bytes\":N000}",
    "{\"do\":\"slow\",\"verb\":\"list\",\"bytes_per_second\":N00001}",
    "{\"do\":\"status\",\"code\":50N,\"times\":2}",
    "{\"do\":\"status\",\"code\":429,\"retry_after\":N,\"times\":2}",
    "{\"do\":\"status\",\"verb\":\"watch\",\"code\":410,\"times\":N}",
    "{\"do\":\"status\",\"code\":403,\"times\":N}",
    "{\"do\":\"no-initial-end\",\"times\":N}",
};

#define FAULTS_OF_THE_WIRE 12
#define FAULTS (sizeof faults / sizeof *faults)

static void go_wrong(bool is_wire_only)
{
    size_t which = random_below(&chance, is_wire_only ? FAULTS_OF_THE_WIRE : FAULTS + 2);
    char json[160];

    if (which == FAULTS) {
        note_history();
        ASSERT_OK(kin_server_compact(w.server, history_version, &err));
    } else if (which == FAULTS + 1) {
        end_faults(&w);
    } else {
        (void) snprintf(json, sizeof json, "%s", faults[which]);
        *strchr(json, 'N') = (char) ('1' + random_below(&chance, 4));
        (void) fault(&w, json);
    }
}

/* ---- the test ------------------------------------------------------------------------------- */

static void follow(kin_client *client, const char *resource, const char *path, kin_start start,
                   kin_encoding encoding, bool metadata_only)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.resource = resource;
    options.start = start;
    options.encoding = encoding;
    options.metadata_only = metadata_only;
    options.page_size = 20;
    (void) world_follow(&w, client, options, path);
}

static void follow_all(kin_client *http1)
{
    follow(NULL, "pods", PODS, KIN_START_AUTO, KIN_ENCODING_AUTO, false);
    follow(NULL, "pods", PODS, KIN_START_LIST, KIN_ENCODING_JSON, false);
    follow(http1, "pods", PODS, KIN_START_WATCH_LIST, KIN_ENCODING_JSON, true);
    follow(http1, "leases", "/apis/coordination.k8s.io/v1/leases", KIN_START_LIST,
           KIN_ENCODING_AUTO, false);
    follow(NULL, "deployments.apps", "/apis/apps/v1/deployments", KIN_START_AUTO, KIN_ENCODING_JSON,
           false);
    follow(http1, "endpointslices", "/apis/discovery.k8s.io/v1/endpointslices", KIN_START_AUTO,
           KIN_ENCODING_AUTO, false);
    follow(NULL, "events.v1.", "/api/v1/events", KIN_START_AUTO, KIN_ENCODING_AUTO, true);
}

static void open_world(void)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_simulation_options simulated = KIN_SIMULATION_OPTIONS_INIT;

    options.bookmark_ms = 100;
    world_open(&w, &options, QUICK);
    w.leap_ms = 100; /* so that nobody waits for long before something else happens */
    simulated.pods = 60;
    simulated.rate = 400;
    simulated.seed = chance;
    ASSERT_OK(kin_simulation_new(w.server, &simulated, &simulation, &err));
}

/* What the pods were at first is the beginning of their history. */
static void begin_history(void)
{
    history_version = 0;
    note_history();
}

/* Where only the wire was bad nobody has listed again, and no state is missing. */
static void must_be_history(bool is_wire_only)
{
    for (size_t i = 0; i < 3; i++) {
        ledger_check(&w.followers[i].told, &history);
        if (is_wire_only) {
            ASSERT_EQ(status_of(&w.followers[i]).restarts, 0);
            ASSERT_EQ(ledger_count_skipped(&w.followers[i].told, &history, NULL), 0);
        }
    }
}

static void print_sum(void)
{
    kin_simulation_counts changed;
    kin_server_counts counts;
    uint64_t troubles = 0;

    kin_simulation_get_counts(simulation, &changed);
    kin_server_get_counts(w.server, &counts);
    for (size_t i = 0; i < w.count; i++) {
        troubles += status_of(&w.followers[i]).failures;
    }
    (void) printf("%llu changes, %llu requests, %llu failures, %zu pods in history\n",
                  (unsigned long long) changed.changes, (unsigned long long) counts.requests,
                  (unsigned long long) troubles, history.count);
}

static void churn(uint64_t seed, bool is_wire_only)
{
    kin_client_options http1_options = KIN_CLIENT_OPTIONS_INIT;

    chance = random_start(number_from_environment("KIN_CHURN_SEED", seed));
    open_world();
    http1_options.http1_only = true;
    kin_client *http1 = world_connect(&w, NULL, &http1_options);
    begin_history();
    follow_all(http1);
    world_await_watching(&w);
    ASSERT_OK(kin_simulation_start(simulation, &err));

    int64_t end_ms =
        world_now_ms() + 1000 * (int64_t) number_from_environment("KIN_CHURN_SECONDS", SECONDS);
    while (world_now_ms() < end_ms) {
        go_wrong(is_wire_only);
        note_history();
        for (int64_t next_ms = world_now_ms() + FAULT_MS; world_now_ms() < next_ms;) {
            world_turn(&w);
        }
    }
    ASSERT_OK(kin_simulation_stop(simulation, &err));
    end_faults(&w);
    note_history();
    print_sum();
    w.leap_ms = 200;

    world_await_equal(&w);
    must_be_history(is_wire_only);
    kin_simulation_free(simulation);
    world_unfollow_all(&w);
    kin_client_free(http1);
    world_close(&w);
    forget_history();
}

TEST(scenario_churn, ends_where_the_server_is)
{
    churn(20261, false);
}

TEST(scenario_churn, loses_nothing_when_connections_break)
{
    churn(20264, true);
}
