/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c - reading one version of a store.
 */
#include "base/hash.h"
#include "base/str.h"
#include "cache/epoch.h"
#include "cache/search.h"
#include "cache/store_state.h"
#include "kin/selector.h"

#define NAMESPACE_INDEX "namespace"
#define ENDED SIZE_MAX /* in a walk's `at` */

static const kin__entry *next_entry(kin_view_iter *iter);
static uint64_t hash_of(const kin__version *version, kin_str key);
static const kin__entry *value_of(const kin__version *version, const char *index, kin_str value);

/* What is seen is looked for after the thread is inside: see epoch.h. */
kin_view kin_store_read(const kin_store *store)
{
    void *reader = kin__epoch_enter();
    return (kin_view){ .version = atomic_load(&store->current), .reader = reader };
}

void kin_store_done(kin_view *view)
{
    if (view->reader != NULL) {
        kin__epoch_leave(view->reader);
    }
    *view = (kin_view){ NULL, NULL };
}

const kin_object *kin_view_get(const kin_view *view, kin_str key)
{
    const kin__version *version = view->version;
    const kin__entry *entry = kin__table_search(version->objects, hash_of(version, key), key);
    return entry == NULL ? NULL : entry->object;
}

size_t kin_view_count(const kin_view *view)
{
    const kin__version *version = view->version;
    return kin__table_count(version->objects);
}

uint64_t kin_view_number(const kin_view *view)
{
    const kin__version *version = view->version;
    return version->part.born;
}

kin_str kin_view_resource_version(const kin_view *view, size_t source)
{
    const kin__version *version = view->version;
    if (source >= version->source_count) {
        return STR("");
    }
    const kin__text *text = kin__version_sources((kin__version *) version)[source];
    return text == NULL ? STR("") : kin__str(text->bytes, text->len);
}

kin_view_iter kin_view_all(const kin_view *view)
{
    const kin__version *version = view->version;
    return (kin_view_iter){ .walk = kin__table_walk(version->objects) };
}

kin_view_iter kin_view_by_index(const kin_view *view, const char *index, kin_str value)
{
    const kin__entry *entry = value_of(view->version, index, value);
    kin__table set = entry == NULL ? (kin__table){ 0 } : entry->set;
    return (kin_view_iter){ .walk = kin__table_walk(set) };
}

kin_view_iter kin_view_in_namespace(const kin_view *view, kin_str ns)
{
    if (kin__version_index(view->version, NAMESPACE_INDEX) != NULL) {
        return kin_view_by_index(view, NAMESPACE_INDEX, ns);
    }
    kin_view_iter iter = kin_view_all(view);
    iter.only = ns.data == NULL ? STR("") : ns;
    return iter;
}

bool kin_view_next(kin_view_iter *iter)
{
    const kin__entry *entry = next_entry(iter);
    if (entry == NULL) {
        iter->object = NULL;
        return false;
    }
    iter->object = entry->object;
    iter->key = kin__entry_key(entry);
    return true;
}

bool kin_view_next_matching(kin_view_iter *iter, const kin_selector *labels,
                            const kin_field_selector *fields)
{
    while (kin_view_next(iter)) {
        if ((labels == NULL || kin_selector_matches(labels, iter->object)) &&
            (fields == NULL || kin_field_selector_matches(fields, iter->object))) {
            return true;
        }
    }
    return false;
}

size_t kin_view_index_count(const kin_view *view, const char *index, kin_str value)
{
    const kin__entry *entry = value_of(view->version, index, value);
    return entry == NULL ? 0 : kin__table_count(entry->set);
}

const char *kin_view_index_name(const kin_view *view, size_t number)
{
    const kin__version *version = view->version;

    return number < version->index_count ? version->indexes[number].rule->name : NULL;
}

bool kin_view_next_value(const kin_view *view, const char *index, kin_index_iter *iter)
{
    kin_walk *walk = &iter->walk;

    if (walk->root == 0 && walk->at == 0 && walk->leaf == NULL) {
        const kin__index *wanted = kin__version_index(view->version, index);
        walk->root = wanted == NULL ? 0 : wanted->values.root;
    }
    const kin__entry *entry = walk->at == ENDED ? NULL : kin__walk_next(walk);
    if (entry == NULL) {
        *iter = (kin_index_iter){ .walk.at = ENDED };
        return false;
    }
    if (walk->root == 0 && walk->leaf == NULL) {
        walk->at = ENDED; /* that was the only one */
    }
    iter->value = kin__entry_key(entry);
    iter->count = kin__table_count(entry->set);
    return true;
}

static const kin__entry *next_entry(kin_view_iter *iter)
{
    for (;;) {
        const kin__entry *entry = kin__walk_next(&iter->walk);
        if (entry == NULL || iter->only.data == NULL ||
            kin__str_equal(kin_object_namespace(entry->object), iter->only)) {
            return entry;
        }
    }
}

static uint64_t hash_of(const kin__version *version, kin_str key)
{
    return kin__hash_in_place(key.data, key.len, version->seed) & ~version->blind;
}

static const kin__entry *value_of(const kin__version *version, const char *index, kin_str value)
{
    const kin__index *wanted = kin__version_index(version, index);
    if (wanted == NULL) {
        return NULL;
    }
    return kin__table_find(wanted->values, hash_of(version, value), value);
}
