/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - a JSON document that can be changed.
 *
 * A scalar is one block, with its text at the end.  An array owns a growing table of its
 * elements, an object its members (json/members.h).
 *
 * Reading is one pass over the bytes, not a walk with the cursor, which would pass over each byte
 * once for every container around it.
 */
#include "json/tree.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/str.h"
#include "json/members.h"
#include "json/number.h"
#include "json/scanner.h"
#include "json/string.h"

struct kin__node {
    kin_type type;
};

typedef struct scalar {
    kin__node node;
    size_t len;
    char text[]; /* a string decoded, anything else as it is written; not terminated */
} scalar;

typedef struct array {
    kin__node node;
    kin__node **elements; /* owned */
    size_t count;
    size_t capacity;
} array;

typedef struct object {
    kin__node node;
    kin__members members; /* their values are owned */
} object;

/* The bytes that are not read yet. */
typedef struct reader {
    const char *at;
    const char *end;
    kin__buf name; /* the last one that had escapes */
} reader;

static void reader_fini(reader *r);
KIN__DEFINE_AUTO_FINI(reader, reader_fini)
static kin_err read_value(reader *r, size_t depth, kin__node **out, kin_error *err);
static kin_err read_array(reader *r, size_t depth, kin__node **out, kin_error *err);
static kin_err read_object(reader *r, size_t depth, kin__node **out, kin_error *err);
static kin_err read_member(reader *r, size_t depth, kin__node *parent, kin_error *err);
static kin_err read_scalar(reader *r, kin_type type, kin__node **out, kin_error *err);
static bool read_name(reader *r, kin_str *out_raw);
static kin_err decode_name(reader *r, kin_str raw, kin_str *out, kin_error *err);
static bool skip_to(reader *r, char *out);
static kin_err malformed(kin_error *err);

static kin_err scalar_new(kin_type type, kin_str text, kin__node **out, kin_error *err);
static bool reserve_element(array *a);
static bool equal_arrays(const array *a, const array *b);
static bool equal_objects(const object *a, const object *b);

kin_err kin__node_from_json(kin__json value, kin__node **out, kin_error *err)
{
    AUTO(reader_fini) reader r = { .at = value.at, .end = value.end };
    if (value.at == NULL) {
        return malformed(err);
    }
    return read_value(&r, 0, out, err);
}

kin_err kin__node_string(kin_str text, kin__node **out, kin_error *err)
{
    return scalar_new(KIN_TYPE_STRING, text, out, err);
}

kin_err kin__node_number(kin_str raw, kin__node **out, kin_error *err)
{
    return scalar_new(KIN_TYPE_NUMBER, raw, out, err);
}

kin_err kin__node_bool(bool value, kin__node **out, kin_error *err)
{
    return scalar_new(KIN_TYPE_BOOL, value ? STR("true") : STR("false"), out, err);
}

kin_err kin__node_container(kin_type type, kin__node **out, kin_error *err)
{
    assert(type == KIN_TYPE_ARRAY || type == KIN_TYPE_OBJECT);
    kin__node *made = kin__alloc_zero(1, type == KIN_TYPE_ARRAY ? sizeof(array) : sizeof(object));
    if (made == NULL) {
        return kin__error_no_memory(err);
    }
    made->type = type;
    *out = made;
    return KIN_OK;
}

void kin__node_free(kin__node *node)
{
    if (node == NULL) {
        return;
    }
    kin__node_iter iter = { 0 };
    while (kin__node_next(node, &iter)) {
        kin__node_free(iter.value);
    }
    if (node->type == KIN_TYPE_ARRAY) {
        kin__free(((array *) node)->elements);
    } else if (node->type == KIN_TYPE_OBJECT) {
        kin__members_fini(&((object *) node)->members);
    }
    kin__free(node);
}

kin_type kin__node_type(const kin__node *node)
{
    return node->type;
}

kin_str kin__node_text(const kin__node *node)
{
    if (node->type == KIN_TYPE_ARRAY || node->type == KIN_TYPE_OBJECT) {
        return STR("");
    }
    const scalar *s = (const scalar *) node;
    return kin__str(s->text, s->len);
}

