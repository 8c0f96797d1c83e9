/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_test.c - a configuration put together from its parts and the program's wishes.
 */
#include "config/config.h"

#include "config/field.h"
#include "unit/config/making.h"

TEST(config, tells_server_namespace_and_context)
{
    static virtual_machine m;
    virtual_machine_init(&m);

    kin_config *config = make_config(&m, USER("token: t"));

    ASSERT_STR_EQ(kin_config_server(config), "https://s");
    ASSERT_STR_EQ(kin_config_namespace(config), "default");
    ASSERT_STR_EQ(kin_config_context(config), "here");
    (void) kin_config_unref(config);
}

TEST(config, lives_until_its_last_reference_goes)
{
    static virtual_machine m;
    virtual_machine_init(&m);
    kin_config *config = make_config(&m, USER("token: t"));

    kin_config *other = kin_config_ref(config);
    ASSERT_TRUE(kin_config_unref(config) == NULL);

    ASSERT_STR_EQ(kin_config_server(other), "https://s");
    ASSERT_TRUE(kin_config_unref(other) == NULL);
    ASSERT_TRUE(kin_config_ref(NULL) == NULL);
    ASSERT_TRUE(kin_config_unref(NULL) == NULL);
}

TEST(config, has_the_namespace_server_and_token_that_are_asked_for)
{
    static virtual_machine m;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    virtual_machine_init(&m);
    options.ns = "mine";
    options.server = "https://other/p/";
    options.token = "given";

    kin_config *config =
        make_config_with(&m, USER("username: me, password: pw, as: a, as-groups: [g]"), &options);

    ASSERT_STR_EQ(kin_config_namespace(config), "mine");
    ASSERT_STR_EQ(kin_config_server(config), "https://other/p");
    ASSERT_STR_EQ(config->user.token, "given");
    ASSERT_STR_EQ(config->user.username, NULL);
    ASSERT_STR_EQ(config->user.password, NULL);
    ASSERT_STR_EQ(config->user.as, "a");
    ASSERT_STR_EQ(config->user.as_groups[0], "g");
    (void) kin_config_unref(config);
}

TEST(config, runs_no_plugin_beside_a_token_that_is_given)
{
    static virtual_machine m;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    static const char yaml[] =
        USER("exec: {command: p, apiVersion: client.authentication.k8s.io/v1beta1}");
    virtual_machine_init(&m);

    kin_config *config = make_config(&m, yaml);
    ASSERT_TRUE(config->needs_plugin);
    (void) kin_config_unref(config);

    options.token = "given";
    config = make_config_with(&m, yaml, &options);
    ASSERT_FALSE(config->needs_plugin);
    (void) kin_config_unref(config);
}

TEST(config, impersonates_whom_it_is_asked_to_and_nobody_else)
{
    static virtual_machine m;
    static const char *const groups[] = { "g1", "g2", NULL };
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    virtual_machine_init(&m);
    options.as = "other";
    options.as_groups = groups;

    kin_config *config = make_config_with(
        &m, USER("token: t, as: a, as-uid: '1', as-groups: [g], as-user-extra: {k: [v]}"),
        &options);

    ASSERT_STR_EQ(config->user.as, "other");
    ASSERT_STR_EQ(config->user.as_uid, NULL);
    ASSERT_EQ(kin__texts_count(config->user.as_groups), 2);
    ASSERT_EQ(config->user.extra_count, 0);
    ASSERT_STR_EQ(config->user.token, "t");
    (void) kin_config_unref(config);
}

TEST(config, refuses_wishes_that_make_no_sense)
{
    static virtual_machine m;
    static const char *const groups[] = { "g1", NULL };
    kin_config *config = NULL;
    kin_error err;
    virtual_machine_init(&m);
    const kin_config_options wishes[] = {
        { .size = sizeof(kin_config_options), .token = "a\nb" },
        { .size = sizeof(kin_config_options), .ns = "Not/A/Label" },
        { .size = sizeof(kin_config_options), .server = "ftp://x" },
        { .size = sizeof(kin_config_options), .as = "a\r\nb" },
        { .size = sizeof(kin_config_options), .as_groups = groups },
    };

    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        ASSERT_ERR(kin__config_from_text(&m.machine, STR(USER("token: t")), NULL, &wishes[i],
                                         &config, &err),
                   KIN_ERR_USAGE);
    }
    ASSERT_TRUE(config == NULL);
}

TEST(config, takes_empty_wishes_for_none)
{
    static virtual_machine m;
    kin_config_options options = { sizeof options, "", "", "", "", "", "", "", "", NULL };
    virtual_machine_init(&m);

    kin_config *config = make_config_with(&m, USER("token: t"), &options);

    ASSERT_STR_EQ(kin_config_server(config), "https://s");
    ASSERT_STR_EQ(config->user.token, "t");
    (void) kin_config_unref(config);
}

static void expect_https(const char *yaml, bool want)
{
    static virtual_machine m;
    virtual_machine_init(&m);

    kin_config *config = make_config(&m, yaml);

    ASSERT_EQ(config->is_https, want);
    (void) kin_config_unref(config);
}

TEST(config, guesses_the_scheme_by_what_speaks_of_tls)
{
    expect_https(KUBECONFIG("server: 's:1'", "token: t"), false);
    expect_https(KUBECONFIG("server: 's:1', certificate-authority: f", ""), true);
    expect_https(KUBECONFIG("server: 's:1', certificate-authority-data: " PEM64, ""), true);
    expect_https(KUBECONFIG("server: 's:1', insecure-skip-tls-verify: true", ""), true);
    expect_https(KUBECONFIG("server: 's:1'", "client-certificate: f, client-key: k"), true);
    expect_https(KUBECONFIG("server: 'http://s', insecure-skip-tls-verify: true", ""), false);
}

TEST(config, needs_no_plugin_over_http)
{
    static virtual_machine m;
    virtual_machine_init(&m);

    kin_config *config = make_config(
        &m, KUBECONFIG("server: 'http://s'", "exec: {command: p, "
                                             "apiVersion: client.authentication.k8s.io/v1beta1}"));

    ASSERT_FALSE(config->needs_plugin);
    (void) kin_config_unref(config);
}

TEST(config, is_made_by_the_public_functions)
{
    kin_config *config = NULL;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin_error err;
    static const char yaml[] = USER("token: t");

    ASSERT_OK(kin_config_from_text(yaml, sizeof yaml - 1, NULL, NULL, &config, NULL));
    (void) kin_config_unref(config);

    config = NULL;
    options.path = "/nowhere/at/all";
    ASSERT_ERR(kin_config_load(&options, &config, &err), KIN_ERR_NOT_FOUND);
    options.size = 0;
    ASSERT_ERR(kin_config_load(&options, &config, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_config_from_text("", 0, NULL, &options, &config, &err), KIN_ERR_USAGE);
    ASSERT_TRUE(config == NULL);
}

TEST_FAILING_ALLOC(config, says_that_there_is_no_memory)
{
    static virtual_machine m;
    static const char *const groups[] = { "g1", NULL };
    const kin_config_options options = { .size = sizeof options,
                                         .ns = "n-1",
                                         .server = "https://o",
                                         .token = "t",
                                         .as = "a",
                                         .as_groups = groups };
    kin_config *config = NULL;
    kin_error err;
    virtual_machine_init(&m);

    kin_err code = kin__config_from_text(&m.machine, STR(USER("")), NULL, &options, &config, &err);
    (void) kin_config_unref(config);
    return code;
}
