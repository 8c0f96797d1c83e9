/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finalizer.c - finalizers: read, written, and put and taken away at the beginning of a reconcile.
 */
#include "base/str.h"
#include "controller/rewrite.h"
#include "kin/owner.h"

#define FINALIZERS "metadata.finalizers"

/* For names that are written with escapes; valid ones have at most 317 characters and none. */
#define SCRATCH 512

static bool is_named(kin_value element, kin_str finalizer);
static bool is_among(kin_value elements, kin_str finalizer);
static kin_err check_name(const char *finalizer, kin_error *err);
static kin_err remove_finalizer(kin_edit *edit, kin_str finalizer, kin_error *err);
static kin_err put_on(kin_reconcile *r, const kin_object *object, const char *finalizer,
                      kin_error *err);
static kin_err take_off(kin_reconcile *r, const kin_object *object, const char *finalizer,
                        kin_error *err);

bool kin_object_has_finalizer(const kin_object *object, const char *finalizer)
{
    return is_among(kin_object_at(object, FINALIZERS), kin_str_of(finalizer));
}

kin_err kin_edit_add_finalizer(kin_edit *edit, const char *finalizer, kin_error *err)
{
    kin_error unwanted;
    AUTO(kin__rewrite_fini) kin__rewrite rewrite = { 0 };

    err = kin__error_or(err, &unwanted);
    if (check_name(finalizer, err) != KIN_OK ||
        kin__rewrite_begin(&rewrite, edit, FINALIZERS, err) != KIN_OK) {
        return kin__error_prefix(err, "add a finalizer");
    }
    if (is_among(rewrite.elements, kin_str_of(finalizer))) {
        return KIN_OK;
    }
    return kin_edit_append_str(edit, FINALIZERS, kin_str_of(finalizer), err);
}

kin_err kin_edit_remove_finalizer(kin_edit *edit, const char *finalizer, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (check_name(finalizer, err) != KIN_OK ||
        remove_finalizer(edit, kin_str_of(finalizer), err) != KIN_OK) {
        return kin__error_prefix(err, "remove a finalizer");
    }
    return KIN_OK;
}

kin_err kin_reconcile_finalize(kin_reconcile *r, const kin_object *object, const char *finalizer,
                               kin_cleanup_fn cleanup, void *context, bool *out_is_done,
                               kin_error *err)
{
    kin_error unwanted;
    kin_time going;

    err = kin__error_or(err, &unwanted);
    if (check_name(finalizer, err) != KIN_OK) {
        return kin__error_prefix(err, "finalize an object");
    }
    bool is_to_go = kin_object_deletion_time(object, &going);
    bool is_held = kin_object_has_finalizer(object, finalizer);
    kin_err code = KIN_OK;
    if (is_to_go && is_held) {
        code = cleanup(context, r, object, err);
        if (code == KIN_OK) {
            code = take_off(r, object, finalizer, err);
        }
    } else if (!is_to_go && !is_held) {
        code = put_on(r, object, finalizer, err);
    }
    if (code == KIN_OK) {
        *out_is_done = is_to_go || !is_held;
    }
    return code;
}

static bool is_named(kin_value element, kin_str finalizer)
{
    char scratch[SCRATCH];
    kin_str name;

    return kin_value_str(element, scratch, sizeof scratch, &name) == KIN_OK &&
           kin__str_equal(name, finalizer);
}

static bool is_among(kin_value elements, kin_str finalizer)
{
    kin_iter iter = kin_value_iter(elements);

    while (kin_value_type(elements) == KIN_TYPE_ARRAY && kin_iter_next(&iter)) {
        if (is_named(iter.value, finalizer)) {
            return true;
        }
    }
    return false;
}

static kin_err check_name(const char *finalizer, kin_error *err)
{
    if (finalizer == NULL || finalizer[0] == '\0') {
        return kin__error_set(err, KIN_ERR_USAGE, "the finalizer has no name");
    }
    return KIN_OK;
}

static kin_err remove_finalizer(kin_edit *edit, kin_str finalizer, kin_error *err)
{
    AUTO(kin__rewrite_fini) kin__rewrite rewrite = { 0 };

    if (kin__rewrite_begin(&rewrite, edit, FINALIZERS, err) != KIN_OK) {
        return err->code;
    }
    if (!is_among(rewrite.elements, finalizer)) {
        return KIN_OK;
    }
    kin_iter iter = kin_value_iter(rewrite.elements);
    while (kin_iter_next(&iter)) {
        if (!is_named(iter.value, finalizer) &&
            kin__rewrite_keep(&rewrite, iter.value, err) != KIN_OK) {
            return err->code;
        }
    }
    return kin__rewrite_end(&rewrite, err);
}

/* The change need not bring the reconcile again: it may not pass the controller's predicate. */
static kin_err put_on(kin_reconcile *r, const kin_object *object, const char *finalizer,
                      kin_error *err)
{
    AUTO(kin_edit_free) kin_edit *edit = NULL;

    if (kin_object_edit(object, &edit, err) != KIN_OK ||
        kin_edit_add_finalizer(edit, finalizer, err) != KIN_OK ||
        kin_reconcile_patch(r, edit, NULL, NULL, err) != KIN_OK) {
        return err->code;
    }
    kin_reconcile_again(r, 0);
    return KIN_OK;
}

/* One that is gone, because somebody forced it, lacks nothing any more. */
static kin_err take_off(kin_reconcile *r, const kin_object *object, const char *finalizer,
                        kin_error *err)
{
    AUTO(kin_edit_free) kin_edit *edit = NULL;

    if (kin_object_edit(object, &edit, err) != KIN_OK ||
        kin_edit_remove_finalizer(edit, finalizer, err) != KIN_OK) {
        return err->code;
    }
    kin_err code = kin_reconcile_patch(r, edit, NULL, NULL, err);
    return code == KIN_ERR_NOT_FOUND ? KIN_OK : code;
}
