/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.c - the pages /healthz, /livez and /readyz.
 */
#include "server/health.h"

#include "base/str.h"
#include "server/query.h"

#define HOOK "poststarthook/"

enum { HEALTHZ = 1, LIVEZ = 2, READYZ = 4, LIFE = HEALTHZ | LIVEZ, EVERY = LIFE | READYZ };

typedef struct check {
    const char *name;
    int pages; /* on which of the three it is */
} check;

/* In the order in which they are shown. */
static const check checks[] = {
    { "ping", EVERY },
    { "log", EVERY },
    { "loopback-serving-certificate", LIFE },
    { "etcd", EVERY },
    { "etcd-readiness", READYZ },
    { "informer-sync", READYZ },
    { HOOK "start-apiserver-admission-initializer", EVERY },
    { HOOK "generic-apiserver-start-informers", EVERY },
    { HOOK "priority-and-fairness-config-consumer", EVERY },
    { HOOK "priority-and-fairness-filter", EVERY },
    { HOOK "storage-object-count-tracker-hook", EVERY },
    { HOOK "start-apiextensions-informers", EVERY },
    { HOOK "start-apiextensions-controllers", EVERY },
    { HOOK "crd-informer-synced", EVERY },
    { HOOK "start-system-namespaces-controller", EVERY },
    { HOOK "peer-endpoint-reconciler-controller", EVERY },
    { HOOK "start-cluster-authentication-info-controller", EVERY },
    { HOOK "start-kube-apiserver-identity-lease-controller", EVERY },
    { HOOK "start-kube-apiserver-identity-lease-garbage-collector", EVERY },
    { HOOK "storage-readiness", EVERY },
    { HOOK "start-legacy-token-tracking-controller", EVERY },
    { HOOK "start-service-ip-repair-controllers", EVERY },
    { HOOK "rbac/bootstrap-roles", EVERY },
    { HOOK "scheduling/bootstrap-system-priority-classes", EVERY },
    { HOOK "priority-and-fairness-config-producer", EVERY },
    { HOOK "bootstrap-controller", EVERY },
    { HOOK "start-kubernetes-service-cidr-controller", EVERY },
    { HOOK "start-kube-aggregator-informers", EVERY },
    { HOOK "apiservice-status-local-available-controller", EVERY },
    { HOOK "apiservice-status-remote-available-controller", EVERY },
    { HOOK "apiservice-registration-controller", EVERY },
    { HOOK "apiservice-discovery-controller", EVERY },
    { HOOK "kube-apiserver-autoregistration", EVERY },
    { "autoregister-completion", EVERY },
    { HOOK "apiservice-openapi-controller", EVERY },
    { HOOK "apiservice-openapiv3-controller", EVERY },
    { "shutdown", READYZ },
};

#define CHECK_COUNT (sizeof checks / sizeof checks[0])

static const struct {
    const char *name;
    int page;
} pages[] = { { "healthz", HEALTHZ }, { "livez", LIVEZ }, { "readyz", READYZ } };

#define PAGE_COUNT (sizeof pages / sizeof pages[0])

static size_t page_of(kin_str path, kin_str *out_check);
static void write_checks(size_t page, kin_str query, kin__buf *out);
static bool is_excluded(kin_str query, kin_str name);
static void warn_of_excluded(size_t page, kin_str query, kin__buf *out);
static bool has_check(size_t page, kin_str escaped);

bool kin__health_serves(kin_str path, bool *out_is_check)
{
    kin_str name;
    size_t page = page_of(path, &name);

    if (page == PAGE_COUNT) {
        return false;
    }
    if (name.data == NULL) {
        *out_is_check = false;
        return true;
    }
    for (size_t i = 0; i < CHECK_COUNT; i++) {
        if ((checks[i].pages & pages[page].page) != 0 &&
            kin__str_equal(kin_str_of(checks[i].name), name)) {
            *out_is_check = true;
            return true;
        }
    }
    return false;
}

void kin__health_write(kin_str path, kin_str query, kin__buf *out)
{
    kin_str name;
    size_t page = page_of(path, &name);
    kin__query_pair verbose;

    if (page == PAGE_COUNT || name.data != NULL ||
        !kin__query_find(query, STR("verbose"), &verbose)) {
        (void) kin__buf_append_str(out, STR("ok"));
        return;
    }
    write_checks(page, query, out);
    warn_of_excluded(page, query, out);
    (void) kin__buf_append_format(out, "%s check passed\n", pages[page].name);
}

bool kin__health_path_at(size_t index, kin__buf *out)
{
    for (size_t page = 0; page < PAGE_COUNT; page++) {
        if (index-- == 0) {
            (void) kin__buf_append_format(out, "/%s", pages[page].name);
            return true;
        }
        for (size_t i = 0; i < CHECK_COUNT; i++) {
            if ((checks[i].pages & pages[page].page) != 0 && index-- == 0) {
                (void) kin__buf_append_format(out, "/%s/%s", pages[page].name, checks[i].name);
                return true;
            }
        }
    }
    return false;
}

/* PAGE_COUNT: none.  The check is what comes behind the page's name and a slash; no data when there
 * is no slash. */
static size_t page_of(kin_str path, kin_str *out_check)
{
    for (size_t i = 0; i < PAGE_COUNT; i++) {
        kin_str name = kin_str_of(pages[i].name);
        if (path.len <= name.len || path.data[0] != '/' ||
            memcmp(path.data + 1, name.data, name.len) != 0) {
            continue;
        }
        size_t at = name.len + 1;
        if (at == path.len) {
            *out_check = (kin_str){ NULL, 0 };
            return i;
        }
        if (path.data[at] == '/') {
            *out_check = kin__str(path.data + at + 1, path.len - at - 1);
            return i;
        }
    }
    return PAGE_COUNT;
}

static void write_checks(size_t page, kin_str query, kin__buf *out)
{
    for (size_t i = 0; i < CHECK_COUNT; i++) {
        if ((checks[i].pages & pages[page].page) == 0) {
            continue;
        }
        bool is_left_out = is_excluded(query, kin_str_of(checks[i].name));
        (void) kin__buf_append_format(out, "[+]%s %s\n", checks[i].name,
                                      is_left_out ? "excluded: ok" : "ok");
    }
}

static bool is_excluded(kin_str query, kin_str name)
{
    kin__query_pair pair;

    while (kin__query_next(&query, &pair)) {
        if (kin__query_equals(pair.name, STR("exclude")) && kin__query_equals(pair.value, name)) {
            return true;
        }
    }
    return false;
}

/* Names that no check has, in the order of the query: a real server sorts them. */
static void warn_of_excluded(size_t page, kin_str query, kin__buf *out)
{
    kin__query_pair pair;
    bool has_begun = false;

    while (kin__query_next(&query, &pair)) {
        if (!kin__query_equals(pair.name, STR("exclude")) || has_check(page, pair.value)) {
            continue;
        }
        (void) kin__buf_append_str(
            out, has_begun ? STR(",\"")
                           : STR("warn: some health checks cannot be excluded: no matches for \""));
        kin__query_unescape(pair.value, out);
        (void) kin__buf_append_byte(out, '"');
        has_begun = true;
    }
    if (has_begun) {
        (void) kin__buf_append_byte(out, '\n');
    }
}

static bool has_check(size_t page, kin_str escaped)
{
    for (size_t i = 0; i < CHECK_COUNT; i++) {
        if ((checks[i].pages & pages[page].page) != 0 &&
            kin__query_equals(escaped, kin_str_of(checks[i].name))) {
            return true;
        }
    }
    return false;
}
