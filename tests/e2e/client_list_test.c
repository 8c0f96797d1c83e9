/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_list_test.c - long lists: in pages, compressed, of old versions, from many threads, and on
 * connections that the server gives up.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2e/support/calls.h"

#define NS "kin-list"
#define MAPS 200
#define MAP_BYTES 2000 /* so that all of them are well over what the server compresses */
#define THREADS 8
#define ROUNDS 25
#define LARGE (3u * 1024 * 1024 + 1024)

/* The names that were told, one a line, and how many times a name did not come after the last. */
typedef struct names {
    size_t count;
    size_t stop_after; /* 0: never */
    size_t unordered;
    char last[64];
} names;

static cluster c;
static kin_client *client;

static void fill(void)
{
    static char value[MAP_BYTES + 1];
    static char body[MAP_BYTES + 256];

    memset(value, 'v', MAP_BYTES);
    for (int i = 0; i < MAPS; i++) {
        kin_error err = { 0 };
        kin_request request = { REQUEST, .verb = KIN_VERB_CREATE, .resource = "configmaps",
                                .ns = NS };

        (void) snprintf(body, sizeof body,
                        "{\"metadata\":{\"name\":\"map-%03d\",\"labels\":{\"label\":\"list\"}},"
                        "\"data\":{\"value\":\"%s\"}}",
                        i, value);
        request.body = kin_str_of(body);
        if (kin_client_run(client, &request, NULL, NULL, &err) != KIN_OK) {
            ASSERT_STR_EQ(err.reason, "AlreadyExists");
        }
    }
}

static void open_session(void)
{
    cluster_use_shared(&c);
    client = connect_as(&c, NULL, NULL);
    make_namespace(client, NS);
    fill();
}

static void close_session(void)
{
    kin_client_free(client);
    cluster_stop(&c);
}

static bool note_name(void *context, kin_object *object)
{
    names *seen = context;
    char name[64];

    (void) snprintf(name, sizeof name, "%.*s", KIN_STR_ARG(kin_object_name(object)));
    seen->unordered += strcmp(name, seen->last) <= 0;
    memcpy(seen->last, name, sizeof name);
    seen->count++;
    return seen->count != seen->stop_after;
}

static kin_request list_all(void)
{
    return (kin_request){ REQUEST, .verb = KIN_VERB_LIST, .resource = "configmaps", .ns = NS,
                          .label_selector = "label=list" };
}

TEST(client_list, comes_in_pages_each_object_once)
{
    open_session();
    names seen = { 0 };
    kin_reply reply = KIN_REPLY_INIT;
    kin_handler handler = { .size = sizeof handler, .context = &seen, .on_object = note_name };
    kin_request request = list_all();
    request.limit = 30;

    must_run_to(client, &request, &handler, &reply);

    ASSERT_EQ(seen.count, MAPS);
    ASSERT_EQ(seen.unordered, 0);
    ASSERT_EQ(reply.attempts, 7);
    ASSERT_EQ(reply.count, MAPS);
    ASSERT_TRUE(reply.continue_token == NULL && reply.resource_version != NULL);
    kin_reply_fini(&reply);
    close_session();
}

TEST(client_list, comes_page_by_page_when_wanted)
{
    open_session();
    size_t count = 0;
    int pages = 0;
    char token[1024] = "";
    kin_request request = { REQUEST,         .verb = KIN_VERB_LIST,  .resource = "configmaps",
                            .ns = NS,        .field_selector = NULL, .limit = 90,
                            .one_page = true };

    do {
        kin_reply reply = KIN_REPLY_INIT;
        request.continue_token = token;
        must_run_to(client, &request, NULL, &reply);
        count += reply.count;
        ASSERT_EQ(reply.attempts, 1);
        ASSERT_EQ(reply.remaining, pages == 2 ? -1 : MAPS - (pages + 1) * 90);
        (void) snprintf(token, sizeof token, "%s",
                        reply.continue_token != NULL ? reply.continue_token : "");
        kin_reply_fini(&reply);
        pages++;
    } while (token[0] != '\0');

    ASSERT_EQ(pages, 3);
    ASSERT_EQ(count, MAPS);
    close_session();
}

TEST(client_list, ends_when_the_program_has_seen_enough)
{
    open_session();
    kin_error err = { 0 };
    names seen = { .stop_after = 7 };

    must_be_ok(kin_client_list(client, "cm", NS, note_name, &seen, &err), &err);

    ASSERT_EQ(seen.count, 7);
    close_session();
}

TEST(client_list, is_the_same_compressed_or_not)
{
    open_session();

    for (int i = 0; i < 8; i++) {
        kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
        options.http1_only = (i & 1) != 0;
        options.no_compression = (i & 2) != 0;
        kin_client *other = connect_as(&c, NULL, &options);
        names seen = { 0 };
        kin_reply reply = KIN_REPLY_INIT;
        kin_handler handler = { .size = sizeof handler, .context = &seen, .on_object = note_name };
        kin_request request = list_all();
        request.encoding = (i & 4) != 0 ? KIN_ENCODING_JSON : KIN_ENCODING_PROTOBUF;

        must_run_to(other, &request, &handler, &reply);

        ASSERT_EQ(seen.count, MAPS);
        ASSERT_EQ(seen.unordered, 0);
        kin_reply_fini(&reply);
        kin_client_free(other);
    }
    close_session();
}

