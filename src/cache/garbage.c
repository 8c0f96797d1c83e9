/* SPDX-License-Identifier: Apache-2.0 */
/*
 * garbage.c - dropped parts, snapshots and read sections.
 *
 * One lock for the garbage of all stores: nothing under it takes more than a few steps (the look at
 * the readers' places aside), nothing is allocated or released under it, and fork() has one lock to
 * care for.  Sorting out a pile takes time in proportion to it and so happens without the lock: the
 * pile is nobody else's meanwhile.  Should the snapshot it was sorted for end before, it is
 * sorted again for the next older one.
 *
 * Two piles wait for read sections: `fresh`, and `waiting` with its turn of the epoch.  `fresh`
 * becomes `waiting` when that has been released.
 */
#include "cache/garbage.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "base/slab.h"
#include "cache/epoch.h"
#include "cache/version.h"

struct kin__garbage {
    size_t users;        /* the store and its snapshots */
    bool has_readers;    /* the store is there */
    kin__list snapshots; /* the oldest first */
    kin__pile fresh;
    kin__pile waiting;
    uint64_t turn;                    /* of `waiting` */
    void (*on_unread)(void *context); /* NULL: nobody is told */
    void *context;
};

static kin__mutex lock = { PTHREAD_MUTEX_INITIALIZER };
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_ready_for_fork;

static void sort_out(kin__garbage *garbage, kin__pile *pile, const kin_snapshot *before,
                     uint64_t number);
static kin_snapshot *older_locked(kin__garbage *garbage, const kin_snapshot *before,
                                  uint64_t number) REQUIRES(lock);
static void part_pile(kin__pile *pile, uint64_t number, kin__pile *unseen);
static bool collect(kin__garbage *garbage, bool is_telling);
static void take_unread_locked(kin__garbage *garbage, kin__pile *out) REQUIRES(lock);
static void leave(kin__garbage *garbage);
static void prepare_for_fork(void);
static void before_fork(void);
static void after_fork_in_parent(void);
static void after_fork_in_child(void);

kin__garbage *kin__garbage_new(void)
{
    (void) pthread_once(&once, prepare_for_fork);
    kin__garbage *garbage = is_ready_for_fork ? kin__alloc(sizeof *garbage) : NULL;
    if (garbage != NULL) {
        *garbage = (kin__garbage){ .users = 1, .has_readers = true };
    }
    return garbage;
}

void kin__garbage_leave(kin__garbage *garbage)
{
    kin__mutex_lock(&lock);
    garbage->has_readers = false;
    kin__mutex_unlock(&lock);
    (void) kin__garbage_collect(garbage);
    leave(garbage);
}

void kin__garbage_publish(kin__garbage *garbage, _Atomic(kin__version *) *place,
                          kin__version *version)
{
    (void) garbage;
    kin__mutex_lock(&lock);
    atomic_store(place, version);
    kin__mutex_unlock(&lock);
}

void kin__garbage_take(kin__garbage *garbage, kin__pile *dropped, uint64_t number)
{
    sort_out(garbage, dropped, NULL, number);
    (void) kin__garbage_collect(garbage);
}

bool kin__garbage_collect(kin__garbage *garbage)
{
    return collect(garbage, false);
}

void kin__garbage_nudge(kin__garbage *garbage)
{
    (void) collect(garbage, true);
}

void kin__garbage_on_unread(kin__garbage *garbage, void (*fn)(void *context), void *context)
{
    kin__mutex_lock(&lock);
    garbage->on_unread = fn;
    garbage->context = context;
    kin__mutex_unlock(&lock);
}

void kin__garbage_add(kin__garbage *garbage, kin_snapshot *snapshot, _Atomic(kin__version *) *place)
{
    kin__mutex_lock(&lock);
    const kin__version *version = atomic_load(place);
    *snapshot = (kin_snapshot){
        .view = { .version = version },
        .garbage = garbage,
        .number = version->part.born,
    };
    garbage->users++;
    kin__list_push(&garbage->snapshots, &snapshot->link);
    kin__mutex_unlock(&lock);
}

/* It stays on the list, as one that is ending, while its pile is sorted out: so the next older one
 * is found from it. */
void kin__garbage_remove(kin_snapshot *snapshot)
{
    kin__garbage *garbage = snapshot->garbage;
    kin__pile kept = { 0 };

    kin__mutex_lock(&lock);
    snapshot->is_ending = true;
    kin__pile_move(&kept, &snapshot->kept);
    kin__mutex_unlock(&lock);
    sort_out(garbage, &kept, snapshot, snapshot->number + 1);
    kin__mutex_lock(&lock);
    kin__list_remove(&snapshot->link);
    kin__mutex_unlock(&lock);
    (void) collect(garbage, true);
    leave(garbage);
}

