/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversion_autoscaler_test.c - what a HorizontalPodAutoscaler is in each of its two versions, as
 * kube-apiserver 1.36.3 showed them.
 */
#include "server/conversion_autoscaler.h"

#include "json/cursor.h"
#include "proto/envelope.h"
#include "proto/parse.h"
#include "server/field.h"
#include "unit/server/writing.h"

#define V1 "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
#define V2 "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
#define PROTOBUF "application/vnd.kubernetes.protobuf"
#define PREFIX "\"autoscaling.alpha.kubernetes.io/"
#define METRICS_NOTE PREFIX "metrics\":"
#define BEHAVIOR_NOTE PREFIX "behavior\":"
#define CONDITIONS_NOTE PREFIX "conditions\":"
#define STATES_NOTE PREFIX "current-metrics\":"
#define TOLERANCE_NOTE PREFIX "scale-up-tolerance\":"

#define TARGET "\"scaleTargetRef\":{\"kind\":\"Deployment\",\"name\":\"d\"},\"maxReplicas\":3"
#define NAMED(name, spec) "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{" TARGET spec "}}"
#define CPU(percent)                                                                               \
    "{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"target\":{\"type\":\"Utilization\","  \
    "\"averageUtilization\":" percent "}}}"

/* All sources of metrics but that of processors; in v2, and as v1 has them in its annotation. */
#define DEEP                                                                                       \
    "{\"type\":\"Resource\",\"resource\":{\"name\":\"memory\",\"target\":{\"type\":"               \
    "\"AverageValue\",\"averageValue\":\"1\"}}},"                                                  \
    "{\"type\":\"Pods\",\"pods\":{\"metric\":{\"name\":\"q\",\"selector\":{\"matchLabels\":{"      \
    "\"a\":\"b\"}}},\"target\":{\"type\":\"AverageValue\",\"averageValue\":\"5\"}}},"              \
    "{\"type\":\"Object\",\"object\":{\"describedObject\":{\"kind\":\"Service\",\"name\":\"s\","   \
    "\"apiVersion\":\"v1\"},\"target\":{\"type\":\"Value\",\"value\":\"10k\"},\"metric\":{"        \
    "\"name\":\"o\"}}},"                                                                           \
    "{\"type\":\"Object\",\"object\":{\"describedObject\":{\"kind\":\"Service\",\"name\":\"s\"},"  \
    "\"target\":{\"type\":\"AverageValue\",\"averageValue\":\"10\"},\"metric\":{\"name\":\"o\"}}}" \
    ",{\"type\":\"External\",\"external\":{\"metric\":{\"name\":\"e\\u003c\"},\"target\":{"        \
    "\"type\":\"Value\",\"value\":\"7\"}}},"                                                       \
    "{\"type\":\"ContainerResource\",\"containerResource\":{\"name\":\"cpu\",\"target\":{"         \
    "\"type\":\"Utilization\",\"averageUtilization\":3},\"container\":\"x\"}}"
#define FLAT                                                                                       \
    "\"[{\\\"type\\\":\\\"Resource\\\",\\\"resource\\\":{\\\"name\\\":\\\"memory\\\","             \
    "\\\"targetAverageValue\\\":\\\"1\\\"}},{\\\"type\\\":\\\"Pods\\\",\\\"pods\\\":{"             \
    "\\\"metricName\\\":\\\"q\\\",\\\"targetAverageValue\\\":\\\"5\\\",\\\"selector\\\":{"         \
    "\\\"matchLabels\\\":{\\\"a\\\":\\\"b\\\"}}}},{\\\"type\\\":\\\"Object\\\",\\\"object\\\":{"   \
    "\\\"target\\\":{\\\"kind\\\":\\\"Service\\\",\\\"name\\\":\\\"s\\\",\\\"apiVersion\\\":"      \
    "\\\"v1\\\"},\\\"metricName\\\":\\\"o\\\",\\\"targetValue\\\":\\\"10k\\\"}},{\\\"type\\\":"    \
    "\\\"Object\\\",\\\"object\\\":{\\\"target\\\":{\\\"kind\\\":\\\"Service\\\",\\\"name\\\":"    \
    "\\\"s\\\"},\\\"metricName\\\":\\\"o\\\",\\\"targetValue\\\":\\\"0\\\",\\\"averageValue\\\":"  \
    "\\\"10\\\"}},{\\\"type\\\":\\\"External\\\",\\\"external\\\":{\\\"metricName\\\":"            \
    "\\\"e\\\\u003c\\\",\\\"targetValue\\\":\\\"7\\\"}},{\\\"type\\\":\\\"ContainerResource\\\","  \
    "\\\"containerResource\\\":{\\\"name\\\":\\\"cpu\\\",\\\"targetAverageUtilization\\\":3,"      \
    "\\\"container\\\":\\\"x\\\"}}]\""

