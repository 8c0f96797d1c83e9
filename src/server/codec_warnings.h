/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/codec_warnings.h - what is wrong with a body and not fatal, for Warning headers.
 *
 * In the order in which it was found: unknown field "a.b", duplicate field "c".  Each once, and at
 * most KIN__CODEC_WARNINGS_MAX of them, as in Go.  All zero is none.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_CODEC_WARNINGS_H
#define KIN_SERVER_CODEC_WARNINGS_H

#include "base/buf.h"

#define KIN__CODEC_WARNINGS_MAX 100

typedef struct kin__codec_warnings {
    kin__buf texts; /* owned; one after the other */
    size_t count;
    size_t ends[KIN__CODEC_WARNINGS_MAX]; /* in `texts` */
} kin__codec_warnings;

void kin__codec_warnings_fini(kin__codec_warnings *warnings);
KIN__DEFINE_AUTO_FINI(kin__codec_warnings, kin__codec_warnings_fini)

/* Number `index`, borrowed until the next one is added: the text of a Warning header before it is
 * quoted. */
kin_str kin__codec_warning(const kin__codec_warnings *warnings, size_t index);

/* Adds `what "path"`.  Memory failures stay in `texts`. */
void kin__codec_warn(kin__codec_warnings *warnings, const char *what, kin_str path);

/* Appends all of them: `strict decoding error: a, b`.  Memory failures stay in the buffer. */
void kin__codec_strict_error(const kin__codec_warnings *warnings, kin__buf *buf);

#endif /* KIN_SERVER_CODEC_WARNINGS_H */
