/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantity.c - Kubernetes quantities, exactly, without big numbers.
 *
 * A decimal quantity is its digits and the place of the dot: the digits left of the unit asked for
 * are the result, and any digit other than 0 right of it rounds up.  A binary one is first
 * multiplied out into such a decimal.  Time grows with the length of the text, memory does not.
 *
 * apimachinery rounds up to nanos when it parses and then again to the scale that is asked
 * for; once does the same, as no scale is finer than nano.
 */
#include "base/quantity.h"

#include "base/str.h"

/* The digits that are looked at of a fraction with a binary suffix; see expand_binary(). */
#define BINARY_FRACTION_MAX (60 + 9)

/* Of a quantity that is written anew. */
#define EXPONENT_MAX 999999999

#define SUFFIX_EXPONENT_MAX 18   /* E */
#define SUFFIX_EXPONENT_MIN (-9) /* n */

/* By how much a quantity that is written anew can be longer than its digits: a sign, a carried
 * digit, two zeros and a suffix. */
#define CANONICAL_MORE_MAX 20

/* `whole`.`fraction` * 10^exponent: digits only, and either may be empty. */
typedef struct decimal {
    kin_str whole;
    kin_str fraction;
    int64_t exponent;
    bool has_more; /* digits beyond those of `fraction`, not all of them 0 */
} decimal;

/* Where a binary quantity is multiplied out. */
typedef struct expansion {
    char whole[20];
    char fraction[BINARY_FRACTION_MAX];
} expansion;

typedef struct quantity_parts {
    bool is_negative;
    decimal number;
    unsigned power_of_two; /* from a binary suffix; else 0 */
    bool has_exponent;     /* written as "e3" */
} quantity_parts;

static bool read_quantity(kin_str text, quantity_parts *out);
static bool read_suffix(kin_str text, quantity_parts *out);
static bool read_exponent(kin_str text, int64_t *out);
static kin_str take_digits(kin_str *rest);
static void expand_binary(quantity_parts *quantity, expansion *space);
static uint64_t multiply_fraction(kin_str digits, unsigned power_of_two, char *out);
static bool round_up(const decimal *number, int scale, uint64_t *out);
static bool append_digit(uint64_t *number, char digit);
static bool is_zero(kin_str digits);
static kin_str write_digits(uint64_t number, char *end);
static kin_str trim(kin_str text);
static bool is_taken_for_canonical(const quantity_parts *quantity);
static bool ends_in_zeros(kin_str whole, kin_str fraction);
static size_t write_canonical(const quantity_parts *quantity, char *out);
static size_t write_rounded(const decimal *number, char *out, int64_t *out_exponent);
static void carry_one(char *digits, size_t len);
static size_t write_binary(uint64_t number, char *out);
static size_t write_decimal_suffix(int64_t exponent, bool has_exponent, char *out);
static uint64_t number_of(kin_str digits);
static kin_str skip_zeros(kin_str digits);

kin_err kin__quantity_parse(kin_str text, int scale, int64_t *out)
{
    quantity_parts quantity;
    expansion space;
    uint64_t amount;

    if (scale < -9 || scale > 9) {
        return KIN_ERR_USAGE;
    }
    if (!read_quantity(text, &quantity)) {
        return KIN_ERR_MALFORMED;
    }
    if (quantity.power_of_two != 0) {
        expand_binary(&quantity, &space);
    }
    uint64_t highest = (uint64_t) INT64_MAX + (quantity.is_negative ? 1 : 0);
    if (!round_up(&quantity.number, scale, &amount) || amount > highest) {
        return KIN_ERR_RANGE;
    }
    /* INT64_MIN has no positive counterpart. */
    *out = quantity.is_negative && amount != 0 ? -(int64_t) (amount - 1) - 1 : (int64_t) amount;
    return KIN_OK;
}

