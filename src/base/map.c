/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - open addressing with linear probing.
 *
 * Invariants
 *   - between a key's home (its hash modulo the capacity) and its slot no slot is free; removing
 *     one moves later ones back, so there are no tombstones
 *   - at most three quarters of the slots are taken, so a search always meets a free one
 *
 * Every map has a seed of its own: walking one map and putting its keys into another would
 * otherwise fill the other from one end, with ever longer searches.
 */
#include "base/map.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

#define FIRST_CAPACITY 8

static kin__map_slot *find(const kin__map *map, kin_str key, uint64_t hash);
static bool reserve_one(kin__map *map);
static bool resize(kin__map *map, size_t capacity);
static kin__map_slot *free_slot(const kin__map *map, uint64_t hash);
static void close_gap(kin__map *map, size_t gap);
static uint64_t hash_of(const kin__map *map, kin_str key);

void kin__map_clear(kin__map *map)
{
    for (size_t i = 0; i < map->capacity; i++) {
        kin__free(map->slots[i].key);
    }
    kin__free(map->slots);
    *map = (kin__map){ 0 };
}

void *kin__map_get(const kin__map *map, kin_str key)
{
    kin__map_slot *slot = find(map, key, hash_of(map, key));
    return slot == NULL ? NULL : slot->value;
}

kin_err kin__map_put(kin__map *map, kin_str key, void *value, void **out_before, kin_error *err)
{
    assert(value != NULL);
    if (map->seed == 0) {
        map->seed = kin__hash(&map, sizeof map, kin__hash_seed());
    }
    void *before = NULL;
    uint64_t hash = hash_of(map, key);
    kin__map_slot *slot = find(map, key, hash);
    if (slot != NULL) {
        before = slot->value;
        slot->value = value;
    } else {
        char *copy = reserve_one(map) ? kin__alloc(key.len) : NULL;
        if (copy == NULL) {
            return kin__error_no_memory(err);
        }
        if (key.len != 0) {
            memcpy(copy, key.data, key.len);
        }
        *free_slot(map, hash) = (kin__map_slot){ hash, copy, key.len, value };
        map->count++;
    }
    if (out_before != NULL) {
        *out_before = before;
    }
    return KIN_OK;
}

void *kin__map_remove(kin__map *map, kin_str key)
{
    kin__map_slot *slot = find(map, key, hash_of(map, key));
    if (slot == NULL) {
        return NULL;
    }
    void *value = slot->value;
    kin__free(slot->key);
    close_gap(map, (size_t) (slot - map->slots));
    map->count--;
    if (map->capacity > FIRST_CAPACITY && map->count < map->capacity / 8) {
        (void) resize(map, map->capacity / 2); /* without memory the table stays large */
    }
    return value;
}

kin__map_iter kin__map_begin(const kin__map *map)
{
    return (kin__map_iter){ .map = map };
}

bool kin__map_next(kin__map_iter *iter)
{
    while (iter->place < iter->map->capacity) {
        const kin__map_slot *slot = &iter->map->slots[iter->place++];
        if (slot->value != NULL) {
            iter->key = (kin_str){ slot->key, slot->len };
            iter->value = slot->value;
            return true;
        }
    }
    return false;
}

static kin__map_slot *find(const kin__map *map, kin_str key, uint64_t hash)
{
    if (map->count == 0) {
        return NULL;
    }
    for (size_t i = hash & (map->capacity - 1);; i = (i + 1) & (map->capacity - 1)) {
        kin__map_slot *slot = &map->slots[i];
        if (slot->value == NULL) {
            return NULL;
        }
        if (slot->hash == hash && slot->len == key.len &&
            (key.len == 0 || memcmp(slot->key, key.data, key.len) == 0)) {
            return slot;
        }
    }
}

static bool reserve_one(kin__map *map)
{
    if (map->capacity == 0) {
        return resize(map, FIRST_CAPACITY);
    }
    if (map->count < map->capacity - map->capacity / 4) {
        return true;
    }
    return map->capacity <= SIZE_MAX / 2 && resize(map, map->capacity * 2);
}

static bool resize(kin__map *map, size_t capacity)
{
    kin__map_slot *slots = kin__alloc_zero(capacity, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    kin__map old = *map;
    map->slots = slots;
    map->capacity = capacity;
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].value != NULL) {
            *free_slot(map, old.slots[i].hash) = old.slots[i];
        }
    }
    kin__free(old.slots);
    return true;
}

static kin__map_slot *free_slot(const kin__map *map, uint64_t hash)
{
    size_t i = hash & (map->capacity - 1);
    while (map->slots[i].value != NULL) {
        i = (i + 1) & (map->capacity - 1);
    }
    return &map->slots[i];
}

/* Moves into the gap the next slot whose search passes it, and so on until a free one ends the
 * run: a slot's search passes the gap when its home is at least as far back as the gap is. */
static void close_gap(kin__map *map, size_t gap)
{
    size_t mask = map->capacity - 1;
    for (size_t i = (gap + 1) & mask; map->slots[i].value != NULL; i = (i + 1) & mask) {
        size_t from_home = (i - map->slots[i].hash) & mask;
        size_t from_gap = (i - gap) & mask;
        if (from_home >= from_gap) {
            map->slots[gap] = map->slots[i];
            gap = i;
        }
    }
    map->slots[gap] = (kin__map_slot){ 0 };
}

static uint64_t hash_of(const kin__map *map, kin_str key)
{
    return kin__hash(key.data, key.len, map->seed);
}
