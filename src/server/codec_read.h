/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/codec_read.h - a JSON value as the tree of a message, read as Go's decoder reads it.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_CODEC_READ_H
#define KIN_SERVER_CODEC_READ_H

#include "server/codec.h"

typedef struct kin__codec_reading {
    kin__pb_message message;    /* KIN__PB_NO_MESSAGE: any JSON */
    kin__codec_warnings *notes; /* borrowed: gets unknown and duplicate fields; NULL: not wanted */
    kin_str prefix;             /* of the paths in the notes, with its dot: "metadata." */
    bool has_no_duplicates;     /* that is known; they are not looked for */
    kin__buf words; /* owned by the caller; out: what Go says, on INVALID.  Cleared first */
} kin__codec_reading;

/*
 * The tree of a value that the scanner has passed; owned.  For a message: without members that its
 * rows (those of KIN__CODEC_RELEASE) do not have and without null members; every value is one that
 * kin__pb_from_json() takes.  Lists and maps may hold null.
 *
 * Fails with INVALID (`words` says what Go would) and NO_MEMORY.
 */
kin_err kin__codec_read(kin__codec_reading *reading, kin__json value, kin__node **out,
                        kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SERVER_CODEC_READ_H */
