/* SPDX-License-Identifier: Apache-2.0 */
/*
 * str.c - string slices, and the library's own version string.
 */
#include "base/str.h"

#define TEXT_OF(x) #x
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *kin_version(void)
{
    return VERSION(KIN_VERSION_MAJOR, KIN_VERSION_MINOR, KIN_VERSION_PATCH);
}

kin_str kin_str_of(const char *text)
{
    return (kin_str){ text, text == NULL ? 0 : strlen(text) };
}

bool kin_str_equal(kin_str a, kin_str b)
{
    return kin__str_equal(a, b);
}

int kin__str_compare(kin_str a, kin_str b)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter == 0 ? 0 : memcmp(a.data, b.data, shorter);
    if (order != 0) {
        return order;
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool kin__str_starts_with(kin_str s, kin_str prefix)
{
    return s.len >= prefix.len && kin__str_equal(kin__str(s.data, prefix.len), prefix);
}
