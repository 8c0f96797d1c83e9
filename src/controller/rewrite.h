/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/rewrite.h - an array of an edit's metadata, written anew.
 *
 *     AUTO(kin__rewrite_fini) kin__rewrite rewrite = { 0 };
 *     kin__rewrite_begin(&rewrite, edit, "metadata.finalizers", &err);
 *     kin__rewrite_keep(&rewrite, element, &err);     of kin_value_iter(rewrite.elements)
 *     kin__rewrite_add(&rewrite, STR("\"new\""));
 *     kin__rewrite_end(&rewrite, &err);
 *
 * The edit changes with the last call, and if that fails, not at all.
 *
 * Threading: confined.
 */
#ifndef KIN_CONTROLLER_REWRITE_H
#define KIN_CONTROLLER_REWRITE_H

#include "base/buf.h"
#include "object/edit.h"

typedef struct kin__rewrite {
    kin_edit *edit;       /* borrowed */
    const char *path;     /* borrowed */
    kin_object *metadata; /* of the copy, as they were; reference */
    kin_value elements;   /* of `metadata`: an array, or missing */
    kin__buf json;        /* what is to be there, without the last bracket */
    size_t count;         /* elements in `json` */
} kin__rewrite;

void kin__rewrite_fini(kin__rewrite *rewrite);
KIN__DEFINE_AUTO_FINI(kin__rewrite, kin__rewrite_fini)

/* Fails with PARTIAL (nothing is there, but the server may have something), TYPE (no array), and as
 * kin__edit_metadata(). */
kin_err kin__rewrite_begin(kin__rewrite *rewrite, kin_edit *edit, const char *path,
                           kin_error *err) KIN_MUST_CHECK;

/* Fails as kin_value_json(). */
kin_err kin__rewrite_keep(kin__rewrite *rewrite, kin_value element, kin_error *err) KIN_MUST_CHECK;

/* One element, as JSON.  A failure is told at the end. */
void kin__rewrite_add(kin__rewrite *rewrite, kin_str json);

/* An array without elements is removed.  Fails as the functions of kin/edit.h. */
kin_err kin__rewrite_end(kin__rewrite *rewrite, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CONTROLLER_REWRITE_H */
