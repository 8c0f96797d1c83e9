/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_read.c - a JSON value as the tree of a message: objects, lists and maps.
 *
 * One walk over the bytes and the tables together.  It recurses with the depth of the document,
 * KIN__JSON_DEPTH_MAX at most.  A member that is null stays in the tree until its object has been
 * read, because only so a second one of that name is seen to be one.
 */
#include "server/codec_read.h"

#include "base/alloc.h"
#include "base/str.h"
#include "json/number.h"
#include "json/string.h"
#include "proto/meaning.h"
#include "proto/render.h"
#include "server/codec_read_state.h"
#include "server/go_type.h"

/* No field has a longer name, however it is escaped. */
#define NAME_BYTES_MAX 512

static kin_err read_root(kin__codec_reader *r, kin__json value, kin__node **out);
static kin_err read_member(kin__codec_reader *r, const kin__codec_place *here, kin__json value,
                           kin__node *object, bool *out_is_null);
static bool find_field(kin__codec_reader *r, const kin__json_iter *iter, kin__codec_place *here);
static kin_err read_again(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                          kin__node *object);
static kin_err note_name(kin__codec_reader *r, kin__node *seen, bool is_apart, kin_str name);
static kin_err put_null(kin__codec_reader *r, const kin__codec_place *here, kin__node *object);
static kin_err read_value(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                          kin__node **out);
static kin_err read_map(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                        kin__node *map);
static kin_err read_entry(kin__codec_reader *r, const kin__pb_row *row, kin_str name,
                          kin__json value, kin__node *map);
static kin_err read_any_object(kin__codec_reader *r, kin__json value, kin__node *object);
static kin_err read_any_array(kin__codec_reader *r, kin__json value, kin__node **out);
static kin_err make_null(kin__codec_reader *r, kin__node **out);
static void drop_nulls(kin__node *object);
static bool is_mergeable(const kin__pb_row *row);
static bool keeps_on_null(const kin__pb_row *row);
static bool has_type_members(kin__pb_message message);

static bool decode_name(const kin__json_iter *iter, kin_str *out, char **out_owned);

kin_err kin__codec_read(kin__codec_reading *reading, kin__json value, kin__node **out,
                        kin_error *err)
{
    kin__codec_reader r = { .reading = reading, .err = err };
    AUTO(kin__node_free) kin__node *made = NULL;

    kin__buf_clear(&reading->words);
    kin_err code = read_root(&r, value, &made);
    if (code == KIN_OK && r.is_faulty) {
        code = kin__error_set(err, KIN_ERR_INVALID, "not what it should be");
    }
    bool has_failed = kin__buf_failed(&reading->words) || kin__buf_failed(&r.scratch) ||
                      (reading->notes != NULL && kin__buf_failed(&reading->notes->texts));
    kin__buf_fini(&r.scratch);
    if (has_failed) {
        return kin__error_no_memory(err);
    }
    if (code == KIN_OK) {
        *out = STEAL(made);
    }
    return code;
}

static kin_err read_root(kin__codec_reader *r, kin__json value, kin__node **out)
{
    kin__pb_message message = r->reading->message;
    kin_type type = kin__json_type(value);

    if (message == KIN__PB_NO_MESSAGE) {
        return kin__codec_read_any(r, value, out);
    }
    if (type != KIN_TYPE_OBJECT && type != KIN_TYPE_NULL) {
        kin__codec_wrong_type(r, kin__codec_type_name(value), kin__go_type(message));
        return KIN_OK;
    }
    if (kin__node_container(KIN_TYPE_OBJECT, out, r->err) != KIN_OK) {
        return r->err->code;
    }
    return type == KIN_TYPE_NULL ? KIN_OK : kin__codec_read_struct(r, message, value, *out);
}

