/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_embedded.c - whole objects inside of a custom resource.
 *
 * After Coerce() and Validate() of kubernetes 1.36, apiextensions-apiserver,
 * pkg/apiserver/schema/objectmeta.  Not looked at are the types of members and what is in metadata.
 */
#include "server/schema_embedded.h"

#include "server/codec_decode.h"
#include "server/metadata_check.h"
#include "server/schema_place.h"

typedef struct embedding embedding;

/* One of the two walks. */
struct embedding {
    kin__schema_place at;
    void (*meet)(embedding *e, const kin__node *resource);
    kin__codec_warnings *warnings; /* NULL: nobody wants to know */
    kin__refusal *no;              /* NULL when pruning */
    bool has_failed;               /* for want of memory */
};

static void walk(embedding *e, const kin__node *schema, const kin__node *node, bool is_root);
static void walk_members(embedding *e, const kin__node *schema, const kin__node *node,
                         bool is_root);
static size_t enter(embedding *e, const kin__node *schema, kin_str name);
static void prune_metadata(embedding *e, const kin__node *resource);
static void check_resource(embedding *e, const kin__node *resource);
static void check_member(embedding *e, const kin__node *resource, const char *name);
static bool is_version(kin_str text);

bool kin__schema_embedded_prune(const kin__node *schema, kin__node *object,
                                kin__codec_warnings *warnings)
{
    embedding e = { .meet = prune_metadata, .warnings = warnings };

    walk(&e, schema, object, true);
    bool has_failed = e.has_failed || kin__buf_failed(&e.at.path);
    kin__buf_fini(&e.at.path);
    return !has_failed;
}

void kin__schema_embedded_check(const kin__node *schema, const kin__node *object, kin__refusal *no)
{
    embedding e = { .meet = check_resource, .no = no };

    walk(&e, schema, object, true);
    if (kin__buf_failed(&e.at.path)) {
        (void) kin__refuse_no_memory(no);
    }
    kin__buf_fini(&e.at.path);
}

static void walk(embedding *e, const kin__node *schema, const kin__node *node, bool is_root)
{
    const kin__node *items = kin__field(schema, "items");
    kin__node_iter iter = { 0 };

    if (kin__node_is(node, KIN_TYPE_OBJECT)) {
        if (!is_root && kin__field_is_true(schema, "x-kubernetes-embedded-resource")) {
            e->meet(e, node);
        }
        walk_members(e, schema, node, is_root);
    } else if (kin__node_is(node, KIN_TYPE_ARRAY) && items != NULL) {
        for (size_t i = 0; kin__node_next(node, &iter); i++) {
            size_t len = kin__schema_enter_element(&e->at, i);
            walk(e, items, iter.value, false);
            kin__schema_leave(&e->at, len);
        }
    }
}

static void walk_members(embedding *e, const kin__node *schema, const kin__node *node, bool is_root)
{
    kin__node_iter iter = { 0 };

    while (kin__node_next(node, &iter)) {
        bool is_known = false;
        const kin__node *below = kin__schema_member(schema, iter.name, &is_known);
        if (below != NULL && !kin__schema_is_own(schema, is_root, iter.name)) {
            size_t len = enter(e, schema, iter.name);
            walk(e, below, iter.value, false);
            kin__schema_leave(&e->at, len);
        }
    }
}

/* What is no property but one of many alike is told as the key of a map. */
static size_t enter(embedding *e, const kin__node *schema, kin_str name)
{
    const kin__node *properties = kin__field(schema, "properties");
    size_t len = e->at.path.len;

    if (properties != NULL && kin__node_member(properties, name) != NULL) {
        return kin__schema_enter(&e->at, name);
    }
    (void) kin__buf_append_byte(&e->at.path, '[');
    (void) kin__buf_append_str(&e->at.path, name);
    (void) kin__buf_append_byte(&e->at.path, ']');
    return len;
}

static void prune_metadata(embedding *e, const kin__node *resource)
{
    AUTO(kin__buf_fini) kin__buf unknown = { 0 };
    AUTO(kin__buf_fini) kin__buf unset = { 0 };
    kin__node *metadata = kin__field(resource, "metadata");
    kin__node_iter iter = { 0 };

    while (kin__node_is(metadata, KIN_TYPE_OBJECT) && kin__node_next(metadata, &iter)) {
        kin__pb_inlines inlines;
        if (kin__pb_row_named(kin__codec_object_meta(), iter.name, &inlines) == NULL) {
            kin__schema_note(&unknown, iter.name);
        } else if (kin__node_is(iter.value, KIN_TYPE_NULL)) {
            kin__schema_note(&unset, iter.name);
        }
    }
    if (kin__buf_failed(&unknown) || kin__buf_failed(&unset)) {
        e->has_failed = true;
        return;
    }
    size_t len = kin__schema_enter(&e->at, STR("metadata"));
    kin__schema_drop(&e->at, metadata, &unknown, e->warnings);
    kin__schema_drop(&e->at, metadata, &unset, NULL);
    kin__schema_leave(&e->at, len);
}

static void check_resource(embedding *e, const kin__node *resource)
{
    check_member(e, resource, "apiVersion");
    check_member(e, resource, "kind");
}

static void check_member(embedding *e, const kin__node *resource, const char *name)
{
    const kin__node *member = kin__field(resource, name);
    kin_str text = kin__field_text(resource, name);
    size_t len = kin__schema_enter(&e->at, kin_str_of(name));

    (void) kin__buf_append_byte(&e->at.path, '\0');
    if (kin__buf_failed(&e->at.path)) {
        kin__schema_leave(&e->at, len);
        return;
    }
    if (member == NULL) {
        kin__refusal_add_invalid(e->no, "FieldValueRequired", e->at.path.data, "Required value");
    } else if (kin__node_is(member, KIN_TYPE_STRING) && text.len == 0) {
        kin__invalid_text(e->no, e->at.path.data, text, "must not be empty");
    } else if (*name == 'a' && !is_version(text)) {
        AUTO(kin__buf_fini) kin__buf why = { 0 };
        (void) kin__buf_append_format(&why, "unexpected GroupVersion string: %.*s",
                                      KIN_STR_ARG(text));
        (void) kin__buf_append_byte(&why, '\0');
        if (kin__buf_failed(&why)) {
            (void) kin__refuse_no_memory(e->no);
        } else {
            kin__invalid_text(e->no, e->at.path.data, text, why.data);
        }
    }
    kin__schema_leave(&e->at, len);
}

/* "v1", "apps/v1". */
static bool is_version(kin_str text)
{
    size_t slashes = 0;

    for (size_t i = 0; i < text.len; i++) {
        slashes += text.data[i] == '/';
    }
    return slashes < 2;
}
