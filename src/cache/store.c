/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - writing a store.
 *
 * The first change of a batch makes a draft: a version of its own with the content of the newest.
 * Each change first makes ready all it needs in the tables of the draft, which may fail, and then
 * takes place, which cannot; so there is nothing to undo.  Publishing needs no memory.
 */
#include "cache/store.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/options.h"
#include "base/slab.h"
#include "base/str.h"
#include "cache/store_state.h"
#include "object/object.h"

/* After so many were removed that only one in this many is left, the rest is moved together. */
#define LEFT_FEW 8
#define LEFT_FEW_MIN 1024 /* of at least so many */
#define SCRATCH_KEPT ((size_t) 16 * 1024)

static kin_err fill_new(kin_store *store, kin_error *err);
static kin_err add_namespace_rule(kin__batch *batch, kin__index *index, kin_error *err);
static kin_err index_namespace(void *context, const kin_object *object, kin_index_sink *sink,
                               kin_error *err);
static kin_err key_of_locked(kin_store *store, const kin_object *object, kin_str *out,
                             kin_error *err) REQUIRES(store->writing);
static kin_err put_locked(kin_store *store, kin_str key, const kin_object *object,
                          const kin_object **out_old, kin_error *err) REQUIRES(store->writing);
static kin_err remove_locked(kin_store *store, kin_str key, const kin_object **out_old,
                             kin_error *err) REQUIRES(store->writing);
static void publish_draft_locked(kin_store *store) REQUIRES(store->writing);
static void abandon_locked(kin_store *store) REQUIRES(store->writing);
static void count_postings(const kin__version *version);
static void publish_locked(kin_store *store) REQUIRES(store->writing);
static void end_batch(kin_store *store) RELEASES(store->writing);
static bool has_few_left_locked(kin_store *store) REQUIRES(store->writing);
static void move_together_locked(kin_store *store) REQUIRES(store->writing);
static void trim_scratch_locked(kin_store *store) REQUIRES(store->writing);

kin_err kin__store_new(const kin__store_options *options, kin_store **out, kin_error *err)
{
    kin_store *store = kin__slab_alloc(sizeof *store);
    if (store == NULL) {
        kin__error_no_memory(err);
        return kin__error_prefix(err, "make a store");
    }
    memset(store, 0, sizeof *store);
    store->pid = getpid();
    store->options = options == NULL ? (kin__store_options){ 0 } : *options;
    if (store->options.sources == 0) {
        store->options.sources = 1;
    }
    if (fill_new(store, err) != KIN_OK) {
        kin__slab_free(store, sizeof *store);
        return kin__error_prefix(err, "make a store");
    }
    kin__mutex_init(&store->writing);
    *out = store;
    return KIN_OK;
}

UNCHECKED_LOCKS void kin__store_free(kin_store *store)
{
    if (store == NULL) {
        return;
    }
    /* Who frees an informer in an index function is still at it. */
    kin__mutex_lock(&store->writing);
    kin__mutex_unlock(&store->writing);
    abandon_locked(store);
    kin__version *last = atomic_load(&store->current);
    store->batch.number = last->part.born + 1;
    kin__version_drop(last, &store->batch);
    kin__garbage_take(store->garbage, &store->batch.dropped, store->batch.number);
    kin__store_mute(store);
    kin__garbage_leave(store->garbage);
    kin__plan_fini(&store->plan);
    kin__buf_fini(&store->key);
    kin__mutex_fini(&store->writing);
    kin__slab_free(store, sizeof *store);
}

UNCHECKED_LOCKS void kin__store_begin(kin_store *store)
{
    kin__mutex_lock(&store->writing);
    atomic_store(&store->writer, kin__store_thread());
    if (store->is_paused) {
        store->is_paused = false;
        abandon_locked(store);
    }
}

UNCHECKED_LOCKS void kin__store_pause(kin_store *store)
{
    store->is_paused = true;
    atomic_store(&store->writer, NULL);
    kin__mutex_unlock(&store->writing);
}

UNCHECKED_LOCKS bool kin__store_resume(kin_store *store)
{
    kin__mutex_lock(&store->writing);
    atomic_store(&store->writer, kin__store_thread());
    bool was_paused = store->is_paused;
    store->is_paused = false;
    return was_paused;
}

