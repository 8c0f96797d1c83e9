/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_making.h - objects out of protobuf, and their twins out of JSON.
 *
 * Twins say the same: one was made of the JSON, the other of the message that a server would have
 * sent for it.
 */
#ifndef TESTS_UNIT_OBJECT_PROTO_MAKING_H
#define TESTS_UNIT_OBJECT_PROTO_MAKING_H

#include <stdio.h>

#include "base/buf.h"
#include "base/str.h"
#include "object/object.h"
#include "proto/parse.h"
#include "unit/object/making.h"
#include "unit/proto/wire.h"

typedef struct twins {
    kin_object *json;
    kin_object *proto;
} twins;

/* Of a message without an envelope. */
static inline kin_object *make_proto(const char *api_version, const char *kind, kin_str message,
                                     const kin_mask *mask)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    kin_error err;

    options.api_version = api_version;
    options.kind = kind;
    options.mask = mask;
    if (kin_object_from_protobuf(message.data, message.len, &options, &object, &err) != KIN_OK) {
        FAIL("%s: of a %s", err.message, kind);
    }
    return object;
}

/* The message of an object that is written as JSON, with its kind and apiVersion. */
static inline kin__buf message_of(const char *json)
{
    kin_object *object = make(json);
    kin__pb_message message =
        kin__pb_message_of(kin_object_api_version(object), kin_object_kind(object));
    kin__buf out = { 0 };
    kin_error err;

    if (kin__pb_from_json(message, kin__json_of(kin_str_of(json)), &out, &err) != KIN_OK) {
        FAIL("%s: of %s", err.message, json);
    }
    kin_object_unref(object);
    return out;
}

static inline kin_object *proto_of(const char *json, const kin_mask *mask)
{
    kin__buf message = message_of(json);
    kin_object *named = make(json);
    char api_version[64];
    char kind[64];

    (void) snprintf(api_version, sizeof api_version, "%.*s",
                    KIN_STR_ARG(kin_object_api_version(named)));
    (void) snprintf(kind, sizeof kind, "%.*s", KIN_STR_ARG(kin_object_kind(named)));
    kin_object *object = make_proto(api_version, kind, kin__str(message.data, message.len), mask);
    kin_object_unref(named);
    kin__buf_fini(&message);
    return object;
}

static inline twins make_twins(const char *json, const kin_mask *mask)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;

    options.mask = mask;
    return (twins){ .json = make_with(json, &options), .proto = proto_of(json, mask) };
}

static inline void drop_twins(twins t)
{
    kin_object_unref(t.json);
    kin_object_unref(t.proto);
}

/* Both answer with the same JSON, or are both missing. */
static inline void check_same(kin_value got, kin_value want, const char *where)
{
    static text shown_got, shown_want;
    bool is_equal = false;

    ASSERT_OK(kin_value_equal(got, want, &is_equal));
    if (!is_equal) {
        text_clear(&shown_got);
        text_clear(&shown_want);
        append_value(&shown_got, got);
        append_value(&shown_want, want);
        FAIL("%s: got %s, wanted %s", where, shown_got.chars, shown_want.chars);
    }
}

static inline void check_same_str(kin_str got, kin_str want, const char *what)
{
    if (!kin__str_equal(got, want)) {
        FAIL("%s: got \"%.*s\", wanted \"%.*s\"", what, KIN_STR_ARG(got), KIN_STR_ARG(want));
    }
}

/* Strings of twins: what they say, and that no more is written than was announced. */
static inline void check_same_text(kin_value got, kin_value want, const char *where)
{
    char got_scratch[4096];
    char want_scratch[4096];
    size_t size = kin_value_scratch_size(got);
    kin_str got_text;
    kin_str want_text;

    ASSERT_TRUE(size <= sizeof got_scratch);
    ASSERT_OK(kin_value_str(want, want_scratch, sizeof want_scratch, &want_text));
    ASSERT_OK(kin_value_str(got, got_scratch, size, &got_text));
    check_same_str(got_text, want_text, where);
    if (size > 0) {
        ASSERT_ERR(kin_value_str(got, got_scratch, size - 1, &got_text), KIN_ERR_RANGE);
    }
}

/* A pod with that metadata. */
static inline wire pod_with(const wire *metadata)
{
    wire message = { 0 };
    wire_put(&message, 1, metadata);
    return message;
}

static inline kin_object *make_pod(const wire *metadata)
{
    wire message = pod_with(metadata);
    return make_proto("v1", "Pod", kin__str(message.bytes, message.len), NULL);
}

/* An entry of a map. */
static inline void put_entry(wire *w, uint32_t number, const char *key, const char *value)
{
    wire entry = { 0 };
    wire_text(&entry, 1, key);
    wire_text(&entry, 2, value);
    wire_put(w, number, &entry);
}

/* That no pod can be made of the message. */
static inline void check_no_pod(const wire *message, kin_err code, const char *words)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    kin_error err;

    options.api_version = "v1";
    options.kind = "Pod";
    ASSERT_ERR(kin_object_from_protobuf(message->bytes, message->len, &options, &object, &err),
               code);
    ASSERT_MESSAGE(&err, words);
    ASSERT_TRUE(object == NULL);
}

/* An object named "n" of that kind, with `field` (NULL: none) as its field `number`. */
static inline kin_object *object_of(const char *api_version, const char *kind, uint32_t number,
                                    const wire *field)
{
    wire metadata = { 0 };
    wire message = { 0 };

    wire_text(&metadata, 1, "n");
    wire_put(&message, 1, &metadata);
    if (field != NULL) {
        wire_put(&message, number, field);
    }
    return make_proto(api_version, kind, kin__str(message.bytes, message.len), NULL);
}

static inline kin_object *pod_of(const wire *spec)
{
    return object_of("v1", "Pod", 2, spec);
}

static inline void check_at(const kin_object *object, const char *path, const char *want)
{
    text t = { 0 };

    append_value(&t, kin_object_at(object, path));
    ASSERT_STR_EQ(t.chars, want);
}

/* Missing, and because of the bytes; then there is no JSON of the object either. */
static inline void check_faulty(const kin_object *object, const char *path)
{
    kin_value value = kin_object_at(object, path);
    kin_path *compiled = NULL;
    char *json = NULL;
    size_t len;
    bool b;

    ASSERT_FALSE(kin_value_exists(value));
    ASSERT_ERR(kin_value_bool(value, &b), KIN_ERR_MALFORMED);
    ASSERT_ERR(kin_value_bool(kin_value_at(value, "x.y"), &b), KIN_ERR_MALFORMED);
    ASSERT_OK(kin_path_new(path, &compiled, NULL));
    ASSERT_ERR(kin_value_bool(kin_object_at_path(object, compiled), &b), KIN_ERR_MALFORMED);
    kin_path_free(compiled);
    ASSERT_ERR(kin_object_json(object, &json, &len, NULL), KIN_ERR_MALFORMED);
    ASSERT_TRUE(json == NULL);
}

/* With no more scratch than it asks for. */
static inline void check_text_at(const kin_object *object, const char *path, const char *want)
{
    char scratch[100];
    kin_str got;
    kin_value value = kin_object_at(object, path);
    size_t size = kin_value_scratch_size(value);

    ASSERT_TRUE(size <= sizeof scratch);
    ASSERT_OK(kin_value_str(value, scratch, size, &got));
    ASSERT_SLICE_EQ(got, want);
}

#endif /* TESTS_UNIT_OBJECT_PROTO_MAKING_H */
