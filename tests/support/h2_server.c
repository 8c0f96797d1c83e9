/* SPDX-License-Identifier: Apache-2.0 */
/*
 * h2_server.c - nghttp2 between a raw connection and a few kinds of answers.
 */
#include "support/h2_server.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

#define PATH_MAX_LEN 256
#define GATHERED_MAX ((size_t) 1 << 20)

typedef struct stream {
    int32_t id;
    char path[PATH_MAX_LEN];
    size_t left; /* bytes to send */
    bool is_held;
    bool is_reset; /* after what is left */
    struct stream *next;
} stream;

typedef struct h2 {
    raw_connection *connection;
    h2_plan *plan;
    nghttp2_session *session;
    stream *streams;
    bool is_cut;
    bool has_last;   /* somebody asked for /last */
    size_t last_len; /* and so many bytes */
} h2;

static void must(bool is_fine)
{
    if (!is_fine) {
        FAIL("the HTTP/2 server cannot go on");
    }
}

static bool is_path(const stream *s, const char *prefix)
{
    return strncmp(s->path, prefix, strlen(prefix)) == 0;
}

static ssize_t give_data(nghttp2_session *session, int32_t id, uint8_t *bytes, size_t size,
                         uint32_t *flags, nghttp2_data_source *source, void *context)
{
    stream *s = source->ptr;
    size_t len = s->left < size ? s->left : size;
    (void) session;
    (void) id;
    (void) context;

    if (len == 0 && s->is_held) {
        return NGHTTP2_ERR_DEFERRED;
    }
    for (size_t i = 0; i < len; i++) {
        bytes[i] = (uint8_t) "tick\n"[i % 5];
    }
    s->left -= len;
    if (s->left == 0 && !s->is_held) {
        *flags = NGHTTP2_DATA_FLAG_EOF;
    }
    return (ssize_t) len;
}

static void tick_all(h2 *c)
{
    for (stream *s = c->streams; s != NULL; s = s->next) {
        if (s->is_held) {
            s->left = 5;
            (void) nghttp2_session_resume_data(c->session, s->id);
        }
    }
}

static void answer(h2 *c, stream *s)
{
    bool is_denied = is_path(s, "/denied");
    nghttp2_nv headers[] = {
        { (uint8_t *) ":status", (uint8_t *) (is_denied ? "401" : "200"), 7, 3, 0 },
        { (uint8_t *) "content-type", (uint8_t *) "text/plain", 12, 10, 0 },
    };
    nghttp2_data_provider data = { .source = { .ptr = s }, .read_callback = give_data };

    (void) atomic_fetch_add(&c->plan->requests, 1);
    if (is_path(s, "/silent")) {
        return;
    }
    if (is_path(s, "/ignored/")) {
        long wanted = strtol(s->path + strlen("/ignored/"), NULL, 10);
        int number = atomic_fetch_add(&c->plan->ignored, 1) + 1;
        if (number == wanted) {
            must(nghttp2_submit_goaway(c->session, 0, 1, NGHTTP2_NO_ERROR, NULL, 0) == 0);
        }
        if (number <= wanted) {
            return;
        }
    }
    if (is_path(s, "/refuse") && atomic_fetch_add(&c->plan->refused, 1) == 0) {
        (void) nghttp2_submit_rst_stream(c->session, 0, s->id, NGHTTP2_REFUSED_STREAM);
        return;
    }
    if (is_denied) {
        must(nghttp2_submit_goaway(c->session, 0, s->id, NGHTTP2_NO_ERROR, NULL, 0) == 0);
    }
    s->left = is_path(s, "/big/") ? strtoul(s->path + 5, NULL, 10) : 5;
    s->is_held = is_path(s, "/hold") || is_path(s, "/ignored/") || is_path(s, "/reset") ||
                 is_path(s, "/cut");
    must(nghttp2_submit_response(c->session, s->id, headers, 2, &data) == 0);
    if (is_path(s, "/tick")) {
        tick_all(c);
    } else if (is_path(s, "/last/")) {
        c->has_last = true;
        c->last_len = strtoul(s->path + strlen("/last/"), NULL, 10);
    } else if (is_path(s, "/goaway")) {
        must(nghttp2_submit_goaway(c->session, 0, s->id, NGHTTP2_NO_ERROR, NULL, 0) == 0);
    } else if (is_path(s, "/cut")) {
        c->is_cut = true;
    } else if (is_path(s, "/reset")) {
        s->is_reset = true;
    }
}

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    h2 *c = context;
    stream *s = calloc(1, sizeof *s);
    must(s != NULL);
    s->id = frame->hd.stream_id;
    s->next = c->streams;
    c->streams = s;
    (void) atomic_fetch_add(&c->plan->open, 1);
    return nghttp2_session_set_stream_user_data(session, s->id, s);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t len, uint8_t flags,
                     void *context)
{
    stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    (void) flags;
    (void) context;
    if (s != NULL && name_len == 5 && memcmp(name, ":path", 5) == 0 && len < PATH_MAX_LEN) {
        memcpy(s->path, value, len);
    }
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    h2 *c = context;
    bool is_end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
        (void) atomic_fetch_add(&c->plan->cancelled, 1);
    }
    if ((frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) && is_end) {
        stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
        if (s != NULL) {
            answer(c, s);
        }
    }
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *context)
{
    h2 *c = context;
    (void) session;
    (void) code;
    for (stream **place = &c->streams; *place != NULL; place = &(*place)->next) {
        if ((*place)->id == id) {
            stream *gone = *place;
            *place = gone->next;
            free(gone);
            (void) atomic_fetch_sub(&c->plan->open, 1);
            break;
        }
    }
    return 0;
}

