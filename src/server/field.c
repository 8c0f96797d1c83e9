/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.c - members of a JSON tree, read and set by name.
 */
#include "server/field.h"

#include "json/number.h"

kin__node *kin__field(const kin__node *object, const char *name)
{
    return object == NULL ? NULL : kin__node_member(object, kin_str_of(name));
}

kin__node *kin__field_at(const kin__node *object, const char *name, const char *below)
{
    return kin__field(kin__field(object, name), below);
}

kin_str kin__field_text(const kin__node *object, const char *name)
{
    const kin__node *member = kin__field(object, name);

    return kin__node_is(member, KIN_TYPE_STRING) ? kin__node_text(member) : STR("");
}

bool kin__field_int64(const kin__node *object, const char *name, int64_t *out)
{
    const kin__node *member = kin__field(object, name);

    return kin__node_is(member, KIN_TYPE_NUMBER) &&
           kin__json_int64(kin__node_text(member), out) == KIN_OK;
}

bool kin__field_is_true(const kin__node *object, const char *name)
{
    const kin__node *member = kin__field(object, name);

    return kin__node_is(member, KIN_TYPE_BOOL) &&
           kin__str_equal(kin__node_text(member), STR("true"));
}

bool kin__node_is(const kin__node *node, kin_type type)
{
    return node != NULL && kin__node_type(node) == type;
}

kin__node *kin__field_make(kin__node *object, const char *name, kin_type type)
{
    kin__node *member = kin__field(object, name);
    kin__node *made = NULL;
    kin_error err;

    if (kin__node_is(member, type)) {
        return member;
    }
    if (kin__node_container(type, &made, &err) != KIN_OK || !kin__field_set(object, name, made)) {
        return NULL;
    }
    return made;
}

bool kin__field_set(kin__node *object, const char *name, kin__node *child)
{
    kin_error err;

    if (child == NULL) {
        return false;
    }
    if (kin__node_set_member(object, kin_str_of(name), child, &err) != KIN_OK) {
        kin__node_free(child);
        return false;
    }
    return true;
}

bool kin__field_set_text(kin__node *object, const char *name, kin_str text)
{
    kin__node *child = NULL;
    kin_error err;

    return kin__node_string(text, &child, &err) == KIN_OK && kin__field_set(object, name, child);
}

bool kin__field_set_int64(kin__node *object, const char *name, int64_t value)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin__node *child = NULL;
    kin_error err;

    return kin__json_append_int64(&text, value) &&
           kin__node_number(kin__str(text.data, text.len), &child, &err) == KIN_OK &&
           kin__field_set(object, name, child);
}

bool kin__field_set_json(kin__node *object, const char *name, const char *json)
{
    return kin__field_set(object, name, kin__tree_of(kin_str_of(json)));
}

bool kin__field_append_text(kin__node *array, kin_str text)
{
    kin__node *child = NULL;
    kin_error err;

    if (kin__node_string(text, &child, &err) != KIN_OK) {
        return false;
    }
    if (kin__node_append(array, child, &err) != KIN_OK) {
        kin__node_free(child);
        return false;
    }
    return true;
}

bool kin__field_default_text(kin__node *object, const char *name, const char *text)
{
    return kin__field(object, name) != NULL || kin__field_set_text(object, name, kin_str_of(text));
}

bool kin__field_default_json(kin__node *object, const char *name, const char *json)
{
    return kin__field(object, name) != NULL || kin__field_set_json(object, name, json);
}

void kin__field_remove(kin__node *object, const char *name)
{
    kin__node_remove_member(object, kin_str_of(name));
}

bool kin__field_copy(kin__node *object, const kin__node *from, const char *name)
{
    const kin__node *member = kin__field(from, name);

    if (member == NULL) {
        kin__field_remove(object, name);
        return true;
    }
    return kin__field_set(object, name, kin__tree_copy(member));
}

bool kin__field_equal(const kin__node *a, const kin__node *b, const char *name)
{
    const kin__node *one = kin__field(a, name);
    const kin__node *other = kin__field(b, name);

    return one == NULL || other == NULL ? one == other : kin__node_equal(one, other);
}

kin__node *kin__tree_copy(const kin__node *node)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };

    return kin__node_append_json(node, &json) ? kin__tree_of(kin__str(json.data, json.len)) : NULL;
}

kin__node *kin__tree_of(kin_str json)
{
    kin__node *tree = NULL;
    kin_error err;

    return kin__node_from_json(kin__json_of(json), &tree, &err) == KIN_OK ? tree : NULL;
}
