/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rollout_test.c - deployments roll out and scale as their controllers would have it.
 */
#include "simulate/rollout.h"

#include "base/str.h"
#include "simulate/change.h"
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

/* One with some replicas. */
static uint32_t larger_one(const kin__cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->model.deployment_count; i++) {
        if (cluster->model.deployments[i].replicas >= 8 && kin__deployment_can_roll(cluster, i)) {
            return i;
        }
    }
    FAIL("all deployments are small");
}

static const kin_object *written(const recorder *record, const kin__cluster *cluster,
                                 uint32_t index)
{
    const kin__sim_deployment *deployment = &cluster->model.deployments[index];

    return recorder_get(record, "Deployment",
                        kin_str_of(cluster->model.namespaces[deployment->ns].name),
                        kin_str_of(deployment->name));
}

/* Ready pods and pods that are not being deleted, of all its sets. */
static kin__sim_tally pods_of(const kin__sim_model *model, uint32_t index)
{
    kin__sim_tally all = { 0 };

    for (uint32_t set = model->deployments[index].first_set; set != KIN__SIM_NONE;
         set = model->sets[set].next) {
        kin__sim_tally one = kin__sim_set_tally(model, set);
        all.replicas += one.replicas;
        all.ready += one.ready;
    }
    return all;
}

TEST(rollout, replaces_all_pods_and_never_has_too_many_or_too_few)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record);
    uint32_t index = larger_one(cluster);
    kin__sim_deployment *deployment = &cluster->model.deployments[index];
    uint32_t before = deployment->first_set;
    kin__sim_outcome outcome = KIN__SIM_DONE;

    ASSERT_OK(kin__deployment_roll(cluster, index, NULL));
    ASSERT_FALSE(kin__deployment_can_roll(cluster, index));
    ASSERT_FALSE(kin__deployment_can_scale(cluster, index, deployment->replicas + 1));
    while (outcome == KIN__SIM_DONE) {
        kin__sim_tally pods = pods_of(&cluster->model, index);
        ASSERT_TRUE(pods.replicas <= deployment->replicas + (deployment->replicas + 3) / 4);
        ASSERT_TRUE(pods.ready >= deployment->replicas - deployment->replicas / 4);
        cluster->model.now_us++;
        ASSERT_OK(kin__sim_follow_up(cluster, &outcome, NULL));
    }

    ASSERT_TRUE(deployment->first_set != before);
    ASSERT_EQ(kin__sim_set_tally(&cluster->model, deployment->first_set).ready,
              deployment->replicas);
    ASSERT_EQ(cluster->model.surge, 0);
    recorder_check_references(&record);
    recorder_check_counts(&record);
    ASSERT_SLICE_EQ(text_at(written(&record, cluster, index), "status.conditions[1].reason"),
                    "NewReplicaSetAvailable");
    kin__cluster_fini(cluster);
}

TEST(rollout, keeps_two_old_replica_sets)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record);
    uint32_t index = larger_one(cluster);

    for (int i = 0; i < 4; i++) {
        ASSERT_OK(kin__deployment_roll(cluster, index, NULL));
        ASSERT_OK(kin__cluster_settle(cluster, NULL));
        ASSERT_TRUE(kin__deployment_can_roll(cluster, index));
    }

    recorder_check_counts(&record);
    ASSERT_EQ(recorder_count(&record, "ReplicaSet"), cluster->model.set_count);
    uint32_t sets = 0;
    for (uint32_t set = cluster->model.deployments[index].first_set; set != KIN__SIM_NONE;
         set = cluster->model.sets[set].next) {
        sets++;
    }
    ASSERT_EQ(sets, 3);
    kin__cluster_fini(cluster);
}

TEST(rollout, scales_up_and_down)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record);
    uint32_t index = larger_one(cluster);
    uint32_t replicas = cluster->model.deployments[index].replicas;

    ASSERT_TRUE(kin__deployment_can_scale(cluster, index, replicas + 5));
    ASSERT_OK(kin__deployment_scale(cluster, index, replicas + 5, NULL));
    ASSERT_OK(kin__cluster_settle(cluster, NULL));
    ASSERT_EQ(recorder_count(&record, "Pod"), 105);
    ASSERT_EQ(number_at(written(&record, cluster, index), "status.readyReplicas"), replicas + 5);
    recorder_check_counts(&record);
    ASSERT_OK(kin__deployment_scale(cluster, index, replicas - 3, NULL));
    ASSERT_OK(kin__cluster_settle(cluster, NULL));

    ASSERT_EQ(recorder_count(&record, "Pod"), 97);
    recorder_check_counts(&record);
    recorder_check_references(&record);
    kin__cluster_fini(cluster);
}

TEST(rollout, refuses_what_would_leave_too_many_or_too_few_pods)
{
    AUTO(recorder_fini) recorder record = { .is_careless = true };
    kin__cluster *cluster = cluster_of(&record);
    uint32_t replicas = cluster->model.deployments[0].replicas;

    ASSERT_FALSE(kin__deployment_can_scale(cluster, 0, replicas));
    ASSERT_FALSE(kin__deployment_can_scale(cluster, 0, 0));
    ASSERT_FALSE(kin__deployment_can_scale(cluster, 0, replicas + 11));
    ASSERT_TRUE(kin__deployment_can_scale(cluster, 0, replicas + 10));
    kin__cluster_fini(cluster);
}
