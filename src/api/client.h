/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/client.h - what a client is made of, for its calls and for the layers above.
 */
#ifndef KIN_API_CLIENT_H
#define KIN_API_CLIENT_H

#include "api/decoder.h"
#include "api/directory.h"
#include "api/exchange.h"
#include "base/list.h"

struct kin_client {
    const kin_config *config;
    kin_loop *loop;
    bool owns_loop;
    kin_logger logger;
    kin__bucket limit;
    kin__wire wire;
    kin__directory *directory;
    kin__list calls; /* under way; on the loop */
    kin__job close_job;
    _Atomic unsigned starting; /* calls whose first job is on its way */
    _Atomic bool is_closing;   /* no call is taken any more */
    _Atomic bool is_closed;    /* none is under way any more */
};

/* Asked before an object is made; see api/decoder.h. */
typedef kin_object *(*kin__known_fn)(void *context, kin_str ns, kin_str name, kin_str uid,
                                     kin_str resource_version);

/* As kin_client_start(); `known` gets the handler's context, NULL: every item becomes an object. */
kin_err kin__client_start(kin_client *client, const kin_request *request,
                          const kin_handler *handler, kin__known_fn known, kin_call **out,
                          kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_API_CLIENT_H */
