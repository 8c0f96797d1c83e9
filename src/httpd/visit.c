/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visit.c - a request and its answer.
 *
 * A visit is freed by kin__visit_end(), which its protocol calls once: when the answer is sent, or
 * the connection or stream has ended.  Only one that the layer above holds, unanswered, and did not
 * ask to be told about outlives its connection: it waits among the orphans for its answer.
 */
#include "httpd/visit.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "httpd/connection.h"
#include "httpd/head.h"
#include "httpd/http2.h"

static void release(kin__visit *visit);
static void release_source(kin__visit *visit);
static void answer_nobody(kin__visit *visit);
static kin__body_state next_of_bytes(void *context, kin__body_pieces *out);
static void release_bytes(void *context);

const kin__visit_request *kin__visit_get_request(const kin__visit *visit)
{
    return &visit->request;
}

bool kin__visit_header(const kin__visit *visit, const char *name, size_t *at, kin_str *out)
{
    kin_str wanted = kin_str_of(name);
    kin_str found;
    kin_str value;
    while (kin__field_next(visit->fields, at, &found, &value)) {
        if (kin__field_is(found, wanted)) {
            *out = value;
            return true;
        }
    }
    *out = STR("");
    return false;
}

bool kin__visit_next_header(const kin__visit *visit, size_t *at, kin_str *name, kin_str *value)
{
    return kin__field_next(visit->fields, at, name, value);
}

void kin__visit_set_data(kin__visit *visit, void *data)
{
    visit->data = data;
}

void *kin__visit_get_data(const kin__visit *visit)
{
    return visit->data;
}

kin_err kin__visit_reply(kin__visit *visit, int status, const kin__visit_field *fields,
                         size_t count, const kin__body *body, kin_error *err)
{
    kin__connection *connection = visit->connection;
    visit->source = *body;
    if (connection == NULL) {
        answer_nobody(visit);
        return KIN_OK;
    }
    visit->is_answered = true;
    kin__connection_enter(connection);
    kin__visit_pull(visit);
    kin_err code = visit->request.is_http2 ? kin__http2_reply(visit, status, fields, count, err)
                                           : kin__http1_reply(visit, status, fields, count, err);
    if (code != KIN_OK) {
        kin__connection_close(connection, false);
    }
    kin__connection_leave(connection);
    return code;
}

kin_err kin__visit_upgrade(kin__visit *visit, kin_str protocols, const kin__body *body,
                           kin_error *err)
{
    kin__connection *connection = visit->connection;
    visit->source = *body;
    if (connection == NULL) {
        answer_nobody(visit);
        return KIN_OK;
    }
    visit->is_answered = true;
    kin__connection_enter(connection);
    kin_err code = kin__http1_upgrade(visit, protocols, err);
    if (code != KIN_OK) {
        kin__connection_close(connection, false);
    }
    kin__connection_leave(connection);
    return code;
}

/* The bytes of a body that is there; one allocation with nothing else in it. */
typedef struct bytes_body {
    kin__buf bytes;
} bytes_body;

kin_err kin__visit_reply_bytes(kin__visit *visit, int status, const kin__visit_field *fields,
                               size_t count, kin__buf *body, kin_error *err)
{
    bytes_body *bytes = kin__alloc(sizeof *bytes);
    if (bytes == NULL) {
        kin__buf_fini(body);
        *body = (kin__buf){ 0 };
        kin__visit_drop(visit, false);
        return kin__error_no_memory(err);
    }
    bytes->bytes = *body;
    *body = (kin__buf){ 0 };
    kin__body source = { .next = next_of_bytes, .release = release_bytes, .context = bytes };
    return kin__visit_reply(visit, status, fields, count, &source, err);
}

void kin__visit_drop(kin__visit *visit, bool with_reset)
{
    kin__connection *connection = visit->connection;
    if (connection == NULL) {
        answer_nobody(visit);
        return;
    }
    visit->is_answered = true;
    kin__connection_enter(connection);
    if (visit->request.is_http2 && !with_reset) {
        kin__http2_drop(visit);
    } else {
        kin__connection_close(connection, with_reset);
    }
    kin__connection_leave(connection);
}

