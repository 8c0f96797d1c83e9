/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_cells_test.c - how a pod fares: READY, STATUS, RESTARTS, AGE.
 *
 * What is expected was compared with what kubectl shows of the same pods.
 */
#include "unit/cli/objects.h"

#define TWO "'spec':{'containers':[{'name':'a'},{'name':'b'}]}"
#define STATUSES(list) "'containerStatuses':[" list "]"
#define RUNNING(name) "{'name':'" name "','ready':true,'restartCount':0,'state':{'running':{}}}"
#define WAITING(name, reason)                                                                      \
    "{'name':'" name "','ready':false,'restartCount':2,'state':{'waiting':{'reason':'" reason "'}" \
    "}}"
#define ENDED(name, members)                                                                       \
    "{'name':'" name "','ready':false,'restartCount':0,'state':{'terminated':{" members "}}}"

static void expect(const char *members, const char *want)
{
    ASSERT_STR_EQ(cells_of("", "Pod", named(members)), want);
}

TEST(pod_cells, show_the_phase)
{
    expect(TWO ",'status':{'phase':'Pending'}", "0/2|Pending|0|<unknown>");
    expect(TWO ",'status':{'phase':'Failed','reason':'Evicted'}", "0/2|Evicted|0|<unknown>");
    expect("", "0/0||0|<unknown>");
}

TEST(pod_cells, count_containers_that_are_ready)
{
    expect(TWO ",'status':{'phase':'Running'," STATUSES(RUNNING("a") "," RUNNING("b")) "}",
           "2/2|Running|0|<unknown>");
    expect(TWO ",'status':{'phase':'Running'," STATUSES(RUNNING("a") "," WAITING("b", "X")) "}",
           "1/2|X|2|<unknown>");
}

TEST(pod_cells, show_why_the_first_container_is_not_well)
{
    expect(TWO ",'status':{'phase':'Running'," STATUSES(
               WAITING("a", "First") "," WAITING("b", "Second")) "}",
           "0/2|First|4|<unknown>");
    expect(TWO ",'status':{'phase':'Failed'," STATUSES(ENDED("a", "'exitCode':3")) "}",
           "0/2|ExitCode:3|0|<unknown>");
    expect(TWO ",'status':{'phase':'Failed'," STATUSES(ENDED("a", "'exitCode':0,'signal':9")) "}",
           "0/2|Signal:9|0|<unknown>");
}

TEST(pod_cells, show_what_runs_when_a_part_has_completed)
{
    expect(TWO ",'status':{'phase':'Running'," STATUSES(
               ENDED("a", "'exitCode':0,'reason':'Completed'") "," RUNNING("b")) "}",
           "1/2|NotReady|0|<unknown>");
    expect(TWO
           ",'status':{'phase':'Running','conditions':[{'type':'Ready','status':'True'}]," STATUSES(
               ENDED("a", "'exitCode':0,'reason':'Completed'") "," RUNNING("b")) "}",
           "1/2|Running|0|<unknown>");
}

#define INIT "'spec':{'initContainers':[{'name':'i'},{'name':'j'}],'containers':[{'name':'a'}]}"

TEST(pod_cells, show_how_far_initialisation_is)
{
    expect(INIT ",'status':{'phase':'Pending','initContainerStatuses':[" ENDED(
               "i", "'exitCode':0") ",{'name':'j','state':{'running':{}}}]}",
           "0/1|Init:1/2|0|<unknown>");
    expect(INIT ",'status':{'phase':'Pending','initContainerStatuses':[" WAITING(
               "i", "ErrImagePull") "]}",
           "0/1|Init:ErrImagePull|2|<unknown>");
    expect(INIT
           ",'status':{'phase':'Pending','initContainerStatuses':[" ENDED("i", "'exitCode':1") "]}",
           "0/1|Init:ExitCode:1|0|<unknown>");
}

TEST(pod_cells, forget_restarts_of_initialisation_once_it_is_over)
{
    expect(INIT ",'status':{'phase':'Running','initContainerStatuses':[{'name':'i','restartCount':"
                "7,'state':{'terminated':{'exitCode':0}}}]," STATUSES(RUNNING("a")) "}",
           "1/1|Running|0|<unknown>");
}

TEST(pod_cells, count_init_containers_that_stay)
{
    expect("'spec':{'initContainers':[{'name':'s','restartPolicy':'Always'}],'containers':[{'name':"
           "'a'}]},'status':{'phase':'Running','initContainerStatuses':[{'name':'s','ready':true,"
           "'started':true,'restartCount':1,'state':{'running':{}}}]," STATUSES(RUNNING("a")) "}",
           "2/2|Running|1|<unknown>");
}

TEST(pod_cells, show_when_the_last_restart_was)
{
    expect(TWO ",'status':{'phase':'Running'," STATUSES(
               "{'name':'a','restartCount':3,'state':{'waiting':{'reason':'CrashLoopBackOff'}},"
               "'lastState':{'terminated':{'finishedAt':'2027-01-15T07:59:00Z'}}}") "}",
           "0/2|CrashLoopBackOff|3 (60s ago)|<unknown>");
}

TEST(pod_cells, show_that_it_is_going)
{
    static const char form[] =
        "{'metadata':{'name':'a','deletionTimestamp':'2027-01-15T07:59:00Z'},"
        "'status':{'phase':'%s'%s}}";
    char words[256];

    snprintf(words, sizeof words, form, "Running", "");
    ASSERT_STR_EQ(cells_of("", "Pod", object_of(words)), "0/0|Terminating|0|<unknown>");
    snprintf(words, sizeof words, form, "Running", ",'reason':'NodeLost'");
    ASSERT_STR_EQ(cells_of("", "Pod", object_of(words)), "0/0|Unknown|0|<unknown>");
    snprintf(words, sizeof words, form, "Succeeded", "");
    ASSERT_STR_EQ(cells_of("", "Pod", object_of(words)), "0/0|Succeeded|0|<unknown>");
}

TEST(pod_cells, show_what_holds_up_scheduling)
{
    expect("'status':{'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False',"
           "'reason':'SchedulingGated'}]}",
           "0/0|SchedulingGated|0|<unknown>");
}

TEST(pod_cells, survive_what_makes_no_sense)
{
    expect("'spec':[],'status':{'phase':5,'containerStatuses':{'a':1},'initContainerStatuses':[1]}",
           "0/0|Init:0/0|0|<unknown>");
}
