/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number_test.c - numbers are read exactly, compared exactly, and written as Go does it.
 *
 * What Go writes was taken from Go 1.26's encoding/json.
 */
#include "json/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "support/random.h"
#include "support/test.h"

static int64_t int64_of(const char *raw);
static double double_of(const char *raw);
static void assert_written(double value, const char *want);
static bool are_equal(const char *a, const char *b);
static void repeat(text *t, char c, int count);
static kin_str random_number(uint64_t *random, char *out);
#if defined(__GLIBC__)
static void use_comma_locale(char *directory);
#endif

TEST(number, reads_whole_numbers_however_they_are_written)
{
    ASSERT_EQ(int64_of("0"), 0);
    ASSERT_EQ(int64_of("-0"), 0);
    ASSERT_EQ(int64_of("-0.000e5"), 0);
    ASSERT_EQ(int64_of("3"), 3);
    ASSERT_EQ(int64_of("3.0"), 3);
    ASSERT_EQ(int64_of("30e-1"), 3);
    ASSERT_EQ(int64_of("0.03E+2"), 3);
    ASSERT_EQ(int64_of("-120"), -120);
    ASSERT_EQ(int64_of("10.50e1"), 105);
    ASSERT_EQ(int64_of("1e18"), 1000000000000000000);
    ASSERT_EQ(int64_of("2e0000000000000000000000000000000003"), 2000);
}

TEST(number, reads_the_limits_of_int64)
{
    ASSERT_EQ(int64_of("9223372036854775807"), INT64_MAX);
    ASSERT_EQ(int64_of("-9223372036854775808"), INT64_MIN);
    ASSERT_EQ(int64_of("9223372036854775807.000"), INT64_MAX);
    ASSERT_EQ(int64_of("-922337203685477580.8e1"), INT64_MIN);
}

TEST(number, refuses_what_is_no_int64)
{
    static const struct {
        const char *raw;
        kin_err code;
    } cases[] = {
        { "9223372036854775808", KIN_ERR_RANGE },
        { "-9223372036854775809", KIN_ERR_RANGE },
        { "18446744073709551616", KIN_ERR_RANGE },
        { "1e19", KIN_ERR_RANGE },
        { "1844674407370955162e1", KIN_ERR_RANGE },
        { "1e99999999999999999999999", KIN_ERR_RANGE },
        { "123456789012345678901234567890", KIN_ERR_RANGE },
        { "0.5", KIN_ERR_TYPE },
        { "1e-1", KIN_ERR_TYPE },
        { "-3.000000000000000000000000001", KIN_ERR_TYPE },
        { "1e-99999999999999999999999", KIN_ERR_TYPE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t out = 42;
        ASSERT_ERR(kin__json_int64(kin_str_of(cases[i].raw), &out), cases[i].code);
        ASSERT_EQ(out, 42);
    }
}

TEST(number, reads_the_nearest_double)
{
    ASSERT_DOUBLE_EQ(double_of("0"), 0.0);
    ASSERT_DOUBLE_EQ(double_of("-0"), -0.0);
    ASSERT_DOUBLE_EQ(double_of("-0e99999999999999999999"), -0.0);
    ASSERT_DOUBLE_EQ(double_of("0.1"), 0.1);
    ASSERT_DOUBLE_EQ(double_of("-12.5e-1"), -1.25);
    ASSERT_DOUBLE_EQ(double_of("123456789012345678901234567890"), 123456789012345678901234567890.0);
    ASSERT_DOUBLE_EQ(double_of("1.7976931348623157e308"), DBL_MAX);
    ASSERT_DOUBLE_EQ(double_of("1.7976931348623158e+308"), DBL_MAX);
    ASSERT_DOUBLE_EQ(double_of("5e-324"), 5e-324);
    ASSERT_DOUBLE_EQ(double_of("2.4703282292062328e-324"), 5e-324);
    ASSERT_DOUBLE_EQ(double_of("2.4703282292062327e-324"), 0.0);
    ASSERT_DOUBLE_EQ(double_of("-1e-99999999999999999999"), -0.0);
}

TEST(number, refuses_a_double_that_would_be_infinite)
{
    static const char *const cases[] = { "1.7976931348623159e308", "1e309", "-1e400", "1e401",
                                         "1e99999999999999999999" };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double out = 42;
        ASSERT_ERR(kin__json_double(kin_str_of(cases[i]), &out), KIN_ERR_RANGE);
        ASSERT_DOUBLE_EQ(out, 42.0);
    }
}

