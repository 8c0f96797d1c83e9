/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer.c - rows of cells, in columns.
 */
#include "cli/printer.h"

#include <string.h>

#include "cli/memory.h"

#define GAP 3

static size_t first_line(kin_str cell);
static void write_row(const kin__cli_printer *printer, const char **cell, kin__cli_text *out);

void kin__cli_printer_init(kin__cli_printer *printer, size_t columns)
{
    memset(printer, 0, sizeof *printer);
    printer->columns = columns;
    printer->widths = kin__cli_alloc(columns, sizeof *printer->widths);
}

void kin__cli_printer_fini(kin__cli_printer *printer)
{
    kin__cli_free(printer->widths);
    kin__cli_text_fini(&printer->cells);
    memset(printer, 0, sizeof *printer);
}

void kin__cli_printer_add(kin__cli_printer *printer, kin_str cell)
{
    size_t *width = &printer->widths[printer->count % printer->columns];
    size_t begin = printer->cells.len;

    size_t line = first_line(cell);
    kin__cli_text_safe(&printer->cells, (kin_str){ cell.data, line });
    if (line < cell.len) {
        kin__cli_text_append(&printer->cells, kin_str_of("..."));
    }
    size_t len = printer->cells.len - begin;
    kin__cli_text_append(&printer->cells, (kin_str){ "", 1 });
    size_t own = kin__cli_text_width((kin_str){ printer->cells.chars + begin, len });
    *width = own > *width ? own : *width;
    printer->count++;
}

void kin__cli_printer_write(kin__cli_printer *printer, kin__cli_text *out)
{
    const char *cell = kin__cli_text_chars(&printer->cells);

    for (size_t row = 0; row < printer->count / printer->columns; row++) {
        write_row(printer, &cell, out);
    }
    kin__cli_text_clear(&printer->cells);
    printer->count = 0;
}

/* Its length: up to where kubectl cuts. */
static size_t first_line(kin_str cell)
{
    size_t len = 0;

    while (len < cell.len && memchr("\n\r\f", cell.data[len], 3) == NULL) {
        len++;
    }
    return len;
}

/* Blanks come before the next cell that is not empty, so that none ends the line. */
static void write_row(const kin__cli_printer *printer, const char **cell, kin__cli_text *out)
{
    size_t blanks = 0;

    for (size_t i = 0; i < printer->columns; i++) {
        size_t len = strlen(*cell);
        size_t width = kin__cli_text_width((kin_str){ *cell, len });
        if (len > 0) {
            kin__cli_text_say(out, "%*s%s", (int) blanks, "", *cell);
            blanks = 0;
        }
        blanks += printer->widths[i] - width + GAP;
        *cell += len + 1;
    }
    kin__cli_text_append(out, kin_str_of("\n"));
}
