/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_devices.c - cells of devices, their claims and pools, and of groups of pods.
 */
#include "server/printer_kinds.h"

/* The state of a request for the status of pools. */
typedef struct pool_request {
    kin_str status;
    kin_value completed; /* when; missing: not yet */
    bool is_failed;
} pool_request;

static pool_request look_at_conditions(kin_value status);
static void print_sum(kin__printer *p, kin_value pools, kin_str member, bool is_told);
static void print_error_count(kin__printer *p, kin_value pools, bool is_told);
static void print_pool_request(kin__printer *p, const pool_request *request, int64_t pool_count,
                               int64_t total);

void kin__print_claim_state(kin__printer *p)
{
    kin_time deleted;
    bool is_deleted = kin_object_deletion_time(p->object, &deleted);
    bool is_allocated = kin__value_is_there(kin_object_at(p->object, "status.allocation"));
    bool is_reserved = kin_value_count(kin_object_at(p->object, "status.reservedFor")) > 0;

    kin__cell_begin(p);
    kin__cell_add(p, is_deleted ? STR("deleted") : STR(""));
    if (is_allocated) {
        kin__cell_add(p, is_deleted ? STR(",allocated") : STR("allocated"));
        kin__cell_add(p, is_reserved ? STR(",reserved") : STR(""));
    } else if (!is_deleted) {
        kin__cell_add(p, STR("pending"));
    }
    kin__cell_end(p);
}

void kin__print_pool_status(kin__printer *p)
{
    kin_value status = kin_object_at(p->object, "status");
    kin_value pools = kin_value_member(status, STR("pools"));
    int64_t total = kin__value_number(kin_value_member(status, STR("poolCount")));
    pool_request request = look_at_conditions(status);
    bool is_told = kin__value_is_there(status) && !request.is_failed;

    print_sum(p, pools, STR("totalDevices"), is_told);
    print_sum(p, pools, STR("availableDevices"), is_told);
    print_sum(p, pools, STR("allocatedDevices"), is_told);
    print_sum(p, pools, STR("unavailableDevices"), is_told);
    print_error_count(p, pools, is_told);
    kin__json_write_int64(p->w, total);
    print_pool_request(p, &request, (int64_t) kin_value_count(pools), total);
}

void kin__print_group_policy(kin__printer *p)
{
    kin_value gang = kin_object_at(p->object, "spec.schedulingPolicy.gang");

    kin__cell_write(p, kin__value_is_there(gang) ? STR("Gang") : STR("Basic"));
}

void kin__print_group_workload(kin__printer *p)
{
    kin_value ref = kin_object_at(p->object, "spec.podGroupTemplateRef");

    if (kin__value_is_there(ref)) {
        kin__cell_write_value(p, kin_value_at(ref, "workload.workloadName"), STR(""));
    } else {
        kin__cell_write(p, STR("<none>"));
    }
}

void kin__print_group_status(kin__printer *p)
{
    kin_value conditions = kin_object_at(p->object, "status.conditions");
    kin_value scheduled = kin__value_last_of_type(conditions, STR("PodGroupScheduled"));
    kin_value disrupted = kin__value_last_of_type(conditions, STR("DisruptionTarget"));

    if (kin__value_is_there(disrupted)) {
        kin__cell_write_value(p, kin_value_member(disrupted, STR("reason")), STR(""));
    } else if (!kin__value_is_there(scheduled)) {
        kin__cell_write(p, STR("Pending"));
    } else if (kin__value_is(kin_value_member(scheduled, STR("status")), STR("True"))) {
        kin__cell_write(p, STR("Scheduled"));
    } else {
        kin__cell_write(p, STR("Unschedulable"));
    }
}

/* The first condition that is true and says the end counts. */
static pool_request look_at_conditions(kin_value status)
{
    kin_iter iter = kin_value_iter(kin_value_member(status, STR("conditions")));

    while (kin_iter_next(&iter)) {
        kin_value type = kin_value_member(iter.value, STR("type"));
        if (!kin__value_is(kin_value_member(iter.value, STR("status")), STR("True"))) {
            continue;
        }
        if (kin__value_is(type, STR("Complete"))) {
            return (pool_request){
                .status = STR("Complete"),
                .completed = iter.value,
            };
        }
        if (kin__value_is(type, STR("Failed"))) {
            return (pool_request){ .status = STR("Failed"), .is_failed = true };
        }
    }
    return (pool_request){ .status = STR("Pending") };
}

static void print_sum(kin__printer *p, kin_value pools, kin_str member, bool is_told)
{
    kin_iter iter = kin_value_iter(pools);
    uint32_t sum = 0;

    while (kin_iter_next(&iter)) {
        sum += (uint32_t) kin__value_number(kin_value_member(iter.value, member));
    }
    kin__cell_begin(p);
    if (is_told) {
        kin__cell_add_number(p, (int32_t) sum);
    } else {
        kin__cell_add(p, STR("-"));
    }
    kin__cell_end(p);
}

static void print_error_count(kin__printer *p, kin_value pools, bool is_told)
{
    kin_iter iter = kin_value_iter(pools);
    int64_t count = 0;

    while (kin_iter_next(&iter)) {
        count += kin__value_is_there(kin_value_member(iter.value, STR("validationError")));
    }
    kin__cell_begin(p);
    if (is_told) {
        kin__cell_add_number(p, count);
    } else {
        kin__cell_add(p, STR("-"));
    }
    kin__cell_end(p);
}

/* "Complete (1/3 pools)" where not all pools are told; then how long that is ago. */
static void print_pool_request(kin__printer *p, const pool_request *request, int64_t pool_count,
                               int64_t total)
{
    bool is_complete = kin_value_exists(request->completed);

    kin__cell_begin(p);
    kin__cell_add(p, request->status);
    if (is_complete && total > pool_count) {
        kin__cell_add(p, STR(" ("));
        kin__cell_add_number(p, pool_count);
        kin__cell_add(p, STR("/"));
        kin__cell_add_number(p, total);
        kin__cell_add(p, STR(" pools)"));
    }
    kin__cell_end(p);
    kin__cell_begin(p);
    if (is_complete) {
        kin_value since = kin_value_member(request->completed, STR("lastTransitionTime"));
        kin__cell_add_age(p, kin__value_date(since));
    } else {
        kin__cell_add(p, STR("<none>"));
    }
    kin__cell_end(p);
}
