/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delta_line.c - keys that stand in line in the order of their first delta, and the deltas of each.
 *
 * Keys lie in an array, in their order: new ones at the end, and taken out at the beginning.  A
 * table with open addressing and linear probing leads from a key to its place.  A key with one
 * delta has it inside; one with more has an array of its own.
 *
 * Invariants
 *   - the table has a slot for each key that is no gap, and for nothing else
 *   - at most three quarters of the slots are used, so a search always meets a free one
 *   - a key that is not owned lies in the object of its first delta
 *   - an empty line begins at place 0
 */
#include "cache/delta_line.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"

#define FIRST_CAPACITY ((size_t) 8)
#define FIRST_SLOTS ((size_t) 16)
#define FIRST_MANY 4
#define MANY_MAX 0x3fffffff
#define CAPACITY_KEPT ((size_t) 64) /* what is used again */
#define SLOTS_KEPT ((size_t) 256)
#define KEYS_MAX ((size_t) UINT32_MAX - 1)

static bool reserve_keys(kin__delta_line *line, size_t more, size_t capacity);
static bool reserve_slots(kin__delta_line *line, size_t count);
static void close_gaps(kin__delta_line *line);
static void fill_slots(kin__delta_line *line);
static bool grow(kin__delta_line *line);
static bool fill_new(kin__delta_line *line, kin__deltas *deltas, kin_str key, bool copies_key);
static bool append(kin__deltas *deltas, kin__delta delta);
static bool make_many(kin__deltas *deltas);
static void bind_key(kin__deltas *deltas);
static void leave(kin__delta_line *line, kin__deltas *deltas);
static void finish_if_empty(kin__delta_line *line);
static uint32_t hash_of(const kin__delta_line *line, kin_str key);
static void insert(kin__delta_line *line, size_t place);
static void take_slot(kin__delta_line *line, size_t place);

void kin__deltas_fini(kin__deltas *deltas)
{
    kin__delta *all = kin__deltas_all(deltas);

    for (size_t i = 0; i < deltas->count; i++) {
        kin_object_unref(all[i].object);
    }
    if (deltas->capacity != 0) {
        kin__free(deltas->many);
    }
    if (deltas->owns_key) {
        kin__free((char *) deltas->key);
    }
    *deltas = (kin__deltas){ 0 };
}

void kin__delta_line_clear(kin__delta_line *line)
{
    size_t at = 0;

    for (kin__deltas *deltas; (deltas = kin__delta_line_next(line, &at)) != NULL;) {
        kin__deltas_fini(deltas);
    }
    kin__free(line->keys);
    kin__free(line->slots);
    *line = (kin__delta_line){ 0 };
}

bool kin__delta_line_reserve(kin__delta_line *line, size_t more)
{
    return more == 0 || (more <= KEYS_MAX && reserve_keys(line, more, line->len + more) &&
                         reserve_slots(line, kin__delta_line_count(line) + more));
}

kin__deltas *kin__delta_line_find(const kin__delta_line *line, kin_str key)
{
    if (kin__delta_line_count(line) == 0) {
        return NULL;
    }
    uint32_t hash = hash_of(line, key);
    size_t mask = line->slot_count - 1;
    for (size_t slot = hash & mask; line->slots[slot] != 0; slot = (slot + 1) & mask) {
        kin__deltas *deltas = &line->keys[line->slots[slot] - 1];
        if (deltas->hash == hash && kin__str_equal(kin__deltas_key(deltas), key)) {
            return deltas;
        }
    }
    return NULL;
}

kin__deltas *kin__delta_line_push(kin__delta_line *line, kin__deltas *deltas, kin_str key,
                                  bool copies_key, kin__delta delta)
{
    if (deltas != NULL) {
        if (!append(deltas, delta)) {
            return NULL;
        }
        line->delta_count++;
        return deltas;
    }
    if (!grow(line)) {
        return NULL;
    }
    deltas = &line->keys[line->len];
    if (!fill_new(line, deltas, key, copies_key)) {
        return NULL;
    }
    deltas->one = delta;
    deltas->count = 1;
    insert(line, line->len++);
    line->delta_count++;
    return deltas;
}

void kin__delta_line_truncate(kin__delta_line *line, kin__deltas *deltas, size_t count)
{
    if (count == 0) {
        leave(line, deltas);
        return;
    }
    while (deltas->count > count) {
        kin_object_unref(kin__deltas_newest(deltas)->object);
        deltas->count--;
        line->delta_count--;
    }
}

