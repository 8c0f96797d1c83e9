/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_selector.c - selecting objects by what their fields say.
 *
 * The grammar and the words for what breaks it are those of fields.ParseSelector() in
 * k8s.io/apimachinery: terms are cut at commas that no backslash precedes, and each at its first
 * operator, before anything else is looked at.  Of several faults the one in the term that sorts
 * first is told, as there.
 *
 * The canonical text has the canonical text of each path.  A comma or "=" in it can only stand in a
 * quoted name, and is spelt \u002c or \u003d there: so a canonical text is read back as the same
 * terms.
 */
#include "kin/selector.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/utf8.h"
#include "object/encoding.h"
#include "object/fault.h"
#include "object/path.h"
#include "object/selector.h"

#define WANTED "parse field selector"

/* Each is a walk through the object, so that many of them are no filter but an attack. */
#define TERMS_MAX 1000

/* How much of a term the message about its path shows. */
#define PART_SHOWN_MAX 64

typedef struct field_term {
    kin_path *path; /* owned */
    kin_str value;  /* in the selector's `values` */
    bool is_not;    /* != instead of = */
} field_term;

struct kin_field_selector {
    char *text;   /* owned */
    char *values; /* owned */
    size_t count;
    field_term terms[];
};

KIN__DEFINE_AUTO(kin_field_selector, kin_field_selector_free)

/* While a selector is read. */
typedef struct field_reader {
    kin_str text;
    kin__buf parts;  /* kin_str, one after the other: the terms as they are written */
    kin__buf lines;  /* the terms as the canonical text has them, one after the other */
    kin__buf values; /* never longer than the text; its memory is had at once */
    kin__buf path;   /* terminated, for kin_path_new() */
} field_reader;

static void reader_fini(field_reader *reader);
KIN__DEFINE_AUTO_FINI(field_reader, reader_fini)

/* A term, cut at its operator. */
typedef struct term_halves {
    kin_str path;
    kin_str value; /* with its escapes */
    bool is_not;
} term_halves;

static kin_err read_selector(field_reader *reader, kin_field_selector **out,
                             kin_error *err) KIN_MUST_CHECK;
static kin_err split(field_reader *reader, kin_error *err) KIN_MUST_CHECK;
static bool is_blank(kin_str part);
static kin_err read_term(field_reader *reader, kin_str *part, field_term *out,
                         kin_error *err) KIN_MUST_CHECK;
static bool cut(kin_str part, term_halves *out);
static kin_err unescape(field_reader *reader, kin_str escaped, kin_str *out,
                        kin_error *err) KIN_MUST_CHECK;
static kin_err compile_path(field_reader *reader, kin_str part, kin_str path, kin_path **out,
                            kin_error *err) KIN_MUST_CHECK;
static void append_line(kin__buf *lines, const field_term *term);
static kin_err join_lines(field_reader *reader, kin_str *parts, size_t count, char **out,
                          kin_error *err) KIN_MUST_CHECK;
static int compare_strs(const void *context, const void *a, const void *b);
static kin_err say_no_operator(const field_reader *reader, kin_str part, kin_error *err);
static kin_err say_bare_equals(const field_reader *reader, const char *at, kin_error *err);
static kin_err say_bad_escape(const field_reader *reader, kin_str rest, kin_error *err);
static size_t place_of(const field_reader *reader, const char *at);

kin_err kin_field_selector_parse(const char *text, kin_field_selector **out, kin_error *err)
{
    AUTO(reader_fini) field_reader reader = { 0 };
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    text = text == NULL ? "" : text;
    reader.text = kin__str(text, strnlen(text, KIN__SELECTOR_TEXT_MAX + 1));
    if (reader.text.len > KIN__SELECTOR_TEXT_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, WANTED ": longer than %d bytes",
                              KIN__SELECTOR_TEXT_MAX);
    }
    return read_selector(&reader, out, err);
}

void kin_field_selector_free(kin_field_selector *selector)
{
    if (selector == NULL) {
        return;
    }
    for (size_t i = 0; i < selector->count; i++) {
        kin_path_free(selector->terms[i].path);
    }
    kin__free(selector->values);
    kin__free(selector->text);
    kin__free(selector);
}

bool kin_field_selector_matches(const kin_field_selector *selector, const kin_object *object)
{
    for (size_t i = 0; i < selector->count; i++) {
        const field_term *term = &selector->terms[i];
        if (kin__value_says(kin_object_at_path(object, term->path), term->value) == term->is_not) {
            return false;
        }
    }
    return true;
}

const char *kin_field_selector_text(const kin_field_selector *selector)
{
    return selector->text;
}

static void reader_fini(field_reader *reader)
{
    kin__buf_fini(&reader->parts);
    kin__buf_fini(&reader->lines);
    kin__buf_fini(&reader->values);
    kin__buf_fini(&reader->path);
}

