/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watchers_test.c - many watches at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "server/errand.h"
#include "server/frame.h"
#include "serving.h"

#define MANY 200

TEST(watchers, are_all_told_in_order)
{
    serving s;
    visitor *all = calloc(MANY, sizeof *all);
    kin_server_counts counts;

    ASSERT_TRUE(all != NULL);
    serving_start(&s, NULL);
    for (int i = 0; i < MANY; i++) {
        visitor_ask(&all[i], &s, "GET", "/api/v1/configmaps?watch=1", "", NULL);
    }
    for (int change = 0; change < 10; change++) {
        char value[16];
        snprintf(value, sizeof value, "%d", change);
        serving_put_config(&s, "a", "{}", value);
    }
    for (int i = 0; i < MANY; i++) {
        for (int change = 0; change < 10; change++) {
            char part[32];
            snprintf(part, sizeof part, "\"data\":{\"v\":\"%d\"}", change);
            ASSERT_CONTAINS(visitor_read_line(&all[i]), part);
        }
    }
    kin_server_get_counts(s.server, &counts);
    ASSERT_EQ(counts.watches, MANY);
    ASSERT_EQ(counts.events, 10 * MANY);
    for (int i = 0; i < MANY; i++) {
        visitor_leave(&all[i]);
    }
    serving_stop(&s);
    free(all);
}

TEST(watchers, may_all_be_cut_by_the_event_that_wakes_them)
{
    serving s;
    visitor all[8];

    serving_start(&s, NULL);
    for (int i = 0; i < 8; i++) {
        visitor_ask(&all[i], &s, "GET", "/api/v1/configmaps?watch=1", "", NULL);
    }
    serving_fault(&s, "{\"do\":\"hang-up\",\"now\":true,\"after_events\":0}");
    for (int i = 0; i < 8; i++) {
        ASSERT_TRUE(visitor_read_line(&all[i]) == NULL);
        ASSERT_TRUE(all[i].is_closed);
        visitor_leave(&all[i]);
    }
    serving_put_config(&s, "a", "{}", "1");
    serving_stop(&s);
}

