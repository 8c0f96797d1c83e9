/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.c - reading paths, and writing them.
 *
 * There is one reader.  It fills arrays that its caller provides: those of a kin__path_parsed on
 * the stack, or temporary ones from which kin_path_new() packs the steps, their strings and the
 * canonical text into a single block.
 *
 * The whole text must be UTF-8, so that no name has bytes that the canonical text could not spell.
 */
#include "object/path.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/hex.h"
#include "json/number.h"
#include "json/scalar.h"
#include "json/string.h"

/* Of a path that is quoted in a message. */
#define QUOTED_MAX 256

/* What is left to read, and where what is read goes. */
typedef struct path_reader {
    const char *text; /* valid UTF-8 */
    const char *at;
    kin__step *steps;
    size_t steps_max;
    size_t count;
    char *strings; /* for those that have to be decoded */
    size_t strings_size;
    kin_error *err;
} path_reader;

static kin_err read_path(path_reader *reader);
static kin_err read_member(path_reader *reader);
static kin_err read_bracket(path_reader *reader);
static kin_err read_index(path_reader *reader, kin__step *step);
static kin_err read_filter(path_reader *reader, kin__step *step);
static kin_err read_literal(path_reader *reader, kin__step *step);
static kin_err read_string(path_reader *reader, kin_str *out);
static kin_str take_name(path_reader *reader);
static bool take(path_reader *reader, const char *word);
static kin_err add_step(path_reader *reader, const kin__step *step);
static kin_err expected(const path_reader *reader, const char *what);
static kin_err fail(const path_reader *reader, kin_err code, const char *what);
static kin_err check_utf8(path_reader *reader);
static size_t escape_len(const char *at);
static int unit_at(const char *at);
static size_t count_digits(const char *at);
static bool is_plain(kin_str name);
static bool is_plain_byte(char byte);

static kin_err pack(const kin__step *steps, size_t count, kin_path **out, kin_error *err);
static kin_str pack_str(char **space, kin_str s);
static void append_step(const kin__step *step, bool is_first, kin__buf *buf);
static void append_member(kin_str name, bool is_first, kin__buf *buf);
static void append_filter(const kin__step *step, kin__buf *buf);

kin_err kin_path_new(const char *text, kin_path **out, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (text == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "read path: there is no text");
    }
    size_t len = 0;
    size_t steps_max = 1; /* the first step; each other one begins with a dot or a bracket */
    for (; text[len] != '\0'; len++) {
        steps_max += text[len] == '.' || text[len] == '[';
    }
    if (steps_max > KIN__PATH_STEPS_MAX) {
        steps_max = KIN__PATH_STEPS_MAX;
    }

    AUTO(kin__buf_fini) kin__buf space = { 0 };
    size_t steps_size = steps_max * sizeof(kin__step);
    if (!kin__buf_reserve(&space, steps_size + len)) {
        return kin__error_no_memory(err);
    }
    path_reader reader = {
        .text = text,
        .at = text,
        .steps = (kin__step *) (void *) space.data,
        .steps_max = steps_max,
        .strings = space.data + steps_size,
        .strings_size = len,
        .err = err,
    };
    kin_err code = read_path(&reader);
    return code != KIN_OK ? code : pack(reader.steps, reader.count, out, err);
}

void kin_path_free(kin_path *path)
{
    kin__free(path);
}

const char *kin_path_text(const kin_path *path)
{
    return path->text;
}

kin_err kin__path_parse(const char *text, kin__path_parsed *out, kin_error *err)
{
    path_reader reader = {
        .text = text,
        .at = text,
        .steps = out->steps,
        .steps_max = KIN_PATH_TEXT_STEPS,
        .strings = out->strings,
        .strings_size = sizeof out->strings,
        .err = err,
    };
    kin_err code = read_path(&reader);
    if (code == KIN_OK) {
        out->count = reader.count;
    }
    return code;
}

bool kin__path_append_text(const kin__step *steps, size_t count, kin__buf *buf)
{
    for (size_t i = 0; i < count; i++) {
        append_step(&steps[i], i == 0, buf);
    }
    return !kin__buf_failed(buf);
}

static kin_err read_path(path_reader *reader)
{
    kin_err code = check_utf8(reader);
    while (code == KIN_OK && *reader->at != '\0') {
        if (*reader->at == '[') {
            code = read_bracket(reader);
        } else if (reader->count == 0 || take(reader, ".")) {
            code = read_member(reader);
        } else {
            code = expected(reader, "'.' or '['");
        }
    }
    return code;
}

static kin_err read_member(path_reader *reader)
{
    kin__step step = { .kind = KIN__STEP_MEMBER, .name = take_name(reader) };
    if (step.name.len == 0) {
        return expected(reader, "a member name");
    }
    return add_step(reader, &step);
}

