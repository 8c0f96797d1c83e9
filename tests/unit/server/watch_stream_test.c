/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_stream_test.c - what a watch sends: selectors, bookmarks, forms, and what goes wrong with
 * it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "server/watch_state.h"
#include "serving.h"

#define CONFIGS "/api/v1/namespaces/default/configmaps"

static void watch_as(visitor *v, serving *s, const char *query, const char *headers)
{
    char path[512];

    snprintf(path, sizeof path, CONFIGS "?watch=1%s", query);
    visitor_ask(v, s, "GET", path, headers, NULL);
    ASSERT_EQ(v->status, 200);
}

static void watch(visitor *v, serving *s, const char *query)
{
    watch_as(v, s, query, "");
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

TEST(watch_stream, tells_of_what_begins_and_ceases_to_match)
{
    serving s;
    visitor v;
    char version[64];

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{\"app\":\"x\"}", "1");
    serving_put_config(&s, "b", "{\"app\":\"y\"}", "1");
    watch(&v, &s, "&labelSelector=app%3Dx");
    expect(&v, "ADDED", "\"name\":\"a\"");
    serving_put_config(&s, "b", "{\"app\":\"x\"}", "2");
    expect(&v, "ADDED", "\"name\":\"b\"");
    serving_put_config(&s, "b", "{\"app\":\"x\"}", "3");
    expect(&v, "MODIFIED", "\"data\":{\"v\":\"3\"}");
    uint64_t gone = serving_put_config(&s, "b", "{\"app\":\"y\"}", "4");
    snprintf(version, sizeof version, "\"resourceVersion\":\"%" PRIu64 "\"", gone);
    expect(&v, "DELETED", "\"data\":{\"v\":\"3\"}");
    ASSERT_CONTAINS(v.body.chars, version);
    ASSERT_CONTAINS(v.body.chars, "\"labels\":{\"app\":\"x\"}");
    serving_put_config(&s, "b", "{\"app\":\"y\"}", "5");
    serving_remove_config(&s, "b");
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_remove_config(&s, "a");
    expect(&v, "DELETED", "\"name\":\"a\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, shows_a_removed_object_with_the_version_of_its_removal)
{
    serving s;
    visitor v;
    char version[64];
    uint64_t revision;
    kin_error err;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    watch(&v, &s, "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
    ASSERT_OK(kin_server_remove(s.server, "v1", "ConfigMap", "default", "a", &revision, &err));
    snprintf(version, sizeof version, "\"resourceVersion\":\"%" PRIu64 "\"", revision);
    expect(&v, "DELETED", version);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, has_a_bookmark_every_minute_and_shortly_before_its_end)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    uint64_t start = serving_put_config(&s, "a", "{}", "1");
    char query[128];
    snprintf(query, sizeof query,
             "&resourceVersion=%" PRIu64 "&allowWatchBookmarks=true&timeoutSeconds=100", start);
    watch(&v, &s, query);
    serving_put(&s, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}");
    serving_pass(&s, 59999);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_pass(&s, 1);
    char want[64];
    snprintf(want, sizeof want, "\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"}",
             kin_server_revision(s.server));
    expect(&v, "BOOKMARK", want);
    serving_pass(&s, 37999);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_pass(&s, 1);
    expect(&v, "BOOKMARK", want);
    serving_pass(&s, 2000);
    ASSERT_TRUE(visitor_read_line(&v) == NULL);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, has_no_bookmark_that_it_did_not_ask_for_or_that_tells_nothing_new)
{
    serving s;
    visitor asked, silent;
    char query[128];
    kin_error err;

    serving_start(&s, NULL);
    uint64_t start = serving_put_config(&s, "a", "{}", "1");
    snprintf(query, sizeof query, "&resourceVersion=%" PRIu64 "&allowWatchBookmarks=1", start);
    watch(&asked, &s, query);
    snprintf(query, sizeof query, "&resourceVersion=%" PRIu64, start - 1);
    watch(&silent, &s, query);
    expect(&silent, "ADDED", "\"name\":\"a\"");
    ASSERT_OK(kin_server_bookmark(s.server, &err));
    ASSERT_TRUE(visitor_is_silent(&asked, &s)); /* the version is that with which it began */
    ASSERT_TRUE(visitor_is_silent(&silent, &s));
    visitor_leave(&asked);
    visitor_leave(&silent);
    serving_stop(&s);
}

TEST(watch_stream, has_a_bookmark_on_command_behind_all_changes)
{
    serving s;
    visitor v;
    kin_error err;

    serving_start(&s, NULL);
    watch(&v, &s,
          "&allowWatchBookmarks=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
    uint64_t last = serving_put_config(&s, "a", "{}", "1");
    ASSERT_OK(kin_server_bookmark(s.server, &err));
    expect(&v, "ADDED", "\"name\":\"a\"");
    char want[64];
    snprintf(want, sizeof want, "{\"resourceVersion\":\"%" PRIu64 "\"}", last);
    expect(&v, "BOOKMARK", want);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, of_events_has_no_bookmarks_but_the_one_that_ends_the_initial_events)
{
    serving s;
    visitor v;
    kin_error err;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "GET", "/api/v1/events?watch=1&allowWatchBookmarks=1", "", NULL);
    expect(&v, "BOOKMARK", "k8s.io/initial-events-end");
    serving_put_config(&s, "a", "{}", "1");
    ASSERT_OK(kin_server_bookmark(s.server, &err));
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, tells_the_columns_of_a_table_once)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    watch_as(&v, &s, "", "Accept: application/json;as=Table;g=meta.k8s.io;v=v1\r\n");
    expect(&v, "ADDED", "\"columnDefinitions\":[{\"name\":\"Name\"");
    ASSERT_CONTAINS(v.body.chars, "\"cells\":[\"a\",1,");
    serving_put_config(&s, "a", "{}", "2");
    expect(&v, "MODIFIED", "\"columnDefinitions\":null");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, that_was_asked_for_as_a_list_ends_with_the_first_event)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    watch_as(&v, &s, "",
             "Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1\r\n");
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_put_config(&s, "a", "{}", "1");
    ASSERT_TRUE(visitor_read_line(&v) == NULL);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, shows_metadata_alone_when_that_is_asked_for)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    watch_as(&v, &s, "&allowWatchBookmarks=1",
             "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1\r\n");
    expect(&v, "ADDED",
           "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{");
    ASSERT_TRUE(strstr(v.body.chars, "data\":{\"v\"") == NULL);
    expect(&v, "BOOKMARK", "{\"kind\":\"PartialObjectMetadata\"");
    ASSERT_CONTAINS(v.body.chars, "k8s.io/initial-events-end");
    serving_put_config(&s, "a", "{}", "2");
    expect(&v, "MODIFIED", "{\"kind\":\"PartialObjectMetadata\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, that_stayed_behind_for_too_long_ends)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    serving s;
    visitor v;
    static char value[60000];

    memset(value, 'v', sizeof value - 1);
    options.has_no_tls = true;
    options.token = "";
    options.history_max = 5;
    serving_start(&s, &options);
    watch(&v, &s, "");
    int events = 0;
    for (int i = 0; i < 400; i++) { /* more than any socket holds */
        static char json[65536];
        int len = snprintf(json, sizeof json,
                           "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                           "\"namespace\":\"default\",\"name\":\"a\"},\"data\":{\"v\":\"%d%s\"}}",
                           i, value);
        kin_error err;
        ASSERT_OK(kin_server_put(s.server, (kin_str){ json, (size_t) len }, NULL, &err));
    }
    char drained[65536];
    ssize_t count;
    while ((count = recv(v.fd, drained, sizeof drained, MSG_DONTWAIT)) > 0 || events++ < 1000) {
        (void) kin_server_revision(s.server);
        if (count == 0) {
            break;
        }
        if (count > 7 && memcmp(drained + count - 7, "\r\n0\r\n\r\n", 7) == 0) {
            break;
        }
    }
    kin_server_counts counts;
    kin_server_get_counts(s.server, &counts);
    ASSERT_EQ(counts.watches, 0);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, does_what_a_fault_tells_it)
{
    static const struct {
        const char *fault;
        const char *types[3]; /* of the events behind the first, which goes well; NULL: no more */
        bool ends, closes;
    } cases[] = {
        { "{\"do\":\"cut\",\"now\":true,\"after_events\":1}", { NULL }, false, true },
        { "{\"do\":\"hang-up\",\"now\":true,\"after_events\":1}", { NULL }, false, true },
        { "{\"do\":\"end\",\"now\":true,\"after_events\":1}", { NULL }, true, false },
        { "{\"do\":\"expire\",\"now\":true,\"after_events\":1}", { "ERROR" }, true, false },
        { "{\"do\":\"duplicate\",\"now\":true,\"after_events\":1}",
          { "MODIFIED", "MODIFIED", "DELETED" },
          false,
          false },
        { "{\"do\":\"oversize\",\"size\":100,\"now\":true,\"after_events\":1}",
          { "MODIFIED", "DELETED" },
          false,
          false },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        serving s;
        visitor v;
        serving_start(&s, NULL);
        watch(&v, &s, "");
        serving_fault(&s, cases[i].fault);
        serving_put_config(&s, "a", "{}", "1");
        expect(&v, "ADDED", "\"name\":\"a\"");
        serving_put_config(&s, "a", "{}", "2");
        serving_remove_config(&s, "a");
        for (size_t e = 0; e < 3 && cases[i].types[e] != NULL; e++) {
            expect(&v, cases[i].types[e], "{");
        }
        if (cases[i].ends || cases[i].closes) {
            ASSERT_TRUE(visitor_read_line(&v) == NULL);
        }
        ASSERT_EQ(v.is_over, cases[i].ends);
        ASSERT_EQ(v.is_closed, cases[i].closes);
        visitor_leave(&v);
        serving_stop(&s);
    }
}

