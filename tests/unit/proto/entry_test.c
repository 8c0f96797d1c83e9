/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_test.c - an entry of a map.
 */
#include "proto/entry.h"

#include "unit/proto/wire.h"

static const kin__pb_row of_strings = { .type = KIN__PB_STRING, .flags = KIN__PB_MAP };
static const kin__pb_row of_numbers = { .type = KIN__PB_INT64, .flags = KIN__PB_MAP };

static kin__pb_entry read_one(const kin__pb_row *row, const wire *w)
{
    kin__pb_reader reader = kin__pb_read(w->bytes, w->len);
    kin__pb_entry entry;

    ASSERT_TRUE(kin__pb_entry_read(row, &reader, &entry));
    return entry;
}

static void assert_faulty(const kin__pb_row *row, const wire *w, const char *fault, size_t at)
{
    kin__pb_reader reader = kin__pb_read(w->bytes, w->len);
    kin__pb_entry entry;

    ASSERT_TRUE(!kin__pb_entry_read(row, &reader, &entry));
    ASSERT_STR_EQ(reader.fault, fault);
    ASSERT_EQ((size_t) ((const char *) reader.at - w->bytes), at);
}

/* Short ones are read in one go, long ones field by field. */
TEST(entry, has_a_key_and_a_value)
{
    char filler[200];

    memset(filler, 'x', sizeof filler);
    for (size_t len = 0; len <= sizeof filler; len += 20) {
        wire w = { 0 };
        wire_content(&w, 1, filler, len);
        wire_content(&w, 2, filler, sizeof filler - len);
        kin__pb_entry entry = read_one(&of_strings, &w);
        ASSERT_EQ(entry.key.len, len);
        ASSERT_EQ(entry.value.len, sizeof filler - len);
        ASSERT_EQ(entry.value.wire, KIN__PB_LEN);
        ASSERT_EQ(entry.value.number, KIN__PB_ENTRY_VALUE);
        ASSERT_TRUE(entry.value.start < entry.value.bytes);
    }
}

TEST(entry, is_empty_where_nothing_is_on_the_wire)
{
    wire w = { 0 };
    kin__pb_entry entry = read_one(&of_strings, &w);
    ASSERT_EQ(entry.key.len, 0);
    ASSERT_TRUE(entry.value.start == NULL);
    ASSERT_EQ(entry.value.len, 0);

    entry = read_one(&of_numbers, &w);
    ASSERT_EQ(entry.value.wire, KIN__PB_VARINT);
    ASSERT_EQ(entry.value.varint, 0);
}

TEST(entry, is_what_comes_last_in_any_order)
{
    wire w = { 0 };
    wire_text(&w, 2, "v");
    wire_text(&w, 1, "k");
    wire_text(&w, 7, "of a later release");
    wire_text(&w, 2, "w");
    wire_text(&w, 1, "l");

    kin__pb_entry entry = read_one(&of_strings, &w);

    ASSERT_SLICE_EQ(entry.key, "l");
    ASSERT_SLICE_EQ(kin__pb_content(&entry.value), "w");
}

TEST(entry, has_a_value_of_the_type_of_its_map)
{
    wire number = { 0 };
    wire_text(&number, 1, "k");
    wire_number(&number, 2, 300);
    wire string = { 0 };
    wire_text(&string, 1, "k");
    wire_text(&string, 2, "v");
    wire key = { 0 };
    wire_number(&key, 1, 1);

    ASSERT_EQ(read_one(&of_numbers, &number).value.varint, 300);
    assert_faulty(&of_strings, &number, KIN__PB_WRONG_WIRE, 3);
    assert_faulty(&of_numbers, &string, KIN__PB_WRONG_WIRE, 3);
    assert_faulty(&of_strings, &key, KIN__PB_WRONG_WIRE, 0);
}

TEST(entry, ends_where_it_ends)
{
    wire key = { 0 };
    wire_bytes(&key, "\x0a\x02k", 3);
    wire value = { 0 };
    wire_bytes(&value, "\x0a\x01k\x12\x02v", 6);
    wire length = { 0 };
    wire_bytes(&length, "\x0a\x01k\x12", 4);

    assert_faulty(&of_strings, &key, "length past the end of the message", 1);
    assert_faulty(&of_strings, &value, "length past the end of the message", 4);
    assert_faulty(&of_strings, &length, "the message ends inside a number", 4);
}
