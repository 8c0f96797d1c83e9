/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket.c - a token bucket as one moment in time: when it will be full again.
 *
 * A token is `period_ns` of filling.  Taking one moves the moment that much further away, and
 * tokens that are owed are those by which it lies more than a whole filling ahead.  This is the
 * generic cell rate algorithm (ITU-T I.371).  All sums stop at INT64_MAX instead of overflowing.
 */
#include "base/bucket.h"

#include <math.h>

#define NS_PER_SECOND 1e9
#define NS_PER_MS 1000000
/* 73 and 146 years: below INT64_MAX, so that where all sums stop there is still something owed. */
#define PERIOD_MAX_NS (INT64_MAX / 4)
#define DEPTH_MAX_NS (INT64_MAX / 2)

static int64_t full_after_one_more(const kin__bucket *bucket, int64_t now_ns);
static int64_t wait_ns(const kin__bucket *bucket, int64_t full_at_ns, int64_t now_ns);
static int64_t add(int64_t a, int64_t b);
static int64_t multiply(int64_t a, int64_t b);

void kin__bucket_init(kin__bucket *bucket, double rate, uint32_t burst)
{
    *bucket = (kin__bucket){ 0 };
    if (!isfinite(rate) || rate <= 0) {
        return;
    }
    double period = NS_PER_SECOND / rate;
    if (period >= (double) PERIOD_MAX_NS) {
        bucket->period_ns = PERIOD_MAX_NS;
    } else {
        bucket->period_ns = period < 1 ? 1 : (int64_t) period;
    }
    int64_t depth_ns = multiply(bucket->period_ns, burst == 0 ? 1 : burst);
    bucket->depth_ns = depth_ns > DEPTH_MAX_NS ? DEPTH_MAX_NS : depth_ns;
}

int64_t kin__bucket_reserve(kin__bucket *bucket, int64_t now_ms)
{
    int64_t now_ns = multiply(now_ms, NS_PER_MS);
    bucket->full_at_ns = full_after_one_more(bucket, now_ns);
    int64_t wait = wait_ns(bucket, bucket->full_at_ns, now_ns);
    if (bucket->full_at_ns == INT64_MAX && wait > 0) {
        return INT64_MAX;
    }
    return wait / NS_PER_MS + (wait % NS_PER_MS != 0);
}

bool kin__bucket_take(kin__bucket *bucket, int64_t now_ms)
{
    int64_t now_ns = multiply(now_ms, NS_PER_MS);
    int64_t full_at_ns = full_after_one_more(bucket, now_ns);
    if (wait_ns(bucket, full_at_ns, now_ns) > 0) {
        return false;
    }
    bucket->full_at_ns = full_at_ns;
    return true;
}

/* In the past is as good as now: full. */
void kin__bucket_give_back(kin__bucket *bucket)
{
    int64_t full_at_ns = bucket->full_at_ns - bucket->period_ns;
    bucket->full_at_ns = full_at_ns < 0 ? 0 : full_at_ns;
}

static int64_t full_after_one_more(const kin__bucket *bucket, int64_t now_ns)
{
    int64_t full_at_ns = bucket->full_at_ns > now_ns ? bucket->full_at_ns : now_ns;
    return add(full_at_ns, bucket->period_ns);
}

static int64_t wait_ns(const kin__bucket *bucket, int64_t full_at_ns, int64_t now_ns)
{
    int64_t ahead = full_at_ns - now_ns;
    return ahead > bucket->depth_ns ? ahead - bucket->depth_ns : 0;
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t multiply(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}
