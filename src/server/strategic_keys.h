/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/strategic_keys.h - what tells the elements of merged lists apart, as numbers.
 *
 * Equal keys have one number, from 0 on in the order in which they come.  A key is a value with its
 * type; whole numbers are equal however they are written.  Which keys share a place in the table
 * cannot be foreseen, so that all of this takes a time that grows with their bytes.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_STRATEGIC_KEYS_H
#define KIN_SERVER_STRATEGIC_KEYS_H

#include "base/buf.h"
#include "json/tree.h"

#define KIN__NO_KEY UINT32_MAX

typedef struct kin__strategic_key {
    uint64_t hash;
    size_t at, len; /* in `bytes` */
} kin__strategic_key;

typedef struct kin__strategic_keys {
    kin__strategic_key *known; /* owned; by number */
    uint32_t count;
    uint32_t *slots; /* owned; numbers, or KIN__NO_KEY */
    size_t capacity; /* a power of two */
    kin__buf bytes;
} kin__strategic_keys;

/* Room for `max` keys; all zero before.  False when there is no memory. */
bool kin__strategic_keys_init(kin__strategic_keys *keys, size_t max) KIN_MUST_CHECK;
void kin__strategic_keys_fini(kin__strategic_keys *keys);

/* The number of a value; false when there is no memory. */
bool kin__strategic_keys_add(kin__strategic_keys *keys, const kin__node *value,
                             uint32_t *out) KIN_MUST_CHECK;

#endif /* KIN_SERVER_STRATEGIC_KEYS_H */
