/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/delta_fifo.h - what happened at a source and was not processed yet, by key.
 *
 * A key stands in line from its first delta on, and has all that came since: client-go's DeltaFIFO.
 *
 * What it promises
 *   - Keys come out in the order of their first delta; deltas of a key in the order they came.
 *   - Two deletions behind each other are one: the one that was seen, if one was.
 *   - A replace or resync is taken as a whole, or, when it fails, not at all.
 *   - While no more deltas wait than the bound says, nothing else is merged.  Past it, what happens
 *     to a key is merged with what waits of it:
 *         add + update = add of the newest       update + delete = delete
 *         add + delete = nothing                 delete + add      stay two
 *         update + update = one
 *     So there are never more deltas than the bound and two for each key.  Whether a key begins
 *     with an add or an update is what the known objects say.
 *   - Nothing waits: an empty fifo says so.
 *
 * Threading: confined.
 */
#ifndef KIN_CACHE_DELTA_FIFO_H
#define KIN_CACHE_DELTA_FIFO_H

#include "base/buf.h"
#include "base/cleanup.h"
#include "cache/delta_line.h"

#define KIN__DELTA_FIFO_BOUND 4096

/* Returns false to stop. */
typedef bool (*kin__known_fn)(void *context, kin_str key, const kin_object *object);

/* What was processed already, as the fifo sees it.  All functions NULL: nothing is known. */
typedef struct kin__known {
    void *context;
    /* Borrowed for the call of the fifo; NULL: there is none. */
    const kin_object *(*get)(void *context, kin_str key);
    /* Each known key; an object of NULL: it is not to be had. */
    void (*each)(void *context, kin__known_fn fn, void *fn_context);
} kin__known;

/* Zero means the default for every field. */
typedef struct kin__delta_fifo_options {
    size_t bound; /* deltas; 0: KIN__DELTA_FIFO_BOUND; SIZE_MAX: none */
    kin__known known;
    /* The key of an object, appended to `out`; NULL: kin_object_key().  Fails with `err` set: then
     * the object is left out, and `refused` (may be NULL) is told; NO_MEMORY: so does the call. */
    kin_err (*key)(void *context, const kin_object *object, kin__buf *out, kin_error *err);
    void (*refused)(void *context, const kin_object *object, const kin_error *err);
    /*
     * What is to wait in place of `object`: `out`, with the same key, of which the fifo takes over
     * a reference.  Called once for each object that comes (not for tombstones and resyncs).  NULL
     * for `out` leaves the key as it was, or deletes it with its last known state.  Fails with
     * `err` set: so does the call.  NULL: the object itself.
     */
    kin_err (*transform)(void *context, kin_str key, kin__delta_type type, const kin_object *object,
                         kin_object **out, kin_error *err);
    void *context;
} kin__delta_fifo_options;

typedef struct kin__delta_fifo kin__delta_fifo;

/* `options` may be NULL; what it points to is borrowed until free.  Fails with NO_MEMORY. */
kin_err kin__delta_fifo_new(const kin__delta_fifo_options *options, kin__delta_fifo **out,
                            kin_error *err) KIN_MUST_CHECK;

/* NULL is ignored. */
void kin__delta_fifo_free(kin__delta_fifo *fifo);
KIN__DEFINE_AUTO(kin__delta_fifo, kin__delta_fifo_free)

/*
 * In all of these objects are borrowed: the fifo takes references.  They fail with NO_MEMORY, what
 * the transform function returned, CANCELLED (closed); then nothing has changed.
 */
kin_err kin__delta_fifo_add(kin__delta_fifo *fifo, const kin_object *object,
                            kin_error *err) KIN_MUST_CHECK;
kin_err kin__delta_fifo_update(kin__delta_fifo *fifo, const kin_object *object,
                               kin_error *err) KIN_MUST_CHECK;

/* `object` in its last state.  Does nothing when its key neither waits nor is known. */
kin_err kin__delta_fifo_delete(kin__delta_fifo *fifo, const kin_object *object,
                               kin_error *err) KIN_MUST_CHECK;

/* These are all there are: REPLACED for each, in their order, then a tombstone for each key that
 * waits or is known and is not among them, with the newest object there is of it. */
kin_err kin__delta_fifo_replace(kin__delta_fifo *fifo, kin_object *const *objects, size_t count,
                                kin_error *err) KIN_MUST_CHECK;

/* SYNC for each known key that does not wait. */
kin_err kin__delta_fifo_resync(kin__delta_fifo *fifo, kin_error *err) KIN_MUST_CHECK;

/* ---- taking out ------------------------------------------------------------------------------ */

/* Takes the first one out: `out` is the caller's, released with kin__deltas_fini().  False: nothing
 * is there. */
bool kin__delta_fifo_pop(kin__delta_fifo *fifo, kin__deltas *out);

/* Takes all out, as they stand in line: walk them with kin__delta_line_next(), and release them
 * with kin__delta_fifo_give_back().  Cannot fail. */
void kin__delta_fifo_pop_all(kin__delta_fifo *fifo, kin__delta_line *out);
void kin__delta_fifo_give_back(kin__delta_fifo *fifo, kin__delta_line *taken);

/* ---- how it stands --------------------------------------------------------------------------- */

size_t kin__delta_fifo_count(const kin__delta_fifo *fifo);  /* keys */
size_t kin__delta_fifo_deltas(const kin__delta_fifo *fifo); /* of all keys */

/* A replace came first and all that it brought was taken out; or a change came before any replace.
 * What waits of the first replace `is_initial`. */
bool kin__delta_fifo_has_synced(const kin__delta_fifo *fifo);

/* Nothing more comes in; what waits can be taken out. */
void kin__delta_fifo_close(kin__delta_fifo *fifo);
bool kin__delta_fifo_is_closed(const kin__delta_fifo *fifo);

#endif /* KIN_CACHE_DELTA_FIFO_H */
