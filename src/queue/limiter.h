/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue/limiter.h - how long a key that failed waits.
 *
 * kin_limiter with the state of its bucket.  The failures are counted by whoever asks.
 *
 * Threading: confined.
 */
#ifndef KIN_QUEUE_LIMITER_H
#define KIN_QUEUE_LIMITER_H

#include "base/bucket.h"
#include "kin/queue.h"

typedef struct kin__limiter {
    kin_limiter wish;
    kin__bucket bucket;
} kin__limiter;

/* NULL: that of client-go's controllers.  Fails with USAGE. */
kin_err kin__limiter_init(kin__limiter *limiter, const kin_limiter *wish,
                          kin_error *err) KIN_MUST_CHECK;

/*
 * For a key that failed `n` times before; takes a token.  `own_ms` is what the program's function
 * said, which is not called here; 0 when there is none.  INT64_MAX: longer than can be told.
 */
int64_t kin__limiter_delay_ms(kin__limiter *limiter, uint32_t n, int64_t own_ms,
                              int64_t now_ms) KIN_MUST_CHECK;

/* What was asked for last is not used. */
void kin__limiter_give_back(kin__limiter *limiter);

#endif /* KIN_QUEUE_LIMITER_H */
