/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocation_test.c - what a service is given.
 */
#include "server/allocation.h"

#include <stdlib.h>

#include "unit/server/writing.h"

#define SERVICES DEFAULT "/services"
#define SERVICE(name, spec) "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{" spec "}}"
#define PORTS "\"ports\":[{\"name\":\"a\",\"port\":80},{\"name\":\"b\",\"port\":81}]"

#define NODE_PORT(name, port)                                                                      \
    SERVICE(name, "\"type\":\"NodePort\",\"ports\":[{\"port\":80,\"nodePort\":" port "}]")

/* The port on nodes that the last answer tells, after `from`. */
static int node_port(const scene *s, const char *from)
{
    const char *member = strstr(strstr(s->body, from), "\"nodePort\":");

    return member == NULL ? 0 : (int) strtol(member + strlen("\"nodePort\":"), NULL, 10);
}

TEST(allocation, keeps_the_address_of_a_service)
{
    scene s;
    kin_error err;
    char address[32];

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", DEFAULT "/services", JSON,
                  "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"ports\":[{\"port\":80}]}}"),
              201);
    snprintf(address, sizeof address, "%.24s", strstr(s.body, "\"clusterIP\":\""));
    ASSERT_ANSWER(&s, "PUT", DEFAULT "/services/s", JSON,
                  "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"ports\":[{\"port\":81}]}}", 200,
                  address);
    ASSERT_ANSWER(&s, "PUT", SERVICES "/s", JSON, SERVICE("s", "\"clusterIP\":\"\"," PORTS), 200,
                  address);
    ASSERT_ANSWER(&s, "POST", DEFAULT "/services", JSON,
                  "{\"metadata\":{\"name\":\"h\"},\"spec\":{\"clusterIP\":\"None\",\"ports\":[{"
                  "\"port\":80}]}}",
                  201, "\"clusterIP\":\"None\",\"clusterIPs\":[\"None\"]");
    scene_close(&s);
}

TEST(allocation, gives_ports_on_nodes_and_keeps_them)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", SERVICES, JSON, SERVICE("s", "\"type\":\"NodePort\"," PORTS)), 201);
    int a = node_port(&s, "\"port\":80"), b = node_port(&s, "\"port\":81");
    ASSERT_TRUE(a >= 30000 && a <= 32767);
    ASSERT_TRUE(b >= 30000 && b <= 32767);
    ASSERT_TRUE(a != b);
    ASSERT_EQ(ask(&s, "PUT", SERVICES "/s", JSON, SERVICE("s", "\"type\":\"LoadBalancer\"," PORTS)),
              200);
    ASSERT_EQ(node_port(&s, "\"port\":80"), a);
    ASSERT_EQ(node_port(&s, "\"port\":81"), b);
    ASSERT_EQ(
        ask(&s, "POST", SERVICES, JSON,
            SERVICE("own", "\"type\":\"NodePort\",\"ports\":[{\"port\":80,\"nodePort\":30080}]")),
        201);
    ASSERT_EQ(node_port(&s, "\"port\":80"), 30080);
    ASSERT_EQ(
        ask(&s, "POST", SERVICES, JSON,
            SERVICE("none", "\"type\":\"LoadBalancer\",\"allocateLoadBalancerNodePorts\":false,"
                            "\"ports\":[{\"port\":80}]")),
        201);
    ASSERT_EQ(node_port(&s, "\"port\":80"), 0);
    ASSERT_EQ(ask(&s, "POST", SERVICES, JSON, SERVICE("plain", PORTS)), 201);
    ASSERT_EQ(node_port(&s, "\"port\":80"), 0);
    scene_close(&s);
}

#define SERVICE_PORTS 173 /* of each service, so that few of them take all there are */

