/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/printer.h - rows of cells, in columns.
 *
 * Rows are gathered and then written, each column as wide as its widest cell ever was, so that rows
 * that come later stand below the earlier ones.  Three blanks lie between columns; a line has none
 * at its end.  Cells are made safe (cli/text.h), and of several lines only the first is shown, with
 * "..." behind it.
 *
 * Threading: confined.
 */
#ifndef KIN_CLI_PRINTER_H
#define KIN_CLI_PRINTER_H

#include <stdio.h>

#include "cli/text.h"

typedef struct kin__cli_printer {
    size_t columns;
    size_t *widths;      /* owned */
    kin__cli_text cells; /* of all rows, each with a NUL behind it */
    size_t count;        /* of cells */
} kin__cli_printer;

/* Release with kin__cli_printer_fini(). */
void kin__cli_printer_init(kin__cli_printer *printer, size_t columns);
void kin__cli_printer_fini(kin__cli_printer *printer);

/* The next cell; a row ends with its last column. */
void kin__cli_printer_add(kin__cli_printer *printer, kin_str cell);

/* Appends the rows and forgets them; the widths stay. */
void kin__cli_printer_write(kin__cli_printer *printer, kin__cli_text *out);

#endif /* KIN_CLI_PRINTER_H */
