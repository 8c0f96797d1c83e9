/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_devices.c - the columns of devices, and who claims them.
 */
#include "server/columns_row.h"

static const kin__column device_class[] = {
    COLUMN_NAME,
    COLUMN_AGE,
};

static const kin__column resource_claim[] = {
    COLUMN_NAME,
    COLUMN("State", "string", "",
           "A summary of the current state (allocated, pending, reserved, etc.).", 0,
           kin__print_claim_state, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column resource_claim_template[] = {
    COLUMN_NAME,
    COLUMN_AGE,
};

static const kin__column resource_slice[] = {
    COLUMN_NAME,
    COLUMN(
        "Node", "string", "",
        "NodeName identifies the node which provides the resources in this pool. A field selector "
        "can be used to list only ResourceSlice objects belonging to a certain node.\n\nThis field "
        "can be used to limit access from nodes to ResourceSlices with the same node name. It also "
        "indicates to autoscalers that adding new nodes of the same type as some old node might "
        "also make new resources available.\n\nExactly one of NodeName, NodeSelector, AllNodes, "
        "and PerDeviceNodeSelection must be set. This field is immutable.",
        0, kin__print_text, "spec.nodeName", NULL),
    COLUMN("Driver", "string", "",
           "Driver identifies the DRA driver providing the capacity information. A field selector "
           "can be used to list only ResourceSlice objects with a certain driver name.\n\nMust be "
           "a DNS subdomain and should end with a DNS domain owned by the vendor of the driver. It "
           "should use only lower case characters. This field is immutable.",
           0, kin__print_text, "spec.driver", NULL),
    COLUMN("Pool", "string", "",
           "Name is used to identify the pool. For node-local devices, this is often the node "
           "name, but this is not required.\n\nIt must not be longer than 253 characters and must "
           "consist of one or more DNS sub-domains separated by slashes. This field is immutable.",
           0, kin__print_text, "spec.pool.name", NULL),
    COLUMN_AGE,
};

static const kin__column device_taint_rule[] = {
    COLUMN_NAME,
    COLUMN("Key", "string", "", "The taint key to be applied to a device. Must be a label name.", 0,
           kin__print_text, "spec.taint.key", NULL),
    COLUMN("Value", "string", "",
           "The taint value corresponding to the taint key. Must be a label value.", 0,
           kin__print_text, "spec.taint.value", NULL),
    COLUMN("Effect", "string", "",
           "The effect of the taint on claims that do not tolerate the taint and through such "
           "claims on the pods using them.\n\nValid effects are None, NoSchedule and NoExecute. "
           "PreferNoSchedule as used for nodes is not valid here. More effects may get added in "
           "the future. Consumers must treat unknown effects like None.",
           0, kin__print_text, "spec.taint.effect", NULL),
    COLUMN(
        "TimeAdded", "string", "",
        "TimeAdded represents the time at which the taint was added or (only in a DeviceTaintRule) "
        "the effect was modified. Added automatically during create or update if not set.\n\nIn "
        "addition, in a DeviceTaintRule a value provided during an update gets replaced with the "
        "current time if the provided value is the same as the old one and the new effect is "
        "different. Changing the key and/or value while keeping the effect unchanged is possible "
        "and does not update the time stamp because the eviction which uses it is either already "
        "started (NoExecute) or not started yet (NoEffect, NoSchedule).",
        0, kin__print_span_since, "spec.taint.timeAdded", NULL),
    COLUMN_AGE,
};

static const kin__column resource_pool_status_request[] = {
    COLUMN_NAME,
    COLUMN("Driver", "string", "", "The driver to query pools for.", 0, kin__print_text,
           "spec.driver", NULL),
    COLUMN("Total", "string", "", "Total number of devices across all pools.", 0,
           kin__print_pool_status, NULL, NULL),
    COLUMN("Available", "string", "", "Number of available devices across all pools.", 0, NULL,
           NULL, NULL),
    COLUMN("Allocated", "string", "", "Number of allocated devices across all pools.", 0, NULL,
           NULL, NULL),
    COLUMN("Unavailable", "string", "", "Number of unavailable devices across all pools.", 0, NULL,
           NULL, NULL),
    COLUMN("Errors", "string", "", "Number of pools with validation errors.", 0, NULL, NULL, NULL),
    COLUMN("Pools", "integer", "", "Total number of matching pools.", 0, NULL, NULL, NULL),
    COLUMN("Status", "string", "", "Processing status.", 0, NULL, NULL, NULL),
    COLUMN("Completed", "string", "", "Time since the observation completed.", 0, NULL, NULL, NULL),
};

static const kin__columns kinds[] = {
    { KIND("resource.k8s.io", "DeviceClass", device_class) },
    { KIND("resource.k8s.io", "ResourceClaim", resource_claim) },
    { KIND("resource.k8s.io", "ResourceClaimTemplate", resource_claim_template) },
    { KIND("resource.k8s.io", "ResourceSlice", resource_slice) },
    { KIND("resource.k8s.io", "DeviceTaintRule", device_taint_rule) },
    { KIND("resource.k8s.io", "ResourcePoolStatusRequest", resource_pool_status_request) },
};

const kin__columns_set kin__columns_devices = { kinds, sizeof kinds / sizeof kinds[0] };
