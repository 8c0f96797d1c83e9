/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_reader_fuzz.c - any bytes as a protobuf message.
 *
 * Walks over it and over what could be messages inside.  The fields found must lie within the
 * message and follow each other without a gap, and be the same when written again; whatever is
 * wrong must be told with a place inside.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/reader.h"

#define DEPTH_MAX 20

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(const uint8_t *data, size_t size, int depth);

/* The field's tag, and its number or length, written as short as can be. */
static size_t write_head(const kin__pb_field *field, uint8_t *out)
{
    size_t len = kin__pb_put_varint((uint64_t) field->number << 3 | field->wire, out);

    if (field->wire == KIN__PB_VARINT) {
        return len + kin__pb_put_varint(field->varint, out + len);
    }
    if (field->wire == KIN__PB_LEN) {
        return len + kin__pb_put_varint(field->len, out + len);
    }
    size_t width = field->wire == KIN__PB_FIXED64 ? 8 : 4;
    for (size_t i = 0; i < width; i++) {
        out[len + i] = (uint8_t) (field->varint >> (8 * i));
    }
    return len + width;
}

static void check_field(const kin__pb_field *field, const uint8_t *end)
{
    uint8_t head[20];
    kin__pb_field again = { 0 };
    size_t len = write_head(field, head);

    CHECK(field->number >= 1 && field->number <= 536870911);
    CHECK((size_t) (end - field->start) >= len + field->len);
    if (field->wire == KIN__PB_LEN) {
        CHECK(field->bytes + field->len == end);
        if (field->len != 0) {
            return;
        }
    }
    kin__pb_reader reader = kin__pb_read(head, len);
    CHECK(kin__pb_next(&reader, &again));
    CHECK(reader.at == reader.end);
    CHECK(again.number == field->number && again.wire == field->wire);
    CHECK(again.varint == field->varint && again.len == field->len);
}

static void check_packed(const uint8_t *data, size_t size, kin__pb_wire wire)
{
    kin__pb_reader reader = kin__pb_read(data, size);
    const uint8_t *before = data;
    uint64_t number;

    while (kin__pb_next_number(&reader, wire, &number)) {
        CHECK(reader.at > before && reader.at <= reader.end);
        before = reader.at;
    }
    CHECK(reader.at == before);
    CHECK((reader.fault == NULL) == (reader.at == reader.end));
}

static void check_message(const uint8_t *data, size_t size, int depth)
{
    kin__pb_reader reader = kin__pb_read(data, size);
    const uint8_t *before = data;
    kin__pb_field field;

    while (kin__pb_next(&reader, &field)) {
        CHECK(field.start == before);
        CHECK(reader.at > before && reader.at <= reader.end);
        check_field(&field, reader.at);
        if (field.wire == KIN__PB_LEN && depth < DEPTH_MAX) {
            check_message(field.bytes, field.len, depth + 1);
        }
        before = reader.at;
    }
    CHECK(reader.at >= before && reader.at <= reader.end);
    CHECK(reader.fault != NULL || reader.at == reader.end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_message(data, size, 0);
    check_packed(data, size, KIN__PB_VARINT);
    check_packed(data, size, KIN__PB_FIXED64);
    check_packed(data, size, KIN__PB_FIXED32);
    return 0;
}
