/* SPDX-License-Identifier: Apache-2.0 */
/*
 * e2e/support/kinds.h - the least a server accepts of each built-in kind.
 */
#ifndef TESTS_E2E_SUPPORT_KINDS_H
#define TESTS_E2E_SUPPORT_KINDS_H

#include "kin/kin.h"

#define KINDS_NAMESPACE "kin-kinds" /* objects that name a namespace name this one */

typedef struct kind_sample {
    const char *resource; /* "deployments.apps", of all versions */
    const char *name;     /* NULL: "kin-e2e" */
    const char *rest;     /* the members beside metadata, and a comma before them; NULL: none */
    const char *why_not;  /* not NULL: none can be written, because */
} kind_sample;

/* NULL: there is none. */
const kind_sample *kind_sample_of(const kin_resource *resource);

const char *kind_sample_name(const kind_sample *sample);

#endif /* TESTS_E2E_SUPPORT_KINDS_H */
