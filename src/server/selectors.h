/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/selectors.h - label selectors of requests.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_SELECTORS_H
#define KIN_SERVER_SELECTORS_H

#include "kin/selector.h"
#include "server/refusal.h"

/* NULL and "" give NULL.  False with 400 in the API server's words.  Release with
 * kin_selector_free(). */
bool kin__label_selector_read(const char *text, kin_selector **out, kin__refusal *no);

#endif /* KIN_SERVER_SELECTORS_H */
