/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_workload.c - cells of what runs pods.
 */
#include "server/printer_kinds.h"

static bool has_condition(const kin_object *job, const char *type);
static kin_str job_status(const kin_object *job);

void kin__print_ready_of_desired(kin__printer *p)
{
    kin__cell_begin(p);
    kin__cell_add_number(p, kin__value_number(kin_object_at(p->object, "status.readyReplicas")));
    kin__cell_add(p, STR("/"));
    kin__cell_add_number(p, kin__value_number(kin_object_at(p->object, "spec.replicas")));
    kin__cell_end(p);
}

/* Unlike those of other kinds it is empty when it selects everything. */
void kin__print_deployment_selector(kin__printer *p)
{
    kin__cell_begin(p);
    if (!kin__cell_add_selector(p, kin__cell_value(p))) {
        kin__cell_add(p, STR("<invalid>"));
    }
    kin__cell_end(p);
}

void kin__print_job_status(kin__printer *p)
{
    kin__cell_write(p, job_status(p->object));
}

void kin__print_job_completions(kin__printer *p)
{
    kin_value completions = kin_object_at(p->object, "spec.completions");
    int64_t parallelism = kin__value_number(kin_object_at(p->object, "spec.parallelism"));

    kin__cell_begin(p);
    kin__cell_add_number(p, kin__value_number(kin_object_at(p->object, "status.succeeded")));
    if (kin__value_is_there(completions)) {
        kin__cell_add(p, STR("/"));
        kin__cell_add_number(p, kin__value_number(completions));
    } else {
        kin__cell_add(p, STR("/1"));
        if (parallelism > 1) {
            kin__cell_add(p, STR(" of "));
            kin__cell_add_number(p, parallelism);
        }
    }
    kin__cell_end(p);
}

void kin__print_job_duration(kin__printer *p)
{
    kin_time start;
    kin_time end;

    kin__cell_begin(p);
    if (kin_value_time(kin_object_at(p->object, "status.startTime"), &start) == KIN_OK) {
        bool has_end =
            kin_value_time(kin_object_at(p->object, "status.completionTime"), &end) == KIN_OK;
        kin__cell_add_span(p, start, has_end ? end : p->now);
    }
    kin__cell_end(p);
}

void kin__print_suspended(kin__printer *p)
{
    bool is_suspended;

    if (kin_value_bool(kin__cell_value(p), &is_suspended) != KIN_OK) {
        kin__cell_write(p, STR("<unset>"));
    } else {
        kin__cell_write(p, is_suspended ? STR("True") : STR("False"));
    }
}

/* "statefulset.apps/web" */
void kin__print_controller(kin__printer *p)
{
    kin_value owner = kin_object_controller_owner(p->object);
    AUTO(kin__buf_fini) kin__buf version = { 0 };

    if (!kin__value_is_there(owner)) {
        kin__cell_write(p, STR("<none>"));
        return;
    }
    kin__cell_begin(p);
    kin__cell_add_lower(p, kin_value_member(owner, STR("kind")));
    (void) kin__value_append(kin_value_member(owner, STR("apiVersion")), &version);
    p->has_failed |= kin__buf_failed(&version);
    const char *slash = version.len == 0 ? NULL : memchr(version.data, '/', version.len);
    if (slash != NULL) {
        kin__cell_add(p, STR("."));
        kin__cell_add(p, kin__str(version.data, (size_t) (slash - version.data)));
    }
    kin__cell_add(p, STR("/"));
    kin__cell_add_value(p, kin_value_member(owner, STR("name")));
    kin__cell_end(p);
}

static kin_str job_status(const kin_object *job)
{
    kin_time deleted;

    if (has_condition(job, "status.conditions[?type==\"Complete\"].status")) {
        return STR("Complete");
    }
    if (has_condition(job, "status.conditions[?type==\"Failed\"].status")) {
        return STR("Failed");
    }
    if (kin_object_deletion_time(job, &deleted)) {
        return STR("Terminating");
    }
    if (has_condition(job, "status.conditions[?type==\"Suspended\"].status")) {
        return STR("Suspended");
    }
    if (has_condition(job, "status.conditions[?type==\"FailureTarget\"].status")) {
        return STR("FailureTarget");
    }
    if (has_condition(job, "status.conditions[?type==\"SuccessCriteriaMet\"].status")) {
        return STR("SuccessCriteriaMet");
    }
    return STR("Running");
}

/* Whether the first condition of a type is true; `type` is the path of its status. */
static bool has_condition(const kin_object *job, const char *type)
{
    return kin__value_is(kin_object_at(job, type), STR("True"));
}
