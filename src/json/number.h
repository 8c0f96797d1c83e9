/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/number.h - JSON numbers: what they are worth, and how to write them.
 *
 * `raw` is the text of a valid JSON number of any length.  Nothing here depends on the
 * program's locale.
 */
#ifndef KIN_JSON_NUMBER_H
#define KIN_JSON_NUMBER_H

#include "base/buf.h"
#include "kin/common.h"

/* A number without a fraction, however it is written ("3", "3.0", "30e-1").  TYPE when it has a
 * fraction, RANGE when it does not fit. */
kin_err kin__json_int64(kin_str raw, int64_t *out) KIN_MUST_CHECK;

/* The nearest double; what is too small for one is 0.  RANGE when it would be infinite. */
kin_err kin__json_double(kin_str raw, double *out) KIN_MUST_CHECK;

/* Whether two numbers have the same value, exactly, whatever their length. */
bool kin__json_numbers_equal(kin_str a, kin_str b);

bool kin__json_append_int64(kin__buf *buf, int64_t value);

/* The shortest text that reads back as the same double, in the form the API server (Go's
 * encoding/json) writes: exponents only below 1e-6 and from 1e21 up.  `value` is finite. */
bool kin__json_append_double(kin__buf *buf, double value);

#endif /* KIN_JSON_NUMBER_H */
