/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/timeout_param.h - timeout=, which every request but a watch may have.
 *
 * Threading: pure.
 */
#ifndef KIN_SERVER_TIMEOUT_PARAM_H
#define KIN_SERVER_TIMEOUT_PARAM_H

#include "server/deeds.h"
#include "server/refusal.h"

/* False with 400 when the query has a timeout= that is no duration in the sense of Go ("1m30s"); an
 * empty one is none.  This comes before all else that is asked of a request: who sent it, and
 * whether there is such a path.  How long it is is of no interest: nothing here takes long. */
bool kin__timeout_check(kin__deed deed, kin_str query, kin__refusal *no);

#endif /* KIN_SERVER_TIMEOUT_PARAM_H */
