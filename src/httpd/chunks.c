/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunks.c - a chunked body (RFC 9112, section 7.1).
 */
#include "httpd/chunks.h"

#include "base/str.h"

#define LINE_MAX 4096u            /* of a size with its extensions, as Go has it */
#define TRAILERS_MAX (64u * 1024) /* of all of them */

enum {
    SIZE, /* in the digits */
    EXTENSION,
    SIZE_END,
    DATA,
    DATA_CR,
    DATA_END,
    TRAILER_FIRST, /* at the beginning of a trailer, or of the empty line */
    TRAILER,
    TRAILER_END,
    LAST_END,
    OVER,
    BROKEN
};

static unsigned step(kin__chunks *chunks, char c);
static unsigned step_size(kin__chunks *chunks, char c);
static int digit_of(char c);

kin__chunks_step kin__chunks_read(kin__chunks *chunks, const char *bytes, size_t len, size_t *used,
                                  kin_str *data)
{
    size_t i = 0;
    while (i < len && chunks->state != OVER && chunks->state != BROKEN) {
        if (chunks->state == DATA) {
            size_t count = chunks->left < len - i ? (size_t) chunks->left : len - i;
            chunks->left -= count;
            if (chunks->left == 0) {
                chunks->state = DATA_CR;
            }
            *data = kin__str(bytes + i, count);
            *used = i + count;
            return KIN__CHUNKS_DATA;
        }
        chunks->state = step(chunks, bytes[i]);
        i++;
    }
    *used = i;
    return chunks->state == OVER     ? KIN__CHUNKS_END
           : chunks->state == BROKEN ? KIN__CHUNKS_BROKEN
                                     : KIN__CHUNKS_ON;
}

static unsigned step(kin__chunks *chunks, char c)
{
    chunks->line_len++;
    switch (chunks->state) {
    case SIZE:
        return step_size(chunks, c);
    case EXTENSION:
        return chunks->line_len > LINE_MAX || c == '\n' || c == '\0' ? BROKEN
               : c == '\r'                                           ? SIZE_END
                                                                     : EXTENSION;
    case SIZE_END:
        if (c != '\n') {
            return BROKEN;
        }
        chunks->line_len = 0;
        chunks->has_digits = false;
        return chunks->left == 0 ? TRAILER_FIRST : DATA;
    case DATA_CR:
        return c == '\r' ? DATA_END : BROKEN;
    case DATA_END:
        chunks->line_len = 0;
        return c == '\n' ? SIZE : BROKEN;
    case TRAILER_FIRST:
        return c == '\r' ? LAST_END : c == '\n' ? BROKEN : TRAILER;
    case TRAILER:
        return chunks->line_len > TRAILERS_MAX || c == '\n' || c == '\0' ? BROKEN
               : c == '\r'                                               ? TRAILER_END
                                                                         : TRAILER;
    case TRAILER_END:
        return c == '\n' ? TRAILER_FIRST : BROKEN;
    default:
        return c == '\n' ? OVER : BROKEN;
    }
}

static unsigned step_size(kin__chunks *chunks, char c)
{
    int digit = digit_of(c);
    if (digit >= 0) {
        if (chunks->left > UINT64_MAX >> 4 || chunks->line_len > LINE_MAX) {
            return BROKEN;
        }
        chunks->left = chunks->left << 4 | (uint64_t) digit;
        chunks->has_digits = true;
        return SIZE;
    }
    if (!chunks->has_digits) {
        return BROKEN;
    }
    return c == '\r' ? SIZE_END : c == ';' || c == ' ' || c == '\t' ? EXTENSION : BROKEN;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char) (c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
