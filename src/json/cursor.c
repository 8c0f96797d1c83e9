/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.c - walking a JSON value without building a tree.
 *
 * Most strings are short: the first bytes of one are looked at here, and only what is longer, or
 * has escapes, is left to the kernel.  Containers are skipped by the kernel.
 *
 * Every walk ends: each step begins after the byte where the last one began, because a value
 * has a first byte that is looked at before it is skipped.
 */
#include "json/cursor.h"

#include "base/str.h"
#include "json/lanes.h"
#include "json/string.h"

/* How far a string is followed before the kernel takes over: 64 bytes hold nearly all names,
 * dates and UIDs. */
#define SHORT_BLOCKS 4

static bool step(kin__json_iter *iter);
static const char *read_key(kin__json_iter *iter, const char *at, const char *end);
static bool finish(kin__json_iter *iter, const char *at);
static bool is_key(const kin__json_iter *iter, kin_str name);
static const char *skip_value(const kin__json_kernel *kernel, const char *at, const char *end);
static const char *skip_container(const kin__json_kernel *kernel, const char *at, const char *end);
static const char *skip_scalar(const char *at, const char *end);
static const char *skip_space(const char *at, const char *end);
static const char *skip_short(const char *at, const char *end);
static const char *find_quote(const kin__json_kernel *kernel, const char *at, const char *end);
static kin_type type_of(char first);

kin__json kin__json_of(kin_str document)
{
    if (document.len == 0) {
        return (kin__json){ NULL, NULL };
    }
    const char *end = document.data + document.len;
    const char *at = skip_space(document.data, end);
    return (kin__json){ at == end ? NULL : at, end };
}

kin_type kin__json_type(kin__json value)
{
    return value.at == NULL || value.at >= value.end ? KIN_TYPE_MISSING : type_of(*value.at);
}

const char *kin__json_skip(kin__json value)
{
    if (kin__json_type(value) == KIN_TYPE_MISSING) {
        return value.at;
    }
    return skip_value(kin__json_kernel_best(), value.at, value.end);
}

kin_str kin__json_text(kin__json value)
{
    if (kin__json_type(value) == KIN_TYPE_MISSING) {
        return (kin_str){ NULL, 0 };
    }
    return kin__str(value.at, (size_t) (kin__json_skip(value) - value.at));
}

kin_str kin__json_raw_string(kin__json value)
{
    if (kin__json_type(value) != KIN_TYPE_STRING) {
        return (kin_str){ NULL, 0 };
    }
    const char *first = value.at + 1;
    const char *quote = find_quote(kin__json_kernel_best(), first, value.end);
    return kin__str(first, (size_t) (quote - first));
}

kin__json kin__json_member(kin__json value, kin_str name)
{
    kin__json found = { NULL, NULL };
    kin__json_iter iter = kin__json_walk(value);

    while (iter.is_object && step(&iter)) {
        if (is_key(&iter, name)) {
            found = iter.value;
        }
    }
    return found;
}

kin__json kin__json_element(kin__json value, size_t index)
{
    kin__json_iter iter = kin__json_walk(value);

    while (!iter.is_object && step(&iter)) {
        if (index == 0) {
            return iter.value;
        }
        index--;
    }
    return (kin__json){ NULL, NULL };
}

kin__json_iter kin__json_walk(kin__json value)
{
    kin_type type = kin__json_type(value);
    kin__json_iter iter = { .value.end = value.end, .is_object = type == KIN_TYPE_OBJECT };

    iter.is_done = type != KIN_TYPE_OBJECT && type != KIN_TYPE_ARRAY;
    if (!iter.is_done) {
        iter.next = value.at + 1;
        iter.kernel = kin__json_kernel_best();
    }
    return iter;
}

bool kin__json_next(kin__json_iter *iter)
{
    return step(iter);
}

