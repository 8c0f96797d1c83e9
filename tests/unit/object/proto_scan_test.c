/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_scan_test.c - finding a field of a message, quickly.
 */
#include "object/proto_scan.h"

#include "unit/proto/wire.h"

static kin_str all(const wire *w)
{
    return kin__str(w->bytes, w->len);
}

static wire some_fields(void)
{
    wire w = { 0 };

    wire_text(&w, 1, "one");
    wire_number(&w, 2, 7);
    wire_number(&w, 2, 300);
    wire_text(&w, 17, "seventeen");
    wire_number(&w, 40, UINT64_MAX);
    wire_varint(&w, 3000 << 3 | KIN__PB_LEN); /* a tag of three bytes */
    wire_varint(&w, 0);
    wire_varint(&w, 5 << 3 | KIN__PB_FIXED64);
    wire_bytes(&w, "12345678", 8);
    return w;
}

TEST(scan, finds_the_first_and_the_last)
{
    wire w = some_fields();
    kin__pb_field field;

    ASSERT_EQ(kin__pb_find_first(all(&w), 2, &field), KIN__PB_PRESENT);
    ASSERT_EQ(field.varint, 7);
    ASSERT_EQ(kin__pb_find_last(all(&w), 2, &field), KIN__PB_REPEATED);
    ASSERT_EQ(field.varint, 300);
    ASSERT_EQ(kin__pb_find_last(all(&w), 1, &field), KIN__PB_PRESENT);
    ASSERT_SLICE_EQ(kin__pb_content(&field), "one");
    ASSERT_EQ(kin__pb_find_last(all(&w), 17, &field), KIN__PB_PRESENT);
    ASSERT_SLICE_EQ(kin__pb_content(&field), "seventeen");
    ASSERT_EQ(kin__pb_find_last(all(&w), 40, &field), KIN__PB_PRESENT);
    ASSERT_TRUE(field.varint == UINT64_MAX);
    ASSERT_EQ(kin__pb_find_last(all(&w), 3000, &field), KIN__PB_PRESENT);
    ASSERT_EQ(field.len, 0);
    ASSERT_EQ(kin__pb_find_last(all(&w), 5, &field), KIN__PB_PRESENT);
    ASSERT_EQ(field.wire, KIN__PB_FIXED64);
    ASSERT_EQ(kin__pb_find_last(all(&w), 6, &field), KIN__PB_ABSENT);
    ASSERT_EQ(kin__pb_find_first(all(&w), 6, &field), KIN__PB_ABSENT);
}

TEST(scan, finds_nothing_in_nothing)
{
    kin__pb_field field;

    ASSERT_EQ(kin__pb_find_first(kin__str(NULL, 0), 1, &field), KIN__PB_ABSENT);
    ASSERT_EQ(kin__pb_find_last(kin__str(NULL, 0), 1, &field), KIN__PB_ABSENT);
    ASSERT_EQ(kin__pb_find_numbers(kin__str(NULL, 0)), 0);
}

TEST(scan, tells_which_numbers_are_there)
{
    wire w = some_fields();
    uint64_t want = UINT64_C(1) << 1 | UINT64_C(1) << 2 | UINT64_C(1) << 17 | UINT64_C(1) << 40 |
                    UINT64_C(1) << 5;

    ASSERT_TRUE(kin__pb_find_numbers(all(&w)) == want);
}

/* Lengths of one to four bytes, of the field and of one before it. */
TEST(scan, steps_over_fields_of_any_length)
{
    static const size_t sizes[] = { 0, 1, 2, 127, 128, 129, 300, 1000 };
    static const uint32_t numbers[] = { 1, 15, 16, 63, 2047, 2048, 100000 };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++) {
            char filler[1000];
            wire w = { 0 };
            kin__pb_field field;
            memset(filler, 0xff, sizeof filler);
            wire_content(&w, numbers[j], filler, sizes[i]);
            wire_text(&w, 3, "x");
            ASSERT_EQ(kin__pb_find_first(all(&w), 3, &field), KIN__PB_PRESENT);
            ASSERT_SLICE_EQ(kin__pb_content(&field), "x");
            ASSERT_EQ(kin__pb_find_last(all(&w), numbers[j], &field), KIN__PB_PRESENT);
            ASSERT_EQ(field.len, sizes[i]);
        }
    }
}

TEST(scan, tells_what_makes_no_sense)
{
    static const char *const faulty[] = {
        "\x0a",                   /* no length */
        "\x0a\x05xyz",            /* past the end */
        "\x0a\xff\xff\xff\x7fxx", /* far past it */
        "\x02\x01x",              /* number 0 */
        "\x02\x02xx",             /* the same, with more behind it */
        "\x0b\x01xx",             /* a group */
        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
        "\x08\x80",
    };

    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++) {
        kin_str message = kin_str_of(faulty[i]);
        kin__pb_field field;
        ASSERT_EQ(kin__pb_find_first(message, 9, &field), KIN__PB_FAULTY);
        ASSERT_EQ(kin__pb_find_last(message, 9, &field), KIN__PB_FAULTY);
    }
}

/* Servers write fields in the order of their numbers. */
TEST(scan, ends_at_a_higher_number_only_when_it_has_found_one)
{
    wire w = { 0 };
    kin__pb_field field;

    wire_text(&w, 9, "nine");
    wire_text(&w, 3, "three");
    wire_text(&w, 9, "again");
    wire_bytes(&w, "\x0a", 1);
    ASSERT_EQ(kin__pb_find_last(all(&w), 3, &field), KIN__PB_PRESENT);
    ASSERT_SLICE_EQ(kin__pb_content(&field), "three");
    ASSERT_EQ(kin__pb_find_last(all(&w), 9, &field), KIN__PB_FAULTY);
}
