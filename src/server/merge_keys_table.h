/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/merge_keys_table.h - the generated arrays behind merge_keys.h and go_type.h.
 *
 * Only merge_keys.c and go_type.c look into them.
 *
 * Threading: immutable.
 */
#ifndef KIN_SERVER_MERGE_KEYS_TABLE_H
#define KIN_SERVER_MERGE_KEYS_TABLE_H

#include "proto/schema_row.h"

/* The tag patchStrategy of a Go field. */
enum { KIN__MERGE_MERGE = 1, KIN__MERGE_REPLACE = 2, KIN__MERGE_RETAIN_KEYS = 4 };

/* A field of which there is something to say.  Texts are offsets in the pool. */
typedef struct kin__merge_key_row {
    uint16_t message; /* of proto/schema.h */
    uint8_t number;   /* of the field */
    uint8_t strategies;
    uint16_t merge_key;
    uint16_t element_type; /* in Go; empty where it is a basic type or that of the message */
    uint16_t field_type;   /* in Go; empty where it is a list or a map of such elements */
} kin__merge_key_row;

/* Sorted by message and number. */
extern const kin__merge_key_row kin__merge_key_rows[];
extern const size_t kin__merge_key_row_count;

/* Of each message its Go type. */
extern const uint16_t kin__merge_key_messages[];
extern const size_t kin__merge_key_message_count;

/* A length, then the characters; offset 0 is the empty text. */
extern const char kin__merge_key_texts[];

#endif /* KIN_SERVER_MERGE_KEYS_TABLE_H */