static inline bool step(kin__json_iter *iter)
{
    if (iter->is_done) {
        return false;
    }
    const char *end = iter->value.end;
    const char *at = iter->next;
    if (at == NULL) {
        at = skip_value(iter->kernel, iter->value.at, end);
    }
    at = skip_space(at, end);
    if (iter->value.at != NULL) {
        if (at == end || *at != ',') {
            return finish(iter, at);
        }
        at = skip_space(at + 1, end);
    }
    const char *value = iter->is_object ? read_key(iter, at, end) : at;
    if (value == end || type_of(*value) == KIN_TYPE_MISSING) {
        return finish(iter, at);
    }
    iter->value.at = value;
    iter->next = NULL;
    return true;
}

/* Takes the key at `at` and returns where its value begins; `end` when there is no key. */
static inline const char *read_key(kin__json_iter *iter, const char *at, const char *end)
{
    if (at == end || *at != '"') {
        return end;
    }
    const char *first = at + 1;
    const char *quote = skip_short(first, end);
    iter->is_plain_key = quote != end && *quote == '"';
    if (!iter->is_plain_key) {
        quote = iter->kernel->string_end(quote, end);
        if (quote == end) {
            return end;
        }
    }
    iter->key = kin__str(first, (size_t) (quote - first));
    at = skip_space(quote + 1, end);
    return at == end || *at != ':' ? end : skip_space(at + 1, end);
}

static bool finish(kin__json_iter *iter, const char *at)
{
    bool is_closed = at != iter->value.end && (*at == '}' || *at == ']');

    iter->is_done = true;
    iter->next = is_closed ? at + 1 : at;
    iter->value.at = NULL;
    iter->key = (kin_str){ NULL, 0 };
    return false;
}

static inline bool is_key(const kin__json_iter *iter, kin_str name)
{
    return iter->is_plain_key ? kin__str_equal(iter->key, name)
                              : kin__json_string_equals(iter->key, name);
}

static inline const char *skip_value(const kin__json_kernel *kernel, const char *at,
                                     const char *end)
{
    switch (*at) {
    case '"': {
        const char *quote = find_quote(kernel, at + 1, end);
        return quote == end ? end : quote + 1;
    }
    case '{':
    case '[':
        return skip_container(kernel, at, end);
    default:
        return skip_scalar(at, end);
    }
}

/* An opening bracket and its closing one differ by 2 in ASCII, and an empty container is common. */
static inline const char *skip_container(const kin__json_kernel *kernel, const char *at,
                                         const char *end)
{
    if (end - at >= 2 && at[1] == *at + 2) {
        return at + 2;
    }
    const char *after = kernel->container_end(at + 1, end);
    return after == NULL ? end : after;
}

static inline const char *skip_scalar(const char *at, const char *end)
{
    do {
        at++;
    } while (at != end && *at != ',' && *at != '}' && *at != ']' && (unsigned char) *at > ' ');
    return at;
}

static inline const char *skip_space(const char *at, const char *end)
{
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) {
        at++;
    }
    return at;
}

/* The first quote or backslash, if it is near; otherwise some place before it. */
static inline const char *skip_short(const char *at, const char *end)
{
    for (int i = 0; i < SHORT_BLOCKS && end - at >= KIN__LANES; i++) {
        kin__lanes bytes = kin__lanes_load(at);
        unsigned run = kin__lanes_first((kin__lanes) ((bytes == '"') | (bytes == '\\')));
        at += run;
        if (run != KIN__LANES) {
            break;
        }
    }
    return at;
}

/* From just after an opening quote: the closing one, or `end` when there is none. */
static inline const char *find_quote(const kin__json_kernel *kernel, const char *at,
                                     const char *end)
{
    at = skip_short(at, end);
    return at != end && *at == '"' ? at : kernel->string_end(at, end);
}

static inline kin_type type_of(char first)
{
    switch (first) {
    case '{':
        return KIN_TYPE_OBJECT;
    case '[':
        return KIN_TYPE_ARRAY;
    case '"':
        return KIN_TYPE_STRING;
    case 't':
    case 'f':
        return KIN_TYPE_BOOL;
    case 'n':
        return KIN_TYPE_NULL;
    default:
        return first == '-' || (first >= '0' && first <= '9') ? KIN_TYPE_NUMBER : KIN_TYPE_MISSING;
    }
}
