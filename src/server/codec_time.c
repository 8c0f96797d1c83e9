/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_time.c - what Go says of a text that is no time, and of one that is no base64.
 *
 * Follows time.Parse() of Go 1.26 through the layouts RFC3339 and that of MicroTime: piece after
 * piece, and the words name the piece that does not fit and all that is left of the text.
 */
#include "base/base64.h"
#include "base/str.h"
#include "base/time.h"
#include "server/codec_read_state.h"
#include "server/quote.h"

typedef struct clock_face {
    kin_str text;
    const char *layout;
    kin_str rest;
    kin__buf *words;
    int day, month, year;
} clock_face;

static bool parse_date(clock_face *c);
static bool parse_clock(clock_face *c, bool has_micros);
static bool parse_fraction(clock_face *c, bool has_micros);
static bool parse_zone(clock_face *c);
static bool parse_literal(clock_face *c, char wanted);
static bool parse_number(clock_face *c, size_t digits, const char *piece, int *out);
static int days_of(int year, int month);
static bool wrong_piece(clock_face *c, const char *piece);
static bool out_of_range(clock_face *c, const char *what);
static bool is_digit(char c);

bool kin__codec_check_time(kin_str text, bool has_micros, kin__buf *words)
{
    kin_time time;
    clock_face c = { .text = text,
                     .layout = has_micros ? "2006-01-02T15:04:05.000000Z07:00"
                                          : "2006-01-02T15:04:05Z07:00",
                     .rest = text,
                     .words = words };

    if (!has_micros && kin__time_parse(text, &time) == KIN_OK) {
        return true;
    }
    if (!parse_date(&c) || !parse_clock(&c, has_micros) || !parse_zone(&c)) {
        return false;
    }
    if (c.rest.len != 0) {
        (void) kin__buf_append_str(words, STR("parsing time "));
        kin__quote_append(text, words);
        (void) kin__buf_append_str(words, STR(": extra text: "));
        kin__quote_append(c.rest, words);
        return false;
    }
    if (c.day < 1 || c.day > days_of(c.year, c.month)) {
        return out_of_range(&c, "day");
    }
    return kin__time_parse(text, &time) == KIN_OK || wrong_piece(&c, "Z07:00");
}

static bool parse_date(clock_face *c)
{
    if (!parse_number(c, 4, "2006", &c->year) || !parse_literal(c, '-') ||
        !parse_number(c, 2, "01", &c->month)) {
        return false;
    }
    if (c->month < 1 || c->month > 12) {
        return out_of_range(c, "month");
    }
    return parse_literal(c, '-') && parse_number(c, 2, "02", &c->day) && parse_literal(c, 'T');
}

static bool parse_clock(clock_face *c, bool has_micros)
{
    int hour = 0;
    int minute = 0;
    int second = 0;
    bool is_short = c->rest.len > 1 && is_digit(c->rest.data[0]) && !is_digit(c->rest.data[1]);

    if (!parse_number(c, is_short ? 1 : 2, "15", &hour)) {
        return false;
    }
    if (hour > 23) {
        return out_of_range(c, "hour");
    }
    if (!parse_literal(c, ':') || !parse_number(c, 2, "04", &minute)) {
        return false;
    }
    if (minute > 59) {
        return out_of_range(c, "minute");
    }
    if (!parse_literal(c, ':') || !parse_number(c, 2, "05", &second)) {
        return false;
    }
    return second > 59 ? out_of_range(c, "second") : parse_fraction(c, has_micros);
}

static bool parse_fraction(clock_face *c, bool has_micros)
{
    size_t digits = 0;
    bool has_point = c->rest.len > 1 && (c->rest.data[0] == '.' || c->rest.data[0] == ',');

    while (has_point && digits + 1 < c->rest.len && is_digit(c->rest.data[digits + 1])) {
        digits++;
    }
    if (has_micros) {
        if (digits < 6) {
            return wrong_piece(c, ".000000");
        }
        digits = 6;
    }
    if (digits != 0) {
        c->rest = kin__str(c->rest.data + 1 + digits, c->rest.len - 1 - digits);
    }
    return true;
}

static bool parse_zone(clock_face *c)
{
    const char *at = c->rest.data;

    if (c->rest.len > 0 && at[0] == 'Z') {
        c->rest = kin__str(at + 1, c->rest.len - 1);
        return true;
    }
    bool is_offset = c->rest.len >= 6 && (at[0] == '+' || at[0] == '-') && at[3] == ':' &&
                     is_digit(at[1]) && is_digit(at[2]) && is_digit(at[4]) && is_digit(at[5]);
    if (!is_offset) {
        return wrong_piece(c, "Z07:00");
    }
    c->rest = kin__str(at + 6, c->rest.len - 6);
    if ((at[1] - '0') * 10 + at[2] - '0' > 24) {
        return out_of_range(c, "time zone offset hour");
    }
    return (at[4] - '0') * 10 + at[5] - '0' <= 60 || out_of_range(c, "time zone offset minute");
}

static bool parse_literal(clock_face *c, char wanted)
{
    char piece[2] = { wanted, '\0' };

    if (c->rest.len == 0 || c->rest.data[0] != wanted) {
        return wrong_piece(c, piece);
    }
    c->rest = kin__str(c->rest.data + 1, c->rest.len - 1);
    return true;
}

static bool parse_number(clock_face *c, size_t digits, const char *piece, int *out)
{
    int value = 0;

    for (size_t i = 0; i < digits; i++) {
        if (i >= c->rest.len || !is_digit(c->rest.data[i])) {
            return wrong_piece(c, piece);
        }
        value = value * 10 + c->rest.data[i] - '0';
    }
    c->rest = kin__str(c->rest.data + digits, c->rest.len - digits);
    *out = value;
    return true;
}

static int days_of(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && is_leap);
}

static bool wrong_piece(clock_face *c, const char *piece)
{
    (void) kin__buf_append_str(c->words, STR("parsing time "));
    kin__quote_append(c->text, c->words);
    (void) kin__buf_append_format(c->words, " as \"%s\": cannot parse ", c->layout);
    kin__quote_append(c->rest, c->words);
    (void) kin__buf_append_format(c->words, " as \"%s\"", piece);
    return false;
}

static bool out_of_range(clock_face *c, const char *what)
{
    (void) kin__buf_append_str(c->words, STR("parsing time "));
    kin__quote_append(c->text, c->words);
    (void) kin__buf_append_format(c->words, ": %s out of range", what);
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Four characters are three bytes; line ends between them do not count. */
size_t kin__codec_base64_fault(kin_str text)
{
    size_t filled = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool is_letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '+' || c == '/';
        if (c == '\r' || c == '\n') {
            continue;
        }
        if (!is_letter) {
            bool is_padding = c == '=' && filled >= 2;
            return is_padding ? i + 1 : i;
        }
        filled = (filled + 1) % 4;
    }
    return text.len - filled;
}
