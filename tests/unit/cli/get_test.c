/* SPDX-License-Identifier: Apache-2.0 */
/*
 * get_test.c - kin get, and a server.
 */
#include "unit/cli/script.h"

#define PODS "GET /api/v1/namespaces/shop/pods?"
#define POD_PATH(name) "GET /api/v1/namespaces/shop/pods/" name " "
#define TABLE "NAME   READY   STATUS    RESTARTS   AGE\n"

TEST(get, shows_a_table)
{
    script_open();
    script_add((script_line){
        .on = PODS,
        .body = LIST("Pod", "9", POD("a", "1", "Running") "," POD("b", "2", "Pending")) });

    expect("get po", 0,
           TABLE "a      0/1     Running   0          <unknown>\n"
                 "b      0/1     Pending   0          <unknown>\n",
           "");
    ASSERT_CONTAINS(script.requests.chars, "limit=500");
    script_close();
}

TEST(get, shows_namespaces_of_all)
{
    script_open();
    script_add((script_line){ .on = "GET /api/v1/pods?",
                              .body = LIST("Pod", "9", POD_IN("other", "a", "1", "Running")) });

    expect("get pods -A --no-headers -l app=web --field-selector spec.nodeName=n", 0,
           "other   a   0/1   Running   0   <unknown>\n", "");
    ASSERT_CONTAINS(script.requests.chars, "labelSelector=app%3Dweb");
    ASSERT_CONTAINS(script.requests.chars, "fieldSelector=spec.nodeName%3Dn");
    script_close();
}

TEST(get, says_that_there_is_nothing)
{
    script_open();
    script_add(
        (script_line){ .on = "GET /api/v1/namespaces/other/pods?", .body = LIST("Pod", "9", "") });
    script_add((script_line){ .on = "GET /api/v1/nodes?", .body = LIST("Node", "9", "") });
    script_add((script_line){ .on = PODS, .body = LIST("Pod", "9", "") });
    script_add((script_line){ .on = PODS, .body = LIST("Pod", "9", "") });

    expect("get pods -n other", 0, "", "No resources found in other namespace.\n");
    expect("get nodes", 0, "", "No resources found\n");
    expect("get pods -o metadata.name", 0, "", "");
    expect("get pods -o json", 0,
           "{\n    \"apiVersion\": \"v1\",\n    \"items\": [],\n    \"kind\": \"List\",\n"
           "    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n",
           "");
    script_close();
}

TEST(get, shows_those_that_there_are_and_says_which_are_not)
{
    script_open();
    script_add((script_line){ .on = POD_PATH("a"), .body = POD("a", "1", "Running") });
    script_add((script_line){ .on = POD_PATH("x"),
                              .status = 404,
                              .body = STATUS(404, "NotFound", "pods \\\"x\\\" not found") });
    script_add((script_line){ .on = POD_PATH("b"), .body = POD("b", "2", "Pending") });

    expect("get pods a x b -o status.phase", 1, "Running\nPending\n",
           "kin: pods \"x\" not found\n");
    script_close();
}

TEST(get, prints_one_object_as_json)
{
    script_open();
    script_add((script_line){
        .on = POD_PATH("a"),
        .body = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                "\"managedFields\":[{\"manager\":\"x\"}]}}" });

    expect("get pod/a -ojson", 0,
           "{\n    \"kind\": \"Pod\",\n    \"apiVersion\": \"v1\",\n    \"metadata\": {\n"
           "        \"name\": \"a\"\n    }\n}\n",
           "");
    script_close();
}

TEST(get, prints_several_objects_as_a_list)
{
    script_open();
    script_add((script_line){ .on = POD_PATH("a"),
                              .body = "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}" });
    script_add((script_line){ .on = "GET /api/v1/nodes/b ",
                              .body = "{\"kind\":\"Node\",\"metadata\":{\"name\":\"b\"}}" });

    ASSERT_EQ(run("get pods/a nodes/b -o json"), 0);
    ASSERT_CONTAINS(out_chars, "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        {\n");
    ASSERT_CONTAINS(out_chars, "        },\n        {\n");
    ASSERT_CONTAINS(out_chars, "        }\n    ],\n    \"kind\": \"List\",\n");
    script_close();
}

