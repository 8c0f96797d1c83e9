/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - size-first structs, old and new.
 */
#include "base/options.h"

#include <string.h>

#include "base/error.h"

/* No struct of ours will ever be this large: a size beyond it is what was left on the stack. */
#define SIZE_LIMIT ((size_t) 64 * 1024)

kin_err kin__options_read(void *ours, size_t our_size, const void *theirs, const char *type,
                          kin_error *err)
{
    size_t their_size = 0;

    if (theirs != NULL) {
        memcpy(&their_size, theirs, sizeof their_size);
        if (their_size < sizeof their_size || their_size > SIZE_LIMIT) {
            return kin__error_set(err, KIN_ERR_USAGE, "%s: not initialised (size is %zu)", type,
                                  their_size);
        }
    }
    const unsigned char *bytes = theirs;
    for (size_t i = our_size; i < their_size; i++) {
        if (bytes[i] != 0) {
            return kin__error_set(err, KIN_ERR_USAGE,
                                  "%s: asks for something this version cannot do", type);
        }
    }

    memset(ours, 0, our_size);
    if (theirs != NULL) {
        memcpy(ours, theirs, their_size < our_size ? their_size : our_size);
    }
    memcpy(ours, &our_size, sizeof our_size);
    return KIN_OK;
}
