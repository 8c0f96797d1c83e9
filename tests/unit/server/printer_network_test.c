/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_network_test.c - addresses and ports, where the fixture of printer_test.c says nothing.
 */
#include "unit/server/printing.h"

static void check_service(const char *spec, const char *name, const char *want)
{
    static text json;

    text_clear(&json);
    text_append(&json, "{\"metadata\":{\"name\":\"s\"},\"spec\":%s}", spec);
    check_cell_named("", "v1", "Service", json.chars, name, want);
}

TEST(printer_network, takes_the_first_of_several_cluster_addresses)
{
    check_service("{\"clusterIP\":\"10.0.0.1\",\"clusterIPs\":[\"10.0.0.2\",\"fd00::1\"]}",
                  "Cluster-IP", "10.0.0.2");
    check_service("{\"clusterIP\":\"10.0.0.1\"}", "Cluster-IP", "10.0.0.1");
    check_service("{\"clusterIP\":\"\"}", "Cluster-IP", "<none>");
}

TEST(printer_network, does_not_know_the_address_of_a_service_without_a_type)
{
    check_service("{}", "External-IP", "<unknown>");
    check_service("{\"type\":\"LoadBalancer\"}", "External-IP", "<pending>");
    check_service("{\"type\":\"NodePort\"}", "External-IP", "<none>");
    check_service("{\"ports\":[]}", "Port(s)", "<none>");
}

TEST(printer_network, shows_three_endpoints_and_counts_the_rest)
{
    check_cell_named("", "v1", "Endpoints",
                     "{\"metadata\":{\"name\":\"e\"},\"subsets\":[{\"addresses\":[{\"ip\":\"a\"},"
                     "{\"ip\":\"::\"}]},{\"addresses\":[{\"ip\":\"b\"},{\"ip\":\"c\"}],\"ports\":["
                     "{\"port\":1},{\"port\":2}]}]}",
                     "Endpoints", "a,::,b:1 + 3 more...");
}

TEST(printer_network, shows_three_ports_of_a_slice)
{
    const char *slice = "{\"metadata\":{\"name\":\"e\"},\"ports\":[{},{\"name\":\"n\"},"
                        "{\"port\":0}]}";

    check_cell_named("discovery.k8s.io", "discovery.k8s.io/v1", "EndpointSlice", slice, "Ports",
                     "*,n,0");
    check_cell_named("discovery.k8s.io", "discovery.k8s.io/v1", "EndpointSlice", slice, "Endpoints",
                     "<unset>");
}

TEST(printer_network, shows_a_star_for_any_host)
{
    check_cell_named("networking.k8s.io", "networking.k8s.io/v1", "Ingress",
                     "{\"metadata\":{\"name\":\"i\"},\"spec\":{\"rules\":[{},{},{},{}]}}", "Hosts",
                     "*");
}

TEST(printer_network, puts_the_age_of_an_address_behind_its_last_column)
{
    check_cells("networking.k8s.io", "networking.k8s.io/v1", "IPAddress",
                "{\"metadata\":{\"name\":\"10.0.0.1\"}}",
                "\"10.0.0.1\",\"\\u003cnone\\u003e\",\"\\u003cunknown\\u003e\"");
    check_cells("networking.k8s.io", "networking.k8s.io/v1", "IPAddress",
                "{\"metadata\":{\"name\":\"10.0.0.1\"},\"spec\":{\"parentRef\":{\"group\":\"A.b\","
                "\"resource\":\"Cs\",\"namespace\":\"N\",\"name\":\"M\"}}}",
                "\"10.0.0.1\",\"cs.a.b/N/M\",\"\\u003cunknown\\u003e\"");
}
