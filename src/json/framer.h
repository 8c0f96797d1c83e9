/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/framer.h - arriving bytes in, whole items out.
 *
 * Cuts a stream of JSON into items and hands each over, whole and in one piece, as soon as its
 * last byte has come: either each document of a sequence (a watch), or each element of the
 * array "items" of one document (a list; a second such array is refused).  An item that lies within
 * one chunk is not copied; one that straddles chunks goes through one staging buffer that is used
 * again.
 *
 * What surrounds the items of a list is kept as a document of its own, with an empty array in
 * their place: the envelope.
 *
 * How much is checked is a choice:
 *
 *   KIN__JSON_VALIDATED  Everything the scanner checks, in items and around them.
 *
 *   KIN__JSON_BORDERS    Around the items everything.  Of an item only where it ends: brackets
 *                        outside strings are counted, not matched in kind, and the limit of depth
 *                        holds.  This is several times faster, and meant for whoever needs but a
 *                        few of the items.  Bytes that KIN__JSON_VALIDATED accepts give the same
 *                        items at the same offsets and the same envelope.  Other bytes may give
 *                        items that are no JSON: they have no index, by which they are known, and
 *                        must go through a scanner before anything relies on them.
 *                        kin__object_from_item() does that.
 *
 * Either way the same bytes give the same items and the same fault however they are cut (only the
 * byte at which something is found too large depends on that), and the memory used is bounded by
 * the size of an item and of the envelope.
 *
 * Threading: confined.
 */
#ifndef KIN_JSON_FRAMER_H
#define KIN_JSON_FRAMER_H

#include "json/scanner.h"
#include "kin/common.h"

/* One item, borrowed for the call.  The `places` of its index are offsets from its first byte, and
 * reach down to the depth that was asked for: 0 is the item's own brackets.  An item of which only
 * the borders are known has none: NULL and 0. */
typedef struct kin__json_item {
    kin_str bytes;
    const uint32_t *places;
    size_t place_count;
    uint64_t offset; /* of its first byte in the stream */
} kin__json_item;

/* What it returns other than KIN_OK (with `err` set) ends the stream. */
typedef kin_err (*kin__json_item_fn)(void *context, const kin__json_item *item, kin_error *err);

typedef enum kin__json_framing {
    KIN__JSON_DOCUMENTS, /* each document is an item */
    KIN__JSON_LIST       /* each element of the member "items" of the one document is an item */
} kin__json_framing;

typedef enum kin__json_rigour {
    KIN__JSON_VALIDATED, /* items are checked and indexed */
    KIN__JSON_BORDERS    /* items are not looked into */
} kin__json_rigour;

typedef struct kin__json_framer_options {
    kin__json_framing framing;
    kin__json_rigour rigour;
    kin__json_reach reach; /* of the index of each item, if any; depths counted from the item */
    size_t item_bytes;     /* the largest item (and envelope) that is accepted; 0: 64 MB */
    kin__json_item_fn on_item;
    void *context;
    const kin__json_kernel *kernel; /* NULL: the best */
} kin__json_framer_options;

typedef struct kin__json_framer kin__json_framer;

kin_err kin__json_framer_new(const kin__json_framer_options *options, kin__json_framer **out,
                             kin_error *err) KIN_MUST_CHECK;
void kin__json_framer_free(kin__json_framer *framer);

/* As the scanner's feed; also LIMIT when an item is larger than allowed. */
kin_err kin__json_framer_feed(kin__json_framer *framer, const char *bytes, size_t len,
                              kin_error *err) KIN_MUST_CHECK;
kin_err kin__json_framer_finish(kin__json_framer *framer, kin_error *err) KIN_MUST_CHECK;

/* With KIN__JSON_LIST, after finish: the document around the items; borrowed from the framer. */
kin_str kin__json_framer_envelope(const kin__json_framer *framer);

#endif /* KIN_JSON_FRAMER_H */
