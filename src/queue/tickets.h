/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue/tickets.h - which worker has which key, and since when.
 *
 * A ticket is given out once in the life of a queue: whoever shows one that was given back, or that
 * never was, is told so, and nothing that is gone is looked at.  All zero has given out none.
 *
 * Threading: confined.
 */
#ifndef KIN_QUEUE_TICKETS_H
#define KIN_QUEUE_TICKETS_H

#include "queue/entries.h"

typedef struct kin__seat {
    kin__entry *entry; /* NULL: nobody sits here */
    uint64_t ticket;
    int64_t since_ns;
    size_t next_free; /* the place of the next one that is free, + 1 */
} kin__seat;

typedef struct kin__tickets {
    kin__seat *seats; /* owned */
    size_t capacity;
    size_t count;      /* that are taken */
    size_t first_free; /* place + 1; 0: none */
    uint64_t last;     /* ticket that was given out */
} kin__tickets;

void kin__tickets_fini(kin__tickets *tickets);

/* Sees to it that the next kin__tickets_give() finds a seat.  Fails with NO_MEMORY. */
kin_err kin__tickets_reserve(kin__tickets *tickets, kin_error *err) KIN_MUST_CHECK;

/* `place` and `ticket` of the item are set. */
void kin__tickets_give(kin__tickets *tickets, kin__entry *entry, int64_t now_ns,
                       kin_queue_item *item);

/* NULL: no such ticket is out. */
kin__seat *kin__tickets_find(kin__tickets *tickets, const kin_queue_item *item);

/* `seat` is of kin__tickets_find(). */
void kin__tickets_return(kin__tickets *tickets, kin__seat *seat);

/* How long those that are out have been so: the longest, and all together. */
void kin__tickets_times(const kin__tickets *tickets, int64_t now_ns, int64_t *out_longest_ns,
                        int64_t *out_sum_ns);

#endif /* KIN_QUEUE_TICKETS_H */
