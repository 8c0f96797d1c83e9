/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversion_devices.c - members that stand one level higher or lower in the other version.
 *
 * v1beta1 has in a request for devices what v1 has in its member "exactly", and below "basic" what
 * v1 has in a device itself.  After pkg/apis/resource/v1beta1/conversion.go of kubernetes 1.36.
 */
#include "server/conversion_devices.h"

#include "server/field.h"

/* Each ends with NULL. */
static const char *const exactly_members[] = { "deviceClassName", "selectors",   "allocationMode",
                                               "count",           "adminAccess", "tolerations",
                                               "capacity",        NULL };
static const char *const basic_members[] = { "attributes",
                                             "capacity",
                                             "consumesCounters",
                                             "nodeName",
                                             "nodeSelector",
                                             "allNodes",
                                             "taints",
                                             "bindsToNode",
                                             "bindingConditions",
                                             "bindingFailureConditions",
                                             "allowMultipleAllocations",
                                             "nodeAllocatableResourceMappings",
                                             NULL };

typedef bool (*each_fn)(kin__node *element);

static bool for_each(const kin__node *array, each_fn convert);
static bool deepen_request(kin__node *request);
static bool flatten_request(kin__node *request);
static bool flatten_device(kin__node *device);
static bool deepen_device(kin__node *device);
static bool move_members(kin__node *from, kin__node *to, const char *const *names);
static bool is_zero(const kin__node *value);

bool kin__claim_to_stored(kin__node *tree)
{
    return for_each(kin__field(kin__field_at(tree, "spec", "devices"), "requests"), deepen_request);
}

bool kin__claim_from_stored(kin__node *tree)
{
    return for_each(kin__field(kin__field_at(tree, "spec", "devices"), "requests"),
                    flatten_request);
}

bool kin__claim_template_to_stored(kin__node *tree)
{
    kin__node *claim = kin__field(tree, "spec");

    return claim == NULL || kin__claim_to_stored(claim);
}

bool kin__claim_template_from_stored(kin__node *tree)
{
    kin__node *claim = kin__field(tree, "spec");

    return claim == NULL || kin__claim_from_stored(claim);
}

/* A name and a boolean are pointers in v1: what v1beta1 leaves empty is not there. */
bool kin__slice_to_stored(kin__node *tree)
{
    kin__node *spec = kin__field(tree, "spec");

    if (is_zero(kin__field(spec, "nodeName"))) {
        kin__field_remove(spec, "nodeName");
    }
    if (is_zero(kin__field(spec, "allNodes"))) {
        kin__field_remove(spec, "allNodes");
    }
    return for_each(kin__field(spec, "devices"), flatten_device);
}

bool kin__slice_from_stored(kin__node *tree)
{
    return for_each(kin__field_at(tree, "spec", "devices"), deepen_device);
}

static bool for_each(const kin__node *array, each_fn convert)
{
    kin__node_iter iter = { 0 };

    while (array != NULL && kin__node_next(array, &iter)) {
        if (kin__node_is(iter.value, KIN_TYPE_OBJECT) && !convert(iter.value)) {
            return false;
        }
    }
    return true;
}

/* A request that says nothing of all that has a list of alternatives instead. */
static bool deepen_request(kin__node *request)
{
    bool is_exact = false;

    for (const char *const *name = exactly_members; *name != NULL; name++) {
        const kin__node *member = kin__field(request, *name);
        is_exact = is_exact || (member != NULL && !is_zero(member));
    }
    if (!is_exact) {
        kin__field_remove(request, "deviceClassName"); /* v1beta1 cannot leave it out */
        return true;
    }
    kin__node *exactly = kin__field_make(request, "exactly", KIN_TYPE_OBJECT);
    return exactly != NULL && move_members(request, exactly, exactly_members);
}

static bool flatten_request(kin__node *request)
{
    AUTO(kin__node_free) kin__node *exactly = kin__node_take_member(request, STR("exactly"));

    return exactly == NULL || move_members(exactly, request, exactly_members);
}

static bool flatten_device(kin__node *device)
{
    AUTO(kin__node_free) kin__node *basic = kin__node_take_member(device, STR("basic"));

    return basic == NULL || move_members(basic, device, basic_members);
}

static bool deepen_device(kin__node *device)
{
    kin__node *basic = kin__field_make(device, "basic", KIN_TYPE_OBJECT);

    return basic != NULL && move_members(device, basic, basic_members);
}

static bool move_members(kin__node *from, kin__node *to, const char *const *names)
{
    for (; *names != NULL; names++) {
        kin__node *member = kin__node_take_member(from, kin_str_of(*names));
        if (member != NULL && !kin__field_set(to, *names, member)) {
            return false;
        }
    }
    return true;
}

/* Of a scalar that is no pointer in Go; NULL is none. */
static bool is_zero(const kin__node *value)
{
    kin_str text = value == NULL ? STR("") : kin__node_text(value);

    switch (value == NULL ? KIN_TYPE_NULL : kin__node_type(value)) {
    case KIN_TYPE_STRING:
        return text.len == 0;
    case KIN_TYPE_NUMBER:
        return kin__str_equal(text, STR("0"));
    case KIN_TYPE_BOOL:
        return kin__str_equal(text, STR("false"));
    default:
        return false;
    }
}
