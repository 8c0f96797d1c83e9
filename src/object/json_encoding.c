/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_encoding.c - values of objects whose bytes are JSON.
 *
 * A value is a place in the bytes, which the cursor reads, and in its second word the place where
 * the JSON around it ends.  The members of the object itself are
 * found in the table of their places, where there is one: it was left out when there are too many
 * of them or when one of their names has escapes, so in the table names stand for themselves.
 *
 * An iterator keeps in its first word where it is; all else it needs can be seen from there.
 */
#include "object/encoding.h"

#include <string.h>

#include "base/str.h"
#include "json/cursor.h"
#include "json/number.h"
#include "json/string.h"
#include "object/object.h"

/* The first word of an iterator. */
enum { ITER_BEFORE = 0, ITER_INSIDE, ITER_AFTER };

static kin_value json_root(const kin_object *object);
static kin_value json_at(const kin_object *object, uint32_t place);
static kin_type json_type(kin_value value);
static kin_err json_str(kin_value value, char *scratch, size_t scratch_size, kin_str *out);
static size_t json_scratch_size(kin_value value);
static bool json_is_str(kin_value value, kin_str text);
static kin_err json_int64(kin_value value, int64_t *out);
static kin_err json_real(kin_value value, double *out);
static bool json_boolean(kin_value value);
static kin_value json_member(kin_value value, kin_str name);
static kin_value json_element(kin_value value, size_t index);
static void json_iter(kin_value value, kin_iter *out);
static bool json_next(kin_iter *iter);
static kin_err json_append(kin_value value, kin__buf *buf, kin_error *err);
static kin_str json_number_text(kin_value value, char *scratch);
static bool json_is_same_text(kin_value a, kin_value b);

static kin__json cursor_of(kin_value value);
static kin_value inside(kin_value around, const char *at);
static kin_str text_of(kin_value value);
static bool is_root(kin_value value);
static const char *find_top(const kin_object *object, kin_str name);
static void fetch(const char *from, const char *to);
static const char *skip_to_value(const char *at, const char *end);
static bool is_space(char c);

const kin__encoding kin__json_encoding = {
    .root = json_root,
    .value = json_at,
    .type = json_type,
    .str = json_str,
    .scratch_size = json_scratch_size,
    .is_str = json_is_str,
    .int64 = json_int64,
    .real = json_real,
    .boolean = json_boolean,
    .member = json_member,
    .element = json_element,
    .iter = json_iter,
    .next = json_next,
    .append_json = json_append,
    .number_text = json_number_text,
    .is_same_text = json_is_same_text,
};

kin_value kin__json_value(const kin_object *owner, const char *at, const char *end)
{
    uint32_t place = (uint32_t) (end - (const char *) owner);
    return (kin_value){ .owner = owner, .at = at, .words = { KIN__ENCODING_JSON, place } };
}

static kin_value json_root(const kin_object *object)
{
    kin_str bytes = kin__object_bytes(object);
    return kin__json_value(object, bytes.data, bytes.data + bytes.len);
}

static kin_value json_at(const kin_object *object, uint32_t place)
{
    return inside(json_root(object), (const char *) object + place);
}

static kin_type json_type(kin_value value)
{
    return kin__json_type(cursor_of(value));
}

static kin_err json_str(kin_value value, char *scratch, size_t scratch_size, kin_str *out)
{
    kin_str raw = kin__json_raw_string(cursor_of(value));

    if (!kin__json_has_escapes(raw)) {
        *out = raw;
        return KIN_OK;
    }
    if (scratch_size < raw.len) {
        return KIN_ERR_RANGE;
    }
    *out = kin__str(scratch, kin__json_decode(raw, scratch));
    return KIN_OK;
}

static size_t json_scratch_size(kin_value value)
{
    kin_str raw = kin__json_raw_string(cursor_of(value));
    return kin__json_has_escapes(raw) ? raw.len : 0;
}

static bool json_is_str(kin_value value, kin_str text)
{
    return kin__json_string_equals(kin__json_raw_string(cursor_of(value)), text);
}

static kin_err json_int64(kin_value value, int64_t *out)
{
    return kin__json_int64(kin__json_text(cursor_of(value)), out);
}

static kin_err json_real(kin_value value, double *out)
{
    return kin__json_double(kin__json_text(cursor_of(value)), out);
}

static bool json_boolean(kin_value value)
{
    return *value.at == 't';
}

static kin_value json_member(kin_value value, kin_str name)
{
    const kin_object *object = value.owner;

    if (is_root(value) && object->place_count > 0) {
        const char *at = find_top(object, name);
        return inside(value, at);
    }
    return inside(value, kin__json_member(cursor_of(value), name).at);
}

