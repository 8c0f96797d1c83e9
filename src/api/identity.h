/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/identity.h - as whom requests go out, on a loop.
 *
 * Drives config/credentials.h: runs the exec plugin when it says so, once for all who wait for it.
 *
 * Threading: on the loop.
 */
#ifndef KIN_API_IDENTITY_H
#define KIN_API_IDENTITY_H

#include "base/list.h"
#include "config/credentials.h"
#include "net/loop.h"

typedef struct kin__identity kin__identity;

/* Fails with NO_MEMORY. */
kin_err kin__identity_new(kin_loop *loop, const kin_config *config, const kin_logger *logger,
                          kin__identity **out, kin_error *err) KIN_MUST_CHECK;

/* Stops the plugin if it runs.  Nobody waits any more. */
void kin__identity_free(kin__identity *identity);

/* One who waits.  `wake` is called once, when asking again will say more. */
typedef struct kin__identity_wait {
    kin__link link;
    void (*wake)(struct kin__identity_wait *wait);
} kin__identity_wait;

/*
 * The credential of the next request, borrowed until the next call.  When it has to be got first,
 * `out_is_there` is false and `wait` waits.  Fails with UNAUTHORIZED (no credentials: why),
 * NO_MEMORY.
 */
kin_err kin__identity_get(kin__identity *identity, kin__identity_wait *wait, bool *out_is_there,
                          kin__credential *out, kin_error *err) KIN_MUST_CHECK;

/* Does nothing when it does not wait. */
void kin__identity_stop_waiting(kin__identity_wait *wait);

/* The server refused what went out with `version`; true when it is worth to try again. */
bool kin__identity_refused(kin__identity *identity, uint64_t version);

#endif /* KIN_API_IDENTITY_H */
