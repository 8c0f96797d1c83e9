/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predicate.c - which changes matter to a controller.
 */
#include "kin/controller.h"

static bool is_update(const kin_notification *n);
static bool have_same_labels(const kin_object *a, const kin_object *b);

bool kin_generation_changed(const void *unused, const kin_notification *n)
{
    (void) unused;
    return !is_update(n) || kin_object_generation(n->object) != kin_object_generation(n->before);
}

bool kin_labels_changed(const void *unused, const kin_notification *n)
{
    (void) unused;
    return !is_update(n) || !have_same_labels(n->object, n->before);
}

/* What cannot be compared for want of memory counts as changed. */
bool kin_annotations_changed(const void *unused, const kin_notification *n)
{
    bool is_same = false;

    (void) unused;
    if (!is_update(n)) {
        return true;
    }
    kin_value now = kin_object_annotations(n->object);
    kin_value then = kin_object_annotations(n->before);
    if (!kin_value_exists(now) || !kin_value_exists(then)) {
        return kin_value_exists(now) != kin_value_exists(then);
    }
    return kin_value_equal(now, then, &is_same) != KIN_OK || !is_same;
}

bool kin_version_changed(const void *unused, const kin_notification *n)
{
    (void) unused;
    return !is_update(n) || !kin_str_equal(kin_object_resource_version(n->object),
                                           kin_object_resource_version(n->before));
}

bool kin_all_of(const void *predicates, const kin_notification *n)
{
    for (const kin_predicate *p = predicates; p->fn != NULL; p++) {
        if (!p->fn(p->context, n)) {
            return false;
        }
    }
    return true;
}

bool kin_any_of(const void *predicates, const kin_notification *n)
{
    for (const kin_predicate *p = predicates; p->fn != NULL; p++) {
        if (p->fn(p->context, n)) {
            return true;
        }
    }
    return false;
}

bool kin_none_of(const void *predicates, const kin_notification *n)
{
    return !kin_any_of(predicates, n);
}

/* What was deleted and made again unseen (kin_informer_options.recreated_is_update) is another
 * object: it has come new, and may count its generations from 1 as the first did. */
static bool is_update(const kin_notification *n)
{
    return n->type == KIN_NOTIFICATION_UPDATED && n->before != NULL &&
           kin_str_equal(kin_object_uid(n->object), kin_object_uid(n->before));
}

static bool have_same_labels(const kin_object *a, const kin_object *b)
{
    size_t count = kin_object_label_count(a);
    if (count != kin_object_label_count(b)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        kin_str key[2];
        kin_str value[2];
        if (!kin_object_label_at(a, i, &key[0], &value[0]) ||
            !kin_object_label_at(b, i, &key[1], &value[1]) || !kin_str_equal(key[0], key[1]) ||
            !kin_str_equal(value[0], value[1])) {
            return false;
        }
    }
    return true;
}
