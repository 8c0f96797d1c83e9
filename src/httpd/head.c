/* SPDX-License-Identifier: Apache-2.0 */
/*
 * head.c - the head of a request.
 */
#include "httpd/head.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

static kin__refusal parse_first_line(kin_str line, kin__head *out);
static kin__refusal check_version(kin_str version, kin__head *out);
static bool is_digit(char c);
static kin__refusal parse_fields(kin__head *out);
static bool is_line(kin_str line);
static bool is_token(kin_str text);
static bool is_token_char(unsigned char c);
static kin__refusal note_field(kin__head *out, kin_str name, kin_str value, unsigned *hosts);
static kin__refusal note_length(kin__head *out, kin_str value);
static kin__refusal note_encoding(kin__head *out, kin_str value);
static kin__refusal note_expectation(kin__head *out, kin_str value);
static bool has_option(kin_str value, kin_str wanted);
static kin_str trim(kin_str text);
static kin__refusal refuse(int status, const char *words);

kin__head_end kin__head_find_end(const char *bytes, size_t len, size_t *scanned, size_t *end)
{
    while (*scanned < len) {
        const char *found = memchr(bytes + *scanned, '\n', len - *scanned);
        if (found == NULL) {
            *scanned = len;
            break;
        }
        size_t i = (size_t) (found - bytes);
        if (i < 2 || bytes[i - 1] != '\r') {
            return KIN__HEAD_BROKEN;
        }
        *scanned = i + 1;
        if (bytes[i - 2] == '\n') {
            *end = i + 1;
            return KIN__HEAD_WHOLE;
        }
    }
    return KIN__HEAD_PARTIAL;
}

kin__refusal kin__head_parse(const char *bytes, size_t len, kin__head *out)
{
    *out = (kin__head){ 0 };
    const char *end = len < 4 ? NULL : memchr(bytes, '\n', len);
    if (end == NULL || end == bytes || end[-1] != '\r' ||
        memcmp(bytes + len - 4, "\r\n\r\n", 4) != 0) {
        return refuse(400, NULL);
    }
    size_t first = (size_t) (end - bytes) + 1;
    kin__refusal refusal = parse_first_line(kin__str(bytes, first - 2), out);
    if (refusal.status != 0) {
        return refusal;
    }
    out->fields = kin__str(bytes + first, len - first - 2);
    return parse_fields(out);
}

bool kin__field_next(kin_str fields, size_t *at, kin_str *name, kin_str *value)
{
    if (*at >= fields.len) {
        return false;
    }
    const char *line = fields.data + *at;
    const char *end = memchr(line, '\n', fields.len - *at);
    if (end == NULL || end == line || end[-1] != '\r') {
        return false;
    }
    size_t len = (size_t) (end - line) - 1;
    const char *colon = memchr(line, ':', len);
    if (colon == NULL) {
        return false;
    }
    *name = kin__str(line, (size_t) (colon - line));
    *value = trim(kin__str(colon + 1, len - name->len - 1));
    *at += len + 2;
    return true;
}

bool kin__field_is(kin_str name, kin_str wanted)
{
    return name.len == wanted.len && strncasecmp(name.data, wanted.data, name.len) == 0;
}

/* The absolute form ("http://host/path") is for proxies; a server must take it all the same. */
bool kin__target_split(kin_str target, kin_str *path, kin_str *query)
{
    kin_str rest = target;
    for (size_t i = 0; i < target.len; i++) {
        unsigned char c = (unsigned char) target.data[i];
        if (c <= ' ' || c == 0x7f) {
            return false;
        }
    }
    size_t scheme = kin__str_starts_with(target, STR("http://"))    ? 7
                    : kin__str_starts_with(target, STR("https://")) ? 8
                                                                    : 0;
    if (scheme != 0) {
        const char *slash = memchr(target.data + scheme, '/', target.len - scheme);
        if (slash == NULL) {
            return false;
        }
        rest = kin__str(slash, target.len - (size_t) (slash - target.data));
    }
    if (rest.len == 0 || (rest.data[0] != '/' && !kin__str_equal(rest, STR("*")))) {
        return false;
    }
    const char *mark = memchr(rest.data, '?', rest.len);
    size_t len = mark == NULL ? rest.len : (size_t) (mark - rest.data);
    *path = kin__str(rest.data, len);
    *query = mark == NULL ? kin__str(rest.data + len, 0) : kin__str(mark + 1, rest.len - len - 1);
    return true;
}

/* "GET /path?query HTTP/1.1" */
static kin__refusal parse_first_line(kin_str line, kin__head *out)
{
    const char *first = memchr(line.data, ' ', line.len);
    const char *last = memrchr(line.data, ' ', line.len);
    if (first == NULL || last == first) {
        return refuse(400, NULL);
    }
    out->method = kin__str(line.data, (size_t) (first - line.data));
    kin_str target = kin__str(first + 1, (size_t) (last - first) - 1);
    kin_str version = kin__str(last + 1, line.len - (size_t) (last - line.data) - 1);
    if (!is_token(out->method) || !kin__target_split(target, &out->path, &out->query)) {
        return refuse(400, NULL);
    }
    return check_version(version, out);
}

