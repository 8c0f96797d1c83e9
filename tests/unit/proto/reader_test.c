/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_test.c - walking over protobuf messages, right and wrong ones.
 */
#include "proto/reader.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "support/test.h"

#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

/* The only field of a message, which must be right. */
static kin__pb_field only_field(const uint8_t *bytes, size_t len)
{
    kin__pb_reader reader = kin__pb_read(bytes, len);
    kin__pb_field field;
    kin__pb_field none;

    ASSERT_TRUE(kin__pb_next(&reader, &field));
    ASSERT_FALSE(kin__pb_next(&reader, &none));
    ASSERT_STR_EQ(reader.fault, NULL);
    ASSERT_EQ(field.start - bytes, 0);
    return field;
}

/* That the first field of a message is wrong, how, and where. */
static void assert_fault(const uint8_t *bytes, size_t len, const char *want, size_t at)
{
    kin__pb_reader reader = kin__pb_read(bytes, len);
    kin__pb_field field;

    ASSERT_FALSE(kin__pb_next(&reader, &field));
    ASSERT_STR_EQ(reader.fault, want);
    ASSERT_EQ(reader.at - bytes, at);
    ASSERT_FALSE(kin__pb_next(&reader, &field));
    ASSERT_STR_EQ(reader.fault, want);
    ASSERT_EQ(reader.at - bytes, at);
}

static void assert_varint(const uint8_t *bytes, size_t len, uint64_t want)
{
    kin__pb_field field = only_field(bytes, len);

    ASSERT_EQ(field.number, 1);
    ASSERT_EQ(field.wire, KIN__PB_VARINT);
    ASSERT_EQ(field.varint, want);
}

TEST(reader, reads_a_field_of_each_wire_type)
{
    kin__pb_field field = only_field(BYTES(0x08, 0x7f));
    ASSERT_EQ(field.number, 1);
    ASSERT_EQ(field.wire, KIN__PB_VARINT);
    ASSERT_EQ(field.varint, 127);
    ASSERT_TRUE(field.bytes == NULL);
    ASSERT_EQ(field.len, 0);

    field = only_field(BYTES(0x11, 1, 2, 3, 4, 5, 6, 7, 8));
    ASSERT_EQ(field.number, 2);
    ASSERT_EQ(field.wire, KIN__PB_FIXED64);
    ASSERT_EQ(field.varint, 0x0807060504030201);

    field = only_field(BYTES(0x1a, 3, 'p', 'o', 'd'));
    ASSERT_EQ(field.number, 3);
    ASSERT_EQ(field.wire, KIN__PB_LEN);
    ASSERT_SLICE_EQ(kin__str((const char *) field.bytes, field.len), "pod");
    ASSERT_EQ(field.varint, 0);

    field = only_field(BYTES(0x25, 1, 2, 3, 0xff));
    ASSERT_EQ(field.number, 4);
    ASSERT_EQ(field.wire, KIN__PB_FIXED32);
    ASSERT_EQ(field.varint, 0xff030201);
}

TEST(reader, reads_fields_in_the_order_in_which_they_stand)
{
    const uint8_t bytes[] = { 0x50, 0, 0x0a, 1, 'a', 0x0a, 0, 0xe2, 2, 1, 'z' };
    const uint32_t numbers[] = { 10, 1, 1, 44 };
    const size_t starts[] = { 0, 2, 5, 7 };
    kin__pb_reader reader = kin__pb_read(bytes, sizeof bytes);
    kin__pb_field field;

    for (size_t i = 0; i < 4; i++) {
        ASSERT_TRUE(kin__pb_next(&reader, &field));
        ASSERT_EQ(field.number, numbers[i]);
        ASSERT_EQ(field.start - bytes, starts[i]);
    }
    ASSERT_EQ(field.bytes[0], 'z');
    ASSERT_FALSE(kin__pb_next(&reader, &field));
    ASSERT_STR_EQ(reader.fault, NULL);
    ASSERT_TRUE(reader.at == reader.end);
}

TEST(reader, finds_nothing_in_an_empty_message)
{
    kin__pb_reader reader = kin__pb_read(NULL, 0);
    kin__pb_field field;
    uint64_t number;

    ASSERT_FALSE(kin__pb_next(&reader, &field));
    ASSERT_FALSE(kin__pb_next_number(&reader, KIN__PB_VARINT, &number));
    ASSERT_STR_EQ(reader.fault, NULL);
}

