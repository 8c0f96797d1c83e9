/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/metrics.h - the numbers the library keeps about itself.
 *
 * A kin_metrics is a registry that a program makes and gives to the objects whose
 * numbers it wants to see together.  Counting is an atomic addition; reading walks the
 * registry under its lock and never stops those who count.
 *
 * Threading: thread-safe.
 */
#ifndef KIN_METRICS_H
#define KIN_METRICS_H

#include "kin/common.h"

KIN_BEGIN_DECLS

typedef struct kin_metrics kin_metrics;

/* `out` is owned by the caller; release with kin_metrics_free().  Fails with NO_MEMORY. */
KIN_API KIN_MUST_CHECK kin_err kin_metrics_new(kin_metrics **out, kin_error *err);

/* What still counts into it keeps it alive, unseen, until it is gone.  NULL is ignored. */
KIN_API void kin_metrics_free(kin_metrics *metrics);

/*
 * All metrics in the Prometheus text format (version 0.0.4), families sorted by name.
 * `out` is owned by the caller, terminated, `out_len` bytes long; release with kin_free().
 * Fails with NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_metrics_text(kin_metrics *metrics, char **out, size_t *out_len,
                                                kin_error *err);

KIN_END_DECLS
#endif /* KIN_METRICS_H */