TEST(number, reads_a_double_of_thousands_of_digits)
{
    text raw = { 0 };

    text_append(&raw, "1");
    repeat(&raw, '0', 5000);
    text_append(&raw, ".000e-5000");
    ASSERT_DOUBLE_EQ(double_of(raw.chars), 1.0);

    text_clear(&raw);
    text_append(&raw, "0.");
    repeat(&raw, '0', 5000);
    text_append(&raw, "25e5001");
    ASSERT_DOUBLE_EQ(double_of(raw.chars), 2.5);
}

/* 1 + 2^-53 lies halfway between 1 and the next double; even the last of thousands of digits
 * decides. */
TEST(number, decides_halfway_by_the_last_of_thousands_of_digits)
{
    const char *halfway = "1.00000000000000011102230246251565404236316680908203125";
    text raw = { 0 };

    ASSERT_DOUBLE_EQ(double_of(halfway), 1.0);
    text_append(&raw, "%s", halfway);
    repeat(&raw, '0', 5000);
    ASSERT_DOUBLE_EQ(double_of(raw.chars), 1.0);
    text_append(&raw, "1");
    ASSERT_DOUBLE_EQ(double_of(raw.chars), 1.0 + DBL_EPSILON);
}

TEST(number, compares_by_value)
{
    ASSERT_TRUE(are_equal("1e2", "100.0"));
    ASSERT_TRUE(are_equal("0.10", "1e-1"));
    ASSERT_TRUE(are_equal("-0", "0"));
    ASSERT_TRUE(are_equal("-0.0e5", "0e99999999999999999999999"));
    ASSERT_TRUE(are_equal("1.5", "15E-1"));
    ASSERT_TRUE(are_equal("10.01", "1001e-2"));
    ASSERT_TRUE(are_equal("100.1", "10.01e+1"));
    ASSERT_TRUE(are_equal("-7", "-7.00"));
    ASSERT_FALSE(are_equal("7", "-7"));
    ASSERT_FALSE(are_equal("1", "0"));
    ASSERT_FALSE(are_equal("1", "10"));
    ASSERT_FALSE(are_equal("12", "1.3e1"));
    ASSERT_FALSE(are_equal("12", "123"));
    ASSERT_FALSE(are_equal("1.2", "12"));
}

/* Both are the same double. */
TEST(number, compares_beyond_the_precision_of_a_double)
{
    ASSERT_FALSE(are_equal("9007199254740993", "9007199254740992"));
    ASSERT_FALSE(are_equal("0.1", "0.1000000000000000000000000000000000000001"));
}

TEST(number, compares_exponents_of_any_length)
{
    ASSERT_TRUE(are_equal("1e100000000000000000000", "10e99999999999999999999"));
    ASSERT_TRUE(are_equal("1e-100000000000000000000", "0.1e-99999999999999999999"));
    ASSERT_TRUE(are_equal("10e-100000000000000000000", "1e-99999999999999999999"));
    ASSERT_TRUE(are_equal("1e0000000000000000000000000000000002", "100"));
    ASSERT_TRUE(are_equal("0.01e999999999999999999", "1e999999999999999997"));
    ASSERT_TRUE(are_equal("0.1e1000000000000000000", "1e999999999999999999"));
    ASSERT_FALSE(are_equal("1e100000000000000000000", "1e99999999999999999999"));
    ASSERT_FALSE(are_equal("1e100000000000000000000", "100e99999999999999999999"));
    ASSERT_FALSE(are_equal("1e100000000000000000000", "1e-100000000000000000000"));
    ASSERT_FALSE(are_equal("1e1000000000000000000", "1e100000000000000000"));
    ASSERT_FALSE(are_equal("1e1000000000000000000", "1"));
    ASSERT_FALSE(are_equal("1e-1000000000000000000", "1"));
}

