/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_fault_test.c - servers that refuse, lie, stall and cut: each gives its own error.
 */
#include <openssl/err.h>

#include "net/http.h"
#include "unit/net/exchange.h"

#define OK_5 "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n"

/* What a server does with its first request. */
typedef struct script {
    const char *answer;
    bool reads;    /* the request, before it answers */
    bool waits;    /* for a byte of it: until then a reset is a connection that failed */
    bool is_reset; /* at the end: else it closes */
} script;

static void play(raw_connection *connection)
{
    const script *s = connection->context;
    char byte;
    size_t len;
    if ((!s->waits || raw_read(connection, &byte, 1, &len)) &&
        (!s->reads || raw_read_request(connection)) && raw_write(connection, s->answer) &&
        s->is_reset) {
        raw_reset(connection);
    }
}

static void say_hello(raw_connection *connection)
{
    while (raw_read_request(connection)) {
        (void) raw_write(connection, OK_5 "hello");
    }
}

static void say_nothing(raw_connection *connection)
{
    raw_wait_for_end(connection);
}

static exchange get(const script *s)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, play, (void *) (uintptr_t) s, &(kin__http_options){ 0 });
    exchange_run(&b, &x, &(kin__http_request_options){ .target = "/x" });
    bench_close(&b);
    ASSERT_TRUE(x.has_failed);
    ASSERT_CONTAINS(x.err.message, "GET http://127.0.0.1:");
    ASSERT_CONTAINS(x.err.message, "/x: ");
    return x;
}

static void expect_error(const exchange *x, kin_err code, const char *words)
{
    ASSERT_CONTAINS(x->err.message, words);
    ASSERT_ERR(x->err.code, code);
    ASSERT_EQ(x->ends, 1);
}

TEST(http_fault, tells_of_a_connection_cut_before_the_answer)
{
    static const script scripts[] = {
        { .answer = "" },
        { .answer = "", .is_reset = true, .waits = true },
        { .reads = true, .answer = "" },
        { .reads = true, .answer = "", .is_reset = true },
        { .reads = true, .answer = "HTTP/1.1 200" },
        { .reads = true, .answer = "HTTP/1.1 200 OK\r\nContent-Le" },
        { .reads = true, .answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", .is_reset = true },
    };
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        exchange x = get(&scripts[i]);
        expect_error(&x, KIN_ERR_CLOSED, "/x: the connection was cut before the answer");
    }
}

TEST(http_fault, tells_of_a_connection_cut_inside_the_answer)
{
    static const script scripts[] = {
        { .reads = true, .answer = OK_5 "he" },
        { .reads = true, .answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe" },
        { .reads = true,
          .answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n" },
    };
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        exchange x = get(&scripts[i]);
        expect_error(&x, KIN_ERR_CLOSED, "cut inside the answer, after 2 bytes of its body");
        ASSERT_STR_EQ(x.body, "he");
    }
}

/* Nothing of the request is kept by then but what libcurl has of it. */
TEST(http_fault, names_what_was_asked_for_when_the_answer_has_begun)
{
    static const script s = { .reads = true, .answer = OK_5 "he" };
    char prefix[256];
    bench b = { 0 };
    exchange x = { 0 };
    bench_open_loop(&b);
    b.server = raw_server_start(&(raw_server_options){ .serve = play, .context = (void *) &s });
    (void) snprintf(b.base, sizeof b.base, "http://127.0.0.1:%d/k8s", raw_server_port(b.server));
    bench_open_client(&b, &(kin__http_options){ 0 });

    exchange_run(&b, &x, &(kin__http_request_options){ .target = "/x?a=b%2Fc&d=e" });

    (void) snprintf(prefix, sizeof prefix, "GET %s/x?a=b%%2Fc&d=e: the connection", b.base);
    expect_error(&x, KIN_ERR_CLOSED, prefix);
    bench_close(&b);
}

TEST(http_fault, tells_of_a_server_that_does_not_speak_http)
{
    static const script scripts[] = {
        { .reads = true, .answer = "SSH-2.0-OpenSSH_9.2\r\n" },
        { .reads = true, .answer = "<html><body>hello</body></html>\n" },
        { .reads = true, .answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n" },
    };
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        exchange x = get(&scripts[i]);
        expect_error(&x, KIN_ERR_PROTOCOL, "/x: ");
    }
}

TEST(http_fault, tells_of_a_head_that_never_ends)
{
    bench b = { 0 };
    exchange x = { 0 };
    static char answer[2 * 1024 * 1024];
    size_t len = (size_t) snprintf(answer, sizeof answer, "HTTP/1.1 200 OK\r\n");
    while (len < sizeof answer - 64) {
        len += (size_t) snprintf(answer + len, sizeof answer - len, "X-%zu: 0123456789\r\n", len);
    }
    script s = { .reads = true, .answer = answer };
    bench_open(&b, play, &s, &(kin__http_options){ 0 });

    exchange_run(&b, &x, &(kin__http_request_options){ 0 });

    ASSERT_TRUE(x.has_failed);
    ASSERT_EQ(x.heads, 0);
    bench_close(&b);
}

static exchange get_from(const char *base)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open_loop(&b);
    bench_open_client(&b, &(kin__http_options){ .base = base });
    exchange_run(&b, &x, &(kin__http_request_options){ .target = "/x" });
    bench_close(&b);
    return x;
}

