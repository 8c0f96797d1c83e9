/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/pending.h - the notifications that a handler has yet to be told: a queue that can merge.
 *
 * First in, first out.  A notification that is merged takes the place of the one that was pending
 * for its key, and goes on from the same `before`:
 *
 *     pending    then       becomes
 *     added      updated    added, of the newest state
 *     added      deleted    nothing: the handler never knew
 *     updated    updated    updated, from what was told to the newest state
 *     updated    deleted    deleted
 *     deleted    deleted    deleted; what is no tombstone wins
 *     deleted    added      both, in that order
 *
 * So while everything is merged no more than two are pending for a key.  A resync of what is
 * pending tells nothing, and is merged at any time.
 *
 * Who cannot do without the states in between is asked first, by `may_merge`.
 *
 * Memory is needed for making a note only: what is pushed is never lost for lack of it.
 *
 * Threading: confined.
 */
#ifndef KIN_CACHE_PENDING_H
#define KIN_CACHE_PENDING_H

#include "base/list.h"
#include "kin/registration.h"

/* A notification that holds what it tells. */
typedef struct kin__note {
    kin__link link;          /* in a queue or list of the caller's; first */
    struct kin__note *chain; /* private, as the next two */
    uint64_t hash;
    bool is_newest;        /* of its key: it is in the table */
    uint64_t number;       /* the caller's own */
    int64_t at_ns;         /* likewise: since when it is pending; of a merge, the older one's */
    kin_notification told; /* holds references to its objects */
    char own_key[];        /* where the key is not that of the object */
} kin__note;

/* Holds references to the objects and the key.  Fails with NO_MEMORY. */
kin_err kin__note_new(const kin_notification *notification, uint64_t number, kin__note **out,
                      kin_error *err) KIN_MUST_CHECK;
/* NULL is ignored. */
void kin__note_free(kin__note *note);
/* All of a list. */
void kin__notes_free(kin__list *notes);

/* Whether two notifications of a key may become one, or none.  Not asked of a resync. */
typedef bool (*kin__may_merge_fn)(void *context, const kin_notification *older,
                                  const kin_notification *newer);

/* All zero is an empty one.  Does not move while it is not empty. */
typedef struct kin__pending {
    kin__may_merge_fn may_merge; /* the caller's; NULL: they may */
    void *context;               /* of it; borrowed */
    kin__list notes;
    size_t count;
    size_t initial;     /* of these, with `is_initial` */
    uint64_t merged;    /* notes that went into others, and those they cancelled */
    kin__note **places; /* private: a table of each key's newest note; owned */
    size_t place_count; /* 0 or a power of two */
    kin__note *lone;    /* the table while there is none */
    size_t key_count;
} kin__pending;

/* Consumes `note`, which is on no list.  `is_merging`: in the way above, where it can be.  Cannot
 * fail. */
void kin__pending_push(kin__pending *pending, kin__note *note, bool is_merging);

/* The oldest, owned by the caller; NULL when there is none. */
kin__note *kin__pending_pop(kin__pending *pending);

/* Leaves it empty: what was in it goes behind `out`. */
void kin__pending_drain(kin__pending *pending, kin__list *out);

#endif /* KIN_CACHE_PENDING_H */
