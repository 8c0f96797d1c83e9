/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategic_keys.c - what tells the elements of merged lists apart, as numbers.
 *
 * An open table at most half full, whose size is known from the start.
 */
#include "server/strategic_keys.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "json/number.h"
#include "server/go_print.h"
#include "server/strategic_state.h"

static void put_key(kin__buf *bytes, const kin__node *value);

bool kin__strategic_keys_init(kin__strategic_keys *keys, size_t max)
{
    size_t capacity = 4;

    while (capacity / 2 < max) {
        capacity *= 2;
    }
    keys->known = kin__alloc_zero(max + 1, sizeof *keys->known);
    keys->slots = kin__alloc_zero(capacity, sizeof *keys->slots);
    if (keys->known == NULL || keys->slots == NULL) {
        return false;
    }
    memset(keys->slots, 0xff, capacity * sizeof *keys->slots); /* KIN__NO_KEY */
    keys->capacity = capacity;
    return true;
}

void kin__strategic_keys_fini(kin__strategic_keys *keys)
{
    kin__free(keys->known);
    kin__free(keys->slots);
    kin__buf_fini(&keys->bytes);
    *keys = (kin__strategic_keys){ 0 };
}

bool kin__strategic_keys_add(kin__strategic_keys *keys, const kin__node *value, uint32_t *out)
{
    kin__strategic_key key = { .at = keys->bytes.len };

    put_key(&keys->bytes, value);
    if (kin__buf_failed(&keys->bytes)) {
        return false;
    }
    key.len = keys->bytes.len - key.at;
    key.hash = kin__hash(keys->bytes.data + key.at, key.len, kin__hash_seed());
    size_t place = (size_t) key.hash & (keys->capacity - 1);
    while (keys->slots[place] != KIN__NO_KEY) {
        const kin__strategic_key *other = &keys->known[keys->slots[place]];
        if (other->hash == key.hash && other->len == key.len &&
            memcmp(keys->bytes.data + other->at, keys->bytes.data + key.at, key.len) == 0) {
            keys->bytes.len = key.at;
            *out = keys->slots[place];
            return true;
        }
        place = (place + 1) & (keys->capacity - 1);
    }
    keys->slots[place] = keys->count;
    keys->known[keys->count] = key;
    *out = keys->count++;
    return true;
}

/* Its type and its text: whole numbers however they are written. */
static void put_key(kin__buf *bytes, const kin__node *value)
{
    kin__strategic_type type = kin__strategic_type_of(value);
    int64_t whole = 0;
    double real = 0;

    (void) kin__buf_append_byte(bytes, (char) ('a' + type));
    if (type == KIN__STRATEGIC_INT && kin__json_int64(kin__node_text(value), &whole) == KIN_OK) {
        (void) kin__json_append_int64(bytes, whole);
    } else if (type == KIN__STRATEGIC_FLOAT &&
               kin__json_double(kin__node_text(value), &real) == KIN_OK) {
        (void) kin__json_append_double(bytes, real);
    } else if (type == KIN__STRATEGIC_MAP || type == KIN__STRATEGIC_LIST) {
        kin__go_print(value, bytes);
    } else {
        (void) kin__buf_append_str(bytes, kin__node_text(value));
    }
}
