/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life_test.c - what happens to servers, resources and namespaces: they come, go, and come again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/world.h"

#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

static world w;
static kin_error err;

/* ---- custom resources ----------------------------------------------------------------------- */

static void put_definition(const char *version)
{
    put(&w,
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
        "\"metadata\":{\"name\":\"gadgets.scenario.kin\"},\"spec\":{\"group\":\"scenario.kin\","
        "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"gadgets\",\"singular\":\"gadget\","
        "\"kind\":\"Gadget\",\"listKind\":\"GadgetList\"},\"versions\":[{\"name\":\"%s\","
        "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
        "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}",
        version);
}

static void put_gadgets_of(const char *version, const char *value)
{
    for (int i = 0; i < 5; i++) {
        put(&w,
            "{\"apiVersion\":\"scenario.kin/%s\",\"kind\":\"Gadget\",\"metadata\":{\"namespace\":"
            "\"default\",\"name\":\"g%d\"},\"spec\":{\"value\":\"%s\"}}",
            version, i, value);
    }
}

static void put_gadgets(const char *value)
{
    put_gadgets_of("v1", value);
}

static void follow_gadgets(void)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.resource = "gadgets.scenario.kin";
    (void) world_follow(&w, NULL, options, "/apis/scenario.kin/v1/gadgets");
    options.metadata_only = true;
    options.start = KIN_START_WATCH_LIST;
    (void) world_follow(&w, NULL, options, "/apis/scenario.kin/v1/gadgets");
}

TEST(scenario_life, of_a_custom_resource_that_comes_later)
{
    world_open(&w, NULL, QUICK);
    follow_gadgets();
    AWAIT(&w, status_of(&w.followers[0]).state == KIN_INFORMER_NOT_FOUND)
    AWAIT(&w, status_of(&w.followers[1]).state == KIN_INFORMER_NOT_FOUND)

    put_definition("v1");
    put_gadgets("one");
    world_await_synced(&w);
    world_await_equal(&w);
    put_gadgets("two");
    world_await_equal(&w);

    ASSERT_EQ(status_of(&w.followers[0]).objects, 5);
    world_close(&w);
}

/* With its definition all its objects go, and handlers hear of it; then everything comes again. */
TEST(scenario_life, of_a_custom_resource_that_goes_and_comes_again)
{
    world_open(&w, NULL, QUICK);
    put_definition("v1");
    put_gadgets("one");
    follow_gadgets();
    world_await_watching(&w);
    world_await_equal(&w);

    tell(&w, "DELETE", DEFINITIONS "/gadgets.scenario.kin", "", 200);
    AWAIT(&w, status_of(&w.followers[0]).state == KIN_INFORMER_NOT_FOUND)
    AWAIT(&w, status_of(&w.followers[1]).state == KIN_INFORMER_NOT_FOUND)
    AWAIT(&w, status_of(&w.followers[0]).objects == 0)
    AWAIT(&w, status_of(&w.followers[1]).objects == 0)
    put_definition("v1");
    put_gadgets("two");

    world_await_equal(&w);
    ASSERT_EQ(status_of(&w.followers[0]).objects, 5);
    world_close(&w);
}

/* The name is the same, the address is another one. */
TEST(scenario_life, of_a_custom_resource_that_comes_back_as_another_version)
{
    world_open(&w, NULL, QUICK);
    put_definition("v1");
    put_gadgets("one");
    follow_gadgets();
    world_await_watching(&w);
    world_await_equal(&w);

    tell(&w, "DELETE", DEFINITIONS "/gadgets.scenario.kin", "", 200);
    AWAIT(&w, status_of(&w.followers[0]).state == KIN_INFORMER_NOT_FOUND)
    AWAIT(&w, status_of(&w.followers[1]).state == KIN_INFORMER_NOT_FOUND)
    put_definition("v2");
    put_gadgets_of("v2", "two");
    w.followers[0].path = w.followers[1].path = "/apis/scenario.kin/v2/gadgets";

    world_await_equal(&w);
    ASSERT_EQ(status_of(&w.followers[0]).objects, 5);
    world_close(&w);
}

/* ---- namespaces ----------------------------------------------------------------------------- */

TEST(scenario_life, of_a_namespace_that_is_deleted)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    world_open(&w, NULL, QUICK);
    for (int i = 0; i < 20; i++) {
        put(&w,
            "{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"metadata\":{\"namespace\":\"%s\",\"name\":"
            "\"x%d\"}}",
            i % 2 == 0 ? "ConfigMap" : "Secret", i % 4 < 2 ? "shop" : "default", i);
    }
    (void) world_follow(&w, NULL, maps_options(), MAPS);
    options.resource = "secrets";
    options.ns = "shop";
    (void) world_follow(&w, NULL, options, "/api/v1/namespaces/shop/secrets");
    options.resource = "namespaces";
    options.ns = NULL;
    follower *namespaces = world_follow(&w, NULL, options, "/api/v1/namespaces");
    world_await_watching(&w);
    world_await_equal(&w);
    ASSERT_EQ(status_of(namespaces).objects, 5);

    tell(&w, "DELETE", "/api/v1/namespaces/shop", "", 200);
    AWAIT(&w, status_of(namespaces).objects == 4)
    world_await_equal(&w);

    ASSERT_EQ(status_of(&w.followers[0]).objects, 5);
    ASSERT_EQ(status_of(&w.followers[1]).objects, 0);
    ASSERT_EQ(status_of(&w.followers[0]).failures, 0);
    put(&w, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":\"shop\","
            "\"name\":\"again\"}}");
    world_await_equal(&w);
    world_close(&w);
}

/* ---- servers -------------------------------------------------------------------------------- */

