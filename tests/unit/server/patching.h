/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patching.h - patches applied to documents, for the tests of the three kinds.
 */
#ifndef TESTS_UNIT_SERVER_PATCHING_H
#define TESTS_UNIT_SERVER_PATCHING_H

#include <stdio.h>

#include "base/str.h"
#include "server/codec.h"
#include "support/test.h"

/* What came of a patch: the document, or what it was refused with. */
typedef struct patched {
    text json;
    text warnings; /* each with a line end */
    int code;      /* 0: it was not refused */
    char reason[32];
    bool has_details;
} patched;

typedef bool (*patch_fn)(kin__node **tree, kin_str patch, kin__field_validation validation,
                         kin__codec_warnings *warnings, kin__refusal *no);

static inline const char *patch_as(patch_fn apply, const char *document, kin_str patch,
                                   kin__field_validation validation, patched *out)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin_error err;

    ASSERT_OK(kin__node_from_json(kin__json_of(kin_str_of(document)), &tree, &err));
    text_clear(&out->json);
    text_clear(&out->warnings);
    if (!apply(&tree, patch, validation, &warnings, &no)) {
        text_append(&out->json, "%.*s", (int) no.message.len, no.message.data);
        text_append(&out->warnings, "%s", "");
        (void) snprintf(out->reason, sizeof out->reason, "%s", no.reason);
    } else {
        ASSERT_TRUE(kin__node_append_json(tree, &json));
        text_append(&out->json, "%.*s", (int) json.len, json.data);
    }
    out->code = no.code;
    out->has_details = no.has_details;
    for (size_t i = 0; i < warnings.count; i++) {
        text_append(&out->warnings, "%.*s\n", KIN_STR_ARG(kin__codec_warning(&warnings, i)));
    }
    return out->json.chars;
}

/* For TEST_FAILING_ALLOC. */
static inline kin_err patch_once(patch_fn apply, const char *document, const char *patch)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin_error err;

    if (kin__node_from_json(kin__json_of(kin_str_of(document)), &tree, &err) != KIN_OK) {
        return err.code;
    }
    bool is_done = apply(&tree, kin_str_of(patch), KIN__FIELDS_WARN, &warnings, &no);
    return !is_done && no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_OK;
}

#endif /* TESTS_UNIT_SERVER_PATCHING_H */
