/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members.c - a table in the order of putting, and slots to find an entry by its name.
 *
 * A few members are searched from end to end.  Where there are more, there are `slots`: a hash
 * table with linear probing that holds places in the table of entries, and is at most half full.
 *
 * Without slots, an entry that is taken closes its gap.  With slots it becomes a hole, and its slot
 * goes on leading there: no other entry moves.  When more than half of the entries are holes they
 * are closed up and the slots are filled anew, in place, so that taking never needs memory.
 */
#include "json/members.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"

#define LINEAR_MAX 12  /* entries that are searched without slots */
#define FIRST_SLOTS 64 /* a power of two, at least 2 * (LINEAR_MAX + 1) */

struct kin__member {
    char *name; /* owned; not terminated */
    size_t len;
    uint64_t hash;
    void *value; /* NULL: a hole */
};

static kin__member *find(const kin__members *members, kin_str name);
static kin__member *find_in_slots(const kin__members *members, kin_str name);
static bool is_called(const kin__member *member, kin_str name);
static bool reserve_entry(kin__members *members);
static bool reserve_slot(kin__members *members);
static void close_up(kin__members *members);
static void fill_slots(kin__members *members);
static void enter_slot(kin__members *members, size_t place);
static uint64_t hash_of(kin_str name);

void kin__members_fini(kin__members *members)
{
    for (size_t i = 0; i < members->used; i++) {
        kin__free(members->entries[i].name);
    }
    kin__free(members->entries);
    kin__free(members->slots);
    *members = (kin__members){ 0 };
}

void *kin__members_get(const kin__members *members, kin_str name)
{
    const kin__member *found = find(members, name);
    return found == NULL ? NULL : found->value;
}

bool kin__members_put(kin__members *members, kin_str name, void *value, void **out_before)
{
    kin__member *found = find(members, name);
    if (found != NULL) {
        *out_before = found->value;
        found->value = value;
        return true;
    }
    if (!reserve_entry(members) || !reserve_slot(members)) {
        return false;
    }
    char *copy = kin__alloc(name.len);
    if (copy == NULL) {
        return false;
    }
    if (name.len != 0) {
        memcpy(copy, name.data, name.len);
    }
    members->entries[members->used] = (kin__member){ copy, name.len, hash_of(name), value };
    if (members->slots != NULL) {
        enter_slot(members, members->used);
    }
    members->used++;
    members->count++;
    *out_before = NULL;
    return true;
}

void *kin__members_take(kin__members *members, kin_str name)
{
    kin__member *found = find(members, name);
    if (found == NULL) {
        return NULL;
    }
    void *value = found->value;
    kin__free(found->name);
    *found = (kin__member){ 0 };
    members->count--;
    if (members->slots == NULL || members->count < members->used / 2) {
        close_up(members);
    }
    return value;
}

bool kin__members_next(const kin__members *members, size_t *place, kin_str *out_name,
                       void **out_value)
{
    while (*place < members->used) {
        const kin__member *member = &members->entries[(*place)++];
        if (member->value != NULL) {
            *out_name = kin__str(member->name, member->len);
            *out_value = member->value;
            return true;
        }
    }
    return false;
}

static kin__member *find(const kin__members *members, kin_str name)
{
    if (members->slots != NULL) {
        return find_in_slots(members, name);
    }
    for (size_t i = 0; i < members->used; i++) {
        if (is_called(&members->entries[i], name)) {
            return &members->entries[i];
        }
    }
    return NULL;
}

static kin__member *find_in_slots(const kin__members *members, kin_str name)
{
    size_t mask = members->slot_count - 1;
    uint64_t hash = hash_of(name);

    for (size_t i = hash & mask; members->slots[i] != 0; i = (i + 1) & mask) {
        kin__member *member = &members->entries[members->slots[i] - 1];
        if (member->hash == hash && is_called(member, name)) {
            return member;
        }
    }
    return NULL;
}

static bool is_called(const kin__member *member, kin_str name)
{
    return member->value != NULL && kin__str_equal(kin__str(member->name, member->len), name);
}

static bool reserve_entry(kin__members *members)
{
    if (members->used < members->capacity) {
        return true;
    }
    size_t capacity = members->capacity == 0 ? 4 : members->capacity * 2;
    size_t bytes;
    if (capacity > UINT32_MAX || __builtin_mul_overflow(capacity, sizeof(kin__member), &bytes)) {
        return false;
    }
    kin__member *entries = kin__realloc(members->entries, bytes);
    if (entries == NULL) {
        return false;
    }
    members->entries = entries;
    members->capacity = capacity;
    return true;
}

/* Room for one more, where there are slots or ought to be. */
static bool reserve_slot(kin__members *members)
{
    if (members->used < LINEAR_MAX || 2 * (members->used + 1) <= members->slot_count) {
        return true;
    }
    size_t slot_count = members->slots == NULL ? FIRST_SLOTS : members->slot_count * 2;
    uint32_t *slots = kin__alloc_zero(slot_count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    kin__free(members->slots);
    members->slots = slots;
    members->slot_count = slot_count;
    fill_slots(members);
    return true;
}

static void close_up(kin__members *members)
{
    size_t kept = 0;

    for (size_t i = 0; i < members->used; i++) {
        if (members->entries[i].value != NULL) {
            members->entries[kept++] = members->entries[i];
        }
    }
    members->used = kept;
    if (kept < LINEAR_MAX) {
        kin__free(members->slots);
        members->slots = NULL;
        members->slot_count = 0;
    } else {
        memset(members->slots, 0, members->slot_count * sizeof *members->slots);
        fill_slots(members);
    }
}

/* Into empty slots. */
static void fill_slots(kin__members *members)
{
    for (size_t i = 0; i < members->used; i++) {
        if (members->entries[i].value != NULL) {
            enter_slot(members, i);
        }
    }
}

static void enter_slot(kin__members *members, size_t place)
{
    size_t mask = members->slot_count - 1;
    size_t i = members->entries[place].hash & mask;

    while (members->slots[i] != 0) {
        i = (i + 1) & mask;
    }
    members->slots[i] = (uint32_t) place + 1;
}

static uint64_t hash_of(kin_str name)
{
    return kin__hash(name.data, name.len, kin__hash_seed());
}