TEST(reader, reads_varints_of_up_to_ten_bytes)
{
    assert_varint(BYTES(0x08, 0), 0);
    assert_varint(BYTES(0x08, 0x80, 1), 128);
    assert_varint(BYTES(0x08, 0xff, 0x7f), 16383);
    assert_varint(BYTES(0x08, 0x80, 0x80, 1), 16384);
    assert_varint(BYTES(0x08, 0x9c, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1),
                  (uint64_t) -100);
    assert_varint(BYTES(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
                  (uint64_t) INT64_MAX);
}

TEST(reader, takes_varints_that_are_longer_than_they_need_to_be)
{
    assert_varint(BYTES(0x08, 0x80, 0), 0);
    assert_varint(BYTES(0x08, 0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0), 5);
    assert_varint(BYTES(0x88, 0x80, 0x80, 0, 7), 7);
    kin__pb_field field = only_field(BYTES(0x0a, 0x82, 0x80, 0, 'o', 'k'));
    ASSERT_SLICE_EQ(kin__str((const char *) field.bytes, field.len), "ok");
}

TEST(reader, drops_what_a_tenth_byte_has_beyond_64_bits)
{
    assert_varint(BYTES(0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f),
                  UINT64_C(1) << 63);
    assert_varint(BYTES(0x08, 0x83, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2), 3);
}

TEST(reader, refuses_numbers_of_more_than_ten_bytes)
{
    assert_fault(BYTES(0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0),
                 "number of more than ten bytes", 1);
    assert_fault(BYTES(0x88, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1),
                 "number of more than ten bytes", 0);
    assert_fault(BYTES(0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0),
                 "number of more than ten bytes", 1);
}

TEST(reader, refuses_field_numbers_out_of_range)
{
    for (uint8_t tag = 0; tag < 8; tag++) {
        assert_fault(BYTES(tag, 0, 0, 0, 0, 0, 0, 0, 0), "field number out of range", 0);
    }
    kin__pb_field field = only_field(BYTES(0xf8, 0xff, 0xff, 0xff, 0x0f, 1));
    ASSERT_EQ(field.number, 536870911);
    assert_fault(BYTES(0x80, 0x80, 0x80, 0x80, 0x10, 1), "field number out of range", 0);
    assert_fault(BYTES(0x88, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 1), "field number out of range", 0);
}

TEST(reader, refuses_groups_and_unknown_wire_types)
{
    const uint8_t types[] = { 3, 4, 6, 7 };

    for (size_t i = 0; i < sizeof types; i++) {
        assert_fault(BYTES((uint8_t) (0x08 | types[i]), 0), "unknown wire type", 0);
        assert_fault(BYTES((uint8_t) (0x80 | types[i]), 1, 0), "unknown wire type", 0);
    }
}

TEST(reader, refuses_lengths_past_the_end)
{
    const char *const want = "length past the end of the message";

    assert_fault(BYTES(0x0a, 1), want, 1);
    assert_fault(BYTES(0x0a, 3, 'a', 'b'), want, 1);
    assert_fault(BYTES(0x0a, 0x80, 1, 'a'), want, 1);
    assert_fault(BYTES(0xe2, 2, 2, 'a'), want, 2);
    assert_fault(BYTES(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), want, 1);
    assert_fault(BYTES(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 'a'), want, 1);
}

TEST(reader, refuses_numbers_that_the_end_cuts)
{
    const char *const want = "the message ends inside a number";

    assert_fault(BYTES(0x08), want, 1);
    assert_fault(BYTES(0x0a), want, 1);
    assert_fault(BYTES(0x80), want, 0);
    assert_fault(BYTES(0x08, 0x80), want, 1);
    assert_fault(BYTES(0x0a, 0x80, 0x80), want, 1);
    assert_fault(BYTES(0x09, 1, 2, 3, 4, 5, 6, 7), want, 1);
    assert_fault(BYTES(0x0d, 1, 2, 3), want, 1);
}

/* Fields of every form, and the beginnings of them all: each time in memory of just that size. */
TEST(reader, ends_at_the_border_of_a_field_or_with_a_fault)
{
    const uint8_t bytes[] = { 0x08, 1, 0x10, 0xff, 1, 0x1a, 1, 'a', 0x21, 1, 2, 3,   4,  5,
                              6,    7, 8,    0x2d, 1, 2,    3, 4,   0xa2, 1, 2, 'b', 'c' };
    const size_t borders[] = { 0, 2, 5, 8, 17, 22, 27 };

    for (size_t len = 0; len <= sizeof bytes; len++) {
        uint8_t *copy = kin__alloc(len);
        kin__pb_field field;
        size_t count = 0;
        ASSERT_TRUE(copy != NULL);
        memcpy(copy, bytes, len);
        kin__pb_reader reader = kin__pb_read(copy, len);
        while (kin__pb_next(&reader, &field)) {
            ASSERT_EQ(field.start - copy, borders[count]);
            count++;
        }
        bool is_border = borders[count] == len;
        ASSERT_EQ(reader.fault == NULL, is_border);
        ASSERT_TRUE(count == 6 || len < borders[count + 1]);
        kin__free(copy);
    }
}

/* Of one field in all forms that its first two bytes can have, and with too few bytes behind. */
TEST(reader, reads_fields_of_the_usual_form_like_any_other)
{
    for (uint32_t form = 0; form < 0x10000; form++) {
        uint8_t bytes[130] = { (uint8_t) form, (uint8_t) (form >> 8), 1 };
        for (size_t len = 0; len <= sizeof bytes; len += len < 6 ? 1 : 31) {
            kin__pb_reader reader = kin__pb_read(bytes, len);
            kin__pb_reader slow = reader;
            kin__pb_field field = { 0 };
            kin__pb_field want = { 0 };
            bool is_read = kin__pb_next(&reader, &field);
            ASSERT_EQ(is_read, kin__pb_next_of_any_form(&slow, &want));
            ASSERT_TRUE(reader.at == slow.at);
            ASSERT_STR_EQ(reader.fault, slow.fault);
            if (is_read) {
                ASSERT_TRUE(field.start == want.start);
                ASSERT_EQ(field.number, want.number);
                ASSERT_EQ(field.wire, want.wire);
                ASSERT_EQ(field.varint, want.varint);
                ASSERT_TRUE(field.bytes == want.bytes);
                ASSERT_EQ(field.len, want.len);
            }
        }
    }
}

TEST(reader, reads_nothing_more_after_a_fault_of_the_caller)
{
    const uint8_t bytes[] = { 0x08, 1, 0x08, 2, 0x80, 1, 3 };
    kin__pb_reader reader = kin__pb_read(bytes, sizeof bytes);
    kin__pb_field field;
    uint64_t number;

    ASSERT_TRUE(kin__pb_next(&reader, &field));
    reader.fault = "not what was wanted";
    ASSERT_FALSE(kin__pb_next(&reader, &field));
    ASSERT_FALSE(kin__pb_next_number(&reader, KIN__PB_VARINT, &number));
    ASSERT_EQ(reader.at - bytes, 2);
    ASSERT_STR_EQ(reader.fault, "not what was wanted");
}

TEST(reader, reads_packed_numbers)
{
    const uint8_t bytes[] = { 1, 0xac, 2, 5, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 1, 0x80 };
    kin__pb_reader reader = kin__pb_read(bytes, sizeof bytes);
    uint64_t number;

    ASSERT_TRUE(kin__pb_next_number(&reader, KIN__PB_VARINT, &number));
    ASSERT_EQ(number, 1);
    ASSERT_TRUE(kin__pb_next_number(&reader, KIN__PB_VARINT, &number));
    ASSERT_EQ(number, 300);
    ASSERT_TRUE(kin__pb_next_number(&reader, KIN__PB_FIXED32, &number));
    ASSERT_EQ(number, 5);
    ASSERT_TRUE(kin__pb_next_number(&reader, KIN__PB_FIXED64, &number));
    ASSERT_EQ(number, UINT64_C(1) << 56 | 9);
    ASSERT_FALSE(kin__pb_next_number(&reader, KIN__PB_VARINT, &number));
    ASSERT_STR_EQ(reader.fault, "the message ends inside a number");
    ASSERT_EQ(reader.at - bytes, 15);
}

TEST(reader, reads_every_varint_that_is_written)
{
    for (unsigned shift = 0; shift < 64; shift++) {
        for (int more = -1; more <= 1; more++) {
            uint64_t value = (UINT64_C(1) << shift) + (uint64_t) more;
            uint8_t bytes[11] = { 0x08 };
            size_t len = kin__pb_put_varint(value, bytes + 1);
            ASSERT_EQ(len, kin__pb_varint_size(value));
            ASSERT_TRUE(len <= 10);
            assert_varint(bytes, len + 1, value);
        }
    }
    ASSERT_EQ(kin__pb_varint_size(0), 1);
    ASSERT_EQ(kin__pb_varint_size(127), 1);
    ASSERT_EQ(kin__pb_varint_size(128), 2);
    ASSERT_EQ(kin__pb_varint_size(UINT64_MAX), 10);
}
