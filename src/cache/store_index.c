/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_index.c - adding and removing indexes while a store is in use.
 *
 * Each is a batch of its own.
 */
#include <unistd.h>

#include "base/error.h"
#include "base/inside.h"
#include "base/options.h"
#include "cache/store_state.h"

static kin_err begin(kin_store *store, const char *what, kin_error *err);
static kin_err add_locked(kin_store *store, const kin_index_options *options, kin_error *err)
    REQUIRES(store->writing);
static kin_err fill_locked(kin_store *store, kin_error *err) REQUIRES(store->writing);
static kin_err remove_locked(kin_store *store, const char *name, kin_error *err)
    REQUIRES(store->writing);
static bool reserve_locked(kin_store *store) REQUIRES(store->writing);
static void take_out_locked(kin_store *store, size_t number) REQUIRES(store->writing);

UNCHECKED_LOCKS kin_err kin_store_add_index(kin_store *store, const kin_index_options *options,
                                            kin_error *err)
{
    kin_error unwanted;
    kin_index_options ours;
    err = kin__error_or(err, &unwanted);

    if (kin__options_read(&ours, sizeof ours, options, "kin_index_options", err) != KIN_OK ||
        begin(store, "it is added", err) != KIN_OK) {
        return kin__error_prefix(err, "add an index");
    }
    kin_err code = add_locked(store, &ours, err);
    kin__store_publish_and_nudge(store);
    if (code != KIN_OK) {
        return kin__error_prefix(err, "add the index \"%s\"", ours.name == NULL ? "" : ours.name);
    }
    return KIN_OK;
}

UNCHECKED_LOCKS kin_err kin_store_remove_index(kin_store *store, const char *name, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);
    name = name == NULL ? "" : name;

    if (begin(store, "it is removed", err) != KIN_OK) {
        return kin__error_prefix(err, "remove the index \"%s\"", name);
    }
    kin_err code = remove_locked(store, name, err);
    kin__store_publish_and_nudge(store);
    return code == KIN_OK ? KIN_OK : kin__error_prefix(err, "remove the index \"%s\"", name);
}

/* The thread that has the batch would wait for itself; two that each have one, for each other. */
static kin_err begin(kin_store *store, const char *what, kin_error *err)
{
    if (store->pid != getpid()) {
        return kin__error_set(err, KIN_ERR_USAGE, "not %s after a fork", what);
    }
    if (atomic_load(&store->writer) == kin__store_thread() || kin__inside_is(KIN__INSIDE_CHANGE)) {
        return kin__error_set(err, KIN_ERR_USAGE, "not %s from inside a change of a store", what);
    }
    kin__store_begin(store);
    return KIN_OK;
}

static kin_err add_locked(kin_store *store, const kin_index_options *options, kin_error *err)
{
    if (kin__store_draft_locked(store, err) != KIN_OK) {
        return err->code;
    }
    if (options->name != NULL && kin__version_index(store->draft, options->name) != NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "the name is taken");
    }
    kin__index_rule *rule;
    if (kin__index_rule_make(&store->batch, options, &rule, err) != KIN_OK) {
        return err->code;
    }
    if (!reserve_locked(store)) {
        kin__batch_drop(&store->batch, &rule->part);
        return kin__error_no_memory(err);
    }
    size_t number = store->draft->index_count++;
    store->draft->indexes[number] = (kin__index){ .rule = rule };
    if (fill_locked(store, err) != KIN_OK) {
        take_out_locked(store, number);
        return err->code;
    }
    return KIN_OK;
}

/* Puts what is there into the last index. */
static kin_err fill_locked(kin_store *store, kin_error *err)
{
    kin__version *draft = store->draft;
    kin_walk walk = kin__table_walk(draft->objects);

    for (kin__entry *entry; (entry = kin__walk_next(&walk)) != NULL;) {
        kin_str key = kin__entry_key(entry);
        kin__plan_subject subject = { .key = key,
                                      .hash = kin__batch_hash(&store->batch, key),
                                      .object = entry->object,
                                      .from = draft->index_count - 1u,
                                      .on_error = store->options.on_index_error,
                                      .context = store->options.context };
        if (kin__plan_make(&store->plan, &subject, draft, &store->batch, err) != KIN_OK) {
            return err->code;
        }
        kin__plan_carry_out(&store->plan, &subject, draft, &store->batch, entry);
    }
    return KIN_OK;
}

/* Room for one more index in the draft. */
static bool reserve_locked(kin_store *store)
{
    if (store->draft->index_count < store->draft->index_capacity) {
        return true;
    }
    kin__version *larger = kin__version_copy(&store->batch, store->draft, 1);
    if (larger == NULL) {
        return false;
    }
    kin__batch_drop(&store->batch, &store->draft->part);
    store->draft = larger;
    return true;
}

static kin_err remove_locked(kin_store *store, const char *name, kin_error *err)
{
    const kin__version *current = atomic_load(&store->current);
    const kin__index *index = kin__version_index(current, name);
    if (index == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND, "there is none of that name");
    }
    if (kin__store_draft_locked(store, err) != KIN_OK) {
        return err->code;
    }
    take_out_locked(store, (size_t) (index - current->indexes));
    return KIN_OK;
}

static void take_out_locked(kin_store *store, size_t number)
{
    kin__version *draft = store->draft;
    kin__index *index = &draft->indexes[number];

    kin_walk walk = kin__table_walk(index->values);
    for (kin__entry *value; (value = kin__walk_next(&walk)) != NULL;) {
        kin_walk objects = kin__table_walk(value->set);
        for (kin__entry *entry; (entry = kin__walk_next(&objects)) != NULL;) {
            entry->part.postings--;
        }
    }
    kin__index_drop(index, &store->batch);
    draft->index_count--;
    memmove(index, index + 1, (draft->index_count - number) * sizeof *index);
}
