/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_test.c - whether a cluster or a user makes sense.
 */
#include "config/check.h"

#include "base/str.h"
#include "unit/config/making.h"

#define EXEC(members) USER("exec: {command: p, " members "}")
#define V1 "apiVersion: client.authentication.k8s.io/v1"
#define V1BETA1 "apiVersion: client.authentication.k8s.io/v1beta1"

TEST(check, a_cluster_needs_a_server)
{
    expect_refused(CLUSTER(""), KIN_ERR_USAGE, "kubeconfig: cluster \"c\": it has no server");
    expect_refused(CLUSTER("server: ''"), KIN_ERR_USAGE, "it has no server");
}

TEST(check, a_ca_comes_from_one_place)
{
    expect_refused(CLUSTER("server: 'https://s', certificate-authority: f, "
                           "certificate-authority-data: " PEM64),
                   KIN_ERR_USAGE, "certificate-authority-data are both given");
}

TEST(check, a_ca_and_insecure_contradict_each_other)
{
    static const char words[] =
        "specifying a root certificates file with the insecure flag is not allowed";
    expect_refused(CLUSTER("server: 'https://s', certificate-authority: f, "
                           "insecure-skip-tls-verify: true"),
                   KIN_ERR_USAGE, words);
    expect_refused(CLUSTER("server: 'https://s', certificate-authority-data: " PEM64
                           ", insecure-skip-tls-verify: true"),
                   KIN_ERR_USAGE, words);
    expect_accepted(CLUSTER("server: 'https://s', insecure-skip-tls-verify: true"));
}

TEST(check, a_proxy_has_one_of_three_schemes)
{
    static const char words[] = "proxy-url does not begin with http://, https:// or socks5://";
    expect_accepted(CLUSTER("server: s, proxy-url: 'http://p:3128'"));
    expect_accepted(CLUSTER("server: s, proxy-url: 'https://me:pw@p'"));
    expect_accepted(CLUSTER("server: s, proxy-url: 'socks5://p:1080'"));
    expect_refused(CLUSTER("server: s, proxy-url: 'p:3128'"), KIN_ERR_USAGE, words);
    expect_refused(CLUSTER("server: s, proxy-url: 'ftp://p'"), KIN_ERR_USAGE, words);
    expect_refused(CLUSTER("server: s, proxy-url: 'http://'"), KIN_ERR_USAGE, words);
    expect_refused(CLUSTER("server: s, proxy-url: 'http:///x'"), KIN_ERR_USAGE, "is no URL");
    expect_refused(CLUSTER("server: s, proxy-url: \"http://p\\nx\""), KIN_ERR_USAGE, "is no URL");
}

TEST(check, a_tls_server_name_is_a_name)
{
    expect_refused(CLUSTER("server: s, tls-server-name: \"a\\nb\""), KIN_ERR_USAGE,
                   "tls-server-name is no name of a host");
}

TEST(check, a_certificate_needs_a_key)
{
    static const char words[] = "a client certificate needs client-key or client-key-data";
    expect_refused(USER("client-certificate: f"), KIN_ERR_USAGE, words);
    expect_refused(USER("client-certificate-data: " PEM64), KIN_ERR_USAGE, words);
    expect_accepted(USER("client-certificate: f, client-key: k"));
    expect_accepted(USER("client-certificate-data: " PEM64 ", client-key: k"));
}

TEST(check, a_certificate_and_its_key_come_from_one_place_each)
{
    expect_refused(USER("client-certificate: f, client-certificate-data: " PEM64 ", client-key: k"),
                   KIN_ERR_USAGE, "client-certificate-data are both given");
    expect_refused(USER("client-certificate: f, client-key: k, client-key-data: " PEM64),
                   KIN_ERR_USAGE, "client-key-data are both given");
}

TEST(check, a_token_and_basic_auth_exclude_each_other)
{
    static const char words[] = "a token and a username or password are both given";
    expect_refused(USER("token: t, username: me, password: p"), KIN_ERR_USAGE, words);
    expect_refused(USER("token: t, password: p"), KIN_ERR_USAGE, words);
    expect_refused(USER("tokenFile: f, username: me"), KIN_ERR_USAGE, words);
    expect_accepted(USER("username: me, password: p"));
    expect_accepted(USER("token: t, tokenFile: f"));
}

TEST(check, a_token_is_fit_for_a_header)
{
    static const char words[] = "token: a line break or control character is in it";
    expect_refused(USER("token: \"a\\nb\""), KIN_ERR_USAGE, words);
    expect_refused(USER("token: \"a\\r\\nX-Evil: 1\""), KIN_ERR_USAGE, words);
    expect_refused(USER("token: \"a\\x7f\""), KIN_ERR_USAGE, words);
}

TEST(check, impersonation_needs_a_user)
{
    static const char words[] = "as-uid, as-groups or as-user-extra without as";
    expect_refused(USER("as-uid: '1'"), KIN_ERR_USAGE, words);
    expect_refused(USER("as-groups: [g]"), KIN_ERR_USAGE, words);
    expect_refused(USER("as-user-extra: {k: [v]}"), KIN_ERR_USAGE, words);
    expect_accepted(USER("as-groups: [], as-user-extra: {}"));
    expect_accepted(USER("as: a, as-uid: '1', as-groups: [g], as-user-extra: {k: [v]}"));
}

