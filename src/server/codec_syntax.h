/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/codec_syntax.h - what is wrong with bytes that are no JSON, in the words of Go.
 *
 * Threading: a pure function.
 */
#ifndef KIN_SERVER_CODEC_SYNTAX_H
#define KIN_SERVER_CODEC_SYNTAX_H

#include "base/buf.h"

/*
 * Appends what Go's encoding/json says of a text that kin__json_check() has refused: "unexpected
 * end of JSON input", "invalid character 'x' looking for beginning of value".  Where Go would take
 * it, because it has no such limit of depth or replaces bytes that are no UTF-8, says so in words
 * of ours.  Memory failures stay in the buffer.
 */
void kin__codec_syntax_error(kin_str text, kin__buf *buf);

#endif /* KIN_SERVER_CODEC_SYNTAX_H */
