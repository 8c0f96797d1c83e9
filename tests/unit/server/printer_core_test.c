/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_core_test.c - nodes, quotas and components, where the fixture of printer_test.c says
 * nothing.
 */
#include "unit/server/printing.h"

TEST(printer_core, names_each_role_of_a_node_once_and_in_order)
{
    check_cell_named("", "v1", "Node",
                     "{\"metadata\":{\"name\":\"n\",\"labels\":{\"kubernetes.io/role\":\"b\","
                     "\"node-role.kubernetes.io/\":\"\",\"node-role.kubernetes.io/b\":\"\","
                     "\"node-role.kubernetes.io/a\":\"x\"}}}",
                     "Roles", "a,b");
    check_cell_named("", "v1", "Node",
                     "{\"metadata\":{\"name\":\"n\",\"labels\":{\"kubernetes.io/role\":\"\"}}}",
                     "Roles", "<none>");
}

TEST(printer_core, takes_the_last_condition_of_a_node)
{
    check_cell_named("", "v1", "Node",
                     "{\"metadata\":{\"name\":\"n\"},\"status\":{\"conditions\":[{\"type\":"
                     "\"Ready\",\"status\":\"True\"},{\"type\":\"Ready\",\"status\":\"False\"}]}}",
                     "Status", "NotReady");
}

TEST(printer_core, shows_the_architecture_beside_a_kernel_that_is_not_known)
{
    check_cell_named("", "v1", "Node",
                     "{\"metadata\":{\"name\":\"n\"},\"status\":{\"nodeInfo\":{\"architecture\":"
                     "\"arm64\"}}}",
                     "Kernel-Version", "<unknown> (arm64)");
}

TEST(printer_core, shows_quotas_in_canonical_form_by_name)
{
    static const char quota[] =
        "{\"metadata\":{\"name\":\"q\"},\"status\":{\"hard\":{\"limits\":\"1\","
        "\"limits.z\":\"2048Mi\",\"b\":\"0.5\",\"a\":\"1k\",\"limits.a\":\"3\"},"
        "\"used\":{\"b\":\"0.25\",\"limits.z\":\"1024Ki\"}}}";

    check_cell_named("", "v1", "ResourceQuota", quota, "Request",
                     "a: 0/1k, b: 250m/500m, limits: 0/1");
    check_cell_named("", "v1", "ResourceQuota", quota, "Limit", "limits.a: 0/3, limits.z: 1Mi/2Gi");
}

TEST(printer_core, shows_the_health_of_a_component)
{
    check_cells(
        "", "v1", "ComponentStatus",
        "{\"metadata\":{\"name\":\"c\"},\"conditions\":[{\"type\":\"Other\",\"status\":\"\"},"
        "{\"type\":\"Healthy\",\"status\":\"True\",\"message\":\"ok\",\"error\":\"e\"}]}",
        "\"c\",\"Healthy\",\"ok\",\"e\"");
    check_cells("", "v1", "ComponentStatus", "{\"metadata\":{\"name\":\"c\"}}",
                "\"c\",\"Unknown\",\"\",\"\"");
}
