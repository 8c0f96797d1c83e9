/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envelope.c - what stands around each protobuf object: its type, and that it is one.
 */
#include "proto/envelope.h"

#include "base/str.h"
#include "proto/reader.h"

/* Tags of length-delimited fields. */
#define TAG(number) ((char) ((number) << 3 | KIN__PB_LEN))

static kin_err take_field(const kin__pb_field *field, uint64_t offset, kin__pb_envelope *out,
                          kin_error *err);
static kin_err malformed(const char *what, uint64_t offset, kin_error *err);
static size_t field_size(size_t len);
static void append_field(kin__buf *buf, int number, kin_str content);
static void append_header(kin__buf *buf, int number, size_t len);

kin_err kin__pb_envelope_parse(kin_str bytes, uint64_t offset, kin__pb_envelope *out,
                               kin_error *err)
{
    kin__pb_envelope envelope = { STR(""), STR(""), { NULL, 0 } };
    kin__pb_field field;

    if (bytes.len < KIN__PB_MAGIC_LEN ||
        memcmp(bytes.data, KIN__PB_MAGIC, KIN__PB_MAGIC_LEN) != 0) {
        return malformed("no protobuf of Kubernetes", offset, err);
    }
    kin__pb_reader reader =
        kin__pb_read(bytes.data + KIN__PB_MAGIC_LEN, bytes.len - KIN__PB_MAGIC_LEN);
    const uint8_t *start = (const uint8_t *) bytes.data;
    while (kin__pb_next(&reader, &field)) {
        uint64_t place = offset + (uint64_t) (field.start - start);
        if (take_field(&field, place, &envelope, err) != KIN_OK) {
            return err->code;
        }
    }
    if (reader.fault != NULL) {
        return malformed(reader.fault, offset + (uint64_t) (reader.at - start), err);
    }
    if (envelope.message.data == NULL) {
        return malformed("envelope without an object", offset, err);
    }
    *out = envelope;
    return KIN_OK;
}

kin_err kin__pb_envelope_read(kin_str bytes, kin_str *out_api_version, kin_str *out_kind,
                              kin_str *out_message, kin_error *err)
{
    kin__pb_envelope envelope;

    if (kin__pb_envelope_parse(bytes, 0, &envelope, err) != KIN_OK) {
        return err->code;
    }
    *out_api_version = envelope.api_version;
    *out_kind = envelope.kind;
    *out_message = envelope.message;
    return KIN_OK;
}

kin_err kin__pb_envelope_parse_type(kin_str bytes, uint64_t offset, kin__pb_envelope *out,
                                    kin_error *err)
{
    kin__pb_envelope type = *out;
    kin__pb_reader reader = kin__pb_read(bytes.data, bytes.len);
    kin__pb_field field;

    while (kin__pb_next(&reader, &field)) {
        if (field.number > 2) {
            continue;
        }
        if (field.wire != KIN__PB_LEN) {
            uint64_t place = offset + (uint64_t) (field.start - (const uint8_t *) bytes.data);
            return malformed("apiVersion or kind that is no string", place, err);
        }
        kin_str text = kin__str((const char *) field.bytes, field.len);
        *(field.number == 1 ? &type.api_version : &type.kind) = text;
    }
    if (reader.fault != NULL) {
        return malformed(reader.fault,
                         offset + (uint64_t) (reader.at - (const uint8_t *) bytes.data), err);
    }
    *out = type;
    return KIN_OK;
}

bool kin__pb_envelope_append(kin_str api_version, kin_str kind, kin_str message, kin__buf *buf)
{
    size_t type_len = field_size(api_version.len) + field_size(kind.len);
    size_t around = KIN__PB_MAGIC_LEN + field_size(type_len) + 2 * field_size(0);

    if (message.len > SIZE_MAX / 2 || !kin__buf_reserve(buf, around + field_size(message.len))) {
        return false;
    }
    (void) kin__buf_append(buf, KIN__PB_MAGIC, KIN__PB_MAGIC_LEN); /* there is room */
    append_header(buf, KIN__PB_ENVELOPE_TYPE, type_len);
    append_field(buf, 1, api_version);
    append_field(buf, 2, kind);
    append_field(buf, KIN__PB_ENVELOPE_RAW, message);
    append_field(buf, KIN__PB_ENVELOPE_ENCODING, STR(""));
    append_field(buf, KIN__PB_ENVELOPE_CONTENT_TYPE, STR(""));
    return true;
}

static kin_err take_field(const kin__pb_field *field, uint64_t offset, kin__pb_envelope *out,
                          kin_error *err)
{
    kin_str content = kin__str((const char *) field->bytes, field->len);

    if (field->number > KIN__PB_ENVELOPE_CONTENT_TYPE) {
        return KIN_OK;
    }
    if (field->wire != KIN__PB_LEN) {
        return malformed("field of the envelope with another wire type", offset, err);
    }
    switch (field->number) {
    case KIN__PB_ENVELOPE_TYPE:
        return kin__pb_envelope_parse_type(
            content, offset + (uint64_t) (field->bytes - field->start), out, err);
    case KIN__PB_ENVELOPE_RAW:
        out->message = content;
        return KIN_OK;
    default:
        return content.len == 0 ? KIN_OK
                                : malformed("object in an encoding of its own", offset, err);
    }
}

static kin_err malformed(const char *what, uint64_t offset, kin_error *err)
{
    return kin__error_set(err, KIN_ERR_MALFORMED, "%s at byte %llu", what,
                          (unsigned long long) offset);
}

/* Of a field with a small number: tag, length and content. */
static size_t field_size(size_t len)
{
    return 1 + kin__pb_varint_size(len) + len;
}

static void append_field(kin__buf *buf, int number, kin_str content)
{
    append_header(buf, number, content.len);
    (void) kin__buf_append_str(buf, content);
}

static void append_header(kin__buf *buf, int number, size_t len)
{
    uint8_t varint[10];

    (void) kin__buf_append_byte(buf, TAG(number));
    (void) kin__buf_append(buf, (const char *) varint, kin__pb_put_varint(len, varint));
}
