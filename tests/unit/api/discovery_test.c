/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discovery_test.c - which requests find out what a server has, and what their answers say.
 */
#include "api/discovery.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "support/test.h"

#define JSON STR("application/json")
#define AGGREGATED STR("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")

#define EMPTY_ROOT "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[]}"
#define CORE                                                                                       \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{},\"versions\":[{\"version\":"  \
    "\"v1\",\"resources\":[{\"resource\":\"pods\",\"responseKind\":{\"kind\":\"Pod\"}}]}]}]}"
#define TWO_GROUPS                                                                                 \
    "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"a\",\"versions\":[{\"version\":\"v1\"}]}," \
    "{\"name\":\"b\",\"versions\":[{\"version\":\"v1\"}]}]}"
#define LIST_OF(name)                                                                              \
    "{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"" name "\",\"kind\":\"X\"}]}"

static void expect_next(const kin__discovery *discovery, const char *target)
{
    ASSERT_STR_EQ(kin__discovery_next(discovery), target);
}

static void answer(kin__discovery *discovery, const char *body)
{
    kin_error err;

    if (kin__discovery_answer(discovery, 200, JSON, kin_str_of(body), &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
}

static void answer_with_file(kin__discovery *discovery, kin_str content_type, const char *name)
{
    size_t len;
    char *body = read_fixture(name, &len);
    kin_error err;

    ASSERT_OK(kin__discovery_answer(discovery, 200, content_type, kin__str(body, len), &err));
    free_fixture(body);
}

static kin_err refuse(kin__discovery *discovery, int status, kin_error *err)
{
    return kin__discovery_answer(discovery, status, STR("text/plain"), STR("no"), err);
}

static kin__discovery *begin(void)
{
    kin__discovery *discovery;
    kin_error err;

    ASSERT_OK(kin__discovery_new(&discovery, &err));
    return discovery;
}

TEST(discovery, takes_two_requests_of_a_server_that_aggregates)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = begin();

    expect_next(discovery, "/api");
    ASSERT_TRUE(kin__discovery_take(discovery) == NULL);
    answer_with_file(discovery, AGGREGATED, "discovery-api-aggregated.json");
    expect_next(discovery, "/apis");
    answer_with_file(discovery, AGGREGATED, "discovery-apis-aggregated.json");
    expect_next(discovery, NULL);
    ASSERT_STR_EQ(kin__discovery_missing(discovery), "");
    AUTO(kin__catalogue_free) kin__catalogue *all = kin__discovery_take(discovery);
    ASSERT_TRUE(kin__discovery_take(discovery) == NULL);

    const kin_resource *found = kin__catalogue_find(all, STR("deploy"));
    ASSERT_STR_EQ(kin_resource_api_version(found), "apps/v1");
    ASSERT_STR_EQ(kin_resource_name(found), "deployments");
    ASSERT_STR_EQ(kin_resource_kind(found), "Deployment");
    ASSERT_TRUE(kin_resource_is_namespaced(found));
    ASSERT_TRUE(kin_resource_can(found, "watch"));
    ASSERT_FALSE(kin_resource_can(found, "fly"));
    found = kin__catalogue_find(all, STR("ev"));
    ASSERT_STR_EQ(kin_resource_api_version(found), "v1");
    found = kin__catalogue_find(all, STR("namespaces"));
    ASSERT_FALSE(kin_resource_is_namespaced(found));
    for (size_t i = 0; i < kin__catalogue_count(all); i++) {
        ASSERT_TRUE(strchr(kin_resource_name(kin__catalogue_at(all, i)), '/') == NULL);
    }
}

TEST(discovery, asks_for_each_version_of_a_server_that_does_not)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = begin();

    answer_with_file(discovery, JSON, "discovery-api.json");
    expect_next(discovery, "/api/v1");
    answer_with_file(discovery, JSON, "discovery-api-v1.json");
    expect_next(discovery, "/apis");
    answer_with_file(discovery, JSON, "discovery-apis.json");
    expect_next(discovery, "/apis/apiregistration.k8s.io/v1");
    answer(discovery, LIST_OF("apiservices"));
    expect_next(discovery, "/apis/apps/v1");
    answer_with_file(discovery, JSON, "discovery-apis-apps-v1.json");
    while (kin__discovery_next(discovery) != NULL) {
        answer(discovery, LIST_OF("things"));
    }
    AUTO(kin__catalogue_free) kin__catalogue *all = kin__discovery_take(discovery);

    const kin_resource *found = kin__catalogue_find(all, STR("deploy"));
    ASSERT_STR_EQ(kin_resource_api_version(found), "apps/v1");
    ASSERT_TRUE(kin_resource_is_namespaced(found));
    ASSERT_STR_EQ(kin_resource_api_version(kin__catalogue_at(all, 0)), "v1");
    ASSERT_TRUE(kin__catalogue_find(all, STR("deployments/status")) == NULL);
}

