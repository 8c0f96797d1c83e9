/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partial.c - objects and lists cut down to their metadata.
 *
 * The protobuf of an object that came in protobuf is its own metadata, copied; that of any other is
 * made of the JSON.
 */
#include "server/partial.h"

#include "base/str.h"
#include "object/encoding.h"
#include "object/object.h"
#include "proto/parse.h"
#include "proto/reader.h"
#include "proto/render.h"
#include "server/codec.h"
#include "server/printer.h"

/* PartialObjectMetadata: 1 metadata.  PartialObjectMetadataList: 1 metadata, 2 items.  ListMeta:
 * 1 selfLink, 2 resourceVersion, 3 continue, 4 remainingItemCount. */
enum {
    FIELD_METADATA = 1,
    FIELD_ITEMS = 2,
    FIELD_SELF_LINK = 1,
    FIELD_VERSION = 2,
    FIELD_CONTINUE = 3,
    FIELD_REMAINING = 4,
};

/* Annotations that a served object has and its metadata alone does not: the API server keeps them
 * as fields of other versions.  From the conversions of pkg/apis/apps/v1 and
 * pkg/apis/autoscaling. */
static const struct {
    kin_str kind;
    kin_str annotation;
} hidden[] = {
    { TEXT("DaemonSet"), TEXT("deprecated.daemonset.template.generation") },
    { TEXT("Deployment"), TEXT("deprecated.deployment.rollback.to") },
    { TEXT("HorizontalPodAutoscaler"), TEXT("autoscaling.alpha.kubernetes.io/metrics") },
    { TEXT("HorizontalPodAutoscaler"), TEXT("autoscaling.alpha.kubernetes.io/current-metrics") },
    { TEXT("HorizontalPodAutoscaler"), TEXT("autoscaling.alpha.kubernetes.io/conditions") },
    { TEXT("HorizontalPodAutoscaler"), TEXT("autoscaling.alpha.kubernetes.io/behavior") },
    { TEXT("HorizontalPodAutoscaler"),
      TEXT("autoscaling.alpha.kubernetes.io/scale-down-tolerance") },
    { TEXT("HorizontalPodAutoscaler"), TEXT("autoscaling.alpha.kubernetes.io/scale-up-tolerance") },
};

static kin_err append_metadata(const kin_object *object, kin__buf *buf, kin_error *err);
static bool is_hidden(const kin_object *object, kin_str annotation);
static bool has_hidden_annotation(const kin_object *object);
static kin_err append_shown(const kin_object *object, kin_value metadata, kin__buf *buf,
                            kin_error *err);
static kin_err append_annotations(const kin_object *object, kin__buf *buf, kin_error *err);
static kin_err begin_member(kin__json_writer *w, kin_value name, kin_error *err);
static kin_err append_in_order(kin_value metadata, kin__buf *buf, kin_error *err);
static kin__pb_message partial_message(void);
static void append_varint(kin__buf *buf, uint64_t value);
static void append_field(kin__buf *buf, uint32_t number, kin_str content);

void kin__list_meta_write(kin__json_writer *w, const kin__list_meta *meta)
{
    kin__json_begin(w, '{');
    if (meta->resource_version.len > 0) {
        kin__json_key(w, STR("resourceVersion"));
        kin__json_string(w, meta->resource_version);
    }
    if (meta->next.len > 0) {
        kin__json_key(w, STR("continue"));
        kin__json_string(w, meta->next);
    }
    if (meta->has_remaining) {
        kin__json_key(w, STR("remainingItemCount"));
        kin__json_write_int64(w, meta->remaining);
    }
    kin__json_end(w, '}');
}

kin_err kin__partial_write(kin__json_writer *w, const kin_object *object, kin_str api_version,
                           kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf metadata = { 0 };
    kin_err code = append_metadata(object, &metadata, err);

    if (code != KIN_OK) {
        return code;
    }
    kin__partial_write_text(w, kin__str(metadata.data, metadata.len), api_version);
    return kin__buf_failed(w->buf) ? kin__error_no_memory(err) : KIN_OK;
}

void kin__partial_write_text(kin__json_writer *w, kin_str metadata, kin_str api_version)
{
    kin__json_begin(w, '{');
    kin__json_key(w, STR("kind"));
    kin__json_string(w, STR("PartialObjectMetadata"));
    kin__json_key(w, STR("apiVersion"));
    kin__json_string(w, api_version);
    kin__json_key(w, STR("metadata"));
    kin__json_raw(w, metadata);
    kin__json_end(w, '}');
}

