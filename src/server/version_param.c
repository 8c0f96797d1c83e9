/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version_param.c - strconv.ParseUint(text, 10, 64), and what kube-apiserver 1.36.3 says when it
 * fails.
 */
#include "server/version_param.h"

#include "server/quote.h"

static bool read_or_refuse(const char *text, int code, uint64_t *out, kin__refusal *no);

bool kin__version_read(const char *text, uint64_t *out, const char **out_problem)
{
    uint64_t value = 0;
    bool is_too_large = false;

    *out_problem = "invalid syntax";
    for (const char *at = text == NULL ? "" : text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9') {
            return false;
        }
        unsigned digit = (unsigned) (*at - '0');
        is_too_large = is_too_large || value > (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    *out_problem = "value out of range";
    if (is_too_large) {
        return false;
    }
    *out = value;
    return true;
}

bool kin__version_read_for_list(const char *text, uint64_t *out, kin__refusal *no)
{
    return read_or_refuse(text, 400, out, no);
}

bool kin__version_read_for_watch(const char *text, uint64_t *out, kin__refusal *no)
{
    return read_or_refuse(text, 500, out, no);
}

static bool read_or_refuse(const char *text, int code, uint64_t *out, kin__refusal *no)
{
    const char *problem = NULL;
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };

    if (kin__version_read(text, out, &problem)) {
        return true;
    }
    kin__quote_append(kin_str_of(text), &quoted);
    if (kin__buf_failed(&quoted)) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse(
        no, code, code == 400 ? "BadRequest" : "",
        "%sresourceVersion: Invalid value: %.*s: strconv.ParseUint: parsing %.*s: %s",
        code == 400 ? "invalid resource version: " : "", (int) quoted.len, quoted.data,
        (int) quoted.len, quoted.data, problem);
}
