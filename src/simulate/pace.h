/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/pace.h - so many changes a second, evenly spread.
 */
#ifndef KIN_SIMULATE_PACE_H
#define KIN_SIMULATE_PACE_H

#include <stdint.h>

/* Times are nanoseconds of a clock that only rises. */
typedef struct kin__sim_pace {
    uint32_t rate;    /* a second; not 0 */
    int64_t began_ns; /* when the first one would have been due */
    uint64_t made;
} kin__sim_pace;

/* How many are to be made now, which then count as made: at most a tenth of a second's at once, and
 * what is more than a second late is let go. */
uint64_t kin__sim_pace_take(kin__sim_pace *pace, int64_t now_ns);

/* When the next one is due. */
int64_t kin__sim_pace_next_ns(const kin__sim_pace *pace);

#endif /* KIN_SIMULATE_PACE_H */
