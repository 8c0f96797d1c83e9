/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attend.c - one visit, from its request to its answer.
 *
 * First come the faults: they may drop it, answer it, or put it off.  Then its timeout is looked
 * at, then comes the guard, then whoever serves it.  A visit that is put off keeps its place here
 * until its time has come or its client is gone.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "server/field.h"
#include "server/gzip_body.h"
#include "server/persona.h"
#include "server/protocols.h"
#include "server/serve.h"
#include "server/server_state.h"
#include "server/service_token.h"
#include "server/timeout_param.h"

#define FIELDS_MAX (8 + KIN__WARNINGS + KIN__ANSWER_FIELDS)

/* A visit on its way.  On the heap once it is put off. */
typedef struct attended {
    kin__link link;
    kin_server *server;
    kin__visit *visit;
    kin__timer timer;
    bool has_met;     /* the faults were asked */
    bool has_waited;  /* for a revision */
    bool is_stranger; /* anonymous */
    kin__fault_sum sum;
    kin__refusal refusal; /* of a fault */
} attended;

typedef struct fields {
    kin__visit_field fields[FIELDS_MAX];
    size_t count;
    char retry_after[16];
    kin__buf warnings;
} fields;

static void attend(attended *a);
static void meet_faults(attended *a, const kin__route *route);
static bool put_off(attended *a, uint32_t ms);
static void on_time(kin__timer *timer, void *context);
static void on_gone(kin__visit *visit, void *context);
static void forget(attended *a);
static kin_str header(const kin__visit *visit, const char *name);
static bool admit(attended *a, kin__asked *asked, kin__refusal *no);
static bool identify(attended *a, kin__asked *asked, const kin__badge *badge, kin__refusal *no);
static bool identify_by_protocol(attended *a, kin__asked *asked, bool is_known, kin__refusal *no);
static bool is_too_large(const kin__visit_request *request, kin__refusal *no);
static bool serve(attended *a, kin__asked *asked, const kin__manners *manners, kin__answer *answer,
                  kin__refusal *no);
static void reply(attended *a, kin__asked *asked, kin__answer *answer, const kin__refusal *no);
static void collect_fields(const attended *a, const kin__asked *asked, const kin__answer *answer,
                           const kin__refusal *no, fields *out);
static bool must_close(const attended *a, const kin__answer *answer, const kin__refusal *no);
static void add_field(fields *out, kin_str name, kin_str value);
static void set_field(fields *out, kin_str name, kin_str value);
static void add_warnings(const kin__answer *answer, fields *out);
static const char *type_of(const kin__asked *asked);
static bool is_spoiled(const kin__spoil *spoil);
static bool prepare_body(attended *a, const kin__asked *asked, kin__answer *answer, fields *out,
                         kin__body *body);

void kin__attend(kin__visit *visit, void *server)
{
    attended a = { .server = server, .visit = visit };

    attend(&a);
    kin__refusal_fini(&a.refusal);
}

void kin__attend_end(kin_server *server)
{
    for (kin__link *link; (link = kin__list_first(&server->put_off)) != NULL;) {
        attended *a = KIN__OWNER(link, attended, link);
        kin__visit *visit = a->visit;
        kin__visit_on_gone(visit, NULL, NULL);
        forget(a);
        kin__visit_drop(visit, true);
    }
}

