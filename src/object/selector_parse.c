/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector_parse.c - reading a label selector's text.
 *
 * The grammar and the words for what breaks it are those of labels.Parse() in k8s.io/apimachinery.
 * White space may stand between any two tokens.  A word is whatever is neither white space nor a
 * symbol; "in" and "notin" are operators only where an operator is due.
 *
 * One token is looked at ahead, nothing recurses, and each byte is read once.
 */
#include "kin/selector.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "object/fault.h"
#include "object/label_name.h"
#include "object/selector_check.h"
#include "object/selector_draft.h"

typedef enum token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_NOT,           /* ! */
    TOKEN_EQUALS,        /* = */
    TOKEN_DOUBLE_EQUALS, /* == */
    TOKEN_NOT_EQUALS,    /* != */
    TOKEN_GREATER,       /* > */
    TOKEN_LESS,          /* < */
    TOKEN_COMMA,
    TOKEN_OPEN, /* ( */
    TOKEN_CLOSE /* ) */
} token_kind;

typedef struct selector_token {
    token_kind kind;
    kin_str text;
} selector_token;

typedef struct selector_parser {
    kin_str text;
    size_t next;          /* the first byte after `ahead` */
    selector_token ahead; /* not yet taken */
    const char *context;  /* words before those of a fault */
    kin__selector_draft *draft;
    kin__fault *fault;
} selector_parser;

/* These return false when the text is wrong, and `fault` has the words, or memory ran out, and the
 * draft knows. */
static bool parse_selector(selector_parser *parser);
static bool parse_requirement(selector_parser *parser);
static bool parse_comparison(selector_parser *parser, kin_str key);
static bool parse_operator(selector_parser *parser, kin__operator *out);
static bool parse_value(selector_parser *parser);
static bool parse_values(selector_parser *parser);
static bool add_requirement(selector_parser *parser, kin_str key, kin__operator op);
static bool add_value(selector_parser *parser, kin_str value);
static bool say_found(selector_parser *parser, selector_token token, const char *expected);
static bool say_bad_key(selector_parser *parser, kin_str key);
static void begin_fault(selector_parser *parser, kin_str at);
static size_t place_of(const selector_parser *parser, kin_str part);
static bool is_word_or_not(selector_token token);
static selector_token take(selector_parser *parser);
static selector_token read_token(selector_parser *parser);
static token_kind symbol_at(kin_str rest, size_t *out_len);
static bool is_space(char c);

kin_err kin_selector_parse(const char *text, kin_selector **out, kin_error *err)
{
    kin__fault fault = { 0 };
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    size_t len = text == NULL ? 0 : strnlen(text, KIN__SELECTOR_TEXT_MAX + 1);
    if (len > KIN__SELECTOR_TEXT_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "parse label selector: longer than %d bytes",
                              KIN__SELECTOR_TEXT_MAX);
    }
    kin_str whole = kin__str(text == NULL ? "" : text, len);
    kin_err code = kin__selector_read(whole, out, &fault, err);
    if (fault.len > 0) {
        return kin__fault_raise(&fault, "parse label selector", whole, err);
    }
    return code == KIN_OK ? KIN_OK : kin__error_prefix(err, "parse label selector");
}

kin_err kin__selector_read(kin_str text, kin_selector **out, kin__fault *fault, kin_error *err)
{
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
    selector_parser parser = { .text = text, .context = "", .draft = &draft, .fault = fault };

    parser.ahead = read_token(&parser);
    if (!parse_selector(&parser) && fault->len > 0) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "%s", fault->words);
    }
    return kin__selector_draft_finish(&draft, out, err);
}

static bool parse_selector(selector_parser *parser)
{
    if (parser->ahead.kind == TOKEN_END) {
        return true;
    }
    if (!is_word_or_not(parser->ahead)) {
        return say_found(parser, parser->ahead, ", expected: !, identifier, or 'end of string'");
    }
    for (;;) {
        parser->context = "unable to parse requirement: ";
        if (!parse_requirement(parser)) {
            return false;
        }
        parser->context = "";
        selector_token after = take(parser);
        if (after.kind == TOKEN_END) {
            return true;
        }
        if (after.kind != TOKEN_COMMA) {
            return say_found(parser, after, ", expected: ',' or 'end of string'");
        }
        if (!is_word_or_not(parser->ahead)) {
            return say_found(parser, parser->ahead, ", expected: identifier after ','");
        }
    }
}

