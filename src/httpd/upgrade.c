/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upgrade.c - the handshake of a WebSocket, and what goes between the frames of its source.
 *
 * Answers, orders of checks and words are those of golang.org/x/net/websocket: it writes to the
 * bare connection, so that there is neither a Date nor a length, and it wants an Origin, as
 * browsers send it.
 */
#include "httpd/upgrade.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "httpd/reply.h"

#define CLOSE_NORMAL "\x88\x02\x03\xe8"         /* 1000 */
#define CLOSE_PROTOCOL_ERROR "\x88\x02\x03\xea" /* 1002 */

static bool put_pong(kin__upgrade *upgrade, kin__outgoing *outgoing);
static const char *find_fault(const kin__visit *visit, kin_str protocols, int *status);
static bool first_header_is(const kin__visit *visit, const char *name, const char *wanted);
static bool has_upgrade(kin_str value);
static bool is_origin(kin_str text);
static size_t scheme_len(kin_str text);
static bool is_authority(kin_str text);
static bool is_letter(char c);
static bool is_digit(char c);
static kin_str trim(kin_str text);

kin__upgrade *kin__upgrade_new(void)
{
    return kin__alloc_zero(1, sizeof(kin__upgrade));
}

/* Any Connection header may name it, as for kube-apiserver, and any part of its words. */
bool kin__visit_wants_websocket(const kin__visit *visit)
{
    size_t at = 0;
    kin_str value;
    bool has_option = false;

    if (visit->request.is_http2 || !first_header_is(visit, "Upgrade", "websocket")) {
        return false;
    }
    while (!has_option && kin__visit_header(visit, "Connection", &at, &value)) {
        has_option = has_upgrade(value);
    }
    return has_option;
}

bool kin__upgrade_answer(const kin__visit *visit, kin_str protocols, kin__buf *out,
                         bool *is_refused)
{
    int status = 101;
    const char *words = find_fault(visit, protocols, &status);
    char accept[KIN__WEBSOCKET_ACCEPT_LEN];
    size_t at = 0;
    kin_str key;

    kin__buf_append_format(out, "HTTP/1.1 %d %s\r\n", status, kin__status_text(status));
    *is_refused = words != NULL;
    if (*is_refused) {
        kin__buf_append_format(
            out, "%s\r\n%s",
            strstr(words, "Version") != NULL ? "Sec-WebSocket-Version: 13\r\n" : "", words);
        return !kin__buf_failed(out);
    }
    (void) kin__visit_header(visit, "Sec-WebSocket-Key", &at, &key);
    if (!kin__websocket_accept(key, accept)) {
        return false;
    }
    kin__reply_write_field(out, STR("Upgrade"), STR("websocket"));
    kin__reply_write_field(out, STR("Connection"), STR("Upgrade"));
    kin__reply_write_field(out, STR("Sec-WebSocket-Accept"), kin__str(accept, sizeof accept));
    if (trim(protocols).len != 0) {
        kin__reply_write_field(out, STR("Sec-WebSocket-Protocol"), trim(protocols));
    }
    kin__buf_append_str(out, STR("\r\n"));
    return !kin__buf_failed(out);
}

size_t kin__upgrade_read(kin__upgrade *upgrade, const char *bytes, size_t len)
{
    size_t at = 0;

    while (at < len && !upgrade->is_pinged && !upgrade->is_ending) {
        size_t used = 0;
        switch (kin__websocket_read(&upgrade->in, bytes + at, len - at, &used)) {
        case KIN__WEBSOCKET_ON:
            break;
        case KIN__WEBSOCKET_PINGED:
            upgrade->is_pinged = true;
            break;
        case KIN__WEBSOCKET_UNMASKED:
            upgrade->is_ending = true;
            upgrade->last_words = STR(CLOSE_PROTOCOL_ERROR CLOSE_NORMAL);
            break;
        default:
            kin__upgrade_note_end(upgrade);
            break;
        }
        at += used;
    }
    return upgrade->is_ending ? len : at;
}

void kin__upgrade_note_end(kin__upgrade *upgrade)
{
    if (!upgrade->is_ending) {
        upgrade->is_ending = true;
        upgrade->last_words = STR(CLOSE_NORMAL);
    }
}

void kin__upgrade_frame(kin__upgrade *upgrade, kin__outgoing *outgoing, bool is_last)
{
    bool was_between = kin__websocket_is_between(&upgrade->out);

    for (unsigned i = outgoing->first; i < outgoing->end; i++) {
        kin__websocket_follow(&upgrade->out, outgoing->parts[i].iov_base,
                              outgoing->parts[i].iov_len);
    }
    if (is_last && kin__websocket_is_between(&upgrade->out)) {
        kin__outgoing_put_last(outgoing, STR(CLOSE_NORMAL));
    }
    if (was_between) {
        (void) put_pong(upgrade, outgoing);
    }
}

