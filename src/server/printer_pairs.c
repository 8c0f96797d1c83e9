/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_pairs.c - names with texts, sorted.
 *
 * Go prints maps and sets in the order of their keys; the members of an object come in the order
 * in which they were written.
 */
#include <string.h>

#include "base/sort.h"
#include "server/printer.h"

typedef struct kin__pair {
    size_t name; /* where it begins, in the bytes; its text follows it */
    size_t name_len;
    size_t text_len;
} kin__pair;

static kin__pair *pair_at(const kin__pairs *pairs, size_t index);
static bool close_last(kin__pairs *pairs, size_t name);
static int compare_pairs(const void *context, const void *a, const void *b);
static size_t lower_bound(const kin__pairs *pairs, kin_str name, bool is_after);

void kin__pairs_fini(kin__pairs *pairs)
{
    kin__buf_fini(&pairs->bytes);
    kin__buf_fini(&pairs->places);
}

void kin__pairs_open(kin__pairs *pairs, kin_value name)
{
    size_t start = pairs->bytes.len;

    (void) kin__value_append(name, &pairs->bytes);
    pairs->has_failed |= !close_last(pairs, start);
}

void kin__pairs_open_str(kin__pairs *pairs, kin_str name)
{
    size_t start = pairs->bytes.len;

    (void) kin__buf_append_str(&pairs->bytes, name);
    pairs->has_failed |= !close_last(pairs, start);
}

void kin__pairs_close(kin__pairs *pairs)
{
    pairs->has_failed |= kin__buf_failed(&pairs->bytes);
    if (pairs->has_failed) {
        return;
    }
    kin__pair *last = pair_at(pairs, pairs->count - 1);
    last->text_len = pairs->bytes.len - last->name - last->name_len;
}

void kin__pairs_sort(kin__pairs *pairs)
{
    if (pairs->count > 1) {
        kin__sort(pairs->places.data, pairs->count, sizeof(kin__pair), compare_pairs, pairs);
    }
}

kin_str kin__pairs_name(const kin__pairs *pairs, size_t index)
{
    const kin__pair *pair = pair_at(pairs, index);

    return kin__str(pairs->bytes.data == NULL ? "" : pairs->bytes.data + pair->name,
                    pair->name_len);
}

kin_str kin__pairs_text(const kin__pairs *pairs, size_t index)
{
    const kin__pair *pair = pair_at(pairs, index);

    return kin__str(pairs->bytes.data == NULL ? ""
                                              : pairs->bytes.data + pair->name + pair->name_len,
                    pair->text_len);
}

bool kin__pairs_first(const kin__pairs *pairs, kin_str name, size_t *out)
{
    size_t index = lower_bound(pairs, name, false);

    if (index == pairs->count || !kin__str_equal(kin__pairs_name(pairs, index), name)) {
        return false;
    }
    *out = index;
    return true;
}

bool kin__pairs_last(const kin__pairs *pairs, kin_str name, size_t *out)
{
    size_t index = lower_bound(pairs, name, true);

    if (index == 0 || !kin__str_equal(kin__pairs_name(pairs, index - 1), name)) {
        return false;
    }
    *out = index - 1;
    return true;
}

void kin__cell_add_pairs(kin__printer *p, kin__pairs *pairs, kin_str between)
{
    bool is_first = true;

    p->has_failed |= pairs->has_failed;
    kin__pairs_sort(pairs);
    for (size_t i = 0; i < pairs->count; i++) {
        if (i + 1 < pairs->count &&
            kin__str_equal(kin__pairs_name(pairs, i), kin__pairs_name(pairs, i + 1))) {
            continue;
        }
        kin__cell_add(p, is_first ? STR("") : between);
        kin__cell_add(p, kin__pairs_text(pairs, i));
        is_first = false;
    }
}

static kin__pair *pair_at(const kin__pairs *pairs, size_t index)
{
    return (kin__pair *) (void *) pairs->places.data + index;
}

/* Notes a pair whose name is all that was appended from `name` on. */
static bool close_last(kin__pairs *pairs, size_t name)
{
    kin__pair pair = { .name = name, .name_len = pairs->bytes.len - name };

    if (kin__buf_failed(&pairs->bytes) ||
        !kin__buf_append(&pairs->places, (const char *) &pair, sizeof pair)) {
        return false;
    }
    pairs->count++;
    return true;
}

/* Their places tell the order in which they were added. */
static int compare_pairs(const void *context, const void *a, const void *b)
{
    const kin__pairs *pairs = context;
    const kin__pair *left = a;
    const kin__pair *right = b;

    if (pairs->bytes.data == NULL) {
        return 0;
    }
    int order = kin__str_compare(kin__str(pairs->bytes.data + left->name, left->name_len),
                                 kin__str(pairs->bytes.data + right->name, right->name_len));
    if (order != 0) {
        return order;
    }
    return left->name < right->name ? -1 : left->name > right->name;
}

/* The first pair whose name does not come before `name`, or that comes after it. */
static size_t lower_bound(const kin__pairs *pairs, kin_str name, bool is_after)
{
    size_t low = 0;
    size_t high = pairs->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = kin__str_compare(kin__pairs_name(pairs, middle), name);
        if (order < 0 || (order == 0 && is_after)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
