/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/quote.h - text in double quotes, as Go's %q has it in the messages of the API server.
 *
 * Threading: a pure function.
 */
#ifndef KIN_SERVER_QUOTE_H
#define KIN_SERVER_QUOTE_H

#include "base/buf.h"

/*
 * Appends `text` with its quotes: \a \b \f \n \r \t \v \\ \" as such, other control characters and
 * bytes that are no UTF-8 as \x1f, C1 controls and what cannot be seen (line separators, the byte
 * order mark, private and unassigned planes) as \u2028.  Go knows of every character whether it
 * can be printed; here all but those count as printable.  A failure stays in the buffer.
 */
void kin__quote_append(kin_str text, kin__buf *out);

#endif /* KIN_SERVER_QUOTE_H */
