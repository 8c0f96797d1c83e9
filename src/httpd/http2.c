/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2.c - HTTP/2 on a connection.
 *
 * nghttp2 is a state machine between bytes and frames; its functions for sending and receiving must
 * not be called from its callbacks.  So these only note things: requests that are whole go on a
 * list, frames that are to be sent into the connection's `out`.  kin__http2_run() does the rest
 * when the last one leaves the connection.
 *
 * A connection may be closed from inside a callback (through what the layer above does when a visit
 * ends).  Its visits end then, the session stays until the connection is released.
 *
 * nghttp2 guards against floods by itself: of resets (CVE-2023-44487), CONTINUATION frames, pings
 * and settings.
 */
#include "httpd/http2.h"

#include <nghttp2/nghttp2.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "httpd/connection.h"
#include "httpd/head.h"
#include "httpd/reply.h"

/* As kube-apiserver has them when nobody tells it otherwise. */
#define STREAMS_MAX 100u           /* open at a time */
#define STREAM_WINDOW (256u << 10) /* may be sent on one without a word, bytes */
#define CONNECTION_WINDOW (STREAMS_MAX * STREAM_WINDOW) /* the same for all of them together */
#define FRAME_MAX (256u << 10)                          /* of a frame; a client may allow us less */

#define OUT_MAX ((size_t) 64 << 10) /* what is put together before it is sent */
#define TURN_MAX ((size_t) 4 << 20) /* what is sent before other connections get a turn */
#define LENGTH_MAX ((size_t) 4096)  /* Go's: bodies up to this are held back to be measured */
#define FIELD_COST 32u              /* of a header beside its text: RFC 9113, section 6.5.2 */
#define ASKS_MAX 64                 /* for pieces, of a source that gives none */

struct kin__http2 {
    nghttp2_session *session;
    kin__list visits; /* of all streams but those on `ready` */
    kin__list ready;  /* to be handed to the layer above */
    bool must_reset;  /* a source has said RESET, and what was before it is sent */
};

static nghttp2_session *make_session(kin__connection *connection);
static void set_callbacks(nghttp2_session_callbacks *callbacks);
static bool submit_settings(nghttp2_session *session);
static void end_all(nghttp2_session *session, kin__list *visits);
static bool send_frames(kin__connection *connection);
static kin__visit *visit_of(nghttp2_session *session, int32_t stream);
static bool read_pseudo(kin__visit *visit);
static kin_str find_pseudo(const kin__visit *visit, kin_str name);
static bool has_host(const kin__visit *visit);
static int receive_head(kin__connection *connection, kin__visit *visit);
static void refuse_head(kin__connection *connection, kin__visit *visit);
static void make_ready(kin__connection *connection, kin__visit *visit);
static kin_err submit_reply(kin__visit *visit, int status, size_t count, bool has_body,
                            kin_error *err);
static bool is_forbidden(kin_str name);

static ssize_t on_send(nghttp2_session *session, const uint8_t *data, size_t length, int flags,
                       void *context);
static int on_send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *head,
                        size_t length, nghttp2_data_source *source, void *context);
static ssize_t on_read_length(nghttp2_session *session, uint8_t type, int32_t stream,
                              int32_t session_window, int32_t stream_window, uint32_t frame_max,
                              void *context);
static ssize_t on_read(nghttp2_session *session, int32_t stream, uint8_t *buf, size_t length,
                       uint32_t *flags, nghttp2_data_source *source, void *context);
static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *context);
static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *context);
static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *context);
static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
                   size_t len, void *context);
static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *context);
static int on_stream_close(nghttp2_session *session, int32_t stream, uint32_t code, void *context);

static void *mem_alloc(size_t size, void *context);
static void mem_free(void *memory, void *context);
static void *mem_zero(size_t count, size_t size, void *context);
static void *mem_resize(void *memory, size_t size, void *context);

bool kin__http2_begin(kin__connection *connection)
{
    kin__http2 *http2 = kin__alloc_zero(1, sizeof *http2);
    if (http2 == NULL) {
        return false;
    }
    connection->http2 = http2;
    http2->session = make_session(connection);
    connection->stage = KIN__STAGE_HTTP2;
    return http2->session != NULL && submit_settings(http2->session);
}

void kin__http2_fini(kin__connection *connection)
{
    kin__http2 *http2 = connection->http2;
    if (http2 != NULL) {
        end_all(http2->session, &http2->ready);
        end_all(http2->session, &http2->visits);
    }
}

void kin__http2_free(kin__http2 *http2)
{
    if (http2 != NULL) {
        nghttp2_session_del(http2->session);
        kin__free(http2);
    }
}

