/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output_test.c - what `-o` means.
 */
#include "cli/output.h"

#include "support/test.h"

static kin_error err;

static void expect_form(const char *given, kin__cli_form form)
{
    kin__cli_output output;

    ASSERT_OK(kin__cli_output_parse(given, &output, &err));
    ASSERT_EQ(output.form, form);
    ASSERT_TRUE(output.path == NULL);
    kin__cli_output_fini(&output);
}

static void expect_path(const char *given, const char *path)
{
    kin__cli_output output;

    if (kin__cli_output_parse(given, &output, &err) != KIN_OK) {
        FAIL("%s: %s", given, err.message);
    }
    ASSERT_EQ(output.form, KIN__CLI_PATH);
    ASSERT_STR_EQ(kin_path_text(output.path), path);
    kin__cli_output_fini(&output);
}

static void expect_refused(const char *given, const char *message)
{
    kin__cli_output output;

    ASSERT_ERR(kin__cli_output_parse(given, &output, &err), KIN_ERR_USAGE);
    ASSERT_CONTAINS(err.message, message);
    kin__cli_output_fini(&output);
}

TEST(output, is_a_form)
{
    expect_form(NULL, KIN__CLI_TABLE);
    expect_form("table", KIN__CLI_TABLE);
    expect_form("json", KIN__CLI_JSON);
    expect_form("name", KIN__CLI_NAME);
}

TEST(output, is_a_path)
{
    expect_path("spec.nodeName", "spec.nodeName");
    expect_path("status.conditions[?type==\"Ready\"].status",
                "status.conditions[?type==\"Ready\"].status");
    expect_path("namespaces", "namespaces");
}

TEST(output, is_a_path_in_kubectls_words)
{
    expect_path("{.spec.nodeName}", "spec.nodeName");
    expect_path("{$.spec.nodeName}", "spec.nodeName");
    expect_path("jsonpath={.spec.nodeName}", "spec.nodeName");
    expect_path("jsonpath=.spec.nodeName", "spec.nodeName");
    expect_path("{.items[*].metadata.name}", "metadata.name");
    expect_path("{.spec.containers[*].image}", "spec.containers[*].image");
    expect_path("{.metadata.labels.app\\.kubernetes\\.io/name}",
                "metadata.labels[\"app.kubernetes.io/name\"]");
    expect_path("{.}", "");
    expect_path("{.metadata.labels['a.b']}", "metadata.labels[\"a.b\"]");
    expect_path("{.status.conditions[?(@.type==\"Ready\")].status}",
                "status.conditions[?type==\"Ready\"].status");
}

TEST(output, is_refused_when_it_is_neither)
{
    expect_refused("yaml", "-o yaml is not supported");
    expect_refused("wide", "-o wide is not supported");
    expect_refused("custom-columns=A:.b", "is not supported");
    expect_refused("go-template={{.a}}", "is not supported");
    expect_refused("", "is not supported");
    expect_refused("a b", "-o \"a b\": ");
    expect_refused("{.a}{.b}", "is more than a path");
    expect_refused("{range .items[*]}{.a}{end}", "is more than a path");
    expect_refused("{.a", "is more than a path");
    expect_refused("{", "is more than a path");
    expect_refused("{.a[?(@.b", "is more than a path");
    expect_refused("{.a[}", "is more than a path");
    expect_refused("{..a}", "is more than a path");
    expect_refused("{.a.}", "is more than a path");
}
