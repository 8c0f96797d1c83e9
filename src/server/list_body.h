/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/list_body.h - a list as a source of pieces.
 *
 * Items are sent from where they lie, in the records: nothing is copied, and the records stay
 * referenced until the body is released.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_LIST_BODY_H
#define KIN_SERVER_LIST_BODY_H

#include "server/deed.h"
#include "server/partial.h"

/* What the list says beside its items; borrowed for the call. */
typedef struct kin__list_body_options {
    kin__served *served;   /* in whose version the records are */
    const kin__form *form; /* not a Table, not pretty */
    const kin__list_meta *meta;
} kin__list_body_options;

/* The listing is consumed on success.  False with a refusal. */
bool kin__list_body_new(const kin__list_body_options *options, kin__listing *listing,
                        kin__body *out, kin__refusal *no);

#endif /* KIN_SERVER_LIST_BODY_H */