TEST(check, impersonation_is_fit_for_headers)
{
    expect_refused(USER("as: \"a\\nb\""), KIN_ERR_USAGE, "as, as-uid: empty, or a line break");
    expect_refused(USER("as: a, as-uid: \"\\n\""), KIN_ERR_USAGE, "as, as-uid: empty, or a line");
    expect_refused(USER("as: a, as-groups: [g, \"\\r\"]"), KIN_ERR_USAGE, "as-groups: empty");
    expect_refused(USER("as: a, as-groups: ['']"), KIN_ERR_USAGE, "as-groups: empty");
    expect_refused(USER("as: a, as-user-extra: {k: [\"\\n\"]}"), KIN_ERR_USAGE, "as-user-extra: e");
    expect_refused(USER("as: a, as-user-extra: {'': [v]}"), KIN_ERR_USAGE, "an empty key");
}

TEST(check, exec_and_auth_provider_exclude_each_other)
{
    expect_refused(USER("exec: {command: p, " V1 ", interactiveMode: Never}, "
                        "auth-provider: {name: oidc}"),
                   KIN_ERR_USAGE, "exec and auth-provider are both given");
}

TEST(check, exec_needs_command_version_and_mode)
{
    expect_refused(USER("exec: {" V1 ", interactiveMode: Never}"), KIN_ERR_USAGE,
                   "user \"u\": exec: it has no command");
    expect_refused(EXEC("interactiveMode: Never"), KIN_ERR_USAGE, "exec: it has no apiVersion");
    expect_refused(EXEC(V1), KIN_ERR_USAGE, "exec: it has no interactiveMode");
    expect_refused(EXEC(V1 ", interactiveMode: Sometimes"), KIN_ERR_USAGE,
                   "its interactiveMode is none of");
    expect_accepted(EXEC(V1 ", interactiveMode: Never"));
    expect_accepted(EXEC(V1 ", interactiveMode: IfAvailable"));
    expect_accepted(EXEC(V1BETA1));
}

TEST(check, exec_speaks_v1_or_v1beta1)
{
    expect_refused(EXEC("apiVersion: client.authentication.k8s.io/v1alpha1"), KIN_ERR_USAGE,
                   "neither client.authentication.k8s.io/v1 nor v1beta1");
    expect_refused(EXEC("apiVersion: v1"), KIN_ERR_USAGE, "nor v1beta1");
}

TEST(check, exec_variables_have_names)
{
    expect_refused(EXEC(V1BETA1 ", env: [{value: x}]"), KIN_ERR_USAGE, "a variable without a name");
    expect_refused(EXEC(V1BETA1 ", env: [{name: 'a=b', value: x}]"), KIN_ERR_USAGE, "'=' in it");
}

TEST(check, a_plugin_that_needs_a_terminal_is_refused_unless_it_is_not_used)
{
    expect_refused(EXEC(V1 ", interactiveMode: Always"), KIN_ERR_USAGE,
                   "its interactiveMode is Always, and there is no terminal");
    expect_accepted(USER("token: t, exec: {command: p, " V1 ", interactiveMode: Always}"));
}

TEST(check, auth_providers_are_refused_with_what_to_do)
{
    expect_refused(USER("auth-provider: {name: oidc, config: {id-token: t}}"), KIN_ERR_USAGE,
                   "user \"u\": the auth-provider \"oidc\" is not supported; use an exec plugin");
    expect_refused(USER("auth-provider: {name: gcp}"), KIN_ERR_USAGE, "gke-gcloud-auth-plugin");
    expect_refused(USER("auth-provider: {name: azure}"), KIN_ERR_USAGE, "kubelogin");
    expect_refused(USER("auth-provider: {name: other}"), KIN_ERR_USAGE, "\"other\"");
    expect_refused(USER("auth-provider: {}"), KIN_ERR_USAGE, "\"\" is not supported");
}

TEST(check, only_the_plugin_authenticates_where_nothing_else_does)
{
    kin__exec exec = { 0 };

    ASSERT_TRUE(kin__user_needs_plugin(&(kin__user){ .exec = &exec }));
    ASSERT_FALSE(kin__user_needs_plugin(&(kin__user){ .exec = NULL }));
    ASSERT_FALSE(kin__user_needs_plugin(&(kin__user){ .exec = &exec, .token = "t" }));
    ASSERT_FALSE(kin__user_needs_plugin(&(kin__user){ .exec = &exec, .token_path = "t" }));
    ASSERT_FALSE(kin__user_needs_plugin(&(kin__user){ .exec = &exec, .username = "n" }));
    ASSERT_FALSE(kin__user_needs_plugin(&(kin__user){ .exec = &exec, .certificate_path = "f" }));
    ASSERT_FALSE(
        kin__user_needs_plugin(&(kin__user){ .exec = &exec, .certificate_data = STR("f") }));
}

TEST(check, a_namespace_is_a_dns_label)
{
    ASSERT_TRUE(kin__is_namespace("default"));
    ASSERT_TRUE(kin__is_namespace("a"));
    ASSERT_TRUE(kin__is_namespace("0-9"));
    ASSERT_TRUE(
        kin__is_namespace("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    ASSERT_FALSE(
        kin__is_namespace("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    ASSERT_FALSE(kin__is_namespace(""));
    ASSERT_FALSE(kin__is_namespace("-a"));
    ASSERT_FALSE(kin__is_namespace("a-"));
    ASSERT_FALSE(kin__is_namespace("A"));
    ASSERT_FALSE(kin__is_namespace("a/b"));
    ASSERT_FALSE(kin__is_namespace("a.b"));
}

TEST(check, pem_has_a_beginning_and_an_end)
{
    ASSERT_TRUE(kin__is_pem(STR(PEM)));
    ASSERT_TRUE(kin__is_pem(STR("# comment\n" PEM)));
    ASSERT_FALSE(kin__is_pem(STR("")));
    ASSERT_FALSE(kin__is_pem(STR("-----BEGIN X-----\nAA")));
    ASSERT_FALSE(kin__is_pem(STR("-----END X-----\n-----BEGIN ")));
}
