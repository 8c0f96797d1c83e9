/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource.c - a resource of the API: where its objects live and what they are.
 *
 *     [ header | pointers to verbs and short names | strings ]
 *
 * One allocation.  Strings are terminated; the lists of pointers lie one after the other.
 */
#include "api/resource.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

/* As of a DNS name, which groups have to be. */
#define NAME_MAX_LEN 253

/* How much of a name a message quotes. */
#define QUOTED_MAX 64

struct kin_resource {
    _Atomic uint32_t refs;
    bool is_namespaced;
    bool can_all;
    size_t verb_count;
    size_t short_name_count;
    const char *group;
    const char *version;
    const char *api_version;
    const char *name;
    const char *kind;
    const char *singular;
    const char *list[]; /* verbs, then short names */
};

static kin_err check_facts(const kin__resource_facts *facts, kin_error *err);
static kin_err check_label(kin_str name, const char *what, kin_error *err);
static kin_err check_name(kin_str name, const char *what, kin_error *err);
static bool is_letter_or_digit(char c);
static size_t strings_len(const kin__resource_facts *facts);
static void fill(kin_resource *resource, const kin__resource_facts *facts, char *strings);
static const char *put(char **at, kin_str text);

kin_err kin_resource_new(const char *group, const char *version, const char *name, const char *kind,
                         bool is_namespaced, kin_resource **out, kin_error *err)
{
    kin_error unwanted;
    kin__resource_facts facts = {
        .group = kin_str_of(group),
        .version = kin_str_of(version),
        .name = kin_str_of(name),
        .kind = kin_str_of(kind),
        .is_namespaced = is_namespaced,
    };
    err = kin__error_or(err, &unwanted);

    if (kin__resource_make(&facts, out, err) != KIN_OK) {
        if (err->code == KIN_ERR_MALFORMED) {
            err->code = KIN_ERR_USAGE;
        }
        return kin__error_prefix(err, "new resource");
    }
    return KIN_OK;
}

kin_resource *kin_resource_ref(const kin_resource *resource)
{
    kin_resource *counted = (kin_resource *) (uintptr_t) resource;

    if (counted != NULL) {
        atomic_fetch_add_explicit(&counted->refs, 1, memory_order_relaxed);
    }
    return counted;
}

kin_resource *kin_resource_unref(const kin_resource *resource)
{
    kin_resource *counted = (kin_resource *) (uintptr_t) resource;

    if (counted != NULL &&
        atomic_fetch_sub_explicit(&counted->refs, 1, memory_order_release) == 1) {
        (void) atomic_load_explicit(&counted->refs, memory_order_acquire);
        kin__free(counted);
    }
    return NULL;
}

const char *kin_resource_group(const kin_resource *resource)
{
    return resource->group;
}

const char *kin_resource_version(const kin_resource *resource)
{
    return resource->version;
}

const char *kin_resource_api_version(const kin_resource *resource)
{
    return resource->api_version;
}

const char *kin_resource_name(const kin_resource *resource)
{
    return resource->name;
}

const char *kin_resource_kind(const kin_resource *resource)
{
    return resource->kind;
}

const char *kin_resource_singular(const kin_resource *resource)
{
    return resource->singular;
}

bool kin_resource_is_namespaced(const kin_resource *resource)
{
    return resource->is_namespaced;
}

bool kin_resource_can(const kin_resource *resource, const char *verb)
{
    for (size_t i = 0; i < resource->verb_count && verb != NULL; i++) {
        if (strcmp(resource->list[i], verb) == 0) {
            return true;
        }
    }
    return resource->can_all;
}

bool kin_resource_short_name(const kin_resource *resource, size_t index, const char **out)
{
    if (index >= resource->short_name_count) {
        return false;
    }
    *out = resource->list[resource->verb_count + index];
    return true;
}

bool kin__resource_is_name(kin_str text)
{
    if (text.len == 0 || text.len > NAME_MAX_LEN || !is_letter_or_digit(text.data[0])) {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        char c = text.data[i];
        if (!is_letter_or_digit(c) && c != '-' && c != '_' && c != '.') {
            return false;
        }
    }
    return true;
}

