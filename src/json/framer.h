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
 * Threading: confined.
 */
#ifndef KIN_JSON_FRAMER_H
#define KIN_JSON_FRAMER_H

#include "json/scanner.h"
#include "kin/common.h"

/* One item, borrowed for the call.  The `places` of its index are offsets from its first byte, and
 * reach down to the depth that was asked for: 0 is the item's own brackets. */
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

typedef struct kin__json_framer_options {
    kin__json_framing framing;
    kin__json_reach reach; /* of the index of each item, depths counted from the item */
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
