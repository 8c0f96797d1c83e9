/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/pattern.h - regular expressions, as Go's regexp reads them.
 *
 * All of its syntax is known but classes of Unicode (\p{Greek}) and octal escapes; case is folded
 * for ASCII alone.  A text is read once, whatever the pattern: there is no backtracking, and the
 * time is at most that of the text's length times the pattern's.
 *
 * Threading: a pattern may be shared by threads.
 */
#ifndef KIN_SERVER_PATTERN_H
#define KIN_SERVER_PATTERN_H

#include "base/cleanup.h"
#include "base/error.h"

typedef struct kin__pattern kin__pattern;

/* INVALID for what is no pattern, one that is too large, and one that is not known here. */
kin_err kin__pattern_new(kin_str text, kin__pattern **out, kin_error *err) KIN_MUST_CHECK;
void kin__pattern_free(kin__pattern *pattern); /* NULL is ignored */
KIN__DEFINE_AUTO(kin__pattern, kin__pattern_free)

/* Whether the pattern matches some part of the text. */
kin_err kin__pattern_matches(const kin__pattern *pattern, kin_str text, bool *out,
                             kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SERVER_PATTERN_H */
