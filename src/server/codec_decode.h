/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/codec_decode.h - the body of a request as a tree, and what Go's decoder says of it.
 *
 * What codec.h and prune.h share: they differ in how they tell of it.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_CODEC_DECODE_H
#define KIN_SERVER_CODEC_DECODE_H

#include "server/codec.h"

/* All zero at first. */
typedef struct kin__codec_outcome {
    kin__codec_warnings notes; /* unknown and duplicate fields; none with KIN__FIELDS_IGNORE */
    kin__buf words;            /* on INVALID: Go's error */
    kin__buf api_version;      /* that the body says, or is taken to say; of a built-in kind it may
                                  be another version than the URL's */
    kin__buf kind;
    bool is_recognized; /* both could be read */
} kin__codec_outcome;

void kin__codec_outcome_fini(kin__codec_outcome *outcome);
KIN__DEFINE_AUTO_FINI(kin__codec_outcome, kin__codec_outcome_fini)

/* The tree is owned.  Fails with INVALID and NO_MEMORY. */
kin_err kin__codec_decode_as(const kin__codec_kind *kind, const kin__codec_body *body,
                             kin__codec_outcome *outcome, kin__node **out,
                             kin_error *err) KIN_MUST_CHECK;

/* The message of metadata, that of any kind. */
kin__pb_message kin__codec_object_meta(void);

#endif /* KIN_SERVER_CODEC_DECODE_H */
