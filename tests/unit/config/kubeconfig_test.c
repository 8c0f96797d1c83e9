/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubeconfig_test.c - what one kubeconfig file says.
 */
#include "config/kubeconfig.h"

#include <string.h>

#include "base/str.h"
#include "config/field.h"
#include "support/test.h"

static const char full[] = "apiVersion: v1\n"
                           "kind: Config\n"
                           "preferences: {colors: true}\n"
                           "current-context: here\n"
                           "clusters:\n"
                           "- name: c\n"
                           "  cluster:\n"
                           "    server: https://10.0.0.1:6443\n"
                           "    tls-server-name: api.example\n"
                           "    certificate-authority: pki/ca.crt\n"
                           "    certificate-authority-data: cGVt\n"
                           "    proxy-url: socks5://p:1080\n"
                           "    insecure-skip-tls-verify: true\n"
                           "    disable-compression: true\n"
                           "    extensions:\n"
                           "    - name: other\n"
                           "      extension: {a: 1}\n"
                           "    - name: client.authentication.k8s.io/exec\n"
                           "      extension: {audience: x, n: 0x10, list: [true, ~]}\n"
                           "users:\n"
                           "- name: u\n"
                           "  user:\n"
                           "    client-certificate: /abs/c.crt\n"
                           "    client-certificate-data: cGVt\n"
                           "    client-key: ../c.key\n"
                           "    client-key-data: cGVt\n"
                           "    token: t0\n"
                           "    tokenFile: token\n"
                           "    username: me\n"
                           "    password: pw\n"
                           "    as: other\n"
                           "    as-uid: '7'\n"
                           "    as-groups: [g1, g2]\n"
                           "    as-user-extra: {z: [1st, 2nd], a: []}\n"
                           "    auth-provider: {name: oidc, config: {k: v}}\n"
                           "    exec:\n"
                           "      command: bin/plugin\n"
                           "      args: [get, '--x']\n"
                           "      env: [{name: A, value: b}, {name: C}]\n"
                           "      apiVersion: client.authentication.k8s.io/v1\n"
                           "      installHint: install it\n"
                           "      interactiveMode: Never\n"
                           "      provideClusterInfo: true\n"
                           "contexts:\n"
                           "- name: here\n"
                           "  context: {cluster: c, user: u, namespace: ns}\n";

static kin_err read_text(const char *yaml, kin__kubeconfig *out, kin_error *err)
{
    return kin__kubeconfig_read(kin_str_of(yaml), "/kube/config", "/kube", out, err);
}

static void expect_fault(const char *yaml, const char *want)
{
    kin__kubeconfig config = { 0 };
    kin_error err;

    ASSERT_ERR(read_text(yaml, &config, &err), KIN_ERR_MALFORMED);

    ASSERT_MESSAGE(&err, want);
    ASSERT_TRUE(config.vault.blocks == NULL);
}

static void check_cluster(const kin__cluster *cluster)
{
    ASSERT_STR_EQ(cluster->server, "https://10.0.0.1:6443");
    ASSERT_STR_EQ(cluster->tls_server_name, "api.example");
    ASSERT_STR_EQ(cluster->ca_path, "/kube/pki/ca.crt");
    ASSERT_SLICE_EQ(cluster->ca_data, "pem");
    ASSERT_STR_EQ(cluster->proxy_url, "socks5://p:1080");
    ASSERT_TRUE(cluster->is_insecure);
    ASSERT_TRUE(cluster->disables_compression);
    ASSERT_SLICE_EQ(cluster->exec_config, "{\"audience\":\"x\",\"n\":16,\"list\":[true,null]}");
}

static void check_exec(const kin__exec *exec)
{
    ASSERT_STR_EQ(exec->command, "/kube/bin/plugin");
    ASSERT_EQ(kin__texts_count(exec->arguments), 2);
    ASSERT_STR_EQ(exec->arguments[1], "--x");
    ASSERT_EQ(exec->variable_count, 2);
    ASSERT_STR_EQ(exec->variables[0].name, "A");
    ASSERT_STR_EQ(exec->variables[0].value, "b");
    ASSERT_STR_EQ(exec->variables[1].value, "");
    ASSERT_STR_EQ(exec->api_version, "client.authentication.k8s.io/v1");
    ASSERT_STR_EQ(exec->install_hint, "install it");
    ASSERT_STR_EQ(exec->interactive_mode, "Never");
    ASSERT_TRUE(exec->wants_cluster);
}

static void check_user(const kin__user *user)
{
    ASSERT_STR_EQ(user->certificate_path, "/abs/c.crt");
    ASSERT_SLICE_EQ(user->certificate_data, "pem");
    ASSERT_STR_EQ(user->key_path, "/kube/../c.key");
    ASSERT_SLICE_EQ(user->key_data, "pem");
    ASSERT_STR_EQ(user->token, "t0");
    ASSERT_STR_EQ(user->token_path, "/kube/token");
    ASSERT_STR_EQ(user->username, "me");
    ASSERT_STR_EQ(user->password, "pw");
    ASSERT_STR_EQ(user->as, "other");
    ASSERT_STR_EQ(user->as_uid, "7");
    ASSERT_EQ(kin__texts_count(user->as_groups), 2);
    ASSERT_STR_EQ(user->as_groups[1], "g2");
    ASSERT_EQ(user->extra_count, 2);
    ASSERT_STR_EQ(user->extras[0].key, "a");
    ASSERT_EQ(kin__texts_count(user->extras[0].values), 0);
    ASSERT_STR_EQ(user->extras[1].key, "z");
    ASSERT_STR_EQ(user->extras[1].values[1], "2nd");
    ASSERT_STR_EQ(user->auth_provider, "oidc");
    check_exec(user->exec);
}

