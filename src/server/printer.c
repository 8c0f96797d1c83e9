/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer.c - putting a cell together, and the cells that many kinds have.
 */
#include "server/printer.h"

#include "base/quantity.h"
#include "json/number.h"
#include "object/encoding.h"

/* A member of each element of the array at the column's path. */
static void print_members(kin__printer *p, kin_str member);

/* ---- a cell ---- */

void kin__cell_begin(kin__printer *p)
{
    kin__buf_clear(&p->text);
}

void kin__cell_add(kin__printer *p, kin_str text)
{
    (void) kin__buf_append_str(&p->text, text);
}

void kin__cell_add_value(kin__printer *p, kin_value value)
{
    (void) kin__value_append(value, &p->text);
}

void kin__cell_add_lower(kin__printer *p, kin_value value)
{
    size_t start = p->text.len;

    kin__cell_add_value(p, value);
    for (size_t i = start; i < p->text.len; i++) {
        char c = p->text.data[i];
        p->text.data[i] = c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
    }
}

void kin__cell_add_number(kin__printer *p, int64_t number)
{
    (void) kin__json_append_int64(&p->text, number);
}

void kin__cell_add_quantity(kin__printer *p, kin_value value)
{
    p->has_failed |= !kin__value_append_quantity(value, &p->text);
}

void kin__cell_end(kin__printer *p)
{
    p->has_failed |= kin__buf_failed(&p->text);
    kin__json_string(p->w, kin__str(p->text.data, p->text.len));
}

void kin__cell_write(kin__printer *p, kin_str text)
{
    kin__json_string(p->w, text);
}

void kin__cell_write_value(kin__printer *p, kin_value value, kin_str otherwise)
{
    if (kin_value_type(value) != KIN_TYPE_STRING) {
        kin__cell_write(p, otherwise);
        return;
    }
    kin__cell_begin(p);
    kin__cell_add_value(p, value);
    kin__cell_end(p);
}

kin_value kin__cell_value(const kin__printer *p)
{
    return kin_object_at(p->object, p->column->path);
}

kin_str kin__cell_otherwise(const kin__printer *p)
{
    return kin_str_of(p->column->otherwise);
}

/* ---- values ---- */

bool kin__value_append(kin_value value, kin__buf *buf)
{
    size_t room = kin_value_scratch_size(value);
    kin_str text;

    if (room != 0 && !kin__buf_reserve(buf, room)) {
        return false;
    }
    char *scratch = room == 0 ? NULL : buf->data + buf->len;
    if (kin_value_str(value, scratch, room, &text) != KIN_OK) {
        return true;
    }
    if (room != 0 && text.data == scratch) {
        buf->len += text.len;
        return true;
    }
    return kin__buf_append_str(buf, text);
}

bool kin__value_append_quantity(kin_value value, kin__buf *buf)
{
    AUTO(kin__buf_fini) kin__buf raw = { 0 };
    char scratch[KIN__NUMBER_TEXT];

    if (kin_value_type(value) == KIN_TYPE_NUMBER) {
        (void) kin__buf_append_str(&raw, kin__value_number_text(value, scratch));
    } else if (kin_value_type(value) == KIN_TYPE_STRING) {
        (void) kin__value_append(value, &raw);
    } else {
        (void) kin__buf_append_byte(&raw, '0');
    }
    kin_str text = kin__str(raw.data, raw.len);
    if (kin__buf_failed(&raw)) {
        return false;
    }
    kin_err code = kin__quantity_append(text, buf);
    return code == KIN_OK || (code != KIN_ERR_NO_MEMORY && kin__buf_append_str(buf, text));
}

bool kin__value_is(kin_value value, kin_str text)
{
    return kin_value_type(value) == KIN_TYPE_STRING && kin__encoding_of(value)->is_str(value, text);
}

bool kin__value_is_filled(kin_value value)
{
    return kin_value_type(value) == KIN_TYPE_STRING && !kin__value_is(value, STR(""));
}

bool kin__value_is_there(kin_value value)
{
    return kin_value_type(value) != KIN_TYPE_MISSING && kin_value_type(value) != KIN_TYPE_NULL;
}

int64_t kin__value_number(kin_value value)
{
    int64_t number;

    return kin_value_int64(value, &number) == KIN_OK ? number : 0;
}

