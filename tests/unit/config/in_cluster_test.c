/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in_cluster_test.c - the configuration that Kubernetes puts into every pod.
 */
#include "unit/config/making.h"

#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount/"

static void pod_init(virtual_machine *m, const char *host)
{
    virtual_machine_init(m);
    set_variable(m, host);
    set_variable(m, "KUBERNETES_SERVICE_PORT=443");
    set_file(m, ACCOUNT "token", "t");
    set_file(m, ACCOUNT "ca.crt", PEM);
    set_file(m, ACCOUNT "namespace", "team-a\n");
}

static kin_config *in_cluster(virtual_machine *m)
{
    kin_config *config = NULL;
    kin_error err;

    if (kin__config_in_cluster(&m->machine, &no_options, &config, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    return config;
}

static void expect_namespace(virtual_machine *m, const char *want)
{
    kin_config *config = in_cluster(m);

    ASSERT_STR_EQ(kin_config_namespace(config), want);
    (void) kin_config_unref(config);
}

TEST(in_cluster, comes_from_variables_and_the_service_account)
{
    static virtual_machine m;
    pod_init(&m, "KUBERNETES_SERVICE_HOST=10.0.0.1");

    kin_config *config = in_cluster(&m);

    ASSERT_STR_EQ(kin_config_server(config), "https://10.0.0.1:443");
    ASSERT_STR_EQ(kin_config_context(config), "");
    ASSERT_STR_EQ(kin_config_namespace(config), "team-a");
    ASSERT_STR_EQ(config->user.token_path, ACCOUNT "token");
    ASSERT_STR_EQ(config->cluster.ca_path, ACCOUNT "ca.crt");
    ASSERT_TRUE(config->is_https);
    (void) kin_config_unref(config);
}

TEST(in_cluster, puts_an_ipv6_address_in_brackets)
{
    static virtual_machine m;
    pod_init(&m, "KUBERNETES_SERVICE_HOST=fd00::1");

    kin_config *config = in_cluster(&m);

    ASSERT_STR_EQ(kin_config_server(config), "https://[fd00::1]:443");
    (void) kin_config_unref(config);
}

TEST(in_cluster, has_the_namespace_of_the_variable_then_the_file_then_default)
{
    static virtual_machine m;
    pod_init(&m, "KUBERNETES_SERVICE_HOST=10.0.0.1");
    expect_namespace(&m, "team-a");

    set_file(&m, ACCOUNT "namespace", " \n");
    expect_namespace(&m, "default");

    remove_file(&m, ACCOUNT "namespace");
    expect_namespace(&m, "default");

    set_variable(&m, "POD_NAMESPACE=team-b");
    expect_namespace(&m, "team-b");
}

TEST(in_cluster, trusts_the_system_without_a_ca)
{
    static virtual_machine m;
    pod_init(&m, "KUBERNETES_SERVICE_HOST=10.0.0.1");
    remove_file(&m, ACCOUNT "ca.crt");

    kin_config *config = in_cluster(&m);

    ASSERT_STR_EQ(config->cluster.ca_path, NULL);
    (void) kin_config_unref(config);
}

TEST(in_cluster, is_not_found_outside_a_pod)
{
    static virtual_machine m;
    kin_config *config = NULL;
    kin_error err;
    virtual_machine_init(&m);

    ASSERT_ERR(kin__config_in_cluster(&m.machine, &no_options, &config, &err), KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "in-cluster configuration: not inside a pod: KUBERNETES_SERVICE_HOST and "
                         "KUBERNETES_SERVICE_PORT are not set");
    ASSERT_FALSE(kin__is_in_cluster(&m.machine));

    pod_init(&m, "KUBERNETES_SERVICE_HOST=10.0.0.1");
    ASSERT_TRUE(kin__is_in_cluster(&m.machine));
    remove_file(&m, ACCOUNT "token");
    ASSERT_FALSE(kin__is_in_cluster(&m.machine));
    ASSERT_ERR(kin__config_in_cluster(&m.machine, &no_options, &config, &err), KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "in-cluster configuration: token file \"" ACCOUNT "token\": no such file");
}

TEST_FAILING_ALLOC(in_cluster, says_that_there_is_no_memory)
{
    static virtual_machine m;
    kin_config *config = NULL;
    kin_error err;
    pod_init(&m, "KUBERNETES_SERVICE_HOST=10.0.0.1");

    kin_err code = kin__config_in_cluster(&m.machine, &no_options, &config, &err);
    (void) kin_config_unref(config);
    return code;
}
