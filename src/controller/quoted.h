/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/quoted.h - text of any bytes as a JSON string.
 *
 * Threading: a pure function.
 */
#ifndef KIN_CONTROLLER_QUOTED_H
#define KIN_CONTROLLER_QUOTED_H

#include "base/buf.h"

/* Appends `text` with its quotes.  A byte that is no UTF-8 becomes '?'.  A failure stays in the
 * buffer. */
void kin__quoted_append(kin__buf *buf, kin_str text);

#endif /* KIN_CONTROLLER_QUOTED_H */
