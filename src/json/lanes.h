/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/lanes.h - sixteen bytes at once, on any processor.
 *
 * For work that is too short to be worth a call into a kernel.  The compiler's own vectors are
 * used, so that there is one text for all processors; comparing lanes gives 0xff where it holds
 * and 0 where it does not.
 */
#ifndef KIN_JSON_LANES_H
#define KIN_JSON_LANES_H

#include <stdint.h>
#include <string.h>

#define KIN__LANES 16

typedef uint8_t kin__lanes __attribute__((vector_size(KIN__LANES)));

/* Reads KIN__LANES bytes, aligned or not. */
static inline kin__lanes kin__lanes_load(const char *at)
{
    kin__lanes lanes;
    memcpy(&lanes, at, sizeof lanes);
    return lanes;
}

/* The number of the first lane that is not 0; KIN__LANES when all are.  Each is 0 or 0xff. */
static inline unsigned kin__lanes_first(kin__lanes hits)
{
    uint64_t halves[2];
    memcpy(halves, &hits, sizeof halves);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    halves[0] = __builtin_bswap64(halves[0]);
    halves[1] = __builtin_bswap64(halves[1]);
#endif
    if (halves[0] != 0) {
        return (unsigned) __builtin_ctzll(halves[0]) / 8;
    }
    return halves[1] != 0 ? 8 + (unsigned) __builtin_ctzll(halves[1]) / 8 : KIN__LANES;
}

#endif /* KIN_JSON_LANES_H */