static kin_err read_selector(field_reader *reader, kin_field_selector **out, kin_error *err)
{
    AUTO(kin_field_selector_free) kin_field_selector *selector = NULL;

    if (split(reader, err) != KIN_OK) {
        return err->code;
    }
    size_t count = reader->parts.len / sizeof(kin_str);
    kin_str *parts = (kin_str *) (void *) reader->parts.data;
    selector = kin__alloc_zero(1, sizeof *selector + count * sizeof selector->terms[0]);
    if (selector == NULL || !kin__buf_reserve(&reader->values, reader->text.len)) {
        return kin__error_no_memory(err);
    }
    kin__sort(parts, count, sizeof *parts, compare_strs, NULL);
    for (size_t i = 0; i < count; i++) {
        if (read_term(reader, &parts[i], &selector->terms[i], err) != KIN_OK) {
            return err->code;
        }
        selector->count++;
    }
    if (join_lines(reader, parts, count, &selector->text, err) != KIN_OK) {
        return err->code;
    }
    selector->values = STEAL(reader->values.data);
    *out = STEAL(selector);
    return KIN_OK;
}

static kin_err split(field_reader *reader, kin_error *err)
{
    size_t start = 0;

    for (size_t i = 0; i <= reader->text.len; i++) {
        bool is_end = i == reader->text.len;
        if (!is_end && reader->text.data[i] == '\\') {
            i += i + 1 < reader->text.len ? 1 : 0;
            continue;
        }
        if (!is_end && reader->text.data[i] != ',') {
            continue;
        }
        kin_str part = kin__str(reader->text.data + start, i - start);
        start = i + 1;
        if (!is_blank(part) &&
            !kin__buf_append(&reader->parts, (const char *) &part, sizeof part)) {
            return kin__error_no_memory(err);
        }
        if (reader->parts.len > TERMS_MAX * sizeof part) {
            return kin__error_set(err, KIN_ERR_LIMIT, WANTED ": more than %d terms", TERMS_MAX);
        }
    }
    return KIN_OK;
}

/* To the server too, nothing between two commas is no term, and neither is an operator alone. */
static bool is_blank(kin_str part)
{
    return part.len == 0 || kin__str_equal(part, STR("=")) || kin__str_equal(part, STR("==")) ||
           kin__str_equal(part, STR("!="));
}

/* Leaves the length of the term's line in `part`. */
static kin_err read_term(field_reader *reader, kin_str *part, field_term *out, kin_error *err)
{
    AUTO(kin_path_free) kin_path *path = NULL;
    size_t line = reader->lines.len;
    term_halves halves;
    field_term term;

    if (!cut(*part, &halves)) {
        return say_no_operator(reader, *part, err);
    }
    if (compile_path(reader, *part, halves.path, &path, err) != KIN_OK ||
        unescape(reader, halves.value, &term.value, err) != KIN_OK) {
        return err->code;
    }
    term.path = path;
    term.is_not = halves.is_not;
    append_line(&reader->lines, &term);
    if (kin__buf_failed(&reader->lines)) {
        return kin__error_no_memory(err);
    }
    *part = kin__str(NULL, reader->lines.len - line);
    *out = term;
    (void) STEAL(path);
    return KIN_OK;
}

/* False when there is no operator. */
static bool cut(kin_str part, term_halves *out)
{
    const char *equals = memchr(part.data, '=', part.len);
    if (equals == NULL) {
        return false;
    }
    size_t path_len = (size_t) (equals - part.data);
    size_t value = path_len + 1;
    out->is_not = path_len > 0 && equals[-1] == '!';
    if (out->is_not) {
        path_len--;
    } else if (value < part.len && equals[1] == '=') {
        value++;
    }
    out->path = kin__str(part.data, path_len);
    out->value = kin__str(part.data + value, part.len - value);
    return true;
}

static kin_err unescape(field_reader *reader, kin_str escaped, kin_str *out, kin_error *err)
{
    size_t start = reader->values.len;

    for (size_t i = 0; i < escaped.len; i++) {
        const char *at = escaped.data + i;
        size_t left = escaped.len - i;
        if (*at == '=') {
            return say_bare_equals(reader, at, err);
        }
        if (*at == '\\') {
            if (left == 1 || strchr("\\,=", at[1]) == NULL) {
                return say_bad_escape(reader, kin__str(at, left), err);
            }
            i++;
        }
        (void) kin__buf_append_byte(&reader->values, escaped.data[i]); /* there is room */
    }
    *out = kin__str(reader->values.data + start, reader->values.len - start);
    return KIN_OK;
}

