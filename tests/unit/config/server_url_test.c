/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_url_test.c - the URL of the API server.
 */
#include "config/server_url.h"

#include <string.h>

#include "support/test.h"

static void expect_url(const char *url, bool prefers_https, const char *want)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const char *got = NULL;
    bool is_https = false;
    kin_error err;

    ASSERT_OK(kin__server_url(url, prefers_https, &vault, &got, &is_https, &err));

    ASSERT_STR_EQ(got, want);
    ASSERT_EQ(is_https, strncmp(want, "https:", 6) == 0);
}

static void expect_fault(const char *url, const char *want)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const char *got = NULL;
    bool is_https = false;
    kin_error err;

    ASSERT_ERR(kin__server_url(url, true, &vault, &got, &is_https, &err), KIN_ERR_USAGE);

    ASSERT_CONTAINS(err.message, want);
    ASSERT_TRUE(got == NULL);
}

TEST(server_url, stays_as_it_is_when_it_is_uniform)
{
    expect_url("https://10.0.0.1:6443", false, "https://10.0.0.1:6443");
    expect_url("http://localhost:8080", true, "http://localhost:8080");
    expect_url("https://[::1]:6443", false, "https://[::1]:6443");
    expect_url("HTTPS://Host.example", false, "https://Host.example");
}

TEST(server_url, keeps_a_path_prefix_and_loses_the_slash_at_the_end)
{
    expect_url("https://h/k8s/clusters/c-1", false, "https://h/k8s/clusters/c-1");
    expect_url("https://h/k8s/", false, "https://h/k8s");
    expect_url("https://h/", false, "https://h");
    expect_url("https://h///", false, "https://h");
}

TEST(server_url, loses_query_and_fragment)
{
    expect_url("https://h/p?q=1#f", false, "https://h/p");
    expect_url("https://h?q=1", false, "https://h");
    expect_url("https://h/p/#f", false, "https://h/p");
}

TEST(server_url, gets_a_scheme_when_it_has_none)
{
    expect_url("10.0.0.1:6443", true, "https://10.0.0.1:6443");
    expect_url("10.0.0.1:6443", false, "http://10.0.0.1:6443");
    expect_url("localhost", false, "http://localhost");
    expect_url("[fd00::1]:6443/", true, "https://[fd00::1]:6443");
}

TEST(server_url, is_refused_when_it_is_no_url_of_a_server)
{
    expect_fault("h/path", "it must be a URL or a host and port");
    expect_fault("ftp://h", "its scheme is neither https nor http");
    expect_fault("unix:///run/x", "its scheme is neither https nor http");
    expect_fault("https://", "it has no host");
    expect_fault("https:///p", "it has no host");
    expect_fault("https://:6443", "it has no host");
    expect_fault("https://h:0", "its port is no number");
    expect_fault("https://h:65536", "its port is no number");
    expect_fault("https://h:", "its port is no number");
    expect_fault("https://h:6x", "its port is no number");
    expect_fault("https://h:1:2", "its port is no number");
    expect_fault("https://[::1", "an address in brackets");
    expect_fault("https://[::1]x", "its port is no number");
    expect_fault("https://h h", "a character that no host has");
    expect_fault("https://h\r\nX: y", "a character that no host has");
    expect_fault("https://h/a b", "a character that no URL has");
    expect_fault("https://h/\x01", "a character that no URL has");
}

/* It would be a secret in what is shown to everybody. */
TEST(server_url, is_refused_with_user_information)
{
    expect_fault("https://me:secret@h", "user information in the URL is not supported");
    expect_fault("me:secret@h", "user information in the URL is not supported");
}

TEST_FAILING_ALLOC(server_url, says_that_there_is_no_memory)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const char *got = NULL;
    bool is_https;
    kin_error err;

    return kin__server_url("https://h", true, &vault, &got, &is_https, &err);
}
