/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter_test.c - which objects a list is about.
 */
#include "unit/server/reading.h"

#define POD(name, rest)                                                                            \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                       \
    "\",\"namespace\":\"demo\",\"resourceVersion\":\"%llu\"}," rest "}"
#define PODS "/api/v1/namespaces/demo/pods"
#define MAPS "/api/v1/namespaces/demo/configmaps"

static desk d;

static void open_with_pods(void)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    const kin__served *pods = desk_served(&d, "", "v1", "pods");
    desk_put(&d, pods,
             POD("a", "\"spec\":{\"nodeName\":\"n1\",\"hostNetwork\":true},\"status\":{\"phase\":"
                      "\"Running\",\"podIP\":\"10.0.0.1\",\"podIPs\":[{\"ip\":\"10.0.0.1\"}]}"));
    desk_put(&d, pods,
             POD("b", "\"spec\":{\"nodeName\":\"n2\"},\"status\":{\"phase\":\"Pending\","
                      "\"podIPs\":[{\"ip\":\"10.0.0.2\"}]}"));
    desk_put(&d, pods, POD("c", "\"spec\":{},\"status\":{}"));
}

TEST(filter, takes_labels)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    desk_put_six(&d);

    check_names(&d, MAPS "?labelSelector=n%3D0", "c-2 c-4 c-6 ");
    check_names(&d, MAPS "?labelSelector=n+in+(0,1),!x", "c-1 c-2 c-3 c-4 c-5 c-6 ");
    check_names(&d, MAPS "?labelSelector=n%3E0", "c-1 c-3 c-5 ");
    check_names(&d, "/api/v1/namespaces/other/configmaps?labelSelector=n", "");

    desk_close(&d);
}

TEST(filter, refuses_selectors_in_the_servers_words)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));

    check_refusal(&d, MAPS "?labelSelector=a%3D%3D%3Db", 400,
                  "unable to parse requirement: found '=', expected: identifier");
    check_refusal(&d, MAPS "?labelSelector=%25%3Db", 400,
                  "unable to parse requirement: \\u003cnil\\u003e: Invalid value: \\\"%\\\": name "
                  "part must consist of alphanumeric characters, '-', '_' or '.', and must start "
                  "and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
                  "'123-abc', regex used for validation is "
                  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
    check_refusal(&d, MAPS "?fieldSelector=data.x%3Db", 400,
                  "\\\"data.x\\\" is not a known field selector: only \\\"metadata.name\\\", "
                  "\\\"metadata.namespace\\\"");
    check_refusal(&d, MAPS "?fieldSelector=%3Dc-1", 400,
                  "\\\"\\\" is not a known field selector: only \\\"metadata.name\\\", "
                  "\\\"metadata.namespace\\\"");

    desk_close(&d);
}

TEST(filter, knows_what_the_fields_of_pods_say)
{
    open_with_pods();

    check_names(&d, PODS "?fieldSelector=spec.nodeName%3Dn1", "a ");
    check_names(&d, PODS "?fieldSelector=spec.host%3Dn2", "b ");
    check_names(&d, PODS "?fieldSelector=spec.nodeName%3D", "c ");
    check_names(&d, PODS "?fieldSelector=spec.nodeName!%3Dn1,status.phase%3DPending", "b ");
    check_names(&d, PODS "?fieldSelector=spec.hostNetwork%3Dtrue", "a ");
    check_names(&d, PODS "?fieldSelector=spec.hostNetwork%3Dfalse", "b c ");
    check_names(&d, PODS "?fieldSelector=status.podIP%3D10.0.0.1", "a ");
    check_names(&d, PODS "?fieldSelector=status.podIP%3D10.0.0.2", "b ");
    check_names(&d, PODS "?fieldSelector=status.podIPs%3D", "a b c ");
    check_names(&d, PODS "?fieldSelector=status.podIPs%3D10.0.0.1", "");

    desk_close(&d);
}

