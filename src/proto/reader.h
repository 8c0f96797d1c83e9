/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/reader.h - walking over a protobuf message, field by field.
 *
 * Reads the wire format of proto2 as Kubernetes uses it: varints, 64-bit, 32-bit and
 * length-delimited fields.  Groups, unknown wire types, field numbers outside 1 to 536870911,
 * varints of more than ten bytes and lengths past the end are faults.  As in Go, a varint may take
 * more bytes than it needs, and what its tenth byte has beyond 64 bits is dropped.  Nothing is
 * copied and nothing outside the message is read.
 *
 * Threading: confined.
 */
#ifndef KIN_PROTO_READER_H
#define KIN_PROTO_READER_H

#include "kin/common.h"

typedef enum kin__pb_wire {
    KIN__PB_VARINT = 0,
    KIN__PB_FIXED64 = 1,
    KIN__PB_LEN = 2,
    KIN__PB_FIXED32 = 5
} kin__pb_wire;

/* After a fault, one of the caller's own too, nothing more is read. */
typedef struct kin__pb_reader {
    const uint8_t *at;
    const uint8_t *end;
    const char *fault; /* what is wrong at `at`, a tag or the value behind it; NULL: nothing yet */
} kin__pb_reader;

/* One field as it stands on the wire. */
typedef struct kin__pb_field {
    const uint8_t *start; /* of its tag */
    uint32_t number;
    kin__pb_wire wire;
    uint64_t varint;      /* the value of a varint or fixed field; else 0 */
    const uint8_t *bytes; /* the content of a length-delimited field; else NULL */
    size_t len;
} kin__pb_field;

/* What callers say of a field that is not on the wire as it should be. */
#define KIN__PB_WRONG_WIRE "field of the wrong wire type"

#define KIN__PB_LONG_VARINT "number of more than ten bytes"

/* `bytes` may be NULL when there are none. */
static inline kin__pb_reader kin__pb_read(const void *bytes, size_t len)
{
    const uint8_t *at = (const uint8_t *) bytes;

    return (kin__pb_reader){ .at = at, .end = len == 0 ? at : at + len, .fault = NULL };
}

static inline kin__pb_reader kin__pb_read_str(kin_str message)
{
    return kin__pb_read(message.data, message.len);
}

/* Of a length-delimited field. */
static inline kin_str kin__pb_content(const kin__pb_field *field)
{
    return (kin_str){ (const char *) field->bytes, field->len };
}

/* The next field; false at the end and at a fault, which `fault` tells apart.  Then `out` holds
 * nothing of use. */
static inline bool kin__pb_next(kin__pb_reader *reader, kin__pb_field *out);

/* The next number of a packed list: its bytes alone, without a tag.  `wire` is VARINT, FIXED64 or
 * FIXED32. */
bool kin__pb_next_number(kin__pb_reader *reader, kin__pb_wire wire, uint64_t *out);

/* The bytes a varint takes, 1 to 10; and writing one to `out`, which has that much room.  Returns
 * the bytes written. */
static inline size_t kin__pb_varint_size(uint64_t value)
{
    return (size_t) (63 - __builtin_clzll(value | 1)) / 7 + 1;
}

size_t kin__pb_put_varint(uint64_t value, uint8_t *out);

/* kin__pb_next() for every field; it calls this for those that are not of the usual form. */
bool kin__pb_next_of_any_form(kin__pb_reader *reader, kin__pb_field *out);

/* The usual form, three of four fields of a pod: a tag of one byte, then a length or a varint of
 * one byte. */
static inline bool kin__pb_next(kin__pb_reader *reader, kin__pb_field *out)
{
    const uint8_t *at = reader->at;
    ptrdiff_t left = reader->end - at;

    if (left < 2 || (uint8_t) (at[0] - 8) >= 0x78 || at[1] >= 0x80 || reader->fault != NULL) {
        return kin__pb_next_of_any_form(reader, out);
    }
    if ((at[0] & 7) == KIN__PB_LEN && at[1] <= left - 2) {
        *out = (kin__pb_field){
            .start = at,
            .number = at[0] >> 3,
            .wire = KIN__PB_LEN,
            .bytes = at + 2,
            .len = at[1],
        };
        reader->at = at + 2 + at[1];
        return true;
    }
    if ((at[0] & 7) == KIN__PB_VARINT) {
        *out = (kin__pb_field){
            .start = at,
            .number = at[0] >> 3,
            .wire = KIN__PB_VARINT,
            .varint = at[1],
        };
        reader->at = at + 2;
        return true;
    }
    return kin__pb_next_of_any_form(reader, out);
}

#endif /* KIN_PROTO_READER_H */
