/* SPDX-License-Identifier: Apache-2.0 */
/*
 * custom.c - custom resources by the schema of their definition.
 *
 * Two walks over the object, each along the schema: pruning and defaults; schema_check.c and
 * schema_embedded.c have others.  They recurse with the depth of both, which the codec limits for
 * the object.
 */
#include "server/custom.h"

#include "server/field.h"
#include "server/metadata_check.h"
#include "server/schema_check.h"
#include "server/schema_embedded.h"
#include "server/schema_place.h"

typedef struct pruning {
    kin__schema_place at;
    kin__codec_warnings *warnings; /* NULL: nobody wants to know */
    bool has_failed;
} pruning;

static bool conform(const kin__served *served, kin__node *object, kin__codec_warnings *warnings);
static const kin__node *find_schema(const kin__node *definition, kin_str version);
static void prune(pruning *p, const kin__node *schema, kin__node *node, bool is_root);
static void prune_members(pruning *p, const kin__node *schema, kin__node *node, bool is_root);
static bool fill_in(const kin__node *schema, kin__node *node, bool is_root);
static bool fill_in_members(const kin__node *schema, kin__node *node, bool is_root);
static bool is_unset(const kin__node *schema, const kin__node *value);
static void drop_nulls(const kin__node *properties, kin__node *node);

bool kin__custom_prune(const kin__write *write, kin__node *object, kin__field_validation validation,
                       kin__codec_warnings *warnings, kin__refusal *no)
{
    bool is_custom = (write->served->traits & KIN__IS_CUSTOM) != 0;
    kin__codec_warnings *told = validation == KIN__FIELDS_IGNORE ? NULL : warnings;

    return !is_custom ||
           ((conform(write->served, object, told) &&
             (write->stored == write->served || conform(write->stored, object, NULL)) &&
             !kin__buf_failed(&warnings->texts)) ||
            kin__refuse_no_memory(no));
}

bool kin__custom_conform(const kin__served *served, kin__node *object)
{
    return conform(served, object, NULL);
}

bool kin__custom_refuse(const kin__write *write, kin__field_validation validation,
                        const kin__codec_warnings *warnings, kin__refusal *no)
{
    const kin__served *served = write->served;
    AUTO(kin__buf_fini) kin__buf why = { 0 };

    if (validation != KIN__FIELDS_STRICT || warnings->count == 0) {
        return true;
    }
    kin__codec_strict_error(warnings, &why);
    if (kin__buf_failed(&why)) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse_bad_request(no, "%.*s in version \"%.*s\" cannot be handled as a %.*s: %.*s",
                                   KIN_STR_ARG(served->kind), KIN_STR_ARG(served->version),
                                   KIN_STR_ARG(served->kind), (int) why.len, why.data);
}

void kin__custom_check(kin__write *write, kin__refusal *no)
{
    const kin__served *served = write->served;
    kin_str kind = kin__field_text(write->object, "kind");

    if (!kin__str_equal(kind, served->kind)) {
        AUTO(kin__buf_fini) kin__buf why = { 0 };
        (void) kin__buf_append_format(&why, "must be %.*s", KIN_STR_ARG(served->kind));
        (void) kin__buf_append_byte(&why, '\0');
        kin__invalid_text(no, "kind", kind, kin__buf_failed(&why) ? "" : why.data);
    }
    if (served->definition == NULL) {
        return;
    }
    AUTO(kin__node_free) kin__node *definition = kin__tree_of(kin__record_text(served->definition));
    if (definition == NULL) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    const kin__node *schema = find_schema(definition, served->version);
    if (schema != NULL) {
        kin__schema_check(schema, write->object, write->old, no);
    }
}

/* Pruned and defaulted by the schema of one version. */
static bool conform(const kin__served *served, kin__node *object, kin__codec_warnings *warnings)
{
    if (served->definition == NULL) {
        return true;
    }
    AUTO(kin__node_free) kin__node *definition = kin__tree_of(kin__record_text(served->definition));
    const kin__node *schema = find_schema(definition, served->version);
    bool keeps_all = kin__field_is_true(kin__field(definition, "spec"), "preserveUnknownFields");
    pruning p = { .warnings = warnings };

    if (schema != NULL && !keeps_all) {
        prune(&p, schema, object, true);
    }
    bool has_failed = definition == NULL || p.has_failed || kin__buf_failed(&p.at.path);
    kin__buf_fini(&p.at.path);
    return !has_failed &&
           (schema == NULL || (kin__schema_embedded_prune(schema, object, warnings) &&
                               fill_in(schema, object, true)));
}

