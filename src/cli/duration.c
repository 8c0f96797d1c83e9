/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duration.c - lengths of time, as people write and read them.
 */
#include "cli/duration.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define THOUSAND_YEARS_MS 31557600000000.0

typedef struct unit {
    const char *name;
    double ms;
} unit;

static const unit units[] = { { "h", 3600000 }, { "m", 60000 }, { "s", 1000 }, { "ms", 1 } };
enum { UNITS = sizeof units / sizeof units[0] };

static bool read_amount(const char **at, double *out);
static bool read_unit(const char **at, size_t *from, double *out_ms);
static void show_pair(kin__cli_text *out, int64_t large, char large_unit, int64_t small,
                      char small_unit);

bool kin__cli_duration_parse(const char *text, int64_t *out_ms)
{
    const char *at = text;
    double amount = 0;
    double sum = 0;
    double unit_ms = 0;
    size_t from = 0;

    if (!read_amount(&at, &amount)) {
        return false;
    }
    if (*at == '\0') {
        sum = amount * 1000;
    } else {
        do {
            if (!read_unit(&at, &from, &unit_ms)) {
                return false;
            }
            sum += amount * unit_ms;
        } while (*at != '\0' && read_amount(&at, &amount));
    }
    if (*at != '\0' || sum > THOUSAND_YEARS_MS) {
        return false;
    }
    *out_ms = (int64_t) (sum + 0.5);
    return true;
}

/* The steps are those of HumanDuration() in k8s.io/apimachinery, util/duration. */
void kin__cli_duration_show(int64_t seconds, kin__cli_text *out)
{
    int64_t minutes = seconds / 60;
    int64_t hours = seconds / 3600;
    int64_t days = hours / 24;

    if (seconds < -1) {
        kin__cli_text_say(out, "<invalid>");
    } else if (seconds < 120) {
        kin__cli_text_say(out, "%" PRId64 "s", seconds < 0 ? 0 : seconds);
    } else if (minutes < 10) {
        show_pair(out, minutes, 'm', seconds % 60, 's');
    } else if (minutes < 180) {
        kin__cli_text_say(out, "%" PRId64 "m", minutes);
    } else if (hours < 8) {
        show_pair(out, hours, 'h', minutes % 60, 'm');
    } else if (hours < 48) {
        kin__cli_text_say(out, "%" PRId64 "h", hours);
    } else if (days < 8) {
        show_pair(out, days, 'd', hours % 24, 'h');
    } else if (days < 730) {
        kin__cli_text_say(out, "%" PRId64 "d", days);
    } else if (days < 2920) {
        show_pair(out, days / 365, 'y', days % 365, 'd');
    } else {
        kin__cli_text_say(out, "%" PRId64 "y", days / 365);
    }
}

/* Digits with at most one point among them: nothing else that strtod() would take. */
static bool read_amount(const char **at, double *out)
{
    size_t digits = strspn(*at, "0123456789");
    size_t len = digits;

    if ((*at)[len] == '.') {
        size_t fraction = strspn(*at + len + 1, "0123456789");
        digits += fraction;
        len += 1 + fraction;
    }
    if (digits == 0 || len > 32) {
        return false;
    }
    char number[40];
    memcpy(number, *at, len);
    number[len] = '\0';
    *out = strtod(number, NULL);
    *at += len;
    return true;
}

/* A unit smaller than the one before it, which was number `*from` less one. */
static bool read_unit(const char **at, size_t *from, double *out_ms)
{
    size_t len = strspn(*at, "hms");

    for (size_t i = *from; i < UNITS; i++) {
        if (strlen(units[i].name) == len && strncmp(*at, units[i].name, len) == 0) {
            *out_ms = units[i].ms;
            *at += len;
            *from = i + 1;
            return true;
        }
    }
    return false;
}

static void show_pair(kin__cli_text *out, int64_t large, char large_unit, int64_t small,
                      char small_unit)
{
    kin__cli_text_say(out, "%" PRId64 "%c", large, large_unit);
    if (small != 0) {
        kin__cli_text_say(out, "%" PRId64 "%c", small, small_unit);
    }
}
