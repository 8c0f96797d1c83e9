/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster_test.c - what always holds in a simulated cluster, and what holds when it has settled.
 */
#include "simulate/cluster.h"

#include <string.h>

#include "base/alloc.h"
#include "simulate/memory.h"
#include "support/test.h"
#include "unit/simulate/recorder.h"

static kin__cluster *cluster_of(recorder *record, uint32_t pods, uint32_t nodes, uint64_t seed)
{
    static kin__cluster cluster;
    kin_simulation_options options = options_of(pods, nodes, seed);
    kin__sink sink = recorder_sink(record);

    ASSERT_OK(kin__cluster_init(&cluster, &options, &sink, NULL));
    return &cluster;
}

static void steps(kin__cluster *cluster, int count)
{
    for (int i = 0; i < count; i++) {
        ASSERT_OK(kin__cluster_step(cluster, NULL));
    }
}

static uint64_t digest_of(uint32_t pods, uint64_t seed, int count)
{
    recorder record = { .is_careless = true };
    kin__cluster *cluster = cluster_of(&record, pods, 5, seed);

    steps(cluster, count);
    kin__cluster_fini(cluster);
    return record.digest;
}

TEST(cluster, begins_with_everything_at_rest)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record, 150, 5, 1);

    recorder_check_references(&record);
    recorder_check_counts(&record);

    ASSERT_EQ(recorder_count(&record, "Pod"), 150);
    ASSERT_EQ(recorder_count(&record, "Node"), 5);
    ASSERT_EQ(recorder_count(&record, "Lease"), 5);
    ASSERT_EQ(recorder_count(&record, "Namespace"), 3);
    ASSERT_TRUE(recorder_count(&record, "Event") > 0);
    ASSERT_EQ(recorder_count(&record, "Service"), recorder_count(&record, "Deployment"));
    ASSERT_EQ(recorder_count(&record, "ConfigMap"), recorder_count(&record, "Deployment"));
    kin__cluster_fini(cluster);
}

TEST(cluster, keeps_its_promises_over_thousands_of_changes)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        AUTO(recorder_fini) recorder record = { 0 };
        kin__cluster *cluster = cluster_of(&record, 60, 4, seed);

        for (int round = 0; round < 12; round++) {
            steps(cluster, 500);
            recorder_check_references(&record);
            ASSERT_OK(kin__cluster_settle(cluster, NULL));
            ASSERT_EQ(cluster->tasks.count, 0);
            recorder_check_references(&record);
            recorder_check_counts(&record);
            ASSERT_EQ(recorder_count(&record, "Pod"), cluster->model.pod_count);
            ASSERT_EQ(recorder_count(&record, "Event"), cluster->model.event_count);
            ASSERT_EQ(recorder_count(&record, "ReplicaSet"), cluster->model.set_count);
        }
        kin__cluster_fini(cluster);
    }
}

TEST(cluster, names_only_who_is_there_after_every_single_change)
{
    AUTO(recorder_fini) recorder record = { 0 };
    kin__cluster *cluster = cluster_of(&record, 20, 3, 5);

    for (int i = 0; i < 1500; i++) {
        steps(cluster, 1);
        recorder_check_references(&record);
    }
    kin__cluster_fini(cluster);
}

TEST(cluster, keeps_the_number_of_pods_within_a_fifth)
{
    static const uint32_t sizes[] = { 1, 3, 10, 37, 200, 1000 };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        recorder record = { .is_careless = true };
        kin__cluster *cluster = cluster_of(&record, sizes[i], 3, i);
        uint32_t distance = sizes[i] < 10 ? 2 : sizes[i] / 5;
        for (int step = 0; step < 20000; step++) {
            ASSERT_OK(kin__cluster_step(cluster, NULL));
            ASSERT_TRUE(cluster->model.pod_count <= sizes[i] + distance);
            ASSERT_TRUE(cluster->model.pod_count + distance >= sizes[i]);
        }
        kin__cluster_fini(cluster);
    }
}

TEST(cluster, is_the_same_with_the_same_seed_and_another_with_another)
{
    uint64_t first = digest_of(100, 42, 5000);

    ASSERT_EQ(digest_of(100, 42, 5000), first);
    ASSERT_TRUE(digest_of(100, 43, 5000) != first);
    ASSERT_TRUE(digest_of(100, 43, 0) != digest_of(100, 42, 0));
    ASSERT_TRUE(digest_of(100, 0, 0) != digest_of(100, 1, 0));
}