UNCHECKED_LOCKS kin_err kin__store_put(kin_store *store, const kin_object *object,
                                       const kin_object **out_old, kin_error *err)
{
    kin_str key;

    if (key_of_locked(store, object, &key, err) != KIN_OK ||
        put_locked(store, key, object, out_old, err) != KIN_OK) {
        return kin__error_prefix(err, "put \"%.*s\" into a store",
                                 KIN_STR_ARG(kin_object_key(object)));
    }
    return KIN_OK;
}

UNCHECKED_LOCKS kin_err kin__store_remove(kin_store *store, kin_str key, const kin_object **out_old,
                                          kin_error *err)
{
    if (remove_locked(store, key, out_old, err) != KIN_OK) {
        return kin__error_prefix(err, "remove \"%.*s\" from a store", KIN_STR_ARG(key));
    }
    return KIN_OK;
}

const kin_object *kin__store_newest(const kin_store *store, kin_str key)
{
    kin_view view = kin__store_newest_view(store);
    return kin_view_get(&view, key);
}

UNCHECKED_LOCKS kin_view kin__store_newest_view(const kin_store *store)
{
    const kin__version *newest = store->draft;
    return (kin_view){ .version = newest != NULL ? newest : atomic_load(&store->current) };
}

UNCHECKED_LOCKS kin_err kin__store_set_resource_version(kin_store *store, size_t source,
                                                        kin_str version, kin_error *err)
{
    if (source >= store->options.sources) {
        return kin__error_set(err, KIN_ERR_USAGE, "note a resource version: there is no source %zu",
                              source);
    }
    kin__text *text = NULL;
    if (kin__store_draft_locked(store, err) == KIN_OK) {
        text = kin__batch_make(&store->batch, KIN__PART_TEXT, 0, sizeof *text + version.len);
    }
    if (text == NULL) {
        kin__error_no_memory(err);
        return kin__error_prefix(err, "note a resource version");
    }
    text->len = version.len;
    if (version.len != 0) {
        memcpy(text->bytes, version.data, version.len);
    }
    kin__text **place = &kin__version_sources(store->draft)[source];
    if (*place != NULL) {
        kin__batch_drop(&store->batch, &(*place)->part);
    }
    *place = text;
    return KIN_OK;
}

UNCHECKED_LOCKS void kin__store_publish(kin_store *store)
{
    publish_locked(store);
    end_batch(store);
}

UNCHECKED_LOCKS void kin__store_publish_and_nudge(kin_store *store)
{
    publish_locked(store);
    kin__garbage_nudge(store->garbage);
    end_batch(store);
}

bool kin__store_collect(kin_store *store)
{
    return kin__garbage_collect(store->garbage);
}

void kin__store_mute(kin_store *store)
{
    kin__garbage_on_unread(store->garbage, NULL, NULL);
}

kin__store_usage kin__store_measure(const kin_store *store)
{
    return (kin__store_usage){
        .object_bytes = atomic_load(&store->object_bytes),
        .structure_bytes = sizeof *store + atomic_load(&store->structure_bytes),
        .unreleased = kin__garbage_count(store->garbage),
    };
}

const void *kin__store_thread(void)
{
    static _Thread_local char here;
    return &here;
}

kin_err kin__store_draft_locked(kin_store *store, kin_error *err)
{
    if (store->draft != NULL) {
        return KIN_OK;
    }
    const kin__version *current = atomic_load(&store->current);
    store->batch.number = current->part.born + 1;
    store->draft = kin__version_copy(&store->batch, current, 0);
    return store->draft != NULL ? KIN_OK : kin__error_no_memory(err);
}

/* The garbage comes first: with it, parts can be released. */
UNCHECKED_LOCKS static kin_err fill_new(kin_store *store, kin_error *err)
{
    kin__batch *batch = &store->batch;
    size_t indexes = store->options.no_namespace_index ? 0 : 1;

    batch->number = 1;
    batch->seed = store->options.hash_seed != 0 ? store->options.hash_seed
                                                : kin__hash(&store, sizeof store, kin__hash_seed());
    batch->blind = store->options.blind_hash_bits;
    store->garbage = kin__garbage_new();
    if (store->garbage == NULL) {
        return kin__error_no_memory(err);
    }
    kin__index index = { 0 };
    if (indexes == 1 && add_namespace_rule(batch, &index, err) != KIN_OK) {
        kin__garbage_leave(store->garbage);
        return err->code;
    }
    kin__version *version = kin__version_make(batch, indexes, store->options.sources);
    if (version == NULL) {
        if (index.rule != NULL) {
            kin__batch_drop(batch, &index.rule->part);
        }
        kin__garbage_leave(store->garbage);
        return kin__error_no_memory(err);
    }
    if (indexes == 1) {
        version->indexes[version->index_count++] = index;
    }
    atomic_store(&store->current, version);
    atomic_store(&store->structure_bytes, batch->structure_bytes);
    kin__garbage_on_unread(store->garbage, store->options.on_unread, store->options.context);
    return KIN_OK;
}

