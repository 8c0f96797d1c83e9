/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1.c - HTTP/1.1 on a connection.
 *
 * Bytes are taken where they were read; only what is left of them (half a head, a request behind
 * one that is not answered yet) is kept in `in`, so that a connection that rests holds no memory
 * for it.
 */
#include "httpd/http1.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "httpd/connection.h"
#include "httpd/reply.h"

#define TURN_MAX ((size_t) 4 << 20)   /* bytes that one connection sends before others get a turn */
#define EMPTY_COST ((size_t) 4096)    /* of an answer of the source that has nothing in it */
#define LENGTH_MAX ((size_t) 2048)    /* Go's: bodies up to this are held back to be measured */
#define AHEAD_MAX ((size_t) 64 << 10) /* of requests that come while one is answered */

static size_t take(kin__connection *connection, const char *bytes, size_t len);
static bool is_reading(const kin__connection *connection);
static size_t take_head(kin__connection *connection, const char *bytes, size_t len);
static kin__visit *make_visit(kin__connection *connection, const char *bytes, size_t len,
                              kin__head *head);
static void begin_body(kin__connection *connection, const kin__head *head);
static size_t take_length(kin__connection *connection, const char *bytes, size_t len);
static size_t take_chunks(kin__connection *connection, const char *bytes, size_t len);
static size_t take_frames(kin__connection *connection, const char *bytes, size_t len);
static bool keep(kin__connection *connection, const char *bytes, size_t len);
static void ask_too_large(kin__connection *connection);
static void ask(kin__connection *connection);
static void refuse(kin__connection *connection, kin__refusal refusal);
static void pump_unless_blocked(kin__connection *connection);
static bool send_outgoing(kin__connection *connection, kin__visit *visit);
static void end_upgrade(kin__connection *connection);
static void pull(kin__visit *visit);
static void finish(kin__connection *connection);
static kin__framing choose_framing(const kin__visit *visit, int status,
                                   const kin__visit_field *fields, size_t count, size_t *length);
static bool has_field(const kin__visit_field *fields, size_t count, kin_str name);
static void compact(kin__http1 *http1);

void kin__http1_fini(kin__http1 *http1)
{
    kin__visit *visit = STEAL(http1->visit);
    if (visit != NULL) {
        kin__visit_end(visit);
    }
}

void kin__http1_feed(kin__connection *connection, const char *bytes, size_t len)
{
    kin__http1 *http1 = &connection->http1;
    size_t used = http1->in.len == 0 ? take(connection, bytes, len) : 0;
    if (!kin__connection_is_open(connection) || connection->stage != KIN__STAGE_HTTP1) {
        return;
    }
    if (!kin__buf_append(&http1->in, bytes + used, len - used)) {
        kin__connection_close(connection, false);
        return;
    }
    kin__http1_run(connection);
}

/* A body under way goes on, as Go's server would send it; who waits is let go. */
void kin__http1_note_end(kin__connection *connection)
{
    kin__http1 *http1 = &connection->http1;
    http1->is_all_here = true;
    kin__visit *visit = http1->visit;
    if (http1->stage == KIN__HTTP1_UPGRADED) {
        kin__upgrade_note_end(http1->upgrade);
        pump_unless_blocked(connection);
        return;
    }
    if (http1->stage != KIN__HTTP1_ANSWER || !visit->is_answered || !connection->is_blocked) {
        kin__connection_close(connection, false);
    }
}

void kin__http1_run(kin__connection *connection)
{
    kin__http1 *http1 = &connection->http1;
    while (is_reading(connection) && http1->in_at < http1->in.len) {
        size_t used = take(connection, http1->in.data + http1->in_at, http1->in.len - http1->in_at);
        http1->in_at += used;
        if (used == 0) {
            break;
        }
    }
    compact(http1);
    if (http1->is_all_here && is_reading(connection)) {
        kin__connection_close(connection, false);
    }
}

bool kin__http1_wants_input(const kin__connection *connection)
{
    const kin__http1 *http1 = &connection->http1;
    if (http1->stage == KIN__HTTP1_UPGRADED) {
        return !http1->upgrade->is_pinged && !http1->upgrade->is_ending;
    }
    size_t most = http1->stage == KIN__HTTP1_ANSWER ? AHEAD_MAX : KIN__HEAD_MAX;
    return !http1->is_all_here && http1->in.len - http1->in_at <= most;
}

