/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_lists.c - lists of a custom resource that are sets or maps.
 *
 * What an element is known by is written as JSON; sorted, those that are the same stand together.
 */
#include "server/schema_lists.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "json/string.h"
#include "server/schema_place.h"

#define COMPARED 64 /* elements of a map: so that hostile lists take no time to speak of */

typedef struct listing {
    kin__schema_place at;
    kin__refusal *no;
} listing;

typedef struct entry {
    size_t begin, end; /* in the text */
    size_t index;
} entry;

static void check(listing *l, const kin__node *schema, const kin__node *node, const kin__node *old);
static void check_list(listing *l, const kin__node *schema, const kin__node *node);
static void tell_doubles(listing *l, entry *entries, size_t count, const kin__buf *text);
static void tell_double(listing *l, size_t index, kin_str value);
static bool is_list(const kin__node *schema, const char *type);
static void append_identity(const kin__node *schema, const kin__node *element, kin__buf *out);
static kin_str text_of(const entry *e, const kin__buf *text);
static int compare_texts(const void *context, const void *a, const void *b);
static int compare_places(const void *context, const void *a, const void *b);

void kin__schema_lists_check(const kin__node *schema, const kin__node *object, const kin__node *old,
                             kin__refusal *no)
{
    listing l = { .no = no };

    check(&l, schema, object, old);
    if (kin__buf_failed(&l.at.path)) {
        (void) kin__refuse_no_memory(no);
    }
    kin__buf_fini(&l.at.path);
}

const kin__node *kin__schema_counterpart(const kin__node *schema, const kin__node *element,
                                         const kin__node *old)
{
    const kin__node *keys = kin__field(schema, "x-kubernetes-list-map-keys");
    kin__node_iter others = { 0 };

    if (!is_list(schema, "map") || !kin__node_is(old, KIN_TYPE_ARRAY) || keys == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < COMPARED && kin__node_next(old, &others); i++) {
        kin__node_iter key = { 0 };
        bool is_same = true;
        while (is_same && kin__node_next(keys, &key)) {
            kin_str name = kin__node_text(key.value);
            const kin__node *a = kin__node_member(element, name);
            const kin__node *b = kin__node_member(others.value, name);
            is_same = a == NULL || b == NULL ? a == b : kin__node_equal(a, b);
        }
        if (is_same) {
            return others.value;
        }
    }
    return NULL;
}

static void check(listing *l, const kin__node *schema, const kin__node *node, const kin__node *old)
{
    const kin__node *items = kin__field(schema, "items");
    kin__node_iter iter = { 0 };

    if (old != NULL && kin__node_equal(node, old)) {
        return;
    }
    if (kin__node_is(node, KIN_TYPE_ARRAY)) {
        if (is_list(schema, "set") || is_list(schema, "map")) {
            check_list(l, schema, node);
        }
        for (size_t i = 0; items != NULL && kin__node_next(node, &iter); i++) {
            size_t len = kin__schema_enter_element(&l->at, i);
            check(l, items, iter.value, kin__schema_counterpart(schema, iter.value, old));
            kin__schema_leave(&l->at, len);
        }
    }
    while (kin__node_is(node, KIN_TYPE_OBJECT) && kin__node_next(node, &iter)) {
        bool is_known = false;
        const kin__node *below = kin__schema_member(schema, iter.name, &is_known);
        if (below != NULL) {
            size_t len = kin__schema_enter(&l->at, iter.name);
            check(l, below, iter.value, old == NULL ? NULL : kin__node_member(old, iter.name));
            kin__schema_leave(&l->at, len);
        }
    }
}

static void check_list(listing *l, const kin__node *schema, const kin__node *node)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    size_t count = kin__node_count(node);
    entry *entries = kin__alloc_zero(count + 1, sizeof *entries);
    kin__node_iter iter = { 0 };

    for (size_t i = 0; entries != NULL && kin__node_next(node, &iter); i++) {
        size_t begin = text.len;
        append_identity(schema, iter.value, &text);
        entries[i] = (entry){ begin, text.len, i };
    }
    if (entries == NULL || kin__buf_failed(&text)) {
        (void) kin__refuse_no_memory(l->no);
    } else {
        tell_doubles(l, entries, count, &text);
    }
    kin__free(entries);
}

/* Of each that is there several times the second one, in the order of the list. */
static void tell_doubles(listing *l, entry *entries, size_t count, const kin__buf *text)
{
    kin_str before = { 0 };
    size_t doubles = 0;

    kin__sort(entries, count, sizeof *entries, compare_texts, text);
    for (size_t i = 0, run = 0; i < count; i++) {
        kin_str own = text_of(&entries[i], text);
        run = run > 0 && kin__str_equal(own, before) ? run + 1 : 1;
        before = own;
        if (run == 2) {
            entries[doubles++] = entries[i]; /* what lies before `i` is not read again */
        }
    }
    kin__sort(entries, doubles, sizeof *entries, compare_places, NULL);
    for (size_t i = 0; i < doubles; i++) {
        tell_double(l, entries[i].index, text_of(&entries[i], text));
    }
}

static void tell_double(listing *l, size_t index, kin_str value)
{
    size_t len = kin__schema_enter_element(&l->at, index);

    if (!kin__buf_append_byte(&l->at.path, '\0')) {
        (void) kin__refuse_no_memory(l->no);
    } else {
        kin__refusal_add_invalid(l->no, "FieldValueDuplicate", l->at.path.data,
                                 "Duplicate value: %.*s", KIN_STR_ARG(value));
    }
    kin__schema_leave(&l->at, len);
}

static bool is_list(const kin__node *schema, const char *type)
{
    return kin__str_equal(kin__field_text(schema, "x-kubernetes-list-type"), kin_str_of(type));
}

/* A member of a set is known by itself, one of a map by its keys. */
static void append_identity(const kin__node *schema, const kin__node *element, kin__buf *out)
{
    const kin__node *keys = kin__field(schema, "x-kubernetes-list-map-keys");
    kin__node_iter iter = { 0 };
    bool is_first = true;

    if (keys == NULL || !is_list(schema, "map")) {
        (void) kin__node_append_json(element, out);
        return;
    }
    (void) kin__buf_append_byte(out, '{');
    while (kin__node_next(keys, &iter)) {
        const kin__node *value = kin__node_is(element, KIN_TYPE_OBJECT)
                                     ? kin__node_member(element, kin__node_text(iter.value))
                                     : NULL;
        if (value != NULL) {
            (void) kin__buf_append_str(out, is_first ? STR("") : STR(","));
            (void) kin__json_append_string(out, kin__node_text(iter.value));
            (void) kin__buf_append_byte(out, ':');
            (void) kin__node_append_json(value, out);
            is_first = false;
        }
    }
    (void) kin__buf_append_byte(out, '}');
}

static kin_str text_of(const entry *e, const kin__buf *text)
{
    return kin__str(text->data + e->begin, e->end - e->begin);
}

static int compare_texts(const void *context, const void *a, const void *b)
{
    int order = kin__str_compare(text_of(a, context), text_of(b, context));

    return order != 0 ? order : compare_places(NULL, a, b);
}

static int compare_places(const void *context, const void *a, const void *b)
{
    size_t left = ((const entry *) a)->index, right = ((const entry *) b)->index;

    (void) context;
    return left < right ? -1 : left > right;
}
