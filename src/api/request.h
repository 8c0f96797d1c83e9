/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/request.h - a kin_request that outlives the call that took it.
 */
#ifndef KIN_API_REQUEST_H
#define KIN_API_REQUEST_H

#include "kin/client.h"

/* Everything but the mask is owned or referenced: that is the caller's until the call has ended. */
typedef struct kin__request {
    kin_request is;
    char *texts; /* one block with all strings and the body */
} kin__request;

/* `request` may be of another version of the struct.  Fails with USAGE, NO_MEMORY; then `out` is
 * empty. */
kin_err kin__request_copy(const kin_request *request, kin__request *out,
                          kin_error *err) KIN_MUST_CHECK;
void kin__request_fini(kin__request *request);

#endif /* KIN_API_REQUEST_H */