static const kin__node *find_schema(const kin__node *definition, kin_str version)
{
    const kin__node *versions = kin__field_at(definition, "spec", "versions");
    kin__node_iter iter = { 0 };

    while (versions != NULL && kin__node_next(versions, &iter)) {
        if (kin__str_equal(kin__field_text(iter.value, "name"), version)) {
            return kin__field_at(iter.value, "schema", "openAPIV3Schema");
        }
    }
    return NULL;
}

static void prune(pruning *p, const kin__node *schema, kin__node *node, bool is_root)
{
    const kin__node *items = kin__field(schema, "items");
    kin__node_iter iter = { 0 };

    if (kin__node_is(node, KIN_TYPE_OBJECT)) {
        prune_members(p, schema, node, is_root);
    } else if (kin__node_is(node, KIN_TYPE_ARRAY) && items != NULL) {
        for (size_t i = 0; kin__node_next(node, &iter); i++) {
            size_t len = kin__schema_enter_element(&p->at, i);
            prune(p, items, iter.value, false);
            kin__schema_leave(&p->at, len);
        }
    }
}

static void prune_members(pruning *p, const kin__node *schema, kin__node *node, bool is_root)
{
    AUTO(kin__buf_fini) kin__buf names = { 0 }; /* of members that go */
    kin__node_iter iter = { 0 };

    while (kin__node_next(node, &iter)) {
        bool is_known = false;
        (void) kin__schema_member(schema, iter.name, &is_known);
        if (!is_known && !kin__schema_is_own(schema, is_root, iter.name)) {
            kin__schema_note(&names, iter.name);
        }
    }
    if (kin__buf_failed(&names)) {
        p->has_failed = true;
        return;
    }
    kin__schema_drop(&p->at, node, &names, p->warnings);
    iter = (kin__node_iter){ 0 };
    while (kin__node_next(node, &iter)) {
        bool is_known = false;
        const kin__node *below = kin__schema_member(schema, iter.name, &is_known);
        if (below != NULL && !kin__schema_is_own(schema, is_root, iter.name)) {
            size_t len = kin__schema_enter(&p->at, iter.name);
            prune(p, below, iter.value, false);
            kin__schema_leave(&p->at, len);
        }
    }
}

static bool fill_in(const kin__node *schema, kin__node *node, bool is_root)
{
    const kin__node *items = kin__field(schema, "items");
    kin__node_iter iter = { 0 };

    if (kin__node_is(node, KIN_TYPE_OBJECT)) {
        return fill_in_members(schema, node, is_root);
    }
    while (kin__node_is(node, KIN_TYPE_ARRAY) && items != NULL && kin__node_next(node, &iter)) {
        if (!fill_in(items, iter.value, false)) {
            return false;
        }
    }
    return true;
}

static bool fill_in_members(const kin__node *schema, kin__node *node, bool is_root)
{
    const kin__node *properties = kin__field(schema, "properties");
    kin__node_iter iter = { 0 };
    kin_error err;

    while (properties != NULL && kin__node_next(properties, &iter)) {
        const kin__node *value = kin__field(iter.value, "default");
        if (value == NULL || !is_unset(iter.value, kin__node_member(node, iter.name))) {
            continue;
        }
        kin__node *copy = kin__tree_copy(value);
        if (copy == NULL || kin__node_set_member(node, iter.name, copy, &err) != KIN_OK) {
            kin__node_free(copy);
            return false;
        }
    }
    drop_nulls(properties, node);
    iter = (kin__node_iter){ 0 };
    while (kin__node_next(node, &iter)) {
        bool is_known = false;
        const kin__node *below = kin__schema_member(schema, iter.name, &is_known);
        if (below != NULL && !kin__schema_is_own(schema, is_root, iter.name) &&
            !fill_in(below, iter.value, false)) {
            return false;
        }
    }
    return true;
}

/* null where it may not be is as good as nothing. */
static bool is_unset(const kin__node *schema, const kin__node *value)
{
    return value == NULL ||
           (kin__node_is(value, KIN_TYPE_NULL) && !kin__field_is_true(schema, "nullable"));
}

/* null where it may not be, and where no default is, goes. */
static void drop_nulls(const kin__node *properties, kin__node *node)
{
    kin__node_iter iter = { 0 };

    while (properties != NULL && kin__node_next(properties, &iter)) {
        const kin__node *value = kin__node_member(node, iter.name);
        if (value != NULL && is_unset(iter.value, value)) {
            kin__node_remove_member(node, iter.name);
        }
    }
}
