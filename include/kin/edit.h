/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/edit.h - a private, changeable copy of an object.
 *
 *     kin_edit *edit;
 *     kin_object_edit(deployment, &edit, &err);
 *     kin_edit_set_int64(edit, "spec.replicas", 3, &err);
 *     kin_edit_set_str(edit, "metadata.labels[\"app.kubernetes.io/name\"]", name, &err);
 *     kin_edit_remove(edit, "metadata.annotations.obsolete", &err);
 *     kin_edit_append_str(edit, "metadata.finalizers", kin_str_of("example.com/hold"), &err);
 *     kin_edit_merge_patch(edit, KIN_PATCH_IF_UNCHANGED, &patch, &patch_len, &err);
 *
 * The copy ends as a JSON merge patch (RFC 7386) against the original, or as a new object.
 * The original is untouched.  A partial object can only become a patch: sent back whole it
 * would destroy on the server what it does not hold.
 *
 * Paths are texts as in kin/path.h, without [*]; they lead to one place.  What lies on the
 * way to a new member is made, as objects; an array is never made on the way.
 *
 * Every function that changes the copy either changes it as asked or, on failure, not at all.
 * Beside NO_MEMORY they fail with
 *   MALFORMED  a path or JSON text that does not parse, invalid UTF-8
 *   USAGE      a path with [*], or the empty path
 *   NOT_FOUND  an element that is not there (removing an absent member is no failure)
 *   TYPE       something on the way is not the object or array that the next step wants
 *   LIMIT      the copy would nest deeper than 1,000; a path of too many steps
 *
 * Threading: confined.
 */
#ifndef KIN_EDIT_H
#define KIN_EDIT_H

#include "kin/common.h"
#include "kin/object.h"

KIN_BEGIN_DECLS

typedef struct kin_edit kin_edit;

/* `object`: shared, the edit keeps a reference.  `out`: owned; release with kin_edit_free().  Fails
 * with NO_MEMORY, and as kin_object_json() where the object's bytes have a fault that only shows
 * when all of them are read. */
KIN_API KIN_MUST_CHECK kin_err kin_object_edit(const kin_object *object, kin_edit **out,
                                               kin_error *err);

/* NULL is ignored. */
KIN_API void kin_edit_free(kin_edit *edit);

KIN_API KIN_MUST_CHECK kin_err kin_edit_set_str(kin_edit *edit, const char *path, kin_str value,
                                                kin_error *err);
KIN_API KIN_MUST_CHECK kin_err kin_edit_set_int64(kin_edit *edit, const char *path, int64_t value,
                                                  kin_error *err);
/* USAGE for what JSON cannot write: infinities and not-a-number. */
KIN_API KIN_MUST_CHECK kin_err kin_edit_set_double(kin_edit *edit, const char *path, double value,
                                                   kin_error *err);
KIN_API KIN_MUST_CHECK kin_err kin_edit_set_bool(kin_edit *edit, const char *path, bool value,
                                                 kin_error *err);
/* Any JSON value, as text, borrowed for the call. */
KIN_API KIN_MUST_CHECK kin_err kin_edit_set_json(kin_edit *edit, const char *path, kin_str json,
                                                 kin_error *err);

/* Removes a member or an element.  A member that is absent already is no failure; of a partial
 * object the patch removes it all the same, because the server may have it. */
KIN_API KIN_MUST_CHECK kin_err kin_edit_remove(kin_edit *edit, const char *path, kin_error *err);

/* Appends to the array at `path`, which is made where nothing or null is.  Of a partial object that
 * fails with PARTIAL, because a mask may have left the array out, and a patch would replace the
 * server's: set it, to replace it. */
KIN_API KIN_MUST_CHECK kin_err kin_edit_append_str(kin_edit *edit, const char *path, kin_str value,
                                                   kin_error *err);
KIN_API KIN_MUST_CHECK kin_err kin_edit_append_json(kin_edit *edit, const char *path, kin_str json,
                                                    kin_error *err);

/*
 * The copy as a new object, `out` shared: the caller holds the only reference.  Fails with PARTIAL
 * when the original is partial, and as kin_object_from_json() when the copy is no object any more
 * (without a name, say).
 */
KIN_API KIN_MUST_CHECK kin_err kin_edit_object(const kin_edit *edit, kin_object **out,
                                               kin_error *err);

/* Flags of kin_edit_merge_patch(). */
#define KIN_PATCH_IF_UNCHANGED 1u /* the server refuses it when resourceVersion has moved on */
#define KIN_PATCH_IF_SAME_UID 2u  /* the server refuses it when the object was made anew */

/*
 * What changed, as a JSON merge patch: "{}" when nothing did and no flag is set.  A merge
 * patch replaces an array as a whole, merges an object into the server's, and cannot set a member
 * to null: it removes it.
 *
 * `out` is terminated, `out_len` bytes long, owned by the caller; release with kin_free().  Fails
 * with USAGE (unknown flag), NOT_FOUND (a flag asks for a version or uid that the object lacks),
 * PARTIAL (a changed array may have lost fields to a mask; replacing it would destroy them on
 * the server), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_edit_merge_patch(const kin_edit *edit, unsigned flags,
                                                    char **out, size_t *out_len, kin_error *err);

KIN_END_DECLS
#endif /* KIN_EDIT_H */
