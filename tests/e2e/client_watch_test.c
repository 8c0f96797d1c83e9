/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_watch_test.c - watches of a real server: what they tell, how many there may be, and all
 * the ways in which they end.
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "e2e/support/calls.h"

#define NS "kin-watch"
#define MANY 300
#define LARGE (900u * 1024)
#define WRITE_MS_MAX 1500 /* a write beside many watches; it takes some 20 on a machine at rest */

static cluster c;
static kin_client *client;
static recorder watches[MANY];

static void open_session(void)
{
    cluster_use_shared(&c);
    client = connect_as(&c, NULL, NULL);
    make_namespace(client, NS);
}

static void close_session(void)
{
    kin_client_free(client);
    cluster_stop(&c);
}

/* Of the maps that carry a label, so that tests do not see each other's. */
static kin_request watch_of(const char *label_selector)
{
    return (kin_request){ REQUEST,  .verb = KIN_VERB_WATCH,           .resource = "configmaps",
                          .ns = NS, .label_selector = label_selector, .initial_events = 1 };
}

static void create_labelled(const char *name, const char *label)
{
    char body[256];

    (void) snprintf(body, sizeof body,
                    "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"label\":\"%s\"}}}", name, label);
    kin_object_unref(
        must_run(client, &(kin_request){ REQUEST, .verb = KIN_VERB_CREATE, .resource = "configmaps",
                                         .ns = NS, .body = kin_str_of(body) }));
}

static void cancel(recorder *watch)
{
    kin_call_cancel(watch->call);
    recorder_fini(watch);
    ASSERT_ERR(watch->err.code, KIN_ERR_CANCELLED);
}

TEST(client_watch, ends_well_after_its_time_with_a_bookmark_shortly_before)
{
    open_session();
    kin_request request = watch_of("label=none");
    request.timeout_seconds = 4;
    int64_t began_ms = now_ms();

    recorder_start(&watches[0], client, &request);
    recorder_wait(&watches[0], "BOOKMARK end");
    write_map(client, NS, "other", "x"); /* else there would be nothing to tell by a bookmark */
    delete_map(client, NS, "other");
    recorder_wait(&watches[0], "done");

    recorder_fini(&watches[0]);
    ASSERT_ERR(watches[0].err.code, KIN_OK);
    ASSERT_TRUE(watches[0].bookmarks >= 1);
    ASSERT_TRUE(now_ms() - began_ms >= 3500);
    ASSERT_TRUE(watches[0].version[0] != '\0');
    close_session();
}

TEST(client_watch, has_no_bookmark_when_none_is_wanted)
{
    open_session();
    kin_request request = watch_of("label=none");
    request.initial_events = 0;
    request.resource_version = "0";
    request.no_bookmarks = true;
    request.timeout_seconds = 3;

    recorder_start(&watches[0], client, &request);
    recorder_wait(&watches[0], "done");

    recorder_fini(&watches[0]);
    ASSERT_STR_EQ(watches[0].lines.chars, "open\ndone\n");
    ASSERT_EQ(watches[0].bookmarks, 0);
    close_session();
}

TEST(client_watch, tells_events_in_their_order)
{
    open_session();
    text want = { 0 };
    char name[16];
    kin_request request = watch_of("label=order");
    recorder_start(&watches[0], client, &request);
    request.encoding = KIN_ENCODING_JSON;
    recorder_start(&watches[1], client, &request);
    recorder_wait(&watches[0], "BOOKMARK end");
    recorder_wait(&watches[1], "BOOKMARK end");

    text_append(&want, "open\nBOOKMARK end\n");
    for (int i = 0; i < 20; i++) {
        (void) snprintf(name, sizeof name, "order-%d", i);
        create_labelled(name, "order");
        kin_object_unref(
            must_run(client, &(kin_request){ REQUEST, .verb = KIN_VERB_PATCH,
                                             .resource = "configmaps", .ns = NS, .name = name,
                                             .body = kin_str_of("{\"data\":{\"a\":\"b\"}}") }));
        delete_map(client, NS, name);
        text_append(&want, "ADDED %s\nMODIFIED %s\nDELETED %s\n", name, name, name);
    }
    text_append(&want, "done KIN_ERR_CANCELLED\n");

    for (int i = 0; i < 2; i++) {
        recorder_wait_events(&watches[i], 60);
        cancel(&watches[i]);
        ASSERT_STR_EQ(watches[i].lines.chars, want.chars);
    }
    close_session();
}

