/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_test.c - GET of one object, in every form.
 */
#include "unit/server/reading.h"

#define MAPS "/api/v1/namespaces/demo/configmaps"

static desk d;

static void open_with_six(void)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    desk_put_six(&d);
}

TEST(read, answers_the_object_as_it_lies)
{
    open_with_six();

    check_answer(&d, "application/json", MAPS "/c-2", 200,
                 "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c-2\","
                 "\"namespace\":\"demo\",\"resourceVersion\":\"3\",\"labels\":{\"n\":\"0\"}}}\n");
    check_answer(&d, PARTIAL, MAPS "/c-2", 200,
                 "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\","
                 "\"metadata\":{\"name\":\"c-2\",\"namespace\":\"demo\",\"resourceVersion\":\"3\","
                 "\"labels\":{\"n\":\"0\"}}}\n");
    check_answer(&d, "application/json", MAPS "/c-2?pretty=true", 200,
                 "{\n  \"kind\": \"ConfigMap\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n"
                 "    \"name\": \"c-2\",\n    \"namespace\": \"demo\",\n    \"resourceVersion\": "
                 "\"3\",\n    \"labels\": {\n      \"n\": \"0\"\n    }\n  }\n}");

    desk_close(&d);
}

TEST(read, does_not_find_what_is_not_there)
{
    open_with_six();

    check_answer(&d, "application/json", MAPS "/nope", 404,
                 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                 "\"Failure\",\"message\":\"configmaps \\\"nope\\\" not found\",\"reason\":"
                 "\"NotFound\",\"details\":{\"name\":\"nope\",\"kind\":\"configmaps\"},\"code\":404"
                 "}\n");

    desk_close(&d);
}

TEST(read, takes_any_version_but_one_that_is_yet_to_come)
{
    open_with_six();

    ASSERT_EQ(desk_ask(&d, "", MAPS "/c-2?resourceVersion=0"), 200);
    ASSERT_EQ(desk_ask(&d, "", MAPS "/c-2?resourceVersion=1"), 200);
    ASSERT_EQ(desk_ask(&d, "", MAPS "/c-2?resourceVersion=7"), 200);
    ASSERT_EQ(d.wait_ms, 0);
    ASSERT_EQ(desk_ask(&d, "", MAPS "/c-2?resourceVersion=8"), 200);
    ASSERT_EQ(d.wait_ms, 3000);
    d.has_waited = true;
    check_refusal(&d, MAPS "/c-2?resourceVersion=8", 504,
                  "Timeout: Too large resource version: 8, current: 7");
    ASSERT_EQ(d.retry_s, 1);
    check_refusal(&d, MAPS "/nope?resourceVersion=8", 504,
                  "Timeout: Too large resource version: 8, current: 7");
    check_refusal(&d, "/api/v1/namespaces/demo/events/x?resourceVersion=8", 504,
                  "Timeout: Too large resource version: 8, current: 7");
    ASSERT_EQ(d.retry_s, 0);

    desk_close(&d);
}

TEST(read, refuses_versions_that_are_none)
{
    open_with_six();

    check_answer(&d, "application/json", MAPS "/c-2?resourceVersion=abc", 500,
                 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                 "\"Failure\",\"message\":\"resourceVersion: Invalid value: \\\"abc\\\": "
                 "strconv.ParseUint: parsing \\\"abc\\\": invalid syntax\",\"code\":500}\n");
    check_refusal(&d, "/api/v1/namespaces/demo/events/x?resourceVersion=abc", 400,
                  "invalid resource version: resourceVersion: Invalid value: \\\"abc\\\": "
                  "strconv.ParseUint: parsing \\\"abc\\\": invalid syntax");

    desk_close(&d);
}

TEST(read, goes_back_in_time_when_it_is_told)
{
    open_with_six();
    desk_put(&d, desk_served(&d, "", "v1", "configmaps"), CONFIG_MAP("c-2", "9"));

    d.present = 5;
    ASSERT_EQ(desk_ask(&d, "", MAPS "/c-2"), 200);
    ASSERT_CONTAINS(d.body.data, "\"resourceVersion\":\"3\"");
    ASSERT_EQ(desk_ask(&d, "", MAPS "/c-6"), 404);
    ASSERT_EQ(desk_ask(&d, "", MAPS "/c-"), 404);
    kin__storage_compact(d.s.storage, 6); /* what was forgotten is answered as it is */
    ASSERT_EQ(desk_ask(&d, "", MAPS "/c-2"), 200);
    ASSERT_CONTAINS(d.body.data, "\"resourceVersion\":\"8\"");

    desk_close(&d);
}

#define DEPLOYMENT                                                                                 \
    "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"name\":\"web\","          \
    "\"namespace\":\"demo\",\"uid\":\"u1\",\"resourceVersion\":\"%llu\",\"creationTimestamp\":"    \
    "\"2026-11-16T15:34:41Z\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"replicas\":3,\"selector\":{"   \
    "\"matchLabels\":{\"app\":\"web\",\"b\":\"2\"}}},\"status\":{\"replicas\":2}}"

TEST(read, knows_status_and_scale)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    desk_put(&d, desk_served(&d, "apps", "v1", "deployments"), DEPLOYMENT);

#define WEB "/apis/apps/v1/namespaces/demo/deployments/web"
    ASSERT_EQ(desk_ask(&d, "", WEB "/status"), 200);
    ASSERT_CONTAINS(d.body.data, "\"kind\":\"Deployment\"");
    check_answer(&d, "application/json", WEB "/scale", 200,
                 "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{\"name\":"
                 "\"web\",\"namespace\":\"demo\",\"uid\":\"u1\",\"resourceVersion\":\"2\","
                 "\"creationTimestamp\":\"2026-11-16T15:34:41Z\"},\"spec\":{\"replicas\":3},"
                 "\"status\":{\"replicas\":2,\"selector\":\"app=web,b=2\"}}\n");
    ASSERT_EQ(desk_ask(&d, "", WEB "/scale?resourceVersion=abc"), 500);
    ASSERT_EQ(desk_ask(&d, "", "/apis/apps/v1/namespaces/demo/deployments/no/scale"), 404);

    desk_close(&d);
}

TEST_FAILING_ALLOC(read, is_refused_without_memory)
{
    static const char *const accepts[] = { "application/json", PROTO, PARTIAL };
    kin_error err;
    kin_err code = desk_open(&d, &err);

    if (code == KIN_OK) {
        code =
            desk_try_put(&d, desk_served(&d, "", "v1", "configmaps"), CONFIG_MAP("a", "1"), &err);
    }
    for (size_t i = 0; code == KIN_OK && i < 3; i++) {
        code = desk_ask(&d, accepts[i], MAPS "/a") == 200 ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    desk_close(&d);
    return code;
}
