/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_check.c - is what stands inside strings right: UTF-8 and escapes, cut anywhere.
 *
 * Both are small state machines that step byte by byte; the masks of the kernel tell where
 * stepping is needed at all.  The first fault of a block is the one with the lowest place.
 */
#include "json/text_check.h"

#include "json/hex.h"

/* Where in an escape: what the next byte must be. */
enum {
    IN_NONE = 0,
    AFTER_BACKSLASH,
    DIGIT_1,
    DIGIT_2,
    DIGIT_3,
    DIGIT_4,
    WANT_BACKSLASH, /* a high surrogate was read: \u must follow */
    WANT_U,
};

static const char bad_utf8[] = "invalid UTF-8";
static const char bad_escape[] = "invalid escape";
static const char lone_surrogate[] = "surrogate without its pair";

static const char *step_utf8(kin__text_check *check, unsigned char byte);
static const char *step_escape(kin__text_check *check, unsigned char byte);
static kin__text_fault check_utf8(kin__text_check *check, const char *block, size_t len,
                                  uint64_t high);
static kin__text_fault check_escapes(kin__text_check *check, const char *bytes, size_t size,
                                     size_t place, uint64_t offset, uint64_t escapes);

/* What may follow a backslash and is then complete. */
static bool is_short_escape(unsigned char byte)
{
    static const bool is_short[256] = {
        ['"'] = true, ['\\'] = true, ['/'] = true, ['b'] = true,
        ['f'] = true, ['n'] = true,  ['r'] = true, ['t'] = true,
    };
    return is_short[byte];
}

/* Of two at the same place the first one counts. */
static kin__text_fault earlier(kin__text_fault a, kin__text_fault b)
{
    if (a.what == NULL) {
        return b;
    }
    return b.what != NULL && b.at < a.at ? b : a;
}

kin__text_fault kin__text_check_block(kin__text_check *check, const char *bytes, size_t size,
                                      size_t place, size_t len, uint64_t offset,
                                      const kin__json_masks *masks)
{
    kin__text_fault fault = { 0 };

    /* First, so that a byte that ends an escape wrongly is that and nothing else: of an escape
     * that began in an earlier block nothing else would be known. */
    if (masks->escapes != 0 || check->escape != IN_NONE) {
        fault = check_escapes(check, bytes, size, place, offset, masks->escapes);
    }
    if (masks->controls != 0) {
        size_t at = place + (size_t) __builtin_ctzll(masks->controls);
        fault = earlier(fault, (kin__text_fault){ "control character in a string", at });
    }
    if (masks->high != 0 || check->utf8_missing != 0) {
        kin__text_fault utf8 = check_utf8(check, bytes + place, len, masks->high);
        utf8.at += place;
        fault = earlier(fault, utf8);
    }
    return fault;
}

static kin__text_fault check_utf8(kin__text_check *check, const char *block, size_t len,
                                  uint64_t high)
{
    size_t i = 0;

    for (;;) {
        if (check->utf8_missing == 0) {
            high = i < KIN__JSON_BLOCK ? high >> i << i : 0;
            if (high == 0) {
                break;
            }
            i = (size_t) __builtin_ctzll(high);
        }
        if (i >= len) {
            break;
        }
        const char *what = step_utf8(check, (unsigned char) block[i]);
        if (what != NULL) {
            return (kin__text_fault){ what, i };
        }
        i++;
    }
    return (kin__text_fault){ 0 };
}

static void expect_utf8(kin__text_check *check, uint8_t missing, uint8_t from, uint8_t to)
{
    check->utf8_missing = missing;
    check->utf8_from = from;
    check->utf8_to = to;
}

/* RFC 3629 section 4: the second byte's range keeps out what is overlong, surrogates and what lies
 * above U+10FFFF. */
static const char *step_utf8(kin__text_check *check, unsigned char byte)
{
    if (check->utf8_missing != 0) {
        if (byte < check->utf8_from || byte > check->utf8_to) {
            return bad_utf8;
        }
        expect_utf8(check, (uint8_t) (check->utf8_missing - 1), 0x80, 0xbf);
        return NULL;
    }
    if (byte < 0x80) {
        return NULL;
    }
    if (byte < 0xc2 || byte > 0xf4) {
        return bad_utf8;
    }
    if (byte < 0xe0) {
        expect_utf8(check, 1, 0x80, 0xbf);
    } else if (byte < 0xf0) {
        expect_utf8(check, 2, byte == 0xe0 ? 0xa0 : 0x80, byte == 0xed ? 0x9f : 0xbf);
    } else {
        expect_utf8(check, 3, byte == 0xf0 ? 0x90 : 0x80, byte == 0xf4 ? 0x8f : 0xbf);
    }
    return NULL;
}

/* Follows the escape that begins or goes on at `*at`; it ends, fails, or reaches the chunk's end.
 */
static const char *follow_escape(kin__text_check *check, const char *bytes, size_t size, size_t *at)
{
    while (check->escape != IN_NONE && *at < size) {
        const char *what = step_escape(check, (unsigned char) bytes[*at]);
        if (what != NULL) {
            return what;
        }
        ++*at;
    }
    return NULL;
}

static kin__text_fault check_escapes(kin__text_check *check, const char *bytes, size_t size,
                                     size_t place, uint64_t offset, uint64_t escapes)
{
    if (check->escape != IN_NONE && place == 0) {
        size_t at = 0;
        const char *what = follow_escape(check, bytes, size, &at);
        if (what != NULL) {
            return (kin__text_fault){ what, at };
        }
        check->escapes_known = offset + at;
    }
    for (; escapes != 0; escapes &= escapes - 1) {
        size_t at = place + (size_t) __builtin_ctzll(escapes);
        if (offset + at < check->escapes_known) {
            continue; /* the second half of a surrogate pair */
        }
        at++;
        if (at < size && is_short_escape((unsigned char) bytes[at])) {
            continue;
        }
        check->escape = AFTER_BACKSLASH;
        const char *what = follow_escape(check, bytes, size, &at);
        if (what != NULL) {
            return (kin__text_fault){ what, at };
        }
        check->escapes_known = offset + at;
    }
    return (kin__text_fault){ 0 };
}

/* The four digits are read: a high surrogate must be followed by a low one, and only by that. */
static const char *finish_unit(kin__text_check *check)
{
    bool is_low = check->unit >= 0xdc00 && check->unit <= 0xdfff;
    bool is_high = check->unit >= 0xd800 && check->unit <= 0xdbff;

    if (is_low != check->has_high) {
        return lone_surrogate;
    }
    check->has_high = is_high;
    check->escape = is_high ? WANT_BACKSLASH : IN_NONE;
    return NULL;
}

static const char *step_escape(kin__text_check *check, unsigned char byte)
{
    switch (check->escape) {
    case AFTER_BACKSLASH:
        check->unit = 0;
        check->has_high = false;
        check->escape = byte == 'u' ? DIGIT_1 : IN_NONE;
        return byte == 'u' || is_short_escape(byte) ? NULL : bad_escape;
    case WANT_BACKSLASH:
        check->escape = WANT_U;
        return byte == '\\' ? NULL : lone_surrogate;
    case WANT_U:
        check->escape = DIGIT_1;
        check->unit = 0;
        return byte == 'u' ? NULL : lone_surrogate;
    default: {
        int digit = kin__hex_digit(byte);
        if (digit < 0) {
            return bad_escape;
        }
        check->unit = (uint16_t) (check->unit << 4 | digit);
        if (check->escape == DIGIT_4) {
            return finish_unit(check);
        }
        check->escape++;
        return NULL;
    }
    }
}
