/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_calls.c - the public calls that reach into a running server.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "server/direct.h"
#include "server/direct_list.h"
#include "server/errand.h"
#include "server/serve.h"
#include "server/timeout_param.h"

static kin_err run_for_number(kin_server *server, kin__errand *e, uint64_t *out, kin_error *err);
static kin_err run_revision(kin__errand *e, kin_error *err);
static kin_err run_put(kin__errand *e, kin_error *err);
static kin_err run_put_list(kin__errand *e, kin_error *err);
static kin_err run_remove(kin__errand *e, kin_error *err);
static kin_err run_ask(kin__errand *e, kin_error *err);
static kin_err run_compact(kin__errand *e, kin_error *err);
static kin_err run_bookmark(kin__errand *e, kin_error *err);
static kin_err run_set_token(kin__errand *e, kin_error *err);
static kin_err run_forbid(kin__errand *e, kin_error *err);
static kin_err run_fault(kin__errand *e, kin_error *err);
static kin_err run_end_fault(kin__errand *e, kin_error *err);
static kin_err run_counts(kin__errand *e, kin_error *err);
static kin_err error_of(const kin__refusal *no, kin_error *err);
static kin_err read_answer(kin__answer *answer, kin_server_answer *out, kin_error *err);

uint64_t kin_server_revision(kin_server *server)
{
    kin__errand e = { .run = run_revision };
    kin_error ignored;

    return kin__errand_run(server, &e, &ignored) == KIN_OK ? e.number : 0;
}

kin_err kin_server_put(kin_server *server, kin_str json, uint64_t *out_revision, kin_error *err)
{
    kin__errand e = { .run = run_put, .text = json };

    return run_for_number(server, &e, out_revision, err);
}

kin_err kin_server_put_list(kin_server *server, kin_str json, uint64_t *out_revision,
                            kin_error *err)
{
    kin__errand e = { .run = run_put_list, .text = json };

    return run_for_number(server, &e, out_revision, err);
}

kin_err kin_server_remove(kin_server *server, const char *api_version, const char *kind,
                          const char *ns, const char *name, uint64_t *out_revision, kin_error *err)
{
    kin__errand e = { .run = run_remove, .words = { api_version, kind, ns, name } };

    return run_for_number(server, &e, out_revision, err);
}

kin_err kin_server_ask(kin_server *server, const char *method, const char *path,
                       const char *content_type, kin_str body, kin_server_answer *out,
                       kin_error *err)
{
    kin__errand e = {
        .run = run_ask, .words = { method, path, content_type }, .body = body, .answer = out
    };
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (method == NULL || path == NULL || path[0] != '/') {
        return kin__error_set(err, KIN_ERR_USAGE, "a request needs a method and a path");
    }
    return kin__errand_run(server, &e, err);
}

void kin_server_answer_fini(kin_server_answer *answer)
{
    kin__free(answer->body);
    *answer = (kin_server_answer){ 0 };
}

kin_err kin_server_compact(kin_server *server, uint64_t revision, kin_error *err)
{
    kin__errand e = { .run = run_compact, .number = revision };
    kin_error unwanted;

    return kin__errand_run(server, &e, kin__error_or(err, &unwanted));
}

kin_err kin_server_bookmark(kin_server *server, kin_error *err)
{
    kin__errand e = { .run = run_bookmark };
    kin_error unwanted;

    return kin__errand_run(server, &e, kin__error_or(err, &unwanted));
}

kin_err kin_server_set_token(kin_server *server, const char *token, kin_error *err)
{
    kin__errand e = { .run = run_set_token, .text = kin_str_of(token) };
    kin_error unwanted;

    return kin__errand_run(server, &e, kin__error_or(err, &unwanted));
}

kin_err kin_server_forbid(kin_server *server, kin_str rules, kin_error *err)
{
    kin__errand e = { .run = run_forbid, .text = rules };
    kin_error unwanted;

    return kin__errand_run(server, &e, kin__error_or(err, &unwanted));
}

kin_err kin_server_fault(kin_server *server, kin_str fault, uint64_t *out_id, kin_error *err)
{
    kin__errand e = { .run = run_fault, .text = fault };

    return run_for_number(server, &e, out_id, err);
}

kin_err kin_server_end_fault(kin_server *server, uint64_t id, kin_error *err)
{
    kin__errand e = { .run = run_end_fault, .number = id };
    kin_error unwanted;

    return kin__errand_run(server, &e, kin__error_or(err, &unwanted));
}

void kin_server_get_counts(kin_server *server, kin_server_counts *out)
{
    kin__errand e = { .run = run_counts, .counts = out };
    kin_error ignored;

    *out = (kin_server_counts){ 0 };
    (void) (kin__errand_run(server, &e, &ignored) == KIN_OK);
}

/* `out` may be NULL. */
static kin_err run_for_number(kin_server *server, kin__errand *e, uint64_t *out, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (kin__errand_run(server, e, err)) {
        return err->code;
    }
    if (out != NULL) {
        *out = e->number;
    }
    return KIN_OK;
}

