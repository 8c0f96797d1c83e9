/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workload_cells_test.c - cells of deployments, jobs and the like.
 */
#include "unit/cli/objects.h"

static void expect(const char *group, const char *kind, const char *members, const char *want)
{
    ASSERT_STR_EQ(cells_of(group, kind, named(members)), want);
}

TEST(workload_cells, of_replicas)
{
    expect("apps", "Deployment",
           "'spec':{'replicas':3},'status':{'readyReplicas':2,'updatedReplicas':3,"
           "'availableReplicas':1}",
           "2/3|3|1|<unknown>");
    expect("apps", "Deployment", "'spec':{'replicas':3}", "0/3|0|0|<unknown>");
    expect("apps", "StatefulSet", "'spec':{'replicas':1},'status':{'readyReplicas':1}",
           "1/1|<unknown>");
    expect("apps", "ReplicaSet", "'spec':{'replicas':2},'status':{'replicas':1}",
           "2|1|0|<unknown>");
}

TEST(workload_cells, of_daemon_sets)
{
    expect("apps", "DaemonSet",
           "'spec':{'template':{'spec':{'nodeSelector':{'disk':'ssd','x':'y'}}}},"
           "'status':{'desiredNumberScheduled':5,'numberReady':4}",
           "5|0|4|0|0|disk=ssd,x=y|<unknown>");
    expect("apps", "DaemonSet", "'spec':{}", "0|0|0|0|0|<none>|<unknown>");
}

TEST(workload_cells, of_jobs)
{
    expect("batch", "Job", "'spec':{'completions':3},'status':{'succeeded':1}",
           "Running|1/3||<unknown>");
    expect("batch", "Job", "'spec':{'parallelism':2},'status':{'startTime':'2027-01-15T07:59:30Z'}",
           "Running|0/1 of 2|30s|<unknown>");
    expect("batch", "Job",
           "'spec':{},'status':{'succeeded':1,'startTime':'2027-01-15T07:00:00Z','completionTime':"
           "'2027-01-15T07:00:05Z','conditions':[{'type':'SuccessCriteriaMet','status':'True'},"
           "{'type':'Complete','status':'True'}]}",
           "Complete|1/1|5s|<unknown>");
    expect("batch", "Job", "'status':{'conditions':[{'type':'Failed','status':'True'}]}",
           "Failed|0/1||<unknown>");
    expect("batch", "Job", "'status':{'conditions':[{'type':'Suspended','status':'True'}]}",
           "Suspended|0/1||<unknown>");
    expect("batch", "Job", "'status':{'conditions':[{'type':'Suspended','status':'False'}]}",
           "Running|0/1||<unknown>");
}

TEST(workload_cells, of_cron_jobs)
{
    expect("batch", "CronJob", "'spec':{'schedule':'*/5 * * * *','suspend':false}",
           "*/5 * * * *|<none>|False|0|<none>|<unknown>");
    expect("batch", "CronJob",
           "'spec':{'schedule':'@daily','timeZone':'UTC'},'status':{'active':[{},{}],"
           "'lastScheduleTime':'2027-01-15T07:00:00Z'}",
           "@daily|UTC|<unset>|2|60m|<unknown>");
}
