/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_map.c - maps of a message as JSON objects, sorted by key.
 *
 * A Go server sends the entries sorted, and then they are written as they come.  Others are sorted
 * first: by key and, of equal keys, by place, so that the last of them is the one to write.  That
 * takes no more than n log n steps, whoever chose the order.  The order is looked at before
 * anything is written, because values may hold maps again: writing each twice would be writing the
 * innermost a million times.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/str.h"
#include "proto/entry.h"
#include "proto/render_state.h"
#include "proto/render_text.h"

/* An entry that waits to be sorted. */
typedef struct sortable {
    const char *key;
    uint32_t key_len;
    uint32_t at; /* of its tag, in the bytes of the map */
} sortable;

static kin_err check_order(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes, size_t count,
                           bool *out_is_sorted);
static kin_err write_as_they_come(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes,
                                  size_t count);
static kin_err write_sorted(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes,
                            size_t count);
static kin_err collect(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes, size_t count,
                       sortable *out);
static bool next_of(kin__pb_reader *reader, uint32_t number, kin__pb_field *out);
static kin_err read_entry(kin__pb_renderer *r, const kin__pb_row *row, const kin__pb_field *field,
                          kin__pb_entry *out);
static kin_err write_entry(kin__pb_renderer *r, const kin__pb_row *row, const kin__pb_field *field);
static int compare(const void *context, const void *a, const void *b);
static kin_str key_of(const sortable *item);

kin_err kin__pb_render_map(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes, size_t count)
{
    bool is_sorted = false;

    if (check_order(r, row, bytes, count, &is_sorted) != KIN_OK) {
        return r->err->code;
    }
    (void) kin__buf_append_byte(r->buf, '{');
    kin_err code =
        is_sorted ? write_as_they_come(r, row, bytes, count) : write_sorted(r, row, bytes, count);
    (void) kin__buf_append_byte(r->buf, '}');
    return code;
}

static kin_err check_order(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes, size_t count,
                           bool *out_is_sorted)
{
    kin__pb_reader reader = kin__pb_read(bytes.data, bytes.len);
    kin__pb_field field;
    kin_str last = { NULL, 0 };
    bool is_sorted = true;
    kin__pb_entry e;

    for (size_t i = 0; i < count && next_of(&reader, row->number, &field); i++) {
        if (read_entry(r, row, &field, &e) != KIN_OK) {
            return r->err->code;
        }
        is_sorted = is_sorted && (i == 0 || kin__str_compare(last, e.key) < 0);
        last = e.key;
    }
    *out_is_sorted = is_sorted;
    return KIN_OK;
}

static kin_err write_as_they_come(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes,
                                  size_t count)
{
    kin__pb_reader reader = kin__pb_read(bytes.data, bytes.len);
    kin__pb_field field;
    kin_err code = KIN_OK;

    for (size_t i = 0; i < count && code == KIN_OK && next_of(&reader, row->number, &field); i++) {
        code = write_entry(r, row, &field);
    }
    return code;
}

static kin_err write_sorted(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes,
                            size_t count)
{
    sortable *items = kin__alloc_zero(count, sizeof *items);
    kin_err code =
        items == NULL ? kin__error_no_memory(r->err) : collect(r, row, bytes, count, items);

    if (code == KIN_OK) {
        kin__sort(items, count, sizeof *items, compare, NULL);
    }
    for (size_t i = 0; i < count && code == KIN_OK; i++) {
        if (i + 1 < count && kin__str_equal(key_of(&items[i]), key_of(&items[i + 1]))) {
            continue;
        }
        kin__pb_reader reader = kin__pb_read(bytes.data + items[i].at, bytes.len - items[i].at);
        kin__pb_field field = { 0 };
        (void) kin__pb_next(&reader, &field);
        code = write_entry(r, row, &field);
    }
    kin__free(items);
    return code;
}

static kin_err collect(kin__pb_renderer *r, const kin__pb_row *row, kin_str bytes, size_t count,
                       sortable *out)
{
    kin__pb_reader reader = kin__pb_read(bytes.data, bytes.len);
    kin__pb_field field;
    kin__pb_entry e;

    for (size_t i = 0; i < count && next_of(&reader, row->number, &field); i++) {
        if (read_entry(r, row, &field, &e) != KIN_OK) {
            return r->err->code;
        }
        out[i] = (sortable){ .key = e.key.data,
                             .key_len = (uint32_t) e.key.len,
                             .at = (uint32_t) (field.start - (const uint8_t *) bytes.data) };
    }
    return KIN_OK;
}

static bool next_of(kin__pb_reader *reader, uint32_t number, kin__pb_field *out)
{
    while (kin__pb_next(reader, out)) {
        if (out->number == number) {
            return true;
        }
    }
    return false;
}

static kin_err read_entry(kin__pb_renderer *r, const kin__pb_row *row, const kin__pb_field *field,
                          kin__pb_entry *out)
{
    kin__pb_reader reader = kin__pb_read(field->bytes, field->len);

    return kin__pb_entry_read(row, &reader, out) ? KIN_OK
                                                 : kin__pb_refuse(r, reader.at, reader.fault);
}

static kin_err write_entry(kin__pb_renderer *r, const kin__pb_row *row, const kin__pb_field *field)
{
    kin__pb_entry e;

    if (read_entry(r, row, field, &e) != KIN_OK) {
        return r->err->code;
    }
    if (r->buf->len != 0 && r->buf->data[r->buf->len - 1] != '{') {
        (void) kin__buf_append_byte(r->buf, ',');
    }
    kin__pb_put_text(r->buf, e.key);
    (void) kin__buf_append_byte(r->buf, ':');
    return kin__pb_render_field(r, row, &e.value);
}

static int compare(const void *context, const void *a, const void *b)
{
    const sortable *x = a;
    const sortable *y = b;
    int order = kin__str_compare(key_of(x), key_of(y));

    (void) context;
    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

static kin_str key_of(const sortable *item)
{
    return kin__str(item->key, item->key_len);
}