TEST(number, compares_exponents_of_thousands_of_digits)
{
    text a = { 0 };
    text b = { 0 };

    text_append(&a, "12.5e1");
    repeat(&a, '0', 5000);
    text_append(&b, "125000e");
    repeat(&b, '9', 4999);
    text_append(&b, "6");
    ASSERT_TRUE(are_equal(a.chars, b.chars));

    b.chars[b.len - 1] = '7';
    ASSERT_FALSE(are_equal(a.chars, b.chars));
    b.chars[b.len - 1] = '6';
    b.chars[1000] = '8';
    ASSERT_FALSE(are_equal(a.chars, b.chars));
}

/* Of numbers that are small enough, what double says is the measure. */
TEST(number, agrees_with_arithmetic)
{
    uint64_t random = random_start(20260103);

    for (int i = 0; i < 100000; i++) {
        int mantissa[2];
        int power[2];
        int64_t value[2]; /* in thousandths */
        char raw[2][32];
        for (int k = 0; k < 2; k++) {
            mantissa[k] = (int) random_below(&random, 41) * 5 - 100;
            power[k] = (int) random_below(&random, 7) - 3;
            (void) snprintf(raw[k], sizeof raw[k], "%de%d", mantissa[k], power[k]);
            value[k] = mantissa[k];
            for (int n = power[k]; n > -3; n--) {
                value[k] *= 10;
            }
        }
        ASSERT_EQ(are_equal(raw[0], raw[1]), value[0] == value[1]);
        ASSERT_DOUBLE_EQ(double_of(raw[0]), mantissa[0] == 0 ? 0.0 : (double) value[0] / 1000);
        int64_t whole = 0;
        bool is_whole = value[0] % 1000 == 0;
        ASSERT_ERR(kin__json_int64(kin_str_of(raw[0]), &whole), is_whole ? KIN_OK : KIN_ERR_TYPE);
        ASSERT_EQ(whole, is_whole ? value[0] / 1000 : 0);
    }
}

TEST(number, reads_nothing_outside_the_text_whatever_it_is)
{
    uint64_t random = random_start(20260104);
    char room[64];

    for (int i = 0; i < 100000; i++) {
        kin_str raw[2];
        char *copy[2];
        for (int k = 0; k < 2; k++) {
            raw[k] = random_number(&random, room);
            copy[k] = kin__alloc(raw[k].len);
            ASSERT_TRUE(copy[k] != NULL);
            memcpy(copy[k], raw[k].data, raw[k].len);
            raw[k].data = copy[k];
        }
        int64_t whole;
        double real;
        kin_err code = kin__json_int64(raw[0], &whole);
        ASSERT_TRUE(code == KIN_OK || code == KIN_ERR_TYPE || code == KIN_ERR_RANGE);
        code = kin__json_double(raw[0], &real);
        ASSERT_TRUE(code == KIN_OK || code == KIN_ERR_RANGE);
        ASSERT_EQ(kin__json_numbers_equal(raw[0], raw[1]), kin__json_numbers_equal(raw[1], raw[0]));
        kin__free(copy[0]);
        kin__free(copy[1]);
    }
}

/* A second point is where the text stops to look like a number. */
TEST(number, reads_a_text_that_is_no_number_as_far_as_it_looks_like_one)
{
    ASSERT_TRUE(are_equal("1.2.3", "1.2"));
    ASSERT_FALSE(are_equal("1.2.3", "1234"));
    ASSERT_TRUE(are_equal("7x9", "7"));
    ASSERT_TRUE(are_equal("7e1x9", "70"));
    ASSERT_EQ(int64_of(""), 0);
    ASSERT_EQ(int64_of("-"), 0);
    ASSERT_EQ(int64_of("5e"), 5);
    ASSERT_EQ(int64_of("5e+"), 5);
    ASSERT_DOUBLE_EQ(double_of("abc"), 0.0);
}

