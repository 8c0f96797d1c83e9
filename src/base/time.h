/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/time.h - moments, as the API server writes them.
 *
 * Threading: pure functions.
 */
#ifndef KIN_BASE_TIME_H
#define KIN_BASE_TIME_H

#include "kin/value.h"

/*
 * Reads an RFC 3339 time, whatever Go's time.Parse(time.RFC3339) takes and nothing else: years
 * 0000 to 9999, 'T' and 'Z' in capitals, no leap second.  A fraction may follow '.' or ',' and be
 * of any length; digits after the ninth are cut off.  Like Go, it lets an hour have one digit,
 * and an offset be up to 24 hours and 60 minutes.  Fails with MALFORMED.
 */
kin_err kin__time_parse(kin_str text, kin_time *out) KIN_MUST_CHECK;

#define KIN__TIME_MICRO_LEN 27 /* of "2026-11-15T21:48:12.345678Z" */

/* Writes a MicroTime: RFC 3339 in UTC with six decimals, terminated; what is finer is cut off.  A
 * time before the year 0 or after 9999 becomes the nearest that can be written. */
void kin__time_write_micro(kin_time time, char out[KIN__TIME_MICRO_LEN + 1]);

#endif /* KIN_BASE_TIME_H */
