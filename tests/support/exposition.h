/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/exposition.h - a strict reader of the Prometheus text format, version 0.0.4.
 *
 * It accepts less than Prometheus does: what the format allows and nobody should write is an error
 * too (a family without HELP and TYPE, blank lines, blanks at the end of a line, names that do not
 * follow the conventions).
 */
#ifndef TESTS_SUPPORT_EXPOSITION_H
#define TESTS_SUPPORT_EXPOSITION_H

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

typedef struct exposition {
    const char *at;
    char family[128];
    char type[16];
    char before[128];   /* the family before */
    char series[1024];  /* name and labels of the sample before, to see their order */
    double last_bucket; /* of a histogram: what its bucket before had; -1: none yet */
    double last_bound;
    bool has_infinity;
    int samples; /* of this family */
} exposition;

#define EXPOSITION_FAIL(e, what) FAIL("%s: %.60s", what, (e)->at)

static inline bool exposition_skip(exposition *e, const char *word)
{
    size_t len = strlen(word);

    if (strncmp(e->at, word, len) != 0) {
        return false;
    }
    e->at += len;
    return true;
}

static inline void exposition_name(exposition *e, char *out, size_t size)
{
    size_t len = 0;

    while (isalnum((unsigned char) e->at[len]) || e->at[len] == '_') {
        len++;
    }
    if (len == 0 || len >= size || isdigit((unsigned char) e->at[0])) {
        EXPOSITION_FAIL(e, "no name");
    }
    memcpy(out, e->at, len);
    out[len] = '\0';
    e->at += len;
}

static inline bool exposition_ends(const char *word, const char *with)
{
    size_t len = strlen(word);
    size_t with_len = strlen(with);

    return len >= with_len && strcmp(word + len - with_len, with) == 0;
}

/* "# HELP name text", "# TYPE name type" */
static inline void exposition_head(exposition *e)
{
    char again[128];

    memcpy(e->before, e->family, sizeof e->before);
    if (!exposition_skip(e, "# HELP ")) {
        EXPOSITION_FAIL(e, "no # HELP");
    }
    exposition_name(e, e->family, sizeof e->family);
    if (strcmp(e->before, e->family) >= 0) {
        EXPOSITION_FAIL(e, "families are not in order");
    }
    size_t len = strcspn(e->at, "\n");
    if (len < 3 || e->at[0] != ' ' || e->at[len - 1] != '.') {
        EXPOSITION_FAIL(e, "no sentence in # HELP");
    }
    e->at += len + 1;
    if (!exposition_skip(e, "# TYPE ")) {
        EXPOSITION_FAIL(e, "no # TYPE");
    }
    exposition_name(e, again, sizeof again);
    ASSERT_STR_EQ(again, e->family);
    if (!exposition_skip(e, " ")) {
        EXPOSITION_FAIL(e, "no blank");
    }
    exposition_name(e, e->type, sizeof e->type);
    bool is_counter = strcmp(e->type, "counter") == 0;
    if (!is_counter && strcmp(e->type, "gauge") != 0 && strcmp(e->type, "histogram") != 0) {
        EXPOSITION_FAIL(e, "no such type");
    }
    if (is_counter != exposition_ends(e->family, "_total")) {
        FAIL("%s is a %s", e->family, e->type);
    }
    if (!exposition_skip(e, "\n")) {
        EXPOSITION_FAIL(e, "no line end");
    }
    e->series[0] = '\0';
    e->samples = 0;
    e->last_bucket = -1;
}

