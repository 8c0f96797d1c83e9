/* SPDX-License-Identifier: Apache-2.0 */
/*
 * survival_client_test.c - refusals as they come over the wire: in plain text, in HTML, not at all.
 */
#include <string.h>

#include "kin/informer.h"
#include "unit/api/calling.h"

#define MAPS_PATH "GET /api/v1/configmaps?"

static stage s;
static kin_client *client;
static kin_informer *informer;
static kin_error err;

static void begin(void)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    stage_open(&s);
    answer_discovery(&s);
    client = open_client(&s, "", NULL);
    options.resource = "configmaps";
    options.encoding = KIN_ENCODING_JSON;
    ASSERT_OK(kin_informer_new(client, &options, &informer, &err));
}

static void finish(void)
{
    kin_informer_free(informer);
    kin_client_free(client);
    stage_close(&s);
}

static kin_informer_status status(void)
{
    kin_informer_status now = KIN_INFORMER_STATUS_INIT;

    ASSERT_OK(kin_informer_get_status(informer, &now, &err));
    return now;
}

/* Lets time pass, not faster than a server on loopback answers. */
static void follow_until(const char *version)
{
    for (int i = 0; i < 1000 && strcmp(status().resource_version, version) != 0; i++) {
        pass(&s, 250);
    }
    ASSERT_STR_EQ(status().resource_version, version);
}

static void await_failures(uint64_t count)
{
    while (status().failures < count) {
        turn(&s);
    }
}

static bool has(const char *key)
{
    kin_view view = kin_store_read(kin_informer_store(informer));
    bool is_there = kin_view_get(&view, kin_str_of(key)) != NULL;

    kin_store_done(&view);
    return is_there;
}

static int count_calls(void)
{
    int count = 0;

    while (call_at(&s, count + 1)[0] == 'G') {
        count++;
    }
    return count;
}

TEST(survival_client, of_refusals_in_plain_text)
{
    begin();
    answer_with(&s, MAPS_PATH, 403, "text/plain", "", "no");
    ASSERT_OK(kin_informer_start(informer, &err));
    await_failures(1);
    ASSERT_EQ(status().state, KIN_INFORMER_FORBIDDEN);
    answer_with(&s, MAPS_PATH, 429, "text/plain; charset=utf-8", "Retry-After: 1\r\n",
                "The apiserver is shutting down.\n");
    answer_with(&s, MAPS_PATH, 503, "text/html", "", "<html>none</html>");
    answer_with(&s, MAPS_PATH, 500, "text/plain", "", "");
    answer(&s, MAPS_PATH, 200, MAPS("\"resourceVersion\":\"12\"", MAP("a", "5")));
    answer_with(&s, MAPS_PATH, 429, "text/plain", "Retry-After: 1\r\n", "Too many requests\n");
    answer_open(&s, MAPS_PATH, EVENT("ADDED", MAP("b", "13")));

    follow_until("13");

    ASSERT_TRUE(has("shop/a") && has("shop/b"));
    ASSERT_EQ(status().state, KIN_INFORMER_WATCHING);
    ASSERT_EQ(status().failures, 5);
    ASSERT_EQ(count_calls(), 7);
    finish();
}

/* A custom resource's address is plain text once its definition is gone. */
TEST(survival_client, of_an_address_that_is_no_more)
{
    begin();
    answer(&s, MAPS_PATH, 200, MAPS("\"resourceVersion\":\"12\"", MAP("a", "5")));
    answer_with(&s, MAPS_PATH, 404, "text/plain; charset=utf-8", "", "404 page not found\n");
    ASSERT_OK(kin_informer_start(informer, &err));
    await_failures(1);
    ASSERT_EQ(status().state, KIN_INFORMER_NOT_FOUND);
    ASSERT_CONTAINS(status().error.message, "404 page not found");
    ASSERT_TRUE(has("shop/a")); /* what was known stays until more is */

    answer_open(&s, MAPS_PATH, EVENT("ADDED", MAP("b", "13")));
    follow_until("13");

    ASSERT_TRUE(has("shop/a") && has("shop/b"));
    ASSERT_EQ(count_calls(), 3);
    finish();
}

/* 200, and an event of 410. */
TEST(survival_client, of_an_error_inside_a_watch)
{
    begin();
    answer(&s, MAPS_PATH, 200, MAPS("\"resourceVersion\":\"12\"", MAP("a", "5")));
    answer_open(&s, MAPS_PATH,
                EVENT("ERROR", "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                               "\"message\":\"too old resource version: 12 (300)\","
                               "\"reason\":\"Expired\",\"code\":410}"));
    answer(&s, MAPS_PATH, 200, MAPS("\"resourceVersion\":\"300\"", MAP("b", "290")));
    answer_open(&s, MAPS_PATH, EVENT("ADDED", MAP("c", "301")));
    ASSERT_OK(kin_informer_start(informer, &err));

    follow_until("301");

    ASSERT_FALSE(has("shop/a"));
    ASSERT_TRUE(has("shop/b") && has("shop/c"));
    ASSERT_EQ(status().restarts, 1);
    ASSERT_EQ(status().failures, 0);
    ASSERT_EQ(count_calls(), 4);
    finish();
}
