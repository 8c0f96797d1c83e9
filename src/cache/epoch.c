/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epoch.c - epochs in C11 atomics.
 *
 * The epoch is a number that each turn raises.  A thread that enters writes the number it saw into
 * its place and only then looks for what it wants to read; one that leaves writes 0.  A turn is
 * over when no place holds its number or a lower one.
 *
 * Why that is enough: the writer's store that takes a thing out of sight, the turn, and its look at
 * the places come in this order, all seq_cst; so do a reader's store to its place and its look at
 * what is in sight.  In the one order of all these either the writer's look sees the place, or the
 * reader looks after the store and does not see the thing.  A place with a number above the turn's
 * was written by a reader that has seen the turn, and with it the store before.  Leaving is a
 * release that the writer's look acquires: all the reader did comes before the release of memory.
 *
 * Places are static, so that a thread can be known without memory and a look at the places never
 * meets one that is gone.
 */
#include "cache/epoch.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>

/* Two lines each: processors fetch lines in pairs. */
typedef struct place {
    alignas(128) _Atomic uint64_t since; /* 0: outside */
    atomic_bool is_taken;
} place;

struct kin__reader {
    place *place;   /* NULL: in the crowd, or not known yet */
    uint32_t depth; /* how often it is inside */
    bool is_known;
};

static alignas(128) _Atomic uint64_t epoch = 1;
static alignas(128) place places[KIN__EPOCH_THREADS];
static _Atomic size_t places_end;           /* none was ever taken from here on */
static alignas(128) _Atomic uint64_t crowd; /* how many without a place are inside */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

/* Initial-exec: found without a call, also in a shared library; it is 16 bytes. */
static _Thread_local kin__reader self __attribute__((tls_model("initial-exec")));

static void enter_first(kin__reader *reader);
static void get_known(kin__reader *reader);
static place *take_place(void);
static void make_key(void);
static void end_thread(void *reader);

kin__reader *kin__epoch_enter(void)
{
    kin__reader *reader = &self;

    if (reader->depth++ == 0) {
        if (reader->place != NULL) {
            atomic_store(&reader->place->since, atomic_load(&epoch));
        } else {
            enter_first(reader);
        }
    }
    return reader;
}

void kin__epoch_leave(kin__reader *reader)
{
    if (--reader->depth > 0) {
        return;
    }
    if (reader->place != NULL) {
        atomic_store_explicit(&reader->place->since, 0, memory_order_release);
    } else {
        (void) atomic_fetch_sub_explicit(&crowd, 1, memory_order_release);
    }
}

uint64_t kin__epoch_turn(void)
{
    return atomic_fetch_add(&epoch, 1);
}

bool kin__epoch_is_over(uint64_t turn)
{
    size_t end = atomic_load(&places_end);
    for (size_t i = 0; i < end; i++) {
        uint64_t since = atomic_load(&places[i].since);
        if (since != 0 && since <= turn) {
            return false;
        }
    }
    return atomic_load(&crowd) == 0;
}

void kin__epoch_forget_others(void)
{
    for (size_t i = 0; i < atomic_load(&places_end); i++) {
        if (&places[i] != self.place) {
            atomic_store(&places[i].since, 0);
            atomic_store(&places[i].is_taken, false);
        }
    }
    atomic_store(&crowd, self.place == NULL && self.depth > 0 ? 1 : 0);
}

static void enter_first(kin__reader *reader)
{
    if (!reader->is_known) {
        get_known(reader);
    }
    if (reader->place != NULL) {
        atomic_store(&reader->place->since, atomic_load(&epoch));
    } else {
        (void) atomic_fetch_add(&crowd, 1);
    }
}

/* Without a key nobody would give the place back: such a thread stays in the crowd. */
static void get_known(kin__reader *reader)
{
    (void) pthread_once(&once, make_key);
    reader->is_known = true;
    if (has_key && pthread_setspecific(key, reader) == 0) {
        reader->place = take_place();
    }
}

static place *take_place(void)
{
    for (size_t i = 0; i < KIN__EPOCH_THREADS; i++) {
        bool is_taken = false;
        if (atomic_compare_exchange_strong(&places[i].is_taken, &is_taken, true)) {
            size_t end = atomic_load(&places_end);
            while (end <= i && !atomic_compare_exchange_weak(&places_end, &end, i + 1)) {
            }
            return &places[i];
        }
    }
    return NULL;
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, end_thread) == 0;
}

/* Other destructors may read after this one: then the thread gets known again. */
static void end_thread(void *reader)
{
    kin__reader *ending = reader;

    if (ending->depth > 0) {
        ending->depth = 1;
        kin__epoch_leave(ending);
    }
    if (ending->place != NULL) {
        atomic_store(&ending->place->is_taken, false);
    }
    *ending = (kin__reader){ 0 };
}