void kin__http2_feed(kin__connection *connection, const char *bytes, size_t len)
{
    nghttp2_session *session = connection->http2->session;
    if (nghttp2_session_mem_recv(session, (const uint8_t *) bytes, len) < 0) {
        kin__connection_close(connection, false);
    }
}

void kin__http2_run(kin__connection *connection)
{
    kin__http2 *http2 = connection->http2;
    for (kin__link *link;
         kin__connection_is_open(connection) && (link = kin__list_first(&http2->ready)) != NULL;) {
        kin__visit *visit = KIN__OWNER(link, kin__visit, link);
        kin__list_remove(link);
        kin__list_push(&http2->visits, link);
        kin__visit_ask(visit);
    }
    if (!kin__connection_is_open(connection) || connection->is_blocked ||
        !send_frames(connection)) {
        return;
    }
    if (http2->must_reset) {
        kin__connection_close(connection, true);
    } else if (nghttp2_session_want_read(http2->session) == 0 &&
               nghttp2_session_want_write(http2->session) == 0) {
        kin__connection_close(connection, false);
    }
}

void kin__http2_go_away(kin__connection *connection)
{
    nghttp2_session *session = connection->http2->session;
    int32_t last = nghttp2_session_get_last_proc_stream_id(session);
    if (nghttp2_submit_goaway(session, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, NULL, 0) != 0) {
        kin__connection_close(connection, false);
    }
}

/* The fields are written as lines first: that checks them, and keeps them. */
kin_err kin__http2_reply(kin__visit *visit, int status, const kin__visit_field *fields,
                         size_t count, kin_error *err)
{
    size_t length;
    bool has_no_body = status < 200 || status == 204 || status == 304;
    bool has_length = !has_no_body && kin__visit_get_length(visit, LENGTH_MAX, &length) &&
                      !(visit->is_head && length == 0);
    for (size_t i = 0; i < count; i++) {
        if (kin__field_is(fields[i].name, STR("Connection")) &&
            kin__field_is(fields[i].value, STR("close"))) {
            kin__http2_go_away(visit->connection);
        }
        has_length = has_length && !kin__field_is(fields[i].name, STR("Content-Length"));
        kin__reply_write_field(&visit->head, fields[i].name, fields[i].value);
    }
    if (has_length) {
        kin__buf_append_format(&visit->head, "content-length: %zu\r\n", length);
    }
    kin__reply_write_field(&visit->head, STR("date"), kin__httpd_date(visit->connection->httpd));
    if (kin__buf_failed(&visit->head)) {
        return kin__error_no_memory(err);
    }
    bool is_empty = visit->state == KIN__BODY_END && visit->outgoing.len == 0;
    bool has_body = !has_no_body && !visit->is_head && !is_empty;
    return submit_reply(visit, status, count + 3, has_body, err);
}

/* It fails when nothing waits: the stream is closing, or not there yet. */
void kin__http2_resume(kin__visit *visit)
{
    (void) nghttp2_session_resume_data(visit->connection->http2->session, visit->stream);
}

void kin__http2_drop(kin__visit *visit)
{
    kin__connection *connection = visit->connection;
    if (nghttp2_submit_rst_stream(connection->http2->session, NGHTTP2_FLAG_NONE, visit->stream,
                                  NGHTTP2_INTERNAL_ERROR) != 0) {
        kin__connection_close(connection, false);
    }
}

/* ---- the session ---------------------------------------------------------------------------- */

static nghttp2_session *make_session(kin__connection *connection)
{
    nghttp2_mem mem = { NULL, mem_alloc, mem_free, mem_zero, mem_resize };
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    nghttp2_session *session = NULL;
    if (nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0) {
        set_callbacks(callbacks);
        nghttp2_option_set_no_closed_streams(option, 1);
        if (nghttp2_session_server_new3(&session, callbacks, connection, option, &mem) != 0) {
            session = NULL;
        }
    }
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
    return session;
}

static void set_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_send_callback(callbacks, on_send);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, on_send_data);
    nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, on_read_length);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
}

static bool submit_settings(nghttp2_session *session)
{
    const nghttp2_settings_entry settings[] = {
        { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS_MAX },
        { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW },
        { NGHTTP2_SETTINGS_MAX_FRAME_SIZE, FRAME_MAX },
        { NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, (uint32_t) KIN__HEAD_MAX },
    };
    return nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings,
                                   sizeof settings / sizeof settings[0]) == 0 &&
           nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                                 (int32_t) CONNECTION_WINDOW) == 0;
}