TEST(client_watch, tells_what_comes_into_the_selection_and_what_leaves_it)
{
    open_session();
    kin_request request = watch_of("label=in");
    recorder_start(&watches[0], client, &request);
    recorder_wait(&watches[0], "BOOKMARK end");

    write_map(client, NS, "mover", "x");
    label_map(client, NS, "mover", "in");
    label_map(client, NS, "mover", "out");
    label_map(client, NS, "mover", "in");
    delete_map(client, NS, "mover");

    recorder_wait_events(&watches[0], 4);
    cancel(&watches[0]);
    ASSERT_STR_EQ(watches[0].lines.chars, "open\nBOOKMARK end\nADDED mover\nDELETED mover\n"
                                          "ADDED mover\nDELETED mover\ndone KIN_ERR_CANCELLED\n");
    close_session();
}

TEST(client_watch, goes_on_from_the_version_it_has_told)
{
    open_session();
    kin_request request = watch_of("label=resume");
    recorder_start(&watches[0], client, &request);
    recorder_wait(&watches[0], "BOOKMARK end");
    create_labelled("resume-1", "resume");
    recorder_wait(&watches[0], "ADDED resume-1");
    cancel(&watches[0]);
    create_labelled("resume-2", "resume");

    request.initial_events = 0;
    request.resource_version = watches[0].version;
    recorder_start(&watches[1], client, &request);
    recorder_wait(&watches[1], "ADDED resume-2");

    cancel(&watches[1]);
    ASSERT_STR_EQ(watches[1].lines.chars, "open\nADDED resume-2\ndone KIN_ERR_CANCELLED\n");
    delete_map(client, NS, "resume-1");
    delete_map(client, NS, "resume-2");
    close_session();
}

/* With what is not in the data, and escapes, it is near a megabyte: the server takes no more. */
static char *large_body(void)
{
    char *body = malloc(LARGE + 256);
    int len = snprintf(body, 256,
                       "{\"metadata\":{\"name\":\"large\",\"labels\":{\"label\":\"large\"}},"
                       "\"data\":{\"x\":\"");

    memset(body + len, 'x', LARGE);
    (void) snprintf(body + len + LARGE, 16, "\"}}");
    return body;
}

TEST(client_watch, tells_a_large_object)
{
    open_session();
    char *body = large_body();
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    options.http1_only = true;
    kin_client *old = connect_as(&c, NULL, &options);
    kin_request request = watch_of("label=large");
    recorder_start(&watches[0], client, &request);
    recorder_start(&watches[1], old, &request);
    request.encoding = KIN_ENCODING_JSON;
    recorder_start(&watches[2], client, &request);
    recorder_start(&watches[3], old, &request);
    for (int i = 0; i < 4; i++) {
        recorder_wait(&watches[i], "BOOKMARK end");
    }

    kin_object_unref(
        must_run(client, &(kin_request){ REQUEST, .verb = KIN_VERB_CREATE, .resource = "configmaps",
                                         .ns = NS, .body = kin_str_of(body) }));

    for (int i = 0; i < 4; i++) {
        recorder_wait(&watches[i], "ADDED large");
        cancel(&watches[i]);
        ASSERT_TRUE(watches[i].bytes > LARGE);
    }
    request.object_bytes = 100000;
    must_just_fail(client, &request,
                   (failure){ .code = KIN_ERR_LIMIT, .message = "watch configmaps in " NS ": " });
    delete_map(client, NS, "large");
    kin_client_free(old);
    free(body);
    close_session();
}

TEST(client_watch, leaves_room_for_a_write_beside_three_hundred)
{
    open_session();
    kin_request request = watch_of("label=many");
    for (int i = 0; i < MANY; i++) {
        recorder_start(&watches[i], client, &request);
    }
    for (int i = 0; i < MANY; i++) {
        recorder_wait(&watches[i], "BOOKMARK end");
    }

    int64_t began_ms = now_ms();
    create_labelled("many", "many");
    int64_t took_ms = now_ms() - began_ms;
    for (int i = 0; i < MANY; i++) {
        recorder_wait(&watches[i], "ADDED many");
    }
    (void) printf("the write took %lld ms, all heard of it after %lld ms\n", (long long) took_ms,
                  (long long) (now_ms() - began_ms));

    ASSERT_TRUE(took_ms < WRITE_MS_MAX);
    for (int i = 0; i < MANY; i++) {
        cancel(&watches[i]);
    }
    delete_map(client, NS, "many");
    close_session();
}

