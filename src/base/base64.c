/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64.c - bytes as text: RFC 4648, the standard alphabet, with padding.
 */
#include "base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_group(const uint8_t *bytes, char out[4]);
static int digit_of(char c);

void kin__base64_write(kin_str bytes, char *out)
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

void kin__base64_put(kin__buf *buf, kin_str bytes)
{
    size_t len = kin__base64_len(bytes.len);

    if (!kin__buf_reserve(buf, len + 2)) {
        return;
    }
    char *out = buf->data + buf->len;
    out[0] = '"';
    kin__base64_write(bytes, out + 1);
    out[len + 1] = '"';
    buf->len += len + 2;
}

bool kin__base64_decode(kin_str text, char *out, size_t *out_len)
{
    uint32_t bits = 0;
    size_t digits = 0;
    size_t padding = 0;
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '\n' || c == '\r') {
            continue;
        }
        int digit = digit_of(c);
        if (c == '=') {
            padding++;
            digit = 0;
        } else if (digit < 0 || padding != 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t) digit;
        digits++;
        if (digits % 4 == 0) {
            out[len++] = (char) (bits >> 16);
            out[len++] = (char) (bits >> 8);
            out[len++] = (char) bits;
        }
    }
    if (digits % 4 != 0 || padding > 2) {
        return false;
    }
    *out_len = len - padding;
    return true;
}

static void put_group(const uint8_t *bytes, char out[4])
{
    out[0] = alphabet[bytes[0] >> 2];
    out[1] = alphabet[(bytes[0] & 3) << 4 | bytes[1] >> 4];
    out[2] = alphabet[(bytes[1] & 15) << 2 | bytes[2] >> 6];
    out[3] = alphabet[bytes[2] & 63];
}

/* -1 for what is none. */
static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}