/* After "!key" nothing is looked at: whatever is wrong there is wrong after a requirement. */
static bool parse_requirement(selector_parser *parser)
{
    selector_token key = take(parser);
    bool is_not = key.kind == TOKEN_NOT;
    if (is_not) {
        key = take(parser);
    }
    if (key.kind != TOKEN_WORD) {
        return say_found(parser, key, ", expected: identifier");
    }
    if (!kin__label_key_is_valid(key.text)) {
        return say_bad_key(parser, key.text);
    }
    if (is_not) {
        return add_requirement(parser, key.text, KIN__OPERATOR_NOT_EXISTS);
    }
    if (parser->ahead.kind == TOKEN_END || parser->ahead.kind == TOKEN_COMMA) {
        return add_requirement(parser, key.text, KIN__OPERATOR_EXISTS);
    }
    return parse_comparison(parser, key.text);
}

static bool parse_comparison(selector_parser *parser, kin_str key)
{
    kin__operator op = KIN__OPERATOR_EXISTS;

    if (!parse_operator(parser, &op) || !add_requirement(parser, key, op)) {
        return false;
    }
    bool is_set = op == KIN__OPERATOR_IN || op == KIN__OPERATOR_NOT_IN;
    if (is_set ? !parse_values(parser) : !parse_value(parser)) {
        return false;
    }
    kin__selector_draft_sort_values(parser->draft);

    begin_fault(parser, key);
    size_t last = kin__selector_draft_count(parser->draft) - 1;
    if (!kin__selector_check(parser->draft, last, parser->fault)) {
        return false;
    }
    *parser->fault = (kin__fault){ 0 };
    return true;
}

static bool parse_operator(selector_parser *parser, kin__operator *out)
{
    selector_token token = take(parser);

    switch (token.kind) {
    case TOKEN_EQUALS:
        *out = KIN__OPERATOR_EQUALS;
        return true;
    case TOKEN_DOUBLE_EQUALS:
        *out = KIN__OPERATOR_DOUBLE_EQUALS;
        return true;
    case TOKEN_NOT_EQUALS:
        *out = KIN__OPERATOR_NOT_EQUALS;
        return true;
    case TOKEN_GREATER:
        *out = KIN__OPERATOR_GREATER;
        return true;
    case TOKEN_LESS:
        *out = KIN__OPERATOR_LESS;
        return true;
    case TOKEN_WORD:
        if (kin__str_equal(token.text, STR("in"))) {
            *out = KIN__OPERATOR_IN;
            return true;
        }
        if (kin__str_equal(token.text, STR("notin"))) {
            *out = KIN__OPERATOR_NOT_IN;
            return true;
        }
        break;
    case TOKEN_END:
    case TOKEN_NOT:
    case TOKEN_COMMA:
    case TOKEN_OPEN:
    case TOKEN_CLOSE:
        break;
    }
    return say_found(parser, token, ", expected: in, notin, =, ==, !=, gt, lt");
}

/* The value may be left out: then it is "". */
static bool parse_value(selector_parser *parser)
{
    if (parser->ahead.kind == TOKEN_END || parser->ahead.kind == TOKEN_COMMA) {
        return add_value(parser, kin__str(parser->ahead.text.data, 0));
    }
    selector_token value = take(parser);
    if (value.kind != TOKEN_WORD) {
        return say_found(parser, value, ", expected: identifier");
    }
    return add_value(parser, value.text);
}

