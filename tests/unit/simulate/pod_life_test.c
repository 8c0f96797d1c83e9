/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_life_test.c - pods from their making to their end.
 */
#include "simulate/pod_life.h"

#include <stdio.h>

#include "base/str.h"
#include "support/test.h"
#include "unit/simulate/recorder.h"

static kin__cluster *cluster_of(recorder *record, uint64_t seed)
{
    static kin__cluster cluster;
    kin_simulation_options options = options_of(20, 3, seed);
    kin__sink sink = recorder_sink(record);

    ASSERT_OK(kin__cluster_init(&cluster, &options, &sink, NULL));
    return &cluster;
}

static const kin_object *written(const recorder *record, const kin__cluster *cluster, uint32_t pod)
{
    const kin__sim_model *model = &cluster->model;
    char name[KIN__SIM_POD_NAME_SIZE];
    uint32_t ns = model->deployments[model->sets[model->pods[pod].set].deployment].ns;

    kin__sim_pod_name(model, pod, name);
    return recorder_get(record, "Pod", kin_str_of(model->namespaces[ns].name), kin_str_of(name));
}

static kin_str text_of(kin_value value)
{
    kin_str text_in = { NULL, 0 };

    ASSERT_OK(kin_value_str(value, NULL, 0, &text_in));
    return text_in;
}

static void advance(kin__cluster *cluster, uint32_t pod)
{
    kin__sim_outcome outcome = KIN__SIM_IDLE;

    cluster->model.now_us += 1500000;
    ASSERT_OK(kin__pod_advance(cluster, pod, &outcome, NULL));
    ASSERT_EQ(outcome, KIN__SIM_DONE);
}

TEST(pod_life, goes_from_pending_to_ready)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record, 1);
    kin__sim_outcome outcome = KIN__SIM_IDLE;
    uint32_t pod = cluster->model.free_pod;

    ASSERT_OK(kin__pod_make(cluster, 0, &outcome, NULL));
    cluster->model.pods[pod].has_waited = true; /* so that it finds a node at once */
    ASSERT_SLICE_EQ(text_at(written(&record, cluster, pod), "status.phase"), "Pending");
    ASSERT_FALSE(kin_value_exists(kin_object_at(written(&record, cluster, pod), "spec.nodeName")));
    advance(cluster, pod);
    ASSERT_TRUE(text_at(written(&record, cluster, pod), "spec.nodeName").len > 0);
    ASSERT_FALSE(kin_value_exists(kin_object_at(written(&record, cluster, pod), "status.hostIP")));
    advance(cluster, pod);
    ASSERT_SLICE_EQ(
        text_at(written(&record, cluster, pod), "status.containerStatuses[0].state.waiting.reason"),
        "ContainerCreating");
    advance(cluster, pod);
    ASSERT_SLICE_EQ(text_at(written(&record, cluster, pod), "status.phase"), "Running");
    ASSERT_SLICE_EQ(text_at(written(&record, cluster, pod), "status.conditions[2].status"),
                    "False");
    ASSERT_TRUE(text_at(written(&record, cluster, pod), "status.podIP").len > 0);
    advance(cluster, pod);

    ASSERT_SLICE_EQ(text_at(written(&record, cluster, pod), "status.conditions[2].status"), "True");
    ASSERT_OK(kin__pod_advance(cluster, pod, &outcome, NULL));
    ASSERT_EQ(outcome, KIN__SIM_IDLE);
    kin__cluster_fini(cluster);
}

TEST(pod_life, may_wait_for_a_node_and_shows_that_the_scheduler_said_so)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record, 1);
    kin__sim_outcome outcome = KIN__SIM_IDLE;
    uint32_t pod = cluster->model.free_pod;

    ASSERT_OK(kin__pod_make(cluster, 0, &outcome, NULL));
    do {
        cluster->model.pods[pod].stage = KIN__SIM_CREATED;
        advance(cluster, pod);
    } while (cluster->model.pods[pod].stage != KIN__SIM_UNSCHEDULABLE);
    ASSERT_SLICE_EQ(text_at(written(&record, cluster, pod), "status.conditions[0].reason"),
                    "Unschedulable");
    while (cluster->model.pods[pod].stage != KIN__SIM_READY) {
        advance(cluster, pod);
    }

    ASSERT_SLICE_EQ(text_at(written(&record, cluster, pod), "metadata.managedFields[1].manager"),
                    "kube-scheduler");
    ASSERT_SLICE_EQ(text_at(written(&record, cluster, pod), "metadata.managedFields[2].manager"),
                    "kubelet");
    kin__cluster_fini(cluster);
}

