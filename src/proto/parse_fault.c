/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_fault.c - what is wrong with JSON that should become a message, and where.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "proto/parse_state.h"

/* Of a name; hostile ones must not push the rest out. */
#define NAME_SHOWN_MAX 64

#define MORE "..."

static size_t describe(const kin__pb_place *place, char *out, size_t size);
static bool is_plain(kin_str name);
static const char *type_words(kin_type type);

kin_err kin__pb_parse_fault(kin__pb_parser *p, const char *format, ...)
{
    char path[KIN__PB_PATH_MAX];
    char words[200];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(words, sizeof words, format, args); /* what is too long is cut */
    va_end(args);
    kin__pb_path_text(p->place, path);
    return kin__error_set(p->err, KIN_ERR_MALFORMED, "%s%s%s", path, path[0] == '\0' ? "" : ": ",
                          words);
}

kin_err kin__pb_wrong_type(kin__pb_parser *p, const char *wanted, kin__json found)
{
    return kin__pb_parse_fault(p, "expected %s, found %s", wanted,
                               type_words(kin__json_type(found)));
}

/* Written from its end: the innermost names say most. */
void kin__pb_path_text(const kin__pb_place *place, char out[KIN__PB_PATH_MAX])
{
    char piece[NAME_SHOWN_MAX + 16];
    size_t at = KIN__PB_PATH_MAX - 1;

    for (; place != NULL; place = place->parent) {
        size_t len = describe(place, piece, sizeof piece);
        bool is_cut = len + sizeof MORE > at;
        const char *bytes = is_cut ? MORE : piece;
        len = is_cut ? sizeof MORE - 1 : len;
        at -= len;
        memcpy(out + at, bytes, len);
        if (is_cut) {
            break;
        }
    }
    size_t len = KIN__PB_PATH_MAX - 1 - at;
    memmove(out, out + at, len);
    out[len] = '\0';
}

/* Its length; cut where it is too long. */
static size_t describe(const kin__pb_place *place, char *out, size_t size)
{
    bool is_cut = place->name.len > NAME_SHOWN_MAX;
    kin_str name = kin__str(place->name.data, is_cut ? NAME_SHOWN_MAX : place->name.len);
    int len;

    if (place->name.data == NULL) {
        len = snprintf(out, size, "[%zu]", place->index);
    } else if (is_plain(place->name)) {
        len = snprintf(out, size, "%s%.*s%s", place->parent == NULL ? "" : ".", KIN_STR_ARG(name),
                       is_cut ? MORE : "");
    } else {
        len = snprintf(out, size, "[\"%.*s%s\"]", KIN_STR_ARG(name), is_cut ? MORE : "");
    }
    return len < 0 ? 0 : (size_t) len < size ? (size_t) len : size - 1;
}

/* As kin/path.h writes it without quotes. */
static bool is_plain(kin_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char byte = (unsigned char) name.data[i];
        unsigned char letter = byte | 0x20;
        if (byte < 0x80 && (letter < 'a' || letter > 'z') && (byte < '0' || byte > '9') &&
            byte != '_' && byte != '-' && byte != '$') {
            return false;
        }
    }
    return name.len != 0;
}

static const char *type_words(kin_type type)
{
    switch (type) {
    case KIN_TYPE_NULL:
        return "null";
    case KIN_TYPE_BOOL:
        return "a boolean";
    case KIN_TYPE_NUMBER:
        return "a number";
    case KIN_TYPE_STRING:
        return "a string";
    case KIN_TYPE_ARRAY:
        return "an array";
    case KIN_TYPE_OBJECT:
        return "an object";
    case KIN_TYPE_MISSING:
    default:
        return "nothing";
    }
}
