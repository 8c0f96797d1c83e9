/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_test.c - OpenSSL at the end of a process, and its buffers.
 */
#include "net/openssl.h"

#include <openssl/ssl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/net/exchange.h"

/* A connection, and what was seen of it when its body came. */
typedef struct visit {
    CURL *easy;
    size_t body_len;
    bool has_own_buffers;
} visit;

/* What has taken itself down refuses to begin again. */
static void tell_whether_it_works(void)
{
    _exit(OPENSSL_init_crypto(0, NULL) == 1 ? 0 : 1);
}

/* Registered first, and so called last. */
static void end_with_a_client(void)
{
    kin_loop *loop = NULL;
    kin__http *http = NULL;

    ASSERT_EQ(atexit(tell_whether_it_works), 0);
    ASSERT_OK(kin_loop_new(NULL, &loop, NULL));
    ASSERT_OK(kin__http_new(&(kin__http_options){ .loop = loop, .base = "https://127.0.0.1:1" },
                            &http, &(kin_error){ 0 }));
    ASSERT_EQ(OPENSSL_init_crypto(0, NULL), 1);
    exit(2);
}

TEST(openssl, is_libcurls_own)
{
    ASSERT_TRUE(kin__openssl_is_shared());
}

TEST(openssl, works_until_the_process_is_gone)
{
    int status = 0;

    pid_t child = fork();
    if (child == 0) {
        end_with_a_client();
    }

    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
}

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
    v->has_own_buffers = (SSL_get_mode(info->internals) & SSL_MODE_RELEASE_BUFFERS) == 0;
    v->body_len += size * count;
    return size * count;
}

/* libcurl would have them given back after each record. */
TEST(openssl, leaves_a_connection_its_buffers)
{
    bench b = { 0 };
    visit v = { .easy = curl_easy_init() };
    bench_open_tls(&b, &(raw_server_options){ .serve = say_hello }, &(kin__http_options){ 0 });
    ASSERT_TRUE(v.easy != NULL);
    ASSERT_EQ(curl_easy_setopt(v.easy, CURLOPT_URL, b.base), CURLE_OK);
    ASSERT_EQ(curl_easy_setopt(v.easy, CURLOPT_SSL_VERIFYPEER, 0L), CURLE_OK);
    ASSERT_EQ(curl_easy_setopt(v.easy, CURLOPT_WRITEFUNCTION, on_body), CURLE_OK);
    ASSERT_EQ(curl_easy_setopt(v.easy, CURLOPT_WRITEDATA, &v), CURLE_OK);

    ASSERT_EQ(kin__openssl_keep_buffers(v.easy), CURLE_OK);
    ASSERT_EQ(curl_easy_perform(v.easy), CURLE_OK);

    ASSERT_EQ(v.body_len, 5);
    ASSERT_TRUE(v.has_own_buffers);
    curl_easy_cleanup(v.easy);
    bench_close(&b);
}
