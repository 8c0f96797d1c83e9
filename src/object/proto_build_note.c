/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_build_note.c - the fields an object keeps at hand: what they are, and what is wrong with
 * them.
 *
 * Of a string or number that comes twice the last one counts.  A message that comes twice is
 * refused, as it is everywhere (proto/render.h).
 *
 * Go checks no UTF-8 here, but the API server lets none of these strings be anything but ASCII when
 * it stores an object.  What is not UTF-8 is refused, so that no string that is kept at hand ever
 * needs to be decoded.
 */
#include "object/proto_build_note.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/str.h"
#include "json/lanes.h"
#include "object/few.h"
#include "object/object.h"
#include "object/proto_encoding.h"
#include "proto/entry.h"
#include "proto/render_time.h"

#define STR_MAX 65535
#define LABELS_MAX 65535

#define GENERATION_TAG (KIN__PB_GENERATION << 3 | KIN__PB_VARINT)

/* How much of a value a message quotes. */
#define QUOTED_MAX 64

static const uint8_t *skim_run(kin__pb_known *known, const uint8_t *at, const uint8_t *end,
                               bool checks);
static bool skim(kin__pb_known *known, const uint8_t *at, kin_str content);
static bool skim_label(kin__pb_known *known, kin_str entry);
static bool is_ascii(const uint8_t *at, size_t len);
static kin_err note_str(kin__pb_finder *f, const char *path, const kin__pb_field *field,
                        kin_str *out);
static kin_err note_time(kin__pb_finder *f, const char *path, const kin__pb_field *field,
                         bool *had_one, int64_t *out);
static kin_err note_first(kin__pb_finder *f, const char *path, const kin__pb_field *field,
                          const uint8_t **out);
static kin_err note_label(kin__pb_finder *f, const kin__pb_field *field);
static kin_err check_text(kin__pb_finder *f, const char *path, kin_str text);
static kin_err check_part(kin__pb_finder *f, const char *path, kin_str part);
static kin_err wrong_wire(kin__pb_finder *f, const char *path, const kin__pb_field *field);
static void order_labels(kin__pb_known *known);
static bool are_labels_in_order(const kin__pb_known *known);
static int compare_labels(const void *context, const void *a, const void *b);

void kin__pb_known_init(kin__pb_known *known)
{
    /* All but the room for labels. */
    memset(known, 0, offsetof(kin__pb_known, edits));
    kin__pb_edits_init(&known->edits);
    known->labels = known->few_labels;
    known->label_capacity = KIN__PB_LABELS_FEW;
    known->creation = KIN__NO_TIME;
    known->deletion = KIN__NO_TIME;
}

void kin__pb_known_fini(kin__pb_known *known)
{
    kin__few_free(known->labels, known->few_labels);
    kin__pb_edits_fini(&known->edits);
}

bool kin__pb_is_object_meta(kin__pb_message message)
{
    const kin__pb_row *row = kin__pb_row_of(message, KIN__PB_MANAGED_FIELDS);
    return row != NULL && kin__str_equal(kin__pb_row_name(row), STR("managedFields"));
}

kin_err kin__pb_note_object(kin__pb_finder *f, const kin__pb_field *field)
{
    kin__pb_known *known = f->known;

    if (field->wire != KIN__PB_LEN) {
        return wrong_wire(f, "metadata", field);
    }
    if (known->has_metadata) {
        return kin__pb_complain(f, KIN_ERR_MALFORMED, "metadata", field->start, "comes twice");
    }
    known->has_metadata = true;
    known->metadata = kin__pb_content(field);
    return KIN_OK;
}