TEST(watch_stream, that_stalls_sends_nothing_and_stays_open)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    watch(&v, &s, "&timeoutSeconds=10&allowWatchBookmarks=1&resourceVersion=1");
    serving_fault(&s, "{\"do\":\"stall\",\"now\":true}");
    serving_put_config(&s, "a", "{}", "1");
    serving_pass(&s, 100000);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, goes_on_after_a_stall_that_ends)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    watch(&v, &s, "");
    serving_fault(&s, "{\"do\":\"stall\",\"now\":true,\"after_events\":1,\"ms\":5000}");
    serving_put_config(&s, "a", "{}", "1");
    expect(&v, "ADDED", "\"v\":\"1\"");
    serving_put_config(&s, "a", "{}", "2");
    serving_put_config(&s, "a", "{}", "3");
    serving_pass(&s, 4999);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_pass(&s, 1);
    expect(&v, "MODIFIED", "\"v\":\"2\"");
    expect(&v, "MODIFIED", "\"v\":\"3\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, ends_with_the_error_that_it_is_told)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    watch(&v, &s, "");
    expect(&v, "ADDED", "\"name\":\"a\"");
    serving_fault(&s, "{\"do\":\"error\",\"code\":500,\"message\":\"no leader\",\"now\":true}");
    expect(&v, "ERROR",
           "\"status\":\"Failure\",\"message\":\"no leader\",\"reason\":"
           "\"InternalError\",\"code\":500}");
    ASSERT_TRUE(visitor_read_line(&v) == NULL);
    ASSERT_TRUE(v.is_over);
    visitor_leave(&v);
    serving_fault(&s, "{\"do\":\"error\",\"code\":429,\"retry_after\":7}");
    watch(&v, &s, "");
    expect(&v, "ERROR",
           "\"reason\":\"TooManyRequests\",\"details\":{\"retryAfterSeconds\":7},"
           "\"code\":429}");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, has_a_bookmark_from_the_past_when_it_is_told_to)
{
    serving s;
    visitor v;
    char version[64];

    serving_start(&s, NULL);
    watch(&v, &s, "&allowWatchBookmarks=1&resourceVersion=0");
    expect(&v, "BOOKMARK", "initial-events-end");
    uint64_t first = serving_put_config(&s, "a", "{}", "1");
    serving_put_config(&s, "a", "{}", "2");
    expect(&v, "ADDED", "\"v\":\"1\"");
    expect(&v, "MODIFIED", "\"v\":\"2\"");
    serving_fault(&s, "{\"do\":\"old-bookmark\",\"by\":1,\"now\":true}");
    snprintf(version, sizeof version, "\"resourceVersion\":\"%" PRIu64 "\"", first);
    expect(&v, "BOOKMARK", version);
    serving_fault(&s, "{\"do\":\"old-bookmark\",\"by\":9999,\"now\":true,\"after_events\":1}");
    serving_put_config(&s, "a", "{}", "3");
    serving_put_config(&s, "a", "{}", "4");
    expect(&v, "MODIFIED", "\"v\":\"3\"");
    expect(&v, "BOOKMARK", "\"resourceVersion\":\"1\"");
    expect(&v, "MODIFIED", "\"v\":\"4\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, leaves_out_the_bookmarks_it_is_told_to)
{
    serving s;
    visitor v;
    kin_error err;

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"no-initial-end\"}");
    serving_put_config(&s, "a", "{}", "1");
    watch(&v, &s, "&allowWatchBookmarks=1");
    expect(&v, "ADDED", "\"name\":\"a\"");
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    visitor_leave(&v);
    serving_fault(&s, "{\"do\":\"no-bookmarks\"}");
    watch(&v, &s, "&allowWatchBookmarks=1");
    expect(&v, "ADDED", "\"name\":\"a\"");
    expect(&v, "BOOKMARK", "initial-events-end");
    serving_put_config(&s, "b", "{}", "1");
    expect(&v, "ADDED", "\"name\":\"b\"");
    ASSERT_OK(kin_server_bookmark(s.server, &err));
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, goes_back_in_time_when_it_is_told_to)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    serving_put_config(&s, "a", "{}", "2");
    serving_put_config(&s, "a", "{}", "3");
    serving_fault(&s, "{\"do\":\"back-in-time\",\"by\":2}");
    watch(&v, &s, ""); /* consistent: it is spared, and not counted */
    expect(&v, "ADDED", "\"data\":{\"v\":\"3\"}");
    visitor_leave(&v);
    watch(&v, &s, "&resourceVersion=0");
    expect(&v, "ADDED", "\"data\":{\"v\":\"1\"}");
    expect(&v, "MODIFIED", "\"data\":{\"v\":\"2\"}");
    expect(&v, "MODIFIED", "\"data\":{\"v\":\"3\"}");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, ends_when_changes_were_forgotten_while_it_sent_its_state)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    serving s;
    visitor v;
    char name[16];

    options.has_no_tls = true;
    options.token = "";
    options.history_max = 2;
    serving_start(&s, &options);
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "c%02d", i);
        serving_put_config(&s, name, "{}", "1");
    }
    /* Enough for all that it has at hand, which is not all objects; then it rests. */
    serving_fault(&s, "{\"do\":\"slow\",\"bytes_per_second\":1000000}");
    watch(&v, &s, "");
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "%d", i);
        serving_put_config(&s, "c00", "{}", name);
    }
    for (int i = 0; i < 10; i++) {
        serving_pass(&s, 100);
    }
    for (int i = 0; i < 60; i++) {
        expect(&v, "ADDED", "\"data\":{\"v\":\"1\"}");
    }
    ASSERT_TRUE(visitor_read_line(&v) == NULL);
    ASSERT_TRUE(v.is_over);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, counts_what_it_begins_with_among_its_events)
{
    static const char *const headers[] = {
        "", "Accept: application/json;as=Table;g=meta.k8s.io;v=v1\r\n"
    };

    for (size_t i = 0; i < 2; i++) {
        serving s;
        visitor v;
        kin_server_counts counts;
        serving_start(&s, NULL);
        for (char name[] = "a"; name[0] < 'e'; name[0]++) {
            serving_put_config(&s, name, "{}", "1");
        }
        serving_fault(&s, "{\"do\":\"expire\",\"verb\":\"watch\",\"after_events\":2}");
        watch_as(&v, &s, "", headers[i]);
        expect(&v, "ADDED", "\"name\":\"a\"");
        expect(&v, "ADDED", "\"name\":\"b\"");
        expect(&v, "ERROR", "\"code\":410");
        ASSERT_TRUE(visitor_read_line(&v) == NULL);
        kin_server_get_counts(s.server, &counts);
        ASSERT_EQ(counts.events, 3);
        visitor_leave(&v);
        serving_stop(&s);
    }
}