kin_err kin__quantity_append(kin_str text, kin__buf *buf)
{
    quantity_parts quantity;
    expansion space;

    text = trim(text);
    if (!read_quantity(text, &quantity) || quantity.number.exponent > EXPONENT_MAX ||
        quantity.number.exponent < -EXPONENT_MAX) {
        return KIN_ERR_MALFORMED;
    }
    if (is_zero(quantity.number.whole) && is_zero(quantity.number.fraction)) {
        return kin__buf_append_byte(buf, '0') ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    if (is_taken_for_canonical(&quantity)) {
        return kin__buf_append_str(buf, text) ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    if (quantity.power_of_two != 0) {
        expand_binary(&quantity, &space);
    }
    size_t room = quantity.number.whole.len + quantity.number.fraction.len + CANONICAL_MORE_MAX;
    if (!kin__buf_reserve(buf, room)) {
        return KIN_ERR_NO_MEMORY;
    }
    buf->len += write_canonical(&quantity, buf->data + buf->len);
    return KIN_OK;
}

static bool read_quantity(kin_str text, quantity_parts *out)
{
    kin_str rest = text;

    if (text.len == 0) {
        return false;
    }
    *out = (quantity_parts){ .number.fraction = STR("") };
    if (rest.data[0] == '+' || rest.data[0] == '-') {
        out->is_negative = rest.data[0] == '-';
        rest = kin__str(rest.data + 1, rest.len - 1);
    }
    out->number.whole = take_digits(&rest);
    if (rest.len > 0 && rest.data[0] == '.') {
        rest = kin__str(rest.data + 1, rest.len - 1);
        out->number.fraction = take_digits(&rest);
    }
    if (out->number.whole.len + out->number.fraction.len == 0) {
        return false;
    }
    return read_suffix(rest, out);
}

/* "E" is exa, and "E3" an exponent. */
static bool read_suffix(kin_str text, quantity_parts *out)
{
    static const char decimal_suffixes[] = "num kMGTPE"; /* 10^-9, 10^-6 ... 10^18 */
    static const char binary_suffixes[] = "KMGTPE";      /* 2^10, 2^20 ... 2^60 */

    if (text.len == 0) {
        return true;
    }
    if (text.len == 1 && text.data[0] != ' ') {
        const char *found = memchr(decimal_suffixes, text.data[0], sizeof decimal_suffixes - 1);
        if (found != NULL) {
            out->number.exponent = (found - decimal_suffixes) * 3 - 9;
            return true;
        }
    }
    if (text.len == 2 && text.data[1] == 'i') {
        const char *found = memchr(binary_suffixes, text.data[0], sizeof binary_suffixes - 1);
        if (found != NULL) {
            out->power_of_two = (unsigned) (found - binary_suffixes + 1) * 10;
            return true;
        }
    }
    if (text.data[0] == 'e' || text.data[0] == 'E') {
        out->has_exponent = true;
        return read_exponent(kin__str(text.data + 1, text.len - 1), &out->number.exponent);
    }
    return false;
}

static bool read_exponent(kin_str text, int64_t *out)
{
    bool is_negative = text.len > 0 && text.data[0] == '-';
    if (text.len > 0 && (text.data[0] == '-' || text.data[0] == '+')) {
        text = kin__str(text.data + 1, text.len - 1);
    }
    if (text.len == 0) {
        return false;
    }
    int64_t exponent = 0;
    for (size_t i = 0; i < text.len; i++) {
        int digit = text.data[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(exponent, 10, &exponent) ||
            __builtin_sub_overflow(exponent, digit, &exponent)) { /* counts down: INT64_MIN fits */
            return false;
        }
    }
    if (!is_negative && exponent == INT64_MIN) {
        return false;
    }
    *out = is_negative ? exponent : -exponent;
    return true;
}

static kin_str take_digits(kin_str *rest)
{
    size_t len = 0;
    while (len < rest->len && rest->data[len] >= '0' && rest->data[len] <= '9') {
        len++;
    }
    kin_str digits = kin__str(rest->data, len);
    *rest = kin__str(rest->data + len, rest->len - len);
    return digits;
}

/*
 * Makes a decimal of a quantity with a binary suffix, at most 2^63-1.
 *
 * Of the fraction only the first k = power_of_two + 9 digits are multiplied.  Their product is a
 * multiple of step = 2^power_of_two * 10^-k, and so is 10^-9, while the digits that are left out
 * add less than one step: they never carry it over a nano.  All that matters of them is whether
 * they are all 0.
 */
static void expand_binary(quantity_parts *quantity, expansion *space)
{
    decimal *number = &quantity->number;
    unsigned power = quantity->power_of_two;
    uint64_t whole = 0;
    bool is_over = false;

    for (size_t i = 0; i < number->whole.len && !is_over; i++) {
        is_over = !append_digit(&whole, number->whole.data[i]) || whole >> (63 - power) != 0;
    }
    kin_str fraction = number->fraction;
    kin_str used = kin__str(fraction.data, fraction.len < power + 9 ? fraction.len : power + 9);
    kin_str left = kin__str(fraction.data + used.len, fraction.len - used.len);
    uint64_t carry = multiply_fraction(used, power, space->fraction);

    number->fraction = kin__str(space->fraction, used.len);
    number->has_more = !is_zero(left);
    whole = (whole << power) + carry;
    if (is_over || (whole == INT64_MAX && (number->has_more || !is_zero(number->fraction)))) {
        whole = INT64_MAX;
        number->fraction = STR("");
        number->has_more = false;
    }
    number->whole = write_digits(whole, space->whole + sizeof space->whole);
}

/* 0.`digits` times 2^power_of_two: the fraction goes to `out`, and the whole part is returned. */
static uint64_t multiply_fraction(kin_str digits, unsigned power_of_two, char *out)
{
    uint64_t carry = 0; /* always below 2^60, so that no sum reaches 10 * 2^60 */
    for (size_t i = digits.len; i-- > 0;) {
        uint64_t product = ((uint64_t) (digits.data[i] - '0') << power_of_two) + carry;
        out[i] = (char) ('0' + product % 10);
        carry = product / 10;
    }
    return carry;
}

/* False when the result does not fit.  Zeros are appended only to what is not 0, and 20 of them
 * overflow: no exponent makes this slow. */
static bool round_up(const decimal *number, int scale, uint64_t *out)
{
    kin_str whole = number->whole;
    kin_str fraction = number->fraction;

    /* Lengths are far below 2^60, so that no sum with a clamped exponent overflows. */
    int64_t far = INT64_C(1) << 60;
    int64_t exponent = number->exponent > far ? far : number->exponent;
    exponent = exponent < -far ? -far : exponent;
    int64_t places = (int64_t) whole.len + exponent - scale; /* digits left of the unit */

    uint64_t amount = 0;
    bool has_rest = number->has_more;
    size_t len = whole.len + fraction.len;
    for (size_t i = 0; i < len; i++) {
        char digit = i < whole.len ? whole.data[i] : fraction.data[i - whole.len];
        if ((int64_t) i >= places) {
            has_rest = has_rest || digit != '0';
        } else if (!append_digit(&amount, digit)) {
            return false;
        }
    }
    for (int64_t i = (int64_t) len; i < places && amount != 0; i++) {
        if (!append_digit(&amount, '0')) {
            return false;
        }
    }
    return !__builtin_add_overflow(amount, has_rest ? 1u : 0u, out);
}

static bool append_digit(uint64_t *number, char digit)
{
    return !__builtin_mul_overflow(*number, 10, number) &&
           !__builtin_add_overflow(*number, (uint64_t) (digit - '0'), number);
}

static bool is_zero(kin_str digits)
{
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.data[i] != '0') {
            return false;
        }
    }
    return true;
}

