/* SPDX-License-Identifier: Apache-2.0 */
/*
 * equal.c - whether two values say the same.
 *
 * Two objects are compared in two steps: first it is settled which member of the one belongs to
 * which of the other, by looking at names alone; then each of these pairs is compared once.  A
 * value is therefore never compared with two others, and no arrangement of members can make the
 * comparison take more than sorting them does.
 *
 * Mostly the names are the same in the same order, none twice, and nothing has to be kept.  All
 * others are put into tables, sorted by name.
 *
 * Each level walks over all that is inside it.  That is quick while levels are few; below the
 * sixteenth, which hardly any object has, both sides are made into trees and compared as those, so
 * that the depth does not multiply the size.
 */
#include "kin/value.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/sort.h"
#include "base/str.h"
#include "json/cursor.h"
#include "json/number.h"
#include "json/tree.h"
#include "object/encoding.h"

/* Up to so many names are searched for one that is there twice, each in all before it. */
#define FEW_NAMES 32

/* Containers inside each other that are walked where they are. */
#define LEVELS 16

typedef struct member {
    kin_str name;
    size_t order; /* in the object */
    kin_value value;
} member;

/* The members of an object by name, each name once.  One allocation, names with escapes
 * included. */
typedef struct table {
    member *members; /* owned; NULL: there is no table */
    size_t count;
} table;

/* Two containers whose contents are compared: by tables, or in the order they are written. */
typedef struct level {
    table table_a;
    table table_b;
    size_t next; /* in both tables */
    kin_iter iter_a;
    kin_iter iter_b;
} level;

typedef struct comparison {
    size_t depth; /* levels in use */
    level levels[LEVELS];
} comparison;

static kin_err compare(comparison *c, kin_value a, kin_value b, bool *out);
static kin_err compare_scalars(kin_type type, kin_value a, kin_value b, bool *out);
static kin_err compare_strings(kin_value a, kin_value b, bool *out);
static bool are_numbers_equal(kin_value a, kin_value b);
static kin_err compare_trees(kin_value a, kin_value b, bool *out);
static kin_err enter(comparison *c, kin_value a, kin_value b);
static bool next_pair(level *l, kin_value *out_a, kin_value *out_b, bool *out_equal);
static void leave(comparison *c);
static bool have_same_names(kin_value a, kin_value b);
static bool is_among(const kin_str *names, size_t count, kin_str name);
static kin_err table_init(table *t, kin_value object);
static void measure(kin_value object, size_t *out_count, size_t *out_scratch);
static kin_err fill(table *t, kin_value object, size_t scratch_size);
static int compare_members(const void *context, const void *a, const void *b);

kin_err kin_value_equal(kin_value a, kin_value b, bool *out)
{
    comparison c;
    bool is_equal = false;

    c.depth = 0;
    kin_err code = compare(&c, a, b, &is_equal);
    while (code == KIN_OK && is_equal && c.depth > 0) {
        kin_value next_a;
        kin_value next_b;
        if (next_pair(&c.levels[c.depth - 1], &next_a, &next_b, &is_equal)) {
            code = compare(&c, next_a, next_b, &is_equal);
        } else {
            leave(&c);
        }
    }
    while (c.depth > 0) {
        leave(&c);
    }
    if (code == KIN_OK) {
        *out = is_equal;
    }
    return code;
}

/* False in `out`: they differ.  True: they do not, unless what is in them does; then there is one
 * more level. */
static kin_err compare(comparison *c, kin_value a, kin_value b, bool *out)
{
    kin_type type = kin_value_type(a);

    *out = type == kin_value_type(b);
    if (!*out || type == KIN_TYPE_MISSING || type == KIN_TYPE_NULL ||
        (kin__encoding_of(a) == kin__encoding_of(b) && kin__encoding_of(a)->is_same_text(a, b))) {
        return KIN_OK;
    }
    if (type != KIN_TYPE_ARRAY && type != KIN_TYPE_OBJECT) {
        return compare_scalars(type, a, b, out);
    }
    return c->depth < LEVELS ? enter(c, a, b) : compare_trees(a, b, out);
}

