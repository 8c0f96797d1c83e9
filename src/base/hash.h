/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/hash.h - 64-bit hashes of bytes, for tables in memory.
 *
 * Not for anything that leaves the process: the result differs between machines and runs.
 */
#ifndef KIN_BASE_HASH_H
#define KIN_BASE_HASH_H

#include "kin/common.h"

/* All 64 bits are equally good.  Which bytes collide depends on `seed`: who does not know it
 * cannot prepare them. */
uint64_t kin__hash(const void *bytes, size_t len, uint64_t seed);

/* Random, and the same for the life of the process.  Thread-safe. */
uint64_t kin__hash_seed(void);

#endif /* KIN_BASE_HASH_H */
