/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategic_patch.c - strategic merge patches: objects.
 *
 * The patch is a tree of its own, whose containers are moved into the object's tree; scalars are
 * copied, because elements of lists are told apart by those of the patch afterwards.
 */
#include "server/strategic_patch.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "server/go_print.h"
#include "server/patch_tree.h"
#include "server/strategic_state.h"

/* One member of a patch, and where it goes. */
typedef struct change {
    kin__node *original;
    kin__node *patch;
    kin_str patch_name; /* with a prefix, perhaps */
    kin_str name;
    kin__node *value; /* of the patch */
    kin__strategic_schema schema;
    bool is_delete; /* of a list */
} change;

static kin_err apply_directive(kin__strategic *s, kin__node *patch, const kin__node *directive,
                               kin__strategic_outcome *out);
static kin_err retain_keys(kin__strategic *s, kin__node *original, kin__node *patch);
static kin_err check_retained(kin__strategic *s, const kin__node *patch, const kin__map *kept);
static kin_err remove_others(kin__strategic *s, kin__node *original, const kin__map *kept);
static kin_err order_lists(kin__strategic *s, kin__node *original, kin__node *patch,
                           kin__strategic_schema schema);
static kin_err order_list(kin__strategic *s, kin__node *original, kin__node *patch, kin_str name,
                          const kin__node *order, kin__strategic_schema schema);
static kin_err merge_member(kin__strategic *s, kin__node *original, kin__node *patch,
                            const kin__node_iter *member, kin__strategic_schema schema);
static kin_err take_patch_value(kin__strategic *s, const change *c, bool has_nulls);
static kin_err merge_objects(kin__strategic *s, const change *c, kin__node *before);
static kin_err merge_arrays(kin__strategic *s, const change *c, kin__node *before);
static kin_err move_value(kin__strategic *s, const change *c);
static kin_err copy_scalar(const kin__node *node, kin__node **out, kin_error *err);
static bool split_prefix(kin_str name, kin_str prefix, kin_str *out);

bool kin__strategic_patch_apply(const kin__codec_kind *kind, kin__node **tree, kin_str patch,
                                kin__field_validation validation, kin__buf *shown,
                                kin__codec_warnings *warnings, kin__refusal *no)
{
    AUTO(kin__node_free) kin__node *changes = NULL;
    kin__strategic s = { .no = no };
    kin__strategic_schema schema = { kind->message, "struct" };
    kin__strategic_outcome outcome = KIN__STRATEGIC_MERGED;
    kin__patch_words words = { .prefix = "" };

    if (!kin__patch_tree(patch, validation, &words, &changes, warnings, no)) {
        return false;
    }
    kin__go_print(changes, shown);
    if (kin__buf_failed(shown)) {
        return kin__refuse_no_memory(no);
    }
    if (kin__node_type(changes) != KIN_TYPE_OBJECT) {
        return true; /* null changes nothing */
    }
    kin_err code = kin__strategic_merge(&s, *tree, changes, schema, &outcome);
    if (code == KIN_OK && outcome == KIN__STRATEGIC_EMPTIED) {
        kin__node *empty = NULL;
        code = kin__node_container(KIN_TYPE_OBJECT, &empty, &s.err);
        if (code == KIN_OK) {
            kin__node_free(*tree);
            *tree = empty;
        }
    } else if (code == KIN_OK && outcome == KIN__STRATEGIC_REPLACED) {
        kin__node_free(*tree);
        *tree = STEAL(changes);
    }
    if (code != KIN_OK && code != KIN_ERR_INVALID) {
        return kin__refuse_no_memory(no);
    }
    return code == KIN_OK;
}

kin_err kin__strategic_merge(kin__strategic *s, kin__node *original, kin__node *patch,
                             kin__strategic_schema schema, kin__strategic_outcome *out)
{
    const kin__node *directive = kin__node_member(patch, STR(KIN__STRATEGIC_PATCH));
    kin__node_iter iter = { 0 };
    kin_err code;

    if (directive != NULL) {
        return apply_directive(s, patch, directive, out);
    }
    *out = KIN__STRATEGIC_MERGED;
    if ((code = retain_keys(s, original, patch)) != KIN_OK ||
        (code = order_lists(s, original, patch, schema)) != KIN_OK) {
        return code;
    }
    while (code == KIN_OK && kin__node_next(patch, &iter)) {
        code = merge_member(s, original, patch, &iter, schema);
    }
    return code;
}