bool kin__upgrade_put_pong(kin__upgrade *upgrade, kin__outgoing *outgoing)
{
    return kin__websocket_is_between(&upgrade->out) && put_pong(upgrade, outgoing);
}

kin_str kin__upgrade_last_words(const kin__upgrade *upgrade)
{
    return kin__websocket_is_between(&upgrade->out) ? upgrade->last_words : STR("");
}

/* What was sent before is sent: there is room for this one. */
static bool put_pong(kin__upgrade *upgrade, kin__outgoing *outgoing)
{
    size_t len = upgrade->in.control_len;

    if (!upgrade->is_pinged) {
        return false;
    }
    size_t head = kin__websocket_write_head(KIN__WEBSOCKET_PONG, len, upgrade->pong);
    memcpy(upgrade->pong + head, upgrade->in.control, len);
    kin__outgoing_put_first(outgoing, kin__str(upgrade->pong, head + len));
    upgrade->is_pinged = false;
    return true;
}

/* Why the handshake fails, in one of several statuses; NULL: it does not. */
static const char *find_fault(const kin__visit *visit, kin_str protocols, int *status)
{
    size_t at = 0;
    kin_str value;

    *status = 400;
    if (!kin__str_equal(visit->request.method, STR("GET"))) {
        *status = 405;
        return "bad method";
    }
    if (!kin__visit_header(visit, "Connection", &at, &value) || !has_upgrade(value)) {
        return "not websocket protocol";
    }
    at = 0;
    if (!kin__visit_header(visit, "Sec-WebSocket-Key", &at, &value) || value.len == 0) {
        return "mismatch challenge/response";
    }
    if (!first_header_is(visit, "Sec-WebSocket-Version", "13")) {
        return "missing or bad WebSocket Version";
    }
    at = 0;
    if (!kin__visit_header(visit, "Origin", &at, &value) || !is_origin(value)) {
        *status = 403;
        return "";
    }
    if (protocols.len != 0 && memchr(protocols.data, ',', protocols.len) != NULL) {
        return "";
    }
    *status = 101;
    return NULL;
}

static bool first_header_is(const kin__visit *visit, const char *name, const char *wanted)
{
    size_t at = 0;
    kin_str value;

    return kin__visit_header(visit, name, &at, &value) && kin__field_is(value, kin_str_of(wanted));
}

static bool has_upgrade(kin_str value)
{
    kin_str word = STR("upgrade");

    for (size_t i = 0; i + word.len <= value.len; i++) {
        if (kin__field_is(kin__str(value.data + i, word.len), word)) {
            return true;
        }
    }
    return false;
}

/* What Go's url.ParseRequestURI() takes: a URI with its scheme, a path, or "*". */
static bool is_origin(kin_str text)
{
    size_t scheme = scheme_len(text);
    kin_str rest = kin__str(text.data + scheme, text.len - scheme);

    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char) text.data[i] < ' ' || text.data[i] == 0x7f) {
            return false;
        }
    }
    if (scheme == 0) {
        return kin__str_equal(text, STR("*")) || (text.len > 0 && text.data[0] == '/');
    }
    return !kin__str_starts_with(rest, STR("//")) ||
           is_authority(kin__str(rest.data + 2, rest.len - 2));
}

/* With its colon; 0: there is none. */
static size_t scheme_len(kin_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == ':') {
            return i == 0 ? 0 : i + 1;
        }
        if (!is_letter(c) && (i == 0 || (!is_digit(c) && c != '+' && c != '-' && c != '.'))) {
            return 0;
        }
    }
    return 0;
}

/* Up to its path: a host, and a port that is digits. */
static bool is_authority(kin_str text)
{
    size_t end = 0, colon = SIZE_MAX;

    while (end < text.len && text.data[end] != '/' && text.data[end] != '?') {
        char c = text.data[end];
        if (c == ' ' || c == '<' || c == '>' || c == '"' || c == '\\' || c == '^' || c == '`' ||
            c == '{' || c == '}' || c == '|') {
            return false;
        }
        colon = c == ':' ? end : c == ']' ? SIZE_MAX : colon;
        end++;
    }
    for (size_t i = colon; colon != SIZE_MAX && ++i < end;) {
        if (!is_digit(text.data[i])) {
            return false;
        }
    }
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static kin_str trim(kin_str text)
{
    while (text.len != 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text = kin__str(text.data + 1, text.len - 1);
    }
    while (text.len != 0 && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\t')) {
        text.len--;
    }
    return text;
}
