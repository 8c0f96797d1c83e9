/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_map.c - JSON objects as maps of a message, sorted by key.
 *
 * The entries are noted on the parser's stack, sorted by what their keys mean, and written.  Keys
 * with escapes are decoded beside them.
 */
#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "json/string.h"
#include "proto/parse_state.h"

static kin_err push_entries(kin__pb_parser *p, kin__json value);
static kin_err push_entry(kin__pb_parser *p, kin_str raw_key, kin__json value);
static kin_err write_entries(kin__pb_parser *p, const kin__pb_row *row, size_t first);
static kin_err write_entry(kin__pb_parser *p, const kin__pb_row *row, size_t index);
static int compare_entries(const void *context, const void *a, const void *b);
static kin_str key_of(const kin__pb_parser *p, const kin__pb_map_entry *entry);

kin_err kin__pb_parse_map(kin__pb_parser *p, const kin__pb_row *row, kin__json value)
{
    size_t first = p->entry_count;
    size_t keys_len = p->keys.len;

    if (kin__json_type(value) != KIN_TYPE_OBJECT) {
        return kin__pb_wrong_type(p, "an object", value);
    }
    kin_err code = push_entries(p, value);
    if (code == KIN_OK && p->entry_count > first) {
        kin__sort(p->entries + first, p->entry_count - first, sizeof *p->entries, compare_entries,
                  p);
        code = write_entries(p, row, first);
    }
    p->entry_count = first;
    p->keys.len = keys_len;
    return code;
}

static kin_err push_entries(kin__pb_parser *p, kin__json value)
{
    kin__json_iter iter = kin__json_walk(value);
    kin_err code = KIN_OK;

    while (code == KIN_OK && kin__json_next(&iter)) {
        code = push_entry(p, iter.key, iter.value);
    }
    return code;
}

static kin_err push_entry(kin__pb_parser *p, kin_str raw_key, kin__json value)
{
    kin__pb_map_entry entry = { .raw_key = raw_key, .value = value };

    if (p->entry_count == p->entry_capacity) {
        size_t capacity = p->entry_capacity * 2 + 16;
        kin__pb_map_entry *entries = kin__realloc(p->entries, capacity * sizeof *entries);
        if (entries == NULL) {
            return kin__error_no_memory(p->err);
        }
        p->entries = entries;
        p->entry_capacity = capacity;
    }
    if (kin__json_has_escapes(raw_key)) {
        if (!kin__buf_reserve(&p->keys, raw_key.len)) {
            return kin__error_no_memory(p->err);
        }
        entry.has_escapes = true;
        entry.key_at = p->keys.len;
        entry.key_len = kin__json_decode(raw_key, p->keys.data + p->keys.len);
        p->keys.len += entry.key_len;
    }
    p->entries[p->entry_count++] = entry;
    return KIN_OK;
}

static kin_err write_entries(kin__pb_parser *p, const kin__pb_row *row, size_t first)
{
    size_t end = p->entry_count;

    for (size_t i = first; i < end; i++) {
        const kin__pb_map_entry *entry = &p->entries[i];
        /* Of equal keys the last counts. */
        if (i + 1 < end && kin__str_equal(key_of(p, entry), key_of(p, entry + 1))) {
            continue;
        }
        kin__pb_place here = { .parent = p->place, .name = entry->raw_key };
        p->place = &here;
        kin_err code = write_entry(p, row, i);
        p->place = here.parent;
        if (code != KIN_OK) {
            return code;
        }
    }
    return KIN_OK;
}

/* By its index, because the value may have maps inside, and the stack move. */
static kin_err write_entry(kin__pb_parser *p, const kin__pb_row *row, size_t index)
{
    kin_err code = KIN_OK;

    kin__pb_put_tag(p, row->number, KIN__PB_LEN);
    size_t place = kin__pb_begin_length(p);
    kin__pb_put_tag(p, 1, KIN__PB_LEN);
    kin__pb_put_content(p, key_of(p, &p->entries[index]));
    kin__json value = p->entries[index].value;
    if (row->type != KIN__PB_BYTES || !kin__pb_is_null(value)) { /* Go has nil for those */
        code = kin__pb_parse_single(p, 2, row, value);
    }
    kin__pb_end_length(p, place);
    return code;
}

/* By key, and equal ones as they came: values lie in the order of their addresses. */
static int compare_entries(const void *context, const void *a, const void *b)
{
    const kin__pb_map_entry *entry_a = a;
    const kin__pb_map_entry *entry_b = b;
    int order = kin__str_compare(key_of(context, entry_a), key_of(context, entry_b));

    if (order != 0) {
        return order;
    }
    return entry_a->value.at < entry_b->value.at ? -1 : entry_a->value.at > entry_b->value.at;
}

static kin_str key_of(const kin__pb_parser *p, const kin__pb_map_entry *entry)
{
    return entry->has_escapes ? kin__str(p->keys.data + entry->key_at, entry->key_len)
                              : entry->raw_key;
}
