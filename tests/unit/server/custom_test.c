/* SPDX-License-Identifier: Apache-2.0 */
/*
 * custom_test.c - custom resources by their schema.
 */
#include "unit/server/widgets.h"

TEST(custom, objects_are_pruned_and_defaulted)
{
    scene s;

    open_with_definition(&s);
    ASSERT_ANSWER(&s, "POST", WIDGETS, JSON,
                  "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":"
                  "\"w\"},\"spec\":{\"size\":3,\"foo\":1,\"free\":{\"a\":1}},\"status\":{\"phase\":"
                  "\"x\"},\"bar\":2}",
                  201, "\"spec\":{\"color\":\"red\",\"free\":{\"a\":1},\"size\":3}}");
    ASSERT_STR_EQ(s.warnings, "unknown field \"bar\"\nunknown field \"spec.foo\"");
    ASSERT_CONTAINS(s.body, "\"generation\":1");
    ASSERT_ANSWER(&s, "POST", WIDGETS "?fieldValidation=Strict", JSON,
                  WIDGET("\"name\":\"x\"", "{\"size\":3,\"foo\":1}"), 400,
                  "strict decoding error: unknown field \\\"spec.foo\\\"");
    scene_close(&s);
}

TEST(custom, objects_inside_are_looked_at_too)
{
#define HOLDER(inside)                                                                             \
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"},"        \
    "\"pod\":" inside "}"
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", DEFINITIONS, JSON,
                  DEFINITION("{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
                             "\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"pod\":{"
                             "\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,"
                             "\"x-kubernetes-preserve-unknown-fields\":true}}}}}")),
              201);
    ASSERT_ANSWER(&s, "POST", WIDGETS, JSON, HOLDER("{\"kind\":\"Pod\"}"), 422,
                  "is invalid: pod.apiVersion: Required value\"");
    ASSERT_ANSWER(&s, "POST", WIDGETS, JSON,
                  HOLDER("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"foo\":1,"
                         "\"name\":\"p\"},\"foo\":1}"),
                  201,
                  "\"pod\":{\"apiVersion\":\"v1\",\"foo\":1,\"kind\":\"Pod\",\"metadata\":{"
                  "\"name\":\"p\"}}}");
    ASSERT_STR_EQ(s.warnings, "unknown field \"pod.metadata.foo\"");
    scene_close(&s);
#undef HOLDER
}

TEST(custom, objects_are_read_by_the_schema_that_is_now)
{
    scene s;

    open_with_definition(&s);
    ASSERT_ANSWER(&s, "POST", WIDGETS, JSON,
                  WIDGET("\"name\":\"w\"", "{\"size\":3,\"free\":{\"a\":1}}"), 201,
                  "\"spec\":{\"color\":\"red\",\"free\":{\"a\":1},\"size\":3}");
    uint64_t before = revision(&s);
    ASSERT_ANSWER(&s, "PATCH", DEFINITIONS "/widgets.example.com", "application/json-patch+json",
                  "[{\"op\":\"add\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/"
                  "spec/properties/name/default\",\"value\":\"abc\"},{\"op\":\"remove\",\"path\":"
                  "\"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/free\"}]",
                  200, "\"default\":\"abc\"");
    settle(&s);
    ASSERT_ANSWER(&s, "GET", WIDGETS "/w", NULL, NULL, 200,
                  "\"spec\":{\"color\":\"red\",\"name\":\"abc\",\"size\":3}");
    ASSERT_ANSWER(&s, "GET", WIDGETS, NULL, NULL, 200,
                  "\"spec\":{\"color\":\"red\",\"name\":\"abc\",\"size\":3}");
    ASSERT_EQ(kin__collection_get(
                  kin__shelf_find(s.engine.shelf, STR("example.com"), STR("v1"), STR("widgets"))
                      ->collection,
                  STR("default/w"))
                  ->revision,
              before); /* what is kept is as it was */
    scene_close(&s);
}

