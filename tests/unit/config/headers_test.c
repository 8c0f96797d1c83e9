/* SPDX-License-Identifier: Apache-2.0 */
/*
 * headers_test.c - the headers that say who asks.
 */
#include "config/headers.h"

#include "unit/config/making.h"

/* All of them, with a '|' behind each. */
static void expect_headers(const char *yaml, const char *token, const char *want)
{
    static virtual_machine m;
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    static text all;
    const char *const *headers;
    kin_error err;
    virtual_machine_init(&m);
    text_clear(&all);
    kin_config *config = make_config(&m, yaml);

    ASSERT_OK(kin__headers_make(config, token, &vault, &headers, &err));

    for (; *headers != NULL; headers++) {
        text_append(&all, "%s|", *headers);
    }
    ASSERT_STR_EQ(all.chars, want);
    (void) kin_config_unref(config);
}

TEST(headers, are_none_for_nobody)
{
    expect_headers(USER(""), NULL, "");
}

TEST(headers, have_a_bearer_token)
{
    expect_headers(USER(""), "abc", "Authorization: Bearer abc|");
}

/* The example of RFC 7617. */
TEST(headers, have_basic_auth)
{
    expect_headers(USER("username: Aladdin, password: open sesame"), NULL,
                   "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==|");
    expect_headers(USER("username: a"), NULL, "Authorization: Basic YTo=|");
    expect_headers(USER("password: a"), NULL, "");
}

TEST(headers, impersonate)
{
    expect_headers(USER("token: t, as: a b, as-uid: u-1, as-groups: [g1, g2], "
                        "as-user-extra: {scopes: [x, z], Acme/Dept: [d], '100%': [p]}"),
                   "t",
                   "Authorization: Bearer t|Impersonate-User: a b|Impersonate-Uid: u-1|"
                   "Impersonate-Group: g1|Impersonate-Group: g2|Impersonate-Extra-100%25: p|"
                   "Impersonate-Extra-Acme%2FDept: d|Impersonate-Extra-scopes: x|"
                   "Impersonate-Extra-scopes: z|");
}

TEST(headers, escape_what_no_name_of_a_header_has)
{
    expect_headers(USER("as: a, as-user-extra: {\"k: v\\r\\n\\xe9\": [x]}"), NULL,
                   "Impersonate-User: a|Impersonate-Extra-k%3A%20v%0D%0A%C3%A9: x|");
}

TEST(headers, have_only_impersonation_over_http)
{
    expect_headers(KUBECONFIG("server: 'http://s'", "token: t, as: a"), "t",
                   "Impersonate-User: a|");
    expect_headers(KUBECONFIG("server: 'http://s'", "username: me, password: p, as: a"), NULL,
                   "Impersonate-User: a|");
}

TEST_FAILING_ALLOC(headers, say_that_there_is_no_memory)
{
    static virtual_machine m;
    static char large[5000];
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const kin__extra extra = { "k", (const char *const[]){ large, NULL } };
    kin_config config = { .is_https = true };
    const char *const *headers;
    kin_error err;
    virtual_machine_init(&m);
    memset(large, 'x', sizeof large - 1);
    config.user = (kin__user){ .username = large, .as = large, .extras = &extra, .extra_count = 1 };

    return kin__headers_make(&config, NULL, &vault, &headers, &err);
}
