/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_terms.c - cut at commas that no backslash precedes, then each term at its first operator.
 *
 * Terms are sorted before they are looked at: of several faults the one that sorts first is told.
 */
#include "server/field_terms.h"

#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/utf8.h"

static bool split(kin_str text, kin__buf *parts, kin__refusal *no);
static bool is_blank(kin_str part);
static int compare(const void *context, const void *a, const void *b);
static bool read_term(kin_str text, kin_str part, kin__field_terms *terms, kin__refusal *no);
static bool unescape(kin_str escaped, kin__buf *values, kin__refusal *no);
static bool refuse_escape(kin_str rest, kin__refusal *no);

bool kin__field_terms_read(const char *text, kin__field_terms *out, kin__refusal *no)
{
    AUTO(kin__field_terms_fini) kin__field_terms terms = { 0 };
    AUTO(kin__buf_fini) kin__buf found = { 0 };
    kin_str whole = kin_str_of(text == NULL ? "" : text);

    if (!split(whole, &found, no)) {
        return false;
    }
    kin_str *parts = (kin_str *) (void *) found.data;
    size_t count = found.len / sizeof *parts;
    terms.terms = kin__alloc_zero(count, sizeof *terms.terms);
    if (terms.terms == NULL || !kin__buf_reserve(&terms.values, whole.len)) {
        return kin__refuse_no_memory(no);
    }
    kin__sort(parts, count, sizeof *parts, compare, NULL);
    for (size_t i = 0; i < count; i++) {
        if (!read_term(whole, parts[i], &terms, no)) {
            return false;
        }
    }
    *out = terms;
    terms = (kin__field_terms){ 0 };
    return true;
}

void kin__field_terms_fini(kin__field_terms *terms)
{
    kin__free(terms->terms);
    kin__buf_fini(&terms->values);
    *terms = (kin__field_terms){ 0 };
}

/* The parts as kin_str, one behind the other. */
static bool split(kin_str text, kin__buf *parts, kin__refusal *no)
{
    size_t start = 0;

    for (size_t i = 0; i <= text.len; i++) {
        bool is_end = i == text.len;
        if (!is_end && text.data[i] == '\\') {
            i += i + 1 < text.len ? 1 : 0;
            continue;
        }
        if (!is_end && text.data[i] != ',') {
            continue;
        }
        kin_str part = kin__str(text.data + start, i - start);
        start = i + 1;
        if (!is_blank(part) && !kin__buf_append(parts, (const char *) &part, sizeof part)) {
            return kin__refuse_no_memory(no);
        }
        if (parts->len > KIN__FIELD_TERMS_MAX * sizeof part) {
            return kin__refuse_bad_request(no, "more than %d field selector terms",
                                           KIN__FIELD_TERMS_MAX);
        }
    }
    return true;
}

/* Nothing, and an operator without name and value, select everything. */
static bool is_blank(kin_str part)
{
    return part.len == 0 || kin__str_equal(part, STR("=")) || kin__str_equal(part, STR("==")) ||
           kin__str_equal(part, STR("!="));
}

static int compare(const void *context, const void *a, const void *b)
{
    (void) context;
    return kin__str_compare(*(const kin_str *) a, *(const kin_str *) b);
}

/* There is room for the value: all of them are no longer than the text. */
static bool read_term(kin_str text, kin_str part, kin__field_terms *terms, kin__refusal *no)
{
    const char *equals = memchr(part.data, '=', part.len);
    if (equals == NULL) {
        return kin__refuse_bad_request(no, "invalid selector: '%.*s'; can't understand '%.*s'",
                                       KIN_STR_ARG(text), KIN_STR_ARG(part));
    }
    size_t name_len = (size_t) (equals - part.data);
    size_t value = name_len + 1;
    bool is_not = name_len > 0 && equals[-1] == '!';
    if (is_not) {
        name_len--;
    } else if (value < part.len && equals[1] == '=') {
        value++;
    }
    size_t start = terms->values.len;
    if (!unescape(kin__str(part.data + value, part.len - value), &terms->values, no)) {
        return false;
    }
    terms->terms[terms->count++] = (kin__field_term){
        kin__str(part.data, name_len),
        kin__str(terms->values.data + start, terms->values.len - start),
        is_not,
    };
    return true;
}

static bool unescape(kin_str escaped, kin__buf *values, kin__refusal *no)
{
    for (size_t i = 0; i < escaped.len; i++) {
        size_t left = escaped.len - i;
        if (escaped.data[i] == '=') {
            return kin__refuse_bad_request(
                no, "invalid field selector: unescaped character in value: %d", '=');
        }
        if (escaped.data[i] == '\\') {
            if (left == 1 || strchr("\\,=", escaped.data[i + 1]) == NULL) {
                return refuse_escape(kin__str(escaped.data + i, left), no);
            }
            i++;
        }
        (void) kin__buf_append_byte(values, escaped.data[i]);
    }
    return true;
}

/* What follows the backslash is told as a whole character. */
static bool refuse_escape(kin_str rest, kin__refusal *no)
{
    size_t len = kin__utf8_char_len(rest.data + 1, rest.len - 1);

    len = len == 0 && rest.len > 1 ? 1 : len;
    return kin__refuse_bad_request(no, "invalid field selector: invalid escape sequence: %.*s",
                                   (int) (1 + len), rest.data);
}