TEST(cluster, makes_one_write_with_each_change)
{
    recorder record = { .is_careless = true };
    kin__cluster *cluster = cluster_of(&record, 100, 5, 9);
    kin_simulation_counts counts;

    for (int i = 0; i < 5000; i++) {
        size_t before = record.calls;
        steps(cluster, 1);
        ASSERT_EQ(record.calls, before + 1);
    }

    kin__cluster_get_counts(cluster, &counts);
    ASSERT_EQ(counts.changes, 5000);
    kin__cluster_fini(cluster);
}

TEST(cluster, has_pods_of_seven_kilobytes)
{
    recorder record = { .is_careless = true };
    kin__cluster *cluster = cluster_of(&record, 2000, 20, 3);

    ASSERT_TRUE(record.pod_bytes / record.pod_puts >= 6500);
    ASSERT_TRUE(record.pod_bytes / record.pod_puts <= 7500);
    steps(cluster, 20000);
    ASSERT_TRUE(record.pod_bytes / record.pod_puts >= 6500);
    ASSERT_TRUE(record.pod_bytes / record.pod_puts <= 7500);
    kin__cluster_fini(cluster);
}

static size_t bytes_held;

/* The size of a block stands before it. */
static void *weighed_resize(void *memory, size_t bytes)
{
    size_t *block = memory == NULL ? NULL : (size_t *) memory - 2;
    size_t before = block == NULL ? 0 : *block;
    size_t *grown = kin__realloc(block, bytes + 2 * sizeof *block);

    if (grown == NULL) {
        return NULL;
    }
    bytes_held = bytes_held - before + bytes;
    *grown = bytes;
    return grown + 2;
}

static void weighed_release(void *memory)
{
    if (memory != NULL) {
        bytes_held -= *((size_t *) memory - 2);
        kin__free((size_t *) memory - 2);
    }
}

TEST(cluster, takes_no_more_than_300_bytes_for_a_pod)
{
    static const kin__sim_memory weighed = { weighed_resize, weighed_release };
    recorder record = { .is_careless = true };

    kin__sim_memory_use(&weighed);
    kin__cluster *cluster = cluster_of(&record, 10000, 250, 3);
    steps(cluster, 10000);

    ASSERT_TRUE(bytes_held / 10000 <= 300);
    kin__cluster_fini(cluster);
    ASSERT_EQ(bytes_held, 0);
}

TEST(cluster, fails_the_same_way_for_ever_once_a_write_has_failed)
{
    recorder record = { .is_careless = true };
    kin__cluster *cluster = cluster_of(&record, 20, 3, 3);
    kin_error err;

    record.fails_at = record.calls + 2;
    ASSERT_OK(kin__cluster_step(cluster, &err));
    ASSERT_ERR(kin__cluster_step(cluster, &err), KIN_ERR_SERVER);
    ASSERT_MESSAGE(&err, "no more room");
    size_t calls = record.calls;

    ASSERT_ERR(kin__cluster_step(cluster, &err), KIN_ERR_SERVER);
    ASSERT_ERR(kin__cluster_settle(cluster, &err), KIN_ERR_SERVER);
    ASSERT_MESSAGE(&err, "no more room");
    ASSERT_EQ(record.calls, calls);
    kin__cluster_fini(cluster);
}

TEST(cluster, leaves_nothing_behind_when_it_cannot_be_written)
{
    kin_simulation_options options = options_of(20, 3, 1);
    kin__cluster cluster;
    kin_error err;

    use_counted_memory();
    for (size_t i = 1; i < 80; i += 7) {
        recorder record = { .is_careless = true, .fails_at = i };
        kin__sink sink = recorder_sink(&record);
        ASSERT_ERR(kin__cluster_init(&cluster, &options, &sink, &err), KIN_ERR_SERVER);
    }
}

TEST_FAILING_ALLOC(cluster, lacks_nothing_but_memory)
{
    kin_simulation_options options = options_of(30, 2, 1);
    recorder record = { .is_careless = true };
    kin__sink sink = recorder_sink(&record);
    kin__cluster cluster;
    kin_error err;

    use_counted_memory();
    kin_err code = kin__cluster_init(&cluster, &options, &sink, &err);
    if (code) {
        return code;
    }
    for (int i = 0; i < 3000 && code == KIN_OK; i++) {
        code = kin__cluster_step(&cluster, &err);
    }
    kin__cluster_fini(&cluster);
    return code;
}