static kin_err read_bracket(path_reader *reader)
{
    kin__step step = { .kind = KIN__STEP_MEMBER };
    kin_err code = KIN_OK;

    reader->at++;
    if (*reader->at == '"') {
        code = read_string(reader, &step.name);
    } else if (take(reader, "*")) {
        step.kind = KIN__STEP_EACH;
    } else if (take(reader, "?")) {
        code = read_filter(reader, &step);
    } else {
        code = read_index(reader, &step);
    }
    if (code != KIN_OK) {
        return code;
    }
    if (!take(reader, "]")) {
        return expected(reader, "']'");
    }
    return add_step(reader, &step);
}

/* As JSON writes whole numbers; "-0" would be neither the first nor the last element. */
static kin_err read_index(path_reader *reader, kin__step *step)
{
    const char *digits = reader->at + (*reader->at == '-' ? 1 : 0);
    size_t len = count_digits(digits);
    if (len == 0) {
        return expected(reader, "a number, a name in quotes, '*' or '?'");
    }
    kin_str raw = kin__str(reader->at, (size_t) (digits - reader->at) + len);
    if ((digits[0] == '0' && raw.len > 1) || kin__json_int64(raw, &step->index) != KIN_OK) {
        return expected(reader, "the number of an element");
    }
    step->kind = KIN__STEP_ELEMENT;
    reader->at += raw.len;
    return KIN_OK;
}

static kin_err read_filter(path_reader *reader, kin__step *step)
{
    step->kind = KIN__STEP_FILTER;
    step->name = take_name(reader);
    if (step->name.len == 0) {
        return expected(reader, "a member name");
    }
    step->is_not = take(reader, "!=");
    if (!step->is_not && !take(reader, "==")) {
        return expected(reader, "'==' or '!='");
    }
    return read_literal(reader, step);
}

static kin_err read_literal(path_reader *reader, kin__step *step)
{
    const char *start = reader->at;

    if (*start == '"') {
        step->literal_type = KIN_TYPE_STRING;
        return read_string(reader, &step->literal);
    }
    kin__scalar state = kin__scalar_begin((unsigned char) *start);
    kin__scalar next = state;
    if (state == KIN__SCALAR_NONE) {
        return expected(reader, "a string, a number, true, false or null");
    }
    for (; next != KIN__SCALAR_NONE; reader->at++) {
        state = next;
        next = kin__scalar_next(state, (unsigned char) reader->at[1]);
    }
    if (!kin__scalar_is_whole(state)) {
        return expected(reader, kin__scalar_wants(state));
    }
    bool is_bool = *start == 't' || *start == 'f';
    step->literal_type = is_bool ? KIN_TYPE_BOOL : *start == 'n' ? KIN_TYPE_NULL : KIN_TYPE_NUMBER;
    step->literal = kin__str(start, (size_t) (reader->at - start));
    return KIN_OK;
}

static kin_err read_string(path_reader *reader, kin_str *out)
{
    const char *start = ++reader->at;

    for (; *reader->at != '"'; reader->at++) {
        if ((unsigned char) *reader->at < 0x20) {
            return expected(reader, *reader->at == '\0' ? "'\"'" : "no control character");
        }
        if (*reader->at == '\\') {
            size_t len = escape_len(reader->at);
            if (len == 0) {
                return expected(reader, "an escape of JSON");
            }
            reader->at += len - 1;
        }
    }
    kin_str raw = kin__str(start, (size_t) (reader->at - start));
    reader->at++;
    if (!kin__json_has_escapes(raw)) {
        *out = raw;
        return KIN_OK;
    }
    if (raw.len > reader->strings_size) {
        return fail(reader, KIN_ERR_LIMIT, "the strings with escapes are too long");
    }
    *out = kin__str(reader->strings, kin__json_decode(raw, reader->strings));
    reader->strings += out->len;
    reader->strings_size -= out->len;
    return KIN_OK;
}

static kin_str take_name(path_reader *reader)
{
    const char *start = reader->at;
    while (is_plain_byte(*reader->at)) {
        reader->at++;
    }
    return kin__str(start, (size_t) (reader->at - start));
}

static bool take(path_reader *reader, const char *word)
{
    size_t len = strlen(word);
    if (strncmp(reader->at, word, len) != 0) {
        return false;
    }
    reader->at += len;
    return true;
}

static kin_err add_step(path_reader *reader, const kin__step *step)
{
    if (reader->count == reader->steps_max) {
        return fail(reader, KIN_ERR_LIMIT, "there are too many steps");
    }
    reader->steps[reader->count++] = *step;
    return KIN_OK;
}

static kin_err expected(const path_reader *reader, const char *what)
{
    char words[80];
    (void) snprintf(words, sizeof words, "expected %s", what);
    return fail(reader, KIN_ERR_MALFORMED, words);
}

