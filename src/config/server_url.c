/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_url.c - the URL of the API server, made uniform.
 */
#include "config/server_url.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"

static bool take_scheme(kin_str *rest, bool *out_has, bool *out_is_https);
static const char *fault_of(kin_str authority, kin_str path);
static bool is_port(kin_str text);
static bool is_host_char(char c);

kin_err kin__server_url(const char *text, bool prefers_https, kin__vault *vault, const char **out,
                        bool *out_is_https, kin_error *err)
{
    kin_str rest = kin_str_of(text);
    bool has_scheme = false;
    bool is_https = prefers_https;

    if (!take_scheme(&rest, &has_scheme, &is_https)) {
        return kin__error_set(err, KIN_ERR_USAGE, "server: its scheme is neither https nor http");
    }
    kin_str authority = kin__str(rest.data, strcspn(rest.data, "/?#"));
    size_t end = strcspn(rest.data, "?#");
    while (end > authority.len && rest.data[end - 1] == '/') {
        end--;
    }
    kin_str path = kin__str(rest.data + authority.len, end - authority.len);
    const char *fault = fault_of(authority, path);
    if (fault == NULL && !has_scheme && path.len != 0) {
        fault = "it must be a URL or a host and port";
    }
    if (fault != NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "server: %s", fault);
    }
    const char *scheme = is_https ? "https://" : "http://";
    size_t scheme_len = strlen(scheme);
    char *url = kin__vault_alloc(vault, scheme_len + end + 1);
    if (url == NULL) {
        return kin__error_no_memory(err);
    }
    memcpy(url, scheme, scheme_len);
    memcpy(url + scheme_len, rest.data, end);
    *out = url;
    *out_is_https = is_https;
    return KIN_OK;
}

/* False for a scheme that is none of ours. */
static bool take_scheme(kin_str *rest, bool *out_has, bool *out_is_https)
{
    const char *colon = strstr(rest->data, "://");

    if (colon == NULL || strcspn(rest->data, "/?#@[") < (size_t) (colon - rest->data)) {
        return true;
    }
    size_t len = (size_t) (colon - rest->data);
    bool is_https = len == 5 && strncasecmp(rest->data, "https", 5) == 0;
    if (!is_https && (len != 4 || strncasecmp(rest->data, "http", 4) != 0)) {
        return false;
    }
    *rest = kin__str(colon + 3, rest->len - len - 3);
    *out_has = true;
    *out_is_https = is_https;
    return true;
}

/* What is wrong; NULL: nothing. */
static const char *fault_of(kin_str authority, kin_str path)
{
    if (authority.len != 0 && memchr(authority.data, '@', authority.len) != NULL) {
        return "user information in the URL is not supported; say it in the user's entry";
    }
    kin_str host = authority;
    if (host.len != 0 && host.data[0] == '[') {
        const char *end = memchr(host.data, ']', host.len);
        if (end == NULL || end - host.data < 3) {
            return "an address in brackets that is none";
        }
        host.len = (size_t) (end + 1 - host.data);
    } else {
        const char *colon = host.len != 0 ? memchr(host.data, ':', host.len) : NULL;
        host.len = colon != NULL ? (size_t) (colon - host.data) : host.len;
        for (size_t i = 0; i < host.len; i++) {
            if (!is_host_char(host.data[i])) {
                return "a character that no host has";
            }
        }
    }
    if (host.len == 0) {
        return "it has no host";
    }
    if (!is_port(kin__str(host.data + host.len, authority.len - host.len))) {
        return "its port is no number from 1 to 65535";
    }
    for (size_t i = 0; i < path.len; i++) {
        if ((unsigned char) path.data[i] <= 0x20 || (unsigned char) path.data[i] >= 0x7f) {
            return "a character that no URL has";
        }
    }
    return NULL;
}

/* Nothing, or ':' and a number. */
static bool is_port(kin_str text)
{
    uint32_t port = 0;

    if (text.len == 0) {
        return true;
    }
    if (text.data[0] != ':' || text.len < 2 || text.len > 6) {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        port = port * 10 + (uint32_t) (text.data[i] - '0');
    }
    return port >= 1 && port <= 65535;
}

static bool is_host_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
}
