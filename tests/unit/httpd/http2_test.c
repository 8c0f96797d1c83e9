/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2_test.c - HTTP/2 with our own client, on the same loop.
 */
#include "net/http.h"
#include "unit/httpd/house.h"

/* What came of a request. */
typedef struct call {
    kin__http_request *request;
    int status;
    bool is_http2;
    char body[256]; /* its beginning, terminated */
    size_t body_len;
    int ends;
    kin_err code;
} call;

static kin_err call_head(void *context, const kin__http_head *head, kin_error *err)
{
    (void) err;
    call *c = context;
    c->status = head->status;
    c->is_http2 = head->is_http2;
    return KIN_OK;
}

static kin_err call_body(void *context, const char *bytes, size_t len, kin_error *err)
{
    (void) err;
    call *c = context;
    for (size_t i = 0; i < len && c->body_len + i < sizeof c->body - 1; i++) {
        c->body[c->body_len + i] = bytes[i];
    }
    c->body_len += len;
    return KIN_OK;
}

static void call_end(void *context, const kin_error *err)
{
    call *c = context;
    c->ends++;
    c->code = err == NULL ? KIN_OK : err->code;
}

static kin__http *open_client(house *h)
{
    char base[64];
    kin__http *http;
    kin_error err;
    kin__http_tls tls = { .ca = kin__authority_pem(h->authority) };
    (void) snprintf(base, sizeof base, "https://127.0.0.1:%d", kin__httpd_port(h->httpd));
    ASSERT_OK(kin__http_new(&(kin__http_options){ .loop = h->loop, .base = base, .proxy = "" },
                            &http, &err));
    ASSERT_OK(kin__http_set_tls(http, &tls, &err));
    return http;
}

static void call_start(kin__http *http, call *c, const char *method, const char *target,
                       kin_str body)
{
    kin_error err;
    *c = (call){ 0 };
    kin__http_request_options options = {
        .method = method,
        .target = target,
        .body = body,
        .handler = { .context = c, .on_head = call_head, .on_body = call_body, .on_end = call_end }
    };
    ASSERT_OK(kin__http_start(http, &options, &c->request, &err));
}

static void call_wait(house *h, call *c)
{
    while (c->ends == 0) {
        house_turn(h);
    }
}

static void call_free(call *c)
{
    kin__http_request_free(c->request);
    c->request = NULL;
}

TEST(http2, answers_a_request)
{
    house *h = house_open_with(true, false);
    kin__http *http = open_client(h);
    call c;

    call_start(http, &c, "GET", "/hello?a=b", STR(""));
    call_wait(h, &c);

    ASSERT_OK(c.code);
    ASSERT_EQ(c.status, 200);
    ASSERT_TRUE(c.is_http2);
    ASSERT_STR_EQ(c.body, "hello");
    ASSERT_STR_EQ(h->log.chars, "GET /hello ?a=b h2\n");
    call_free(&c);
    kin__http_free(http);
    house_close(h);
}

TEST(http2, takes_bodies)
{
    house *h = house_open_with(true, false);
    kin__http *http = open_client(h);
    call small;
    call large;
    char *body = calloc(1, 100000);
    ASSERT_TRUE(body != NULL);

    call_start(http, &small, "POST", "/x", STR("some words"));
    call_wait(h, &small);
    call_start(http, &large, "PUT", "/y", kin__str(body, 100000));
    call_wait(h, &large);

    ASSERT_EQ(small.status, 200);
    ASSERT_EQ(large.status, 200);
    ASSERT_EQ(h->body_len, 100000);
    ASSERT_STR_EQ(h->log.chars, "POST /x [some words] h2\nPUT /y h2\n");
    call_free(&small);
    call_free(&large);
    kin__http_free(http);
    house_close(h);
    free(body);
}

TEST(http2, holds_many_streams_on_one_connection)
{
    enum { COUNT = 90 };
    house *h = house_open_with(true, false);
    kin__http *http = open_client(h);
    call calls[COUNT];

    for (int i = 0; i < COUNT; i++) {
        call_start(http, &calls[i], "GET", "/pipe", STR(""));
    }
    house_await(h, COUNT);
    for (int i = 0; i < COUNT; i++) {
        pipe_say(&h->pipes[i], KIN__BODY_MORE, "one");
    }
    for (int i = COUNT - 1; i >= 0; i--) {
        pipe_say(&h->pipes[i], KIN__BODY_END, "two");
    }

    for (int i = 0; i < COUNT; i++) {
        call_wait(h, &calls[i]);
        ASSERT_OK(calls[i].code);
        ASSERT_STR_EQ(calls[i].body, "onetwo");
        call_free(&calls[i]);
    }
    ASSERT_EQ(kin__httpd_get_counts(h->httpd).connections, 1);
    kin__http_free(http);
    house_close(h);
}