size_t kin__node_count(const kin__node *node)
{
    switch (node->type) {
    case KIN_TYPE_ARRAY:
        return ((const array *) node)->count;
    case KIN_TYPE_OBJECT:
        return ((const object *) node)->members.count;
    default:
        return 0;
    }
}

size_t kin__node_depth(const kin__node *node)
{
    kin__node_iter iter = { 0 };
    size_t deepest = 0;

    while (kin__node_next(node, &iter)) {
        size_t depth = kin__node_depth(iter.value);
        deepest = depth > deepest ? depth : deepest;
    }
    bool is_container = node->type == KIN_TYPE_ARRAY || node->type == KIN_TYPE_OBJECT;
    return is_container ? deepest + 1 : 0;
}

kin__node *kin__node_member(const kin__node *node, kin_str name)
{
    if (node->type != KIN_TYPE_OBJECT) {
        return NULL;
    }
    return kin__members_get(&((const object *) node)->members, name);
}

kin__node *kin__node_element(const kin__node *node, size_t index)
{
    return index < kin__node_count(node) && node->type == KIN_TYPE_ARRAY
               ? ((const array *) node)->elements[index]
               : NULL;
}

bool kin__node_next(const kin__node *node, kin__node_iter *iter)
{
    void *value = NULL;

    if (node->type == KIN_TYPE_ARRAY) {
        value = kin__node_element(node, iter->next);
        iter->next += value != NULL;
    } else if (node->type == KIN_TYPE_OBJECT) {
        const object *o = (const object *) node;
        (void) kin__members_next(&o->members, &iter->next, &iter->name, &value);
    }
    iter->value = value;
    return value != NULL;
}

kin_err kin__node_set_member(kin__node *node, kin_str name, kin__node *child, kin_error *err)
{
    void *before = NULL;

    assert(node->type == KIN_TYPE_OBJECT);
    if (!kin__members_put(&((object *) node)->members, name, child, &before)) {
        return kin__error_no_memory(err);
    }
    kin__node_free(before);
    return KIN_OK;
}

void kin__node_set_element(kin__node *node, size_t index, kin__node *child)
{
    array *a = (array *) node;

    assert(node->type == KIN_TYPE_ARRAY && index < a->count);
    kin__node_free(a->elements[index]);
    a->elements[index] = child;
}

kin_err kin__node_append(kin__node *node, kin__node *child, kin_error *err)
{
    array *a = (array *) node;

    assert(node->type == KIN_TYPE_ARRAY);
    if (!reserve_element(a)) {
        return kin__error_no_memory(err);
    }
    a->elements[a->count++] = child;
    return KIN_OK;
}

kin_err kin__node_insert(kin__node *node, size_t index, kin__node *child, kin_error *err)
{
    array *a = (array *) node;

    assert(node->type == KIN_TYPE_ARRAY && index <= a->count);
    if (!reserve_element(a)) {
        return kin__error_no_memory(err);
    }
    kin__node **place = &a->elements[index];
    memmove(place + 1, place, (a->count - index) * sizeof *place);
    *place = child;
    a->count++;
    return KIN_OK;
}

kin__node *kin__node_swap_member(kin__node *node, kin_str name, kin__node *child)
{
    object *o = (object *) node;
    void *before = NULL;

    assert(node->type == KIN_TYPE_OBJECT);
    if (kin__members_get(&o->members, name) == NULL ||
        !kin__members_put(&o->members, name, child, &before)) {
        return NULL;
    }
    return before;
}

kin__node *kin__node_take_member(kin__node *node, kin_str name)
{
    assert(node->type == KIN_TYPE_OBJECT);
    return kin__members_take(&((object *) node)->members, name);
}

kin__node *kin__node_take_element(kin__node *node, size_t index)
{
    array *a = (array *) node;

    assert(node->type == KIN_TYPE_ARRAY);
    if (index >= a->count) {
        return NULL;
    }
    kin__node **gone = &a->elements[index];
    kin__node *taken = *gone;
    a->count--;
    memmove(gone, gone + 1, (a->count - index) * sizeof *gone);
    return taken;
}

