/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_calls_test.c - what a program does to its server.
 */
#include <string.h>

#include "base/str.h"
#include "serving.h"

TEST(server_calls, put_makes_and_replaces)
{
    serving s;
    kin_error err;
    int status;

    serving_start(&s, NULL);
    uint64_t first = serving_put_config(&s, "a", "{}", "1");
    ASSERT_EQ(kin_server_revision(s.server), first);
    ASSERT_EQ(serving_put_config(&s, "a", "{}", "1"), first); /* nothing changed */
    uint64_t second = serving_put_config(&s, "a", "{}", "2");
    ASSERT_TRUE(second > first);
    ASSERT_CONTAINS(serving_ask(&s, "GET", "/api/v1/namespaces/default/configmaps/a", "", &status),
                    "\"data\":{\"v\":\"2\"}");
    ASSERT_ERR(
        kin_server_put(s.server, STR("{\"kind\":\"Nothing\",\"apiVersion\":\"v1\"}"), NULL, &err),
        KIN_ERR_NOT_FOUND);
    ASSERT_ERR(kin_server_put(s.server, STR("{"), NULL, &err), KIN_ERR_MALFORMED);
    serving_stop(&s);
}

TEST(server_calls, put_makes_a_namespace_that_is_missing)
{
    serving s;
    int status;

    serving_start(&s, NULL);
    serving_put(&s,
                "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"new\","
                "\"name\":\"p\"},\"spec\":{\"containers\":[]},\"status\":{\"phase\":\"Running\"}}");
    serving_ask(&s, "GET", "/api/v1/namespaces/new", "", &status);
    ASSERT_EQ(status, 200);
    ASSERT_CONTAINS(serving_ask(&s, "GET", "/api/v1/namespaces/new/pods/p", "", &status),
                    "\"phase\":\"Running\"");
    serving_stop(&s);
}

TEST(server_calls, put_list_takes_the_kind_from_the_list)
{
    serving s;
    uint64_t revision;
    kin_error err;
    int status;

    serving_start(&s, NULL);
    ASSERT_OK(kin_server_put_list(
        s.server,
        STR("{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":"
            "\"a\",\"namespace\":\"n\"}},{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{"
            "\"name\":\"b\"}}]}"),
        &revision, &err));
    ASSERT_EQ(kin_server_revision(s.server), revision);
    serving_ask(&s, "GET", "/api/v1/namespaces/n/configmaps/a", "", &status);
    ASSERT_EQ(status, 200);
    serving_ask(&s, "GET", "/api/v1/nodes/b", "", &status);
    ASSERT_EQ(status, 200);
    ASSERT_ERR(kin_server_put_list(
                   s.server,
                   STR("{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{"
                       "\"name\":\"c\"}},{}]}"),
                   NULL, &err),
               KIN_ERR_INVALID);
    ASSERT_CONTAINS(err.message, "items[1]: ");
    serving_ask(&s, "GET", "/api/v1/nodes/c", "", &status);
    ASSERT_EQ(status, 200);
    ASSERT_ERR(kin_server_put_list(s.server, STR("{\"kind\":\"NodeList\"}"), NULL, &err),
               KIN_ERR_MALFORMED);
    serving_stop(&s);
}

TEST(server_calls, put_list_tells_the_newest_version)
{
    serving s;
    uint64_t revision;
    kin_error err;

    serving_start(&s, NULL);
    serving_put(&s, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"old\"}}");
    ASSERT_OK(kin_server_put_list(
        s.server,
        STR("{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":"
            "\"new\"}},{\"metadata\":{\"name\":\"old\"}}]}"),
        &revision, &err));
    ASSERT_EQ(kin_server_revision(s.server), revision);
    serving_stop(&s);
}

TEST(server_calls, remove_takes_it_away_whatever_finalizers_it_has)
{
    serving s;
    kin_error err;
    int status;

    serving_start(&s, NULL);
    serving_put(&s, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":"
                    "\"default\",\"name\":\"a\",\"finalizers\":[\"x.io/y\"]}}");
    serving_remove_config(&s, "a");
    serving_ask(&s, "GET", "/api/v1/namespaces/default/configmaps/a", "", &status);
    ASSERT_EQ(status, 404);
    ASSERT_ERR(kin_server_remove(s.server, "v1", "ConfigMap", "default", "a", NULL, &err),
               KIN_ERR_NOT_FOUND);
    serving_stop(&s);
}

TEST(server_calls, ask_answers_a_watch_with_what_there_is_up_to_now)
{
    serving s;
    int status;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    const char *events =
        serving_ask(&s, "GET", "/api/v1/configmaps?watch=1&allowWatchBookmarks=true", "", &status);
    ASSERT_EQ(status, 200);
    ASSERT_CONTAINS(events, "{\"type\":\"ADDED\"");
    ASSERT_CONTAINS(events, "initial-events-end");
    serving_stop(&s);
}

TEST(server_calls, ask_needs_a_path)
{
    serving s;
    kin_server_answer answer;
    kin_error err;

    serving_start(&s, NULL);
    ASSERT_ERR(kin_server_ask(s.server, "GET", "api", NULL, STR(""), &answer, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_server_ask(s.server, NULL, "/api", NULL, STR(""), &answer, &err), KIN_ERR_USAGE);
    serving_stop(&s);
}

TEST(server_calls, count_objects_whose_stored_version_is_not_served)
{
    serving s;
    kin_server_counts before, after;

    serving_start(&s, NULL);
    serving_put(&s,
                "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":"
                "\"CustomResourceDefinition\",\"metadata\":{\"name\":\"things.x.io\"},\"spec\":{"
                "\"group\":\"x.io\",\"scope\":\"Cluster\",\"names\":{\"plural\":\"things\","
                "\"kind\":\"Thing\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
                "\"storage\":false,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}},{"
                "\"name\":\"v2\",\"served\":false,\"storage\":true,\"schema\":{"
                "\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}");
    kin_server_get_counts(s.server, &before);
    serving_put(&s,
                "{\"apiVersion\":\"x.io/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"t\"}}");
    kin_server_get_counts(s.server, &after);
    ASSERT_EQ(after.objects, before.objects + 1);
    serving_stop(&s);
}

TEST(server_calls, count_objects_of_which_no_version_is_served)
{
    static const char things[] =
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
        "\"metadata\":{\"name\":\"things.x.io\"},\"spec\":{\"group\":\"x.io\",\"scope\":"
        "\"Cluster\",\"names\":{\"plural\":\"things\",\"kind\":\"Thing\"},\"versions\":[{\"name\":"
        "\"v1\",\"served\":%s,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
        "\"object\"}}}]}}";
    serving s;
    kin_server_counts before, after;

    serving_start(&s, NULL);
    serving_put(&s, things, "true");
    serving_put(&s,
                "{\"apiVersion\":\"x.io/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"t\"}}");
    kin_server_get_counts(s.server, &before);
    serving_put(&s, things, "false");
    kin_server_get_counts(s.server, &after);
    ASSERT_EQ(after.objects, before.objects);
    ASSERT_TRUE(after.changes > before.changes);
    serving_stop(&s);
}

TEST(server_calls, ask_answers_a_refusal_indented_when_it_is_asked_to)
{
    serving s;
    int status;

    serving_start(&s, NULL);
    ASSERT_CONTAINS(serving_ask(&s, "GET", "/api/v1/nothings?pretty=1", "", &status),
                    "{\n  \"kind\": \"Status\",\n");
    ASSERT_EQ(status, 404);
    serving_stop(&s);
}
