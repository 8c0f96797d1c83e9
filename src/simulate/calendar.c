/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calendar.c - days into dates.
 *
 * The year is taken to begin in March, so that the day that some years lack is the last one: then
 * month and day follow from the day of the year without a table.
 */
#include "simulate/calendar.h"

#define DAY_S 86400
#define DAYS_TO_1970 719468 /* from the first of March of the year 0 */
#define DAYS_OF_400_YEARS 146097

static void digits_write(char *out, int count, uint32_t value);

void kin__sim_time_write(int64_t seconds, char out[KIN__SIM_TIME_LEN])
{
    uint32_t day = (uint32_t) (seconds / DAY_S) + DAYS_TO_1970;
    uint32_t second = (uint32_t) (seconds % DAY_S);
    uint32_t era = day / DAYS_OF_400_YEARS;
    uint32_t of_era = day % DAYS_OF_400_YEARS;
    uint32_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint32_t of_year = of_era - (365 * year + year / 4 - year / 100);
    uint32_t month = (5 * of_year + 2) / 153; /* 0 is March */

    digits_write(out, 4, era * 400 + year + (month >= 10));
    out[4] = '-';
    digits_write(out + 5, 2, month < 10 ? month + 3 : month - 9);
    out[7] = '-';
    digits_write(out + 8, 2, of_year - (153 * month + 2) / 5 + 1);
    out[10] = 'T';
    digits_write(out + 11, 2, second / 3600);
    out[13] = ':';
    digits_write(out + 14, 2, second / 60 % 60);
    out[16] = ':';
    digits_write(out + 17, 2, second % 60);
    out[19] = 'Z';
}

void kin__sim_micro_write(int64_t micros, char out[KIN__SIM_MICRO_LEN])
{
    kin__sim_time_write(micros / 1000000, out);
    out[19] = '.';
    digits_write(out + 20, 6, (uint32_t) (micros % 1000000));
    out[26] = 'Z';
}

static void digits_write(char *out, int count, uint32_t value)
{
    for (int i = count - 1; i >= 0; i--) {
        out[i] = (char) ('0' + value % 10);
        value /= 10;
    }
}
