/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/token_review.h - requests for tokens of service accounts, and reviews of tokens.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_TOKEN_REVIEW_H
#define KIN_SERVER_TOKEN_REVIEW_H

#include "json/tree.h"
#include "server/deed.h"

/* Fills `request`, a TokenRequest, with what was given for it. */
bool kin__token_request(kin__asked *asked, kin__node *request, kin__refusal *no);

/* Fills `review`, a TokenReview, with whose token it is. */
bool kin__token_review(kin__asked *asked, kin__node *review, kin__refusal *no);

/* Puts into `user` who that is and what groups they are in.  `claims` are those of the token of a
 * service account, as kin__service_token_read() gives them; NULL for all others.  False when there
 * is no memory. */
bool kin__token_tell_user(kin__node *user, kin_str name, const kin__node *claims) KIN_MUST_CHECK;

/* A UserInfo of whoever asks, of its own; who asks without a name is the program, which has the
 * server's token.  NULL when there is no memory. */
kin__node *kin__token_user_of(const kin__asked *asked) KIN_MUST_CHECK;

#endif /* KIN_SERVER_TOKEN_REVIEW_H */
