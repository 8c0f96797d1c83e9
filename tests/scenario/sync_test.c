/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync_test.c - informers get the whole state in every way there is, and follow it.
 */
#include <stdio.h>

#include "scenario/world.h"

static world w;
static kin_error err;

static uint64_t connections(void)
{
    kin_server_counts counts;

    kin_server_get_counts(w.server, &counts);
    return counts.connections;
}

/* Lists, lists in pages and streaming lists, in both encodings. */
static void follow_in_every_way(void)
{
    static const kin_start starts[] = { KIN_START_LIST, KIN_START_LIST, KIN_START_WATCH_LIST };
    static const int32_t pages[] = { -1, 3, 0 };

    for (size_t i = 0; i < 6; i++) {
        kin_informer_options options = maps_options();

        options.start = starts[i % 3];
        options.page_size = pages[i % 3];
        options.encoding = i < 3 ? KIN_ENCODING_JSON : KIN_ENCODING_PROTOBUF;
        (void) world_follow(&w, NULL, options, MAPS);
    }
}

static void must_not_have_failed(void)
{
    for (size_t i = 0; i < w.count; i++) {
        kin_informer_status status = status_of(&w.followers[i]);

        ASSERT_EQ(status.state, KIN_INFORMER_WATCHING);
        ASSERT_EQ(status.failures, 0);
        ASSERT_EQ(status.restarts, 0);
        ASSERT_EQ(status.watches, 1);
    }
}

static void follow_over(kin_server_options options)
{
    world_open(&w, &options, QUICK);
    make_changes(&w, "before");
    follow_in_every_way();
    world_await_synced(&w);
    world_await_equal(&w);

    for (int i = 0; i < 5; i++) {
        make_changes(&w, "during");
        world_await_equal(&w);
    }

    must_not_have_failed();
    ASSERT_EQ(status_of(&w.followers[0]).lists, 1);
    ASSERT_EQ(status_of(&w.followers[2]).lists, 0);
}

TEST(scenario_sync, over_http_2)
{
    follow_over((kin_server_options) KIN_SERVER_OPTIONS_INIT);
    ASSERT_TRUE(connections() <= 4);
    world_close(&w);
}

TEST(scenario_sync, over_http_1_with_tls)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;

    options.has_no_http2 = true;
    follow_over(options);
    ASSERT_TRUE(connections() >= 6);
    world_close(&w);
}

TEST(scenario_sync, over_plain_http)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;

    options.has_no_tls = true;
    options.token = "";
    follow_over(options);
    ASSERT_TRUE(connections() >= 6);
    world_close(&w);
}

TEST(scenario_sync, with_a_client_that_speaks_http_1_only)
{
    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    kin_client_options http1 = KIN_CLIENT_OPTIONS_INIT;
    http1.http1_only = true;
    kin_client *client = world_connect(&w, NULL, &http1);
    for (int i = 0; i < 4; i++) {
        (void) world_follow(&w, client, maps_options(), MAPS);
    }
    world_await_synced(&w);
    make_changes(&w, "during");

    world_await_equal(&w);

    must_not_have_failed();
    ASSERT_TRUE(connections() >= 4);
    world_unfollow_all(&w);
    kin_client_free(client);
    world_close(&w);
}

/* What begins to match is added, what ceases to is deleted, also when it goes on being there. */
TEST(scenario_sync, of_what_selectors_leave)
{
    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    kin_informer_options options = maps_options();
    options.label_selector = "is in (new, again)";
    (void) world_follow(&w, NULL, options, MAPS "?labelSelector=is+in+(new,again)");
    options.label_selector = "is=changed";
    options.ns = "default";
    options.start = KIN_START_LIST;
    (void) world_follow(&w, NULL, options,
                        "/api/v1/namespaces/default/configmaps?labelSelector=is%3Dchanged");
    options = maps_options();
    options.field_selector = "metadata.name=before-0";
    (void) world_follow(&w, NULL, options, MAPS "?fieldSelector=metadata.name%3Dbefore-0");
    world_await_synced(&w);
    world_await_equal(&w);

    make_changes(&w, "before");
    put_map(&w, "before-2", "changed");
    put_map(&w, "before-0", "new");
    world_await_equal(&w);
    put_map(&w, "before-2", "new");
    remove_map(&w, "before-0");
    world_await_equal(&w);

    must_not_have_failed();
    ASSERT_EQ(status_of(&w.followers[2]).objects, 0);
    world_close(&w);
}

TEST(scenario_sync, of_pods_by_where_they_run)
{
    static const char *const pod =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"shop\",\"name\":"
        "\"%s\"},\"spec\":{\"nodeName\":\"%s\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]},"
        "\"status\":{\"phase\":\"%s\"}}";
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    world_open(&w, NULL, QUICK);
    put(&w, pod, "a", "one", "Pending");
    put(&w, pod, "b", "two", "Pending");
    options.resource = "pods";
    options.field_selector = "spec.nodeName=one,status.phase!=Running";
    (void) world_follow(&w, NULL, options,
                        PODS "?fieldSelector=spec.nodeName%3Done,status.phase!%3DRunning");
    world_await_synced(&w);
    ASSERT_EQ(status_of(&w.followers[0]).objects, 1);

    put(&w, pod, "c", "one", "Pending");
    put(&w, pod, "a", "one", "Running");
    world_await_equal(&w);

    ASSERT_EQ(status_of(&w.followers[0]).objects, 1);
    must_not_have_failed();
    world_close(&w);
}

