/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/find.h - what a builder has to know of an item, found in one walk over its index.
 *
 *     item, its index, a mask --find--> places, cuts --build--> object
 *
 * Places are offsets in the item; none of those kept here can be 0, which means none.
 *
 * Threading: confined.
 */
#ifndef KIN_OBJECT_FIND_H
#define KIN_OBJECT_FIND_H

#include "base/buf.h"
#include "json/framer.h"
#include "kin/object.h"
#include "object/cuts.h"

/* Strings are kept in 16 bits of length. */
#define KIN__FOUND_STR_MAX 65535

#define KIN__FOUND_LABELS_FEW 24
#define KIN__FOUND_LABELS_MAX 65535
#define KIN__FOUND_TOPS_MAX 32

/* A string: its characters lie in the item or, when it is written with escapes, in `decoded`. */
typedef struct kin__found_str {
    uint32_t place;   /* after its opening quote, or in a null; 0: there is no such string */
    uint32_t len;     /* of what it means, KIN__FOUND_STR_MAX at most */
    uint32_t decoded; /* 1 + its offset in `decoded`; 0: the item spells it as it is */
} kin__found_str;

typedef struct kin__found_label {
    kin__found_str key;
    kin__found_str value;
} kin__found_label;

typedef struct kin__found_metadata {
    uint32_t place; /* of its opening bracket */
    kin__found_str name;
    kin__found_str in_namespace;
    kin__found_str uid;
    kin__found_str version;
    uint32_t annotations; /* the value */
    uint32_t owners;      /* the value */
    int64_t generation;
    int64_t creation; /* in seconds, or KIN__NO_TIME */
    int64_t deletion;
} kin__found_metadata;

typedef struct kin__found {
    uint32_t begin; /* the item's opening bracket */
    uint32_t end;   /* after its closing one */
    kin__found_str api_version;
    kin__found_str kind;
    kin__found_metadata metadata;

    /* The names of the top-level fields that stay, from their opening quotes, in order, and each as
     * often as it is written.  None at all when they are too many, or one has escapes. */
    uint32_t tops[KIN__FOUND_TOPS_MAX];
    uint32_t top_count;
    bool has_odd_top;

    /* In the order of their keys' bytes, each key once. */
    size_t label_count;
    size_t label_capacity;
    kin__found_label *labels; /* `few_labels`, or owned */
    kin__found_label few_labels[KIN__FOUND_LABELS_FEW];

    kin__cuts cuts;   /* what the mask leaves out */
    uint8_t flags;    /* KIN__OBJECT_... */
    kin__buf decoded; /* strings without their escapes */
} kin__found;

/*
 * `options` may be NULL.  Fails with MALFORMED (no object, or metadata that is not what it should
 * be), LIMIT, NO_MEMORY. `found` is to be released with kin__found_fini() in any case, and must
 * stay where it is.
 */
kin_err kin__find(const kin__json_item *item, const kin_object_options *options, kin__found *found,
                  kin_error *err) KIN_MUST_CHECK;

void kin__found_fini(kin__found *found);
KIN__DEFINE_AUTO_FINI(kin__found, kin__found_fini)

/* The string itself; borrowed from the item or from `found`. */
kin_str kin__found_text(const kin__found *found, const kin__json_item *item,
                        const kin__found_str *str);

/* Of "namespace/name", or "name". */
static inline size_t kin__found_key_len(const kin__found *found)
{
    const kin__found_metadata *metadata = &found->metadata;
    size_t before = metadata->in_namespace.len > 0 ? metadata->in_namespace.len + 1u : 0;

    return before + metadata->name.len;
}

#endif /* KIN_OBJECT_FIND_H */
