/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limiter.c - the longest of all waits that are wanted.
 */
#include "queue/limiter.h"

#include "base/error.h"
#include "base/options.h"

#define MAX_MS (1000 * 1000)

/* util/workqueue, DefaultTypedControllerRateLimiter */
static const kin_limiter client_go = {
    .size = sizeof(kin_limiter),
    .base_ms = 5,
    .max_ms = MAX_MS,
    .rate = 10,
    .burst = 100,
};

static int64_t exponential_ms(const kin_limiter *wish, uint32_t n);
static int64_t fast_slow_ms(const kin_limiter *wish, uint32_t n);
static int64_t longer(int64_t a, int64_t b);

kin_err kin__limiter_init(kin__limiter *limiter, const kin_limiter *wish, kin_error *err)
{
    kin_limiter w;
    kin_err code =
        kin__options_read(&w, sizeof w, wish == NULL ? &client_go : wish, "kin_limiter", err);

    if (code != KIN_OK) {
        return code;
    }
    if (w.base_ms < 0 || w.max_ms < 0 || w.fast_ms < 0 || w.slow_ms < 0 || w.cap_ms < 0 ||
        !(w.rate >= 0)) {
        return kin__error_set(err, KIN_ERR_USAGE, "kin_limiter: a time or rate is negative");
    }
    w.max_ms = w.max_ms == 0 ? MAX_MS : w.max_ms;
    *limiter = (kin__limiter){ .wish = w };
    kin__bucket_init(&limiter->bucket, w.rate, w.burst);
    return KIN_OK;
}

int64_t kin__limiter_delay_ms(kin__limiter *limiter, uint32_t n, int64_t own_ms, int64_t now_ms)
{
    const kin_limiter *wish = &limiter->wish;
    int64_t delay_ms = longer(own_ms, kin__bucket_reserve(&limiter->bucket, now_ms));

    delay_ms = longer(delay_ms, exponential_ms(wish, n));
    delay_ms = longer(delay_ms, fast_slow_ms(wish, n));
    return wish->cap_ms > 0 && delay_ms > wish->cap_ms ? wish->cap_ms : delay_ms;
}

void kin__limiter_give_back(kin__limiter *limiter)
{
    kin__bucket_give_back(&limiter->bucket);
}

static int64_t exponential_ms(const kin_limiter *wish, uint32_t n)
{
    if (n >= 63 || wish->base_ms > wish->max_ms >> n) {
        return wish->base_ms == 0 ? 0 : wish->max_ms;
    }
    return wish->base_ms << n;
}

static int64_t fast_slow_ms(const kin_limiter *wish, uint32_t n)
{
    return n < wish->fast_count ? wish->fast_ms : wish->slow_ms;
}

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
