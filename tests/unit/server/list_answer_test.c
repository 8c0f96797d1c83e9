/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_answer_test.c - lists as they are sent.
 */
#include "unit/server/reading.h"

#define MAPS "/api/v1/namespaces/demo/configmaps"
#define TABLE "application/json;as=Table;g=meta.k8s.io;v=v1"

static desk d;

static void open_desk(void)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
}

static void open_with_six(void)
{
    open_desk();
    desk_put_six(&d);
}

TEST(list_answer, comes_in_pieces)
{
    open_with_six();

    ASSERT_EQ(desk_ask(&d, "application/json", MAPS), 200);

    ASSERT_EQ(d.piece_count, 2 + 6 * 2);
    desk_close(&d);
}

TEST(list_answer, is_indented_when_it_is_asked_for)
{
    open_desk();
    desk_put(&d, desk_served(&d, "", "v1", "configmaps"), CONFIG_MAP("a", "1"));

    check_answer(
        &d, "application/json", MAPS "?pretty=1", 200,
        "{\n  \"kind\": \"ConfigMapList\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n"
        "    \"resourceVersion\": \"2\"\n  },\n  \"items\": [\n    {\n      \"metadata\": "
        "{\n        \"name\": \"a\",\n        \"namespace\": \"demo\",\n        "
        "\"resourceVersion\": \"2\",\n        \"labels\": {\n          \"n\": \"1\"\n      "
        "  }\n      }\n    }\n  ]\n}");

    desk_close(&d);
}

TEST(list_answer, is_a_table_when_it_is_asked_for)
{
    open_with_six();

    ASSERT_EQ(desk_ask(&d, "application/json;as=Table;g=meta.k8s.io;v=v1", MAPS "?limit=2"), 200);
    ASSERT_CONTAINS(d.body.data, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\","
                                 "\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"");
    ASSERT_CONTAINS(d.body.data, "\"rows\":[{\"cells\":[\"c-1\",");
    ASSERT_CONTAINS(d.body.data, "{\"cells\":[\"c-2\",");
    ASSERT_TRUE(strstr(d.body.data, "c-3") == NULL);
    ASSERT_EQ(d.body.data[d.body.len - 1], '\n');

    desk_close(&d);
}

TEST(list_answer, can_be_an_indented_table)
{
    open_with_six();

    ASSERT_EQ(desk_ask(&d, TABLE, MAPS "?limit=1&pretty=1"), 200);

    ASSERT_CONTAINS(d.body.data, "{\n  \"kind\": \"Table\",\n");
    ASSERT_EQ(d.body.data[d.body.len - 1], '}');
    desk_close(&d);
}

TEST(list_answer, refuses_what_a_table_cannot_include)
{
    open_with_six();

    ASSERT_EQ(desk_ask(&d, TABLE, MAPS "?includeObject=x"), 400);

    desk_close(&d);
}

TEST_FAILING_ALLOC(list_answer, is_refused_without_memory)
{
    kin_error err;
    kin_err code = desk_open(&d, &err);

    if (code == KIN_OK) {
        code =
            desk_try_put(&d, desk_served(&d, "", "v1", "configmaps"), CONFIG_MAP("a", "1"), &err);
    }
    if (code == KIN_OK && (desk_ask(&d, TABLE, MAPS) != 200 ||
                           desk_ask(&d, "application/json", MAPS "?pretty=1") != 200)) {
        code = KIN_ERR_NO_MEMORY;
    }
    desk_close(&d);
    return code;
}
