/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loading_test.c - which kubeconfig files are read, and which of their entries count.
 */
#include "unit/config/making.h"

#define FILE_OF(name, rest)                                                                        \
    "current-context: " name "\ncontexts: [{name: " name ", context: {cluster: " name              \
    ", user: " name "}}]\nclusters: [{name: " name ", cluster: {server: 'https://" name            \
    "'}}]\nusers: [{name: " name ", user: {token: token-" name "}}]\n" rest

static kin_config *load_with(virtual_machine *m, const kin_config_options *options)
{
    kin_config *config = NULL;
    kin_error err;

    if (kin__config_load(&m->machine, options, &config, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    return config;
}

static void expect_server(virtual_machine *m, const kin_config_options *options, const char *want)
{
    kin_config *config = load_with(m, options);

    ASSERT_STR_EQ(kin_config_server(config), want);
    (void) kin_config_unref(config);
}

static void expect_failure(virtual_machine *m, const kin_config_options *options, kin_err code,
                           const char *want)
{
    kin_config *config = NULL;
    kin_error err;

    ASSERT_ERR(kin__config_load(&m->machine, options, &config, &err), code);

    ASSERT_MESSAGE(&err, want);
    ASSERT_TRUE(config == NULL);
}

static void put_into_pod(virtual_machine *m)
{
    set_variable(m, "KUBERNETES_SERVICE_HOST=10.0.0.1");
    set_variable(m, "KUBERNETES_SERVICE_PORT=443");
    set_file(m, "/var/run/secrets/kubernetes.io/serviceaccount/token", "t");
}

TEST(loading, reads_the_file_that_is_asked_for_and_no_other)
{
    static virtual_machine m;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    virtual_machine_init(&m);
    set_variable(&m, "KUBECONFIG=/k/a");
    set_file(&m, "/k/a", FILE_OF("a", ""));
    set_file(&m, "/k/b", FILE_OF("b", ""));

    options.path = "/k/b";

    expect_server(&m, &options, "https://b");
    ASSERT_EQ(m.reads, 1);
}

TEST(loading, needs_the_file_that_is_asked_for)
{
    static virtual_machine m;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    virtual_machine_init(&m);
    put_into_pod(&m);

    options.path = "/k/b";
    expect_failure(&m, &options, KIN_ERR_NOT_FOUND, "kubeconfig \"/k/b\": no such file");

    set_file(&m, "/k/b", NULL);
    expect_failure(&m, &options, KIN_ERR_SYSTEM, "kubeconfig \"/k/b\": open: Permission denied");

    set_file(&m, "/k/b", "");
    expect_failure(&m, &options, KIN_ERR_NOT_FOUND,
                   "kubeconfig \"/k/b\": no context is chosen: current-context is not set");
}

TEST(loading, reads_the_home_directory_by_default)
{
    static virtual_machine m;
    virtual_machine_init(&m);
    set_variable(&m, "HOME=/users/me");
    set_variable(&m, "KUBECONFIG=");
    set_file(&m, "/users/me/.kube/config", FILE_OF("a", ""));

    expect_server(&m, &no_options, "https://a");
}

TEST(loading, leaves_the_home_directory_alone_when_the_variable_is_set)
{
    static virtual_machine m;
    virtual_machine_init(&m);
    set_variable(&m, "HOME=/users/me");
    set_variable(&m, "KUBECONFIG=/k/none");
    set_file(&m, "/users/me/.kube/config", FILE_OF("a", ""));

    expect_failure(&m, &no_options, KIN_ERR_NOT_FOUND,
                   "no configuration: KUBECONFIG (\"/k/none\") names no file that says anything, "
                   "and this is no pod");
}

TEST(loading, skips_what_is_empty_missing_or_listed_twice)
{
    static virtual_machine m;
    virtual_machine_init(&m);
    set_variable(&m, "KUBECONFIG=::/k/none:/k/a::/k/a:/k/b:");
    set_file(&m, "/k/a", "");
    set_file(&m, "/k/b", FILE_OF("b", ""));

    expect_server(&m, &no_options, "https://b");
    ASSERT_EQ(m.reads, 3);
}

TEST(loading, refuses_a_listed_file_that_is_none)
{
    static virtual_machine m;
    virtual_machine_init(&m);
    set_variable(&m, "KUBECONFIG=/k/a:/k/b");
    set_file(&m, "/k/a", FILE_OF("a", ""));
    set_file(&m, "/k/b", "kind: Pod");

    expect_failure(&m, &no_options, KIN_ERR_MALFORMED,
                   "kubeconfig \"/k/b\": its kind is not \"Config\"");
}

TEST(loading, takes_a_whole_entry_from_the_first_file_that_has_it)
{
    static virtual_machine m;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    virtual_machine_init(&m);
    set_variable(&m, "KUBECONFIG=/k/1:/k/2:/k/3");
    set_file(&m, "/k/1", "clusters: [{name: c, cluster: {server: 'https://first'}}]");
    set_file(&m, "/k/2",
             "current-context: x\nclusters: [{name: c, cluster: {server: 'https://second', "
             "tls-server-name: name}}]\nusers: [{name: u, user: {token: two}}]");
    set_file(&m, "/k/3",
             "current-context: other\ncontexts: [{name: x, context: {cluster: c, user: u, "
             "namespace: three}}]\nusers: [{name: u, user: {token: three}}]");

    kin_config *config = load_with(&m, &options);

    ASSERT_STR_EQ(kin_config_server(config), "https://first");
    ASSERT_STR_EQ(config->cluster.tls_server_name, NULL);
    ASSERT_STR_EQ(config->user.token, "two");
    ASSERT_STR_EQ(kin_config_namespace(config), "three");
    ASSERT_STR_EQ(kin_config_context(config), "x");
    (void) kin_config_unref(config);
}

TEST(loading, leads_paths_on_from_the_file_they_are_in)
{
    static virtual_machine m;
    virtual_machine_init(&m);
    set_variable(&m, "KUBECONFIG=/k/one/a:rel/b");
    set_file(&m, "/k/one/a",
             "clusters: [{name: c, cluster: {server: s, certificate-authority: ca.crt}}]");
    set_file(&m, "/here/rel/b",
             "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
             "users: [{name: u, user: {tokenFile: t}}]");

    kin_config *config = load_with(&m, &no_options);

    ASSERT_STR_EQ(config->cluster.ca_path, "/k/one/ca.crt");
    ASSERT_STR_EQ(config->user.token_path, "/here/rel/t");
    (void) kin_config_unref(config);
}

TEST(loading, takes_the_context_cluster_and_user_that_are_asked_for)
{
    static virtual_machine m;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    virtual_machine_init(&m);
    set_variable(&m, "KUBECONFIG=/k/a:/k/b");
    set_file(&m, "/k/a", FILE_OF("a", ""));
    set_file(&m, "/k/b", FILE_OF("b", ""));

    options.context = "b";
    options.user = "a";
    kin_config *config = load_with(&m, &options);
    ASSERT_STR_EQ(kin_config_context(config), "b");
    ASSERT_STR_EQ(kin_config_server(config), "https://b");
    ASSERT_STR_EQ(config->user.token, "token-a");
    (void) kin_config_unref(config);

    options.cluster = "a";
    expect_server(&m, &options, "https://a");
}

TEST(loading, says_which_entry_does_not_exist)
{
    static virtual_machine m;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    virtual_machine_init(&m);
    set_variable(&m, "KUBECONFIG=/k/a");
    set_file(&m, "/k/a", FILE_OF("a", ""));

    options.context = "x";
    expect_failure(&m, &options, KIN_ERR_NOT_FOUND,
                   "kubeconfig \"/k/a\": context \"x\" does not exist");
    options.context = NULL;
    options.cluster = "x";
    expect_failure(&m, &options, KIN_ERR_NOT_FOUND, "kubeconfig: cluster \"x\" does not exist");
    options.cluster = NULL;
    options.user = "x";
    expect_failure(&m, &options, KIN_ERR_NOT_FOUND, "kubeconfig: user \"x\" does not exist");
}

TEST(loading, refuses_a_context_whose_entries_do_not_exist)
{
    expect_refused("current-context: x", KIN_ERR_NOT_FOUND, "context \"x\" does not exist");
    expect_refused("current-context: x\ncontexts: [{name: x}]", KIN_ERR_NOT_FOUND,
                   "context \"x\" names no cluster");
    expect_refused("current-context: x\ncontexts: [{name: x, context: {cluster: c}}]",
                   KIN_ERR_NOT_FOUND, "cluster \"c\" does not exist");
    expect_refused("current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                   "clusters: [{name: c, cluster: {server: s}}]",
                   KIN_ERR_NOT_FOUND, "user \"u\" does not exist");
    expect_refused("contexts: [{name: x}]", KIN_ERR_NOT_FOUND, "no context is chosen");
}

TEST(loading, allows_a_context_without_a_user)
{
    expect_accepted("current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n"
                    "clusters: [{name: c, cluster: {server: 'https://s'}}]");
}

TEST(loading, checks_only_the_entries_that_are_used)
{
    expect_accepted("current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n"
                    "clusters: [{name: c, cluster: {server: 'https://s'}}, {name: d}]\n"
                    "users: [{name: u, user: {token: t, username: me}}]");
}

TEST(loading, needs_no_file_when_the_server_is_said)
{
    static virtual_machine m;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    virtual_machine_init(&m);

    options.server = "http://localhost:8001";

    expect_server(&m, &options, "http://localhost:8001");
}

TEST(loading, falls_back_to_the_pod)
{
    static virtual_machine m;
    virtual_machine_init(&m);
    put_into_pod(&m);
    set_variable(&m, "HOME=/users/r");
    expect_server(&m, &no_options, "https://10.0.0.1:443");

    set_file(&m, "/users/r/.kube/config", "apiVersion: v1\nkind: Config\n");
    expect_server(&m, &no_options, "https://10.0.0.1:443");

    set_file(&m, "/users/r/.kube/config", FILE_OF("a", ""));
    expect_server(&m, &no_options, "https://a");
}

TEST(loading, does_not_fall_back_when_an_entry_is_asked_for)
{
    static virtual_machine m;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    virtual_machine_init(&m);
    put_into_pod(&m);

    options.context = "x";

    expect_failure(&m, &options, KIN_ERR_NOT_FOUND, "kubeconfig: context \"x\" does not exist");
}

TEST(loading, says_where_it_looked_when_there_is_nothing)
{
    static virtual_machine m;
    virtual_machine_init(&m);
    set_variable(&m, "HOME=/users/me");

    expect_failure(&m, &no_options, KIN_ERR_NOT_FOUND,
                   "no configuration: KUBECONFIG is not set, \"/users/me/.kube/config\" is not "
                   "there or empty, and this is no pod");
}

TEST(loading, takes_a_text_or_a_path_but_not_both)
{
    static virtual_machine m;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;
    kin_error err;
    virtual_machine_init(&m);
    options.path = "/x";

    ASSERT_ERR(kin__config_from_text(&m.machine, STR(""), NULL, &options, &config, &err),
               KIN_ERR_USAGE);
}

TEST(loading, begins_in_the_working_directory_for_a_text_without_one)
{
    static virtual_machine m;
    static const char yaml[] = KUBECONFIG("server: s, certificate-authority: ca", "");
    static const char *const directories[] = { NULL, "sub", "/abs" };
    static const char *const wanted[] = { "/here/ca", "/here/sub/ca", "/abs/ca" };
    virtual_machine_init(&m);

    for (size_t i = 0; i < 3; i++) {
        kin_config *config = NULL;
        kin_error err;
        ASSERT_OK(kin__config_from_text(&m.machine, kin_str_of(yaml), directories[i], &no_options,
                                        &config, &err));
        ASSERT_STR_EQ(config->cluster.ca_path, wanted[i]);
        (void) kin_config_unref(config);
    }
}

TEST_FAILING_ALLOC(loading, says_that_there_is_no_memory)
{
    static virtual_machine m;
    kin_config *config = NULL;
    kin_error err;
    virtual_machine_init(&m);
    set_variable(&m, "KUBECONFIG=/k/a:/k/b");
    set_file(&m, "/k/a", FILE_OF("a", ""));
    set_file(&m, "/k/b", FILE_OF("b", ""));

    kin_err code = kin__config_load(&m.machine, &no_options, &config, &err);
    (void) kin_config_unref(config);
    return code;
}
