/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/call.h - one call of a client, from its request to its on_done.
 */
#ifndef KIN_API_CALL_H
#define KIN_API_CALL_H

#include "api/client.h"

/* Ends a call with CANCELLED.  On the loop, and not from inside its callbacks. */
void kin__call_end_cancelled(kin__link *link);

#endif /* KIN_API_CALL_H */
