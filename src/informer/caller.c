/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller.c - the API client as a caller.
 */
#include "informer/caller.h"

static void resolve(void *context, kin__directory_wait *question)
{
    const kin_client *client = context;

    kin__directory_ask(client->directory, question);
}

static kin_err start(void *context, const kin_request *request, const kin_handler *handler,
                     const kin__call_options *options, kin_call **out, kin_error *err)
{
    return kin__client_start(context, request, handler, options, out, err);
}

kin__caller kin__caller_of_client(kin_client *client)
{
    return (kin__caller){ client, resolve, start, kin_call_cancel, kin_call_free };
}

const kin_client *kin__caller_client(const kin__caller *caller)
{
    return caller->start == start ? caller->context : NULL;
}
