/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/protocols.h - what a request for a WebSocket offers as sub-protocols, and the token that
 * may be among them.
 *
 * Programs in a browser cannot set headers of a WebSocket: they name their token as a sub-protocol,
 * "base64url.bearer.authorization.k8s.io.TOKEN", beside another one that is answered.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_PROTOCOLS_H
#define KIN_SERVER_PROTOCOLS_H

#include "base/buf.h"
#include "httpd/httpd.h"

typedef struct kin__protocols {
    kin__buf others; /* beside the token, with commas between them */
    kin__buf bearer; /* "Bearer " and the token, as in the header Authorization; empty: none */
    bool is_wrong;   /* there are two tokens, or nothing beside it, or it is none */
} kin__protocols;

/* False: no memory. */
bool kin__protocols_read(const kin__visit *visit, kin__protocols *out);

void kin__protocols_fini(kin__protocols *protocols);
KIN__DEFINE_AUTO_FINI(kin__protocols, kin__protocols_fini)

#endif /* KIN_SERVER_PROTOCOLS_H */
