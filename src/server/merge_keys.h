/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/merge_keys.h - how a strategic merge patch treats a field.
 *
 * Threading: immutable.
 */
#ifndef KIN_SERVER_MERGE_KEYS_H
#define KIN_SERVER_MERGE_KEYS_H

#include "proto/schema.h"
#include "server/merge_keys_table.h"

/* The tags patchStrategy and patchMergeKey of a field in Go. */
typedef struct kin__merge_key {
    unsigned strategies; /* KIN__MERGE_MERGE ... */
    kin_str name;        /* of the member that tells elements apart; empty: none */
} kin__merge_key;

/* Of the row `number` of a message itself, not of one inline. */
kin__merge_key kin__merge_key_of(kin__pb_message message, uint32_t number);

/* The row of the table, NULL when there is nothing to say of the field. */
const kin__merge_key_row *kin__merge_key_find(kin__pb_message message, uint32_t number);

/* A text of the pool. */
kin_str kin__merge_key_text(uint16_t offset);

#endif /* KIN_SERVER_MERGE_KEYS_H */
