/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_test.c - which pods go first when there are too many.
 *
 * Each test has two pods that differ in one thing, and in a later one that says the contrary.
 */
#include "replicaset_controller/rank.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "unit/replicaset/objects.h"

#define READY(since)                                                                               \
    "'conditions':[{'type':'Ready','status':'True','lastTransitionTime':'" since "'}]"
#define RUNS(since) "'spec':{'nodeName':'n'},'status':{'phase':'Running'," READY(since) "}"
#define OLD "'creationTimestamp':'2026-12-01T00:00:00Z'"
#define YOUNG "'creationTimestamp':'2027-01-15T07:59:00Z'"

/* By their metadata beside the name, and the rest. */
static kin_object *pod(const char *metadata, const char *rest)
{
    return object_of("{'metadata':{'name':'p'%s%s}%s%s}", metadata[0] == '\0' ? "" : ",", metadata,
                     rest[0] == '\0' ? "" : ",", rest);
}

/* Below 0 when the first goes first; both orders agree. */
static int order(kin_object *a, kin_object *b)
{
    rank first = rank_of(a, NOW);
    rank second = rank_of(b, NOW);
    int there = rank_compare(&first, &second);
    int back = rank_compare(&second, &first);

    ASSERT_EQ(there<0, back> 0);
    ASSERT_EQ(there == 0, back == 0);
    kin_object_unref(a);
    kin_object_unref(b);
    return there;
}

TEST(rank, puts_a_pod_without_a_node_first)
{
    ASSERT_TRUE(order(pod(OLD, "'status':{'phase':'Running'}"),
                      pod(YOUNG, "'spec':{'nodeName':'n'},'status':{'phase':'Pending'}")) < 0);
}

TEST(rank, puts_pending_before_unknown_before_running)
{
    ASSERT_TRUE(order(pod("", "'status':{'phase':'Pending'," READY("2026-12-01T00:00:00Z") "}"),
                      pod("", "'status':{'phase':'Unknown'}")) < 0);
    ASSERT_TRUE(order(pod("", "'status':{'phase':'Unknown'," READY("2026-12-01T00:00:00Z") "}"),
                      pod("", "'status':{'phase':'Running'}")) < 0);
}

TEST(rank, puts_a_pod_that_is_not_ready_first)
{
    ASSERT_TRUE(order(pod("'annotations':{'controller.kubernetes.io/pod-deletion-cost':'5'}",
                          "'spec':{'nodeName':'n'},'status':{'phase':'Running'}"),
                      pod("", RUNS("2027-01-15T07:59:00Z"))) < 0);
}

TEST(rank, puts_the_lower_deletion_cost_first)
{
    const char *const costs[][2] = { { "-1", "" },  { "", "1" },   { "-2147483648", "-1" },
                                     { "9", "10" }, { "+5", "1" }, { "2147483648", "1" },
                                     { "05", "1" }, { "x", "1" },  { "1e3", "1" } };

    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        kin_object *pods[2];

        for (size_t j = 0; j < 2; j++) {
            pods[j] = object_of("{'metadata':{'name':'p',"
                                "'annotations':{'controller.kubernetes.io/pod-deletion-cost':"
                                "'%s'}}}",
                                costs[i][j]);
        }
        if (order(pods[0], pods[1]) >= 0) {
            FAIL("\"%s\" does not go before \"%s\"", costs[i][0], costs[i][1]);
        }
    }
}

TEST(rank, puts_the_pod_with_more_neighbours_first)
{
    rank crowded = { .neighbours = 2, .ready_age = 40, .is_ready = true };
    rank alone = { .neighbours = 1, .ready_age = 30, .is_ready = true };

    ASSERT_TRUE(rank_compare(&crowded, &alone) < 0);
}

TEST(rank, puts_the_pod_first_that_is_ready_for_less_time)
{
    ASSERT_TRUE(order(pod(OLD, RUNS("2027-01-15T07:59:00Z")),
                      pod(YOUNG, RUNS("2026-12-01T00:00:00Z"))) < 0);
}

TEST(rank, does_not_care_since_when_a_pod_is_not_ready)
{
    static const char lately[] = "'status':{'conditions':[{'type':'Ready','status':'False',"
                                 "'lastTransitionTime':'2027-01-15T07:59:00Z'}]}";
    static const char long_ago[] = "'status':{'conditions':[{'type':'Ready','status':'False',"
                                   "'lastTransitionTime':'2026-12-01T00:00:00Z'}]}";

    ASSERT_TRUE(order(pod(OLD, lately), pod(YOUNG, long_ago)) > 0);
}

