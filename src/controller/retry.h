/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/retry.h - to try again when somebody else was faster, in anybody's time.
 */
#ifndef KIN_CONTROLLER_RETRY_H
#define KIN_CONTROLLER_RETRY_H

#include "kin/retry.h"

/* What passes the time between two tries. */
typedef struct kin__retry_pause {
    void (*fn)(void *context, int64_t us);
    void *context;
    uint64_t random; /* state of cache/jitter.h */
} kin__retry_pause;

/* As kin_retry_on_conflict(); whether waiting is allowed here was asked before. */
kin_err kin__retry_conflicts(kin__retry_pause *pause, kin_err (*fn)(void *context, kin_error *err),
                             void *context, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CONTROLLER_RETRY_H */
