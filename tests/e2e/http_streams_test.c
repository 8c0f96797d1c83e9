/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_streams_test.c - the HTTP client with a real API server: a thousand watches, GOAWAY, and a
 * server that dies, stops, or comes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/status.h"
#include "e2e/support/cluster.h"
#include "net/http.h"
#include "support/test.h"

#define WATCHES 1000
#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"

typedef struct session {
    cluster cluster;
    kin_loop *loop;
    kin__http *http;
    char authorization[128];
    const char *headers[4];
} session;

typedef struct transfer {
    kin__http_request *request;
    int status;
    bool is_http2;
    size_t len;
    char tail[8192]; /* the newest of the body, terminated */
    bool has_ended;
    bool has_failed;
    kin_error err;
} transfer;

static session s;
static transfer watches[WATCHES];

static kin_err on_head(void *context, const kin__http_head *head, kin_error *err)
{
    transfer *t = context;
    (void) err;
    t->status = head->status;
    t->is_http2 = head->is_http2;
    return KIN_OK;
}

/* An event may come in pieces. */
static kin_err on_body(void *context, const char *bytes, size_t len, kin_error *err)
{
    transfer *t = context;
    const size_t room = sizeof t->tail - 1;
    size_t taken = len < room ? len : room;
    size_t had = t->len < room ? t->len : room;
    size_t kept = had < room - taken ? had : room - taken;
    (void) err;
    memmove(t->tail, t->tail + had - kept, kept);
    memcpy(t->tail + kept, bytes + len - taken, taken);
    t->tail[kept + taken] = '\0';
    t->len += len;
    return KIN_OK;
}

static void on_end(void *context, const kin_error *err)
{
    transfer *t = context;
    t->has_ended = true;
    t->has_failed = err != NULL;
    if (err != NULL) {
        t->err = *err;
    }
}

static char *read_text(const char *path)
{
    char *chars = calloc(1, 65536);
    FILE *file = fopen(path, "r");
    ASSERT_TRUE(chars != NULL && file != NULL);
    ASSERT_TRUE(fread(chars, 1, 65535, file) > 0);
    (void) fclose(file);
    return chars;
}

static void open_session(const char *flag)
{
    kin_error err;
    const char *flags[] = { flag, NULL };
    cluster_start(&s.cluster, flags);
    char *ca = read_text(cluster_path(&s.cluster, "ca.crt"));
    ASSERT_OK(kin_loop_new(NULL, &s.loop, &err));
    kin__http_options options = { .loop = s.loop, .base = s.cluster.server };
    ASSERT_OK(kin__http_new(&options, &s.http, &err));
    kin__http_tls tls = { .ca = kin_str_of(ca) };
    ASSERT_OK(kin__http_set_tls(s.http, &tls, &err));
    free(ca);
    (void) snprintf(s.authorization, sizeof s.authorization, "Authorization: Bearer %s",
                    s.cluster.token);
    s.headers[0] = s.authorization;
    s.headers[1] = "Accept: application/json";
    s.headers[2] = "Content-Type: application/json";
}

static void close_session(void)
{
    kin__http_free(s.http);
    kin_loop_free(s.loop);
    cluster_stop(&s.cluster);
}

static void start(transfer *t, kin__http_request_options options)
{
    kin_error err;
    *t = (transfer){ 0 };
    options.method = options.method != NULL ? options.method : "GET";
    options.headers = s.headers;
    options.handler = (kin__http_handler){
        .context = t, .on_head = on_head, .on_body = on_body, .on_end = on_end
    };
    ASSERT_OK(kin__http_start(s.http, &options, &t->request, &err));
}

static void turn(void)
{
    kin_error err;
    ASSERT_OK(kin_loop_dispatch(s.loop, 20, &err));
}

static int64_t now_ms(void)
{
    return kin__clock_now_ms(kin__clock_real());
}

static void finish(transfer *t)
{
    while (!t->has_ended) {
        turn();
    }
    kin__http_request_free(t->request);
}

static transfer run(kin__http_request_options options)
{
    transfer t;
    start(&t, options);
    finish(&t);
    return t;
}

static void create_configmap(const char *name)
{
    char body[256];
    (void) snprintf(body, sizeof body,
                    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\"}}",
                    name);
    int64_t began_ms = now_ms();
    transfer t = run((kin__http_request_options){ .class_ = KIN__HTTP_WRITE,
                                                  .method = "POST",
                                                  .target = CONFIGMAPS,
                                                  .deadline_ms = 10000,
                                                  .body = kin_str_of(body) });
    ASSERT_STR_EQ(t.err.message, "");
    ASSERT_EQ(t.status, 201);
    (void) printf("a write took %lld ms\n", (long long) (now_ms() - began_ms));
}

static void watch_many(int count)
{
    for (int i = 0; i < count; i++) {
        start(&watches[i],
              (kin__http_request_options){ .class_ = KIN__HTTP_WATCH,
                                           .target = CONFIGMAPS "?watch=1&timeoutSeconds=600" });
    }
    for (int i = 0; i < count; i++) {
        while (watches[i].status == 0 && !watches[i].has_ended) {
            turn();
        }
        ASSERT_STR_EQ(watches[i].err.message, "");
        ASSERT_EQ(watches[i].status, 200);
    }
}

static void wait_for_event(int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        while (strstr(watches[i].tail, name) == NULL && !watches[i].has_ended) {
            turn();
        }
        ASSERT_STR_EQ(watches[i].err.message, "");
    }
}

static void free_watches(int count)
{
    for (int i = 0; i < count; i++) {
        kin__http_request_free(watches[i].request);
    }
}

