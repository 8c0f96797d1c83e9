/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refusal_test.c - what is not answered as it was asked: connections that do not come about or go,
 * and answers that say no.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario/world.h"

static world w;
static kin_error err;

static void open_world(const kin_server_options *options)
{
    kin_informer_options follow = maps_options();

    world_open(&w, options, QUICK);
    make_changes(&w, "before");
    (void) world_follow(&w, NULL, follow, MAPS);
    follow.start = KIN_START_LIST;
    follow.encoding = KIN_ENCODING_JSON;
    (void) world_follow(&w, NULL, follow, MAPS);
    world_await_watching(&w);
}

static void must_not_have_listed_again(void)
{
    for (size_t i = 0; i < w.count; i++) {
        ASSERT_EQ(status_of(&w.followers[i]).restarts, 0);
    }
}

/* ---- connections ---------------------------------------------------------------------------- */

/* All connections go, and for a while new ones meet with `json`. */
static void lose_connections(const char *json)
{
    for (int is_http1 = 0; is_http1 < 2; is_http1++) {
        kin_server_options options = KIN_SERVER_OPTIONS_INIT;

        options.has_no_http2 = is_http1 == 1;
        open_world(&options);
        uint64_t id = fault(&w, json);
        (void) fault(&w, "{\"do\":\"cut-all\"}");
        make_changes(&w, "during");
        AWAIT(&w, status_of(&w.followers[0]).state == KIN_INFORMER_UNREACHABLE)
        AWAIT(&w, status_of(&w.followers[1]).unreachable > 1)
        ASSERT_OK(kin_server_end_fault(w.server, id, &err));

        world_await_equal(&w);

        must_not_have_listed_again();
        world_close(&w);
    }
}

TEST(scenario_refusal, of_connections)
{
    lose_connections("{\"do\":\"refuse\"}");
}

TEST(scenario_refusal, of_connections_with_a_reset)
{
    lose_connections("{\"do\":\"reset\"}");
}

/* Somebody takes the call and says nothing. */
TEST(scenario_refusal, by_silence_after_connecting)
{
    kin_client_options impatient = KIN_CLIENT_OPTIONS_INIT;

    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    impatient.connect_timeout_ms = 300;
    kin_client *client = world_connect(&w, NULL, &impatient);
    uint64_t id = fault(&w, "{\"do\":\"ignore\"}");
    follower *f = world_follow(&w, client, maps_options(), MAPS);
    AWAIT(&w, status_of(f).state == KIN_INFORMER_UNREACHABLE)
    ASSERT_FALSE(kin_informer_has_synced(f->informer));
    ASSERT_OK(kin_server_end_fault(w.server, id, &err));

    world_await_synced(&w);
    world_await_equal(&w);

    world_unfollow_all(&w);
    kin_client_free(client);
    world_close(&w);
}

/* The same for a while that the server measures itself. */
TEST(scenario_refusal, of_connections_for_a_while)
{
    open_world(NULL);
    (void) fault(&w, "{\"do\":\"refuse\",\"ms\":100}");
    (void) fault(&w, "{\"do\":\"cut-all\"}");
    make_changes(&w, "during");

    world_await_equal(&w);

    must_not_have_listed_again();
    world_close(&w);
}

TEST(scenario_refusal, to_go_on_with_a_connection)
{
    open_world(NULL);
    for (int i = 0; i < 5; i++) {
        (void) fault(&w, i % 2 == 0 ? "{\"do\":\"cut-all\"}" : "{\"do\":\"go-away\"}");
        make_changes(&w, "during");
        world_await_equal(&w);
    }

    must_not_have_listed_again();
    world_close(&w);
}

/* GOAWAY alone costs nobody a watch; what begins afterwards goes elsewhere. */
TEST(scenario_refusal, to_take_more_requests_on_a_connection)
{
    kin_server_counts before;
    kin_server_counts after;

    open_world(NULL);
    kin_server_get_counts(w.server, &before);
    (void) fault(&w, "{\"do\":\"go-away\"}");
    make_changes(&w, "during");
    (void) world_follow(&w, NULL, maps_options(), MAPS);

    world_await_synced(&w);
    world_await_equal(&w);

    kin_server_get_counts(w.server, &after);
    ASSERT_TRUE(after.connections > before.connections);
    must_not_have_listed_again();
    world_close(&w);
}