static kin_server_options plain(void)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;

    options.has_no_tls = true;
    options.token = "";
    return options;
}

/* The next one knows nothing of what the last one had, and begins to count anew: versions are from
 * the future.  (So what handlers are told goes back, and only its sum is compared.) */
static bool is_same_count(const follower *f, size_t count)
{
    return status_of(f).objects == count;
}

TEST(scenario_life, of_a_server_that_is_replaced_by_an_empty_one)
{
    kin_server_options options = plain();
    kin_informer_options follow = maps_options();

    world_open(&w, &options, QUICK);
    w.leap_ms = 10; /* the server takes 3 s to say that a version is too large */
    for (int i = 0; i < 10; i++) {
        make_changes(&w, "before");
    }
    (void) world_follow(&w, NULL, follow, MAPS);
    follow.start = KIN_START_LIST;
    (void) world_follow(&w, NULL, follow, MAPS);
    world_await_watching(&w);
    world_await_equal(&w);

    world_stop_server(&w);
    AWAIT(&w, status_of(&w.followers[0]).state == KIN_INFORMER_UNREACHABLE)
    AWAIT(&w, status_of(&w.followers[1]).state == KIN_INFORMER_UNREACHABLE)
    ASSERT_EQ(status_of(&w.followers[0]).objects, 7);
    world_start_server(&w);
    put_map(&w, "only", "new");

    AWAIT(&w, is_same_count(&w.followers[0], 1) && is_same_count(&w.followers[1], 1))
    world_await_watching(&w);
    put_map(&w, "two", "new");
    AWAIT(&w, is_same_count(&w.followers[0], 2) && is_same_count(&w.followers[1], 2))
    world_close(&w);
}

/* With TLS the next server has an authority of its own: it is not the one that was trusted. */
TEST(scenario_life, of_a_server_that_somebody_else_takes_the_place_of)
{
    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    follower *f = world_follow(&w, NULL, maps_options(), MAPS);
    world_await_watching(&w);
    world_await_equal(&w);

    world_stop_server(&w);
    world_start_server(&w);
    AWAIT(&w, status_of(f).error.code == KIN_ERR_TLS)

    ASSERT_EQ(status_of(f).objects, 7);
    world_close(&w);
}

/* With the authority and the token of the last one it is trusted, though it is another. */
TEST(scenario_life, of_a_server_that_comes_back_with_its_authority)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;

    options.token = "kept";
    world_open(&w, &options, QUICK);
    w.leap_ms = 10;
    for (int i = 0; i < 10; i++) {
        make_changes(&w, "before");
    }
    follower *f = world_follow(&w, NULL, maps_options(), MAPS);
    world_await_watching(&w);
    world_await_equal(&w);
    char *authority = strdup(kin_server_authority(w.server));

    w.options.authority = authority;
    world_stop_server(&w);
    AWAIT(&w, status_of(f).state == KIN_INFORMER_UNREACHABLE)
    world_start_server(&w);
    put_map(&w, "only", "new");

    AWAIT(&w, is_same_count(f, 1))
    world_close(&w);
    free(authority);
}

/* ---- many ----------------------------------------------------------------------------------- */

/* Hundreds of informers on one client, while a fault strikes all of them at once. */
TEST(scenario_life, of_hundreds_of_informers)
{
    enum { MANY = 300 };
    static char spaces[MANY][16];
    static char paths[MANY][64];
    kin_server_counts counts;

    world_open(&w, NULL, REAL);
    for (int i = 0; i < MANY; i++) {
        kin_informer_options options = maps_options();

        (void) snprintf(spaces[i], sizeof spaces[i], "ns%d", i % 50);
        (void) snprintf(paths[i], sizeof paths[i], "/api/v1/namespaces/ns%d/configmaps", i % 50);
        put(&w,
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"%s\","
            "\"name\":\"a%d\"}}",
            spaces[i], i);
        options.ns = spaces[i];
        options.start = i % 2 == 0 ? KIN_START_LIST : KIN_START_WATCH_LIST;
        options.encoding = i % 3 == 0 ? KIN_ENCODING_JSON : KIN_ENCODING_AUTO;
        (void) world_follow(&w, NULL, options, paths[i]);
    }
    world_await_watching(&w);
    world_await_equal(&w);

    (void) fault(&w, "{\"do\":\"cut\",\"now\":true}");
    for (int i = 0; i < MANY; i++) {
        put(&w,
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"%s\","
            "\"name\":\"b%d\"}}",
            spaces[i], i);
    }
    world_await_equal(&w);

    kin_server_get_counts(w.server, &counts);
    ASSERT_TRUE(counts.connections < 40);
    ASSERT_EQ(status_of(&w.followers[MANY - 1]).restarts, 0);
    world_close(&w);
}

/* What a stopped informer missed comes when it goes on, without a list. */
TEST(scenario_life, of_an_informer_that_rests)
{
    world_open(&w, NULL, QUICK);
    make_changes(&w, "before");
    follower *f = world_follow(&w, NULL, maps_options(), MAPS);
    world_await_watching(&w);
    ASSERT_OK(kin_informer_stop(f->informer, -1, &err));
    make_changes(&w, "during");
    remove_map(&w, "before-0");

    ASSERT_OK(kin_informer_start(f->informer, &err));
    world_await_equal(&w);
    ASSERT_EQ(status_of(f).restarts, 0);

    ASSERT_OK(kin_informer_stop(f->informer, -1, &err));
    make_changes(&w, "during");
    ASSERT_OK(kin_server_compact(w.server, 0, &err));
    ASSERT_OK(kin_informer_start(f->informer, &err));
    world_await_equal(&w);
    ASSERT_EQ(status_of(f).restarts, 1);
    world_close(&w);
}