void kin__node_remove_member(kin__node *node, kin_str name)
{
    kin__node_free(kin__node_take_member(node, name));
}

void kin__node_remove_element(kin__node *node, size_t index)
{
    kin__node_free(kin__node_take_element(node, index));
}

bool kin__node_equal(const kin__node *a, const kin__node *b)
{
    if (a->type != b->type) {
        return false;
    }
    switch (a->type) {
    case KIN_TYPE_ARRAY:
        return equal_arrays((const array *) a, (const array *) b);
    case KIN_TYPE_OBJECT:
        return equal_objects((const object *) a, (const object *) b);
    case KIN_TYPE_NUMBER:
        return kin__json_numbers_equal(kin__node_text(a), kin__node_text(b));
    default:
        return kin__str_equal(kin__node_text(a), kin__node_text(b));
    }
}

bool kin__node_append_json(const kin__node *node, kin__buf *buf)
{
    kin__json_writer w = { buf, false };
    kin__node_write(node, &w);
    return !kin__buf_failed(buf);
}

void kin__node_write(const kin__node *node, kin__json_writer *w)
{
    kin__node_iter iter = { 0 };
    bool is_object = node->type == KIN_TYPE_OBJECT;

    if (node->type == KIN_TYPE_STRING) {
        kin__json_string(w, kin__node_text(node));
        return;
    }
    if (!is_object && node->type != KIN_TYPE_ARRAY) {
        kin__json_raw(w, kin__node_text(node));
        return;
    }
    kin__json_begin(w, is_object ? '{' : '[');
    while (kin__node_next(node, &iter)) {
        if (is_object) {
            kin__json_key(w, iter.name);
        }
        kin__node_write(iter.value, w);
    }
    kin__json_end(w, is_object ? '}' : ']');
}

static void reader_fini(reader *r)
{
    kin__buf_fini(&r->name);
}

/* `depth` is the number of containers around the value. */
static kin_err read_value(reader *r, size_t depth, kin__node **out, kin_error *err)
{
    char first;
    if (!skip_to(r, &first)) {
        return malformed(err);
    }
    if (first != '[' && first != '{') {
        return read_scalar(r, kin__json_type((kin__json){ r->at, r->end }), out, err);
    }
    if (depth >= KIN__JSON_DEPTH_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "nested deeper than %d", KIN__JSON_DEPTH_MAX);
    }
    r->at++;
    return first == '[' ? read_array(r, depth + 1, out, err) : read_object(r, depth + 1, out, err);
}

static kin_err read_array(reader *r, size_t depth, kin__node **out, kin_error *err)
{
    AUTO(kin__node_free) kin__node *made = NULL;
    char next;

    if (kin__node_container(KIN_TYPE_ARRAY, &made, err) != KIN_OK) {
        return err->code;
    }
    while (skip_to(r, &next) && next != ']') {
        AUTO(kin__node_free) kin__node *element = NULL;
        r->at += next == ',';
        if (read_value(r, depth, &element, err) != KIN_OK ||
            kin__node_append(made, element, err) != KIN_OK) {
            return err->code;
        }
        element = NULL;
    }
    if (r->at >= r->end) {
        return malformed(err);
    }
    r->at++;
    *out = STEAL(made);
    return KIN_OK;
}

static kin_err read_object(reader *r, size_t depth, kin__node **out, kin_error *err)
{
    AUTO(kin__node_free) kin__node *made = NULL;
    char next;

    if (kin__node_container(KIN_TYPE_OBJECT, &made, err) != KIN_OK) {
        return err->code;
    }
    while (skip_to(r, &next) && next != '}') {
        r->at += next == ',';
        if (read_member(r, depth, made, err) != KIN_OK) {
            return err->code;
        }
    }
    if (r->at >= r->end) {
        return malformed(err);
    }
    r->at++;
    *out = STEAL(made);
    return KIN_OK;
}