TEST(pod_life, crashes_and_comes_back)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record, 2);
    const kin__sim_pod *pod = &cluster->model.pods[3];
    uint32_t restarts = pod->restarts;

    ASSERT_OK(kin__pod_crash(cluster, 3, NULL));
    ASSERT_SLICE_EQ(
        text_at(written(&record, cluster, 3), "status.containerStatuses[0].state.waiting.reason"),
        "CrashLoopBackOff");
    ASSERT_EQ(number_at(written(&record, cluster, 3), "status.containerStatuses[0].restartCount"),
              restarts + 1);
    ASSERT_OK(kin__cluster_settle(cluster, NULL));

    ASSERT_EQ(pod->stage, KIN__SIM_READY);
    ASSERT_TRUE(kin_value_exists(
        kin_object_at(written(&record, cluster, 3),
                      "status.containerStatuses[0].lastState.terminated.exitCode")));
    recorder_check_counts(&record);
    kin__cluster_fini(cluster);
}

TEST(pod_life, ends_with_a_deletion_a_last_status_and_nothing)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record, 2);
    kin__sim_outcome outcome = KIN__SIM_IDLE;
    kin_time when;

    ASSERT_OK(kin__pod_delete(cluster, 3, &outcome, NULL));
    ASSERT_TRUE(kin_object_deletion_time(written(&record, cluster, 3), &when));
    ASSERT_EQ(kin_object_generation(written(&record, cluster, 3)), 2);
    advance(cluster, 3);
    ASSERT_SLICE_EQ(text_at(written(&record, cluster, 3), "status.phase"), "Succeeded");
    size_t before = recorder_count(&record, "Pod");
    advance(cluster, 3);

    ASSERT_EQ(recorder_count(&record, "Pod"), before - 1);
    ASSERT_EQ(cluster->model.pods[3].stage, KIN__SIM_FREE);
    kin__cluster_fini(cluster);
}

/* What the slice of a pod says of it. */
static bool endpoint_is(const recorder *record, const kin__cluster *cluster, uint32_t pod,
                        const char *condition)
{
    const kin__sim_model *model = &cluster->model;
    const kin__sim_slice *slice = &model->slices[model->pods[pod].slice];
    const kin__sim_deployment *deployment = &model->deployments[slice->deployment];
    char name[64];

    (void) snprintf(name, sizeof name, "%s-%s", deployment->name, slice->suffix);
    const kin_object *object =
        recorder_get(record, "EndpointSlice", kin_str_of(model->namespaces[deployment->ns].name),
                     kin_str_of(name));
    kin_iter endpoint = kin_value_iter(kin_object_at(object, "endpoints"));
    while (kin_iter_next(&endpoint)) {
        bool is = false;
        if (kin_str_equal(text_of(kin_value_at(endpoint.value, "targetRef.uid")),
                          kin_object_uid(written(record, cluster, pod)))) {
            ASSERT_OK(kin_value_bool(kin_value_at(endpoint.value, condition), &is));
            return is;
        }
    }
    FAIL("the pod is no endpoint");
}

