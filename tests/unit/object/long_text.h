/* SPDX-License-Identifier: Apache-2.0 */
/*
 * long_text.h - texts of a megabyte, for the tests of this directory.
 */
#ifndef TESTS_UNIT_OBJECT_LONG_TEXT_H
#define TESTS_UNIT_OBJECT_LONG_TEXT_H

#include <string.h>

#include "base/buf.h"
#include "support/test.h"

/* `count` times `piece` between `first` and `last`; release with kin_free(). */
static inline char *repeat(const char *first, const char *piece, size_t count, const char *last)
{
    kin__buf buf = { 0 };
    size_t piece_len = strlen(piece);
    char *chars = NULL;
    size_t len;
    kin_error err;

    (void) kin__buf_append(&buf, first, strlen(first));
    for (size_t i = 0; i < count; i++) {
        (void) kin__buf_append(&buf, piece, piece_len);
    }
    (void) kin__buf_append(&buf, last, strlen(last));
    ASSERT_OK(kin__buf_take(&buf, &chars, &len, &err));
    return chars;
}

#endif /* TESTS_UNIT_OBJECT_LONG_TEXT_H */
