/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_options_test.c - how a write wants to be done.
 */
#include "server/write_options.h"

#include "unit/server/writing.h"

TEST(write_options, know_bodies_by_their_type)
{
    ASSERT_EQ(kin__body_type_of(STR("")), KIN__BODY_JSON);
    ASSERT_EQ(kin__body_type_of(STR("application/json")), KIN__BODY_JSON);
    ASSERT_EQ(kin__body_type_of(STR("application/json ; charset=utf-8")), KIN__BODY_JSON);
    ASSERT_EQ(kin__body_type_of(STR("Application/JSON")), KIN__BODY_JSON);
    ASSERT_EQ(kin__body_type_of(STR("application/jsonx")), KIN__BODY_OTHER);
    ASSERT_EQ(kin__body_type_of(STR(";;")), KIN__BODY_OTHER);
    ASSERT_EQ(kin__body_type_of(STR("application/vnd.kubernetes.protobuf")), KIN__BODY_PROTOBUF);
    ASSERT_EQ(kin__body_type_of(STR("application/apply-patch+yaml")), KIN__BODY_APPLY_PATCH);
}

TEST(write_options, are_checked_all_at_once)
{
    const kin__params params = {
        .has_dry_run = true, .dry_run = "x", .field_manager = "a\001b", .field_validation = "y"
    };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__write_options options;

    ASSERT_FALSE(kin__write_options_read(&params, "UpdateOptions", &options, &no));
    ASSERT_SLICE_EQ(
        kin__str(no.message.data, no.message.len),
        "UpdateOptions.meta.k8s.io \"\" is invalid: [fieldManager: Invalid value: "
        "\"a\\x01b\": invalid character U+0001 (at position 1), dryRun: Unsupported "
        "value: [\"x\"]: supported values: \"All\", fieldValidation: Unsupported value: "
        "\"y\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"]");
}

TEST(write_options, limit_the_name_of_a_manager)
{
    char name[130];
    kin__params params = { .field_manager = name };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__write_options options;

    memset(name, 'a', sizeof name);
    name[128] = '\0';
    ASSERT_TRUE(kin__write_options_read(&params, "CreateOptions", &options, &no));
    name[128] = 'a';
    name[129] = '\0';
    ASSERT_FALSE(kin__write_options_read(&params, "CreateOptions", &options, &no));
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Too long: may not be "
                    "more than 128 bytes");
}

TEST(write_options, of_an_apply_patch_name_a_manager)
{
    const kin__params params = { .force = KIN__TRUE };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__write_options options;

    ASSERT_FALSE(kin__patch_options_read(&params, true, &options, &no));
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
                    "required for apply patch");
}

TEST(write_options, of_a_delete_are_an_object)
{
    kin__asked asked = { .content_type = STR("application/json"), .body = STR("[]") };
    AUTO(kin__delete_options_fini) kin__delete_options options = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_FALSE(kin__delete_options_read(&asked, &options, &no));
    ASSERT_EQ(no.code, 400);
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "couldn't get version/kind; json parse error: json: cannot unmarshal array "
                    "into Go value of type struct { APIVersion string "
                    "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                    "\"json:\\\"kind,omitempty\\\"\" }");
}

TEST_FAILING_ALLOC(write_options, survive_every_lack_of_memory)
{
    kin__asked asked = { .content_type = STR("application/json"),
                         .body = STR("{\"kind\":\"DeleteOptions\",\"dryRun\":[\"All\"],"
                                     "\"preconditions\":{\"uid\":\"x\"}}") };
    AUTO(kin__delete_options_fini) kin__delete_options options = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    if (!kin__delete_options_read(&asked, &options, &no)) {
        return no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_ERR_USAGE;
    }
    ASSERT_TRUE(options.is_dry);
    ASSERT_SLICE_EQ(options.uid, "x");
    return KIN_OK;
}
