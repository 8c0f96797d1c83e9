/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantity_test.c - Kubernetes quantities.
 *
 * The values in the tables are what resource.Quantity of k8s.io/apimachinery v0.37 makes of the
 * same texts, except where a test says so.
 */
#include "base/quantity.h"

#include <inttypes.h>
#include <string.h>

#include "support/test.h"

typedef struct sample {
    const char *chars;
    int scale;
    int64_t want;
} sample;

static void check(const sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t got = 0;
        kin_err code = kin__quantity_parse(kin_str_of(samples[i].chars), samples[i].scale, &got);
        if (code != KIN_OK || got != samples[i].want) {
            FAIL("\"%s\" in units of 10^%d is %" PRId64 " (%s), not %" PRId64, samples[i].chars,
                 samples[i].scale, got, kin_err_name(code), samples[i].want);
        }
    }
}

static void check_fails(const char *chars, int scale, kin_err want)
{
    int64_t got = 77;
    kin_err code = kin__quantity_parse(kin_str_of(chars), scale, &got);
    if (code != want || got != 77) {
        FAIL("\"%s\" in units of 10^%d is %" PRId64 " (%s), not %s", chars, scale, got,
             kin_err_name(code), kin_err_name(want));
    }
}

#define CHECK(samples) check(samples, sizeof(samples) / sizeof((samples)[0]))

TEST(quantity, has_the_suffixes_of_kubernetes)
{
    static const sample samples[] = {
        { "5n", -9, 5 },
        { "5u", -9, 5000 },
        { "5m", -9, 5000000 },
        { "5", 0, 5 },
        { "5k", 0, 5000 },
        { "5M", 0, 5000000 },
        { "5G", 0, 5000000000 },
        { "5T", 0, 5000000000000 },
        { "5P", 0, 5000000000000000 },
        { "5E", 0, 5000000000000000000 },
        { "5Ki", 0, 5120 },
        { "5Mi", 0, 5242880 },
        { "5Gi", 0, 5368709120 },
        { "5Ti", 0, 5497558138880 },
        { "5Pi", 0, 5629499534213120 },
        { "5Ei", 0, 5764607523034234880 },
    };
    CHECK(samples);
}

TEST(quantity, has_signs_and_dots_where_the_grammar_lets_them)
{
    static const sample samples[] = {
        { "0", 0, 0 },          { "-0", 0, 0 },      { "+1", 0, 1 },
        { "-1", 0, -1 },        { "007", 0, 7 },     { "1.", 0, 1 },
        { ".5", -3, 500 },      { "-.5", -3, -500 }, { "+1.25k", 0, 1250 },
        { "1.Gi", 0, 1 << 30 }, { "00.0", 0, 0 },    { "1.5Gi", 0, 1610612736 },
        { "0.5Ki", 0, 512 },    { "250m", -3, 250 },
    };
    CHECK(samples);
}

TEST(quantity, takes_a_letter_e_alone_for_exa_and_with_digits_for_an_exponent)
{
    static const sample samples[] = {
        { "1E", 0, 1000000000000000000 },
        { "1E3", 0, 1000 },
        { "1e3", 0, 1000 },
        { "1e+3", 0, 1000 },
        { "1E-3", -3, 1 },
        { "12.5e-1", -3, 1250 },
        { "3e6", 0, 3000000 },
        { "1e0000000000000000000000003", 0, 1000 },
    };
    CHECK(samples);
    check_fails("1e", 0, KIN_ERR_MALFORMED);
}

TEST(quantity, is_rounded_away_from_zero)
{
    static const sample samples[] = {
        { "1m", 0, 1 },      { "-1m", 0, -1 },
        { "1001m", 0, 2 },   { "-1001m", 0, -2 },
        { "2000m", 0, 2 },   { "1.0000000001", 0, 2 },
        { "0.1Ki", 0, 103 }, { "1", 3, 1 },
        { "999", 3, 1 },     { "1001", 3, 2 },
        { "1n", 9, 1 },      { "1.0000000000000000000000000000000000000000", 0, 1 },
    };
    CHECK(samples);
}

/* Go answers -101 and 0: its two forms of a quantity round negative amounts in
 * different directions. */
TEST(quantity, is_rounded_away_from_zero_when_it_is_long_and_negative_too)
{
    static const sample samples[] = {
        { "-0.1Ki", 0, -103 },
        { "-1.00000000000000000001", 0, -2 },
    };
    CHECK(samples);
}

TEST(quantity, is_at_least_a_nano_unless_it_is_zero)
{
    static const sample samples[] = {
        { "0.0000000001", -9, 1 },
        { "1e-30", -9, 1 },
        { "-1e-30", -9, -1 },
        { "1e-9223372036854775808", -9, 1 },
        { "0e-30", -9, 0 },
        { "1.0000000001", -9, 1000000001 },
        { "0.0000000000000000000000000000000000000000000000000000000000000000000000000001Ei", -9,
          1 },
    };
    CHECK(samples);
}

