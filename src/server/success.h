/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/success.h - answers that are no object of the resource: the Status of a request that was
 * carried out and has nothing to show, and objects of other kinds.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_SUCCESS_H
#define KIN_SERVER_SUCCESS_H

#include "json/tree.h"
#include "server/deed.h"

typedef struct kin__success {
    int status;                     /* of HTTP; the Status tells it when it is not 200 */
    kin_str name, group, kind, uid; /* of `details`; all empty: there are none */
} kin__success;

/* Fills in the answer, in the encoding that was asked for. */
bool kin__answer_success(kin__asked *asked, const kin__success *success, kin__answer *answer,
                         kin__refusal *no);

/* An object of another kind than the resource's own: a Scale, a review.  `tree` is encoded as that
 * kind. */
bool kin__answer_kind(kin__asked *asked, kin_str api_version, kin_str kind, const kin__node *tree,
                      int status, kin__answer *answer, kin__refusal *no);

#endif /* KIN_SERVER_SUCCESS_H */
