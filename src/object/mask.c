/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mask.c - masks, as trees of steps.
 *
 * The paths are put into one tree.  Then each [*] is merged into the named steps beside it
 * (spread), so that a look-up never has two answers.  That can multiply nodes where many [*]
 * and names alternate; MASK_NODES_MAX ends it.  Last, what always stays is put in: as paths
 * of its own when the mask keeps, as nodes that lead nowhere when it drops.
 */
#include "object/mask.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "json/string.h"
#include "object/path.h"

/* About 4 MB; a mask of a thousand plain paths needs a few thousand. */
#define MASK_NODES_MAX 65536

#define NAME(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static const kin_str top_identity[] = { NAME("apiVersion"), NAME("kind") };
static const kin_str metadata_identity[] = { NAME("name"), NAME("namespace"), NAME("uid"),
                                             NAME("resourceVersion") };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static kin_err add_text(kin_mask *mask, const char *text, kin_error *err);
static kin_err add_path(kin_mask *mask, const kin_path *path, kin_error *err);
static kin_err keep_identity(kin_mask *mask, kin_error *err);
static kin_err protect_identity(kin_mask *mask, kin_error *err);
static kin_err protect(kin_mask *mask, kin__mask_node *node, kin_str name, kin_error *err);
static kin_err spread(kin_mask *mask, kin__mask_node *node, kin_error *err);
static kin_err merge(kin_mask *mask, kin__mask_node *into, const kin__mask_node *from,
                     kin_error *err);
static kin__mask_node *find_named(const kin__mask_node *node, kin_str name);
static kin__mask_node *reach_member(kin_mask *mask, kin__mask_node *node, kin_str name,
                                    kin_error *err);
static kin__mask_node *reach_each(kin_mask *mask, kin__mask_node *node, kin_error *err);
static kin__mask_node *new_node(kin_mask *mask, kin_str name, kin_error *err);
static void end_here(kin__mask_node *node);
static void free_below(kin__mask_node *node);
static uint32_t depth_below(const kin__mask_node *node);
static bool is_managed_fields_only(const kin_mask *mask);
static const kin__mask_node *only_member(const kin__mask_node *node, kin_str name);

kin_err kin_mask_new(kin_mask_mode mode, const char *const *paths, size_t count, kin_mask **out,
                     kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);

    if (mode != KIN_MASK_DROP && mode != KIN_MASK_KEEP) {
        return kin__error_set(err, KIN_ERR_USAGE, "make a mask: unknown mode %d", (int) mode);
    }
    AUTO(kin_mask_free) kin_mask *mask = kin__alloc_zero(1, sizeof *mask);
    if (mask == NULL) {
        return kin__error_no_memory(err);
    }
    mask->mode = mode;
    mask->root = new_node(mask, STR(""), err);
    if (mask->root == NULL) {
        return err->code;
    }
    for (size_t i = 0; i < count; i++) {
        if (add_text(mask, paths[i], err) != KIN_OK) {
            return kin__error_prefix(err, "make a mask: path %zu", i);
        }
    }
    if ((mode == KIN_MASK_KEEP && keep_identity(mask, err) != KIN_OK) ||
        spread(mask, mask->root, err) != KIN_OK ||
        (mode == KIN_MASK_DROP && protect_identity(mask, err) != KIN_OK)) {
        return kin__error_prefix(err, "make a mask");
    }
    mask->depth = depth_below(mask->root);
    mask->drops_managed_only = is_managed_fields_only(mask);
    *out = STEAL(mask);
    return KIN_OK;
}

void kin_mask_free(kin_mask *mask)
{
    if (mask == NULL) {
        return;
    }
    if (mask->root != NULL) {
        free_below(mask->root);
        kin__free(mask->root);
    }
    kin__free(mask);
}

const kin__mask_node *kin__mask_member(const kin__mask_node *node, kin_str key, bool is_plain)
{
    for (const kin__mask_node *child = node->members; child != NULL; child = child->next) {
        kin_str name = { child->name, child->name_len };
        if (is_plain ? kin__str_equal(key, name) : kin__json_string_equals(key, name)) {
            return child;
        }
    }
    return node->each;
}