void kin__delta_line_exchange(kin__delta_line *line, kin__deltas *deltas, const kin__delta *few,
                              size_t count)
{
    kin__delta ours[2];
    kin__delta *all = kin__deltas_all(deltas);

    assert(count >= 1 && count <= 2 && count <= deltas->count);
    memcpy(ours, few, count * sizeof *ours);
    for (size_t i = 0; i < count; i++) {
        (void) kin_object_ref(ours[i].object);
    }
    for (size_t i = 0; i < deltas->count; i++) {
        kin_object_unref(all[i].object);
    }
    line->delta_count -= deltas->count - count;
    deltas->count = (uint32_t) count;
    if (count == 1 && deltas->capacity != 0) {
        kin__free(deltas->many);
        deltas->capacity = 0;
        all = &deltas->one;
    }
    memcpy(all, ours, count * sizeof *ours);
    bind_key(deltas);
}

void kin__delta_line_exchange_newest(kin__deltas *deltas, kin__delta delta)
{
    kin__delta *newest = kin__deltas_newest(deltas);
    kin_object *before = newest->object;

    *newest = delta;
    bind_key(deltas);
    kin_object_unref(before);
}

kin__deltas *kin__delta_line_next(const kin__delta_line *line, size_t *at)
{
    size_t place = *at < line->first ? line->first : *at;

    while (place < line->len && line->keys[place].count == 0) {
        place++;
    }
    *at = place + 1;
    return place < line->len ? &line->keys[place] : NULL;
}

bool kin__delta_line_pop(kin__delta_line *line, kin__deltas *out)
{
    size_t at = 0;
    const kin__deltas *deltas = kin__delta_line_next(line, &at);

    if (deltas == NULL) {
        return false;
    }
    *out = *deltas;
    take_slot(line, at - 1);
    line->gaps -= at - 1 - line->first;
    line->first = at;
    line->delta_count -= out->count;
    finish_if_empty(line);
    return true;
}

void kin__delta_line_take(kin__delta_line *line, kin__delta_line *out)
{
    *out = *line;
    out->slots = NULL;
    out->slot_count = 0;
    *line = (kin__delta_line){
        .slots = line->slots,
        .slot_count = line->slot_count,
        .seed = line->seed,
    };
    finish_if_empty(line);
}

void kin__delta_line_give_back(kin__delta_line *line, kin__delta_line *taken)
{
    if (line->keys == NULL && taken->capacity <= CAPACITY_KEPT) {
        size_t at = 0;
        for (kin__deltas *deltas; (deltas = kin__delta_line_next(taken, &at)) != NULL;) {
            kin__deltas_fini(deltas);
        }
        line->capacity = taken->capacity;
        line->keys = STEAL(taken->keys);
        *taken = (kin__delta_line){ 0 };
    }
    kin__delta_line_clear(taken);
}

static bool reserve_keys(kin__delta_line *line, size_t more, size_t capacity)
{
    if (line->capacity - line->len >= more) {
        return true;
    }
    size_t unused = line->first + line->gaps;
    if (unused > line->len / 2 && line->capacity - line->len + unused >= more) {
        close_gaps(line);
        return true;
    }
    if (capacity > KEYS_MAX) {
        return false;
    }
    kin__deltas *larger = kin__realloc(line->keys, capacity * sizeof *larger);
    if (larger == NULL) {
        return false;
    }
    line->keys = larger;
    line->capacity = capacity;
    return true;
}