/* Labels, the bound of a bucket apart, go to `out`; that to `bound`. */
static inline void exposition_labels(exposition *e, char *out, size_t size, double *bound)
{
    char last[64] = "";
    char name[64];
    size_t len = strlen(out);

    do {
        exposition_name(e, name, sizeof name);
        bool is_bound = strcmp(name, "le") == 0;
        if ((!is_bound && strcmp(last, name) >= 0) || strncmp(name, "__", 2) == 0) {
            EXPOSITION_FAIL(e, "labels are not in order, or reserved");
        }
        if (!is_bound) {
            memcpy(last, name, sizeof last);
        }
        if (!exposition_skip(e, "=\"")) {
            EXPOSITION_FAIL(e, "no =\"");
        }
        const char *value = e->at;
        while (*e->at != '"') {
            if (*e->at == '\0' || *e->at == '\n' || (unsigned char) *e->at < ' ' ||
                (*e->at == '\\' && strchr("\\\"n", e->at[1]) == NULL)) {
                EXPOSITION_FAIL(e, "not escaped");
            }
            e->at += *e->at == '\\' ? 2 : 1;
        }
        if (is_bound) {
            *bound = strncmp(value, "+Inf\"", 5) == 0 ? INFINITY : strtod(value, NULL);
        } else {
            len += (size_t) snprintf(out + len, size - len, "%s=%.*s,", name, (int) (e->at - value),
                                     value);
        }
        e->at++;
    } while (exposition_skip(e, ","));
    if (!exposition_skip(e, "}")) {
        EXPOSITION_FAIL(e, "no }");
    }
}

static inline double exposition_number(exposition *e)
{
    char *end;

    if (!exposition_skip(e, " ") || !(isdigit((unsigned char) *e->at) || *e->at == '-')) {
        EXPOSITION_FAIL(e, "no number");
    }
    double number = strtod(e->at, &end);
    e->at = end;
    if (!exposition_skip(e, "\n")) {
        EXPOSITION_FAIL(e, "no line end");
    }
    return number;
}

static inline void exposition_bucket(exposition *e, double bound, double number, bool is_first)
{
    if (is_first) {
        e->last_bucket = 0;
        e->last_bound = -INFINITY;
    }
    if (bound <= e->last_bound || number < e->last_bucket) {
        FAIL("%s: buckets do not rise", e->family);
    }
    e->last_bound = bound;
    e->last_bucket = number;
}

static inline void exposition_sample(exposition *e)
{
    char name[128];
    char series[1024];
    double bound = 0;

    exposition_name(e, name, sizeof name);
    size_t family_len = strlen(e->family);
    if (strncmp(name, e->family, family_len) != 0) {
        FAIL("%s among the samples of %s", name, e->family);
    }
    const char *part = name + family_len;
    bool is_histogram = strcmp(e->type, "histogram") == 0;
    series[0] = '\0';
    if (exposition_skip(e, "{")) {
        exposition_labels(e, series, sizeof series, &bound);
    }
    double number = exposition_number(e);
    e->samples++;
    if (!is_histogram) {
        ASSERT_STR_EQ(part, "");
        if (e->samples > 1 && strcmp(e->series, series) >= 0) {
            FAIL("%s: %s is not behind %s", name, series, e->series);
        }
        ASSERT_TRUE(strcmp(e->type, "gauge") == 0 || number >= 0);
    } else if (strcmp(part, "_bucket") == 0) {
        exposition_bucket(e, bound, number, strcmp(e->series, series) != 0 || e->samples == 1);
    } else if (strcmp(part, "_count") == 0) {
        ASSERT_TRUE(isinf(e->last_bound) && number == e->last_bucket);
    } else {
        ASSERT_STR_EQ(part, "_sum");
    }
    memcpy(e->series, series, sizeof series);
}

/* Fails the test when `chars` is anything but what is described above. */
static inline void check_exposition(const char *chars)
{
    exposition e = { .at = chars };

    while (*e.at != '\0') {
        exposition_head(&e);
        while (*e.at != '\0' && *e.at != '#') {
            exposition_sample(&e);
        }
        if (e.samples == 0) {
            FAIL("%s has no samples", e.family);
        }
    }
}

#endif /* TESTS_SUPPORT_EXPOSITION_H */
