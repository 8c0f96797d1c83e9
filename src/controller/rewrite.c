/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite.c - an array of an edit's metadata, written anew.
 */
#include "controller/rewrite.h"

#include "base/str.h"

void kin__rewrite_fini(kin__rewrite *rewrite)
{
    rewrite->metadata = kin_object_unref(rewrite->metadata);
    kin__buf_fini(&rewrite->json);
}

kin_err kin__rewrite_begin(kin__rewrite *rewrite, kin_edit *edit, const char *path, kin_error *err)
{
    rewrite->edit = edit;
    rewrite->path = path;
    if (kin__edit_metadata(edit, &rewrite->metadata, err) != KIN_OK) {
        return err->code;
    }
    rewrite->elements = kin_object_at(rewrite->metadata, path);
    kin_type type = kin_value_type(rewrite->elements);
    if (type == KIN_TYPE_MISSING || type == KIN_TYPE_NULL) {
        return !kin__edit_is_partial(edit)
                   ? KIN_OK
                   : kin__error_set(err, KIN_ERR_PARTIAL, "a mask may have left out %s", path);
    }
    if (type != KIN_TYPE_ARRAY) {
        return kin__error_set(err, KIN_ERR_TYPE, "%s is no array: %s", path, kin_type_name(type));
    }
    return KIN_OK;
}

kin_err kin__rewrite_keep(kin__rewrite *rewrite, kin_value element, kin_error *err)
{
    char *json = NULL;
    size_t len = 0;

    if (kin_value_json(element, &json, &len, err) != KIN_OK) {
        return err->code;
    }
    kin__rewrite_add(rewrite, kin__str(json, len));
    kin_free(json);
    return KIN_OK;
}

void kin__rewrite_add(kin__rewrite *rewrite, kin_str json)
{
    (void) kin__buf_append_byte(&rewrite->json, rewrite->count == 0 ? '[' : ',');
    (void) kin__buf_append_str(&rewrite->json, json);
    rewrite->count++;
}

kin_err kin__rewrite_end(kin__rewrite *rewrite, kin_error *err)
{
    kin__buf *json = &rewrite->json;

    if (rewrite->count == 0) {
        return kin_edit_remove(rewrite->edit, rewrite->path, err);
    }
    (void) kin__buf_append_byte(json, ']');
    if (kin__buf_failed(json)) {
        return kin__error_no_memory(err);
    }
    return kin_edit_set_json(rewrite->edit, rewrite->path, kin__str(json->data, json->len), err);
}