/* The session knows them no more: it may yet call back. */
static void end_all(nghttp2_session *session, kin__list *visits)
{
    for (kin__link *link; (link = kin__list_first(visits)) != NULL;) {
        kin__visit *visit = KIN__OWNER(link, kin__visit, link);
        (void) nghttp2_session_set_stream_user_data(session, visit->stream, NULL);
        kin__visit_end(visit);
    }
}

/* False when the socket takes no more, or the connection is closed. */
static bool send_frames(kin__connection *connection)
{
    size_t sent = 0;
    for (;;) {
        int code = nghttp2_session_send(connection->http2->session);
        if (!kin__connection_is_open(connection)) {
            return false;
        }
        if (code != 0) {
            kin__connection_close(connection, false);
            return false;
        }
        if (connection->out.len == 0) {
            return true;
        }
        sent += connection->out.len;
        if (!kin__connection_flush(connection)) {
            return false;
        }
        if (sent >= TURN_MAX) {
            connection->is_blocked = true;
            return false;
        }
    }
}

static kin__visit *visit_of(nghttp2_session *session, int32_t stream)
{
    return nghttp2_session_get_stream_user_data(session, stream);
}

/* ---- requests ------------------------------------------------------------------------------- */

/*
 * Pseudo headers come first; nghttp2 sees to it.  They are kept as lines without their colon, and
 * `fields` begins behind them.
 */
static bool read_pseudo(kin__visit *visit)
{
    kin_str host = find_pseudo(visit, STR("authority"));
    if (host.len != 0 && !has_host(visit)) {
        kin__buf line = { 0 };
        kin__reply_write_field(&line, STR("host"), host);
        bool is_kept =
            !kin__buf_failed(&line) && kin__buf_append(&visit->text, line.data, line.len);
        kin__buf_fini(&line);
        if (!is_kept) {
            return false;
        }
    }
    visit->request.method = find_pseudo(visit, STR("method"));
    kin_str target = find_pseudo(visit, STR("path"));
    visit->fields =
        kin__str(visit->text.data + visit->fields_at, visit->text.len - visit->fields_at);
    return kin__target_split(target, &visit->request.path, &visit->request.query);
}

static kin_str find_pseudo(const kin__visit *visit, kin_str wanted)
{
    kin_str lines = kin__str(visit->text.data, visit->fields_at);
    kin_str name;
    kin_str value;
    for (size_t at = 0; kin__field_next(lines, &at, &name, &value);) {
        if (kin__str_equal(name, wanted)) {
            return value;
        }
    }
    return STR("");
}

static bool has_host(const kin__visit *visit)
{
    kin_str lines =
        kin__str(visit->text.data + visit->fields_at, visit->text.len - visit->fields_at);
    kin_str name;
    kin_str value;
    for (size_t at = 0; kin__field_next(lines, &at, &name, &value);) {
        if (kin__field_is(name, STR("host"))) {
            return true;
        }
    }
    return false;
}

