/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay_test.c - that what a test does to the wire is what both ends of it see.
 */
#include "support/relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "support/test.h"

#define MANY_BYTES (4u * 1024 * 1024)

static int listener;
static int port;

static int make_socket(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ASSERT_TRUE(fd >= 0);
    return fd;
}

static struct sockaddr_in address_of(int at_port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t) at_port) };

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static relay *open_relay(void)
{
    struct sockaddr_in address = address_of(0);
    socklen_t len = sizeof address;

    listener = make_socket();
    ASSERT_EQ(bind(listener, (struct sockaddr *) &address, sizeof address), 0);
    ASSERT_EQ(listen(listener, 16), 0);
    ASSERT_EQ(getsockname(listener, (struct sockaddr *) &address, &len), 0);
    port = ntohs(address.sin_port);
    return relay_start(port);
}

static void close_relay(relay *r)
{
    relay_stop(r);
    (void) close(listener);
}

/* The error, or 0. */
static int try_connect(relay *r, int *out_fd)
{
    struct sockaddr_in address = address_of(relay_port(r));

    *out_fd = make_socket();
    return connect(*out_fd, (struct sockaddr *) &address, sizeof address) == 0 ? 0 : errno;
}

/* Both ends of a connection through the relay. */
typedef struct ends {
    int client;
    int server;
} ends;

static ends open_ends(relay *r)
{
    ends e;

    ASSERT_EQ(try_connect(r, &e.client), 0);
    e.server = accept(listener, NULL, NULL);
    ASSERT_TRUE(e.server >= 0);
    return e;
}

static void close_ends(ends e)
{
    (void) close(e.client);
    (void) close(e.server);
}

static void say(int fd, const char *words)
{
    ASSERT_EQ(send(fd, words, strlen(words), MSG_NOSIGNAL), (ssize_t) strlen(words));
}

static void hear(int fd, const char *words)
{
    char heard[64] = "";

    ASSERT_EQ(recv(fd, heard, strlen(words), MSG_WAITALL), (ssize_t) strlen(words));
    ASSERT_STR_EQ(heard, words);
}

/* 0: a FIN came; else the error. */
static int hear_the_end(int fd)
{
    char byte;
    ssize_t len = recv(fd, &byte, 1, 0);

    ASSERT_TRUE(len <= 0);
    return len == 0 ? 0 : errno;
}

/* Until a round has begun and ended. */
static void let_it_turn(relay *r)
{
    relay_delay(r, 0);
    relay_delay(r, 0);
}

static int64_t now_ms(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

TEST(relay, forwards_both_ways_and_counts)
{
    relay *r = open_relay();
    ends e = open_ends(r);

    say(e.client, "question");
    hear(e.server, "question");
    say(e.server, "answer");
    hear(e.client, "answer");

    let_it_turn(r);
    relay_counts counts = relay_count(r);
    ASSERT_EQ(counts.accepted, 1);
    ASSERT_EQ(counts.open, 1);
    ASSERT_EQ(counts.failed, 0);
    ASSERT_EQ(counts.up_bytes, strlen("question"));
    ASSERT_EQ(counts.down_bytes, strlen("answer"));
    close_ends(e);
    close_relay(r);
}

static void *send_many(void *context)
{
    static char bytes[MANY_BYTES];
    const int *fd = context;

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char) (i * 31 >> 3);
    }
    for (size_t sent = 0; sent < sizeof bytes;) {
        ssize_t len = send(*fd, bytes + sent, sizeof bytes - sent, MSG_NOSIGNAL);
        sent += len > 0 ? (size_t) len : 0;
    }
    return NULL;
}

TEST(relay, forwards_more_than_it_can_hold)
{
    static char bytes[MANY_BYTES];
    relay *r = open_relay();
    ends e = open_ends(r);
    pthread_t sender;

    ASSERT_EQ(pthread_create(&sender, NULL, send_many, &e.server), 0);
    ASSERT_EQ(recv(e.client, bytes, sizeof bytes, MSG_WAITALL), (ssize_t) sizeof bytes);
    (void) pthread_join(sender, NULL);

    for (size_t i = 0; i < sizeof bytes; i++) {
        if (bytes[i] != (char) (i * 31 >> 3)) {
            FAIL("byte %zu is another one", i);
        }
    }
    close_ends(e);
    close_relay(r);
}

TEST(relay, hands_on_an_end_and_leaves_the_other_way_open)
{
    relay *r = open_relay();
    ends e = open_ends(r);

    say(e.client, "last words");
    ASSERT_EQ(shutdown(e.client, SHUT_WR), 0);
    hear(e.server, "last words");
    ASSERT_EQ(hear_the_end(e.server), 0);
    say(e.server, "farewell");
    hear(e.client, "farewell");
    (void) close(e.server);

    ASSERT_EQ(hear_the_end(e.client), 0);
    let_it_turn(r);
    ASSERT_EQ(relay_count(r).open, 0);
    (void) close(e.client);
    close_relay(r);
}