static bool reserve_slots(kin__delta_line *line, size_t count)
{
    size_t slot_count = line->slot_count == 0 ? FIRST_SLOTS : line->slot_count;

    while (count > slot_count / 4 * 3) {
        slot_count *= 2;
    }
    if (slot_count == line->slot_count) {
        return true;
    }
    uint32_t *slots = kin__alloc_zero(slot_count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    kin__free(line->slots);
    line->slots = slots;
    line->slot_count = slot_count;
    if (line->seed == 0) {
        line->seed = kin__hash(&line, sizeof line, kin__hash_seed()) | 1;
    }
    fill_slots(line);
    return true;
}

static void close_gaps(kin__delta_line *line)
{
    size_t len = 0;
    size_t at = 0;

    for (kin__deltas *deltas; (deltas = kin__delta_line_next(line, &at)) != NULL;) {
        line->keys[len++] = *deltas;
    }
    line->first = line->gaps = 0;
    line->len = len;
    memset(line->slots, 0, line->slot_count * sizeof *line->slots);
    fill_slots(line);
}

static void fill_slots(kin__delta_line *line)
{
    size_t at = 0;

    while (kin__delta_line_next(line, &at) != NULL) {
        insert(line, at - 1);
    }
}

/* For one key more. */
static bool grow(kin__delta_line *line)
{
    size_t half_more = line->capacity + line->capacity / 2;
    size_t capacity = half_more < FIRST_CAPACITY ? FIRST_CAPACITY : half_more;

    return reserve_keys(line, 1, capacity) && reserve_slots(line, kin__delta_line_count(line) + 1);
}

static bool fill_new(kin__delta_line *line, kin__deltas *deltas, kin_str key, bool copies_key)
{
    const char *lasting = key.data;

    if (key.len > UINT32_MAX) {
        return false;
    }
    if (copies_key) {
        char *copy = kin__alloc(key.len);
        if (copy == NULL) {
            return false;
        }
        if (key.len != 0) {
            memcpy(copy, key.data, key.len);
        }
        lasting = copy;
    }
    *deltas = (kin__deltas){
        .key = lasting,
        .len = (uint32_t) key.len,
        .hash = hash_of(line, key),
        .owns_key = copies_key,
    };
    return true;
}

static bool append(kin__deltas *deltas, kin__delta delta)
{
    if (deltas->capacity == 0 && !make_many(deltas)) {
        return false;
    }
    if (deltas->count == deltas->capacity) {
        if (deltas->capacity > MANY_MAX / 2) {
            return false;
        }
        uint32_t capacity = deltas->capacity * 2u;
        kin__delta *larger = kin__realloc(deltas->many, capacity * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        deltas->many = larger;
        deltas->capacity = capacity & MANY_MAX;
    }
    deltas->many[deltas->count++] = delta;
    return true;
}

static bool make_many(kin__deltas *deltas)
{
    kin__delta *many = kin__alloc(FIRST_MANY * sizeof *many);

    if (many == NULL) {
        return false;
    }
    many[0] = deltas->one;
    deltas->many = many;
    deltas->capacity = FIRST_MANY;
    return true;
}

/* The object that the key lay in may be going. */
static void bind_key(kin__deltas *deltas)
{
    if (!deltas->owns_key) {
        deltas->key = kin_object_key(kin__deltas_all(deltas)->object).data;
    }
}

static void leave(kin__delta_line *line, kin__deltas *deltas)
{
    take_slot(line, (size_t) (deltas - line->keys));
    line->delta_count -= deltas->count;
    kin__deltas_fini(deltas);
    line->gaps++;
    finish_if_empty(line);
}

/* What was much is released. */
static void finish_if_empty(kin__delta_line *line)
{
    if (kin__delta_line_count(line) != 0) {
        return;
    }
    line->first = line->len = line->gaps = 0;
    if (line->capacity > CAPACITY_KEPT) {
        kin__free(STEAL(line->keys));
        line->capacity = 0;
    }
    if (line->slot_count > SLOTS_KEPT) {
        kin__free(STEAL(line->slots));
        line->slot_count = 0;
    } else if (line->slot_count != 0) {
        memset(line->slots, 0, line->slot_count * sizeof *line->slots);
    }
}

static uint32_t hash_of(const kin__delta_line *line, kin_str key)
{
    return (uint32_t) kin__hash(key.data, key.len, line->seed);
}

static void insert(kin__delta_line *line, size_t place)
{
    size_t mask = line->slot_count - 1;
    size_t slot = line->keys[place].hash & mask;

    while (line->slots[slot] != 0) {
        slot = (slot + 1) & mask;
    }
    line->slots[slot] = (uint32_t) (place + 1);
}

/* Those behind move up, unless that were before their home (Knuth, 6.4, algorithm R). */
static void take_slot(kin__delta_line *line, size_t place)
{
    size_t mask = line->slot_count - 1;
    size_t hole = line->keys[place].hash & mask;

    while (line->slots[hole] != place + 1) {
        hole = (hole + 1) & mask;
    }
    for (size_t slot = (hole + 1) & mask; line->slots[slot] != 0; slot = (slot + 1) & mask) {
        size_t home = line->keys[line->slots[slot] - 1].hash & mask;
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            line->slots[hole] = line->slots[slot];
            hole = slot;
        }
    }
    line->slots[hole] = 0;
}
