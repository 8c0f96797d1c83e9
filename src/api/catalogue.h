/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/catalogue.h - the resources of a server, found by the names people use.
 *
 * Filled from discovery documents (api/discovery.h) in the server's order: core first, then groups
 * by its priority, in each group the preferred version first.  Immutable once it is filled.
 *
 * Threading: confined while it is filled, then immutable.
 */
#ifndef KIN_API_CATALOGUE_H
#define KIN_API_CATALOGUE_H

#include "api/resource.h"

typedef struct kin__catalogue kin__catalogue;

kin_err kin__catalogue_new(kin__catalogue **out, kin_error *err) KIN_MUST_CHECK;
void kin__catalogue_free(kin__catalogue *catalogue);
KIN__DEFINE_AUTO(kin__catalogue, kin__catalogue_free)

/* Behind those that are there; takes a reference. */
kin_err kin__catalogue_add(kin__catalogue *catalogue, const kin_resource *resource,
                           kin_error *err) KIN_MUST_CHECK;

size_t kin__catalogue_count(const kin__catalogue *catalogue);
/* Borrowed; NULL beyond the last. */
const kin_resource *kin__catalogue_at(const kin__catalogue *catalogue, size_t index);

/*
 * The resource that people mean, borrowed; NULL when there is none.  As kubectl does: "name",
 * "name.group", "name.version.group", where name is the plural, the singular, the kind or a short
 * name, without regard to case; a short name in any group comes after all others, and of several
 * the first in order.  The group of "name.version.group" may be empty: "pods.v1." is of the core
 * group.  A group may be given by its beginning only when nothing else fits ("deployments.app" is
 * "deployments.apps").
 */
const kin_resource *kin__catalogue_find(const kin__catalogue *catalogue, kin_str name);

/* By "apps/v1" and "Deployment", exactly. */
const kin_resource *kin__catalogue_of_kind(const kin__catalogue *catalogue, kin_str api_version,
                                           kin_str kind);

#endif /* KIN_API_CATALOGUE_H */
