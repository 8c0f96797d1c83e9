/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processor_support.h - a store with a processor, and handlers that keep a diary.
 */
#ifndef TESTS_UNIT_CACHE_PROCESSOR_SUPPORT_H
#define TESTS_UNIT_CACHE_PROCESSOR_SUPPORT_H

#include <pthread.h>
#include <stdatomic.h>

#include "cache/processor.h"
#include "store_support.h"

typedef struct world {
    kin_store *store;
    kin__pool *pool;
    kin__processor *processor;
    kin_error err;
    atomic_size_t wakes;
    atomic_bool is_on_loop; /* what the hook answers */
} world;

static inline void world_wake(void *context)
{
    atomic_fetch_add(&((world *) context)->wakes, 1);
}

static inline bool world_is_on_loop(void *context)
{
    return atomic_load(&((world *) context)->is_on_loop);
}

static inline void world_begin(world *w, int64_t resync_ms)
{
    *w = (world){ .store = new_store(NULL) };
    kin__pool_options impatient = { .patience_ms = 1 };
    ASSERT_OK(kin__pool_new(&impatient, &w->pool, &w->err));
    kin__processor_options options = { .store = w->store,
                                       .pool = w->pool,
                                       .resync_ms = resync_ms,
                                       .hooks = { world_wake, world_is_on_loop, w } };
    ASSERT_OK(kin__processor_new(&options, &w->processor, &w->err));
}

static inline void world_end(world *w)
{
    kin__processor_free(w->processor);
    kin__pool_free(w->pool);
    kin__store_free(w->store);
}

/* ---- batches ------------------------------------------------------------------------------- */

static inline void open_batch(world *w)
{
    kin__store_begin(w->store);
}

static inline void publish(world *w)
{
    kin__store_publish(w->store);
}

static inline void commit(world *w)
{
    kin_view view = kin_store_read(w->store);
    uint64_t version = kin_view_number(&view);
    kin_store_done(&view);
    kin__processor_commit(w->processor, version);
}

static inline void close_batch(world *w)
{
    publish(w);
    commit(w);
}

/* Consumes the object: stages it and puts it into the open batch. */
static inline void put_object(world *w, kin_object *object, bool is_initial)
{
    kin_str key = kin_object_key(object);
    const kin_object *before = kin__store_newest(w->store, key);
    kin_notification n = { .type =
                               before == NULL ? KIN_NOTIFICATION_ADDED : KIN_NOTIFICATION_UPDATED,
                           .key = key,
                           .object = object,
                           .before = before,
                           .is_initial = is_initial };
    ASSERT_OK(kin__processor_stage(w->processor, &n, &w->err));
    ASSERT_OK(kin__store_put(w->store, object, &before, &w->err));
    kin_object_unref(object);
}

static inline void put_pod(world *w, size_t number, size_t version)
{
    put_object(w, numbered_pod(number, version), false);
}

/* Its last state has that version; 0: it was not seen, and is a tombstone. */
static inline void drop_pod(world *w, size_t number, size_t version)
{
    kin_str key = numbered_key(number);
    const kin_object *before = kin__store_newest(w->store, key);
    ASSERT_TRUE(before != NULL);
    kin_object *last = version == 0 ? kin_object_ref(before) : numbered_pod(number, version);
    kin_notification n = { .type = KIN_NOTIFICATION_DELETED,
                           .key = key,
                           .object = last,
                           .before = before,
                           .is_tombstone = version == 0 };
    ASSERT_OK(kin__processor_stage(w->processor, &n, &w->err));
    ASSERT_OK(kin__store_remove(w->store, key, &before, &w->err));
    kin_object_unref(last);
}

/* Batches of one. */
static inline void change_pod(world *w, size_t number, size_t version)
{
    open_batch(w);
    put_pod(w, number, version);
    close_batch(w);
}

static inline void delete_pod(world *w, size_t number, size_t version)
{
    open_batch(w);
    drop_pod(w, number, version);
    close_batch(w);
}

/* As the first list has it: pods 0 to `count` - 1 at version 1. */
static inline void first_list(world *w, size_t count)
{
    open_batch(w);
    for (size_t i = 0; i < count; i++) {
        put_object(w, numbered_pod(i, 1), true);
    }
    close_batch(w);
    kin__processor_set_synced(w->processor);
}

/* ---- handlers ------------------------------------------------------------------------------ */

/* What a handler was told: "A0@1i" is pod 0 added at version 1, initial; "U0@1>2" from version 1 to
 * version 2; "D0@1>2t" a tombstone; "r" a resync; "S", "E" and "X" synced, error and end. */