TEST(quantity, with_a_binary_suffix_is_multiplied_exactly)
{
    static const sample samples[] = {
        { "0.000000001Ki", -9, 1024 },
        { "0.0009765625Ki", 0, 1 },
        { "0.00097656250000000000000000000000000000000000000000000000000000000001Ki", 0, 2 },
        { "0.000976562499999999999999999999999999999999999999999999999999999999Ki", -9,
          1000000000 },
        { "1.1Ti", 0, 1209462790554 },
        { "7.9999999999999999999Ei", 0, INT64_MAX },
        { "0.333333333333333333333333333333Ei", 0, 384307168202282326 },
        { "8191.99951171875Pi", 0, 9223371487098961920 },
    };
    CHECK(samples);
}

TEST(quantity, with_a_binary_suffix_is_capped)
{
    static const sample samples[] = {
        { "8Ei", 0, INT64_MAX },
        { "-8Ei", 0, -INT64_MAX },
        { "9223372036854775807Ki", 0, INT64_MAX },
        { "99999999999999999999999999999Ei", 0, INT64_MAX },
        { "8Ei", 3, 9223372036854776 },
        { "8Ei", 9, 9223372037 },
    };
    CHECK(samples);
    check_fails("8Ei", -3, KIN_ERR_RANGE);
}

TEST(quantity, fits_an_int64_or_is_out_of_range)
{
    static const sample samples[] = {
        { "9223372036854775807", 0, INT64_MAX },
        { "9223372036854775806.5", 0, INT64_MAX },
        { "-9223372036854775808", 0, INT64_MIN },
        { "9223372036854775807000", 3, INT64_MAX },
        { "9.223372036854775807", -9, 9223372037 },
        { "-9223372036.854775808", -9, INT64_MIN },
        { "0e999999999999", 0, 0 },
        { "0.000E", -9, 0 },
        { "10e-1", 0, 1 },
    };
    CHECK(samples);
    check_fails("9223372036854775808", 0, KIN_ERR_RANGE);
    check_fails("-9223372036854775809", 0, KIN_ERR_RANGE);
    check_fails("9223372036854775807.5", 0, KIN_ERR_RANGE);
    check_fails("18446744073709551615.5", 0, KIN_ERR_RANGE);
    check_fails("10E", 0, KIN_ERR_RANGE);
    check_fails("1E", -1, KIN_ERR_RANGE);
    check_fails("1e19", 0, KIN_ERR_RANGE);
    check_fails("1e9223372036854775807", 9, KIN_ERR_RANGE);
    check_fails("9223372036854775808000", 3, KIN_ERR_RANGE);
}

TEST(quantity, of_another_form_is_refused)
{
    static const char *const wrong[] = {
        "",
        " ",
        "1 ",
        " 1",
        "1 m",
        "one",
        "--1",
        "+-1",
        "1..5",
        "1.5.5",
        "1K",
        "1KI",
        "1ki",
        "1i",
        "1mi",
        "1Kim",
        "1mm",
        "1Eii",
        "1_000",
        "1,5",
        "1e+",
        "1e-",
        "1ee3",
        "1e3.",
        "1e3m",
        "1e+-3",
        "1e 3",
        "0x10",
        "1k5",
        "\xc2\xb5",
        "1\xc2\xb5",
        "Infinity",
        "NaN",
        "1e9223372036854775808",
        "1e-9223372036854775809",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        check_fails(wrong[i], 0, KIN_ERR_MALFORMED);
    }
    int64_t got;
    ASSERT_ERR(kin__quantity_parse((kin_str){ NULL, 0 }, 0, &got), KIN_ERR_MALFORMED);
    ASSERT_ERR(kin__quantity_parse((kin_str){ "1\0", 2 }, 0, &got), KIN_ERR_MALFORMED);
}

/* Go takes all of these for 0, against its own grammar. */
TEST(quantity, without_a_digit_is_refused)
{
    static const char *const wrong[] = { "-", "+", ".", "-.", "m", "Ki", ".Gi", "e5", ".e3", "E" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        check_fails(wrong[i], 0, KIN_ERR_MALFORMED);
    }
}

/* Go keeps 32 bits of an exponent: to it 1e4294967296 is 1. */
TEST(quantity, has_an_exponent_that_means_what_it_says)
{
    static const sample samples[] = {
        { "1e-4294967296", 0, 1 },
        { "0e4294967296", 0, 0 },
    };
    CHECK(samples);
    check_fails("1e4294967296", 0, KIN_ERR_RANGE);
}

TEST(quantity, of_a_hundred_thousand_digits_is_read)
{
    static char chars[100000];
    int64_t got = 0;

    memset(chars, '0', sizeof chars);
    chars[1] = '.';
    chars[sizeof chars - 1] = '1';
    ASSERT_OK(kin__quantity_parse((kin_str){ chars, sizeof chars }, -9, &got));
    ASSERT_EQ(got, 1);

    memcpy(chars + sizeof chars - 7, "1e99995", 7);
    ASSERT_OK(kin__quantity_parse((kin_str){ chars, sizeof chars }, 0, &got));
    ASSERT_EQ(got, 1000);

    memset(chars, '9', sizeof chars);
    ASSERT_ERR(kin__quantity_parse((kin_str){ chars, sizeof chars }, 9, &got), KIN_ERR_RANGE);
}

