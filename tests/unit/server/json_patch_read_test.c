/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_patch_read_test.c - what is a JSON patch.  Texts are those of a kube-apiserver 1.36.3.
 */
#include "server/json_patch_read.h"

#include <stdlib.h>

#include "patching.h"
#include "server/json_patch.h"

/* What a patch is refused with, and its warnings. */
static const char *check(kin_str patch, kin__field_validation validation, patched *out)
{
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    text_clear(&out->json);
    text_clear(&out->warnings);
    if (!kin__json_patch_check(patch, validation, &warnings, &no)) {
        text_append(&out->json, "%.*s", (int) no.message.len, no.message.data);
    }
    out->code = no.code;
    for (size_t i = 0; i < warnings.count; i++) {
        text_append(&out->warnings, "%.*s\n", KIN_STR_ARG(kin__codec_warning(&warnings, i)));
    }
    return out->json.chars;
}

TEST(json_patch_read, refuses_what_is_no_patch)
{
    patched p;

    ASSERT_STR_EQ(check(STR("{}"), KIN__FIELDS_WARN, &p),
                  "error decoding patch: json: cannot unmarshal object into Go value of type "
                  "[]handlers.jsonPatchOp");
    ASSERT_EQ(p.code, 400);
    ASSERT_STR_EQ(check(STR("[1]"), KIN__FIELDS_STRICT, &p),
                  "error decoding patch: json: cannot unmarshal number into Go value of type "
                  "handlers.jsonPatchOp");
    ASSERT_STR_EQ(check(STR("[{\"op\":5}]"), KIN__FIELDS_WARN, &p),
                  "error decoding patch: json: cannot unmarshal number into Go struct field "
                  "jsonPatchOp.op of type string");
    ASSERT_STR_EQ(check(STR("["), KIN__FIELDS_WARN, &p),
                  "error decoding patch: unexpected end of JSON input");
    ASSERT_EQ(p.code, 400);
}

TEST(json_patch_read, has_other_words_when_fields_are_not_validated)
{
    patched p;

    ASSERT_STR_EQ(check(STR("{}"), KIN__FIELDS_IGNORE, &p),
                  "json: cannot unmarshal object into Go value of type jsonpatch.Patch");
    ASSERT_STR_EQ(check(STR("[1]"), KIN__FIELDS_IGNORE, &p),
                  "json: cannot unmarshal number into Go value of type jsonpatch.Operation");
    ASSERT_STR_EQ(check(STR("["), KIN__FIELDS_IGNORE, &p), "unexpected end of JSON input");
    ASSERT_STR_EQ(check(STR("null"), KIN__FIELDS_IGNORE, &p), "");
    ASSERT_EQ(p.code, 0);
}

TEST(json_patch_read, warns_of_unknown_and_duplicate_fields)
{
    patched p;

    ASSERT_STR_EQ(check(STR("[{},{\"op\":\"add\",\"path\":\"/z\",\"value\":{\"a\":1,\"a\":2},"
                            "\"foo\":1,\"\\u006fp\":\"add\"}]"),
                        KIN__FIELDS_WARN, &p),
                  "");
    ASSERT_STR_EQ(p.warnings.chars, "json patch duplicate field \"[1].value.a\"\n"
                                    "json patch unknown field \"[1].foo\"\n"
                                    "json patch duplicate field \"[1].op\"\n");
    (void) check(STR("[{\"foo\":1}]"), KIN__FIELDS_IGNORE, &p);
    ASSERT_STR_EQ(p.warnings.chars, "");
}

TEST(json_patch_read, refuses_more_than_ten_thousand_operations)
{
    size_t len = 0;
    char *all = malloc(4 * 10001 + 2);
    patched p;

    ASSERT_TRUE(all != NULL);
    for (size_t i = 0; i < 10001; i++) {
        all[len++] = i == 0 ? '[' : ',';
        all[len++] = '{';
        all[len++] = '}';
    }
    all[len] = ']';
    ASSERT_STR_EQ(check(kin__str(all, len + 1), KIN__FIELDS_WARN, &p),
                  "Request entity too large: The allowed maximum operations in a JSON patch is "
                  "10000, got 10001");
    ASSERT_EQ(p.code, 413);
    all[len - 3] = ']';
    ASSERT_STR_EQ(check(kin__str(all, len - 2), KIN__FIELDS_WARN, &p), "");
    free(all);
}

TEST(json_patch_read, finds_the_members_of_an_operation)
{
    kin__json_patch_operation o = kin__json_patch_read(
        kin__json_of(STR("{\"op\":\"add\",\"path\":\"/a\",\"from\":null,\"value\":null}")));

    ASSERT_SLICE_EQ(kin__json_text(o.op), "\"add\"");
    ASSERT_SLICE_EQ(kin__json_text(o.path), "\"/a\"");
    ASSERT_TRUE(o.from.at == NULL);
    ASSERT_TRUE(o.value.at == NULL);
    ASSERT_TRUE(o.has_value);
}

TEST_FAILING_ALLOC(json_patch_read, survives_without_memory)
{
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin_str patch = STR("[{\"\\u006fp\":\"add\",\"value\":{\"a\":1,\"a\":2},\"x\":1}]");

    return kin__json_patch_check(patch, KIN__FIELDS_WARN, &warnings, &no) ? KIN_OK
           : no.has_no_memory                                             ? KIN_ERR_NO_MEMORY
                                                                          : KIN_ERR_USAGE;
}