TEST(watch_stream, can_be_spoiled_on_each_object_that_it_begins_with)
{
    static const struct {
        const char *fault;
        const char *names[4]; /* of the events behind the first; NULL: no more */
    } cases[] = {
        { "{\"do\":\"duplicate\",\"after_events\":1}", { "\"b\"", "\"b\"", "\"c\"" } },
        { "{\"do\":\"oversize\",\"size\":100,\"after_events\":1}",
          { "kin.test/oversize", "\"c\"" } },
        { "{\"do\":\"corrupt\",\"after_events\":1}", { "\"type\":\"MODIFIED\"", "\"c\"" } },
        { "{\"do\":\"cut\",\"after_events\":1}", { NULL } },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        serving s;
        visitor v;
        serving_start(&s, NULL);
        for (char name[] = "a"; name[0] < 'd'; name[0]++) {
            serving_put_config(&s, name, "{}", "1");
        }
        serving_fault(&s, cases[i].fault);
        watch(&v, &s, "");
        expect(&v, "ADDED", "\"name\":\"a\"");
        for (size_t e = 0; cases[i].names[e] != NULL; e++) {
            const char *line = visitor_read_line(&v);
            ASSERT_TRUE(line != NULL);
            ASSERT_CONTAINS(line, cases[i].names[e]);
        }
        if (cases[i].names[0] == NULL) {
            ASSERT_TRUE(visitor_read_line(&v) == NULL);
            ASSERT_FALSE(v.is_over);
        } else {
            ASSERT_TRUE(visitor_is_silent(&v, &s));
        }
        visitor_leave(&v);
        serving_stop(&s);
    }
}

