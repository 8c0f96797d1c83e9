/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside.c - what the calling thread is inside of: how often, by a counter each.
 */
#include "base/inside.h"

#include <assert.h>

/* Initial-exec: found without a call, also in a shared library; it is 20 bytes. */
static _Thread_local unsigned depths[KIN__INSIDES] __attribute__((tls_model("initial-exec")));

void kin__inside_enter(kin__inside what)
{
    depths[what]++;
}

void kin__inside_leave(kin__inside what)
{
    assert(depths[what] > 0);
    depths[what]--;
}

bool kin__inside_is(kin__inside what)
{
    return depths[what] > 0;
}

bool kin__inside_is_any(void)
{
    unsigned all = 0;

    for (int i = 0; i < KIN__INSIDE_RECONCILE; i++) {
        all |= depths[i];
    }
    return all != 0;
}