/* Writes the digits so that they end at `end`. */
static kin_str write_digits(uint64_t number, char *end)
{
    char *at = end;
    do {
        *--at = (char) ('0' + number % 10);
        number /= 10;
    } while (number != 0);
    return kin__str(at, (size_t) (end - at));
}

static kin_str trim(kin_str text)
{
    while (text.len > 0 && text.data[0] == ' ') {
        text = kin__str(text.data + 1, text.len - 1);
    }
    while (text.len > 0 && text.data[text.len - 1] == ' ') {
        text.len--;
    }
    return text;
}

/* The rules by which apimachinery keeps a text it has read: ParseQuantity() in its quantity.go. */
static bool is_taken_for_canonical(const quantity_parts *quantity)
{
    kin_str whole = skip_zeros(quantity->number.whole);
    kin_str fraction = quantity->number.fraction;
    int64_t scale = quantity->number.exponent - (int64_t) fraction.len;

    if (quantity->power_of_two != 0) {
        /* Ten bits are about three digits, and there is room for 14. */
        return fraction.len == 0 && whole.len + quantity->power_of_two / 10 * 3 <= 14 &&
               number_of(whole) % 8 != 0;
    }
    if (whole.len == 0 || whole.len + fraction.len > 18 || scale < SUFFIX_EXPONENT_MIN) {
        return false;
    }
    return scale % 3 == 0 && !ends_in_zeros(whole, fraction);
}

/* In three of them. */
static bool ends_in_zeros(kin_str whole, kin_str fraction)
{
    size_t zeros = 0;

    while (zeros < fraction.len && fraction.data[fraction.len - 1 - zeros] == '0') {
        zeros++;
    }
    for (size_t i = whole.len; zeros >= fraction.len && i > 0 && whole.data[i - 1] == '0'; i--) {
        zeros++;
    }
    return zeros >= 3;
}

