/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/codec_sorted.h - a tree as Go writes a map: members sorted by name.
 *
 * Threading: a pure function.
 */
#ifndef KIN_SERVER_CODEC_SORTED_H
#define KIN_SERVER_CODEC_SORTED_H

#include "json/tree.h"

/*
 * Appends the JSON: members sorted bytewise at every level, strings with Go's escapes, whole
 * numbers that fit 64 bits as such, all others as Go writes a float64.  Fails with NO_MEMORY, and
 * with RANGE for a number that no float64 holds; then `buf` has the content it had.
 */
kin_err kin__codec_sorted(const kin__node *tree, kin__buf *buf, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SERVER_CODEC_SORTED_H */
