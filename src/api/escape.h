/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/escape.h - text as a part of a URL.
 */
#ifndef KIN_API_ESCAPE_H
#define KIN_API_ESCAPE_H

#include "base/buf.h"

/* Appends `text` with every byte but the unreserved ones of RFC 3986 (letters, digits, - . _ ~) as
 * %XX: right in a path and in a query.  False when there is no memory. */
bool kin__escape_append(kin__buf *buf, kin_str text);

#endif /* KIN_API_ESCAPE_H */
