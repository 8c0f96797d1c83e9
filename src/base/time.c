/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.c - moments, as the API server writes them.
 *
 * The fields are read from left to right by a reader that remembers its first failure, so that
 * they can be read one after another and checked once.  The calendar is the proleptic
 * Gregorian one; neither the C library's nor the program's time zone has a say.
 */
#include "base/time.h"

#include "base/str.h"

#define DAY_S 86400
#define FIRST_S (-62167219200) /* 0000-01-01T00:00:00Z */
#define LAST_S 253402300799    /* 9999-12-31T23:59:59Z */

typedef struct time_reader {
    kin_str rest;
    bool has_failed;
} time_reader;

static int64_t read_number(time_reader *reader, size_t digits, int64_t lowest, int64_t highest);
static int64_t read_hour(time_reader *reader);
static int32_t read_fraction(time_reader *reader);
static int64_t read_offset(time_reader *reader);
static void expect(time_reader *reader, char byte);
static char next_byte(time_reader *reader);
static bool has_digit(const time_reader *reader, size_t at);
static int64_t days_in_month(int64_t year, int64_t month);
static int64_t days_from_epoch(int64_t year, int64_t month, int64_t day);
static void write_date(int64_t days, char *out);
static void write_digits(char *out, int count, int64_t value);

kin_err kin__time_parse(kin_str text, kin_time *out)
{
    time_reader reader = { text, false };

    int64_t year = read_number(&reader, 4, 0, 9999);
    expect(&reader, '-');
    int64_t month = read_number(&reader, 2, 1, 12);
    expect(&reader, '-');
    int64_t day = read_number(&reader, 2, 1, days_in_month(year, month));
    expect(&reader, 'T');
    int64_t hour = read_hour(&reader);
    expect(&reader, ':');
    int64_t minute = read_number(&reader, 2, 0, 59);
    expect(&reader, ':');
    int64_t second = read_number(&reader, 2, 0, 59);
    int32_t nanoseconds = read_fraction(&reader);
    int64_t offset = read_offset(&reader);

    if (reader.has_failed || reader.rest.len != 0) {
        return KIN_ERR_MALFORMED;
    }
    int64_t days = days_from_epoch(year, month, day);
    out->seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset;
    out->nanoseconds = nanoseconds;
    return KIN_OK;
}

/* After a failure the result is `lowest`, so that what is computed from it stays in range. */
static int64_t read_number(time_reader *reader, size_t digits, int64_t lowest, int64_t highest)
{
    int64_t number = 0;
    for (size_t i = 0; i < digits; i++) {
        if (!has_digit(reader, 0)) {
            reader->has_failed = true;
            return lowest;
        }
        number = number * 10 + (next_byte(reader) - '0');
    }
    if (number < lowest || number > highest) {
        reader->has_failed = true;
        return lowest;
    }
    return number;
}

static int64_t read_hour(time_reader *reader)
{
    return read_number(reader, has_digit(reader, 1) ? 2 : 1, 0, 23);
}

/* A separator without a digit after it is no fraction, and fails where the offset is expected. */
static int32_t read_fraction(time_reader *reader)
{
    if (reader->rest.len < 2 || !has_digit(reader, 1) ||
        (reader->rest.data[0] != '.' && reader->rest.data[0] != ',')) {
        return 0;
    }
    (void) next_byte(reader);

    int32_t nanoseconds = 0;
    for (int32_t unit = 100000000; has_digit(reader, 0); unit /= 10) {
        nanoseconds += unit * (next_byte(reader) - '0'); /* after nine digits `unit` is 0 */
    }
    return nanoseconds;
}

/* In seconds. */
static int64_t read_offset(time_reader *reader)
{
    char sign = next_byte(reader);
    if (sign == 'Z') {
        return 0;
    }
    if (sign != '+' && sign != '-') {
        reader->has_failed = true;
        return 0;
    }
    int64_t hours = read_number(reader, 2, 0, 24);
    expect(reader, ':');
    int64_t minutes = read_number(reader, 2, 0, 60);
    int64_t seconds = (hours * 60 + minutes) * 60;
    return sign == '-' ? -seconds : seconds;
}

static void expect(time_reader *reader, char byte)
{
    if (next_byte(reader) != byte) {
        reader->has_failed = true;
    }
}

/* 0 at the end. */
static char next_byte(time_reader *reader)
{
    if (reader->rest.len == 0) {
        return 0;
    }
    char byte = reader->rest.data[0];
    reader->rest = kin__str(reader->rest.data + 1, reader->rest.len - 1);
    return byte;
}

static bool has_digit(const time_reader *reader, size_t at)
{
    return at < reader->rest.len && reader->rest.data[at] >= '0' && reader->rest.data[at] <= '9';
}

static int64_t days_in_month(int64_t year, int64_t month)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

/* A year is counted from March, so that the leap day is its last. */
static int64_t days_from_epoch(int64_t year, int64_t month, int64_t day)
{
    int64_t march_year = month > 2 ? year : year - 1;
    int64_t march_month = month > 2 ? month - 3 : month + 9;
    int64_t cycle = march_year >= 0 ? march_year / 400 : -1; /* 400 years repeat exactly */
    int64_t year_of_cycle = march_year - cycle * 400;
    int64_t day_of_year = (153 * march_month + 2) / 5 + day - 1; /* 31, 30, 31, 30, 31, 31 ... */
    int64_t leap_days = year_of_cycle / 4 - year_of_cycle / 100;
    int64_t epoch = 719468; /* from 0000-03-01 to 1970-01-01 */
    return cycle * 146097 + year_of_cycle * 365 + leap_days + day_of_year - epoch;
}

void kin__time_write_micro(kin_time time, char out[KIN__TIME_MICRO_LEN + 1])
{
    int64_t seconds = time.seconds < FIRST_S ? FIRST_S : time.seconds;
    seconds = seconds > LAST_S ? LAST_S : seconds;
    int64_t of_day = (seconds % DAY_S + DAY_S) % DAY_S;

    memcpy(out, "0000-00-00T00:00:00.000000Z", KIN__TIME_MICRO_LEN + 1);
    write_date((seconds - of_day) / DAY_S, out);
    write_digits(out + 11, 2, of_day / 3600);
    write_digits(out + 14, 2, of_day / 60 % 60);
    write_digits(out + 17, 2, of_day % 60);
    write_digits(out + 20, 6, time.nanoseconds / 1000);
}

/* The year is taken to begin in March, so that the day that some years lack is the last one: then
 * month and day follow from the day of the year without a table.  `days` from 1970 on. */
static void write_date(int64_t days, char *out)
{
    int64_t day = days + 719468 + 146097; /* from the first of March of the year -400 */
    int64_t era = day / 146097;
    int64_t of_era = day % 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153; /* 0 is March */

    write_digits(out, 4, era * 400 - 400 + year + (month >= 10));
    write_digits(out + 5, 2, month < 10 ? month + 3 : month - 9);
    write_digits(out + 8, 2, of_year - (153 * month + 2) / 5 + 1);
}

static void write_digits(char *out, int count, int64_t value)
{
    for (int i = count - 1; i >= 0; i--) {
        out[i] = (char) ('0' + value % 10);
        value /= 10;
    }
}
