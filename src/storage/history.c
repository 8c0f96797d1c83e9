/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.c - changes in an array that wraps around.
 *
 * Change n lies at n modulo the capacity, which doubles until there is room for `max`.
 */
#include "storage/history.h"

#include <assert.h>

#include "base/alloc.h"

#define FIRST_CAPACITY 16

static kin__change *change_at(const kin__history *history, uint64_t number);
static void forget_first(kin__history *history);

void kin__history_fini(kin__history *history)
{
    while (history->first < history->end) {
        forget_first(history);
    }
    kin__free(history->changes);
    history->changes = NULL;
    history->capacity = 0;
}

bool kin__history_reserve(kin__history *history)
{
    size_t count = (size_t) (history->end - history->first);
    if (count < history->capacity || count >= history->max) {
        return true; /* with `max` of them the oldest one makes room */
    }
    size_t capacity = history->capacity == 0 ? FIRST_CAPACITY : history->capacity * 2;
    kin__change *changes = kin__alloc_zero(capacity, sizeof *changes);
    if (changes == NULL) {
        return false;
    }
    for (uint64_t n = history->first; n < history->end; n++) {
        changes[n & (capacity - 1)] = *change_at(history, n);
    }
    kin__free(history->changes);
    history->changes = changes;
    history->capacity = capacity;
    return true;
}

void kin__history_add(kin__history *history, kin__change change)
{
    if (history->end - history->first >= history->max) {
        forget_first(history);
    }
    assert(history->end - history->first < history->capacity);
    *change_at(history, history->end) = change;
    history->end++;
}

void kin__history_forget(kin__history *history, uint64_t revision)
{
    while (history->first < history->end &&
           change_at(history, history->first)->revision <= revision) {
        forget_first(history);
    }
}

kin__change *kin__history_at(const kin__history *history, uint64_t number)
{
    return number >= history->first && number < history->end ? change_at(history, number) : NULL;
}

uint64_t kin__history_after(const kin__history *history, uint64_t revision)
{
    uint64_t low = history->first;
    uint64_t high = history->end;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (change_at(history, middle)->revision <= revision) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static kin__change *change_at(const kin__history *history, uint64_t number)
{
    return &history->changes[number & (history->capacity - 1)];
}

static void forget_first(kin__history *history)
{
    kin__change *change = change_at(history, history->first);
    history->forgotten = change->revision;
    kin__record_unref(change->before);
    kin__record_unref(change->after);
    if (change->frames != NULL && history->release_frames != NULL) {
        history->release_frames(change->frames);
    }
    *change = (kin__change){ 0 };
    history->first++;
}
