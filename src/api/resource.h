/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/resource.h - making a kin_resource of what discovery says.
 */
#ifndef KIN_API_RESOURCE_H
#define KIN_API_RESOURCE_H

#include "base/cleanup.h"
#include "kin/resource.h"

/* As discovery tells it; borrowed for the call. */
typedef struct kin__resource_facts {
    kin_str group; /* empty: core */
    kin_str version;
    kin_str name;
    kin_str kind;
    kin_str singular; /* empty: not told */
    bool is_namespaced;
    const kin_str *verbs; /* NULL: all */
    size_t verb_count;
    const kin_str *short_names;
    size_t short_name_count;
} kin__resource_facts;

/* Names begin with a letter or digit and go on with these, '-', '_' and '.', 253 bytes at most: so
 * each is one part of a URL as it stands, and needs no escapes in JSON. */
bool kin__resource_is_name(kin_str text);

/* `out` is shared.  Fails with MALFORMED (a name that is none, or a version or name with a dot in
 * it: which, and why), NO_MEMORY. */
kin_err kin__resource_make(const kin__resource_facts *facts, kin_resource **out,
                           kin_error *err) KIN_MUST_CHECK;

KIN__DEFINE_AUTO(const kin_resource, kin_resource_unref)

#endif /* KIN_API_RESOURCE_H */
