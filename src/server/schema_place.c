/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_place.c - walks over an object along its schema.
 */
#include "server/schema_place.h"

#include <string.h>

size_t kin__schema_enter(kin__schema_place *at, kin_str name)
{
    size_t len = at->path.len;

    if (len > 0) {
        (void) kin__buf_append_byte(&at->path, '.');
    }
    (void) kin__buf_append_str(&at->path, name);
    return len;
}

size_t kin__schema_enter_element(kin__schema_place *at, size_t index)
{
    size_t len = at->path.len;

    (void) kin__buf_append_format(&at->path, "[%zu]", index);
    return len;
}

void kin__schema_leave(kin__schema_place *at, size_t len)
{
    at->path.len = len;
}

bool kin__schema_is_own(const kin__node *schema, bool is_root, kin_str name)
{
    return (is_root || kin__field_is_true(schema, "x-kubernetes-embedded-resource")) &&
           (kin__str_equal(name, STR("metadata")) || kin__str_equal(name, STR("kind")) ||
            kin__str_equal(name, STR("apiVersion")));
}

const kin__node *kin__schema_member(const kin__node *schema, kin_str name, bool *is_known)
{
    const kin__node *properties = kin__field(schema, "properties");
    const kin__node *others = kin__field(schema, "additionalProperties");
    const kin__node *found = properties == NULL ? NULL : kin__node_member(properties, name);

    if (found == NULL && kin__node_is(others, KIN_TYPE_OBJECT)) {
        found = others;
    }
    *is_known = found != NULL || kin__field_is_true(schema, "additionalProperties") ||
                kin__field_is_true(schema, "x-kubernetes-preserve-unknown-fields");
    return found;
}

/* Each name is behind its length. */
void kin__schema_note(kin__buf *names, kin_str name)
{
    (void) kin__buf_append(names, (const char *) &name.len, sizeof name.len);
    (void) kin__buf_append_str(names, name);
}

void kin__schema_drop(kin__schema_place *at, kin__node *node, const kin__buf *names,
                      kin__codec_warnings *warnings)
{
    for (size_t next = 0; next < names->len;) {
        size_t name_len;
        memcpy(&name_len, names->data + next, sizeof name_len);
        next += sizeof name_len;
        kin_str name = kin__str(names->data + next, name_len);
        next += name_len;
        if (warnings != NULL) {
            size_t len = kin__schema_enter(at, name);
            kin__codec_warn(warnings, "unknown field", kin__str(at->path.data, at->path.len));
            kin__schema_leave(at, len);
        }
        kin__node_remove_member(node, name);
    }
}
