/* SPDX-License-Identifier: Apache-2.0 */
/*
 * continue_token.c - tokens read as Go does: base64, JSON into a struct, and then what it says.
 *
 * Where something is wrong the words are Go's, behind those of the API server.
 */
#include "server/continue_token.h"

#include <inttypes.h>

#include "base/base64.h"
#include "base/str.h"
#include "json/cursor.h"
#include "json/scanner.h"
#include "json/string.h"
#include "server/codec_syntax.h"

#define VERSION "meta.k8s.io/v1"
#define BAD "invalid continue token: continue key is not valid: "

/* What the JSON says. */
typedef struct token_words {
    kin__buf version;
    int64_t revision;
    kin__buf start;
} token_words;

static void words_fini(token_words *words);
KIN__DEFINE_AUTO_FINI(token_words, words_fini)

static bool decode(kin_str text, kin__buf *out, kin__refusal *no);
static int digit_of(char c);
static bool read_json(kin_str json, token_words *out, kin__refusal *no);
static bool read_member(kin_str name, kin__json value, token_words *out, kin__refusal *no);
static bool read_text(const char *name, kin__json value, kin__buf *out, kin__refusal *no);
static bool read_number(kin__json value, int64_t *out, kin__refusal *no);
static bool refuse_type(const char *name, kin__json value, kin__refusal *no);
static bool check(const token_words *words, kin__refusal *no);
static bool refuse_path(kin_str path, kin__refusal *no);
static bool is_clean(kin_str path);
static kin_str str_of(const kin__buf *buf);

bool kin__continue_read(const char *token, kin__continue *out, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(words_fini) token_words words = { 0 };

    if (!decode(kin_str_of(token), &json, no) || !read_json(str_of(&json), &words, no) ||
        !check(&words, no)) {
        return false;
    }
    kin__continue made = { .revision = words.revision };
    kin_str start = str_of(&words.start);
    size_t slash = start.data[0] == '/' ? 1 : 0;
    if (!kin__buf_reserve(&made.start, 1) ||
        !kin__buf_append(&made.start, start.data + slash, start.len - slash)) {
        kin__buf_fini(&made.start);
        return kin__refuse_no_memory(no);
    }
    *out = made;
    return true;
}

void kin__continue_fini(kin__continue *token)
{
    kin__buf_fini(&token->start);
}

bool kin__continue_write(int64_t revision, bool has_slash, kin_str start, kin__buf *out)
{
    AUTO(kin__buf_fini) kin__buf path = { 0 };
    AUTO(kin__buf_fini) kin__buf json = { 0 };

    (void) kin__buf_append_str(&path, has_slash ? STR("/") : STR(""));
    (void) kin__buf_append_str(&path, start);
    (void) kin__buf_append_format(&json,
                                  "{\"v\":\"" VERSION "\",\"rv\":%" PRId64 ",\"start\":", revision);
    (void) kin__json_append_string(&json, str_of(&path));
    (void) kin__buf_append_byte(&json, '}');
    if (kin__buf_failed(&path) || kin__buf_failed(&json) ||
        !kin__buf_reserve(out, kin__base64_len(json.len))) {
        return false;
    }
    char *at = out->data + out->len;
    kin__base64_write(str_of(&json), at);
    size_t len = kin__base64_len(json.len);
    while (len > 0 && at[len - 1] == '=') {
        len--;
    }
    for (size_t i = 0; i < len; i++) {
        at[i] = at[i] == '+' ? '-' : at[i] == '/' ? '_' : at[i];
    }
    out->len += len;
    return true;
}

static void words_fini(token_words *words)
{
    kin__buf_fini(&words->version);
    kin__buf_fini(&words->start);
}

/* ---- base64 --------------------------------------------------------------------------------- */

/* Go's RawURLEncoding: line ends are skipped, and one digit alone is told by its group's place. */
static bool decode(kin_str text, kin__buf *out, kin__refusal *no)
{
    uint32_t bits = 0;
    unsigned digits = 0;
    size_t group = 0;

    if (!kin__buf_reserve(out, text.len)) {
        return kin__refuse_no_memory(no);
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\n' || text.data[i] == '\r') {
            continue;
        }
        int digit = digit_of(text.data[i]);
        if (digit < 0) {
            return kin__refuse_bad_request(no, BAD "illegal base64 data at input byte %zu", i);
        }
        group = digits % 4 == 0 ? i : group;
        bits = bits << 6 | (uint32_t) digit;
        if (digits++ % 4 != 0) {
            unsigned spare = 2 * (3 - (digits - 1) % 4);
            (void) kin__buf_append_byte(out, (char) (bits >> spare & 0xff));
        }
    }
    if (digits % 4 == 1) {
        return kin__refuse_bad_request(no, BAD "illegal base64 data at input byte %zu", group);
    }
    return true;
}

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static bool read_json(kin_str json, token_words *out, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf words = { 0 };
    kin_error err;

    if (kin__json_check(json, &err) != KIN_OK) {
        kin__codec_syntax_error(json, &words);
        return err.code == KIN_ERR_NO_MEMORY || kin__buf_failed(&words)
                   ? kin__refuse_no_memory(no)
                   : kin__refuse_bad_request(no, BAD "%.*s", (int) words.len, words.data);
    }
    kin__json value = kin__json_of(json);
    kin_type type = kin__json_type(value);
    if (type != KIN_TYPE_OBJECT && type != KIN_TYPE_NULL) {
        return refuse_type(NULL, value, no);
    }
    kin__json_iter iter = kin__json_walk(value);
    while (kin__json_next(&iter)) {
        if (!read_member(iter.key, iter.value, out, no)) {
            return false;
        }
    }
    return true;
}