static kin_err compare_scalars(kin_type type, kin_value a, kin_value b, bool *out)
{
    if (type == KIN_TYPE_STRING) {
        return compare_strings(a, b, out);
    }
    *out = type == KIN_TYPE_NUMBER
               ? are_numbers_equal(a, b)
               : kin__encoding_of(a)->boolean(a) == kin__encoding_of(b)->boolean(b);
    return KIN_OK;
}

static bool are_numbers_equal(kin_value a, kin_value b)
{
    char scratch_a[KIN__NUMBER_TEXT];
    char scratch_b[KIN__NUMBER_TEXT];

    return kin__json_numbers_equal(kin__value_number_text(a, scratch_a),
                                   kin__value_number_text(b, scratch_b));
}

static kin_err compare_strings(kin_value a, kin_value b, bool *out)
{
    AUTO(kin__buf_fini) kin__buf scratch = { 0 };
    size_t size_a = kin_value_scratch_size(a);
    size_t size_b = kin_value_scratch_size(b);
    kin_str text_a;
    kin_str text_b;

    if (!kin__buf_reserve(&scratch, size_a + size_b)) {
        return KIN_ERR_NO_MEMORY;
    }
    kin_err code = kin_value_str(a, scratch.data, size_a, &text_a);
    if (code == KIN_OK) {
        char *rest = size_b > 0 ? scratch.data + size_a : NULL;
        code = kin_value_str(b, rest, size_b, &text_b);
    }
    if (code == KIN_OK) {
        *out = kin__str_equal(text_a, text_b);
    }
    return code;
}

static kin_err tree_of(kin_value value, kin__node **out)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin_error unwanted;

    kin_err code = kin__encoding_of(value)->append_json(value, &text, &unwanted);
    if (code != KIN_OK) {
        return code;
    }
    return kin__node_from_json(kin__json_of(kin__str(text.data, text.len)), out, &unwanted);
}

static kin_err compare_trees(kin_value a, kin_value b, bool *out)
{
    AUTO(kin__node_free) kin__node *tree_a = NULL;
    AUTO(kin__node_free) kin__node *tree_b = NULL;

    kin_err code = tree_of(a, &tree_a);
    if (code == KIN_OK) {
        code = tree_of(b, &tree_b);
    }
    if (code == KIN_OK) {
        *out = kin__node_equal(tree_a, tree_b);
    }
    return code;
}

static kin_err enter(comparison *c, kin_value a, kin_value b)
{
    level *l = &c->levels[c->depth++];
    l->table_a.members = NULL;
    l->table_b.members = NULL;
    l->next = 0;
    if (kin_value_type(a) == KIN_TYPE_OBJECT && !have_same_names(a, b)) {
        kin_err code = table_init(&l->table_a, a);
        return code != KIN_OK ? code : table_init(&l->table_b, b);
    }
    l->iter_a = kin_value_iter(a);
    l->iter_b = kin_value_iter(b);
    return KIN_OK;
}

/* The next two values that belong to each other.  False when there are none: then `out_equal` tells
 * whether that is so for both. */
static bool next_pair(level *l, kin_value *out_a, kin_value *out_b, bool *out_equal)
{
    if (l->table_a.members == NULL) {
        bool has_a = kin_iter_next(&l->iter_a);
        bool has_b = kin_iter_next(&l->iter_b);
        *out_a = l->iter_a.value;
        *out_b = l->iter_b.value;
        *out_equal = has_a == has_b;
        return has_a && has_b;
    }
    *out_equal = l->table_a.count == l->table_b.count;
    if (!*out_equal || l->next == l->table_a.count) {
        return false;
    }
    const member *a = &l->table_a.members[l->next];
    const member *b = &l->table_b.members[l->next];
    l->next++;
    *out_a = a->value;
    *out_b = b->value;
    *out_equal = kin__str_equal(a->name, b->name);
    return *out_equal;
}

