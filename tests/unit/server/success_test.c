/* SPDX-License-Identifier: Apache-2.0 */
/*
 * success_test.c - answers that are no object of the resource.
 */
#include "server/success.h"

#include "unit/server/writing.h"

TEST(success, is_told_in_json_with_details_or_a_code)
{
    const kin__success success = {
        .status = 200, .name = STR("a"), .group = STR("apps"), .kind = STR("b"), .uid = STR("c")
    };
    const kin__success made = { .status = 201 };
    AUTO(kin__answer_fini) kin__answer answer = { 0 };
    AUTO(kin__answer_fini) kin__answer other = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__asked asked = { 0 };

    ASSERT_TRUE(kin__answer_success(&asked, &success, &answer, &no));
    ASSERT_SLICE_EQ(kin__str(answer.bytes.data, answer.bytes.len),
                    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                    "\"Success\",\"details\":{\"name\":\"a\",\"group\":\"apps\",\"kind\":\"b\","
                    "\"uid\":\"c\"}}\n");
    ASSERT_TRUE(kin__answer_success(&asked, &made, &other, &no));
    ASSERT_SLICE_EQ(kin__str(other.bytes.data, other.bytes.len),
                    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                    "\"Success\",\"code\":201}\n");
    ASSERT_EQ(other.status, 201);
}

TEST(success, is_told_in_protobuf)
{
    const kin__success success = { .status = 200, .name = STR("a"), .kind = STR("b") };
    AUTO(kin__answer_fini) kin__answer answer = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__asked asked = { .form = { .encoding = KIN__FORM_PROTO } };
    kin_object *object = NULL;
    kin_error err;
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;

    options.allows_no_name = true;
    ASSERT_TRUE(kin__answer_success(&asked, &success, &answer, &no));
    ASSERT_STR_EQ(answer.content_type, "application/vnd.kubernetes.protobuf");
    ASSERT_OK(
        kin_object_from_protobuf(answer.bytes.data, answer.bytes.len, &options, &object, &err));
    ASSERT_SLICE_EQ(kin_object_kind(object), "Status");
    (void) kin_object_unref(object);
}

TEST_FAILING_ALLOC(success, survives_every_lack_of_memory)
{
    const kin__success success = { .status = 200, .name = STR("a"), .kind = STR("b") };
    AUTO(kin__answer_fini) kin__answer answer = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__asked asked = { .form = { .encoding = KIN__FORM_PROTO } };

    return kin__answer_success(&asked, &success, &answer, &no) ? KIN_OK : KIN_ERR_NO_MEMORY;
}
