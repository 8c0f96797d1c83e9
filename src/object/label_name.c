/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label_name.c - what a label may be called, and what it may say.
 *
 * A check collects problems as bits.  Their sentences are those of the API server
 * (k8s.io/apimachinery, api/validate/content), told in the order of the bits.
 */
#include "object/label_name.h"

#include <string.h>

#include "base/str.h"

#define NAME_MAX_BYTES 63
#define PREFIX_MAX_BYTES 253

#define NAME_FORM                                                                                  \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define SUBDOMAIN_FORM                                                                             \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "  \
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define VALUE_FORM                                                                                 \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "    \
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "             \
    "'my_value',  or '12345', regex used for validation is "                                       \
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

/* The bit of each problem, and its sentence. */
#define PROBLEMS(P)                                                                                \
    P(SLASHES, "a valid label key " NAME_FORM " with an optional DNS subdomain prefix and '/' "    \
               "(e.g. 'example.com/MyName')")                                                      \
    P(PREFIX_EMPTY, "prefix part must be non-empty")                                               \
    P(PREFIX_LONG, "prefix part must be no more than 253 bytes")                                   \
    P(PREFIX_FORM, "prefix part " SUBDOMAIN_FORM)                                                  \
    P(NAME_EMPTY, "name part must be non-empty")                                                   \
    P(NAME_LONG, "name part must be no more than 63 bytes")                                        \
    P(NAME_FORM, "name part " NAME_FORM)                                                           \
    P(VALUE_LONG, "must be no more than 63 bytes")                                                 \
    P(VALUE_FORM, VALUE_FORM)

enum {
#define P(name, sentence) NUMBER_OF_##name,
    PROBLEMS(P)
#undef P
};

enum {
#define P(name, sentence) PROBLEM_##name = 1 << NUMBER_OF_##name,
    PROBLEMS(P)
#undef P
};

static const char *const sentences[] = {
#define P(name, sentence) [NUMBER_OF_##name] = (sentence),
    PROBLEMS(P)
#undef P
};

static int key_problems(kin_str key);
static int prefix_problems(kin_str prefix);
static int name_problems(kin_str name);
static int value_problems(kin_str value);
static bool is_name(kin_str text);
static bool is_subdomain(kin_str text);
static bool is_alphanumeric(char c);
static bool is_lower_alphanumeric(char c);
static void explain(int problems, kin__fault *fault);

bool kin__label_key_is_valid(kin_str key)
{
    return key_problems(key) == 0;
}

bool kin__label_value_is_valid(kin_str value)
{
    return value_problems(value) == 0;
}

void kin__label_key_explain(kin_str key, kin__fault *fault)
{
    explain(key_problems(key), fault);
}

void kin__label_value_explain(kin_str value, kin__fault *fault)
{
    explain(value_problems(value), fault);
}

bool kin__label_value_int64(kin_str value, int64_t *out)
{
    bool is_negative = value.len > 0 && value.data[0] == '-';
    size_t i = is_negative || (value.len > 0 && value.data[0] == '+') ? 1 : 0;
    int64_t below = 0; /* the number with a minus: there is one more of those */

    if (i == value.len) {
        return false;
    }
    for (; i < value.len; i++) {
        char c = value.data[i];
        if (c < '0' || c > '9' || __builtin_mul_overflow(below, 10, &below) ||
            __builtin_sub_overflow(below, c - '0', &below)) {
            return false;
        }
    }
    if (!is_negative && below == INT64_MIN) {
        return false;
    }
    *out = is_negative ? below : -below;
    return true;
}

static int key_problems(kin_str key)
{
    const char *slash = key.len > 0 ? memchr(key.data, '/', key.len) : NULL;
    if (slash == NULL) {
        return name_problems(key);
    }
    kin_str prefix = kin__str(key.data, (size_t) (slash - key.data));
    kin_str name = kin__str(slash + 1, key.len - prefix.len - 1);
    if (name.len > 0 && memchr(name.data, '/', name.len) != NULL) {
        return PROBLEM_SLASHES;
    }
    return prefix_problems(prefix) | name_problems(name);
}

static int prefix_problems(kin_str prefix)
{
    if (prefix.len == 0) {
        return PROBLEM_PREFIX_EMPTY;
    }
    return (prefix.len > PREFIX_MAX_BYTES ? PROBLEM_PREFIX_LONG : 0) |
           (is_subdomain(prefix) ? 0 : PROBLEM_PREFIX_FORM);
}

static int name_problems(kin_str name)
{
    return (name.len == 0 ? PROBLEM_NAME_EMPTY : 0) |
           (name.len > NAME_MAX_BYTES ? PROBLEM_NAME_LONG : 0) |
           (is_name(name) ? 0 : PROBLEM_NAME_FORM);
}

static int value_problems(kin_str value)
{
    return (value.len > NAME_MAX_BYTES ? PROBLEM_VALUE_LONG : 0) |
           (value.len == 0 || is_name(value) ? 0 : PROBLEM_VALUE_FORM);
}

static bool is_name(kin_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.') {
            return false;
        }
    }
    return text.len > 0 && is_alphanumeric(text.data[0]) &&
           is_alphanumeric(text.data[text.len - 1]);
}

static bool is_subdomain(kin_str text)
{
    char before = '.'; /* each part begins and ends with a letter or digit */
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool is_inside = c == '-' && before != '.';
        bool is_end = c == '.' && before != '.' && before != '-';
        if (!is_lower_alphanumeric(c) && !is_inside && !is_end) {
            return false;
        }
        before = c;
    }
    return is_lower_alphanumeric(before);
}

static bool is_alphanumeric(char c)
{
    return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

static bool is_lower_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static void explain(int problems, kin__fault *fault)
{
    const char *separator = "";
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        if ((problems & (1 << i)) != 0) {
            kin__fault_say(fault, "%s%s", separator, sentences[i]);
            separator = "; ";
        }
    }
}