static void attend(attended *a)
{
    const kin__visit_request *request = kin__visit_get_request(a->visit);
    kin__manners manners = { header(a->visit, "Accept"), header(a->visit, "Accept-Encoding") };
    AUTO(kin__asked_fini)
    kin__asked asked = {
        .engine = &a->server->engine,
        .method = request->method,
        .content_type = header(a->visit, "Content-Type"),
        .body = request->body,
        .user_agent = header(a->visit, "User-Agent"),
        .query = request->query,
        .if_none_match = header(a->visit, "If-None-Match"),
        .is_websocket = kin__visit_wants_websocket(a->visit),
        .visit = a->visit,
        .has_waited = a->has_waited,
    };
    AUTO(kin__answer_fini) kin__answer answer = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    if (kin__control_serves(request->path)) {
        if (is_too_large(request, &no) ||
            !kin__control(a->server, request->method, request->path, request->body, &answer, &no)) {
            kin__answer_refusal(&no, &asked, manners.accept, &answer);
        }
        reply(a, &asked, &answer, &no);
        return;
    }
    bool is_read = kin__route_read(asked.engine->shelf, request->method, request->path,
                                   request->query, &asked.route, &no);
    if (!a->has_met) {
        meet_faults(a, &asked.route);
        if (a->sum.delay_ms > 0 && put_off(a, a->sum.delay_ms)) {
            return;
        }
    }
    if (a->sum.is_dropped) {
        kin__visit_drop(a->visit, false);
        return;
    }
    if (a->refusal.code != 0) {
        kin__answer_refusal(&a->refusal, &asked, manners.accept, &answer);
        reply(a, &asked, &answer, &a->refusal);
        return;
    }
    if (!kin__timeout_check(asked.route.deed, request->query, &no) || !admit(a, &asked, &no) ||
        !is_read || !serve(a, &asked, &manners, &answer, &no)) {
        kin__answer_refusal(&no, &asked, manners.accept, &answer);
    } else if (answer.wait_ms > 0) {
        a->has_waited = true;
        if (!put_off(a, answer.wait_ms)) {
            kin__visit_drop(a->visit, false);
        }
        return;
    }
    reply(a, &asked, &answer, &no);
}

static void meet_faults(attended *a, const kin__route *route)
{
    a->has_met = true;
    kin__faults_meet(&a->server->faults, route, kin__visit_get_request(a->visit)->query, &a->sum);
    if (a->sum.status != NULL) {
        kin__fault_refuse(a->sum.status, &a->refusal);
        a->sum.status = NULL; /* it may be ended while the visit waits */
    }
}

/* `a` is done with: its copy lives on.  False when there is no memory. */
static bool put_off(attended *a, uint32_t ms)
{
    kin_loop *loop = a->server->loop;
    attended *kept = kin__alloc(sizeof *kept);
    kin_error ignored;

    if (kept == NULL) {
        return false;
    }
    *kept = *a;
    kept->timer.fire = on_time;
    kept->timer.context = kept;
    if (kin__timer_set(loop, &kept->timer, kin__loop_now_ms(loop) + ms, &ignored)) {
        kin__free(kept);
        return false;
    }
    a->refusal = (kin__refusal){ 0 }; /* the copy has it */
    kin__list_push(&a->server->put_off, &kept->link);
    kin__visit_on_gone(kept->visit, on_gone, kept);
    return true;
}

static void on_time(kin__timer *timer, void *context)
{
    attended *a = context;
    attended now = *a;

    (void) timer;
    a->refusal = (kin__refusal){ 0 };
    kin__visit_on_gone(now.visit, NULL, NULL);
    forget(a);
    now.link = (kin__link){ 0 };
    now.timer = (kin__timer){ 0 };
    attend(&now);
    kin__refusal_fini(&now.refusal);
}

static void on_gone(kin__visit *visit, void *context)
{
    (void) visit;
    forget(context);
}

static void forget(attended *a)
{
    kin__list_remove(&a->link);
    kin__timer_clear(a->server->loop, &a->timer);
    kin__refusal_fini(&a->refusal);
    kin__free(a);
}

/* The first of that name; empty when there is none. */
static kin_str header(const kin__visit *visit, const char *name)
{
    size_t at = 0;
    kin_str value = { 0 };

    return kin__visit_header(visit, name, &at, &value) ? value : (kin_str){ 0 };
}

static bool admit(attended *a, kin__asked *asked, kin__refusal *no)
{
    const kin__visit_request *request = kin__visit_get_request(a->visit);
    kin__badge badge = { header(a->visit, "Authorization"), request->peer_name,
                         request->is_foreign };

    bool is_known = identify(a, asked, &badge, no);
    if (asked->is_websocket && (!is_known || kin__guard_is_anonymous(asked->user))) {
        is_known = identify_by_protocol(a, asked, is_known, no);
    }
    if (!is_known) {
        return false;
    }
    a->is_stranger = kin__guard_is_anonymous(asked->user);
    if (!kin__persona_read(a->visit, &asked->persona, no)) {
        return false;
    }
    if (asked->persona != NULL) {
        if (!kin__persona_assume(asked->persona, &a->server->guard, asked->user, request->method,
                                 &asked->route, no)) {
            return false;
        }
        asked->user = kin__field_text(asked->persona, "username");
    }
    if (!kin__guard_authorize(&a->server->guard, asked->user, request->method, &asked->route, no)) {
        return false;
    }
    return !is_too_large(request, no);
}

