/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage/history.h - the newest changes of a collection, by number.
 *
 * Changes are numbered from 0; the oldest ones are forgotten.  References to the records of a
 * change are held here.
 *
 * Threading: confined.
 */
#ifndef KIN_STORAGE_HISTORY_H
#define KIN_STORAGE_HISTORY_H

#include "storage/storage.h"

typedef struct kin__history {
    kin__change *changes; /* owned: a ring */
    size_t capacity;      /* 0 or a power of two */
    size_t max;           /* changes at most; at least 1 */
    uint64_t first;       /* the number of the oldest one that is there */
    uint64_t end;         /* of the next one */
    uint64_t forgotten;   /* revision of the newest one that is not there any more; 0: none */
    void (*release_frames)(void *frames);
} kin__history;

void kin__history_fini(kin__history *history);

/* Makes room for one change, so that the next kin__history_add() cannot fail; false when there is
 * no memory. */
bool kin__history_reserve(kin__history *history);

/* `change` is consumed: its records' references and its frames. */
void kin__history_add(kin__history *history, kin__change change);

/* Forgets what has a revision up to this one. */
void kin__history_forget(kin__history *history, uint64_t revision);

/* NULL when it is not there. */
kin__change *kin__history_at(const kin__history *history, uint64_t number);

/* The number of the first one with a greater revision, of those that are there; `end`: none. */
uint64_t kin__history_after(const kin__history *history, uint64_t revision);

#endif /* KIN_STORAGE_HISTORY_H */
