/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data_check_test.c - what ConfigMaps and Secrets may hold, and when it may change.
 */
#include "server/data_check.h"

#include "server/direct.h"
#include "unit/server/writing.h"

#define SECRETS DEFAULT "/secrets"
#define FOREVER "field is immutable when `immutable` is set"

TEST(data_check, keeps_what_is_immutable)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, JSON,
                  "{\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"1\",\"b\":\"2\"}}"),
              201);
    ASSERT_EQ(
        ask(&s, "PATCH", CONFIGMAPS "/c", MERGE, "{\"data\":{\"a\":\"3\"},\"immutable\":true}"),
        200);
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/c", MERGE, "{\"data\":{\"a\":\"4\"}}", 422,
                  "ConfigMap \\\"c\\\" is invalid: data: Forbidden: " FOREVER);
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/c", MERGE,
                  "{\"immutable\":false,\"data\":null,\"binaryData\":{\"x\":\"AA==\"}}", 422,
                  "[immutable: Forbidden: " FOREVER ", data: Forbidden: " FOREVER
                  ", binaryData: Forbidden: " FOREVER "]");
    ASSERT_EQ(ask(&s, "PUT", CONFIGMAPS "/c", JSON,
                  "{\"metadata\":{\"name\":\"c\",\"labels\":{\"x\":\"y\"}},\"immutable\":true,"
                  "\"data\":{\"b\":\"2\",\"a\":\"3\"},\"binaryData\":{}}"),
              200);
    ASSERT_EQ(ask(&s, "DELETE", CONFIGMAPS "/c", NULL, NULL), 200);
    scene_close(&s);
}

TEST(data_check, keeps_the_type_of_a_secret)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(
        ask(&s, "POST", SECRETS, JSON,
            "{\"metadata\":{\"name\":\"s\"},\"stringData\":{\"a\":\"1\"},\"immutable\":true}"),
        201);
    ASSERT_ANSWER(&s, "PATCH", SECRETS "/s", MERGE, "{\"type\":\"a/b\"}", 422,
                  "type: Invalid value: \\\"a/b\\\": field is immutable");
    ASSERT_ANSWER(&s, "PATCH", SECRETS "/s", MERGE, "{\"data\":{\"a\":\"AA==\"}}", 422,
                  "data: Forbidden: " FOREVER);
    ASSERT_EQ(ask(&s, "PATCH", SECRETS "/s", MERGE, "{\"stringData\":{\"a\":\"1\"}}"), 200);
    uint64_t revision = 0;
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    ASSERT_TRUE(kin__put_direct(&s.engine,
                                STR("{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{"
                                    "\"name\":\"direct\",\"namespace\":\"default\"}}"),
                                &revision, &no));
    ASSERT_EQ(ask(&s, "PUT", SECRETS "/direct", JSON, "{\"metadata\":{\"name\":\"direct\"}}"), 200);
    scene_close(&s);
}

TEST(data_check, refuses_keys_that_are_none)
{
    static const struct {
        const char *key, *words;
    } cases[] = {
        { "", "data[]: Invalid value: \\\"\\\": a valid config key must consist of alphanumeric "
              "characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex "
              "used for validation is '[-._a-zA-Z0-9]+')" },
        { "a/b", "data[a/b]: Invalid value: \\\"a/b\\\": a valid config key must consist of" },
        { ".", "must not be '.'" },
        { "..", "must not be '..'" },
        { "..a", "must not start with '..'" },
    };
    scene s;
    kin_error err;
    char body[512];

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        (void) snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"c\"},\"data\":{\"%s\":\"\"}}",
                        cases[i].key);
        ASSERT_ANSWER(&s, "POST", CONFIGMAPS, JSON, body, 422, cases[i].words);
        ASSERT_ANSWER(&s, "POST", SECRETS, JSON, body, 422, cases[i].words);
    }
    (void) snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"c\"},\"data\":{\"%0254d\":\"\"}}",
                    0);
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS, JSON, body, 422, "must be no more than 253 characters");
    ASSERT_ANSWER(
        &s, "POST", CONFIGMAPS, JSON,
        "{\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"\"},\"binaryData\":{\"a\":\"\"}}", 422,
        "data[a]: Invalid value: \\\"a\\\": duplicate of key present in binaryData");
    scene_close(&s);
}

TEST(data_check, refuses_more_than_a_megabyte)
{
    static char body[KIN__DATA_MAX * 2];
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    (void) snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"%0*d\"}}",
                    (int) KIN__DATA_MAX, 0);
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, JSON, body), 201);
    (void) snprintf(
        body, sizeof body,
        "{\"metadata\":{\"name\":\"d\"},\"data\":{\"a\":\"%0*d\"},\"binaryData\":{\"b\":"
        "\"AA==\"}}",
        (int) KIN__DATA_MAX, 0);
    ASSERT_ANSWER(&s, "POST", CONFIGMAPS, JSON, body, 422,
                  "is invalid: []: Too long: may not be more than 1048576 bytes");
    (void) snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"s\"},\"data\":{\"a\":\"%0*d\"}}",
                    (int) KIN__DATA_MAX / 3 * 4 + 4, 0);
    ASSERT_ANSWER(&s, "POST", SECRETS, JSON, body, 422,
                  "data: Too long: may not be more than 1048576 bytes");
    scene_close(&s);
}

TEST_FAILING_ALLOC(data_check, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int status = ask(&s, "POST", CONFIGMAPS, JSON,
                         "{\"metadata\":{\"name\":\"c\"},\"data\":{\"\":\"\"}}");
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 422 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