kin__mask_verdict kin__mask_judge(const kin_mask *mask, const kin__mask_node *node, char first)
{
    bool drops = mask->mode == KIN_MASK_DROP;

    if (node != NULL && node->is_end) {
        return drops ? KIN__MASK_NOTHING : KIN__MASK_WHOLE;
    }
    if (node != NULL && ((first == '{' && node->members != NULL) ||
                         ((first == '{' || first == '[') && node->each != NULL))) {
        return KIN__MASK_PARTS;
    }
    return drops ? KIN__MASK_WHOLE : KIN__MASK_NOTHING;
}

bool kin__mask_is_flat_outside(const kin_mask *mask, kin_str name)
{
    if (mask->root->each != NULL) {
        return false;
    }
    for (const kin__mask_node *node = mask->root->members; node != NULL; node = node->next) {
        bool is_flat = node->members == NULL && node->each == NULL;
        if (!is_flat && !kin__str_equal(kin__str(node->name, node->name_len), name)) {
            return false;
        }
    }
    return true;
}

static kin_err add_text(kin_mask *mask, const char *text, kin_error *err)
{
    AUTO(kin_path_free) kin_path *path = NULL;

    if (text == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "it is NULL");
    }
    if (kin_path_new(text, &path, err) != KIN_OK) {
        return err->code;
    }
    if (path->count == 0) {
        return kin__error_set(err, KIN_ERR_USAGE, "it is empty: the whole object is no field");
    }
    return add_path(mask, path, err);
}

static kin_err add_path(kin_mask *mask, const kin_path *path, kin_error *err)
{
    for (size_t i = 0; i < path->count; i++) {
        if (path->steps[i].kind != KIN__STEP_MEMBER && path->steps[i].kind != KIN__STEP_EACH) {
            return kin__error_set(err, KIN_ERR_USAGE,
                                  "\"%s\": a mask cannot choose elements, only members and [*]",
                                  path->text);
        }
    }
    kin__mask_node *node = mask->root;
    for (size_t i = 0; i < path->count && !node->is_end; i++) {
        const kin__step *step = &path->steps[i];
        node = step->kind == KIN__STEP_EACH ? reach_each(mask, node, err)
                                            : reach_member(mask, node, step->name, err);
        if (node == NULL) {
            return err->code;
        }
    }
    end_here(node);
    return KIN_OK;
}

/* A mask that keeps: what identifies the object is kept as if it were listed. */
static kin_err keep_identity(kin_mask *mask, kin_error *err)
{
    for (size_t i = 0; i < COUNT(top_identity); i++) {
        kin__mask_node *node = reach_member(mask, mask->root, top_identity[i], err);
        if (node == NULL) {
            return err->code;
        }
        end_here(node);
    }
    kin__mask_node *metadata = reach_member(mask, mask->root, STR("metadata"), err);
    if (metadata == NULL) {
        return err->code;
    }
    for (size_t i = 0; i < COUNT(metadata_identity) && !metadata->is_end; i++) {
        kin__mask_node *node = reach_member(mask, metadata, metadata_identity[i], err);
        if (node == NULL) {
            return err->code;
        }
        end_here(node);
    }
    return KIN_OK;
}

