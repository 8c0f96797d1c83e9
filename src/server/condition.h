/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/condition.h - the conditions in the status of an object.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_CONDITION_H
#define KIN_SERVER_CONDITION_H

#include "json/tree.h"
#include "server/deed.h"

typedef struct kin__condition {
    const char *type, *status, *reason, *message;
} kin__condition;

/* The one of that type; NULL: none. */
kin__node *kin__condition_of(const kin__node *object, const char *type);

/* Puts it into object.status.conditions, or in the place of the one of its type.  Its time is now,
 * unless that one had the same status.  False when there is no memory. */
bool kin__condition_set(kin__engine *engine, kin__node *object,
                        const kin__condition *condition) KIN_MUST_CHECK;

#endif /* KIN_SERVER_CONDITION_H */
