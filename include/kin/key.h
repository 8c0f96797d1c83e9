/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/key.h - keys of objects, and the order of resource versions.
 *
 * A key is "namespace/name", or "name" for what has no namespace.
 *
 * Threading: pure functions.
 */
#ifndef KIN_KEY_H
#define KIN_KEY_H

#include "kin/common.h"

KIN_BEGIN_DECLS

/*
 * Writes the key of `in_namespace` (may be empty) and `name` into `buffer`, terminated.
 * `out` is borrowed from the buffer.  Fails with USAGE (empty name; a slash in either) or RANGE
 * (the buffer is too small: it needs both lengths and two).
 */
KIN_API KIN_MUST_CHECK kin_err kin_key_make(kin_str in_namespace, kin_str name, char *buffer,
                                            size_t buffer_size, kin_str *out, kin_error *err);

/*
 * Takes a key apart; both parts are borrowed from it.  A leading slash is an empty namespace.
 * Fails with MALFORMED: empty, no name, or more than one slash (`unexpected key format: "a/b/c"`).
 */
KIN_API KIN_MUST_CHECK kin_err kin_key_split(kin_str key, kin_str *out_namespace, kin_str *out_name,
                                             kin_error *err);

/*
 * Compares two resource versions of one resource on one cluster: *out is negative, 0 or
 * positive as `a` is older, equal or newer.  They are decimal digits of any length, without a
 * leading zero.  Fails with MALFORMED for anything else, "0" and the empty string included.
 */
KIN_API KIN_MUST_CHECK kin_err kin_resource_version_compare(kin_str a, kin_str b, int *out,
                                                            kin_error *err);

KIN_END_DECLS
#endif /* KIN_KEY_H */
