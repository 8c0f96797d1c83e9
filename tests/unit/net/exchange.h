/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.h - requests to a server of the test, on a loop whose time stands still.
 */
#ifndef TESTS_UNIT_NET_EXCHANGE_H
#define TESTS_UNIT_NET_EXCHANGE_H

#include <stdio.h>
#include <string.h>

#include "net/http.h"
#include "support/raw_server.h"
#include "support/test.h"

/* A client, its loop and its server. */
typedef struct bench {
    kin__virtual_clock clock;
    kin_loop *loop;
    raw_server *server;
    kin__http *http;
    identity *authority;
    identity *server_id;
    char base[128];
} bench;

/* What came of a request. */
typedef struct exchange {
    kin__http_request *request;
    int status;
    bool is_http2;
    char content_type[128];
    char location[128];
    char warnings[256];
    char etag[64];
    uint32_t retry_after_ms;
    char body[8192]; /* its beginning, terminated */
    size_t body_len;
    int heads;
    int ends;
    bool has_failed;
    kin_error err;
    /* What to do inside a callback. */
    bench *bench;
    bool frees_in_head;
    bool frees_in_body;
    bool frees_in_end;
    bool frees_client_in_body;
    bool fails_in_head;
    bool fails_in_body;
    struct exchange *frees_other_in_body;
} exchange;

static inline void exchange_free(exchange *x)
{
    kin__http_request_free(x->request);
    x->request = NULL;
}

static inline void exchange_copy(char *to, size_t size, kin_str from)
{
    size_t len = from.len < size - 1 ? from.len : size - 1;
    if (len != 0) {
        memcpy(to, from.data, len);
    }
    to[len] = '\0';
}

static inline kin_err exchange_fail(kin_error *err)
{
    memset(err, 0, sizeof *err);
    err->code = KIN_ERR_MALFORMED;
    (void) snprintf(err->message, sizeof err->message, "not what I like");
    return err->code;
}

static inline kin_err exchange_head(void *context, const kin__http_head *head, kin_error *err)
{
    exchange *x = context;
    x->heads++;
    x->status = head->status;
    x->is_http2 = head->is_http2;
    x->retry_after_ms = head->retry_after_ms;
    exchange_copy(x->content_type, sizeof x->content_type, head->content_type);
    exchange_copy(x->location, sizeof x->location, head->location);
    exchange_copy(x->warnings, sizeof x->warnings, head->warnings);
    exchange_copy(x->etag, sizeof x->etag, head->etag);
    if (x->frees_in_head) {
        exchange_free(x);
    }
    return x->fails_in_head ? exchange_fail(err) : KIN_OK;
}

static inline kin_err exchange_body(void *context, const char *bytes, size_t len, kin_error *err)
{
    exchange *x = context;
    for (size_t i = 0; i < len; i++) {
        if (x->body_len + i < sizeof x->body - 1) {
            x->body[x->body_len + i] = bytes[i];
        }
    }
    x->body_len += len;
    if (x->frees_other_in_body != NULL) {
        exchange_free(x->frees_other_in_body);
    }
    if (x->frees_client_in_body) {
        kin__http_free(x->bench->http);
        x->bench->http = NULL;
    }
    if (x->frees_in_body) {
        exchange_free(x);
    }
    return x->fails_in_body ? exchange_fail(err) : KIN_OK;
}

static inline void exchange_end(void *context, const kin_error *err)
{
    exchange *x = context;
    x->ends++;
    x->has_failed = err != NULL;
    if (err != NULL) {
        x->err = *err;
    }
    if (x->frees_in_end) {
        exchange_free(x);
    }
}

/* With all that is needed but a server; `server` may be NULL.  Trusts everybody, until it is told
 * otherwise: the machine may have no authorities to trust. */
static inline void bench_open_client(bench *b, const kin__http_options *options)
{
    kin__http_options all = *options;
    kin__http_tls tls = { .insecure = true };
    kin_error err;

    all.loop = b->loop;
    if (all.base == NULL) {
        all.base = b->base;
    }
    if (all.proxy == NULL) {
        all.proxy = "";
    }
    ASSERT_OK(kin__http_new(&all, &b->http, &err));
    ASSERT_OK(kin__http_set_tls(b->http, &tls, &err));
}

static inline void bench_open_loop(bench *b)
{
    kin_error err;
    kin__virtual_clock_init(&b->clock, 1000000, (kin_time){ .seconds = 1792000000 });
    ASSERT_OK(kin__loop_new_with_clock(NULL, &b->clock.clock, &b->loop, &err));
}

/* A plain server at 127.0.0.1. */
static inline void bench_open(bench *b, void (*serve)(raw_connection *connection), void *context,
                              const kin__http_options *options)
{
    bench_open_loop(b);
    b->server = raw_server_start(&(raw_server_options){ .serve = serve, .context = context });
    (void) snprintf(b->base, sizeof b->base, "http://127.0.0.1:%d", raw_server_port(b->server));
    bench_open_client(b, options);
}

/* A server with TLS, whose authority the client trusts. */
static inline void bench_open_tls(bench *b, const raw_server_options *server,
                                  const kin__http_options *options)
{
    raw_server_options all = *server;
    kin_error err;

    bench_open_loop(b);
    b->authority = identity_new("authority", &(identity_options){ 0 });
    if (all.tls == NULL) {
        b->server_id = identity_new(
            "server", &(identity_options){ .names = "IP:127.0.0.1", .issuer = b->authority });
        all.tls = b->server_id;
    }
    b->server = raw_server_start(&all);
    (void) snprintf(b->base, sizeof b->base, "https://127.0.0.1:%d", raw_server_port(b->server));
    bench_open_client(b, options);
    kin__http_tls tls = { .ca = kin_str_of(b->authority->certificate_pem) };
    ASSERT_OK(kin__http_set_tls(b->http, &tls, &err));
}

static inline void bench_close(bench *b)
{
    kin__http_free(b->http);
    kin_loop_free(b->loop);
    raw_server_stop(b->server);
    identity_free(b->server_id);
    identity_free(b->authority);
}

static inline void bench_turn(bench *b)
{
    kin_error err;
    ASSERT_OK(kin_loop_dispatch(b->loop, 10, &err));
}

/* Everything is done on the loop: the test is its only thread, and calls between rounds. */
static inline void exchange_start(bench *b, exchange *x, const kin__http_request_options *options)
{
    kin__http_request_options all = *options;
    kin_error err;

    x->bench = b;
    all.method = all.method != NULL ? all.method : "GET";
    all.target = all.target != NULL ? all.target : "/";
    all.handler = (kin__http_handler){
        .context = x, .on_head = exchange_head, .on_body = exchange_body, .on_end = exchange_end
    };
    ASSERT_OK(kin__http_start(b->http, &all, &x->request, &err));
}

static inline void exchange_wait(bench *b, const exchange *x)
{
    while (x->ends == 0) {
        bench_turn(b);
    }
}

static inline void exchange_wait_for_body(bench *b, const exchange *x, size_t len)
{
    while (x->ends == 0 && x->body_len < len) {
        bench_turn(b);
    }
}

/* A whole one. */
static inline void exchange_run(bench *b, exchange *x, const kin__http_request_options *options)
{
    exchange_start(b, x, options);
    exchange_wait(b, x);
    exchange_free(x);
}

#endif /* TESTS_UNIT_NET_EXCHANGE_H */
