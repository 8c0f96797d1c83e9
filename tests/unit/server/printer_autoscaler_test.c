/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_autoscaler_test.c - metrics, where the fixture of printer_test.c says nothing.
 */
#include "unit/server/printing.h"

static void check_metrics(const char *version, const char *autoscaler, const char *want)
{
    static text json;

    text_clear(&json);
    text_append(&json, "{\"metadata\":{\"name\":\"h\"%s}", autoscaler);
    check_cell_named("autoscaling", version, "HorizontalPodAutoscaler", json.chars, "Targets",
                     want);
}

TEST(printer_autoscaler, shows_none_of_no_metrics)
{
    check_metrics("autoscaling/v2", "}", "<none>");
    check_metrics("autoscaling/v1", "}", "<none>");
}

TEST(printer_autoscaler, shows_of_a_quantity_that_is_not_there_what_go_does)
{
    check_metrics("autoscaling/v2",
                  "},\"spec\":{\"metrics\":[{\"type\":\"Object\",\"object\":{}},"
                  "{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\"}}]},\"status\":{"
                  "\"currentMetrics\":[{\"object\":{}}]}",
                  "<nil>/<nil>, cpu: <unknown>/<auto>");
    check_metrics("autoscaling/v2", "},\"spec\":{\"metrics\":[{\"type\":\"Other\"}]}",
                  "<unknown type>");
}

#define METRICS "autoscaling.alpha.kubernetes.io/metrics"
#define STATES "autoscaling.alpha.kubernetes.io/current-metrics"

TEST(printer_autoscaler, reads_the_annotations_of_v1)
{
    check_metrics("autoscaling/v1",
                  ",\"annotations\":{\"" METRICS "\":\"[{\\\"type\\\":\\\"External\\\","
                  "\\\"external\\\":{\\\"targetAverageValue\\\":\\\"5\\\"}}]\",\"" STATES
                  "\":\"[{\\\"external\\\":{\\\"currentAverageValue\\\":\\\"2\\\"}},{\\\"resource"
                  "\\\":{\\\"currentAverageUtilization\\\":7}}]\"}},\"spec\":{"
                  "\"targetCPUUtilizationPercentage\":9}",
                  "2/5 (avg), cpu: 7%/9%");
    check_metrics("autoscaling/v1",
                  "},\"spec\":{\"targetCPUUtilizationPercentage\":9},\"status\":{"
                  "\"currentCPUUtilizationPercentage\":8}",
                  "cpu: 8%/9%");
    check_metrics("autoscaling/v1",
                  ",\"annotations\":{\"" METRICS "\":\"[{]\"}},\"spec\":{"
                  "\"targetCPUUtilizationPercentage\":9}",
                  "cpu: <unknown>/9%");
}

TEST(printer_autoscaler, shows_two_metrics_and_counts_the_rest)
{
    check_metrics("autoscaling/v1",
                  ",\"annotations\":{\"" METRICS "\":\"[{},{},{}]\"}},\"spec\":{"
                  "\"targetCPUUtilizationPercentage\":9}",
                  "<unknown type>, <unknown type> + 2 more...");
    check_metrics("autoscaling/v1",
                  ",\"annotations\":{\"" METRICS "\":\"[{},{}]\"}},\"spec\":{"
                  "\"targetCPUUtilizationPercentage\":9}",
                  "<unknown type>, <unknown type> + 1 more...");
}
