/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_encoding.c - values of objects whose bytes are a protobuf message.
 *
 * A value knows its bytes and what the tables of proto/schema.h say of them; scalars are read when
 * the value is made.
 */
#include "object/proto_encoding.h"

#include "base/base64.h"
#include "base/str.h"
#include "json/number.h"
#include "json/string.h"
#include "object/proto_scan.h"
#include "proto/envelope.h"
#include "proto/render.h"
#include "proto/render_time.h"

#define NANOS_PER_SECOND 1000000000

static kin_value proto_root(const kin_object *object);
static kin_value proto_at(const kin_object *object, uint32_t place);
static kin_type proto_type(kin_value value);
static kin_err proto_int64(kin_value value, int64_t *out);
static kin_err proto_real(kin_value value, double *out);
static bool proto_boolean(kin_value value);
static bool proto_time(kin_value value, kin_time *out);
static kin_err proto_append(kin_value value, kin__buf *buf, kin_error *err);
static kin_str proto_number_text(kin_value value, char *scratch);
static bool proto_is_same_text(kin_value a, kin_value b);

static kin_err append_container(kin_value value, kin__buf *buf, kin_error *err);
static kin_err append_message(kin_value value, kin__buf *buf, kin_error *err);
static kin_err append_text(kin_value value, kin__buf *buf, kin_error *err);
static double real_of(kin_value value);

const kin__encoding kin__proto_encoding = {
    .root = proto_root,
    .value = proto_at,
    .type = proto_type,
    .str = kin__proto_str,
    .scratch_size = kin__proto_scratch_size,
    .is_str = kin__proto_is_str,
    .int64 = proto_int64,
    .real = proto_real,
    .boolean = proto_boolean,
    .member = kin__proto_member,
    .element = kin__proto_element,
    .descend = kin__proto_descend,
    .iter = kin__proto_iter,
    .next = kin__proto_iter_next,
    .time = proto_time,
    .append_json = proto_append,
    .untold = kin__proto_unknown,
    .number_text = proto_number_text,
    .is_same_text = proto_is_same_text,
};

/* It was read when the value was made, and reads the same again. */
kin_str kin__proto_unwrap(kin_str bytes)
{
    kin__pb_envelope envelope = { 0 };
    kin_error unwanted;

    (void) !kin__pb_envelope_parse(bytes, 0, &envelope, &unwanted);
    return envelope.message;
}

kin__proto_type kin__proto_type_of(kin_value message)
{
    kin__pb_envelope envelope = { 0 };
    kin_error unwanted;

    switch (kin__proto_typemeta_of(message)) {
    case KIN__PROTO_OBJECT:
        return (kin__proto_type){
            .kind = kin_object_kind(message.owner),
            .api_version = kin_object_api_version(message.owner),
        };
    case KIN__PROTO_CLAIM_TEMPLATE:
        return (kin__proto_type){ STR("PersistentVolumeClaim"), STR("v1") };
    case KIN__PROTO_ENVELOPED:
        (void) !kin__pb_envelope_parse(kin__proto_bytes_of(message), 0, &envelope, &unwanted);
        return (kin__proto_type){ envelope.kind, envelope.api_version };
    case KIN__PROTO_UNTYPED:
        break;
    }
    return (kin__proto_type){ STR(""), STR("") };
}

static kin_value proto_root(const kin_object *object)
{
    return kin__proto_make_message(object, (kin__pb_message) object->places, KIN__PROTO_OBJECT,
                                   kin__object_bytes(object));
}

/* A list or map of the metadata; the header has the place of its first field. */
static kin_value proto_at(const kin_object *object, uint32_t place)
{
    const char *at = (const char *) object + place;
    const kin__pb_row *row = kin__pb_row_of((kin__pb_message) object->places, KIN__PB_METADATA);
    kin__pb_field metadata;

    if (row == NULL || kin__pb_find_last(kin__object_bytes(object), KIN__PB_METADATA, &metadata) !=
                           KIN__PB_PRESENT) {
        return kin__value_missing(KIN_ERR_MALFORMED);
    }
    uint32_t number = place == object->annotations ? KIN__PB_ANNOTATIONS : KIN__PB_OWNERS;
    size_t len = (size_t) ((const char *) metadata.bytes + metadata.len - at);
    return kin__proto_make_rows(object, kin__pb_row_of(row->message, number), kin__str(at, len));
}

static kin_type proto_type(kin_value value)
{
    static const uint8_t types[] = {
        [KIN__PROTO_NULL] = KIN_TYPE_NULL,      [KIN__PROTO_BOOL] = KIN_TYPE_BOOL,
        [KIN__PROTO_INT] = KIN_TYPE_NUMBER,     [KIN__PROTO_DOUBLE] = KIN_TYPE_NUMBER,
        [KIN__PROTO_STRING] = KIN_TYPE_STRING,  [KIN__PROTO_BYTES] = KIN_TYPE_STRING,
        [KIN__PROTO_TIME] = KIN_TYPE_STRING,    [KIN__PROTO_MICROTIME] = KIN_TYPE_STRING,
        [KIN__PROTO_LIST] = KIN_TYPE_ARRAY,     [KIN__PROTO_MAP] = KIN_TYPE_OBJECT,
        [KIN__PROTO_MESSAGE] = KIN_TYPE_OBJECT,
    };
    return (kin_type) types[kin__proto_shape_of(value)];
}

static kin_err proto_int64(kin_value value, int64_t *out)
{
    char scratch[KIN__NUMBER_TEXT];

    if (kin__proto_shape_of(value) == KIN__PROTO_INT) {
        *out = (int64_t) kin__proto_number_of(value);
        return KIN_OK;
    }
    return kin__json_int64(proto_number_text(value, scratch), out);
}

