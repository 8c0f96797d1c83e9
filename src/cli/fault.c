/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.c - errors of the command itself.
 */
#include "cli/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *behind_verb(const char *message);
static kin_err set(kin_error *err, kin_err code, const char *message, const char *why);

kin_err kin__cli_refuse(kin_error *err, const char *format, ...)
{
    char message[sizeof err->message];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return set(err, KIN_ERR_USAGE, message, NULL);
}

kin_err kin__cli_system(kin_error *err, const char *format, ...)
{
    char message[sizeof err->message];
    char why[128];
    const char *words = strerror_r(errno, why, sizeof why);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return set(err, KIN_ERR_SYSTEM, message, words);
}

/* A message is "list pods in shop: GET https://host:port/path: what happened", or a part of it. */
void kin__cli_fault_show(const kin_error *err, kin__cli_text *out)
{
    const char *rest = behind_verb(err->message);
    size_t method = strspn(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const char *url = rest + method + 1;
    bool has_url = method > 0 && rest[method] == ' ' && strncmp(url, "http", 4) == 0;
    const char *colon = has_url ? strstr(url, ": ") : NULL;
    const char *host = colon != NULL ? strstr(url, "://") : NULL;

    if (host != NULL && host < colon) {
        size_t len = (size_t) (host + 3 - url) + strcspn(host + 3, "/: ");
        len += url[len] == ':' ? 1 + strspn(url + len + 1, "0123456789") : 0;
        bool is_answer = err->http_status != 0;
        kin__cli_text_say(out, "%.*s%s", is_answer ? 0 : (int) len, url, is_answer ? "" : ": ");
        rest = colon + 2;
    }
    kin__cli_text_safe(out, kin_str_of(rest));
}

static const char *behind_verb(const char *message)
{
    static const char *const verbs[] = { "get ", "list ", "watch " };
    const char *colon = strstr(message, ": ");

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0] && colon != NULL; i++) {
        if (strncmp(message, verbs[i], strlen(verbs[i])) == 0) {
            return colon + 2;
        }
    }
    return message;
}

static kin_err set(kin_error *err, kin_err code, const char *message, const char *why)
{
    kin__cli_text safe = { 0 };

    kin__cli_text_safe(&safe, kin_str_of(message));
    if (why != NULL) {
        kin__cli_text_say(&safe, ": %s", why);
    }
    memset(err, 0, sizeof *err);
    err->code = code;
    size_t len = safe.len < sizeof err->message ? safe.len : sizeof err->message - 1;
    while (len < safe.len && len > 0 && (safe.chars[len] & 0xc0) == 0x80) {
        len--;
    }
    snprintf(err->message, sizeof err->message, "%.*s", (int) len, kin__cli_text_chars(&safe));
    kin__cli_text_fini(&safe);
    return code;
}
