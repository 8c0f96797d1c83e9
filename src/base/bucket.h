/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/bucket.h - a token bucket: so many a second, and so many at once after a rest.
 *
 * A full bucket holds `burst` tokens and fills at `rate` tokens a second, never above that.  A
 * reservation takes a token at once, also one that has yet to come, and is told how long that
 * takes: whoever reserves first waits least, and nobody is overtaken.
 *
 * Time is the caller's, on any monotonic clock, 0 or more.  Where it goes back nothing is gained.
 *
 * Threading: confined.
 */
#ifndef KIN_BASE_BUCKET_H
#define KIN_BASE_BUCKET_H

#include "kin/common.h"

typedef struct kin__bucket {
    int64_t period_ns;  /* from a token to the next; 0: no limit */
    int64_t depth_ns;   /* from empty to full */
    int64_t full_at_ns; /* when it is full again, if nobody takes any more */
} kin__bucket;

/* Full.  `rate` tokens a second; 0, less, or not a finite number: no limit.  `burst` 0 counts as 1:
 * else no token would ever fit in. */
void kin__bucket_init(kin__bucket *bucket, double rate, uint32_t burst);

/* Takes a token, and returns after how many milliseconds it may be used: 0: now;
 * INT64_MAX: longer than can be told. */
int64_t kin__bucket_reserve(kin__bucket *bucket, int64_t now_ms) KIN_MUST_CHECK;

/* Takes a token only if it may be used now. */
bool kin__bucket_take(kin__bucket *bucket, int64_t now_ms) KIN_MUST_CHECK;

/* Puts one back that was reserved and will not be used.  Those that wait already do not get it
 * sooner; those that come next do. */
void kin__bucket_give_back(kin__bucket *bucket);

#endif /* KIN_BASE_BUCKET_H */