/* ---- answers -------------------------------------------------------------------------------- */

/* So many of the first requests are answered with this; then all is well. */
static follower *begin_with(const char *json)
{
    kin_informer_options follow = maps_options();

    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    uint64_t id = fault(&w, json);
    follow.start = KIN_START_LIST;
    follower *f = world_follow(&w, NULL, follow, MAPS);

    world_await_synced(&w);
    make_changes(&w, "after");
    world_await_equal(&w);
    ASSERT_TRUE(met(&w, id) > 0);
    return f;
}

TEST(scenario_refusal, with_every_status)
{
    static const int codes[] = { 400, 403, 404, 405, 406, 409, 415, 422, 500, 502, 503, 504 };

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        char json[160];

        (void) snprintf(json, sizeof json,
                        "{\"do\":\"status\",\"resource\":\"configmaps\",\"code\":%d,\"times\":2}",
                        codes[i]);
        follower *f = begin_with(json);

        ASSERT_TRUE(f->troubles[codes[i]] > 0);
        world_close(&w);
    }
}

/* The server says when to come again, and nobody comes before that. */
TEST(scenario_refusal, with_429_and_a_time)
{
    follower *f = begin_with("{\"do\":\"status\",\"verb\":\"list\",\"code\":429,\"retry_after\":7,"
                             "\"times\":3}");

    ASSERT_TRUE(status_of(f).sync_ms >= 21000);
    ASSERT_TRUE(status_of(f).sync_ms < 40000);
    world_close(&w);
}

TEST(scenario_refusal, with_503_and_a_time)
{
    follower *f = begin_with("{\"do\":\"status\",\"code\":503,\"retry_after\":5,\"times\":2}");

    ASSERT_TRUE(status_of(f).sync_ms >= 10000);
    world_close(&w);
}

/* Of a watch: what is known is kept, and it goes on from there. */
TEST(scenario_refusal, of_a_watch_only)
{
    open_world(NULL);
    uint64_t id = fault(&w, "{\"do\":\"status\",\"verb\":\"watch\",\"code\":500,\"times\":4}");
    (void) fault(&w, "{\"do\":\"end\",\"now\":true}");
    make_changes(&w, "during");

    world_await_equal(&w);

    ASSERT_EQ(met(&w, id), 4);
    world_close(&w);
}

TEST(scenario_refusal, by_closing_the_connection)
{
    (void) begin_with("{\"do\":\"drop\",\"times\":3}");
    world_close(&w);
}

TEST(scenario_refusal, to_hurry)
{
    (void) begin_with("{\"do\":\"delay\",\"ms\":30,\"times\":5}");
    world_close(&w);
}

/* ---- who may ------------------------------------------------------------------------------- */

TEST(scenario_refusal, of_what_is_forbidden_until_it_is_not)
{
    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    ASSERT_OK(kin_server_forbid(
        w.server, kin_str_of("[{\"verbs\":[\"list\",\"watch\"],\"resources\":[\"configmaps\"]}]"),
        &err));
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    options.resource = "namespaces";
    follower *beside = world_follow(&w, NULL, options, "/api/v1/namespaces");
    follower *f = world_follow(&w, NULL, maps_options(), MAPS);
    AWAIT(&w, status_of(f).state == KIN_INFORMER_FORBIDDEN)
    AWAIT(&w, kin_informer_has_synced(beside->informer))
    ASSERT_FALSE(kin_informer_has_synced(f->informer));
    ASSERT_CONTAINS(status_of(f).error.message, "forbidden");

    ASSERT_OK(kin_server_forbid(w.server, kin_str_of("[]"), &err));
    world_await_synced(&w);
    world_await_equal(&w);

    ASSERT_EQ(status_of(beside).failures, 0);
    world_close(&w);
}

/* Forbidden while it watches: it keeps what it knows, says so, and goes on when it may again. */
TEST(scenario_refusal, of_what_was_allowed_before)
{
    open_world(NULL);
    ASSERT_OK(kin_server_forbid(w.server, kin_str_of("[{\"resources\":[\"configmaps\"]}]"), &err));
    (void) fault(&w, "{\"do\":\"cut\",\"now\":true}");
    AWAIT(&w, status_of(&w.followers[0]).state == KIN_INFORMER_FORBIDDEN)
    AWAIT(&w, status_of(&w.followers[1]).state == KIN_INFORMER_FORBIDDEN)
    ASSERT_EQ(status_of(&w.followers[0]).objects, 7);
    make_changes(&w, "during");
    ASSERT_OK(kin_server_forbid(w.server, kin_str_of("[]"), &err));

    world_await_equal(&w);

    must_not_have_listed_again();
    world_close(&w);
}

