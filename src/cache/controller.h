/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/controller.h - brings what reflectors tell into a store, and tells what changed.
 *
 *     reflector ──sink──► DeltaFIFO ──process──► store ──► stage, commit: the processor
 *
 * Each source of the store (one, or one for each namespace) has a reflector and a DeltaFIFO.
 *
 * What it promises
 *   - Processing takes everything that waits, applies it in one batch and publishes it: each
 *     version of the store is a state its sources were in.
 *   - What happened is staged in the order of the fifo (of a replace, deletions first) and
 *     committed when it can be seen in the store.
 *   - What is told follows from what the store had: an add was not there, an update and a deletion
 *     were, and `before` is the very object that was.
 *   - Nothing is lost for lack of memory.  A batch that finds none is paused, unseen, and the next
 *     call goes on with it, or from its beginning when somebody has added an index meanwhile; what
 *     comes until then is refused with NO_MEMORY, and the reflector fetches it again.
 *   - An object that the transform or the store refuses is reported and holds up nobody else; what
 *     the store has under its key stays.
 *   - What a replace brings with the uid and resource version that the store has, is neither put
 *     nor transformed again: the store keeps the object it has.
 *
 * Threading: confined.  Between its calls anybody may write the store's indexes.
 */
#ifndef KIN_CACHE_CONTROLLER_H
#define KIN_CACHE_CONTROLLER_H

#include "cache/delta_fifo.h"
#include "cache/reflector.h"
#include "cache/store.h"
#include "cache/version_wait.h"
#include "kin/registration.h"

/* Zero means the default for every field; those that are functions may be NULL. */
typedef struct kin__controller_options {
    size_t sources; /* as the store's; 0: 1 */
    /* Of each source; objects of others are refused.  NULL: any namespace, for one source only.
     * Copied. */
    const kin_str *namespaces;
    size_t bound; /* of each fifo, as in cache/delta_fifo.h */
    /* As the store's. */
    kin_err (*key)(void *context, const kin_object *object, kin__buf *out, kin_error *err);
    /*
     * What the store is to hold in place of `object`: `out`, shared, with the same key, uid and
     * resource version.  Once for each object; deleted ones too.  Fails with `err` set: the object
     * is refused; NO_MEMORY: it is tried again.
     */
    kin_err (*transform)(void *context, const kin_object *object, kin_object **out, kin_error *err);
    /*
     * Makes ready to tell what happens to an object, before it does; `before` is what the store
     * has, for deletions too, and of a resync or an object that did not change the object itself.
     * Fails with `err` set: it is staged again later.  Unstage takes the last one back.
     */
    kin_err (*stage)(void *context, const kin_notification *notification, kin_error *err);
    void (*unstage)(void *context);
    /* All is staged, and nothing of it can be seen yet: what is to be seen no later than the
     * store's new version is published here.  Fails with `err` set: it is called again later. */
    kin_err (*prepare)(void *context, kin_error *err);
    /* What was staged is in the store now, since the version with that number (kin_view_number()).
     * Called by process only. */
    void (*commit)(void *context, uint64_t version);
    /* Once, after the commit with which kin__controller_has_synced() becomes true. */
    void (*synced)(void *context);
    /* The key function, the transform or the store refused an object. */
    void (*refused)(void *context, const kin_object *object, const kin_error *err);
    /* What a reflector has to say. */
    void (*trouble)(void *context, size_t source, const kin__reflector_trouble *trouble);
    void *context;
    /* An object that was deleted and made again while nobody looked (the uid says so) is an update,
     * as in client-go, and not a deletion and an add. */
    bool recreated_is_update;
} kin__controller_options;

typedef struct kin__controller kin__controller;

/* The store is borrowed until free, as what the options point to; this is its only writer but for
 * indexes.  Fails with USAGE (several sources without namespaces), NO_MEMORY. */
kin_err kin__controller_new(kin_store *store, const kin__controller_options *options,
                            kin__controller **out, kin_error *err) KIN_MUST_CHECK;

/* What waits is dropped, as is a batch that lack of memory has paused.  NULL is ignored. */
void kin__controller_free(kin__controller *controller);
KIN__DEFINE_AUTO(kin__controller, kin__controller_free)

/* What the reflector of a source is to be given.  Not to be called from inside the functions of the
 * options. */
kin__reflector_sink kin__controller_sink(kin__controller *controller, size_t source);

/* Each object of the source of which nothing waits is told again, as an update.  Fails with
 * NO_MEMORY; then nothing has changed. */
kin_err kin__controller_resync(kin__controller *controller, size_t source,
                               kin_error *err) KIN_MUST_CHECK;

/* Whether process has anything to do. */
bool kin__controller_is_pending(const kin__controller *controller);

/* Applies, publishes and tells all that waits.  Fails with NO_MEMORY, or with what `stage`
 * returned: then nothing can be seen of it, and the same is tried again by the next call. */
kin_err kin__controller_process(kin__controller *controller, kin_error *err) KIN_MUST_CHECK;

/* The first whole state was applied and told: of one source, of all. */
bool kin__controller_source_has_synced(const kin__controller *controller, size_t source);
bool kin__controller_has_synced(const kin__controller *controller);

/* For metrics: deltas that wait. */
size_t kin__controller_deltas(const kin__controller *controller);

/* ---- read your writes ------------------------------------------------------------------------ */

/*
 * `wait` has key and resource_version; its source is found here.  `out_is_over`: the store has seen
 * that version already.  Else it waits, until kin__list_remove() takes its link off, or, after a
 * call of process, kin__controller_take_wait() does because it is over.  Fails with NOT_FOUND: no
 * source has that namespace.
 */
kin_err kin__controller_wait(kin__controller *controller, kin__version_wait *wait,
                             bool *out_is_over, kin_error *err) KIN_MUST_CHECK;

/* NULL when there is none. */
kin__version_wait *kin__controller_take_wait(kin__controller *controller);

#endif /* KIN_CACHE_CONTROLLER_H */
