/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_time.c - moments as the API server writes them.
 *
 * As in Go, seconds are counted from the first of March of a year long before all others, one that
 * is a multiple of 400: from there the days repeat every 146,097, and years end with the day that
 * some of them lack.  The lowest int64_t are before even that, and wrap round to the last years,
 * also as in Go.  The C library, with its time zones, is not asked.
 */
#include "proto/render_time.h"

#define SECONDS_PER_DAY UINT64_C(86400)
#define DAYS_PER_400_YEARS UINT64_C(146097)

/* The year of the first second, negative, and how far it is before 1970. */
#define FIRST_YEAR_BACK UINT64_C(292277022400)
#define DAYS_TO_YEAR_0 (FIRST_YEAR_BACK / 400 * DAYS_PER_400_YEARS) /* its first of March */
#define DAYS_0_TO_1970 UINT64_C(719468)
#define SECONDS_TO_1970 ((DAYS_TO_YEAR_0 + DAYS_0_TO_1970) * SECONDS_PER_DAY)

#define NANOS_PER_SECOND 1000000000

typedef struct day {
    int64_t year;
    unsigned month;
    unsigned day;
} day;

static day day_of(uint64_t days);
static char *put_two(char *at, unsigned number);
static char *put_digits(char *at, uint64_t number, int width);

size_t kin__pb_write_time(int64_t seconds, int32_t nanoseconds, bool has_micros,
                          char out[KIN__PB_TIME_MAX])
{
    int32_t nanos = has_micros ? nanoseconds - nanoseconds % 1000 : 0;
    uint64_t count = (uint64_t) seconds + (uint64_t) (int64_t) (nanos / NANOS_PER_SECOND);
    nanos %= NANOS_PER_SECOND;
    if (nanos < 0) {
        nanos += NANOS_PER_SECOND;
        count--;
    }
    if (count == (uint64_t) KIN__PB_ZERO_SECONDS && nanos == 0) {
        return 0;
    }
    count += SECONDS_TO_1970;
    day d = day_of(count / SECONDS_PER_DAY);
    unsigned second = (unsigned) (count % SECONDS_PER_DAY);
    char *at = out;
    if (d.year < 0) {
        *at++ = '-';
    }
    at = put_digits(at, (uint64_t) (d.year < 0 ? -d.year : d.year), 4);
    *at++ = '-';
    at = put_two(at, d.month);
    *at++ = '-';
    at = put_two(at, d.day);
    *at++ = 'T';
    at = put_two(at, second / 3600);
    *at++ = ':';
    at = put_two(at, second / 60 % 60);
    *at++ = ':';
    at = put_two(at, second % 60);
    if (has_micros) {
        *at++ = '.';
        at = put_digits(at, (uint64_t) nanos / 1000, 6);
    }
    *at++ = 'Z';
    return (size_t) (at - out);
}

/* Days since the first of March of the first year; January and February belong to the year
 * before. */
static day day_of(uint64_t days)
{
    uint64_t era = days / DAYS_PER_400_YEARS;
    unsigned in_era = (unsigned) (days % DAYS_PER_400_YEARS);
    unsigned year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    unsigned in_year = in_era - (365 * year + year / 4 - year / 100);
    unsigned month = (5 * in_year + 2) / 153; /* 0 is March */

    return (day){
        .year = (int64_t) (era * 400 + year + (month >= 10)) - (int64_t) FIRST_YEAR_BACK,
        .month = month < 10 ? month + 3 : month - 9,
        .day = in_year - (153 * month + 2) / 5 + 1,
    };
}

static char *put_two(char *at, unsigned number)
{
    at[0] = (char) ('0' + number / 10);
    at[1] = (char) ('0' + number % 10);
    return at + 2;
}

static char *put_digits(char *at, uint64_t number, int width)
{
    char digits[20];
    int count = 0;

    do {
        digits[count++] = (char) ('0' + number % 10);
        number /= 10;
    } while (number != 0 || count < width);
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}
