/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer/caller.h - who carries out an informer's calls: the API client, or a script in a test.
 *
 * Threading: everything on the loop.
 */
#ifndef KIN_INFORMER_CALLER_H
#define KIN_INFORMER_CALLER_H

#include "api/client.h"

typedef struct kin__caller {
    void *context;
    /* As kin__directory_ask(); kin__directory_stop() takes the question back. */
    void (*resolve)(void *context, kin__directory_wait *question);
    /* As kin__client_start(); the handler hears nothing before this has returned. */
    kin_err (*start)(void *context, const kin_request *request, const kin_handler *handler,
                     const kin__call_options *options, kin_call **out, kin_error *err);
    /* Its on_done comes later. */
    void (*cancel)(kin_call *call);
    void (*release)(kin_call *call);
} kin__caller;

/* The client is borrowed. */
kin__caller kin__caller_of_client(kin_client *client);

/* The client that it is, borrowed; NULL: it is another. */
const kin_client *kin__caller_client(const kin__caller *caller);

#endif /* KIN_INFORMER_CALLER_H */
