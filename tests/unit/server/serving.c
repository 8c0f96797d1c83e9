/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serving.c - a blocking client of few words.
 */
#include "serving.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"

static bool fill(visitor *v);
static bool take_head(visitor *v);
static bool take_size(visitor *v);
static int take_byte(visitor *v);
static void drop(visitor *v, size_t count);

void serving_start(serving *s, const kin_server_options *options)
{
    kin_server_options plain = KIN_SERVER_OPTIONS_INIT;
    kin_error err;

    plain.has_no_tls = true;
    plain.token = "";
    kin__virtual_clock_init(&s->clock, 1000000, (kin_time){ 1767225600, 0 });
    ASSERT_OK(kin__server_start_with_clock(options == NULL ? &plain : options, &s->clock.clock,
                                           &s->server, &err));
}

void serving_stop(serving *s)
{
    kin_server_stop(s->server);
}

void serving_pass(serving *s, int64_t ms)
{
    kin__virtual_clock_advance(&s->clock, ms);
    /* Jobs come behind the timers of their round: the second answer is after what was due. */
    (void) kin_server_revision(s->server);
    (void) kin_server_revision(s->server);
}

uint64_t serving_put(serving *s, const char *format, ...)
{
    static text json;
    uint64_t revision;
    kin_error err;
    va_list args;

    text_clear(&json);
    va_start(args, format);
    json.len = (size_t) vsnprintf(json.chars, sizeof json.chars, format, args);
    va_end(args);
    ASSERT_OK(kin_server_put(s->server, (kin_str){ json.chars, json.len }, &revision, &err));
    return revision;
}

uint64_t serving_put_config(serving *s, const char *name, const char *labels, const char *value)
{
    return serving_put(s,
                       "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":"
                       "\"default\",\"name\":\"%s\",\"labels\":%s},\"data\":{\"v\":\"%s\"}}",
                       name, labels, value);
}

void serving_remove_config(serving *s, const char *name)
{
    kin_error err;

    ASSERT_OK(kin_server_remove(s->server, "v1", "ConfigMap", "default", name, NULL, &err));
}

void serving_fault(serving *s, const char *fault)
{
    kin_error err;

    ASSERT_OK(kin_server_fault(s->server, kin_str_of(fault), NULL, &err));
}

const char *serving_ask(serving *s, const char *method, const char *path, const char *body,
                        int *out_status)
{
    static text answer;
    kin_server_answer got;
    kin_error err;

    ASSERT_OK(kin_server_ask(s->server, method, path, NULL, kin_str_of(body), &got, &err));
    text_clear(&answer);
    text_append(&answer, "%s", got.body);
    if (out_status != NULL) {
        *out_status = got.status;
    }
    kin_server_answer_fini(&got);
    return answer.chars;
}

void visitor_ask(visitor *v, serving *s, const char *method, const char *path, const char *headers,
                 const char *body)
{
    visitor_send(v, s, method, path, headers, body);
    visitor_read_head(v);
}

void visitor_send(visitor *v, serving *s, const char *method, const char *path, const char *headers,
                  const char *body)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    static text request;
    const char *port = strrchr(kin_server_url(s->server), ':') + 1;

    *v = (visitor){ .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
    address.sin_port = htons((uint16_t) strtoul(port, NULL, 10));
    /* A server that resets what it accepts may be faster, here and below. */
    if (connect(v->fd, (struct sockaddr *) &address, sizeof address) != 0) {
        ASSERT_EQ(errno, ECONNRESET);
        v->is_closed = true;
        return;
    }
    text_clear(&request);
    text_append(&request, "%s %s HTTP/1.1\r\nHost: x\r\n%s", method, path, headers);
    if (body != NULL) {
        text_append(&request, "Content-Length: %zu\r\n", strlen(body));
    }
    text_append(&request, "\r\n%s", body == NULL ? "" : body);
    v->is_closed = send(v->fd, request.chars, request.len, MSG_NOSIGNAL) < 0;
}

