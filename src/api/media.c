/* SPDX-License-Identifier: Apache-2.0 */
/*
 * media.c - what a Content-Type says.
 */
#include "api/media.h"

#include <string.h>

#include "base/str.h"

static const struct {
    kin_str name;
    kin__media media;
} known[] = {
    { { KIN__MEDIA_JSON_NAME, sizeof KIN__MEDIA_JSON_NAME - 1 }, KIN__MEDIA_JSON },
    { { KIN__MEDIA_PROTOBUF_NAME, sizeof KIN__MEDIA_PROTOBUF_NAME - 1 }, KIN__MEDIA_PROTOBUF },
    { { "text/plain", 10 }, KIN__MEDIA_TEXT },
    { { "text/html", 9 }, KIN__MEDIA_HTML },
    { { "application/xhtml+xml", 21 }, KIN__MEDIA_HTML },
};

static kin_str without_parameters(kin_str content_type);
static bool equals_in_any_case(kin_str text, kin_str lower_case);
static bool is_space(char c);

kin__media kin__media_of(kin_str content_type)
{
    kin_str type = without_parameters(content_type);

    if (type.len == 0) {
        return KIN__MEDIA_NONE;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (equals_in_any_case(type, known[i].name)) {
            return known[i].media;
        }
    }
    return KIN__MEDIA_OTHER;
}

static kin_str without_parameters(kin_str content_type)
{
    kin_str type = content_type;
    const char *semicolon = type.len == 0 ? NULL : memchr(type.data, ';', type.len);

    if (semicolon != NULL) {
        type.len = (size_t) (semicolon - type.data);
    }
    while (type.len > 0 && is_space(type.data[0])) {
        type = kin__str(type.data + 1, type.len - 1);
    }
    while (type.len > 0 && is_space(type.data[type.len - 1])) {
        type.len--;
    }
    return type;
}

static bool equals_in_any_case(kin_str text, kin_str lower_case)
{
    if (text.len != lower_case.len) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if ((c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c) != lower_case.data[i]) {
            return false;
        }
    }
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}
