/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer/wait.h - who waits for an informer.
 *
 * A wait lies on the stack of the thread that waits; the loop looks at it after each turn of the
 * informer, until it is over.
 */
#ifndef KIN_INFORMER_WAIT_H
#define KIN_INFORMER_WAIT_H

#include "informer/informer_state.h"

typedef enum kin__informer_wait_kind {
    KIN__WAIT_SYNCED,
    KIN__WAIT_VERSION,
    KIN__WAIT_STOPPED, /* nothing is under way */
    KIN__WAIT_DRAINED, /* the same, and the handlers' queues have all that came */
    KIN__WAIT_GONE     /* the informer is off the loop */
} kin__informer_wait_kind;

typedef struct kin__informer_wait {
    kin__link link;
    kin__informer_wait_kind kind;
    kin_informer *informer;
    int64_t deadline_ms; /* from the beginning; below 0: none */
    kin__version_wait version;
    kin__job job;
    kin__timer timer;
    kin_error error;
    _Atomic bool is_done;
} kin__informer_wait;

/* `wait` has kind, version and deadline.  Not on the loop.  Fails with TIMEOUT, CANCELLED (stopped
 * or freed meanwhile, where that matters), USAGE, NO_MEMORY. */
kin_err kin__informer_wait_for(kin_informer *informer, kin__informer_wait *wait,
                               kin_error *err) KIN_MUST_CHECK;

/* On the loop: ends those that are over. */
void kin__informer_serve_waits(kin_informer *informer);

#endif /* KIN_INFORMER_WAIT_H */
