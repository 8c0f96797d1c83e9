/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit/server/reading.h - an engine with objects in it, for tests of reads: requests go in as text,
 * answers come out as text.  Objects are put into the storage as they are.
 */
#ifndef TESTS_UNIT_SERVER_READING_H
#define TESTS_UNIT_SERVER_READING_H

#include <stdio.h>
#include <string.h>

#include "server/record_version.h"
#include "server/serve.h"
#include "unit/server/shelves.h"

#define PROTO "application/vnd.kubernetes.protobuf"
#define PARTIAL "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
#define PARTIAL_LIST "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

typedef struct desk {
    kin__virtual_clock clock;
    shelved s;
    kin__engine engine;
    bool has_waited;    /* of the next requests */
    uint64_t present;   /* of the next requests */
    int status;         /* of the last answer */
    uint32_t wait_ms;   /* of it */
    uint32_t retry_s;   /* of it */
    size_t piece_count; /* of it */
    kin__buf body;      /* of it, terminated beyond its length */
} desk;

/* At revision 1. */
static inline kin_err desk_open(desk *d, kin_error *err)
{
    memset(d, 0, sizeof *d);
    kin__virtual_clock_init(&d->clock, 1000, (kin_time){ 1794830400, 0 });
    kin_err code = shelved_try(&d->s, err);
    d->engine =
        (kin__engine){ .clock = &d->clock.clock, .storage = d->s.storage, .shelf = d->s.shelf };
    return code;
}

static inline void desk_close(desk *d)
{
    kin__buf_fini(&d->body);
    if (d->s.shelf != NULL) {
        shelved_free(&d->s);
    }
}

static inline kin__served *desk_served(const desk *d, const char *group, const char *version,
                                       const char *resource)
{
    kin__served *served =
        kin__shelf_find(d->s.shelf, kin_str_of(group), kin_str_of(version), kin_str_of(resource));
    if (served == NULL) {
        FAIL("no %s in %s/%s", resource, group, version);
    }
    return served;
}

/* Puts an object; `format` has its text with %llu for the revision. */
static inline kin_err desk_try_put(desk *d, const kin__served *served, const char *format,
                                   kin_error *err)
{
    char json[4096];
    uint64_t revision = kin__storage_next_revision(d->s.storage);
    kin_object *object = NULL;
    kin__record *record = NULL;

    const char *mark = strstr(format, "%llu");
    if (mark == NULL) {
        FAIL("no %%llu in %s", format);
    }
    int len = snprintf(json, sizeof json, "%.*s%llu%s", (int) (mark - format), format,
                       (unsigned long long) revision, mark + 4);
    kin_err code = kin_object_from_json(json, (size_t) len, NULL, &object, err);
    if (code != KIN_OK) {
        return code;
    }
    code = kin__record_new(object, kin__record_head_len(served), revision, &record, err);
    if (code != KIN_OK) {
        kin_object_unref(object);
        return code;
    }
    code = kin__collection_put(served->collection, record, err);
    if (code != KIN_OK) {
        kin__record_unref(record);
    }
    return code;
}

static inline void desk_put(desk *d, const kin__served *served, const char *format)
{
    kin_error err;
    if (desk_try_put(d, served, format, &err) != KIN_OK) {
        FAIL("%s: of %s", err.message, format);
    }
}

#define CONFIG_MAP(name, label)                                                                    \
    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                 \
    "\",\"namespace\":\"demo\",\"resourceVersion\":\"%llu\",\"labels\":{\"n\":\"" label "\"}}}"

/* Six config maps of the namespace "demo", c-1 to c-6, at the revisions 2 to 7. */
static inline void desk_put_six(desk *d)
{
    const kin__served *maps = desk_served(d, "", "v1", "configmaps");

    desk_put(d, maps, CONFIG_MAP("c-1", "1"));
    desk_put(d, maps, CONFIG_MAP("c-2", "0"));
    desk_put(d, maps, CONFIG_MAP("c-3", "1"));
    desk_put(d, maps, CONFIG_MAP("c-4", "0"));
    desk_put(d, maps, CONFIG_MAP("c-5", "1"));
    desk_put(d, maps, CONFIG_MAP("c-6", "0"));
}