TEST(pod_life, shows_in_the_endpoint_slice_of_its_service)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record, 2);
    kin__sim_outcome outcome = KIN__SIM_IDLE;
    uint32_t slice = cluster->model.pods[3].slice;

    ASSERT_TRUE(endpoint_is(&record, cluster, 3, "conditions.ready"));
    ASSERT_FALSE(endpoint_is(&record, cluster, 3, "conditions.terminating"));
    ASSERT_OK(kin__pod_delete(cluster, 3, &outcome, NULL));
    ASSERT_TRUE(cluster->model.slices[slice].is_queued);
    ASSERT_OK(kin__slice_update(cluster, slice, NULL));
    ASSERT_FALSE(endpoint_is(&record, cluster, 3, "conditions.ready"));
    ASSERT_TRUE(endpoint_is(&record, cluster, 3, "conditions.serving"));
    ASSERT_TRUE(endpoint_is(&record, cluster, 3, "conditions.terminating"));
    advance(cluster, 3);

    ASSERT_EQ(cluster->model.pods[3].slice, KIN__SIM_NONE);
    kin__cluster_fini(cluster);
}

TEST(pod_life, is_no_ready_endpoint_while_it_has_crashed)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record, 2);
    uint32_t slice = cluster->model.pods[3].slice;

    ASSERT_OK(kin__pod_crash(cluster, 3, NULL));
    ASSERT_TRUE(cluster->model.slices[slice].is_queued);
    ASSERT_OK(kin__slice_update(cluster, slice, NULL));

    ASSERT_FALSE(endpoint_is(&record, cluster, 3, "conditions.ready"));
    ASSERT_FALSE(endpoint_is(&record, cluster, 3, "conditions.serving"));
    kin__cluster_fini(cluster);
}

TEST(pod_life, ends_at_once_for_a_pod_that_is_on_no_node)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record, 2);
    kin__sim_outcome outcome = KIN__SIM_IDLE;
    uint32_t pod = cluster->model.free_pod;

    ASSERT_OK(kin__pod_make(cluster, 0, &outcome, NULL));
    ASSERT_OK(kin__pod_delete(cluster, pod, &outcome, NULL));

    ASSERT_EQ(outcome, KIN__SIM_DONE);
    ASSERT_EQ(cluster->model.pods[pod].stage, KIN__SIM_FREE);
    ASSERT_EQ(recorder_count(&record, "Pod"), 20);
    kin__cluster_fini(cluster);
}

TEST(pod_life, waits_when_there_are_too_many_or_too_few_pods)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record, 2);
    kin__sim_outcome outcome = KIN__SIM_IDLE;

    while (cluster->model.pod_count < cluster->model.pods_max) {
        ASSERT_OK(kin__pod_make(cluster, 0, &outcome, NULL));
    }
    size_t calls = record.calls;
    ASSERT_OK(kin__pod_make(cluster, 0, &outcome, NULL));
    ASSERT_EQ(outcome, KIN__SIM_BLOCKED);
    ASSERT_EQ(record.calls, calls);
    cluster->model.pods_min = cluster->model.pod_count;
    cluster->model.pods[3].deleted_s = 1;
    cluster->model.pods[3].stage = KIN__SIM_STOPPED;
    ASSERT_OK(kin__pod_advance(cluster, 3, &outcome, NULL));

    ASSERT_EQ(outcome, KIN__SIM_BLOCKED);
    ASSERT_EQ(record.calls, calls);
    kin__cluster_fini(cluster);
}

TEST(pod_life, removes_the_oldest_event_when_there_are_too_many)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record, 2);
    kin__sim_task task = { .index = 3,
                           .check = (uint32_t) cluster->model.pods[3].uid.low,
                           .work = KIN__SIM_WORK_EVENT,
                           .reason = KIN__SIM_UNHEALTHY };
    kin__sim_outcome outcome = KIN__SIM_IDLE;

    while (cluster->model.event_count < cluster->model.event_max) {
        cluster->model.now_us++;
        ASSERT_OK(kin__event_record(cluster, &task, &outcome, NULL));
    }
    ASSERT_EQ(recorder_count(&record, "Event"), cluster->model.event_max);
    ASSERT_OK(kin__event_record(cluster, &task, &outcome, NULL));
    ASSERT_EQ(recorder_count(&record, "Event"), cluster->model.event_max - 1);
    ASSERT_EQ(cluster->tasks.count, 1);
    task.check++;
    ASSERT_OK(kin__event_record(cluster, &task, &outcome, NULL));

    ASSERT_EQ(outcome, KIN__SIM_IDLE);
    kin__cluster_fini(cluster);
}
