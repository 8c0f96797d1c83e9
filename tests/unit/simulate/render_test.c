/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_test.c - objects are complete, and what they say fits together.
 *
 * That all of them have the members, the order and the types of the API, is seen to by the
 * recorder.
 */
#include "simulate/render.h"

#include <stdio.h>

#include "base/str.h"
#include "simulate/cluster.h"
#include "simulate/rollout.h"
#include "support/test.h"
#include "unit/simulate/recorder.h"

static kin__cluster *cluster_of(recorder *record)
{
    static kin__cluster cluster;
    kin_simulation_options options = options_of(100, 4, 11);
    kin__sink sink = recorder_sink(record);

    ASSERT_OK(kin__cluster_init(&cluster, &options, &sink, NULL));
    return &cluster;
}

/* Any object of a kind. */
static const kin_object *one(const recorder *record, const char *kind)
{
    kin__map_iter iter = kin__map_begin(&record->objects);

    while (kin__map_next(&iter)) {
        if (kin_str_equal(kin_object_kind(iter.value), kin_str_of(kind))) {
            return iter.value;
        }
    }
    FAIL("there is no %s", kind);
}

static void expect_all(const kin_object *object, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!kin_value_exists(kin_object_at(object, paths[i]))) {
            FAIL("%.*s has no %s", KIN_STR_ARG(kin_object_key(object)), paths[i]);
        }
    }
}

TEST(render, gives_a_pod_all_that_a_server_fills_in)
{
    static const char *const paths[] = {
        "metadata.generateName",
        "spec.restartPolicy",
        "spec.terminationGracePeriodSeconds",
        "spec.dnsPolicy",
        "spec.serviceAccountName",
        "spec.serviceAccount",
        "spec.securityContext",
        "spec.schedulerName",
        "spec.tolerations[1].tolerationSeconds",
        "spec.priority",
        "spec.enableServiceLinks",
        "spec.preemptionPolicy",
        "spec.volumes[1].projected.defaultMode",
        "spec.containers[0].ports[0].protocol",
        "spec.containers[0].env[0].valueFrom.fieldRef.apiVersion",
        "spec.containers[0].readinessProbe.successThreshold",
        "spec.containers[0].terminationMessagePath",
        "spec.containers[0].terminationMessagePolicy",
        "spec.containers[0].imagePullPolicy",
        "status.observedGeneration",
        "status.conditions[4].lastTransitionTime",
        "status.hostIPs[0].ip",
        "status.podIPs[0].ip",
        "status.startTime",
        "status.containerStatuses[0].containerID",
        "status.containerStatuses[0].imageID",
        "status.qosClass",
    };
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record);

    expect_all(one(&record, "Pod"), paths, sizeof paths / sizeof paths[0]);
    kin__cluster_fini(cluster);
}

TEST(render, gives_other_objects_all_that_a_server_fills_in)
{
    static const char *const deployment[] = { "spec.strategy.rollingUpdate.maxSurge",
                                              "spec.progressDeadlineSeconds",
                                              "spec.revisionHistoryLimit",
                                              "spec.template.spec.schedulerName" };
    static const char *const service[] = { "spec.clusterIPs[0]",         "spec.sessionAffinity",
                                           "spec.ipFamilies[0]",         "spec.ipFamilyPolicy",
                                           "spec.internalTrafficPolicy", "status.loadBalancer" };
    static const char *const node[] = { "spec.podCIDR", "status.allocatable.pods",
                                        "status.conditions[3].lastHeartbeatTime",
                                        "status.nodeInfo.kubeletVersion", "status.images[0]" };
    static const char *const event[] = { "involvedObject.uid", "source", "eventTime",
                                         "reportingComponent" };
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record);

    expect_all(one(&record, "Deployment"), deployment, 4);
    expect_all(one(&record, "Service"), service, 6);
    expect_all(one(&record, "Node"), node, 5);
    expect_all(one(&record, "Event"), event, 4);
    kin__cluster_fini(cluster);
}

/* Whether "f:name" is among the fields of a status. */
static bool is_managed(kin_value fields, kin_str name)
{
    char member[128];

    (void) snprintf(member, sizeof member, "f:%.*s", KIN_STR_ARG(name));
    return kin_value_exists(
        kin_value_member(kin_value_member(fields, STR("f:status")), kin_str_of(member)));
}

