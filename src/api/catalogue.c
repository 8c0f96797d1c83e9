/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue.c - the resources of a server, found by the names people use.
 *
 * A server has a few hundred resources, and a name is looked up once in a while: all lookups walk
 * the list.  Each way to read a name is tried over all of them before the next: that is how the
 * better one wins wherever it stands.
 */
#include "api/catalogue.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

struct kin__catalogue {
    kin_resource **resources; /* owned, and a reference to each */
    size_t count;
    size_t capacity;
};

/* How a name is meant. */
typedef struct wanted {
    kin_str name;
    kin_str version; /* only with has_version */
    kin_str group;   /* only with has_group */
    bool has_version;
    bool has_group;
    bool is_group_prefix;
} wanted;

static const kin_resource *find_wanted(const kin__catalogue *catalogue, const wanted *what);
static bool fits(const kin_resource *resource, const wanted *what);
static bool is_called(const kin_resource *resource, kin_str name);
static bool has_short_name(const kin_resource *resource, kin_str name);
static bool equals(const char *text, kin_str s);
static bool equals_in_any_case(const char *text, kin_str s);
static char lower(char c);
static bool split(kin_str s, kin_str *out_before, kin_str *out_after);

kin_err kin__catalogue_new(kin__catalogue **out, kin_error *err)
{
    kin__catalogue *catalogue = kin__alloc_zero(1, sizeof *catalogue);

    if (catalogue == NULL) {
        return kin__error_no_memory(err);
    }
    *out = catalogue;
    return KIN_OK;
}

void kin__catalogue_free(kin__catalogue *catalogue)
{
    if (catalogue != NULL) {
        for (size_t i = 0; i < catalogue->count; i++) {
            kin_resource_unref(catalogue->resources[i]);
        }
        kin__free(catalogue->resources);
        kin__free(catalogue);
    }
}

kin_err kin__catalogue_add(kin__catalogue *catalogue, const kin_resource *resource, kin_error *err)
{
    if (catalogue->count == catalogue->capacity) {
        size_t capacity = catalogue->capacity == 0 ? 64 : catalogue->capacity * 2;
        kin_resource **grown =
            kin__realloc(catalogue->resources, capacity * sizeof catalogue->resources[0]);
        if (grown == NULL) {
            return kin__error_no_memory(err);
        }
        catalogue->resources = grown;
        catalogue->capacity = capacity;
    }
    catalogue->resources[catalogue->count++] = kin_resource_ref(resource);
    return KIN_OK;
}

size_t kin__catalogue_count(const kin__catalogue *catalogue)
{
    return catalogue->count;
}

const kin_resource *kin__catalogue_at(const kin__catalogue *catalogue, size_t index)
{
    return index < catalogue->count ? catalogue->resources[index] : NULL;
}

const kin_resource *kin__catalogue_find(const kin__catalogue *catalogue, kin_str name)
{
    wanted what = { .name = name };
    const kin_resource *found = NULL;
    kin_str rest;

    if (!split(name, &what.name, &rest)) {
        return find_wanted(catalogue, &what);
    }
    what.has_group = true;
    what.has_version = split(rest, &what.version, &what.group);
    if (what.has_version) {
        found = find_wanted(catalogue, &what);
    }
    if (found == NULL) {
        what.has_version = false;
        what.group = rest;
        found = find_wanted(catalogue, &what);
    }
    if (found == NULL && rest.len > 0) {
        what.is_group_prefix = true;
        found = find_wanted(catalogue, &what);
    }
    return found;
}

const kin_resource *kin__catalogue_of_kind(const kin__catalogue *catalogue, kin_str api_version,
                                           kin_str kind)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const kin_resource *resource = catalogue->resources[i];
        if (equals(kin_resource_api_version(resource), api_version) &&
            equals(kin_resource_kind(resource), kind)) {
            return resource;
        }
    }
    return NULL;
}

static const kin_resource *find_wanted(const kin__catalogue *catalogue, const wanted *what)
{
    const kin_resource *by_short_name = NULL;

    for (size_t i = 0; i < catalogue->count; i++) {
        const kin_resource *resource = catalogue->resources[i];
        if (!fits(resource, what)) {
            continue;
        }
        if (is_called(resource, what->name)) {
            return resource;
        }
        if (by_short_name == NULL && has_short_name(resource, what->name)) {
            by_short_name = resource;
        }
    }
    return by_short_name;
}

static bool fits(const kin_resource *resource, const wanted *what)
{
    kin_str group = kin_str_of(kin_resource_group(resource));

    if (what->has_version && !equals(kin_resource_version(resource), what->version)) {
        return false;
    }
    if (what->is_group_prefix) {
        return kin__str_starts_with(group, what->group);
    }
    return !what->has_group || kin__str_equal(group, what->group);
}

static bool is_called(const kin_resource *resource, kin_str name)
{
    return name.len > 0 && (equals_in_any_case(kin_resource_name(resource), name) ||
                            equals_in_any_case(kin_resource_singular(resource), name) ||
                            equals_in_any_case(kin_resource_kind(resource), name));
}

static bool has_short_name(const kin_resource *resource, kin_str name)
{
    const char *short_name;

    for (size_t i = 0; kin_resource_short_name(resource, i, &short_name); i++) {
        if (equals_in_any_case(short_name, name)) {
            return true;
        }
    }
    return false;
}

static bool equals(const char *text, kin_str s)
{
    return kin__str_equal(kin_str_of(text), s);
}

static bool equals_in_any_case(const char *text, kin_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (text[i] == '\0' || lower(text[i]) != lower(s.data[i])) {
            return false;
        }
    }
    return text[s.len] == '\0';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

/* At the first dot; false when there is none. */
static bool split(kin_str s, kin_str *out_before, kin_str *out_after)
{
    const char *dot = s.len == 0 ? NULL : memchr(s.data, '.', s.len);

    if (dot == NULL) {
        return false;
    }
    *out_before = kin__str(s.data, (size_t) (dot - s.data));
    *out_after = kin__str(dot + 1, s.len - out_before->len - 1);
    return true;
}
