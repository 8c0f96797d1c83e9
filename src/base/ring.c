/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.c - a queue in an array that wraps around.
 *
 * The items lie at first, first + 1, ... modulo the capacity.  The array doubles when it is full
 * and halves when three quarters are free, so that no push or pop waits for the next to pay.
 */
#include "base/ring.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"

#define FIRST_CAPACITY 16

static bool resize(kin__ring *ring, size_t capacity);
static size_t place_of(const kin__ring *ring, size_t index);

void kin__ring_fini(kin__ring *ring)
{
    kin__free(ring->items);
    *ring = (kin__ring){ 0 };
}

kin_err kin__ring_push(kin__ring *ring, void *item, kin_error *err)
{
    assert(item != NULL);
    if (ring->limit != 0 && ring->count >= ring->limit) {
        return kin__error_set(err, KIN_ERR_LIMIT, "the queue is full (%zu)", ring->limit);
    }
    if (ring->count == ring->capacity &&
        !resize(ring, ring->capacity == 0 ? FIRST_CAPACITY : ring->capacity * 2)) {
        return kin__error_no_memory(err);
    }
    ring->items[place_of(ring, ring->count)] = item;
    ring->count++;
    return KIN_OK;
}

void *kin__ring_pop(kin__ring *ring)
{
    if (ring->count == 0) {
        return NULL;
    }
    void *item = ring->items[ring->first];
    ring->first = place_of(ring, 1);
    ring->count--;
    if (ring->capacity > FIRST_CAPACITY && ring->count < ring->capacity / 4) {
        (void) resize(ring, ring->capacity / 2); /* without memory the array stays large */
    }
    return item;
}

static bool resize(kin__ring *ring, size_t capacity)
{
    void **items = kin__alloc_zero(capacity, sizeof *items);
    if (items == NULL) {
        return false;
    }
    for (size_t i = 0; i < ring->count; i++) {
        items[i] = ring->items[place_of(ring, i)];
    }
    kin__free(ring->items);
    ring->items = items;
    ring->capacity = capacity;
    ring->first = 0;
    return true;
}

static size_t place_of(const kin__ring *ring, size_t index)
{
    return (ring->first + index) & (ring->capacity - 1);
}
