/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/string.h - JSON strings: what they decode to, and how to write them.
 *
 * `raw` is what stands between the quotes, of valid JSON.
 */
#ifndef KIN_JSON_STRING_H
#define KIN_JSON_STRING_H

#include "base/buf.h"
#include "kin/common.h"

/* True when the raw text is not its own meaning. */
bool kin__json_has_escapes(kin_str raw);

/* Writes what `raw` means to `out`, which has room for raw.len bytes; it is never longer.  Returns
 * its length.  Not terminated. */
size_t kin__json_decode(kin_str raw, char *out);

/* Whether `raw` means `text`, without decoding it anywhere. */
bool kin__json_string_equals(kin_str raw, kin_str text);

/* Whether two raw texts mean the same. */
bool kin__json_strings_equal(kin_str raw_a, kin_str raw_b);

/* Appends `text` (UTF-8) as a JSON string with its quotes, escaped as the API server does it (Go's
 * encoding/json with HTML escaping): short escapes for \b \f \n \r \t \" \\, \u00xx for other
 * control characters and for < > &, \u2028 and \u2029; an invalid byte becomes \ufffd. */
bool kin__json_append_string(kin__buf *buf, kin_str text);

#endif /* KIN_JSON_STRING_H */