static kin_value json_element(kin_value value, size_t index)
{
    return inside(value, kin__json_element(cursor_of(value), index).at);
}

static void json_iter(kin_value value, kin_iter *out)
{
    (void) value;
    out->words[0] = ITER_BEFORE;
}

static bool json_next(kin_iter *iter)
{
    kin__json container = cursor_of(iter->container);
    kin__json_iter walk = kin__json_walk(container);

    if (iter->words[0] == ITER_AFTER) {
        return false;
    }
    if (iter->words[0] == ITER_INSIDE) {
        walk.value.at = iter->value.at;
        walk.next = NULL;
    }
    if (!kin__json_next(&walk)) {
        iter->words[0] = ITER_AFTER;
        iter->key = (kin_value){ 0 };
        iter->value = (kin_value){ 0 };
        return false;
    }
    iter->words[0] = ITER_INSIDE;
    iter->value = inside(iter->container, walk.value.at);
    if (walk.is_object) {
        iter->key = inside(iter->container, walk.key.data - 1);
    }
    return true;
}

/* The bytes as they came, less white space between tokens. */
static kin_err json_append(kin_value value, kin__buf *buf, kin_error *err)
{
    const kin__json_kernel *kernel = kin__json_kernel_best();
    kin_str text = text_of(value);
    const char *end = text.data + text.len;
    const char *run = text.data;
    const char *at = run;

    if (!kin__buf_reserve(buf, text.len + 1)) {
        return kin__error_no_memory(err);
    }
    while (at != end) {
        if (*at == '"') {
            const char *quote = kernel->string_end(at + 1, end);
            at = quote != end ? quote + 1 : end;
        } else if (is_space(*at)) {
            (void) kin__buf_append(buf, run, (size_t) (at - run));
            at++;
            run = at;
        } else {
            at++;
        }
    }
    (void) kin__buf_append(buf, run, (size_t) (end - run));
    return KIN_OK;
}

static kin_str json_number_text(kin_value value, char *scratch)
{
    (void) scratch;
    return kin__json_text(cursor_of(value));
}

static bool json_is_same_text(kin_value a, kin_value b)
{
    return kin__str_equal(text_of(a), text_of(b));
}

static kin__json cursor_of(kin_value value)
{
    return (kin__json){ value.at, (const char *) value.owner + value.words[1] };
}

/* A place in the same JSON as `around`; NULL: there is none. */
static kin_value inside(kin_value around, const char *at)
{
    if (at == NULL) {
        return kin__value_missing(KIN_ERR_NOT_FOUND);
    }
    around.at = at;
    return around;
}

/* The object's own value is all of its bytes, and need not be walked. */
static kin_str text_of(kin_value value)
{
    return is_root(value) ? kin__object_bytes(value.owner) : kin__json_text(cursor_of(value));
}

static bool is_root(kin_value value)
{
    return value.at == kin__object_bytes(value.owner).data;
}

/* Where the value of the last top-level field of that name begins, or NULL. */
static const char *find_top(const kin_object *object, kin_str name)
{
    const char *base = (const char *) object;
    const char *end = base + kin__object_bytes_end(object);
    const uint32_t *places = (const uint32_t *) (const void *) (base + object->places);

    for (size_t i = 0; i < object->place_count; i++) {
        __builtin_prefetch(base + places[i]);
    }
    for (size_t i = object->place_count; i > 0; i--) {
        const char *first = base + places[i - 1] + 1;
        if ((size_t) (end - first) > name.len && first[name.len] == '"' &&
            kin__str_equal(kin__str(first, name.len), name)) {
            /* A name with a quote in it may have matched more than one token. */
            bool is_name = name.len == 0 || memchr(name.data, '"', name.len) == NULL;
            fetch(first, i < object->place_count ? base + places[i] : end);
            return is_name ? skip_to_value(first + name.len + 1, end) : NULL;
        }
    }
    return NULL;
}

/* Asks for the bytes of a field before they are walked: in an object that has not been read for a
 * while each of its cache lines would be waited for in turn.  Beyond a few kilobytes the processor
 * has understood by itself. */
static void fetch(const char *from, const char *to)
{
    const ptrdiff_t most = 3072;

    to = to - from > most ? from + most : to;
    for (; from < to; from += 64) {
        __builtin_prefetch(from);
    }
}

/* From just after a member's name. */
static const char *skip_to_value(const char *at, const char *end)
{
    while (at != end && (is_space(*at) || *at == ':')) {
        at++;
    }
    return at;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
