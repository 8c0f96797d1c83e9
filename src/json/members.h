/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/members.h - the members of a JSON object: in their order, and found by name.
 *
 * All zero has no members.  Names are copied; values are the caller's, never NULL, and never
 * released here.  A member is found, put and taken in constant time on average, whatever the names
 * are: which of them share a place cannot be foreseen.
 *
 * Threading: confined.
 */
#ifndef KIN_JSON_MEMBERS_H
#define KIN_JSON_MEMBERS_H

#include "kin/common.h"

typedef struct kin__member kin__member;

typedef struct kin__members {
    kin__member *entries; /* owned */
    size_t used;          /* entries, those included that were taken */
    size_t capacity;
    size_t count;    /* members */
    uint32_t *slots; /* owned; NULL: none */
    size_t slot_count;
} kin__members;

/* Forgets all of them.  The values are left to the caller, who walks first. */
void kin__members_fini(kin__members *members);

/* The value, or NULL. */
void *kin__members_get(const kin__members *members, kin_str name);

/*
 * `value` takes the place of what `name` had, or comes last.  What was there goes to `out_before`;
 * NULL: nothing was.  False when there is no memory: then nothing has changed.
 */
bool kin__members_put(kin__members *members, kin_str name, void *value,
                      void **out_before) KIN_MUST_CHECK;

/* Takes a member out and returns its value, or NULL.  The others keep their order. */
void *kin__members_take(kin__members *members, kin_str name);

/* The member at `*place` or after it, in order; `*place` goes beyond it.  False at the end.  Begin
 * with 0; the members must not change meanwhile. */
bool kin__members_next(const kin__members *members, size_t *place, kin_str *out_name,
                       void **out_value);

#endif /* KIN_JSON_MEMBERS_H */
