/* SPDX-License-Identifier: Apache-2.0 */
/*
 * default_kinds_test.c - defaults that follow from other members of the object.
 */
#include "unit/server/writing.h"

#define VOLUMES "/api/v1/persistentvolumes"
#define SINCE(time) "\"lastPhaseTransitionTime\":\"2026-11-16T" time "Z\""

TEST(default_kinds, say_since_when_a_volume_has_its_phase)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", VOLUMES, JSON,
                  "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"nfs\":{\"server\":\"s\",\"path\":"
                  "\"/p\"}}}",
                  201, "\"phase\":\"Pending\"," SINCE("12:00:00"));
    kin__virtual_clock_advance(&s.clock, 5000);
    ASSERT_ANSWER(&s, "PATCH", VOLUMES "/v/status", MERGE, "{\"status\":{\"phase\":\"Available\"}}",
                  200, SINCE("12:00:05"));
    kin__virtual_clock_advance(&s.clock, 5000);
    ASSERT_ANSWER(&s, "PATCH", VOLUMES "/v/status", MERGE, "{\"status\":{\"reason\":\"x\"}}", 200,
                  SINCE("12:00:05"));
    ASSERT_ANSWER(&s, "PATCH", VOLUMES "/v/status", MERGE,
                  "{\"status\":{\"phase\":\"Bound\"," SINCE("01:02:03") "}}", 200,
                  SINCE("01:02:03"));
    scene_close(&s);
}

TEST(default_kinds, give_a_job_its_selector)
{
    scene s;
    kin_error err;
    char want[512];

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", "/apis/batch/v1/namespaces/default/jobs", JSON,
                  "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{"
                  "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}"
                  "}}}"),
              201);
    const char *uid = strstr(s.body, "\"uid\":\"") + 7;
    snprintf(want, sizeof want,
             "\"spec\":{\"parallelism\":1,\"completions\":1,\"backoffLimit\":6,\"selector\":{"
             "\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"%.36s\"}},"
             "\"manualSelector\":false,\"template\":{\"metadata\":{\"labels\":{"
             "\"batch.kubernetes.io/controller-uid\":\"%.36s\",\"batch.kubernetes.io/job-name\":"
             "\"j\",\"controller-uid\":\"%.36s\",\"job-name\":\"j\"}}",
             uid, uid, uid);
    ASSERT_CONTAINS(s.body, want);
    scene_close(&s);
}

TEST(default_kinds, select_what_the_template_of_a_controller_makes)
{
    static const struct {
        const char *path, *body, *says;
    } cases[] = {
        { "/api/v1/namespaces/default/replicationcontrollers",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"template\":{\"metadata\":{\"la"
          "bels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\""
          "i:1\"}]}}}}",
          "\"selector\":{\"a\":\"b\"}" },
        { "/api/v1/namespaces/default/replicationcontrollers?dryRun=All",
          "{\"metadata\":{\"name\":\"y\"},\"spec\":{\"template\":{\"metadata\":{\"la"
          "bels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\""
          "i:1\"}]}}}}",
          "\"labels\":{\"a\":\"b\"}" },
        { "/api/v1/namespaces/default/replicationcontrollers?dryRun=All",
          "{\"metadata\":{\"name\":\"y\"},\"spec\":{\"selector\":{\"c\":\"d\"},\"templ"
          "ate\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":["
          "{\"name\":\"c\",\"image\":\"i:1\"}]}}}}",
          "\"selector\":{\"c\":\"d\"}" },
    };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_ANSWER(&s, "POST", cases[i].path, JSON, cases[i].body, 201, cases[i].says);
    }
    scene_close(&s);
}

TEST(default_kinds, count_for_a_job_what_it_leaves_open)
{
    static const struct {
        const char *path, *body, *says;
    } cases[] = {
        { "/apis/batch/v1/namespaces/default/jobs?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"parallelism\":2,\"template\":"
          "{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\""
          "image\":\"i:1\"}]}}}}",
          "\"spec\":{\"parallelism\":2,\"backoffLimit\":6," },
        { "/apis/batch/v1/namespaces/default/jobs?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"completions\":3,\"template\":"
          "{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\""
          "image\":\"i:1\"}]}}}}",
          "\"spec\":{\"parallelism\":1,\"completions\":3," },
        { "/apis/batch/v1/namespaces/default/jobs?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"completions\":3,\"completion"
          "Mode\":\"Indexed\",\"backoffLimitPerIndex\":1,\"template\":{\"spec\":"
          "{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\""
          "i:1\"}]}}}}",
          "\"backoffLimit\":2147483647" },
        { "/apis/batch/v1/namespaces/default/jobs?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"podFailurePolicy\":{\"rules\""
          ":[{\"action\":\"Ignore\",\"onPodConditions\":[{\"type\":\"T\"}]}]},\"te"
          "mplate\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"nam"
          "e\":\"c\",\"image\":\"i:1\"}]}}}}",
          "\"onPodConditions\":[{\"type\":\"T\",\"status\":\"True\"}]" },
        { "/apis/batch/v1/namespaces/default/jobs?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"podFailurePolicy\":{\"rules\""
          ":[]},\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers"
          "\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}}}",
          "\"podReplacementPolicy\":\"Failed\"" },
    };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_ANSWER(&s, "POST", cases[i].path, JSON, cases[i].body, 201, cases[i].says);
    }
    scene_close(&s);
}

TEST_FAILING_ALLOC(default_kinds, survive_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int status = ask(&s, "POST", "/apis/batch/v1/namespaces/default/jobs", JSON,
                         "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{"
                         "\"containers\":[{\"name\":\"c\"}]}}}}");
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 201 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
