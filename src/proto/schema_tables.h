/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/schema_tables.h - the generated arrays behind schema.h.
 *
 * Only schema.h and schema.c look into them.
 *
 * Threading: immutable.
 */
#ifndef KIN_PROTO_SCHEMA_TABLES_H
#define KIN_PROTO_SCHEMA_TABLES_H

#include "proto/schema_row.h"

/* A message: `count` rows from `first` on; and, from `index` on, one byte for each number from 1 to
 * `largest`: the place of its row among them, counted from 1, or 0. */
typedef struct kin__pb_table_message {
    uint16_t first;
    uint16_t index;
    uint8_t count;
    uint8_t largest;
    uint8_t special;
} kin__pb_table_message;

/* A group/version, and the first of its kinds; they go on to the first of the next. */
typedef struct kin__pb_table_version {
    uint16_t text;
    uint16_t first;
} kin__pb_table_version;

typedef struct kin__pb_table_kind {
    uint16_t text;
    uint16_t message;
} kin__pb_table_kind;

extern const kin__pb_row kin__pb_table_rows[];
extern const kin__pb_table_message kin__pb_table_messages[];
extern const size_t kin__pb_table_message_count;
extern const uint8_t kin__pb_table_numbers[];

/* Of each JSON name its length, then ,"name": as it is written.  Offset 0 is the empty name, of
 * which nothing is written. */
extern const char kin__pb_table_names[];

/* Where each name is in the pool, by its hash; the next slot where that is taken; 0: free. */
extern const uint16_t kin__pb_table_name_slots[];
extern const uint32_t kin__pb_table_name_mask;

/* Sorted by the bytes of "group/version", then those of the kind.  One more version closes them. */
extern const kin__pb_table_version kin__pb_table_versions[];
extern const size_t kin__pb_table_version_count;
extern const kin__pb_table_kind kin__pb_table_kinds[];

/* Of each group/version and kind its length, then its characters. */
extern const char kin__pb_table_texts[];

/* What all of the above may take. */
#define KIN__PB_TABLE_BYTES_MAX (120 * 1024)

#endif /* KIN_PROTO_SCHEMA_TABLES_H */
