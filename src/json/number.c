/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - JSON numbers: what they are worth, and how to write them.
 *
 * A number is read into its digits without the zeros at both ends, and a power of ten: two
 * numbers are equal when both are.  The digits stay in the text.  The power may be written with
 * any number of digits; where it only has to be told from what fits, it is cut off at
 * POWER_LIMIT, which no text is long enough to outweigh.
 *
 * A text that is no number is read as far as it looks like one.
 *
 * The C library is asked for nothing that depends on the locale: strtod() gets texts without a
 * decimal point, and what snprintf() puts in its place is skipped.
 */
#include "json/number.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

#define POWER_LIMIT INT64_C(1000000000000000000)
#define POWER_LIMIT_DIGITS 18

/* A double halfway between two others has up to 767 digits; more of them decide nothing but
 * whether there is a rest. */
#define DECIDING_DIGITS 800

/* Beyond these powers of ten every double is infinite, or zero. */
#define DOUBLE_POWER_MAX 400

/* A number with at most 15 digits survives the way to a double and back; 17 are always enough. */
#define SAFE_DIGITS 15
#define ENOUGH_DIGITS 17

/* 0.DIGITS times ten to the power of (point + exponent), negative or not. */
typedef struct decimal {
    bool is_negative;
    const char *first; /* the first digit that is not 0; NULL when the number is zero */
    const char *last;  /* just after the last digit that is not 0; a '.' may stand between */
    size_t count;      /* of the digits */
    int64_t point;
    bool is_exponent_negative;
    kin_str exponent; /* digits as written, without leading zeros */
} decimal;

/* 0.DIGITS times ten to the power. */
typedef struct shortest {
    char digits[ENOUGH_DIGITS];
    int count;
    int power;
} shortest;

static decimal read_decimal(kin_str raw);
static void read_exponent(const char *at, const char *end, decimal *out);
static bool is_digit(char c);
static int64_t power_of(const decimal *number);
static int64_t exponent_of(const decimal *number);
static bool have_same_digits(const decimal *a, const decimal *b);
static bool have_same_power(const decimal *a, const decimal *b);
static bool is_sum(kin_str sum, kin_str number, uint64_t more);
static kin_err scaled(const decimal *number, int64_t zeros, uint64_t *out);
static shortest shortest_of(double magnitude);
static void round_to(double magnitude, int count, shortest *out);
static void next_up(shortest *number);
static bool reads_as(const shortest *number, double magnitude);
static size_t write_plain(const shortest *number, char *out);
static size_t write_scientific(const shortest *number, char *out, size_t size);
static char *put(char *out, const char *bytes, int count);
static char *put_zeros(char *out, int count);

kin_err kin__json_int64(kin_str raw, int64_t *out)
{
    decimal number = read_decimal(raw);
    if (number.first == NULL) {
        *out = 0;
        return KIN_OK;
    }
    int64_t zeros = power_of(&number) - (int64_t) number.count;
    uint64_t magnitude = 0;
    kin_err code = scaled(&number, zeros, &magnitude);
    if (code != KIN_OK) {
        return code;
    }
    if (magnitude > (uint64_t) INT64_MAX + number.is_negative) {
        return KIN_ERR_RANGE;
    }
    *out = number.is_negative ? -(int64_t) (magnitude - 1) - 1 : (int64_t) magnitude;
    return KIN_OK;
}

kin_err kin__json_double(kin_str raw, double *out)
{
    char text[DECIDING_DIGITS + 32];
    decimal number = read_decimal(raw);
    int64_t power = number.first == NULL ? 0 : power_of(&number);
    double magnitude = 0;

    if (power > DOUBLE_POWER_MAX) {
        return KIN_ERR_RANGE;
    }
    if (number.first != NULL && power >= -DOUBLE_POWER_MAX) {
        int count = 0;
        for (const char *at = number.first; at != number.last && count < DECIDING_DIGITS; at++) {
            if (*at != '.') {
                text[count++] = *at;
            }
        }
        if (number.count > DECIDING_DIGITS) {
            text[count++] = '1'; /* stands for the rest, which is not zero */
        }
        (void) snprintf(text + count, sizeof text - (size_t) count, "e%d", (int) power - count);
        magnitude = strtod(text, NULL);
    }
    if (isinf(magnitude)) {
        return KIN_ERR_RANGE;
    }
    *out = number.is_negative ? -magnitude : magnitude;
    return KIN_OK;
}

bool kin__json_numbers_equal(kin_str a, kin_str b)
{
    if (kin__str_equal(a, b)) {
        return true;
    }
    decimal x = read_decimal(a);
    decimal y = read_decimal(b);
    if (x.first == NULL || y.first == NULL) {
        return x.first == y.first;
    }
    return x.is_negative == y.is_negative && have_same_digits(&x, &y) && have_same_power(&x, &y);
}

