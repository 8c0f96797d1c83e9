/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/indent.h - compact JSON laid out for people, as Go's json.MarshalIndent does it.
 *
 * Threading: a pure function.
 */
#ifndef KIN_SERVER_INDENT_H
#define KIN_SERVER_INDENT_H

#include "base/buf.h"

/* Appends one valid, compact JSON value with two blanks a level and no newline at its end; empty
 * containers stay as they are.  A failure stays in the buffer. */
void kin__indent_append(kin_str json, kin__buf *out);

#endif /* KIN_SERVER_INDENT_H */
