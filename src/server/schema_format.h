/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/schema_format.h - formats of texts in schemas.
 */
#ifndef KIN_SERVER_SCHEMA_FORMAT_H
#define KIN_SERVER_SCHEMA_FORMAT_H

#include "kin/common.h"

/* A pattern (server/pattern.h) of texts in that format; NULL for formats that nobody looks at. */
const char *kin__schema_format(kin_str format);

#endif /* KIN_SERVER_SCHEMA_FORMAT_H */