/* Before it has begun, while it runs, again, and when it has long ended. */
TEST(client_watch, is_cancelled_at_any_moment)
{
    open_session();
    kin_request request = watch_of("label=none");
    recorder_start(&watches[0], client, &request);
    kin_call_cancel(watches[0].call);
    recorder_wait(&watches[0], "done KIN_ERR_CANCELLED");
    ASSERT_MESSAGE(&watches[0].err, "watch configmaps in " NS ": cancelled");
    recorder_start(&watches[1], client, &request);
    recorder_wait(&watches[1], "open");
    kin_call_cancel(watches[1].call);
    kin_call_cancel(watches[1].call);
    recorder_wait(&watches[1], "done KIN_ERR_CANCELLED");

    kin_client_free(client);

    kin_call_cancel(watches[0].call);
    kin_call_cancel(watches[1].call);
    recorder_fini(&watches[0]);
    recorder_fini(&watches[1]);
    cluster_stop(&c);
}

/* A handler that begins anew whenever a call has ended. */
typedef struct stubborn {
    kin_client *client;
    kin_resource *resource;
    atomic_int ends;
    atomic_int refusals;
} stubborn;

static void begin_again(void *context, const kin_reply *reply, const kin_error *err)
{
    stubborn *s = context;
    kin_error refusal = { 0 };
    kin_handler handler = { .size = sizeof handler, .context = s, .on_done = begin_again };
    kin_request request = { REQUEST, .verb = KIN_VERB_LIST, .of = s->resource, .ns = NS };

    (void) reply;
    ASSERT_TRUE(err == NULL || err->code == KIN_ERR_CANCELLED);
    atomic_fetch_add(&s->ends, 1);
    if (kin_client_start(s->client, &request, &handler, NULL, &refusal) != KIN_OK) {
        ASSERT_ERR(refusal.code, KIN_ERR_CANCELLED);
        atomic_fetch_add(&s->refusals, 1);
    }
}

TEST(client_watch, ends_when_the_client_is_freed)
{
    open_session();
    kin_error err = { 0 };
    stubborn s = { .client = client };
    ASSERT_OK(kin_resource_new("", "v1", "configmaps", "ConfigMap", true, &s.resource, &err));
    kin_request request = watch_of("label=none");
    for (int i = 0; i < 20; i++) {
        recorder_start(&watches[i], client, &request);
    }
    for (int i = 0; i < 10; i++) {
        recorder_wait(&watches[i], "open");
    }
    begin_again(&s, NULL, NULL);
    while (atomic_load(&s.ends) < 5) {
        (void) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }

    kin_client_free(client);

    ASSERT_EQ(atomic_load(&s.refusals), 1);
    for (int i = 0; i < 20; i++) {
        ASSERT_TRUE(watches[i].is_done);
        recorder_fini(&watches[i]);
        ASSERT_ERR(watches[i].err.code, KIN_ERR_CANCELLED);
    }
    kin_resource_unref(s.resource);
    cluster_stop(&c);
}