static kin_err proto_real(kin_value value, double *out)
{
    *out = kin__proto_shape_of(value) == KIN__PROTO_DOUBLE
               ? real_of(value)
               : (double) (int64_t) kin__proto_number_of(value);
    return KIN_OK;
}

static bool proto_boolean(kin_value value)
{
    return kin__proto_number_of(value) != 0;
}

/* Times that JSON cannot say are left to their text, which then is none. */
static bool proto_time(kin_value value, kin_time *out)
{
    kin__proto_shape shape = kin__proto_shape_of(value);

    if (shape != KIN__PROTO_TIME && shape != KIN__PROTO_MICROTIME) {
        return false;
    }
    int32_t nanos = shape == KIN__PROTO_MICROTIME ? (int32_t) value.words[1] / 1000 * 1000 : 0;
    int64_t seconds = (int64_t) kin__proto_number_of(value);
    if (seconds < KIN__PB_FIRST_SECOND + 4 || seconds > KIN__PB_LAST_SECOND - 4) {
        return false; /* nanoseconds may be a few seconds */
    }
    seconds += nanos / NANOS_PER_SECOND - (nanos % NANOS_PER_SECOND < 0 ? 1 : 0);
    nanos = (nanos % NANOS_PER_SECOND + NANOS_PER_SECOND) % NANOS_PER_SECOND;
    *out = (kin_time){ .seconds = seconds, .nanoseconds = nanos };
    return true;
}

static kin_err proto_append(kin_value value, kin__buf *buf, kin_error *err)
{
    char scratch[KIN__NUMBER_TEXT];
    bool is_kept = true;

    switch (proto_type(value)) {
    case KIN_TYPE_ARRAY:
        return append_container(value, buf, err);
    case KIN_TYPE_OBJECT:
        return kin__proto_shape_of(value) == KIN__PROTO_MAP ? append_container(value, buf, err)
                                                            : append_message(value, buf, err);
    case KIN_TYPE_STRING:
        return append_text(value, buf, err);
    case KIN_TYPE_NUMBER:
        is_kept = kin__buf_append_str(buf, proto_number_text(value, scratch));
        break;
    case KIN_TYPE_BOOL:
        is_kept = kin__buf_append_str(buf, proto_boolean(value) ? STR("true") : STR("false"));
        break;
    default:
        is_kept = kin__buf_append_str(buf, STR("null"));
        break;
    }
    return is_kept ? KIN_OK : kin__error_no_memory(err);
}

static kin_err append_container(kin_value value, kin__buf *buf, kin_error *err)
{
    const kin_object *object = value.owner;

    return kin__pb_render_many(kin__proto_row_of(value), kin__proto_bytes_of(value),
                               (object->flags & KIN__OBJECT_PARTIAL) != 0, buf, err);
}

static kin_err append_message(kin_value value, kin__buf *buf, kin_error *err)
{
    kin__proto_message open = kin__proto_open(value);
    kin__proto_type type = kin__proto_type_of(value);
    const kin_object *object = value.owner;
    kin__pb_rendering rendering = {
        .kind = type.kind,
        .api_version = type.api_version,
        .is_partial = (object->flags & KIN__OBJECT_PARTIAL) != 0,
    };

    return kin__pb_render(open.message, open.bytes, &rendering, buf, err);
}

static kin_err append_text(kin_value value, kin__buf *buf, kin_error *err)
{
    char time[64];
    kin_str text = kin__proto_bytes_of(value);
    bool is_kept;

    switch (kin__proto_shape_of(value)) {
    case KIN__PROTO_BYTES:
        kin__base64_put(buf, text);
        is_kept = !kin__buf_failed(buf);
        break;
    case KIN__PROTO_TIME:
    case KIN__PROTO_MICROTIME:
        (void) !kin__proto_str(value, time, sizeof time, &text);
        is_kept = kin__json_append_string(buf, text);
        break;
    default:
        is_kept = kin__json_append_string(buf, text);
        break;
    }
    return is_kept ? KIN_OK : kin__error_no_memory(err);
}

static kin_str proto_number_text(kin_value value, char *scratch)
{
    /* The room is enough, so that the buffer never grows and nothing is allocated. */
    kin__buf buf = { .data = scratch, .capacity = KIN__NUMBER_TEXT };

    if (kin__proto_shape_of(value) == KIN__PROTO_DOUBLE) {
        (void) kin__json_append_double(&buf, real_of(value));
    } else {
        (void) kin__json_append_int64(&buf, (int64_t) kin__proto_number_of(value));
    }
    return kin__str(buf.data, buf.len);
}

/* What a message says also depends on its kind and on whether nil is null; see
 * kin__proto_is_null_when_absent(). */
static bool proto_is_same_text(kin_value a, kin_value b)
{
    const kin_object *object_a = a.owner;
    const kin_object *object_b = b.owner;

    if (a.words[0] != b.words[0] ||
        ((object_a->flags ^ object_b->flags) & KIN__OBJECT_PARTIAL) != 0 ||
        memcmp(&a.words[2], &b.words[2], sizeof a.words[2] * 2) != 0 || a.words[1] != b.words[1]) {
        return false;
    }
    if (kin__proto_typemeta_of(a) == KIN__PROTO_OBJECT &&
        (!kin__str_equal(kin_object_kind(object_a), kin_object_kind(object_b)) ||
         !kin__str_equal(kin_object_api_version(object_a), kin_object_api_version(object_b)))) {
        return false;
    }
    return a.at == b.at || kin__str_equal(kin__proto_bytes_of(a), kin__proto_bytes_of(b));
}

static double real_of(kin_value value)
{
    uint64_t bits = kin__proto_number_of(value);
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}