/* Its ports begin with 1000. */
static void make_large_service(scene *s, int number)
{
    AUTO(kin__buf_fini) kin__buf body = { 0 };

    (void) kin__buf_append_format(
        &body,
        "{\"metadata\":{\"name\":\"s-%d\"},\"spec\":{\"type\":\"NodePort\","
        "\"ports\":[",
        number);
    for (int i = 0; i < SERVICE_PORTS; i++) {
        (void) kin__buf_append_format(&body, "%s{\"name\":\"p-%d\",\"port\":%d}", i == 0 ? "" : ",",
                                      i, 1000 + i);
    }
    (void) kin__buf_append_str(&body, STR("]}}"));
    (void) kin__buf_append_byte(&body, '\0');
    ASSERT_FALSE(kin__buf_failed(&body));
    ASSERT_EQ(ask(s, "POST", SERVICES, JSON, body.data), 201);
}

TEST(allocation, gives_no_port_twice_and_none_when_all_are_taken)
{
    scene s;
    kin_error err;
    char from[32];
    static bool has_seen[KIN__NODE_PORT_COUNT];

    ASSERT_EQ(KIN__NODE_PORT_COUNT % SERVICE_PORTS, 0);
    ASSERT_OK(scene_open(&s, &err));
    for (int i = 0; i < KIN__NODE_PORT_COUNT; i++) {
        if (i % SERVICE_PORTS == 0) {
            make_large_service(&s, i / SERVICE_PORTS);
        }
        (void) snprintf(from, sizeof from, "\"port\":%d,", 1000 + i % SERVICE_PORTS);
        int port = node_port(&s, from);
        ASSERT_TRUE(port >= KIN__NODE_PORT_FIRST);
        ASSERT_FALSE(has_seen[port - KIN__NODE_PORT_FIRST]);
        has_seen[port - KIN__NODE_PORT_FIRST] = true;
    }
    ASSERT_EQ(ask(&s, "POST", SERVICES, JSON,
                  SERVICE("late", "\"type\":\"NodePort\",\"ports\":[{\"port\":80}]")),
              201);
    ASSERT_EQ(node_port(&s, "\"port\":80"), 0);
    scene_close(&s);
}

TEST(allocation, refuses_ports_that_are_taken_or_out_of_range)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(
        &s, "POST", SERVICES, JSON, NODE_PORT("s", "80"), 422,
        "Service \\\"s\\\" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided "
        "port is not in the valid range. The range of valid ports is 30000-32767");
    ASSERT_EQ(ask(&s, "POST", SERVICES, JSON, NODE_PORT("s", "30080")), 201);
    ASSERT_ANSWER(&s, "POST", SERVICES, JSON, NODE_PORT("t", "30080"), 422,
                  "spec.ports[0].nodePort: Invalid value: 30080: provided port is already "
                  "allocated");
    ASSERT_EQ(ask(&s, "POST", SERVICES, JSON, NODE_PORT("t", "30081")), 201);
    ASSERT_EQ(ask(&s, "PUT", SERVICES "/t", JSON, NODE_PORT("t", "30081")), 200);
    ASSERT_EQ(ask(&s, "PUT", SERVICES "/t", JSON, NODE_PORT("t", "30080")), 422);
    ASSERT_EQ(ask(&s, "PUT", SERVICES "/t", JSON, NODE_PORT("t", "30082")), 200);
    ASSERT_EQ(ask(&s, "POST", SERVICES, JSON, NODE_PORT("u", "30081")), 201);
    scene_close(&s);
}

TEST(allocation, gives_both_protocols_of_a_port_the_same_port_on_the_nodes)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", SERVICES, JSON,
                  SERVICE("s", "\"type\":\"NodePort\",\"ports\":[{\"name\":\"a\",\"port\":80},{"
                               "\"name\":\"b\",\"port\":80,\"protocol\":\"UDP\",\"nodePort\":"
                               "30053}]")),
              201);
    ASSERT_EQ(node_port(&s, "\"name\":\"a\""), 30053);
    ASSERT_EQ(node_port(&s, "\"name\":\"b\""), 30053);
    ASSERT_ANSWER(&s, "POST", SERVICES, JSON,
                  SERVICE("t", "\"type\":\"NodePort\",\"ports\":[{\"name\":\"a\",\"port\":80,"
                               "\"nodePort\":30054},{\"name\":\"b\",\"port\":81,\"nodePort\":"
                               "30054}]"),
                  422, "spec.ports[1].nodePort: Invalid value: 30054: provided port is already");
    scene_close(&s);
}

