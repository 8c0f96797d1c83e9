/* SPDX-License-Identifier: Apache-2.0 */
/*
 * factory.c - one informer for each thing that is asked for.
 *
 * Entries stand in a list under the factory's lock, which is held for a moment only: no function of
 * the program runs under it, and nobody waits.  Who works on an entry without the lock pins it; one
 * that was removed meanwhile goes with its last pin.
 *
 * What a name means may be known later than its informer is made.  So an entry has the words it was
 * asked for with, and their meaning is worked out anew for each comparison.
 */
#include "kin/factory.h"

#include <string.h>

#include "api/client.h"
#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/str.h"
#include "cache/version.h"
#include "informer/informer.h"
#include "informer/wish.h"
#include "net/loop.h"

typedef struct entry {
    kin__link link;
    kin_informer *informer; /* owned */
    kin__wish wish;
    size_t pins;     /* with the factory's lock, as the next */
    bool is_removed; /* on the list only because it is pinned */
} entry;

struct kin_factory {
    kin_client *client;
    kin_informer_options defaults;
    kin__mutex lock;
    kin__list entries GUARDED_BY(lock);
    bool is_started GUARDED_BY(lock);
};

typedef kin_err (*stop_fn)(kin_informer *informer, int64_t deadline_ms, kin_error *err);

static kin_err stop_all(kin_factory *factory, void (*begin)(kin_informer *informer), stop_fn stop,
                        int64_t deadline_ms, kin_error *err) EXCLUDES(factory->lock);
static kin_err check_process(const kin_client *client, const char *what, kin_error *err);
static void fill_up(kin_informer_options *options, const kin_informer_options *defaults);
static kin_err find_or_make_locked(kin_factory *factory, const kin_informer_options *options,
                                   kin__wish *wanted, entry **out, kin_error *err)
    REQUIRES(factory->lock);
static entry *find_words_locked(kin_factory *factory, const kin__wish *wanted)
    REQUIRES(factory->lock);
static kin_err find_meaning_locked(kin_factory *factory, const kin__wish *wanted, entry **out,
                                   kin_error *err) REQUIRES(factory->lock);
static kin_err make_locked(kin_factory *factory, const kin_informer_options *options,
                           kin__wish *wanted, entry **out, kin_error *err) REQUIRES(factory->lock);
static kin_err add_indexes(kin_informer *informer, const kin_informer_options *options,
                           kin_error *err);
static kin_err add_indexes_to(kin_store *store, const kin_informer_options *options,
                              kin_error *err);
static bool has_index(const kin_store *store, const char *name);
static entry *walk(kin_factory *factory, entry *from) EXCLUDES(factory->lock);
static entry *first_unsynced(kin_factory *factory) EXCLUDES(factory->lock);
static bool is_removed(kin_factory *factory, const entry *e) EXCLUDES(factory->lock);
static void unpin(kin_factory *factory, entry *e) EXCLUDES(factory->lock);
static entry *unpin_locked(kin_factory *factory, entry *e) REQUIRES(factory->lock);
static void free_entry(entry *e);
static kin_err say_unsynced(kin_factory *factory, kin_error *err);
static int64_t left_of(int64_t until_ms);
static int64_t until(int64_t deadline_ms);

kin_err kin_factory_new(kin_client *client, const kin_informer_options *defaults, kin_factory **out,
                        kin_error *err)
{
    kin_error unwanted;
    kin_informer_options ours;

    err = kin__error_or(err, &unwanted);
    if (check_process(client, "make a factory", err) != KIN_OK) {
        return err->code;
    }
    if (kin__options_read(&ours, sizeof ours, defaults, "kin_informer_options", err) != KIN_OK) {
        return kin__error_prefix(err, "make a factory");
    }
    kin_factory *factory = kin__alloc_zero(1, sizeof *factory);
    if (factory == NULL) {
        kin__error_no_memory(err);
        return kin__error_prefix(err, "make a factory");
    }
    factory->client = client;
    factory->defaults = ours;
    kin__mutex_init(&factory->lock);
    *out = factory;
    return KIN_OK;
}

