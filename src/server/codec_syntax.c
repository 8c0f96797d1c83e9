/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_syntax.c - what is wrong with bytes that are no JSON, in the words of Go.
 *
 * Goes over the text byte by byte, as Go's scanner does, and only after the fast one has found a
 * fault: the words depend on what stands open at that byte and on nothing else.  They are those of
 * encoding/json/scanner.go of Go 1.26.
 */
#include "server/codec_syntax.h"

#include <stdio.h>

#include "base/str.h"
#include "server/quote.h"

#define GO_DEPTH_MAX 10000

typedef struct scan {
    const char *at;
    const char *end;
    kin__buf *buf;  /* for the words */
    kin__buf open;  /* the brackets that are open */
    bool has_words; /* the fault is found */
} scan;

static void scan_document(scan *s);
static bool scan_value(scan *s);
static bool scan_after_value(scan *s, bool *out_is_done);
static bool scan_key(scan *s, bool is_first);
static bool scan_string(scan *s);
static bool scan_escape(scan *s);
static bool scan_number(scan *s);
static bool scan_digits(scan *s, const char *context);
static bool scan_literal(scan *s, const char *word);
static bool skip_space(scan *s);
static bool open_bracket(scan *s);
static bool wrong(scan *s, const char *context);
static bool ended(scan *s);

void kin__codec_syntax_error(kin_str text, kin__buf *buf)
{
    kin_str given = text.len == 0 ? STR("") : text; /* which points to something */
    scan s = { .at = given.data, .end = given.data + given.len, .buf = buf };

    if (given.len == 0) {
        (void) ended(&s);
    } else {
        scan_document(&s);
    }
    if (!s.has_words) {
        (void) kin__buf_append_str(buf, STR("text that is no UTF-8, or nested too deeply"));
    }
    if (kin__buf_failed(&s.open)) {
        buf->has_failed = true;
    }
    kin__buf_fini(&s.open);
}

static void scan_document(scan *s)
{
    bool is_done = false;

    while (!is_done) {
        if (!skip_space(s) || !scan_value(s) || !scan_after_value(s, &is_done)) {
            return;
        }
    }
    while (s->at < s->end &&
           (*s->at == ' ' || *s->at == '\n' || *s->at == '\r' || *s->at == '\t')) {
        s->at++;
    }
    if (s->at < s->end) {
        (void) wrong(s, "after top-level value");
    }
}

/* A scalar, or the beginning of a container up to where its first value would begin. */
static bool scan_value(scan *s)
{
    for (;;) {
        char first = *s->at;
        if (first != '{' && first != '[') {
            break;
        }
        if (!open_bracket(s) || !skip_space(s)) {
            return false;
        }
        if (*s->at == (first == '{' ? '}' : ']')) {
            return true; /* it is closed as any other */
        }
        if (first == '{' && (!scan_key(s, true) || !skip_space(s))) {
            return false;
        }
    }
    switch (*s->at) {
    case '"':
        s->at++;
        return scan_string(s);
    case 't':
        return scan_literal(s, "true");
    case 'f':
        return scan_literal(s, "false");
    case 'n':
        return scan_literal(s, "null");
    default:
        return scan_number(s);
    }
}

/* Closes what is closed, up to where the next value begins or the document is done. */
static bool scan_after_value(scan *s, bool *out_is_done)
{
    while (s->open.len != 0) {
        bool is_object = s->open.data[s->open.len - 1] == '{';
        if (!skip_space(s)) {
            return false;
        }
        if (*s->at == ',') {
            s->at++;
            return !is_object || scan_key(s, false);
        }
        if (*s->at != (is_object ? '}' : ']')) {
            return wrong(s, is_object ? "after object key:value pair" : "after array element");
        }
        s->at++;
        s->open.len--;
    }
    *out_is_done = true;
    return true;
}

static bool scan_key(scan *s, bool is_first)
{
    if (!is_first && !skip_space(s)) {
        return false;
    }
    if (*s->at != '"') {
        return wrong(s, "looking for beginning of object key string");
    }
    s->at++;
    if (!scan_string(s) || !skip_space(s)) {
        return false;
    }
    if (*s->at != ':') {
        return wrong(s, "after object key");
    }
    s->at++;
    return true;
}

