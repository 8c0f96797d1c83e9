/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note.c - the fields an object keeps at hand: what they are, and what is wrong with them.
 *
 * A string that is null is as an empty one, and any other field as one that is not there: so the
 * API server reads them.  Of a field that is written twice the last one counts, but each of them
 * must be of the right type.
 */
#include "object/finder.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/time.h"
#include "json/number.h"
#include "object/few.h"
#include "object/object.h"

/* How much of a value a message quotes. */
#define QUOTED_MAX 64

typedef enum field_type {
    FIELD_STR,
    FIELD_INT64,
    FIELD_TIME,
    FIELD_OBJECT, /* the place of an object */
    FIELD_ARRAY,  /* the place of an array */
    FIELD_LABELS
} field_type;

/* A field, and where in the struct of its scope it goes. */
typedef struct field_spec {
    kin_str name;
    const char *path;
    field_type type;
    size_t offset;
} field_spec;

#define FIELD(parent, name, type, scope, member)                                                   \
    {                                                                                              \
        { name, sizeof(name) - 1 }, parent name, type, offsetof(scope, member)                     \
    }
#define TOP(name, type, member) FIELD("", name, type, kin__found, member)
#define METADATA(name, type, member) FIELD("metadata.", name, type, kin__found_metadata, member)

static const field_spec top_fields[] = {
    TOP("apiVersion", FIELD_STR, api_version),
    TOP("kind", FIELD_STR, kind),
};

