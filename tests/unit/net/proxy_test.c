/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy_test.c - what the environment says about proxies.
 */
#include "net/proxy.h"

#include <string.h>

#include "support/test.h"

/* An environment of the test's own: name, value, name, value, ... */
static const char *const *environment;

static char *get(const char *name)
{
    for (const char *const *entry = environment; *entry != NULL; entry += 2) {
        if (strcmp(entry[0], name) == 0) {
            return (char *) (uintptr_t) entry[1];
        }
    }
    return NULL;
}

static const char *choose(const char *host, const char *const *entries)
{
    kin__proxy_target target = { .has_tls = true, .host = host, .port = "6443" };
    environment = entries;
    return kin__proxy_choose(&target, get);
}

#define ENVIRONMENT(...) ((const char *const[]){ __VA_ARGS__, NULL })

static bool is_exempt(const char *host, const char *rules)
{
    return choose(host, ENVIRONMENT("HTTPS_PROXY", "p", "NO_PROXY", rules))[0] == '\0';
}

TEST(proxy, is_none_when_nothing_is_said)
{
    ASSERT_STR_EQ(choose("api.test", (const char *const[]){ NULL }), "");
    ASSERT_STR_EQ(choose("api.test", ENVIRONMENT("HTTP_PROXY", "p")), "");
    ASSERT_STR_EQ(choose("api.test", ENVIRONMENT("HTTPS_PROXY", "")), "");
}

TEST(proxy, is_that_of_the_scheme_in_capitals_or_not)
{
    kin__proxy_target plain = { .host = "api.test", .port = "80" };

    ASSERT_STR_EQ(choose("api.test", ENVIRONMENT("https_proxy", "a")), "a");
    ASSERT_STR_EQ(choose("api.test", ENVIRONMENT("https_proxy", "a", "HTTPS_PROXY", "b")), "b");
    environment = ENVIRONMENT("HTTP_PROXY", "a", "HTTPS_PROXY", "b");
    ASSERT_STR_EQ(kin__proxy_choose(&plain, get), "a");
    environment = ENVIRONMENT("HTTP_PROXY", "a", "REQUEST_METHOD", "GET");
    ASSERT_STR_EQ(kin__proxy_choose(&plain, get), "");
}

TEST(proxy, never_stands_before_this_machine)
{
    static const char *const hosts[] = { "localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9",
                                         "[::1]" };
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        ASSERT_STR_EQ(choose(hosts[i], ENVIRONMENT("HTTPS_PROXY", "p")), "");
    }
    ASSERT_STR_EQ(choose("128.0.0.1", ENVIRONMENT("HTTPS_PROXY", "p")), "p");
    ASSERT_STR_EQ(choose("[::2]", ENVIRONMENT("HTTPS_PROXY", "p")), "p");
}

TEST(proxy, is_not_for_hosts_and_domains_that_are_named)
{
    ASSERT_TRUE(is_exempt("api.test", "*"));
    ASSERT_TRUE(is_exempt("api.test", "api.test"));
    ASSERT_TRUE(is_exempt("API.test", "x, api.TEST ,y"));
    ASSERT_TRUE(is_exempt("a.api.test", "api.test"));
    ASSERT_FALSE(is_exempt("myapi.test", "api.test"));
    ASSERT_TRUE(is_exempt("a.api.test", ".api.test"));
    ASSERT_TRUE(is_exempt("a.api.test", "*.api.test"));
    ASSERT_FALSE(is_exempt("api.test", ".api.test"));
    ASSERT_FALSE(is_exempt("api.test", ",, ,"));
    ASSERT_TRUE(is_exempt("api.test", "api.test:6443"));
    ASSERT_FALSE(is_exempt("api.test", "api.test:443"));
}

TEST(proxy, is_not_for_addresses_and_ranges_that_are_named)
{
    ASSERT_TRUE(is_exempt("10.1.2.3", "10.1.2.3"));
    ASSERT_TRUE(is_exempt("10.1.2.3", "10.1.2.3:6443"));
    ASSERT_FALSE(is_exempt("10.1.2.3", "10.1.2.3:443"));
    ASSERT_FALSE(is_exempt("10.1.2.3", "10.1.2.30"));
    ASSERT_TRUE(is_exempt("10.1.2.3", "10.0.0.0/8"));
    ASSERT_TRUE(is_exempt("10.1.2.3", "10.1.2.2/31"));
    ASSERT_FALSE(is_exempt("10.1.2.4", "10.1.2.2/31"));
    ASSERT_TRUE(is_exempt("10.1.2.4", "0.0.0.0/0"));
    ASSERT_FALSE(is_exempt("10.1.2.4", "10.0.0.0/33"));
    ASSERT_FALSE(is_exempt("10.1.2.4", "10.0.0.0/"));
    ASSERT_FALSE(is_exempt("10.1.2.4", "10.0.0.0/x"));
    ASSERT_FALSE(is_exempt("10.1.2.4", "10.0.0.0/8888888"));
    ASSERT_TRUE(is_exempt("[fd00::1]", "fd00::/8"));
    ASSERT_FALSE(is_exempt("[fe00::1]", "fd00::/8"));
    ASSERT_TRUE(is_exempt("[fd00::1]", "fd00::1"));
    ASSERT_TRUE(is_exempt("[fd00::1]", "[fd00::1]:6443"));
    ASSERT_FALSE(is_exempt("[fd00::1]", "[fd00::1]:1"));
    ASSERT_FALSE(is_exempt("api.test", "10.0.0.0/8"));
}
