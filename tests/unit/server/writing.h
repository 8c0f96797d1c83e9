/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit/server/writing.h - an engine with nobody around it, for tests of writes: requests go in as
 * text, answers come out as text, and time stands still.
 */
#ifndef TESTS_UNIT_SERVER_WRITING_H
#define TESTS_UNIT_SERVER_WRITING_H

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "server/namespaces.h"
#include "server/serve.h"
#include "server/upkeep.h"
#include "support/test.h"

#define JSON "application/json"
#define MERGE "application/merge-patch+json"
#define DEFAULT "/api/v1/namespaces/default"
#define CONFIGMAPS DEFAULT "/configmaps"

typedef struct scene {
    kin__virtual_clock clock;
    kin_loop *loop;
    kin__engine engine;
    int status;     /* of the last answer */
    char *body;     /* of it, terminated, without its newline; owned */
    char *warnings; /* of it, each ended by a newline; owned */
} scene;

/* With the namespace "default", at 2026-11-16T12:00:00Z. */
static inline kin_err scene_open(scene *s, kin_error *err)
{
    const kin_time noon = { 1794830400, 0 };
    const kin__storage_options options = { .first_revision = 1, .history_max = 1000 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    memset(s, 0, sizeof *s);
    kin__virtual_clock_init(&s->clock, 1000, noon);
    if (kin__loop_new_with_clock(NULL, &s->clock.clock, &s->loop, err) ||
        kin__storage_new(&options, &s->engine.storage, err) ||
        kin__shelf_new(s->engine.storage, &s->engine.shelf, err)) {
        return err->code;
    }
    s->engine.loop = s->loop;
    s->engine.clock = &s->clock.clock;
    s->engine.random = 7;
    if (kin__upkeep_new(&s->engine, &s->engine.upkeep, err)) {
        return err->code;
    }
    return kin__namespace_make(&s->engine, STR("default"), &no) ? KIN_OK : KIN_ERR_NO_MEMORY;
}

static inline void scene_close(scene *s)
{
    kin__upkeep_free(s->engine.upkeep);
    if (s->engine.shelf != NULL) {
        kin__shelf_free(s->engine.shelf);
    }
    if (s->engine.storage != NULL) {
        kin__storage_free(s->engine.storage);
    }
    kin_loop_free(s->loop);
    kin__free(s->body);
    kin__free(s->warnings);
}

static inline char *scene_text(const kin__buf *buf)
{
    char *copy = kin__alloc(buf->len + 1);

    if (copy != NULL) {
        memcpy(copy, buf->len == 0 ? "" : buf->data, buf->len);
        copy[buf->len] = '\0';
        if (buf->len > 0 && copy[buf->len - 1] == '\n') {
            copy[buf->len - 1] = '\0';
        }
    }
    return copy;
}

static inline bool scene_read_body(kin__answer *answer, kin__buf *out)
{
    kin__body body = { 0 };
    kin__body_state state = KIN__BODY_MORE;

    if (!kin__answer_take_body(answer, &body)) {
        return false;
    }
    while (state == KIN__BODY_MORE) {
        kin__body_pieces pieces = { .count = 0 };
        state = body.next(body.context, &pieces);
        for (size_t i = 0; i < pieces.count; i++) {
            (void) kin__buf_append_str(out, pieces.pieces[i]);
        }
    }
    body.release(body.context);
    return !kin__buf_failed(out);
}

/* Serves one request; `type` and `body` may be NULL.  Returns the status; 0 when there was no
 * memory to tell it. */
static inline int ask_as(scene *s, const char *accept, const char *method, const char *target,
                         const char *type, kin_str body)
{
    kin_str path = kin_str_of(target);
    const char *mark = strchr(target, '?');
    kin_str query = mark == NULL ? STR("") : kin_str_of(mark + 1);
    const kin__manners manners = { kin_str_of(accept), STR("") };
    AUTO(kin__asked_fini)
    kin__asked asked = {
        .engine = &s->engine,
        .method = kin_str_of(method),
        .content_type = kin_str_of(type),
        .body = body,
        .user_agent = STR("test/1"),
        .query = query,
        .has_waited = true,
    };
    AUTO(kin__answer_fini) kin__answer answer = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__buf_fini) kin__buf bytes = { 0 };
    AUTO(kin__buf_fini) kin__buf warnings = { 0 };

    path.len = mark == NULL ? path.len : (size_t) (mark - target);
    if (!kin__route_read(s->engine.shelf, asked.method, path, query, &asked.route, &no) ||
        !kin__serve(&asked, query, &manners, &answer, &no)) {
        kin__answer_refusal(&no, &asked, manners.accept, &answer);
        if (no.has_no_memory || kin__buf_failed(&answer.bytes)) {
            return 0;
        }
    }
    for (size_t i = 0; i < answer.warning_count; i++) {
        (void) kin__buf_append_str(&warnings, answer.warnings[i]);
        (void) kin__buf_append_byte(&warnings, '\n');
    }
    s->status = answer.status == 0 ? 200 : answer.status;
    kin__free(s->body);
    kin__free(s->warnings);
    s->body = s->warnings = NULL;
    if (!scene_read_body(&answer, &bytes) || kin__buf_failed(&warnings)) {
        return 0;
    }
    s->body = scene_text(&bytes);
    s->warnings = scene_text(&warnings);
    return s->body == NULL || s->warnings == NULL ? 0 : s->status;
}

static inline int ask(scene *s, const char *method, const char *target, const char *type,
                      const char *body)
{
    return ask_as(s, "application/json", method, target, type, kin_str_of(body));
}

/* That an answer has that status, and contains the text. */
#define ASSERT_ANSWER(s, method, target, type, body_, want_status, part)                           \
    do {                                                                                           \
        int got_ = ask(s, method, target, type, body_);                                            \
        if (got_ != (want_status)) {                                                               \
            FAIL("%s %s: %d, not %d: %s", method, target, got_, want_status, (s)->body);           \
        }                                                                                          \
        ASSERT_CONTAINS((s)->body, part);                                                          \
    } while (0)

/* Runs what the server does by itself until there is nothing left to do. */
static inline void settle(scene *s)
{
    for (int i = 0; i < 100 && kin__upkeep_step(&s->engine); i++) {
    }
}

static inline uint64_t revision(const scene *s)
{
    return kin__storage_revision(s->engine.storage);
}

#endif /* TESTS_UNIT_SERVER_WRITING_H */
