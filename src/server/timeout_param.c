/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeout_param.c - time.ParseDuration() of Go, as far as its refusals go.
 */
#include "server/timeout_param.h"

#include <string.h>

#include "base/str.h"
#include "server/query.h"
#include "server/quote.h"

#define BAD "invalid timeout specified in the request URL - time: "

static bool check(const char *text, kin__refusal *no);
static bool skip_number(const char **at);
static size_t unit_len(const char *at);
static bool is_unit(const char *at, size_t len);
static bool refuse(const char *what, kin_str unit, const char *text, kin__refusal *no);

bool kin__timeout_check(kin__deed deed, kin_str query, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin__query_pair pair;

    if (deed == KIN__DEED_WATCH || !kin__query_find(query, STR("timeout"), &pair)) {
        return true;
    }
    kin__query_unescape(pair.value, &text);
    (void) kin__buf_append_byte(&text, '\0');
    return kin__buf_failed(&text) ? kin__refuse_no_memory(no) : check(text.data, no);
}

static bool check(const char *text, kin__refusal *no)
{
    const char *at = text;

    if (text[0] == '\0') {
        return true;
    }
    if (*at == '-' || *at == '+') {
        at++;
    }
    if (strcmp(at, "0") == 0) {
        return true;
    }
    if (*at == '\0') {
        return refuse("invalid", STR(""), text, no);
    }
    while (*at != '\0') {
        if (!skip_number(&at)) {
            return refuse("invalid", STR(""), text, no);
        }
        size_t len = unit_len(at);
        if (len == 0) {
            return refuse("missing unit in", STR(""), text, no);
        }
        if (!is_unit(at, len)) {
            return refuse("unknown unit", kin__str(at, len), text, no);
        }
        at += len;
    }
    return true;
}

/* Digits, a dot, digits; some digit there must be. */
static bool skip_number(const char **at)
{
    size_t before = strspn(*at, "0123456789");
    size_t after = 0;

    *at += before;
    if (**at == '.') {
        (*at)++;
        after = strspn(*at, "0123456789");
        *at += after;
    }
    return before + after > 0;
}

static size_t unit_len(const char *at)
{
    return strcspn(at, ".0123456789");
}

static bool is_unit(const char *at, size_t len)
{
    static const char *const units[] = {
        "ns", "us", "\xc2\xb5s", "\xce\xbcs", "ms", "s", "m", "h"
    };

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i]) == len && memcmp(units[i], at, len) == 0) {
            return true;
        }
    }
    return false;
}

static bool refuse(const char *what, kin_str unit, const char *text, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf words = { 0 };

    if (unit.len > 0) {
        (void) kin__buf_append_byte(&words, ' ');
        kin__quote_append(unit, &words);
        (void) kin__buf_append_str(&words, STR(" in"));
    }
    (void) kin__buf_append_str(&words, STR(" duration "));
    kin__quote_append(kin_str_of(text), &words);
    return kin__buf_failed(&words)
               ? kin__refuse_no_memory(no)
               : kin__refuse_bad_request(no, BAD "%s%.*s", what, (int) words.len, words.data);
}
