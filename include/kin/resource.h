/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/resource.h - a resource of the API: where its objects live and what they are.
 *
 * Threading: immutable; references may be taken and dropped on any thread.
 */
#ifndef KIN_RESOURCE_H
#define KIN_RESOURCE_H

#include "kin/common.h"

KIN_BEGIN_DECLS

typedef struct kin_resource kin_resource;

/*
 * A resource that the program knows; kin_client_resource() asks the server instead.
 *
 * group    "" for the core group ("v1")
 * version  "v1"
 * name     the plural, as in the URL: "deployments"
 * kind     "Deployment"
 * out      shared: release with kin_resource_unref()
 *
 * Fails with USAGE (an empty or impossible name: what and where), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_resource_new(const char *group, const char *version,
                                                const char *name, const char *kind,
                                                bool is_namespaced, kin_resource **out,
                                                kin_error *err);

/* Takes another reference and returns `resource`.  NULL gives NULL. */
KIN_API kin_resource *kin_resource_ref(const kin_resource *resource);

/* Drops a reference.  Returns NULL.  NULL is ignored. */
KIN_API kin_resource *kin_resource_unref(const kin_resource *resource);

/* Borrowed from the resource, terminated. */
KIN_API const char *kin_resource_group(const kin_resource *resource);       /* "" for core */
KIN_API const char *kin_resource_version(const kin_resource *resource);     /* "v1" */
KIN_API const char *kin_resource_api_version(const kin_resource *resource); /* "apps/v1", "v1" */
KIN_API const char *kin_resource_name(const kin_resource *resource);        /* "deployments" */
KIN_API const char *kin_resource_kind(const kin_resource *resource);        /* "Deployment" */
KIN_API const char *kin_resource_singular(const kin_resource *resource); /* "deployment", or "" */
KIN_API bool kin_resource_is_namespaced(const kin_resource *resource);

/* Whether the server said that it can be done: "list", "watch", "deletecollection".  Of a resource
 * that came from kin_resource_new(), always true. */
KIN_API bool kin_resource_can(const kin_resource *resource, const char *verb);

/* Its short names ("po"); false beyond the last. */
KIN_API bool kin_resource_short_name(const kin_resource *resource, size_t index, const char **out);

KIN_END_DECLS
#endif /* KIN_RESOURCE_H */
