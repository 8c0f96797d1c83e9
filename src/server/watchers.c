/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watchers.c - the halls in which watches wait for changes of their collection.
 *
 * A hall is there while somebody is in it.  A change posts its job, which wakes all that are in it
 * after whatever made the change has returned: several changes of one round are told in one go, and
 * no connection is written to from inside another one's request.
 */
#include "base/alloc.h"
#include "server/watch_state.h"

struct kin__hall {
    kin__link link;
    kin__watchers *watchers;
    kin__collection *collection; /* watches hold it through their kin__served */
    kin__list watches;
    kin__link *cursor; /* while they are woken: the next one; leaving moves it */
    bool is_waking;    /* then an empty hall stays until all are woken */
    kin__job job;
};

struct kin__watchers {
    kin__engine *engine;
    kin__list halls;
    size_t count;
    uint64_t events;
};

static kin__hall *find_hall(kin__watchers *watchers, const kin__collection *collection);
static kin__hall *new_hall(kin__watchers *watchers, kin__collection *collection);
static void close_hall(kin__hall *hall);
static void on_change(void *context);
static void on_job(kin__job *job, void *context);
static void wake_all(kin__watchers *watchers);

kin_err kin__watchers_new(kin__engine *engine, kin__watchers **out, kin_error *err)
{
    kin__watchers *watchers = kin__alloc_zero(1, sizeof *watchers);

    if (watchers == NULL) {
        return kin__error_no_memory(err);
    }
    watchers->engine = engine;
    *out = watchers;
    return KIN_OK;
}

void kin__watchers_free(kin__watchers *watchers)
{
    kin__free(watchers);
}

size_t kin__watchers_count(const kin__watchers *watchers)
{
    return watchers->count;
}

uint64_t kin__watchers_events(const kin__watchers *watchers)
{
    return watchers->events;
}

void kin__watchers_count_event(kin__watchers *watchers)
{
    watchers->events++;
}

void kin__watchers_bookmark(kin__watchers *watchers)
{
    for (kin__link *h = kin__list_first(&watchers->halls); h != NULL;
         h = kin__list_next(&watchers->halls, h)) {
        kin__hall *hall = KIN__OWNER(h, kin__hall, link);
        for (kin__link *w = kin__list_first(&hall->watches); w != NULL;
             w = kin__list_next(&hall->watches, w)) {
            KIN__OWNER(w, kin__watching, link)->is_bookmark_due = true;
        }
    }
    wake_all(watchers);
}

void kin__watchers_look(kin__watchers *watchers)
{
    wake_all(watchers);
}

void kin__watchers_each(kin__watchers *watchers,
                        bool (*fn)(void *context, const kin__watch_about *about, kin__spoil *spoil),
                        void *context)
{
    for (kin__link *h = kin__list_first(&watchers->halls); h != NULL;
         h = kin__list_next(&watchers->halls, h)) {
        kin__hall *hall = KIN__OWNER(h, kin__hall, link);
        for (kin__link *w = kin__list_first(&hall->watches); w != NULL;
             w = kin__list_next(&hall->watches, w)) {
            kin__watching *watch = KIN__OWNER(w, kin__watching, link);
            kin_str prefix = kin__filter_prefix(watch->filter);
            kin__watch_about about = { watch->served,
                                       { prefix.data, prefix.len == 0 ? 0 : prefix.len - 1 },
                                       watch->name,
                                       watch->path };
            if (fn(context, &about, &watch->spoil)) {
                watch->events = 0;
                kin__loop_post_job(watchers->engine->loop, &hall->job);
            }
        }
    }
}

kin_err kin__watching_enter(kin__watching *watch, kin_error *err)
{
    kin__watchers *watchers = watch->engine->watchers;
    kin__hall *hall = find_hall(watchers, watch->served->collection);

    if (hall == NULL) {
        hall = new_hall(watchers, watch->served->collection);
    }
    if (hall == NULL) {
        return kin__error_no_memory(err);
    }
    kin__list_push(&hall->watches, &watch->link);
    watch->hall = hall;
    watchers->count++;
    return KIN_OK;
}