bool kin__json_append_int64(kin__buf *buf, int64_t value)
{
    char text[20]; /* a sign and 19 digits */
    char *first = text + sizeof text;
    uint64_t magnitude = value < 0 ? 0 - (uint64_t) value : (uint64_t) value;

    do {
        *--first = (char) ('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude != 0);
    if (value < 0) {
        *--first = '-';
    }
    return kin__buf_append(buf, first, (size_t) (text + sizeof text - first));
}

bool kin__json_append_double(kin__buf *buf, double value)
{
    char text[48]; /* the longest is a sign, "0.00000" and 17 digits */
    double magnitude = fabs(value);
    size_t len = 0;

    assert(isfinite(value));
    if (signbit(value)) {
        text[len++] = '-';
    }
    if (magnitude == 0) {
        text[len++] = '0';
        return kin__buf_append(buf, text, len);
    }
    shortest number = shortest_of(magnitude);
    bool is_plain = magnitude >= 1e-6 && magnitude < 1e21;
    len += is_plain ? write_plain(&number, text + len)
                    : write_scientific(&number, text + len, sizeof text - len);
    return kin__buf_append(buf, text, len);
}

static decimal read_decimal(kin_str raw)
{
    decimal number = { 0 };
    const char *at = raw.data;
    const char *end = raw.len == 0 ? at : at + raw.len;
    const char *dot = NULL;

    if (at != end && *at == '-') {
        number.is_negative = true;
        at++;
    }
    for (; at != end && (is_digit(*at) || (*at == '.' && dot == NULL)); at++) {
        if (*at == '.') {
            dot = at;
        } else if (*at != '0') {
            number.first = number.first == NULL ? at : number.first;
            number.last = at + 1;
        }
    }
    if (number.first == NULL) {
        return number;
    }
    const char *whole_end = dot == NULL ? at : dot;
    bool is_fraction = number.first > whole_end;
    number.point = is_fraction ? whole_end + 1 - number.first : whole_end - number.first;
    number.count = (size_t) (number.last - number.first);
    number.count -= !is_fraction && number.last > whole_end ? 1 : 0;
    read_exponent(at, end, &number);
    return number;
}

/* From the 'e', if there is one. */
static void read_exponent(const char *at, const char *end, decimal *out)
{
    if (at == end || (*at != 'e' && *at != 'E')) {
        return;
    }
    at++;
    if (at != end && (*at == '-' || *at == '+')) {
        out->is_exponent_negative = *at == '-';
        at++;
    }
    while (at != end && *at == '0') {
        at++;
    }
    const char *first = at;
    while (at != end && is_digit(*at)) {
        at++;
    }
    out->exponent = kin__str(first, (size_t) (at - first));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Point and exponent together; exact while the exponent is below POWER_LIMIT. */
static int64_t power_of(const decimal *number)
{
    return number->point + exponent_of(number);
}

/* Not beyond POWER_LIMIT, up or down. */
static int64_t exponent_of(const decimal *number)
{
    int64_t magnitude = 0;

    if (number->exponent.len > POWER_LIMIT_DIGITS) {
        magnitude = POWER_LIMIT;
    } else {
        for (size_t i = 0; i < number->exponent.len; i++) {
            magnitude = magnitude * 10 + (number->exponent.data[i] - '0');
        }
    }
    return number->is_exponent_negative ? -magnitude : magnitude;
}

static bool have_same_digits(const decimal *a, const decimal *b)
{
    if (a->count != b->count) {
        return false;
    }
    const char *in_b = b->first;
    for (const char *in_a = a->first; in_a != a->last; in_a++) {
        if (*in_a == '.') {
            continue;
        }
        in_b += *in_b == '.' ? 1 : 0;
        if (*in_a != *in_b) {
            return false;
        }
        in_b++;
    }
    return true;
}

/* Whether point and exponent add up to the same, however long the exponents are. */
static bool have_same_power(const decimal *a, const decimal *b)
{
    if (a->exponent.len <= POWER_LIMIT_DIGITS && b->exponent.len <= POWER_LIMIT_DIGITS) {
        return power_of(a) == power_of(b);
    }
    if (a->is_exponent_negative != b->is_exponent_negative) {
        return false; /* one of them is too far from zero for the points to make up for it */
    }
    int64_t more = b->point - a->point; /* what the exponent of `a` must be above that of `b` */
    if (a->is_exponent_negative) {
        more = -more;
    }
    return more >= 0 ? is_sum(a->exponent, b->exponent, (uint64_t) more)
                     : is_sum(b->exponent, a->exponent, (uint64_t) -more);
}

/* Whether sum = number + more, where the first two are digits without leading zeros. */
static bool is_sum(kin_str sum, kin_str number, uint64_t more)
{
    if (sum.len < number.len) {
        return false;
    }
    for (size_t i = 1; i <= sum.len; i++) {
        if (i <= number.len) {
            more += (uint64_t) (number.data[number.len - i] - '0');
        }
        if ((uint64_t) (sum.data[sum.len - i] - '0') != more % 10) {
            return false;
        }
        more /= 10;
    }
    return more == 0;
}

/* The digits followed by so many zeros; fewer than none means that there is a fraction. */
static kin_err scaled(const decimal *number, int64_t zeros, uint64_t *out)
{
    uint64_t magnitude = 0;

    if (zeros < 0) {
        return KIN_ERR_TYPE;
    }
    if (number->count > 19) {
        return KIN_ERR_RANGE; /* 10^19 is beyond every int64_t */
    }
    for (const char *at = number->first; at != number->last; at++) {
        if (*at != '.') {
            magnitude = magnitude * 10 + (uint64_t) (*at - '0');
        }
    }
    for (; zeros > 0; zeros--) {
        if (__builtin_mul_overflow(magnitude, 10u, &magnitude)) {
            return KIN_ERR_RANGE;
        }
    }
    *out = magnitude;
    return KIN_OK;
}

/*
 * The fewest digits that read back as `magnitude`, and of those the nearest to it.
 *
 * Rounding to so many digits gives the nearest, which is the only one to try: if it is not near
 * enough, none is.  A power of two is the exception: its neighbour below is nearer than the one
 * above, so the nearest may be too far down while the next one up is not.
 */
static shortest shortest_of(double magnitude)
{
    shortest number = { .count = 0 };
    int exponent;
    bool is_power_of_two = frexp(magnitude, &exponent) == 0.5;

    for (int count = isnormal(magnitude) ? SAFE_DIGITS : 1; count <= ENOUGH_DIGITS; count++) {
        round_to(magnitude, count, &number);
        if (reads_as(&number, magnitude)) {
            break;
        }
        if (is_power_of_two) {
            next_up(&number);
            if (reads_as(&number, magnitude)) {
                break;
            }
        }
    }
    while (number.count > 1 && number.digits[number.count - 1] == '0') {
        number.count--;
    }
    return number;
}

static void round_to(double magnitude, int count, shortest *out)
{
    char text[64];
    const char *at = text;

    (void) snprintf(text, sizeof text, "%.*e", count - 1, magnitude);
    for (out->count = 0; *at != 'e' && *at != '\0'; at++) {
        if (*at >= '0' && *at <= '9' && out->count < ENOUGH_DIGITS) {
            out->digits[out->count++] = *at;
        }
    }
    out->power = *at == 'e' ? (int) strtol(at + 1, NULL, 10) + 1 : 0;
}

/* The next higher number with as many digits. */
static void next_up(shortest *number)
{
    int i = number->count - 1;
    while (i >= 0 && number->digits[i] == '9') {
        number->digits[i--] = '0';
    }
    if (i >= 0) {
        number->digits[i]++;
    } else {
        number->digits[0] = '1';
        number->power++;
    }
}

static bool reads_as(const shortest *number, double magnitude)
{
    char text[ENOUGH_DIGITS + 16];

    (void) snprintf(text, sizeof text, "%.*se%d", number->count, number->digits,
                    number->power - number->count);
    return strtod(text, NULL) == magnitude;
}

static size_t write_plain(const shortest *number, char *out)
{
    const char *digits = number->digits;
    int count = number->count;
    char *at = out;

    if (number->power <= 0) {
        at = put(at, "0.", 2);
        at = put_zeros(at, -number->power);
        at = put(at, digits, count);
    } else if (number->power >= count) {
        at = put(at, digits, count);
        at = put_zeros(at, number->power - count);
    } else {
        at = put(at, digits, number->power);
        at = put(at, ".", 1);
        at = put(at, digits + number->power, count - number->power);
    }
    return (size_t) (at - out);
}

static size_t write_scientific(const shortest *number, char *out, size_t size)
{
    char *at = put(out, number->digits, 1);
    if (number->count > 1) {
        at = put(at, ".", 1);
        at = put(at, number->digits + 1, number->count - 1);
    }
    size_t used = (size_t) (at - out);
    return used + (size_t) snprintf(at, size - used, "e%+d", number->power - 1);
}

static char *put(char *out, const char *bytes, int count)
{
    memcpy(out, bytes, (size_t) count);
    return out + count;
}

static char *put_zeros(char *out, int count)
{
    memset(out, '0', (size_t) count);
    return out + count;
}
