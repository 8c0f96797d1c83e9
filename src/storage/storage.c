/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage.c - the revision that all collections share, and what a collection does.
 *
 * A change takes all the memory it needs before it changes anything.
 */
#include "storage/storage.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "storage/collection.h"

static void note_change(kin__collection *collection, kin__record *before, kin__record *after);

kin_err kin__storage_new(const kin__storage_options *options, kin__storage **out, kin_error *err)
{
    assert(options->history_max > 0);
    kin__storage *storage = kin__alloc_zero(1, sizeof *storage);
    if (storage == NULL) {
        return kin__error_no_memory(err);
    }
    storage->revision = options->first_revision == 0 ? 1 : options->first_revision;
    storage->history_max = options->history_max;
    storage->release_frames = options->release_frames;
    *out = storage;
    return KIN_OK;
}

void kin__storage_free(kin__storage *storage)
{
    if (storage != NULL) {
        assert(kin__list_first(&storage->collections) == NULL);
        kin__free(storage);
    }
}

uint64_t kin__storage_revision(const kin__storage *storage)
{
    return storage->revision;
}

uint64_t kin__storage_next_revision(const kin__storage *storage)
{
    return storage->revision + 1;
}

uint64_t kin__storage_compacted(const kin__storage *storage)
{
    return storage->compacted;
}

void kin__storage_compact(kin__storage *storage, uint64_t revision)
{
    if (revision > storage->revision) {
        revision = storage->revision;
    }
    if (revision <= storage->compacted) {
        return;
    }
    storage->compacted = revision;
    for (kin__link *link = kin__list_first(&storage->collections); link != NULL;
         link = kin__list_next(&storage->collections, link)) {
        kin__history_forget(&KIN__OWNER(link, kin__collection, link)->history, revision);
    }
}

/* ---- a collection --------------------------------------------------------------------------- */

kin_err kin__collection_new(kin__storage *storage, kin__collection **out, kin_error *err)
{
    kin__collection *collection = kin__alloc_zero(1, sizeof *collection);
    if (collection == NULL) {
        return kin__error_no_memory(err);
    }
    collection->storage = storage;
    collection->history.max = storage->history_max;
    collection->history.release_frames = storage->release_frames;
    kin__list_push(&storage->collections, &collection->link);
    *out = collection;
    return KIN_OK;
}

void kin__collection_free(kin__collection *collection)
{
    if (collection == NULL) {
        return;
    }
    kin__order_place place = { 0, 0 };
    for (kin__record *record; (record = kin__order_at(&collection->order, place)) != NULL;
         place = kin__order_next(&collection->order, place)) {
        kin__record_unref(record);
    }
    kin__order_fini(&collection->order);
    kin__history_fini(&collection->history);
    kin__list_remove(&collection->link);
    kin__free(collection);
}

kin__storage *kin__collection_storage(const kin__collection *collection)
{
    return collection->storage;
}

size_t kin__collection_count(const kin__collection *collection)
{
    return collection->order.count;
}

kin__record *kin__collection_get(const kin__collection *collection, kin_str key)
{
    return kin__order_find(&collection->order, key);
}

kin_err kin__collection_put(kin__collection *collection, kin__record *record, kin_error *err)
{
    kin__record *before = NULL;

    assert(record->revision == kin__storage_next_revision(collection->storage));
    if (!kin__history_reserve(&collection->history)) {
        return kin__error_no_memory(err);
    }
    kin_err code = kin__order_put(&collection->order, record, &before, err);
    if (code == KIN_OK) {
        note_change(collection, before, kin__record_ref(record));
    }
    return code;
}

kin_err kin__collection_remove(kin__collection *collection, kin_str key, kin_error *err)
{
    if (kin__order_find(&collection->order, key) == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND, "remove \"%.*s\": there is no such object",
                              KIN_STR_ARG(key));
    }
    if (!kin__history_reserve(&collection->history)) {
        return kin__error_no_memory(err);
    }
    note_change(collection, kin__order_remove(&collection->order, key), NULL);
    return KIN_OK;
}

/* Of what was just done to the order; the records' references are consumed. */
static void note_change(kin__collection *collection, kin__record *before, kin__record *after)
{
    collection->storage->revision++;
    kin__history_add(&collection->history,
                     (kin__change){ collection->storage->revision, before, after, NULL });
    if (collection->changed != NULL) {
        collection->changed(collection->context);
    }
}

/* ---- history -------------------------------------------------------------------------------- */

uint64_t kin__collection_first_change(const kin__collection *collection)
{
    return collection->history.first;
}

uint64_t kin__collection_end_change(const kin__collection *collection)
{
    return collection->history.end;
}

kin__change *kin__collection_change(const kin__collection *collection, uint64_t number)
{
    return kin__history_at(&collection->history, number);
}

uint64_t kin__collection_change_after(const kin__collection *collection, uint64_t revision)
{
    return kin__history_after(&collection->history, revision);
}

uint64_t kin__collection_oldest(const kin__collection *collection)
{
    uint64_t compacted = collection->storage->compacted;
    uint64_t forgotten = collection->history.forgotten;
    return forgotten > compacted ? forgotten : compacted;
}

void kin__collection_on_change(kin__collection *collection, void (*changed)(void *context),
                               void *context)
{
    collection->changed = changed;
    collection->context = context;
}
