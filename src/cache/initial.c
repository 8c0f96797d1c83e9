/* SPDX-License-Identifier: Apache-2.0 */
/*
 * initial.c - the objects of a list, or of the beginning of a watch, until all are there.
 *
 * Objects lie in an array, in the order in which they came.  While keys rise, two objects with one
 * key cannot be there, and nothing else is needed.  The first one that is out of order, or that
 * takes another's place, brings a table with open addressing and linear probing from keys to places
 * in the array.
 *
 * Invariants, once there is a table
 *   - it has a slot for every object in the array
 *   - a slot that leads to a gap matches no key, but a search goes on behind it
 *   - at most three quarters of the slots are used, so a search always meets a free one
 */
#include "cache/initial.h"

#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"

#define FIRST_CAPACITY ((size_t) 16)
#define FIRST_SLOTS ((size_t) 64)
#define GAPS_MIN 64 /* fewer are not worth closing */

static bool reserve_object(kin__initial *initial);
static void push(kin__initial *initial, const kin_object *object);
static bool comes_last(const kin__initial *initial, kin_str key);
static bool reserve_slot(kin__initial *initial);
static bool make_table(kin__initial *initial);
static void close_gaps(kin__initial *initial);
static void drop_table(kin__initial *initial);
static kin_object **find(const kin__initial *initial, kin_str key);
static void insert(kin__initial *initial, kin_str key, size_t place);
static size_t home_of(const kin__initial *initial, kin_str key);

void kin__initial_clear(kin__initial *initial)
{
    for (size_t i = 0; i < initial->len; i++) {
        kin_object_unref(initial->objects[i]);
    }
    kin__free(initial->objects);
    drop_table(initial);
    *initial = (kin__initial){ 0 };
}

kin_err kin__initial_append(kin__initial *initial, const kin_object *object, kin_error *err)
{
    if (!reserve_object(initial)) {
        return kin__error_no_memory(err);
    }
    push(initial, object);
    return KIN_OK;
}

void kin__initial_mark(kin__initial *initial)
{
    initial->mark = initial->len;
}

void kin__initial_rewind(kin__initial *initial)
{
    while (initial->len > initial->mark) {
        kin_object_unref(initial->objects[--initial->len]);
    }
}

kin_err kin__initial_put(kin__initial *initial, const kin_object *object, bool *out_is_new,
                         kin_error *err)
{
    kin_str key = kin_object_key(object);

    if (initial->slots == NULL && !initial->is_unordered && comes_last(initial, key)) {
        *out_is_new = true;
        return kin__initial_append(initial, object, err);
    }
    if (!reserve_object(initial) || !reserve_slot(initial)) {
        return kin__error_no_memory(err);
    }
    kin_object **place = find(initial, key);
    *out_is_new = place == NULL;
    if (place != NULL) {
        kin_object *before = *place;

        *place = kin_object_ref(object);
        kin_object_unref(before);
    } else {
        push(initial, object);
        insert(initial, key, initial->len);
    }
    return KIN_OK;
}

kin_err kin__initial_remove(kin__initial *initial, kin_str key, kin_error *err)
{
    if (!reserve_slot(initial)) {
        return kin__error_no_memory(err);
    }
    kin_object **place = find(initial, key);
    if (place != NULL) {
        *place = kin_object_unref(*place);
        initial->gaps++;
    }
    return KIN_OK;
}

size_t kin__initial_count(const kin__initial *initial)
{
    return initial->len - initial->gaps;
}

/* Places change, so the table goes; the next put makes another. */
kin_object *const *kin__initial_objects(kin__initial *initial)
{
    if (initial->gaps > 0) {
        close_gaps(initial);
        drop_table(initial);
        initial->is_unordered = true;
    }
    return initial->objects;
}

static bool reserve_object(kin__initial *initial)
{
    if (initial->len < initial->capacity) {
        return true;
    }
    size_t capacity = initial->capacity == 0 ? FIRST_CAPACITY : initial->capacity * 2;
    if (capacity > SIZE_MAX / sizeof *initial->objects) {
        return false;
    }
    kin_object **larger = kin__realloc(initial->objects, capacity * sizeof *larger);
    if (larger == NULL) {
        return false;
    }
    initial->objects = larger;
    initial->capacity = capacity;
    return true;
}

static void push(kin__initial *initial, const kin_object *object)
{
    initial->objects[initial->len++] = kin_object_ref(object);
}

static bool comes_last(const kin__initial *initial, kin_str key)
{
    return initial->len == 0 ||
           kin__str_compare(kin_object_key(initial->objects[initial->len - 1]), key) < 0;
}

/* A table, with room for one more. */
static bool reserve_slot(kin__initial *initial)
{
    if (initial->slots != NULL && initial->slots_used + 1 <= initial->slot_count / 4 * 3) {
        return true;
    }
    return make_table(initial);
}

/* Half full at most. */
static bool make_table(kin__initial *initial)
{
    size_t count = FIRST_SLOTS;

    while (count / 2 < kin__initial_count(initial) + 1) {
        count *= 2;
    }
    size_t *slots = kin__alloc_zero(count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    drop_table(initial);
    initial->slots = slots;
    initial->slot_count = count;
    if (initial->gaps > GAPS_MIN && initial->gaps > initial->len / 2) {
        close_gaps(initial);
    }
    for (size_t i = 0; i < initial->len; i++) {
        if (initial->objects[i] != NULL) {
            insert(initial, kin_object_key(initial->objects[i]), i + 1);
        }
    }
    return true;
}

static void close_gaps(kin__initial *initial)
{
    size_t len = 0;

    for (size_t i = 0; i < initial->len; i++) {
        if (initial->objects[i] != NULL) {
            initial->objects[len++] = initial->objects[i];
        }
    }
    initial->len = len;
    initial->gaps = 0;
}

static void drop_table(kin__initial *initial)
{
    kin__free(initial->slots);
    initial->slots = NULL;
    initial->slot_count = 0;
    initial->slots_used = 0;
}

/* Where the object with that key lies; NULL: there is none. */
static kin_object **find(const kin__initial *initial, kin_str key)
{
    for (size_t at = home_of(initial, key); initial->slots[at] != 0;
         at = (at + 1) & (initial->slot_count - 1)) {
        kin_object **place = &initial->objects[initial->slots[at] - 1];

        if (*place != NULL && kin__str_equal(kin_object_key(*place), key)) {
            return place;
        }
    }
    return NULL;
}

/* `place` counts from 1. */
static void insert(kin__initial *initial, kin_str key, size_t place)
{
    size_t at = home_of(initial, key);

    while (initial->slots[at] != 0) {
        at = (at + 1) & (initial->slot_count - 1);
    }
    initial->slots[at] = place;
    initial->slots_used++;
}

static size_t home_of(const kin__initial *initial, kin_str key)
{
    return (size_t) kin__hash(key.data, key.len, kin__hash_seed()) & (initial->slot_count - 1);
}