TEST(number, writes_int64)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    ASSERT_TRUE(kin__json_append_int64(&buf, 0));
    ASSERT_TRUE(kin__buf_append_byte(&buf, ' '));
    ASSERT_TRUE(kin__json_append_int64(&buf, -7));
    ASSERT_TRUE(kin__buf_append_byte(&buf, ' '));
    ASSERT_TRUE(kin__json_append_int64(&buf, INT64_MAX));
    ASSERT_TRUE(kin__buf_append_byte(&buf, ' '));
    ASSERT_TRUE(kin__json_append_int64(&buf, INT64_MIN));

    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), "0 -7 9223372036854775807 -9223372036854775808");
}

TEST(number, writes_doubles_plainly_from_1e_minus_6_to_1e21)
{
    assert_written(0.0, "0");
    assert_written(-0.0, "-0");
    assert_written(1.0, "1");
    assert_written(-2.5, "-2.5");
    assert_written(0.1, "0.1");
    assert_written(100.0, "100");
    assert_written(123456.75, "123456.75");
    assert_written(0.000001, "0.000001");
    assert_written(-0.0000012345678901234567, "-0.0000012345678901234567");
    assert_written(999999999999999900000.0, "999999999999999900000");
    assert_written(9007199254740993.0, "9007199254740992");
}

TEST(number, writes_other_doubles_with_an_exponent)
{
    assert_written(1e21, "1e+21");
    assert_written(-1.5e21, "-1.5e+21");
    assert_written(1e100, "1e+100");
    assert_written(DBL_MAX, "1.7976931348623157e+308");
    assert_written(9.999999e-7, "9.999999e-7");
    assert_written(1e-7, "1e-7");
    assert_written(1e-10, "1e-10");
    assert_written(DBL_MIN, "2.2250738585072014e-308");
    assert_written(5e-324, "5e-324");
    assert_written(1e-320, "1e-320");
    assert_written(-1.2345678901234568e-300, "-1.2345678901234568e-300");
}

/* Where the nearest text of 16 digits reads as another double, and its neighbour does not. */
TEST(number, writes_powers_of_two_as_short_as_go_does)
{
    assert_written(ldexp(1, -44), "5.684341886080802e-14");
    assert_written(ldexp(1, -24), "5.960464477539063e-8");
    assert_written(ldexp(1, 89), "6.189700196426902e+26");
    assert_written(ldexp(1, 63), "9223372036854776000");
}

TEST(number, writes_doubles_that_read_back_and_none_shorter)
{
    uint64_t random = random_start(20260105);
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    for (int i = 0; i < 50000; i++) {
        uint64_t bits = random_next(&random);
        double value;
        double read;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        kin__buf_clear(&buf);
        ASSERT_TRUE(kin__json_append_double(&buf, value));
        ASSERT_OK(kin__json_double(kin__str(buf.data, buf.len), &read));
        ASSERT_DOUBLE_EQ(read, value);
        size_t digits = 0;
        for (size_t k = 0; k < buf.len && buf.data[k] != 'e'; k++) {
            digits += buf.data[k] >= '0' && buf.data[k] <= '9' ? 1 : 0;
        }
        char shorter[64];
        if (digits > 1 && (value >= 1e21 || value <= -1e21)) {
            (void) snprintf(shorter, sizeof shorter, "%.*e", (int) digits - 2, value);
            ASSERT_FALSE(strtod(shorter, NULL) == value);
        }
    }
}

#if defined(__GLIBC__) /* others have no such locales */
/* A program in a German locale writes 0,5. */
TEST(number, does_not_depend_on_the_locale)
{
    char directory[] = "/tmp/kin_number_test_XXXXXX";
    char localised[16];
    use_comma_locale(directory);
    (void) snprintf(localised, sizeof localised, "%.1f", 0.5);
    ASSERT_STR_EQ(localised, "0,5");

    assert_written(0.5, "0.5");
    assert_written(-1234.5678, "-1234.5678");
    assert_written(1.5e-9, "1.5e-9");
    ASSERT_DOUBLE_EQ(double_of("0.5"), 0.5);
    ASSERT_DOUBLE_EQ(double_of("-1.25e-3"), -0.00125);
    ASSERT_EQ(int64_of("2.50e1"), 25);
}
#endif