TEST(watch_stream, goes_back_in_time_no_further_than_history_does)
{
    serving s;
    visitor v;
    kin_error err;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    serving_put_config(&s, "a", "{}", "2");
    ASSERT_OK(kin_server_compact(s.server, 0, &err));
    serving_put_config(&s, "a", "{}", "3");
    serving_fault(&s, "{\"do\":\"back-in-time\",\"by\":1000,\"times\":2}");
    visitor_ask(&v, &s, "GET", CONFIGS "?resourceVersion=0", "", NULL);
    ASSERT_EQ(v.status, 200);
    ASSERT_CONTAINS(visitor_read_all(&v), "\"data\":{\"v\":\"2\"}");
    visitor_leave(&v);
    watch(&v, &s, "&resourceVersion=0");
    expect(&v, "ADDED", "\"data\":{\"v\":\"2\"}");
    expect(&v, "MODIFIED", "\"data\":{\"v\":\"3\"}");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, is_struck_by_its_name_and_its_path)
{
    static const struct {
        const char *fault, *query;
        bool is_struck;
    } cases[] = {
        { "{\"do\":\"end\",\"now\":true,\"name\":\"a\"}", "&fieldSelector=metadata.name%3Da",
          true },
        { "{\"do\":\"end\",\"now\":true,\"name\":\"a\"}", "&fieldSelector=metadata.name%3Db",
          false },
        { "{\"do\":\"end\",\"now\":true,\"name\":\"a\"}", "", false },
        { "{\"do\":\"end\",\"now\":true,\"path\":\"/api/v1/namespaces/default\"}", "", true },
        { "{\"do\":\"end\",\"now\":true,\"path\":\"/api/v1/namespaces/other\"}", "", false },
        { "{\"do\":\"end\",\"now\":true,\"namespace\":\"default\"}", "", true },
        { "{\"do\":\"end\",\"now\":true,\"namespace\":\"defaul\"}", "", false },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        serving s;
        visitor v;
        serving_start(&s, NULL);
        watch(&v, &s, cases[i].query);
        serving_fault(&s, cases[i].fault);
        if (cases[i].is_struck) {
            ASSERT_TRUE(visitor_read_line(&v) == NULL);
        }
        ASSERT_TRUE(cases[i].is_struck ? v.is_over : visitor_is_silent(&v, &s));
        visitor_leave(&v);
        serving_stop(&s);
    }
}

