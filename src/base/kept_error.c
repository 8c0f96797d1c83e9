/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept_error.c - a copy, made when it is needed.
 */
#include "base/kept_error.h"

#include "base/alloc.h"

static const kin_error lost = {
    .code = KIN_ERR_NO_MEMORY,
    .message = "something went wrong, and there was no memory to keep what",
};

void kin__kept_error_set(kin__kept_error *kept, const kin_error *err)
{
    kin_error *copy = kin__alloc(sizeof *copy);

    if (copy != NULL) {
        *copy = *err;
    }
    kin__kept_error_clear(kept);
    kept->error = copy != NULL ? copy : &lost;
}

const kin_error *kin__kept_error_get(const kin__kept_error *kept)
{
    return kept->error;
}

void kin__kept_error_clear(kin__kept_error *kept)
{
    if (kept->error != &lost) {
        kin__free((void *) (uintptr_t) kept->error);
    }
    kept->error = NULL;
}
