/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/owner.h - who belongs to whom, and what must happen before an object may go.
 *
 * Owner references: an object names those it belongs to; one of them may be its controller.
 * Finalizers: names on an object that keep it from going, until whoever put them there takes them
 * away.
 *
 * Threading: pure, but for kin_reconcile_finalize().
 */
#ifndef KIN_OWNER_H
#define KIN_OWNER_H

#include "kin/controller.h"

KIN_BEGIN_DECLS

/* True when `object` names `owner`, by its uid, as its controller. */
KIN_API bool kin_object_is_controlled_by(const kin_object *object, const kin_object *owner);

/*
 * Makes `owner` the controller of what is edited: adds a reference with controller and
 * blockOwnerDeletion, or changes the one it has to `owner`.  Fails with CONFLICT when another is
 * its controller; USAGE when `owner` has no uid, apiVersion or kind, or its namespace is another
 * than the object's; and as the functions of kin/edit.h, PARTIAL among them.
 */
KIN_API KIN_MUST_CHECK kin_err kin_edit_set_controller(kin_edit *edit, const kin_object *owner,
                                                       kin_error *err);

/* Takes away every reference to `owner`, by its uid; none is no failure.  Fails with USAGE when
 * `owner` has no uid, and as the functions of kin/edit.h, PARTIAL among them. */
KIN_API KIN_MUST_CHECK kin_err kin_edit_remove_owner(kin_edit *edit, const kin_object *owner,
                                                     kin_error *err);

/* Whether an object has a finalizer; adding one that is there and removing one that is not there
 * change nothing.  The edits fail as the functions of kin/edit.h, PARTIAL among them. */
KIN_API bool kin_object_has_finalizer(const kin_object *object, const char *finalizer);
KIN_API KIN_MUST_CHECK kin_err kin_edit_add_finalizer(kin_edit *edit, const char *finalizer,
                                                      kin_error *err);
KIN_API KIN_MUST_CHECK kin_err kin_edit_remove_finalizer(kin_edit *edit, const char *finalizer,
                                                         kin_error *err);

/* Does what must be done before the object goes.  May be called again for the same object, also
 * after it succeeded. */
typedef kin_err (*kin_cleanup_fn)(void *context, kin_reconcile *r, const kin_object *object,
                                  kin_error *err);

/*
 * For the beginning of a reconcile of an object that has something to be cleaned up:
 *
 *     bool is_done;
 *     code = kin_reconcile_finalize(r, foo, "example.com/foo", clean_up, app, &is_done, err);
 *     if (code != KIN_OK || is_done) {
 *         return code;
 *     }
 *
 * An object that is to stay and lacks the finalizer gets it: so nothing is made that is not cleaned
 * up.  Then this reconcile is done, and comes again at once, for the object has changed.  Of one
 * that is to go, `cleanup` is called while it has the finalizer, which is taken away when that
 * succeeded; one that has none is left alone; either way the reconcile is done.  Both are patches
 * that the server refuses when the object is not as it was read any more.
 *
 * Fails with USAGE (no name), with what `cleanup` returned, and as kin_edit_add_finalizer(),
 * kin_edit_remove_finalizer() and kin_reconcile_patch(): with PARTIAL where a mask may have left
 * out the finalizers.
 */
KIN_API KIN_MUST_CHECK kin_err kin_reconcile_finalize(kin_reconcile *r, const kin_object *object,
                                                      const char *finalizer, kin_cleanup_fn cleanup,
                                                      void *context, bool *out_is_done,
                                                      kin_error *err);

KIN_END_DECLS
#endif /* KIN_OWNER_H */