TEST(watch_stream, that_was_asked_for_as_a_list_is_told_what_is_wrong)
{
    serving s;
    visitor v;
    kin_error err;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    ASSERT_OK(kin_server_compact(s.server, 0, &err));
    watch_as(&v, &s, "&resourceVersion=1",
             "Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1\r\n");
    expect(&v, "ERROR", "\"code\":410");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, has_no_bookmark_for_the_state_that_it_began_with)
{
    serving s;
    visitor v;
    kin_error err;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    watch(&v, &s, "&allowWatchBookmarks=true");
    expect(&v, "ADDED", "\"name\":\"a\"");
    expect(&v, "BOOKMARK", "initial-events-end");
    ASSERT_OK(kin_server_bookmark(s.server, &err));
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_put_config(&s, "a", "{}", "2"); /* the bookmark is not owed until then */
    expect(&v, "MODIFIED", "\"v\":\"2\"");
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    visitor_leave(&v);
    serving_stop(&s);
}

/* The version at which the state was taken, however long it took to send it. */
TEST(watch_stream, ends_its_initial_events_at_the_version_of_the_state)
{
    serving s;
    visitor v;
    char name[16];
    char want[64];
    uint64_t revision = 0;

    serving_start(&s, NULL);
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "c%02d", i);
        revision = serving_put_config(&s, name, "{}", "1");
    }
    serving_fault(&s, "{\"do\":\"slow\",\"bytes_per_second\":1000000}");
    watch(&v, &s, "&allowWatchBookmarks=true");
    serving_put_config(&s, "c00", "{}", "2");
    for (int i = 0; i < 10; i++) {
        serving_pass(&s, 100);
    }
    for (int i = 0; i < 60; i++) {
        expect(&v, "ADDED", "\"data\":{\"v\":\"1\"}");
    }
    snprintf(want, sizeof want, "\"resourceVersion\":\"%" PRIu64 "\"", revision);
    expect(&v, "BOOKMARK", want);
    expect(&v, "MODIFIED", "\"data\":{\"v\":\"2\"}");
    visitor_leave(&v);
    serving_stop(&s);
}

