/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/field_terms.h - a field selector as the API server reads it: names, operators and values.
 *
 * Grammar and words are those of fields.ParseSelector() in k8s.io/apimachinery 0.36.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_FIELD_TERMS_H
#define KIN_SERVER_FIELD_TERMS_H

#include "server/refusal.h"

/* Each is a walk through the object, so that many of them are no filter but an attack. */
#define KIN__FIELD_TERMS_MAX 1000

typedef struct kin__field_term {
    kin_str name;  /* in the selector's text */
    kin_str value; /* escapes undone; in `values` */
    bool is_not;   /* != */
} kin__field_term;

typedef struct kin__field_terms {
    kin__field_term *terms; /* owned; sorted by their text */
    size_t count;
    kin__buf values;
} kin__field_terms;

/* NULL is as "".  `text` outlives the terms.  False with 400; release with
 * kin__field_terms_fini(). */
bool kin__field_terms_read(const char *text, kin__field_terms *out, kin__refusal *no);
void kin__field_terms_fini(kin__field_terms *terms);
KIN__DEFINE_AUTO_FINI(kin__field_terms, kin__field_terms_fini)

#endif /* KIN_SERVER_FIELD_TERMS_H */
