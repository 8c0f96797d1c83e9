/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_metrics.c - the numbers of a client's requests, in a registry.
 */
#include "api/request_metrics.h"

#include <stdio.h>
#include <string.h>

#define MILLISECOND 1000000
#define SECOND 1000000000

static const struct {
    const char *method;
    const char *label;
} verbs[KIN__REQUEST_VERBS] = {
    { "", "watch" },  { "GET", "get" },     { "POST", "post" },
    { "PUT", "put" }, { "PATCH", "patch" }, { "DELETE", "delete" },
};

/* The codes that API servers and what stands before them answer with; 0: none came, -1: another. */
static const int codes[KIN__REQUEST_CODES] = { 0,   -1,  200, 201, 202, 400, 401, 403, 404,
                                               405, 409, 410, 415, 422, 429, 500, 503, 504 };

static const int64_t bounds[] = { 5LL * MILLISECOND,   25LL * MILLISECOND,  100LL * MILLISECOND,
                                  250LL * MILLISECOND, 500LL * MILLISECOND, SECOND,
                                  4LL * SECOND,        15LL * SECOND,       60LL * SECOND };

static size_t verb_of(const char *method, bool is_watch);
static size_t code_of(int http_status);
static void make_counter(kin__request_metrics *metrics, size_t verb, size_t code);

kin_err kin__request_metrics_init(kin__request_metrics *metrics, kin_metrics *registry,
                                  kin_error *err)
{
    kin__metric under_way = { .name = "kin_client_requests",
                              .help = "Requests that are under way, watches included." };
    kin__metric seconds = { .name = "kin_client_answer_duration_seconds",
                            .help = "How long it takes until an answer begins.",
                            .unit = KIN__UNIT_SECONDS,
                            .bounds = bounds,
                            .bound_count = sizeof bounds / sizeof bounds[0] };

    *metrics = (kin__request_metrics){ .registry = registry };
    kin_err code = kin__gauge_init(&metrics->under_way, registry, &under_way, err);
    return code == KIN_OK ? kin__histogram_init(&metrics->seconds, registry, &seconds, err) : code;
}

void kin__request_metrics_fini(kin__request_metrics *metrics)
{
    for (size_t verb = 0; verb < KIN__REQUEST_VERBS; verb++) {
        for (size_t code = 0; code < KIN__REQUEST_CODES; code++) {
            kin__counter_fini(&metrics->counters[verb][code]);
        }
    }
    kin__gauge_fini(&metrics->under_way);
    kin__histogram_fini(&metrics->seconds);
    metrics->registry = NULL;
}

void kin__request_metrics_begin(kin__request_metrics *metrics)
{
    kin__gauge_add(&metrics->under_way, 1);
}

void kin__request_metrics_end(kin__request_metrics *metrics)
{
    kin__gauge_add(&metrics->under_way, -1);
}

void kin__request_metrics_answer(kin__request_metrics *metrics, const char *method, bool is_watch,
                                 int http_status, int64_t took_ms)
{
    if (metrics->registry == NULL) {
        return;
    }
    size_t verb = verb_of(method, is_watch);
    size_t code = code_of(http_status);

    if (metrics->counters[verb][code].series == NULL) {
        make_counter(metrics, verb, code);
    }
    kin__counter_add(&metrics->counters[verb][code], 1);
    if (http_status != 0) {
        kin__histogram_observe(&metrics->seconds, took_ms * MILLISECOND);
    }
}

static size_t verb_of(const char *method, bool is_watch)
{
    for (size_t i = 1; !is_watch && i < KIN__REQUEST_VERBS; i++) {
        if (strcmp(method, verbs[i].method) == 0) {
            return i;
        }
    }
    return is_watch ? 0 : 1;
}

static size_t code_of(int http_status)
{
    for (size_t i = 0; i < KIN__REQUEST_CODES; i++) {
        if (codes[i] == http_status) {
            return i;
        }
    }
    return 1;
}

static void make_counter(kin__request_metrics *metrics, size_t verb, size_t code)
{
    char text[16];
    kin_error err;
    kin__label labels[] = { { "verb", verbs[verb].label }, { "code", text } };
    kin__metric metric = { .name = "kin_client_requests_total",
                           .help = "Requests, by how they were answered.",
                           .labels = labels,
                           .label_count = 2 };

    (void) snprintf(text, sizeof text, "%d", codes[code]);
    if (codes[code] <= 0) {
        labels[1].value = codes[code] == 0 ? "none" : "other";
    }
    (void) !kin__counter_init(&metrics->counters[verb][code], metrics->registry, &metric, &err);
}