/* What is done to an event waits for one. */
TEST(watch_stream, is_spoiled_on_an_event_when_there_is_one)
{
    static const struct {
        const char *fault;
        const char *parts[2]; /* of the lines that come then */
    } cases[] = {
        { "{\"do\":\"duplicate\",\"now\":true}", { "\"v\":\"1\"", "\"v\":\"1\"" } },
        { "{\"do\":\"oversize\",\"now\":true,\"size\":9}", { "oversize\":\"xxxxxxxxx\"", NULL } },
        { "{\"do\":\"corrupt\",\"now\":true}", { "MODIFIED", NULL } },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        serving s;
        visitor v, other;
        serving_start(&s, NULL);
        watch(&v, &s, "");
        serving_fault(&s, cases[i].fault);
        ASSERT_TRUE(visitor_is_silent(&v, &s));
        watch(&other, &s, "");
        serving_put_config(&s, "a", "{}", "1");
        for (size_t e = 0; e < 2 && cases[i].parts[e] != NULL; e++) {
            ASSERT_CONTAINS(visitor_read_line(&v), cases[i].parts[e]);
        }
        ASSERT_TRUE(visitor_is_silent(&v, &s));
        expect(&other, "ADDED", "\"v\":\"1\"");
        ASSERT_TRUE(strstr(other.body.chars, "oversize") == NULL);
        visitor_leave(&other);
        visitor_leave(&v);
        serving_stop(&s);
    }
}

