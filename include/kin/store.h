/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/store.h - the local copy of a resource: reading it.
 *
 * A store is a row of versions.  Whoever writes it (an informer) applies a batch of changes and
 * publishes the next version; readers see one version or the next, never anything between.
 *
 * Reading happens in a view, which is one version of the store:
 *
 *     kin_view view = kin_store_read(store);           a read section: short, on this thread
 *     const kin_object *pod = kin_view_get(&view, kin_str_of("shop/web-0"));
 *     ...
 *     kin_store_done(&view);
 *
 *     kin_snapshot *snapshot;                          for as long as you like, on any thread
 *     kin_store_snapshot(store, &snapshot, &err);
 *     pod = kin_view_get(kin_snapshot_view(snapshot), key);
 *
 * What it promises
 *   - Readers never wait for the writer, nor the writer for readers.
 *   - What a view gives is borrowed until the view ends; kin_object_ref() keeps an object longer.
 *   - Reading allocates nothing and never fails.
 *   - A snapshot costs the same whatever the size of the store, stays as it is, and keeps in
 *     memory no more than what it shows.
 *
 * Threading: a store is thread-safe.  A read section is confined to its thread, which may have
 * several open at once, inside each other; it should be short (nothing that was removed meanwhile
 * is released before it ends), and is not kept across fork().  A snapshot is immutable.
 */
#ifndef KIN_STORE_H
#define KIN_STORE_H

#include "kin/common.h"
#include "kin/object.h"
#include "kin/selector.h"

KIN_BEGIN_DECLS

typedef struct kin_store kin_store;
typedef struct kin_snapshot kin_snapshot;

/* One version of a store.  Its fields are the library's own. */
typedef struct kin_view {
    const void *version;
    void *reader;
} kin_view;

/* Begins a read section on this thread.  Ends with kin_store_done(), on the same thread. */
KIN_API kin_view kin_store_read(const kin_store *store);
KIN_API void kin_store_done(kin_view *view);

/* `out` is owned by the caller; release with kin_snapshot_free(), from any thread, also after the
 * store is gone.  Fails with NO_MEMORY. */
KIN_API KIN_MUST_CHECK kin_err kin_store_snapshot(const kin_store *store, kin_snapshot **out,
                                                  kin_error *err);
KIN_API void kin_snapshot_free(kin_snapshot *snapshot);

/* Borrowed from the snapshot. */
KIN_API const kin_view *kin_snapshot_view(const kin_snapshot *snapshot);

/* ---- reading ----------------------------------------------------------------------------- */

/* The object with that key ("namespace/name", "name"; or what the store's key function makes);
 * NULL when there is none. */
KIN_API const kin_object *kin_view_get(const kin_view *view, kin_str key);

/* How many objects there are. */
KIN_API size_t kin_view_count(const kin_view *view);

/* A number that is higher in each later version of the store. */
KIN_API uint64_t kin_view_number(const kin_view *view);

/* The resource version up to which this version of the store has everything that happened at its
 * source; empty: not synced yet.  `source` is 0 but for a store with several sources (one for each
 * namespace). */
KIN_API kin_str kin_view_resource_version(const kin_view *view, size_t source);

/* Where a walk is.  Its fields are the library's own. */
typedef struct kin_walk {
    const void *leaf;
    size_t slot;
    uintptr_t root;
    size_t at;
} kin_walk;

/*
 * Walks objects, in no particular order:
 *
 *     kin_view_iter iter = kin_view_all(&view);
 *     while (kin_view_next(&iter)) {
 *         use(iter.object);
 *     }
 *
 * The iterator needs no release and ends with its view at the latest.
 */
typedef struct kin_view_iter {
    const kin_object *object;
    kin_str key;   /* in the store */
    kin_walk walk; /* the library's own, as the next */
    kin_str only;
} kin_view_iter;

KIN_API kin_view_iter kin_view_all(const kin_view *view);

/* Those that an index has under `value`; nothing for an index that there is not. */
KIN_API kin_view_iter kin_view_by_index(const kin_view *view, const char *index, kin_str value);

/* Those of a namespace: by the index "namespace", which every store has unless it was made without,
 * else by looking at all. */
KIN_API kin_view_iter kin_view_in_namespace(const kin_view *view, kin_str ns);

KIN_API bool kin_view_next(kin_view_iter *iter);

/* The same, until one matches the selectors; NULL matches everything. */
KIN_API bool kin_view_next_matching(kin_view_iter *iter, const kin_selector *labels,
                                    const kin_field_selector *fields);

/* The names of the indexes, from 0 on; NULL at the end.  Borrowed from the view. */
KIN_API const char *kin_view_index_name(const kin_view *view, size_t number);

/* How many objects an index has under `value`. */
KIN_API size_t kin_view_index_count(const kin_view *view, const char *index, kin_str value);

/* Walks the values of an index: `value` is borrowed from the view; its objects are those of
 * kin_view_by_index().  False at the end.  Begin with all zero. */
typedef struct kin_index_iter {
    kin_str value;
    size_t count;  /* how many objects */
    kin_walk walk; /* the library's own */
} kin_index_iter;

KIN_API bool kin_view_next_value(const kin_view *view, const char *index, kin_index_iter *iter);

/* ---- indexes ----------------------------------------------------------------------------- */

/* Tells `add(context, value)` each value under which `object` is to be found; values may repeat or
 * be empty.  Runs on whoever writes the store, which waits for it: it may read, but nothing that
 * waits may be called in it (fails with USAGE).  Returning another code than KIN_OK (with `err`
 * set) leaves this object out of this index, and is reported; nothing else is held up. */
typedef struct kin_index_sink kin_index_sink;
typedef kin_err (*kin_index_fn)(void *context, const kin_object *object, kin_index_sink *sink,
                                kin_error *err);
KIN_API void kin_index_add(kin_index_sink *sink, kin_str value);

/* One of `path` and `fn`. */
typedef struct kin_index_options {
    size_t size;      /* set by KIN_INDEX_OPTIONS_INIT */
    const char *name; /* copied */
    const char *path; /* every string, number and bool that it leads to: "spec.nodeName",
                         "metadata.labels[*]", "status.podIPs[*].ip"; copied */
    kin_index_fn fn;
    void *context; /* borrowed for as long as the index is there */
} kin_index_options;

#define KIN_INDEX_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(kin_index_options), NULL, NULL, NULL, NULL                                          \
    }

/*
 * Adds an index; what is in the store already is indexed before it is seen.  From any thread, at
 * any time, on the caller's thread; it waits for whoever is changing the store.  Fails with USAGE
 * (the name is taken; both or none of path and fn; from inside an index function of any store; in a
 * forked child), MALFORMED (the path), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_store_add_index(kin_store *store,
                                                   const kin_index_options *options,
                                                   kin_error *err);

/* Views that were opened before still have it.  Fails with NOT_FOUND, USAGE (as above). */
KIN_API KIN_MUST_CHECK kin_err kin_store_remove_index(kin_store *store, const char *name,
                                                      kin_error *err);

KIN_END_DECLS
#endif /* KIN_STORE_H */