kin_err kin__pb_note_metadata(kin__pb_finder *f, const kin__pb_field *field)
{
    kin__pb_known *known = f->known;

    switch (field->number) {
    case KIN__PB_NAME:
        return note_str(f, "metadata.name", field, &known->name);
    case KIN__PB_NAMESPACE:
        return note_str(f, "metadata.namespace", field, &known->in_namespace);
    case KIN__PB_UID:
        return note_str(f, "metadata.uid", field, &known->uid);
    case KIN__PB_RESOURCE_VERSION:
        return note_str(f, "metadata.resourceVersion", field, &known->version);
    case KIN__PB_GENERATION:
        known->generation = (int64_t) field->varint;
        return field->wire == KIN__PB_VARINT ? KIN_OK : wrong_wire(f, "metadata.generation", field);
    case KIN__PB_CREATION:
        return note_time(f, "metadata.creationTimestamp", field, &known->has_creation,
                         &known->creation);
    case KIN__PB_DELETION:
        return note_time(f, "metadata.deletionTimestamp", field, &known->has_deletion,
                         &known->deletion);
    case KIN__PB_LABELS:
        return note_label(f, field);
    case KIN__PB_ANNOTATIONS:
        return note_first(f, "metadata.annotations", field, &known->annotations);
    case KIN__PB_OWNERS:
        return note_first(f, "metadata.ownerReferences", field, &known->owners);
    default:
        return KIN_OK;
    }
}

/* Strings are nearly always ASCII.  Tags and lengths of the usual form are below 0x80 too, so that
 * can be seen of all the fields at once, when they have been taken. */
void kin__pb_skim_metadata(kin__pb_finder *f, kin__pb_reader *reader)
{
    size_t label_count = f->known->label_count;
    const uint8_t *from = reader->at;

    reader->at = skim_run(f->known, from, reader->end, false);
    if (!is_ascii(from, (size_t) (reader->at - from))) {
        f->known->label_count = label_count;
        reader->at = skim_run(f->known, from, reader->end, true);
    }
}

kin_err kin__pb_check(kin__pb_finder *f)
{
    kin__pb_known *known = f->known;

    if (known->name.len == 0 && f->needs_name) {
        const char *at = known->has_metadata ? known->metadata.data : f->item->bytes.data;
        return kin__pb_complain(f, KIN_ERR_MALFORMED, "metadata.name",
                                known->name.data != NULL ? known->name.data : at, "required value");
    }
    if (check_part(f, "metadata.name", known->name) != KIN_OK ||
        check_part(f, "metadata.namespace", known->in_namespace) != KIN_OK) {
        return f->err->code;
    }
    if (known->name.len + known->in_namespace.len + 1 > STR_MAX) {
        return kin__pb_complain(f, KIN_ERR_LIMIT, "metadata", known->metadata.data,
                                "namespace and name are longer than %d bytes", STR_MAX);
    }
    order_labels(known);
    return KIN_OK;
}

const char *kin__pb_scope_path(kin__pb_scope scope)
{
    return scope == KIN__PB_SCOPE_METADATA ? "metadata" : "";
}

kin_err kin__pb_complain(kin__pb_finder *f, kin_err code, const char *path, const void *at,
                         const char *format, ...)
{
    char fault[256];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(fault, sizeof fault, format, args);
    va_end(args);
    uint64_t place = f->item->offset + (uint64_t) ((const char *) at - f->item->bytes.data);
    return kin__error_set(f->err, code, "%s%s%s at byte %llu", path, path[0] != '\0' ? ": " : "",
                          fault, (unsigned long long) place);
}

static kin_err note_str(kin__pb_finder *f, const char *path, const kin__pb_field *field,
                        kin_str *out)
{
    kin_str text = kin__pb_content(field);

    if (field->wire != KIN__PB_LEN) {
        return wrong_wire(f, path, field);
    }
    if (check_text(f, path, text) != KIN_OK) {
        return f->err->code;
    }
    *out = text;
    return KIN_OK;
}

static kin_err note_time(kin__pb_finder *f, const char *path, const kin__pb_field *field,
                         bool *had_one, int64_t *out)
{
    kin__pb_reader reader = kin__pb_read(field->bytes, field->len);
    int64_t seconds = 0;
    kin__pb_field part;

    if (field->wire != KIN__PB_LEN) {
        return wrong_wire(f, path, field);
    }
    if (*had_one) {
        return kin__pb_complain(f, KIN_ERR_MALFORMED, path, field->start, "comes twice");
    }
    *had_one = true;
    while (kin__pb_next(&reader, &part)) {
        if (part.number <= 2 && part.wire != KIN__PB_VARINT) {
            return wrong_wire(f, path, &part);
        }
        seconds = part.number == 1 ? (int64_t) part.varint : seconds;
    }
    if (reader.fault != NULL) {
        return kin__pb_complain(f, KIN_ERR_MALFORMED, path, reader.at, "%s", reader.fault);
    }
    if (seconds < KIN__PB_FIRST_SECOND || seconds > KIN__PB_LAST_SECOND) {
        return kin__pb_complain(f, KIN_ERR_MALFORMED, path, field->start,
                                "%lld seconds are outside the years 0000 to 9999",
                                (long long) seconds);
    }
    if (field->len != 0 && seconds != KIN__PB_ZERO_SECONDS) {
        *out = seconds;
    }
    return KIN_OK;
}