TEST(custom, objects_are_checked_by_their_schema)
{
    static const struct {
        const char *body, *says;
    } cases[] = {
        { WIDGET("\"name\":\"w\"", "{\"size\":\"3\"}"),
          "\"message\":\"Widget.example.com \\\"w\\\" is invalid: spec.size: Invalid value: "
          "\\\"string\\\": spec.size in body must be of type integer: \\\"string\\\"\",\"reason\":"
          "\"Invalid\",\"details\":{\"name\":\"w\",\"group\":\"example.com\",\"kind\":\"Widget\","
          "\"causes\":[{\"reason\":\"FieldValueTypeInvalid\"" },
        { WIDGET("\"name\":\"w\"", "{}"), "is invalid: spec.size: Required value\"" },
        { WIDGET("\"name\":\"w\"", "{\"size\":11,\"color\":\"x\"}"),
          "is invalid: [spec.size: Invalid value: 11: spec.size in body should be less than or "
          "equal "
          "to 10, spec.color: Unsupported value: \\\"x\\\": supported values: \\\"red\\\", "
          "\\\"blue\\\"]\"" },
        { WIDGET("\"name\":\"w\"", "{\"size\":-1}"),
          "spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0" },
        { WIDGET("\"name\":\"w\"", "{\"size\":1,\"list\":[\"a\",\"b\",3],\"map\":{\"a\":\"b\"}}"),
          "is invalid: [spec.list[2]: Invalid value: \\\"integer\\\": spec.list[2] in body must be "
          "of "
          "type string: \\\"integer\\\", spec.list: Too many: 3: must have at most 2 items, "
          "spec.map.a: Invalid value: \\\"string\\\": spec.map.a in body must be of type integer: "
          "\\\"string\\\"]\"" },
        { WIDGET("\"name\":\"w\"", "{\"size\":1,\"name\":\"bbbbb\",\"any\":true}"),
          "is invalid: [spec.name: Too long: may not be more than 4 bytes, spec.any: Invalid "
          "value: "
          "\\\"boolean\\\": spec.any in body must be of type integer,string: \\\"boolean\\\"]\"" },
        { WIDGET("\"name\":\"w\"", "{\"size\":1,\"name\":\"b\"}"),
          "spec.name: Invalid value: \\\"b\\\": spec.name in body should be at least 2 chars "
          "long" },
        { "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Gadget\",\"metadata\":{\"name\":\"w2\"},"
          "\"spec\":{\"size\":1}}",
          "\"message\":\"Gadget.example.com \\\"w2\\\" is invalid: kind: Invalid value: "
          "\\\"Gadget\\\": must be Widget\"" },
    };
    scene s;

    open_with_definition(&s);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_ANSWER(&s, "POST", WIDGETS, JSON, cases[i].body, 422, cases[i].says);
    }
    scene_close(&s);
}

TEST(custom, objects_may_reach_their_limits)
{
    scene s;

    open_with_definition(&s);
    ASSERT_EQ(ask(&s, "POST", WIDGETS, JSON,
                  WIDGET("\"name\":\"a\"", "{\"size\":0,\"name\":\"bb\",\"list\":[\"a\",\"b\"]}")),
              201);
    ASSERT_EQ(ask(&s, "POST", WIDGETS, JSON,
                  WIDGET("\"name\":\"b\"", "{\"size\":10,\"name\":\"bbbb\",\"any\":\"5%\"}")),
              201);
    scene_close(&s);
}