static void leave(comparison *c)
{
    level *l = &c->levels[--c->depth];

    kin__free(l->table_a.members);
    kin__free(l->table_b.members);
}

/* True only when both objects have the same names in the same order, without escapes, and it is
 * sure that none is there twice. */
static bool have_same_names(kin_value a, kin_value b)
{
    kin_iter iter_a = kin_value_iter(a);
    kin_iter iter_b = kin_value_iter(b);
    kin_str names[FEW_NAMES];
    kin_str last = { NULL, 0 };
    bool is_rising = true;

    for (size_t count = 0;; count++) {
        kin_str name;
        kin_str other;
        bool has_a = kin_iter_next(&iter_a);
        if (kin_iter_next(&iter_b) != has_a) {
            return false;
        }
        if (!has_a) {
            return true;
        }
        if (kin_value_str(iter_a.key, NULL, 0, &name) != KIN_OK ||
            kin_value_str(iter_b.key, NULL, 0, &other) != KIN_OK || !kin__str_equal(name, other)) {
            return false;
        }
        is_rising = is_rising && (count == 0 || kin__str_compare(last, name) < 0);
        if (!is_rising && (count >= FEW_NAMES || is_among(names, count, name))) {
            return false;
        }
        if (count < FEW_NAMES) {
            names[count] = name;
        }
        last = name;
    }
}

static bool is_among(const kin_str *names, size_t count, kin_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (kin__str_equal(names[i], name)) {
            return true;
        }
    }
    return false;
}

static kin_err table_init(table *t, kin_value object)
{
    size_t count;
    size_t scratch_size;
    size_t bytes;

    measure(object, &count, &scratch_size);
    if (__builtin_mul_overflow(count, sizeof *t->members, &bytes) ||
        __builtin_add_overflow(bytes, scratch_size, &bytes)) {
        return KIN_ERR_NO_MEMORY;
    }
    t->members = kin__alloc(bytes);
    if (t->members == NULL) {
        return KIN_ERR_NO_MEMORY;
    }
    t->count = count;
    kin_err code = fill(t, object, scratch_size);
    if (code != KIN_OK) {
        return code;
    }
    kin__sort(t->members, count, sizeof *t->members, compare_members, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 == count || !kin__str_equal(t->members[i].name, t->members[i + 1].name)) {
            t->members[kept++] = t->members[i];
        }
    }
    t->count = kept;
    return KIN_OK;
}

static void measure(kin_value object, size_t *out_count, size_t *out_scratch)
{
    kin_iter iter = kin_value_iter(object);

    *out_count = 0;
    *out_scratch = 0;
    while (kin_iter_next(&iter)) {
        *out_count += 1;
        *out_scratch += kin_value_scratch_size(iter.key);
    }
}

static kin_err fill(table *t, kin_value object, size_t scratch_size)
{
    kin_iter iter = kin_value_iter(object);
    char *scratch = (char *) (t->members + t->count);

    for (size_t i = 0; kin_iter_next(&iter); i++) {
        member *m = &t->members[i];
        kin_err code = kin_value_str(iter.key, scratch, scratch_size, &m->name);
        if (code != KIN_OK) {
            return code;
        }
        if (m->name.data == scratch) {
            scratch += m->name.len;
            scratch_size -= m->name.len;
        }
        m->order = i;
        m->value = iter.value;
    }
    return KIN_OK;
}

static int compare_members(const void *context, const void *a, const void *b)
{
    const member *left = a;
    const member *right = b;
    int order = kin__str_compare(left->name, right->name);

    (void) context;
    return order != 0 ? order : (left->order > right->order) - (left->order < right->order);
}