kin__partial_list kin__partial_list_begin(kin__json_writer *w, kin_str api_version,
                                          const kin__list_meta *meta)
{
    kin__json_begin(w, '{');
    kin__json_key(w, STR("kind"));
    kin__json_string(w, STR("PartialObjectMetadataList"));
    kin__json_key(w, STR("apiVersion"));
    kin__json_string(w, api_version);
    kin__json_key(w, STR("metadata"));
    kin__list_meta_write(w, meta);
    kin__json_key(w, STR("items"));
    return (kin__partial_list){ .w = w, .api_version = api_version };
}

kin_err kin__partial_list_item(kin__partial_list *list, const kin_object *object, kin_error *err)
{
    if (!list->has_items) {
        kin__json_begin(list->w, '[');
        list->has_items = true;
    }
    return kin__partial_write(list->w, object, list->api_version, err);
}

void kin__partial_list_end(kin__partial_list *list)
{
    if (list->has_items) {
        kin__json_end(list->w, ']');
    } else {
        kin__json_null(list->w);
    }
    kin__json_end(list->w, '}');
}

kin_err kin__partial_message(const kin_object *object, kin__buf *buf, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf metadata = { 0 };

    if (object->encoding == KIN__ENCODING_PROTO && !has_hidden_annotation(object)) {
        kin__pb_reader reader = kin__pb_read_str(kin__object_bytes(object));
        kin__pb_field field;
        while (kin__pb_next(&reader, &field)) {
            if (field.number == FIELD_METADATA && field.wire == KIN__PB_LEN) {
                append_field(buf, FIELD_METADATA, kin__pb_content(&field));
                return kin__buf_failed(buf) ? kin__error_no_memory(err) : KIN_OK;
            }
        }
    }
    kin_err code = append_metadata(object, &metadata, err);
    return code != KIN_OK
               ? code
               : kin__partial_message_text(kin__str(metadata.data, metadata.len), buf, err);
}

kin_err kin__partial_message_text(kin_str metadata, kin__buf *buf, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };

    (void) kin__buf_append_str(&json, STR("{\"metadata\":"));
    (void) kin__buf_append_str(&json, metadata);
    (void) kin__buf_append_byte(&json, '}');
    if (kin__buf_failed(&json)) {
        return kin__error_no_memory(err);
    }
    return kin__pb_from_json_in(KIN__CODEC_RELEASE, partial_message(),
                                kin__json_of(kin__str(json.data, json.len)), buf, err);
}

void kin__partial_list_message(const kin__list_meta *meta, kin__buf *buf)
{
    AUTO(kin__buf_fini) kin__buf content = { 0 };

    append_field(&content, FIELD_SELF_LINK, STR(""));
    append_field(&content, FIELD_VERSION, meta->resource_version);
    append_field(&content, FIELD_CONTINUE, meta->next);
    if (meta->has_remaining) {
        append_varint(&content, FIELD_REMAINING << 3 | KIN__PB_VARINT);
        append_varint(&content, (uint64_t) meta->remaining);
    }
    append_field(buf, FIELD_METADATA, kin__str(content.data, content.len));
    buf->has_failed |= kin__buf_failed(&content);
}

kin_err kin__partial_item_message(const kin_object *object, kin__buf *buf, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    kin_err code = kin__partial_message(object, &message, err);

    if (code != KIN_OK) {
        return code;
    }
    append_field(buf, FIELD_ITEMS, kin__str(message.data, message.len));
    return kin__buf_failed(buf) ? kin__error_no_memory(err) : KIN_OK;
}

/* The JSON of the metadata; {} when there is none. */
static kin_err append_metadata(const kin_object *object, kin__buf *buf, kin_error *err)
{
    kin_value metadata = kin_object_at(object, "metadata");

    if (kin_value_type(metadata) != KIN_TYPE_OBJECT) {
        return kin__buf_append_str(buf, STR("{}")) ? KIN_OK : kin__error_no_memory(err);
    }
    if (has_hidden_annotation(object)) {
        return append_shown(object, metadata, buf, err);
    }
    bool is_custom = kin__pb_message_of(kin_object_api_version(object), kin_object_kind(object)) ==
                     KIN__PB_NO_MESSAGE;
    if (is_custom) {
        return append_in_order(metadata, buf, err);
    }
    return kin__encoding_of(metadata)->append_json(metadata, buf, err);
}

static bool is_hidden(const kin_object *object, kin_str annotation)
{
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (kin__str_equal(kin_object_kind(object), hidden[i].kind) &&
            kin__str_equal(annotation, hidden[i].annotation)) {
            return true;
        }
    }
    return false;
}