TEST(filter, knows_what_the_fields_of_other_kinds_say)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    desk_put(&d, desk_served(&d, "", "v1", "nodes"),
             "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n1\","
             "\"resourceVersion\":\"%llu\"},\"spec\":{}}");
    desk_put(&d, desk_served(&d, "", "v1", "events"),
             "{\"kind\":\"Event\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"e1\","
             "\"namespace\":\"demo\",\"resourceVersion\":\"%llu\"},\"involvedObject\":{\"kind\":"
             "\"Pod\"},\"source\":{},\"reportingComponent\":\"kubelet\"}");
    desk_put(&d, desk_served(&d, "batch", "v1", "jobs"),
             "{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",\"metadata\":{\"name\":\"j1\","
             "\"namespace\":\"demo\",\"resourceVersion\":\"%llu\"},\"status\":{}}");

    check_names(&d, "/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse", "n1 ");
    check_names(&d, "/api/v1/nodes?fieldSelector=spec.unschedulable%3D", "");
    check_names(&d, "/api/v1/events?fieldSelector=source%3Dkubelet,involvedObject.kind%3DPod",
                "e1 ");
    check_names(&d, "/apis/batch/v1/jobs?fieldSelector=status.successful%3D0", "j1 ");
    check_names(&d, "/apis/batch/v1/jobs?fieldSelector=status.successful%3D1", "");

    desk_close(&d);
}

#define WIDGET(name, spec)                                                                         \
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"" name        \
    "\",\"namespace\":\"demo\",\"resourceVersion\":\"%llu\"},\"spec\":" spec "}"

TEST(filter, takes_the_selectable_fields_of_a_definition)
{
    static const char definition[] =
        "{\"metadata\":{\"name\":\"widgets.example.com\"},\"spec\":{\"versions\":[{\"name\":"
        "\"v1\",\"selectableFields\":[{\"jsonPath\":\".spec.color\"},{\"jsonPath\":\".spec.n\"}]},"
        "{\"name\":\"v1beta1\"}]}}";
    kin_object *object = NULL;
    kin__record *record = NULL;
    kin_error err;
    kin__served v1 = widget("v1"), beta = widget("v1beta1");
    ASSERT_OK(desk_open(&d, &err));
    ASSERT_OK(kin_object_from_json(definition, sizeof definition - 1, NULL, &object, &err));
    ASSERT_OK(kin__record_new(object, 0, 1, &record, &err));
    ASSERT_OK(kin__shelf_add(d.s.shelf, &v1, record, &err));
    ASSERT_OK(kin__shelf_add(d.s.shelf, &beta, record, &err));
    kin__record_unref(record);
    desk_put(&d, desk_served(&d, "example.com", "v1", "widgets"),
             WIDGET("w1", "{\"color\":\"blue\",\"n\":2}"));
    desk_put(&d, desk_served(&d, "example.com", "v1", "widgets"), WIDGET("w2", "{}"));

#define WIDGETS "/apis/example.com/v1/widgets?fieldSelector="
    check_names(&d, WIDGETS "spec.color%3Dblue,spec.n%3D2", "w1 ");
    check_names(&d, WIDGETS "spec.color%3D", "w2 ");
    check_refusal(&d, WIDGETS "spec.x%3D1", 400, "field label not supported: spec.x");
    check_refusal(&d, "/apis/example.com/v1beta1/widgets?fieldSelector=spec.color%3Dblue", 400,
                  "field label not supported: spec.color");

    desk_close(&d);
}

TEST(filter, of_one_name_or_namespace_has_a_key_or_prefix)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    desk_put_six(&d);

    check_names(&d, MAPS "?fieldSelector=metadata.name%3Dc-1&limit=1", "c-1 ");
    ASSERT_TRUE(strstr(d.body.data, "continue") == NULL);
    check_names(&d, MAPS "?fieldSelector=metadata.name%3Dc-", "");
    check_names(&d, MAPS "?fieldSelector=metadata.name%3Dc-1,metadata.namespace%3Dother", "");
    check_names(&d, "/api/v1/configmaps?fieldSelector=metadata.name%3Dc-3", "c-3 ");
    check_names(&d, "/api/v1/configmaps?fieldSelector=metadata.namespace%3Ddemo&limit=2",
                "c-1 c-2 ");
    /* {"v":"meta.k8s.io/v1","rv":7,"start":"/c-2\u0000"}: behind the namespace */
    ASSERT_CONTAINS(d.body.data,
                    "{\"resourceVersion\":\"7\",\"continue\":\"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6"
                    "Nywic3RhcnQiOiIvYy0yXHUwMDAwIn0\"}");

    desk_close(&d);
}

TEST_FAILING_ALLOC(filter, is_refused_without_memory)
{
    kin_error err;
    kin_err code = desk_open(&d, &err);
    if (code == KIN_OK) {
        int status = desk_ask(&d, "application/json",
                              PODS "?labelSelector=a%3Db,c+in+(d)&fieldSelector=status.podIP%3D1,"
                                   "metadata.name%3Dx");
        code = status == 200 ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    desk_close(&d);
    return code;
}
