/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs_test.c - the short forms of calls that wait.
 */
#include "unit/api/calling.h"

#define MAPS_PATH "/api/v1/namespaces/shop/configmaps"

static stage s;
static kin_client *client;
static kin_error err;

static void begin(void)
{
    stage_open(&s);
    answer_discovery(&s);
    client = open_client(&s, "", NULL);
}

static void finish(void)
{
    kin_client_free(client);
    stage_close(&s);
}

static void expect_version(kin_object *object, const char *version)
{
    ASSERT_SLICE_EQ(kin_object_resource_version(object), version);
    (void) kin_object_unref(object);
}

TEST(verbs, get_an_object)
{
    kin_object *map = NULL;
    begin();
    answer(&s, "GET " MAPS_PATH "/a ", 200, MAP("a", "5"));
    ASSERT_OK(kin_client_get(client, "configmaps", "shop", "a", &map, &err));
    expect_version(map, "5");
    map = NULL;
    ASSERT_ERR(kin_client_get(client, "configmaps", "shop", "b", &map, NULL), KIN_ERR_SERVER);
    ASSERT_TRUE(map == NULL);
    finish();
}

TEST(verbs, get_from_the_namespace_of_the_configuration)
{
    kin_object *map;
    begin();
    answer(&s, "GET " MAPS_PATH "/a ", 200, MAP("a", "5"));
    ASSERT_OK(kin_client_get(client, "configmaps", NULL, "a", &map, &err));
    expect_version(map, "5");
    finish();
}

TEST(verbs, get_an_object_or_an_error)
{
    kin_object *map = NULL;
    begin();
    answer(&s, "GET " MAPS_PATH "/a ", 200, "{\"kind\":\"Status\",\"status\":\"Success\"}");
    ASSERT_ERR(kin_client_get(client, "configmaps", "shop", "a", &map, &err), KIN_ERR_PROTOCOL);
    ASSERT_TRUE(map == NULL);
    finish();
}

static bool take_two(void *context, kin_object *object)
{
    text *seen = context;
    text_append(seen, "%.*s ", KIN_STR_ARG(kin_object_name(object)));
    return seen->len < 4;
}

static bool take_all(void *context, kin_object *object)
{
    text_append(context, "%.*s ", KIN_STR_ARG(kin_object_name(object)));
    return true;
}

TEST(verbs, list_in_pages)
{
    text seen = { 0 };
    begin();
    answer(&s, "GET " MAPS_PATH "?limit=500 ", 200,
           MAPS("\"continue\":\"c\"", MAP("a", "1") "," MAP("b", "1")));
    answer(&s, "GET " MAPS_PATH "?limit=500&continue=c ", 200, MAPS("", MAP("c", "1")));
    ASSERT_OK(kin_client_list(client, "configmaps", "shop", take_all, &seen, &err));
    ASSERT_STR_EQ(seen.chars, "a b c ");
    finish();
}

TEST(verbs, list_until_enough_was_seen)
{
    text seen = { 0 };
    begin();
    answer(&s, "GET " MAPS_PATH, 200,
           MAPS("\"continue\":\"c\"", MAP("a", "1") "," MAP("b", "1") "," MAP("c", "1")));
    ASSERT_OK(kin_client_list(client, "configmaps", "shop", take_two, &seen, &err));
    ASSERT_STR_EQ(seen.chars, "a b ");
    finish();
}

TEST(verbs, list_in_all_namespaces)
{
    text seen = { 0 };
    begin();
    answer(&s, "GET /api/v1/configmaps?limit=500 ", 403,
           "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"no\",\"code\":403}");
    ASSERT_ERR(kin_client_list(client, "configmaps", NULL, take_all, &seen, &err),
               KIN_ERR_FORBIDDEN);
    ASSERT_MESSAGE(&err, "list configmaps: no");
    finish();
}

TEST(verbs, create_and_update)
{
    kin_object *map = object_of(MAP("a", "5"), NULL);
    kin_object *made = NULL;
    begin();
    answer(&s, "POST " MAPS_PATH " ", 201, MAP("a", "6"));
    answer(&s, "PUT " MAPS_PATH "/a ", 200, MAP("a", "7"));
    answer(&s, "PUT " MAPS_PATH "/a ", 200, MAP("a", "8"));
    answer(&s, "PUT " MAPS_PATH "/a ", 409, "{}");
    ASSERT_OK(kin_client_create(client, map, &made, &err));
    expect_version(made, "6");
    ASSERT_OK(kin_client_update(client, map, &made, &err));
    expect_version(made, "7");
    ASSERT_OK(kin_client_update(client, map, NULL, NULL));
    ASSERT_ERR(kin_client_update(client, map, NULL, &err), KIN_ERR_CONFLICT);
    ASSERT_ERR(kin_client_create(client, NULL, NULL, &err), KIN_ERR_USAGE);
    (void) kin_object_unref(map);
    finish();
}

TEST(verbs, patch)
{
    kin_object *made = NULL;
    begin();
    answer(&s, "PATCH " MAPS_PATH "/a ", 200, MAP("a", "6"));
    ASSERT_OK(kin_client_patch(client, "configmaps", "shop", "a",
                               kin_str_of("{\"data\":{\"k\":null}}"), &made, &err));
    expect_version(made, "6");
    ASSERT_CONTAINS(call_at(&s, 1), "\r\nContent-Type: application/merge-patch+json\r\n");
    ASSERT_CONTAINS(call_at(&s, 1), "\r\n\r\n{\"data\":{\"k\":null}}");
    finish();
}

TEST(verbs, delete)
{
    begin();
    answer_file(&s, "DELETE " MAPS_PATH "/a ", 200, JSON, "write-configmap-delete.json");
    answer_file(&s, "DELETE " MAPS_PATH "/a ", 404, JSON, "status-404-object.json");
    ASSERT_OK(kin_client_delete(client, "configmaps", "shop", "a", &err));
    ASSERT_ERR(kin_client_delete(client, "configmaps", "shop", "a", &err), KIN_ERR_NOT_FOUND);
    finish();
}
