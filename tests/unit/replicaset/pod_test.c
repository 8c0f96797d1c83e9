/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_test.c - which pods count, and since when they are ready.
 */
#include "replicaset_controller/pod.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "unit/replicaset/objects.h"

static bool says(bool (*question)(const kin_object *pod), const char *metadata, const char *phase)
{
    kin_object *pod =
        object_of("{'metadata':{'name':'p'%s},'status':{'phase':'%s'}}", metadata, phase);
    bool is = question(pod);

    kin_object_unref(pod);
    return is;
}

static bool is_active(const char *metadata, const char *phase)
{
    return says(pod_is_active, metadata, phase);
}

static bool is_terminating(const char *metadata, const char *phase)
{
    return says(pod_is_terminating, metadata, phase);
}

/* Of a pod that became ready, or ceased to be, at 07:59:50. */
static int64_t available_in_ms(const char *status, int64_t min_ready_seconds, kin_time now)
{
    kin_object *pod = object_of("{'metadata':{'name':'p'},'status':{'conditions':[{'type':'Other',"
                                "'status':'True'},{'type':'Ready','status':'%s',"
                                "'lastTransitionTime':'2027-01-15T07:59:50Z'}]}}",
                                status);
    int64_t ms = pod_available_in_ms(pod, min_ready_seconds, now);

    kin_object_unref(pod);
    return ms;
}

TEST(pod, is_active_until_it_has_ended_or_is_to_go)
{
    ASSERT_TRUE(is_active("", "Pending"));
    ASSERT_TRUE(is_active("", "Running"));
    ASSERT_TRUE(is_active("", "Unknown"));
    ASSERT_FALSE(is_active("", "Succeeded"));
    ASSERT_FALSE(is_active("", "Failed"));
    ASSERT_FALSE(is_active(",'deletionTimestamp':'2027-01-15T08:00:00Z'", "Running"));
}

TEST(pod, is_terminating_from_when_it_is_to_go_until_it_has_ended)
{
    static const char going[] = ",'deletionTimestamp':'2027-01-15T08:00:00Z'";

    ASSERT_FALSE(is_terminating("", "Running"));
    ASSERT_TRUE(is_terminating(going, "Pending"));
    ASSERT_TRUE(is_terminating(going, "Running"));
    ASSERT_FALSE(is_terminating(going, "Succeeded"));
    ASSERT_FALSE(is_terminating(going, "Failed"));
}

TEST(pod, is_available_when_it_has_been_ready_for_long_enough)
{
    ASSERT_EQ(available_in_ms("True", 0, NOW), 0);
    ASSERT_EQ(available_in_ms("True", 10, NOW), 0);
    ASSERT_EQ(available_in_ms("True", 11, NOW), 1000);
    ASSERT_EQ(available_in_ms("True", 11, ((kin_time){ NOW.seconds, 400000000 })), 600);
    ASSERT_EQ(available_in_ms("False", 0, NOW), -1);
    ASSERT_EQ(available_in_ms("Unknown", 5, NOW), -1);
    ASSERT_TRUE(available_in_ms("True", INT64_MAX, NOW) > 0); /* no server would say that */
}

TEST(pod, is_not_available_when_it_does_not_say_since_when_it_is_ready)
{
    kin_object *pod = object_of(
        "{'metadata':{'name':'p'},'status':{'conditions':[{'type':'Ready','status':'True'}]}}");

    ASSERT_EQ(pod_available_in_ms(pod, 0, NOW), 0);
    ASSERT_EQ(pod_available_in_ms(pod, 1, NOW), -1);
    kin_object_unref(pod);
}

TEST(pod, is_an_orphan_without_a_controller_though_it_may_have_owners)
{
    kin_object *orphan = object_of("{'metadata':{'name':'p','ownerReferences':[{'apiVersion':'v1',"
                                   "'kind':'X','name':'x','uid':'1'}]}}");
    kin_object *owned = object_of("{'metadata':{'name':'p','ownerReferences':[{'apiVersion':'v1',"
                                  "'kind':'X','name':'x','uid':'2','controller':true}]}}");

    ASSERT_EQ(pod_controller_uid(orphan).len, 0);
    ASSERT_SLICE_EQ(pod_controller_uid(owned), "2");
    kin_object_unref(orphan);
    kin_object_unref(owned);
}