static kin_err apply_directive(kin__strategic *s, kin__node *patch, const kin__node *directive,
                               kin__strategic_outcome *out)
{
    AUTO(kin__buf_fini) kin__buf words = { 0 };
    bool is_text = kin__node_type(directive) == KIN_TYPE_STRING;

    if (is_text && kin__str_equal(kin__node_text(directive), STR("replace"))) {
        kin__node_remove_member(patch, STR(KIN__STRATEGIC_PATCH));
        *out = KIN__STRATEGIC_REPLACED;
        return KIN_OK;
    }
    if (is_text && kin__str_equal(kin__node_text(directive), STR("delete"))) {
        *out = KIN__STRATEGIC_EMPTIED;
        return KIN_OK;
    }
    kin__go_print(directive, &words);
    (void) kin__buf_append_str(&words, STR(" in map: "));
    kin__go_print(patch, &words);
    if (kin__buf_failed(&words)) {
        return kin__error_no_memory(&s->err);
    }
    return kin__strategic_refuse(s, 500, "unknown patch type: %.*s", (int) words.len, words.data);
}

/* $retainKeys: what it does not name goes. */
static kin_err retain_keys(kin__strategic *s, kin__node *original, kin__node *patch)
{
    AUTO(kin__node_free) kin__node *names = NULL;
    AUTO(kin__map_clear) kin__map kept = { 0 };
    kin__node_iter iter = { 0 };

    if (kin__node_member(patch, STR(KIN__STRATEGIC_RETAIN)) == NULL) {
        return KIN_OK;
    }
    names = kin__node_take_member(patch, STR(KIN__STRATEGIC_RETAIN));
    if (kin__node_type(names) != KIN_TYPE_ARRAY) {
        return kin__strategic_refuse(s, 400, "invalid patch format of retainKeys");
    }
    while (kin__node_next(names, &iter)) {
        if (kin__node_type(iter.value) == KIN_TYPE_STRING &&
            kin__map_put(&kept, kin__node_text(iter.value), names, NULL, &s->err) != KIN_OK) {
            return s->err.code;
        }
    }
    kin_err code = check_retained(s, patch, &kept);
    return code != KIN_OK ? code : remove_others(s, original, &kept);
}

/* What the patch sets has to be named. */
static kin_err check_retained(kin__strategic *s, const kin__node *patch, const kin__map *kept)
{
    kin__node_iter iter = { 0 };

    while (kin__node_next(patch, &iter)) {
        bool is_exempt = kin__node_type(iter.value) == KIN_TYPE_NULL ||
                         kin__str_starts_with(iter.name, STR(KIN__STRATEGIC_DELETE)) ||
                         kin__str_starts_with(iter.name, STR(KIN__STRATEGIC_ORDER));
        if (!is_exempt && kin__map_get(kept, iter.name) == NULL) {
            return kin__strategic_refuse(s, 400, "invalid patch format of retainKeys");
        }
    }
    return KIN_OK;
}

static kin_err remove_others(kin__strategic *s, kin__node *original, const kin__map *kept)
{
    size_t count = kin__node_count(original);
    kin_str *names = kin__alloc_zero(count + 1, sizeof *names);
    kin__node_iter iter = { 0 };
    size_t noted = 0;

    if (names == NULL) {
        return kin__error_no_memory(&s->err);
    }
    while (kin__node_next(original, &iter)) {
        if (kin__map_get(kept, iter.name) == NULL) {
            names[noted++] = iter.name;
        }
    }
    for (size_t i = 0; i < noted; i++) {
        kin__node_remove_member(original, names[i]);
    }
    kin__free(names);
    return KIN_OK;
}

