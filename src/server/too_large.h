/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/too_large.h - reads at a revision that is yet to come.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_TOO_LARGE_H
#define KIN_SERVER_TOO_LARGE_H

#include "server/deed.h"

/* The revision that a read takes for the newest one. */
uint64_t kin__asked_present(const kin__asked *asked);

/* Cached kinds are waited for, once (true: the answer says how long); then, and for others at once,
 * 504. */
bool kin__await_revision(const kin__asked *asked, uint64_t revision, kin__answer *answer,
                         kin__refusal *no);

#endif /* KIN_SERVER_TOO_LARGE_H */