/* A mask that drops: nothing it says holds for what identifies the object. */
static kin_err protect_identity(kin_mask *mask, kin_error *err)
{
    for (size_t i = 0; i < COUNT(top_identity); i++) {
        if (protect(mask, mask->root, top_identity[i], err) != KIN_OK) {
            return err->code;
        }
    }
    kin__mask_node *metadata = find_named(mask->root, STR("metadata"));
    if (metadata == NULL && mask->root->each == NULL) {
        return KIN_OK;
    }
    if (metadata == NULL) {
        metadata = reach_member(mask, mask->root, STR("metadata"), err);
        if (metadata == NULL || merge(mask, metadata, mask->root->each, err) != KIN_OK) {
            return err->code;
        }
    }
    if (metadata->is_end) {
        kin__mask_node *each = reach_each(mask, metadata, err);
        if (each == NULL) {
            return err->code;
        }
        each->is_end = true;
        metadata->is_end = false;
    }
    for (size_t i = 0; i < COUNT(metadata_identity); i++) {
        if (protect(mask, metadata, metadata_identity[i], err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

static kin_err protect(kin_mask *mask, kin__mask_node *node, kin_str name, kin_error *err)
{
    kin__mask_node *child = find_named(node, name);

    if (child == NULL && node->each == NULL) {
        return KIN_OK;
    }
    if (child == NULL) {
        child = reach_member(mask, node, name, err);
        if (child == NULL) {
            return err->code;
        }
    }
    child->is_end = false;
    return KIN_OK;
}

static kin_err spread(kin_mask *mask, kin__mask_node *node, kin_error *err)
{
    for (kin__mask_node *child = node->members; child != NULL; child = child->next) {
        if (node->each != NULL && merge(mask, child, node->each, err) != KIN_OK) {
            return err->code;
        }
        if (spread(mask, child, err) != KIN_OK) {
            return err->code;
        }
    }
    return node->each != NULL ? spread(mask, node->each, err) : KIN_OK;
}

static kin_err merge(kin_mask *mask, kin__mask_node *into, const kin__mask_node *from,
                     kin_error *err)
{
    if (into->is_end) {
        return KIN_OK;
    }
    if (from->is_end) {
        end_here(into);
        return KIN_OK;
    }
    for (const kin__mask_node *child = from->members; child != NULL; child = child->next) {
        kin_str name = { child->name, child->name_len };
        kin__mask_node *copy = reach_member(mask, into, name, err);
        if (copy == NULL || merge(mask, copy, child, err) != KIN_OK) {
            return err->code;
        }
    }
    if (from->each == NULL) {
        return KIN_OK;
    }
    kin__mask_node *copy = reach_each(mask, into, err);
    return copy == NULL ? err->code : merge(mask, copy, from->each, err);
}

static kin__mask_node *find_named(const kin__mask_node *node, kin_str name)
{
    kin__mask_node *child = node->members;

    while (child != NULL && !kin__str_equal((kin_str){ child->name, child->name_len }, name)) {
        child = child->next;
    }
    return child;
}

/* The node, which is made when there is none; NULL, with `err` set, when it cannot be made. */
static kin__mask_node *reach_member(kin_mask *mask, kin__mask_node *node, kin_str name,
                                    kin_error *err)
{
    kin__mask_node *child = find_named(node, name);

    if (child == NULL) {
        child = new_node(mask, name, err);
        if (child != NULL) {
            child->next = node->members;
            node->members = child;
        }
    }
    return child;
}

static kin__mask_node *reach_each(kin_mask *mask, kin__mask_node *node, kin_error *err)
{
    if (node->each == NULL) {
        node->each = new_node(mask, STR(""), err);
    }
    return node->each;
}

static kin__mask_node *new_node(kin_mask *mask, kin_str name, kin_error *err)
{
    if (mask->node_count == MASK_NODES_MAX) {
        (void) kin__error_set(err, KIN_ERR_LIMIT, "names and [*] combine to more than %d places",
                              MASK_NODES_MAX);
        return NULL;
    }
    kin__mask_node *node = kin__alloc_zero(1, sizeof *node + name.len);
    if (node == NULL) {
        (void) kin__error_no_memory(err);
        return NULL;
    }
    mask->node_count++;
    node->name_len = name.len;
    memcpy(node->name, name.data, name.len);
    return node;
}

static void end_here(kin__mask_node *node)
{
    free_below(node);
    node->is_end = true;
}

/* Goes as deep as a path is long, 1,000 steps at most. */
static void free_below(kin__mask_node *node)
{
    while (node->members != NULL) {
        kin__mask_node *child = node->members;
        node->members = child->next;
        free_below(child);
        kin__free(child);
    }
    if (node->each != NULL) {
        free_below(node->each);
        kin__free(node->each);
        node->each = NULL;
    }
}

static uint32_t depth_below(const kin__mask_node *node)
{
    uint32_t deepest = node->each != NULL ? 1 + depth_below(node->each) : 0;

    for (const kin__mask_node *child = node->members; child != NULL; child = child->next) {
        uint32_t depth = 1 + depth_below(child);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

/* What most masks are; so it pays to know. */
static bool is_managed_fields_only(const kin_mask *mask)
{
    const kin__mask_node *metadata = only_member(mask->root, STR("metadata"));
    const kin__mask_node *managed =
        metadata != NULL ? only_member(metadata, STR("managedFields")) : NULL;

    return mask->mode == KIN_MASK_DROP && managed != NULL && managed->is_end;
}

/* The member of that name when nothing else is below the node; else NULL. */
static const kin__mask_node *only_member(const kin__mask_node *node, kin_str name)
{
    const kin__mask_node *member = node->members;
    bool is_only = member != NULL && member->next == NULL && node->each == NULL;

    return is_only && kin__str_equal(kin__str(member->name, member->name_len), name) ? member
                                                                                     : NULL;
}
