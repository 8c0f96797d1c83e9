/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retry.c - whether a request that failed goes out again.
 */
#include "api/retry.h"

#define CUT_WAIT_MS 1000

static bool says_when(const kin_error *err);

kin__retry_answer kin__retry_next(kin__retry *retry, const kin_error *err, bool is_read,
                                  bool has_begun)
{
    retry->attempts++;
    if (has_begun || retry->attempts > KIN__RETRIES_MAX) {
        return (kin__retry_answer){ KIN__RETRY_NO, 0 };
    }
    if (err->http_status == 401 && !retry->has_renewed) {
        retry->has_renewed = true;
        return (kin__retry_answer){ KIN__RETRY_RENEWED, 0 };
    }
    if (says_when(err)) {
        return (kin__retry_answer){ KIN__RETRY_LATER, err->retry_after_ms };
    }
    if (err->code == KIN_ERR_CLOSED && is_read) {
        return (kin__retry_answer){ KIN__RETRY_LATER, CUT_WAIT_MS };
    }
    return (kin__retry_answer){ KIN__RETRY_NO, 0 };
}

static bool says_when(const kin_error *err)
{
    return err->retry_after_ms != 0 && (err->http_status == 429 || err->http_status >= 500);
}
