/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_sink.c - commands to the process that reads, and what it does.
 */
#include "server_sink.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

#define READ_MAX ((size_t) 256 * 1024)
#define SOCKETS_MAX 1024
#define EVENTS_MAX 64

typedef enum command_word { TAKE = 1, OPEN, BYTES, CLOSE } command_word;

typedef struct command {
    command_word word;
    uint16_t port;
    size_t count;
    char request[BENCH_SINK_REQUEST];
} command;

/* The process that reads. */
typedef struct reading {
    int control;
    int epoll;
    int sockets[SOCKETS_MAX];
    bool has_begun[SOCKETS_MAX];
    size_t count;
    size_t begun;
    uint64_t bytes;
    char *buffer;
} reading;

static void send_command(const bench_sink *sink, const command *c);
static void read_answer(int fd, void *into, size_t len);
static _Noreturn void run(int control);
static void obey(reading *r, const command *c);
static void take(reading *r, const command *c);
static void open_all(reading *r, const command *c);
static void close_all(reading *r);
static void wait_once(reading *r);
static int connect_to(uint16_t port, const char *request);
static void answer(const reading *r, const void *bytes, size_t len);
static double now(void);

bench_sink bench_sink_start(void)
{
    return bench_child_start(run);
}

void bench_sink_stop(bench_sink *sink)
{
    bench_child_stop(sink);
}

void bench_sink_begin(const bench_sink *sink, uint16_t port, const char *request)
{
    command c = { .word = TAKE, .port = port };
    strncpy(c.request, request, sizeof c.request - 1);
    send_command(sink, &c);
}

bench_taken bench_sink_end(const bench_sink *sink)
{
    bench_taken taken;
    read_answer(sink->fd, &taken, sizeof taken);
    return taken;
}

void bench_sink_open(const bench_sink *sink, uint16_t port, size_t count, const char *request)
{
    command c = { .word = OPEN, .port = port, .count = count };
    char done;
    strncpy(c.request, request, sizeof c.request - 1);
    send_command(sink, &c);
    read_answer(sink->fd, &done, sizeof done);
}

uint64_t bench_sink_bytes(const bench_sink *sink)
{
    command c = { .word = BYTES };
    uint64_t bytes;
    send_command(sink, &c);
    read_answer(sink->fd, &bytes, sizeof bytes);
    return bytes;
}

void bench_sink_close(const bench_sink *sink)
{
    command c = { .word = CLOSE };
    char done;
    send_command(sink, &c);
    read_answer(sink->fd, &done, sizeof done);
}

static void send_command(const bench_sink *sink, const command *c)
{
    if (write(sink->fd, c, sizeof *c) != (ssize_t) sizeof *c) {
        bench_fail("the process that reads has gone");
    }
}

static void read_answer(int fd, void *into, size_t len)
{
    if (recv(fd, into, len, MSG_WAITALL) != (ssize_t) len) {
        bench_fail("the process that reads has gone");
    }
}

/* ---- in the other process ---------------------------------------------------------------- */

static _Noreturn void run(int control)
{
    reading r = { .control = control, .epoll = epoll_create1(0), .buffer = malloc(READ_MAX) };
    struct epoll_event interest = { .events = EPOLLIN, .data.u64 = UINT64_MAX };

    if (r.buffer == NULL || r.epoll < 0 ||
        epoll_ctl(r.epoll, EPOLL_CTL_ADD, control, &interest) != 0) {
        _exit(1);
    }
    for (;;) {
        wait_once(&r);
    }
}

static void wait_once(reading *r)
{
    struct epoll_event events[EVENTS_MAX];
    int count = epoll_wait(r->epoll, events, EVENTS_MAX, -1);

    for (int i = 0; i < count; i++) {
        uint64_t which = events[i].data.u64;
        if (which == UINT64_MAX) {
            command c;
            if (recv(r->control, &c, sizeof c, MSG_WAITALL) != (ssize_t) sizeof c) {
                _exit(0);
            }
            obey(r, &c);
            return; /* what else was seen may be closed by now */
        }
        ssize_t got = read(r->sockets[which], r->buffer, READ_MAX);
        if (got <= 0) {
            bench_fail("a watch was ended");
        }
        r->bytes += (uint64_t) got;
        r->begun += r->has_begun[which] ? 0 : 1;
        r->has_begun[which] = true;
    }
}

static void obey(reading *r, const command *c)
{
    switch (c->word) {
    case TAKE:
        take(r, c);
        break;
    case OPEN:
        open_all(r, c);
        break;
    case BYTES:
        answer(r, &r->bytes, sizeof r->bytes);
        break;
    default:
        close_all(r);
        break;
    }
}

static void take(reading *r, const command *c)
{
    double begin = now();
    int fd = connect_to(c->port, c->request);
    bench_taken taken = { 0 };
    ssize_t got;

    while ((got = read(fd, r->buffer, READ_MAX)) > 0) {
        if (taken.bytes == 0) {
            taken.first_s = now() - begin;
        }
        taken.bytes += (uint64_t) got;
    }
    taken.all_s = now() - begin;
    close(fd);
    answer(r, &taken, sizeof taken);
}

static void open_all(reading *r, const command *c)
{
    r->count = c->count < SOCKETS_MAX ? c->count : SOCKETS_MAX;
    r->bytes = r->begun = 0;
    for (size_t i = 0; i < r->count; i++) {
        struct epoll_event interest = { .events = EPOLLIN, .data.u64 = i };
        r->sockets[i] = connect_to(c->port, c->request);
        r->has_begun[i] = false;
        if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->sockets[i], &interest) != 0) {
            bench_fail("epoll does not take a socket");
        }
    }
    while (c->request[0] != '\0' && r->begun < r->count) {
        wait_once(r);
    }
    r->bytes = 0;
    answer(r, "", 1);
}

static void close_all(reading *r)
{
    for (size_t i = 0; i < r->count; i++) {
        close(r->sockets[i]);
    }
    r->count = 0;
    answer(r, "", 1);
}

static int connect_to(uint16_t port, const char *request)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    size_t len = strlen(request);

    if (fd < 0 || connect(fd, (struct sockaddr *) &to, sizeof to) != 0 ||
        write(fd, request, len) != (ssize_t) len) {
        bench_fail("cannot connect to port %u", port);
    }
    return fd;
}

static void answer(const reading *r, const void *bytes, size_t len)
{
    if (write(r->control, bytes, len) != (ssize_t) len) {
        _exit(1);
    }
}

static double now(void)
{
    struct timespec time;

    (void) clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}
