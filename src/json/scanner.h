/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/scanner.h - one pass over JSON bytes as they arrive: are they right, and what is where.
 *
 * Bytes are fed in chunks of any size.  The scanner checks everything RFC 8259 asks for
 * (grammar, UTF-8, escapes with their surrogate pairs, numbers) and a limit of depth, and
 * reports the shallow tokens, those within its reach.  The
 * same bytes give the same tokens, the same error and the same offset however they are cut.
 *
 * A token is a place and a byte: { } [ ] : , or the first byte of a string (") or of another
 * scalar.  Its depth is the number of containers around it: 0 for the document's own
 * brackets, 1 for what stands directly inside.
 *
 * A document may be followed by others (allows_many), with or without white space between.
 *
 * Threading: confined.
 */
#ifndef KIN_JSON_SCANNER_H
#define KIN_JSON_SCANNER_H

#include "json/grammar.h"
#include "json/kernel.h"
#include "kin/common.h"

/* The places of shallow tokens, as offsets from a base; all zero is empty. */
typedef struct kin__json_index {
    uint32_t *places; /* owned */
    size_t count;
    size_t capacity;
} kin__json_index;

void kin__json_index_fini(kin__json_index *index);

/* Told of each token with a depth up to `hook_depth`; `offset` is in the stream.  What it returns
 * other than KIN_OK (with `err` set) ends the scan. */
typedef kin_err (*kin__json_hook)(void *context, char token, uint32_t depth, uint64_t offset,
                                  kin_error *err);

/*
 * How far the index reaches: to all tokens up to `depth`.  With a `member`, beyond `member_depth`
 * only inside members of that name whose own names have that depth; it is what makes most of a
 * large object a matter of whole blocks.  A name that is cut by the end of a chunk counts as that
 * name.
 */
typedef struct kin__json_reach {
    uint32_t depth;
    uint32_t member_depth;
    kin_str member; /* empty: everywhere; borrowed, without escapes */
} kin__json_reach;

typedef struct kin__json_scanner_options {
    kin__json_reach reach;          /* of the index */
    uint32_t hook_depth;            /* tokens up to this depth go to the hook; only with a hook */
    kin__json_hook hook;            /* NULL: none */
    void *context;                  /* for the hook */
    bool allows_many;               /* documents one after another */
    uint64_t offset;                /* of the first byte, where that is not 0 */
    const kin__json_kernel *kernel; /* NULL: the best */
} kin__json_scanner_options;

typedef struct kin__json_scanner kin__json_scanner;

kin_err kin__json_scanner_new(const kin__json_scanner_options *options, kin__json_scanner **out,
                              kin_error *err) KIN_MUST_CHECK;
void kin__json_scanner_free(kin__json_scanner *scanner);

/* Ready for other bytes, keeping the memory. */
void kin__json_scanner_reset(kin__json_scanner *scanner);

/* Takes the next bytes, borrowed for the call.  Fails with MALFORMED (message: what is wrong, and
 * "at byte N"), LIMIT (too deep), NO_MEMORY, or what the hook returned; then only reset() and
 * free() may follow. */
kin_err kin__json_scanner_feed(kin__json_scanner *scanner, const char *bytes, size_t len,
                               kin_error *err) KIN_MUST_CHECK;

/* There are no more bytes: fails with MALFORMED when a document is unfinished, or when there was
 * none (none is allowed with allows_many). */
kin_err kin__json_scanner_finish(kin__json_scanner *scanner, kin_error *err) KIN_MUST_CHECK;

/* The shallow tokens since the last kin__json_scanner_mark(), borrowed until the next feed. */
const kin__json_index *kin__json_scanner_index(const kin__json_scanner *scanner);

/* For the hook: places count from `offset` from now on, the token at hand included, and what was
 * noted before is forgotten. */
void kin__json_scanner_mark(kin__json_scanner *scanner, uint64_t offset);

/*
 * For the hook, at an opening bracket: nothing inside is looked at or told of, and the next token
 * is the bracket that closes it.  That one is found by counting brackets outside strings, many
 * times faster than everything can be checked; the limit of depth holds all the same.
 */
void kin__json_scanner_skip(kin__json_scanner *scanner);

/* Whether `text` is one JSON document, with white space around it at most.  Allocates nothing.
 * Fails with MALFORMED and LIMIT, as a scanner. */
kin_err kin__json_check(kin_str text, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_JSON_SCANNER_H */
