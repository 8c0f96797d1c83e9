/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuts.c - what is cut out of some bytes, and where the rest comes to lie.
 *
 * Cuts that touch become one.  Each knows the sum of all up to it, so that a place is mapped by
 * finding the last cut before it: in logarithmic time, since a hostile object may have many.
 */
#include "object/cuts.h"

#include <string.h>

#include "object/few.h"

void kin__cuts_init(kin__cuts *cuts)
{
    cuts->count = 0;
    cuts->capacity = KIN__CUTS_FEW;
    cuts->items = cuts->few;
}

void kin__cuts_fini(kin__cuts *cuts)
{
    kin__few_free(cuts->items, cuts->few);
}

bool kin__cuts_add(kin__cuts *cuts, uint32_t from, uint32_t to)
{
    kin__cut *last = cuts->count > 0 ? &cuts->items[cuts->count - 1] : NULL;

    if (last != NULL && last->to == from) {
        last->removed += to - from;
        last->to = to;
        return true;
    }
    uint32_t removed = kin__cuts_removed(cuts) + (to - from);
    if (cuts->count == cuts->capacity) {
        void *grown = kin__few_grow(cuts->items, cuts->few, &cuts->capacity, sizeof *cuts->items);
        if (grown == NULL) {
            return false;
        }
        cuts->items = grown;
    }
    cuts->items[cuts->count++] = (kin__cut){ from, to, removed };
    return true;
}

uint32_t kin__cuts_removed(const kin__cuts *cuts)
{
    return cuts->count > 0 ? cuts->items[cuts->count - 1].removed : 0;
}

uint32_t kin__cuts_map(const kin__cuts *cuts, uint32_t place)
{
    size_t low = 0;
    size_t high = cuts->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cuts->items[middle].to <= place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? place : place - cuts->items[low - 1].removed;
}

void kin__cuts_copy(const kin__cuts *cuts, const char *bytes, uint32_t from, uint32_t to, char *out)
{
    for (size_t i = 0; i < cuts->count; i++) {
        const kin__cut *cut = &cuts->items[i];
        memcpy(out, bytes + from, cut->from - from);
        out += cut->from - from;
        from = cut->to;
    }
    memcpy(out, bytes + from, to - from);
}