/* From behind its opening quote. */
static bool scan_string(scan *s)
{
    while (s->at < s->end) {
        unsigned char byte = (unsigned char) *s->at;
        if (byte == '"') {
            s->at++;
            return true;
        }
        if (byte < 0x20) {
            return wrong(s, "in string literal");
        }
        s->at++;
        if (byte == '\\' && !scan_escape(s)) {
            return false;
        }
    }
    return ended(s);
}

static bool scan_escape(scan *s)
{
    static const char escapes[] = "bfnrt\\/\"u";

    if (s->at == s->end || *s->at == '\0' || strchr(escapes, *s->at) == NULL) {
        return wrong(s, "in string escape code");
    }
    if (*s->at++ != 'u') {
        return true;
    }
    for (int i = 0; i < 4; i++, s->at++) {
        if (s->at == s->end || *s->at == '\0' || strchr("0123456789abcdefABCDEF", *s->at) == NULL) {
            return wrong(s, "in \\u hexadecimal character escape");
        }
    }
    return true;
}

static bool scan_number(scan *s)
{
    bool is_negative = *s->at == '-';
    s->at += is_negative;

    if (s->at < s->end && *s->at == '0') {
        s->at++;
    } else if (s->at == s->end || *s->at < '0' || *s->at > '9') {
        return wrong(s, is_negative ? "in numeric literal" : "looking for beginning of value");
    } else if (!scan_digits(s, "")) {
        return false;
    }
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        if (!scan_digits(s, "after decimal point in numeric literal")) {
            return false;
        }
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        s->at += s->at < s->end && (*s->at == '+' || *s->at == '-');
        return scan_digits(s, "in exponent of numeric literal");
    }
    return true;
}

/* One at least. */
static bool scan_digits(scan *s, const char *context)
{
    if (s->at == s->end || *s->at < '0' || *s->at > '9') {
        return wrong(s, context);
    }
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9') {
        s->at++;
    }
    return true;
}

static bool scan_literal(scan *s, const char *word)
{
    for (size_t i = 0; word[i] != '\0'; i++, s->at++) {
        char context[64];
        if (s->at == s->end || *s->at != word[i]) {
            (void) snprintf(context, sizeof context, "in literal %s (expecting '%c')", word,
                            word[i]);
            return wrong(s, context);
        }
    }
    return true;
}

/* False at the end. */
static bool skip_space(scan *s)
{
    while (s->at < s->end &&
           (*s->at == ' ' || *s->at == '\n' || *s->at == '\r' || *s->at == '\t')) {
        s->at++;
    }
    return s->at < s->end || ended(s);
}

static bool open_bracket(scan *s)
{
    if (s->open.len == GO_DEPTH_MAX) {
        (void) kin__buf_append_str(s->buf, STR("exceeded max depth"));
        s->has_words = true;
        return false;
    }
    return kin__buf_append_byte(&s->open, *s->at++);
}

/* The byte at hand, as Go's quoteChar() writes it: a byte above 0x7f is that character of
 * Latin-1.  At the end of a text Go looks whether a space might follow. */
static bool wrong(scan *s, const char *context)
{
    unsigned char byte = s->at == s->end ? ' ' : (unsigned char) *s->at;
    char text[3] = { (char) byte };
    size_t len = 1;

    if (byte >= 0x80) {
        text[0] = (char) (0xc0 | byte >> 6);
        text[1] = (char) (0x80 | (byte & 0x3f));
        len = 2;
    }
    (void) kin__buf_append_str(s->buf, STR("invalid character "));
    if (byte == '\'' || byte == '"') {
        (void) kin__buf_append_str(s->buf, byte == '"' ? STR("'\"'") : STR("'\\''"));
    } else {
        size_t first = s->buf->len;
        kin__quote_append(kin__str(text, len), s->buf);
        if (!kin__buf_failed(s->buf)) {
            s->buf->data[first] = '\'';
            s->buf->data[s->buf->len - 1] = '\'';
        }
    }
    (void) kin__buf_append_byte(s->buf, ' ');
    (void) kin__buf_append_str(s->buf, kin_str_of(context));
    s->has_words = true;
    return false;
}

static bool ended(scan *s)
{
    (void) kin__buf_append_str(s->buf, STR("unexpected end of JSON input"));
    s->has_words = true;
    return false;
}
