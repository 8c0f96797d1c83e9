/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edit.c - a private, changeable copy of an object.
 *
 * The copy is a tree made of the object's JSON, and every change is one of object/place.h.  The
 * original's tree is made when a patch is asked for, and only for that call.
 */
#include "object/edit.h"

#include <math.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/number.h"
#include "json/scanner.h"
#include "json/tree.h"
#include "object/encoding.h"
#include "object/object.h"
#include "object/patch.h"
#include "object/place.h"

#define QUOTED_MAX 160 /* bytes of a path that is quoted in a message */

struct kin_edit {
    const kin_object *original; /* reference */
    kin__node *root;            /* owned; always an object */
};

static kin_err set_number(kin_edit *edit, const char *path, const kin__buf *text, kin_error *err);
static kin_err set_consumed(kin_edit *edit, const char *path, kin__node *consumed_value,
                            kin_error *err);
static kin_err append_consumed(kin_edit *edit, const char *path, kin__node *consumed_value,
                               kin_error *err);
static bool may_be_hidden(const kin_edit *edit, const kin__place *place);
static kin_err failed(kin_error *err, const char *verb, const char *path);
static kin_err string_node(kin_str value, kin__node **out, kin_error *err);
static kin_err tree_of_text(kin_str json, kin__node **out, kin_error *err);
static kin_err tree_of_object(const kin_object *object, kin__node **out, kin_error *err);
static kin_err write_patch(const kin_edit *edit, unsigned flags, kin__buf *buf, kin_error *err);
static kin_err find_demands(const kin_object *object, unsigned flags, kin__patch_demand out[2],
                            size_t *out_count, kin_error *err);

kin_err kin_object_edit(const kin_object *object, kin_edit **out, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);

    AUTO(kin_edit_free) kin_edit *edit = kin__alloc_zero(1, sizeof *edit);
    if (edit == NULL) {
        return kin__error_no_memory(err);
    }
    if (tree_of_object(object, &edit->root, err) != KIN_OK) {
        return kin__error_prefix(err, "edit an object");
    }
    edit->original = kin_object_ref(object);
    *out = STEAL(edit);
    return KIN_OK;
}

void kin_edit_free(kin_edit *edit)
{
    if (edit != NULL) {
        (void) kin_object_unref(edit->original);
        kin__node_free(edit->root);
        kin__free(edit);
    }
}

kin_err kin_edit_set_str(kin_edit *edit, const char *path, kin_str value, kin_error *err)
{
    kin_error unwanted;
    kin__node *node = NULL;

    err = kin__error_or(err, &unwanted);
    if (string_node(value, &node, err) != KIN_OK) {
        return failed(err, "set", path);
    }
    return set_consumed(edit, path, node, err);
}

kin_err kin_edit_set_int64(kin_edit *edit, const char *path, int64_t value, kin_error *err)
{
    kin_error unwanted;
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    err = kin__error_or(err, &unwanted);
    (void) kin__json_append_int64(&text, value); /* the buffer remembers a failure */
    return set_number(edit, path, &text, err);
}

kin_err kin_edit_set_double(kin_edit *edit, const char *path, double value, kin_error *err)
{
    kin_error unwanted;
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    err = kin__error_or(err, &unwanted);
    if (!isfinite(value)) {
        (void) kin__error_set(err, KIN_ERR_USAGE, "JSON cannot write a number that is not finite");
        return failed(err, "set", path);
    }
    (void) kin__json_append_double(&text, value); /* as above */
    return set_number(edit, path, &text, err);
}

kin_err kin_edit_set_bool(kin_edit *edit, const char *path, bool value, kin_error *err)
{
    kin_error unwanted;
    kin__node *node = NULL;

    err = kin__error_or(err, &unwanted);
    if (kin__node_bool(value, &node, err) != KIN_OK) {
        return failed(err, "set", path);
    }
    return set_consumed(edit, path, node, err);
}

kin_err kin_edit_set_json(kin_edit *edit, const char *path, kin_str json, kin_error *err)
{
    kin_error unwanted;
    kin__node *node = NULL;

    err = kin__error_or(err, &unwanted);
    if (tree_of_text(json, &node, err) != KIN_OK) {
        return failed(err, "set", path);
    }
    return set_consumed(edit, path, node, err);
}