TEST(http_fault, tells_of_a_connection_refused)
{
    exchange x = get_from("http://127.0.0.1:1");
    exchange y = get_from("https://127.0.0.1:1");

    expect_error(&x, KIN_ERR_CONNECT, "cannot connect to 127.0.0.1: Connection refused");
    expect_error(&y, KIN_ERR_CONNECT, "cannot connect to 127.0.0.1: Connection refused");
}

/* A name that no server is asked for: one of its labels is too long. */
TEST(http_fault, tells_of_a_host_that_does_not_exist)
{
    exchange x =
        get_from("https://a1234567890123456789012345678901234567890123456789012345678901234"
                 ".test:6443");

    expect_error(&x, KIN_ERR_CONNECT, "no such host: a12345");
}

TEST(http_fault, fails_all_that_wait_for_a_connection_that_cannot_be_made)
{
    bench b = { 0 };
    static exchange all[20];
    bench_open_loop(&b);
    bench_open_client(&b, &(kin__http_options){ .base = "https://127.0.0.1:1" });

    for (int i = 0; i < 20; i++) {
        exchange_start(&b, &all[i], &(kin__http_request_options){ 0 });
    }
    for (int i = 0; i < 20; i++) {
        exchange_wait(&b, &all[i]);
        ASSERT_ERR(all[i].err.code, KIN_ERR_CONNECT);
        exchange_free(&all[i]);
    }
    bench_close(&b);
}

/* ---- TLS ---- */

static exchange get_tls(const identity_options *server, const char *server_name, bool insecure)
{
    bench b = { 0 };
    exchange x = { 0 };
    kin_error err;
    bench_open_loop(&b);
    b.authority = identity_new("authority", &(identity_options){ 0 });
    identity_options options = *server;
    if (options.issuer == NULL) {
        options.issuer = b.authority;
    }
    b.server_id = identity_new("server", &options);
    b.server = raw_server_start(&(raw_server_options){ .serve = say_hello, .tls = b.server_id });
    (void) snprintf(b.base, sizeof b.base, "https://127.0.0.1:%d", raw_server_port(b.server));
    bench_open_client(&b, &(kin__http_options){ 0 });
    kin__http_tls tls = { .ca = kin_str_of(b.authority->certificate_pem),
                          .server_name = server_name,
                          .insecure = insecure };
    ASSERT_OK(kin__http_set_tls(b.http, &tls, &err));
    exchange_run(&b, &x, &(kin__http_request_options){ .target = "/x" });
    bench_close(&b);
    return x;
}

TEST(http_fault, tells_of_a_certificate_for_another)
{
    exchange x = get_tls(&(identity_options){ .names = "DNS:other.test" }, NULL, false);

    expect_error(&x, KIN_ERR_TLS, "/x: the server's certificate is not for 127.0.0.1");
}