/* Between two commas, or a comma and a bracket, the value may be left out: then it is "". */
static bool parse_values(selector_parser *parser)
{
    const char *expected = ", expected: ',', ')' or identifier";
    selector_token token = take(parser);
    if (token.kind != TOKEN_OPEN) {
        return say_found(parser, token, " expected: '('");
    }
    while (token.kind != TOKEN_CLOSE) {
        kin_str value = kin__str(parser->ahead.text.data, 0);
        if (parser->ahead.kind == TOKEN_WORD) {
            value = take(parser).text;
            expected = ", expected: ',' or ')'";
        }
        if (parser->ahead.kind != TOKEN_COMMA && parser->ahead.kind != TOKEN_CLOSE) {
            return say_found(parser, parser->ahead, expected);
        }
        if (!add_value(parser, value)) {
            return false;
        }
        token = take(parser);
        expected = ", expected: ',', or identifier";
    }
    return true;
}

static bool add_requirement(selector_parser *parser, kin_str key, kin__operator op)
{
    return kin__selector_draft_add(parser->draft, key, op, place_of(parser, key));
}

static bool add_value(selector_parser *parser, kin_str value)
{
    return kin__selector_draft_add_value(parser->draft, value, place_of(parser, value));
}

static bool say_found(selector_parser *parser, selector_token token, const char *expected)
{
    begin_fault(parser, token.text);
    kin__fault_say(parser->fault, "found '");
    kin__fault_show(parser->fault, token.text);
    kin__fault_say(parser->fault, "'%s", expected);
    return false;
}

/* Here the server does not say whose value is invalid, but "<nil>". */
static bool say_bad_key(selector_parser *parser, kin_str key)
{
    begin_fault(parser, key);
    kin__fault_say(parser->fault, "<nil>: Invalid value: ");
    kin__fault_quote(parser->fault, key);
    kin__fault_say(parser->fault, ": ");
    kin__label_key_explain(key, parser->fault);
    return false;
}

static void begin_fault(selector_parser *parser, kin_str at)
{
    *parser->fault = (kin__fault){ .at = place_of(parser, at) };
    kin__fault_say(parser->fault, "%s", parser->context);
}

static size_t place_of(const selector_parser *parser, kin_str part)
{
    return (size_t) (part.data - parser->text.data);
}

static bool is_word_or_not(selector_token token)
{
    return token.kind == TOKEN_WORD || token.kind == TOKEN_NOT;
}

static selector_token take(selector_parser *parser)
{
    selector_token token = parser->ahead;

    parser->ahead = read_token(parser);
    return token;
}

/* At the end it is an empty one, for ever. */
static selector_token read_token(selector_parser *parser)
{
    const char *end = parser->text.data + parser->text.len;
    const char *at = parser->text.data + parser->next;
    size_t len = 0;

    while (at < end && is_space(*at)) {
        at++;
    }
    token_kind kind = symbol_at(kin__str(at, (size_t) (end - at)), &len);
    if (kind == TOKEN_WORD) {
        const char *rest = at;
        size_t symbol_len;
        while (rest < end && !is_space(*rest) &&
               symbol_at(kin__str(rest, 1), &symbol_len) == TOKEN_WORD) {
            rest++;
        }
        len = (size_t) (rest - at);
    }
    parser->next = (size_t) (at - parser->text.data) + len;
    return (selector_token){ kind, kin__str(at, len) };
}

/* The symbol that `rest` begins with and its length; TOKEN_WORD when it begins with none. */
static token_kind symbol_at(kin_str rest, size_t *out_len)
{
    if (rest.len == 0) {
        *out_len = 0;
        return TOKEN_END;
    }
    bool has_equals = rest.len > 1 && rest.data[1] == '=';
    *out_len = 1;
    switch (rest.data[0]) {
    case '=':
        *out_len = has_equals ? 2 : 1;
        return has_equals ? TOKEN_DOUBLE_EQUALS : TOKEN_EQUALS;
    case '!':
        *out_len = has_equals ? 2 : 1;
        return has_equals ? TOKEN_NOT_EQUALS : TOKEN_NOT;
    case '>':
        return TOKEN_GREATER;
    case '<':
        return TOKEN_LESS;
    case ',':
        return TOKEN_COMMA;
    case '(':
        return TOKEN_OPEN;
    case ')':
        return TOKEN_CLOSE;
    default:
        return TOKEN_WORD;
    }
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