kin_err kin_edit_remove(kin_edit *edit, const char *path, kin_error *err)
{
    kin_error unwanted;
    kin__place place;

    err = kin__error_or(err, &unwanted);
    if (kin__place_find(edit->root, path, &place, err) != KIN_OK) {
        return failed(err, "remove", path);
    }
    if (may_be_hidden(edit, &place)) {
        return kin_edit_set_json(edit, path, STR("null"), err);
    }
    kin__place_remove(&place);
    return KIN_OK;
}

kin_err kin_edit_append_str(kin_edit *edit, const char *path, kin_str value, kin_error *err)
{
    kin_error unwanted;
    kin__node *node = NULL;

    err = kin__error_or(err, &unwanted);
    if (string_node(value, &node, err) != KIN_OK) {
        return failed(err, "append to", path);
    }
    return append_consumed(edit, path, node, err);
}

kin_err kin_edit_append_json(kin_edit *edit, const char *path, kin_str json, kin_error *err)
{
    kin_error unwanted;
    kin__node *node = NULL;

    err = kin__error_or(err, &unwanted);
    if (tree_of_text(json, &node, err) != KIN_OK) {
        return failed(err, "append to", path);
    }
    return append_consumed(edit, path, node, err);
}

kin_err kin_edit_object(const kin_edit *edit, kin_object **out, kin_error *err)
{
    kin_error unwanted;
    AUTO(kin__buf_fini) kin__buf json = { 0 };

    err = kin__error_or(err, &unwanted);
    if (kin_object_is_partial(edit->original)) {
        return kin__error_set(err, KIN_ERR_PARTIAL,
                              "make an object of an edit: the original is partial");
    }
    if (!kin__node_append_json(edit->root, &json)) {
        return kin__error_no_memory(err);
    }
    if (kin_object_from_json(json.data, json.len, NULL, out, err) != KIN_OK) {
        return kin__error_prefix(err, "make an object of an edit");
    }
    return KIN_OK;
}

kin_err kin_edit_merge_patch(const kin_edit *edit, unsigned flags, char **out, size_t *out_len,
                             kin_error *err)
{
    kin_error unwanted;
    AUTO(kin__buf_fini) kin__buf patch = { 0 };

    err = kin__error_or(err, &unwanted);
    if (write_patch(edit, flags, &patch, err) != KIN_OK ||
        kin__buf_take(&patch, out, out_len, err) != KIN_OK) {
        return kin__error_prefix(err, "make a merge patch of an edit");
    }
    return KIN_OK;
}

kin_err kin__edit_metadata(const kin_edit *edit, kin_object **out, kin_error *err)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__place place;

    options.allows_no_name = true;
    if (kin__place_find(edit->root, "metadata", &place, err) != KIN_OK) {
        return err->code;
    }
    (void) kin__buf_append_str(&json, STR("{"));
    if (place.child != NULL) {
        (void) kin__buf_append_str(&json, STR("\"metadata\":"));
        (void) kin__node_append_json(place.child, &json);
    }
    (void) kin__buf_append_str(&json, STR("}"));
    if (kin__buf_failed(&json)) {
        return kin__error_no_memory(err);
    }
    return kin_object_from_json(json.data, json.len, &options, out, err);
}

const kin_object *kin__edit_original(const kin_edit *edit)
{
    return edit->original;
}

bool kin__edit_is_partial(const kin_edit *edit)
{
    return kin_object_is_partial(edit->original);
}

static kin_err set_number(kin_edit *edit, const char *path, const kin__buf *text, kin_error *err)
{
    kin__node *node = NULL;

    if (kin__buf_failed(text)) {
        (void) kin__error_no_memory(err);
        return failed(err, "set", path);
    }
    if (kin__node_number(kin__str(text->data, text->len), &node, err) != KIN_OK) {
        return failed(err, "set", path);
    }
    return set_consumed(edit, path, node, err);
}

static kin_err set_consumed(kin_edit *edit, const char *path, kin__node *consumed_value,
                            kin_error *err)
{
    AUTO(kin__node_free) kin__node *value = consumed_value;
    kin__place place;

    if (kin__place_find(edit->root, path, &place, err) != KIN_OK ||
        kin__place_set(&place, &value, err) != KIN_OK) {
        return failed(err, "set", path);
    }
    return KIN_OK;
}