TEST(http_fault, tells_of_a_certificate_that_has_expired)
{
    exchange x = get_tls(&(identity_options){ .names = "IP:127.0.0.1",
                                              .valid_from_s = -7200,
                                              .valid_until_s = -3600 },
                         NULL, false);

    expect_error(&x, KIN_ERR_TLS, "/x: the server's certificate has expired");
}

TEST(http_fault, tells_of_a_certificate_that_is_not_valid_yet)
{
    exchange x = get_tls(
        &(identity_options){ .names = "IP:127.0.0.1", .valid_from_s = 3600, .valid_until_s = 7200 },
        NULL, false);

    expect_error(&x, KIN_ERR_TLS, "/x: the server's certificate is not valid yet");
}

TEST(http_fault, tells_of_a_certificate_of_another_authority)
{
    identity *other = identity_new("another", &(identity_options){ 0 });
    exchange x =
        get_tls(&(identity_options){ .names = "IP:127.0.0.1", .issuer = other }, NULL, false);
    identity_free(other);

    expect_error(&x, KIN_ERR_TLS, "signed by an authority that is not trusted");
}

TEST(http_fault, verifies_the_name_it_is_told_to)
{
    exchange right = get_tls(&(identity_options){ .names = "DNS:api.test" }, "api.test", false);
    exchange wrong = get_tls(&(identity_options){ .names = "DNS:api.test" }, "web.test", false);

    ASSERT_STR_EQ(right.err.message, "");
    ASSERT_EQ(right.status, 200);
    expect_error(&wrong, KIN_ERR_TLS, "/x: the server's certificate is not for web.test");
    ASSERT_CONTAINS(wrong.err.message, "GET https://127.0.0.1:");
}

TEST(http_fault, verifies_nothing_when_told_so)
{
    identity *other = identity_new("another", &(identity_options){ 0 });
    exchange x = get_tls(&(identity_options){ .names = "DNS:x.test", .issuer = other }, NULL, true);
    identity_free(other);

    ASSERT_STR_EQ(x.err.message, "");
    ASSERT_EQ(x.status, 200);
}

TEST(http_fault, shows_its_certificate_and_tells_when_it_is_not_wanted)
{
    for (int has_certificate = 0; has_certificate < 2; has_certificate++) {
        bench b = { 0 };
        exchange x = { 0 };
        kin_error err;
        identity *authority = identity_new("clients", &(identity_options){ 0 });
        identity *client = identity_new("client", &(identity_options){ .issuer = authority });
        bench_open_tls(&b, &(raw_server_options){ .serve = say_hello, .client_ca = authority },
                       &(kin__http_options){ 0 });
        kin__http_tls tls = { .ca = kin_str_of(b.authority->certificate_pem) };
        if (has_certificate) {
            tls.certificate = kin_str_of(client->certificate_pem);
            tls.key = kin_str_of(client->key_pem);
        }
        ASSERT_OK(kin__http_set_tls(b.http, &tls, &err));

        exchange_run(&b, &x, &(kin__http_request_options){ .target = "/x" });

        if (has_certificate) {
            ASSERT_STR_EQ(x.err.message, "");
        } else {
            expect_error(&x, KIN_ERR_TLS, "/x: the server refuses us: ");
        }
        bench_close(&b);
        identity_free(client);
        identity_free(authority);
    }
}

TEST(http_fault, tells_of_authorities_and_certificates_that_are_none)
{
    for (int i = 0; i < 3; i++) {
        bench b = { 0 };
        exchange x = { 0 };
        kin_error err;
        bench_open_tls(&b, &(raw_server_options){ .serve = say_hello }, &(kin__http_options){ 0 });
        kin__http_tls tls = { .ca =
                                  kin_str_of(i == 0 ? "nonsense" : b.authority->certificate_pem) };
        tls.certificate = kin_str_of(i == 1   ? "nonsense"
                                     : i == 2 ? b.server_id->certificate_pem
                                              : NULL);
        tls.key = kin_str_of(i == 1 ? b.server_id->key_pem : i == 2 ? b.authority->key_pem : NULL);
        ASSERT_OK(kin__http_set_tls(b.http, &tls, &err));

        exchange_run(&b, &x, &(kin__http_request_options){ 0 });

        expect_error(&x, KIN_ERR_TLS,
                     i == 0 ? "the authorities to trust cannot be read"
                            : "our certificate or its key cannot be used");
        bench_close(&b);
    }
}

