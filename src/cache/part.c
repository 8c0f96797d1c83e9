/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part.c - the sizes of parts, and piles of them.
 */
#include "cache/part.h"

#include "base/slab.h"
#include "cache/index.h"
#include "cache/table.h"
#include "cache/version.h"

size_t kin__part_bytes(const kin__part *part)
{
    const void *whole = part;

    switch ((kin__part_kind) part->kind) {
    case KIN__PART_OBJECT:
    case KIN__PART_VALUE:
        return sizeof(kin__entry) + part->size;
    case KIN__PART_LEAF:
        return kin__leaf_bytes(((const kin__leaf *) whole)->capacity);
    case KIN__PART_PAGE:
        return kin__page_bytes(part->size);
    case KIN__PART_DIRECTORY:
        return kin__directory_bytes(part->size);
    case KIN__PART_VERSION:
        return kin__version_bytes(((const kin__version *) whole)->index_capacity,
                                  ((const kin__version *) whole)->source_count);
    case KIN__PART_TEXT:
        return sizeof(kin__text) + ((const kin__text *) whole)->len;
    case KIN__PART_RULE:
        return kin__index_rule_bytes(whole);
    }
    return 0;
}

void kin__part_free(kin__part *part)
{
    void *whole = part;

    if (part->kind == KIN__PART_OBJECT) {
        (void) kin_object_unref(((kin__entry *) whole)->object);
    } else if (part->kind == KIN__PART_RULE) {
        kin__index_rule_fini(whole);
    }
    kin__slab_free(part, kin__part_bytes(part));
}

void kin__pile_put(kin__pile *pile, kin__part *part)
{
    part->next = NULL;
    if (pile->first == NULL) {
        pile->first = part;
    } else {
        pile->last->next = part;
    }
    pile->last = part;
    pile->count++;
}

void kin__pile_move(kin__pile *to, kin__pile *from)
{
    if (from->first == NULL) {
        return;
    }
    if (to->first == NULL) {
        to->first = from->first;
    } else {
        to->last->next = from->first;
    }
    to->last = from->last;
    to->count += from->count;
    *from = (kin__pile){ 0 };
}

kin__part *kin__pile_take(kin__pile *pile)
{
    kin__part *part = pile->first;

    if (part != NULL) {
        pile->first = part->next;
        pile->count--;
        if (pile->first == NULL) {
            pile->last = NULL;
        }
    }
    return part;
}

void kin__pile_clear(kin__pile *pile)
{
    for (kin__part *part; (part = kin__pile_take(pile)) != NULL;) {
        kin__part_free(part);
    }
}
