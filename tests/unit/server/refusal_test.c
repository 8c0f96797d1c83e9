/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refusal_test.c - Status objects, compared with those of a real server.
 *
 * The bodies are kube-apiserver 1.36.3's.
 */
#include "server/refusal.h"

#include <string.h>

#include "base/str.h"
#include "server/served.h"
#include "support/test.h"

#define STATUS(rest)                                                                               \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\"," rest "}"

static const kin__served configmaps = { .group = { "", 0 }, .resource = { "configmaps", 10 } };
static const kin__served deployments = { .group = { "apps", 4 },
                                         .resource = { "deployments", 11 } };

static void assert_json(const kin__refusal *no, const char *want)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    ASSERT_TRUE(kin__refusal_write_json(no, &out));
    ASSERT_SLICE_EQ(kin__str(out.data, out.len), want);
}

/* As a file of a real server, newline included. */
static void assert_fixture(const kin__refusal *no, const char *name)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    char *want = read_fixture(name, NULL);

    ASSERT_TRUE(kin__refusal_write_json(no, &out));
    kin__buf_append_byte(&out, '\n');
    ASSERT_SLICE_EQ(kin__str(out.data, out.len), want);
    free_fixture(want);
}

TEST(refusal, of_an_object_that_is_missing)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_FALSE(kin__refuse_not_found(&no, &configmaps, STR("nope")));

    ASSERT_EQ(no.code, 404);
    assert_fixture(&no, "status-404-object.json");
}

TEST(refusal, of_an_object_of_a_group_names_the_group)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse_not_found(&no, &deployments, STR("nope"));

    assert_json(&no, STATUS("\"message\":\"deployments.apps \\\"nope\\\" not found\",\"reason\":"
                            "\"NotFound\",\"details\":{\"name\":\"nope\",\"group\":\"apps\","
                            "\"kind\":\"deployments\"},\"code\":404"));
}

TEST(refusal, is_the_same_in_protobuf)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    size_t len;
    char *want = read_fixture("status-404-object.pb", &len);

    kin__refuse_not_found(&no, &configmaps, STR("nope"));
    ASSERT_TRUE(kin__refusal_write_proto(&no, &out));

    ASSERT_EQ(out.len, len);
    ASSERT_EQ(memcmp(out.data, want, len), 0);
    free_fixture(want);
}

TEST(refusal, without_anything_to_tell_has_empty_details)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse_unknown(&no);
    assert_json(&no, STATUS("\"message\":\"the server could not find the requested resource\","
                            "\"reason\":\"NotFound\",\"details\":{},\"code\":404"));

    kin__refuse_method(&no);
    assert_json(&no, STATUS("\"message\":\"the server does not allow this method on the requested "
                            "resource\",\"reason\":\"MethodNotAllowed\",\"details\":{},"
                            "\"code\":405"));
}

TEST(refusal, of_a_bad_request_has_no_details)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_FALSE(kin__refuse_bad_request(&no, "field label not supported: %s", "foo"));

    assert_json(&no, STATUS("\"message\":\"field label not supported: foo\",\"reason\":"
                            "\"BadRequest\",\"code\":400"));
}

TEST(refusal, without_a_reason_says_none)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse(&no, 500, "", "resourceVersion should not be set on objects to be created");

    assert_fixture(&no, "status-500-create-with-resource-version.json");
}

TEST(refusal, of_a_name_that_is_taken)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse_exists(&no, &configmaps, STR("c-1"));

    assert_json(&no, STATUS("\"message\":\"configmaps \\\"c-1\\\" already exists\",\"reason\":"
                            "\"AlreadyExists\",\"details\":{\"name\":\"c-1\",\"kind\":"
                            "\"configmaps\"},\"code\":409"));
}

TEST(refusal, of_another_version)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse_conflict(&no, &configmaps, STR("c-1"), "the object has been %s", "modified");

    assert_json(&no,
                STATUS("\"message\":\"Operation cannot be fulfilled on configmaps \\\"c-1\\\": "
                       "the object has been modified\",\"reason\":\"Conflict\",\"details\":{"
                       "\"name\":\"c-1\",\"kind\":\"configmaps\"},\"code\":409"));
}