static exchange get_tls_from_plain(void (*serve)(raw_connection *connection), const script *s)
{
    bench b = { 0 };
    exchange x = { 0 };
    bench_open(&b, serve, (void *) (uintptr_t) s, &(kin__http_options){ 0 });
    kin__http_free(b.http);
    (void) snprintf(b.base, sizeof b.base, "https://127.0.0.1:%d", raw_server_port(b.server));
    bench_open_client(&b, &(kin__http_options){ 0 });
    exchange_run(&b, &x, &(kin__http_request_options){ .target = "/x" });
    bench_close(&b);
    return x;
}

TEST(http_fault, tells_of_a_server_that_does_not_speak_tls)
{
    static const script s = { .answer = "HTTP/1.1 400 Bad Request\r\n\r\n" };

    exchange x = get_tls_from_plain(play, &s);

    expect_error(&x, KIN_ERR_TLS, "/x: the server does not speak TLS");
}

TEST(http_fault, tells_of_a_connection_cut_during_the_handshake)
{
    static const script closed = { .answer = "", .waits = true };
    static const script reset = { .answer = "", .is_reset = true, .waits = true };
    static const script later = { .answer = "\x16\x03\x03", .waits = true };

    exchange x = get_tls_from_plain(play, &closed);
    exchange y = get_tls_from_plain(play, &reset);
    exchange z = get_tls_from_plain(play, &later);

    expect_error(&x, KIN_ERR_CLOSED, "/x: the connection was cut during the handshake");
    expect_error(&y, KIN_ERR_CLOSED, "/x: the connection was cut during the handshake");
    expect_error(&z, KIN_ERR_CLOSED, "/x: the connection was cut during the handshake");
}

TEST(http_fault, uses_new_certificates_for_new_connections_only_when_they_changed)
{
    bench b = { 0 };
    exchange x[3] = { 0 };
    kin_error err;
    bench_open_tls(&b, &(raw_server_options){ .serve = say_hello },
                   &(kin__http_options){ .http1_only = true });
    kin__http_tls tls = { .ca = kin_str_of(b.authority->certificate_pem) };

    exchange_run(&b, &x[0], &(kin__http_request_options){ 0 });
    ASSERT_OK(kin__http_set_tls(b.http, &tls, &err));
    exchange_run(&b, &x[1], &(kin__http_request_options){ 0 });
    ASSERT_EQ(raw_server_count_connections(b.server), 1);
    tls.insecure = true;
    ASSERT_OK(kin__http_set_tls(b.http, &tls, &err));
    exchange_run(&b, &x[2], &(kin__http_request_options){ 0 });

    ASSERT_EQ(raw_server_count_connections(b.server), 2);
    ASSERT_EQ(kin__http_count(b.http).connections, 1);
    ASSERT_FALSE(x[0].has_failed || x[1].has_failed || x[2].has_failed);
    bench_close(&b);
}

TEST(http_fault, goes_on_when_one_of_many_has_failed)
{
    bench b = { 0 };
    exchange dead = { 0 };
    exchange x = { 0 };
    bench_open(&b, say_nothing, NULL, &(kin__http_options){ 0 });
    exchange_start(&b, &dead, &(kin__http_request_options){ .deadline_ms = 100 });
    exchange_start(&b, &x, &(kin__http_request_options){ .deadline_ms = 200 });
    bench_turn(&b);

    kin__virtual_clock_advance(&b.clock, 100);
    exchange_wait(&b, &dead);
    ASSERT_EQ(x.ends, 0);
    kin__virtual_clock_advance(&b.clock, 100);
    exchange_wait(&b, &x);

    exchange_free(&dead);
    exchange_free(&x);
    bench_close(&b);
}