TEST(discovery, names_a_group_that_cannot_be_asked)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = begin();
    kin_error err;

    answer(discovery, CORE);
    answer(discovery, TWO_GROUPS);
    expect_next(discovery, "/apis/a/v1");
    ASSERT_OK(refuse(discovery, 503, &err));
    expect_next(discovery, "/apis/b/v1");
    answer(discovery, LIST_OF("bees"));
    AUTO(kin__catalogue_free) kin__catalogue *all = kin__discovery_take(discovery);

    ASSERT_STR_EQ(kin__discovery_missing(discovery), "a/v1");
    ASSERT_EQ(kin__catalogue_count(all), 2);
}

TEST(discovery, fails_when_all_groups_do)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = begin();
    kin_error err;

    answer(discovery, CORE);
    answer(discovery, TWO_GROUPS);
    ASSERT_OK(refuse(discovery, 503, &err));
    ASSERT_ERR(refuse(discovery, 403, &err), KIN_ERR_FORBIDDEN);
    ASSERT_MESSAGE(&err, "discovery of /apis/b/v1: the server answered 403: no");
    ASSERT_STR_EQ(kin__discovery_missing(discovery), "a/v1, b/v1");
}

TEST(discovery, fails_when_the_core_or_a_root_does)
{
    AUTO(kin__discovery_free) kin__discovery *at_root = begin();
    AUTO(kin__discovery_free) kin__discovery *at_core = begin();
    AUTO(kin__discovery_free) kin__discovery *at_groups = begin();
    kin_error err;

    ASSERT_ERR(refuse(at_root, 403, &err), KIN_ERR_FORBIDDEN);
    ASSERT_MESSAGE(&err, "discovery of /api: the server answered 403: no");
    answer(at_core, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    ASSERT_ERR(refuse(at_core, 500, &err), KIN_ERR_SERVER);
    ASSERT_MESSAGE(&err, "discovery of /api/v1: the server answered 500: no");
    answer(at_groups, CORE);
    ASSERT_ERR(refuse(at_groups, 404, &err), KIN_ERR_NOT_FOUND);
}

TEST(discovery, takes_a_malformed_group_for_one_that_failed)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = begin();

    answer(discovery, CORE);
    answer(discovery, TWO_GROUPS);
    answer(discovery, "{");
    answer(discovery, LIST_OF("bees"));

    ASSERT_STR_EQ(kin__discovery_missing(discovery), "a/v1");
}

TEST(discovery, fails_on_a_malformed_root)
{
    AUTO(kin__discovery_free) kin__discovery *malformed = begin();
    AUTO(kin__discovery_free) kin__discovery *html = begin();
    kin_error err;

    ASSERT_ERR(kin__discovery_answer(malformed, 200, JSON, STR("{\"kind\":"), &err),
               KIN_ERR_MALFORMED);
    ASSERT_CONTAINS(err.message, "discovery of /api: ");
    ASSERT_CONTAINS(err.message, "at byte 8");
    ASSERT_ERR(kin__discovery_answer(html, 200, STR("text/html"), STR("<p>"), &err),
               KIN_ERR_PROTOCOL);
    ASSERT_MESSAGE(&err, "discovery of /api: expected JSON, found \"text/html\"");
}