/* $setElementOrder/LIST: the lists it names are merged here, and are then no more in the patch. */
static kin_err order_lists(kin__strategic *s, kin__node *original, kin__node *patch,
                           kin__strategic_schema schema)
{
    AUTO(kin__node_free) kin__node *orders = NULL;
    kin__node_iter iter = { 0 };
    kin_err code = KIN_OK;

    while (kin__node_next(patch, &iter)) {
        if (!kin__str_starts_with(iter.name, STR(KIN__STRATEGIC_ORDER))) {
            continue;
        }
        if (orders == NULL && kin__node_container(KIN_TYPE_OBJECT, &orders, &s->err) != KIN_OK) {
            return s->err.code;
        }
        if (kin__patch_move(patch, iter.name, orders, iter.name, &s->err) != KIN_OK) {
            return s->err.code;
        }
    }
    if (orders == NULL) {
        return KIN_OK;
    }
    iter = (kin__node_iter){ 0 };
    while (kin__node_next(orders, &iter)) {
        kin__node_remove_member(patch, iter.name);
    }
    iter = (kin__node_iter){ 0 };
    while (code == KIN_OK && kin__node_next(orders, &iter)) {
        kin_str name;
        if (kin__node_type(iter.value) != KIN_TYPE_ARRAY) {
            code = kin__strategic_bad_type(s, KIN__STRATEGIC_LIST, iter.value);
        } else if (!split_prefix(iter.name, STR(KIN__STRATEGIC_ORDER), &name)) {
            code = kin__strategic_refuse(s, 400, "invalid patch format of setElementOrder list");
        } else {
            code = order_list(s, original, patch, name, iter.value, schema);
        }
    }
    return code;
}

static kin_err order_list(kin__strategic *s, kin__node *original, kin__node *patch, kin_str name,
                          const kin__node *order, kin__strategic_schema schema)
{
    AUTO(kin__node_free) kin__node *merged = NULL;
    kin__strategic_lists lists = { kin__node_member(original, name), kin__node_member(patch, name),
                                   order, false };
    kin__strategic_field field;

    if (lists.original != NULL && kin__node_type(lists.original) != KIN_TYPE_ARRAY) {
        return kin__strategic_bad_type(s, KIN__STRATEGIC_LIST, lists.original);
    }
    if (lists.patch != NULL && kin__node_type(lists.patch) != KIN_TYPE_ARRAY) {
        return kin__strategic_bad_type(s, KIN__STRATEGIC_LIST, lists.patch);
    }
    kin_err code = kin__strategic_lookup(s, schema, name, true, &field);
    if (code == KIN_OK) {
        code = kin__strategic_merge_lists(s, &lists, &field, &merged);
    }
    if (code != KIN_OK || merged == NULL) {
        return code;
    }
    if (kin__node_set_member(original, name, merged, &s->err) != KIN_OK) {
        return s->err.code;
    }
    merged = NULL;
    kin__node_remove_member(patch, name);
    return KIN_OK;
}

static kin_err merge_member(kin__strategic *s, kin__node *original, kin__node *patch,
                            const kin__node_iter *member, kin__strategic_schema schema)
{
    change c = { original, patch, member->name, member->name, member->value, schema, false };

    if (kin__str_starts_with(c.name, STR(KIN__STRATEGIC_DELETE))) {
        kin_str list;
        if (!split_prefix(c.name, STR(KIN__STRATEGIC_DELETE), &list)) {
            return kin__strategic_refuse(s, 400, "invalid patch format of primitive list");
        }
        c.is_delete = true;
        c.name = list.len == 0 ? c.name : list;
    }
    if (kin__node_type(c.value) == KIN_TYPE_NULL) {
        kin__node_remove_member(original, c.name);
        return KIN_OK;
    }
    kin__node *before = kin__node_member(original, c.name);
    kin__strategic_type type = kin__strategic_type_of(c.value);
    if (before == NULL || kin__strategic_type_of(before) != type) {
        return c.is_delete ? KIN_OK : take_patch_value(s, &c, true);
    }
    if (type == KIN__STRATEGIC_MAP) {
        return merge_objects(s, &c, before);
    }
    return type == KIN__STRATEGIC_LIST ? merge_arrays(s, &c, before)
                                       : take_patch_value(s, &c, false);
}

