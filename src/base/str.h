/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/str.h - string slices.
 */
#ifndef KIN_BASE_STR_H
#define KIN_BASE_STR_H

#include <string.h>

#include "kin/common.h"

/* A slice over a string literal. */
#define STR(literal) ((kin_str){ "" literal, sizeof(literal) - 1 })

static inline kin_str kin__str(const char *data, size_t len)
{
    return (kin_str){ data, len };
}

static inline bool kin__str_equal(kin_str a, kin_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* By bytes, as strcmp: negative, 0 or positive. */
int kin__str_compare(kin_str a, kin_str b);

bool kin__str_starts_with(kin_str s, kin_str prefix);

#endif /* KIN_BASE_STR_H */
