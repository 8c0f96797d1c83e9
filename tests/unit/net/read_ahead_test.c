/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_ahead_test.c - what OpenSSL is told for libcurl.  That nothing which was read ahead is
 * forgotten is tested where libcurl is driven, in http_streams_test.c.
 */
#include "net/read_ahead.h"

#include <openssl/ssl.h>

#include "unit/net/exchange.h"

/* A connection, and what was seen of it when its body came. */
typedef struct visit {
    bench bench;
    kin__read_ahead ahead;
    CURL *easy;
    size_t body_len;
    bool is_ahead;
    bool has_own_buffers;
    bool is_known;
} visit;

static void say_hello(raw_connection *connection)
{
    while (raw_read_request(connection)) {
        (void) raw_write(connection, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    }
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    visit *v = context;
    struct curl_tlssessioninfo *info = NULL;
    (void) bytes;

    ASSERT_EQ(curl_easy_getinfo(v->easy, CURLINFO_TLS_SSL_PTR, &info), CURLE_OK);
    SSL *tls = info->internals;
    v->is_ahead = SSL_get_read_ahead(tls) == 1;
    v->has_own_buffers = (SSL_get_mode(tls) & SSL_MODE_RELEASE_BUFFERS) == 0;
    v->is_known = v->ahead.tls == tls;
    v->body_len += size * count;
    return size * count;
}

static void begin(visit *v, bool is_wanted)
{
    bench_open_tls(&v->bench, &(raw_server_options){ .serve = say_hello },
                   &(kin__http_options){ 0 });
    v->easy = curl_easy_init();
    ASSERT_TRUE(v->easy != NULL);
    ASSERT_EQ(curl_easy_setopt(v->easy, CURLOPT_URL, v->bench.base), CURLE_OK);
    ASSERT_EQ(curl_easy_setopt(v->easy, CURLOPT_SSL_VERIFYPEER, 0L), CURLE_OK);
    ASSERT_EQ(curl_easy_setopt(v->easy, CURLOPT_WRITEFUNCTION, on_body), CURLE_OK);
    ASSERT_EQ(curl_easy_setopt(v->easy, CURLOPT_WRITEDATA, v), CURLE_OK);
    ASSERT_EQ(kin__read_ahead_apply(&v->ahead, v->easy, is_wanted), CURLE_OK);
    ASSERT_EQ(curl_easy_perform(v->easy), CURLE_OK);
    ASSERT_EQ(v->body_len, 5);
}

static void end(visit *v)
{
    curl_easy_cleanup(v->easy);
    bench_close(&v->bench);
}

TEST(read_ahead, is_done_where_it_is_wanted)
{
    visit wanted = { 0 };
    visit unwanted = { 0 };

    begin(&wanted, true);
    end(&wanted);
    begin(&unwanted, false);
    end(&unwanted);

    ASSERT_TRUE(wanted.is_ahead);
    ASSERT_TRUE(wanted.is_known);
    ASSERT_FALSE(unwanted.is_ahead);
    ASSERT_FALSE(unwanted.is_known);
}

/* libcurl would have them given back after each record. */
TEST(read_ahead, leaves_a_connection_its_buffers)
{
    visit wanted = { 0 };
    visit unwanted = { 0 };

    begin(&wanted, true);
    end(&wanted);
    begin(&unwanted, false);
    end(&unwanted);

    ASSERT_TRUE(wanted.has_own_buffers);
    ASSERT_TRUE(unwanted.has_own_buffers);
}

TEST(read_ahead, has_no_more_behind_the_last_record)
{
    visit v = { 0 };

    begin(&v, true);

    ASSERT_TRUE(v.ahead.tls != NULL);
    ASSERT_FALSE(kin__read_ahead_has_more(&v.ahead));
    end(&v);
}

TEST(read_ahead, has_no_more_before_a_record_is_begun)
{
    kin__read_ahead ahead = { .tls = &ahead };

    kin__read_ahead_begin(&ahead);

    ASSERT_FALSE(kin__read_ahead_has_more(&ahead));
}

/* Else it would be asked of memory that is another's. */
TEST(read_ahead, forgets_a_connection_that_is_gone)
{
    visit v = { 0 };
    begin(&v, true);
    ASSERT_TRUE(v.ahead.tls != NULL);

    end(&v);

    ASSERT_TRUE(v.ahead.tls == NULL);
}
