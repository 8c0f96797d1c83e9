/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_core.c - cells of nodes, config maps, quotas and components.
 */
#include "server/printer_kinds.h"

#define ROLE_LABEL "kubernetes.io/role"
#define ROLE_PREFIX "node-role.kubernetes.io/"

static void print_quota_column(kin__printer *p, bool wants_limits);
static void collect_amounts(kin__printer *p, const char *path, kin__pairs *out);
static bool is_limit(kin_str resource);

void kin__print_node_status(kin__printer *p)
{
    kin_value conditions = kin_object_at(p->object, "status.conditions");
    kin_value ready = kin__value_last_of_type(conditions, STR("Ready"));

    kin__cell_begin(p);
    if (!kin__value_is_there(ready)) {
        kin__cell_add(p, STR("Unknown"));
    } else if (kin__value_is(kin_value_member(ready, STR("status")), STR("True"))) {
        kin__cell_add(p, STR("Ready"));
    } else {
        kin__cell_add(p, STR("NotReady"));
    }
    if (kin__value_flag(kin_object_at(p->object, "spec.unschedulable"), false)) {
        kin__cell_add(p, STR(",SchedulingDisabled"));
    }
    kin__cell_end(p);
}

void kin__print_node_roles(kin__printer *p)
{
    AUTO(kin__pairs_fini) kin__pairs roles = { 0 };
    kin_str key;
    kin_str value;

    for (size_t i = 0; kin_object_label_at(p->object, i, &key, &value); i++) {
        kin_str role = { 0 };
        if (kin__str_starts_with(key, STR(ROLE_PREFIX))) {
            role = kin__str(key.data + sizeof ROLE_PREFIX - 1, key.len - sizeof ROLE_PREFIX + 1);
        } else if (kin__str_equal(key, STR(ROLE_LABEL))) {
            role = value;
        }
        if (role.len > 0) {
            kin__pairs_open_str(&roles, role);
            (void) kin__buf_append_str(&roles.bytes, role);
            kin__pairs_close(&roles);
        }
    }
    kin__cell_begin(p);
    kin__cell_add_pairs(p, &roles, STR(","));
    if (p->text.len == 0) {
        kin__cell_add(p, STR("<none>"));
    }
    kin__cell_end(p);
}

/* "6.1.0 (amd64)" */
void kin__print_node_kernel(kin__printer *p)
{
    kin_value kernel = kin_object_at(p->object, "status.nodeInfo.kernelVersion");
    kin_value architecture = kin_object_at(p->object, "status.nodeInfo.architecture");

    kin__cell_begin(p);
    kin__cell_add_value(p, kernel);
    if (p->text.len == 0) {
        kin__cell_add(p, STR("<unknown>"));
    }
    if (kin__value_is_filled(architecture)) {
        kin__cell_add(p, STR(" ("));
        kin__cell_add_value(p, architecture);
        kin__cell_add(p, STR(")"));
    }
    kin__cell_end(p);
}

void kin__print_data_count(kin__printer *p)
{
    size_t count = kin_value_count(kin_object_at(p->object, "data")) +
                   kin_value_count(kin_object_at(p->object, "binaryData"));

    kin__json_write_int64(p->w, (int64_t) count);
}

void kin__print_quota(kin__printer *p)
{
    print_quota_column(p, false);
    print_quota_column(p, true);
}

/* "cpu: 1/2, pods: 3/10": used of hard, by name. */
static void print_quota_column(kin__printer *p, bool wants_limits)
{
    AUTO(kin__pairs_fini) kin__pairs hard = { 0 };
    AUTO(kin__pairs_fini) kin__pairs used = { 0 };
    bool is_first = true;
    size_t found;

    collect_amounts(p, "status.hard", &hard);
    collect_amounts(p, "status.used", &used);
    kin__cell_begin(p);
    for (size_t i = 0; i < hard.count; i++) {
        kin_str name = kin__pairs_name(&hard, i);
        bool is_repeated =
            i + 1 < hard.count && kin__str_equal(name, kin__pairs_name(&hard, i + 1));
        if (is_limit(name) != wants_limits || is_repeated) {
            continue;
        }
        kin__cell_add(p, is_first ? STR("") : STR(", "));
        kin__cell_add(p, name);
        kin__cell_add(p, STR(": "));
        kin__cell_add(p, kin__pairs_last(&used, name, &found) ? kin__pairs_text(&used, found)
                                                              : STR("0"));
        kin__cell_add(p, STR("/"));
        kin__cell_add(p, kin__pairs_text(&hard, i));
        is_first = false;
    }
    kin__cell_end(p);
}

/* The names and canonical quantities of a map, sorted. */
static void collect_amounts(kin__printer *p, const char *path, kin__pairs *out)
{
    kin_value map = kin_object_at(p->object, path);
    kin_iter iter = kin_value_iter(map);

    while (kin_value_type(map) == KIN_TYPE_OBJECT && kin_iter_next(&iter)) {
        kin__pairs_open(out, iter.key);
        out->has_failed |= !kin__value_append_quantity(iter.value, &out->bytes);
        kin__pairs_close(out);
    }
    p->has_failed |= out->has_failed;
    kin__pairs_sort(out);
}

static bool is_limit(kin_str resource)
{
    return kin__str_starts_with(resource, STR("limits."));
}

void kin__print_component(kin__printer *p)
{
    kin_value healthy = kin_object_at(p->object, "conditions[?type==\"Healthy\"]");

    if (!kin__value_is_there(healthy)) {
        kin__cell_write(p, STR("Unknown"));
    } else if (kin__value_is(kin_value_member(healthy, STR("status")), STR("True"))) {
        kin__cell_write(p, STR("Healthy"));
    } else {
        kin__cell_write(p, STR("Unhealthy"));
    }
    kin__cell_write_value(p, kin_value_member(healthy, STR("message")), STR(""));
    kin__cell_write_value(p, kin_value_member(healthy, STR("error")), STR(""));
}
