/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_devices_test.c - devices and groups of pods, where the fixture of printer_test.c says
 * nothing.
 */
#include "unit/server/printing.h"

static void check_claim(const char *claim, const char *want)
{
    check_cell_named("resource.k8s.io", "resource.k8s.io/v1", "ResourceClaim", claim, "State",
                     want);
}

TEST(printer_devices, sums_up_the_state_of_a_claim)
{
    check_claim("{\"metadata\":{\"name\":\"c\"}}", "pending");
    check_claim("{\"metadata\":{\"name\":\"c\"},\"status\":{\"allocation\":{}}}", "allocated");
    check_claim("{\"metadata\":{\"name\":\"c\"},\"status\":{\"reservedFor\":[{}]}}", "pending");
    check_claim("{\"metadata\":{\"name\":\"c\",\"deletionTimestamp\":\"2026-11-16T14:00:00Z\"},"
                "\"status\":{\"allocation\":{},\"reservedFor\":[{}]}}",
                "deleted,allocated,reserved");
    check_claim("{\"metadata\":{\"name\":\"c\",\"deletionTimestamp\":\"2026-11-16T14:00:00Z\"}}",
                "deleted");
}

static void check_group(const char *conditions, const char *want)
{
    const kin__columns *columns = kin__columns_of(STR("scheduling.k8s.io"), STR("PodGroup"));
    static text json;
    AUTO(kin__buf_fini) kin__buf row = { 0 };

    text_clear(&json);
    text_append(&json, "{\"metadata\":{\"name\":\"g\"},\"status\":{\"conditions\":%s}}",
                conditions);
    kin_object *object =
        printing_make("scheduling.k8s.io/v1alpha2", "PodGroup", kin_str_of(json.chars));
    ASSERT_OK(printing_row(columns, object, PRINTING_NOW, &row));
    ASSERT_CONTAINS(row.data, want);
    kin_object_unref(object);
}

TEST(printer_devices, says_whether_a_group_could_be_scheduled)
{
    check_group("[]", "\"Basic\",\"\\u003cnone\\u003e\",\"Pending\",");
    check_group("[{\"type\":\"PodGroupScheduled\",\"status\":\"True\"}]", ",\"Scheduled\",");
    check_group("[{\"type\":\"PodGroupScheduled\",\"status\":\"False\"}]", ",\"Unschedulable\",");
    check_group("[{\"type\":\"DisruptionTarget\",\"reason\":\"Why\"},"
                "{\"type\":\"PodGroupScheduled\",\"status\":\"True\"}]",
                ",\"Why\",");
}

TEST(printer_devices, adds_up_the_devices_of_pools)
{
    const kin__columns *columns =
        kin__columns_of(STR("resource.k8s.io"), STR("ResourcePoolStatusRequest"));
    AUTO(kin__buf_fini) kin__buf row = { 0 };
    kin_object *object = printing_make(
        "resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest",
        STR("{\"metadata\":{\"name\":\"r\"},\"spec\":{\"driver\":\"d\"},\"status\":{\"poolCount\":"
            "2,"
            "\"pools\":[{\"totalDevices\":10,\"availableDevices\":4,\"allocatedDevices\":3,"
            "\"unavailableDevices\":2,\"validationError\":\"\"},{\"totalDevices\":5,"
            "\"unavailableDevices\":1}],\"conditions\":[{\"type\":\"Failed\",\"status\":\"False\"},"
            "{\"type\":\"Complete\",\"status\":\"True\",\"lastTransitionTime\":"
            "\"2026-11-16T14:59:00Z\"}]}}"));

    ASSERT_OK(printing_row(columns, object, PRINTING_NOW, &row));

    ASSERT_STR_EQ(row.data, "{\"cells\":[\"r\",\"d\",\"15\",\"4\",\"3\",\"3\",\"1\",2,\"Complete\","
                            "\"60s\"],\"object\":null}");
    kin_object_unref(object);
}