static kin__refusal check_version(kin_str version, kin__head *out)
{
    if (version.len != 8 || !kin__str_starts_with(version, STR("HTTP/")) ||
        !is_digit(version.data[5]) || version.data[6] != '.' || !is_digit(version.data[7])) {
        return refuse(400, NULL);
    }
    if (version.data[5] != '1') {
        return refuse(505, "unsupported protocol version");
    }
    out->minor = version.data[7] == '0' ? 0 : 1;
    out->is_kept = out->minor != 0;
    return refuse(0, NULL);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static kin__refusal parse_fields(kin__head *out)
{
    unsigned hosts = 0;
    size_t at = 0;
    while (at < out->fields.len) {
        size_t begin = at;
        kin_str name;
        kin_str value;
        if (!kin__field_next(out->fields, &at, &name, &value) ||
            !is_line(kin__str(out->fields.data + begin, at - begin - 2)) || !is_token(name)) {
            return refuse(400, NULL);
        }
        kin__refusal refusal = note_field(out, name, value, &hosts);
        if (refusal.status != 0) {
            return refusal;
        }
    }
    if (out->is_chunked && (out->has_length || out->minor == 0)) {
        return refuse(400, NULL);
    }
    if (out->minor != 0 && hosts == 0) {
        return refuse(400, "missing required Host header");
    }
    return hosts > 1 ? refuse(400, "too many Host headers") : refuse(0, NULL);
}

static bool is_line(kin_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        unsigned char c = (unsigned char) line.data[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

static bool is_token(kin_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_token_char((unsigned char) text.data[i])) {
            return false;
        }
    }
    return text.len != 0;
}

/* RFC 9110, section 5.6.2. */
static bool is_token_char(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit((char) c) ||
           (c != 0 && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static kin__refusal note_field(kin__head *out, kin_str name, kin_str value, unsigned *hosts)
{
    if (kin__field_is(name, STR("Host"))) {
        *hosts += 1;
    } else if (kin__field_is(name, STR("Content-Length"))) {
        return note_length(out, value);
    } else if (kin__field_is(name, STR("Transfer-Encoding"))) {
        return note_encoding(out, value);
    } else if (kin__field_is(name, STR("Expect"))) {
        return note_expectation(out, value);
    } else if (kin__field_is(name, STR("Connection"))) {
        if (has_option(value, STR("close"))) {
            out->is_kept = false;
        } else if (out->minor == 0 && has_option(value, STR("keep-alive"))) {
            out->is_kept = true;
        }
    }
    return refuse(0, NULL);
}

/* The same length may be said twice, as by Go. */
static kin__refusal note_length(kin__head *out, kin_str value)
{
    uint64_t length = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (!is_digit(value.data[i]) || length > (uint64_t) INT64_MAX / 10 - 1) {
            return refuse(400, NULL);
        }
        length = length * 10 + (uint64_t) (value.data[i] - '0');
    }
    if (value.len == 0 || (out->has_length && out->length != length)) {
        return refuse(400, NULL);
    }
    out->has_length = true;
    out->length = length;
    return refuse(0, NULL);
}

static kin__refusal note_encoding(kin__head *out, kin_str value)
{
    if (out->is_chunked) {
        return refuse(400, NULL);
    }
    if (!kin__field_is(value, STR("chunked"))) {
        return refuse(501, NULL);
    }
    out->is_chunked = true;
    return refuse(0, NULL);
}

static kin__refusal note_expectation(kin__head *out, kin_str value)
{
    if (!kin__field_is(value, STR("100-continue"))) {
        return refuse(417, NULL);
    }
    out->expects_continue = out->minor != 0;
    return refuse(0, NULL);
}

/* Whether a list ("close, te") has it. */
static bool has_option(kin_str value, kin_str wanted)
{
    kin_str rest = value;
    while (rest.len != 0) {
        const char *comma = memchr(rest.data, ',', rest.len);
        size_t len = comma == NULL ? rest.len : (size_t) (comma - rest.data);
        if (kin__field_is(trim(kin__str(rest.data, len)), wanted)) {
            return true;
        }
        size_t step = comma == NULL ? len : len + 1;
        rest = kin__str(rest.data + step, rest.len - step);
    }
    return false;
}

static kin_str trim(kin_str text)
{
    const char *data = text.data;
    size_t len = text.len;
    while (len != 0 && (data[0] == ' ' || data[0] == '\t')) {
        data++;
        len--;
    }
    while (len != 0 && (data[len - 1] == ' ' || data[len - 1] == '\t')) {
        len--;
    }
    return kin__str(data, len);
}

static kin__refusal refuse(int status, const char *words)
{
    return (kin__refusal){ .status = status, .words = words };
}