/* The usual form: a tag of one byte and a length, or a generation, of one byte.  Returns where it
 * ends: before any other field, and, if it `checks`, before one with a string that is not UTF-8. */
static const uint8_t *skim_run(kin__pb_known *known, const uint8_t *at, const uint8_t *end,
                               bool checks)
{
    while (end - at >= 2 && ((at[0] | at[1]) & 0x80) == 0) {
        kin_str content = kin__str((const char *) at + 2, at[1]);
        if (at[0] == GENERATION_TAG) {
            known->generation = at[1];
            at += 2;
            continue;
        }
        if ((at[0] & 7) != KIN__PB_LEN || end - at - 2 < at[1] ||
            (checks && !kin__proto_is_utf8(content)) || !skim(known, at, content)) {
            return at;
        }
        at += 2 + content.len;
    }
    return at;
}

/* One of them that has a length.  False leaves it to kin__pb_note_metadata(). */
static inline bool skim(kin__pb_known *known, const uint8_t *at, kin_str content)
{
    switch (at[0] >> 3) {
    case KIN__PB_NAME:
        known->name = content;
        return true;
    case KIN__PB_NAMESPACE:
        known->in_namespace = content;
        return true;
    case KIN__PB_UID:
        known->uid = content;
        return true;
    case KIN__PB_RESOURCE_VERSION:
        known->version = content;
        return true;
    case KIN__PB_LABELS:
        return skim_label(known, content);
    case KIN__PB_ANNOTATIONS:
        known->annotations = known->annotations != NULL ? known->annotations : at;
        return true;
    case KIN__PB_OWNERS:
        known->owners = known->owners != NULL ? known->owners : at;
        return true;
    case 0:
    case KIN__PB_GENERATION:
    case KIN__PB_CREATION:
    case KIN__PB_DELETION:
        return false;
    default:
        return true;
    }
}

static inline bool skim_label(kin__pb_known *known, kin_str entry)
{
    kin__pb_label *label = &known->labels[known->label_count];

    if (known->label_count == known->label_capacity ||
        !kin__pb_entry_is_plain(entry, &label->key, &label->value)) {
        return false;
    }
    known->label_count++;
    return true;
}

static bool is_ascii(const uint8_t *at, size_t len)
{
    kin__lanes lanes = { 0 };
    uint64_t halves[2];
    uint8_t bits = 0;
    size_t i = 0;

    for (; len - i >= KIN__LANES; i += KIN__LANES) {
        lanes |= kin__lanes_load((const char *) at + i);
    }
    for (; i < len; i++) {
        bits |= at[i];
    }
    memcpy(halves, &lanes, sizeof halves);
    return (bits & 0x80) == 0 && ((halves[0] | halves[1]) & UINT64_C(0x8080808080808080)) == 0;
}

/* Of a list or a map. */
static kin_err note_first(kin__pb_finder *f, const char *path, const kin__pb_field *field,
                          const uint8_t **out)
{
    if (field->wire != KIN__PB_LEN) {
        return wrong_wire(f, path, field);
    }
    if (*out == NULL) {
        *out = field->start;
    }
    return KIN_OK;
}