void kin__http1_pump(kin__connection *connection)
{
    size_t sent = 0;
    if (connection->out.len != 0 && !kin__connection_flush(connection)) {
        return;
    }
    kin__visit *visit = connection->http1.visit;
    if (visit == NULL || !visit->is_answered) {
        return;
    }
    for (;;) {
        sent += visit->outgoing.len + EMPTY_COST;
        if (visit->outgoing.len != 0 && !send_outgoing(connection, visit)) {
            return;
        }
        if (visit->framing == KIN__FRAMING_FRAMES && visit->state != KIN__BODY_END &&
            connection->http1.upgrade->is_ending) {
            end_upgrade(connection);
            return;
        }
        if (visit->state == KIN__BODY_END || visit->framing == KIN__FRAMING_NONE) {
            finish(connection);
            return;
        }
        if (visit->state == KIN__BODY_CUT || visit->state == KIN__BODY_RESET) {
            kin__connection_close(connection, visit->state == KIN__BODY_RESET);
            return;
        }
        if (visit->framing == KIN__FRAMING_FRAMES &&
            kin__upgrade_put_pong(connection->http1.upgrade, &visit->outgoing)) {
            continue;
        }
        if (visit->state == KIN__BODY_WAIT && !visit->is_resumed) {
            if (connection->http1.is_all_here) {
                kin__connection_close(connection, false);
            }
            return;
        }
        if (sent >= TURN_MAX) {
            connection->is_blocked = true;
            return;
        }
        pull(visit);
    }
}

kin_err kin__http1_reply(kin__visit *visit, int status, const kin__visit_field *fields,
                         size_t count, kin_error *err)
{
    kin__connection *connection = visit->connection;
    kin__http1 *http1 = &connection->http1;
    size_t length = 0;
    visit->framing = choose_framing(visit, status, fields, count, &length);
    if (visit->framing == KIN__FRAMING_CHUNKS && http1->minor == 0) {
        visit->framing = KIN__FRAMING_CLOSE;
    }
    if (visit->framing == KIN__FRAMING_CLOSE || http1->is_leaving ||
        has_field(fields, count, STR("Connection"))) {
        http1->is_kept = false;
    }
    kin__reply reply = {
        .status = status,
        .fields = fields,
        .count = count,
        .date = kin__httpd_date(connection->httpd),
        .framing = visit->framing,
        .has_length = !has_field(fields, count, STR("Content-Length")) && length != SIZE_MAX,
        .length = length,
        .is_kept = http1->is_kept,
        .minor = http1->minor,
    };
    if (!kin__reply_write(&reply, &visit->head)) {
        return kin__error_no_memory(err);
    }
    if (visit->framing == KIN__FRAMING_NONE) {
        kin__outgoing_clear(&visit->outgoing);
    } else if (visit->framing == KIN__FRAMING_CHUNKS) {
        kin__outgoing_make_chunk(&visit->outgoing, visit->state == KIN__BODY_END);
    }
    kin__outgoing_put_first(&visit->outgoing, kin__str(visit->head.data, visit->head.len));
    pump_unless_blocked(connection);
    return KIN_OK;
}

kin_err kin__http1_upgrade(kin__visit *visit, kin_str protocols, kin_error *err)
{
    kin__connection *connection = visit->connection;
    kin__http1 *http1 = &connection->http1;
    bool is_refused = false;
    http1->upgrade = kin__upgrade_new();
    http1->is_kept = false;
    connection->has_unread = true;
    if (http1->upgrade == NULL ||
        !kin__upgrade_answer(visit, protocols, &visit->head, &is_refused)) {
        return kin__error_no_memory(err);
    }
    if (is_refused) {
        visit->framing = KIN__FRAMING_NONE;
    } else {
        http1->stage = KIN__HTTP1_UPGRADED;
        visit->framing = KIN__FRAMING_FRAMES;
        pull(visit);
    }
    kin__outgoing_put_first(&visit->outgoing, kin__str(visit->head.data, visit->head.len));
    pump_unless_blocked(connection);
    return KIN_OK;
}

/* How many of the bytes it used: all, unless half a head is left, or a request is not answered. */
static size_t take(kin__connection *connection, const char *bytes, size_t len)
{
    size_t used = 0;
    while (used < len && is_reading(connection)) {
        size_t step;
        switch (connection->http1.stage) {
        case KIN__HTTP1_HEAD:
            step = take_head(connection, bytes + used, len - used);
            break;
        case KIN__HTTP1_LENGTH:
            step = take_length(connection, bytes + used, len - used);
            break;
        case KIN__HTTP1_UPGRADED:
            step = take_frames(connection, bytes + used, len - used);
            break;
        default:
            step = take_chunks(connection, bytes + used, len - used);
            break;
        }
        if (step == 0) {
            break;
        }
        used += step;
    }
    return used;
}