static kin_err append_consumed(kin_edit *edit, const char *path, kin__node *consumed_value,
                               kin_error *err)
{
    AUTO(kin__node_free) kin__node *value = consumed_value;
    kin__place place;

    if (kin__place_find(edit->root, path, &place, err) != KIN_OK) {
        return failed(err, "append to", path);
    }
    if (may_be_hidden(edit, &place)) {
        (void) kin__error_set(err, KIN_ERR_PARTIAL,
                              "a mask may have left out this array; set it to replace it");
        return failed(err, "append to", path);
    }
    if (kin__place_append(&place, &value, err) != KIN_OK) {
        return failed(err, "append to", path);
    }
    return KIN_OK;
}

/* True when nothing is there, but the server may have something: the original does not hold all. */
static bool may_be_hidden(const kin_edit *edit, const kin__place *place)
{
    bool is_absent = place->child == NULL || place->step + 1 < place->path.count ||
                     kin__node_type(place->child) == KIN_TYPE_NULL;
    return is_absent && kin_object_is_partial(edit->original);
}

static kin_err failed(kin_error *err, const char *verb, const char *path)
{
    return kin__error_prefix(err, "%s %.*s", verb, QUOTED_MAX, path == NULL ? "(no path)" : path);
}

static kin_err string_node(kin_str value, kin__node **out, kin_error *err)
{
    if (!kin__utf8_is_valid(value)) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "the string is not valid UTF-8");
    }
    return kin__node_string(value, out, err);
}

static kin_err tree_of_text(kin_str json, kin__node **out, kin_error *err)
{
    if (kin__json_check(json, err) != KIN_OK) {
        return err->code;
    }
    return kin__node_from_json(kin__json_of(json), out, err);
}

static kin_err tree_of_object(const kin_object *object, kin__node **out, kin_error *err)
{
    char *json = NULL;
    size_t len = 0;

    if (kin_object_json(object, &json, &len, err) != KIN_OK) {
        return err->code;
    }
    kin_err code = kin__node_from_json(kin__json_of(kin__str(json, len)), out, err);
    kin_free(json);
    return code;
}

static kin_err write_patch(const kin_edit *edit, unsigned flags, kin__buf *buf, kin_error *err)
{
    AUTO(kin__node_free) kin__node *before = NULL;
    kin__patch_demand demands[2];
    size_t count = 0;
    bool replaces_array = false;

    if (find_demands(edit->original, flags, demands, &count, err) != KIN_OK ||
        tree_of_object(edit->original, &before, err) != KIN_OK) {
        return err->code;
    }
    if (!kin__patch_append(before, edit->root, demands, count, buf, &replaces_array)) {
        return kin__error_no_memory(err);
    }
    if (replaces_array &&
        (kin__object_partiality(edit->original) & KIN__OBJECT_PARTIAL_ARRAY) != 0) {
        return kin__error_set(
            err, KIN_ERR_PARTIAL,
            "an array has changed, and a mask may have left out parts of it, or they "
            "are not known in protobuf");
    }
    return KIN_OK;
}

static kin_err find_demands(const kin_object *object, unsigned flags, kin__patch_demand out[2],
                            size_t *out_count, kin_error *err)
{
    size_t count = 0;

    if ((flags & ~(KIN_PATCH_IF_UNCHANGED | KIN_PATCH_IF_SAME_UID)) != 0) {
        return kin__error_set(err, KIN_ERR_USAGE, "the flags 0x%x are not all known", flags);
    }
    if ((flags & KIN_PATCH_IF_UNCHANGED) != 0) {
        kin_str version = kin_object_resource_version(object);
        out[count++] = (kin__patch_demand){ STR("resourceVersion"), version };
    }
    if ((flags & KIN_PATCH_IF_SAME_UID) != 0) {
        out[count++] = (kin__patch_demand){ STR("uid"), kin_object_uid(object) };
    }
    for (size_t i = 0; i < count; i++) {
        if (out[i].value.len == 0) {
            return kin__error_set(err, KIN_ERR_NOT_FOUND, "the object has no %s", out[i].name.data);
        }
    }
    *out_count = count;
    return KIN_OK;
}
