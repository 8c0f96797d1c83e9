/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns.c - what a table shows of an object: columns by kind.
 */
#include "cli/columns.h"

#include <string.h>

#include "cli/cells.h"

#define COLUMNS(name) static const kin__cli_column name[]
#define WORKED_OUT(heading, cell)                                                                  \
    {                                                                                              \
        heading, kin__cli_cell_##cell, NULL, ""                                                    \
    }
#define AT(heading, path)                                                                          \
    {                                                                                              \
        heading, NULL, path, ""                                                                    \
    }
#define AT_OR(heading, path, absent)                                                               \
    {                                                                                              \
        heading, NULL, path, absent                                                                \
    }
#define NAME WORKED_OUT("NAME", name)
#define AGE WORKED_OUT("AGE", age)
#define CREATED AT("CREATED AT", "metadata.creationTimestamp")
#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, NULL, NULL                                                                     \
    }

/* clang-format off */
COLUMNS(plain) = { NAME, AGE, END };
COLUMNS(pod) = {
    NAME, WORKED_OUT("READY", pod_ready), WORKED_OUT("STATUS", pod_status),
    WORKED_OUT("RESTARTS", pod_restarts), AGE, END,
};
COLUMNS(node) = {
    NAME, WORKED_OUT("STATUS", node_status), WORKED_OUT("ROLES", node_roles), AGE,
    AT("VERSION", "status.nodeInfo.kubeletVersion"), END,
};
COLUMNS(service) = {
    NAME, AT("TYPE", "spec.type"), AT_OR("CLUSTER-IP", "spec.clusterIPs[0]", "<none>"),
    WORKED_OUT("EXTERNAL-IP", service_external), WORKED_OUT("PORT(S)", service_ports), AGE, END,
};
COLUMNS(namespace) = { NAME, AT("STATUS", "status.phase"), AGE, END };
COLUMNS(config_map) = { NAME, WORKED_OUT("DATA", data_count), AGE, END };
COLUMNS(secret) = { NAME, AT("TYPE", "type"), WORKED_OUT("DATA", data_count), AGE, END };
COLUMNS(volume) = {
    NAME, AT("CAPACITY", "spec.capacity.storage"), WORKED_OUT("ACCESS MODES", access_modes),
    AT("RECLAIM POLICY", "spec.persistentVolumeReclaimPolicy"), WORKED_OUT("STATUS", claim_status),
    WORKED_OUT("CLAIM", volume_claim), AT("STORAGECLASS", "spec.storageClassName"),
    AT_OR("VOLUMEATTRIBUTESCLASS", "spec.volumeAttributesClassName", "<unset>"),
    AT("REASON", "status.reason"), AGE, END,
};
COLUMNS(claim) = {
    NAME, WORKED_OUT("STATUS", claim_status), AT("VOLUME", "spec.volumeName"),
    AT("CAPACITY", "status.capacity.storage"), WORKED_OUT("ACCESS MODES", access_modes),
    AT("STORAGECLASS", "spec.storageClassName"),
    AT_OR("VOLUMEATTRIBUTESCLASS", "spec.volumeAttributesClassName", "<unset>"), AGE, END,
};
COLUMNS(event) = {
    WORKED_OUT("LAST SEEN", event_seen), AT("TYPE", "type"), AT("REASON", "reason"),
    WORKED_OUT("OBJECT", event_object), AT("MESSAGE", "message"), END,
};
COLUMNS(new_event) = {
    WORKED_OUT("LAST SEEN", event_seen), AT("TYPE", "type"), AT("REASON", "reason"),
    WORKED_OUT("OBJECT", event_object), AT("MESSAGE", "note"), END,
};
COLUMNS(replica_set) = {
    NAME, AT_OR("DESIRED", "spec.replicas", "0"), AT_OR("CURRENT", "status.replicas", "0"),
    AT_OR("READY", "status.readyReplicas", "0"), AGE, END,
};
COLUMNS(deployment) = {
    NAME, WORKED_OUT("READY", ready_of_replicas),
    AT_OR("UP-TO-DATE", "status.updatedReplicas", "0"),
    AT_OR("AVAILABLE", "status.availableReplicas", "0"), AGE, END,
};
COLUMNS(stateful_set) = { NAME, WORKED_OUT("READY", ready_of_replicas), AGE, END };
COLUMNS(daemon_set) = {
    NAME, AT_OR("DESIRED", "status.desiredNumberScheduled", "0"),
    AT_OR("CURRENT", "status.currentNumberScheduled", "0"),
    AT_OR("READY", "status.numberReady", "0"),
    AT_OR("UP-TO-DATE", "status.updatedNumberScheduled", "0"),
    AT_OR("AVAILABLE", "status.numberAvailable", "0"), WORKED_OUT("NODE SELECTOR", node_selector),
    AGE, END,
};
COLUMNS(job) = {
    NAME, WORKED_OUT("STATUS", job_status), WORKED_OUT("COMPLETIONS", job_completions),
    WORKED_OUT("DURATION", job_duration), AGE, END,
};
COLUMNS(cron_job) = {
    NAME, AT("SCHEDULE", "spec.schedule"), AT_OR("TIMEZONE", "spec.timeZone", "<none>"),
    WORKED_OUT("SUSPEND", cron_suspend), WORKED_OUT("ACTIVE", cron_active),
    WORKED_OUT("LAST SCHEDULE", cron_last), AGE, END,
};
COLUMNS(lease) = { NAME, AT("HOLDER", "spec.holderIdentity"), AGE, END };
COLUMNS(created) = { NAME, CREATED, END };
COLUMNS(binding) = { NAME, WORKED_OUT("ROLE", role_reference), AGE, END };
/* clang-format on */

static const struct {
    const char *group;
    const char *kind;
    const kin__cli_column *columns;
} kinds[] = {
    { "", "Pod", pod },
    { "", "Node", node },
    { "", "Service", service },
    { "", "Namespace", namespace },
    { "", "ConfigMap", config_map },
    { "", "Secret", secret },
    { "", "PersistentVolume", volume },
    { "", "PersistentVolumeClaim", claim },
    { "", "Event", event },
    { "", "ReplicationController", replica_set },
    { "events.k8s.io", "Event", new_event },
    { "apps", "ReplicaSet", replica_set },
    { "apps", "Deployment", deployment },
    { "apps", "StatefulSet", stateful_set },
    { "apps", "DaemonSet", daemon_set },
    { "batch", "Job", job },
    { "batch", "CronJob", cron_job },
    { "coordination.k8s.io", "Lease", lease },
    { "apiextensions.k8s.io", "CustomResourceDefinition", created },
    { "rbac.authorization.k8s.io", "Role", created },
    { "rbac.authorization.k8s.io", "ClusterRole", created },
    { "rbac.authorization.k8s.io", "RoleBinding", binding },
    { "rbac.authorization.k8s.io", "ClusterRoleBinding", binding },
};

const kin__cli_column *kin__cli_columns_of(const char *group, const char *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].group, group) == 0 && strcmp(kinds[i].kind, kind) == 0) {
            return kinds[i].columns;
        }
    }
    return plain;
}

size_t kin__cli_columns_count(const kin__cli_column *columns)
{
    size_t count = 0;

    while (columns[count].heading != NULL) {
        count++;
    }
    return count;
}

void kin__cli_column_cell(const kin__cli_column *column, const kin_object *object, int64_t now,
                          kin__cli_text *out)
{
    if (column->fn != NULL) {
        column->fn(object, now, out);
    } else if (!kin__cli_value_show(kin_object_at(object, column->path), out)) {
        kin__cli_text_append(out, kin_str_of(column->absent));
    }
}