void visitor_read_head(visitor *v)
{
    while (!v->is_closed && !take_head(v)) {
        (void) fill(v);
    }
}

int visitor_read_byte(visitor *v)
{
    return take_byte(v);
}

const char *visitor_read_all(visitor *v)
{
    int byte;

    text_clear(&v->body);
    while ((byte = take_byte(v)) >= 0) {
        text_append(&v->body, "%c", byte);
    }
    return v->body.chars;
}

const char *visitor_read_line(visitor *v)
{
    int byte;

    text_clear(&v->body);
    while ((byte = take_byte(v)) >= 0 && byte != '\n') {
        text_append(&v->body, "%c", byte);
    }
    return byte == '\n' ? v->body.chars : NULL;
}

bool visitor_is_silent(visitor *v, serving *s)
{
    struct pollfd poller = { .fd = v->fd, .events = POLLIN };

    (void) kin_server_revision(s->server);
    (void) kin_server_revision(s->server);
    return v->raw_len == 0 && poll(&poller, 1, 0) == 0;
}

void visitor_leave(visitor *v)
{
    close(v->fd);
}

/* Some more bytes; false when the connection is closed. */
static bool fill(visitor *v)
{
    ssize_t count;

    if (v->is_closed || v->raw_len == sizeof v->raw) {
        return false;
    }
    do {
        count = recv(v->fd, v->raw + v->raw_len, sizeof v->raw - v->raw_len, 0);
    } while (count < 0 && errno == EINTR);
    v->is_closed = count <= 0;
    v->raw_len += count > 0 ? (size_t) count : 0;
    return count > 0;
}

static bool take_head(visitor *v)
{
    const char *end = memmem(v->raw, v->raw_len, "\r\n\r\n", 4);

    if (end == NULL) {
        return false;
    }
    size_t len = (size_t) (end - v->raw) + 4;
    text_append(&v->head, "%.*s", (int) len, v->raw);
    v->status = (int) strtol(v->head.chars + strlen("HTTP/1.1 "), NULL, 10);
    v->is_chunked = strstr(v->head.chars, "chunked") != NULL;
    const char *length = strstr(v->head.chars, "Content-Length: ");
    v->chunk_left =
        length == NULL ? 0 : (size_t) strtoul(length + strlen("Content-Length: "), NULL, 10);
    if (v->status == 101) {
        v->chunk_left = SIZE_MAX; /* until the connection ends */
    }
    v->is_over = !v->is_chunked && v->chunk_left == 0;
    drop(v, len);
    return true;
}

/* The size of the next chunk. */
static bool take_size(visitor *v)
{
    const char *end = memmem(v->raw, v->raw_len, "\r\n", 2);

    if (end == NULL) {
        return false;
    }
    v->chunk_left = (size_t) strtoul(v->raw, NULL, 16);
    drop(v, (size_t) (end - v->raw) + 2);
    v->is_over = v->chunk_left == 0;
    return true;
}

/* -1 at the end, be it a proper one or not. */
static int take_byte(visitor *v)
{
    while (!v->is_over && v->chunk_left == 0) {
        if (!take_size(v) && !fill(v)) {
            return -1;
        }
    }
    while (!v->is_over && v->raw_len == 0) {
        if (!fill(v)) {
            return -1;
        }
    }
    if (v->is_over) {
        return -1;
    }
    int byte = (unsigned char) v->raw[0];
    drop(v, 1);
    v->chunk_left--;
    v->is_over = !v->is_chunked && v->chunk_left == 0;
    if (v->is_chunked && v->chunk_left == 0) { /* the chunk's line end goes with its last byte */
        while (v->raw_len < 2 && fill(v)) {
        }
        drop(v, v->raw_len < 2 ? v->raw_len : 2);
    }
    return byte;
}

static void drop(visitor *v, size_t count)
{
    memmove(v->raw, v->raw + count, v->raw_len - count);
    v->raw_len -= count;
}
