/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubelet_test.c - logs and the like, of pods that nothing runs.
 */
#include "unit/server/reading.h"

#define PODS "/api/v1/namespaces/demo/pods"

#define POD(name, spec)                                                                            \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                       \
    "\",\"namespace\":\"demo\",\"resourceVersion\":\"%llu\"},\"spec\":" spec "}"
#define NODE(name, status)                                                                         \
    "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                      \
    "\",\"resourceVersion\":\"%llu\"},\"status\":" status "}"
#define ONE "\"containers\":[{\"name\":\"c\"}]"

static desk d;

static void open_with(const char *pod)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    desk_put(&d, desk_served(&d, "", "v1", "pods"), pod);
}

TEST(kubelet, has_no_log_of_a_pod_without_a_node)
{
    open_with(POD("p", "{" ONE "}"));

    check_answer(&d, "application/json", PODS "/p/log", 204, "");
    check_answer(&d, "application/json", PODS "/p/log?container=c", 204, "");
    check_refusal(&d, PODS "/q/log", 404, "pods \\\"q\\\" not found");

    desk_close(&d);
}

TEST(kubelet, refuses_streams_of_a_pod_without_a_node)
{
    open_with(POD("p", "{" ONE "}"));

    check_refusal(&d, PODS "/p/exec?command=ls", 400, "pod p does not have a host assigned");
    check_refusal(&d, PODS "/p/attach", 400, "pod p does not have a host assigned");
    check_refusal(&d, PODS "/p/portforward", 400, "pod p does not have a host assigned");
    check_refusal(&d, PODS "/q/exec", 404, "pods \\\"q\\\" not found");

    desk_close(&d);
}

TEST(kubelet, wants_the_container_named_where_there_are_several)
{
    open_with(POD("p", "{\"initContainers\":[{\"name\":\"i\"}],\"containers\":[{\"name\":\"a\"},"
                       "{\"name\":\"b\"}],\"ephemeralContainers\":[{\"name\":\"e\"}]}"));
    desk_put(&d, desk_served(&d, "", "v1", "pods"), POD("none", "{}"));

    check_refusal(&d, PODS "/p/log", 400,
                  "a container name must be specified for pod p, choose one of: [i a b e]");
    check_refusal(&d, PODS "/p/exec?container=x%2by", 400, "container x+y is not valid for pod p");
    check_refusal(&d, PODS "/none/log", 400, "a container name must be specified for pod none");
    check_answer(&d, "application/json", PODS "/p/log?container=i", 204, "");
    check_answer(&d, "application/json", PODS "/p/log?container=e", 204, "");
    check_refusal(&d, PODS "/p/portforward", 400, "pod p does not have a host assigned");

    desk_close(&d);
}

TEST(kubelet, is_not_reached_on_a_node)
{
    open_with(POD("p", "{\"nodeName\":\"n\"," ONE "}"));
    const kin__served *nodes = desk_served(&d, "", "v1", "nodes");

    check_refusal(&d, PODS "/p/log", 404, "pods \\\"n\\\" not found");
    desk_put(&d, nodes, NODE("n", "{}"));
    check_refusal(&d, PODS "/p/log", 500, "no preferred addresses found; known addresses: []");
    desk_put(&d, nodes,
             NODE("n", "{\"addresses\":[{\"type\":\"InternalIP\",\"address\":"
                       "\"192.0.2.1\"},{\"type\":\"Hostname\",\"address\":\"h\"}]}"));
    check_refusal(&d, PODS "/p/log", 500,
                  "Get \\\"https://h:10250/containerLogs/demo/p/c\\\": dial tcp h:10250: connect: "
                  "connection refused");
    desk_put(&d, nodes,
             NODE("n", "{\"addresses\":[{\"type\":\"InternalIP\",\"address\":"
                       "\"192.0.2.1\"}],\"daemonEndpoints\":{\"kubeletEndpoint\":{"
                       "\"Port\":7}}}"));
    check_refusal(&d, PODS "/p/exec", 500,
                  "error dialing backend: dial tcp 192.0.2.1:7: connect: connection refused");

    desk_close(&d);
}

TEST_FAILING_ALLOC(kubelet, is_refused_without_memory)
{
    kin_error err;
    kin_err code = desk_open(&d, &err);

    if (code == KIN_OK) {
        code = desk_try_put(&d, desk_served(&d, "", "v1", "pods"),
                            POD("p", "{\"nodeName\":\"n\",\"containers\":[{\"name\":\"a\"},{"
                                     "\"name\":\"b\"}]}"),
                            &err);
    }
    if (code == KIN_OK && (desk_ask(&d, "application/json", PODS "/p/log") != 400 ||
                           desk_ask(&d, "application/json", PODS "/p/log?container=a") != 404)) {
        code = KIN_ERR_NO_MEMORY;
    }
    desk_close(&d);
    return code;
}
