/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_build.c - from protobuf bytes to an object.
 *
 * An envelope is taken off; what it said of the kind goes among the object's strings, and the
 * message is kept, less what the mask leaves out.  Only the metadata is looked into: all
 * below is read, and found wrong, when it is asked for.
 */
#include "object/object.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "object/encoding.h"
#include "object/proto_build_find.h"
#include "proto/copy.h"
#include "proto/envelope.h"

/* Places are 32 bits wide; what the object has beside the bytes is checked when it is known. */
#define BYTES_MAX (UINT32_MAX - 65536u)

/* Where the parts of an object come to lie, from its first byte. */
typedef struct layout {
    uint32_t key;
    uint32_t kind;
    uint32_t api_version;
    uint32_t bytes;
    uint32_t bytes_len;
} layout;

/* What an object is made of, and where its bytes begin. */
typedef struct source {
    const kin__pb_item *item;
    const kin__pb_known *known;
    uint32_t bytes;
    kin__pb_gap gap; /* that was mapped last */
} source;

static kin_err open_item(const void *bytes, size_t len, const kin_object_options *options,
                         kin__pb_item *out, kin_error *err);
static kin_err make(const kin__pb_item *item, kin__pb_message message,
                    const kin_object_options *options, kin_object **out, kin_error *err);
static kin_err plan_layout(const kin__pb_item *item, const kin__pb_known *known, layout *out,
                           kin_error *err);
static uint32_t key_len(const kin__pb_known *known);
static void fill_header(kin_object *object, source *from, kin__pb_message message,
                        const layout *plan);
static void fill_labels(kin_object *object, source *from);
static void fill_strings(kin_object *object, const kin__pb_item *item, const kin__pb_known *known);
static char *put(char *out, kin_str text);
static uint32_t map(source *from, const void *at);

kin_err kin_object_from_protobuf(const void *bytes, size_t len, const kin_object_options *options,
                                 kin_object **out, kin_error *err)
{
    kin_error unwanted;
    kin_object_options ours;
    kin__pb_item item = { 0 };
    err = kin__error_or(err, &unwanted);

    if (kin__options_read(&ours, sizeof ours, options, "kin_object_options", err) != KIN_OK ||
        open_item(bytes, len, &ours, &item, err) != KIN_OK ||
        kin__object_from_message(&item, kin__pb_message_of(item.api_version, item.kind), &ours, out,
                                 err) != KIN_OK) {
        return kin__error_prefix(err, "object from protobuf");
    }
    return KIN_OK;
}

kin_err kin__object_from_message(const kin__pb_item *item, kin__pb_message message,
                                 const kin_object_options *options, kin_object **out,
                                 kin_error *err)
{
    if (message == KIN__PB_NO_MESSAGE) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND,
                              "no protobuf is known for kind \"%.*s\" of \"%.*s\": ask for JSON",
                              KIN_STR_ARG(item->kind), KIN_STR_ARG(item->api_version));
    }
    if (item->bytes.len > BYTES_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "%zu bytes are too many", item->bytes.len);
    }
    return make(item, message, options, out, err);
}

/* Takes the envelope off, if there is one. */
static kin_err open_item(const void *bytes, size_t len, const kin_object_options *options,
                         kin__pb_item *out, kin_error *err)
{
    kin_str all = { bytes, len };
    kin__pb_envelope envelope = { .message = all };

    if (kin__str_starts_with(all, kin__str(KIN__PB_MAGIC, KIN__PB_MAGIC_LEN))) {
        if (kin__pb_envelope_parse(all, 0, &envelope, err) != KIN_OK) {
            return err->code;
        }
    } else if (options->kind == NULL || options->api_version == NULL) {
        return kin__error_set(err, KIN_ERR_MALFORMED,
                              "expected \"k8s\" and a zero at byte 0: without this envelope the "
                              "options have to say what it is");
    }
    *out = (kin__pb_item){
        .api_version = envelope.api_version,
        .kind = envelope.kind,
        .bytes = envelope.message,
        .offset = (uint64_t) (envelope.message.data - all.data),
    };
    if (out->kind.len == 0) {
        out->kind = kin_str_of(options->kind);
    }
    if (out->api_version.len == 0) {
        out->api_version = kin_str_of(options->api_version);
    }
    return KIN_OK;
}