bool kin__value_flag(kin_value value, bool fallback)
{
    bool flag;

    return kin_value_bool(value, &flag) == KIN_OK ? flag : fallback;
}

kin_value kin__value_last_of_type(kin_value array, kin_str type)
{
    kin_iter iter = kin_value_iter(array);
    kin_value last = { 0 };

    while (kin_iter_next(&iter)) {
        if (kin__value_is(kin_value_member(iter.value, STR("type")), type)) {
            last = iter.value;
        }
    }
    return last;
}

/* ---- cells of many kinds ---- */

void kin__print_name(kin__printer *p)
{
    kin__cell_write(p, kin_object_name(p->object));
}

void kin__print_text(kin__printer *p)
{
    kin__cell_write_value(p, kin__cell_value(p), kin__cell_otherwise(p));
}

void kin__print_filled(kin__printer *p)
{
    kin_value value = kin__cell_value(p);

    if (kin__value_is_filled(value)) {
        kin__cell_write_value(p, value, STR(""));
    } else {
        kin__cell_write(p, kin__cell_otherwise(p));
    }
}

void kin__print_number(kin__printer *p)
{
    kin__json_write_int64(p->w, kin__value_number(kin__cell_value(p)));
}

void kin__print_number_or(kin__printer *p)
{
    int64_t number;

    if (kin_value_int64(kin__cell_value(p), &number) == KIN_OK) {
        kin__json_write_int64(p->w, number);
    } else {
        kin__cell_write(p, kin__cell_otherwise(p));
    }
}

void kin__print_count(kin__printer *p)
{
    kin__json_write_int64(p->w, (int64_t) kin_value_count(kin__cell_value(p)));
}

void kin__print_flag(kin__printer *p)
{
    kin__json_bool(p->w, kin__value_flag(kin__cell_value(p), p->column->otherwise != NULL));
}

void kin__print_list(kin__printer *p)
{
    kin_iter iter = kin_value_iter(kin__cell_value(p));

    kin__cell_begin(p);
    for (bool is_first = true; kin_iter_next(&iter); is_first = false) {
        kin__cell_add(p, is_first ? STR("") : STR(","));
        kin__cell_add_value(p, iter.value);
    }
    if (p->text.len == 0) {
        kin__cell_add(p, kin__cell_otherwise(p));
    }
    kin__cell_end(p);
}

void kin__print_int_or_text(kin__printer *p)
{
    kin_value value = kin__cell_value(p);
    int64_t number;

    if (kin_value_int64(value, &number) != KIN_OK) {
        kin__cell_write_value(p, value, kin__cell_otherwise(p));
        return;
    }
    kin__cell_begin(p);
    kin__cell_add_number(p, number);
    kin__cell_end(p);
}

void kin__print_reference(kin__printer *p)
{
    kin_value value = kin__cell_value(p);

    kin__cell_begin(p);
    kin__cell_add_value(p, kin_value_member(value, STR("kind")));
    kin__cell_add(p, STR("/"));
    kin__cell_add_value(p, kin_value_member(value, STR("name")));
    kin__cell_end(p);
}

void kin__print_containers(kin__printer *p)
{
    print_members(p, STR("name"));
}

void kin__print_images(kin__printer *p)
{
    print_members(p, STR("image"));
}

static void print_members(kin__printer *p, kin_str member)
{
    kin_iter iter = kin_value_iter(kin__cell_value(p));

    kin__cell_begin(p);
    for (bool is_first = true; kin_iter_next(&iter); is_first = false) {
        kin__cell_add(p, is_first ? STR("") : STR(","));
        kin__cell_add_value(p, kin_value_member(iter.value, member));
    }
    kin__cell_end(p);
}

void kin__print_default_name(kin__printer *p)
{
    const char *const annotations[] = { p->column->path, p->column->otherwise };
    bool is_default = false;

    for (size_t i = 0; i < 2 && annotations[i] != NULL; i++) {
        kin_value value = kin_object_annotation(p->object, kin_str_of(annotations[i]));
        is_default |= kin__value_is(value, STR("true"));
    }
    kin__cell_begin(p);
    kin__cell_add(p, kin_object_name(p->object));
    kin__cell_add(p, is_default ? STR(" (default)") : STR(""));
    kin__cell_end(p);
}
