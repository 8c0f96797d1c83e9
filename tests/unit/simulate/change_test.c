/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change_test.c - what happens, and how often.
 */
#include "simulate/change.h"

#include <string.h>

#include "support/test.h"
#include "unit/simulate/recorder.h"

/* How often each kind was written and removed. */
typedef struct tally {
    size_t writes;
    size_t leases;
    size_t nodes;
    size_t pods;
    size_t slices;
    size_t deployments;
    size_t sets;
    size_t config_maps;
    size_t events;
    size_t pods_removed;
    size_t sets_removed;
    size_t events_removed;
} tally;

static bool begins(kin_str json, const char *kind)
{
    size_t len = strlen(kind);

    return json.len > 10 + len && memcmp(json.data + 9, kind, len) == 0 &&
           json.data[9 + len] == '"';
}

static kin_err put(void *context, kin_str json, kin_error *err)
{
    tally *self = context;

    (void) err;
    self->writes++;
    self->leases += begins(json, "Lease");
    self->nodes += begins(json, "Node");
    self->pods += begins(json, "Pod");
    self->slices += begins(json, "EndpointSlice");
    self->deployments += begins(json, "Deployment");
    self->sets += begins(json, "ReplicaSet");
    self->config_maps += begins(json, "ConfigMap");
    self->events += begins(json, "Event");
    return KIN_OK;
}

static kin_err take_away(void *context, const char *api_version, const char *kind, const char *ns,
                         const char *name, kin_error *err)
{
    tally *self = context;

    (void) api_version;
    (void) ns;
    (void) name;
    (void) err;
    self->writes++;
    self->pods_removed += strcmp(kind, "Pod") == 0;
    self->sets_removed += strcmp(kind, "ReplicaSet") == 0;
    self->events_removed += strcmp(kind, "Event") == 0;
    return KIN_OK;
}

TEST(change, is_most_often_a_lease_and_now_and_then_everything_else)
{
    kin_simulation_options options = options_of(300, 10, 4);
    tally all = { 0 };
    kin__sink sink = { .context = &all, .put = put, .remove = take_away };
    kin__cluster cluster;

    ASSERT_OK(kin__cluster_init(&cluster, &options, &sink, NULL));
    all = (tally){ 0 };
    for (int i = 0; i < 50000; i++) {
        ASSERT_OK(kin__cluster_step(&cluster, NULL));
    }

    ASSERT_TRUE(all.leases > all.writes / 2);
    ASSERT_TRUE(all.leases < all.writes * 9 / 10);
    ASSERT_TRUE(all.nodes > 1000);
    ASSERT_TRUE(all.pods > 1000);
    ASSERT_TRUE(all.slices > 500);
    ASSERT_TRUE(all.deployments > 200);
    ASSERT_TRUE(all.sets > 200);
    ASSERT_TRUE(all.config_maps > 200);
    ASSERT_TRUE(all.events > 500);
    ASSERT_TRUE(all.pods_removed > 50);
    ASSERT_TRUE(all.sets_removed > 5);
    ASSERT_TRUE(all.events_removed > 500);
    kin__cluster_fini(&cluster);
}

TEST(change, does_not_pile_up_work)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        kin_simulation_options options = options_of(1000, 10, seed);
        tally all = { 0 };
        kin__sink sink = { .context = &all, .put = put, .remove = take_away };
        kin__cluster cluster;

        ASSERT_OK(kin__cluster_init(&cluster, &options, &sink, NULL));
        for (int i = 0; i < 50000; i++) {
            ASSERT_OK(kin__cluster_step(&cluster, NULL));
            ASSERT_TRUE(cluster.tasks.count < 1000);
        }
        kin__cluster_fini(&cluster);
    }
}

TEST(change, renews_the_lease_of_every_node_in_turn)
{
    kin_simulation_options options = options_of(10, 7, 4);
    tally all = { 0 };
    kin__sink sink = { .context = &all, .put = put, .remove = take_away };
    kin__cluster cluster;

    ASSERT_OK(kin__cluster_init(&cluster, &options, &sink, NULL));
    int64_t began_us = cluster.model.now_us;
    for (int i = 0; i < 40; i++) {
        ASSERT_OK(kin__cluster_step(&cluster, NULL));
    }

    for (uint32_t i = 0; i < 7; i++) {
        ASSERT_TRUE(cluster.model.nodes[i].renewed_us > began_us);
    }
    ASSERT_EQ(cluster.model.now_us, began_us + 40 * 10000);
    kin__cluster_fini(&cluster);
}
