/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - the Kubernetes API types, looked up in tables.
 *
 * Names are pooled, each once: a name is looked for in the pool, by its hash, and then the rows are
 * compared by its offset.
 */
#include "proto/schema.h"

#include "base/str.h"
#include "proto/schema_tables.h"

static size_t find_version(kin_str api_version);
static kin_str text_at(uint16_t offset);
static const kin__pb_row *find_row(kin__pb_message message, uint16_t name, size_t depth,
                                   kin__pb_inlines *out);
static uint16_t find_name(kin_str name);
static uint32_t name_hash(kin_str name);

kin__pb_message kin__pb_message_of(kin_str api_version, kin_str kind)
{
    size_t version = find_version(api_version.len == 0 ? STR("v1") : api_version);

    if (version == kin__pb_table_version_count) {
        return KIN__PB_NO_MESSAGE;
    }
    size_t low = kin__pb_table_versions[version].first;
    size_t high = kin__pb_table_versions[version + 1].first;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = kin__str_compare(kind, text_at(kin__pb_table_kinds[middle].text));
        if (order == 0) {
            return kin__pb_table_kinds[middle].message;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return KIN__PB_NO_MESSAGE;
}

const kin__pb_row *kin__pb_row_named(kin__pb_message message, kin_str name, kin__pb_inlines *out)
{
    uint16_t offset = find_name(name);
    kin__pb_inlines inlines = { 0 };

    if (offset == 0) {
        return NULL;
    }
    const kin__pb_row *row = find_row(message, offset, 0, &inlines);
    if (row != NULL) {
        *out = inlines;
    }
    return row;
}

bool kin__pb_kind_at(size_t index, kin__pb_kind *out)
{
    size_t version = 0;

    while (version < kin__pb_table_version_count &&
           kin__pb_table_versions[version + 1].first <= index) {
        version++;
    }
    if (version == kin__pb_table_version_count) {
        return false;
    }
    kin_str text = text_at(kin__pb_table_versions[version].text);
    const char *slash = memchr(text.data, '/', text.len);
    size_t group_len = slash == NULL ? 0 : (size_t) (slash - text.data);
    size_t version_at = slash == NULL ? 0 : group_len + 1;
    *out = (kin__pb_kind){
        .group = kin__str(text.data, group_len),
        .version = kin__str(text.data + version_at, text.len - version_at),
        .kind = text_at(kin__pb_table_kinds[index].text),
        .message = kin__pb_table_kinds[index].message,
    };
    return true;
}

/* The count when there is none. */
static size_t find_version(kin_str api_version)
{
    size_t low = 0;
    size_t high = kin__pb_table_version_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = kin__str_compare(api_version, text_at(kin__pb_table_versions[middle].text));
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return kin__pb_table_version_count;
}

static kin_str text_at(uint16_t offset)
{
    const char *at = kin__pb_table_texts + offset;

    return kin__str(at + 1, (unsigned char) at[0]);
}

/* The message's own rows first: inline ones are few, and most messages have none. */
static const kin__pb_row *find_row(kin__pb_message message, uint16_t name, size_t depth,
                                   kin__pb_inlines *out)
{
    size_t count;
    const kin__pb_row *rows = kin__pb_rows(message, &count);
    unsigned all_flags = 0;

    for (size_t i = 0; i < count; i++) {
        if (rows[i].name == name) {
            out->count = depth;
            return &rows[i];
        }
        all_flags |= rows[i].flags;
    }
    if ((all_flags & KIN__PB_INLINE) == 0 || depth == KIN__PB_INLINE_MAX) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if ((rows[i].flags & KIN__PB_INLINE) != 0) {
            out->rows[depth] = &rows[i];
            const kin__pb_row *found = find_row(rows[i].message, name, depth + 1, out);
            if (found != NULL) {
                return found;
            }
        }
    }
    return NULL;
}

/* Its offset in the pool of names, 0 when no row has it. */
static uint16_t find_name(kin_str name)
{
    if (name.len > UINT8_MAX) {
        return 0;
    }
    uint32_t slot = name_hash(name) & kin__pb_table_name_mask;
    while (kin__pb_table_name_slots[slot] != 0) {
        const char *at = kin__pb_table_names + kin__pb_table_name_slots[slot];
        if (kin__str_equal(name, kin__str(at + 3, (unsigned char) at[0]))) {
            return kin__pb_table_name_slots[slot];
        }
        slot = (slot + 1) & kin__pb_table_name_mask;
    }
    return 0;
}

/* FNV-1a, folded; name_hash() of tools/schema/tables.py is the same. */
static uint32_t name_hash(kin_str name)
{
    uint32_t value = 2166136261u;

    for (size_t i = 0; i < name.len; i++) {
        value = (value ^ (unsigned char) name.data[i]) * 16777619u;
    }
    return value ^ value >> 15;
}
