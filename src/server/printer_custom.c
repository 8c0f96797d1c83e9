/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_custom.c - the cells of custom resources, by the type of their column.
 *
 * A cell is null where the path leads nowhere, or to something of another type.  Only a column of
 * strings takes everything, as Go prints it.
 */
#include <math.h>

#include "json/number.h"
#include "object/encoding.h"
#include "server/columns_custom.h"
#include "server/printer.h"

/* A double in decimal. */
typedef struct decimal {
    char digits[32];
    size_t count;
    int exponent; /* the power of ten that the first digit stands for */
    bool is_negative;
} decimal;

static void print_string(kin__printer *p);
static void print_integer(kin__printer *p);
static void print_number(kin__printer *p);
static void print_boolean(kin__printer *p);
static void print_date(kin__printer *p);
static void print_null(kin__printer *p);
static kin_value value_of(const kin__printer *p);
static void add_number(kin__printer *p, kin_value value);
static decimal split_decimal(kin_str text);
static int read_exponent(kin_str text);

kin__print_fn kin__custom_print_of(kin_str type)
{
    static const struct {
        kin_str type;
        kin__print_fn print;
    } known[] = {
        { TEXT("string"), print_string }, { TEXT("integer"), print_integer },
        { TEXT("number"), print_number }, { TEXT("boolean"), print_boolean },
        { TEXT("date"), print_date },
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (kin__str_equal(known[i].type, type)) {
            return known[i].print;
        }
    }
    return print_null;
}

static void print_string(kin__printer *p)
{
    kin_value value = value_of(p);
    kin_error ignored;

    kin__cell_begin(p);
    switch (kin_value_type(value)) {
    case KIN_TYPE_MISSING:
        kin__json_null(p->w);
        return;
    case KIN_TYPE_NULL:
        kin__cell_add(p, STR("<no value>"));
        break;
    case KIN_TYPE_BOOL:
        kin__cell_add(p, kin__value_flag(value, false) ? STR("true") : STR("false"));
        break;
    case KIN_TYPE_NUMBER:
        add_number(p, value);
        break;
    case KIN_TYPE_STRING:
        kin__cell_add_value(p, value);
        break;
    case KIN_TYPE_ARRAY:
    case KIN_TYPE_OBJECT:
        if (kin__encoding_of(value)->append_json(value, &p->text, &ignored) != KIN_OK) {
            p->has_failed = true;
        }
        break;
    }
    kin__cell_end(p);
}

/* Fractions are cut off. */
static void print_integer(kin__printer *p)
{
    kin_value value = value_of(p);
    int64_t whole;
    double real;

    if (kin_value_int64(value, &whole) == KIN_OK) {
        kin__json_write_int64(p->w, whole);
    } else if (kin_value_double(value, &real) == KIN_OK && fabs(real) < 9.2e18) {
        kin__json_write_int64(p->w, (int64_t) real);
    } else {
        kin__json_null(p->w);
    }
}

static void print_number(kin__printer *p)
{
    double real;

    if (kin_value_double(value_of(p), &real) == KIN_OK) {
        kin__json_write_double(p->w, real);
    } else {
        kin__json_null(p->w);
    }
}

static void print_boolean(kin__printer *p)
{
    bool flag;

    if (kin_value_bool(value_of(p), &flag) == KIN_OK) {
        kin__json_bool(p->w, flag);
    } else {
        kin__json_null(p->w);
    }
}

static void print_date(kin__printer *p)
{
    kin_value value = value_of(p);
    kin_time date;

    if (kin_value_type(value) != KIN_TYPE_STRING) {
        kin__json_null(p->w);
        return;
    }
    kin__cell_begin(p);
    if (kin__value_is(value, STR("")) || kin__value_is(value, STR("null"))) {
        kin__cell_add(p, STR("<unknown>"));
    } else if (kin_value_time(value, &date) == KIN_OK) {
        kin__cell_add_age(p, date);
    } else {
        kin__cell_add(p, STR("<invalid>"));
    }
    kin__cell_end(p);
}

static void print_null(kin__printer *p)
{
    kin__json_null(p->w);
}

static kin_value value_of(const kin__printer *p)
{
    return p->column->compiled == NULL ? (kin_value){ 0 }
                                       : kin_object_at_path(p->object, p->column->compiled);
}

/* What is no int64 is a float64 in Go, and %v writes it with an exponent below 1e-4 and from 1e6
 * up. */
static void add_number(kin__printer *p, kin_value value)
{
    AUTO(kin__buf_fini) kin__buf shortest = { 0 };
    int64_t whole;
    double real;

    if (kin_value_int64(value, &whole) == KIN_OK) {
        kin__cell_add_number(p, whole);
        return;
    }
    if (kin_value_double(value, &real) != KIN_OK) {
        return;
    }
    (void) kin__json_append_double(&shortest, real);
    p->has_failed |= kin__buf_failed(&shortest);
    decimal d = split_decimal(kin__str(shortest.data, shortest.len));
    if (d.exponent >= -4 && d.exponent < 6) {
        kin__cell_add(p, kin__str(shortest.data, shortest.len));
        return;
    }
    kin__cell_add(p, d.is_negative ? STR("-") : STR(""));
    kin__cell_add(p, kin__str(d.digits, 1));
    kin__cell_add(p, d.count > 1 ? STR(".") : STR(""));
    kin__cell_add(p, kin__str(d.digits + 1, d.count - 1));
    (void) kin__buf_append_format(&p->text, "e%c%02d", d.exponent < 0 ? '-' : '+',
                                  d.exponent < 0 ? -d.exponent : d.exponent);
}

/* Takes the JSON of a double apart: "0.0015" is 15 and -3, "1.5e+21" is 15 and 21. */
static decimal split_decimal(kin_str text)
{
    decimal d = { .digits = "0" };
    bool is_fraction = false;
    int before = 0; /* digits before the dot, or less the zeros behind it */

    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == 'e') {
            d.exponent = read_exponent(kin__str(text.data + i + 1, text.len - i - 1));
            break;
        }
        d.is_negative |= c == '-';
        is_fraction |= c == '.';
        if (c < '0' || c > '9') {
            continue;
        }
        bool is_leading_zero = d.count == 0 && c == '0';
        before += is_fraction ? -(int) is_leading_zero : !is_leading_zero;
        if (!is_leading_zero && d.count < sizeof d.digits) {
            d.digits[d.count++] = c;
        }
    }
    while (d.count > 1 && d.digits[d.count - 1] == '0') {
        d.count--;
    }
    d.exponent += d.count == 0 ? 0 : before - 1;
    d.count += d.count == 0;
    return d;
}

static int read_exponent(kin_str text)
{
    int value = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] >= '0' && text.data[i] <= '9') {
            value = value * 10 + (text.data[i] - '0');
        }
    }
    return text.len > 0 && text.data[0] == '-' ? -value : value;
}