static int receive_head(kin__connection *connection, kin__visit *visit)
{
    visit->has_head = true;
    if (!visit->has_fields) {
        visit->fields_at = visit->text.len;
    }
    if (visit->is_head_too_large) {
        refuse_head(connection, visit);
        return 0;
    }
    if (kin__buf_failed(&visit->text) || !read_pseudo(visit)) {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    size_t at = 0;
    kin_str expected;
    if (!visit->is_received && kin__visit_header(visit, "Expect", &at, &expected)) {
        nghttp2_nv go_on = { (uint8_t *) (uintptr_t) ":status", (uint8_t *) (uintptr_t) "100", 7, 3,
                             NGHTTP2_NV_FLAG_NONE };
        if (nghttp2_submit_headers(connection->http2->session, NGHTTP2_FLAG_NONE, visit->stream,
                                   NULL, &go_on, 1, NULL) < 0) {
            return NGHTTP2_ERR_CALLBACK_FAILURE;
        }
    }
    return 0;
}

/* The layer above never sees it. */
static void refuse_head(kin__connection *connection, kin__visit *visit)
{
    kin_error ignored;
    visit->is_answered = true;
    visit->state = KIN__BODY_END;
    if (submit_reply(visit, 431, 1, false, &ignored) != KIN_OK) {
        (void) nghttp2_submit_rst_stream(connection->http2->session, NGHTTP2_FLAG_NONE,
                                         visit->stream, NGHTTP2_INTERNAL_ERROR);
    }
}

static void make_ready(kin__connection *connection, kin__visit *visit)
{
    if (!visit->is_asked && !visit->is_answered && !visit->is_ready) {
        visit->is_ready = true;
        kin__list_remove(&visit->link);
        kin__list_push(&connection->http2->ready, &visit->link);
    }
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    kin__connection *connection = context;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) {
        return 0;
    }
    if (!kin__connection_is_open(connection)) {
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    kin__visit *visit = kin__visit_new(connection);
    if (visit == NULL) {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    visit->stream = frame->hd.stream_id;
    visit->request.is_http2 = true;
    kin__list_push(&connection->http2->visits, &visit->link);
    (void) nghttp2_session_set_stream_user_data(session, visit->stream, visit);
    return 0;
}

/* A value has no line breaks in it; nghttp2 sees to it. */
static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *context)
{
    (void) flags;
    (void) context;
    kin__visit *visit = visit_of(session, frame->hd.stream_id);
    if (visit == NULL || visit->has_head) {
        return 0;
    }
    bool is_pseudo = name_len != 0 && name[0] == ':';
    visit->head_cost += name_len + value_len + FIELD_COST;
    if (visit->head_cost > KIN__HEAD_MAX) {
        visit->is_head_too_large = true;
        return 0;
    }
    if (!is_pseudo && !visit->has_fields) {
        visit->has_fields = true;
        visit->fields_at = visit->text.len;
    }
    size_t skipped = is_pseudo ? 1 : 0;
    kin__reply_write_field(&visit->text,
                           kin__str((const char *) name + skipped, name_len - skipped),
                           kin__str((const char *) value, value_len));
    return kin__buf_failed(&visit->text) ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE : 0;
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    kin__connection *connection = context;
    kin__visit *visit = visit_of(session, frame->hd.stream_id);
    if (visit == NULL || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)) {
        return 0;
    }
    visit->is_received = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (!visit->has_head) {
        int code = receive_head(connection, visit);
        if (code == NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE) {
            visit->is_answered = true;
            return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, visit->stream,
                                             NGHTTP2_INTERNAL_ERROR) == 0
                       ? 0
                       : NGHTTP2_ERR_CALLBACK_FAILURE;
        }
        if (code != 0) {
            return code;
        }
    }
    if (visit->is_received) {
        make_ready(connection, visit);
    }
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
                   size_t len, void *context)
{
    (void) flags;
    kin__connection *connection = context;
    kin__visit *visit = visit_of(session, stream);
    if (visit == NULL || visit->is_asked || visit->is_answered || visit->is_ready) {
        return 0;
    }
    if (len > connection->httpd->body_max - visit->body.len) {
        kin__buf_fini(&visit->body);
        visit->body = (kin__buf){ 0 };
        visit->request.is_too_large = true;
        make_ready(connection, visit);
        return 0;
    }
    return kin__buf_append(&visit->body, (const char *) data, len) ? 0
                                                                   : NGHTTP2_ERR_CALLBACK_FAILURE;
}

static int on_stream_close(nghttp2_session *session, int32_t stream, uint32_t code, void *context)
{
    (void) code;
    (void) context;
    kin__visit *visit = visit_of(session, stream);
    if (visit != NULL) {
        (void) nghttp2_session_set_stream_user_data(session, stream, NULL);
        kin__visit_end(visit);
    }
    return 0;
}

/* ---- answers -------------------------------------------------------------------------------- */

/* Of the lines in `head`, at most `count - 1`. */
static kin_err submit_reply(kin__visit *visit, int status, size_t count, bool has_body,
                            kin_error *err)
{
    nghttp2_session *session = visit->connection->http2->session;
    nghttp2_nv *headers = kin__alloc_zero(count, sizeof *headers);
    if (headers == NULL) {
        return kin__error_no_memory(err);
    }
    char digits[16];
    int len = snprintf(digits, sizeof digits, "%03d", status);
    headers[0] = (nghttp2_nv){ (uint8_t *) (uintptr_t) ":status", (uint8_t *) digits, 7,
                               (size_t) len, NGHTTP2_NV_FLAG_NONE };
    size_t used = 1;
    kin_str lines = kin__str(visit->head.data, visit->head.len);
    kin_str name;
    kin_str value;
    for (size_t at = 0; used < count && kin__field_next(lines, &at, &name, &value);) {
        if (!is_forbidden(name)) {
            headers[used++] =
                (nghttp2_nv){ (uint8_t *) (uintptr_t) name.data, (uint8_t *) (uintptr_t) value.data,
                              name.len, value.len, NGHTTP2_NV_FLAG_NONE };
        }
    }
    nghttp2_data_provider provider = { .read_callback = on_read };
    int code =
        nghttp2_submit_response(session, visit->stream, headers, used, has_body ? &provider : NULL);
    kin__free(headers);
    return code == 0 ? KIN_OK : kin__error_no_memory(err);
}

