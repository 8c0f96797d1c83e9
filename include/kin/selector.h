/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/selector.h - which objects: by their labels, or by their fields.
 *
 * Label selectors have the full grammar of the API server
 *
 *     app=web,tier!=cache,zone in (a,b),env notin (test),release,!legacy,weight>5
 *
 * and its meaning: "=", "==" and "in" need the label, "!=" and "notin" also match without
 * it, ">" and "<" compare as 64-bit integers and do not match what is none.  A comma means
 * "and".  An empty selector matches everything.
 *
 * Field selectors are "path=value", "path==value" and "path!=value", joined by commas; in a
 * value, "\,", "\=" and "\\" stand for the character itself.  They are matched here, on the
 * local copy, so any path of kin/path.h without filters and [*] will do, not only the few a
 * server supports.  A field is compared as its text; one that is missing, null, an array or an
 * object is "".
 *
 * Threading: immutable.
 */
#ifndef KIN_SELECTOR_H
#define KIN_SELECTOR_H

#include "kin/common.h"
#include "kin/object.h"

KIN_BEGIN_DECLS

typedef struct kin_selector kin_selector;             /* on labels */
typedef struct kin_field_selector kin_field_selector; /* on fields */

/*
 * Reads a label selector (terminated, borrowed for the call; NULL is as "").  `out` is owned by the
 * caller; release with kin_selector_free().  Fails with MALFORMED, in the API server's words and
 * with the byte where it went wrong; LIMIT when it is longer than 1 MB; NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_selector_parse(const char *text, kin_selector **out,
                                                  kin_error *err);

/*
 * Makes a selector of a LabelSelector ({"matchLabels":{...},"matchExpressions":[...]}), as found at
 * `spec.selector` of a Deployment.  A missing or null value matches nothing, an empty object
 * everything.  `out` as above.  Fails with MALFORMED, LIMIT, NO_MEMORY, or USAGE when the value
 * came of a path that does not parse.
 */
KIN_API KIN_MUST_CHECK kin_err kin_selector_from_value(kin_value label_selector, kin_selector **out,
                                                       kin_error *err);

/* The same for a plain map of labels, as at `spec.selector` of a Service: all must be equal.  A
 * missing, null or empty one matches nothing, as a Service without a selector does. */
KIN_API KIN_MUST_CHECK kin_err kin_selector_from_labels(kin_value labels, kin_selector **out,
                                                        kin_error *err);

/* NULL is ignored. */
KIN_API void kin_selector_free(kin_selector *selector);

KIN_API bool kin_selector_matches(const kin_selector *selector, const kin_object *object);

/* The canonical text (terminated, borrowed from the selector): requirements sorted by key, those
 * with one key in the order they were written; values sorted, each once.  One that matches nothing
 * has no text and gives "". */
KIN_API const char *kin_selector_text(const kin_selector *selector);

/* True when it matches every object; true when it was made of a missing selector, and so matches
 * none. One that contradicts itself ("a,!a") is not detected. */
KIN_API bool kin_selector_is_everything(const kin_selector *selector);
KIN_API bool kin_selector_is_nothing(const kin_selector *selector);

/* Reads a field selector; as kin_selector_parse().  LIMIT also beyond 1,000 terms and where a path
 * has its limits.  A comma or "=" in a member's name is written ["a\u002cb"] or ["a\u003db"]. */
KIN_API KIN_MUST_CHECK kin_err kin_field_selector_parse(const char *text, kin_field_selector **out,
                                                        kin_error *err);

/* NULL is ignored. */
KIN_API void kin_field_selector_free(kin_field_selector *selector);

KIN_API bool kin_field_selector_matches(const kin_field_selector *selector,
                                        const kin_object *object);

/* The canonical text: terminated, borrowed from the selector; terms sorted as text. */
KIN_API const char *kin_field_selector_text(const kin_field_selector *selector);

KIN_END_DECLS
#endif /* KIN_SELECTOR_H */