TEST_FAILING_ALLOC(number, leaves_the_buffer_as_it_was_without_memory)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    for (int i = 0; i < 40; i++) {
        size_t before = buf.len;
        bool is_written = i % 2 == 0 ? kin__json_append_double(&buf, 0.1 + i)
                                     : kin__json_append_int64(&buf, 1000 + i);
        if (!is_written) {
            ASSERT_EQ(buf.len, before);
            ASSERT_TRUE(kin__buf_failed(&buf));
            return KIN_ERR_NO_MEMORY;
        }
    }
    return KIN_OK;
}

static int64_t int64_of(const char *raw)
{
    int64_t out;
    kin_err code = kin__json_int64(kin_str_of(raw), &out);
    if (code != KIN_OK) {
        FAIL("%.100s: %s", raw, kin_err_name(code));
    }
    return out;
}

static double double_of(const char *raw)
{
    double out;
    kin_err code = kin__json_double(kin_str_of(raw), &out);
    if (code != KIN_OK) {
        FAIL("%.100s: %s", raw, kin_err_name(code));
    }
    return out;
}

static void assert_written(double value, const char *want)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    ASSERT_TRUE(kin__json_append_double(&buf, value));

    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), want);
}

static bool are_equal(const char *a, const char *b)
{
    bool result = kin__json_numbers_equal(kin_str_of(a), kin_str_of(b));
    ASSERT_EQ(kin__json_numbers_equal(kin_str_of(b), kin_str_of(a)), result);
    return result;
}

static void repeat(text *t, char c, int count)
{
    for (int i = 0; i < count; i++) {
        text_append(t, "%c", c);
    }
}

/* Bytes of which numbers are made, in any order, and some others. */
static kin_str random_number(uint64_t *random, char *out)
{
    static const char bytes[] = "00112345678999..eE+-+-x/:\xff";
    size_t len = random_below(random, 30);
    for (size_t i = 0; i < len; i++) {
        out[i] = bytes[random_below(random, sizeof bytes - 1)];
    }
    return kin__str(out, len);
}

#if defined(__GLIBC__)
/*
 * Makes a locale in which numbers have a comma, and sets it: few machines have one installed.  The
 * file is what glibc's localedef writes for LC_NUMERIC: a magic number, the number of fields,
 * where each begins, and the fields: both separators, the grouping, both separators as wide
 * characters, and the character set.
 */
static void use_comma_locale(char *directory)
{
    static const struct {
        uint32_t magic;
        uint32_t count;
        uint32_t places[6];
        char point[2];
        char separator[2];
        char grouping[4];
        uint32_t wide_point;
        uint32_t wide_separator;
        char charset[8];
    } file = { 0x20031114, 6, { 32, 34, 36, 40, 44, 48 }, ",", ".", "\177", ',', '.', "UTF-8" };
    char path[64];

    ASSERT_TRUE(mkdtemp(directory) != NULL);
    ASSERT_EQ(setenv("LOCPATH", directory, 1), 0);
    (void) snprintf(path, sizeof path, "%s/comma", directory);
    ASSERT_EQ(mkdir(path, 0700), 0);
    (void) snprintf(path, sizeof path, "%s/comma/LC_NUMERIC", directory);
    FILE *out = fopen(path, "wb");
    ASSERT_TRUE(out != NULL);
    ASSERT_EQ(fwrite(&file, sizeof file, 1, out), 1u);
    ASSERT_EQ(fclose(out), 0);
    ASSERT_TRUE(setlocale(LC_NUMERIC, "comma") != NULL);

    ASSERT_EQ(unlink(path), 0);
    (void) snprintf(path, sizeof path, "%s/comma", directory);
    ASSERT_EQ(rmdir(path), 0);
    ASSERT_EQ(rmdir(directory), 0);
}
#endif
