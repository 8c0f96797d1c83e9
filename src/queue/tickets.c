/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tickets.c - an array of seats, the free ones chained.
 */
#include "queue/tickets.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"

#define FIRST_CAPACITY 8

void kin__tickets_fini(kin__tickets *tickets)
{
    kin__free(tickets->seats);
    *tickets = (kin__tickets){ 0 };
}

kin_err kin__tickets_reserve(kin__tickets *tickets, kin_error *err)
{
    if (tickets->first_free != 0) {
        return KIN_OK;
    }
    size_t capacity = tickets->capacity == 0 ? FIRST_CAPACITY : tickets->capacity * 2;
    size_t bytes;
    if (__builtin_mul_overflow(capacity, sizeof(kin__seat), &bytes)) {
        return kin__error_no_memory(err);
    }
    kin__seat *seats = kin__realloc(tickets->seats, bytes);
    if (seats == NULL) {
        return kin__error_no_memory(err);
    }
    for (size_t i = tickets->capacity; i < capacity; i++) {
        seats[i] = (kin__seat){ .next_free = i + 1 < capacity ? i + 2 : 0 };
    }
    tickets->first_free = tickets->capacity + 1;
    tickets->seats = seats;
    tickets->capacity = capacity;
    return KIN_OK;
}

void kin__tickets_give(kin__tickets *tickets, kin__entry *entry, int64_t now_ns,
                       kin_queue_item *item)
{
    assert(tickets->first_free != 0);
    item->place = tickets->first_free - 1;
    item->ticket = ++tickets->last;
    kin__seat *seat = &tickets->seats[item->place];
    tickets->first_free = seat->next_free;
    *seat = (kin__seat){ .entry = entry, .ticket = item->ticket, .since_ns = now_ns };
    tickets->count++;
}

kin__seat *kin__tickets_find(kin__tickets *tickets, const kin_queue_item *item)
{
    if (item->place >= tickets->capacity) {
        return NULL;
    }
    kin__seat *seat = &tickets->seats[item->place];
    return seat->entry != NULL && seat->ticket == item->ticket ? seat : NULL;
}

void kin__tickets_return(kin__tickets *tickets, kin__seat *seat)
{
    *seat = (kin__seat){ .next_free = tickets->first_free };
    tickets->first_free = (size_t) (seat - tickets->seats) + 1;
    tickets->count--;
}

void kin__tickets_times(const kin__tickets *tickets, int64_t now_ns, int64_t *out_longest_ns,
                        int64_t *out_sum_ns)
{
    int64_t longest = 0;
    int64_t sum = 0;

    for (size_t i = 0; i < tickets->capacity; i++) {
        const kin__seat *seat = &tickets->seats[i];
        int64_t ns = seat->entry == NULL ? 0 : now_ns - seat->since_ns;
        longest = ns > longest ? ns : longest;
        sum += ns;
    }
    *out_longest_ns = longest;
    *out_sum_ns = sum;
}
