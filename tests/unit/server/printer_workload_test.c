/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_workload_test.c - what runs pods, where the fixture of printer_test.c says nothing.
 */
#include "unit/server/printing.h"

static void check_job(const char *job, const char *name, const char *want)
{
    check_cell_named("batch", "batch/v1", "Job", job, name, want);
}

TEST(printer_workload, shows_the_weightiest_condition_of_a_job)
{
    check_job("{\"metadata\":{\"name\":\"j\"},\"status\":{\"conditions\":[{\"type\":"
              "\"SuccessCriteriaMet\",\"status\":\"True\"}]}}",
              "Status", "SuccessCriteriaMet");
    check_job("{\"metadata\":{\"name\":\"j\"},\"status\":{\"conditions\":[{\"type\":\"Failed\","
              "\"status\":\"False\"},{\"type\":\"Suspended\",\"status\":\"True\"},{\"type\":"
              "\"SuccessCriteriaMet\",\"status\":\"True\"}]}}",
              "Status", "Suspended");
    check_job("{\"metadata\":{\"name\":\"j\",\"deletionTimestamp\":\"2026-11-16T14:00:00Z\"},"
              "\"status\":{\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\"}]}}",
              "Status", "Failed");
}

TEST(printer_workload, shows_how_long_a_job_takes_or_took)
{
    check_job("{\"metadata\":{\"name\":\"j\"}}", "Duration", "");
    check_job("{\"metadata\":{\"name\":\"j\"},\"status\":{\"startTime\":\"2026-11-16T14:59:30Z\"}}",
              "Duration", "30s");
    check_job("{\"metadata\":{\"name\":\"j\"},\"status\":{\"startTime\":\"2026-11-16T14:00:00Z\","
              "\"completionTime\":\"2026-11-16T14:02:05Z\"}}",
              "Duration", "2m5s");
}

TEST(printer_workload, does_not_guess_whether_a_cron_job_is_suspended)
{
    check_cell_named("batch", "batch/v1", "CronJob", "{\"metadata\":{\"name\":\"c\"}}", "Suspend",
                     "<unset>");
}

#define OWNED(reference)                                                                           \
    "{\"metadata\":{\"name\":\"r\",\"ownerReferences\":[{\"kind\":\"Set\",\"name\":\"N\",\"uid\":" \
    "\"u\",\"controller\":true" reference "}]}}"

TEST(printer_workload, names_the_controller_with_its_group)
{
    check_cell_named("apps", "apps/v1", "ControllerRevision", OWNED(",\"apiVersion\":\"a.b/v1\""),
                     "Controller", "set.a.b/N");
    check_cell_named("apps", "apps/v1", "ControllerRevision", OWNED(",\"apiVersion\":\"v1\""),
                     "Controller", "set/N");
}

static kin_err print_owned(void)
{
    static const char json[] = OWNED(",\"apiVersion\":\"a\\u002fv1\"");
    AUTO(kin__buf_fini) kin__buf row = { 0 };
    kin_object *object = NULL;
    kin_err code = kin_object_from_json(json, sizeof json - 1, NULL, &object, NULL);

    if (code == KIN_OK) {
        code = printing_row(kin__columns_of(STR("apps"), STR("ControllerRevision")), object,
                            PRINTING_NOW, &row);
    }
    kin_object_unref(object);
    return code;
}

TEST_FAILING_ALLOC(printer_workload, needs_memory_for_the_group_of_a_controller)
{
    return print_owned();
}