static bool identify(attended *a, kin__asked *asked, const kin__badge *badge, kin__refusal *no)
{
    if (badge->peer_name.len == 0) {
        asked->claims =
            kin__service_token_read(asked->engine, kin__guard_bearer(badge->authorization));
    }
    if (asked->claims != NULL && !kin__service_token_is_ours(asked->claims)) {
        kin__node_free(asked->claims);
        asked->claims = NULL;
    }
    if (asked->claims != NULL) {
        asked->user = kin__field_text(asked->claims, "sub");
        return true;
    }
    return kin__guard_authenticate(&a->server->guard, badge, &asked->user, no);
}

/* Who is not known otherwise may have a token among the sub-protocols, which is then none of them.
 */
static bool identify_by_protocol(attended *a, kin__asked *asked, bool is_known, kin__refusal *no)
{
    AUTO(kin__protocols_fini) kin__protocols protocols = { 0 };

    if (!kin__protocols_read(a->visit, &protocols)) {
        return kin__refuse_no_memory(no);
    }
    kin__badge badge = { .authorization = kin__str(protocols.bearer.data, protocols.bearer.len) };
    if (protocols.is_wrong) {
        return kin__refuse(no, 401, "Unauthorized", "Unauthorized");
    }
    if (kin__guard_bearer(badge.authorization).len == 0) {
        return is_known;
    }
    if (!identify(a, asked, &badge, no)) {
        return false;
    }
    kin__refusal_fini(no);
    *no = (kin__refusal){ 0 };
    asked->has_protocols = true;
    asked->protocols = protocols.others;
    protocols.others = (kin__buf){ 0 };
    return true;
}

static bool is_too_large(const kin__visit_request *request, kin__refusal *no)
{
    if (request->is_too_large) {
        (void) kin__refuse(no, 413, "RequestEntityTooLarge",
                           "Request entity too large: limit is %u", KIN__BODY_MAX);
        no->closes = true;
    }
    return request->is_too_large;
}

static bool serve(attended *a, kin__asked *asked, const kin__manners *manners, kin__answer *answer,
                  kin__refusal *no)
{
    uint64_t revision = kin__storage_revision(asked->engine->storage);

    asked->spoil = a->sum.spoil;
    asked->lies = a->sum.lies;
    if (a->sum.back_by > 0) {
        asked->present = revision > a->sum.back_by ? revision - a->sum.back_by : 1;
        /* A replica knows its own state: it is as far behind as history goes. */
        if (asked->route.served != NULL && asked->route.served->collection != NULL) {
            uint64_t oldest = kin__collection_oldest(asked->route.served->collection);
            asked->present = asked->present < oldest ? oldest : asked->present;
        }
    }
    return kin__serve(asked, kin__visit_get_request(a->visit)->query, manners, answer, no);
}

static void reply(attended *a, kin__asked *asked, kin__answer *answer, const kin__refusal *no)
{
    int status = answer->status == 0 ? 200 : answer->status;
    fields all = { .count = 0 };
    kin__body body;
    kin_error ignored;

    collect_fields(a, asked, answer, no, &all);
    if (kin__buf_failed(&answer->bytes) || kin__buf_failed(&all.warnings) ||
        !prepare_body(a, asked, answer, &all, &body)) {
        kin__visit_drop(a->visit, false);
    } else if (answer->is_upgrade) {
        kin_str protocols = asked->has_protocols
                                ? kin__str(asked->protocols.data, asked->protocols.len)
                                : header(a->visit, "Sec-WebSocket-Protocol");
        (void) (kin__visit_upgrade(a->visit, protocols, &body, &ignored) == KIN_OK);
    } else {
        /* Where it fails the connection is closed, and there is nobody to be told. */
        (void) (kin__visit_reply(a->visit, status, all.fields, all.count, &body, &ignored) ==
                KIN_OK);
    }
    kin__buf_fini(&all.warnings);
}

