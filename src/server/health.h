/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/health.h - the pages /healthz, /livez and /readyz.
 *
 * The names of the checks are those of kube-apiserver 1.36 with its default flags.  Nothing is
 * checked: whoever gets an answer has it from a server that works.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_HEALTH_H
#define KIN_SERVER_HEALTH_H

#include "base/buf.h"

/* Whether the path is one of the three, or one of their checks ("/readyz/ping"). */
bool kin__health_serves(kin_str path, bool *out_is_check);

/* The body: "ok", or with `verbose` in the query all checks, without those that it excludes. */
void kin__health_write(kin_str path, kin_str query, kin__buf *out);

/* The paths of all checks and of the three themselves, by index; false beyond the last.  They are
 * in no order.  Appends to `out`. */
bool kin__health_path_at(size_t index, kin__buf *out);

#endif /* KIN_SERVER_HEALTH_H */
