/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_answer_test.c - what an exec plugin answered.
 */
#include "config/exec_answer.h"

#include <string.h>

#include "base/str.h"
#include "support/test.h"

#define V1 "client.authentication.k8s.io/v1"
#define ANSWER(status)                                                                             \
    "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":" status "}"
#define PEM "-----BEGIN X-----\\nAA==\\n-----END X-----\\n"

static const kin__exec exec = { .command = "p", .api_version = V1 };

static void expect_fault(const char *output, const char *want)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin__exec_credential credential = { .token = "untouched" };
    kin_error err;

    ASSERT_ERR(kin__exec_answer(&exec, kin_str_of(output), &vault, &credential, &err),
               KIN_ERR_MALFORMED);

    ASSERT_MESSAGE(&err, want);
    ASSERT_STR_EQ(credential.token, "untouched");
    ASSERT_TRUE(strstr(err.message, "SECRET") == NULL);
}

static kin__exec_credential answer_of(const char *output, kin__vault *vault)
{
    kin__exec_credential credential = { 0 };
    kin_error err;

    if (kin__exec_answer(&exec, kin_str_of(output), vault, &credential, &err) != KIN_OK) {
        FAIL("%s: of %s", err.message, output);
    }
    return credential;
}

TEST(exec_answer, has_a_token)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };

    kin__exec_credential got = answer_of(ANSWER("{\"token\":\"a\\u0062c\"}"), &vault);

    ASSERT_STR_EQ(got.token, "abc");
    ASSERT_EQ(got.certificate.len, 0);
    ASSERT_EQ(got.key.len, 0);
    ASSERT_FALSE(got.expires);
}

TEST(exec_answer, has_a_certificate_and_a_key)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };

    kin__exec_credential got = answer_of(
        ANSWER("{\"clientCertificateData\":\"" PEM "\",\"clientKeyData\":\"x" PEM "\"}"), &vault);

    ASSERT_STR_EQ(got.token, NULL);
    ASSERT_SLICE_EQ(got.certificate, "-----BEGIN X-----\nAA==\n-----END X-----\n");
    ASSERT_SLICE_EQ(got.key, "x-----BEGIN X-----\nAA==\n-----END X-----\n");
}

TEST(exec_answer, expires_when_it_says_so)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };

    kin__exec_credential got = answer_of(
        ANSWER("{\"token\":\"t\",\"expirationTimestamp\":\"1970-01-01T00:01:00Z\"}"), &vault);
    ASSERT_TRUE(got.expires);
    ASSERT_EQ(got.expiry.seconds, 60);

    got = answer_of(ANSWER("{\"token\":\"t\",\"expirationTimestamp\":null}"), &vault);
    ASSERT_FALSE(got.expires);
}

TEST(exec_answer, may_have_white_space_around_it_and_members_nobody_knows)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };

    kin__exec_credential got = answer_of(
        " \n" ANSWER("{\"token\":\"t\",\"new\":[1]}, \"spec\": {\"interactive\": false}") "\n",
        &vault);

    ASSERT_STR_EQ(got.token, "t");
}

TEST(exec_answer, is_refused_when_it_is_none)
{
    expect_fault("", "its answer is no JSON");
    expect_fault("SECRET", "its answer is no JSON");
    expect_fault("\"SECRET\"", "its answer is no ExecCredential");
    expect_fault("[\"SECRET\"]", "its answer is no ExecCredential");
    expect_fault("{\"kind\":\"SECRET\"}", "its answer is no ExecCredential");
    expect_fault(ANSWER("{\"token\":\"SECRET\"}") "x", "its answer is no JSON");
}

TEST(exec_answer, is_refused_in_another_version)
{
    expect_fault("{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "beta1\"}",
                 "it is configured to answer in apiVersion " V1 ", and answered in " V1 "beta1");
    expect_fault("{\"kind\":\"ExecCredential\",\"apiVersion\":\"SECRET\"}",
                 "it is configured to answer in apiVersion " V1 ", and answered in another");
    expect_fault("{\"kind\":\"ExecCredential\"}",
                 "it is configured to answer in apiVersion " V1 ", and answered in another");
}

TEST(exec_answer, is_refused_without_a_status)
{
    expect_fault("{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\"}",
                 "its answer has no status");
    expect_fault(ANSWER("null"), "its answer has no status");
    expect_fault(ANSWER("\"SECRET\""), "its answer has no status");
}

TEST(exec_answer, is_refused_without_a_credential_or_with_half_of_one)
{
    expect_fault(ANSWER("{}"), "its answer has neither a token nor a certificate");
    expect_fault(ANSWER("{\"token\":\"\"}"), "its answer has neither a token nor a certificate");
    expect_fault(ANSWER("{\"token\":\"SECRET\",\"clientKeyData\":\"SECRET\"}"),
                 "its answer has only one of clientCertificateData and clientKeyData");
    expect_fault(ANSWER("{\"clientCertificateData\":\"SECRET\"}"),
                 "its answer has only one of clientCertificateData and clientKeyData");
}

TEST(exec_answer, is_refused_when_its_members_are_not_what_they_should_be)
{
    expect_fault(ANSWER("{\"token\":7}"), "its answer's status.token is no string");
    expect_fault(ANSWER("{\"token\":\"SECRET\",\"expirationTimestamp\":\"SECRET\"}"),
                 "its answer's status.expirationTimestamp is no time");
    expect_fault(ANSWER("{\"token\":\"SECRET\\r\\nX: y\"}"),
                 "its token has a line break or control character in it");
    expect_fault(ANSWER("{\"token\":\"SECRET\\u0000\"}"),
                 "its token has a line break or control character in it");
    expect_fault(ANSWER("{\"clientCertificateData\":\"SECRET\",\"clientKeyData\":\"SECRET\"}"),
                 "its clientCertificateData or clientKeyData is no PEM");
}

TEST_FAILING_ALLOC(exec_answer, says_that_there_is_no_memory)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin__exec_credential credential;
    kin_error err;

    return kin__exec_answer(&exec, STR(ANSWER("{\"token\":\"t\"}")), &vault, &credential, &err);
}