/* All are told to stop before the first is waited for.  In a forked child nobody knows who holds
 * the lock. */
void kin_factory_free(kin_factory *factory) UNCHECKED_LOCKS
{
    if (factory == NULL || kin__loop_is_forked(kin_client_loop(factory->client))) {
        return;
    }
    for (entry *e = walk(factory, NULL); e != NULL; e = walk(factory, e)) {
        kin__informer_begin_stop(e->informer);
    }
    for (kin__link *link; (link = kin__list_first(&factory->entries)) != NULL;) {
        kin__list_remove(link);
        free_entry(KIN__OWNER(link, entry, link));
    }
    kin__mutex_fini(&factory->lock);
    kin__free(factory);
}

kin_err kin_factory_informer(kin_factory *factory, const kin_informer_options *options,
                             kin_informer **out, kin_error *err)
{
    kin_error unwanted;
    kin_informer_options ours;
    AUTO(kin__wish_fini) kin__wish wanted = { 0 };
    entry *e = NULL;

    err = kin__error_or(err, &unwanted);
    if (check_process(factory->client, "make an informer", err) != KIN_OK) {
        return err->code;
    }
    if (kin__options_read(&ours, sizeof ours, options, "kin_informer_options", err) != KIN_OK) {
        return kin__error_prefix(err, "make an informer");
    }
    fill_up(&ours, &factory->defaults);
    if (kin__wish_make(&ours, &wanted, err) != KIN_OK) {
        return kin__error_prefix(err, "make an informer");
    }
    kin__mutex_lock(&factory->lock);
    kin_err code = find_or_make_locked(factory, &ours, &wanted, &e, err);
    kin__mutex_unlock(&factory->lock);
    if (code == KIN_OK) {
        code = add_indexes(e->informer, &ours, err);
        if (code == KIN_OK) {
            *out = e->informer;
        }
        unpin(factory, e);
    }
    return code;
}

kin_err kin_factory_start(kin_factory *factory, kin_error *err)
{
    kin_error unwanted;
    kin_err code = KIN_OK;

    err = kin__error_or(err, &unwanted);
    if (check_process(factory->client, "start informers", err) != KIN_OK) {
        return err->code;
    }
    kin__mutex_lock(&factory->lock);
    factory->is_started = true;
    kin__mutex_unlock(&factory->lock);
    for (entry *e = walk(factory, NULL); e != NULL; e = walk(factory, e)) {
        kin_error mine;
        kin_err one = kin_informer_start(e->informer, &mine);

        if (one != KIN_OK && code == KIN_OK) {
            code = one;
            *err = mine;
        }
    }
    return code;
}

/* To be synced stays, so waiting for one after the other is waiting for all. */
kin_err kin_factory_wait_synced(kin_factory *factory, int64_t deadline_ms, kin_error *err)
{
    kin_error unwanted;
    int64_t until_ms = until(deadline_ms);
    kin_err code = KIN_OK;

    err = kin__error_or(err, &unwanted);
    if (check_process(factory->client, "wait until all informers are synced", err) != KIN_OK) {
        return err->code;
    }
    for (entry *e; code == KIN_OK && (e = first_unsynced(factory)) != NULL;) {
        code = kin_informer_wait_synced(e->informer, left_of(until_ms), err);
        if (code == KIN_ERR_CANCELLED && is_removed(factory, e)) {
            code = KIN_OK;
        }
        unpin(factory, e);
    }
    return code == KIN_ERR_TIMEOUT ? say_unsynced(factory, err) : code;
}

kin_err kin_factory_stop(kin_factory *factory, int64_t deadline_ms, kin_error *err)
{
    return stop_all(factory, kin__informer_begin_stop, kin_informer_stop, deadline_ms, err);
}

kin_err kin_factory_stop_and_drop(kin_factory *factory, int64_t deadline_ms, kin_error *err)
{
    return stop_all(factory, kin__informer_begin_drop, kin_informer_stop_and_drop, deadline_ms,
                    err);
}

