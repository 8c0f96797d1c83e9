/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar.c - the grammar of numbers, true, false and null, byte by byte.
 *
 * The states of a number are those of RFC 8259 section 6.  A state from LITERAL up counts the
 * letters of the three words laid end to end: it is LITERAL plus the place of the letter that
 * comes next.
 */
#include "json/scalar.h"

#include <stddef.h>

enum {
    NONE = KIN__SCALAR_NONE,
    MINUS,    /* - */
    ZERO,     /* 0 */
    DIGITS,   /* 1, 12 */
    POINT,    /* 1. */
    FRACTION, /* 1.5 */
    EXPONENT, /* 1e */
    SIGN,     /* 1e+ */
    POWER,    /* 1e+6 */
    LITERAL,  /* words[0] comes next */
};

/* A dot ends each word: no letter may follow. */
static const char words[] = "true.false.null.";

enum {
    AT_TRUE = 0,
    AT_FALSE = 5,
    AT_NULL = 11,
};

static bool is_digit(unsigned char byte)
{
    return byte >= '0' && byte <= '9';
}

kin__scalar kin__scalar_begin(unsigned char byte)
{
    switch (byte) {
    case '-':
        return MINUS;
    case '0':
        return ZERO;
    case 't':
        return LITERAL + AT_TRUE + 1;
    case 'f':
        return LITERAL + AT_FALSE + 1;
    case 'n':
        return LITERAL + AT_NULL + 1;
    default:
        return is_digit(byte) ? DIGITS : NONE;
    }
}

/* What may follow the whole part of a number. */
static kin__scalar after_digits(unsigned char byte)
{
    if (byte == '.') {
        return POINT;
    }
    return byte == 'e' || byte == 'E' ? EXPONENT : NONE;
}

kin__scalar kin__scalar_next(kin__scalar state, unsigned char byte)
{
    switch (state) {
    case MINUS:
        return byte == '0' ? ZERO : is_digit(byte) ? DIGITS : NONE;
    case ZERO:
        return after_digits(byte);
    case DIGITS:
        return is_digit(byte) ? DIGITS : after_digits(byte);
    case POINT:
        return is_digit(byte) ? FRACTION : NONE;
    case FRACTION:
        return is_digit(byte) ? FRACTION : byte == 'e' || byte == 'E' ? EXPONENT : NONE;
    case EXPONENT:
        return is_digit(byte) ? POWER : byte == '+' || byte == '-' ? SIGN : NONE;
    case SIGN:
    case POWER:
        return is_digit(byte) ? POWER : NONE;
    default:
        return words[state - LITERAL] != '.' && (unsigned char) words[state - LITERAL] == byte
                   ? (kin__scalar) (state + 1)
                   : NONE;
    }
}

bool kin__scalar_is_whole(kin__scalar state)
{
    switch (state) {
    case ZERO:
    case DIGITS:
    case FRACTION:
    case POWER:
        return true;
    case NONE:
    case MINUS:
    case POINT:
    case EXPONENT:
    case SIGN:
        return false;
    default:
        return words[state - LITERAL] == '.';
    }
}

const char *kin__scalar_wants(kin__scalar state)
{
    if (kin__scalar_is_whole(state)) {
        return "the end of the value";
    }
    if (state < LITERAL) {
        return "a digit";
    }
    if (state - LITERAL < AT_FALSE) {
        return "true";
    }
    return state - LITERAL < AT_NULL ? "false" : "null";
}