TEST(refusal, of_what_is_invalid_has_a_cause_for_each_fault)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refusal_begin_invalid(&no, STR("meta.k8s.io"), STR("ListOptions"), STR(""));
    kin__refusal_add_invalid(&no, "FieldValueForbidden", "resourceVersionMatch",
                             "Forbidden: resourceVersionMatch is forbidden unless resourceVersion "
                             "is provided");
    ASSERT_FALSE(kin__refusal_end_invalid(&no));

    assert_json(&no, STATUS("\"message\":\"ListOptions.meta.k8s.io \\\"\\\" is invalid: "
                            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden "
                            "unless resourceVersion is provided\",\"reason\":\"Invalid\","
                            "\"details\":{\"group\":\"meta.k8s.io\",\"kind\":\"ListOptions\","
                            "\"causes\":[{\"reason\":\"FieldValueForbidden\",\"message\":"
                            "\"Forbidden: resourceVersionMatch is forbidden unless resourceVersion "
                            "is provided\",\"field\":\"resourceVersionMatch\"}]},\"code\":422"));
}

TEST(refusal, of_several_faults_puts_them_in_brackets_and_says_each_once)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refusal_begin_invalid(&no, STR(""), STR("Pod"), STR("x"));
    kin__refusal_add_invalid(&no, "FieldValueRequired", "a", "Required value");
    kin__refusal_add_invalid(&no, "FieldValueInvalid", "b", "Invalid value: %d", 3);
    kin__refusal_add_invalid(&no, "FieldValueRequired", "a", "Required value");
    ASSERT_FALSE(kin__refusal_end_invalid(&no));

    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "Pod \"x\" is invalid: [a: Required value, b: Invalid value: 3]");
    ASSERT_EQ(no.cause_count, 3);
}

TEST(refusal, of_one_fault_told_twice_has_no_brackets)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refusal_begin_invalid(&no, STR(""), STR("Pod"), STR("x"));
    kin__refusal_add_invalid(&no, "FieldValueRequired", "a", "Required value");
    kin__refusal_add_invalid(&no, "FieldValueRequired", "a", "Required value");
    ASSERT_FALSE(kin__refusal_end_invalid(&no));

    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "Pod \"x\" is invalid: a: Required value");
}

TEST(refusal, of_nothing_invalid_is_none)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refusal_begin_invalid(&no, STR(""), STR("Pod"), STR("x"));

    ASSERT_TRUE(kin__refusal_end_invalid(&no));
    ASSERT_EQ(no.code, 0);
}

TEST(refusal, keeps_as_many_causes_as_there_is_room_for)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refusal_begin_invalid(&no, STR(""), STR("Pod"), STR("x"));
    for (int i = 0; i < KIN__REFUSAL_CAUSES + 5; i++) {
        kin__refusal_add_invalid(&no, "FieldValueRequired", "a", "Required value: %d", i);
    }

    ASSERT_FALSE(kin__refusal_end_invalid(&no));
    ASSERT_EQ(no.cause_count, KIN__REFUSAL_CAUSES);
}

TEST(refusal, tells_when_to_come_back_behind_its_causes)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse(&no, 504, "Timeout", "Timeout: Too large resource version: %d, current: %d",
                99999999, 322);
    kin__refusal_add_cause(&no, "ResourceVersionTooLarge", "", "Too large resource version");
    kin__refusal_set_retry_after(&no, 1);

    assert_fixture(&no, "status-504-too-large-resource-version.json");
}

TEST(refusal, of_an_expired_page_has_a_token_to_go_on_with)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse(&no, 410, "Expired",
                "The provided continue parameter is too old to display a consistent list result. "
                "You can start a new list without the continue parameter, or use the continue "
                "token in this response to retrieve the remainder of the results. Continuing with "
                "the provided token results in an inconsistent list - objects that were created, "
                "modified, or deleted between the time the first chunk was returned and now may "
                "show up in the list.");
    kin__refusal_set_continue(
        &no, STR("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0Ijoidy0wXHUwMDAwIn0"));

    assert_fixture(&no, "status-410-continue-expired.json");
}

