/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workload_cells.c - cells of deployments, jobs and the like.
 */
#include <inttypes.h>

#include "cli/cells.h"
#include "cli/duration.h"

static bool has_condition(const kin_object *object, const char *type);

void kin__cli_cell_ready_of_replicas(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_value whole = kin_object_at(object, "");

    (void) now;
    kin__cli_text_say(out, "%" PRId64 "/%" PRId64,
                      kin__cli_number_at(whole, "status.readyReplicas"),
                      kin__cli_number_at(whole, "spec.replicas"));
}

void kin__cli_cell_job_status(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_time time;
    bool is_deleted = kin_object_deletion_time(object, &time);

    (void) now;
    const char *status = has_condition(object, "Complete")             ? "Complete"
                         : has_condition(object, "Failed")             ? "Failed"
                         : is_deleted                                  ? "Terminating"
                         : has_condition(object, "Suspended")          ? "Suspended"
                         : has_condition(object, "FailureTarget")      ? "FailureTarget"
                         : has_condition(object, "SuccessCriteriaMet") ? "SuccessCriteriaMet"
                                                                       : "Running";
    kin__cli_text_say(out, "%s", status);
}

void kin__cli_cell_job_completions(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_value whole = kin_object_at(object, "");
    int64_t parallelism = kin__cli_number_at(whole, "spec.parallelism");
    int64_t completions = 0;

    (void) now;
    kin__cli_text_say(out, "%" PRId64 "/", kin__cli_number_at(whole, "status.succeeded"));
    if (kin_value_int64(kin_object_at(object, "spec.completions"), &completions) == KIN_OK) {
        kin__cli_text_say(out, "%" PRId64, completions);
    } else if (parallelism > 1) {
        kin__cli_text_say(out, "1 of %" PRId64, parallelism);
    } else {
        kin__cli_text_say(out, "1");
    }
}

void kin__cli_cell_job_duration(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_time start;
    kin_time end = { now, 0 };

    if (kin_value_time(kin_object_at(object, "status.startTime"), &start) != KIN_OK) {
        return;
    }
    if (kin_value_time(kin_object_at(object, "status.completionTime"), &end) != KIN_OK) {
        end.seconds = now;
    }
    kin__cli_duration_show(end.seconds - start.seconds, out);
}

void kin__cli_cell_node_selector(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_iter iter = kin_value_iter(kin_object_at(object, "spec.template.spec.nodeSelector"));
    const char *separator = "";

    (void) now;
    while (kin_iter_next(&iter)) {
        kin__cli_text_say(out, "%s", separator);
        (void) kin__cli_value_show(iter.key, out);
        kin__cli_text_say(out, "=");
        (void) kin__cli_value_show(iter.value, out);
        separator = ",";
    }
    if (separator[0] == '\0') {
        kin__cli_text_say(out, "<none>");
    }
}

void kin__cli_cell_cron_suspend(const kin_object *object, int64_t now, kin__cli_text *out)
{
    bool is_suspended = false;

    (void) now;
    if (kin_value_bool(kin_object_at(object, "spec.suspend"), &is_suspended) != KIN_OK) {
        kin__cli_text_say(out, "<unset>");
    } else {
        kin__cli_text_say(out, "%s", is_suspended ? "True" : "False");
    }
}

void kin__cli_cell_cron_active(const kin_object *object, int64_t now, kin__cli_text *out)
{
    (void) now;
    kin__cli_text_say(out, "%zu", kin_value_count(kin_object_at(object, "status.active")));
}

void kin__cli_cell_cron_last(const kin_object *object, int64_t now, kin__cli_text *out)
{
    if (!kin__cli_show_since(kin_object_at(object, "status.lastScheduleTime"), now, out)) {
        kin__cli_text_say(out, "<none>");
    }
}

static bool has_condition(const kin_object *object, const char *type)
{
    return kin_str_equal(kin__cli_condition(object, type), kin_str_of("True"));
}
