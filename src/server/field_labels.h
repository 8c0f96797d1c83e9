/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/field_labels.h - which fields a field selector may name, and what they say.
 *
 * Every kind has metadata.name and metadata.namespace; a few have more, and custom resources those
 * of their definition's selectableFields.  Names, values and the words for the others are those of
 * kube-apiserver 1.36.3.
 *
 * Threading: immutable.
 */
#ifndef KIN_SERVER_FIELD_LABELS_H
#define KIN_SERVER_FIELD_LABELS_H

#include "server/refusal.h"
#include "server/served.h"

typedef enum kin__field_source {
    KIN__FIELD_NAME,
    KIN__FIELD_NAMESPACE,
    KIN__FIELD_PATH,   /* what `paths` lead to, the first that is there and not empty */
    KIN__FIELD_NOTHING /* accepted, and always empty */
} kin__field_source;

#define KIN__FIELD_PATHS 2

typedef struct kin__field_label {
    kin__field_source source;
    const char *paths[KIN__FIELD_PATHS]; /* NULL: none, or no second one */
    const char *otherwise;               /* the text when none of them says anything */
} kin__field_label;

/* What `name` is for a kind.  False with 400 when it cannot be selected by; texts are the caller's
 * to copy: those of a custom resource are `name` itself (`paths[0]` NULL). */
bool kin__field_label_find(const kin__served *served, kin_str name, kin__field_label *out,
                           kin__refusal *no);

#endif /* KIN_SERVER_FIELD_LABELS_H */
