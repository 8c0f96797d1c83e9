/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/proto_build_find.h - what a builder has to know of a message, found in one walk.
 *
 *     message, a mask --find--> strings, edits --build--> object
 *
 * Threading: confined.
 */
#ifndef KIN_OBJECT_PROTO_BUILD_FIND_H
#define KIN_OBJECT_PROTO_BUILD_FIND_H

#include "base/cleanup.h"
#include "kin/object.h"
#include "object/proto_build_edits.h"
#include "proto/framer.h"
#include "proto/schema.h"

#define KIN__PB_LABELS_FEW 24

typedef struct kin__pb_label {
    kin_str key;
    kin_str value;
} kin__pb_label;

/* Strings lie in the message. */
typedef struct kin__pb_known {
    bool has_metadata;
    bool has_creation; /* on the wire */
    bool has_deletion;
    kin_str metadata;
    kin_str name;
    kin_str in_namespace;
    kin_str uid;
    kin_str version;
    int64_t generation;
    int64_t creation; /* in seconds, or KIN__NO_TIME */
    int64_t deletion;
    const uint8_t *annotations; /* the first that stays; NULL: none */
    const uint8_t *owners;      /* the same */

    /* In the order of their keys' bytes, each key once. */
    size_t label_count;
    size_t label_capacity;
    kin__pb_label *labels; /* `few_labels`, or owned */

    uint8_t flags;       /* KIN__OBJECT_... */
    kin__pb_edits edits; /* what the mask leaves out; settled */
    kin__pb_label few_labels[KIN__PB_LABELS_FEW];
} kin__pb_known;

/*
 * Looks at the item's top-level fields and its metadata, and as far as the mask leads.  Fails with
 * MALFORMED (what is wrong, with "at byte N" of the stream), LIMIT, NO_MEMORY.  `known` is to be
 * released with kin__pb_known_fini() in any case, and must stay where it is.
 */
kin_err kin__pb_find(const kin__pb_item *item, kin__pb_message message,
                     const kin_object_options *options, kin__pb_known *known,
                     kin_error *err) KIN_MUST_CHECK;

void kin__pb_known_fini(kin__pb_known *known);
KIN__DEFINE_AUTO_FINI(kin__pb_known, kin__pb_known_fini)

#endif /* KIN_OBJECT_PROTO_BUILD_FIND_H */