static kin_err fail(const path_reader *reader, kin_err code, const char *what)
{
    size_t len = strnlen(reader->text, QUOTED_MAX);
    bool is_cut = reader->text[len] != '\0';
    while (is_cut && len > 0 && ((unsigned char) reader->text[len] & 0xc0) == 0x80) {
        len--; /* no character is cut in two */
    }
    return kin__error_set(reader->err, code, "read path \"%.*s\"%s: %s at byte %zu", (int) len,
                          reader->text, is_cut ? "..." : "", what,
                          (size_t) (reader->at - reader->text));
}

static kin_err check_utf8(path_reader *reader)
{
    const char *end = reader->text + strlen(reader->text);
    const char *at = reader->text;
    while (at < end) {
        bool is_ascii = (unsigned char) *at < 0x80;
        size_t len = is_ascii ? 1 : kin__utf8_char_len(at, (size_t) (end - at));
        if (len == 0) {
            reader->at = at;
            return expected(reader, "UTF-8");
        }
        at += len;
    }
    return KIN_OK;
}

/* 0 when it is none. */
static size_t escape_len(const char *at)
{
    if (at[1] != 'u') {
        return at[1] != '\0' && strchr("\"\\/bfnrt", at[1]) != NULL ? 2 : 0;
    }
    int first = unit_at(at);
    bool is_high = first >= 0xd800 && first <= 0xdbff;
    bool is_low = first >= 0xdc00 && first <= 0xdfff;
    if (is_high && at[6] == '\\' && at[7] == 'u') {
        int second = unit_at(at + 6);
        return second >= 0xdc00 && second <= 0xdfff ? 12 : 0;
    }
    return first < 0 || is_high || is_low ? 0 : 6;
}

/* What \uXXXX says; -1 when it is none.  The text is terminated, and a zero is no digit. */
static int unit_at(const char *at)
{
    int unit = 0;

    for (size_t i = 2; i < 6; i++) {
        int digit = kin__hex_digit((unsigned char) at[i]);
        if (digit < 0) {
            return -1;
        }
        unit = unit << 4 | digit;
    }
    return unit;
}

static size_t count_digits(const char *at)
{
    size_t len = 0;
    while (at[len] >= '0' && at[len] <= '9') {
        len++;
    }
    return len;
}

static bool is_plain(kin_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!is_plain_byte(name.data[i])) {
            return false;
        }
    }
    return name.len > 0;
}

static bool is_plain_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || byte == '$' ||
           (unsigned char) byte >= 0x80;
}

static kin_err pack(const kin__step *steps, size_t count, kin_path **out, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    size_t strings_size = 0;

    if (!kin__path_append_text(steps, count, &text)) {
        return kin__error_no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        strings_size += steps[i].name.len + steps[i].literal.len;
    }
    size_t steps_size = count * sizeof *steps;
    kin_path *path = kin__alloc(sizeof *path + steps_size + strings_size + text.len + 1);
    if (path == NULL) {
        return kin__error_no_memory(err);
    }
    char *space = (char *) path->steps + steps_size;
    for (size_t i = 0; i < count; i++) {
        path->steps[i] = steps[i];
        path->steps[i].name = pack_str(&space, steps[i].name);
        path->steps[i].literal = pack_str(&space, steps[i].literal);
    }
    path->count = count;
    path->text = space;
    (void) pack_str(&space, kin__str(text.data, text.len));
    *space = '\0';
    *out = path;
    return KIN_OK;
}

/* Copies `s` to the free space, and moves that on. */
static kin_str pack_str(char **space, kin_str s)
{
    kin_str copy = kin__str(*space, s.len);
    if (s.len != 0) {
        memcpy(*space, s.data, s.len);
    }
    *space += s.len;
    return copy;
}

static void append_step(const kin__step *step, bool is_first, kin__buf *buf)
{
    switch (step->kind) {
    case KIN__STEP_MEMBER:
        append_member(step->name, is_first, buf);
        return;
    case KIN__STEP_ELEMENT:
        kin__buf_append_format(buf, "[%" PRId64 "]", step->index);
        return;
    case KIN__STEP_EACH:
        kin__buf_append_str(buf, STR("[*]"));
        return;
    case KIN__STEP_FILTER:
        append_filter(step, buf);
        return;
    }
}

static void append_member(kin_str name, bool is_first, kin__buf *buf)
{
    if (is_plain(name)) {
        kin__buf_append_str(buf, is_first ? STR("") : STR("."));
        kin__buf_append_str(buf, name);
        return;
    }
    kin__buf_append_byte(buf, '[');
    kin__json_append_string(buf, name);
    kin__buf_append_byte(buf, ']');
}

static void append_filter(const kin__step *step, kin__buf *buf)
{
    kin__buf_append_str(buf, STR("[?"));
    kin__buf_append_str(buf, step->name);
    kin__buf_append_str(buf, step->is_not ? STR("!=") : STR("=="));
    if (step->literal_type == KIN_TYPE_STRING) {
        kin__json_append_string(buf, step->literal);
    } else {
        kin__buf_append_str(buf, step->literal);
    }
    kin__buf_append_byte(buf, ']');
}