static kin_err read_member(reader *r, size_t depth, kin__node *parent, kin_error *err)
{
    AUTO(kin__node_free) kin__node *value = NULL;
    kin_str raw;
    kin_str name;

    if (!read_name(r, &raw)) {
        return malformed(err);
    }
    /* The name is decoded after the value is read: members inside it use the same buffer. */
    if (read_value(r, depth, &value, err) != KIN_OK || decode_name(r, raw, &name, err) != KIN_OK ||
        kin__node_set_member(parent, name, value, err) != KIN_OK) {
        return err->code;
    }
    value = NULL;
    return KIN_OK;
}

static kin_err read_scalar(reader *r, kin_type type, kin__node **out, kin_error *err)
{
    kin__json value = { r->at, r->end };
    const char *after = kin__json_skip(value);
    bool is_string = type == KIN_TYPE_STRING;

    if (type == KIN_TYPE_MISSING || after <= r->at) {
        return malformed(err);
    }
    r->at = after;
    kin_str text = is_string ? kin__json_raw_string(value) : kin__json_text(value);
    kin__node *made = NULL;
    if (scalar_new(type, text, &made, err) != KIN_OK) {
        return err->code;
    }
    if (is_string) {
        ((scalar *) made)->len = kin__json_decode(text, ((scalar *) made)->text);
    }
    *out = made;
    return KIN_OK;
}

/* The name and the colon after it. */
static bool read_name(reader *r, kin_str *out_raw)
{
    char next;
    if (!skip_to(r, &next) || next != '"') {
        return false;
    }
    kin__json value = { r->at, r->end };
    *out_raw = kin__json_raw_string(value);
    r->at = kin__json_skip(value);
    if (!skip_to(r, &next) || next != ':') {
        return false;
    }
    r->at++;
    return true;
}

/* `out` is good until the next call. */
static kin_err decode_name(reader *r, kin_str raw, kin_str *out, kin_error *err)
{
    if (!kin__json_has_escapes(raw)) {
        *out = raw;
        return KIN_OK;
    }
    kin__buf_clear(&r->name);
    if (!kin__buf_reserve(&r->name, raw.len)) {
        return kin__error_no_memory(err);
    }
    *out = kin__str(r->name.data, kin__json_decode(raw, r->name.data));
    return KIN_OK;
}

/* Passes over white space; false at the end. */
static bool skip_to(reader *r, char *out)
{
    while (r->at < r->end &&
           (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')) {
        r->at++;
    }
    if (r->at >= r->end) {
        return false;
    }
    *out = *r->at;
    return true;
}

static kin_err malformed(kin_error *err)
{
    return kin__error_set(err, KIN_ERR_MALFORMED, "not a JSON document");
}

static kin_err scalar_new(kin_type type, kin_str text, kin__node **out, kin_error *err)
{
    size_t bytes;
    scalar *made = NULL;

    if (!__builtin_add_overflow(sizeof *made, text.len, &bytes)) {
        made = kin__alloc(bytes);
    }
    if (made == NULL) {
        return kin__error_no_memory(err);
    }
    made->node.type = type;
    made->len = text.len;
    if (text.len != 0) {
        memcpy(made->text, text.data, text.len);
    }
    *out = &made->node;
    return KIN_OK;
}

static bool reserve_element(array *a)
{
    if (a->count < a->capacity) {
        return true;
    }
    size_t capacity = a->capacity == 0 ? 4 : a->capacity * 2;
    size_t bytes;
    if (__builtin_mul_overflow(capacity, sizeof *a->elements, &bytes)) {
        return false;
    }
    kin__node **elements = kin__realloc(a->elements, bytes);
    if (elements == NULL) {
        return false;
    }
    a->elements = elements;
    a->capacity = capacity;
    return true;
}

static bool equal_arrays(const array *a, const array *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        if (!kin__node_equal(a->elements[i], b->elements[i])) {
            return false;
        }
    }
    return true;
}

static bool equal_objects(const object *a, const object *b)
{
    kin__node_iter iter = { 0 };

    if (a->members.count != b->members.count) {
        return false;
    }
    while (kin__node_next(&a->node, &iter)) {
        const kin__node *other = kin__members_get(&b->members, iter.name);
        if (other == NULL || !kin__node_equal(iter.value, other)) {
            return false;
        }
    }
    return true;
}
