/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/store.h - writing a store: batches and versions.
 *
 * One writer at a time.  A batch begins, changes things, and is published as the next version in
 * one pointer store; until then only the writer sees it.  What a version drops is released when no
 * view can see it any more.
 */
#ifndef KIN_CACHE_STORE_H
#define KIN_CACHE_STORE_H

#include "base/buf.h"
#include "kin/store.h"

typedef struct kin__store_options {
    /* The key of an object, appended to `out`; NULL: kin_object_key().  Fails with `err` set: the
     * object is refused. */
    kin_err (*key)(void *context, const kin_object *object, kin__buf *out, kin_error *err);
    /* An index function failed on an object: it is in the store and not in that index. */
    void (*on_index_error)(void *context, const char *index, const kin_object *object,
                           const kin_error *err);
    /* A snapshot has ended or an index has changed, and what went with it waits for read sections:
     * collect by and by.  Any
     * thread, under a lock: it may post something, and must not call back.  NULL: nobody is told.
     */
    void (*on_unread)(void *context);
    void *context;
    size_t sources; /* 0: 1 */
    bool no_namespace_index;
    /* For tests: the seed of hashes (0: a random one), and bits of every hash that are cleared. */
    uint64_t hash_seed;
    uint64_t blind_hash_bits;
} kin__store_options;

/* `options` may be NULL.  Fails with NO_MEMORY. */
kin_err kin__store_new(const kin__store_options *options, kin_store **out,
                       kin_error *err) KIN_MUST_CHECK;

/* No read section and no batch is open; one of another thread is waited for, one that is paused is
 * dropped.  Snapshots live on.  NULL is ignored. */
void kin__store_free(kin_store *store);

/* Opens a batch; holds the store's writer lock until kin__store_publish() or kin__store_pause().
 * What a paused batch holds is dropped: nobody has seen it. */
void kin__store_begin(kin_store *store);

/* Lets others write, and keeps the open batch for as long as nobody does.  Cannot fail. */
void kin__store_pause(kin_store *store);

/* Opens the batch again that was paused.  False: somebody has written since, and this is a new one,
 * which holds nothing. */
bool kin__store_resume(kin_store *store);

/*
 * Puts `object` in (shared: takes a reference of its own), in place of what has its key.  `out_old`
 * is what that was, NULL when there was none: borrowed until publish.  Fails with what the key
 * function returned, USAGE (an empty key), LIMIT (a key of 64 KB and more), NO_MEMORY; then nothing
 * has changed.
 */
kin_err kin__store_put(kin_store *store, const kin_object *object, const kin_object **out_old,
                       kin_error *err) KIN_MUST_CHECK;

/* Takes out what has that key; `out_old` as above.  Fails with NO_MEMORY; then nothing has changed.
 */
kin_err kin__store_remove(kin_store *store, kin_str key, const kin_object **out_old,
                          kin_error *err) KIN_MUST_CHECK;

/* What the batch holds by now. */
const kin_object *kin__store_newest(const kin_store *store, kin_str key);

/* A view of what the batch holds by now, for walking; valid until the next change. */
kin_view kin__store_newest_view(const kin_store *store);

/* The resource version of a source as of this batch.  Fails with NO_MEMORY. */
kin_err kin__store_set_resource_version(kin_store *store, size_t source, kin_str version,
                                        kin_error *err) KIN_MUST_CHECK;

/* Publishes the batch, if it changed anything, and ends it.  Cannot fail.  With that the store may
 * be gone: another thread may have waited to free it. */
void kin__store_publish(kin_store *store);

/* The same, and a nudge of its garbage: for who writes the store now and then. */
void kin__store_publish_and_nudge(kin_store *store);

/* Makes a snapshot one of what its store shows now.  Cannot fail. */
void kin__snapshot_renew(kin_snapshot *snapshot, const kin_store *store);

/* Releases what was dropped and no view can see any more.  Publishing does it too: this is for a
 * store that nothing happens to.  True: something waits for read sections to end; what snapshots
 * hold is not meant, because their end does this as well.  Thread-safe. */
bool kin__store_collect(kin_store *store);

/* From here on nobody is told `on_unread`; no call of it is under way.  Thread-safe. */
void kin__store_mute(kin_store *store);

/* For metrics, thread-safe: bytes of objects and of the store's own structures, without what only
 * snapshots hold; and how many things that were dropped are not released yet. */
typedef struct kin__store_usage {
    size_t object_bytes;
    size_t structure_bytes;
    size_t unreleased;
} kin__store_usage;

kin__store_usage kin__store_measure(const kin_store *store);

#endif /* KIN_CACHE_STORE_H */