static bool is_reading(const kin__connection *connection)
{
    const kin__http1 *http1 = &connection->http1;
    return connection->stage == KIN__STAGE_HTTP1 && http1->stage != KIN__HTTP1_ANSWER &&
           (http1->stage != KIN__HTTP1_UPGRADED || !http1->upgrade->is_ending);
}

static size_t take_head(kin__connection *connection, const char *bytes, size_t len)
{
    kin__http1 *http1 = &connection->http1;
    size_t end = 0;
    kin__head_end found = kin__head_find_end(bytes, len, &http1->scanned, &end);
    if (found == KIN__HEAD_BROKEN) {
        refuse(connection, (kin__refusal){ .status = 400 });
        return len;
    }
    if (found == KIN__HEAD_WHOLE ? end > KIN__HEAD_MAX : len > KIN__HEAD_MAX) {
        refuse(connection, (kin__refusal){ .status = 431 });
        return len;
    }
    if (found == KIN__HEAD_PARTIAL) {
        return 0;
    }
    kin__head head;
    http1->scanned = 0;
    http1->visit = make_visit(connection, bytes, end, &head);
    if (http1->visit != NULL) {
        begin_body(connection, &head);
    }
    return end;
}

static kin__visit *make_visit(kin__connection *connection, const char *bytes, size_t len,
                              kin__head *head)
{
    kin__visit *visit = kin__visit_new(connection);
    if (visit == NULL || !kin__buf_append(&visit->text, bytes, len)) {
        if (visit != NULL) {
            kin__visit_end(visit);
        }
        kin__connection_close(connection, false);
        return NULL;
    }
    kin__refusal refusal = kin__head_parse(visit->text.data, len, head);
    if (refusal.status != 0) {
        kin__visit_end(visit);
        refuse(connection, refusal);
        return NULL;
    }
    visit->fields = head->fields;
    visit->request.method = head->method;
    visit->request.path = head->path;
    visit->request.query = head->query;
    return visit;
}

static void begin_body(kin__connection *connection, const kin__head *head)
{
    kin__http1 *http1 = &connection->http1;
    http1->minor = head->minor;
    http1->is_kept = head->is_kept;
    http1->left = head->length;
    http1->chunks = (kin__chunks){ 0 };
    if (head->length > connection->httpd->body_max) {
        ask_too_large(connection);
        return;
    }
    if (head->length == 0 && !head->is_chunked) {
        ask(connection);
        return;
    }
    http1->stage = head->is_chunked ? KIN__HTTP1_CHUNKS : KIN__HTTP1_LENGTH;
    if (head->expects_continue) {
        if (!kin__buf_append_str(&connection->out, STR("HTTP/1.1 100 Continue\r\n\r\n"))) {
            kin__connection_close(connection, false);
            return;
        }
        (void) kin__connection_flush(connection);
    }
}

static size_t take_length(kin__connection *connection, const char *bytes, size_t len)
{
    kin__http1 *http1 = &connection->http1;
    size_t count = http1->left < len ? (size_t) http1->left : len;
    if (!keep(connection, bytes, count)) {
        return len;
    }
    http1->left -= count;
    if (http1->left == 0) {
        ask(connection);
    }
    return count;
}

static size_t take_chunks(kin__connection *connection, const char *bytes, size_t len)
{
    kin__http1 *http1 = &connection->http1;
    size_t used = 0;
    kin_str data;
    switch (kin__chunks_read(&http1->chunks, bytes, len, &used, &data)) {
    case KIN__CHUNKS_DATA:
        if (data.len > connection->httpd->body_max - http1->visit->body.len) {
            ask_too_large(connection);
        } else if (!keep(connection, data.data, data.len)) {
            return len;
        }
        break;
    case KIN__CHUNKS_END:
        ask(connection);
        break;
    case KIN__CHUNKS_BROKEN:
        kin__visit_end(STEAL(http1->visit));
        refuse(connection, (kin__refusal){ .status = 400 });
        break;
    default:
        break;
    }
    return used;
}