static kin_err make(const kin__pb_item *item, kin__pb_message message,
                    const kin_object_options *options, kin_object **out, kin_error *err)
{
    AUTO(kin__pb_known_fini) kin__pb_known known;
    layout plan = { 0 };

    if (kin__pb_find(item, message, options, &known, err) != KIN_OK ||
        plan_layout(item, &known, &plan, err) != KIN_OK) {
        return err->code;
    }
    kin_object *object = kin__alloc(plan.bytes + (size_t) plan.bytes_len);
    if (object == NULL) {
        return kin__error_no_memory(err);
    }
    source from = { .item = item, .known = &known, .bytes = plan.bytes };
    fill_header(object, &from, message, &plan);
    fill_labels(object, &from);
    fill_strings(object, item, &known);
    kin__pb_edits_copy(&known.edits, item->bytes, (char *) object + plan.bytes);
    *out = object;
    return KIN_OK;
}

static kin_err plan_layout(const kin__pb_item *item, const kin__pb_known *known, layout *out,
                           kin_error *err)
{
    uint64_t key = sizeof(kin_object) + known->label_count * sizeof(kin__label);
    uint64_t kind = key + key_len(known);
    uint64_t api_version = kind + item->kind.len;
    uint64_t bytes = api_version + item->api_version.len;
    uint64_t bytes_len = item->bytes.len - known->edits.removed;

    if (bytes + bytes_len > UINT32_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "it would be %llu bytes long",
                              (unsigned long long) (bytes + bytes_len));
    }
    *out = (layout){
        .key = (uint32_t) key,
        .kind = (uint32_t) kind,
        .api_version = (uint32_t) api_version,
        .bytes = (uint32_t) bytes,
        .bytes_len = (uint32_t) bytes_len,
    };
    return KIN_OK;
}

static uint32_t key_len(const kin__pb_known *known)
{
    size_t before = known->in_namespace.len > 0 ? known->in_namespace.len + 1 : 0;
    return (uint32_t) (before + known->name.len);
}

static void fill_header(kin_object *object, source *from, kin__pb_message message,
                        const layout *plan)
{
    const kin__pb_known *known = from->known;
    const kin__pb_item *item = from->item;

    /* All members are here, so that the compiler need not clear it first. */
    *object = (kin_object){
        .refs = 1,
        .bytes = plan->bytes,
        .bytes_len = plan->bytes_len,
        .place_count = 0,
        .encoding = KIN__ENCODING_PROTO,
        .flags = known->flags,
        .label_count = (uint16_t) known->label_count,
        .key_len = (uint16_t) key_len(known),
        .namespace_len = (uint16_t) known->in_namespace.len,
        .key = plan->key,
        .uid = map(from, known->uid.data),
        .version = map(from, known->version.data),
        .api_version = plan->api_version,
        .kind = plan->kind,
        .uid_len = (uint16_t) known->uid.len,
        .version_len = (uint16_t) known->version.len,
        .api_version_len = (uint16_t) item->api_version.len,
        .kind_len = (uint16_t) item->kind.len,
        .annotations = map(from, known->annotations),
        .owners = map(from, known->owners),
        .places = message,
        .generation = known->generation,
        .creation = known->creation,
        .deletion = known->deletion,
    };
}

static void fill_labels(kin_object *object, source *from)
{
    for (size_t i = 0; i < from->known->label_count; i++) {
        const kin__pb_label *label = &from->known->labels[i];
        object->labels[i] = (kin__label){
            .key = map(from, label->key.data),
            .value = map(from, label->value.data),
            .key_len = (uint16_t) label->key.len,
            .value_len = (uint16_t) label->value.len,
        };
    }
}

static void fill_strings(kin_object *object, const kin__pb_item *item, const kin__pb_known *known)
{
    char *out = (char *) object + object->key;

    if (known->in_namespace.len > 0) {
        out = put(out, known->in_namespace);
        *out++ = '/';
    }
    out = put(out, known->name);
    out = put(out, item->kind);
    (void) put(out, item->api_version);
}

static char *put(char *out, kin_str text)
{
    kin__pb_copy(out, text.data, text.len);
    return out + text.len;
}

/* From a place in the item to one in the object.  An empty string may lie nowhere. */
static uint32_t map(source *from, const void *at)
{
    if (at == NULL) {
        return 0;
    }
    uint32_t place = (uint32_t) ((const char *) at - from->item->bytes.data);
    return from->bytes + kin__pb_edits_map(&from->known->edits, place, &from->gap);
}
