/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue/entries.h - the keys that a queue knows.
 *
 * An entry holds its key and all that is known of it, so that whatever happens to it later needs no
 * memory.  Entries that are removed are kept for the next ones, up to a limit.
 *
 * Which keys share a place in the table cannot be foreseen from outside.
 *
 * Threading: confined.
 */
#ifndef KIN_QUEUE_ENTRIES_H
#define KIN_QUEUE_ENTRIES_H

#include "base/heap.h"
#include "base/list.h"
#include "kin/queue.h"

typedef struct kin__entry {
    uint64_t hash;                 /* private */
    struct kin__entry *next_spare; /* private */
    kin__link line;                /* of those that wait */
    kin__heap_node later; /* of those that are to come later; nanoseconds of the queue's clock */
    int64_t added_ns;     /* when it was added, while it waits and where times are kept */
    uint32_t failures;
    uint32_t room; /* private: for the key */
    uint32_t key_len;
    int8_t priority;       /* while it waits, or was added again */
    int8_t later_priority; /* while it is to come later */
    bool is_running;       /* a worker has it */
    bool is_again;         /* ... and it was added meanwhile */
    char key[];
} kin__entry;

typedef struct kin__entry_slot {
    uint64_t hash;
    kin__entry *entry; /* owned; NULL: the slot is free */
} kin__entry_slot;

typedef struct kin__entries {
    kin__entry_slot *slots; /* owned */
    size_t capacity;        /* a power of two */
    size_t count;
    kin__entry *spare; /* owned: the last one that was removed */
    size_t spare_count;
    uint64_t seed;
} kin__entries;

#define KIN__KEY_MAX 65535

/* Fails with NO_MEMORY. */
kin_err kin__entries_init(kin__entries *entries, kin_error *err) KIN_MUST_CHECK;

/* All zero is ignored. */
void kin__entries_fini(kin__entries *entries);

uint64_t kin__entries_hash(const kin__entries *entries, kin_str key);

/* NULL: there is none.  `hash` is that of the key. */
kin__entry *kin__entries_find(const kin__entries *entries, uint64_t hash, kin_str key);

/* The key is not in it, and no longer than KIN__KEY_MAX.  All but the key is zero.  NULL when there
 * is no memory. */
kin__entry *kin__entries_add(kin__entries *entries, uint64_t hash, kin_str key);

/* It is in no line and no heap. */
void kin__entries_remove(kin__entries *entries, kin__entry *entry);

static inline kin_str kin__entry_key(const kin__entry *entry)
{
    return (kin_str){ entry->key, entry->key_len };
}

#endif /* KIN_QUEUE_ENTRIES_H */
