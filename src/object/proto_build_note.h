/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/proto_build_note.h - the walk over a message, as proto_build_find.c and proto_build_note.c
 * share it.
 *
 *     proto_build_find.c   goes from field to field, and cuts out what the mask leaves out
 *     proto_build_note.c   takes down the fields an object keeps at hand, and checks them
 */
#ifndef KIN_OBJECT_PROTO_BUILD_NOTE_H
#define KIN_OBJECT_PROTO_BUILD_NOTE_H

#include "base/error.h"
#include "object/proto_build_find.h"
#include "proto/reader.h"

typedef struct kin__pb_finder {
    const kin__pb_item *item; /* borrowed */
    const kin_mask *mask;     /* borrowed; NULL: none */
    bool needs_name;          /* metadata.name may not be missing or empty */
    kin__pb_known *known;
    kin_error *err;
} kin__pb_finder;

/* Messages whose fields mean something. */
typedef enum kin__pb_scope {
    KIN__PB_SCOPE_ELSEWHERE,
    KIN__PB_SCOPE_ROOT,
    KIN__PB_SCOPE_METADATA
} kin__pb_scope;

void kin__pb_known_init(kin__pb_known *known);

/* True for the metadata of objects; that of lists is another message. */
bool kin__pb_is_object_meta(kin__pb_message message);

/* Takes down a field that stays: the object's metadata, and what is in it. */
kin_err kin__pb_note_object(kin__pb_finder *f, const kin__pb_field *field) KIN_MUST_CHECK;
kin_err kin__pb_note_metadata(kin__pb_finder *f, const kin__pb_field *field) KIN_MUST_CHECK;

/* Takes down the fields of the metadata that come next, as far as they are of the usual form and
 * right; the reader stands before the first that is not.  No managedFields are among them. */
void kin__pb_skim_metadata(kin__pb_finder *f, kin__pb_reader *reader);

/* After the walk: is all there that has to be?  Puts the labels in order. */
kin_err kin__pb_check(kin__pb_finder *f) KIN_MUST_CHECK;

/* "metadata", "" */
const char *kin__pb_scope_path(kin__pb_scope scope);

/* "path: words at byte N"; without a path, the words alone.  `at` lies in the item. */
kin_err kin__pb_complain(kin__pb_finder *f, kin_err code, const char *path, const void *at,
                         const char *format, ...) KIN__PRINTF(5, 6);

#endif /* KIN_OBJECT_PROTO_BUILD_NOTE_H */
