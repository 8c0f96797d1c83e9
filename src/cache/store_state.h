/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/store_state.h - what a store is made of.
 */
#ifndef KIN_CACHE_STORE_STATE_H
#define KIN_CACHE_STORE_STATE_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/lock.h"
#include "cache/batch.h"
#include "cache/garbage.h"
#include "cache/plan.h"
#include "cache/store.h"
#include "cache/version.h"

/* Lies on a multiple of 64 bytes.  What readers look at has a line of its own: the writer's work
 * does not take it from them. */
struct kin_store {
    _Atomic(kin__version *) current;
    kin__garbage *garbage; /* shared with the snapshots */
    char to_next_line[64 - 2 * sizeof(void *)];

    kin__mutex writing;                      /* held from begin to publish, but for pauses */
    _Atomic(const void *) writer;            /* which thread that is; NULL: none */
    pid_t pid;                               /* of the process that made it */
    kin__store_options options;              /* as all below, the writer's */
    kin__version *draft GUARDED_BY(writing); /* NULL: the batch has not changed anything */
    bool is_paused GUARDED_BY(writing);      /* the draft is of a batch that is not open now */
    kin__batch batch GUARDED_BY(writing);
    kin__plan plan GUARDED_BY(writing);
    kin__buf key GUARDED_BY(writing);
    size_t most GUARDED_BY(writing); /* objects there were since the parts were last moved */
    _Atomic size_t structure_bytes;  /* as of the last publish */
    _Atomic size_t object_bytes;
};

/* Sees to it that the batch has a draft.  Fails with NO_MEMORY. */
kin_err kin__store_draft_locked(kin_store *store, kin_error *err) KIN_MUST_CHECK
    REQUIRES(store->writing);

/* Tells threads apart. */
const void *kin__store_thread(void);

#endif /* KIN_CACHE_STORE_STATE_H */
