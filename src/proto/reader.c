/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - walking over a protobuf message, field by field.
 *
 * `at` moves only over what was read whole and found right, so at a fault it is where that begins.
 */
#include "proto/reader.h"

#define NUMBER_MAX 536870911
#define VARINT_BYTES 10

static bool read_bytes(kin__pb_reader *reader, kin__pb_field *out);
static inline bool read_varint(kin__pb_reader *reader, uint64_t *out);
static bool read_varint_slowly(kin__pb_reader *reader, uint64_t *out);
static bool read_fixed(kin__pb_reader *reader, size_t size, uint64_t *out);
static bool fail(kin__pb_reader *reader, const uint8_t *at, const char *what);

bool kin__pb_next_number(kin__pb_reader *reader, kin__pb_wire wire, uint64_t *out)
{
    if (reader->at == reader->end || reader->fault != NULL) {
        return false;
    }
    if (wire == KIN__PB_VARINT) {
        return read_varint(reader, out);
    }
    return read_fixed(reader, wire == KIN__PB_FIXED64 ? 8 : 4, out);
}

size_t kin__pb_put_varint(uint64_t value, uint8_t *out)
{
    size_t len = 0;

    while (value >= 0x80) {
        out[len++] = (uint8_t) (value | 0x80);
        value >>= 7;
    }
    out[len++] = (uint8_t) value;
    return len;
}

bool kin__pb_next_of_any_form(kin__pb_reader *reader, kin__pb_field *out)
{
    const uint8_t *start = reader->at;
    uint64_t tag;

    if (reader->at == reader->end || reader->fault != NULL) {
        return false;
    }
    if (!read_varint(reader, &tag)) {
        return false;
    }
    if (tag >> 3 == 0 || tag >> 3 > NUMBER_MAX) {
        return fail(reader, start, "field number out of range");
    }
    *out = (kin__pb_field){
        .start = start,
        .number = (uint32_t) (tag >> 3),
        .wire = (kin__pb_wire) (tag & 7),
    };
    switch (tag & 7) {
    case KIN__PB_VARINT:
        return read_varint(reader, &out->varint);
    case KIN__PB_FIXED64:
        return read_fixed(reader, 8, &out->varint);
    case KIN__PB_LEN:
        return read_bytes(reader, out);
    case KIN__PB_FIXED32:
        return read_fixed(reader, 4, &out->varint);
    default:
        return fail(reader, start, "unknown wire type");
    }
}

static bool read_bytes(kin__pb_reader *reader, kin__pb_field *out)
{
    const uint8_t *start = reader->at;
    uint64_t len;

    if (!read_varint(reader, &len)) {
        return false;
    }
    if (len > (uint64_t) (reader->end - reader->at)) {
        return fail(reader, start, "length past the end of the message");
    }
    out->bytes = reader->at;
    out->len = (size_t) len;
    reader->at += len;
    return true;
}

static inline bool read_varint(kin__pb_reader *reader, uint64_t *out)
{
    const uint8_t *at = reader->at;

    if (reader->end - at >= 2) {
        if (at[0] < 0x80) {
            *out = at[0];
            reader->at = at + 1;
            return true;
        }
        if (at[1] < 0x80) {
            *out = (uint64_t) (at[0] & 0x7f) | (uint64_t) at[1] << 7;
            reader->at = at + 2;
            return true;
        }
    }
    return read_varint_slowly(reader, out);
}

static bool read_varint_slowly(kin__pb_reader *reader, uint64_t *out)
{
    const uint8_t *at = reader->at;
    uint64_t value = 0;

    for (unsigned i = 0; i < VARINT_BYTES; i++) {
        if (at + i == reader->end) {
            return fail(reader, at, "the message ends inside a number");
        }
        value |= (uint64_t) (at[i] & 0x7f) << (7 * i);
        if (at[i] < 0x80) {
            reader->at = at + i + 1;
            *out = value;
            return true;
        }
    }
    return fail(reader, at, KIN__PB_LONG_VARINT);
}

static bool read_fixed(kin__pb_reader *reader, size_t size, uint64_t *out)
{
    const uint8_t *at = reader->at;
    uint64_t value = 0;

    if ((size_t) (reader->end - at) < size) {
        return fail(reader, at, "the message ends inside a number");
    }
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t) at[i] << (8 * i);
    }
    reader->at = at + size;
    *out = value;
    return true;
}

static bool fail(kin__pb_reader *reader, const uint8_t *at, const char *what)
{
    reader->at = at;
    reader->fault = what;
    return false;
}
