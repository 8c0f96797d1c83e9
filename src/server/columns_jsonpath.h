/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/columns_jsonpath.h - the JSONPath of a printer column, as a path of kin/path.h.
 *
 * Threading: a pure function.
 */
#ifndef KIN_SERVER_COLUMNS_JSONPATH_H
#define KIN_SERVER_COLUMNS_JSONPATH_H

#include "base/buf.h"

/*
 * Appends the path that leads to what the JSONPath leads to first, terminated by a zero byte.
 * Returns false for JSONPath that it does not know, see kin__columns_from_crd(); then `out` holds
 * nothing of use.  A failure for lack of memory stays in `out`.
 */
bool kin__jsonpath_translate(kin_str jsonpath, kin__buf *out);

#endif /* KIN_SERVER_COLUMNS_JSONPATH_H */