/* A long body in pieces of all sizes, and whether it arrives as it was. */
typedef struct list {
    char bytes[100003];
    size_t at;
    unsigned turn;
    size_t got;
    size_t wrong;
    int ends;
    int releases;
} list;

#define LIST_LEN ((size_t) 30000000)

static kin__body_state list_next(void *context, kin__body_pieces *out)
{
    static const size_t sizes[] = { 1, 70000, 16384, 3, 16383, 16385, 500, 40000 };
    list *l = context;
    while (out->count < 1 + l->turn % KIN__BODY_PIECES && l->at < LIST_LEN) {
        size_t len = sizes[(l->turn + out->count) % 8];
        size_t left = LIST_LEN - l->at;
        len = len < left ? len : left;
        out->pieces[out->count++] = kin__str(l->bytes + l->at % 23, len);
        l->at += len;
    }
    l->turn++;
    return l->at == LIST_LEN ? KIN__BODY_END : KIN__BODY_MORE;
}

static void list_release(void *context)
{
    list *l = context;
    l->releases++;
}

static kin_err list_head(void *context, const kin__http_head *head, kin_error *err)
{
    (void) context;
    (void) head;
    (void) err;
    return KIN_OK;
}

static kin_err list_body(void *context, const char *bytes, size_t len, kin_error *err)
{
    (void) err;
    list *l = context;
    for (size_t i = 0; i < len; i++) {
        l->wrong += bytes[i] != (char) ('a' + (l->got + i) % 23);
    }
    l->got += len;
    return KIN_OK;
}

static void list_end(void *context, const kin_error *err)
{
    list *l = context;
    ASSERT_TRUE(err == NULL);
    l->ends++;
}

TEST(http2, sends_a_long_body_and_others_meanwhile)
{
    house *h = house_open_with(true, false);
    kin__http *http = open_client(h);
    kin__http_request *request;
    list *l = calloc(1, sizeof *l);
    kin_error err;
    call c;
    ASSERT_TRUE(l != NULL);
    for (size_t i = 0; i < sizeof l->bytes; i++) {
        l->bytes[i] = (char) ('a' + i % 23);
    }
    kin__body body = { .next = list_next, .release = list_release, .context = l };
    kin__http_request_options options = {
        .method = "GET",
        .target = "/hold",
        .handler = { .context = l, .on_head = list_head, .on_body = list_body, .on_end = list_end }
    };

    ASSERT_OK(kin__http_start(http, &options, &request, &err));
    house_await(h, 1);
    ASSERT_OK(kin__visit_reply(h->held[0], 200, NULL, 0, &body, &err));
    call_start(http, &c, "GET", "/hello", STR(""));
    call_wait(h, &c);
    ASSERT_TRUE(l->got < LIST_LEN);
    while (l->ends == 0) {
        house_turn(h);
    }

    ASSERT_EQ(l->got, LIST_LEN);
    ASSERT_EQ(l->wrong, 0);
    ASSERT_EQ(l->releases, 1);
    kin__http_request_free(request);
    call_free(&c);
    kin__http_free(http);
    house_close(h);
    free(l);
}

TEST(http2, gives_head_no_body)
{
    house *h = house_open_with(true, false);
    kin__http *http = open_client(h);
    call small;
    call pipe;

    call_start(http, &small, "HEAD", "/hello", STR(""));
    call_wait(h, &small);
    call_start(http, &pipe, "HEAD", "/pipe", STR(""));
    call_wait(h, &pipe);

    ASSERT_EQ(small.status, 200);
    ASSERT_EQ(small.body_len, 0);
    ASSERT_EQ(pipe.status, 200);
    ASSERT_EQ(h->pipes[0].released, 1);
    call_free(&small);
    call_free(&pipe);
    kin__http_free(http);
    house_close(h);
}

TEST(http2, has_the_host_among_its_headers)
{
    house *h = house_open_with(true, false);
    kin__http *http = open_client(h);
    call c;
    kin_str value;
    char want[64];
    size_t at = 0;

    call_start(http, &c, "GET", "/hold", STR(""));
    house_await(h, 1);

    (void) snprintf(want, sizeof want, "127.0.0.1:%d", kin__httpd_port(h->httpd));
    ASSERT_TRUE(kin__visit_header(h->held[0], "Host", &at, &value));
    ASSERT_SLICE_EQ(value, want);
    at = 0;
    ASSERT_TRUE(kin__visit_header(h->held[0], "User-Agent", &at, &value));
    ASSERT_FALSE(kin__visit_header(h->held[0], "method", &at, &value));
    ASSERT_TRUE(kin__visit_get_request(h->held[0])->is_http2);
    call_free(&c);
    kin__http_free(http);
    house_close(h);
}