static bool has_hidden_annotation(const kin_object *object)
{
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (kin__str_equal(kin_object_kind(object), hidden[i].kind) &&
            kin_value_exists(kin_object_annotation(object, hidden[i].annotation))) {
            return true;
        }
    }
    return false;
}

/* The metadata without the annotations that are hidden. */
static kin_err append_shown(const kin_object *object, kin_value metadata, kin__buf *buf,
                            kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf annotations = { 0 };
    kin__json_writer w = { buf, false };
    kin_iter iter = kin_value_iter(metadata);
    kin_err code = append_annotations(object, &annotations, err);

    kin__json_begin(&w, '{');
    while (code == KIN_OK && kin_iter_next(&iter)) {
        bool is_annotations = kin__encoding_of(iter.key)->is_str(iter.key, STR("annotations"));
        if (is_annotations && annotations.len == 0) {
            continue;
        }
        code = begin_member(&w, iter.key, err);
        if (code == KIN_OK && is_annotations) {
            (void) kin__buf_append(buf, annotations.data, annotations.len);
        } else if (code == KIN_OK) {
            code = kin__encoding_of(iter.value)->append_json(iter.value, buf, err);
        }
    }
    kin__json_end(&w, '}');
    if (code != KIN_OK) {
        return code;
    }
    return kin__buf_failed(buf) ? kin__error_no_memory(err) : KIN_OK;
}

/* Nothing when none is left. */
static kin_err append_annotations(const kin_object *object, kin__buf *buf, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf name = { 0 };
    kin__json_writer w = { buf, false };
    kin_iter iter = kin_value_iter(kin_object_annotations(object));
    bool is_empty = true;

    while (kin_iter_next(&iter)) {
        name.len = 0;
        (void) kin__value_append(iter.key, &name);
        if (is_hidden(object, kin__str(name.data, name.len))) {
            continue;
        }
        if (is_empty) {
            kin__json_begin(&w, '{');
        }
        is_empty = false;
        kin_err code = begin_member(&w, iter.key, err);
        if (code == KIN_OK) {
            code = kin__encoding_of(iter.value)->append_json(iter.value, buf, err);
        }
        if (code != KIN_OK) {
            return code;
        }
    }
    if (!is_empty) {
        kin__json_end(&w, '}');
    }
    return kin__buf_failed(&name) || kin__buf_failed(buf) ? kin__error_no_memory(err) : KIN_OK;
}

/* The name of a member; its value is to follow in the buffer. */
static kin_err begin_member(kin__json_writer *w, kin_value name, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    (void) kin__value_append(name, &text);
    kin__json_key(w, kin__str(text.data, text.len));
    w->wants_comma = true;
    return kin__buf_failed(&text) || kin__buf_failed(w->buf) ? kin__error_no_memory(err) : KIN_OK;
}

/* The members of custom resources are sorted, those of their metadata here are in the order of the
 * type.  What the type does not hold stays as it is. */
static kin_err append_in_order(kin_value metadata, kin__buf *buf, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    AUTO(kin__buf_fini) kin__buf whole = { 0 };
    kin__pb_rendering rendering = { .release = KIN__CODEC_RELEASE };
    kin_err code = kin__encoding_of(metadata)->append_json(metadata, &text, err);

    if (code != KIN_OK) {
        return code;
    }
    code = kin__partial_message_text(kin__str(text.data, text.len), &message, err);
    if (code == KIN_OK) {
        code = kin__pb_render(partial_message(), kin__str(message.data, message.len), &rendering,
                              &whole, err);
    }
    if (code == KIN_ERR_NO_MEMORY) {
        return code;
    }
    kin_str json = code == KIN_OK
                       ? kin__json_text(kin__json_member(
                             kin__json_of(kin__str(whole.data, whole.len)), STR("metadata")))
                       : kin__str(text.data, text.len);
    return kin__buf_append_str(buf, json) ? KIN_OK : kin__error_no_memory(err);
}

static kin__pb_message partial_message(void)
{
    return kin__pb_message_of(STR(KIN__META_V1), STR("PartialObjectMetadata"));
}

static void append_varint(kin__buf *buf, uint64_t value)
{
    uint8_t bytes[10];
    size_t len = kin__pb_put_varint(value, bytes);

    (void) kin__buf_append(buf, (const char *) bytes, len);
}

/* A length-delimited field. */
static void append_field(kin__buf *buf, uint32_t number, kin_str content)
{
    append_varint(buf, number << 3 | KIN__PB_LEN);
    append_varint(buf, content.len);
    (void) kin__buf_append_str(buf, content);
}