#define BEHAVIOR                                                                                   \
    "\"behavior\":{\"scaleUp\":{\"stabilizationWindowSeconds\":0,\"selectPolicy\":\"Max\","        \
    "\"policies\":[{\"type\":\"Pods\",\"value\":4,\"periodSeconds\":15},{\"type\":\"Percent\","    \
    "\"value\":100,\"periodSeconds\":15}]},\"scaleDown\":{\"selectPolicy\":\"Max\",\"policies\":"  \
    "[{\"type\":\"Pods\",\"value\":1,\"periodSeconds\":60}]}}"
#define FLAT_BEHAVIOR                                                                              \
    "\"{\\\"ScaleUp\\\":{\\\"StabilizationWindowSeconds\\\":0,\\\"SelectPolicy\\\":\\\"Max\\\","   \
    "\\\"Policies\\\":[{\\\"Type\\\":\\\"Pods\\\",\\\"Value\\\":4,\\\"PeriodSeconds\\\":15},{"     \
    "\\\"Type\\\":\\\"Percent\\\",\\\"Value\\\":100,\\\"PeriodSeconds\\\":15}],"                   \
    "\\\"Tolerance\\\":null},\\\"ScaleDown\\\":{\\\"StabilizationWindowSeconds\\\":null,"          \
    "\\\"SelectPolicy\\\":\\\"Max\\\",\\\"Policies\\\":[{\\\"Type\\\":\\\"Pods\\\",\\\"Value\\\":" \
    "1,\\\"PeriodSeconds\\\":60}],\\\"Tolerance\\\":null}}\""

#define CONDITIONS                                                                                 \
    "\"conditions\":[{\"type\":\"AbleToScale\",\"status\":\"True\",\"lastTransitionTime\":"        \
    "\"2020-01-01T00:00:00Z\",\"reason\":\"r\",\"message\":\"m\"}]"
#define STATES                                                                                     \
    "[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"current\":{\"averageValue\":\"3\","  \
    "\"averageUtilization\":9}}},{\"type\":\"Pods\",\"pods\":{\"metric\":{\"name\":\"q\"},"        \
    "\"current\":{\"averageValue\":\"1\"}}},{\"type\":\"Object\",\"object\":{\"metric\":{"         \
    "\"name\":\"o\"},\"current\":{\"value\":\"1\"},\"describedObject\":{\"kind\":\"Service\","     \
    "\"name\":\"s\"}}},{\"type\":\"External\",\"external\":{\"metric\":{\"name\":\"e\"},"          \
    "\"current\":{\"averageValue\":\"7\"}}},{\"type\":\"ContainerResource\","                      \
    "\"containerResource\":{\"name\":\"cpu\",\"current\":{\"averageUtilization\":3},"              \
    "\"container\":\"x\"}}]"
#define FLAT_STATES                                                                                \
    "\"[{\\\"type\\\":\\\"Resource\\\",\\\"resource\\\":{\\\"name\\\":\\\"cpu\\\","                \
    "\\\"currentAverageUtilization\\\":9,\\\"currentAverageValue\\\":\\\"3\\\"}},{\\\"type\\\":"   \
    "\\\"Pods\\\",\\\"pods\\\":{\\\"metricName\\\":\\\"q\\\",\\\"currentAverageValue\\\":"         \
    "\\\"1\\\"}},{\\\"type\\\":\\\"Object\\\",\\\"object\\\":{\\\"target\\\":{\\\"kind\\\":"       \
    "\\\"Service\\\",\\\"name\\\":\\\"s\\\"},\\\"metricName\\\":\\\"o\\\",\\\"currentValue\\\":"   \
    "\\\"1\\\"}},{\\\"type\\\":\\\"External\\\",\\\"external\\\":{\\\"metricName\\\":\\\"e\\\","   \
    "\\\"currentValue\\\":\\\"0\\\",\\\"currentAverageValue\\\":\\\"7\\\"}},{\\\"type\\\":"        \
    "\\\"ContainerResource\\\",\\\"containerResource\\\":{\\\"name\\\":\\\"cpu\\\","               \
    "\\\"currentAverageUtilization\\\":3,\\\"currentAverageValue\\\":\\\"0\\\",\\\"container\\\":" \
    "\\\"x\\\"}}]\""

