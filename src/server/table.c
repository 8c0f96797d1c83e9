/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - objects as a Table.
 */
#include "server/table.h"

#include "server/printer.h"

static void write_columns(kin__json_writer *w, const kin__columns *columns);
static bool write_cells(kin__table *table, const kin_object *object);
static kin_err write_object(kin__table *table, const kin_object *object, kin_error *err);
static bool is_end_of_initial_events(const kin_object *object);

void kin__table_begin(kin__table *table, const kin__list_meta *meta, bool has_head)
{
    kin__json_writer *w = table->w;

    table->has_rows = false;
    kin__json_begin(w, '{');
    kin__json_key(w, STR("kind"));
    kin__json_string(w, STR("Table"));
    kin__json_key(w, STR("apiVersion"));
    kin__json_string(w, table->api_version);
    kin__json_key(w, STR("metadata"));
    kin__list_meta_write(w, meta);
    kin__json_key(w, STR("columnDefinitions"));
    if (has_head || table->columns->is_repeated) {
        write_columns(w, table->columns);
    } else {
        kin__json_null(w);
    }
    kin__json_key(w, STR("rows"));
}

kin_err kin__table_row(kin__table *table, const kin_object *object, kin_error *err)
{
    kin__json_writer *w = table->w;

    if (!table->has_rows) {
        kin__json_begin(w, '[');
        table->has_rows = true;
    }
    kin__json_begin(w, '{');
    if (!write_cells(table, object)) {
        return kin__error_no_memory(err);
    }
    kin__json_key(w, STR("object"));
    kin_err code = write_object(table, object, err);
    if (code != KIN_OK) {
        return code;
    }
    kin__json_end(w, '}');
    return kin__buf_failed(w->buf) ? kin__error_no_memory(err) : KIN_OK;
}

void kin__table_end(kin__table *table)
{
    if (table->has_rows) {
        kin__json_end(table->w, ']');
    } else {
        kin__json_raw(table->w, table->columns->is_null_when_empty ? STR("null") : STR("[]"));
    }
    kin__json_end(table->w, '}');
}

kin_err kin__table_object(kin__table *table, const kin_object *object, bool has_head,
                          kin_error *err)
{
    kin__list_meta meta = { .resource_version = kin_object_resource_version(object) };

    kin__table_begin(table, &meta, has_head);
    kin_err code = kin__table_row(table, object, err);
    if (code != KIN_OK) {
        return code;
    }
    kin__table_end(table);
    return kin__buf_failed(table->w->buf) ? kin__error_no_memory(err) : KIN_OK;
}

static void write_columns(kin__json_writer *w, const kin__columns *columns)
{
    kin__json_begin(w, '[');
    for (size_t i = 0; i < columns->count; i++) {
        const kin__column *column = &columns->columns[i];
        kin__json_begin(w, '{');
        kin__json_key(w, STR("name"));
        kin__json_string(w, column->name);
        kin__json_key(w, STR("type"));
        kin__json_string(w, column->type);
        kin__json_key(w, STR("format"));
        kin__json_string(w, column->format);
        kin__json_key(w, STR("description"));
        kin__json_string(w, column->description);
        kin__json_key(w, STR("priority"));
        kin__json_write_int64(w, column->priority);
        kin__json_end(w, '}');
    }
    kin__json_end(w, ']');
}

/* The cells, and the conditions of the row if it has any. */
static bool write_cells(kin__table *table, const kin_object *object)
{
    kin__printer p = { .object = object, .w = table->w, .now = table->now };

    kin__json_key(p.w, STR("cells"));
    kin__json_begin(p.w, '[');
    for (size_t i = 0; i < table->columns->count; i++) {
        p.column = &table->columns->columns[i];
        if (p.column->print != NULL) {
            p.column->print(&p);
        }
    }
    kin__json_end(p.w, ']');
    if (table->columns->conditions != NULL) {
        table->columns->conditions(&p);
    }
    kin__buf_fini(&p.text);
    return !p.has_failed;
}

static kin_err write_object(kin__table *table, const kin_object *object, kin_error *err)
{
    kin__table_include include = table->include;

    if (include == KIN__TABLE_NOTHING && !is_end_of_initial_events(object)) {
        kin__json_null(table->w);
        return KIN_OK;
    }
    if (include != KIN__TABLE_OBJECT) {
        return kin__partial_write(table->w, object, table->api_version, err);
    }
    char *json;
    size_t len;
    kin_err code = kin_object_json(object, &json, &len, err);
    if (code != KIN_OK) {
        return code;
    }
    kin__json_raw(table->w, kin__str(json, len));
    kin_free(json);
    return KIN_OK;
}

static bool is_end_of_initial_events(const kin_object *object)
{
    return kin__value_is(kin_object_annotation(object, STR("k8s.io/initial-events-end")),
                         STR("true"));
}
