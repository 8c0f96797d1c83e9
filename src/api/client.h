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
#include "base/thread.h"

/* What a layer above keeps with a client, for all that it makes of it. */
typedef struct kin__client_guest {
    void (*free)(struct kin__client_guest *guest); /* before anything of the client goes */
} kin__client_guest;

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
    kin__thread freer;         /* where it is freed when whoever asked for that cannot wait */
    _Atomic unsigned starting; /* calls whose first job is on its way */
    _Atomic bool is_closing;   /* no call is taken any more */
    _Atomic bool is_closed;    /* none is under way any more */
    _Atomic(kin__client_guest *) guest; /* NULL: none yet */
};

/* What a layer above may want of a call beside its request.  Zero: as any program's. */
typedef struct kin__call_options {
    /* Asked before an object is made, with the handler's context; see api/decoder.h.  NULL: every
     * item becomes an object. */
    kin_object *(*known)(void *context, kin_str ns, kin_str name, kin_str uid,
                         kin_str resource_version);
    bool no_retry; /* 429, 5xx and cut connections are told at once: the caller tries again */
    bool no_limit; /* does not wait for the client's rate limit, nor count for it */
} kin__call_options;

/* As kin_client_start(). */
kin_err kin__client_start(kin_client *client, const kin_request *request,
                          const kin_handler *handler, const kin__call_options *options,
                          kin_call **out, kin_error *err) KIN_MUST_CHECK;

/* As kin_client_run().  `started` is given the means to cancel the call, owned, before anybody
 * waits for it; NULL: nobody wants it. */
kin_err kin__client_run(kin_client *client, const kin_request *request, const kin_handler *handler,
                        kin_reply *reply, void (*started)(void *context, kin_call *call),
                        void *context, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_API_CLIENT_H */