static void open_with_all(scene *s)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(
        ask(s, "POST", V2, JSON, NAMED("all", ",\"metrics\":[" CPU("44") "," DEEP "]," BEHAVIOR)),
        201);
    ASSERT_EQ(
        ask(s, "PATCH", V2 "/all/status", MERGE,
            "{\"status\":{\"currentReplicas\":2,\"desiredReplicas\":2,\"currentMetrics\":" STATES
            "," CONDITIONS "}}"),
        200);
}

TEST(conversion_autoscaler, has_the_processors_of_v1_as_a_metric_of_v2)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", V1, JSON, NAMED("a", ",\"targetCPUUtilizationPercentage\":55"), 201,
                  "\"maxReplicas\":3,\"targetCPUUtilizationPercentage\":55}");
    ASSERT_ANSWER(&s, "GET", V2 "/a", NULL, NULL, 200,
                  "\"metrics\":[" CPU("55") "]},\"status\":{\"desiredReplicas\":0,"
                                            "\"currentMetrics\":null}}");
    ASSERT_ANSWER(&s, "POST", V1, JSON, NAMED("b", ""), 201,
                  "\"targetCPUUtilizationPercentage\":80}");
    ASSERT_ANSWER(&s, "GET", V2, NULL, NULL, 200, "\"metrics\":[" CPU("80") "]");
    ASSERT_ANSWER(&s, "GET", V1, NULL, NULL, 200, "\"targetCPUUtilizationPercentage\":55}");
    scene_close(&s);
}

TEST(conversion_autoscaler, shows_in_annotations_of_v1_what_has_no_member_there)
{
    scene s;

    open_with_all(&s);
    ASSERT_ANSWER(&s, "GET", V1 "/all", NULL, NULL, 200,
                  "\"annotations\":{" BEHAVIOR_NOTE FLAT_BEHAVIOR ",");
    ASSERT_CONTAINS(s.body, CONDITIONS_NOTE "\"[{\\\"type\\\":\\\"AbleToScale\\\",");
    ASSERT_CONTAINS(s.body, STATES_NOTE FLAT_STATES ",");
    ASSERT_CONTAINS(s.body, METRICS_NOTE FLAT "}");
    ASSERT_CONTAINS(s.body, "\"maxReplicas\":3,\"targetCPUUtilizationPercentage\":44},\"status\":{"
                            "\"currentReplicas\":2,\"desiredReplicas\":2,"
                            "\"currentCPUUtilizationPercentage\":9}}");
    scene_close(&s);
}

TEST(conversion_autoscaler, loses_nothing_when_v1_writes)
{
    scene s;

    open_with_all(&s);
    ASSERT_ANSWER(&s, "PATCH", V1 "/all", MERGE,
                  "{\"metadata\":{\"labels\":{\"x\":\"y\"}},\"spec\":{"
                  "\"targetCPUUtilizationPercentage\":66}}",
                  200, "\"targetCPUUtilizationPercentage\":66");
    ASSERT_ANSWER(&s, "GET", V2 "/all", NULL, NULL, 200,
                  "\"metrics\":[" DEEP "," CPU("66") "]," BEHAVIOR "}");
    ASSERT_CONTAINS(s.body, "\"currentMetrics\":" STATES "," CONDITIONS "}");
    ASSERT_TRUE(strstr(s.body, "annotations") == NULL);
    uint64_t before = revision(&s);
    ASSERT_ANSWER(&s, "PATCH", V1 "/all", MERGE, "{}", 200, FLAT);
    ASSERT_EQ(revision(&s), before);
    scene_close(&s);
}