/* A term speaks of one field: of several it would not say whether all or any of them are meant. */
static bool has_each(const kin_path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        if (path->steps[i].kind == KIN__STEP_EACH) {
            return true;
        }
    }
    return false;
}

/* The path is copied because it has to be terminated.  No filter comes through: the operator in it
 * is taken for the term's. */
static kin_err compile_path(field_reader *reader, kin_str part, kin_str path, kin_path **out,
                            kin_error *err)
{
    kin__buf_clear(&reader->path);
    if (!kin__buf_append_str(&reader->path, path) || !kin__buf_append_byte(&reader->path, '\0')) {
        return kin__error_no_memory(err);
    }
    kin_err code = kin_path_new(reader->path.data, out, err);
    if (code == KIN_OK && has_each(*out)) {
        kin_path_free(*out);
        *out = NULL;
        code = kin__error_set(err, KIN_ERR_MALFORMED, "a field selector takes no [*]");
    }
    if (code == KIN_OK || code == KIN_ERR_NO_MEMORY) {
        return code;
    }
    if (memmem(path.data, path.len, "[?", 2) != NULL) {
        (void) kin__error_set(err, KIN_ERR_MALFORMED, "a field selector takes no filters");
    }
    size_t shown = kin__fault_clip(part, PART_SHOWN_MAX);
    return kin__error_prefix(err, WANTED ": term \"%.*s%s\"", (int) shown, part.data,
                             shown < part.len ? "..." : "");
}

static void append_line(kin__buf *lines, const field_term *term)
{
    for (const char *at = kin_path_text(term->path); *at != '\0'; at++) {
        if (*at == ',') {
            (void) kin__buf_append_str(lines, STR("\\u002c"));
        } else if (*at == '=') {
            (void) kin__buf_append_str(lines, STR("\\u003d"));
        } else {
            (void) kin__buf_append_byte(lines, *at);
        }
    }
    (void) kin__buf_append_str(lines, term->is_not ? STR("!=") : STR("="));
    for (size_t i = 0; i < term->value.len; i++) {
        char c = term->value.data[i];
        if (c == '\\' || c == ',' || c == '=') {
            (void) kin__buf_append_byte(lines, '\\');
        }
        (void) kin__buf_append_byte(lines, c);
    }
}

/* The lines, sorted; `parts` has their lengths. */
static kin_err join_lines(field_reader *reader, kin_str *parts, size_t count, char **out,
                          kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    const char *at = reader->lines.data;
    size_t len;

    for (size_t i = 0; i < count; i++) {
        parts[i].data = at;
        at += parts[i].len;
    }
    kin__sort(parts, count, sizeof *parts, compare_strs, NULL);
    for (size_t i = 0; i < count; i++) {
        (void) kin__buf_append_str(&text, i > 0 ? STR(",") : STR(""));
        (void) kin__buf_append_str(&text, parts[i]);
    }
    if (text.len > KIN__SELECTOR_TEXT_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, WANTED ": longer than %d bytes",
                              KIN__SELECTOR_TEXT_MAX);
    }
    return kin__buf_take(&text, out, &len, err);
}

static int compare_strs(const void *context, const void *a, const void *b)
{
    (void) context;
    return kin__str_compare(*(const kin_str *) a, *(const kin_str *) b);
}

static kin_err say_no_operator(const field_reader *reader, kin_str part, kin_error *err)
{
    kin__fault fault = { .at = place_of(reader, part.data) };

    kin__fault_say(&fault, "invalid selector: '");
    kin__fault_show(&fault, reader->text);
    kin__fault_say(&fault, "'; can't understand '");
    kin__fault_show(&fault, part);
    kin__fault_say(&fault, "'");
    return kin__fault_raise(&fault, WANTED, reader->text, err);
}

/* The server names the character by its number.  It can be no comma: that ends the term. */
static kin_err say_bare_equals(const field_reader *reader, const char *at, kin_error *err)
{
    kin__fault fault = { .at = place_of(reader, at) };

    kin__fault_say(&fault, "invalid field selector: unescaped character in value: %d", '=');
    return kin__fault_raise(&fault, WANTED, reader->text, err);
}

/* `rest` begins with the backslash; what follows it is told as a whole character. */
static kin_err say_bad_escape(const field_reader *reader, kin_str rest, kin_error *err)
{
    kin__fault fault = { .at = place_of(reader, rest.data) };
    size_t len = kin__utf8_char_len(rest.data + 1, rest.len - 1);

    len = len == 0 && rest.len > 1 ? 1 : len;
    kin__fault_say(&fault, "invalid field selector: invalid escape sequence: ");
    kin__fault_show(&fault, kin__str(rest.data, 1 + len));
    return kin__fault_raise(&fault, WANTED, reader->text, err);
}

static size_t place_of(const field_reader *reader, const char *at)
{
    return (size_t) (at - reader->text.data);
}
