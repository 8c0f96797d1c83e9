/* SPDX-License-Identifier: Apache-2.0 */
/*
 * served.c - the resources that the server serves.
 *
 * An entry is one allocation: the kin__served, and copies of all its texts behind it.  Entries of
 * one group's resource share a home, which owns the collection and goes with the last of them; so
 * the last one of a resource of which nothing is served stays in a list beside the shelf.  The
 * shelf is an array in the order of discovery; there are a hundred entries or so, and whoever looks
 * for one walks over all of them.
 */
#include "server/served.h"

#include <stdalign.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "server/builtin_table.h"
#include "server/deprecation.h"
#include "server/version_order.h"

typedef struct home {
    size_t refs;
    kin__collection *collection; /* owned; NULL for virtual resources */
} home;

typedef struct entry {
    kin__served served; /* first: a kin__served of the shelf is an entry */
    home *home;         /* owned reference */
    size_t group_rank;  /* the first row of the table with that group, or SIZE_MAX */
    struct entry *next; /* of those that are stowed */
} entry;

struct kin__shelf {
    kin__storage *storage; /* borrowed */
    entry **entries;       /* owned array of owned references, in order */
    size_t count;
    size_t capacity;
    entry *stowed; /* owned references: of each resource without a served version the last one */
    uint64_t edition;
};

/* Where the texts of an entry are copied to; without memory it only measures. */
typedef struct arena {
    char *memory; /* NULL: measures */
    size_t used;
} arena;

static kin_err put(kin__shelf *shelf, const kin__served *served, kin__record *definition,
                   kin_error *err);
static void shelve(kin__shelf *shelf, entry *made);
static entry *take_at(kin__shelf *shelf, size_t index);
static void drop_stowed(kin__shelf *shelf, kin_str group, kin_str resource);
static bool has_other(const kin__shelf *shelf, const kin__served *served);
static bool reserve(kin__shelf *shelf);
static int compare(const entry *a, const entry *b);
static kin_err find_home(kin__shelf *shelf, const kin__served *served, home **out, kin_error *err);
static void unref_home(home *shared);
static entry *new_entry(const kin__served *served);
static size_t rank_of(kin_str group);
static void copy_texts(arena *a, const kin__served *from, kin__served *to);
static kin_str copy(arena *a, kin_str text);
static kin_str copy_joined(arena *a, kin_str left, kin_str between, kin_str right);
static void copy_names(arena *a, const char *const *from, const char **to, size_t max);
static const kin__served_sub *copy_subs(arena *a, const kin__served_sub *from);
static void *take(arena *a, size_t bytes, size_t alignment);
static kin__served of_row(const kin__builtin *row);
static bool is_of(const kin__served *served, kin_str group, kin_str resource);
static bool is_version_of(const kin__served *served, const kin__served *other);
static kin_str home_group(const kin__served *served);

kin_err kin__shelf_new(kin__storage *storage, kin__shelf **out, kin_error *err)
{
    AUTO(kin__shelf_free) kin__shelf *shelf = kin__alloc_zero(1, sizeof *shelf);

    if (shelf == NULL) {
        return kin__error_no_memory(err);
    }
    shelf->storage = storage;
    for (size_t i = 0; i < kin__builtin_count; i++) {
        kin__served served = of_row(&kin__builtin_table[i]);
        if (put(shelf, &served, NULL, err) != KIN_OK) {
            return err->code;
        }
    }
    *out = STEAL(shelf);
    return KIN_OK;
}

void kin__shelf_free(kin__shelf *shelf)
{
    if (shelf == NULL) {
        return;
    }
    for (size_t i = 0; i < shelf->count; i++) {
        kin__served_unref(&shelf->entries[i]->served);
    }
    while (shelf->stowed != NULL) {
        drop_stowed(shelf, shelf->stowed->served.group, shelf->stowed->served.resource);
    }
    kin__free(shelf->entries);
    kin__free(shelf);
}

kin__served *kin__shelf_find(const kin__shelf *shelf, kin_str group, kin_str version,
                             kin_str resource)
{
    for (size_t i = 0; i < shelf->count; i++) {
        kin__served *served = &shelf->entries[i]->served;
        if (is_of(served, group, resource) && kin__str_equal(served->version, version)) {
            return served;
        }
    }
    return NULL;
}

kin__served *kin__shelf_find_kind(const kin__shelf *shelf, kin_str api_version, kin_str kind)
{
    for (size_t i = 0; i < shelf->count; i++) {
        kin__served *served = &shelf->entries[i]->served;
        if (kin__str_equal(served->kind, kind) &&
            kin__str_equal(served->api_version, api_version)) {
            return served;
        }
    }
    return NULL;
}