void kin__watching_leave(kin__watching *watch)
{
    kin__hall *hall = watch->hall;

    if (hall == NULL) {
        return;
    }
    if (hall->cursor == &watch->link) {
        hall->cursor = kin__list_next(&hall->watches, &watch->link);
    }
    kin__list_remove(&watch->link);
    watch->hall = NULL;
    hall->watchers->count--;
    if (kin__list_first(&hall->watches) == NULL && !hall->is_waking) {
        close_hall(hall);
    }
}

static kin__hall *find_hall(kin__watchers *watchers, const kin__collection *collection)
{
    for (kin__link *h = kin__list_first(&watchers->halls); h != NULL;
         h = kin__list_next(&watchers->halls, h)) {
        kin__hall *hall = KIN__OWNER(h, kin__hall, link);
        if (hall->collection == collection) {
            return hall;
        }
    }
    return NULL;
}

static kin__hall *new_hall(kin__watchers *watchers, kin__collection *collection)
{
    kin__hall *hall = kin__alloc_zero(1, sizeof *hall);

    if (hall == NULL) {
        return NULL;
    }
    hall->watchers = watchers;
    hall->collection = collection;
    hall->job.run = on_job;
    hall->job.context = hall;
    kin__list_push(&watchers->halls, &hall->link);
    kin__collection_on_change(collection, on_change, hall);
    return hall;
}

/* With nobody there no frames are kept: nobody would tell them to go. */
static void close_hall(kin__hall *hall)
{
    uint64_t first = kin__collection_first_change(hall->collection);
    uint64_t end = kin__collection_end_change(hall->collection);

    for (uint64_t n = end - first > KIN__FRAMES_KEPT ? end - KIN__FRAMES_KEPT : first; n < end;
         n++) {
        kin__frames_forget(kin__collection_change(hall->collection, n));
    }
    kin__collection_on_change(hall->collection, NULL, NULL);
    (void) kin__loop_cancel_job(hall->watchers->engine->loop, &hall->job);
    kin__list_remove(&hall->link);
    kin__free(hall);
}

static void on_change(void *context)
{
    kin__hall *hall = context;
    uint64_t end = kin__collection_end_change(hall->collection);

    if (end > KIN__FRAMES_KEPT) {
        kin__change *old = kin__collection_change(hall->collection, end - 1 - KIN__FRAMES_KEPT);
        if (old != NULL) {
            kin__frames_forget(old);
        }
    }
    kin__loop_post_job(hall->watchers->engine->loop, &hall->job);
}

/* Waking one may end any of them: those of its connection.  With the last watch its resource may
 * go, and the collection; it is needed until the hall is closed. */
static void on_job(kin__job *job, void *context)
{
    kin__hall *hall = context;
    kin__link *first = kin__list_first(&hall->watches);
    kin__served *served =
        first == NULL ? NULL : kin__served_ref(KIN__OWNER(first, kin__watching, link)->served);

    (void) job;
    hall->is_waking = true;
    hall->cursor = first;
    while (hall->cursor != NULL) {
        kin__watching *watch = KIN__OWNER(hall->cursor, kin__watching, link);
        hall->cursor = kin__list_next(&hall->watches, hall->cursor);
        kin__visit_resume(watch->visit);
    }
    hall->is_waking = false;
    if (kin__list_first(&hall->watches) == NULL) {
        close_hall(hall);
    }
    kin__served_unref(served);
}

static void wake_all(kin__watchers *watchers)
{
    for (kin__link *h = kin__list_first(&watchers->halls); h != NULL;
         h = kin__list_next(&watchers->halls, h)) {
        kin__loop_post_job(watchers->engine->loop, &KIN__OWNER(h, kin__hall, link)->job);
    }
}
