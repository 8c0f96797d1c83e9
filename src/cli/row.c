/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row.c - one object as it is shown, in each of the forms of `-o`.
 */
#include "cli/row.h"

#include <string.h>

#include "cli/cells.h"

/* What kin_object_each() tells goes here. */
typedef struct matches {
    kin__cli_text *out;
    bool has_some;
} matches;

static bool add_match(void *context, kin_value match);
static void add_kind(const kin_resource *resource, kin__cli_text *out);

size_t kin__cli_rows_width(const kin__cli_rows *rows)
{
    return kin__cli_columns_count(rows->columns) + (rows->has_namespace ? 1 : 0);
}

void kin__cli_rows_add_headings(const kin__cli_rows *rows, kin__cli_printer *printer)
{
    if (rows->has_namespace) {
        kin__cli_printer_add(printer, kin_str_of("NAMESPACE"));
    }
    for (size_t i = 0; rows->columns[i].heading != NULL; i++) {
        kin__cli_printer_add(printer, kin_str_of(rows->columns[i].heading));
    }
}

void kin__cli_rows_add(const kin__cli_rows *rows, const kin_object *object,
                       kin__cli_printer *printer)
{
    kin__cli_text cell = { 0 };

    if (rows->has_namespace) {
        kin__cli_printer_add(printer, kin_object_namespace(object));
    }
    for (size_t i = 0; rows->columns[i].heading != NULL; i++) {
        kin__cli_text_clear(&cell);
        if (rows->has_kind && strcmp(rows->columns[i].heading, "NAME") == 0) {
            kin__cli_row_name(rows->resource, object, &cell);
        } else {
            kin__cli_column_cell(&rows->columns[i], object, rows->now, &cell);
        }
        kin__cli_printer_add(printer, kin__cli_text_str(&cell));
    }
    kin__cli_text_fini(&cell);
}

void kin__cli_row_name(const kin_resource *resource, const kin_object *object, kin__cli_text *out)
{
    add_kind(resource, out);
    kin__cli_text_append(out, kin_str_of("/"));
    kin__cli_text_append(out, kin_object_name(object));
}

void kin__cli_row_path(const kin_path *path, const kin_object *object, bool is_shown,
                       kin__cli_text *out)
{
    kin__cli_text raw = { 0 };
    matches m = { &raw, false };

    kin_object_each(object, path, add_match, &m);
    if (is_shown) {
        kin__cli_text_safe_lines(out, kin__cli_text_str(&raw));
    } else {
        kin__cli_text_append(out, kin__cli_text_str(&raw));
    }
    kin__cli_text_fini(&raw);
}

static bool add_match(void *context, kin_value match)
{
    matches *m = context;

    if (m->has_some) {
        kin__cli_text_append(m->out, kin_str_of(" "));
    }
    m->has_some = true;
    (void) kin__cli_value_show(match, m->out);
    return true;
}

/* "pod", "deployment.apps". */
static void add_kind(const kin_resource *resource, kin__cli_text *out)
{
    const char *group = kin_resource_group(resource);

    for (const char *c = kin_resource_kind(resource); *c != '\0'; c++) {
        kin__cli_text_say(out, "%c", *c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    }
    if (group[0] != '\0') {
        kin__cli_text_say(out, ".%s", group);
    }
}
