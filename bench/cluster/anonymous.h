/* SPDX-License-Identifier: Apache-2.0 */
/*
 * anonymous.h - anonymous memory of this process, as the system counts it.
 */
#ifndef KIN_BENCH_ANONYMOUS_H
#define KIN_BENCH_ANONYMOUS_H

#include <stdbool.h>

/* In kilobytes. */
long anonymous_now(void);

/* Looks every 20 ms, on a thread of its own, until the process ends.  False: no thread. */
bool anonymous_watch(void);

/* The most that was seen; also looks now. */
long anonymous_peak(void);

/* The peak is that from here on, looked for as before or, rarely, once a second, which takes no
 * time worth speaking of. */
void anonymous_follow(bool is_rare);

#endif /* KIN_BENCH_ANONYMOUS_H */