kin_err kin__codec_read_struct(kin__codec_reader *r, kin__pb_message message, kin__json value,
                               kin__node *object)
{
    kin__codec_place here = { .parent = r->place, .step = KIN__CODEC_FIELD, .message = message };
    kin__json_iter iter = kin__json_walk(value);
    kin__node *seen = STEAL(r->seen);
    bool has_null = false;
    kin_err code = KIN_OK;

    /* One level is left for the schema inside a special message. */
    if (r->depth >= KIN__PB_DEPTH_MAX - 1) {
        (void) kin__buf_append_str(&r->reading->words, STR("exceeded max depth"));
        return kin__codec_abort(r);
    }
    r->depth++;
    while (code == KIN_OK && kin__json_next(&iter)) {
        bool is_null = false;
        r->after = NULL;
        if (find_field(r, &iter, &here)) {
            code = note_name(r, seen == NULL ? object : seen, seen != NULL, here.name);
            if (code == KIN_OK) {
                code = read_member(r, &here, iter.value, object, &is_null);
            }
        }
        if (r->after != NULL) {
            iter.next = r->after;
        }
        has_null |= is_null;
    }
    r->depth--;
    r->after = iter.next;
    if (has_null) {
        drop_nulls(object);
    }
    return code;
}

static kin_err read_member(kin__codec_reader *r, const kin__codec_place *here, kin__json value,
                           kin__node *object, bool *out_is_null)
{
    AUTO(kin__node_free) kin__node *made = NULL;
    kin__node *before = kin__node_member(object, here->name);
    kin_err code;

    if (kin__json_type(value) == KIN_TYPE_NULL) {
        *out_is_null = true;
        return put_null(r, here, object);
    }
    const kin__codec_place *outer = r->place;
    r->place = here;
    if (before != NULL && is_mergeable(here->row) && kin__node_type(before) == KIN_TYPE_OBJECT &&
        kin__json_type(value) == KIN_TYPE_OBJECT) {
        code = read_again(r, here->row, value, before);
    } else {
        code = read_value(r, here->row, value, &made);
        if (code == KIN_OK && made != NULL) {
            code = kin__node_set_member(object, here->name, made, r->err);
            made = code == KIN_OK ? NULL : made;
        }
    }
    r->place = outer;
    return code;
}

/* An object that comes a second time is read into the first, but what it says twice is its own. */
static kin_err read_again(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                          kin__node *object)
{
    AUTO(kin__node_free) kin__node *seen = NULL;

    if (kin__node_container(KIN_TYPE_OBJECT, &seen, r->err) != KIN_OK) {
        return r->err->code;
    }
    r->seen = seen;
    return (row->flags & KIN__PB_MAP) != 0 ? read_map(r, row, value, object)
                                           : kin__codec_read_struct(r, row->message, value, object);
}

/* A member of that name comes; `seen` has those that came before, and is kept if it is `apart`. */
static kin_err note_name(kin__codec_reader *r, kin__node *seen, bool is_apart, kin_str name)
{
    kin__node *none = NULL;

    if (r->reading->notes == NULL || r->reading->has_no_duplicates) {
        return KIN_OK;
    }
    if (kin__node_member(seen, name) != NULL) {
        kin__codec_note(r, "duplicate field", name);
        return KIN_OK;
    }
    if (!is_apart) {
        return KIN_OK;
    }
    if (make_null(r, &none) != KIN_OK) {
        return r->err->code;
    }
    if (kin__node_set_member(seen, name, none, r->err) != KIN_OK) {
        kin__node_free(none);
        return r->err->code;
    }
    return KIN_OK;
}

/*
 * Which field a member is; an unknown one is noted.  Not to be inlined: decoded names need room
 * that no level of the recursion should keep.
 */
static __attribute__((noinline)) bool find_field(kin__codec_reader *r, const kin__json_iter *iter,
                                                 kin__codec_place *here)
{
    static const kin__pb_row text = { .type = KIN__PB_STRING };
    char small[NAME_BYTES_MAX];
    kin_str name = iter->key;

    if (!iter->is_plain_key && name.len <= sizeof small && kin__json_has_escapes(name)) {
        name = kin__str(small, kin__json_decode(iter->key, small));
    }
    here->row = kin__pb_row_named(here->message, name, &here->inlines);
    if (here->row != NULL && kin__pb_is_of_release(here->row, KIN__CODEC_RELEASE)) {
        here->name = kin__pb_row_name(here->row);
        return true;
    }
    bool is_kind = kin__str_equal(name, STR("kind"));
    if ((is_kind || kin__str_equal(name, STR("apiVersion"))) && has_type_members(here->message)) {
        here->row = &text;
        here->inlines.count = 0;
        here->name = is_kind ? STR("kind") : STR("apiVersion");
        return true;
    }
    if (r->quiet == 0) {
        kin__codec_note(r, "unknown field", name);
    }
    return false;
}

