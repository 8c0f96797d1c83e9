/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - what `-o` means.
 *
 * kubectl's JSONPath is turned into our own path, text to text, and what is left over is for the
 * path's parser to refuse:
 *
 *     {.a.b}  {$.a.b}  {.items[*].a}    the braces, the root and the list go
 *     .app\.kubernetes\.io/name         ["app.kubernetes.io/name"]
 *     ['name']  ["name"]                ["name"]
 *     [?(@.type=="Ready")]              [?type=="Ready"]
 */
#include "cli/output.h"

#include <string.h>

#include "cli/fault.h"
#include "cli/text.h"

static const char *const not_supported[] = { "wide", "yaml", "kyaml" };
static const char *const no_paths[] = {
    "custom-columns",      "go-template",      "jsonpath-file", "jsonpath-as-json",
    "custom-columns-file", "go-template-file", "template",      "templatefile"
};

static bool is_foreign(const char *text);
static kin_err parse_path(const char *text, kin__cli_output *out, kin_error *err);
static bool translate(kin_str text, kin__cli_text *out);
static bool translate_bracket(const char **at, const char *end, kin__cli_text *out);
static bool translate_name(const char **at, const char *end, kin__cli_text *out);
static bool begins(const char *at, const char *end, const char *with);

kin_err kin__cli_output_parse(const char *text, kin__cli_output *out, kin_error *err)
{
    memset(out, 0, sizeof *out);
    if (text == NULL || strcmp(text, "table") == 0) {
        return KIN_OK;
    }
    if (strcmp(text, "json") == 0 || strcmp(text, "name") == 0) {
        out->form = text[0] == 'j' ? KIN__CLI_JSON : KIN__CLI_NAME;
        return KIN_OK;
    }
    if (is_foreign(text)) {
        return kin__cli_refuse(err, "-o %s is not supported: table, json, name or a path is", text);
    }
    return parse_path(text, out, err);
}

void kin__cli_output_fini(kin__cli_output *output)
{
    kin_path_free(output->path);
    output->path = NULL;
}

static bool is_foreign(const char *text)
{
    for (size_t i = 0; i < sizeof not_supported / sizeof not_supported[0]; i++) {
        if (strcmp(text, not_supported[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof no_paths / sizeof no_paths[0]; i++) {
        size_t len = strlen(no_paths[i]);
        if (strncmp(text, no_paths[i], len) == 0 && (text[len] == '=' || text[len] == '\0')) {
            return true;
        }
    }
    return text[0] == '\0';
}

static kin_err parse_path(const char *text, kin__cli_output *out, kin_error *err)
{
    const char prefix[] = "jsonpath=";
    bool is_foreign_path = strncmp(text, prefix, sizeof prefix - 1) == 0;
    kin_str rest = kin_str_of(is_foreign_path ? text + sizeof prefix - 1 : text);
    kin__cli_text path = { 0 };
    kin_error why;
    bool is_plain = !is_foreign_path && text[0] != '{';
    bool is_read = is_plain || translate(rest, &path);

    kin_err code = KIN_ERR_MALFORMED;
    if (is_read) {
        code = kin_path_new(is_plain ? text : kin__cli_text_chars(&path), &out->path, &why);
    }
    kin__cli_text_fini(&path);
    if (!is_read) {
        return kin__cli_refuse(
            err, "-o \"%s\" is more than a path, which is all that is known here", text);
    }
    if (code != KIN_OK) {
        return kin__cli_refuse(err, "-o \"%s\": %s", text, why.message);
    }
    out->form = KIN__CLI_PATH;
    return KIN_OK;
}

static bool translate(kin_str text, kin__cli_text *out)
{
    const char *at = text.data;
    const char *end = text.data + text.len;

    if (text.len > 0 && *at == '{') {
        if (text.len < 2 || end[-1] != '}' || memchr(at + 1, '{', text.len - 1) != NULL) {
            return false;
        }
        at++;
        end--;
    }
    at += begins(at, end, "$") ? 1 : 0;
    at += begins(at, end, ".items[*].") || begins(at, end, ".items[*][") ? 9 : 0;
    while (at < end) {
        if (*at == '[') {
            if (!translate_bracket(&at, end, out)) {
                return false;
            }
        } else {
            at += *at == '.' ? 1 : 0;
            bool is_whole = at == end && out->len == 0;
            if (!translate_name(&at, end, out) && !is_whole) {
                return false;
            }
        }
    }
    return true;
}

/* At a '['. */
static bool translate_bracket(const char **at, const char *end, kin__cli_text *out)
{
    const char filter[] = "[?(@.";
    const char *close = NULL;

    if (begins(*at, end, filter)) {
        close = memmem(*at, (size_t) (end - *at), ")]", 2);
        if (close == NULL) {
            return false;
        }
        const char *inside = *at + sizeof filter - 1;
        kin__cli_text_say(out, "[?%.*s]", (int) (close - inside), inside);
        *at = close + 2;
        return true;
    }
    close = memchr(*at, ']', (size_t) (end - *at));
    if (close == NULL) {
        return false;
    }
    if ((*at)[1] == '\'' && close - *at > 2 && close[-1] == '\'') {
        kin__cli_text_say(out, "[\"%.*s\"]", (int) (close - *at - 3), *at + 2);
    } else {
        kin__cli_text_append(out, (kin_str){ *at, (size_t) (close + 1 - *at) });
    }
    *at = close + 1;
    return true;
}

/* A member up to the next '.' or '['; a backslash takes the meaning from the character after it.
 * False when there is none. */
static bool translate_name(const char **at, const char *end, kin__cli_text *out)
{
    kin__cli_text name = { 0 };
    bool is_plain = true;

    while (*at < end && **at != '.' && **at != '[') {
        bool is_escape = **at == '\\' && *at + 1 < end;
        *at += is_escape ? 1 : 0;
        is_plain = is_plain && !is_escape && **at != '/';
        kin__cli_text_append(&name, (kin_str){ (*at)++, 1 });
    }
    if (is_plain && name.len > 0) {
        kin__cli_text_say(out, "%s%s", out->len > 0 ? "." : "", kin__cli_text_chars(&name));
    } else if (name.len > 0) {
        kin__cli_text_say(out, "[\"%s\"]", kin__cli_text_chars(&name));
    }
    bool is_name = name.len > 0;
    kin__cli_text_fini(&name);
    return is_name;
}

static bool begins(const char *at, const char *end, const char *with)
{
    size_t len = strlen(with);

    return (size_t) (end - at) >= len && memcmp(at, with, len) == 0;
}
