/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/copy.h - memcpy() for the names and keys that messages are full of.
 *
 * Threading: a pure function.
 */
#ifndef KIN_PROTO_COPY_H
#define KIN_PROTO_COPY_H

#include <stddef.h>
#include <string.h>

/* As memcpy(), and `in` may be NULL when `len` is 0.  Up to 32 bytes are copied on the spot, in two
 * pieces that overlap: a call would take longer than the copy. */
static inline void kin__pb_copy(char *out, const char *in, size_t len)
{
    if (len > 32) {
        memcpy(out, in, len);
    } else if (len >= 16) {
        memcpy(out, in, 16);
        memcpy(out + len - 16, in + len - 16, 16);
    } else if (len >= 8) {
        memcpy(out, in, 8);
        memcpy(out + len - 8, in + len - 8, 8);
    } else if (len >= 4) {
        memcpy(out, in, 4);
        memcpy(out + len - 4, in + len - 4, 4);
    } else {
        for (size_t i = 0; i < len; i++) {
            out[i] = in[i];
        }
    }
}

#endif /* KIN_PROTO_COPY_H */
