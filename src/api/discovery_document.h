/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/discovery_document.h - what the documents of discovery say.
 *
 *     /api, /apis              APIGroupDiscoveryList (aggregated, v2 and v2beta1): everything
 *                              APIVersions, APIGroupList (the old form): which versions there are
 *     /api/v1, /apis/apps/v1   APIResourceList: the resources of one version
 *
 * Members that are missing or of another type are as if they were empty; what has no name is left
 * out.  Subresources are no resources and are left out too.
 *
 * Threading: pure functions.
 */
#ifndef KIN_API_DISCOVERY_DOCUMENT_H
#define KIN_API_DISCOVERY_DOCUMENT_H

#include "api/resource.h"

/* Of the verbs and short names of a resource no more are told. */
#define KIN__DISCOVERY_WORDS_MAX 64

/* Everything is borrowed for the call.  What these return other than KIN_OK ends the reading. */
typedef struct kin__discovery_sink {
    void *context;
    kin_err (*on_resource)(void *context, const kin__resource_facts *facts, kin_error *err);
    /* A version of a group of which the document tells nothing: it is to be asked for. */
    kin_err (*on_version)(void *context, kin_str group, kin_str version, kin_error *err);
    /* A version of which the server knows only what it knew some time ago. */
    kin_err (*on_stale)(void *context, kin_str group, kin_str version, kin_error *err);
} kin__discovery_sink;

/* Of /api and /apis.  Groups are told in the order of the document, and of each the preferred
 * version first.  Fails with MALFORMED (no JSON, another kind: which), or as the sink. */
kin_err kin__discovery_read_root(kin_str body, const kin__discovery_sink *sink,
                                 kin_error *err) KIN_MUST_CHECK;

/* Of one group and version. */
kin_err kin__discovery_read_version(kin_str body, kin_str group, kin_str version,
                                    const kin__discovery_sink *sink, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_API_DISCOVERY_DOCUMENT_H */