TEST(relay, hands_on_a_reset)
{
    const struct linger at_once = { .l_onoff = 1 };
    relay *r = open_relay();
    ends e = open_ends(r);
    say(e.client, "x");
    hear(e.server, "x");

    ASSERT_EQ(setsockopt(e.server, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    (void) close(e.server);

    ASSERT_EQ(hear_the_end(e.client), ECONNRESET);
    (void) close(e.client);
    close_relay(r);
}

TEST(relay, resets_both_sides)
{
    relay *r = open_relay();
    ends e = open_ends(r);
    ends other = open_ends(r);
    say(e.client, "x");
    hear(e.server, "x");

    relay_cut(r, RELAY_RESET);

    ASSERT_EQ(hear_the_end(e.client), ECONNRESET);
    ASSERT_EQ(hear_the_end(e.server), ECONNRESET);
    ASSERT_EQ(hear_the_end(other.client), ECONNRESET);
    ASSERT_EQ(relay_count(r).open, 0);
    ends after = open_ends(r);
    say(after.client, "again");
    hear(after.server, "again");
    close_ends(after);
    close_ends(other);
    close_ends(e);
    close_relay(r);
}

TEST(relay, closes_both_sides_though_one_still_speaks)
{
    relay *r = open_relay();
    ends e = open_ends(r);
    say(e.client, "x");
    hear(e.server, "x");

    relay_cut(r, RELAY_CLOSE);

    ASSERT_EQ(hear_the_end(e.client), 0);
    ASSERT_EQ(hear_the_end(e.server), 0);
    say(e.client, "too late");
    let_it_turn(r);
    ASSERT_EQ(relay_count(r).up_bytes, 1);
    say(e.client, "and no reset");
    close_ends(e);
    close_relay(r);
}

TEST(relay, holds_everything_while_it_is_stalled)
{
    relay *r = open_relay();
    ends e = open_ends(r);
    char byte;

    relay_stall(r, true);
    say(e.client, "held");
    let_it_turn(r);
    ASSERT_EQ(recv(e.server, &byte, 1, MSG_DONTWAIT), -1);
    ends late = open_ends(r);
    say(late.client, "late");
    let_it_turn(r);
    ASSERT_EQ(relay_count(r).up_bytes, 0);
    ASSERT_EQ(relay_count(r).open, 2);

    relay_stall(r, false);
    hear(e.server, "held");
    hear(late.server, "late");
    close_ends(late);
    close_ends(e);
    close_relay(r);
}

TEST(relay, can_cut_what_is_stalled)
{
    relay *r = open_relay();
    ends e = open_ends(r);
    relay_stall(r, true);
    say(e.client, "lost");

    relay_cut(r, RELAY_RESET);
    relay_stall(r, false);

    ASSERT_EQ(hear_the_end(e.server), ECONNRESET);
    ASSERT_EQ(relay_count(r).up_bytes, 0);
    close_ends(e);
    close_relay(r);
}

TEST(relay, delivers_later)
{
    relay *r = open_relay();
    ends e = open_ends(r);
    relay_delay(r, 40);

    int64_t began_ms = now_ms();
    say(e.client, "one");
    hear(e.server, "one");
    ASSERT_TRUE(now_ms() - began_ms >= 40);
    say(e.server, "two");
    hear(e.client, "two");
    ASSERT_TRUE(now_ms() - began_ms >= 80);

    close_ends(e);
    close_relay(r);
}

TEST(relay, refuses_and_takes_up_again)
{
    relay *r = open_relay();
    ends e = open_ends(r);
    int refused;

    relay_refuse(r, true);
    ASSERT_EQ(try_connect(r, &refused), ECONNREFUSED);
    say(e.client, "still");
    hear(e.server, "still");

    relay_refuse(r, false);
    ends after = open_ends(r);
    say(after.client, "again");
    hear(after.server, "again");
    ASSERT_EQ(relay_count(r).accepted, 2);
    (void) close(refused);
    close_ends(after);
    close_ends(e);
    close_relay(r);
}

TEST(relay, resets_when_nobody_is_there)
{
    relay *r = open_relay();
    int fd;
    (void) close(listener);

    ASSERT_EQ(try_connect(r, &fd), 0);

    ASSERT_EQ(hear_the_end(fd), ECONNRESET);
    let_it_turn(r);
    ASSERT_EQ(relay_count(r).failed, 1);
    ASSERT_EQ(relay_count(r).open, 0);
    (void) close(fd);
    relay_stop(r);
}
