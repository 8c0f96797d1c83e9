/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slow_start.c - many calls that may all fail for the same reason.
 */
#include "slow_start.h"

kin_err slow_start(size_t count, slow_start_batch batch, void *context, size_t *out_done,
                   kin_error *err)
{
    kin_err code = KIN_OK;
    size_t size = 1;

    *out_done = 0;
    while (code == KIN_OK && count > 0) {
        size_t done = 0;

        size = size < count ? size : count;
        code = batch(context, size, &done, err);
        *out_done += done;
        count -= size;
        size *= 2;
    }
    return code;
}