kin__served *kin__shelf_stored(const kin__shelf *shelf, const kin__served *served)
{
    for (size_t i = 0; i < shelf->count; i++) {
        kin__served *other = &shelf->entries[i]->served;
        if (other->is_stored && is_version_of(other, served)) {
            return other;
        }
    }
    return NULL;
}

bool kin__shelf_has_group(const kin__shelf *shelf, kin_str group)
{
    for (size_t i = 0; i < shelf->count; i++) {
        if (kin__str_equal(shelf->entries[i]->served.group, group)) {
            return true;
        }
    }
    return false;
}

bool kin__shelf_has_version(const kin__shelf *shelf, kin_str group, kin_str version)
{
    for (size_t i = 0; i < shelf->count; i++) {
        const kin__served *served = &shelf->entries[i]->served;
        if (kin__str_equal(served->group, group) && kin__str_equal(served->version, version)) {
            return true;
        }
    }
    return false;
}

bool kin__shelf_is_built_in(const kin__shelf *shelf, kin_str group)
{
    for (size_t i = 0; i < shelf->count; i++) {
        const kin__served *served = &shelf->entries[i]->served;
        if ((served->traits & KIN__IS_CUSTOM) == 0 && kin__str_equal(served->group, group)) {
            return true;
        }
    }
    return false;
}

kin__served *kin__shelf_at(const kin__shelf *shelf, size_t index)
{
    return index < shelf->count ? &shelf->entries[index]->served : NULL;
}

uint64_t kin__shelf_edition(const kin__shelf *shelf)
{
    return shelf->edition;
}

kin_err kin__shelf_add(kin__shelf *shelf, const kin__served *served, kin__record *definition,
                       kin_error *err)
{
    kin__served custom = *served;

    custom.traits |= KIN__IS_CUSTOM;
    custom.message = KIN__PB_NO_MESSAGE;
    return put(shelf, &custom, definition, err);
}

void kin__shelf_remove(kin__shelf *shelf, kin_str group, kin_str resource)
{
    for (size_t i = shelf->count; i-- > 0;) {
        const kin__served *served = &shelf->entries[i]->served;
        if (is_of(served, group, resource) && (served->traits & KIN__IS_CUSTOM) != 0) {
            kin__served_unref(&take_at(shelf, i)->served);
        }
    }
    drop_stowed(shelf, group, resource);
}

void kin__shelf_remove_version(kin__shelf *shelf, kin_str group, kin_str version, kin_str resource)
{
    for (size_t i = shelf->count; i-- > 0;) {
        const kin__served *served = &shelf->entries[i]->served;
        if (is_of(served, group, resource) && kin__str_equal(served->version, version)) {
            entry *gone = take_at(shelf, i);
            if (has_other(shelf, &gone->served)) {
                kin__served_unref(&gone->served);
            } else {
                gone->next = shelf->stowed;
                shelf->stowed = gone;
            }
            return;
        }
    }
}

kin__served *kin__shelf_stowed(const kin__shelf *shelf, const kin__served *before)
{
    entry *next = before == NULL ? shelf->stowed : ((const entry *) before)->next;

    return next == NULL ? NULL : &next->served;
}

kin__served *kin__served_ref(kin__served *served)
{
    served->refs++;
    return served;
}

void kin__served_unref(kin__served *served)
{
    if (served == NULL || --served->refs > 0) {
        return;
    }
    entry *last = (entry *) served;
    unref_home(last->home);
    kin__record_unref(served->definition);
    kin__free(last);
}

static kin_err put(kin__shelf *shelf, const kin__served *served, kin__record *definition,
                   kin_error *err)
{
    home *shared = NULL;

    if (find_home(shelf, served, &shared, err) != KIN_OK) {
        return err->code;
    }
    entry *made = reserve(shelf) ? new_entry(served) : NULL;
    if (made == NULL) {
        unref_home(shared);
        return kin__error_no_memory(err);
    }
    made->home = shared;
    made->served.collection = shared->collection;
    made->served.definition = definition == NULL ? NULL : kin__record_ref(definition);
    shelve(shelf, made);
    drop_stowed(shelf, served->group, served->resource);
    return KIN_OK;
}

