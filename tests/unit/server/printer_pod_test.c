/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_pod_test.c - what pods say of themselves, where the fixture of printer_test.c says
 * nothing.
 */
#include "unit/server/printing.h"

static void check_status(const char *status, const char *name, const char *want)
{
    static text json;

    text_clear(&json);
    text_append(&json,
                "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"initContainers\":[{\"name\":\"i\"}]},"
                "\"status\":%s}",
                status);
    check_cell_named("", "v1", "Pod", json.chars, name, want);
}

TEST(printer_pod, takes_the_older_field_for_its_address)
{
    check_status("{\"podIP\":\"10.0.0.1\",\"podIPs\":[{\"ip\":\"10.0.0.2\"}]}", "IP", "10.0.0.1");
    check_status("{\"podIPs\":[{\"ip\":\"10.0.0.2\"}]}", "IP", "10.0.0.2");
    check_status("{\"podIP\":\"\",\"podIPs\":[]}", "IP", "<none>");
}

#define STUCK "\"initContainerStatuses\":[{\"name\":\"i\",\"restartCount\":3,\"state\":{}}]"
#define WAITS "\"containerStatuses\":[{\"state\":{\"waiting\":{\"reason\":\"Waits\"}}}]"

TEST(printer_pod, looks_at_containers_once_a_condition_says_it_is_initialized)
{
    check_status("{" STUCK "," WAITS "}", "Status", "Init:0/1");
    check_status("{" STUCK "," WAITS "}", "Restarts", "3");
    check_status("{\"conditions\":[{\"type\":\"Initialized\",\"status\":\"True\"}]," STUCK "," WAITS
                 "}",
                 "Status", "Waits");
    check_status("{\"conditions\":[{\"type\":\"Initialized\",\"status\":\"True\"}]," STUCK "," WAITS
                 "}",
                 "Restarts", "0");
    check_status("{\"conditions\":[{\"type\":\"Initialized\",\"status\":\"False\"},"
                 "{\"type\":\"Initialized\",\"status\":\"True\"}]," STUCK "," WAITS "}",
                 "Status", "Init:0/1");
}

TEST(printer_pod, is_ready_when_any_condition_of_that_type_says_so)
{
    check_status("{\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"},{\"type\":\"Ready\","
                 "\"status\":\"True\"}],\"containerStatuses\":[{\"state\":{\"terminated\":{"
                 "\"exitCode\":0,\"reason\":\"Completed\"}}},{\"ready\":true,\"state\":{"
                 "\"running\":{}}}]}",
                 "Status", "Running");
}

TEST(printer_pod, keeps_the_status_of_one_that_has_failed_when_it_is_deleted)
{
    const char *json =
        "{\"metadata\":{\"name\":\"p\",\"deletionTimestamp\":\"2026-11-16T14:00:00Z\"},"
        "\"status\":{\"phase\":\"Failed\"}}";

    check_cell_named("", "v1", "Pod", json, "Status", "Failed");
}

TEST(printer_pod, counts_restarts_since_the_last_one)
{
    check_status("{\"containerStatuses\":[{\"restartCount\":1,\"lastState\":{\"terminated\":{"
                 "\"finishedAt\":\"2026-11-16T14:30:00Z\"}}},{\"restartCount\":2,\"lastState\":{"
                 "\"terminated\":{\"finishedAt\":\"2026-11-16T14:00:00Z\"}}}]}",
                 "Restarts", "3 (30m ago)");
}
