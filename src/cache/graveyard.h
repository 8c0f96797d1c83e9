/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/graveyard.h - what was deleted, for a while.
 *
 * It goes along with the batches of a controller, beside the processor:
 *
 *     kin__graveyard_stage(graveyard, &notification, err)    for each change
 *     kin__graveyard_bury(graveyard, now_ms, err)            before the store's version is
 * published
 *
 * and by and by, at the time that kin__graveyard_due_ms() says, kin__graveyard_expire().
 *
 * The dead lie in a store.  Its keys are those they had, with uid and time behind, so that one key
 * may come again; an index finds them by what it was.
 *
 * Threading: confined, but for its store.
 */
#ifndef KIN_CACHE_GRAVEYARD_H
#define KIN_CACHE_GRAVEYARD_H

#include "base/cleanup.h"
#include "base/clock.h"
#include "cache/store.h"
#include "kin/deleted.h"
#include "kin/registration.h"

typedef struct kin__graveyard kin__graveyard;

typedef struct kin__graveyard_options {
    int64_t keep_ms; /* at least; above 0 */
    size_t most;     /* 0: any number */
    /* As the store's whose objects these were. */
    kin_err (*key)(void *context, const kin_object *object, kin__buf *out, kin_error *err);
    void *context;                    /* of both functions */
    void (*on_unread)(void *context); /* as kin__store_options has it */
    const kin__clock *clock;          /* borrowed: its wall time is what is noted */
} kin__graveyard_options;

/* Fails with NO_MEMORY. */
kin_err kin__graveyard_new(const kin__graveyard_options *options, kin__graveyard **out,
                           kin_error *err) KIN_MUST_CHECK;

/* NULL is ignored, here and below: there is none. */
void kin__graveyard_free(kin__graveyard *graveyard);
KIN__DEFINE_AUTO(kin__graveyard, kin__graveyard_free)

/* Borrowed; NULL: there is none. */
kin_store *kin__graveyard_store(const kin__graveyard *graveyard);

/* Takes down what `notification` says to be gone, if it does.  Fails with NO_MEMORY; then nothing
 * has changed. */
kin_err kin__graveyard_stage(kin__graveyard *graveyard, const kin_notification *notification,
                             kin_error *err) KIN_MUST_CHECK;

/* Takes back what was staged last, of one notification. */
void kin__graveyard_unstage(kin__graveyard *graveyard);

/* Brings all that was staged into the store; what is over the bound goes.  Fails with NO_MEMORY;
 * then all is as it was, and may be tried again. */
kin_err kin__graveyard_bury(kin__graveyard *graveyard, int64_t now_ms,
                            kin_error *err) KIN_MUST_CHECK;

/* When there is something for expire to do; INT64_MAX: never. */
int64_t kin__graveyard_due_ms(const kin__graveyard *graveyard);

/* Takes out those whose time is over.  Fails with NO_MEMORY, as above. */
kin_err kin__graveyard_expire(kin__graveyard *graveyard, int64_t now_ms,
                              kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CACHE_GRAVEYARD_H */