TEST(allocation, refuses_addresses_that_are_taken_or_out_of_range)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(
        &s, "POST", SERVICES, JSON, SERVICE("s", "\"clusterIP\":\"1.2.3.4\"," PORTS), 422,
        "spec.clusterIPs: Invalid value: [\\\"1.2.3.4\\\"]: failed to allocate IP 1.2.3.4: "
        "the provided network does not match the current range");
    ASSERT_ANSWER(&s, "POST", SERVICES, JSON, SERVICE("s", "\"clusterIP\":\"x\"," PORTS), 422,
                  "spec.clusterIPs[0]: Invalid value: \\\"x\\\": must be a valid IP address");
    ASSERT_EQ(ask(&s, "POST", SERVICES, JSON, SERVICE("s", "\"clusterIP\":\"10.96.0.10\"," PORTS)),
              201);
    ASSERT_ANSWER(&s, "POST", SERVICES, JSON, SERVICE("t", "\"clusterIP\":\"10.96.0.10\"," PORTS),
                  422, "failed to allocate IP 10.96.0.10: provided IP is already allocated");
    ASSERT_EQ(
        ask(&s, "PUT", SERVICES "/s", JSON, SERVICE("s", "\"clusterIP\":\"10.96.0.10\"," PORTS)),
        200);
    scene_close(&s);
}

TEST(allocation, leaves_the_family_open_when_there_is_neither_address_nor_selector)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", SERVICES, JSON, SERVICE("s", "\"clusterIP\":\"None\"," PORTS), 201,
                  "\"ipFamilies\":[\"IPv4\",\"IPv6\"],\"ipFamilyPolicy\":\"RequireDualStack\"");
    ASSERT_ANSWER(&s, "POST", SERVICES, JSON,
                  SERVICE("t", "\"clusterIP\":\"None\",\"selector\":{\"a\":\"b\"}," PORTS), 201,
                  "\"ipFamilies\":[\"IPv4\"],\"ipFamilyPolicy\":\"SingleStack\"");
    scene_close(&s);
}

TEST(allocation, takes_back_what_another_type_has_no_use_for)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", SERVICES, JSON, SERVICE("s", "\"type\":\"LoadBalancer\"," PORTS)),
              201);
    ASSERT_EQ(ask(&s, "PATCH", SERVICES "/s", MERGE, "{\"spec\":{\"type\":\"ClusterIP\"}}"), 200);
    ASSERT_TRUE(strstr(s.body, "nodePort") == NULL);
    ASSERT_TRUE(strstr(s.body, "NodePorts") == NULL);
    ASSERT_TRUE(strstr(s.body, "externalTrafficPolicy") == NULL);
    ASSERT_CONTAINS(s.body, "\"clusterIP\":\"10.");
    ASSERT_EQ(ask(&s, "PATCH", SERVICES "/s", MERGE,
                  "{\"spec\":{\"type\":\"ExternalName\",\"externalName\":\"a.b\"}}"),
              200);
    ASSERT_TRUE(strstr(s.body, "clusterIP") == NULL);
    ASSERT_TRUE(strstr(s.body, "ipFamil") == NULL);
    ASSERT_EQ(ask(&s, "PATCH", SERVICES "/s", MERGE,
                  "{\"spec\":{\"type\":\"NodePort\",\"externalName\":null}}"),
              200);
    ASSERT_CONTAINS(s.body, "\"clusterIP\":\"10.");
    ASSERT_TRUE(node_port(&s, "\"port\":80") > 0);
    scene_close(&s);
}

TEST_FAILING_ALLOC(allocation, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int status = ask(&s, "POST", SERVICES, JSON, SERVICE("s", "\"type\":\"NodePort\"," PORTS));
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 201 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