typedef struct diary {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    text words;
    size_t count;
    bool is_shut;  /* the handler waits */
    size_t inside; /* handlers that wait, or would */
    kin_registration *self;
    void (*during)(struct diary *diary); /* called in each call */
    world *world;
    kin_err outcome;
    kin_error err;
} diary;

#define DIARY                                                                                      \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER                     \
    }

static inline void diary_write(diary *d, const char *word)
{
    pthread_mutex_lock(&d->lock);
    ASSERT_EQ(d->inside, 0); /* never two calls at once */
    d->inside++;
    pthread_cond_broadcast(&d->changed);
    while (d->is_shut) {
        pthread_cond_wait(&d->changed, &d->lock);
    }
    pthread_mutex_unlock(&d->lock);
    if (d->during != NULL) {
        d->during(d);
    }
    pthread_mutex_lock(&d->lock);
    d->inside--;
    if (d->words.len + 64 < sizeof d->words.chars) {
        text_append(&d->words, "%s%s", d->words.len == 0 ? "" : " ", word);
    }
    d->count++;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

static inline void diary_told(void *context, const kin_notification *n)
{
    char word[128];
    kin_str name = kin_object_name(n->object);
    kin_str version = kin_object_resource_version(n->object);
    kin_str before = n->before == NULL ? STR("") : kin_object_resource_version(n->before);
    (void) snprintf(word, sizeof word, "%c%.*s@%.*s%s%.*s%s%s%s", "?AUD"[n->type],
                    (int) name.len - 4, name.data + 4, KIN_STR_ARG(before),
                    before.len == 0 ? "" : ">", KIN_STR_ARG(version), n->is_initial ? "i" : "",
                    n->is_tombstone ? "t" : "", n->is_resync ? "r" : "");
    diary_write(context, word);
}

static inline void diary_synced(void *context)
{
    diary *d = context;
    ASSERT_TRUE(d->self == NULL || kin_registration_has_synced(d->self));
    diary_write(context, "S");
}

static inline void diary_error(void *context, const kin_error *err)
{
    ((diary *) context)->err = *err;
    diary_write(context, "E");
}

static inline void diary_end(void *context)
{
    diary_write(context, "X");
}

/* Shuts or opens the gate that each call goes through. */
static inline void diary_shut(diary *d, bool is_shut)
{
    pthread_mutex_lock(&d->lock);
    d->is_shut = is_shut;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

/* Returns when the handler has been told `count` things; the time limit of tests says when not. */
static inline void diary_await(diary *d, size_t count)
{
    pthread_mutex_lock(&d->lock);
    while (d->count < count) {
        pthread_cond_wait(&d->changed, &d->lock);
    }
    pthread_mutex_unlock(&d->lock);
}

/* Returns when a call is under way. */
static inline void diary_await_inside(diary *d)
{
    pthread_mutex_lock(&d->lock);
    while (d->inside == 0) {
        pthread_cond_wait(&d->changed, &d->lock);
    }
    pthread_mutex_unlock(&d->lock);
}

/* What was told since the last time; in a buffer that the next call overwrites. */
static inline const char *diary_read(diary *d)
{
    static text copy;
    pthread_mutex_lock(&d->lock);
    copy = d->words;
    text_clear(&d->words);
    pthread_mutex_unlock(&d->lock);
    return copy.chars;
}

static inline kin_registration_options diary_options(diary *d, kin_delivery mode)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.name = "diary";
    options.context = d;
    options.on_add = options.on_update = options.on_delete = diary_told;
    options.on_synced = diary_synced;
    options.on_error = diary_error;
    options.on_end = diary_end;
    options.mode = mode;
    return options;
}

static inline kin_registration *add(world *w, const kin_registration_options *options)
{
    kin_registration *registration = NULL;
    kin_error err;
    kin_err code = kin__processor_add(w->processor, options, 0, &registration, &err);
    if (code != KIN_OK) {
        FAIL("no registration: %s", err.message);
    }
    return registration;
}

static inline kin_registration *add_diary(world *w, diary *d, kin_delivery mode)
{
    kin_registration_options options = diary_options(d, mode);
    return add(w, &options);
}

static inline kin_registration_status status_of(const kin_registration *registration)
{
    kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;
    ASSERT_OK(kin_registration_get_status(registration, &status, NULL));
    return status;
}

/* All that is due, of a queue. */
static inline size_t dispatch_all(kin_registration *registration)
{
    size_t told = 0;
    kin_error err;
    ASSERT_OK(kin_registration_dispatch(registration, 0, &told, &err));
    return told;
}

#endif /* TESTS_UNIT_CACHE_PROCESSOR_SUPPORT_H */
