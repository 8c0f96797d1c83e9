/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/list_answer.h - records as the answer to a LIST, in the form that was asked for.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_LIST_ANSWER_H
#define KIN_SERVER_LIST_ANSWER_H

#include "server/deed.h"
#include "server/partial.h"

/* The records are in the version of the request; the listing is consumed when it succeeds. */
bool kin__answer_list(kin__asked *asked, const kin__list_meta *meta, kin__listing *listing,
                      kin__answer *answer, kin__refusal *no);

#endif /* KIN_SERVER_LIST_ANSWER_H */
