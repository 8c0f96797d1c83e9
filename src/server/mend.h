/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/mend.h - JSON whose strings are no text, made text as Go does it.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_MEND_H
#define KIN_SERVER_MEND_H

#include "base/buf.h"

/*
 * `json` as it is when its strings are UTF-8 and have no halves of surrogate pairs; else a copy in
 * `out`, in which each such byte and half is U+FFFD.  What stands outside of strings stays, for
 * whoever reads it to refuse.  Memory failures stay in the buffer.
 */
kin_str kin__mend(kin_str json, kin__buf *out);

#endif /* KIN_SERVER_MEND_H */
