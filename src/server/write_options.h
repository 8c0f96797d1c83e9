/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/write_options.h - how a write wants to be done: dryRun, fieldValidation, and what a
 * deletion says in its body or its query.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_WRITE_OPTIONS_H
#define KIN_SERVER_WRITE_OPTIONS_H

#include "server/codec.h"
#include "server/deed.h"

typedef struct kin__write_options {
    bool is_dry; /* dryRun=All: everything but the write itself */
    kin__field_validation validation;
} kin__write_options;

/* Of a create, update or patch; `kind` is "CreateOptions", "UpdateOptions", "PatchOptions".  False
 * with 422. */
bool kin__write_options_read(const kin__params *params, const char *kind, kin__write_options *out,
                             kin__refusal *no);

/* The same checks for a patch: of `force` and fieldManager, which depend on its type. */
bool kin__patch_options_read(const kin__params *params, bool is_apply, kin__write_options *out,
                             kin__refusal *no);

typedef struct kin__delete_options {
    bool is_dry;
    bool has_grace_period;
    int64_t grace_period_s;
    kin__tristate orphan_dependents;
    kin_str uid; /* preconditions; empty: none.  All texts lie in `tree`, or in the request */
    kin_str resource_version;
    kin_str propagation_policy;
    kin__node *tree; /* the body; private */
} kin__delete_options;

/* From the body when there is one, else from the query.  False with 400, 415, 422. */
bool kin__delete_options_read(const kin__asked *asked, kin__delete_options *out, kin__refusal *no);
void kin__delete_options_fini(kin__delete_options *options);
KIN__DEFINE_AUTO_FINI(kin__delete_options, kin__delete_options_fini)

/* ---- bodies ---------------------------------------------------------------------------------- */

typedef enum kin__body_type {
    KIN__BODY_JSON,
    KIN__BODY_PROTOBUF,
    KIN__BODY_JSON_PATCH,
    KIN__BODY_MERGE_PATCH,
    KIN__BODY_STRATEGIC_PATCH,
    KIN__BODY_APPLY_PATCH,
    KIN__BODY_OTHER
} kin__body_type;

/* By the media type, whatever parameters follow it; an empty one is JSON. */
kin__body_type kin__body_type_of(kin_str content_type);

/* 415, with the types that an object can be sent in. */
bool kin__refuse_body_type(kin__refusal *no);

#endif /* KIN_SERVER_WRITE_OPTIONS_H */
