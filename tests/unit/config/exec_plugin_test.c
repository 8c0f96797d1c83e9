/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_plugin_test.c - how an exec plugin is asked for credentials.
 */
#include "config/exec_plugin.h"

#include <string.h>

#include "base/str.h"
#include "json/scanner.h"
#include "support/test.h"

#define V1 "client.authentication.k8s.io/v1"

static const char *const no_variables[] = { NULL };

/* All of them, with a '|' behind each. */
static void expect_variables(const kin__exec *exec, const kin__exec_cluster *cluster,
                             const char *const *inherited, const char *want)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    static text all;
    const char *const *variables;
    kin_error err;
    text_clear(&all);

    ASSERT_OK(kin__exec_variables(exec, cluster, inherited, &vault, &variables, &err));

    for (; *variables != NULL; variables++) {
        text_append(&all, "%s|", *variables);
    }
    ASSERT_STR_EQ(all.chars, want);
}

TEST(exec_plugin, has_arguments_as_they_are_without_a_shell)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    static const char *const given[] = { "a b", "$(reboot)", "; rm", "", NULL };
    kin__exec exec = { .command = "/bin/p", .arguments = given };
    const char *const *arguments;
    kin_error err;

    ASSERT_OK(kin__exec_arguments(&exec, &vault, &arguments, &err));

    ASSERT_STR_EQ(arguments[0], "/bin/p");
    for (size_t i = 0; i < 5; i++) {
        ASSERT_STR_EQ(arguments[i + 1], given[i]);
    }
}

TEST(exec_plugin, may_have_no_arguments)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin__exec exec = { .command = "p" };
    const char *const *arguments;
    kin_error err;

    ASSERT_OK(kin__exec_arguments(&exec, &vault, &arguments, &err));

    ASSERT_STR_EQ(arguments[0], "p");
    ASSERT_STR_EQ(arguments[1], NULL);
}

TEST(exec_plugin, is_told_the_version_and_that_nobody_is_there)
{
    kin__exec exec = { .command = "p", .api_version = V1 };
    kin__exec_cluster cluster = { .server = "https://s" };

    expect_variables(&exec, &cluster, no_variables,
                     "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                     "\",\"spec\":{\"interactive\":false}}|");
}

TEST(exec_plugin, is_told_of_the_cluster_when_it_wants_to_know)
{
    kin__exec exec = { .command = "p", .api_version = V1, .wants_cluster = true };
    kin__exec_cluster cluster = { .server = "https://s",
                                  .tls_server_name = "n",
                                  .proxy_url = "http://p",
                                  .is_insecure = true,
                                  .disables_compression = true,
                                  .ca = STR("pem"),
                                  .config = STR("{\"a\":1}") };

    expect_variables(&exec, &cluster, no_variables,
                     "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                     "\",\"spec\":{\"cluster\":{\"server\":\"https://s\",\"tls-server-name\":\"n\","
                     "\"insecure-skip-tls-verify\":true,\"certificate-authority-data\":\"cGVt\","
                     "\"proxy-url\":\"http://p\",\"disable-compression\":true,"
                     "\"config\":{\"a\":1}},\"interactive\":false}}|");

    cluster = (kin__exec_cluster){ .server = "https://s" };
    expect_variables(&exec, &cluster, no_variables,
                     "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                     "\",\"spec\":{\"cluster\":{\"server\":\"https://s\"},"
                     "\"interactive\":false}}|");
}

/* A name that is there twice would mean one thing to one program and another to the next. */
TEST(exec_plugin, has_each_variable_once_and_the_last_counts)
{
    static const char *const inherited[] = { "PATH=/bin", "A=old", "KUBERNETES_EXEC_INFO=old",
                                             "AB=kept",   "odd",   NULL };
    static const kin__variable own[] = {
        { "A", "first" }, { "B", "x=y" }, { "A", "last" }, { "KUBERNETES_EXEC_INFO", "mine" }
    };
    kin__exec exec = { .command = "p", .api_version = V1, .variables = own, .variable_count = 4 };
    kin__exec_cluster cluster = { .server = "https://s" };

    expect_variables(&exec, &cluster, inherited,
                     "PATH=/bin|AB=kept|odd|B=x=y|A=last|"
                     "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                     "\",\"spec\":{\"interactive\":false}}|");
}

TEST(exec_plugin, is_told_in_json_whatever_the_texts_hold)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin__exec exec = { .command = "p", .api_version = V1, .wants_cluster = true };
    kin__exec_cluster cluster = { .server = "\"\\<\x01>\xff",
                                  .tls_server_name = "\x02\x03\x04\x05\x06\x07",
                                  .proxy_url = "\xe2\x80\xa8" };
    const char *const *variables;
    kin_error err;

    ASSERT_OK(kin__exec_variables(&exec, &cluster, no_variables, &vault, &variables, &err));

    ASSERT_OK(kin__json_check(kin_str_of(variables[0] + strlen("KUBERNETES_EXEC_INFO=")), &err));
}

TEST_FAILING_ALLOC(exec_plugin, says_that_there_is_no_memory)
{
    static const char *const inherited[] = { "PATH=/bin", NULL };
    static const kin__variable own[] = { { "A", "b" } };
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin__exec exec = { .command = "p", .api_version = V1, .variables = own, .variable_count = 1 };
    kin__exec_cluster cluster = { .server = "https://s" };
    const char *const *list;
    kin_error err;

    kin_err code = kin__exec_arguments(&exec, &vault, &list, &err);
    return code != KIN_OK ? code
                          : kin__exec_variables(&exec, &cluster, inherited, &vault, &list, &err);
}
