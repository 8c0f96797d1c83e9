/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_jsonpath.c - the JSONPath of a printer column, as a path of kin/path.h.
 *
 * The syntax is that of client-go's util/jsonpath, of which definitions use a small part.  Names
 * are written as ["name"], whatever is in them.
 */
#include "server/columns_jsonpath.h"

#include "base/str.h"
#include "json/string.h"

/* What is left to read. */
typedef struct reader {
    kin_str rest;
    kin__buf *out;
} reader;

static bool read_member(reader *r);
static bool read_brackets(reader *r);
static bool read_key(reader *r);
static bool read_index(reader *r);
static bool read_quoted(reader *r, kin__buf *out);
static bool read_filter(reader *r);
static bool read_operand(reader *r);
static size_t read_name(reader *r, kin__buf *out);
static bool take(reader *r, kin_str text);
static void skip_blanks(reader *r);

bool kin__jsonpath_translate(kin_str jsonpath, kin__buf *out)
{
    reader r = { jsonpath, out };

    if (kin__str_equal(jsonpath, STR("."))) {
        r.rest.len = 0;
    }
    while (r.rest.len > 0) {
        if (!(take(&r, STR(".")) ? read_member(&r) : read_brackets(&r))) {
            return false;
        }
    }
    (void) kin__buf_append_byte(out, '\0');
    return true;
}

/* After a dot; ".[0]" is good as well. */
static bool read_member(reader *r)
{
    AUTO(kin__buf_fini) kin__buf name = { 0 };

    if (take(r, STR("*"))) {
        return kin__buf_append_str(r->out, STR("[*]"));
    }
    if (r->rest.len > 0 && r->rest.data[0] == '[') {
        return read_brackets(r);
    }
    if (read_name(r, &name) == 0) {
        return false;
    }
    r->out->has_failed |= kin__buf_failed(&name);
    (void) kin__buf_append_byte(r->out, '[');
    (void) kin__json_append_string(r->out, kin__str(name.data, name.len));
    (void) kin__buf_append_byte(r->out, ']');
    return true;
}

static bool read_brackets(reader *r)
{
    if (!take(r, STR("["))) {
        return false;
    }
    if (take(r, STR("*]"))) {
        return kin__buf_append_str(r->out, STR("[*]"));
    }
    if (take(r, STR("?("))) {
        return read_filter(r);
    }
    return take(r, STR("'")) ? read_key(r) : read_index(r);
}

/* What stands in quotes is members again: ['a.b'] is .a.b, and ['a\\.b'] the member "a.b". */
static bool read_key(reader *r)
{
    const char *end = r->rest.len == 0 ? NULL : memchr(r->rest.data, '\'', r->rest.len);

    if (end == NULL) {
        return false;
    }
    size_t len = (size_t) (end - r->rest.data);
    reader inner = { kin__str(r->rest.data, len), r->out };
    r->rest = kin__str(end + 1, r->rest.len - len - 1);
    do {
        if (inner.rest.len == 0 || inner.rest.data[0] == '[' || !read_member(&inner)) {
            return false;
        }
    } while (take(&inner, STR(".")));
    return inner.rest.len == 0 && take(r, STR("]"));
}

/* A number and the bracket behind it. */
static bool read_index(reader *r)
{
    (void) kin__buf_append_byte(r->out, '[');
    if (take(r, STR("-"))) {
        (void) kin__buf_append_byte(r->out, '-');
    }
    size_t digits = 0;
    while (digits < r->rest.len && digits < 9 && r->rest.data[digits] >= '0' &&
           r->rest.data[digits] <= '9') {
        digits++;
    }
    (void) kin__buf_append(r->out, r->rest.data, digits);
    (void) kin__buf_append_byte(r->out, ']');
    r->rest = kin__str(r->rest.data + digits, r->rest.len - digits);
    return digits > 0 && take(r, STR("]"));
}

/* In single or double quotes; a backslash means that the next byte stands for itself. */
static bool read_quoted(reader *r, kin__buf *out)
{
    char quote = r->rest.data[0];

    for (size_t i = 1; i < r->rest.len; i++) {
        char c = r->rest.data[i];
        if (c == quote) {
            r->rest = kin__str(r->rest.data + i + 1, r->rest.len - i - 1);
            return true;
        }
        if (c == '\\' && ++i == r->rest.len) {
            return false;
        }
        (void) kin__buf_append_byte(out, r->rest.data[i]);
    }
    return false;
}

/* @.name==VALUE)] */
static bool read_filter(reader *r)
{
    skip_blanks(r);
    if (!take(r, STR("@."))) {
        return false;
    }
    (void) kin__buf_append_str(r->out, STR("[?"));
    if (read_name(r, r->out) == 0) {
        return false;
    }
    skip_blanks(r);
    bool is_equal = take(r, STR("=="));
    if (!is_equal && !take(r, STR("!="))) {
        return false;
    }
    (void) kin__buf_append_str(r->out, is_equal ? STR("==") : STR("!="));
    skip_blanks(r);
    if (!read_operand(r)) {
        return false;
    }
    skip_blanks(r);
    (void) kin__buf_append_byte(r->out, ']');
    return take(r, STR(")]"));
}

/* A string, a number, true or false. */
static bool read_operand(reader *r)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    if (r->rest.len > 0 && (r->rest.data[0] == '\'' || r->rest.data[0] == '"')) {
        bool is_whole = read_quoted(r, &text);
        r->out->has_failed |= kin__buf_failed(&text);
        (void) kin__json_append_string(r->out, kin__str(text.data, text.len));
        return is_whole;
    }
    size_t len = 0;
    while (len < r->rest.len && r->rest.data[len] != ')' && r->rest.data[len] != ' ') {
        len++;
    }
    (void) kin__buf_append(r->out, r->rest.data, len);
    r->rest = kin__str(r->rest.data + len, r->rest.len - len);
    return len > 0;
}

/* Up to what ends a name in client-go; a backslash takes that from the next byte.  Returns how many
 * bytes the name has. */
static size_t read_name(reader *r, kin__buf *out)
{
    static const char ends[] = " \t\r\n.,[]$@{}=!<>)";
    size_t i = 0;
    size_t len = 0;

    for (; i < r->rest.len && memchr(ends, r->rest.data[i], sizeof ends) == NULL; i++, len++) {
        if (r->rest.data[i] == '\\' && ++i == r->rest.len) {
            break;
        }
        (void) kin__buf_append_byte(out, r->rest.data[i]);
    }
    r->rest = kin__str(r->rest.data + i, r->rest.len - i);
    return len;
}

static bool take(reader *r, kin_str text)
{
    if (!kin__str_starts_with(r->rest, text)) {
        return false;
    }
    r->rest = kin__str(r->rest.data + text.len, r->rest.len - text.len);
    return true;
}

static void skip_blanks(reader *r)
{
    while (take(r, STR(" "))) {
    }
}
