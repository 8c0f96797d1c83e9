/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.c - reading what is asked, choosing who serves it, and refusals as answers.
 *
 * The order in which things are looked at is the real server's, because of two that are wrong it
 * names the first: is there such a resource, can its form be served, are its parameters right.
 */
#include "server/serve.h"

#include "base/alloc.h"
#include "base/str.h"
#include "server/kubelet.h"
#include "server/mend.h"
#include "server/write.h"
#include "server/write_options.h"

typedef bool (*verb_fn)(kin__asked *asked, kin__answer *answer, kin__refusal *no);

/* A body that lies in one buffer. */
typedef struct whole {
    kin__buf bytes;
} whole;

static bool warn_of_age(const kin__served *served, kin__answer *answer, kin__refusal *no);
static verb_fn verb_of(kin__deed deed);
static kin__body_state whole_next(void *context, kin__body_pieces *out);
static void whole_release(void *context);

bool kin__serve(kin__asked *asked, kin_str query, const kin__manners *manners, kin__answer *answer,
                kin__refusal *no)
{
    const kin__route *route = &asked->route;
    AUTO(kin__refusal_fini) kin__refusal about_params = { 0 };
    AUTO(kin__buf_fini) kin__buf mended = { 0 };
    verb_fn verb = kin__kubelet_serves(route) ? kin__serve_kubelet : verb_of(route->deed);

    asked->query = query;
    asked->accept = manners->accept;

    if (!kin__route_check(asked->engine->shelf, route, no)) {
        return false;
    }
    if (verb != NULL && !warn_of_age(route->served, answer, no)) {
        return false;
    }
    bool has_params = kin__params_read(route->deed, query, &asked->params, &about_params);
    if (!kin__form_choose(route->served, route->deed, manners->accept, manners->accept_encoding,
                          asked->user_agent, &asked->params, &asked->form, no)) {
        return false;
    }
    if (!has_params) {
        *no = about_params;
        about_params = (kin__refusal){ 0 };
        return false;
    }
    if (route->is_old_watch && route->name.len > 0 &&
        !kin__params_narrow(&asked->params, route->name, no)) {
        return false;
    }
    if (verb == NULL) {
        return kin__refuse_method(no);
    }
    if (kin__body_type_of(asked->content_type) != KIN__BODY_PROTOBUF) {
        asked->body = kin__mend(asked->body, &mended);
    }
    bool is_served =
        !kin__buf_failed(&mended) ? verb(asked, answer, no) : kin__refuse_no_memory(no);
    asked->body = STR("");
    return is_served;
}

void kin__asked_fini(kin__asked *asked)
{
    kin__node_free(asked->claims);
    kin__node_free(asked->persona);
    kin__buf_fini(&asked->protocols);
    kin__route_fini(&asked->route);
    kin__params_fini(&asked->params);
}

void kin__answer_refusal(kin__refusal *no, const kin__asked *asked, kin_str accept,
                         kin__answer *answer)
{
    kin__form form =
        kin__form_of_refusal(accept, asked->user_agent, kin__params_pretty(asked->query));

    kin__answer_reset(answer);
    answer->status = no->code;
    if (no->is_text) {
        answer->content_type = "text/plain; charset=utf-8";
        (void) kin__buf_append(&answer->bytes, no->message.data, no->message.len);
        return;
    }
    if (form.encoding == KIN__FORM_PROTO && !no->is_pretty) {
        answer->content_type = "application/vnd.kubernetes.protobuf";
        (void) kin__refusal_write_proto(no, &answer->bytes);
        return;
    }
    no->is_pretty = no->is_pretty || form.is_pretty;
    answer->content_type = "application/json";
    if (kin__refusal_write_json(no, &answer->bytes) && !no->is_pretty) {
        (void) kin__buf_append_byte(&answer->bytes, '\n');
    }
}

bool kin__answer_take_body(kin__answer *answer, kin__body *out)
{
    if (answer->body.next != NULL) {
        *out = answer->body;
        answer->body = (kin__body){ 0 };
        return true;
    }
    whole *all = kin__alloc_zero(1, sizeof *all);
    if (all == NULL) {
        return false;
    }
    all->bytes = answer->bytes;
    answer->bytes = (kin__buf){ 0 };
    *out = (kin__body){ whole_next, whole_release, all };
    return true;
}

/* Of versions that are on their way out. */
static bool warn_of_age(const kin__served *served, kin__answer *answer, kin__refusal *no)
{
    return served == NULL || served->warning.len == 0 ||
           kin__answer_warn(answer, served->warning) || kin__refuse_no_memory(no);
}

static verb_fn verb_of(kin__deed deed)
{
    switch (deed) {
    case KIN__DEED_PATH:
        return kin__serve_path;
    case KIN__DEED_GET:
        return kin__serve_get;
    case KIN__DEED_LIST:
        return kin__serve_list;
    case KIN__DEED_WATCH:
        return kin__serve_watch;
    case KIN__DEED_CREATE:
        return kin__serve_create;
    case KIN__DEED_UPDATE:
        return kin__serve_update;
    case KIN__DEED_PATCH:
        return kin__serve_patch;
    case KIN__DEED_DELETE:
        return kin__serve_delete;
    case KIN__DEED_DELETE_COLLECTION:
        return kin__serve_delete_collection;
    case KIN__DEED_NONE:
    default:
        return NULL;
    }
}

static kin__body_state whole_next(void *context, kin__body_pieces *out)
{
    whole *all = context;

    out->pieces[out->count++] = kin__str(all->bytes.data, all->bytes.len);
    return KIN__BODY_END;
}

static void whole_release(void *context)
{
    whole *all = context;

    kin__buf_fini(&all->bytes);
    kin__free(all);
}
