/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoding.h - an answer through a decoder, and what came of it as text.
 *
 *     object Pod v1 demo/web-0 41          ADDED Pod v1 demo/web-0 41
 *     BOOKMARK 17 end                      ERROR -43 410 Expired: too old ... (cause)
 *     finished 41 continue=abc remaining=3
 */
#ifndef TESTS_UNIT_API_DECODING_H
#define TESTS_UNIT_API_DECODING_H

#include <string.h>

#include "api/decoder.h"
#include "base/error.h"
#include "base/str.h"
#include "object/object.h"
#include "support/test.h"

#define JSON_TYPE "application/json"
#define PROTO_TYPE "application/vnd.kubernetes.protobuf"

typedef struct decoding {
    /* To be set before. */
    kin__answer answer;
    const char *content_type; /* NULL: JSON */
    const char *api_version;  /* NULL: v1 */
    const char *kind;         /* NULL: ConfigMap */
    bool metadata_only;
    const kin_mask *mask;
    size_t object_bytes;
    size_t step;        /* bytes to a chunk; 0: all in one */
    size_t ends_after;  /* how many calls the handler takes; 0: all */
    kin_object **known; /* objects that are known */
    size_t known_count;
    bool wants_json; /* a line with the JSON of each object */

    /* Afterwards. */
    kin__decoder *decoder;
    text log;
    size_t calls;
    size_t asked; /* how often known() was called */
    size_t kept;  /* how often with success */
    kin_err code;
    kin_error err;
} decoding;

static inline kin_err count_call(decoding *d, kin_error *err)
{
    d->calls++;
    if (d->ends_after != 0 && d->calls >= d->ends_after) {
        return kin__error_set(err, KIN_ERR_CANCELLED, "enough");
    }
    return KIN_OK;
}

static inline void log_object(decoding *d, const char *what, const kin_object *object)
{
    text_append(&d->log, "%s %.*s %.*s %.*s %.*s\n", what, KIN_STR_ARG(kin_object_kind(object)),
                KIN_STR_ARG(kin_object_api_version(object)), KIN_STR_ARG(kin_object_key(object)),
                KIN_STR_ARG(kin_object_resource_version(object)));
    if (d->wants_json) {
        char *json;
        size_t len;
        ASSERT_OK(kin_object_json(object, &json, &len, &d->err));
        text_append(&d->log, "%s\n", json);
        kin_free(json);
    }
}

static inline kin_err on_object(void *context, kin_object *object, kin_error *err)
{
    decoding *d = context;

    log_object(d, "object", object);
    return count_call(d, err);
}

static inline kin_err on_event(void *context, const kin_event *event, kin_error *err)
{
    static const char *const names[] = { "", "ADDED", "MODIFIED", "DELETED" };
    decoding *d = context;

    if (event->type == KIN_EVENT_BOOKMARK) {
        ASSERT_TRUE(event->object == NULL && event->error == NULL);
        text_append(&d->log, "BOOKMARK %.*s%s\n", KIN_STR_ARG(event->resource_version),
                    event->is_initial_end ? " end" : "");
    } else if (event->type == KIN_EVENT_ERROR) {
        const kin__status *status = kin__decoder_status(d->decoder);
        ASSERT_TRUE(event->object == NULL && event->resource_version.len == 0);
        text_append(&d->log, "ERROR %d %d %s: %s (%s)\n", event->error->code,
                    event->error->http_status, event->error->reason, event->error->message,
                    status->cause == NULL ? "" : status->cause);
    } else {
        ASSERT_TRUE(event->error == NULL && !event->is_initial_end);
        ASSERT_TRUE(
            kin_str_equal(event->resource_version, kin_object_resource_version(event->object)));
        log_object(d, names[event->type], event->object);
    }
    return count_call(d, err);
}

static inline kin_object *find_known(void *context, kin_str ns, kin_str name, kin_str uid,
                                     kin_str resource_version)
{
    decoding *d = context;

    d->asked++;
    for (size_t i = 0; i < d->known_count; i++) {
        const kin_object *object = d->known[i];
        if (kin_str_equal(ns, kin_object_namespace(object)) &&
            kin_str_equal(name, kin_object_name(object)) &&
            kin_str_equal(uid, kin_object_uid(object)) &&
            kin_str_equal(resource_version, kin_object_resource_version(object))) {
            d->kept++;
            return kin_object_ref(object);
        }
    }
    return NULL;
}

static inline void feed_all(decoding *d, kin_str bytes)
{
    size_t step = d->step == 0 ? bytes.len : d->step;

    for (size_t at = 0; at < bytes.len && d->code == KIN_OK; at += step) {
        size_t left = bytes.len - at;
        d->code =
            kin__decoder_feed(d->decoder, bytes.data + at, left < step ? left : step, &d->err);
    }
    if (d->code == KIN_OK) {
        d->code = kin__decoder_finish(d->decoder, &d->err);
    }
}

/* Leaves the decoder to be freed with end_decoding(). */
static inline void begin_decoding(decoding *d, kin_str bytes)
{
    kin__decoder_options options = {
        .answer = d->answer,
        .content_type = kin_str_of(d->content_type == NULL ? JSON_TYPE : d->content_type),
        .api_version = d->api_version == NULL ? "v1" : d->api_version,
        .kind = d->kind == NULL ? "ConfigMap" : d->kind,
        .metadata_only = d->metadata_only,
        .mask = d->mask,
        .object_bytes = d->object_bytes,
        .handler = { d, on_object, on_event, d->known != NULL ? find_known : NULL },
    };

    d->calls = d->asked = d->kept = 0;
    text_clear(&d->log);
    d->decoder = NULL;
    d->code = kin__decoder_new(&options, &d->decoder, &d->err);
    if (d->code == KIN_OK) {
        feed_all(d, bytes);
    }
    if (d->code == KIN_OK && d->answer != KIN__ANSWER_WATCH) {
        kin__list_facts facts = kin__decoder_facts(d->decoder);
        text_append(&d->log, "finished");
        if (facts.resource_version != NULL) {
            text_append(&d->log, " %s", facts.resource_version);
        }
        if (facts.continue_token != NULL) {
            text_append(&d->log, " continue=%.4s", facts.continue_token);
        }
        if (facts.remaining >= 0) {
            text_append(&d->log, " remaining=%lld", (long long) facts.remaining);
        }
        text_append(&d->log, "\n");
    }
}

static inline void end_decoding(decoding *d)
{
    kin__decoder_free(d->decoder);
    d->decoder = NULL;
}

/* The log; the decoding must succeed. */
static inline const char *decode(decoding *d, kin_str bytes)
{
    begin_decoding(d, bytes);
    end_decoding(d);
    if (d->code != KIN_OK) {
        FAIL("%s", d->err.message);
    }
    return d->log.chars;
}

static inline const char *decode_file(decoding *d, const char *name)
{
    size_t len;
    char *bytes = read_fixture(name, &len);
    const char *log = decode(d, kin__str(bytes, len));

    free_fixture(bytes);
    return log;
}

/* The message; the decoding must fail with `code`. */
static inline const char *fail_decoding(decoding *d, kin_str bytes, kin_err code)
{
    begin_decoding(d, bytes);
    end_decoding(d);
    ASSERT_ERR(d->code, code);
    return d->err.message;
}

static inline const char *fail_decoding_file(decoding *d, const char *name, kin_err code)
{
    size_t len;
    char *bytes = read_fixture(name, &len);
    const char *message = fail_decoding(d, kin__str(bytes, len), code);

    free_fixture(bytes);
    return message;
}

#endif /* TESTS_UNIT_API_DECODING_H */