TEST(kubeconfig, has_all_members_of_clusters_users_and_contexts)
{
    AUTO(kin__kubeconfig_fini) kin__kubeconfig config = { 0 };
    kin_error err;

    ASSERT_OK(read_text(full, &config, &err));

    ASSERT_STR_EQ(config.title, "kubeconfig \"/kube/config\"");
    ASSERT_STR_EQ(config.current_context, "here");
    check_cluster(kin__entry_find(config.clusters, "c"));
    check_user(kin__entry_find(config.users, "u"));
    const kin__context *context = kin__entry_find(config.contexts, "here");
    ASSERT_STR_EQ(context->cluster, "c");
    ASSERT_STR_EQ(context->user, "u");
    ASSERT_STR_EQ(context->ns, "ns");
    ASSERT_TRUE(kin__entry_find(config.contexts, "there") == NULL);
    ASSERT_FALSE(kin__kubeconfig_is_empty(&config));
}

TEST(kubeconfig, entries_are_copied_whole)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin__kubeconfig config = { 0 };
    kin__cluster cluster = { 0 };
    kin__user user = { 0 };
    kin_error err;
    ASSERT_OK(read_text(full, &config, &err));

    ASSERT_OK(kin__cluster_copy(kin__entry_find(config.clusters, "c"), &vault, &cluster, &err));
    ASSERT_OK(kin__user_copy(kin__entry_find(config.users, "u"), &vault, &user, &err));
    kin__kubeconfig_fini(&config);

    check_cluster(&cluster);
    check_user(&user);
}

TEST(kubeconfig, may_be_json)
{
    AUTO(kin__kubeconfig_fini) kin__kubeconfig config = { 0 };
    kin_error err;

    ASSERT_OK(read_text("{\"kind\":\"Config\",\"apiVersion\":\"v1\",\"clusters\":[{\"name\":\"c\","
                        "\"cluster\":{\"server\":\"https:\\/\\/s\"}}],\"users\":null}",
                        &config, &err));

    const kin__cluster *cluster = kin__entry_find(config.clusters, "c");
    ASSERT_STR_EQ(cluster->server, "https://s");
}

TEST(kubeconfig, may_say_nothing)
{
    static const char *const samples[] = {
        "",  "# x\n", "{}", "apiVersion: v1\nkind: Config\n", "clusters: []\nusers: ~\ncontexts:\n",
        NULL
    };

    for (size_t i = 0; samples[i] != NULL; i++) {
        AUTO(kin__kubeconfig_fini) kin__kubeconfig config = { 0 };
        kin_error err;
        ASSERT_OK(read_text(samples[i], &config, &err));
        ASSERT_TRUE(kin__kubeconfig_is_empty(&config));
    }
}

TEST(kubeconfig, leaves_a_bare_command_to_path)
{
    AUTO(kin__kubeconfig_fini) kin__kubeconfig config = { 0 };
    kin_error err;

    ASSERT_OK(read_text("users: [{name: u, user: {exec: {command: aws}}}]", &config, &err));

    const kin__user *user = kin__entry_find(config.users, "u");
    ASSERT_STR_EQ(user->exec->command, "aws");
}

TEST(kubeconfig, passes_over_members_it_does_not_know)
{
    AUTO(kin__kubeconfig_fini) kin__kubeconfig config = { 0 };
    kin_error err;

    ASSERT_OK(read_text("new: [1]\nclusters: [{name: c, new: 1, cluster: {new: {a: b}}}]", &config,
                        &err));
}

TEST(kubeconfig, refuses_a_name_that_is_there_twice)
{
    expect_fault("clusters:\n- name: x\n- name: x\n",
                 "kubeconfig \"/kube/config\": line 3: clusters: duplicate name \"x\" in list");
    expect_fault("users: [{name: x}, {name: z}, {name: x}]",
                 "kubeconfig \"/kube/config\": line 1: users: duplicate name \"x\" in list");
    expect_fault("contexts: [{name: x}, {name: x}]",
                 "kubeconfig \"/kube/config\": line 1: contexts: duplicate name \"x\" in list");
}

