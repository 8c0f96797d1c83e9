/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/kept_error.h - an error that is kept for later: eight bytes until there is one.
 *
 * All zero: none is kept.  Without memory for it, that is the error that is kept.
 *
 * Threading: confined.
 */
#ifndef KIN_BASE_KEPT_ERROR_H
#define KIN_BASE_KEPT_ERROR_H

#include "kin/common.h"

typedef struct kin__kept_error {
    const kin_error *error;
} kin__kept_error;

/* In place of what was kept. */
void kin__kept_error_set(kin__kept_error *kept, const kin_error *err);

/* Borrowed until the next one is set; NULL: none is kept. */
const kin_error *kin__kept_error_get(const kin__kept_error *kept);

/* Keeps none any more. */
void kin__kept_error_clear(kin__kept_error *kept);

#endif /* KIN_BASE_KEPT_ERROR_H */
