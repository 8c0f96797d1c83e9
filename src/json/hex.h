/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/hex.h - hexadecimal digits.
 */
#ifndef KIN_JSON_HEX_H
#define KIN_JSON_HEX_H

/* 0 to 15, or -1 when `byte` is no hexadecimal digit. */
static inline int kin__hex_digit(unsigned char byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    unsigned char lower = byte | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

#endif /* KIN_JSON_HEX_H */