/* In its place, which is that of an entry with the same names; there is room. */
static void shelve(kin__shelf *shelf, entry *made)
{
    size_t place = 0;

    while (place < shelf->count && compare(shelf->entries[place], made) < 0) {
        place++;
    }
    if (place < shelf->count && compare(shelf->entries[place], made) == 0) {
        kin__served_unref(&shelf->entries[place]->served);
    } else {
        memmove(shelf->entries + place + 1, shelf->entries + place,
                (shelf->count - place) * sizeof *shelf->entries);
        shelf->count++;
    }
    shelf->entries[place] = made;
    shelf->edition++;
}

/* It is gone; its reference is the caller's. */
static entry *take_at(kin__shelf *shelf, size_t index)
{
    entry *gone = shelf->entries[index];

    shelf->count--;
    memmove(shelf->entries + index, shelf->entries + index + 1,
            (shelf->count - index) * sizeof *shelf->entries);
    shelf->edition++;
    gone->served.is_gone = true;
    return gone;
}

static void drop_stowed(kin__shelf *shelf, kin_str group, kin_str resource)
{
    for (entry **at = &shelf->stowed; *at != NULL; at = &(*at)->next) {
        if (is_of(&(*at)->served, group, resource)) {
            entry *gone = *at;
            *at = gone->next;
            kin__served_unref(&gone->served);
            return;
        }
    }
}

static bool has_other(const kin__shelf *shelf, const kin__served *served)
{
    for (size_t i = 0; i < shelf->count; i++) {
        if (is_of(&shelf->entries[i]->served, served->group, served->resource)) {
            return true;
        }
    }
    return false;
}

