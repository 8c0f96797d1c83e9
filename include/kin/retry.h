/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/retry.h - to try again when somebody else was faster.
 *
 * Threading: thread-safe; these wait, and are refused with USAGE where that is not allowed (on a
 * loop, in an index function).
 */
#ifndef KIN_RETRY_H
#define KIN_RETRY_H

#include "kin/client.h"
#include "kin/edit.h"

KIN_BEGIN_DECLS

/* Calls `fn` until it returns something else than CONFLICT, or CONFLICT for the reason
 * "AlreadyExists", which does not pass; five times at most and 10 ms apart, with a tenth more by
 * chance (client-go's DefaultRetry).  Returns what the last call did. */
KIN_API KIN_MUST_CHECK kin_err kin_retry_on_conflict(kin_err (*fn)(void *context, kin_error *err),
                                                     void *context, kin_error *err);

/* Changes the copy of an object.  Called again with a fresh one when the server has another by
 * then. */
typedef kin_err (*kin_modify_fn)(void *context, const kin_object *object, kin_edit *edit,
                                 kin_error *err);

/*
 * Reads an object, has it changed, and sends the change, unless the object has changed meanwhile:
 * then all of it again, as kin_retry_on_conflict() does.  Nothing is sent when nothing was changed.
 *
 * subresource  "status", say, which is read with its object; any other ("scale") is read by itself;
 *              NULL: the object itself
 * out          shared: as it is now; may be NULL
 *
 * In a reconcile kin_reconcile_patch() is the better choice: the next one waits until it sees what
 * was written, and it ends with the lead.  This does neither.
 *
 * Fails as kin_client_run() and kin_edit_merge_patch(), and with what `fn` returned.
 */
KIN_API KIN_MUST_CHECK kin_err kin_client_modify(kin_client *client, const char *resource,
                                                 const char *ns, const char *name,
                                                 const char *subresource, kin_modify_fn fn,
                                                 void *context, kin_object **out, kin_error *err);

KIN_END_DECLS
#endif /* KIN_RETRY_H */
