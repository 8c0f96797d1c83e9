/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/utf8.h - text that is UTF-8, and text that has to become it.
 */
#ifndef KIN_BASE_UTF8_H
#define KIN_BASE_UTF8_H

#include "kin/common.h"

/*
 * The length (1 to 4) of the character that `bytes` begin with, 0 when they begin with none:
 * `len` is 0, or the bytes are no UTF-8 (RFC 3629: overlong forms, surrogates and what lies
 * beyond U+10FFFF are none).
 */
size_t kin__utf8_char_len(const char *bytes, size_t len);

bool kin__utf8_is_valid(kin_str s);

/*
 * Makes one line of valid UTF-8 of a terminated text, whatever it quotes: control characters
 * (C0, DEL, C1) and bytes that are no UTF-8 become '?'.  The length stays.
 */
void kin__utf8_clean_line(char *text);

#endif /* KIN_BASE_UTF8_H */
