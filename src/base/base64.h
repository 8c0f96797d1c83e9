/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/base64.h - bytes as text: RFC 4648, the standard alphabet, with padding.
 */
#ifndef KIN_BASE_BASE64_H
#define KIN_BASE_BASE64_H

#include "base/buf.h"

/* How long `len` bytes are in base64. */
static inline size_t kin__base64_len(size_t len)
{
    return (len / 3 + (len % 3 != 0)) * 4;
}

/* Writes the bytes in base64 to `out`, which has that much room.  Not terminated. */
void kin__base64_write(kin_str bytes, char *out);

/* Appends the bytes in base64, between quotes: a JSON string.  Memory failures stay in the
 * buffer. */
void kin__base64_put(kin__buf *buf, kin_str bytes);

/*
 * Writes what `text` means to `out`, which has room for text.len / 4 * 3 bytes and may be where the
 * text itself lies; false, and anything at `out`, when it is no base64.  As Go's decoder takes it:
 * padding is needed, line ends are skipped, and the bits of the last digit that belong to no byte
 * may be anything.
 */
bool kin__base64_decode(kin_str text, char *out, size_t *out_len);

#endif /* KIN_BASE_BASE64_H */