static kin_err note_label(kin__pb_finder *f, const kin__pb_field *field)
{
    static const kin__pb_row row = { .type = KIN__PB_STRING, .flags = KIN__PB_MAP };
    kin__pb_known *known = f->known;
    kin__pb_reader reader = kin__pb_read(field->bytes, field->len);
    kin__pb_entry entry;

    if (field->wire != KIN__PB_LEN) {
        return wrong_wire(f, "metadata.labels", field);
    }
    if (!kin__pb_entry_read(&row, &reader, &entry)) {
        return kin__pb_complain(f, KIN_ERR_MALFORMED, "metadata.labels", reader.at, "%s",
                                reader.fault);
    }
    /* What is empty may not be on the wire; it gets a place all the same. */
    kin__pb_label label = { .key = entry.key, .value = kin__pb_content(&entry.value) };
    label.key.data = label.key.len != 0 ? label.key.data : (const char *) field->bytes;
    label.value.data = label.value.len != 0 ? label.value.data : (const char *) field->bytes;
    if (check_text(f, "metadata.labels", label.key) != KIN_OK ||
        check_text(f, "metadata.labels", label.value) != KIN_OK) {
        return f->err->code;
    }
    if (known->label_count == LABELS_MAX) {
        return kin__pb_complain(f, KIN_ERR_LIMIT, "metadata.labels", field->start,
                                "more than %d labels", LABELS_MAX);
    }
    if (known->label_count == known->label_capacity) {
        void *grown = kin__few_grow(known->labels, known->few_labels, &known->label_capacity,
                                    sizeof *known->labels);
        if (grown == NULL) {
            return kin__error_no_memory(f->err);
        }
        known->labels = grown;
    }
    known->labels[known->label_count++] = label;
    return KIN_OK;
}

static kin_err check_text(kin__pb_finder *f, const char *path, kin_str text)
{
    if (text.len > STR_MAX) {
        return kin__pb_complain(f, KIN_ERR_LIMIT, path, text.data, "longer than %d bytes", STR_MAX);
    }
    if (!kin__proto_is_utf8(text)) {
        return kin__pb_complain(f, KIN_ERR_MALFORMED, path, text.data, "not valid UTF-8");
    }
    return KIN_OK;
}

/* A slash would make the key say something else. */
static kin_err check_part(kin__pb_finder *f, const char *path, kin_str part)
{
    if (part.len > 0 && memchr(part.data, '/', part.len) != NULL) {
        int quoted = (int) (part.len < QUOTED_MAX ? part.len : QUOTED_MAX);
        return kin__pb_complain(f, KIN_ERR_MALFORMED, path, part.data,
                                "invalid value \"%.*s\": may not contain '/'", quoted, part.data);
    }
    return KIN_OK;
}

static kin_err wrong_wire(kin__pb_finder *f, const char *path, const kin__pb_field *field)
{
    return kin__pb_complain(f, KIN_ERR_MALFORMED, path, field->start, KIN__PB_WRONG_WIRE);
}

/* Of labels with one key the last one stays. */
static void order_labels(kin__pb_known *known)
{
    kin__pb_label *labels = known->labels;
    size_t kept = 0;

    if (are_labels_in_order(known)) {
        return;
    }
    kin__sort(labels, known->label_count, sizeof *labels, compare_labels, NULL);
    for (size_t i = 0; i < known->label_count; i++) {
        if (i + 1 == known->label_count || !kin__str_equal(labels[i].key, labels[i + 1].key)) {
            labels[kept++] = labels[i];
        }
    }
    known->label_count = kept;
}

/* As a server sends them. */
static bool are_labels_in_order(const kin__pb_known *known)
{
    for (size_t i = 1; i < known->label_count; i++) {
        kin_str a = known->labels[i - 1].key;
        kin_str b = known->labels[i].key;
        bool is_told_by_first = a.len != 0 && b.len != 0 && a.data[0] != b.data[0];
        if (is_told_by_first ? (uint8_t) a.data[0] > (uint8_t) b.data[0]
                             : kin__str_compare(a, b) >= 0) {
            return false;
        }
    }
    return true;
}

static int compare_labels(const void *context, const void *a, const void *b)
{
    const kin__pb_label *left = a;
    const kin__pb_label *right = b;
    int order = kin__str_compare(left->key, right->key);

    (void) context;
    if (order == 0) {
        order = (left->key.data > right->key.data) - (left->key.data < right->key.data);
    }
    return order;
}
