/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/render_text.h - strings of a message as JSON strings.
 */
#ifndef KIN_PROTO_RENDER_TEXT_H
#define KIN_PROTO_RENDER_TEXT_H

#include "base/buf.h"

/* Appends what kin__json_append_string() would, sooner for the short plain texts that messages are
 * full of.  Memory failures stay in the buffer. */
void kin__pb_put_text(kin__buf *buf, kin_str text);

#endif /* KIN_PROTO_RENDER_TEXT_H */