TEST(client_list, is_of_the_version_that_is_wanted)
{
    open_session();
    kin_reply before = KIN_REPLY_INIT;
    kin_reply reply = KIN_REPLY_INIT;
    kin_request request = list_all();
    must_run_to(client, &request, NULL, &before);
    write_map(client, NS, "newer", "x");
    label_map(client, NS, "newer", "list");

    request.resource_version = before.resource_version;
    request.resource_version_match = "Exact";
    must_run_to(client, &request, NULL, &reply);
    ASSERT_EQ(reply.count, MAPS);
    ASSERT_STR_EQ(reply.resource_version, before.resource_version);
    kin_reply_fini(&reply);
    request.resource_version_match = "NotOlderThan";
    must_run_to(client, &request, NULL, &reply);
    ASSERT_TRUE(reply.count >= MAPS);
    kin_reply_fini(&reply);
    request.resource_version = NULL;
    request.resource_version_match = NULL;
    must_run_to(client, &request, NULL, &reply);
    ASSERT_EQ(reply.count, MAPS + 1);

    kin_reply_fini(&reply);
    kin_reply_fini(&before);
    delete_map(client, NS, "newer");
    close_session();
}

static void *read_often(void *context)
{
    atomic_int *failed = context;

    for (int i = 0; i < ROUNDS; i++) {
        kin_error err = { 0 };
        kin_object *object = NULL;
        names seen = { 0 };
        char name[16];

        (void) snprintf(name, sizeof name, "map-%03d", i);
        if (kin_client_get(client, "cm", NS, name, &object, &err) != KIN_OK ||
            kin_client_list(client, "configmaps", NS, note_name, &seen, &err) != KIN_OK ||
            seen.count < MAPS) {
            (void) printf("%s\n", err.message);
            atomic_fetch_add(failed, 1);
        }
        kin_object_unref(object);
    }
    return NULL;
}

TEST(client_list, may_be_asked_for_by_many_threads)
{
    open_session();
    pthread_t threads[THREADS];
    atomic_int failed = 0;

    for (int i = 0; i < THREADS; i++) {
        ASSERT_EQ(pthread_create(&threads[i], NULL, read_often, &failed), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ASSERT_EQ(pthread_join(threads[i], NULL), 0);
    }

    ASSERT_EQ(atomic_load(&failed), 0);
    close_session();
}

/* Where nobody runs the loop, those who wait do, one after the other. */
TEST(client_list, may_be_asked_for_by_many_threads_on_a_loop_without_one)
{
    kin_error err = { 0 };
    pthread_t threads[THREADS];
    atomic_int failed = 0;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    options.requests_per_second = -1;
    ASSERT_OK(kin_loop_new(NULL, &options.loop, &err));
    cluster_use_shared(&c);
    client = connect_as(&c, NULL, &options);
    make_namespace(client, NS);
    fill();

    for (int i = 0; i < THREADS; i++) {
        ASSERT_EQ(pthread_create(&threads[i], NULL, read_often, &failed), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ASSERT_EQ(pthread_join(threads[i], NULL), 0);
    }

    ASSERT_EQ(atomic_load(&failed), 0);
    kin_client_free(client);
    kin_loop_free(options.loop);
    cluster_stop(&c);
}

/* Every tenth answer or so tells the client to leave the connection. */
TEST(client_list, survives_connections_that_are_given_up)
{
    recorder watch;
    cluster_start(&c, (const char *[]){ "--goaway-chance=0.02", NULL });
    client = connect_as(&c, NULL, NULL);
    make_namespace(client, NS);
    recorder_start(&watch, client,
                   &(kin_request){ REQUEST, .verb = KIN_VERB_WATCH, .resource = "cm", .ns = NS,
                                   .label_selector = "label=none" });
    recorder_wait(&watch, "open");
    atomic_int failed = 0;

    fill();
    fill();
    (void) read_often(&failed);

    ASSERT_EQ(atomic_load(&failed), 0);
    ASSERT_FALSE(watch.is_done);
    kin_client_free(client);
    recorder_fini(&watch);
    cluster_stop(&c);
}

/* The server answers before it has read the body, and closes the connection. */
TEST(client_list, survives_bodies_that_are_not_read)
{
    open_session();
    char *body = malloc(LARGE);
    memset(body, ' ', LARGE);

    for (int i = 0; i < 10; i++) {
        kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
        options.http1_only = i % 2 != 0;
        kin_client *other = connect_as(&c, NULL, &options);
        kin_request request = { REQUEST, .verb = KIN_VERB_CREATE, .resource = "cm", .ns = NS,
                                .body = { body, LARGE } };

        must_just_fail(other, &request, (failure){ .code = KIN_ERR_REFUSED, .http_status = 413 });
        kin_client_free(other);
    }
    free(body);
    close_session();
}
