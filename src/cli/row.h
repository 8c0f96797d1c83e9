/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/row.h - one object as it is shown, in each of the forms of `-o`.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CLI_ROW_H
#define KIN_CLI_ROW_H

#include "cli/columns.h"
#include "cli/printer.h"
#include "kin/object.h"
#include "kin/path.h"
#include "kin/resource.h"

/* What the rows of a table have in common. */
typedef struct kin__cli_rows {
    const kin__cli_column *columns;
    bool has_namespace;           /* NAMESPACE first */
    bool has_kind;                /* "pod/web-0" for "web-0" */
    const kin_resource *resource; /* borrowed */
    int64_t now;                  /* seconds since 1970 */
} kin__cli_rows;

/* How many columns there are. */
size_t kin__cli_rows_width(const kin__cli_rows *rows);

void kin__cli_rows_add_headings(const kin__cli_rows *rows, kin__cli_printer *printer);
void kin__cli_rows_add(const kin__cli_rows *rows, const kin_object *object,
                       kin__cli_printer *printer);

/* "pod/web-0", "deployment.apps/web"; as it is, unsafe. */
void kin__cli_row_name(const kin_resource *resource, const kin_object *object, kin__cli_text *out);

/* What the path leads to, as text; several with a blank between them.  `is_shown`: for people, made
 * safe but for ends of lines. */
void kin__cli_row_path(const kin_path *path, const kin_object *object, bool is_shown,
                       kin__cli_text *out);

#endif /* KIN_CLI_ROW_H */