/* Those of a connection: RFC 9113, section 8.2.2. */
static bool is_forbidden(kin_str name)
{
    return kin__field_is(name, STR("Connection")) || kin__field_is(name, STR("Keep-Alive")) ||
           kin__field_is(name, STR("Transfer-Encoding"));
}

static ssize_t on_read_length(nghttp2_session *session, uint8_t type, int32_t stream,
                              int32_t session_window, int32_t stream_window, uint32_t frame_max,
                              void *context)
{
    (void) session;
    (void) type;
    (void) stream;
    (void) context;
    size_t window = (size_t) (session_window < stream_window ? session_window : stream_window);
    size_t frame = frame_max < FRAME_MAX ? frame_max : FRAME_MAX;
    return (ssize_t) (window < frame ? window : frame);
}

/* How much of the body goes into the next frame; on_send_data() puts it there. */
static ssize_t on_read(nghttp2_session *session, int32_t stream, uint8_t *buf, size_t length,
                       uint32_t *flags, nghttp2_data_source *source, void *context)
{
    (void) buf;
    (void) source;
    kin__connection *connection = context;
    kin__visit *visit = visit_of(session, stream);
    if (visit == NULL) {
        return NGHTTP2_ERR_DEFERRED;
    }
    for (int i = 0; i < ASKS_MAX && visit->outgoing.len == 0; i++) {
        if (visit->state == KIN__BODY_END) {
            *flags |= NGHTTP2_DATA_FLAG_EOF;
            return 0;
        }
        if (visit->state == KIN__BODY_RESET) {
            connection->http2->must_reset = true;
            return NGHTTP2_ERR_DEFERRED;
        }
        if (visit->state == KIN__BODY_CUT) {
            break;
        }
        if (visit->state == KIN__BODY_WAIT && !visit->is_resumed) {
            return NGHTTP2_ERR_DEFERRED;
        }
        kin__visit_pull(visit);
    }
    if (visit->outgoing.len == 0) {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (visit->outgoing.len <= length && visit->state == KIN__BODY_END) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return (ssize_t) (visit->outgoing.len < length ? visit->outgoing.len : length);
}

static int on_send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *head,
                        size_t length, nghttp2_data_source *source, void *context)
{
    (void) source;
    kin__connection *connection = context;
    kin__visit *visit = visit_of(session, frame->hd.stream_id);
    kin__buf *out = &connection->out;
    if (visit == NULL || !kin__connection_is_open(connection)) {
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    if (out->len >= OUT_MAX) {
        return NGHTTP2_ERR_WOULDBLOCK;
    }
    if (!kin__buf_reserve(out, length + 9)) {
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    kin__buf_append(out, (const char *) head, 9);
    for (size_t left = length; left != 0;) {
        const struct iovec *part = &visit->outgoing.parts[visit->outgoing.first];
        size_t count = part->iov_len < left ? part->iov_len : left;
        kin__buf_append(out, part->iov_base, count);
        kin__outgoing_cut(&visit->outgoing, count);
        left -= count;
    }
    return 0;
}

static ssize_t on_send(nghttp2_session *session, const uint8_t *data, size_t length, int flags,
                       void *context)
{
    (void) session;
    (void) flags;
    kin__connection *connection = context;
    if (connection->out.len >= OUT_MAX) {
        return NGHTTP2_ERR_WOULDBLOCK;
    }
    if (!kin__connection_is_open(connection) ||
        !kin__buf_append(&connection->out, (const char *) data, length)) {
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return (ssize_t) length;
}

/* An answer that was over before its request: the client may stop sending that. */
static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    (void) context;
    bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
                   (frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS);
    kin__visit *visit = is_last ? visit_of(session, frame->hd.stream_id) : NULL;
    if (visit != NULL && !visit->is_received &&
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, visit->stream, NGHTTP2_NO_ERROR) !=
            0) {
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return 0;
}

/* ---- memory --------------------------------------------------------------------------------- */

static void *mem_alloc(size_t size, void *context)
{
    (void) context;
    return kin__alloc(size);
}

static void mem_free(void *memory, void *context)
{
    (void) context;
    kin__free(memory);
}

static void *mem_zero(size_t count, size_t size, void *context)
{
    (void) context;
    return kin__alloc_zero(count, size);
}

static void *mem_resize(void *memory, size_t size, void *context)
{
    (void) context;
    return kin__realloc(memory, size);
}
