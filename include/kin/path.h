/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/path.h - where a field is inside an object, and which fields to leave out.
 *
 * A path is written as people write it:
 *
 *   spec.nodeName                                    members
 *   spec.containers[0].image                         an element; [-1] is the last
 *   metadata.labels["app.kubernetes.io/name"]        a member whose name has dots
 *   status.conditions[?type=="Ready"].status         the first element with that member
 *   status.podIPs[*].ip                              each element (or each member's value)
 *
 * A plain member name is one or more of A-Z a-z 0-9 _ - $ and any character outside
 * ASCII; every other name goes into ["..."], with JSON's escapes.  A filter looks at the
 * elements of an array and compares one member (a plain name) with == or != to a string,
 * number, true, false or null; an element without the member matches only !=.  There are no
 * blanks.  The text is UTF-8.  The empty path "" is the whole object.
 *
 * Wherever a path can be written as text it is read anew on each call, without an
 * allocation, and may have at most KIN_PATH_TEXT_STEPS steps and 512 bytes of names and
 * strings that are written with escapes.  Compile a path that is used many times.
 *
 * Threading: kin_path and kin_mask are immutable.
 */
#ifndef KIN_PATH_H
#define KIN_PATH_H

#include "kin/common.h"

KIN_BEGIN_DECLS

#define KIN_PATH_TEXT_STEPS 32

typedef struct kin_path kin_path;
typedef struct kin_mask kin_mask;

/*
 * Compiles `text` (terminated, borrowed for the call).  `out` is owned by the caller;
 * release with kin_path_free().  Fails with MALFORMED, and the message says what was
 * expected and at which byte; USAGE for NULL; LIMIT beyond 1,000 steps; NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_path_new(const char *text, kin_path **out, kin_error *err);

/* NULL is ignored. */
KIN_API void kin_path_free(kin_path *path);

/* The canonical text of the path: terminated, borrowed from the path. */
KIN_API const char *kin_path_text(const kin_path *path);

/* What a mask does with the fields it names. */
typedef enum kin_mask_mode {
    KIN_MASK_DROP = 0, /* leave out these, keep the rest */
    KIN_MASK_KEEP = 1  /* keep these and what identifies the object, leave out the rest */
} kin_mask_mode;

/*
 * Makes a mask of `count` paths (terminated, borrowed for the call; members and [*] only,
 * no element numbers and no filters).  An object made through a mask has never held the
 * fields that the mask leaves out; what they say is not checked, only that it is JSON.
 *
 * apiVersion, kind, metadata.name, metadata.namespace, metadata.uid and
 * metadata.resourceVersion are always kept.
 *
 * KEEP keeps the objects and arrays that lead to a listed path, empty where nothing in them is
 * listed.
 *
 * `out` is owned by the caller; release with kin_mask_free().  Fails with MALFORMED (a path that
 * does not parse), USAGE (a path that cannot be masked), LIMIT (a path beyond 1,000 steps; names
 * and
 * [*] that combine to more than 65,536 places), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_mask_new(kin_mask_mode mode, const char *const *paths,
                                            size_t count, kin_mask **out, kin_error *err);

/* No object needs its mask once it is made.  NULL is ignored. */
KIN_API void kin_mask_free(kin_mask *mask);

KIN_END_DECLS
#endif /* KIN_PATH_H */
