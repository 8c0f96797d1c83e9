/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/label_name.h - what a label may be called, and what it may say.
 *
 * A key is a name of up to 63 bytes, A-Z a-z 0-9 - _ . with a letter or digit at either end, and
 * before it, if wanted, a lower-case DNS subdomain of up to 253 bytes and a slash.  A value is
 * empty or formed as a name.
 */
#ifndef KIN_OBJECT_LABEL_NAME_H
#define KIN_OBJECT_LABEL_NAME_H

#include "kin/common.h"
#include "object/fault.h"

/* A valid key is never longer. */
#define KIN__LABEL_KEY_MAX (253 + 1 + 63)

bool kin__label_key_is_valid(kin_str key);
bool kin__label_value_is_valid(kin_str value);

/* Appends what is wrong with an invalid one, in the API server's words. */
void kin__label_key_explain(kin_str key, kin__fault *fault);
void kin__label_value_explain(kin_str value, kin__fault *fault);

/* Reads a decimal integer: a sign if wanted and one digit at least, nothing else.  False when it is
 * none, or does not fit. */
bool kin__label_value_int64(kin_str value, int64_t *out);

#endif /* KIN_OBJECT_LABEL_NAME_H */
