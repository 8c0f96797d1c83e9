/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_sorted.c - a tree as Go writes a map: members sorted by name.
 *
 * The members of all objects that are being written lie on one stack.
 */
#include "server/codec_sorted.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "json/number.h"
#include "json/string.h"

typedef struct entry {
    kin_str name;
    const kin__node *value;
} entry;

typedef struct writer {
    kin__buf *buf;
    kin_error *err;
    entry *entries; /* owned */
    size_t count;
    size_t capacity;
} writer;

static kin_err write_value(writer *w, const kin__node *node);
static kin_err write_object(writer *w, const kin__node *node);
static kin_err write_array(writer *w, const kin__node *node);
static kin_err write_number(writer *w, kin_str text);
static bool is_integer(kin_str text, int64_t *out);
static bool push(writer *w, entry e);
static int compare(const void *context, const void *a, const void *b);

kin_err kin__codec_sorted(const kin__node *tree, kin__buf *buf, kin_error *err)
{
    writer w = { .buf = buf, .err = err };
    size_t len = buf->len;

    kin_err code = write_value(&w, tree);
    kin__free(w.entries);
    if (code == KIN_OK && kin__buf_failed(buf)) {
        code = kin__error_no_memory(err);
    }
    if (code != KIN_OK) {
        buf->len = len;
    }
    return code;
}

static kin_err write_value(writer *w, const kin__node *node)
{
    switch (kin__node_type(node)) {
    case KIN_TYPE_OBJECT:
        return write_object(w, node);
    case KIN_TYPE_ARRAY:
        return write_array(w, node);
    case KIN_TYPE_NUMBER:
        return write_number(w, kin__node_text(node));
    case KIN_TYPE_STRING:
        (void) kin__json_append_string(w->buf, kin__node_text(node));
        return KIN_OK;
    default:
        (void) kin__buf_append_str(w->buf, kin__node_text(node));
        return KIN_OK;
    }
}

static kin_err write_object(writer *w, const kin__node *node)
{
    size_t first = w->count;
    kin__node_iter iter = { 0 };
    kin_err code = KIN_OK;

    while (kin__node_next(node, &iter)) {
        if (!push(w, (entry){ iter.name, iter.value })) {
            return kin__error_no_memory(w->err);
        }
    }
    size_t last = w->count;
    if (last - first > 1) {
        kin__sort(w->entries + first, last - first, sizeof *w->entries, compare, NULL);
    }
    (void) kin__buf_append_byte(w->buf, '{');
    for (size_t i = first; i < last && code == KIN_OK; i++) {
        (void) kin__buf_append_str(w->buf, i == first ? STR("") : STR(","));
        (void) kin__json_append_string(w->buf, w->entries[i].name);
        (void) kin__buf_append_byte(w->buf, ':');
        code = write_value(w, w->entries[i].value);
    }
    (void) kin__buf_append_byte(w->buf, '}');
    w->count = first;
    return code;
}

static kin_err write_array(writer *w, const kin__node *node)
{
    kin__node_iter iter = { 0 };
    kin_err code = KIN_OK;
    bool is_first = true;

    (void) kin__buf_append_byte(w->buf, '[');
    while (code == KIN_OK && kin__node_next(node, &iter)) {
        (void) kin__buf_append_str(w->buf, is_first ? STR("") : STR(","));
        is_first = false;
        code = write_value(w, iter.value);
    }
    (void) kin__buf_append_byte(w->buf, ']');
    return code;
}

static kin_err write_number(writer *w, kin_str text)
{
    int64_t whole;
    double real;

    if (is_integer(text, &whole)) {
        (void) kin__json_append_int64(w->buf, whole);
        return KIN_OK;
    }
    if (kin__json_double(text, &real) != KIN_OK) {
        return kin__error_set(w->err, KIN_ERR_RANGE, "a number that does not fit 64 bits");
    }
    (void) kin__json_append_double(w->buf, real);
    return KIN_OK;
}

/* As Go's ParseInt() takes it: digits and a sign. */
static bool is_integer(kin_str text, int64_t *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '.' || text.data[i] == 'e' || text.data[i] == 'E') {
            return false;
        }
    }
    return kin__json_int64(text, out) == KIN_OK;
}

static bool push(writer *w, entry e)
{
    if (w->count == w->capacity) {
        size_t capacity = w->capacity == 0 ? 32 : w->capacity * 2;
        entry *entries = kin__realloc(w->entries, capacity * sizeof *entries);
        if (entries == NULL) {
            return false;
        }
        w->entries = entries;
        w->capacity = capacity;
    }
    w->entries[w->count++] = e;
    return true;
}

static int compare(const void *context, const void *a, const void *b)
{
    (void) context;
    return kin__str_compare(((const entry *) a)->name, ((const entry *) b)->name);
}