kin_err kin_factory_remove(kin_factory *factory, kin_informer *informer, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (check_process(factory->client, "remove an informer", err) != KIN_OK) {
        return err->code;
    }
    entry *e = walk(factory, NULL);
    while (e != NULL && e->informer != informer) {
        e = walk(factory, e);
    }
    if (e == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND,
                              "remove an informer: the factory does not have it");
    }
    kin__mutex_lock(&factory->lock);
    e->is_removed = true;
    kin__mutex_unlock(&factory->lock);
    kin__informer_begin_stop(informer);
    unpin(factory, e);
    return KIN_OK;
}

/* All are told to stop before the first is waited for. */
static kin_err stop_all(kin_factory *factory, void (*begin)(kin_informer *informer), stop_fn stop,
                        int64_t deadline_ms, kin_error *err)
{
    kin_error unwanted;
    int64_t until_ms = until(deadline_ms);
    kin_err code = KIN_OK;

    err = kin__error_or(err, &unwanted);
    if (check_process(factory->client, "stop informers", err) != KIN_OK) {
        return err->code;
    }
    kin__mutex_lock(&factory->lock);
    factory->is_started = false;
    kin__mutex_unlock(&factory->lock);
    for (entry *e = walk(factory, NULL); e != NULL; e = walk(factory, e)) {
        begin(e->informer);
    }
    for (entry *e = walk(factory, NULL); e != NULL; e = walk(factory, e)) {
        kin_error mine;
        int64_t left_ms = left_of(until_ms);
        kin_err one = stop(e->informer, left_ms == 0 && deadline_ms != 0 ? 1 : left_ms, &mine);

        if (one != KIN_OK && code == KIN_OK) {
            code = one;
            *err = mine;
        }
    }
    return code;
}

/* ---- what is asked for ---------------------------------------------------------------------- */

/* In a forked child nobody knows who holds the lock. */
static kin_err check_process(const kin_client *client, const char *what, kin_error *err)
{
    if (client == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "%s: there is no client", what);
    }
    if (kin__loop_is_forked(kin_client_loop(client))) {
        return kin__error_set(err, KIN_ERR_USAGE, "%s: not after a fork", what);
    }
    return KIN_OK;
}

#define FILL_UP(field)                                                                             \
    do {                                                                                           \
        if (!options->field) {                                                                     \
            options->field = defaults->field;                                                      \
        }                                                                                          \
    } while (0)

static void fill_up(kin_informer_options *options, const kin_informer_options *defaults)
{
    if (options->ns == NULL && options->namespaces == NULL) {
        options->ns = defaults->ns;
        options->namespaces = defaults->namespaces;
    }
    if (options->indexes == NULL) {
        options->indexes = defaults->indexes;
        options->index_count = defaults->index_count;
    }
    if (options->logger.log == NULL) {
        options->logger = defaults->logger;
    }
    FILL_UP(label_selector);
    FILL_UP(field_selector);
    FILL_UP(mask);
    FILL_UP(transform);
    FILL_UP(metadata_only);
    FILL_UP(key);
    FILL_UP(context);
    FILL_UP(resync_ms);
    FILL_UP(start);
    FILL_UP(encoding);
    FILL_UP(page_size);
    FILL_UP(watch_seconds);
    FILL_UP(recreated_is_update);
    FILL_UP(on_trouble);
    FILL_UP(metrics);
    FILL_UP(retry_first_ms);
    FILL_UP(retry_max_ms);
    FILL_UP(internal_retry_ms);
    FILL_UP(idle_ms);
    if (options->keep_deleted_ms == 0 && options->keep_deleted_max == 0) {
        options->keep_deleted_ms = defaults->keep_deleted_ms;
        options->keep_deleted_max = defaults->keep_deleted_max;
    }
}

/* `out` is pinned; `wanted` is taken over by a new one.  The same words come before the same
 * meaning: of two that were made before the meaning was known, each goes on to be found. */
