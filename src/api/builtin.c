/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin.c - names of built-in resources, from the tables of kinds.
 *
 * The tables have kinds.  A resource's name follows from its kind by the rule that Kubernetes
 * itself has for it (UnsafeGuessKindToResource in apimachinery's meta package), and for all
 * built-in kinds it is right.  Short names are those that the API server's registry declares.
 */
#include "api/builtin.h"

#include <string.h>

#include "base/str.h"
#include "proto/schema.h"

static const struct short_name {
    const char *name;
    const char *kind; /* in small letters */
} short_names[] = {
    { "cj", "cronjob" },
    { "cm", "configmap" },
    { "crd", "customresourcedefinition" },
    { "crds", "customresourcedefinition" },
    { "cs", "componentstatus" },
    { "csr", "certificatesigningrequest" },
    { "deploy", "deployment" },
    { "ds", "daemonset" },
    { "ep", "endpoints" },
    { "ev", "event" },
    { "hpa", "horizontalpodautoscaler" },
    { "ing", "ingress" },
    { "ip", "ipaddress" },
    { "limits", "limitrange" },
    { "netpol", "networkpolicy" },
    { "no", "node" },
    { "ns", "namespace" },
    { "pc", "priorityclass" },
    { "pdb", "poddisruptionbudget" },
    { "po", "pod" },
    { "pv", "persistentvolume" },
    { "pvc", "persistentvolumeclaim" },
    { "quota", "resourcequota" },
    { "rc", "replicationcontroller" },
    { "rs", "replicaset" },
    { "sa", "serviceaccount" },
    { "sc", "storageclass" },
    { "sts", "statefulset" },
    { "svc", "service" },
    { "vac", "volumeattributesclass" },
};

typedef struct wanted {
    kin_str name;
    kin_str version;
    kin_str group;
    bool has_version;
    bool has_group;
} wanted;

static bool find_wanted(const wanted *what, kin__builtin *out);
static bool is_called(const kin__pb_kind *kind, kin_str name, char *plural);
static bool is_stable(kin_str version);
static bool make_plural(kin_str kind, char *out);
static bool equals(kin_str a, const char *b);
static bool split(kin_str text, kin_str *first, kin_str *rest);
static char small(char c);

bool kin__builtin_find(kin_str name, kin__builtin *out)
{
    wanted what = { .name = name };
    kin_str rest;

    if (!split(name, &what.name, &rest)) {
        return find_wanted(&what, out);
    }
    what.has_group = true;
    what.has_version = split(rest, &what.version, &what.group);
    if (what.has_version && find_wanted(&what, out)) {
        return true;
    }
    what.has_version = false;
    what.group = rest;
    return find_wanted(&what, out);
}

/* Without a group, core counts, which comes last in the tables; of several others none is meant.
 * With a version, that one must be there; without, one that is stable. */
static bool find_wanted(const wanted *what, kin__builtin *out)
{
    kin__builtin found = { 0 };
    kin__pb_kind kind;
    char plural[KIN__BUILTIN_NAME_MAX];
    size_t versions = 0;
    bool is_doubtful = false;

    for (size_t i = 0; kin__pb_kind_at(i, &kind); i++) {
        if ((what->has_group && !kin__str_equal(kind.group, what->group)) ||
            (what->has_version ? !kin__str_equal(kind.version, what->version)
                               : !is_stable(kind.version)) ||
            !is_called(&kind, what->name, plural)) {
            continue;
        }
        if (versions != 0 && !kin__str_equal(kind.group, found.group)) {
            is_doubtful = kind.group.len != 0;
            versions = 0;
        }
        versions++;
        found.group = kind.group;
        found.version = kind.version;
        memcpy(found.name, plural, sizeof plural);
    }
    if (versions == 0 || is_doubtful) {
        return false;
    }
    if (versions > 1) {
        found.version = kin__str("", 0);
    }
    *out = found;
    return true;
}

static bool is_called(const kin__pb_kind *kind, kin_str name, char *plural)
{
    if (!make_plural(kind->kind, plural)) {
        return false;
    }
    if (equals(name, plural)) {
        return true;
    }
    char singular[KIN__BUILTIN_NAME_MAX];
    for (size_t i = 0; i < kind->kind.len; i++) {
        singular[i] = small(kind->kind.data[i]);
    }
    singular[kind->kind.len] = '\0';
    if (equals(name, singular)) {
        return true;
    }
    for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++) {
        if (equals(name, short_names[i].name)) {
            return strcmp(short_names[i].kind, singular) == 0;
        }
    }
    return false;
}

/* "v1", and not "v1beta1". */
static bool is_stable(kin_str version)
{
    if (version.len < 2 || version.data[0] != 'v') {
        return false;
    }
    for (size_t i = 1; i < version.len; i++) {
        if (version.data[i] < '0' || version.data[i] > '9') {
            return false;
        }
    }
    return true;
}

static bool make_plural(kin_str kind, char *out)
{
    size_t len = kind.len;

    if (len == 0 || len + sizeof "es" > KIN__BUILTIN_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        out[i] = small(kind.data[i]);
    }
    out[len] = '\0';
    if (strcmp(out, "endpoints") == 0) {
        return true;
    }
    const char *end = "s";
    if (out[len - 1] == 's') {
        end = "es";
    } else if (out[len - 1] == 'y') {
        len--;
        end = "ies";
    }
    memcpy(out + len, end, strlen(end) + 1);
    return true;
}

static bool equals(kin_str a, const char *b)
{
    size_t i = 0;

    while (i < a.len && b[i] != '\0' && small(a.data[i]) == b[i]) {
        i++;
    }
    return i == a.len && b[i] == '\0';
}

/* At the first dot. */
static bool split(kin_str text, kin_str *first, kin_str *rest)
{
    const char *dot = text.len == 0 ? NULL : memchr(text.data, '.', text.len);

    if (dot == NULL) {
        return false;
    }
    *first = kin__str(text.data, (size_t) (dot - text.data));
    *rest = kin__str(dot + 1, text.len - first->len - 1);
    return true;
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}
