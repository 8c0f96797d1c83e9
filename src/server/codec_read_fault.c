/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_read_fault.c - what Go's decoder says of values it does not like, and where they are.
 */
#include "base/str.h"
#include "server/codec_read_state.h"
#include "server/go_type.h"

static void put_strict_path(const kin__codec_place *place, kin__buf *buf);
static void put_field_path(const kin__codec_place *place, kin__buf *buf);
static void put_words(kin__codec_reader *r, const char *found, kin_str type);
static const kin__codec_place *last_field(const kin__codec_place *place);
static kin__pb_message owner_of(const kin__codec_place *field);
static void put_dot(kin__buf *buf, size_t first);

void kin__codec_note(kin__codec_reader *r, const char *what, kin_str name)
{
    kin__codec_warnings *notes = r->reading->notes;

    if (notes == NULL || r->quiet != 0 || notes->count == KIN__CODEC_WARNINGS_MAX) {
        return;
    }
    kin__buf_clear(&r->scratch);
    (void) kin__buf_append_str(&r->scratch, r->reading->prefix);
    size_t first = r->scratch.len;
    put_strict_path(r->place, &r->scratch);
    put_dot(&r->scratch, first);
    (void) kin__buf_append_str(&r->scratch, name);
    if (!kin__buf_failed(&r->scratch)) {
        kin__codec_warn(notes, what, kin__str(r->scratch.data, r->scratch.len));
    } else {
        notes->texts.has_failed = true;
    }
}

void kin__codec_wrong_type(kin__codec_reader *r, const char *found, kin_str type)
{
    if (!r->is_faulty) {
        r->is_faulty = true;
        put_words(r, found, type);
    }
}

void kin__codec_wrong_row(kin__codec_reader *r, const char *found, const kin__pb_row *row,
                          bool is_field)
{
    AUTO(kin__buf_fini) kin__buf type = { 0 };

    if (r->is_faulty) {
        return;
    }
    if (is_field) {
        kin__go_append_field(owner_of(last_field(r->place)), row, &type);
    } else {
        kin__go_append_element(owner_of(last_field(r->place)), row, &type);
    }
    if (kin__buf_failed(&type)) {
        r->reading->words.has_failed = true;
        return;
    }
    kin__codec_wrong_type(r, found, kin__str(type.data, type.len));
}

const char *kin__codec_type_name(kin__json value)
{
    switch (kin__json_type(value)) {
    case KIN_TYPE_OBJECT:
        return "object";
    case KIN_TYPE_ARRAY:
        return "array";
    case KIN_TYPE_STRING:
        return "string";
    case KIN_TYPE_NUMBER:
        return "number";
    case KIN_TYPE_BOOL:
        return "bool";
    default:
        return "null";
    }
}

kin_err kin__codec_abort(kin__codec_reader *r)
{
    return kin__error_set(r->err, KIN_ERR_INVALID, "not what it should be");
}

kin_err kin__codec_abort_type(kin__codec_reader *r, const char *found, kin_str type)
{
    kin__buf_clear(&r->reading->words);
    put_words(r, found, type);
    return kin__codec_abort(r);
}

static void put_words(kin__codec_reader *r, const char *found, kin_str type)
{
    kin__buf *words = &r->reading->words;
    const kin__codec_place *field = last_field(r->place);

    (void) kin__buf_append_format(words, "json: cannot unmarshal %s into Go ", found);
    if (field == NULL) {
        (void) kin__buf_append_str(words, STR("value"));
    } else {
        (void) kin__buf_append_str(words, STR("struct field "));
        (void) kin__buf_append_str(words, kin__go_struct(field->message));
        (void) kin__buf_append_byte(words, '.');
        put_field_path(r->place, words);
    }
    (void) kin__buf_append_str(words, STR(" of type "));
    (void) kin__buf_append_str(words, type);
}

static const kin__codec_place *last_field(const kin__codec_place *place)
{
    while (place != NULL && place->step != KIN__CODEC_FIELD) {
        place = place->parent;
    }
    return place;
}

/* The message that has the field's row: of those that are inline the last. */
static kin__pb_message owner_of(const kin__codec_place *field)
{
    if (field == NULL) {
        return KIN__PB_NO_MESSAGE;
    }
    size_t count = field->inlines.count;
    return count == 0 ? field->message : field->inlines.rows[count - 1]->message;
}

/* Names, keys and indexes: spec.containers[0].ports; as deep as places are. */
static void put_strict_path(const kin__codec_place *place, kin__buf *buf)
{
    if (place == NULL) {
        return;
    }
    size_t first = buf->len;
    put_strict_path(place->parent, buf);
    if (place->step == KIN__CODEC_ELEMENT) {
        (void) kin__buf_append_format(buf, "[%zu]", place->index);
        return;
    }
    put_dot(buf, first);
    (void) kin__buf_append_str(buf, place->name);
}

/* The names of fields alone, with those of embedded structs: spec.volumes.VolumeSource.secret.  A
 * row without a number stands for kind and apiVersion. */
static void put_field_path(const kin__codec_place *place, kin__buf *buf)
{
    if (place == NULL) {
        return;
    }
    size_t first = buf->len;
    put_field_path(place->parent, buf);
    if (place->step != KIN__CODEC_FIELD) {
        return;
    }
    for (size_t i = 0; i < place->inlines.count; i++) {
        put_dot(buf, first);
        (void) kin__buf_append_str(buf, kin__go_struct(place->inlines.rows[i]->message));
    }
    put_dot(buf, first);
    (void) kin__buf_append_str(buf, place->row->number == 0 ? STR("TypeMeta.") : STR(""));
    (void) kin__buf_append_str(buf, place->name);
}

static void put_dot(kin__buf *buf, size_t first)
{
    if (buf->len != first) {
        (void) kin__buf_append_byte(buf, '.');
    }
}
