/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/framer.h - arriving protobuf bytes in, whole items out.
 *
 * Cuts the answer to a list into its items, a watch stream into its events, and any other answer
 * into one object, as soon as the last byte of each has come.  An item that lies within one chunk
 * is not copied; one that straddles chunks goes through one staging buffer that is used again.
 * However the bytes are cut, the items, the error and the byte that it names are the same.
 *
 * What a list is, the tables say: a kind that ends in "List", with fields 1 metadata and 2 items,
 * messages of their own.  A list of a kind that they do not know is cut in the same way.  So the
 * framer needs to know no kind; whether an item can be read by name is asked of proto/schema.h.
 *
 * Threading: confined.
 */
#ifndef KIN_PROTO_FRAMER_H
#define KIN_PROTO_FRAMER_H

#include "kin/common.h"
#include "proto/envelope.h"

typedef enum kin__pb_framing {
    KIN__PB_ANSWER, /* one envelope: a list item by item, or, for any other kind, one object */
    KIN__PB_WATCH   /* frames with a length of 4 bytes, each a WatchEvent with an envelope inside */
} kin__pb_framing;

/* One item, borrowed for the call.  The Status of a failure and a bookmark are items like any
 * other, told by `kind` and by `type`. */
typedef struct kin__pb_item {
    kin_str type;        /* of a watch event: "ADDED" ..., never empty; empty otherwise */
    kin_str api_version; /* of the object: the envelope's; of a list's item, the list's own */
    kin_str kind;        /* of the object; of a list's item, the list's without "List" */
    kin_str bytes;       /* the message of the object */
    uint64_t offset;     /* of `bytes` in the stream */
    bool is_list_item;
} kin__pb_item;

/* What it returns other than KIN_OK (with `err` set) ends the stream. */
typedef kin_err (*kin__pb_item_fn)(void *context, const kin__pb_item *item, kin_error *err);

/* The metadata of a list, once it has come and before its first item; of an empty list too.
 * Borrowed for the call.  All is empty when the list has no metadata. */
typedef struct kin__pb_list {
    kin_str api_version;
    kin_str kind;     /* "PodList" */
    kin_str metadata; /* the ListMeta message */
    kin_str resource_version;
    kin_str continue_token;
    bool has_remaining;
    int64_t remaining;
} kin__pb_list;

typedef kin_err (*kin__pb_list_fn)(void *context, const kin__pb_list *list, kin_error *err);

typedef struct kin__pb_framer_options {
    kin__pb_framing framing;
    size_t item_bytes; /* the largest item, metadata of a list or watch frame that is accepted;
                          0: 64 MB */
    kin__pb_item_fn on_item;
    kin__pb_list_fn on_list; /* NULL: not wanted */
    void *context;
} kin__pb_framer_options;

typedef struct kin__pb_framer kin__pb_framer;

kin_err kin__pb_framer_new(const kin__pb_framer_options *options, kin__pb_framer **out,
                           kin_error *err) KIN_MUST_CHECK;
void kin__pb_framer_free(kin__pb_framer *framer);
KIN__DEFINE_AUTO(kin__pb_framer, kin__pb_framer_free)

/*
 * Takes the next bytes, borrowed for the call.  Fails with MALFORMED (what is wrong, "at byte N" of
 * the stream), LIMIT (a length that is too large, as soon as it has come and before any memory is
 * taken for it), NO_MEMORY or what a callback returned; then only free() may follow.
 *
 * An answer must name its type before its object, and a list its metadata before its items, as
 * API servers do; the metadata may be missing.
 */
kin_err kin__pb_framer_feed(kin__pb_framer *framer, const void *bytes, size_t len,
                            kin_error *err) KIN_MUST_CHECK;

/* There are no more bytes: fails with MALFORMED when they end inside an item, a list or a frame, or
 * before the end of the envelope.  Until this succeeds, what was handed over of an answer may be
 * part of a whole that is not there. */
kin_err kin__pb_framer_finish(kin__pb_framer *framer, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_PROTO_FRAMER_H */
