/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/remains.h - what keeps a namespace from going, and the conditions that say so.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_REMAINS_H
#define KIN_SERVER_REMAINS_H

#include "json/tree.h"
#include "server/deed.h"

#define KIN__TALLY_MAX 16
#define KIN__TALLY_NAME 320

/* How many there are of each name, in the order of names; those beyond the array are dropped. */
typedef struct kin__tally {
    struct {
        char name[KIN__TALLY_NAME];
        size_t number;
    } rows[KIN__TALLY_MAX];
    size_t count;
} kin__tally;

/* All zero: nothing remains. */
typedef struct kin__remains {
    kin__tally resources;  /* "configmaps.", "deployments.apps" */
    kin__tally finalizers; /* "example.com/hold" */
} kin__remains;

/* Counts the objects of `served` whose keys begin with `prefix`.  False when there is no memory. */
bool kin__remains_count(kin__remains *remains, const kin__served *served,
                        kin_str prefix) KIN_MUST_CHECK;

/* Puts all five conditions of a namespace that goes into its status.  False when there is no
 * memory. */
bool kin__remains_tell(const kin__remains *remains, kin__engine *engine,
                       kin__node *ns) KIN_MUST_CHECK;

#endif /* KIN_SERVER_REMAINS_H */