static const char things[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
    "\"metadata\":{\"name\":\"things.x.io\"},\"spec\":{\"group\":\"x.io\",\"scope\":"
    "\"Cluster\","
    "\"names\":{\"plural\":\"things\",\"singular\":\"thing\",\"kind\":\"Thing\",\"listKind\":"
    "\"ThingList\"},\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":"
    "{"
    "\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}";

TEST(watchers, of_a_resource_that_goes_end_behind_its_last_event)
{
    serving s;
    visitor v;
    int status;

    serving_start(&s, NULL);
    serving_ask(&s, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", things,
                &status);
    ASSERT_EQ(status, 201);
    serving_ask(&s, "POST", "/apis/x.io/v1/things",
                "{\"apiVersion\":\"x.io/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"t\"}}",
                &status);
    ASSERT_EQ(status, 201);
    visitor_ask(&v, &s, "GET", "/apis/x.io/v1/things?watch=1", "", NULL);
    ASSERT_CONTAINS(visitor_read_line(&v), "{\"type\":\"ADDED\"");
    serving_ask(&s, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.x.io",
                "", &status);
    ASSERT_EQ(status, 200);
    ASSERT_CONTAINS(visitor_read_line(&v), "{\"type\":\"DELETED\"");
    ASSERT_TRUE(visitor_read_line(&v) == NULL);
    ASSERT_TRUE(v.is_over);
    visitor_leave(&v);
    serving_ask(&s, "GET", "/apis/x.io/v1/things", "", &status);
    ASSERT_EQ(status, 404);
    serving_stop(&s);
}

TEST(watchers, of_a_resource_without_objects_end_when_it_goes)
{
    serving s;
    visitor v;
    int status;

    serving_start(&s, NULL);
    serving_ask(&s, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", things,
                &status);
    ASSERT_EQ(status, 201);
    visitor_ask(&v, &s, "GET", "/apis/x.io/v1/things?watch=1", "", NULL);
    serving_ask(&s, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.x.io",
                "", &status);
    ASSERT_EQ(status, 200);
    ASSERT_TRUE(visitor_read_line(&v) == NULL);
    ASSERT_TRUE(v.is_over);
    visitor_leave(&v);
    serving_stop(&s);
}

/* Runs on the server's loop, to which all of this belongs. */
static kin_err count_frames(kin__errand *e, kin_error *err)
{
    const kin__served *maps =
        kin__shelf_find(e->server->engine.shelf, STR(""), STR("v1"), STR("configmaps"));

    (void) err;
    for (uint64_t n = kin__collection_first_change(maps->collection);
         n < kin__collection_end_change(maps->collection); n++) {
        e->number += kin__collection_change(maps->collection, n)->frames != NULL;
    }
    return KIN_OK;
}

static size_t frames_kept(const serving *s)
{
    kin__errand e = { .run = count_frames };
    kin_error err;

    ASSERT_OK(kin__errand_run(s->server, &e, &err));
    return (size_t) e.number;
}

TEST(watchers, keep_frames_of_the_newest_changes_and_of_none_when_they_are_gone)
{
    serving s;
    visitor old, live;
    kin_server_counts counts;
    kin_server_answer answer;
    kin_error err;
    char path[80];

    serving_start(&s, NULL);
    uint64_t start = kin_server_revision(s.server);
    for (int change = 0; change < 300; change++) {
        char value[16];
        snprintf(value, sizeof value, "%d", change);
        serving_put_config(&s, "a", "{}", value);
    }
    snprintf(path, sizeof path, "/api/v1/configmaps?watch=1&resourceVersion=%llu",
             (unsigned long long) start);
    ASSERT_OK(kin_server_ask(s.server, "GET", path, NULL, STR(""), &answer, &err));
    kin_server_answer_fini(&answer);
    ASSERT_EQ(frames_kept(&s), 0);

    visitor_ask(&old, &s, "GET", path, "", NULL);
    visitor_ask(&live, &s, "GET", "/api/v1/configmaps?watch=1", "", NULL);
    for (int change = 0; change < 300; change++) {
        ASSERT_TRUE(visitor_read_line(&old) != NULL);
    }
    ASSERT_TRUE(frames_kept(&s) > 0);
    ASSERT_TRUE(frames_kept(&s) <= KIN__FRAMES_KEPT);
    for (int change = 0; change < KIN__FRAMES_KEPT + 8; change++) {
        char value[16];
        snprintf(value, sizeof value, "new %d", change);
        serving_put_config(&s, "a", "{}", value);
        ASSERT_TRUE(visitor_read_line(&old) != NULL);
    }
    ASSERT_TRUE(frames_kept(&s) <= KIN__FRAMES_KEPT);

    visitor_leave(&old);
    visitor_leave(&live);
    do {
        kin_server_get_counts(s.server, &counts);
    } while (counts.watches > 0);
    ASSERT_EQ(frames_kept(&s), 0);
    serving_stop(&s);
}

TEST(watchers, see_each_version_in_its_own_words_when_another_one_is_stored)
{
#define VERSION(name, storage)                                                                     \
    "{\"name\":\"" name "\",\"served\":true,\"storage\":" storage                                  \
    ",\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}"
    static const char *const watched[] = { "/apis/x.io/v1/things?watch=1",
                                           "/apis/x.io/v2/things?watch=1" };
    static const char definition[] =
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
        "\"metadata\":{\"name\":\"things.x.io\"},\"spec\":{\"group\":\"x.io\",\"scope\":"
        "\"Cluster\",\"names\":{\"plural\":\"things\",\"singular\":\"thing\",\"kind\":\"Thing\","
        "\"listKind\":\"ThingList\"},\"versions\":[%s]}}";
    serving s;
    visitor v[4];
    int status;

    serving_start(&s, NULL);
    serving_put(&s, definition, VERSION("v1", "true") "," VERSION("v2", "false"));
    serving_put(&s,
                "{\"apiVersion\":\"x.io/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"}}");
    visitor_ask(&v[0], &s, "GET", watched[0], "", NULL);
    visitor_ask(&v[1], &s, "GET", watched[1], "", NULL);
    serving_put(&s, definition, VERSION("v1", "false") "," VERSION("v2", "true"));
    visitor_ask(&v[2], &s, "GET", watched[0], "", NULL);
    visitor_ask(&v[3], &s, "GET", watched[1], "", NULL);
    serving_put(&s,
                "{\"apiVersion\":\"x.io/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"b\"}}");
    for (int i = 0; i < 4; i++) {
        const char *want = i % 2 == 0 ? "\"apiVersion\":\"x.io/v1\"" : "\"apiVersion\":\"x.io/v2\"";
        ASSERT_CONTAINS(visitor_read_line(&v[i]), want);
        ASSERT_CONTAINS(visitor_read_line(&v[i]), want);
        visitor_leave(&v[i]);
    }
    ASSERT_TRUE(strstr(serving_ask(&s, "GET", "/apis/x.io/v1/things", "", &status), "x.io/v2") ==
                NULL);
    ASSERT_TRUE(strstr(serving_ask(&s, "GET", "/apis/x.io/v2/things", "", &status), "x.io/v1") ==
                NULL);
    serving_stop(&s);
#undef VERSION
}

/* The frames that they share go with the change; what stays would be found at the end. */
TEST(watchers, may_be_there_when_a_change_is_forgotten)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    serving s;
    visitor v;

    options.has_no_tls = true;
    options.token = "";
    options.history_max = 2;
    serving_start(&s, &options);
    visitor_ask(&v, &s, "GET", "/api/v1/configmaps?watch=1", "", NULL);
    for (int i = 0; i < 8; i++) {
        serving_put_config(&s, "a", "{}", i % 2 == 0 ? "1" : "2");
        ASSERT_TRUE(visitor_read_line(&v) != NULL);
    }
    ASSERT_TRUE(frames_kept(&s) <= 2);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(watchers, of_all_resources_have_a_bookmark_on_command)
{
    static const char *const paths[] = { "/api/v1/configmaps", "/api/v1/secrets", "/api/v1/pods" };
    static visitor all[3];
    serving s;
    kin_error err;
    char path[64];

    serving_start(&s, NULL);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s?watch=1&allowWatchBookmarks=1", paths[i]);
        visitor_ask(&all[i], &s, "GET", path, "", NULL);
        ASSERT_CONTAINS(visitor_read_line(&all[i]), "initial-events-end");
    }
    serving_put(&s, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n\"}}");
    ASSERT_OK(kin_server_bookmark(s.server, &err));
    for (size_t i = 0; i < 3; i++) {
        ASSERT_CONTAINS(visitor_read_line(&all[i]), "{\"type\":\"BOOKMARK\"");
        visitor_leave(&all[i]);
    }
    serving_stop(&s);
}