/* A value that is no pointer, list or map stays what it was. */
static kin_err put_null(kin__codec_reader *r, const kin__codec_place *here, kin__node *object)
{
    kin__node *none = NULL;

    if (kin__node_member(object, here->name) != NULL && keeps_on_null(here->row)) {
        return KIN_OK;
    }
    if (make_null(r, &none) != KIN_OK) {
        return r->err->code;
    }
    if (kin__node_set_member(object, here->name, none, r->err) != KIN_OK) {
        kin__node_free(none);
        return r->err->code;
    }
    return KIN_OK;
}

/* Not null. */
static kin_err read_value(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                          kin__node **out)
{
    if ((row->flags & KIN__PB_LIST) != 0) {
        return kin__codec_read_list(r, row, value, out);
    }
    if ((row->flags & KIN__PB_MAP) == 0) {
        return kin__codec_read_single(r, row, value, out);
    }
    if (kin__json_type(value) != KIN_TYPE_OBJECT) {
        kin__codec_wrong_row(r, kin__codec_type_name(value), row, true);
        return KIN_OK;
    }
    if (kin__node_container(KIN_TYPE_OBJECT, out, r->err) != KIN_OK) {
        return r->err->code;
    }
    return read_map(r, row, value, *out);
}

kin_err kin__codec_read_list(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                             kin__node **out)
{
    kin__codec_place here = { .parent = r->place, .step = KIN__CODEC_ELEMENT };
    kin__json_iter iter = kin__json_walk(value);
    kin_err code = KIN_OK;

    if (kin__json_type(value) != KIN_TYPE_ARRAY) {
        kin__codec_wrong_row(r, kin__codec_type_name(value), row, true);
        return KIN_OK;
    }
    if (kin__node_container(KIN_TYPE_ARRAY, out, r->err) != KIN_OK) {
        return r->err->code;
    }
    r->place = &here;
    while (code == KIN_OK && kin__json_next(&iter)) {
        AUTO(kin__node_free) kin__node *made = NULL;
        r->after = NULL;
        code = kin__json_type(iter.value) == KIN_TYPE_NULL
                   ? make_null(r, &made)
                   : kin__codec_read_single(r, row, iter.value, &made);
        if (code == KIN_OK && made != NULL) {
            code = kin__node_append(*out, made, r->err);
            made = code == KIN_OK ? NULL : made;
        }
        if (r->after != NULL) {
            iter.next = r->after;
        }
        here.index++;
    }
    r->place = here.parent;
    r->after = iter.next;
    return code;
}

static kin_err read_map(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                        kin__node *map)
{
    kin__json_iter iter = kin__json_walk(value);
    kin__node *seen = STEAL(r->seen);
    kin_err code = KIN_OK;

    while (code == KIN_OK && kin__json_next(&iter)) {
        kin_str name;
        char *owned;
        if (!decode_name(&iter, &name, &owned)) {
            return kin__error_no_memory(r->err);
        }
        r->after = NULL;
        code = note_name(r, seen == NULL ? map : seen, seen != NULL, name);
        if (code == KIN_OK) {
            code = read_entry(r, row, name, iter.value, map);
        }
        kin__free(owned);
        if (r->after != NULL) {
            iter.next = r->after;
        }
    }
    r->after = iter.next;
    return code;
}

/* `row` NULL: any JSON. */
static kin_err read_entry(kin__codec_reader *r, const kin__pb_row *row, kin_str name,
                          kin__json value, kin__node *map)
{
    kin__codec_place here = { .parent = r->place, .step = KIN__CODEC_KEY, .name = name };
    AUTO(kin__node_free) kin__node *made = NULL;
    kin_err code;

    r->place = &here;
    if (row == NULL) {
        code = kin__codec_read_any(r, value, &made);
    } else if (kin__json_type(value) == KIN_TYPE_NULL) {
        code = make_null(r, &made);
    } else {
        code = kin__codec_read_single(r, row, value, &made);
    }
    r->place = here.parent;
    if (code == KIN_OK && made != NULL) {
        code = kin__node_set_member(map, name, made, r->err);
        made = code == KIN_OK ? NULL : made;
    }
    return code;
}

