/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_scalar.c - what a plain YAML scalar means.
 *
 * Numbers are known by their shape alone; none is turned into a double, so that nothing depends on
 * the program's locale.
 */
#include "config/yaml_scalar.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"

#define WORDS(list) is_one_of(text, list, sizeof list / sizeof list[0])

static bool is_one_of(kin_str text, const char *const *words, size_t count);
static bool is_special_float(kin_str text);
static bool is_decimal(kin_str text);
static bool read_digits(kin_str text, size_t *at);
static bool read_based(kin_str text, bool *out_is_negative, uint64_t *out);
static unsigned base_of(kin_str *digits);
static int digit_of(char c);
static void write_decimal(kin_str text, kin__json_writer *w);

static const char *const null_words[] = { "", "~", "null", "Null", "NULL" };
static const char *const true_words[] = { "y",    "Y",    "yes", "Yes", "YES", "true",
                                          "True", "TRUE", "on",  "On",  "ON" };
static const char *const false_words[] = { "n",     "N",     "no",  "No",  "NO", "false",
                                           "False", "FALSE", "off", "Off", "OFF" };

kin__yaml_type kin__yaml_plain_type(kin_str text)
{
    bool is_negative;
    uint64_t number;

    if (WORDS(null_words)) {
        return KIN__YAML_NULL;
    }
    if (WORDS(true_words) || WORDS(false_words)) {
        return KIN__YAML_BOOL;
    }
    if (is_decimal(text) || is_special_float(text) || read_based(text, &is_negative, &number)) {
        return KIN__YAML_NUMBER;
    }
    return KIN__YAML_STRING;
}

bool kin__yaml_plain_bool(kin_str text)
{
    return WORDS(true_words);
}

bool kin__yaml_plain_number(kin_str text, kin__json_writer *w)
{
    bool is_negative;
    uint64_t number;
    char digits[32];

    if (is_special_float(text)) {
        return false;
    }
    if (!read_based(text, &is_negative, &number)) {
        write_decimal(text, w);
        return true;
    }
    int len = snprintf(digits, sizeof digits, "%s%" PRIu64, is_negative ? "-" : "", number);
    kin__json_raw(w, kin__str(digits, (size_t) len));
    return true;
}

static bool is_one_of(kin_str text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kin__str_equal(text, kin_str_of(words[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_special_float(kin_str text)
{
    static const char *const nans[] = { ".nan", ".NaN", ".NAN" };
    static const char *const infinities[] = { ".inf", ".Inf", ".INF" };

    if (WORDS(nans)) {
        return true;
    }
    if (text.len != 0 && (text.data[0] == '+' || text.data[0] == '-')) {
        text = kin__str(text.data + 1, text.len - 1);
    }
    return WORDS(infinities);
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?, with '_' anywhere among the digits. */
static bool is_decimal(kin_str text)
{
    size_t at = text.len != 0 && (text.data[0] == '+' || text.data[0] == '-') ? 1 : 0;
    bool has_whole = read_digits(text, &at);

    if (at < text.len && text.data[at] == '.') {
        at++;
        if (!read_digits(text, &at) && !has_whole) {
            return false;
        }
    } else if (!has_whole) {
        return false;
    }
    if (at < text.len && (text.data[at] == 'e' || text.data[at] == 'E')) {
        at++;
        at += at < text.len && (text.data[at] == '+' || text.data[at] == '-') ? 1 : 0;
        if (!read_digits(text, &at)) {
            return false;
        }
    }
    return at == text.len;
}

/* True when there was a digit. */
static bool read_digits(kin_str text, size_t *at)
{
    bool has_digit = false;

    while (*at < text.len && ((text.data[*at] >= '0' && text.data[*at] <= '9') ||
                              (has_digit && text.data[*at] == '_'))) {
        has_digit = true;
        (*at)++;
    }
    return has_digit;
}

/* Whole numbers that say their base: 0x1f, 0b101, 0o17 and 017. */
static bool read_based(kin_str text, bool *out_is_negative, uint64_t *out)
{
    uint64_t number = 0;
    bool is_negative = false;
    bool has_digit = false;

    if (text.len != 0 && (text.data[0] == '+' || text.data[0] == '-')) {
        is_negative = text.data[0] == '-';
        text = kin__str(text.data + 1, text.len - 1);
    }
    unsigned base = base_of(&text);
    for (size_t i = 0; base != 0 && i < text.len; i++) {
        int digit = digit_of(text.data[i]);
        if (text.data[i] == '_') {
            continue;
        }
        if (digit < 0 || (unsigned) digit >= base || number > (UINT64_MAX - 15) / base) {
            return false;
        }
        number = number * base + (unsigned) digit;
        has_digit = true;
    }
    if (!has_digit) {
        return false;
    }
    *out_is_negative = is_negative;
    *out = number;
    return true;
}

/* Takes the prefix off; 0 when there is none. */
static unsigned base_of(kin_str *digits)
{
    kin_str text = *digits;

    if (text.len < 2 || text.data[0] != '0') {
        return 0;
    }
    char letter = (char) (text.data[1] | 0x20);
    unsigned base = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 0;
    size_t prefix = base != 0 ? 2 : 1;
    *digits = kin__str(text.data + prefix, text.len - prefix);
    return base != 0 ? base : 8;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char letter = (char) (c | 0x20);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* In JSON's grammar: no '+', no '_', a digit on each side of the point, no zeros in front. */
static void write_decimal(kin_str text, kin__json_writer *w)
{
    size_t at = text.data[0] == '+' || text.data[0] == '-' ? 1 : 0;
    bool has_digit = false;

    kin__json_raw(w, text.data[0] == '-' ? STR("-") : STR(""));
    while (at + 1 < text.len && (text.data[at] == '0' || text.data[at] == '_') &&
           ((text.data[at + 1] >= '0' && text.data[at + 1] <= '9') || text.data[at + 1] == '_')) {
        at++;
    }
    for (; at < text.len; at++) {
        char c = text.data[at];
        bool is_digit = c >= '0' && c <= '9';
        if (c == '.' && !has_digit) {
            (void) kin__buf_append_byte(w->buf, '0');
        }
        bool has_fraction =
            at + 1 < text.len && text.data[at + 1] >= '0' && text.data[at + 1] <= '9';
        if (c != '_' && (c != '.' || has_fraction)) {
            (void) kin__buf_append_byte(w->buf, c);
        }
        has_digit = has_digit || is_digit;
    }
}
