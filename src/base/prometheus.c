/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prometheus.c - the words of the Prometheus text format, version 0.0.4.
 *
 * https://prometheus.io/docs/instrumenting/exposition_formats/ : help escapes the backslash and
 * the newline, a label's value the double quote as well.
 */
#include "base/prometheus.h"

#include <inttypes.h>

#define NS_PER_SECOND 1000000000

static bool is_word(const char *text, bool may_have_colons);
static void append_escaped(kin__buf *buf, const char *text, bool is_quoted);
static void append_text(kin__buf *buf, const char *text);

bool kin__prometheus_is_metric_name(const char *name)
{
    return is_word(name, true);
}

bool kin__prometheus_is_label_name(const char *name)
{
    return is_word(name, false) && strncmp(name, "__", 2) != 0;
}

void kin__prometheus_append_head(kin__buf *buf, const char *name, const char *type,
                                 const char *help)
{
    append_text(buf, "# HELP ");
    append_text(buf, name);
    append_text(buf, " ");
    append_escaped(buf, help, false);
    append_text(buf, "\n# TYPE ");
    append_text(buf, name);
    append_text(buf, " ");
    append_text(buf, type);
    append_text(buf, "\n");
}

void kin__prometheus_append_label(kin__buf *buf, const char *name, const char *value)
{
    append_text(buf, name);
    append_text(buf, "=\"");
    append_escaped(buf, value, true);
    append_text(buf, "\"");
}

void kin__prometheus_append_seconds(kin__buf *buf, bool is_negative, uint64_t nanoseconds)
{
    uint64_t fraction = nanoseconds % NS_PER_SECOND;
    int digits = 9;

    append_text(buf, is_negative && nanoseconds != 0 ? "-" : "");
    kin__buf_append_format(buf, "%" PRIu64, nanoseconds / NS_PER_SECOND);
    if (fraction == 0) {
        return;
    }
    while (fraction % 10 == 0) {
        fraction /= 10;
        digits--;
    }
    kin__buf_append_format(buf, ".%0*" PRIu64, digits, fraction);
}

static bool is_word(const char *text, bool may_have_colons)
{
    for (const char *at = text; *at != '\0'; at++) {
        bool is_letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_';
        bool is_digit = *at >= '0' && *at <= '9';
        bool is_colon = *at == ':' && may_have_colons;
        if (!is_letter && !is_colon && !(is_digit && at != text)) {
            return false;
        }
    }
    return *text != '\0';
}

static void append_escaped(kin__buf *buf, const char *text, bool is_quoted)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '\n') {
            append_text(buf, "\\n");
        } else if (*at == '\\') {
            append_text(buf, "\\\\");
        } else if (*at == '"' && is_quoted) {
            append_text(buf, "\\\"");
        } else {
            kin__buf_append_byte(buf, *at);
        }
    }
}

static void append_text(kin__buf *buf, const char *text)
{
    kin__buf_append(buf, text, strlen(text));
}