static kin_err add_namespace_rule(kin__batch *batch, kin__index *index, kin_error *err)
{
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    options.name = "namespace";
    options.fn = index_namespace;
    return kin__index_rule_make(batch, &options, &index->rule, err);
}

static kin_err index_namespace(void *context, const kin_object *object, kin_index_sink *sink,
                               kin_error *err)
{
    (void) context;
    (void) err;
    kin_index_add(sink, kin_object_namespace(object));
    return KIN_OK;
}

/* Borrowed from the object, or from `store->key` until the next call. */
static kin_err key_of_locked(kin_store *store, const kin_object *object, kin_str *out,
                             kin_error *err)
{
    kin_str key = kin_object_key(object);

    if (store->options.key != NULL) {
        kin__buf_clear(&store->key);
        kin_err code = store->options.key(store->options.context, object, &store->key, err);
        if (code != KIN_OK) {
            return code;
        }
        if (kin__buf_failed(&store->key)) {
            return kin__error_no_memory(err);
        }
        key = kin__str(store->key.data, store->key.len);
    }
    if (key.len == 0) {
        return kin__error_set(err, KIN_ERR_USAGE, "its key is empty");
    }
    if (key.len > KIN__KEY_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "its key has %zu bytes, over %d", key.len,
                              KIN__KEY_MAX);
    }
    *out = key;
    return KIN_OK;
}

static kin_err put_locked(kin_store *store, kin_str key, const kin_object *object,
                          const kin_object **out_old, kin_error *err)
{
    kin__batch *batch = &store->batch;
    uint64_t hash = kin__batch_hash(batch, key);
    if (kin__store_draft_locked(store, err) != KIN_OK) {
        return err->code;
    }
    kin__version *draft = store->draft;
    kin__entry *old = kin__table_find(draft->objects, hash, key);
    bool is_known = old != NULL && old->object == object; /* what fails on it was reported */
    kin__plan_subject subject = { .key = key,
                                  .hash = hash,
                                  .old = old,
                                  .object = object,
                                  .on_error = is_known ? NULL : store->options.on_index_error,
                                  .context = store->options.context };
    kin__entry *entry = kin__entry_make(batch, key, object);
    if (entry == NULL) {
        return kin__error_no_memory(err);
    }
    if (!kin__table_open(&draft->objects, batch, hash, old == NULL)) {
        kin__error_no_memory(err);
    } else if (kin__plan_make(&store->plan, &subject, draft, batch, err) == KIN_OK) {
        (void) kin_object_ref(object);
        kin__plan_carry_out(&store->plan, &subject, draft, batch, entry);
        if (old == NULL) {
            kin__table_add(&draft->objects, hash, entry);
        } else {
            kin__table_replace(&draft->objects, hash, old, entry);
            kin__batch_drop(batch, &old->part);
        }
        *out_old = old == NULL ? NULL : old->object;
        return KIN_OK;
    }
    kin__entry_unmake(batch, entry);
    return err->code;
}

static kin_err remove_locked(kin_store *store, kin_str key, const kin_object **out_old,
                             kin_error *err)
{
    kin__batch *batch = &store->batch;
    uint64_t hash = kin__batch_hash(batch, key);
    const kin__version *newest = store->draft;
    newest = newest != NULL ? newest : atomic_load(&store->current);
    kin__entry *old = kin__table_find(newest->objects, hash, key);
    if (old == NULL) {
        *out_old = NULL;
        return KIN_OK;
    }
    if (kin__store_draft_locked(store, err) != KIN_OK) {
        return err->code;
    }
    kin__version *draft = store->draft;
    kin__plan_subject subject = { .key = kin__entry_key(old), .hash = hash, .old = old };
    if (!kin__table_open(&draft->objects, batch, hash, false)) {
        return kin__error_no_memory(err);
    }
    if (kin__plan_make(&store->plan, &subject, draft, batch, err) != KIN_OK) {
        return err->code;
    }
    kin__plan_carry_out(&store->plan, &subject, draft, batch, NULL);
    kin__table_remove(&draft->objects, batch, hash, old);
    kin__table_tidy(&draft->objects, batch, hash);
    *out_old = old->object;
    kin__batch_drop(batch, &old->part);
    return KIN_OK;
}