TEST(refusal, can_carry_a_uid)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse(&no, 409, "Conflict", "no");
    kin__refusal_set_uid(&no, STR("u-1"));

    assert_json(&no, STATUS("\"message\":\"no\",\"reason\":\"Conflict\",\"details\":{\"uid\":"
                            "\"u-1\"},\"code\":409"));
}

TEST(refusal, quotes_names_as_go_does)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse_not_found(&no, &configmaps, kin__str("a\"\x01\xff", 4));

    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "configmaps \"a\\\"\\x01\\xff\" not found");
}

TEST(refusal, names_what_has_a_zero_in_its_name)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse_not_found(&no, &configmaps, kin__str("\0", 1));

    assert_json(&no, STATUS("\"message\":\"configmaps \\\"\\\\x00\\\" not found\",\"reason\":"
                            "\"NotFound\",\"details\":{\"name\":\"\\u0000\",\"kind\":"
                            "\"configmaps\"},\"code\":404"));
}

TEST(refusal, can_be_laid_out_for_people)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse_unknown(&no);
    no.is_pretty = true;

    assert_json(&no, "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {},\n"
                     "  \"status\": \"Failure\",\n  \"message\": \"the server could not find the "
                     "requested resource\",\n  \"reason\": \"NotFound\",\n  \"details\": {},\n"
                     "  \"code\": 404\n}");
}

TEST(refusal, in_plain_text_is_its_message)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_FALSE(kin__refuse_text(&no, 404, "404 page not found\n"));

    ASSERT_TRUE(no.is_text);
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len), "404 page not found\n");
}

TEST(refusal, takes_the_place_of_the_one_before_and_may_quote_it)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse_not_found(&no, &configmaps, STR("nope"));
    kin__refuse_bad_request(&no, "it was: %.*s", (int) no.message.len, no.message.data);

    assert_json(&no, STATUS("\"message\":\"it was: configmaps \\\"nope\\\" not found\",\"reason\":"
                            "\"BadRequest\",\"code\":400"));
}

TEST(refusal, may_be_refused_again)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__refuse_exists(&no, &configmaps, STR("a"));
    kin__refuse_not_found(&no, &configmaps, STR("b"));

    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len), "configmaps \"b\" not found");
}

TEST(refusal, for_lack_of_memory_takes_none_and_stays)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    long long before = live_blocks();

    kin__refuse_not_found(&no, &configmaps, STR("nope"));
    ASSERT_FALSE(kin__refuse_no_memory(&no));
    kin__refusal_set_details(&no, STR("x"), STR(""), STR("pods"));
    kin__refusal_set_retry_after(&no, 1);
    kin__refusal_add_cause(&no, "Reason", "field", "message");

    ASSERT_EQ(live_blocks(), before);
    assert_json(&no, STATUS("\"message\":\"the server has no memory left\",\"code\":500"));
}

TEST_FAILING_ALLOC(refusal, without_memory_says_so)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__buf_fini) kin__buf proto = { 0 };

    kin__refuse_conflict(&no, &deployments, STR("some-name"), "%s", "because");
    if (no.has_no_memory) {
        return KIN_ERR_NO_MEMORY;
    }
    kin__refusal_begin_invalid(&no, STR("apps"), STR("Deployment"), STR("some-name"));
    kin__refusal_add_invalid(&no, "FieldValueRequired", "spec", "Required value: %s", "it is");
    kin__refusal_add_invalid(&no, "FieldValueRequired", "kind", "Required value");
    kin__refusal_set_continue(&no, STR("token"));
    ASSERT_FALSE(kin__refusal_end_invalid(&no));
    no.is_pretty = true;
    if (no.has_no_memory || !kin__refusal_write_json(&no, &json) ||
        !kin__refusal_write_proto(&no, &proto)) {
        return KIN_ERR_NO_MEMORY;
    }
    ASSERT_EQ(no.code, 422);
    return KIN_OK;
}
