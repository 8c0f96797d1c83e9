/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/custom.h - custom resources by the schema of their definition: what goes, what is filled
 * in, and what is refused.
 *
 * Of OpenAPI this knows: type, properties, additionalProperties, items, required, enum, nullable,
 * minimum, maximum and multipleOf, lengths and patterns, most formats, numbers of items and of
 * members, anyOf and its like, default, list types, and the three x-kubernetes marks
 * preserve-unknown-fields, int-or-string and embedded-resource.  Not known, and so never refused:
 * rules in CEL.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_CUSTOM_H
#define KIN_SERVER_CUSTOM_H

#include "server/write.h"

/*
 * Takes out what the schema does not know, and puts in its defaults; for kinds that are not custom
 * nothing happens.  The schema of the version that is kept counts as well, after the request's, and
 * is not warned by.
 *
 * `warnings` gets what went, unless `validation` is IGNORE; kin__custom_refuse() refuses them.
 */
bool kin__custom_prune(const kin__write *write, kin__node *object, kin__field_validation validation,
                       kin__codec_warnings *warnings, kin__refusal *no);

/* What is stored, read by the schema of `served`: the same, for an object that was written when its
 * definition was another one.  False when there is no memory. */
bool kin__custom_conform(const kin__served *served, kin__node *object) KIN_MUST_CHECK;

/* In strict validation, and when there are warnings: 400.  Else true. */
bool kin__custom_refuse(const kin__write *write, kin__field_validation validation,
                        const kin__codec_warnings *warnings, kin__refusal *no);

/* Adds to a refusal that was begun: another kind than the definition's, and what the schema does
 * not allow. */
void kin__custom_check(kin__write *write, kin__refusal *no);

#endif /* KIN_SERVER_CUSTOM_H */
