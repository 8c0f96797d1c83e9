/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/schema.h - the Kubernetes API types, as tables.
 *
 * Which kinds there are, of which message each is, and of each message its fields in the order in
 * which the API server writes them as JSON.  The tables (schema_tables.c) are generated from the
 * published Go types of several releases by tools/schema and committed; fields and kinds that a
 * release removed stay, because numbers are never used again.  Under 120 KB in the binary.
 *
 * Threading: immutable.
 */
#ifndef KIN_PROTO_SCHEMA_H
#define KIN_PROTO_SCHEMA_H

#include "base/str.h"
#include "proto/schema_row.h"
#include "proto/schema_tables.h"

/* The message of a kind, KIN__PB_NO_MESSAGE when the tables do not know it.  `api_version` is "v1"
 * or "group/version"; an empty one is taken for "v1", because the discovery of the core group
 * leaves it empty. */
kin__pb_message kin__pb_message_of(kin_str api_version, kin_str kind);

static inline kin__pb_special kin__pb_special_of(kin__pb_message message);

/* Its rows, in the order of JSON. */
static inline const kin__pb_row *kin__pb_rows(kin__pb_message message, size_t *out_count);

/* The row with that number, NULL when the tables do not know it.  Constant time. */
static inline const kin__pb_row *kin__pb_row_of(kin__pb_message message, uint32_t number);

/* The inline rows between a message and one of its JSON members, outermost first.  None is a
 * pointer, a list or a map: each is a by-value message, on the wire under its own number. */
#define KIN__PB_INLINE_MAX 2

typedef struct kin__pb_inlines {
    size_t count; /* 0: the member is a row of the message itself */
    const kin__pb_row *rows[KIN__PB_INLINE_MAX];
} kin__pb_inlines;

/* The row whose JSON member has that name, NULL when there is none; then `out` is as it was.  For
 * "configMap" of Volume, `out` holds the row of number 2, inline, and the result is a row of
 * VolumeSource: the path on the wire is 2.19.  A name is met once at most, inline messages
 * included.  "kind" and "apiVersion" of a KIN__PB_TYPEMETA row are not found, because they are not
 * on the wire; nor are the rows of messages that are special. */
const kin__pb_row *kin__pb_row_named(kin__pb_message message, kin_str name, kin__pb_inlines *out);

/* The name of its JSON member; empty for rows that have none (inline, TypeMeta, those of special
 * messages). */
static inline kin_str kin__pb_row_name(const kin__pb_row *row);

/* The same as it is written after another member: ,"name": with the comma, which the first member
 * of an object leaves out.  Names need no escapes. */
static inline kin_str kin__pb_row_member(const kin__pb_row *row);

/* Kinds, for those who walk all of them. */
typedef struct kin__pb_kind {
    kin_str group; /* "" for core */
    kin_str version;
    kin_str kind;
    kin__pb_message message;
} kin__pb_kind;

/* They are in the order of "group/version" and kind, by bytes.  False beyond the last. */
bool kin__pb_kind_at(size_t index, kin__pb_kind *out);

static inline kin__pb_special kin__pb_special_of(kin__pb_message message)
{
    return message < kin__pb_table_message_count
               ? (kin__pb_special) kin__pb_table_messages[message].special
               : KIN__PB_PLAIN;
}

static inline const kin__pb_row *kin__pb_rows(kin__pb_message message, size_t *out_count)
{
    if (message >= kin__pb_table_message_count) {
        *out_count = 0;
        return kin__pb_table_rows;
    }
    *out_count = kin__pb_table_messages[message].count;
    return kin__pb_table_rows + kin__pb_table_messages[message].first;
}

static inline const kin__pb_row *kin__pb_row_of(kin__pb_message message, uint32_t number)
{
    if (message >= kin__pb_table_message_count) {
        return NULL;
    }
    const kin__pb_table_message *entry = &kin__pb_table_messages[message];
    if (number - 1 >= entry->largest) {
        return NULL;
    }
    uint8_t place = kin__pb_table_numbers[entry->index + number - 1];
    return place == 0 ? NULL : &kin__pb_table_rows[entry->first + place - 1];
}

static inline kin_str kin__pb_row_name(const kin__pb_row *row)
{
    const char *at = kin__pb_table_names + row->name;
    size_t len = (unsigned char) at[0];

    return len == 0 ? kin__str("", 0) : kin__str(at + 3, len);
}

static inline kin_str kin__pb_row_member(const kin__pb_row *row)
{
    const char *at = kin__pb_table_names + row->name;
    size_t len = (unsigned char) at[0];

    return len == 0 ? kin__str("", 0) : kin__str(at + 1, len + 4);
}

#endif /* KIN_PROTO_SCHEMA_H */
