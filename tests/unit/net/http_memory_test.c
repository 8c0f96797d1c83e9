/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_memory_test.c - requests while memory runs out, libcurl's included.
 *
 * libcurl gets its memory from the library's allocator here.  It does without some of what it asks
 * for, and calls lack of memory by other names at times, so a request may also succeed or end with
 * another error.  It always ends, and nothing is left behind.
 */
#include <curl/curl.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "support/allocator.h"
#include "support/h2_server.h"
#include "unit/net/exchange.h"

static void *allocate(size_t size)
{
    return kin__alloc(size);
}

static void release(void *memory)
{
    kin__free(memory);
}

static void *reallocate(void *memory, size_t size)
{
    return kin__realloc(memory, size);
}

static void *allocate_zero(size_t count, size_t size)
{
    return kin__alloc_zero(count, size);
}

static char *copy_text(const char *chars)
{
    size_t size = strlen(chars) + 1;
    char *copy = kin__alloc(size);
    if (copy != NULL) {
        memcpy(copy, chars, size);
    }
    return copy;
}

static void say_hello(raw_connection *connection)
{
    while (raw_read_request(connection)) {
        (void) raw_write(connection,
                         "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: \"x\"\r\n"
                         "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    }
}

static kin_err use_client(bench *b)
{
    exchange x[2] = { 0 };
    kin_error err;
    const char *headers[] = { "Authorization: Bearer abc", NULL };
    kin__http_options options = { .loop = b->loop, .base = b->base, .proxy = "" };
    kin__http_tls tls = { 0 };
    kin_err code = kin__http_new(&options, &b->http, &err);

    if (code == KIN_OK && b->authority != NULL) {
        tls.ca = kin_str_of(b->authority->certificate_pem);
        tls.server_name = "api.test";
        code = kin__http_set_tls(b->http, &tls, &err);
    }
    for (int i = 0; i < 2 && code == KIN_OK; i++) {
        kin__http_request_options request = {
            .class_ = i == 0 ? KIN__HTTP_READ : KIN__HTTP_WRITE,
            .method = i == 0 ? "GET" : "POST",
            .target = "/x",
            .headers = headers,
            .body = i == 0 ? (kin_str){ 0 } : kin_str_of("body"),
            .handler = { &x[i], exchange_head, exchange_body, exchange_end },
        };
        code = kin__http_start(b->http, &request, &x[i].request, &err);
        if (code == KIN_OK) {
            exchange_wait(b, &x[i]);
            code = x[i].err.code;
        }
        exchange_free(&x[i]);
    }
    kin__http_free(b->http);
    b->http = NULL;
    return code;
}

/* A loop's and a client's whole life, with two requests; OK, or the first error. */
static kin_err live(bench *b)
{
    kin_error err;
    kin__virtual_clock_init(&b->clock, 1000000, (kin_time){ .seconds = 1792000000 });
    kin_err code = kin__loop_new_with_clock(NULL, &b->clock.clock, &b->loop, &err);
    if (code == KIN_OK) {
        code = use_client(b);
        kin_loop_free(b->loop);
        b->loop = NULL;
    }
    return code;
}

/* Each allocation fails once, and once with all that follow. */
static void fail_everywhere(bench *b)
{
    int no_memory = 0;
    int others = 0;
    for (int is_lasting = 0; is_lasting < 2; is_lasting++) {
        for (long long first = 1;; first++) {
            long long before = live_blocks();
            test_allocator_plan((alloc_failure){ .first = first, .is_lasting = is_lasting != 0 });
            kin_err code = live(b);
            long long failures = test_allocator_failures();
            test_allocator_plan((alloc_failure){ 0 });
            if (failures == 0) {
                ASSERT_OK(code);
                break;
            }
            (void) printf("allocation %lld: %s\n", first, kin_err_name(code));
            no_memory += code == KIN_ERR_NO_MEMORY;
            others += code != KIN_ERR_NO_MEMORY && code != KIN_OK;
            ASSERT_EQ(live_blocks(), before);
        }
    }
    (void) printf("%d times no memory, %d times called otherwise\n", no_memory, others);
    ASSERT_TRUE(no_memory > 5 * others);
}

static void begin(void)
{
    ASSERT_EQ(curl_global_init_mem(CURL_GLOBAL_DEFAULT, allocate, release, reallocate, copy_text,
                                   allocate_zero),
              CURLE_OK);
}

TEST(http_memory, is_not_lost_when_it_runs_out)
{
    bench b = { 0 };
    begin();
    b.server = raw_server_start(&(raw_server_options){ .serve = say_hello });
    (void) snprintf(b.base, sizeof b.base, "http://127.0.0.1:%d", raw_server_port(b.server));

    fail_everywhere(&b);

    bench_close(&b);
    curl_global_cleanup();
}

TEST(http_memory, is_not_lost_when_it_runs_out_over_tls_and_http2)
{
    bench b = { 0 };
    h2_plan plan = { 0 };
    begin();
    b.authority = identity_new("authority", &(identity_options){ 0 });
    b.server_id = identity_new(
        "server", &(identity_options){ .names = "DNS:api.test", .issuer = b.authority });
    b.server = raw_server_start(&(raw_server_options){
        .serve = h2_serve, .context = &plan, .tls = b.server_id, .has_http2 = true });
    (void) snprintf(b.base, sizeof b.base, "https://127.0.0.1:%d", raw_server_port(b.server));

    fail_everywhere(&b);

    bench_close(&b);
    curl_global_cleanup();
}