static void publish_draft_locked(kin_store *store)
{
    kin__version *draft = STEAL(store->draft);
    kin__version *before = atomic_load(&store->current);

    kin__batch_drop(&store->batch, &before->part);
    atomic_store(&store->structure_bytes, store->batch.structure_bytes);
    atomic_store(&store->object_bytes, store->batch.object_bytes);
    kin__garbage_publish(store->garbage, &store->current, draft);
    kin__garbage_take(store->garbage, &store->batch.dropped, draft->part.born);
}

/*
 * Drops the draft: its own parts go, and those that it has dropped or shares with the newest
 * version stay where they are.  That takes time in proportion to the store, and no memory.
 */
static void abandon_locked(kin_store *store)
{
    kin__version *draft = STEAL(store->draft);
    kin__batch *batch = &store->batch;

    if (draft == NULL) {
        return;
    }
    kin__version_drop(draft, batch);
    for (kin__part *part; (part = kin__pile_take(&batch->dropped)) != NULL;) {
        if (kin__batch_owns(batch, part)) {
            kin__part_free(part);
        }
    }
    count_postings(atomic_load(&store->current));
    batch->structure_bytes = atomic_load(&store->structure_bytes);
    batch->object_bytes = atomic_load(&store->object_bytes);
}

/* A pile's links lie where the counts were. */
static void count_postings(const kin__version *version)
{
    kin_walk objects = kin__table_walk(version->objects);

    for (kin__entry *entry; (entry = kin__walk_next(&objects)) != NULL;) {
        entry->part.postings = 0;
    }
    for (size_t i = 0; i < version->index_count; i++) {
        kin_walk values = kin__table_walk(version->indexes[i].values);
        for (kin__entry *value; (value = kin__walk_next(&values)) != NULL;) {
            kin_walk set = kin__table_walk(value->set);
            for (kin__entry *entry; (entry = kin__walk_next(&set)) != NULL;) {
                entry->part.postings++;
            }
        }
    }
}

static void publish_locked(kin_store *store)
{
    if (store->draft != NULL) {
        publish_draft_locked(store);
        if (has_few_left_locked(store)) {
            move_together_locked(store);
        }
    }
    trim_scratch_locked(store);
}

static void end_batch(kin_store *store)
{
    atomic_store(&store->writer, NULL);
    kin__mutex_unlock(&store->writing);
}

static bool has_few_left_locked(kin_store *store)
{
    const kin__version *current = atomic_load(&store->current);
    size_t count = kin__table_count(current->objects);
    bool has_few = store->most >= LEFT_FEW_MIN && count < store->most / LEFT_FEW;

    store->most = has_few || count > store->most ? count : store->most;
    return has_few;
}

/*
 * Entries stay where they are for as long as their objects, so after a mass deletion the few that
 * are left would each keep a block of memory.  Putting them again, as one more version, moves them
 * together, and all that leads to them.  Without memory the others stay where they are.
 */
static void move_together_locked(kin_store *store)
{
    kin_error err;

    kin__slab_begin_gathering();
    if (kin__store_draft_locked(store, &err) == KIN_OK) {
        /* Replacing changes no node that the walk still comes to, but for its entries. */
        kin_walk walk = kin__table_walk(store->draft->objects);
        for (kin__entry *entry; (entry = kin__walk_next(&walk)) != NULL;) {
            const kin_object *old;
            if (put_locked(store, kin__entry_key(entry), entry->object, &old, &err) != KIN_OK) {
                break;
            }
        }
        publish_draft_locked(store);
    }
    kin__slab_end_gathering();
}

static void trim_scratch_locked(kin_store *store)
{
    if (store->plan.values.capacity * sizeof(kin__index_value) > SCRATCH_KEPT ||
        store->plan.values.bytes.capacity > SCRATCH_KEPT) {
        kin__plan_fini(&store->plan);
    }
    if (store->key.capacity > SCRATCH_KEPT) {
        kin__buf_fini(&store->key);
    }
}