/* `out` has room for its digits and CANONICAL_MORE_MAX more. */
static size_t write_canonical(const quantity_parts *quantity, char *out)
{
    bool has_exponent = quantity->has_exponent;
    int64_t exponent;
    size_t len = 0;

    if (quantity->is_negative) {
        out[len++] = '-';
    }
    size_t start = len;
    len += write_rounded(&quantity->number, out + len, &exponent);
    if (quantity->power_of_two != 0 && exponent >= 0) {
        uint64_t number = number_of(kin__str(out + start, len - start));
        for (int64_t i = 0; i < exponent; i++) {
            number *= 10; /* it was an int64 before its zeros went */
        }
        if (number >= 1024) {
            return start + write_binary(number, out + start);
        }
    }
    while (exponent % 3 != 0 || (!has_exponent && exponent > SUFFIX_EXPONENT_MAX)) {
        out[len++] = '0';
        exponent--;
    }
    return len + write_decimal_suffix(exponent, has_exponent, out + len);
}

/* Its digits, up to the last that is not 0 and no finer than nano, and of what power of ten that
 * one is.  The number is not 0. */
static size_t write_rounded(const decimal *number, char *out, int64_t *out_exponent)
{
    kin_str whole = number->whole;
    kin_str fraction = number->fraction;
    int64_t exponent = number->exponent - (int64_t) fraction.len;
    size_t len = whole.len + fraction.len;
    bool has_rest = number->has_more;

    out[0] = '0'; /* for a carry */
    memcpy(out + 1, whole.data, whole.len);
    if (fraction.len != 0) {
        memcpy(out + 1 + whole.len, fraction.data, fraction.len);
    }
    if (exponent < SUFFIX_EXPONENT_MIN) {
        uint64_t finer = (uint64_t) (SUFFIX_EXPONENT_MIN - exponent);
        size_t cut = finer < len ? (size_t) finer : len;
        len -= cut;
        has_rest = has_rest || !is_zero(kin__str(out + 1 + len, cut));
        exponent = SUFFIX_EXPONENT_MIN;
    }
    len++;
    if (has_rest) {
        carry_one(out, len);
    }
    for (; out[len - 1] == '0'; len--) {
        exponent++;
    }
    kin_str digits = skip_zeros(kin__str(out, len));
    memmove(out, digits.data, digits.len);
    *out_exponent = exponent;
    return digits.len;
}

/* Adds 1 to the last digit.  The first is 0. */
static void carry_one(char *digits, size_t len)
{
    while (digits[len - 1] == '9') {
        digits[--len] = '0';
    }
    digits[len - 1]++;
}

static size_t write_binary(uint64_t number, char *out)
{
    static const char suffixes[] = " KMGTPE";
    char digits[20];
    size_t power = 0;

    while (number >= 1024 && number % 1024 == 0) {
        number /= 1024;
        power++;
    }
    kin_str text = write_digits(number, digits + sizeof digits);
    memcpy(out, text.data, text.len);
    if (power == 0) {
        return text.len;
    }
    out[text.len] = suffixes[power];
    out[text.len + 1] = 'i';
    return text.len + 2;
}

/* Of a multiple of three. */
static size_t write_decimal_suffix(int64_t exponent, bool has_exponent, char *out)
{
    static const char suffixes[] = "num kMGTPE";
    char digits[20];
    size_t len = 0;

    if (exponent == 0) {
        return 0;
    }
    if (!has_exponent) {
        out[0] = suffixes[(exponent - SUFFIX_EXPONENT_MIN) / 3];
        return 1;
    }
    out[len++] = 'e';
    if (exponent < 0) {
        out[len++] = '-';
    }
    kin_str text =
        write_digits((uint64_t) (exponent < 0 ? -exponent : exponent), digits + sizeof digits);
    memcpy(out + len, text.data, text.len);
    return len + text.len;
}

/* At most 19 of them; no digits are 0. */
static uint64_t number_of(kin_str digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.len; i++) {
        number = number * 10 + (uint64_t) (digits.data[i] - '0');
    }
    return number;
}

static kin_str skip_zeros(kin_str digits)
{
    while (digits.len > 0 && digits.data[0] == '0') {
        digits = kin__str(digits.data + 1, digits.len - 1);
    }
    return digits;
}
