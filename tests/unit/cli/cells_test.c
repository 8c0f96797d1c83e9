/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cells_test.c - cells of nodes, services, volumes and events.
 */
#include "cli/cells.h"

#include "unit/cli/objects.h"

static void expect(const char *kind, const char *members, const char *want)
{
    ASSERT_STR_EQ(cells_of("", kind, named(members)), want);
}

TEST(cells, show_ages)
{
    kin_object *object =
        object_of("{'metadata':{'name':'a','creationTimestamp':'2027-01-15T07:58:00Z'}}");

    ASSERT_STR_EQ(cells_of("any.io", "Thing", object), "2m");
}

TEST(cells, of_nodes)
{
    static const char roles[] =
        "{'metadata':{'name':'n','labels':{'node-role.kubernetes.io/worker':'',"
        "'node-role.kubernetes.io/control-plane':'','kubernetes.io/role':'old','x':'y'}},"
        "'spec':{'unschedulable':true},'status':{'nodeInfo':{'kubeletVersion':'v1.36.3'},"
        "'conditions':[{'type':'Ready','status':'True'}]}}";

    ASSERT_STR_EQ(cells_of("", "Node", object_of(roles)),
                  "Ready,SchedulingDisabled|old,control-plane,worker|<unknown>|v1.36.3");
    expect("Node", "'status':{'conditions':[{'type':'Ready','status':'Unknown'}]}",
           "NotReady|<none>|<unknown>|");
    expect("Node", "", "Unknown|<none>|<unknown>|");
}

TEST(cells, of_services)
{
    expect("Service",
           "'spec':{'type':'NodePort','clusterIPs':['10.0.0.1'],'ports':[{'port':80,'nodePort':"
           "30080,'protocol':'TCP'},{'port':53,'protocol':'UDP'}]}",
           "NodePort|10.0.0.1|<none>|80:30080/TCP,53/UDP|<unknown>");
    expect("Service", "'spec':{'type':'LoadBalancer'}",
           "LoadBalancer|<none>|<pending>|<none>|<unknown>");
    expect("Service",
           "'spec':{'type':'LoadBalancer','externalIPs':['1.1.1.1']},'status':{'loadBalancer':"
           "{'ingress':[{'ip':'2.2.2.2'},{'ip':'3.3.3.3'}]}}",
           "LoadBalancer|<none>|2.2.2.2,3.3.3.3,1.1.1.1|<none>|<unknown>");
    expect("Service", "'spec':{'type':'ExternalName','externalName':'example.org'}",
           "ExternalName|<none>|example.org|<none>|<unknown>");
}

TEST(cells, of_what_holds_data)
{
    expect("ConfigMap", "'data':{'a':'b'},'binaryData':{'c':'ZA==','e':''}", "3|<unknown>");
    expect("ConfigMap", "", "0|<unknown>");
    expect("Secret", "'type':'Opaque','data':{'a':'Yg=='}", "Opaque|1|<unknown>");
    expect("Namespace", "'status':{'phase':'Active'}", "Active|<unknown>");
}

TEST(cells, of_volumes_and_claims)
{
    expect("PersistentVolume",
           "'kind':'PersistentVolume','spec':{'capacity':{'storage':'1Gi'},'accessModes':["
           "'ReadWriteOnce','ReadOnlyMany'],'persistentVolumeReclaimPolicy':'Retain','claimRef':"
           "{'namespace':'shop','name':'data'}},'status':{'phase':'Bound'}",
           "1Gi|RWO,ROX|Retain|Bound|shop/data||<unset>||<unknown>");
    expect("PersistentVolumeClaim",
           "'kind':'PersistentVolumeClaim','spec':{'accessModes':['ReadWriteOnce']},'status':{"
           "'phase':'Pending'}",
           "Pending|||||<unset>|<unknown>");
}

TEST(cells, of_events)
{
    expect("Event",
           "'involvedObject':{'kind':'Pod','name':'web-0'},'type':'Normal','reason':'Started',"
           "'message':'it runs','lastTimestamp':'2027-01-15T07:59:00Z'",
           "60s|Normal|Started|pod/web-0|it runs");
    expect("Event", "'reason':'x'", "<unknown>||x||");
}

TEST(cells, of_bindings)
{
    ASSERT_STR_EQ(cells_of("rbac.authorization.k8s.io", "RoleBinding",
                           named("'roleRef':{'kind':'Role','name':'reader'}")),
                  "Role/reader|<unknown>");
}

TEST(cells, show_values_of_every_type)
{
    kin_object *object = named("'s':'a\\nb','n':1.50,'b':true,'z':null,'o':{'a':[1]}");
    kin__cli_text out = { 0 };

    ASSERT_TRUE(kin__cli_value_show(kin_object_at(object, "s"), &out));
    ASSERT_TRUE(kin__cli_value_show(kin_object_at(object, "n"), &out));
    ASSERT_TRUE(kin__cli_value_show(kin_object_at(object, "b"), &out));
    ASSERT_TRUE(kin__cli_value_show(kin_object_at(object, "o"), &out));
    ASSERT_FALSE(kin__cli_value_show(kin_object_at(object, "z"), &out));
    ASSERT_FALSE(kin__cli_value_show(kin_object_at(object, "none"), &out));

    ASSERT_STR_EQ(kin__cli_text_chars(&out), "a\nb1.50true{\"a\":[1]}");
    kin__cli_text_fini(&out);
    kin_object_unref(object);
}
