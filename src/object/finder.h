/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/finder.h - the walk over an item's index, as find.c and note.c share it.
 *
 *     find.c   goes from token to token, and cuts out what the mask leaves out
 *     note.c   takes down the fields an object keeps at hand, and checks them
 */
#ifndef KIN_OBJECT_FINDER_H
#define KIN_OBJECT_FINDER_H

#include <assert.h>

#include "base/str.h"
#include "json/string.h"
#include "object/find.h"

typedef struct kin__finder {
    const kin__json_item *item; /* borrowed */
    size_t at;                  /* the token at hand, in the index */
    const kin_mask *mask;       /* borrowed; NULL: none */
    bool needs_name;            /* metadata.name may not be missing or empty */
    kin__found *found;
    kin_str label; /* the raw key of the label at hand, for messages; NULL: none */
    kin_error *err;
} kin__finder;

/* Containers whose members mean something. */
typedef enum kin__find_scope {
    KIN__FIND_ELSEWHERE,
    KIN__FIND_ROOT,
    KIN__FIND_METADATA,
    KIN__FIND_LABELS
} kin__find_scope;

/* A member of an object, or an element of an array: then it has no key. */
typedef struct kin__find_member {
    uint32_t start; /* its first byte in the item */
    kin_str key;    /* raw, between its quotes */
    bool is_plain;  /* the key has no escapes */
} kin__find_member;

/* Takes down the member at hand, the token being its value.  When its value has members that mean
 * something too, `out_inner` tells what they are; otherwise it is not touched. */
kin_err kin__find_note(kin__finder *f, kin__find_scope scope, const kin__find_member *member,
                       kin__find_scope *out_inner) KIN_MUST_CHECK;

/* After the walk: is all there that has to be? */
kin_err kin__find_check(kin__finder *f) KIN_MUST_CHECK;

/* "metadata.uid: expected a string, found a number at byte 7", about the token at hand. */
kin_err kin__find_wrong_type(kin__finder *f, const char *path, const char *expected);

static inline uint32_t kin__finder_place(const kin__finder *f)
{
    assert(f->at < f->item->place_count);
    return f->item->places[f->at];
}

static inline char kin__finder_token(const kin__finder *f)
{
    return f->item->bytes.data[kin__finder_place(f)];
}

/* Just after the string, scalar or closing bracket that stands before the token number `at`. */
static inline uint32_t kin__finder_end_before(const kin__finder *f, size_t at)
{
    const char *bytes = f->item->bytes.data;
    uint32_t end = f->item->places[at];

    while (bytes[end - 1] == ' ' || bytes[end - 1] == '\n' || bytes[end - 1] == '\r' ||
           bytes[end - 1] == '\t') {
        end--;
    }
    return end;
}

/* The text of the string or scalar at hand, quotes included. */
static inline kin_str kin__finder_text(const kin__finder *f)
{
    uint32_t from = kin__finder_place(f);
    return kin__str(f->item->bytes.data + from, kin__finder_end_before(f, f->at + 1) - from);
}

/* What stands between the quotes of the string at hand. */
static inline kin_str kin__finder_string(const kin__finder *f)
{
    kin_str text = kin__finder_text(f);
    return kin__str(text.data + 1, text.len - 2);
}

static inline bool kin__find_is_key(const kin__find_member *member, kin_str name)
{
    return member->is_plain ? kin__str_equal(member->key, name)
                            : kin__json_string_equals(member->key, name);
}

#endif /* KIN_OBJECT_FINDER_H */
