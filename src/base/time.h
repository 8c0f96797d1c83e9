/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/time.h - moments, as the API server writes them.
 *
 * Threading: a pure function.
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

#endif /* KIN_BASE_TIME_H */