static void write_token(const char *path, const char *token)
{
    FILE *file = fopen(path, "w");

    ASSERT_TRUE(file != NULL && fputs(token, file) >= 0);
    (void) fclose(file);
}

/* The server's kubeconfig, with a file in the place of the token. */
static void name_token_file(const char *path, char *out, size_t size)
{
    const char *all = kin_server_kubeconfig(w.server);
    const char *begin = strstr(all, "\"token\":\"");

    ASSERT_TRUE(begin != NULL);
    const char *end = strchr(begin + strlen("\"token\":\""), '"') + 1;
    ASSERT_TRUE(snprintf(out, size, "%.*s\"tokenFile\":\"%s\"%s", (int) (begin - all), all, path,
                         end) < (int) size);
}

TEST(scenario_refusal, until_the_token_is_the_new_one)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    static char kubeconfig[16384];
    char path[] = "/tmp/kin-token-XXXXXX";
    int fd = mkstemp(path);

    ASSERT_TRUE(fd >= 0 && close(fd) == 0);
    options.token = "first";
    world_open(&w, &options, QUICK);
    make_changes(&w, "before");
    write_token(path, "first");
    name_token_file(path, kubeconfig, sizeof kubeconfig);
    kin_client *client = world_connect(&w, kubeconfig, NULL);
    follower *f = world_follow(&w, client, maps_options(), MAPS);
    world_await_watching(&w);

    ASSERT_OK(kin_server_set_token(w.server, "second", &err));
    make_changes(&w, "seen"); /* the watch was let in, and stays */
    world_await_equal(&w);
    ASSERT_EQ(status_of(f).denied, 0);
    (void) fault(&w, "{\"do\":\"cut-all\"}");
    make_changes(&w, "during");
    AWAIT(&w, status_of(f).state == KIN_INFORMER_UNAUTHORIZED)
    ASSERT_TRUE(status_of(f).denied > 0);
    write_token(path, "second");

    world_await_equal(&w);
    ASSERT_EQ(status_of(f).restarts, 0);
    world_unfollow_all(&w);
    kin_client_free(client);
    (void) unlink(path);
    world_close(&w);
}

static uint64_t connections(void)
{
    kin_server_counts counts;

    kin_server_get_counts(w.server, &counts);
    return counts.connections;
}

/* The connection is to go before the 401 comes: the watches on it go on, or begin anew elsewhere
 * when they may. */
TEST(scenario_refusal, of_an_old_token_beside_watches_that_go_on)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    static char kubeconfig[16384];
    char path[] = "/tmp/kin-token-XXXXXX";
    int fd = mkstemp(path);

    ASSERT_TRUE(fd >= 0 && close(fd) == 0);
    options.token = "first";
    world_open(&w, &options, QUICK);
    make_changes(&w, "before");
    write_token(path, "first");
    name_token_file(path, kubeconfig, sizeof kubeconfig);
    kin_client *client = world_connect(&w, kubeconfig, NULL);
    for (int i = 0; i < 3; i++) {
        (void) world_follow(&w, client, maps_options(), MAPS);
    }
    world_await_watching(&w);
    ASSERT_OK(kin_server_set_token(w.server, "second", &err));
    uint64_t before = connections();
    follower *late = world_follow(&w, client, maps_options(), MAPS);
    AWAIT(&w, status_of(late).state == KIN_INFORMER_UNAUTHORIZED)
    AWAIT(&w, connections() >= before + 3)

    make_changes(&w, "beside");
    for (int i = 0; i < 3; i++) {
        AWAIT(&w, status_of(&w.followers[i]).objects == 14)
        ASSERT_EQ(status_of(&w.followers[i]).watches, 1);
        ASSERT_EQ(status_of(&w.followers[i]).failures, 0);
    }
    write_token(path, "second");
    world_await_synced(&w);
    world_await_equal(&w);
    world_unfollow_all(&w);
    kin_client_free(client);
    (void) unlink(path);
    world_close(&w);
}
