/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_socket_test.c - watches over WebSockets.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "serving.h"

#define CONFIGS "/api/v1/namespaces/default/configmaps"
#define SOCKET                                                                                     \
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"                   \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://x\r\n"
#define PROTOBUF "Accept: application/vnd.kubernetes.protobuf\r\n"
#define CLOSE "\x88\x80\x01\x02\x03\x04"
enum { ENDED = -1, TEXT = 1, BINARY = 2, CLOSED = 8, PONG = 10 };

typedef struct message {
    int opcode; /* of a whole message; ENDED: the connection has, in its middle or before it */
    size_t len;
    char bytes[65536]; /* terminated */
} message;

static message got;

/* Behind whatever the server is doing. */
static uint64_t watches(serving *s)
{
    kin_server_counts counts;

    kin_server_get_counts(s->server, &counts);
    return counts.watches;
}

static int read_number(visitor *v, int count)
{
    int number = 0;

    for (int i = 0; i < count; i++) {
        int byte = visitor_read_byte(v);
        if (byte < 0) {
            return -1;
        }
        number = number << 8 | byte;
    }
    return number;
}

static void read_message(visitor *v)
{
    int first = read_number(v, 1);
    int len = read_number(v, 1);

    got.opcode = ENDED;
    got.len = 0;
    len = len == 126 ? read_number(v, 2) : len == 127 ? read_number(v, 8) : len;
    while (first >= 0 && len >= 0 && got.len < (size_t) len) {
        int byte = visitor_read_byte(v);
        if (byte < 0) {
            return;
        }
        got.bytes[got.len++] = (char) byte;
    }
    got.bytes[got.len] = '\0';
    if (first >= 0 && len >= 0) {
        ASSERT_EQ(first & 0xf0, 0x80);
        got.opcode = first & 0x0f;
    }
}

static void watch_as(visitor *v, serving *s, const char *query, const char *headers)
{
    char path[512];
    char all[1024];

    snprintf(path, sizeof path, CONFIGS "?watch=1%s", query);
    snprintf(all, sizeof all, SOCKET "%s", headers);
    visitor_ask(v, s, "GET", path, all, NULL);
    ASSERT_EQ(v->status, 101);
}

static void expect(visitor *v, const char *type, const char *part)
{
    char begin[64];

    read_message(v);
    ASSERT_EQ(got.opcode, TEXT);
    snprintf(begin, sizeof begin, "{\"type\":\"%s\",\"object\":{", type);
    ASSERT_CONTAINS(got.bytes, begin);
    ASSERT_CONTAINS(got.bytes, part);
    ASSERT_EQ(got.bytes[got.len - 1], '\n');
    ASSERT_TRUE(strchr(got.bytes, '\n') == got.bytes + got.len - 1);
}

/* As kube-apiserver closes: with 1000, and nothing behind it. */
static void expect_close(visitor *v)
{
    read_message(v);
    ASSERT_EQ(got.opcode, CLOSED);
    ASSERT_EQ(got.len, 2);
    ASSERT_EQ(memcmp(got.bytes, "\x03\xe8", 2), 0);
    ASSERT_EQ(visitor_read_byte(v), -1);
    ASSERT_TRUE(v->is_closed);
}

TEST(watch_socket, sends_each_event_as_a_message)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    watch_as(&v, &s, "&timeoutSeconds=5", "");
    ASSERT_STR_EQ(v.head.chars, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                                "Connection: Upgrade\r\n"
                                "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
    expect(&v, "ADDED", "\"name\":\"a\"");
    serving_put_config(&s, "a", "{}", "2");
    expect(&v, "MODIFIED", "\"v\":\"2\"");
    serving_remove_config(&s, "a");
    expect(&v, "DELETED", "\"name\":\"a\"");
    serving_pass(&s, 5000);

    expect_close(&v);
    visitor_leave(&v);
    serving_stop(&s);
}

