/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peek.c - what an object says of itself, before it is made.
 */
#include "api/peek.h"

#include "base/str.h"
#include "json/cursor.h"
#include "json/string.h"
#include "proto/reader.h"

#define END_ANNOTATION STR("k8s.io/initial-events-end")

/* The fields of protobuf: k8s.io/apimachinery, meta/v1/generated.proto.  Every kind has its
 * metadata in field 1. */
enum {
    OBJECT_METADATA = 1,
    META_NAME = 1,
    META_NAMESPACE = 3,
    META_UID = 5,
    META_RESOURCE_VERSION = 6,
    META_ANNOTATIONS = 12,
    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,
};

static kin__json find_metadata(kin_str object);
static bool find_metadata_message(kin_str message, kin_str *out);
static bool has_end_annotation(kin__json metadata);
static bool is_end_entry(kin_str entry);
static kin_str content_of(const kin__pb_field *field);

bool kin__peek_from_json(kin_str object, kin__peek *out)
{
    kin__json_iter member = kin__json_walk(find_metadata(object));
    const struct {
        kin_str name;
        kin_str *to;
    } wanted[] = {
        { STR("name"), &out->name },
        { STR("namespace"), &out->ns },
        { STR("uid"), &out->uid },
        { STR("resourceVersion"), &out->resource_version },
    };

    *out = (kin__peek){ .ns = STR("") };
    while (kin__json_next(&member)) {
        for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
            if (kin__str_equal(member.key, wanted[i].name)) {
                *wanted[i].to = kin__json_raw_string(member.value);
                break;
            }
        }
    }
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (kin__json_has_escapes(*wanted[i].to)) {
            return false;
        }
    }
    return out->name.len > 0 && out->uid.len > 0 && out->resource_version.len > 0;
}

bool kin__peek_from_protobuf(kin_str message, kin__peek *out)
{
    kin__pb_field field;
    kin_str metadata;

    *out = (kin__peek){ .ns = STR("") };
    if (!find_metadata_message(message, &metadata)) {
        return false;
    }
    kin__pb_reader reader = kin__pb_read(metadata.data, metadata.len);
    while (kin__pb_next(&reader, &field)) {
        if (field.number == META_NAME) {
            out->name = content_of(&field);
        } else if (field.number == META_NAMESPACE) {
            out->ns = content_of(&field);
        } else if (field.number == META_UID) {
            out->uid = content_of(&field);
        } else if (field.number == META_RESOURCE_VERSION) {
            out->resource_version = content_of(&field);
        }
    }
    return reader.fault == NULL && out->name.len > 0 && out->uid.len > 0 &&
           out->resource_version.len > 0;
}

bool kin__bookmark_from_json(kin_str object, kin__bookmark *out)
{
    kin__json metadata = kin__json_member(kin__json_of(object), STR("metadata"));

    out->resource_version =
        kin__json_raw_string(kin__json_member(metadata, STR("resourceVersion")));
    out->is_initial_end = has_end_annotation(metadata);
    return out->resource_version.len > 0 && !kin__json_has_escapes(out->resource_version);
}

bool kin__bookmark_from_protobuf(kin_str message, kin__bookmark *out)
{
    kin__pb_field field;
    kin_str metadata;

    *out = (kin__bookmark){ .is_initial_end = false };
    if (!find_metadata_message(message, &metadata)) {
        return false;
    }
    kin__pb_reader reader = kin__pb_read(metadata.data, metadata.len);
    while (kin__pb_next(&reader, &field)) {
        if (field.number == META_RESOURCE_VERSION) {
            out->resource_version = content_of(&field);
        } else if (field.number == META_ANNOTATIONS && is_end_entry(content_of(&field))) {
            out->is_initial_end = true;
        }
    }
    return reader.fault == NULL && out->resource_version.len > 0;
}

static kin__json find_metadata(kin_str object)
{
    kin__json_iter member = kin__json_walk(kin__json_of(object));

    while (kin__json_next(&member)) {
        if (kin__str_equal(member.key, STR("metadata"))) {
            return member.value;
        }
    }
    return (kin__json){ NULL, NULL };
}

static bool find_metadata_message(kin_str message, kin_str *out)
{
    kin__pb_reader reader = kin__pb_read(message.data, message.len);
    kin__pb_field field;

    while (kin__pb_next(&reader, &field)) {
        if (field.number == OBJECT_METADATA && field.wire == KIN__PB_LEN) {
            *out = content_of(&field);
            return true;
        }
    }
    return false;
}

static bool has_end_annotation(kin__json metadata)
{
    kin__json annotations = kin__json_member(metadata, STR("annotations"));
    kin__json value = kin__json_member(annotations, END_ANNOTATION);

    return kin__json_type(value) == KIN_TYPE_STRING &&
           kin__json_string_equals(kin__json_raw_string(value), STR("true"));
}

static bool is_end_entry(kin_str entry)
{
    kin__pb_reader reader = kin__pb_read(entry.data, entry.len);
    kin__pb_field field;
    kin_str key = STR("");
    kin_str value = STR("");

    while (kin__pb_next(&reader, &field)) {
        if (field.number == ENTRY_KEY) {
            key = content_of(&field);
        } else if (field.number == ENTRY_VALUE) {
            value = content_of(&field);
        }
    }
    return kin__str_equal(key, END_ANNOTATION) && kin__str_equal(value, STR("true"));
}

/* Empty for what has no content. */
static kin_str content_of(const kin__pb_field *field)
{
    return kin__str((const char *) field->bytes, field->len);
}