TEST(discovery, uses_what_is_stale_and_names_it)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = begin();

    answer(discovery, CORE);
    answer(discovery, "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":"
                      "\"m\"},\"versions\":[{\"version\":\"v1\",\"resources\":[{\"resource\":"
                      "\"ms\",\"responseKind\":{\"kind\":\"M\"}}],\"freshness\":\"Stale\"},"
                      "{\"version\":\"v0\",\"freshness\":\"Stale\"}]}]}");
    AUTO(kin__catalogue_free) kin__catalogue *all = kin__discovery_take(discovery);

    ASSERT_STR_EQ(kin__discovery_missing(discovery), "m/v1 (stale), m/v0 (stale)");
    ASSERT_TRUE(kin__catalogue_find(all, STR("ms")) != NULL);
}

TEST(discovery, leaves_out_resources_without_a_proper_name)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = begin();

    answer(discovery, CORE);
    answer(discovery, "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":"
                      "\"e\"},\"versions\":[{\"version\":\"v1\",\"resources\":["
                      "{\"resource\":\"a b\",\"responseKind\":{\"kind\":\"M\"}},"
                      "{\"resource\":\"\\u0061\",\"responseKind\":{\"kind\":\"M\"}},"
                      "{\"resource\":\"good\",\"responseKind\":{\"kind\":\"M\"}}]}]}]}");
    AUTO(kin__catalogue_free) kin__catalogue *all = kin__discovery_take(discovery);

    ASSERT_STR_EQ(kin__discovery_missing(discovery), "e/v1");
    ASSERT_EQ(kin__catalogue_count(all), 2);
    ASSERT_TRUE(kin__catalogue_find(all, STR("good")) != NULL);
}

TEST(discovery, asks_for_no_version_that_cannot_be_in_a_url)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = begin();

    answer(discovery, CORE);
    answer(discovery, "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"a?b\",\"versions\":["
                      "{\"version\":\"v1\"}]},{\"name\":\"c\",\"versions\":[{\"version\":"
                      "\"../v1\"},{\"version\":\"\"},{\"version\":\"v1\xc2\x9b\"}]}]}");

    expect_next(discovery, NULL);
    ASSERT_STR_EQ(kin__discovery_missing(discovery), "a?b/v1, c/../v1, c/v1??");
}

TEST(discovery, refuses_more_versions_than_anybody_has)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = begin();
    AUTO(kin__buf_fini) kin__buf body = { 0 };
    kin_error err;

    answer(discovery, CORE);
    kin__buf_append_str(&body, STR("{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"a\","
                                   "\"versions\":[{}"));
    for (int i = 0; i < KIN__DISCOVERY_TARGETS_MAX; i++) {
        kin__buf_append_format(&body, ",{\"version\":\"v%d\"}", i);
    }
    kin__buf_append_str(&body, STR("]}]}"));
    ASSERT_FALSE(kin__buf_failed(&body));

    ASSERT_ERR(kin__discovery_answer(discovery, 200, JSON, kin__str(body.data, body.len), &err),
               KIN_ERR_LIMIT);
    ASSERT_CONTAINS(err.message, "discovery of /apis: more than 10000 versions");
}

TEST(discovery, is_told_nothing_after_its_end)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = begin();
    kin_error err;

    answer(discovery, EMPTY_ROOT);
    answer(discovery, EMPTY_ROOT);
    ASSERT_ERR(kin__discovery_answer(discovery, 200, JSON, STR("{}"), &err), KIN_ERR_USAGE);
    AUTO(kin__catalogue_free) kin__catalogue *all = kin__discovery_take(discovery);
    ASSERT_EQ(kin__catalogue_count(all), 0);
}

static kin_err answer_all(kin__discovery *discovery, kin_error *err)
{
    static const char *const bodies[] = {
        "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}",
        LIST_OF("pods"),
        TWO_GROUPS,
        "{",
        LIST_OF("bees"),
    };
    kin_err code = KIN_OK;

    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0] && code == KIN_OK; i++) {
        code = kin__discovery_answer(discovery, 200, JSON, kin_str_of(bodies[i]), err);
    }
    return code;
}

TEST_FAILING_ALLOC(discovery, survives_a_lack_of_memory)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = NULL;
    kin_error err;
    kin_err code = kin__discovery_new(&discovery, &err);

    if (code == KIN_OK) {
        code = answer_all(discovery, &err);
    }
    return code;
}
