/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/quantity.h - Kubernetes quantities.
 *
 * Threading: pure functions.
 */
#ifndef KIN_BASE_QUANTITY_H
#define KIN_BASE_QUANTITY_H

#include "base/buf.h"
#include "kin/common.h"

/*
 * Reads a quantity, of any length, in units of 10^scale; `scale` is between -9 and 9.
 *
 *     quantity  [+-] digits [. digits] [suffix]     digits on one side of the dot are enough
 *     suffix    n u m k M G T P E | Ki Mi Gi Ti Pi Ei | e or E, [+-], digits
 *
 * These are the rules of apimachinery's resource.Quantity: what does not divide evenly is rounded
 * away from zero, and a quantity with a binary suffix is at most 2^63-1 either way.  Unlike
 * there, a text without a digit is refused, an exponent of any size means what it says, and
 * negative amounts are rounded away from zero always.
 *
 * Fails with MALFORMED (no quantity; an exponent that does not fit an int64), RANGE (the result
 * does not fit) or USAGE (the scale).
 */
kin_err kin__quantity_parse(kin_str text, int scale, int64_t *out) KIN_MUST_CHECK;

/*
 * Appends the quantity as apimachinery v0.37 writes one that it has read: without a fraction and
 * with the largest suffix of its kind ("0.5" is "500m", "1024Ki" is "1Mi"), but as it was where
 * apimachinery takes it for canonical ("+5", "1500.250").  Blanks around the text are dropped, what
 * is finer than nano is rounded away from zero.  Unlike there, a quantity of 10^21 and more keeps
 * its size, as so many E.
 *
 * Fails with MALFORMED (as above; an exponent of more than nine digits) and NO_MEMORY; then `buf`
 * has the content it had.
 */
kin_err kin__quantity_append(kin_str text, kin__buf *buf) KIN_MUST_CHECK;

#endif /* KIN_BASE_QUANTITY_H */
