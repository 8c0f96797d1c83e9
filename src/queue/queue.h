/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue/queue.h - a work queue on a clock of one's own.
 */
#ifndef KIN_QUEUE_QUEUE_H
#define KIN_QUEUE_QUEUE_H

#include "base/cleanup.h"
#include "base/clock.h"
#include "kin/queue.h"

/* kin_queue_new(), with times of `clock`, which outlives the queue.  Who waits for something that
 * is due waits as long by the system's clock, and then looks again. */
kin_err kin__queue_new(const kin_queue_options *options, const kin__clock *clock, kin_queue **out,
                       kin_error *err) KIN_MUST_CHECK;
KIN__DEFINE_AUTO(kin_queue, kin_queue_free)

/* The first half of kin_queue_retry(): the key comes again after a failure, but is still the
 * worker's.  Returns in how many milliseconds; -1: it does not, the queue is shut down. */
int64_t kin__queue_fail(kin_queue *queue, const kin_queue_item *item);

#endif /* KIN_QUEUE_QUEUE_H */