TEST(rank, puts_a_ready_pod_that_does_not_say_since_when_first)
{
    ASSERT_TRUE(order(pod(OLD, "'spec':{'nodeName':'n'},'status':{'phase':'Running',"
                               "'conditions':[{'type':'Ready','status':'True'}]}"),
                      pod(YOUNG, RUNS("2027-01-15T07:59:00Z"))) < 0);
}

/* 40 and 60 seconds are both between 2^35 and 2^36 nanoseconds; 20 seconds are less. */
TEST(rank, does_not_tell_ages_apart_that_are_about_the_same)
{
    ASSERT_TRUE(order(pod("'uid':'a'", RUNS("2027-01-15T07:59:00Z")),
                      pod("'uid':'b'", RUNS("2027-01-15T07:59:20Z"))) < 0);
    ASSERT_TRUE(order(pod("'uid':'b'", RUNS("2027-01-15T07:59:00Z")),
                      pod("'uid':'a'", RUNS("2027-01-15T07:59:20Z"))) > 0);
    ASSERT_TRUE(order(pod("'uid':'b'", RUNS("2027-01-15T07:59:40Z")),
                      pod("'uid':'a'", RUNS("2027-01-15T07:59:20Z"))) < 0);
}

TEST(rank, puts_the_pod_with_more_restarts_first)
{
    ASSERT_TRUE(order(pod(OLD, "'status':{'containerStatuses':[{'restartCount':1},"
                               "{'restartCount':7}]}"),
                      pod(YOUNG, "'status':{'containerStatuses':[{'restartCount':6}]}")) < 0);
}

TEST(rank, counts_restarts_of_sidecars_but_not_of_other_init_containers)
{
    static const char with[] =
        "'spec':{'initContainers':[{'name':'side','restartPolicy':'Always'},"
        "{'name':'init'}]},'status':{'initContainerStatuses':["
        "{'name':'side','restartCount':2},{'name':'init','restartCount':1}]}";
    static const char without[] = "'spec':{'initContainers':[{'name':'init'}]},'status':{"
                                  "'initContainerStatuses':[{'name':'init','restartCount':9}]}";

    ASSERT_TRUE(order(pod(OLD, with), pod(YOUNG, without)) < 0);
}

TEST(rank, puts_the_younger_pod_first_and_one_without_a_time_before_it)
{
    ASSERT_TRUE(order(pod("'uid':'b'," YOUNG, ""), pod("'uid':'a'," OLD, "")) < 0);
    ASSERT_TRUE(order(pod("'uid':'b'", ""), pod("'uid':'a'," YOUNG, "")) < 0);
}

TEST(rank, is_an_order_even_where_the_clock_of_the_server_is_ahead)
{
    ASSERT_TRUE(order(pod("'uid':'a','creationTimestamp':'2030-01-01T00:00:00Z'", ""),
                      pod("'uid':'b','creationTimestamp':'2031-01-01T00:00:00Z'", "")) < 0);
    ASSERT_EQ(order(pod("'uid':'a'", ""), pod("'uid':'a'", "")), 0);
}

TEST(rank, sorts_pods_and_counts_neighbours_in_the_family)
{
    static const char *const nodes[] = { "one", "two", "two", "three" };
    pod_list list = { 0 };
    pod_list family = { 0 };

    for (size_t i = 0; i < 4; i++) {
        kin_object *p = object_of("{'metadata':{'name':'p%zu','uid':'%zu'},"
                                  "'spec':{'nodeName':'%s'}}",
                                  i, i, nodes[i]);
        ASSERT_TRUE(pod_list_add(&list, p));
        ASSERT_TRUE(pod_list_add(&family, p));
        /* Others of the family are there too, and are not to go. */
        ASSERT_TRUE(i != 3 || (pod_list_add(&family, p) && pod_list_add(&family, p)));
        kin_object_unref(p);
    }

    ASSERT_TRUE(rank_sort(&list, &family, NOW));

    ASSERT_SLICE_EQ(kin_object_name(list.pods[0]), "p3");
    ASSERT_SLICE_EQ(kin_object_name(list.pods[1]), "p1");
    ASSERT_SLICE_EQ(kin_object_name(list.pods[2]), "p2");
    ASSERT_SLICE_EQ(kin_object_name(list.pods[3]), "p0");
    pod_list_fini(&list);
    pod_list_fini(&family);
}

TEST(rank, sorts_nothing)
{
    pod_list list = { 0 };

    ASSERT_TRUE(rank_sort(&list, &list, NOW));
}