TEST(http_streams, has_a_thousand_watches_on_twelve_connections)
{
    open_session("--v=1");

    int64_t began_ms = now_ms();
    watch_many(WATCHES);
    (void) printf("%d watches took %lld ms\n", WATCHES, (long long) (now_ms() - began_ms));
    ASSERT_TRUE(watches[0].is_http2);
    create_configmap("first");
    began_ms = now_ms();
    wait_for_event(WATCHES, "first");
    (void) printf("an event for all took %lld ms\n", (long long) (now_ms() - began_ms));
    transfer list = run((kin__http_request_options){ .target = CONFIGMAPS });

    ASSERT_EQ(list.status, 200);
    ASSERT_TRUE(kin__http_count(s.http).connections <= 12);
    ASSERT_EQ(kin__http_count(s.http).running, WATCHES);
    free_watches(WATCHES);
    close_session();
}

TEST(http_streams, goes_on_when_connections_are_told_to_go_away)
{
    open_session("--goaway-chance=0.02");

    watch_many(300);
    for (int i = 0; i < 300; i++) {
        transfer t = run((kin__http_request_options){ .target = "/version", .deadline_ms = 10000 });
        ASSERT_STR_EQ(t.err.message, "");
        ASSERT_EQ(t.status, 200);
    }
    (void) printf("%u connections\n", kin__http_count(s.http).connections);
    create_configmap("goaway");
    wait_for_event(300, "goaway");

    ASSERT_EQ(kin__http_count(s.http).running, 300);
    /* A dozen are told to go, on average, and stay as long as there are watches on them. */
    ASSERT_TRUE(kin__http_count(s.http).connections < 40);
    free_watches(300);
    close_session();
}

/* 406: no Accept header of the client brings it about, because they all name JSON. */
TEST(http_streams, reads_that_nothing_is_acceptable)
{
    kin_error err;
    open_session("--v=1");
    s.headers[1] = "Accept: application/xml";

    transfer t = run((kin__http_request_options){ .target = CONFIGMAPS, .deadline_ms = 10000 });

    ASSERT_STR_EQ(t.err.message, "");
    ASSERT_EQ(t.status, 406);
    ASSERT_ERR(kin__status_read(t.status, kin_str_of("application/json"), kin_str_of(t.tail), 0,
                                NULL, &err),
               KIN_ERR_REFUSED);
    ASSERT_EQ(err.http_status, 406);
    ASSERT_STR_EQ(err.reason, "NotAcceptable");
    close_session();
}

/* The server says 401 after it has said that it will close the connection. */
TEST(http_streams, reads_the_answer_of_a_server_that_does_not_know_us)
{
    open_session("--anonymous-auth=false");
    watch_many(10);
    char right[sizeof s.authorization];
    memcpy(right, s.authorization, sizeof right);
    (void) snprintf(s.authorization, sizeof s.authorization, "Authorization: Bearer wrong");

    for (int i = 0; i < 50; i++) {
        transfer t = run((kin__http_request_options){
            .class_ = KIN__HTTP_WATCH, .target = "/version", .deadline_ms = 10000 });
        ASSERT_STR_EQ(t.err.message, "");
        ASSERT_EQ(t.status, 401);
        ASSERT_CONTAINS(t.tail, "Unauthorized");
    }
    memcpy(s.authorization, right, sizeof right);

    create_configmap("known");
    wait_for_event(10, "known");
    free_watches(10);
    close_session();
}

TEST(http_streams, sends_a_large_body)
{
    static char body[900 * 1024];
    open_session("--v=1");
    int len = snprintf(body, sizeof body,
                       "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                       "\"large\"},\"data\":{\"x\":\"");
    memset(body + len, 'x', sizeof body - (size_t) len - 4);
    memcpy(body + sizeof body - 4, "\"}}", 4);

    transfer t = run((kin__http_request_options){ .class_ = KIN__HTTP_WRITE,
                                                  .method = "POST",
                                                  .target = CONFIGMAPS,
                                                  .deadline_ms = 20000,
                                                  .body = kin_str_of(body) });

    ASSERT_STR_EQ(t.err.message, "");
    ASSERT_EQ(t.status, 201);
    ASSERT_TRUE(t.len > 800000);
    close_session();
}

TEST(http_streams, notices_a_server_that_dies_and_comes_back)
{
    open_session("--v=1");
    watch_many(300);

    (void) cluster_command(&s.cluster, "kill");
    for (int i = 0; i < 300; i++) {
        finish(&watches[i]);
        ASSERT_ERR(watches[i].err.code, KIN_ERR_CLOSED);
    }
    transfer t = run((kin__http_request_options){ .target = "/version", .deadline_ms = 10000 });
    ASSERT_ERR(t.err.code, KIN_ERR_CONNECT);
    ASSERT_EQ(kin__http_count(s.http).connections, 0);
    (void) cluster_command(&s.cluster, "start");

    watch_many(300);
    create_configmap("again");
    wait_for_event(300, "again");
    free_watches(300);
    close_session();
}

TEST(http_streams, gives_up_in_time_when_the_server_stands_still)
{
    open_session("--v=1");
    watch_many(10);
    create_configmap("before");
    wait_for_event(10, "before");

    (void) cluster_command(&s.cluster, "pause");
    transfer old = run((kin__http_request_options){
        .class_ = KIN__HTTP_WRITE, .target = "/version", .deadline_ms = 500 });
    transfer new = run((kin__http_request_options){ .target = "/version", .deadline_ms = 500 });
    (void) cluster_command(&s.cluster, "resume");

    ASSERT_ERR(old.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(old.err.message, "no answer for 0.5 s");
    ASSERT_ERR(new.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(new.err.message, "connecting took longer than 0.5 s");
    create_configmap("after");
    wait_for_event(10, "after");
    free_watches(10);
    close_session();
}
