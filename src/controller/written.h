/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/written.h - what reconciles have written and is not in the stores yet.
 *
 * Each write is owed to the key whose reconcile made it, by the store of one informer.  It is
 * forgotten when the store has it, or something newer; so there are never more of them than writes
 * on their way.  A key may be parked until nothing is owed to it any more, or for so long.
 *
 * Threading: confined; the controller's lock guards it.
 */
#ifndef KIN_CONTROLLER_WRITTEN_H
#define KIN_CONTROLLER_WRITTEN_H

#include "base/list.h"
#include "base/map.h"
#include "kin/informer.h"
#include "kin/queue.h"

/* A store that owes.  All zero but for the informer. */
typedef struct kin__written_place {
    kin_informer *informer;
    kin__list writes;
    bool has_new;       /* some were not looked at yet */
    uint64_t looked_at; /* the store, by the number of its version */
} kin__written_place;

/* All that is owed to one key. */
typedef struct kin__debt {
    kin__link link; /* of those that are parked, or to be woken */
    kin__list writes;
    size_t count; /* of them */
    int64_t until_ms;
    kin_priority priority;
    bool is_parked;
    size_t len;
    char key[];
} kin__debt;

/* All zero: nothing is owed. */
typedef struct kin__written {
    kin__map debts;
    kin__list parked;
    size_t parked_count;
    size_t count; /* of writes */
} kin__written;

/* Forgets what is owed by one store; and what is left, when all stores were. */
void kin__written_drop(kin__written *written, kin__written_place *place);
void kin__written_clear(kin__written *written);

#define KIN__WRITTEN_VERSION_MAX 64

/*
 * A write of `object_key`, owed to `key` by `place`.
 *
 * version   up to which the store must have come; empty: any
 * gone_uid  what must not be there any more, unless it has a deletion time; empty: nothing
 * stood_at  the store, when it was written: one that falls behind that is of a server that began
 *           anew, or went back to a copy, and will not get there; empty: not known
 * until_ms  how long the key is to wait for this at most
 *
 * Fails with NO_MEMORY.
 */
typedef struct kin__written_what {
    kin_str key;
    kin_str object_key;
    kin_str version;
    kin_str gone_uid;
    kin_str stood_at;
    int64_t until_ms;
} kin__written_what;

kin_err kin__written_add(kin__written *written, kin__written_place *place,
                         const kin__written_what *what, kin_error *err) KIN_MUST_CHECK;

/* The store of this place owes something about that object. */
bool kin__written_is_owed(const kin__written_place *place, kin_str object_key);

/* Forgets what the store has by now, or will never have.  Does nothing while the store is as it was
 * the last time. */
void kin__written_look(kin__written *written, kin__written_place *place);

/* The same of what is owed to one key, by all stores.  NULL: that was all, and the debt is gone. */
kin__debt *kin__written_look_for(kin__written *written, kin__debt *debt);

/* What is owed to the key; NULL: nothing. */
kin__debt *kin__written_find(const kin__written *written, kin_str key);

/* What is missing, for a message: "shop/web in version 12"; borrowed from the places. */
bool kin__written_missing(const kin__written_place *place, const kin__debt *debt,
                          kin_str *out_object_key, kin_str *out_version);

/* The key waits from now on.  It has no worker. */
void kin__written_park(kin__written *written, kin__debt *debt, kin_priority priority);

/* One that is parked and owed nothing any more, or waits for too long; NULL: there is none. */
kin__debt *kin__written_next(const kin__written *written, int64_t now_ms);

/* It is not parked any more; gone, if nothing is owed. */
void kin__written_unpark(kin__written *written, kin__debt *debt);

/* When the first of those that are parked has waited for too long; INT64_MAX: none is parked. */
int64_t kin__written_due_ms(const kin__written *written);

#endif /* KIN_CONTROLLER_WRITTEN_H */
