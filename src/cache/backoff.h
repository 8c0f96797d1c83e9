/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/backoff.h - how long to wait before something that failed is tried again.
 *
 * Each wait is twice the one before, up to a cap, and is made longer by chance, so that many
 * clients of one server do not come back together.  The sequence begins anew only after a healthy
 * period: a source that works for a moment now and then is asked no more often than one that never
 * works.
 *
 * Threading: confined.  Time is the caller's.
 */
#ifndef KIN_CACHE_BACKOFF_H
#define KIN_CACHE_BACKOFF_H

#include "kin/common.h"

/* Zero means the default for every field. */
typedef struct kin__backoff_options {
    uint32_t first_ms;   /* 0: 800 */
    uint32_t cap_ms;     /* of a wait before chance; 0: 30,000 */
    int jitter_percent;  /* a wait is up to this much longer; 0: 100; below 0: none */
    uint32_t healthy_ms; /* 0: 30,000 */
} kin__backoff_options;

typedef struct kin__backoff {
    kin__backoff_options options;
    uint64_t random;
    uint32_t next_ms;   /* before chance */
    int64_t good_since; /* -1: the last thing that happened was a failure */
} kin__backoff;

/* `seed`: the same one gives the same waits. */
void kin__backoff_init(kin__backoff *backoff, const kin__backoff_options *options, uint64_t seed);

/* It works, at this moment. */
void kin__backoff_good(kin__backoff *backoff, int64_t now_ms);

/* It failed, at this moment: how long to wait. */
uint32_t kin__backoff_failed(kin__backoff *backoff, int64_t now_ms);

/* The same, when the failure says how long: never less than `asked_ms`, up to a quarter more by
 * chance, and two minutes at most.  The sequence stays where it is. */
uint32_t kin__backoff_asked(kin__backoff *backoff, uint32_t asked_ms);

#endif /* KIN_CACHE_BACKOFF_H */