void kin__visit_resume(kin__visit *visit)
{
    kin__connection *connection = visit->connection;
    if (connection == NULL) {
        return;
    }
    kin__connection_enter(connection);
    visit->is_resumed = true;
    if (visit->request.is_http2) {
        kin__http2_resume(visit);
    } else if (!connection->is_blocked) {
        kin__http1_pump(connection);
    }
    kin__connection_leave(connection);
}

void kin__visit_on_gone(kin__visit *visit, void (*gone)(kin__visit *visit, void *context),
                        void *context)
{
    visit->gone = gone;
    visit->gone_context = context;
}

kin__visit *kin__visit_new(kin__connection *connection)
{
    kin__visit *visit = kin__alloc(sizeof *visit);
    if (visit == NULL) {
        return NULL;
    }
    /* Not the parts: a kilobyte that is written before it is read. */
    memset(visit, 0, offsetof(kin__visit, outgoing));
    kin__outgoing_clear(&visit->outgoing);
    visit->connection = connection;
    return visit;
}

/* The names are copied: a visit may outlive its connection. */
void kin__visit_ask(kin__visit *visit)
{
    kin__connection *connection = visit->connection;
    kin__httpd *httpd = connection->httpd;
    const kin__buf *name = &connection->peer_name;
    const kin__buf *organizations = &connection->peer_organizations;
    if (!kin__buf_append(&visit->peer, name->data, name->len) ||
        !kin__buf_append(&visit->peer, organizations->data, organizations->len)) {
        kin__connection_close(connection, false);
        return;
    }
    if (name->len + organizations->len != 0) {
        visit->request.peer_name = kin__str(visit->peer.data, name->len);
        visit->request.peer_organizations =
            kin__str(visit->peer.data + name->len, organizations->len);
    }
    visit->request.is_foreign = connection->is_foreign;
    visit->request.body = kin__str(visit->body.data, visit->body.len);
    visit->is_head = kin__str_equal(visit->request.method, STR("HEAD"));
    visit->is_asked = true;
    httpd->counts.visits++;
    httpd->on_request(visit, httpd->context);
}

void kin__visit_end(kin__visit *visit)
{
    kin__connection *connection = visit->connection;
    kin__list_remove(&visit->link);
    visit->connection = NULL;
    if (!visit->is_asked || visit->is_answered) {
        release(visit);
        return;
    }
    if (visit->gone == NULL) {
        kin__list_push(&connection->httpd->orphans, &visit->link);
        return;
    }
    visit->is_over = true;
    visit->gone(visit, visit->gone_context);
    release(visit);
}

void kin__visits_end_orphans(kin__list *orphans)
{
    for (kin__link *link; (link = kin__list_first(orphans)) != NULL;) {
        release(KIN__OWNER(link, kin__visit, link));
    }
}

void kin__visit_pull(kin__visit *visit)
{
    visit->is_resumed = false;
    visit->state = kin__outgoing_ask(&visit->outgoing, &visit->source);
    if (!visit->is_head) {
        visit->connection->httpd->counts.bytes_out += visit->outgoing.len;
    }
}

bool kin__visit_get_length(const kin__visit *visit, size_t max, size_t *out)
{
    if (visit->state != KIN__BODY_END || visit->outgoing.len > max) {
        return false;
    }
    *out = visit->outgoing.len;
    return true;
}

static void release(kin__visit *visit)
{
    visit->is_over = true;
    kin__list_remove(&visit->link);
    release_source(visit);
    kin__buf_fini(&visit->text);
    kin__buf_fini(&visit->body);
    kin__buf_fini(&visit->peer);
    kin__buf_fini(&visit->head);
    kin__free(visit);
}

static void release_source(kin__visit *visit)
{
    kin__body source = visit->source;
    visit->source = (kin__body){ 0 };
    if (source.release != NULL) {
        source.release(source.context);
    }
}

/* Inside its own `gone` a visit is released by who called that. */
static void answer_nobody(kin__visit *visit)
{
    if (visit->is_over) {
        release_source(visit);
    } else {
        release(visit);
    }
}

static kin__body_state next_of_bytes(void *context, kin__body_pieces *out)
{
    const bytes_body *bytes = context;
    out->pieces[0] = kin__str(bytes->bytes.data, bytes->bytes.len);
    out->count = 1;
    return KIN__BODY_END;
}

static void release_bytes(void *context)
{
    bytes_body *bytes = context;
    kin__buf_fini(&bytes->bytes);
    kin__free(bytes);
}
