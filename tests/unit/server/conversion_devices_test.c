/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversion_devices_test.c - claims, their templates and slices in each version, as kube-apiserver
 * 1.36.3 showed them.
 */
#include "server/conversion_devices.h"

#include "server/field.h"
#include "unit/server/writing.h"

#define OLD "/apis/resource.k8s.io/v1beta1"
#define MIDDLE "/apis/resource.k8s.io/v1beta2"
#define NEW "/apis/resource.k8s.io/v1"
#define CLAIMS "/namespaces/default/resourceclaims"
#define TEMPLATES "/namespaces/default/resourceclaimtemplates"
#define SLICES "/resourceslices"

#define SELECTORS "\"selectors\":[{\"cel\":{\"expression\":\"true\"}}]"
#define COUNTED "\"allocationMode\":\"ExactCount\",\"count\":1"
#define FIRST(more)                                                                                \
    "{\"name\":\"q\"," more "\"firstAvailable\":[{\"name\":\"x\",\"deviceClassName\":\"y\""
#define OLD_REQUESTS                                                                               \
    "\"requests\":[{\"name\":\"r\",\"deviceClassName\":\"c\"," SELECTORS "," COUNTED               \
    "}," FIRST("\"deviceClassName\":\"\",") "," COUNTED "}]}]"
#define NEW_REQUESTS                                                                               \
    "\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"c\"," SELECTORS "," COUNTED  \
    "}}," FIRST("") "," COUNTED "}]}]"
#define GIVEN_REQUESTS                                                                             \
    "\"requests\":[{\"name\":\"r\",\"deviceClassName\":\"c\"," SELECTORS "}," FIRST("") "}]}]"

#define SLICE(name, devices)                                                                       \
    "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"driver\":\"d\",\"nodeName\":\"n\","         \
    "\"pool\":{\"name\":\"n\",\"resourceSliceCount\":1},\"devices\":[" devices "]}}"
#define CONTENT "\"attributes\":{\"a\":{\"string\":\"b\"}},\"capacity\":{\"m\":{\"value\":\"1Gi\"}}"

TEST(conversion_devices, has_a_request_of_v1beta1_exactly_in_v1)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", OLD CLAIMS, JSON,
                  "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"devices\":{" GIVEN_REQUESTS "}}}",
                  201, OLD_REQUESTS);
    ASSERT_ANSWER(&s, "GET", NEW CLAIMS "/a", NULL, NULL, 200, NEW_REQUESTS);
    ASSERT_ANSWER(&s, "GET", MIDDLE CLAIMS, NULL, NULL, 200, NEW_REQUESTS);
    ASSERT_ANSWER(&s, "GET", OLD CLAIMS, NULL, NULL, 200, OLD_REQUESTS);
    scene_close(&s);
}

TEST(conversion_devices, patches_a_claim_in_the_version_of_the_request)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", NEW CLAIMS, JSON,
                  "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"devices\":{" NEW_REQUESTS "}}}"),
              201);
    ASSERT_ANSWER(&s, "PATCH", OLD CLAIMS "/a", "application/json-patch+json",
                  "[{\"op\":\"test\",\"path\":\"/spec/devices/requests/0/deviceClassName\","
                  "\"value\":\"c\"},{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{"
                  "\"a\":\"b\"}}]",
                  200, OLD_REQUESTS);
    ASSERT_ANSWER(&s, "GET", NEW CLAIMS "/a", NULL, NULL, 200, NEW_REQUESTS);
    ASSERT_CONTAINS(s.body, "\"labels\":{\"a\":\"b\"}");
    scene_close(&s);
}

TEST(conversion_devices, does_the_same_in_templates)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", OLD TEMPLATES, JSON,
                  "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"spec\":{\"devices\":{" GIVEN_REQUESTS
                  "}}}}",
                  201, OLD_REQUESTS);
    ASSERT_ANSWER(&s, "GET", NEW TEMPLATES "/a", NULL, NULL, 200, NEW_REQUESTS);
    scene_close(&s);
}

TEST(conversion_devices, has_a_device_of_v1beta1_in_a_member_of_its_own)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", OLD SLICES, JSON,
                  SLICE("a", "{\"name\":\"x\",\"basic\":{" CONTENT "}},{\"name\":\"y\"}"), 201,
                  "\"devices\":[{\"name\":\"x\",\"basic\":{" CONTENT
                  "}},{\"name\":\"y\",\"basic\":{}}]");
    ASSERT_ANSWER(&s, "GET", NEW SLICES "/a", NULL, NULL, 200,
                  "\"nodeName\":\"n\",\"devices\":[{\"name\":\"x\"," CONTENT "},{\"name\":\"y\"}]");
    ASSERT_ANSWER(&s, "POST", NEW SLICES, JSON, SLICE("b", "{\"name\":\"x\"," CONTENT "}"), 201,
                  "\"devices\":[{\"name\":\"x\"," CONTENT "}]");
    ASSERT_ANSWER(&s, "GET", OLD SLICES "/b", NULL, NULL, 200,
                  "\"devices\":[{\"name\":\"x\",\"basic\":{" CONTENT "}}]");
    scene_close(&s);
}

TEST(conversion_devices, leaves_out_in_v1_what_is_empty_in_v1beta1)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", OLD SLICES, JSON,
                  "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"driver\":\"d\",\"nodeName\":\"\","
                  "\"allNodes\":false,\"pool\":{\"name\":\"n\",\"resourceSliceCount\":1}}}"),
              201);
    ASSERT_ANSWER(&s, "GET", NEW SLICES "/a", NULL, NULL, 200, "\"resourceSliceCount\":1}");
    ASSERT_TRUE(strstr(s.body, "nodeName") == NULL && strstr(s.body, "allNodes") == NULL);
    scene_close(&s);
}

TEST_FAILING_ALLOC(conversion_devices, survives_every_lack_of_memory)
{
    static const char claim[] = "{\"spec\":{\"spec\":{\"devices\":{" GIVEN_REQUESTS "}}}}";
    static const char slice[] = SLICE("a", "{\"name\":\"x\",\"basic\":{" CONTENT "}}");
    AUTO(kin__node_free) kin__node *first = kin__tree_of(kin_str_of(claim));
    AUTO(kin__node_free) kin__node *second = first == NULL ? NULL : kin__tree_of(kin_str_of(slice));

    return second != NULL && kin__claim_template_to_stored(first) &&
                   kin__claim_template_from_stored(first) && kin__slice_to_stored(second) &&
                   kin__slice_from_stored(second)
               ? KIN_OK
               : KIN_ERR_NO_MEMORY;
}
