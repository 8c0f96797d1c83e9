/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_test.c - how watches begin, over real connections.
 */
#include "server/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "serving.h"

#define CONFIGS "/api/v1/namespaces/default/configmaps"

static void watch(visitor *v, serving *s, const char *query)
{
    char path[512];

    snprintf(path, sizeof path, CONFIGS "?watch=1%s", query);
    visitor_ask(v, s, "GET", path, "", NULL);
    ASSERT_EQ(v->status, 200);
}

static void expect(visitor *v, const char *type, const char *part)
{
    const char *line = visitor_read_line(v);
    char begin[64];

    ASSERT_TRUE(line != NULL);
    snprintf(begin, sizeof begin, "{\"type\":\"%s\",\"object\":{", type);
    ASSERT_CONTAINS(line, begin);
    ASSERT_CONTAINS(line, part);
}

static void expect_end(visitor *v)
{
    ASSERT_TRUE(visitor_read_line(v) == NULL);
    ASSERT_TRUE(v->is_over);
}

TEST(watch, begins_with_what_there_is_in_order_and_goes_on_with_what_changes)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "b", "{}", "1");
    serving_put_config(&s, "a", "{}", "1");
    watch(&v, &s, "");
    ASSERT_CONTAINS(v.head.chars, "Content-Type: application/json\r\n");
    ASSERT_CONTAINS(v.head.chars, "Cache-Control: no-cache, private\r\n");
    ASSERT_CONTAINS(v.head.chars, "Transfer-Encoding: chunked\r\n");
    expect(&v, "ADDED", "\"name\":\"a\"");
    expect(&v, "ADDED", "\"name\":\"b\"");
    serving_put_config(&s, "c", "{}", "1");
    expect(&v, "ADDED", "\"name\":\"c\"");
    serving_put_config(&s, "b", "{}", "2");
    expect(&v, "MODIFIED", "\"data\":{\"v\":\"2\"}");
    serving_remove_config(&s, "b");
    expect(&v, "DELETED", "\"data\":{\"v\":\"2\"}");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, ends_its_initial_events_with_a_bookmark_when_it_wants_bookmarks)
{
    serving s;
    visitor v;
    char want[256];

    serving_start(&s, NULL);
    uint64_t revision = serving_put_config(&s, "a", "{}", "1");
    watch(&v, &s,
          "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1");
    expect(&v, "ADDED", "\"name\":\"a\"");
    snprintf(want, sizeof want,
             "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
             "\"metadata\":{\"resourceVersion\":\"%" PRIu64
             "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}",
             revision);
    ASSERT_STR_EQ(visitor_read_line(&v), want);
    visitor_leave(&v);
    watch(&v, &s, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
    expect(&v, "ADDED", "\"name\":\"a\"");
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, tells_only_what_came_after_its_version)
{
    serving s;
    visitor v;
    char query[64];

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    uint64_t revision = serving_put_config(&s, "b", "{}", "1");
    serving_put_config(&s, "c", "{}", "1");
    serving_remove_config(&s, "a");
    snprintf(query, sizeof query, "&resourceVersion=%" PRIu64, revision);
    watch(&v, &s, query);
    expect(&v, "ADDED", "\"name\":\"c\"");
    expect(&v, "DELETED", "\"name\":\"a\"");
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, without_initial_events_begins_now)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    watch(&v, &s, "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_put_config(&s, "b", "{}", "1");
    expect(&v, "ADDED", "\"name\":\"b\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, of_a_version_that_was_forgotten_is_told_410_on_the_stream)
{
    serving s;
    visitor v;
    char query[64];
    kin_error err;

    serving_start(&s, NULL);
    uint64_t revision = serving_put_config(&s, "a", "{}", "1");
    uint64_t last = serving_put_config(&s, "b", "{}", "1");
    ASSERT_OK(kin_server_compact(s.server, 0, &err));
    snprintf(query, sizeof query, "&resourceVersion=%" PRIu64, revision);
    watch(&v, &s, query);
    char want[256];
    snprintf(want, sizeof want,
             "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
             "\"metadata\":{},\"status\":\"Failure\",\"message\":\"too old resource version: "
             "%" PRIu64 " (%" PRIu64 ")\",\"reason\":\"Expired\",\"code\":410}}",
             revision, last);
    ASSERT_STR_EQ(visitor_read_line(&v), want);
    expect_end(&v);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, of_a_version_to_come_is_silent_until_then)
{
    serving s;
    visitor v;
    char query[64];

    serving_start(&s, NULL);
    uint64_t revision = serving_put_config(&s, "a", "{}", "1");
    snprintf(query, sizeof query, "&resourceVersion=%" PRIu64, revision + 2);
    watch(&v, &s, query);
    serving_put_config(&s, "b", "{}", "1");
    serving_put_config(&s, "c", "{}", "1");
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_put_config(&s, "d", "{}", "1");
    expect(&v, "ADDED", "\"name\":\"d\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, with_the_state_of_a_version_to_come_waits_for_it_three_seconds)
{
    serving s;
    visitor v;
    char query[128];

    serving_start(&s, NULL);
    uint64_t revision = serving_put_config(&s, "a", "{}", "1");
    snprintf(query, sizeof query,
             "&resourceVersion=%" PRIu64
             "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
             revision + 1);
    watch(&v, &s, query);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_put_config(&s, "b", "{}", "1");
    expect(&v, "ADDED", "\"name\":\"a\"");
    expect(&v, "ADDED", "\"name\":\"b\"");
    visitor_leave(&v);
    snprintf(query, sizeof query,
             "&resourceVersion=%" PRIu64 "&sendInitialEvents=true&resourceVersionMatch="
             "NotOlderThan&timeoutSeconds=1",
             revision + 100);
    watch(&v, &s, query);
    serving_pass(&s, 2999);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_pass(&s, 1);
    expect(&v, "ERROR",
           "\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":"
           "\"ResourceVersionTooLarge\",\"message\":\"Too large resource version\"}],"
           "\"retryAfterSeconds\":1},\"code\":504");
    expect_end(&v);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, ends_when_its_time_is_over)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    watch(&v, &s, "&timeoutSeconds=10");
    serving_pass(&s, 9999);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_pass(&s, 1);
    expect_end(&v);
    visitor_leave(&v);
    watch(&v, &s, "&timeoutSeconds=-1");
    expect_end(&v);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, without_a_time_ends_between_half_an_hour_and_an_hour)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    watch(&v, &s, "");
    serving_pass(&s, 1799999);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_pass(&s, 1800001);
    expect_end(&v);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, is_refused_when_its_version_is_none)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "GET", CONFIGS "?watch=1&resourceVersion=abc", "", NULL);
    ASSERT_EQ(v.status, 500);
    ASSERT_STR_EQ(visitor_read_all(&v),
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                  "\"Failure\",\"message\":\"resourceVersion: Invalid value: \\\"abc\\\": "
                  "strconv.ParseUint: parsing \\\"abc\\\": invalid syntax\",\"code\":500}\n");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, goes_when_its_client_does)
{
    serving s;
    visitor v;
    kin_server_counts counts;

    serving_start(&s, NULL);
    watch(&v, &s, "");
    kin_server_get_counts(s.server, &counts);
    ASSERT_EQ(counts.watches, 1);
    visitor_leave(&v);
    do {
        kin_server_get_counts(s.server, &counts);
    } while (counts.watches != 0); /* the test's time limit ends a server that does not notice */
    serving_stop(&s);
}

TEST(watch, is_cut_when_the_server_stops)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    watch(&v, &s, "");
    serving_stop(&s);
    ASSERT_TRUE(visitor_read_line(&v) == NULL);
    ASSERT_FALSE(v.is_over);
    visitor_leave(&v);
}