kin_err kin__resource_make(const kin__resource_facts *facts, kin_resource **out, kin_error *err)
{
    if (check_facts(facts, err) != KIN_OK) {
        return err->code;
    }
    size_t header =
        sizeof(kin_resource) + (facts->verb_count + facts->short_name_count) * sizeof(char *);
    kin_resource *resource = kin__alloc(header + strings_len(facts));
    if (resource == NULL) {
        return kin__error_no_memory(err);
    }
    fill(resource, facts, (char *) resource + header);
    *out = resource;
    return KIN_OK;
}

static kin_err check_facts(const kin__resource_facts *facts, kin_error *err)
{
    if ((facts->group.len > 0 && check_name(facts->group, "group", err) != KIN_OK) ||
        check_label(facts->version, "version", err) != KIN_OK ||
        check_label(facts->name, "name", err) != KIN_OK ||
        check_name(facts->kind, "kind", err) != KIN_OK ||
        (facts->singular.len > 0 && check_name(facts->singular, "singular name", err) != KIN_OK)) {
        return err->code;
    }
    for (size_t i = 0; i < facts->verb_count; i++) {
        if (check_name(facts->verbs[i], "verb", err) != KIN_OK) {
            return err->code;
        }
    }
    for (size_t i = 0; i < facts->short_name_count; i++) {
        if (check_name(facts->short_names[i], "short name", err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

/* A name without dots: people write "name.version.group". */
static kin_err check_label(kin_str name, const char *what, kin_error *err)
{
    if (check_name(name, what, err) != KIN_OK) {
        return err->code;
    }
    if (memchr(name.data, '.', name.len) != NULL) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "its %s \"%.*s\" has a dot", what,
                              KIN_STR_ARG(name));
    }
    return KIN_OK;
}

static kin_err check_name(kin_str name, const char *what, kin_error *err)
{
    int quoted = (int) (name.len < QUOTED_MAX ? name.len : QUOTED_MAX);

    if (name.len == 0) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "its %s is empty", what);
    }
    if (!kin__resource_is_name(name)) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "its %s \"%.*s%s\" is no name", what, quoted,
                              name.data, name.len > QUOTED_MAX ? "..." : "");
    }
    return KIN_OK;
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* With their ends. */
static size_t strings_len(const kin__resource_facts *facts)
{
    size_t len = 2 * (facts->group.len + 1 + facts->version.len + 1) + facts->name.len + 1 +
                 facts->kind.len + 1 + facts->singular.len + 1;

    for (size_t i = 0; i < facts->verb_count; i++) {
        len += facts->verbs[i].len + 1;
    }
    for (size_t i = 0; i < facts->short_name_count; i++) {
        len += facts->short_names[i].len + 1;
    }
    return len;
}

static void fill(kin_resource *resource, const kin__resource_facts *facts, char *strings)
{
    *resource = (kin_resource){
        .is_namespaced = facts->is_namespaced,
        .can_all = facts->verbs == NULL,
        .verb_count = facts->verb_count,
        .short_name_count = facts->short_name_count,
        .group = put(&strings, facts->group),
        .version = put(&strings, facts->version),
        .name = put(&strings, facts->name),
        .kind = put(&strings, facts->kind),
        .singular = put(&strings, facts->singular),
    };
    atomic_init(&resource->refs, 1);
    resource->api_version = strings;
    if (facts->group.len > 0) {
        (void) put(&strings, facts->group);
        strings[-1] = '/';
    }
    (void) put(&strings, facts->version);
    for (size_t i = 0; i < facts->verb_count; i++) {
        resource->list[i] = put(&strings, facts->verbs[i]);
    }
    for (size_t i = 0; i < facts->short_name_count; i++) {
        resource->list[facts->verb_count + i] = put(&strings, facts->short_names[i]);
    }
}

static const char *put(char **at, kin_str text)
{
    char *first = *at;

    if (text.len > 0) {
        memcpy(first, text.data, text.len);
    }
    first[text.len] = '\0';
    *at = first + text.len + 1;
    return first;
}