TEST(conversion_autoscaler, takes_the_status_of_v1)
{
    scene s;

    open_with_all(&s);
    ASSERT_ANSWER(&s, "PATCH", V1 "/all/status", MERGE,
                  "{\"metadata\":{\"annotations\":null},\"status\":{"
                  "\"currentCPUUtilizationPercentage\":12}}",
                  200, "\"currentCPUUtilizationPercentage\":12}");
    ASSERT_ANSWER(&s, "GET", V2 "/all", NULL, NULL, 200,
                  "\"currentMetrics\":[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\","
                  "\"current\":{\"averageUtilization\":12}}}]}");
    ASSERT_CONTAINS(s.body, BEHAVIOR); /* a status changes nothing else */
    scene_close(&s);
}

#define WITH_NOTES                                                                                 \
    "{\"metadata\":{\"name\":\"h%zu\",\"annotations\":{\"a\":\"b\"," METRICS_NOTE                  \
    "\"%s\"," BEHAVIOR_NOTE "\"%s\"," CONDITIONS_NOTE "\"%s\"," STATES_NOTE                        \
    "\"%s\"}},\"spec\":{" TARGET "}}"

/* As Go's decoder: one that has a value of a wrong type is not read at all. */
TEST(conversion_autoscaler, drops_annotations_that_cannot_be_read)
{
    static const char *const notes[] = {
        "x",
        "{}",
        "[1]",
        "[{\\\"type\\\":1}]",
        "[{\\\"type\\\":\\\"Pods\\\",\\\"pods\\\":7}]",
        "[{\\\"type\\\":\\\"Pods\\\",\\\"pods\\\":{\\\"selector\\\":[]}}]",
        "null",
        "",
    };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        char target[128];
        text body = { 0 };
        text_append(&body, WITH_NOTES, i, notes[i], notes[i], notes[i], notes[i]);
        ASSERT_ANSWER(&s, "POST", V1, JSON, body.chars, 201, "\"annotations\":{\"a\":\"b\"}}");
        (void) snprintf(target, sizeof target, "%s/h%zu", V2, i);
        ASSERT_ANSWER(&s, "GET", target, NULL, NULL, 200, "\"metrics\":[" CPU("80") "]}");
    }
    scene_close(&s);
}

TEST(conversion_autoscaler, keeps_no_annotations_of_v1_in_v2)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", V2, JSON,
                  "{\"metadata\":{\"name\":\"a\",\"annotations\":{\"a\":\"b\"," METRICS_NOTE
                  "\"[]\"," TOLERANCE_NOTE "\"1\"}},\"spec\":{" TARGET "}}",
                  201, "\"annotations\":{\"a\":\"b\"}}");
    scene_close(&s);
}

TEST(conversion_autoscaler, reads_and_writes_protobuf_of_v1)
{
    const kin_str version = STR("autoscaling/v1");
    const kin_str kind = STR("HorizontalPodAutoscaler");
    const char *json = NAMED("p", ",\"targetCPUUtilizationPercentage\":31");
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    AUTO(kin__buf_fini) kin__buf envelope = { 0 };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_OK(kin__pb_from_json(kin__pb_message_of(version, kind), kin__json_of(kin_str_of(json)),
                                &message, &err));
    ASSERT_TRUE(
        kin__pb_envelope_append(version, kind, kin__str(message.data, message.len), &envelope));
    ASSERT_EQ(ask_as(&s, JSON, "POST", V1, PROTOBUF, kin__str(envelope.data, envelope.len)), 201);
    ASSERT_CONTAINS(s.body, "\"targetCPUUtilizationPercentage\":31");
    ASSERT_ANSWER(&s, "GET", V2 "/p", NULL, NULL, 200, CPU("31"));
    ASSERT_EQ(ask_as(&s, PROTOBUF, "GET", V1 "/p", NULL, STR("")), 200);
    scene_close(&s);
}

TEST_FAILING_ALLOC(conversion_autoscaler, survives_every_lack_of_memory)
{
    static const char given[] =
        "{\"metadata\":{\"annotations\":{" METRICS_NOTE FLAT "," BEHAVIOR_NOTE FLAT_BEHAVIOR
        "," STATES_NOTE FLAT_STATES "}},\"spec\":{"
        "\"targetCPUUtilizationPercentage\":1},\"status\":{\"currentCPUUtilizationPercentage\":9}}";
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(kin_str_of(given));

    return tree != NULL && kin__autoscaler_to_stored(tree) && kin__autoscaler_from_stored(tree)
               ? KIN_OK
               : KIN_ERR_NO_MEMORY;
}
