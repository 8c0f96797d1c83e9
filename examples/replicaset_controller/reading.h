/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reading.h - members of objects that may be missing.
 */
#ifndef REPLICASET_CONTROLLER_READING_H
#define REPLICASET_CONTROLLER_READING_H

#include <kin/kin.h>

/* Borrowed.  What is missing, no string, or written with escapes reads as "". */
kin_str read_text(kin_value value);

/* What is missing or no whole number reads as `otherwise`. */
int64_t read_number(kin_value value, int64_t otherwise);

/* What is missing or no time reads as all zero. */
kin_time read_time(kin_value value);

#endif /* REPLICASET_CONTROLLER_READING_H */
