/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/duration.h - lengths of time, as people write and read them.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CLI_DURATION_H
#define KIN_CLI_DURATION_H

#include "cli/text.h"

/* "90", "90s", "1m30s", "500ms", "1.5h": seconds unless it has units (h, m, s, ms), from the
 * largest to the smallest.  False for anything else, and beyond a thousand years. */
bool kin__cli_duration_parse(const char *text, int64_t *out_ms);

/* "5s", "3m20s", "2d4h", "1y30d": as kubectl shows ages.  "<invalid>" for what lies more than a
 * second ahead. */
void kin__cli_duration_show(int64_t seconds, kin__cli_text *out);

#endif /* KIN_CLI_DURATION_H */
