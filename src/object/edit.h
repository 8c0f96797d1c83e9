/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/edit.h - what the layers above may know of an edit.
 */
#ifndef KIN_OBJECT_EDIT_H
#define KIN_OBJECT_EDIT_H

#include "base/cleanup.h"
#include "kin/edit.h"

KIN__DEFINE_AUTO(kin_edit, kin_edit_free)

/* The copy's metadata as they are now, as an object of its own: without a kind, and without a name
 * if need be.  `out` is shared: the caller holds the only reference.  Fails with NO_MEMORY, and as
 * kin_object_from_json() when they are not what metadata should be. */
kin_err kin__edit_metadata(const kin_edit *edit, kin_object **out, kin_error *err) KIN_MUST_CHECK;

/* True when the server may have more of the object than the copy was made of. */
bool kin__edit_is_partial(const kin_edit *edit);

/* What the copy was made of; borrowed from the edit. */
const kin_object *kin__edit_original(const kin_edit *edit);

#endif /* KIN_OBJECT_EDIT_H */