static bool call_inside(void *context, kin_object *object)
{
    kin_error *err = context;
    kin_object *again = NULL;
    char *version = NULL;

    (void) object;
    ASSERT_ERR(kin_client_server_version(client, &version, err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_client_get(client, "namespaces", NULL, NS, &again, err), KIN_ERR_USAGE);
    return false;
}

TEST(client_watch, refuses_to_wait_for_itself)
{
    open_session();
    kin_error inside = { 0 };
    kin_error err = { 0 };

    ASSERT_OK(kin_client_list(client, "namespaces", NULL, call_inside, &inside, &err));

    ASSERT_MESSAGE(&inside, "a call that waits (use kin_client_start()): the loop cannot wait for "
                            "itself");
    close_session();
}

/* Turns the loop by poll() alone, until the recorder has the line. */
static void drive_until(kin_loop *loop, const recorder *r, const char *line)
{
    kin_error err = { 0 };
    struct pollfd ready = { .fd = kin_loop_fd(loop), .events = POLLIN };
    int64_t until = now_ms() + 20000;

    while (strstr(r->lines.chars, line) == NULL && now_ms() < until) {
        if (poll(&ready, 1, 1000) > 0) {
            must_be_ok(kin_loop_dispatch(loop, 0, &err), &err);
        }
    }
    ASSERT_CONTAINS(r->lines.chars, line);
}

TEST(client_watch, runs_on_the_loop_of_the_program)
{
    kin_error err = { 0 };
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    cluster_use_shared(&c);
    ASSERT_OK(kin_loop_new(NULL, &options.loop, &err));
    client = connect_as(&c, NULL, &options);
    make_namespace(client, NS);
    kin_request request = watch_of("label=hosted");

    recorder_start(&watches[0], client, &request);
    drive_until(options.loop, &watches[0], "BOOKMARK end\n");
    create_labelled("hosted", "hosted"); /* which waits, and turns the loop itself */
    drive_until(options.loop, &watches[0], "ADDED hosted\n");
    request.timeout_seconds = 2;
    recorder_start(&watches[1], client, &request);
    drive_until(options.loop, &watches[1], "done\n");
    delete_map(client, NS, "hosted");
    drive_until(options.loop, &watches[0], "DELETED hosted\n");
    kin_call_cancel(watches[0].call);
    drive_until(options.loop, &watches[0], "done KIN_ERR_CANCELLED\n");

    recorder_fini(&watches[0]);
    recorder_fini(&watches[1]);
    kin_client_free(client);
    kin_loop_free(options.loop);
    cluster_stop(&c);
}

TEST(client_watch, of_two_clusters_shares_a_loop)
{
    kin_error err = { 0 };
    cluster other;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    cluster_use_shared(&c);
    cluster_start(&other, NULL);
    ASSERT_OK(kin_loop_new(NULL, &options.loop, &err));
    ASSERT_OK(kin_loop_start(options.loop, &err));
    kin_client *clients[2] = { connect_as(&c, NULL, &options), connect_as(&other, NULL, &options) };
    kin_request request = watch_of("label=two");

    for (int i = 0; i < 2; i++) {
        make_namespace(clients[i], NS);
        recorder_start(&watches[i], clients[i], &request);
        recorder_wait(&watches[i], "BOOKMARK end");
    }
    client = clients[1];
    create_labelled("two", "two");
    recorder_wait(&watches[1], "ADDED two");
    kin_client_free(clients[1]);
    client = clients[0];
    create_labelled("first", "two");
    recorder_wait(&watches[0], "ADDED first");
    delete_map(client, NS, "first");
    kin_client_free(clients[0]);

    ASSERT_TRUE(strstr(watches[0].lines.chars, "ADDED two") == NULL);
    recorder_fini(&watches[0]);
    recorder_fini(&watches[1]);
    kin_loop_free(options.loop);
    cluster_stop(&other);
    cluster_stop(&c);
}

static bool must_lack_managed_fields(void *context, kin_object *object)
{
    *(size_t *) context += 1;
    ASSERT_EQ(kin_value_type(kin_object_at(object, "metadata.managedFields")), KIN_TYPE_MISSING);
    ASSERT_EQ(kin_value_type(kin_object_at(object, "metadata.labels")), KIN_TYPE_OBJECT);
    return true;
}

static bool must_lack_them_in_event(void *context, const kin_event *event)
{
    return event->type == KIN_EVENT_ADDED ? must_lack_managed_fields(context, event->object)
                                          : !event->is_initial_end;
}

TEST(client_watch, keeps_what_the_mask_says)
{
    open_session();
    kin_error err = { 0 };
    kin_mask *mask = NULL;
    size_t count = 0;
    kin_handler handler = { .size = sizeof handler,
                            .context = &count,
                            .on_object = must_lack_managed_fields,
                            .on_event = must_lack_them_in_event };
    ASSERT_OK(
        kin_mask_new(KIN_MASK_DROP, (const char *[]){ "metadata.managedFields" }, 1, &mask, &err));
    create_labelled("masked", "masked");

    for (int i = 0; i < 2; i++) {
        kin_request request = watch_of("label=masked");
        request.mask = mask;
        request.encoding = i == 0 ? KIN_ENCODING_JSON : KIN_ENCODING_PROTOBUF;
        ASSERT_ERR(kin_client_run(client, &request, &handler, NULL, &err), KIN_ERR_CANCELLED);
        request.verb = KIN_VERB_LIST;
        request.initial_events = 0;
        must_be_ok(kin_client_run(client, &request, &handler, NULL, &err), &err);
    }

    ASSERT_EQ(count, 4);
    delete_map(client, NS, "masked");
    kin_mask_free(mask);
    close_session();
}