TEST(watch_stream, is_cut_on_the_event_behind_those_that_go_well)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    watch(&v, &s, "");
    serving_put_config(&s, "before", "{}", "1"); /* does not count */
    expect(&v, "ADDED", "\"name\":\"before\"");
    serving_fault(&s, "{\"do\":\"cut\",\"now\":true,\"after_events\":1}");
    serving_put_config(&s, "a", "{}", "1");
    expect(&v, "ADDED", "\"name\":\"a\"");
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_put_config(&s, "a", "{}", "2");
    ASSERT_TRUE(visitor_read_line(&v) == NULL);
    ASSERT_TRUE(v.is_closed);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, of_a_table_has_bookmarks_that_are_tables)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    watch_as(&v, &s, "&allowWatchBookmarks=true",
             "Accept: application/json;as=Table;g=meta.k8s.io;v=v1\r\n");
    expect(&v, "BOOKMARK", "\"kind\":\"Table\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watch_stream, of_a_table_may_be_enlarged)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    serving_fault(&s, "{\"do\":\"oversize\",\"size\":9}");
    watch_as(&v, &s, "", "Accept: application/json;as=Table;g=meta.k8s.io;v=v1\r\n");
    expect(&v, "ADDED", "\"kind\":\"Table\"");
    ASSERT_CONTAINS(v.body.chars, "\"kin.test/oversize\":\"xxxxxxxxx\"");
    visitor_leave(&v);
    serving_stop(&s);
}

/* One byte, and nothing that goes by events. */
TEST(watch_stream, of_which_a_byte_is_another_goes_on)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    serving_fault(&s, "{\"do\":\"corrupt\",\"after_bytes\":1}");
    watch(&v, &s, "");
    ASSERT_TRUE(strncmp(visitor_read_line(&v), "{\"type\"", 7) != 0);
    for (int i = 0; i < 3; i++) {
        serving_put_config(&s, "a", "{}", i % 2 == 0 ? "2" : "1");
        expect(&v, "MODIFIED",
               i % 2 == 0 ? "\"data\":{\"v\":\"2\"}}}" : "\"data\":{\"v\":\"1\"}}}");
    }
    visitor_leave(&v);
    serving_stop(&s);
}

/* A cut ends the connection, a hang-up resets it. */
TEST(watch_stream, is_closed_or_reset_as_the_fault_says)
{
    static const char *const faults[] = { "{\"do\":\"cut\",\"now\":true}",
                                          "{\"do\":\"hang-up\",\"now\":true}" };

    for (size_t i = 0; i < 2; i++) {
        serving s;
        visitor v;
        char byte;
        ssize_t got;
        serving_start(&s, NULL);
        watch(&v, &s, "");
        serving_fault(&s, faults[i]);
        while ((got = recv(v.fd, &byte, 1, 0)) > 0) {
        }
        ASSERT_EQ(got, i == 0 ? 0 : -1);
        ASSERT_TRUE(i == 0 || errno == ECONNRESET);
        visitor_leave(&v);
        serving_stop(&s);
    }
}

TEST(watch_stream, to_come_is_struck_by_a_fault_of_now_that_says_how_often)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    watch(&v, &s, "");
    serving_fault(&s, "{\"do\":\"end\",\"now\":true,\"times\":1}");
    ASSERT_TRUE(visitor_read_line(&v) == NULL);
    visitor_leave(&v);
    for (int i = 0; i < 2; i++) {
        watch(&v, &s, "");
        ASSERT_TRUE(i == 0 ? visitor_read_line(&v) == NULL : visitor_is_silent(&v, &s));
        visitor_leave(&v);
    }
    serving_stop(&s);
}