size_t kin__garbage_count(kin__garbage *garbage)
{
    kin__mutex_lock(&lock);
    size_t count = garbage->fresh.count + garbage->waiting.count;
    for (kin__link *l = kin__list_first(&garbage->snapshots); l != NULL;
         l = kin__list_next(&garbage->snapshots, l)) {
        count += KIN__OWNER(l, kin_snapshot, link)->kept.count;
    }
    kin__mutex_unlock(&lock);
    return count;
}

/*
 * Gives the parts of `pile` to the newest snapshot that shows them, of those before `before` (NULL:
 * of all) with a number below `number`; the others to the fresh ones.
 *
 * No new snapshot can show any of them: new ones are of the newest version.
 */
static void sort_out(kin__garbage *garbage, kin__pile *pile, const kin_snapshot *before,
                     uint64_t number)
{
    kin__pile unseen = { 0 };
    uint64_t sorted_for = 0; /* no version has it */

    for (;;) {
        kin__mutex_lock(&lock);
        kin_snapshot *keeper = older_locked(garbage, before, number);
        uint64_t wanted = keeper == NULL ? 0 : keeper->number;
        if (keeper == NULL || wanted == sorted_for) {
            kin__pile_move(keeper == NULL ? &garbage->fresh : &keeper->kept, pile);
            kin__pile_move(&garbage->fresh, &unseen);
            kin__mutex_unlock(&lock);
            return;
        }
        kin__mutex_unlock(&lock);
        part_pile(pile, wanted, &unseen);
        sorted_for = wanted;
    }
}

static kin_snapshot *older_locked(kin__garbage *garbage, const kin_snapshot *before,
                                  uint64_t number)
{
    if (kin__list_first(&garbage->snapshots) == NULL) {
        return NULL;
    }
    kin__link *head = &garbage->snapshots.head;
    for (kin__link *l = before == NULL ? head->prev : before->link.prev; l != head; l = l->prev) {
        kin_snapshot *snapshot = KIN__OWNER(l, kin_snapshot, link);
        if (!snapshot->is_ending && snapshot->number < number) {
            return snapshot;
        }
    }
    return NULL;
}

/* Moves what was born after version `number` to `unseen`. */
static void part_pile(kin__pile *pile, uint64_t number, kin__pile *unseen)
{
    kin__pile seen = { 0 };
    for (kin__part *part; (part = kin__pile_take(pile)) != NULL;) {
        kin__pile_put(part->born > number ? unseen : &seen, part);
    }
    *pile = seen;
}

static bool collect(kin__garbage *garbage, bool is_telling)
{
    kin__pile unread = { 0 };

    kin__mutex_lock(&lock);
    take_unread_locked(garbage, &unread);
    bool is_waiting = garbage->waiting.count + garbage->fresh.count != 0;
    if (is_waiting && is_telling && garbage->on_unread != NULL) {
        garbage->on_unread(garbage->context);
    }
    kin__mutex_unlock(&lock);
    kin__pile_clear(&unread);
    return is_waiting;
}

static void take_unread_locked(kin__garbage *garbage, kin__pile *out)
{
    if (!garbage->has_readers) {
        kin__pile_move(out, &garbage->waiting);
        kin__pile_move(out, &garbage->fresh);
        return;
    }
    if (garbage->waiting.count > 0 && kin__epoch_is_over(garbage->turn)) {
        kin__pile_move(out, &garbage->waiting);
    }
    if (garbage->waiting.count == 0 && garbage->fresh.count > 0) {
        kin__pile_move(&garbage->waiting, &garbage->fresh);
        garbage->turn = kin__epoch_turn();
        if (kin__epoch_is_over(garbage->turn)) {
            kin__pile_move(out, &garbage->waiting);
        }
    }
}

static void leave(kin__garbage *garbage)
{
    kin__mutex_lock(&lock);
    bool is_last = --garbage->users == 0;
    kin__mutex_unlock(&lock);
    if (is_last) {
        kin__free(garbage);
    }
}

static void prepare_for_fork(void)
{
    is_ready_for_fork = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

UNCHECKED_LOCKS static void before_fork(void)
{
    kin__mutex_lock(&lock);
    kin__slab_before_fork();
}

UNCHECKED_LOCKS static void after_fork_in_parent(void)
{
    kin__slab_after_fork();
    kin__mutex_unlock(&lock);
}

UNCHECKED_LOCKS static void after_fork_in_child(void)
{
    kin__epoch_forget_others();
    kin__slab_after_fork();
    kin__mutex_unlock(&lock);
}