TEST(scenario_sync, of_several_namespaces)
{
    static const char *const namespaces[] = { "default", "shop", NULL };
    static const char *const map = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                                   "\"namespace\":\"%s\",\"name\":\"%s\"},\"data\":{\"v\":\"%d\"}}";
    kin_informer_options options = maps_options();

    world_open(&w, NULL, QUICK);
    put(&w, map, "shop", "a", 1);
    put_map(&w, "b", "new");
    options.namespaces = namespaces;
    (void) world_follow(&w, NULL, options, MAPS);
    world_await_synced(&w);
    world_await_equal(&w);

    for (int i = 2; i < 10; i++) {
        put(&w, map, "shop", "a", i);
        make_changes(&w, "during");
    }

    world_await_equal(&w);
    ASSERT_EQ(status_of(&w.followers[0]).failures, 0);
    world_close(&w);
}

TEST(scenario_sync, of_metadata_alone)
{
    kin_informer_options options = maps_options();

    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    options.metadata_only = true;
    (void) world_follow(&w, NULL, options, MAPS);
    options.encoding = KIN_ENCODING_JSON;
    options.start = KIN_START_WATCH_LIST;
    (void) world_follow(&w, NULL, options, MAPS);
    world_await_synced(&w);
    make_changes(&w, "during");

    world_await_equal(&w);

    must_not_have_failed();
    for (size_t i = 0; i < w.count; i++) {
        kin_view view = kin_store_read(kin_informer_store(w.followers[i].informer));
        const kin_object *map = kin_view_get(&view, kin_str_of("default/before-0"));
        kin_str label;
        ASSERT_TRUE(map != NULL && kin_object_label(map, kin_str_of("is"), &label));
        ASSERT_SLICE_EQ(label, "changed");
        ASSERT_FALSE(kin_value_exists(kin_object_at(map, "data")));
        kin_store_done(&view);
    }
    world_close(&w);
}

/* Follows with a small page size, and makes it list again: of the newest version, in pages.
 * (Servers ignore a limit on the first list, which is of any version.) */
static follower *follow_in_pages(void)
{
    kin_informer_options options = maps_options();

    world_open(&w, NULL, QUICK);
    for (int i = 0; i < 10; i++) {
        char prefix[16];

        (void) snprintf(prefix, sizeof prefix, "map%d", i);
        make_changes(&w, prefix);
    }
    options.start = KIN_START_LIST;
    options.page_size = 2;
    follower *f = world_follow(&w, NULL, options, MAPS);
    world_await_watching(&w);
    (void) fault(&w, "{\"do\":\"expire\",\"now\":true}");
    AWAIT(&w, status_of(f).lists > 5)
    return f;
}

/* A list that takes pages while the world goes on is of one moment, and nothing is lost after it.
 */
TEST(scenario_sync, in_pages_while_everything_changes)
{
    follower *f = follow_in_pages();

    while (status_of(f).restarts == 0) {
        make_changes(&w, "map3");
        make_changes(&w, "map7");
        world_turn(&w);
    }

    world_await_equal(&w);
    ASSERT_TRUE(status_of(f).lists > 35);
    ASSERT_EQ(status_of(f).failures, 0);
    world_close(&w);
}

/* Half the pages have come, then the rest is not to be had any more. */
TEST(scenario_sync, in_pages_whose_token_expires)
{
    follower *f = follow_in_pages();
    uint64_t lists = status_of(f).lists;

    make_changes(&w, "map3");
    remove_map(&w, "map0-0");
    ASSERT_OK(kin_server_compact(w.server, 0, &err));
    put_map(&w, "last", "new");

    world_await_equal(&w);
    ASSERT_TRUE(status_of(f).expired > 1);
    ASSERT_TRUE(status_of(f).lists < lists + 5);
    world_close(&w);
}

TEST(scenario_sync, in_real_time_on_threads_of_its_own)
{
    world_open(&w, NULL, REAL);
    make_changes(&w, "before");
    follow_in_every_way();
    world_await_synced(&w);

    for (int i = 0; i < 5; i++) {
        char version[24];
        uint64_t revision = put_map(&w, "marker", i % 2 == 0 ? "new" : "old");

        (void) snprintf(version, sizeof version, "%llu", (unsigned long long) revision);
        for (size_t n = 0; n < w.count; n++) {
            ASSERT_OK(kin_informer_wait_for(w.followers[n].informer, kin_str_of("default/marker"),
                                            kin_str_of(version), PATIENCE_MS, &err));
        }
    }

    world_await_equal(&w);
    must_not_have_failed();
    world_close(&w);
}