static kin_err run_revision(kin__errand *e, kin_error *err)
{
    (void) err;
    e->number = kin__storage_revision(e->server->engine.storage);
    return KIN_OK;
}

static kin_err run_put(kin__errand *e, kin_error *err)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    return kin__put_direct(&e->server->engine, e->text, &e->number, &no) ? KIN_OK
                                                                         : error_of(&no, err);
}

static kin_err run_put_list(kin__errand *e, kin_error *err)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    return kin__put_list_direct(&e->server->engine, e->text, &e->number, &no) ? KIN_OK
                                                                              : error_of(&no, err);
}

static kin_err run_remove(kin__errand *e, kin_error *err)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    return kin__remove_direct(&e->server->engine, kin_str_of(e->words[0]), kin_str_of(e->words[1]),
                              kin_str_of(e->words[2]), kin_str_of(e->words[3]), &e->number, &no)
               ? KIN_OK
               : error_of(&no, err);
}

static kin_err run_ask(kin__errand *e, kin_error *err)
{
    kin__manners manners = { STR("application/json"), { 0 } };
    kin_str path = kin_str_of(e->words[1]);
    const char *mark = memchr(path.data, '?', path.len);
    kin_str query = { 0 };
    AUTO(kin__asked_fini)
    kin__asked asked = {
        .engine = &e->server->engine,
        .method = kin_str_of(e->words[0]),
        .content_type = kin_str_of(e->words[2]),
        .body = e->body,
        .user_agent = STR("kin"),
        .has_waited = true,
    };
    AUTO(kin__answer_fini) kin__answer answer = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    if (mark != NULL) {
        query = kin__str(mark + 1, (size_t) (path.data + path.len - mark) - 1);
        path.len = (size_t) (mark - path.data);
        asked.query = query;
    }
    bool is_served =
        kin__control_serves(path)
            ? kin__control(e->server, asked.method, path, e->body, &answer, &no)
            : kin__route_read(asked.engine->shelf, asked.method, path, query, &asked.route, &no) &&
                  kin__timeout_check(asked.route.deed, query, &no) &&
                  kin__serve(&asked, query, &manners, &answer, &no);
    if (!is_served) {
        kin__answer_refusal(&no, &asked, manners.accept, &answer);
    }
    return read_answer(&answer, e->answer, err);
}

static kin_err run_compact(kin__errand *e, kin_error *err)
{
    (void) err;
    kin__server_compact(e->server, e->number);
    return KIN_OK;
}

static kin_err run_bookmark(kin__errand *e, kin_error *err)
{
    (void) err;
    kin__watchers_bookmark(e->server->engine.watchers);
    return KIN_OK;
}

static kin_err run_set_token(kin__errand *e, kin_error *err)
{
    return kin__guard_set_token(&e->server->guard, e->text, err);
}

static kin_err run_forbid(kin__errand *e, kin_error *err)
{
    return kin__guard_set_rules(&e->server->guard, e->text, err);
}

static kin_err run_fault(kin__errand *e, kin_error *err)
{
    return kin__server_add_fault(e->server, e->text, &e->number, err);
}

static kin_err run_end_fault(kin__errand *e, kin_error *err)
{
    return kin__server_end_fault(e->server, e->number, err);
}

static kin_err run_counts(kin__errand *e, kin_error *err)
{
    (void) err;
    kin__server_count(e->server, e->counts);
    return KIN_OK;
}

/* What a refusal is to a caller inside the program. */
static kin_err error_of(const kin__refusal *no, kin_error *err)
{
    kin_err code = no->has_no_memory     ? KIN_ERR_NO_MEMORY
                   : no->code == 404     ? KIN_ERR_NOT_FOUND
                   : no->code == 400     ? KIN_ERR_MALFORMED
                   : no->code == 409     ? KIN_ERR_CONFLICT
                   : no->code / 100 == 5 ? KIN_ERR_SERVER
                                         : KIN_ERR_INVALID;

    if (code == KIN_ERR_NO_MEMORY) {
        return kin__error_no_memory(err);
    }
    (void) kin__error_set(err, code, "%.*s", (int) no->message.len,
                          no->message.len == 0 ? "" : no->message.data);
    err->http_status = no->code;
    return code;
}

static kin_err read_answer(kin__answer *answer, kin_server_answer *out, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin__body_state state = KIN__BODY_MORE;
    int status = answer->status == 0 ? 200 : answer->status;
    kin__body body;

    if (!kin__answer_take_body(answer, &body)) {
        return kin__error_no_memory(err);
    }
    while (state == KIN__BODY_MORE) {
        kin__body_pieces pieces = { .count = 0 };
        state = body.next(body.context, &pieces);
        for (size_t i = 0; i < pieces.count; i++) {
            (void) kin__buf_append_str(&text, pieces.pieces[i]);
        }
    }
    body.release(body.context);
    if (kin__buf_take(&text, &out->body, &out->len, err)) {
        return err->code;
    }
    out->status = status;
    return KIN_OK;
}
