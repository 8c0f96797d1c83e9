/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/selector_check.h - whether the API server would take a requirement.
 */
#ifndef KIN_OBJECT_SELECTOR_CHECK_H
#define KIN_OBJECT_SELECTOR_CHECK_H

#include "object/fault.h"
#include "object/selector_draft.h"

/* Checks the key, the number of values and the values of requirement `index`.  False when something
 * is wrong: `fault` says all of it, in the server's words, and points at the first. */
bool kin__selector_check(const kin__selector_draft *draft, size_t index, kin__fault *fault);

#endif /* KIN_OBJECT_SELECTOR_CHECK_H */
