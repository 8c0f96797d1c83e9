/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version_wait.c - who waits until a store has seen a resource version.
 */
#include "cache/version_wait.h"

#include "base/str.h"
#include "kin/key.h"

bool kin__version_wait_is_over(const kin__version_wait *wait, const kin_view *view)
{
    kin_str stands_at = kin_view_resource_version(view, wait->source);
    int order;

    if (kin_resource_version_compare(stands_at, wait->resource_version, &order, NULL) == KIN_OK) {
        return order >= 0;
    }
    if (stands_at.len == 0) {
        return false;
    }
    const kin_object *object = kin_view_get(view, wait->key);
    return kin__str_equal(stands_at, wait->resource_version) ||
           (object != NULL &&
            kin__str_equal(kin_object_resource_version(object), wait->resource_version));
}

void kin__version_waits_add(kin__version_waits *waits, kin__version_wait *wait)
{
    kin__list_push(&waits->waiting, &wait->link);
}

void kin__version_waits_look(kin__version_waits *waits, const kin_view *view)
{
    kin__link *next;

    for (kin__link *link = kin__list_first(&waits->waiting); link != NULL; link = next) {
        next = kin__list_next(&waits->waiting, link);
        if (kin__version_wait_is_over(KIN__OWNER(link, kin__version_wait, link), view)) {
            kin__list_remove(link);
            kin__list_push(&waits->over, link);
        }
    }
}

kin__version_wait *kin__version_waits_take(kin__version_waits *waits)
{
    kin__link *link = kin__list_first(&waits->over);

    if (link == NULL) {
        return NULL;
    }
    kin__list_remove(link);
    return KIN__OWNER(link, kin__version_wait, link);
}