TEST(kubeconfig, refuses_what_is_no_kubeconfig)
{
    expect_fault("just text",
                 "kubeconfig \"/kube/config\": line 1: expected a map, found a string");
    expect_fault("[1]", "kubeconfig \"/kube/config\": line 1: expected a map, found a list");
    expect_fault("kind: Pod", "kubeconfig \"/kube/config\": its kind is not \"Config\"");
    expect_fault("apiVersion: v2", "kubeconfig \"/kube/config\": its apiVersion is not \"v1\"");
    expect_fault("clusters: {c: {}}",
                 "kubeconfig \"/kube/config\": line 1: clusters: expected a list, found a map");
    expect_fault("a: [\n",
                 "kubeconfig \"/kube/config\": line 2: did not find expected node content");
}

TEST(kubeconfig, names_the_entry_whose_member_is_of_the_wrong_type)
{
    expect_fault("users:\n- name: x\n  user:\n    token: 12345\n",
                 "kubeconfig \"/kube/config\": user \"x\": line 4: token: expected a string, found "
                 "a number; put it in quotes");
    expect_fault("users: [{name: x, user: {password: yes}}]",
                 "kubeconfig \"/kube/config\": user \"x\": line 1: password: expected a string, "
                 "found a boolean; put it in quotes");
    expect_fault("clusters: [{name: x, cluster: {insecure-skip-tls-verify: 'true'}}]",
                 "kubeconfig \"/kube/config\": cluster \"x\": line 1: insecure-skip-tls-verify: "
                 "expected true or false, found a string");
    expect_fault("users: [{name: x, user: {as-groups: g}}]",
                 "kubeconfig \"/kube/config\": user \"x\": line 1: as-groups: expected a list, "
                 "found a string");
    expect_fault("users: [{name: x, user: {exec: {args: [1]}}}]",
                 "kubeconfig \"/kube/config\": user \"x\": exec: line 1: args: expected a string, "
                 "found a number; put it in quotes");
    expect_fault("users: [{name: x, user: {exec: {env: {A: b}}}}]",
                 "kubeconfig \"/kube/config\": user \"x\": exec: line 1: env: expected a list, "
                 "found a map");
    expect_fault("users: [{name: x, user: {as-user-extra: {k: v}}}]",
                 "kubeconfig \"/kube/config\": user \"x\": line 1: as-user-extra: expected a list, "
                 "found a string");
    expect_fault("clusters: [{name: x, cluster: {extensions: {}}}]",
                 "kubeconfig \"/kube/config\": cluster \"x\": line 1: extensions: expected a list, "
                 "found a map");
    expect_fault(
        "contexts: [{name: x, context: [1]}]",
        "kubeconfig \"/kube/config\": context \"x\": line 1: expected a map, found a list");
    expect_fault("contexts: [1]",
                 "kubeconfig \"/kube/config\": contexts: line 1: expected a map, found a number");
}

TEST(kubeconfig, refuses_data_that_is_no_base64)
{
    expect_fault("users: [{name: x, user: {client-key-data: 'c2VjcmV0!'}}]",
                 "kubeconfig \"/kube/config\": user \"x\": line 1: client-key-data: a string that "
                 "is no base64");
}

TEST(kubeconfig, refuses_strings_with_a_nul)
{
    expect_fault("users: [{name: x, user: {token: \"a\\0b\"}}]",
                 "kubeconfig \"/kube/config\": user \"x\": line 1: token: a string with a NUL in "
                 "it");
    expect_fault("users: [{name: x, user: {as-user-extra: {\"a\\0b\": []}}}]",
                 "kubeconfig \"/kube/config\": user \"x\": as-user-extra: a key with a NUL in it");
}

TEST(kubeconfig, takes_data_in_several_lines_and_through_an_alias)
{
    AUTO(kin__kubeconfig_fini) kin__kubeconfig config = { 0 };
    kin_error err;

    ASSERT_OK(read_text("clusters:\n"
                        "- name: a\n  cluster:\n    certificate-authority-data: &ca |\n"
                        "      cG\n      Vt\n"
                        "- name: b\n  cluster: {certificate-authority-data: *ca}\n",
                        &config, &err));

    const kin__cluster *a = kin__entry_find(config.clusters, "a");
    const kin__cluster *b = kin__entry_find(config.clusters, "b");
    ASSERT_SLICE_EQ(a->ca_data, "pem");
    ASSERT_SLICE_EQ(b->ca_data, "pem");
}

TEST(kubeconfig, has_a_limit_of_size)
{
    kin__kubeconfig config = { 0 };
    kin_error err;

    kin_err code =
        kin__kubeconfig_read(kin__str("", KIN__KUBECONFIG_BYTES_MAX + 1), NULL, "/", &config, &err);

    ASSERT_ERR(code, KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "kubeconfig: larger than 16777216 bytes");
}

TEST_FAILING_ALLOC(kubeconfig, says_that_there_is_no_memory)
{
    AUTO(kin__kubeconfig_fini) kin__kubeconfig config = { 0 };
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin__cluster cluster = { 0 };
    kin__user user = { 0 };
    kin_error err;

    kin_err code = read_text(full, &config, &err);
    if (code != KIN_OK) {
        return code;
    }
    code = kin__cluster_copy(kin__entry_find(config.clusters, "c"), &vault, &cluster, &err);
    if (code != KIN_OK) {
        return code;
    }
    return kin__user_copy(kin__entry_find(config.users, "u"), &vault, &user, &err);
}
