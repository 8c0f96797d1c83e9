/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_class_test.c - the quality of service of pods, as kube-apiserver 1.36 finds it.
 */
#include "server/pod_class.h"

#include "unit/server/writing.h"

#define POD(containers) "{\"metadata\":{\"name\":\"p\"},\"spec\":{" containers "}}"
#define ONE(resources) "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"," resources "}]"
#define LIMITS "\"resources\":{\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}"

TEST(pod_class, is_found_by_requests_and_limits)
{
    static const struct {
        const char *spec, *class;
    } cases[] = {
        { ONE("\"resources\":{}"), "BestEffort" },
        { ONE("\"resources\":{\"requests\":{\"cpu\":\"0\"}}"), "BestEffort" },
        { ONE("\"resources\":{\"limits\":{\"example.com/gpu\":\"1\"}}"), "BestEffort" },
        { ONE("\"resources\":{\"requests\":{\"cpu\":\"100m\"}}"), "Burstable" },
        { ONE("\"resources\":{\"limits\":{\"cpu\":\"1\"}}"), "Burstable" },
        { ONE(LIMITS), "Guaranteed" },
        { ONE("\"resources\":{\"limits\":{\"cpu\":1,\"memory\":\"1Ki\"},\"requests\":{\"cpu\":"
              "\"1000m\",\"memory\":\"1024\"}}"),
          "Guaranteed" },
        { ONE("\"resources\":{\"limits\":{\"cpu\":\"1\",\"memory\":\"9Ei\"}}"), "Guaranteed" },
        { ONE("\"resources\":{\"limits\":{\"cpu\":\"2\",\"memory\":\"1Gi\"},\"requests\":{\"cpu\":"
              "\"1\"}}"),
          "Burstable" },
        { ONE(LIMITS) ",\"initContainers\":[{\"name\":\"d\",\"image\":\"i:1\"}]", "Burstable" },
        { ONE(LIMITS) ",\"initContainers\":[{\"name\":\"d\",\"image\":\"i:1\"," LIMITS "}]",
          "Guaranteed" },
    };
    scene s;
    kin_error err;
    char want[64];
    char body[512];

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void) snprintf(body, sizeof body, POD("%s"), cases[i].spec);
        (void) snprintf(want, sizeof want, "\"qosClass\":\"%s\"", cases[i].class);
        ASSERT_ANSWER(&s, "POST", DEFAULT "/pods?dryRun=All", JSON, body, 201, want);
    }
    scene_close(&s);
}

TEST(pod_class, goes_by_the_resources_of_the_whole_pod_when_it_has_some)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", DEFAULT "/pods?dryRun=All", JSON,
                  POD(LIMITS "," ONE("\"resources\":{}")), 201, "\"qosClass\":\"Guaranteed\"");
    ASSERT_CONTAINS(s.body, "\"requests\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}");
    ASSERT_ANSWER(&s, "POST", DEFAULT "/pods?dryRun=All", JSON,
                  POD(LIMITS "," ONE("\"resources\":{\"requests\":{\"cpu\":\"100m\"}}")), 201,
                  "\"qosClass\":\"Burstable\"");
    ASSERT_ANSWER(&s, "POST", DEFAULT "/pods?dryRun=All", JSON,
                  POD("\"resources\":{}," ONE(LIMITS)), 201, "\"qosClass\":\"BestEffort\"");
    scene_close(&s);
}

TEST(pod_class, takes_limits_for_requests_in_pods_and_not_in_templates)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", DEFAULT "/pods?dryRun=All", JSON,
                  POD(ONE("\"resources\":{\"limits\":{\"cpu\":\"2\",\"memory\":\"1Gi\"},"
                          "\"requests\":{\"cpu\":\"1\"}}")),
                  201, "\"requests\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}");
    ASSERT_EQ(ask(&s, "POST", DEFAULT "/podtemplates", JSON,
                  "{\"metadata\":{\"name\":\"t\"},\"template\":{\"spec\":{" ONE(LIMITS) "}}}"),
              201);
    ASSERT_TRUE(strstr(s.body, "requests") == NULL);
    scene_close(&s);
}

TEST_FAILING_ALLOC(pod_class, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int status =
            ask(&s, "POST", DEFAULT "/pods", JSON, POD(LIMITS "," ONE("\"resources\":{}")));
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 201 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