/* What the kubelet or a controller manages of a status is there, and what is there it manages. */
static void check_status_fields(const kin_object *object, const char *fields_path)
{
    kin_value fields = kin_object_at(object, fields_path);
    kin_iter member = kin_value_iter(kin_object_at(object, "status"));
    size_t managed = 0;

    while (kin_iter_next(&member)) {
        kin_str name;
        ASSERT_OK(kin_value_str(member.key, NULL, 0, &name));
        managed += is_managed(fields, name);
        if (!is_managed(fields, name) && !kin_str_equal(name, STR("qosClass"))) {
            FAIL("%.*s: nobody manages %.*s", KIN_STR_ARG(kin_object_key(object)),
                 KIN_STR_ARG(name));
        }
    }
    ASSERT_EQ(kin_value_count(kin_value_member(fields, STR("f:status"))), managed);
}

TEST(render, says_of_each_member_of_a_status_who_manages_it)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record);

    for (int i = 0; i < 3000; i++) {
        ASSERT_OK(kin__cluster_step(cluster, NULL));
    }
    ASSERT_OK(kin__cluster_settle(cluster, NULL));
    kin__map_iter iter = kin__map_begin(&record.objects);
    while (kin__map_next(&iter)) {
        kin_str kind = kin_object_kind(iter.value);
        size_t last = kin_value_count(kin_object_at(iter.value, "metadata.managedFields")) - 1;
        if (kin_str_equal(kind, STR("Pod"))) {
            check_status_fields(iter.value, last == 1 ? "metadata.managedFields[1].fieldsV1"
                                                      : "metadata.managedFields[2].fieldsV1");
        } else if (kin_str_equal(kind, STR("Deployment")) ||
                   kin_str_equal(kind, STR("ReplicaSet"))) {
            check_status_fields(iter.value, "metadata.managedFields[1].fieldsV1");
        }
    }
    kin__cluster_fini(cluster);
}

TEST(render, keeps_managers_in_the_order_of_their_times)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record);

    for (int i = 0; i < 6000; i++) {
        ASSERT_OK(kin__cluster_step(cluster, NULL));
    }
    kin__map_iter iter = kin__map_begin(&record.objects);
    while (kin__map_next(&iter)) {
        kin_iter entry = kin_value_iter(kin_object_at(iter.value, "metadata.managedFields"));
        kin_time before = { 0, 0 };
        while (kin_iter_next(&entry)) {
            kin_time time;
            ASSERT_OK(kin_value_time(kin_value_member(entry.value, STR("time")), &time));
            ASSERT_TRUE(time.seconds >= before.seconds);
            ASSERT_TRUE(time.seconds <= cluster->model.now_us / 1000000);
            before = time;
        }
    }
    kin__cluster_fini(cluster);
}

TEST(render, puts_who_wrote_last_at_the_end)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record);
    const kin__sim_deployment *deployment = &cluster->model.deployments[0];
    kin_str ns = kin_str_of(cluster->model.namespaces[deployment->ns].name);
    kin_str name = kin_str_of(deployment->name);

    ASSERT_SLICE_EQ(
        text_at(recorder_get(&record, "Deployment", ns, name), "metadata.managedFields[1].manager"),
        "kube-controller-manager");
    ASSERT_OK(kin__deployment_roll(cluster, 0, NULL));

    const kin_object *rolled = recorder_get(&record, "Deployment", ns, name);
    ASSERT_SLICE_EQ(text_at(rolled, "metadata.managedFields[0].manager"),
                    "kube-controller-manager");
    ASSERT_SLICE_EQ(text_at(rolled, "metadata.managedFields[1].manager"), "helm");
    kin__cluster_fini(cluster);
}

TEST(render, makes_pods_older_than_now_and_younger_than_their_replica_set)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record);
    kin__map_iter iter = kin__map_begin(&record.objects);
    int64_t oldest = INT64_MAX;
    int64_t youngest = 0;

    while (kin__map_next(&iter)) {
        if (!kin_str_equal(kin_object_kind(iter.value), STR("Pod"))) {
            continue;
        }
        const kin_object *set =
            recorder_get(&record, "ReplicaSet", kin_object_namespace(iter.value),
                         text_at(iter.value, "metadata.ownerReferences[0].name"));
        kin_time pod_time;
        kin_time set_time;
        ASSERT_TRUE(kin_object_creation_time(iter.value, &pod_time));
        ASSERT_TRUE(kin_object_creation_time(set, &set_time));
        ASSERT_TRUE(pod_time.seconds >= set_time.seconds);
        oldest = pod_time.seconds < oldest ? pod_time.seconds : oldest;
        youngest = pod_time.seconds > youngest ? pod_time.seconds : youngest;
    }

    ASSERT_TRUE(youngest < 1767225600);
    ASSERT_TRUE(youngest - oldest > 86400);
    kin__cluster_fini(cluster);
}
