/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/base64.h - bytes as text: RFC 4648, the standard alphabet, with padding.
 */
#ifndef KIN_PROTO_BASE64_H
#define KIN_PROTO_BASE64_H

#include "base/buf.h"

/* How long `len` bytes are in base64. */
static inline size_t kin__pb_base64_len(size_t len)
{
    return (len / 3 + (len % 3 != 0)) * 4;
}

/* Writes the bytes in base64 to `out`, which has that much room.  Not terminated. */
void kin__pb_write_base64(kin_str bytes, char *out);

/* Appends the bytes in base64, between quotes: a JSON string.  Memory failures stay in the
 * buffer. */
void kin__pb_put_base64(kin__buf *buf, kin_str bytes);

#endif /* KIN_PROTO_BASE64_H */
