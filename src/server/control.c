/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - what a test does to the server over HTTP, below /kin/.
 *
 *   GET /kin/faults           the faults, and how often each was met
 *   POST /kin/faults          adds one; {"id":N}
 *   DELETE /kin/faults[/N]    ends one, or all
 *   POST /kin/compact[/R]     forgets history up to R, or up to now
 *   POST /kin/bookmark        a bookmark for every watch
 *   PUT /kin/token            the token from now on: the body, as it is
 *   PUT /kin/rules            what is forbidden
 *   GET /kin/counts           what the server has done
 *
 * Nobody is asked who they are here: a test that has changed the token must find its way back.
 */
#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "server/server_state.h"

typedef bool (*control_fn)(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                           kin__refusal *no);

static bool list_faults(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                        kin__refusal *no);
static bool add_fault(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                      kin__refusal *no);
static bool end_faults(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                       kin__refusal *no);
static bool compact(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                    kin__refusal *no);
static bool bookmark(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                     kin__refusal *no);
static bool set_token(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                      kin__refusal *no);
static bool set_rules(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                      kin__refusal *no);
static bool tell_counts(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                        kin__refusal *no);
static bool refuse_error(const kin_error *err, kin__refusal *no);
static bool say_done(kin__answer *answer);
static bool read_number(kin_str text, uint64_t *out);

static const struct control {
    const char *method;
    const char *path;
    control_fn serve;
} controls[] = {
    { "GET", "/kin/faults", list_faults },   { "POST", "/kin/faults", add_fault },
    { "DELETE", "/kin/faults", end_faults }, { "POST", "/kin/compact", compact },
    { "POST", "/kin/bookmark", bookmark },   { "PUT", "/kin/token", set_token },
    { "PUT", "/kin/rules", set_rules },      { "GET", "/kin/counts", tell_counts },
};

bool kin__control_serves(kin_str path)
{
    return kin__str_starts_with(path, STR("/kin/"));
}

bool kin__control(kin_server *server, kin_str method, kin_str path, kin_str body,
                  kin__answer *answer, kin__refusal *no)
{
    bool is_known = false;

    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        kin_str begin = kin_str_of(controls[i].path);
        if (!kin__str_starts_with(path, begin) ||
            (path.len > begin.len && path.data[begin.len] != '/')) {
            continue;
        }
        is_known = true;
        if (kin__str_equal(method, kin_str_of(controls[i].method))) {
            size_t skip = path.len > begin.len ? begin.len + 1 : begin.len;
            answer->content_type = "application/json";
            return controls[i].serve(server, kin__str(path.data + skip, path.len - skip), body,
                                     answer, no);
        }
    }
    return is_known ? kin__refuse_method(no) : kin__refuse_unknown(no);
}

static bool list_faults(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                        kin__refusal *no)
{
    kin__json_writer w = { &answer->bytes, false };

    (void) rest;
    (void) body;
    kin__faults_write(&server->faults, &w);
    return kin__buf_append_byte(&answer->bytes, '\n') || kin__refuse_no_memory(no);
}

static bool add_fault(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                      kin__refusal *no)
{
    uint64_t id = 0;
    kin_error err;

    (void) rest;
    if (kin__server_add_fault(server, body, &id, &err)) {
        return refuse_error(&err, no);
    }
    answer->status = 201;
    return kin__buf_append_format(&answer->bytes, "{\"id\":%" PRIu64 "}\n", id) ||
           kin__refuse_no_memory(no);
}

static bool end_faults(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                       kin__refusal *no)
{
    uint64_t id = 0;
    kin_error err;

    (void) body;
    if (rest.len > 0 && (!read_number(rest, &id) || id == 0)) {
        return kin__refuse_unknown(no);
    }
    if (kin__server_end_fault(server, id, &err)) {
        return refuse_error(&err, no);
    }
    return say_done(answer) || kin__refuse_no_memory(no);
}

static bool compact(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                    kin__refusal *no)
{
    uint64_t revision = 0;

    (void) body;
    if (rest.len > 0 && !read_number(rest, &revision)) {
        return kin__refuse_unknown(no);
    }
    kin__server_compact(server, revision);
    return say_done(answer) || kin__refuse_no_memory(no);
}

static bool bookmark(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                     kin__refusal *no)
{
    (void) rest;
    (void) body;
    kin__watchers_bookmark(server->engine.watchers);
    return say_done(answer) || kin__refuse_no_memory(no);
}

static bool set_token(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                      kin__refusal *no)
{
    kin_error err;

    (void) rest;
    if (kin__guard_set_token(&server->guard, body, &err)) {
        return refuse_error(&err, no);
    }
    return say_done(answer) || kin__refuse_no_memory(no);
}

static bool set_rules(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                      kin__refusal *no)
{
    kin_error err;

    (void) rest;
    if (kin__guard_set_rules(&server->guard, body, &err)) {
        return refuse_error(&err, no);
    }
    return say_done(answer) || kin__refuse_no_memory(no);
}

static bool tell_counts(kin_server *server, kin_str rest, kin_str body, kin__answer *answer,
                        kin__refusal *no)
{
    kin_server_counts counts;

    (void) rest;
    (void) body;
    kin__server_count(server, &counts);
    return kin__buf_append_format(
               &answer->bytes,
               "{\"connections\":%" PRIu64 ",\"requests\":%" PRIu64 ",\"watches\":%" PRIu64
               ",\"events\":%" PRIu64 ",\"bytes_out\":%" PRIu64 ",\"objects\":%" PRIu64
               ",\"changes\":%" PRIu64 ",\"revision\":%" PRIu64 "}\n",
               counts.connections, counts.requests, counts.watches, counts.events, counts.bytes_out,
               counts.objects, counts.changes, kin__storage_revision(server->engine.storage)) ||
           kin__refuse_no_memory(no);
}

static bool refuse_error(const kin_error *err, kin__refusal *no)
{
    if (err->code == KIN_ERR_NO_MEMORY) {
        return kin__refuse_no_memory(no);
    }
    if (err->code == KIN_ERR_NOT_FOUND) {
        return kin__refuse(no, 404, "NotFound", "%s", err->message);
    }
    return kin__refuse_bad_request(no, "%s", err->message);
}

static bool say_done(kin__answer *answer)
{
    return kin__buf_append_str(&answer->bytes, STR("{}\n"));
}

static bool read_number(kin_str text, uint64_t *out)
{
    uint64_t number = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || i > 18) {
            return false;
        }
        number = number * 10 + (uint64_t) (text.data[i] - '0');
    }
    *out = number;
    return text.len > 0;
}