static bool read_member(kin_str name, kin__json value, token_words *out, kin__refusal *no)
{
    if (kin__json_type(value) == KIN_TYPE_NULL) {
        return true;
    }
    if (kin__str_equal(name, STR("v"))) {
        return read_text("v", value, &out->version, no);
    }
    if (kin__str_equal(name, STR("start"))) {
        return read_text("start", value, &out->start, no);
    }
    return !kin__str_equal(name, STR("rv")) || read_number(value, &out->revision, no);
}

static bool read_text(const char *name, kin__json value, kin__buf *out, kin__refusal *no)
{
    if (kin__json_type(value) != KIN_TYPE_STRING) {
        return refuse_type(name, value, no);
    }
    kin_str raw = kin__json_raw_string(value);
    kin__buf_clear(out);
    if (!kin__buf_reserve(out, raw.len + 1)) {
        return kin__refuse_no_memory(no);
    }
    out->len = kin__json_decode(raw, out->data);
    return true;
}

static bool read_number(kin__json value, int64_t *out, kin__refusal *no)
{
    if (kin__json_type(value) != KIN_TYPE_NUMBER) {
        return refuse_type("rv", value, no);
    }
    kin_str text = kin__json_text(value);
    uint64_t limit = text.data[0] == '-' ? (uint64_t) INT64_MAX + 1 : INT64_MAX;
    uint64_t number = 0;
    for (size_t i = text.data[0] == '-' ? 1 : 0; i < text.len; i++) {
        unsigned digit = (unsigned) (text.data[i] - '0');
        if (digit > 9 || number > (limit - digit) / 10) {
            return kin__refuse_bad_request(no,
                                           BAD "json: cannot unmarshal number %.*s into Go struct "
                                               "field continueToken.rv of type int64",
                                           KIN_STR_ARG(text));
        }
        number = number * 10 + digit;
    }
    *out = text.data[0] == '-' ? (int64_t) (0 - number) : (int64_t) number;
    return true;
}

static bool refuse_type(const char *name, kin__json value, kin__refusal *no)
{
    const char *type = kin_type_name(kin__json_type(value));
    if (name == NULL) {
        return kin__refuse_bad_request(
            no, BAD "json: cannot unmarshal %s into Go value of type storage.continueToken", type);
    }
    return kin__refuse_bad_request(
        no, BAD "json: cannot unmarshal %s into Go struct field continueToken.%s of type %s", type,
        name, kin__str_equal(kin_str_of(name), STR("rv")) ? "int64" : "string");
}

/* ---- what it says --------------------------------------------------------------------------- */

static bool check(const token_words *words, kin__refusal *no)
{
    kin_str start = str_of(&words->start);

    if (!kin__str_equal(str_of(&words->version), STR(VERSION))) {
        return kin__refuse_bad_request(no,
                                       BAD "server does not recognize this encoded version %.*s",
                                       KIN_STR_ARG(str_of(&words->version)));
    }
    if (words->revision == 0) {
        return kin__refuse_bad_request(
            no, BAD "incorrect encoded start resourceVersion (version " VERSION ")");
    }
    if (start.len == 0) {
        return kin__refuse_bad_request(no, BAD "encoded start key empty (version " VERSION ")");
    }
    return is_clean(start) || refuse_path(start, no);
}

/* The path may have a NUL in it: tokens end with one. */
static bool refuse_path(kin_str path, kin__refusal *no)
{
    (void) kin__refuse_bad_request(no, BAD);
    return !no->has_no_memory && !kin__buf_append_str(&no->message, path)
               ? kin__refuse_no_memory(no)
               : false;
}

/* Whether path.Clean() leaves it, with a slash in front, as it is. */
static bool is_clean(kin_str path)
{
    size_t at = path.data[0] == '/' ? 1 : 0;

    if (at == path.len) {
        return true;
    }
    for (;;) {
        const char *slash = memchr(path.data + at, '/', path.len - at);
        size_t end = slash == NULL ? path.len : (size_t) (slash - path.data);
        kin_str part = kin__str(path.data + at, end - at);
        if (part.len == 0 || kin__str_equal(part, STR(".")) || kin__str_equal(part, STR(".."))) {
            return false;
        }
        if (slash == NULL) {
            return true;
        }
        at = end + 1;
    }
}

static kin_str str_of(const kin__buf *buf)
{
    return kin__str(buf->data, buf->len);
}
