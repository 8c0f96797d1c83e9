/* SPDX-License-Identifier: Apache-2.0 */
/*
 * default_path.c - one step of a path after the other; there are as many calls as steps.
 */
#include "server/default_path.h"

#include <string.h>

#include "server/field.h"

#define NAME_MAX_BYTES 64

static bool set(kin__node *object, const char *name, const char *json, bool replaces_zero);
static bool is_zero(const kin__node *value);
static bool set_in_each(const kin__node *array, const char *path, const char *json);
static const char *step(const char *path, char name[NAME_MAX_BYTES]);

bool kin__default_at(kin__node *object, const char *path, const char *json)
{
    size_t len = strcspn(path, ".[?~");
    const char *mark = path + len;
    char name[NAME_MAX_BYTES];

    if (!kin__node_is(object, KIN_TYPE_OBJECT)) {
        return true;
    }
    memcpy(name, path, len);
    name[len] = '\0';
    switch (*mark) {
    case '[':
        return set_in_each(kin__field(object, name), mark + strlen("[]."), json);
    case '?':
        return kin__default_at(kin__field(object, name), mark + strlen("?."), json);
    case '.':
        object = kin__field_make(object, name, KIN_TYPE_OBJECT);
        return object != NULL && kin__default_at(object, mark + 1, json);
    default:
        return set(object, name, json, *mark == '~');
    }
}

kin__node *kin__default_find(kin__node *object, const char *path)
{
    char name[NAME_MAX_BYTES];

    while (object != NULL && *path != '\0') {
        path = step(path, name);
        object = kin__field(object, name);
    }
    return object;
}

static bool set(kin__node *object, const char *name, const char *json, bool replaces_zero)
{
    const kin__node *value = kin__field(object, name);

    return (value != NULL && !kin__node_is(value, KIN_TYPE_NULL) &&
            !(replaces_zero && is_zero(value))) ||
           kin__field_set_json(object, name, json);
}

static bool is_zero(const kin__node *value)
{
    kin_str text = kin__node_text(value);

    return kin__node_is(value, KIN_TYPE_STRING)
               ? text.len == 0
               : kin__node_is(value, KIN_TYPE_NUMBER) && kin__str_equal(text, STR("0"));
}

static bool set_in_each(const kin__node *array, const char *path, const char *json)
{
    kin__node_iter iter = { 0 };

    while (kin__node_is(array, KIN_TYPE_ARRAY) && kin__node_next(array, &iter)) {
        if (!kin__default_at(iter.value, path, json)) {
            return false;
        }
    }
    return true;
}

/* The first name of a path, and what follows it. */
static const char *step(const char *path, char name[NAME_MAX_BYTES])
{
    size_t len = strcspn(path, ".");

    memcpy(name, path, len);
    name[len] = '\0';
    return path[len] == '.' ? path + len + 1 : path + len;
}