TEST(custom, objects_have_generation_and_status)
{
    scene s;

    open_with_definition(&s);
    ASSERT_EQ(ask(&s, "POST", WIDGETS, JSON, WIDGET("\"name\":\"w\"", "{\"size\":3}")), 201);
    ASSERT_ANSWER(&s, "PATCH", WIDGETS "/w", MERGE,
                  "{\"status\":{\"phase\":\"y\"},\"spec\":{\"size\":4}}", 200, "\"generation\":2");
    ASSERT_TRUE(strstr(s.body, "phase") == NULL);
    ASSERT_ANSWER(&s, "PATCH", WIDGETS "/w/status", MERGE,
                  "{\"status\":{\"phase\":\"y\"},\"spec\":{\"size\":5},\"metadata\":{\"labels\":{"
                  "\"a\":\"b\"}}}",
                  200, "\"size\":4},\"status\":{\"phase\":\"y\"}}");
    ASSERT_CONTAINS(s.body, "\"generation\":2");
    ASSERT_TRUE(strstr(s.body, "labels") == NULL);
    ASSERT_ANSWER(
        &s, "PUT", WIDGETS "/w", JSON, WIDGET("\"name\":\"w\"", "{\"size\":4}"), 422,
        "\"message\":\"widgets.example.com \\\"w\\\" is invalid: metadata.resourceVersion: "
        "Invalid value: 0: must be specified for an update\"");
    ASSERT_ANSWER(&s, "PATCH", WIDGETS "/w", "application/strategic-merge-patch+json", "{}", 415,
                  "application/json-patch+json, application/merge-patch+json, "
                  "application/apply-patch+yaml");
    ASSERT_ANSWER(&s, "PATCH", WIDGETS "/w/scale", MERGE, "{\"spec\":{\"replicas\":9}}", 200,
                  "\"spec\":{\"replicas\":9},\"status\":{\"replicas\":0}}");
    ASSERT_ANSWER(&s, "GET", WIDGETS "/w", NULL, NULL, 200, "\"size\":9");
    ASSERT_ANSWER(&s, "DELETE", WIDGETS "/w", NULL, NULL, 200,
                  "\"details\":{\"name\":\"w\",\"group\":\"example.com\",\"kind\":\"widgets\"");
    scene_close(&s);
}

TEST(custom, objects_are_kept_in_one_version)
{
    scene s;

    open_with_definition(&s);
    ASSERT_EQ(ask(&s, "POST", "/apis/example.com/v1beta1/namespaces/default/widgets", JSON,
                  "{\"apiVersion\":\"example.com/v1beta1\",\"kind\":\"Widget\",\"metadata\":{"
                  "\"name\":\"w\"},\"spec\":{\"size\":1,\"other\":2}}"),
              201);
    ASSERT_ANSWER(&s, "GET", WIDGETS "/w", NULL, NULL, 200, "\"apiVersion\":\"example.com/v1\"");
    ASSERT_CONTAINS(s.body, "\"spec\":{\"color\":\"red\",\"size\":1}}");
    scene_close(&s);
}

TEST(custom, objects_lose_nulls_that_may_not_be)
{
    scene s;

    open_with_definition(&s);
    ASSERT_ANSWER(&s, "POST", WIDGETS, JSON,
                  WIDGET("\"name\":\"w\"", "{\"size\":1,\"name\":null,\"color\":null}"), 201,
                  "\"spec\":{\"color\":\"red\",\"size\":1}}");
    ASSERT_ANSWER(&s, "POST", WIDGETS, JSON, WIDGET("\"name\":\"v\"", "{\"size\":null}"), 422,
                  "is invalid: spec.size: Required value\"");
    scene_close(&s);
}

TEST_FAILING_ALLOC(custom, objects_survive_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int made = ask(&s, "POST", DEFINITIONS, JSON, DEFINITION(VERSION_1));
        kin__served *served =
            kin__shelf_find_kind(s.engine.shelf, STR("example.com/v1"), STR("Widget"));
        int status = made == 0 || served == NULL
                         ? 0
                         : ask(&s, "POST", WIDGETS, JSON,
                               WIDGET("\"name\":\"w\"", "{\"size\":3,\"foo\":1,\"list\":[\"a\"]}"));
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 201 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
