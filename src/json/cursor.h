/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/cursor.h - walking a JSON value without building a tree.
 *
 * The bytes have been through the scanner, so their grammar is known to be right; nothing here
 * reports errors.  All the same nothing reads outside `end`, whatever the bytes are: where they
 * make no sense, the walk ends.
 *
 * Everything takes time in proportion to the bytes of the value, at most.
 *
 * Threading: pure functions; iterators are confined.
 */
#ifndef KIN_JSON_CURSOR_H
#define KIN_JSON_CURSOR_H

#include "json/kernel.h"
#include "kin/common.h"
#include "kin/value.h"

/* A value: where its first byte is, and where the bytes it lies in end.  `at` == NULL: none. */
typedef struct kin__json {
    const char *at;
    const char *end;
} kin__json;

/* Over a document, from its first byte that is not white space. */
kin__json kin__json_of(kin_str document);

/* By the value's first byte.  KIN_TYPE_MISSING for none, and for a byte that begins no value. */
kin_type kin__json_type(kin__json value);

/* Just after the value; `at` itself when it is missing. */
const char *kin__json_skip(kin__json value);

/* The text of the value itself, without white space around it; empty when it is missing. */
kin_str kin__json_text(kin__json value);

/* What stands between the quotes of a string; empty for anything else. */
kin_str kin__json_raw_string(kin__json value);

/* The last member called `name` (plain, not raw) of an object; none for anything else. */
kin__json kin__json_member(kin__json value, kin_str name);

/* Element `index` of an array; none for anything else. */
kin__json kin__json_element(kin__json value, size_t index);

/*
 * Walks an array or an object:  while (kin__json_next(&iter)) { iter.key, iter.value }
 *
 * A value is skipped only when the one after it is asked for.  Whoever walks `value` with an
 * iterator of its own may set `next` to that iterator's `next` when it has ended; then nothing
 * is walked twice, however deep a document is.
 */
typedef struct kin__json_iter {
    kin_str key; /* raw, between its quotes; empty in an array */
    kin__json value;
    const char *next; /* while walking: the end of `value`, or NULL: not known yet.  At the end:
                         just after the container */
    bool is_object;
    bool is_plain_key; /* the key is known to have no escapes */
    bool is_done;      /* there are no more */
    const kin__json_kernel *kernel;
} kin__json_iter;

/* Anything but an array or an object has nothing to walk. */
kin__json_iter kin__json_walk(kin__json value);

/* Moves to the next; false at the end, and from then on. */
bool kin__json_next(kin__json_iter *iter);

#endif /* KIN_JSON_CURSOR_H */