/* As it is, but without directives and nulls. */
static kin_err take_patch_value(kin__strategic *s, const change *c, bool has_nulls)
{
    bool stays = true;

    if ((has_nulls && kin__patch_drop_nulls(c->value, &s->err) != KIN_OK) ||
        kin__strategic_undirect(c->value, &stays, &s->err) != KIN_OK) {
        return s->err.code;
    }
    if (!stays) {
        kin__node_remove_member(c->original, c->name);
        return KIN_OK;
    }
    return move_value(s, c);
}

static kin_err merge_objects(kin__strategic *s, const change *c, kin__node *before)
{
    kin__strategic_outcome outcome = KIN__STRATEGIC_REPLACED;
    kin__strategic_field field;
    kin_err code = kin__strategic_lookup(s, c->schema, c->name, false, &field);

    if (code == KIN_OK && (field.key.strategies & KIN__MERGE_REPLACE) == 0) {
        code = kin__strategic_merge(s, before, c->value, field.schema, &outcome);
    }
    if (code != KIN_OK || outcome == KIN__STRATEGIC_MERGED) {
        return code;
    }
    if (outcome == KIN__STRATEGIC_REPLACED) {
        return move_value(s, c);
    }
    AUTO(kin__node_free) kin__node *empty = NULL;
    if (kin__node_container(KIN_TYPE_OBJECT, &empty, &s->err) != KIN_OK ||
        kin__node_set_member(c->original, c->name, empty, &s->err) != KIN_OK) {
        return s->err.code;
    }
    empty = NULL;
    return KIN_OK;
}

static kin_err merge_arrays(kin__strategic *s, const change *c, kin__node *before)
{
    AUTO(kin__node_free) kin__node *merged = NULL;
    kin__strategic_lists lists = { before, c->value, NULL, c->is_delete };
    kin__strategic_field field;
    kin_err code = kin__strategic_lookup(s, c->schema, c->name, true, &field);

    if (code == KIN_OK && (field.key.strategies & KIN__MERGE_MERGE) == 0 && !c->is_delete) {
        return move_value(s, c);
    }
    if (code != KIN_OK ||
        (code = kin__strategic_merge_lists(s, &lists, &field, &merged)) != KIN_OK) {
        return code;
    }
    if (kin__node_set_member(c->original, c->name, merged, &s->err) != KIN_OK) {
        return s->err.code;
    }
    merged = NULL;
    return KIN_OK;
}

static kin_err move_value(kin__strategic *s, const change *c)
{
    AUTO(kin__node_free) kin__node *copy = NULL;
    kin__strategic_type type = kin__strategic_type_of(c->value);

    if (type == KIN__STRATEGIC_MAP || type == KIN__STRATEGIC_LIST) {
        return kin__patch_move(c->patch, c->patch_name, c->original, c->name, &s->err);
    }
    if (copy_scalar(c->value, &copy, &s->err) != KIN_OK ||
        kin__node_set_member(c->original, c->name, copy, &s->err) != KIN_OK) {
        return s->err.code;
    }
    copy = NULL;
    return KIN_OK;
}

static kin_err copy_scalar(const kin__node *node, kin__node **out, kin_error *err)
{
    kin_str text = kin__node_text(node);

    switch (kin__node_type(node)) {
    case KIN_TYPE_STRING:
        return kin__node_string(text, out, err);
    case KIN_TYPE_NUMBER:
        return kin__node_number(text, out, err);
    default:
        return kin__node_bool(text.data[0] == 't', out, err);
    }
}

/* What follows "prefix/"; false when there is no such prefix with a slash. */
static bool split_prefix(kin_str name, kin_str prefix, kin_str *out)
{
    if (name.len <= prefix.len || name.data[prefix.len] != '/') {
        return false;
    }
    *out = kin__str(name.data + prefix.len + 1, name.len - prefix.len - 1);
    return true;
}
