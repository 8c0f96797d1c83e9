/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/version_param.h - the parameter resourceVersion, read as Go does.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_VERSION_PARAM_H
#define KIN_SERVER_VERSION_PARAM_H

#include "server/refusal.h"

/* NULL and "" are 0.  False when `text` is no decimal number of 64 bits, signs included; then
 * `*out_problem` is why, in strconv.ParseUint's words ("invalid syntax", "value out of range"). */
bool kin__version_read(const char *text, uint64_t *out, const char **out_problem);

/* The same for lists (400) and for watches and gets (500, without a reason). */
bool kin__version_read_for_list(const char *text, uint64_t *out, kin__refusal *no);
bool kin__version_read_for_watch(const char *text, uint64_t *out, kin__refusal *no);

#endif /* KIN_SERVER_VERSION_PARAM_H */
