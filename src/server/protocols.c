/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocols.c - sub-protocols of WebSockets, as kube-apiserver's ProtocolAuthenticator reads them.
 */
#include "server/protocols.h"

#include <string.h>

#include "base/base64.h"
#include "base/str.h"
#include "base/utf8.h"

#define WORD "Bearer "

static bool read_list(kin_str list, kin__protocols *out, size_t *count);
static bool read_one(kin_str protocol, kin__protocols *out, size_t *count);
static bool read_token(kin_str text, kin__protocols *out);
static kin_str trim(kin_str text);

bool kin__protocols_read(const kin__visit *visit, kin__protocols *out)
{
    size_t at = 0, count = 0;
    kin_str list;

    while (kin__visit_header(visit, "Sec-WebSocket-Protocol", &at, &list)) {
        if (!read_list(list, out, &count)) {
            return false;
        }
    }
    out->is_wrong = out->is_wrong || (out->bearer.len > strlen(WORD) && count == 0);
    return true;
}

void kin__protocols_fini(kin__protocols *protocols)
{
    kin__buf_fini(&protocols->others);
    kin__buf_fini(&protocols->bearer);
}

static bool read_list(kin_str list, kin__protocols *out, size_t *count)
{
    for (;;) {
        const char *comma = list.len == 0 ? NULL : memchr(list.data, ',', list.len);
        size_t len = comma == NULL ? list.len : (size_t) (comma - list.data);
        if (!read_one(trim(kin__str(list.data, len)), out, count)) {
            return false;
        }
        if (comma == NULL) {
            return true;
        }
        list = kin__str(comma + 1, list.len - len - 1);
    }
}

static bool read_one(kin_str protocol, kin__protocols *out, size_t *count)
{
    kin_str prefix = STR("base64url.bearer.authorization.k8s.io.");

    if (!kin__str_starts_with(protocol, prefix)) {
        return ((*count)++ == 0 || kin__buf_append_byte(&out->others, ',')) &&
               kin__buf_append_str(&out->others, protocol);
    }
    if (out->bearer.len != 0) {
        out->is_wrong = true;
        return true;
    }
    return read_token(kin__str(protocol.data + prefix.len, protocol.len - prefix.len), out);
}

/* Without padding, and of another alphabet than ours. */
static bool read_token(kin_str text, kin__protocols *out)
{
    size_t begin = strlen(WORD), len = 0;
    kin__buf *bearer = &out->bearer;

    if (!kin__buf_append_str(bearer, STR(WORD)) || !kin__buf_append_str(bearer, text)) {
        return false;
    }
    char *token = bearer->data + begin;
    for (size_t i = 0; i < text.len; i++) {
        char c = token[i];
        out->is_wrong = out->is_wrong || c == '+' || c == '/' || c == '=';
        token[i] = c == '-' ? '+' : c == '_' ? '/' : c;
    }
    while ((bearer->len - begin) % 4 != 0) {
        if (!kin__buf_append_byte(bearer, '=')) {
            return false;
        }
    }
    token = bearer->data + begin;
    if (bearer->len > begin &&
        !kin__base64_decode(kin__str(token, bearer->len - begin), token, &len)) {
        out->is_wrong = true;
        return true;
    }
    bearer->len = begin + len;
    out->is_wrong = out->is_wrong || !kin__utf8_is_valid(kin__str(token, len));
    return true;
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