static const field_spec metadata_fields[] = {
    METADATA("name", FIELD_STR, name),
    METADATA("namespace", FIELD_STR, in_namespace),
    METADATA("uid", FIELD_STR, uid),
    METADATA("resourceVersion", FIELD_STR, version),
    METADATA("generation", FIELD_INT64, generation),
    METADATA("creationTimestamp", FIELD_TIME, creation),
    METADATA("deletionTimestamp", FIELD_TIME, deletion),
    METADATA("annotations", FIELD_OBJECT, annotations),
    METADATA("ownerReferences", FIELD_ARRAY, owners),
    METADATA("labels", FIELD_LABELS, place),
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static kin_err note_root(kin__finder *f, const kin__find_member *member, kin__find_scope *out);
static kin_err note_metadata(kin__finder *f, const kin__find_member *member, kin__find_scope *out);
static kin_err note_label(kin__finder *f, const kin__find_member *member);
static const field_spec *find_field(const field_spec *fields, size_t count,
                                    const kin__find_member *member);
static kin_err note_field(kin__finder *f, const field_spec *field, void *scope);
static kin_err note_str(kin__finder *f, const char *path, kin__found_str *out);
static kin_err note_int64(kin__finder *f, const char *path, int64_t *out);
static kin_err note_time(kin__finder *f, const char *path, int64_t *out);
static kin_err note_container(kin__finder *f, const char *path, char bracket, uint32_t *out);
static kin_err keep_str(kin__finder *f, const char *path, kin_str raw, kin__found_str *out);
static kin_err check_part(kin__finder *f, const char *path, const kin__found_str *part);
static kin_err complain(kin__finder *f, kin_err code, const char *path, uint32_t place,
                        const char *format, ...) KIN__PRINTF(5, 6);
static const char *name_type(char token);
static int quoted_len(kin_str text);

kin_err kin__find_note(kin__finder *f, kin__find_scope scope, const kin__find_member *member,
                       kin__find_scope *out_inner)
{
    switch (scope) {
    case KIN__FIND_ROOT:
        return note_root(f, member, out_inner);
    case KIN__FIND_METADATA:
        return note_metadata(f, member, out_inner);
    case KIN__FIND_LABELS:
        return note_label(f, member);
    case KIN__FIND_ELSEWHERE:
        break;
    }
    return KIN_OK;
}

kin_err kin__find_check(kin__finder *f)
{
    const kin__found *found = f->found;
    const kin__found_metadata *metadata = &found->metadata;

    if (metadata->place == 0 && f->needs_name) {
        return complain(f, KIN_ERR_MALFORMED, "metadata", found->begin, "required value");
    }
    if (metadata->name.place == 0 && f->needs_name) {
        return complain(f, KIN_ERR_MALFORMED, "metadata.name", metadata->place, "required value");
    }
    if (metadata->name.len == 0 && f->needs_name) {
        return complain(f, KIN_ERR_MALFORMED, "metadata.name", metadata->name.place - 1,
                        "required value");
    }
    if (check_part(f, "metadata.name", &metadata->name) != KIN_OK ||
        check_part(f, "metadata.namespace", &metadata->in_namespace) != KIN_OK) {
        return f->err->code;
    }
    if (kin__found_key_len(found) > KIN__FOUND_STR_MAX) {
        return complain(f, KIN_ERR_LIMIT, "metadata", metadata->place,
                        "namespace and name are longer than %d bytes", KIN__FOUND_STR_MAX);
    }
    return KIN_OK;
}

kin_err kin__find_wrong_type(kin__finder *f, const char *path, const char *expected)
{
    return complain(f, KIN_ERR_MALFORMED, path, kin__finder_place(f), "expected %s, found %s",
                    expected, name_type(kin__finder_token(f)));
}

static kin_err note_root(kin__finder *f, const kin__find_member *member, kin__find_scope *out)
{
    if (kin__find_is_key(member, STR("metadata"))) {
        if (kin__finder_token(f) != '{') {
            return kin__find_wrong_type(f, "metadata", "an object");
        }
        f->found->label_count = 0;
        f->found->metadata = (kin__found_metadata){
            .place = kin__finder_place(f),
            .creation = KIN__NO_TIME,
            .deletion = KIN__NO_TIME,
        };
        *out = KIN__FIND_METADATA;
        return KIN_OK;
    }
    const field_spec *field = find_field(top_fields, COUNT(top_fields), member);
    return field != NULL ? note_field(f, field, f->found) : KIN_OK;
}

static kin_err note_metadata(kin__finder *f, const kin__find_member *member, kin__find_scope *out)
{
    const field_spec *field = find_field(metadata_fields, COUNT(metadata_fields), member);

    if (field == NULL) {
        return KIN_OK;
    }
    if (field->type == FIELD_LABELS) {
        uint32_t place = 0;
        f->found->label_count = 0;
        if (note_container(f, field->path, '{', &place) != KIN_OK) {
            return f->err->code;
        }
        if (place != 0) {
            *out = KIN__FIND_LABELS;
        }
        return KIN_OK;
    }
    return note_field(f, field, &f->found->metadata);
}

static kin_err note_label(kin__finder *f, const kin__find_member *member)
{
    kin__found *found = f->found;
    kin__found_label label = { 0 };

    if (found->label_count == KIN__FOUND_LABELS_MAX) {
        return complain(f, KIN_ERR_LIMIT, "metadata.labels", member->start, "more than %d labels",
                        KIN__FOUND_LABELS_MAX);
    }
    f->label = member->key;
    if (keep_str(f, "metadata.labels", member->key, &label.key) != KIN_OK ||
        note_str(f, "metadata.labels", &label.value) != KIN_OK) {
        return f->err->code;
    }
    f->label = kin__str(NULL, 0);
    if (found->label_count == found->label_capacity) {
        void *grown = kin__few_grow(found->labels, found->few_labels, &found->label_capacity,
                                    sizeof *found->labels);
        if (grown == NULL) {
            return kin__error_no_memory(f->err);
        }
        found->labels = grown;
    }
    found->labels[found->label_count++] = label;
    return KIN_OK;
}

static const field_spec *find_field(const field_spec *fields, size_t count,
                                    const kin__find_member *member)
{
    for (size_t i = 0; i < count; i++) {
        if (kin__find_is_key(member, fields[i].name)) {
            return &fields[i];
        }
    }
    return NULL;
}

static kin_err note_field(kin__finder *f, const field_spec *field, void *scope)
{
    void *out = (char *) scope + field->offset;

    switch (field->type) {
    case FIELD_STR:
        return note_str(f, field->path, out);
    case FIELD_INT64:
        return note_int64(f, field->path, out);
    case FIELD_TIME:
        return note_time(f, field->path, out);
    case FIELD_OBJECT:
        return note_container(f, field->path, '{', out);
    case FIELD_ARRAY:
        return note_container(f, field->path, '[', out);
    case FIELD_LABELS:
        break;
    }
    return KIN_OK;
}

static kin_err note_str(kin__finder *f, const char *path, kin__found_str *out)
{
    switch (kin__finder_token(f)) {
    case 'n':
        *out = (kin__found_str){ .place = kin__finder_place(f) + 1 };
        return KIN_OK;
    case '"':
        return keep_str(f, path, kin__finder_string(f), out);
    default:
        return kin__find_wrong_type(f, path, "a string");
    }
}

static kin_err note_int64(kin__finder *f, const char *path, int64_t *out)
{
    char token = kin__finder_token(f);

    if (token == 'n') {
        *out = 0;
        return KIN_OK;
    }
    if (token != '-' && (token < '0' || token > '9')) {
        return kin__find_wrong_type(f, path, "an integer");
    }
    kin_str text = kin__finder_text(f);
    if (kin__json_int64(text, out) != KIN_OK) {
        return complain(f, KIN_ERR_MALFORMED, path, kin__finder_place(f),
                        "invalid value %.*s: expected an integer of 64 bits", quoted_len(text),
                        text.data);
    }
    return KIN_OK;
}

static kin_err note_time(kin__finder *f, const char *path, int64_t *out)
{
    char decoded[QUOTED_MAX * 6];
    kin_time time;

    if (kin__finder_token(f) == 'n') {
        *out = KIN__NO_TIME;
        return KIN_OK;
    }
    if (kin__finder_token(f) != '"') {
        return kin__find_wrong_type(f, path, "a time");
    }
    kin_str raw = kin__finder_string(f);
    kin_str text = raw;
    if (kin__json_has_escapes(raw)) {
        text = kin__str(decoded, raw.len <= sizeof decoded ? kin__json_decode(raw, decoded) : 0);
    }
    if (kin__time_parse(text, &time) != KIN_OK) {
        return complain(f, KIN_ERR_MALFORMED, path, kin__finder_place(f),
                        "invalid value \"%.*s\": expected an RFC 3339 time", quoted_len(raw),
                        raw.data);
    }
    *out = time.seconds;
    return KIN_OK;
}

static kin_err note_container(kin__finder *f, const char *path, char bracket, uint32_t *out)
{
    char token = kin__finder_token(f);

    if (token != 'n' && token != bracket) {
        return kin__find_wrong_type(f, path, bracket == '{' ? "an object" : "an array");
    }
    *out = token == 'n' ? 0 : kin__finder_place(f);
    return KIN_OK;
}

static kin_err keep_str(kin__finder *f, const char *path, kin_str raw, kin__found_str *out)
{
    kin__buf *decoded = &f->found->decoded;
    uint32_t place = (uint32_t) (raw.data - f->item->bytes.data);
    kin__found_str kept = { .place = place };
    size_t len = raw.len;

    if (kin__json_has_escapes(raw)) {
        if (!kin__buf_reserve(decoded, raw.len)) {
            return kin__error_no_memory(f->err);
        }
        kept.decoded = (uint32_t) decoded->len + 1;
        len = kin__json_decode(raw, decoded->data + decoded->len);
    }
    if (len > KIN__FOUND_STR_MAX) {
        return complain(f, KIN_ERR_LIMIT, path, place - 1, "longer than %d bytes",
                        KIN__FOUND_STR_MAX);
    }
    if (kept.decoded != 0) {
        decoded->len += len;
    }
    kept.len = (uint32_t) len;
    *out = kept;
    return KIN_OK;
}

/* A slash would make the key say something else. */
static kin_err check_part(kin__finder *f, const char *path, const kin__found_str *part)
{
    kin_str text = kin__found_text(f->found, f->item, part);

    if (text.len > 0 && memchr(text.data, '/', text.len) != NULL) {
        return complain(f, KIN_ERR_MALFORMED, path, part->place - 1,
                        "invalid value \"%.*s\": may not contain '/'", quoted_len(text), text.data);
    }
    return KIN_OK;
}

static kin_err complain(kin__finder *f, kin_err code, const char *path, uint32_t place,
                        const char *format, ...)
{
    char fault[256];
    char label[QUOTED_MAX + sizeof "[\"\"]"] = "";
    va_list args;

    va_start(args, format);
    (void) vsnprintf(fault, sizeof fault, format, args);
    va_end(args);
    if (f->label.data != NULL) {
        (void) snprintf(label, sizeof label, "[\"%.*s\"]", quoted_len(f->label), f->label.data);
    }
    return kin__error_set(f->err, code, "%s%s: %s at byte %llu", path, label, fault,
                          (unsigned long long) (f->item->offset + place));
}

static const char *name_type(char token)
{
    switch (token) {
    case '{':
        return "an object";
    case '[':
        return "an array";
    case '"':
        return "a string";
    case 't':
    case 'f':
        return "a bool";
    case 'n':
        return "null";
    default:
        return "a number";
    }
}

static int quoted_len(kin_str text)
{
    return (int) (text.len < QUOTED_MAX ? text.len : QUOTED_MAX);
}
