/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/serve.h - from a request to its answer: what all verbs have in common.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_SERVE_H
#define KIN_SERVER_SERVE_H

#include "server/deed.h"

/* The headers by which an answer's form is chosen. */
typedef struct kin__manners {
    kin_str accept;
    kin_str accept_encoding;
} kin__manners;

/* Serves what was asked.  `asked->route` has been read; parameters and form are read here.  False
 * with a refusal. */
bool kin__serve(kin__asked *asked, kin_str query, const kin__manners *manners, kin__answer *answer,
                kin__refusal *no);

void kin__asked_fini(kin__asked *asked);
KIN__DEFINE_AUTO_FINI(kin__asked, kin__asked_fini)

/* Turns a refusal into an answer, in the form that was asked for as far as it can be told. */
void kin__answer_refusal(kin__refusal *no, const kin__asked *asked, kin_str accept,
                         kin__answer *answer);

/* The body as a source, also when it lies in `bytes`, which is then consumed.  False when there is
 * no memory. */
bool kin__answer_take_body(kin__answer *answer, kin__body *out);

#endif /* KIN_SERVER_SERVE_H */
