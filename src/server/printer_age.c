/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_age.c - how long something is ago.
 *
 * The steps are those of apimachinery's duration.HumanDuration: seconds below two minutes, minutes
 * and seconds below ten minutes, and so on, two units at most.
 */
#include "server/printer.h"

#define NANOSECONDS 1000000000
#define MINUTE INT64_C(60)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define YEAR (365 * DAY)

/* What Go's time.Duration can hold, in whole seconds: some 292 years. */
#define SPAN_MAX (INT64_MAX / NANOSECONDS)

static int64_t span_seconds(kin_time from, kin_time to);
static void add_units(kin__printer *p, int64_t many, char unit, int64_t few, char small_unit);
static void add_long_span(kin__printer *p, int64_t seconds);

kin_time kin__value_date(kin_value value)
{
    kin_time date;

    return kin_value_time(value, &date) == KIN_OK ? date : KIN__NO_DATE;
}

bool kin__date_is_none(kin_time date)
{
    return date.seconds == KIN__NO_DATE.seconds && date.nanoseconds == 0;
}

bool kin__date_is_before(kin_time a, kin_time b)
{
    return a.seconds != b.seconds ? a.seconds < b.seconds : a.nanoseconds < b.nanoseconds;
}

void kin__cell_add_span(kin__printer *p, kin_time from, kin_time to)
{
    int64_t seconds = span_seconds(from, to);

    if (seconds < -1) {
        kin__cell_add(p, STR("<invalid>"));
    } else if (seconds < 0) {
        kin__cell_add(p, STR("0s"));
    } else if (seconds < 2 * MINUTE) {
        add_units(p, seconds, 's', 0, 0);
    } else if (seconds < 10 * MINUTE) {
        add_units(p, seconds / MINUTE, 'm', seconds % MINUTE, 's');
    } else if (seconds < 3 * HOUR) {
        add_units(p, seconds / MINUTE, 'm', 0, 0);
    } else {
        add_long_span(p, seconds);
    }
}

void kin__cell_add_age(kin__printer *p, kin_time date)
{
    if (kin__date_is_none(date)) {
        kin__cell_add(p, STR("<unknown>"));
    } else {
        kin__cell_add_span(p, date, p->now);
    }
}

void kin__print_age(kin__printer *p)
{
    kin_time created;

    kin__cell_begin(p);
    kin__cell_add_age(p, kin_object_creation_time(p->object, &created) ? created : KIN__NO_DATE);
    kin__cell_end(p);
}

void kin__print_created(kin__printer *p)
{
    kin__cell_write_value(p, kin_object_at(p->object, "metadata.creationTimestamp"),
                          STR("0001-01-01T00:00:00Z"));
}

void kin__print_span_since(kin__printer *p)
{
    kin_value value = kin__cell_value(p);

    if (!kin__value_is_there(value)) {
        kin__cell_write(p, kin__cell_otherwise(p));
        return;
    }
    kin__cell_begin(p);
    kin__cell_add_age(p, kin__value_date(value));
    kin__cell_end(p);
}

/* Cut off towards zero, as Go turns a duration into whole seconds. */
static int64_t span_seconds(kin_time from, kin_time to)
{
    int64_t seconds;
    int32_t rest = to.nanoseconds - from.nanoseconds;

    if (__builtin_sub_overflow(to.seconds, from.seconds, &seconds)) {
        return to.seconds > from.seconds ? SPAN_MAX : -SPAN_MAX;
    }
    if (seconds > SPAN_MAX || seconds < -SPAN_MAX) {
        return seconds > 0 ? SPAN_MAX : -SPAN_MAX;
    }
    if (seconds > 0 && rest < 0) {
        return seconds - 1;
    }
    return seconds < 0 && rest > 0 ? seconds + 1 : seconds;
}

/* From three hours on. */
static void add_long_span(kin__printer *p, int64_t seconds)
{
    if (seconds < 8 * HOUR) {
        add_units(p, seconds / HOUR, 'h', seconds % HOUR / MINUTE, 'm');
    } else if (seconds < 2 * DAY) {
        add_units(p, seconds / HOUR, 'h', 0, 0);
    } else if (seconds < 8 * DAY) {
        add_units(p, seconds / DAY, 'd', seconds % DAY / HOUR, 'h');
    } else if (seconds < 2 * YEAR) {
        add_units(p, seconds / DAY, 'd', 0, 0);
    } else if (seconds < 8 * YEAR) {
        add_units(p, seconds / YEAR, 'y', seconds % YEAR / DAY, 'd');
    } else {
        add_units(p, seconds / YEAR, 'y', 0, 0);
    }
}

/* The smaller unit is left out when there is none of it. */
static void add_units(kin__printer *p, int64_t many, char unit, int64_t few, char small_unit)
{
    kin__cell_add_number(p, many);
    kin__cell_add(p, kin__str(&unit, 1));
    if (few != 0) {
        kin__cell_add_number(p, few);
        kin__cell_add(p, kin__str(&small_unit, 1));
    }
}