static size_t take_frames(kin__connection *connection, const char *bytes, size_t len)
{
    kin__upgrade *upgrade = connection->http1.upgrade;
    size_t used = kin__upgrade_read(upgrade, bytes, len);
    if (upgrade->is_pinged || upgrade->is_ending) {
        pump_unless_blocked(connection);
    }
    return used;
}

static bool keep(kin__connection *connection, const char *bytes, size_t len)
{
    if (!kin__buf_append(&connection->http1.visit->body, bytes, len)) {
        kin__connection_close(connection, false);
        return false;
    }
    return true;
}

static void ask_too_large(kin__connection *connection)
{
    kin__visit *visit = connection->http1.visit;
    kin__buf_fini(&visit->body);
    visit->body = (kin__buf){ 0 };
    visit->request.is_too_large = true;
    connection->http1.is_kept = false;
    connection->has_unread = true;
    ask(connection);
}

static void ask(kin__connection *connection)
{
    connection->http1.stage = KIN__HTTP1_ANSWER;
    kin__visit_ask(connection->http1.visit);
}

static void refuse(kin__connection *connection, kin__refusal refusal)
{
    connection->has_unread = true;
    if (!kin__reply_write_refusal(refusal, &connection->out)) {
        kin__connection_close(connection, false);
        return;
    }
    kin__connection_end(connection);
}

static void pump_unless_blocked(kin__connection *connection)
{
    if (!connection->is_blocked) {
        kin__http1_pump(connection);
    }
}

static bool send_outgoing(kin__connection *connection, kin__visit *visit)
{
    kin__outgoing *outgoing = &visit->outgoing;
    size_t sent;
    bool is_done = kin__connection_send(connection, outgoing->parts + outgoing->first,
                                        outgoing->end - outgoing->first, &sent);
    if (kin__connection_is_open(connection)) {
        kin__outgoing_cut(outgoing, sent);
    }
    return is_done;
}

static void pull(kin__visit *visit)
{
    kin__visit_pull(visit);
    if (visit->framing == KIN__FRAMING_CHUNKS) {
        kin__outgoing_make_chunk(&visit->outgoing, visit->state == KIN__BODY_END);
    } else if (visit->framing == KIN__FRAMING_FRAMES) {
        kin__upgrade_frame(visit->connection->http1.upgrade, &visit->outgoing,
                           visit->state == KIN__BODY_END);
    }
}

static void end_upgrade(kin__connection *connection)
{
    if (!kin__buf_append_str(&connection->out,
                             kin__upgrade_last_words(connection->http1.upgrade))) {
        kin__connection_close(connection, false);
        return;
    }
    finish(connection);
}

static void finish(kin__connection *connection)
{
    kin__http1 *http1 = &connection->http1;
    http1->stage = KIN__HTTP1_HEAD;
    kin__visit_end(STEAL(http1->visit));
    if (kin__connection_is_open(connection) && !http1->is_kept) {
        kin__connection_end(connection);
    }
}

/* As Go's server: a body that is over at once and small is measured.  To HEAD the length is said,
 * and SIZE_MAX stands for one that is not known. */
static kin__framing choose_framing(const kin__visit *visit, int status,
                                   const kin__visit_field *fields, size_t count, size_t *length)
{
    bool has_no_body = status < 200 || status == 204 || status == 304;
    *length = SIZE_MAX;
    if (!has_no_body && kin__visit_get_length(visit, LENGTH_MAX, length) && visit->is_head &&
        *length == 0) {
        *length = SIZE_MAX;
    }
    if (has_no_body || visit->is_head) {
        return KIN__FRAMING_NONE;
    }
    if (*length != SIZE_MAX || has_field(fields, count, STR("Content-Length"))) {
        return KIN__FRAMING_LENGTH;
    }
    return KIN__FRAMING_CHUNKS;
}

static bool has_field(const kin__visit_field *fields, size_t count, kin_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (kin__field_is(fields[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* What is used up goes when it is the larger part, so that each byte is moved once at most; memory
 * goes with the last byte. */
static void compact(kin__http1 *http1)
{
    size_t left = http1->in.len - http1->in_at;
    if (left == 0) {
        kin__buf_fini(&http1->in);
        http1->in = (kin__buf){ 0 };
        http1->in_at = 0;
    } else if (http1->in_at > left) {
        memmove(http1->in.data, http1->in.data + http1->in_at, left);
        http1->in.len = left;
        http1->in_at = 0;
    }
}