TEST(watch, is_refused_when_its_options_contradict_each_other)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "GET", CONFIGS "?watch=1&resourceVersion=1&resourceVersionMatch=Exact", "",
                NULL);
    ASSERT_EQ(v.status, 422);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, says_that_its_protobuf_is_a_stream)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "GET", CONFIGS "?watch=1",
                "Accept: application/vnd.kubernetes.protobuf\r\n", NULL);
    ASSERT_CONTAINS(v.head.chars,
                    "Content-Type: application/vnd.kubernetes.protobuf;stream=watch\r\n");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, of_the_oldest_version_that_is_known_tells_what_came_after_it)
{
    serving s;
    visitor v;
    char query[64];
    kin_error err;

    serving_start(&s, NULL);
    uint64_t oldest = serving_put_config(&s, "a", "{}", "1");
    ASSERT_OK(kin_server_compact(s.server, 0, &err));
    serving_put_config(&s, "b", "{}", "1");
    snprintf(query, sizeof query, "&resourceVersion=%" PRIu64, oldest);
    watch(&v, &s, query);
    expect(&v, "ADDED", "\"name\":\"b\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, of_events_is_told_410_in_the_words_of_etcd)
{
    serving s;
    visitor v;
    kin_error err;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    ASSERT_OK(kin_server_compact(s.server, 0, &err));
    visitor_ask(&v, &s, "GET", "/api/v1/events?watch=1&resourceVersion=1", "", NULL);
    expect(&v, "ERROR", "\"message\":\"The resourceVersion for the provided watch is too old.\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch, of_events_tells_those_of_both_groups_in_its_own_version)
{
    serving s;
    visitor core;
    visitor newer;

    serving_start(&s, NULL);
    serving_put(&s, "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"a\","
                    "\"namespace\":\"default\"},\"message\":\"one\"}");
    visitor_ask(&core, &s, "GET", "/api/v1/events?watch=1", "", NULL);
    visitor_ask(&newer, &s, "GET", "/apis/events.k8s.io/v1/events?watch=1", "", NULL);
    expect(&core, "ADDED", "\"message\":\"one\"");
    expect(&newer, "ADDED", "\"note\":\"one\"");
    serving_put(&s, "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{"
                    "\"name\":\"a\",\"namespace\":\"default\"},\"note\":\"two\"}");
    expect(&core, "MODIFIED", "\"message\":\"two\"");
    expect(&newer, "MODIFIED", "\"note\":\"two\"");
    visitor_leave(&core);
    visitor_leave(&newer);
    serving_stop(&s);
}

TEST(watch, of_autoscalers_tells_each_version_in_its_own_members)
{
    serving s;
    visitor older;
    visitor newer;

    serving_start(&s, NULL);
    serving_put(&s, "{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"HorizontalPodAutoscaler\","
                    "\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"},\"spec\":{"
                    "\"targetCPUUtilizationPercentage\":55}}");
    visitor_ask(&older, &s, "GET", "/apis/autoscaling/v1/horizontalpodautoscalers?watch=1", "",
                NULL);
    visitor_ask(&newer, &s, "GET", "/apis/autoscaling/v2/horizontalpodautoscalers?watch=1", "",
                NULL);
    expect(&older, "ADDED", "\"targetCPUUtilizationPercentage\":55");
    expect(&newer, "ADDED", "\"averageUtilization\":55");
    visitor_leave(&older);
    visitor_leave(&newer);
    serving_stop(&s);
}

/* 0 is no time at all, and there is none that is too long. */
TEST(watch, goes_on_when_its_time_is_zero_or_endless)
{
    static const char *const times[] = { "&timeoutSeconds=0",
                                         "&timeoutSeconds=9223372036854775807" };
    serving s;
    visitor v;

    serving_start(&s, NULL);
    for (size_t i = 0; i < 2; i++) {
        watch(&v, &s, times[i]);
        serving_pass(&s, 1000);
        ASSERT_TRUE(visitor_is_silent(&v, &s));
        visitor_leave(&v);
    }
    serving_stop(&s);
}

TEST(watch, without_a_time_does_not_end_together_with_others)
{
    enum { COUNT = 6 };
    static visitor v[COUNT];
    serving s;
    kin_server_counts counts;

    serving_start(&s, NULL);
    for (int i = 0; i < COUNT; i++) {
        watch(&v[i], &s, "");
    }
    serving_pass(&s, 1800000);
    kin_server_get_counts(s.server, &counts);
    ASSERT_TRUE(counts.watches > 0);
    for (int i = 0; i < COUNT; i++) {
        visitor_leave(&v[i]);
    }
    serving_stop(&s);
}

TEST(watch, of_a_version_to_come_that_nobody_waits_for_is_refused_at_once)
{
    serving s;
    int status;

    serving_start(&s, NULL);
    ASSERT_CONTAINS(serving_ask(&s, "GET",
                                CONFIGS "?watch=1&resourceVersion=999&sendInitialEvents=true"
                                        "&resourceVersionMatch=NotOlderThan",
                                "", &status),
                    "Too large resource version: 999");
    serving_stop(&s);
}

TEST(watch, that_waited_begins_with_the_newest_state)
{
    serving s;
    visitor v;
    char query[160];
    char newest[64];
    uint64_t revision;
    kin_error err;

    serving_start(&s, NULL);
    revision = serving_put_config(&s, "a", "{}", "1");
    snprintf(query, sizeof query,
             "&resourceVersion=%" PRIu64 "&sendInitialEvents=true&resourceVersionMatch="
             "NotOlderThan&allowWatchBookmarks=true",
             revision + 1);
    watch(&v, &s, query);
    kin_str both = kin_str_of("{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":["
                              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                              "\"name\":\"b\",\"namespace\":\"default\"}},"
                              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                              "\"name\":\"c\",\"namespace\":\"default\"}}]}");
    ASSERT_OK(kin_server_put_list(s.server, both, &revision, &err));
    expect(&v, "ADDED", "\"name\":\"a\"");
    expect(&v, "ADDED", "\"name\":\"b\"");
    expect(&v, "ADDED", "\"name\":\"c\"");
    snprintf(newest, sizeof newest, "\"resourceVersion\":\"%" PRIu64 "\"", revision);
    expect(&v, "BOOKMARK", newest);
    visitor_leave(&v);
    serving_stop(&s);
}
