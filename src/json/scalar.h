/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/scalar.h - the grammar of numbers, true, false and null, byte by byte.
 *
 * A scalar is fed one byte at a time and keeps its state in one byte, so that it may be cut
 * anywhere.
 */
#ifndef KIN_JSON_SCALAR_H
#define KIN_JSON_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

typedef uint8_t kin__scalar;

#define KIN__SCALAR_NONE 0

/* The state after the first byte, or after one more; KIN__SCALAR_NONE when it may not stand
 * there. */
kin__scalar kin__scalar_begin(unsigned char byte);
kin__scalar kin__scalar_next(kin__scalar state, unsigned char byte);

/* Whether the scalar may end here. */
bool kin__scalar_is_whole(kin__scalar state);

/* What may come next, for a message: "a digit". */
const char *kin__scalar_wants(kin__scalar state);

#endif /* KIN_JSON_SCALAR_H */
