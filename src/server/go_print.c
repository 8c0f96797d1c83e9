/* SPDX-License-Identifier: Apache-2.0 */
/*
 * go_print.c - a tree as Go's %v prints it.
 */
#include "server/go_print.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "json/number.h"

typedef struct entry {
    kin_str name;
    const kin__node *value;
} entry;

static void print_object(const kin__node *node, kin__buf *buf);
static void print_array(const kin__node *node, kin__buf *buf);
static void print_number(kin_str text, kin__buf *buf);
static int compare(const void *context, const void *a, const void *b);

void kin__go_print(const kin__node *node, kin__buf *buf)
{
    switch (kin__node_type(node)) {
    case KIN_TYPE_OBJECT:
        print_object(node, buf);
        break;
    case KIN_TYPE_ARRAY:
        print_array(node, buf);
        break;
    case KIN_TYPE_NUMBER:
        print_number(kin__node_text(node), buf);
        break;
    case KIN_TYPE_NULL:
        (void) kin__buf_append_str(buf, STR("<nil>"));
        break;
    default:
        (void) kin__buf_append_str(buf, kin__node_text(node));
        break;
    }
}

static void print_object(const kin__node *node, kin__buf *buf)
{
    size_t count = kin__node_count(node);
    kin__node_iter iter = { 0 };
    entry *entries = kin__alloc_zero(count + 1, sizeof *entries);

    if (entries == NULL) {
        buf->has_failed = true;
        return;
    }
    for (size_t i = 0; i < count && kin__node_next(node, &iter); i++) {
        entries[i] = (entry){ iter.name, iter.value };
    }
    kin__sort(entries, count, sizeof *entries, compare, NULL);
    (void) kin__buf_append_str(buf, STR("map["));
    for (size_t i = 0; i < count; i++) {
        (void) kin__buf_append_str(buf, i == 0 ? STR("") : STR(" "));
        (void) kin__buf_append_str(buf, entries[i].name);
        (void) kin__buf_append_byte(buf, ':');
        kin__go_print(entries[i].value, buf);
    }
    (void) kin__buf_append_byte(buf, ']');
    kin__free(entries);
}

static void print_array(const kin__node *node, kin__buf *buf)
{
    kin__node_iter iter = { 0 };
    bool is_first = true;

    (void) kin__buf_append_byte(buf, '[');
    while (kin__node_next(node, &iter)) {
        (void) kin__buf_append_str(buf, is_first ? STR("") : STR(" "));
        is_first = false;
        kin__go_print(iter.value, buf);
    }
    (void) kin__buf_append_byte(buf, ']');
}

/* Go has switched to an exponent where encoding/json has not yet: below a ten-thousandth. */
static void print_number(kin_str text, kin__buf *buf)
{
    int64_t whole;
    double real;

    if (kin__json_int64(text, &whole) == KIN_OK) {
        (void) kin__json_append_int64(buf, whole);
    } else if (kin__json_double(text, &real) == KIN_OK) {
        (void) kin__json_append_double(buf, real);
    } else {
        (void) kin__buf_append_str(buf, text);
    }
}

static int compare(const void *context, const void *a, const void *b)
{
    (void) context;
    return kin__str_compare(((const entry *) a)->name, ((const entry *) b)->name);
}