TEST(quantity, is_had_in_scales_from_nano_to_giga_only)
{
    static const sample samples[] = {
        { "1", -9, 1000000000 }, { "1", -6, 1000000 }, { "1", -3, 1000 }, { "1", -1, 10 },
        { "1G", 9, 1 },          { "1G", 6, 1000 },    { "1.5G", 9, 2 },  { "1Gi", 3, 1073742 },
    };
    CHECK(samples);
    check_fails("1", -10, KIN_ERR_USAGE);
    check_fails("1", 10, KIN_ERR_USAGE);
}

static void expect_text(const char *chars, const char *want)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_err code = kin__quantity_append(kin_str_of(chars), &buf);

    if (code != KIN_OK || buf.len != strlen(want) || memcmp(buf.data, want, buf.len) != 0) {
        FAIL("\"%s\" is written \"%.*s\" (%s), not \"%s\"", chars, (int) buf.len,
             buf.len == 0 ? "" : buf.data, kin_err_name(code), want);
    }
}

TEST(quantity, is_written_without_a_fraction_and_with_the_largest_suffix)
{
    expect_text("0.5", "500m");
    expect_text("1.5", "1500m");
    expect_text("1000", "1k");
    expect_text("1000m", "1");
    expect_text("100000", "100k");
    expect_text("-0.25k", "-250");
    expect_text("1.5Gi", "1536Mi");
    expect_text("1024Mi", "1Gi");
    expect_text("1024Ki", "1Mi");
    expect_text("-2048", "-2048");
    expect_text("1e4", "10e3");
    expect_text("1500e-4", "150e-3");
    expect_text("12345678901234567890", "12345678901234567890");
    expect_text("  5m ", "5m");
}

TEST(quantity, is_written_as_it_was_where_apimachinery_does_so)
{
    expect_text("100m", "100m");
    expect_text("+5", "+5");
    expect_text("1500.250", "1500.250");
    expect_text("5.", "5.");
    expect_text("12Ki", "12Ki");
    expect_text("1E3", "1E3");
    expect_text("007Gi", "007Gi");
    expect_text("00100", "00100");
}

TEST(quantity, is_written_rounded_away_from_zero_to_nano)
{
    expect_text("0.1n", "1n");
    expect_text("-1.0000000001", "-1000000001n");
    expect_text("0.9999999999", "1");
    expect_text("999999.9999999999", "1M");
    expect_text("1e-99", "1e-9");
}

TEST(quantity, with_a_binary_suffix_is_written_with_one_only_from_1024_up_and_if_whole)
{
    expect_text("0.9765625Ki", "1k");
    expect_text("0.5Ki", "512");
    expect_text("1.00000000000001Ki", "1024000000001n");
    expect_text("1023.9999999999999Ki", "1Mi");
    expect_text("7.99999999999999999999Ei", "9223372036854775807");
    expect_text("100Ei", "9223372036854775807");
    expect_text("-100Ei", "-9223372036854775807");
    expect_text("4Ei", "4Ei");
}

TEST(quantity, that_is_zero_is_written_0)
{
    expect_text("0", "0");
    expect_text("-0", "0");
    expect_text("000.000Ki", "0");
    expect_text("0e7", "0");
}

/* apimachinery would write 1 for each of these. */
TEST(quantity, keeps_its_size_where_it_has_no_suffix_large_enough)
{
    expect_text("1000E", "1000E");
    expect_text("1000000000000000000000", "1000E");
    expect_text("1e24", "1e24");
}

TEST(quantity, that_is_none_is_not_written)
{
    static const char *const samples[] = { "",    " ",   "+",  ".",    "k",     "1 m",
                                           "1mm", "1ki", "1e", "0x10", "1.2.3", "1e9999999999" };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        AUTO(kin__buf_fini) kin__buf buf = { 0 };
        ASSERT_ERR(kin__quantity_append(kin_str_of(samples[i]), &buf), KIN_ERR_MALFORMED);
        ASSERT_EQ(buf.len, 0);
    }
}

TEST_FAILING_ALLOC(quantity, is_written_whole_or_not_at_all)
{
    AUTO(kin__buf_fini) kin__buf kept = { 0 };
    AUTO(kin__buf_fini) kin__buf written = { 0 };
    AUTO(kin__buf_fini) kin__buf zero = { 0 };
    kin_err code = kin__quantity_append(kin_str_of("1Gi"), &kept);

    code = code == KIN_OK ? kin__quantity_append(kin_str_of("0.5"), &written) : code;
    return code == KIN_OK ? kin__quantity_append(kin_str_of("0"), &zero) : code;
}
