/* SPDX-License-Identifier: Apache-2.0 */
/*
 * too_large.c - waiting for a revision, and "Too large resource version".
 */
#include "server/too_large.h"

#include <inttypes.h>

/* How long the watch cache of kube-apiserver waits (cacher/watch_cache.go, blockTimeout). */
#define WAIT_MS 3000
#define RETRY_AFTER_S 1

uint64_t kin__asked_present(const kin__asked *asked)
{
    return asked->present != 0 ? asked->present : kin__storage_revision(asked->engine->storage);
}

bool kin__await_revision(const kin__asked *asked, uint64_t revision, kin__answer *answer,
                         kin__refusal *no)
{
    bool is_cached = (asked->route.served->traits & KIN__IS_UNCACHED) == 0;

    if (is_cached && !asked->has_waited) {
        answer->wait_ms = WAIT_MS;
        return true;
    }
    (void) kin__refuse(no, 504, "Timeout",
                       "Timeout: Too large resource version: %" PRIu64 ", current: %" PRIu64,
                       revision, kin__asked_present(asked));
    kin__refusal_add_cause(no, "ResourceVersionTooLarge", NULL, "Too large resource version");
    no->has_details = !no->has_no_memory;
    kin__refusal_set_retry_after(no, is_cached ? RETRY_AFTER_S : 0);
    return false;
}
