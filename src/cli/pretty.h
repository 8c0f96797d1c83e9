/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/pretty.h - JSON on many lines, for people.
 *
 * Threading: a pure function.
 */
#ifndef KIN_CLI_PRETTY_H
#define KIN_CLI_PRETTY_H

#include "cli/text.h"

/* Appends `json` (one value, compact) with each member and element on a line of its own, four
 * blanks deeper than what it is in; the first line has none, the others `depth` times four more.
 * What a terminal might act on is written as "\u009b". */
void kin__cli_pretty(kin_str json, size_t depth, kin__cli_text *out);

#endif /* KIN_CLI_PRETTY_H */