kin_err kin__codec_read_any(kin__codec_reader *r, kin__json value, kin__node **out)
{
    double number;

    switch (kin__json_type(value)) {
    case KIN_TYPE_OBJECT:
        if (kin__node_container(KIN_TYPE_OBJECT, out, r->err) != KIN_OK) {
            return r->err->code;
        }
        return read_any_object(r, value, *out);
    case KIN_TYPE_ARRAY:
        return read_any_array(r, value, out);
    case KIN_TYPE_NUMBER: {
        kin_str text = kin__json_text(value);
        if (kin__json_double(text, &number) != KIN_OK) {
            kin__buf_clear(&r->scratch);
            (void) kin__buf_append_format(&r->scratch, "number %.*s", KIN_STR_ARG(text));
            (void) kin__buf_append_byte(&r->scratch, '\0');
            if (!kin__buf_failed(&r->scratch)) {
                kin__codec_wrong_type(r, r->scratch.data, STR("float64"));
            }
            return KIN_OK;
        }
        return kin__node_number(text, out, r->err);
    }
    default:
        return kin__node_from_json(value, out, r->err);
    }
}

static kin_err read_any_object(kin__codec_reader *r, kin__json value, kin__node *object)
{
    return read_map(r, NULL, value, object);
}

static kin_err read_any_array(kin__codec_reader *r, kin__json value, kin__node **out)
{
    kin__codec_place here = { .parent = r->place, .step = KIN__CODEC_ELEMENT };
    kin__json_iter iter = kin__json_walk(value);
    kin_err code = KIN_OK;

    if (kin__node_container(KIN_TYPE_ARRAY, out, r->err) != KIN_OK) {
        return r->err->code;
    }
    r->place = &here;
    while (code == KIN_OK && kin__json_next(&iter)) {
        AUTO(kin__node_free) kin__node *made = NULL;
        r->after = NULL;
        code = kin__codec_read_any(r, iter.value, &made);
        if (code == KIN_OK && made != NULL) {
            code = kin__node_append(*out, made, r->err);
            made = code == KIN_OK ? NULL : made;
        }
        if (r->after != NULL) {
            iter.next = r->after;
        }
        here.index++;
    }
    r->place = here.parent;
    r->after = iter.next;
    return code;
}

static kin_err make_null(kin__codec_reader *r, kin__node **out)
{
    return kin__node_from_json(kin__json_of(STR("null")), out, r->err);
}

static void drop_nulls(kin__node *object)
{
    kin__node_iter iter = { 0 };

    while (kin__node_next(object, &iter)) {
        if (kin__node_type(iter.value) == KIN_TYPE_NULL) {
            kin__node_remove_member(object, iter.name);
            iter = (kin__node_iter){ 0 };
        }
    }
}

/* Whether Go reads a second object into the first. */
static bool is_mergeable(const kin__pb_row *row)
{
    if ((row->flags & KIN__PB_MAP) != 0) {
        return true;
    }
    return (row->flags & KIN__PB_LIST) == 0 && row->type == KIN__PB_MESSAGE &&
           kin__pb_special_of(row->message) == KIN__PB_PLAIN;
}

static bool keeps_on_null(const kin__pb_row *row)
{
    bool is_special =
        row->type == KIN__PB_MESSAGE && kin__pb_special_of(row->message) != KIN__PB_PLAIN;

    return (row->flags & (KIN__PB_POINTER | KIN__PB_LIST | KIN__PB_MAP)) == 0 && !is_special &&
           row->type != KIN__PB_BYTES;
}

static bool has_type_members(kin__pb_message message)
{
    size_t count;
    const kin__pb_row *rows = kin__pb_rows(message, &count);

    for (size_t i = 0; i < count; i++) {
        if (rows[i].type == KIN__PB_TYPEMETA) {
            return true;
        }
    }
    return false;
}

/* `out_owned` has to be freed; NULL: the name stands in the document as it is. */
static bool decode_name(const kin__json_iter *iter, kin_str *out, char **out_owned)
{
    *out_owned = NULL;
    *out = iter->key;
    if (iter->is_plain_key || !kin__json_has_escapes(iter->key)) {
        return true;
    }
    *out_owned = kin__alloc(iter->key.len);
    if (*out_owned == NULL) {
        return false;
    }
    *out = kin__str(*out_owned, kin__json_decode(iter->key, *out_owned));
    return true;
}
