/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_test.c - places, and who hangs on whom.
 */
#include "simulate/model.h"

#include <string.h>

#include "simulate/memory.h"
#include "support/test.h"
#include "unit/simulate/recorder.h"

static kin__sim_model model_of(uint32_t pods, uint32_t nodes)
{
    kin_simulation_options options = options_of(pods, nodes, 1);
    kin__sim_model model;

    ASSERT_OK(kin__sim_model_init(&model, &options, 1, 2, NULL));
    return model;
}

TEST(model, gives_uids_of_version_4)
{
    uint64_t state = 7;

    for (int i = 0; i < 100; i++) {
        kin__sim_uid uid = kin__sim_uid_draw(&state);
        ASSERT_EQ(uid.high >> 12 & 15, 4);
        ASSERT_EQ(uid.low >> 62, 2);
    }
}

TEST(model, has_places_for_as_many_pods_as_are_allowed)
{
    kin__sim_model model = model_of(100, 3);
    uint32_t set = kin__sim_set_add(&model, 0, 1);

    for (int i = 0; i < 120; i++) {
        ASSERT_TRUE(kin__sim_pod_add(&model, set) != KIN__SIM_NONE);
    }

    ASSERT_EQ(kin__sim_pod_add(&model, set), KIN__SIM_NONE);
    ASSERT_EQ(model.pod_count, 120);
    ASSERT_EQ(kin__sim_set_tally(&model, set).replicas, 120);
    kin__sim_model_fini(&model);
}

TEST(model, takes_pods_out_of_their_set_from_any_place)
{
    kin__sim_model model = model_of(100, 3);
    uint32_t set = kin__sim_set_add(&model, 0, 1);
    uint32_t pods[3];

    for (int i = 0; i < 3; i++) {
        pods[i] = kin__sim_pod_add(&model, set);
    }
    kin__sim_pod_drop(&model, pods[1]);
    ASSERT_EQ(kin__sim_set_tally(&model, set).replicas, 2);
    kin__sim_pod_drop(&model, pods[2]);
    ASSERT_EQ(model.sets[set].first_pod, pods[0]);
    kin__sim_pod_drop(&model, pods[0]);

    ASSERT_EQ(model.sets[set].first_pod, KIN__SIM_NONE);
    ASSERT_EQ(model.pod_count, 0);
    kin__sim_model_fini(&model);
}

TEST(model, keeps_sets_of_a_deployment_the_newest_first)
{
    kin__sim_model model = model_of(100, 3);
    uint32_t old = kin__sim_set_add(&model, 1, 1);
    uint32_t middle = kin__sim_set_add(&model, 1, 2);
    uint32_t young = kin__sim_set_add(&model, 1, 3);

    model.deployments[1].version = 3;
    ASSERT_EQ(kin__sim_current_set(&model, 1), young);
    kin__sim_set_drop(&model, middle);
    ASSERT_EQ(model.sets[young].next, old);
    model.deployments[1].version = 4;

    ASSERT_EQ(kin__sim_current_set(&model, 1), KIN__SIM_NONE);
    ASSERT_EQ(model.set_count, 2);
    kin__sim_model_fini(&model);
}

TEST(model, gives_no_address_twice_and_takes_them_back)
{
    kin__sim_model model = model_of(100, 1);
    uint32_t set = kin__sim_set_add(&model, 0, 1);
    bool is_taken[256] = { false };

    for (int i = 0; i < 1000; i++) {
        uint32_t pod = kin__sim_pod_add(&model, set);
        if (pod == KIN__SIM_NONE) {
            uint32_t youngest = model.sets[set].first_pod;
            is_taken[model.pods[youngest].address] = false;
            kin__sim_pod_drop(&model, youngest);
            continue;
        }
        kin__sim_pod_place(&model, pod);
        kin__sim_pod_address(&model, pod);
        ASSERT_TRUE(model.pods[pod].address >= 2 && model.pods[pod].address < 255);
        ASSERT_FALSE(is_taken[model.pods[pod].address]);
        is_taken[model.pods[pod].address] = true;
    }
    kin__sim_model_fini(&model);
}

TEST(model, spreads_pods_over_the_nodes)
{
    kin__sim_model model = model_of(1000, 10);
    uint32_t set = kin__sim_set_add(&model, 0, 1);

    for (int i = 0; i < 1000; i++) {
        kin__sim_pod_place(&model, kin__sim_pod_add(&model, set));
    }

    for (uint32_t i = 0; i < 10; i++) {
        ASSERT_TRUE(model.nodes[i].pods > 90 && model.nodes[i].pods < 110);
    }
    kin__sim_model_fini(&model);
}

TEST(model, puts_a_hundred_endpoints_into_a_slice_and_fills_gaps_first)
{
    kin__sim_model model = model_of(200, 3);
    uint32_t set = kin__sim_set_add(&model, 0, 1);
    uint32_t pods[201];

    for (int i = 0; i < 201; i++) {
        pods[i] = kin__sim_pod_add(&model, set);
        ASSERT_OK(kin__sim_slice_join(&model, pods[i], NULL));
    }
    ASSERT_EQ(model.slice_count, 3);
    ASSERT_EQ(model.slices[0].endpoints, 100);
    kin__sim_slice_leave(&model, pods[5]);
    kin__sim_slice_leave(&model, pods[200]);
    ASSERT_OK(kin__sim_slice_join(&model, pods[200], NULL));

    ASSERT_EQ(model.pods[pods[200]].slice, model.pods[pods[4]].slice);
    ASSERT_EQ(model.slices[2].endpoints, 0);
    kin__sim_model_fini(&model);
}

TEST_FAILING_ALLOC(model, leaves_nothing_behind_when_there_is_no_memory)
{
    kin_simulation_options options = options_of(50, 3, 1);
    kin__sim_model model;
    kin_error err;

    use_counted_memory();
    kin_err code = kin__sim_model_init(&model, &options, 1, 1, &err);
    if (code == KIN_OK) {
        uint32_t pod = kin__sim_pod_add(&model, kin__sim_set_add(&model, 0, 1));
        code = kin__sim_slice_join(&model, pod, &err);
        kin__sim_model_fini(&model);
    }
    return code;
}