static bool flush(h2 *c)
{
    for (;;) {
        const uint8_t *bytes;
        ssize_t len = nghttp2_session_mem_send(c->session, &bytes);
        if (len < 0 ||
            (len > 0 && !raw_write_bytes(c->connection, (const char *) bytes, (size_t) len))) {
            return false;
        }
        if (len == 0) {
            return true;
        }
    }
}

static size_t gather(h2 *c, char *into, size_t at)
{
    for (;;) {
        const uint8_t *bytes;
        ssize_t len = nghttp2_session_mem_send(c->session, &bytes);
        must(len >= 0 && at + (size_t) len <= GATHERED_MAX);
        if (len == 0) {
            return at;
        }
        memcpy(into + at, bytes, (size_t) len);
        at += (size_t) len;
    }
}

/* The list begins with the newest. */
static stream *first_held(h2 *c)
{
    stream *found = NULL;
    for (stream *s = c->streams; s != NULL; s = s->next) {
        found = s->is_held ? s : found;
    }
    return found;
}

static bool send_last(h2 *c)
{
    stream *first = first_held(c);
    char *bytes = malloc(GATHERED_MAX);

    c->has_last = false;
    must(bytes != NULL && first != NULL);
    (void) atomic_fetch_add(&c->plan->at_door, 1);
    if (!raw_wait_at_door(c->connection)) {
        free(bytes);
        return false;
    }
    first->left = c->last_len;
    (void) nghttp2_session_resume_data(c->session, first->id);
    size_t len = gather(c, bytes, 0);
    for (stream *s = c->streams; s != NULL; s = s->next) {
        s->is_held = false;
        (void) nghttp2_session_resume_data(c->session, s->id);
    }
    len = gather(c, bytes, len);
    bool is_sent = true;
    for (size_t at = 0, most = c->plan->record_max; is_sent && at < len;) {
        size_t piece = most == 0 || len - at < most ? len - at : most;
        is_sent = raw_write_bytes(c->connection, bytes + at, piece);
        at += piece;
    }
    free(bytes);
    (void) atomic_fetch_add(&c->plan->lasts, 1);
    return is_sent;
}

static bool flush_with_resets(h2 *c)
{
    if (!flush(c)) {
        return false;
    }
    for (stream *s = c->streams; s != NULL; s = s->next) {
        if (s->is_reset) {
            s->is_reset = false;
            (void) nghttp2_submit_rst_stream(c->session, 0, s->id, NGHTTP2_INTERNAL_ERROR);
        }
    }
    return flush(c);
}

static void run(h2 *c)
{
    char bytes[16384];
    size_t len;
    while (flush_with_resets(c)) {
        if (c->is_cut) {
            raw_reset(c->connection);
            return;
        }
        if (c->has_last && !send_last(c)) {
            return;
        }
        if (!raw_read(c->connection, bytes, sizeof bytes, &len) ||
            nghttp2_session_mem_recv(c->session, (const uint8_t *) bytes, len) < 0) {
            return;
        }
    }
}

void h2_serve(raw_connection *connection)
{
    h2 c = { .connection = connection, .plan = connection->context };
    nghttp2_session_callbacks *callbacks;
    nghttp2_settings_entry settings[] = {
        { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
          c.plan->streams_max != 0 ? c.plan->streams_max : 100 },
    };

    must(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    must(nghttp2_session_server_new(&c.session, callbacks, &c) == 0);
    nghttp2_session_callbacks_del(callbacks);
    must(nghttp2_submit_settings(c.session, NGHTTP2_FLAG_NONE, settings, 1) == 0);
    run(&c);
    nghttp2_session_del(c.session);
    while (c.streams != NULL) {
        stream *next = c.streams->next;
        free(c.streams);
        c.streams = next;
        (void) atomic_fetch_sub(&c.plan->open, 1);
    }
}
