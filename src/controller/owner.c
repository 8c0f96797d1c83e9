/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner.c - owner references: read by uid, and written as a whole array.
 */
#include "kin/owner.h"

#include "base/str.h"
#include "controller/quoted.h"
#include "controller/rewrite.h"

#define OWNERS "metadata.ownerReferences"

/* For uids that are written with escapes; those that servers make have 36 characters and none. */
#define SCRATCH 512

static bool refers_to(kin_value reference, const kin_object *owner);
static kin_err set_controller(kin_edit *edit, const kin_object *owner, kin_error *err);
static kin_err check_owner(const kin_object *owner, kin_error *err);
static kin_err check_place(const kin_object *metadata, const kin_object *owner, kin_error *err);
static kin_err remove_owner(kin_edit *edit, const kin_object *owner, kin_error *err);
static void write_reference(const kin_object *owner, kin__buf *out);
static void write_member(kin__buf *out, const char *name, kin_str value);

bool kin_object_is_controlled_by(const kin_object *object, const kin_object *owner)
{
    return refers_to(kin_object_controller_owner(object), owner);
}

kin_err kin_edit_set_controller(kin_edit *edit, const kin_object *owner, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (set_controller(edit, owner, err) != KIN_OK) {
        return kin__error_prefix(err, "set the controller of an object");
    }
    return KIN_OK;
}

kin_err kin_edit_remove_owner(kin_edit *edit, const kin_object *owner, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (remove_owner(edit, owner, err) != KIN_OK) {
        return kin__error_prefix(err, "remove an owner of an object");
    }
    return KIN_OK;
}

static bool refers_to(kin_value reference, const kin_object *owner)
{
    char scratch[SCRATCH];
    kin_str uid;

    return kin_object_uid(owner).len != 0 &&
           kin_value_str(kin_value_member(reference, STR("uid")), scratch, sizeof scratch, &uid) ==
               KIN_OK &&
           kin__str_equal(uid, kin_object_uid(owner));
}

/* Of several references to the owner one is left: no more than one may say `controller`. */
static kin_err set_controller(kin_edit *edit, const kin_object *owner, kin_error *err)
{
    AUTO(kin__rewrite_fini) kin__rewrite rewrite = { 0 };
    AUTO(kin__buf_fini) kin__buf ours = { 0 };
    bool is_written = false;

    if (check_owner(owner, err) != KIN_OK ||
        kin__rewrite_begin(&rewrite, edit, OWNERS, err) != KIN_OK ||
        check_place(rewrite.metadata, owner, err) != KIN_OK) {
        return err->code;
    }
    write_reference(owner, &ours);
    if (kin__buf_failed(&ours)) {
        return kin__error_no_memory(err);
    }
    kin_iter iter = kin_value_iter(rewrite.elements);
    while (kin_iter_next(&iter)) {
        if (!refers_to(iter.value, owner)) {
            if (kin__rewrite_keep(&rewrite, iter.value, err) != KIN_OK) {
                return err->code;
            }
        } else if (!is_written) {
            kin__rewrite_add(&rewrite, kin__str(ours.data, ours.len));
            is_written = true;
        }
    }
    if (!is_written) {
        kin__rewrite_add(&rewrite, kin__str(ours.data, ours.len));
    }
    return kin__rewrite_end(&rewrite, err);
}

static kin_err check_owner(const kin_object *owner, kin_error *err)
{
    const char *lacks = kin_object_uid(owner).len == 0           ? "uid"
                        : kin_object_api_version(owner).len == 0 ? "apiVersion"
                        : kin_object_kind(owner).len == 0        ? "kind"
                                                                 : NULL;
    return lacks == NULL ? KIN_OK
                         : kin__error_set(err, KIN_ERR_USAGE, "the owner has no %s", lacks);
}

/* A namespaced owner can own in its namespace only; others would be collected as garbage. */
static kin_err check_place(const kin_object *metadata, const kin_object *owner, kin_error *err)
{
    kin_str ns = kin_object_namespace(owner);
    kin_value controller = kin_object_controller_owner(metadata);

    if (ns.len != 0 && !kin__str_equal(ns, kin_object_namespace(metadata))) {
        return kin__error_set(err, KIN_ERR_USAGE, "the owner is in namespace \"%.*s\", it is not",
                              KIN_STR_ARG(ns));
    }
    if (kin_value_exists(controller) && !refers_to(controller, owner)) {
        char scratch[SCRATCH];
        kin_str name;

        if (kin_value_str(kin_value_member(controller, STR("name")), scratch, sizeof scratch,
                          &name) != KIN_OK) {
            name = STR("?");
        }
        return kin__error_set(err, KIN_ERR_CONFLICT, "it has another already: \"%.*s\"",
                              KIN_STR_ARG(name));
    }
    return KIN_OK;
}

static kin_err remove_owner(kin_edit *edit, const kin_object *owner, kin_error *err)
{
    AUTO(kin__rewrite_fini) kin__rewrite rewrite = { 0 };
    bool is_there = false;

    if (kin_object_uid(owner).len == 0) {
        return kin__error_set(err, KIN_ERR_USAGE, "the owner has no uid");
    }
    if (kin__rewrite_begin(&rewrite, edit, OWNERS, err) != KIN_OK) {
        return err->code;
    }
    kin_iter iter = kin_value_iter(rewrite.elements);
    while (kin_iter_next(&iter)) {
        if (refers_to(iter.value, owner)) {
            is_there = true;
        } else if (kin__rewrite_keep(&rewrite, iter.value, err) != KIN_OK) {
            return err->code;
        }
    }
    return is_there ? kin__rewrite_end(&rewrite, err) : KIN_OK;
}

static void write_reference(const kin_object *owner, kin__buf *out)
{
    (void) kin__buf_append_str(out, STR("{"));
    write_member(out, "apiVersion", kin_object_api_version(owner));
    write_member(out, "kind", kin_object_kind(owner));
    write_member(out, "name", kin_object_name(owner));
    write_member(out, "uid", kin_object_uid(owner));
    (void) kin__buf_append_str(out, STR("\"controller\":true,\"blockOwnerDeletion\":true}"));
}

static void write_member(kin__buf *out, const char *name, kin_str value)
{
    (void) kin__buf_append_format(out, "\"%s\":", name);
    kin__quoted_append(out, value);
    (void) kin__buf_append_byte(out, ',');
}
