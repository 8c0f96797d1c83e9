/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64.c - bytes as text: RFC 4648, the standard alphabet, with padding.
 */
#include "proto/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_group(const uint8_t *bytes, char out[4]);

void kin__pb_write_base64(kin_str bytes, char *out)
{
    const uint8_t *at = (const uint8_t *) bytes.data;
    size_t left = bytes.len;

    for (; left >= 3; left -= 3, at += 3, out += 4) {
        put_group(at, out);
    }
    if (left != 0) {
        uint8_t rest[3] = { at[0], left == 2 ? at[1] : 0, 0 };
        put_group(rest, out);
        out[2] = left == 2 ? out[2] : '=';
        out[3] = '=';
    }
}

void kin__pb_put_base64(kin__buf *buf, kin_str bytes)
{
    size_t len = kin__pb_base64_len(bytes.len);

    if (!kin__buf_reserve(buf, len + 2)) {
        return;
    }
    char *out = buf->data + buf->len;
    out[0] = '"';
    kin__pb_write_base64(bytes, out + 1);
    out[len + 1] = '"';
    buf->len += len + 2;
}

static void put_group(const uint8_t *bytes, char out[4])
{
    out[0] = alphabet[bytes[0] >> 2];
    out[1] = alphabet[(bytes[0] & 3) << 4 | bytes[1] >> 4];
    out[2] = alphabet[(bytes[1] & 15) << 2 | bytes[2] >> 6];
    out[3] = alphabet[bytes[2] & 63];
}
