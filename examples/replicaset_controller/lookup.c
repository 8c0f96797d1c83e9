/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.c - what the server says of an object, where a store may be too old.
 */
#include "lookup.h"

#include <stdio.h>

#define NAME_ROOM 300 /* for the longest name there may be */

kin_err lookup(const work *w, const char *resource, kin_str name, kin_reply *reply, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;
    char ns_text[NAME_ROOM];
    char name_text[NAME_ROOM];

    (void) snprintf(ns_text, sizeof ns_text, "%.*s", KIN_STR_ARG(kin_object_namespace(w->set)));
    (void) snprintf(name_text, sizeof name_text, "%.*s", KIN_STR_ARG(name));
    request.verb = KIN_VERB_GET;
    request.resource = resource;
    request.ns = ns_text;
    request.name = name_text;
    return kin_reconcile_run(w->r, &request, reply, err);
}
