/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/plan.h - what a change of one object changes in the indexes of a version.
 *
 * First the plan is made, which may fail and changes nothing that can be seen; then it is carried
 * out, which cannot fail.
 *
 * Threading: confined to the writer.
 */
#ifndef KIN_CACHE_PLAN_H
#define KIN_CACHE_PLAN_H

#include "cache/version.h"

typedef enum kin__plan_action {
    KIN__PLAN_NOTHING,
    KIN__PLAN_ADD,
    KIN__PLAN_REPLACE,
    KIN__PLAN_REMOVE
} kin__plan_action;

typedef struct kin__plan {
    kin__index_values values;
    uint8_t *actions; /* a kin__plan_action for each value; owned */
    size_t action_capacity;
    size_t count; /* of values that have an action */
} kin__plan;

/* All that is changed at once: an object comes, goes, or takes another's place. */
typedef struct kin__plan_subject {
    kin_str key;
    uint64_t hash;            /* of the key */
    kin__entry *old;          /* NULL: there is none */
    const kin_object *object; /* NULL: it goes */
    size_t from;              /* the indexes this is about: from this one on, all */
    /* A rule failed on `object`. */
    void (*on_error)(void *context, const char *index, const kin_object *object,
                     const kin_error *err);
    void *context;
} kin__plan_subject;

void kin__plan_fini(kin__plan *plan);

/* Fails with NO_MEMORY; then there is nothing to carry out. */
kin_err kin__plan_make(kin__plan *plan, const kin__plan_subject *subject, kin__version *draft,
                       kin__batch *batch, kin_error *err) KIN_MUST_CHECK;

/* `entry` is the new one, or NULL.  Afterwards no index has the old one. */
void kin__plan_carry_out(kin__plan *plan, const kin__plan_subject *subject, kin__version *draft,
                         kin__batch *batch, kin__entry *entry);

#endif /* KIN_CACHE_PLAN_H */