/* Of many, so that they come in several turns; some over 125 bytes, some over 64 KiB. */
TEST(watch_socket, begins_with_the_state_and_its_bookmark)
{
    static char large[70000];
    serving s;
    visitor v;
    char name[16];

    serving_start(&s, NULL);
    memset(large, 'x', sizeof large - 1);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "c%03d", i);
        serving_put_config(&s, name, "{}", i == 100 ? "large" : "1");
    }
    watch_as(&v, &s,
             "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
             "");

    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "\"c%03d\"", i);
        expect(&v, "ADDED", name);
    }
    expect(&v, "BOOKMARK", "\"k8s.io/initial-events-end\":\"true\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_socket, sends_protobuf_without_its_length)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    watch_as(&v, &s, "", PROTOBUF);

    /* What it begins with and what comes later are made in two ways. */
    for (int i = 0; i < 2; i++) {
        read_message(&v);
        ASSERT_EQ(got.opcode, BINARY);
        ASSERT_EQ(memcmp(got.bytes,
                         "\x0a\x05"
                         "ADDED"
                         "\x12",
                         8),
                  0);
        ASSERT_TRUE(memmem(got.bytes, got.len, "k8s\0", 4) != NULL);
        serving_put_config(&s, "b", "{}", "1");
    }
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_socket, tells_what_is_wrong_in_a_message)
{
    serving s;
    visitor v;
    kin_error err;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    serving_put_config(&s, "a", "{}", "2");
    ASSERT_OK(kin_server_compact(s.server, 0, &err));
    watch_as(&v, &s, "&resourceVersion=1", "");

    expect(&v, "ERROR", "\"code\":410");
    expect_close(&v);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_socket, refuses_before_it_answers)
{
    static const struct {
        const char *path, *headers, *says;
        int status;
    } cases[] = {
        { CONFIGS "?watch=1&labelSelector=,,", SOCKET, "found ',', expected", 400 },
        { CONFIGS "?watch=1&resourceVersion=x", SOCKET, "\"kind\":\"Status\"", 500 },
        { CONFIGS, SOCKET, "\"kind\":\"ConfigMapList\"", 200 },
        { "/api/v1/watch/configmaps", SOCKET "Sec-WebSocket-Protocol: a,b\r\n", "", 400 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        serving s;
        visitor v;
        serving_start(&s, NULL);

        visitor_ask(&v, &s, "GET", cases[i].path, cases[i].headers, NULL);

        ASSERT_EQ(v.status, cases[i].status);
        ASSERT_CONTAINS(visitor_read_all(&v), cases[i].says);
        ASSERT_EQ(watches(&s), 0);
        visitor_leave(&v);
        serving_stop(&s);
    }
}

TEST(watch_socket, ends_with_its_client)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    watch_as(&v, &s, "", "");
    ASSERT_EQ(send(v.fd, "\x89\x80\x01\x02\x03\x04", 6, MSG_NOSIGNAL), 6);
    read_message(&v);
    ASSERT_EQ(got.opcode, PONG);
    ASSERT_EQ(send(v.fd, CLOSE, 6, MSG_NOSIGNAL), 6);

    expect_close(&v);
    ASSERT_EQ(watches(&s), 0);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_socket, does_what_a_fault_tells_it)
{
    static const struct {
        const char *fault;
        const char *types[3]; /* of the events behind the first; NULL: no more */
        int last;             /* what comes then; 0: nothing is looked for */
    } cases[] = {
        { "{\"do\":\"cut\",\"now\":true,\"after_events\":1}", { NULL }, ENDED },
        { "{\"do\":\"hang-up\",\"now\":true,\"after_events\":1}", { NULL }, ENDED },
        { "{\"do\":\"end\",\"now\":true,\"after_events\":1}", { NULL }, CLOSED },
        { "{\"do\":\"expire\",\"now\":true,\"after_events\":1}", { "ERROR" }, CLOSED },
        { "{\"do\":\"duplicate\",\"now\":true,\"after_events\":1}",
          { "MODIFIED", "MODIFIED", "DELETED" },
          0 },
        { "{\"do\":\"oversize\",\"size\":60000,\"now\":true,\"after_events\":1}",
          { "MODIFIED", "DELETED" },
          0 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        serving s;
        visitor v;
        serving_start(&s, NULL);
        watch_as(&v, &s, "", "");
        serving_fault(&s, cases[i].fault);
        serving_put_config(&s, "a", "{}", "1");
        expect(&v, "ADDED", "\"name\":\"a\"");
        serving_put_config(&s, "a", "{}", "2");
        serving_remove_config(&s, "a");

        for (size_t e = 0; e < 3 && cases[i].types[e] != NULL; e++) {
            expect(&v, cases[i].types[e], "{");
        }
        if (cases[i].last != 0) {
            read_message(&v);
            ASSERT_EQ(got.opcode, cases[i].last);
        }
        visitor_leave(&v);
        serving_stop(&s);
    }
}

TEST(watch_socket, stalls_and_goes_on)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    watch_as(&v, &s, "", "");
    serving_fault(&s, "{\"do\":\"stall\",\"now\":true,\"after_events\":1,\"ms\":5000}");
    serving_put_config(&s, "a", "{}", "1");
    expect(&v, "ADDED", "\"v\":\"1\"");
    serving_put_config(&s, "a", "{}", "2");
    serving_pass(&s, 0); /* the stall begins */
    serving_pass(&s, 4999);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    /* A server that stalls is alive all the same. */
    ASSERT_EQ(send(v.fd, "\x89\x80\x01\x02\x03\x04", 6, MSG_NOSIGNAL), 6);
    read_message(&v);
    ASSERT_EQ(got.opcode, PONG);
    serving_pass(&s, 1);

    expect(&v, "MODIFIED", "\"v\":\"2\"");
    visitor_leave(&v);
    serving_stop(&s);
}

/* In the middle of a message: it drips, and pings wait for its end. */
TEST(watch_socket, is_spoiled_by_bytes)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    serving_fault(&s, "{\"do\":\"cut\",\"verb\":\"watch\",\"after_bytes\":20}");
    watch_as(&v, &s, "", "");
    read_message(&v);
    ASSERT_EQ(got.opcode, ENDED);
    ASSERT_EQ(got.len, 20 - 4);
    visitor_leave(&v);

    serving_fault(&s, "{\"do\":\"slow\",\"verb\":\"watch\",\"bytes_per_second\":1000}");
    watch_as(&v, &s, "", "");
    ASSERT_EQ(send(v.fd, "\x89\x80\x01\x02\x03\x04", 6, MSG_NOSIGNAL), 6);
    for (int i = 0; i < 10; i++) {
        serving_pass(&s, 100);
    }
    expect(&v, "ADDED", "\"name\":\"a\"");
    read_message(&v);
    ASSERT_EQ(got.opcode, PONG);
    visitor_leave(&v);
    serving_stop(&s);
}
