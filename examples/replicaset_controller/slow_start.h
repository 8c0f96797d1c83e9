/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slow_start.h - many calls that may all fail for the same reason: first one, then two, then four.
 *
 * Whoever lacks the quota for a thousand pods is refused once, not a thousand times.
 */
#ifndef REPLICASET_CONTROLLER_SLOW_START_H
#define REPLICASET_CONTROLLER_SLOW_START_H

#include <kin/kin.h>

/* Makes `size` calls and says in `out_done` how many of them succeeded, also when one failed. */
typedef kin_err (*slow_start_batch)(void *context, size_t size, size_t *out_done, kin_error *err);

/*
 * Makes `count` calls in batches of 1, 2, 4 and so on, the last one of what is left.  After the
 * first batch that fails there is no other.  `out_done`: how many calls succeeded, set in any case.
 * Returns what the last batch did.
 */
kin_err slow_start(size_t count, slow_start_batch batch, void *context, size_t *out_done,
                   kin_error *err);

#endif /* REPLICASET_CONTROLLER_SLOW_START_H */
