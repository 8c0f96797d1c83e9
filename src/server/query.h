/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/query.h - the query of a URL, name by name, as Go reads it.
 *
 * Pairs are separated by '&'; one with a ';' or a broken escape in it is skipped; '+' is a blank.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_QUERY_H
#define KIN_SERVER_QUERY_H

#include "base/buf.h"

/* One pair, with its escapes. */
typedef struct kin__query_pair {
    kin_str name;
    kin_str value; /* empty also where there is no '=' */
} kin__query_pair;

/* The next pair of `*rest`, which moves behind it; false when there is none. */
bool kin__query_next(kin_str *rest, kin__query_pair *out);

/* The first pair of that name; false when there is none. */
bool kin__query_find(kin_str query, kin_str name, kin__query_pair *out);

/* Whether the text, its escapes undone, is `plain`. */
bool kin__query_equals(kin_str escaped, kin_str plain);

/* Appends the text with its escapes undone; a failure stays in the buffer. */
void kin__query_unescape(kin_str escaped, kin__buf *out);

/* The same for paths, in which '+' is a '+'.  False, and nothing is appended, when an escape is
 * broken. */
bool kin__path_unescape(kin_str escaped, kin__buf *out);

#endif /* KIN_SERVER_QUERY_H */