/* Room for one more. */
static bool reserve(kin__shelf *shelf)
{
    if (shelf->count < shelf->capacity) {
        return true;
    }
    size_t capacity = shelf->capacity == 0 ? 128 : shelf->capacity * 2;
    entry **entries = kin__realloc(shelf->entries, capacity * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    shelf->entries = entries;
    shelf->capacity = capacity;
    return true;
}

/* Built-in groups as the table has them, then the others by name. */
static int compare(const entry *a, const entry *b)
{
    if (a->group_rank != b->group_rank) {
        return a->group_rank < b->group_rank ? -1 : 1;
    }
    int order = kin__str_compare(a->served.group, b->served.group);
    if (order != 0) {
        return order;
    }
    order = kin__version_compare(a->served.version, b->served.version);
    return order != 0 ? order : kin__str_compare(a->served.resource, b->served.resource);
}

/* That of another version, even one that is served no more, or a new one; a reference. */
static kin_err find_home(kin__shelf *shelf, const kin__served *served, home **out, kin_error *err)
{
    for (entry *other = shelf->stowed; other != NULL; other = other->next) {
        if (is_version_of(&other->served, served)) {
            other->home->refs++;
            *out = other->home;
            return KIN_OK;
        }
    }
    for (size_t i = 0; i < shelf->count; i++) {
        entry *other = shelf->entries[i];
        if (is_version_of(&other->served, served)) {
            other->home->refs++;
            *out = other->home;
            return KIN_OK;
        }
    }
    home *made = kin__alloc_zero(1, sizeof *made);
    if (made == NULL) {
        return kin__error_no_memory(err);
    }
    made->refs = 1;
    if ((served->traits & KIN__IS_VIRTUAL) == 0 &&
        kin__collection_new(shelf->storage, &made->collection, err) != KIN_OK) {
        kin__free(made);
        return err->code;
    }
    *out = made;
    return KIN_OK;
}

static void unref_home(home *shared)
{
    if (--shared->refs > 0) {
        return;
    }
    if (shared->collection != NULL) {
        kin__collection_free(shared->collection);
    }
    kin__free(shared);
}

/* NULL: no memory.  Home and definition are the caller's to set. */
static entry *new_entry(const kin__served *served)
{
    kin__served measured = *served;
    arena a = { NULL, sizeof(entry) };

    copy_texts(&a, served, &measured);
    entry *made = kin__alloc(a.used);
    if (made == NULL) {
        return NULL;
    }
    *made = (entry){ .served = *served };
    a = (arena){ (char *) made, sizeof(entry) };
    copy_texts(&a, served, &made->served);
    made->served.refs = 1;
    made->served.is_gone = false;
    made->group_rank = rank_of(served->group);
    return made;
}

static size_t rank_of(kin_str group)
{
    for (size_t i = 0; i < kin__builtin_count; i++) {
        if (kin__str_equal(kin_str_of(kin__builtin_table[i].group), group)) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void copy_texts(arena *a, const kin__served *from, kin__served *to)
{
    kin_str between = from->group.len == 0 ? STR("") : STR("/");

    to->subs = copy_subs(a, from->subs); /* first: it has to be aligned */
    to->group = copy(a, from->group);
    to->version = copy(a, from->version);
    to->resource = copy(a, from->resource);
    to->singular = copy(a, from->singular);
    to->kind = copy(a, from->kind);
    to->list_kind = from->list_kind.len == 0 ? copy_joined(a, from->kind, STR(""), STR("List"))
                                             : copy(a, from->list_kind);
    to->api_version = copy_joined(a, from->group, between, from->version);
    to->full_name =
        copy_joined(a, from->resource, from->group.len == 0 ? STR("") : STR("."), from->group);
    copy_names(a, from->short_names, to->short_names, KIN__SERVED_SHORT_NAMES);
    copy_names(a, from->categories, to->categories, KIN__SERVED_CATEGORIES);
    to->warning = copy(a, from->warning);
    to->storage_hash = copy(a, kin_str_of(from->storage_hash)).data;
}

static kin_str copy(arena *a, kin_str text)
{
    return copy_joined(a, text, STR(""), STR(""));
}

/* Terminated as well. */
static kin_str copy_joined(arena *a, kin_str left, kin_str between, kin_str right)
{
    size_t len = left.len + between.len + right.len;
    char *at = take(a, len + 1, 1);

    if (at == NULL) {
        return STR("");
    }
    kin_str parts[] = { left, between, right };
    size_t used = 0;
    for (size_t i = 0; i < 3; i++) {
        if (parts[i].len > 0) {
            memcpy(at + used, parts[i].data, parts[i].len);
            used += parts[i].len;
        }
    }
    at[len] = '\0';
    return kin__str(at, len);
}

static void copy_names(arena *a, const char *const *from, const char **to, size_t max)
{
    for (size_t i = 0; i < max && from[i] != NULL; i++) {
        const char *name = copy(a, kin_str_of(from[i])).data;
        if (a->memory != NULL) {
            to[i] = name;
        }
    }
}

static const kin__served_sub *copy_subs(arena *a, const kin__served_sub *from)
{
    size_t count = 0;

    if (from == NULL) {
        return NULL;
    }
    while (from[count].name != NULL) {
        count++;
    }
    kin__served_sub *subs = take(a, (count + 1) * sizeof *subs, alignof(kin__served_sub));
    for (size_t i = 0; i < count; i++) {
        kin__served_sub sub = {
            .name = copy(a, kin_str_of(from[i].name)).data,
            .group = copy(a, kin_str_of(from[i].group)).data,
            .version = copy(a, kin_str_of(from[i].version)).data,
            .kind = copy(a, kin_str_of(from[i].kind)).data,
            .verbs = from[i].verbs,
        };
        if (subs != NULL) {
            subs[i] = sub;
        }
    }
    if (subs != NULL) {
        subs[count] = (kin__served_sub){ 0 };
    }
    return subs;
}

/* NULL while it measures. */
static void *take(arena *a, size_t bytes, size_t alignment)
{
    size_t at = (a->used + alignment - 1) / alignment * alignment;

    a->used = at + bytes;
    return a->memory == NULL ? NULL : a->memory + at;
}

static kin__served of_row(const kin__builtin *row)
{
    kin__served served = {
        .group = kin_str_of(row->group),
        .version = kin_str_of(row->version),
        .warning = kin__deprecation_of(row->group, row->version, row->kind),
        .resource = kin_str_of(row->resource),
        .singular = kin_str_of(row->singular),
        .kind = kin_str_of(row->kind),
        .is_namespaced = row->is_namespaced,
        .is_stored = row->is_stored,
        .verbs = row->verbs,
        .traits = row->traits,
        .name_rule = row->name_rule,
        .short_names = { row->short_names[0], row->short_names[1] },
        .categories = { row->category },
        .storage_hash = row->storage_hash,
        .subs = row->subs,
    };
    char api_version[128];

    (void) snprintf(api_version, sizeof api_version, "%s%s%s", row->group,
                    row->group[0] == '\0' ? "" : "/", row->version);
    served.message = kin__pb_message_of(kin_str_of(api_version), served.kind);
    return served;
}

static bool is_of(const kin__served *served, kin_str group, kin_str resource)
{
    return kin__str_equal(served->resource, resource) && kin__str_equal(served->group, group);
}

/* Whether both are kept in one collection. */
static bool is_version_of(const kin__served *served, const kin__served *other)
{
    return kin__str_equal(served->resource, other->resource) &&
           kin__str_equal(home_group(served), home_group(other));
}

static kin_str home_group(const kin__served *served)
{
    return (served->traits & KIN__IS_KEPT_IN_CORE) != 0 ? STR("") : served->group;
}
