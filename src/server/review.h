/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/review.h - what is created and never kept: reviews, and requests to do something with an
 * object (binding, eviction).
 *
 * Reviews of access say what the guard would say.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_REVIEW_H
#define KIN_SERVER_REVIEW_H

#include "server/deed.h"

/* POST of a virtual resource, or to a subresource. */
bool kin__serve_review(kin__asked *asked, kin__answer *answer, kin__refusal *no);

#endif /* KIN_SERVER_REVIEW_H */