static kin_err find_or_make_locked(kin_factory *factory, const kin_informer_options *options,
                                   kin__wish *wanted, entry **out, kin_error *err)
{
    entry *found = find_words_locked(factory, wanted);

    if (found == NULL && find_meaning_locked(factory, wanted, &found, err) != KIN_OK) {
        return kin__error_prefix(err, "make an informer");
    }
    if (found == NULL && make_locked(factory, options, wanted, &found, err) != KIN_OK) {
        return err->code;
    }
    found->pins++;
    *out = found;
    return KIN_OK;
}

static entry *find_words_locked(kin_factory *factory, const kin__wish *wanted)
{
    for (kin__link *link = kin__list_first(&factory->entries); link != NULL;
         link = kin__list_next(&factory->entries, link)) {
        entry *e = KIN__OWNER(link, entry, link);

        if (!e->is_removed && kin__wish_has_words_of(&e->wish, wanted)) {
            return e;
        }
    }
    return NULL;
}

static kin_err find_meaning_locked(kin_factory *factory, const kin__wish *wanted, entry **out,
                                   kin_error *err)
{
    kin__directory *directory = factory->client->directory;
    AUTO(kin__buf_fini) kin__buf meaning = { 0 };
    AUTO(kin__buf_fini) kin__buf its = { 0 };

    kin__wish_write_meaning(wanted, directory, &meaning);
    for (kin__link *link = kin__list_first(&factory->entries); link != NULL && *out == NULL;
         link = kin__list_next(&factory->entries, link)) {
        entry *e = KIN__OWNER(link, entry, link);

        if (!e->is_removed && kin__wish_has_rest_of(&e->wish, wanted)) {
            kin__buf_clear(&its);
            kin__wish_write_meaning(&e->wish, directory, &its);
            *out = kin__str_equal(kin__str(its.data, its.len), kin__str(meaning.data, meaning.len))
                       ? e
                       : NULL;
        }
        if (kin__buf_failed(&its)) {
            return kin__error_no_memory(err);
        }
    }
    return kin__buf_failed(&meaning) ? kin__error_no_memory(err) : KIN_OK;
}

static kin_err make_locked(kin_factory *factory, const kin_informer_options *options,
                           kin__wish *wanted, entry **out, kin_error *err)
{
    entry *e = kin__alloc_zero(1, sizeof *e);

    if (e == NULL) {
        kin__error_no_memory(err);
        return kin__error_prefix(err, "make an informer");
    }
    if (kin_informer_new(factory->client, options, &e->informer, err) != KIN_OK) {
        kin__free(e);
        return err->code;
    }
    if (factory->is_started && kin_informer_start(e->informer, err) != KIN_OK) {
        free_entry(e);
        return err->code;
    }
    e->wish = *wanted;
    *wanted = (kin__wish){ 0 };
    kin__list_push(&factory->entries, &e->link);
    *out = e;
    return KIN_OK;
}

/* What was deleted has them too.  Those that are there stay. */
static kin_err add_indexes(kin_informer *informer, const kin_informer_options *options,
                           kin_error *err)
{
    kin_store *deleted = kin_informer_deleted(informer);
    kin_err code = add_indexes_to(kin_informer_store(informer), options, err);

    if (code == KIN_OK && deleted != NULL) {
        code = add_indexes_to(deleted, options, err);
    }
    return code == KIN_OK ? KIN_OK
                          : kin__error_prefix(err, "informer \"%s\"", kin__informer_name(informer));
}

/* One that is there stays, also when somebody else has just added it. */
static kin_err add_indexes_to(kin_store *store, const kin_informer_options *options, kin_error *err)
{
    for (size_t i = 0; i < options->index_count; i++) {
        const kin_index_options *index = &options->indexes[i];

        if (!has_index(store, index->name) && kin_store_add_index(store, index, err) != KIN_OK &&
            !has_index(store, index->name)) {
            return err->code;
        }
    }
    return KIN_OK;
}

