/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/index.h - an index: which values an object has, and which objects a value.
 *
 * A table from values to sets of objects, a set being a table from keys to the very entries of the
 * store.
 *
 * Threading: what was published is immutable; the rest is confined to the writer.
 */
#ifndef KIN_CACHE_INDEX_H
#define KIN_CACHE_INDEX_H

#include "base/buf.h"
#include "cache/table.h"
#include "kin/path.h"
#include "kin/store.h"

/* How an object's values are found. */
typedef struct kin__index_rule {
    kin__part part;
    kin_index_fn fn;
    void *context;  /* of `fn`; borrowed */
    kin_path *path; /* owned; NULL: `fn` */
    size_t name_len;
    char name[]; /* terminated */
} kin__index_rule;

typedef struct kin__index {
    kin__index_rule *rule;
    kin__table values; /* its entries have sets */
} kin__index;

size_t kin__index_rule_bytes(const kin__index_rule *rule);

/* Fails with USAGE, MALFORMED, LIMIT, NO_MEMORY as kin_store_add_index(). */
kin_err kin__index_rule_make(kin__batch *batch, const kin_index_options *options,
                             kin__index_rule **out, kin_error *err) KIN_MUST_CHECK;

/* Releases what it has; its own memory is kin__part_free()'s. */
void kin__index_rule_fini(kin__index_rule *rule);

/* Values, one after the other in `bytes`, and where each begins. */
typedef struct kin__index_value {
    uint64_t hash;
    size_t at; /* in the list's bytes */
    uint32_t len;
    uint32_t index; /* its number in the version */
} kin__index_value;

typedef struct kin__index_values {
    kin__index_value *items; /* owned */
    size_t count;
    size_t capacity;
    kin__buf bytes;
} kin__index_values;

void kin__index_values_fini(kin__index_values *values);

/* `value` is copied, KIN__KEY_MAX bytes at most.  False when there is no memory. */
bool kin__index_values_put(kin__index_values *values, size_t index, uint64_t hash,
                           kin_str value) KIN_MUST_CHECK;

static inline kin_str kin__index_value_str(const kin__index_values *values, size_t number)
{
    return (kin_str){ values->bytes.data + values->items[number].at, values->items[number].len };
}

/*
 * Appends the values of `object`, of the index number `index`.  When the rule fails, nothing is
 * appended and its code returned, with `*out_is_ours` false; NO_MEMORY of our own comes with true.
 */
kin_err kin__index_evaluate(const kin__index_rule *rule, uint32_t index, const kin__batch *batch,
                            const kin_object *object, kin__index_values *values, bool *out_is_ours,
                            kin_error *err) KIN_MUST_CHECK;

/* Drops everything but the store's entries. */
void kin__index_drop(kin__index *index, kin__batch *batch);

#endif /* KIN_CACHE_INDEX_H */