TEST(get, shows_each_resource_in_a_table_of_its_own)
{
    script_open();
    script_add((script_line){ .on = PODS, .body = LIST("Pod", "9", POD("a", "1", "Running")) });
    script_add((script_line){
        .on = "GET /api/v1/nodes?",
        .body = LIST("Node", "9", "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\"}}") });

    expect("get po,no", 0,
           "NAME    READY   STATUS    RESTARTS   AGE\n"
           "pod/a   0/1     Running   0          <unknown>\n"
           "\n"
           "NAME     STATUS    ROLES    AGE         VERSION\n"
           "node/n   Unknown   <none>   <unknown>\n",
           "");
    script_close();
}

TEST(get, prints_names)
{
    script_open();
    script_add((script_line){
        .on = "GET /apis/shop.io/v1/namespaces/shop/widgets?",
        .body = "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
                "\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"w\"}}]}" });

    expect("get widgets -o name", 0, "widget.shop.io/w\n", "");
    script_close();
}

/* A page of a list, and then the news that the next one is not to be had any more. */
static void add_old_list(void)
{
    script_add((script_line){
        .on = PODS "limit=500 ",
        .body = "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
                "\"9\",\"continue\":\"more\"},\"items\":[" POD("old", "1", "Running") "]}" });
    script_add((script_line){ .on = PODS "limit=500&continue=more",
                              .status = 410,
                              .body = STATUS(410, "Expired", "too old") });
    script_add((script_line){ .on = "GET /api/v1/namespaces/shop/pods",
                              .body = LIST("Pod", "12", POD("new", "10", "Running")) });
}

TEST(get, begins_again_when_the_list_has_grown_old)
{
    script_open();
    add_old_list();
    add_old_list();

    expect("get pods", 0, TABLE "new    0/1     Running   0          <unknown>\n", "");
    expect("get pods -o metadata.name", 0, "new\n", "");
    script_close();
}

TEST(get, fails_with_the_servers_words)
{
    script_open();
    script_add((script_line){
        .on = PODS,
        .status = 403,
        .body = STATUS(403, "Forbidden", "pods is forbidden: User \\\"x\\\" cannot list") });

    expect("get pods", 1, "", "kin: pods is forbidden: User \"x\" cannot list\n");
    expect("get nothings", 1, "", "kin: the server has no resource \"nothings\"\n");
    script_close();
}

TEST(get, passes_on_what_the_server_warns_of)
{
    script_open();
    script_add((script_line){ .on = PODS,
                              .headers = "Warning: 299 - \"it is old\"\r\n",
                              .body = LIST("Pod", "9", POD("a", "1", "Running")) });

    expect("get pods -o metadata.name", 0, "a\n", "Warning: it is old\n");
    script_close();
}

TEST(get, refuses_what_does_not_go_together)
{
    script_open();
    expect("get pods a -l b=c", 2, "",
           "kin: names and selectors do not go together\nkin: see kin get --help\n");
    expect("get pods a -A", 2, "",
           "kin: a name is in one namespace: -A does not go with it\nkin: see kin get --help\n");
    expect("get pods --once", 2, "",
           "kin: --once and --timeout are for kin watch\nkin: see kin get --help\n");
    expect("get pods -o yaml", 2, "",
           "kin: -o yaml is not supported: table, json, name or a path is\n"
           "kin: see kin get --help\n");
    ASSERT_STR_EQ(script.requests.chars, "");
    script_close();
}

#define NAMES(name)                                                                                \
    "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{},"   \
    "\"items\":[{\"metadata\":{\"name\":\"" name "\"}}]}"

TEST(get, lets_no_name_move_the_cursor)
{
    script_open();
    script_add((script_line){ .on = PODS,
                              .body = LIST("Pod", "9",
                                           POD("a\\u001b[2J", "1",
                                               "R\xc2\x9b"
                                               "31m")) });
    script_add((script_line){ .on = PODS, .body = NAMES("a\\u001b[2J") });

    expect("get pods --no-headers", 0, "a?[2J   0/1   R?31m   0   <unknown>\n", "");
    expect("get pods -o name", 0, "pod/a?[2J\n", "");
    script_close();
}

TEST(get, watches_when_told_so)
{
    script_open();
    script_add((script_line){ .on = "GET /api/v1/namespaces/shop/pods?watch",
                              .holds = true,
                              .body = EVENT("ADDED", POD("a", "1", "Running"))
                                  EVENT("BOOKMARK",
                                        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
                                        "\"resourceVersion\":\"9\",\"annotations\":{\"k8s.io/"
                                        "initial-events-end\":\"true\"}}}") });

    expect("get pods -w --once -o name", 0, "ADDED    pod/a\n", "");
    script_close();
}