static void collect_fields(const attended *a, const kin__asked *asked, const kin__answer *answer,
                           const kin__refusal *no, fields *out)
{
    const char *type = answer->content_type != NULL ? answer->content_type : type_of(asked);

    add_field(out, STR("Cache-Control"), STR("no-cache, private"));
    if (answer->status != 304 && type[0] != '\0') {
        add_field(out, STR("Content-Type"), kin_str_of(type));
    }
    if (no->is_text) {
        add_field(out, STR("X-Content-Type-Options"), STR("nosniff"));
    }
    if (no->retry_after_s > 0) {
        (void) snprintf(out->retry_after, sizeof out->retry_after, "%u", no->retry_after_s);
        add_field(out, STR("Retry-After"), kin_str_of(out->retry_after));
    }
    if (must_close(a, answer, no)) {
        add_field(out, STR("Connection"), STR("close"));
    }
    for (size_t i = 0; i < answer->field_count; i++) {
        set_field(out, answer->fields[i].name, answer->fields[i].value);
    }
    add_warnings(answer, out);
}

/* On HTTP/2 strangers get one answer on a connection, be it a 401 or something else. */
static bool must_close(const attended *a, const kin__answer *answer, const kin__refusal *no)
{
    return kin__visit_get_request(a->visit)->is_http2 ? a->is_stranger || answer->status == 401
                                                      : no->closes;
}

static void add_field(fields *out, kin_str name, kin_str value)
{
    if (out->count < FIELDS_MAX) {
        out->fields[out->count++] = (kin__visit_field){ name, value };
    }
}

/* In the place of one with that name. */
static void set_field(fields *out, kin_str name, kin_str value)
{
    for (size_t i = 0; i < out->count; i++) {
        if (kin__str_equal(out->fields[i].name, name)) {
            out->fields[i].value = value;
            return;
        }
    }
    add_field(out, name, value);
}

/* 299 - "text", with quotes and backslashes escaped and control characters left out. */
static void add_warnings(const kin__answer *answer, fields *out)
{
    size_t ends[KIN__WARNINGS];

    for (size_t i = 0; i < answer->warning_count; i++) {
        kin_str text = answer->warnings[i];
        (void) kin__buf_append_format(&out->warnings, "299 - \"");
        for (size_t at = 0; at < text.len; at++) {
            char c = text.data[at];
            if (c == '"' || c == '\\') {
                (void) kin__buf_append_byte(&out->warnings, '\\');
            }
            if ((unsigned char) c >= ' ' && c != 0x7f) {
                (void) kin__buf_append_byte(&out->warnings, c);
            }
        }
        (void) kin__buf_append_byte(&out->warnings, '"');
        ends[i] = out->warnings.len;
    }
    for (size_t i = 0; i < answer->warning_count && !kin__buf_failed(&out->warnings); i++) {
        size_t begin = i == 0 ? 0 : ends[i - 1];
        add_field(out, STR("Warning"), kin__str(out->warnings.data + begin, ends[i] - begin));
    }
}

static const char *type_of(const kin__asked *asked)
{
    return asked->form.encoding == KIN__FORM_PROTO ? "application/vnd.kubernetes.protobuf"
                                                   : "application/json";
}

static bool is_spoiled(const kin__spoil *spoil)
{
    return spoil->bytes_per_s > 0 || (spoil->act != KIN__SPOIL_NOTHING && !spoil->by_events);
}

static bool prepare_body(attended *a, const kin__asked *asked, kin__answer *answer, fields *out,
                         kin__body *body)
{
    bool is_gzip = false;
    kin_error ignored;

    if (!kin__answer_take_body(answer, body)) {
        return false;
    }
    if (asked->form.wants_gzip && asked->route.deed != KIN__DEED_WATCH) {
        if (kin__gzip_body(body, &is_gzip, &ignored)) {
            body->release(body->context);
            return false;
        }
        if (is_gzip) {
            add_field(out, STR("Content-Encoding"), STR("gzip"));
            add_field(out, STR("Vary"), STR("Accept-Encoding"));
        }
    }
    if (is_spoiled(&a->sum.spoil) &&
        kin__spoil_body(&a->sum.spoil, a->server->loop, a->visit, body, &ignored)) {
        body->release(body->context);
        return false;
    }
    return true;
}
