/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_class.c - requests from limits, and a class from both.
 *
 * After SetDefaults_Pod() and ComputePodQOS() of kubernetes 1.36, pkg/apis/core/v1.  Other than
 * there, the requests of a whole pod are not added up from those of its containers: where some
 * container asks for a resource, the pod's own request for it stays unsaid.
 */
#include "server/pod_class.h"

#include "base/quantity.h"
#include "base/str.h"
#include "server/field.h"

/* The resources by which pods are told apart. */
enum { CPU, MEMORY, RESOURCES };

static const char *const resource_names[RESOURCES] = { "cpu", "memory" };

/* What all containers say together, in thousandths; 0: nothing. */
typedef struct sums {
    int64_t requests[RESOURCES], limits[RESOURCES];
    bool limits_all; /* whether each container limits every resource */
} sums;

static const char *const lists[] = { "containers", "initContainers" };

static bool default_containers(kin__node *containers);
static bool default_from_limits(kin__node *resources, const kin__node *pod);
static bool is_of_pods(kin_str name);
static bool is_asked_for(const kin__node *spec, kin_str name);
static void add_containers(const kin__node *containers, sums *all);
static void add_resources(const kin__node *resources, sums *all);
static bool add_amount(const kin__node *amounts, const char *name, int64_t *sum);

bool kin__pod_default_requests(kin__node *spec)
{
    kin__node *resources = kin__field(spec, "resources");

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (!default_containers(kin__field(spec, lists[i]))) {
            return false;
        }
    }
    return resources == NULL || default_from_limits(resources, spec);
}

const char *kin__pod_class(const kin__node *spec)
{
    const kin__node *resources = kin__field(spec, "resources");
    sums all = { .limits_all = true };
    bool is_guaranteed = true;
    bool asks_for_something = false;

    if (resources != NULL) {
        add_resources(resources, &all);
    } else {
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
            add_containers(kin__field(spec, lists[i]), &all);
        }
    }
    for (size_t i = 0; i < RESOURCES; i++) {
        asks_for_something = asks_for_something || all.requests[i] > 0 || all.limits[i] > 0;
        is_guaranteed = is_guaranteed && all.requests[i] == all.limits[i];
    }
    if (!asks_for_something) {
        return "BestEffort";
    }
    return is_guaranteed && all.limits_all ? "Guaranteed" : "Burstable";
}

static bool default_containers(kin__node *containers)
{
    kin__node_iter iter = { 0 };

    while (containers != NULL && kin__node_next(containers, &iter)) {
        kin__node *resources = kin__field(iter.value, "resources");
        if (resources != NULL && !default_from_limits(resources, NULL)) {
            return false;
        }
    }
    return true;
}

/* `pod`: the spec when they are the resources of a whole pod, else NULL. */
static bool default_from_limits(kin__node *resources, const kin__node *pod)
{
    const kin__node *limits = kin__field(resources, "limits");
    kin__node_iter iter = { 0 };
    kin_error err;

    while (limits != NULL && kin__node_next(limits, &iter)) {
        if (pod != NULL && (!is_of_pods(iter.name) || is_asked_for(pod, iter.name))) {
            continue;
        }
        kin__node *requests = kin__field_make(resources, "requests", KIN_TYPE_OBJECT);
        if (requests == NULL) {
            return false;
        }
        if (kin__node_member(requests, iter.name) != NULL) {
            continue;
        }
        AUTO(kin__node_free) kin__node *amount = kin__tree_copy(iter.value);
        if (amount == NULL || kin__node_set_member(requests, iter.name, amount, &err) != KIN_OK) {
            return false;
        }
        (void) STEAL(amount);
    }
    return true;
}

/* Whether pods as a whole can have some of it. */
static bool is_of_pods(kin_str name)
{
    return kin__str_equal(name, STR("cpu")) || kin__str_equal(name, STR("memory")) ||
           kin__str_starts_with(name, STR("hugepages-"));
}

static bool is_asked_for(const kin__node *spec, kin_str name)
{
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const kin__node *containers = kin__field(spec, lists[i]);
        kin__node_iter iter = { 0 };
        while (containers != NULL && kin__node_next(containers, &iter)) {
            const kin__node *requests = kin__field_at(iter.value, "resources", "requests");
            if (requests != NULL && kin__node_member(requests, name) != NULL) {
                return true;
            }
        }
    }
    return false;
}

static void add_containers(const kin__node *containers, sums *all)
{
    kin__node_iter iter = { 0 };

    while (containers != NULL && kin__node_next(containers, &iter)) {
        add_resources(kin__field(iter.value, "resources"), all);
    }
}

static void add_resources(const kin__node *resources, sums *all)
{
    for (size_t i = 0; i < RESOURCES; i++) {
        (void) add_amount(kin__field(resources, "requests"), resource_names[i], &all->requests[i]);
        if (!add_amount(kin__field(resources, "limits"), resource_names[i], &all->limits[i])) {
            all->limits_all = false;
        }
    }
}

/* Whether there is some.  Sums that an int64 does not hold are as good as one another. */
static bool add_amount(const kin__node *amounts, const char *name, int64_t *sum)
{
    const kin__node *amount = kin__field(amounts, name);
    int64_t thousandths = 0;

    if (amount == NULL) {
        return false;
    }
    kin_err code = kin__quantity_parse(kin__node_text(amount), -3, &thousandths);
    if (code == KIN_ERR_RANGE) {
        thousandths = INT64_MAX;
    } else if (code != KIN_OK || thousandths <= 0) {
        return false;
    }
    *sum = *sum > INT64_MAX - thousandths ? INT64_MAX : *sum + thousandths;
    return true;
}
