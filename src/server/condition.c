/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condition.c - conditions found, and set.
 */
#include "server/condition.h"

#include "server/field.h"
#include "server/identity.h"

kin__node *kin__condition_of(const kin__node *object, const char *type)
{
    const kin__node *conditions = kin__field_at(object, "status", "conditions");
    kin__node_iter iter = { 0 };

    while (conditions != NULL && kin__node_next(conditions, &iter)) {
        if (kin__str_equal(kin__field_text(iter.value, "type"), kin_str_of(type))) {
            return iter.value;
        }
    }
    return NULL;
}

bool kin__condition_set(kin__engine *engine, kin__node *object, const kin__condition *condition)
{
    kin__node *holder = kin__field_make(object, "status", KIN_TYPE_OBJECT);
    kin__node *all = holder == NULL ? NULL : kin__field_make(holder, "conditions", KIN_TYPE_ARRAY);
    kin__node *found = kin__condition_of(object, condition->type);
    kin_str status = kin_str_of(condition->status);
    char now[KIN__PB_TIME_MAX];
    kin_error err;

    if (all == NULL) {
        return false;
    }
    if (found == NULL) {
        found = kin__tree_of(STR("{}"));
        if (found == NULL || kin__node_append(all, found, &err) != KIN_OK) {
            kin__node_free(found);
            return false;
        }
    }
    if (!kin__str_equal(kin__field_text(found, "status"), status) &&
        !kin__field_set_text(found, "lastTransitionTime", kin__identity_time(engine, 0, now))) {
        return false;
    }
    return kin__field_set_text(found, "type", kin_str_of(condition->type)) &&
           kin__field_set_text(found, "status", status) &&
           kin__field_set_text(found, "reason", kin_str_of(condition->reason)) &&
           kin__field_set_text(found, "message", kin_str_of(condition->message));
}
