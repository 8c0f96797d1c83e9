/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.c - an open hash table of entries.
 *
 * A key is looked for from the slot that its hash names until one is free, and none is free between
 * the two: what is removed is closed up.  The slots hold the hashes, so that other entries, which
 * are anywhere in memory, need not be looked at.
 *
 * When the table cannot shrink it stays large.
 */
#include "queue/entries.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

#define FIRST_CAPACITY 64
#define KEPT_CAPACITY 4096 /* not worth giving back */
#define SPARE_MAX 1024
#define ROOM_MIN 40    /* with what stands before it, two lines of a processor's cache */
#define ROOM_SPARE 256 /* what is larger is not kept */

static kin__entry *entry_new(kin__entries *entries, size_t key_len);
static void entry_release(kin__entries *entries, kin__entry *entry);
static bool resize(kin__entries *entries, size_t capacity);
static void put(kin__entries *entries, kin__entry_slot slot);
static void close_up(kin__entries *entries, size_t hole);

kin_err kin__entries_init(kin__entries *entries, kin_error *err)
{
    *entries = (kin__entries){ .capacity = FIRST_CAPACITY, .seed = kin__hash_seed() };
    entries->slots = kin__alloc_zero(FIRST_CAPACITY, sizeof entries->slots[0]);
    return entries->slots == NULL ? kin__error_no_memory(err) : KIN_OK;
}

void kin__entries_fini(kin__entries *entries)
{
    for (size_t i = 0; entries->slots != NULL && i < entries->capacity; i++) {
        kin__free(entries->slots[i].entry);
    }
    while (entries->spare != NULL) {
        kin__entry *next = entries->spare->next_spare;
        kin__free(entries->spare);
        entries->spare = next;
    }
    kin__free(entries->slots);
    *entries = (kin__entries){ 0 };
}

uint64_t kin__entries_hash(const kin__entries *entries, kin_str key)
{
    return kin__hash_in_place(key.data, key.len, entries->seed);
}

kin__entry *kin__entries_find(const kin__entries *entries, uint64_t hash, kin_str key)
{
    size_t mask = entries->capacity - 1;

    for (size_t i = hash & mask; entries->slots[i].entry != NULL; i = (i + 1) & mask) {
        kin__entry *entry = entries->slots[i].entry;
        if (entries->slots[i].hash == hash && entry->key_len == key.len &&
            (key.len == 0 || memcmp(entry->key, key.data, key.len) == 0)) {
            return entry;
        }
    }
    return NULL;
}

kin__entry *kin__entries_add(kin__entries *entries, uint64_t hash, kin_str key)
{
    assert(key.len <= KIN__KEY_MAX);
    if (entries->count >= entries->capacity / 4 * 3 && !resize(entries, entries->capacity * 2)) {
        return NULL;
    }
    kin__entry *entry = entry_new(entries, key.len);
    if (entry == NULL) {
        return NULL;
    }
    *entry = (kin__entry){ .hash = hash, .room = entry->room, .key_len = (uint32_t) key.len };
    if (key.len > 0) {
        memcpy(entry->key, key.data, key.len);
    }
    put(entries, (kin__entry_slot){ hash, entry });
    entries->count++;
    return entry;
}

void kin__entries_remove(kin__entries *entries, kin__entry *entry)
{
    assert(!kin__link_is_on(&entry->line) && !kin__heap_node_is_in(&entry->later));
    size_t mask = entries->capacity - 1;
    size_t at = entry->hash & mask;

    while (entries->slots[at].entry != entry) {
        at = (at + 1) & mask;
    }
    close_up(entries, at);
    entries->count--;
    entry_release(entries, entry);
    if (entries->capacity > KEPT_CAPACITY && entries->count < entries->capacity / 8) {
        (void) resize(entries, entries->capacity / 2);
    }
}

/* A spare one where the key fits in, else a new one; only its room is set. */
static kin__entry *entry_new(kin__entries *entries, size_t key_len)
{
    kin__entry *entry = entries->spare;

    if (entry != NULL && entry->room >= key_len) {
        entries->spare = entry->next_spare;
        entries->spare_count--;
        return entry;
    }
    size_t room = key_len < ROOM_MIN ? ROOM_MIN : (key_len + 31) / 32 * 32;
    entry = kin__alloc(sizeof *entry + room);
    if (entry != NULL) {
        entry->room = (uint32_t) room;
    }
    return entry;
}

static void entry_release(kin__entries *entries, kin__entry *entry)
{
    if (entry->room <= ROOM_SPARE && entries->spare_count < SPARE_MAX) {
        entry->next_spare = entries->spare;
        entries->spare = entry;
        entries->spare_count++;
    } else {
        kin__free(entry);
    }
}

static bool resize(kin__entries *entries, size_t capacity)
{
    kin__entry_slot *old = entries->slots;
    size_t old_capacity = entries->capacity;
    kin__entry_slot *slots = kin__alloc_zero(capacity, sizeof slots[0]);

    if (slots == NULL) {
        return false;
    }
    entries->slots = slots;
    entries->capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].entry != NULL) {
            put(entries, old[i]);
        }
    }
    kin__free(old);
    return true;
}

/* There is a free slot. */
static void put(kin__entries *entries, kin__entry_slot slot)
{
    size_t mask = entries->capacity - 1;
    size_t at = slot.hash & mask;

    while (entries->slots[at].entry != NULL) {
        at = (at + 1) & mask;
    }
    entries->slots[at] = slot;
}

/* Moves into the hole what could not be found across it, and so on with the hole that leaves. */
static void close_up(kin__entries *entries, size_t hole)
{
    kin__entry_slot *slots = entries->slots;
    size_t mask = entries->capacity - 1;

    for (size_t at = (hole + 1) & mask; slots[at].entry != NULL; at = (at + 1) & mask) {
        size_t from_home = (at - slots[at].hash) & mask;
        size_t from_hole = (at - hole) & mask;
        if (from_home >= from_hole) {
            slots[hole] = slots[at];
            hole = at;
        }
    }
    slots[hole] = (kin__entry_slot){ 0 };
}