static bool has_index(const kin_store *store, const char *name)
{
    if (name == NULL) {
        return false;
    }
    kin_view view = kin_store_read(store);
    bool has = kin__version_index(view.version, name) != NULL;

    kin_store_done(&view);
    return has;
}

/* ---- entries -------------------------------------------------------------------------------- */

/* The one behind `from` (NULL: the first), pinned; lets go of `from`. */
static entry *walk(kin_factory *factory, entry *from)
{
    entry *next = NULL;
    entry *dropped = NULL;

    kin__mutex_lock(&factory->lock);
    kin__link *link = from == NULL ? kin__list_first(&factory->entries)
                                   : kin__list_next(&factory->entries, &from->link);
    while (link != NULL && KIN__OWNER(link, entry, link)->is_removed) {
        link = kin__list_next(&factory->entries, link);
    }
    if (link != NULL) {
        next = KIN__OWNER(link, entry, link);
        next->pins++;
    }
    if (from != NULL) {
        dropped = unpin_locked(factory, from);
    }
    kin__mutex_unlock(&factory->lock);
    free_entry(dropped);
    return next;
}

/* Pinned; NULL: all are synced. */
static entry *first_unsynced(kin_factory *factory)
{
    entry *e = walk(factory, NULL);

    while (e != NULL && kin_informer_has_synced(e->informer)) {
        e = walk(factory, e);
    }
    return e;
}

static bool is_removed(kin_factory *factory, const entry *e)
{
    kin__mutex_lock(&factory->lock);
    bool is = e->is_removed;
    kin__mutex_unlock(&factory->lock);
    return is;
}

static void unpin(kin_factory *factory, entry *e)
{
    kin__mutex_lock(&factory->lock);
    entry *dropped = unpin_locked(factory, e);
    kin__mutex_unlock(&factory->lock);
    free_entry(dropped);
}

/* What is to be freed when the lock is not held any more; NULL: nothing. */
static entry *unpin_locked(kin_factory *factory, entry *e)
{
    (void) factory;
    e->pins--;
    if (e->pins != 0 || !e->is_removed) {
        return NULL;
    }
    kin__list_remove(&e->link);
    return e;
}

static void free_entry(entry *e)
{
    if (e != NULL) {
        kin_informer_free(e->informer);
        kin__wish_fini(&e->wish);
        kin__free(e);
    }
}

/* ---- waiting -------------------------------------------------------------------------------- */

/* "2 informers are not synced: nodes (forbidden: ...), things (not found: ...)" */
static kin_err say_unsynced(kin_factory *factory, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf words = { 0 };
    size_t count = 0;

    for (entry *e = walk(factory, NULL); e != NULL; e = walk(factory, e)) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;
        kin_error unwanted;

        if (kin_informer_has_synced(e->informer) ||
            kin_informer_get_status(e->informer, &status, &unwanted) != KIN_OK) {
            continue;
        }
        kin__buf_append_format(&words, "%s%s (%s%s%s)", count == 0 ? "" : ", ",
                               kin__informer_name(e->informer),
                               kin_informer_state_name(status.state),
                               status.error.message[0] == '\0' ? "" : ": ", status.error.message);
        count++;
    }
    return kin__error_set(
        err, KIN_ERR_TIMEOUT, "wait until all informers are synced: %zu %s not: %.*s", count,
        count == 1 ? "is" : "are", (int) words.len, words.data == NULL ? "" : words.data);
}

/* On the real clock; -1: never. */
static int64_t until(int64_t deadline_ms)
{
    int64_t now_ms = kin__clock_now_ms(kin__clock_real());

    return deadline_ms < 0 || deadline_ms > INT64_MAX - now_ms ? -1 : now_ms + deadline_ms;
}

static int64_t left_of(int64_t until_ms)
{
    if (until_ms < 0) {
        return -1;
    }
    int64_t left_ms = until_ms - kin__clock_now_ms(kin__clock_real());
    return left_ms > 0 ? left_ms : 0;
}
