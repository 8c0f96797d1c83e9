/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/columns.h - what a table shows of an object: columns by kind.
 *
 * The common kinds have the columns that the API server gives them, and the same words in them
 * (k8s.io/kubernetes, pkg/printers/internalversion); all others have NAME and AGE.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CLI_COLUMNS_H
#define KIN_CLI_COLUMNS_H

#include "cli/text.h"
#include "kin/object.h"

/* Appends a cell's text; `now` in seconds since 1970. */
typedef void (*kin__cli_cell_fn)(const kin_object *object, int64_t now, kin__cli_text *out);

/* A column shows what `fn` says; or else what `path` leads to, or `absent`. */
typedef struct kin__cli_column {
    const char *heading;
    kin__cli_cell_fn fn;
    const char *path;
    const char *absent;
} kin__cli_column;

/* Ends with a column whose heading is NULL.  `group` is "" for the core group. */
const kin__cli_column *kin__cli_columns_of(const char *group, const char *kind);

size_t kin__cli_columns_count(const kin__cli_column *columns);

void kin__cli_column_cell(const kin__cli_column *column, const kin_object *object, int64_t now,
                          kin__cli_text *out);

#endif /* KIN_CLI_COLUMNS_H */