static inline bool desk_read_body(desk *d, kin__answer *answer)
{
    kin__body body = { 0 };
    kin__body_state state = KIN__BODY_MORE;

    kin__buf_clear(&d->body);
    d->piece_count = 0;
    if (!kin__answer_take_body(answer, &body)) {
        return false;
    }
    while (state == KIN__BODY_MORE) {
        kin__body_pieces pieces = { .count = 0 };
        state = body.next(body.context, &pieces);
        for (size_t i = 0; i < pieces.count; i++) {
            (void) kin__buf_append_str(&d->body, pieces.pieces[i]);
        }
        d->piece_count += pieces.count;
    }
    body.release(body.context);
    (void) kin__buf_append_byte(&d->body, '\0');
    d->body.len--;
    return state == KIN__BODY_END && !kin__buf_failed(&d->body);
}

/* Serves a GET; the status, or 0 when there was no memory. */
static inline int desk_ask(desk *d, const char *accept, const char *target)
{
    kin_str path = kin_str_of(target);
    const char *mark = strchr(target, '?');
    kin_str query = mark == NULL ? STR("") : kin_str_of(mark + 1);
    const kin__manners manners = { kin_str_of(accept), STR("") };
    AUTO(kin__asked_fini)
    kin__asked asked = { .engine = &d->engine,
                         .method = STR("GET"),
                         .has_waited = d->has_waited,
                         .present = d->present };
    AUTO(kin__answer_fini) kin__answer answer = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    path.len = mark == NULL ? path.len : (size_t) (mark - target);
    d->wait_ms = 0;
    if (!kin__route_read(d->s.shelf, asked.method, path, query, &asked.route, &no) ||
        !kin__serve(&asked, query, &manners, &answer, &no)) {
        d->retry_s = no.retry_after_s;
        if (no.has_no_memory) {
            return 0;
        }
        kin__answer_refusal(&no, &asked, manners.accept, &answer);
    }
    if (kin__buf_failed(&answer.bytes)) {
        return 0;
    }
    d->wait_ms = answer.wait_ms;
    d->status = answer.status == 0 ? 200 : answer.status;
    return desk_read_body(d, &answer) ? d->status : 0;
}

static inline void check_answer(desk *d, const char *accept, const char *target, int status,
                                const char *body)
{
    int got = desk_ask(d, accept, target);
    if (got != status) {
        FAIL("%s: %d, not %d: %s", target, got, status, d->body.data);
    }
    ASSERT_STR_EQ(d->body.data, body);
}

/* That the answer is a Status with that message. */
static inline void check_refusal(desk *d, const char *target, int status, const char *message)
{
    char want[1024];

    int got = desk_ask(d, "application/json", target);
    if (got != status) {
        FAIL("%s: %d, not %d: %s", target, got, status, d->body.data);
    }
    (void) snprintf(want, sizeof want, "\"message\":\"%s\"", message);
    ASSERT_CONTAINS(d->body.data, want);
}

/* That the names of the items are these, each with a blank behind it. */
static inline void check_names(desk *d, const char *target, const char *names)
{
    text got = { 0 };

    int status = desk_ask(d, "application/json", target);
    if (status != 200) {
        FAIL("%s: %d: %s", target, status, d->body.data);
    }
    static const char lead[] = "\"metadata\":{\"name\":\"";
    for (const char *at = d->body.data; (at = strstr(at, lead)) != NULL;) {
        at += sizeof lead - 1;
        text_append(&got, "%.*s ", (int) strcspn(at, "\""), at);
    }
    ASSERT_STR_EQ(got.chars, names);
}

#endif /* TESTS_UNIT_SERVER_READING_H */
