/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.c - what the server gives to an object: its uid, its name, its times.
 */
#include "server/identity.h"

#include "base/str.h"
#include "server/random.h"

#define NANOS INT64_C(1000000000) /* in a second */

void kin__identity_uid(kin__engine *engine, char out[KIN__UID_LEN + 1])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t high = kin__random_next(engine);
    uint64_t low = kin__random_next(engine);
    size_t at = 0;

    high = (high & ~UINT64_C(0xf000)) | UINT64_C(0x4000);              /* version 4 */
    low = (low & ~(UINT64_C(3) << 62)) | UINT64_C(0x8000000000000000); /* the variant of RFC 9562 */
    for (size_t i = 0; i < 32; i++) {
        uint64_t half = i < 16 ? high : low;
        if (i == 8 || i == 12 || i == 16 || i == 20) {
            out[at++] = '-';
        }
        out[at++] = digits[half >> (60 - 4 * (i % 16)) & 15];
    }
    out[at] = '\0';
}

/* k8s.io/apimachinery/pkg/util/rand: no vowels, and none of 0, 1, 3. */
void kin__identity_suffix(kin__engine *engine, char out[KIN__NAME_SUFFIX_LEN + 1])
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    uint64_t random = kin__random_next(engine);

    for (size_t i = 0; i < KIN__NAME_SUFFIX_LEN; i++) {
        out[i] = letters[random % (sizeof letters - 1)];
        random /= sizeof letters - 1;
    }
    out[KIN__NAME_SUFFIX_LEN] = '\0';
}

kin_str kin__identity_time(const kin__engine *engine, int64_t offset_s, char out[KIN__PB_TIME_MAX])
{
    kin_time now = kin__clock_wall(engine->clock);

    return kin__str(out,
                    kin__pb_write_time(now.seconds + kin__identity_span(offset_s), 0, false, out));
}

int64_t kin__identity_span(int64_t seconds)
{
    int64_t nanos = (int64_t) ((uint64_t) seconds * NANOS);

    return nanos / NANOS - (nanos % NANOS < 0);
}
