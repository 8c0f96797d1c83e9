/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_core.c - the columns of pods, nodes, configuration and the rest of the core group.
 */
#include "server/columns_row.h"

static const kin__column pod[] = {
    COLUMN_NAME,
    COLUMN("Ready", "string", "",
           "The aggregate readiness state of this pod for accepting traffic.", 0,
           kin__print_pod_state, NULL, NULL),
    COLUMN("Status", "string", "", "The aggregate status of the containers in this pod.", 0, NULL,
           NULL, NULL),
    COLUMN("Restarts", "string", "",
           "The number of times the containers in this pod have been restarted and when the last "
           "container in this pod has restarted.",
           0, NULL, NULL, NULL),
    COLUMN_AGE,
    COLUMN("IP", "string", "",
           "podIP address allocated to the pod. Routable at least within the cluster. Empty if not "
           "yet allocated.",
           1, kin__print_pod_ip, NULL, NULL),
    COLUMN(
        "Node", "string", "",
        "NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate "
        "for scheduling by the scheduler defined in schedulerName. Once this field is set, the "
        "kubelet for this node becomes responsible for the lifecycle of this pod. This field "
        "should not be used to express a desire for the pod to be scheduled on a specific node. "
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
        1, kin__print_filled, "spec.nodeName", "<none>"),
    COLUMN("Nominated Node", "string", "",
           "nominatedNodeName is set only when this pod preempts other pods on the node, but it "
           "cannot be scheduled right away as preemption victims receive their graceful "
           "termination periods. This field does not guarantee that the pod will be scheduled on "
           "this node. Scheduler may decide to place the pod elsewhere if other nodes become "
           "available sooner. Scheduler may also decide to give the resources on this node to a "
           "higher priority pod that is created after preemption. As a result, this field may be "
           "different than PodSpec.nodeName when the pod is scheduled.",
           1, kin__print_filled, "status.nominatedNodeName", "<none>"),
    COLUMN("Readiness Gates", "string", "",
           "If specified, all readiness gates will be evaluated for pod readiness. A pod is ready "
           "when all its containers are ready AND all conditions specified in the readiness gates "
           "have status equal to \"True\" More info: "
           "https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates",
           1, kin__print_pod_gates, NULL, NULL),
};

static const kin__column pod_template[] = {
    COLUMN_NAME,
    COLUMN_CONTAINERS("template.spec.containers", 0),
    COLUMN_IMAGES("template.spec.containers", 0),
    COLUMN("Pod Labels", "string", "", "The labels for the pod template.", 0, kin__print_labels,
           "template.metadata.labels", NULL),
};

static const kin__column node[] = {
    COLUMN_NAME,
    COLUMN("Status", "string", "", "The status of the node", 0, kin__print_node_status, NULL, NULL),
    COLUMN("Roles", "string", "", "The roles of the node", 0, kin__print_node_roles, NULL, NULL),
    COLUMN_AGE,
    COLUMN("Version", "string", "", "Kubelet Version reported by the node.", 0, kin__print_text,
           "status.nodeInfo.kubeletVersion", NULL),
    COLUMN("Internal-IP", "string", "",
           "List of addresses reachable to the node. Queried from cloud provider, if available. "
           "More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This "
           "field is declared as mergeable, but the merge key is not sufficiently unique, which "
           "can cause data corruption when it is merged. Callers should instead use a "
           "full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should "
           "assume that addresses can change during the lifetime of a Node. However, there are "
           "some exceptions where this may not be possible, such as Pods that inherit a Node's "
           "address in its own status or consumers of the downward API (status.hostIP).",
           1, kin__print_text, "status.addresses[?type==\"InternalIP\"].address", "<none>"),
    COLUMN("External-IP", "string", "",
           "List of addresses reachable to the node. Queried from cloud provider, if available. "
           "More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This "
           "field is declared as mergeable, but the merge key is not sufficiently unique, which "
           "can cause data corruption when it is merged. Callers should instead use a "
           "full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should "
           "assume that addresses can change during the lifetime of a Node. However, there are "
           "some exceptions where this may not be possible, such as Pods that inherit a Node's "
           "address in its own status or consumers of the downward API (status.hostIP).",
           1, kin__print_text, "status.addresses[?type==\"ExternalIP\"].address", "<none>"),
    COLUMN("OS-Image", "string", "",
           "OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).",
           1, kin__print_filled, "status.nodeInfo.osImage", "<unknown>"),
    COLUMN("Kernel-Version", "string", "",
           "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).", 1,
           kin__print_node_kernel, NULL, NULL),
    COLUMN("Container-Runtime", "string", "",
           "ContainerRuntime Version reported by the node through runtime remote API (e.g. "
           "containerd://1.4.2).",
           1, kin__print_filled, "status.nodeInfo.containerRuntimeVersion", "<unknown>"),
};

static const kin__column event[] = {
    COLUMN("Last Seen", "string", "",
           "The time at which the most recent occurrence of this event was recorded.", 0,
           kin__print_event_last_seen, NULL, NULL),
    COLUMN("Type", "string", "",
           "Type of this event (Normal, Warning), new types could be added in the future", 0,
           kin__print_text, "type", NULL),
    COLUMN("Reason", "string", "",
           "This should be a short, machine understandable string that gives the reason for the "
           "transition into the object's current status.",
           0, kin__print_text, "reason", NULL),
    COLUMN("Object", "string", "", "The object that this event is about.", 0,
           kin__print_event_object, NULL, NULL),
    COLUMN(
        "Subobject", "string", "",
        "If referring to a piece of an object instead of an entire object, this string should "
        "contain a valid JSON/Go field access statement, such as "
        "desiredState.manifest.containers[2]. For example, if the object reference is to a "
        "container within a pod, this would take on a value like: \"spec.containers{name}\" (where "
        "\"name\" refers to the name of the container that triggered the event) or if no container "
        "name is specified \"spec.containers[2]\" (container with index 2 in this pod). This "
        "syntax is chosen only to have some well-defined way of referencing a part of an object.",
        1, kin__print_event_field, NULL, NULL),
    COLUMN("Source", "string", "",
           "The component reporting this event. Should be a short machine understandable string.",
           1, kin__print_event_source, NULL, NULL),
    COLUMN("Message", "string", "", "A human-readable description of the status of this operation.",
           0, kin__print_event_message, NULL, NULL),
    COLUMN(
        "First Seen", "string", "",
        "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)",
        1, kin__print_event_first_seen, NULL, NULL),
    COLUMN("Count", "string", "", "The number of times this event has occurred.", 1,
           kin__print_event_count, NULL, NULL),
    COLUMN("Name", "string", "name", DESCRIBES_NAME, 1, kin__print_name, NULL, NULL),
};

static const kin__column namespace[] = {
    COLUMN_NAME,
    COLUMN("Status", "string", "", "The status of the namespace", 0, kin__print_text,
           "status.phase", NULL),
    COLUMN_AGE,
};

static const kin__column config_map[] = {
    COLUMN_NAME,
    COLUMN("Data", "string", "",
           "Data contains the configuration data. Each key must consist of alphanumeric "
           "characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the "
           "BinaryData field. The keys stored in Data must not overlap with the keys in the "
           "BinaryData field, this is enforced during validation process.",
           0, kin__print_data_count, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column secret[] = {
    COLUMN_NAME,
    COLUMN("Type", "string", "",
           "Used to facilitate programmatic handling of secret data. More info: "
           "https://kubernetes.io/docs/concepts/configuration/secret/#secret-types",
           0, kin__print_text, "type", NULL),
    COLUMN("Data", "string", "",
           "Data contains the secret data. Each key must consist of alphanumeric characters, '-', "
           "'_' or '.'. The serialized form of the secret data is a base64 encoded string, "
           "representing the arbitrary (possibly non-string) data value here. Described in "
           "https://tools.ietf.org/html/rfc4648#section-4",
           0, kin__print_count, "data", NULL),
    COLUMN_AGE,
};

static const kin__column service_account[] = {
    COLUMN_NAME,
    COLUMN_AGE,
};

static const kin__column resource_quota[] = {
    COLUMN_NAME,
    COLUMN("Request", "string", "",
           "Request represents a minimum amount of cpu/memory that a container may consume.", 0,
           kin__print_quota, NULL, NULL),
    COLUMN("Limit", "string", "",
           "Limits control the maximum amount of cpu/memory that a container may use independent "
           "of contention on the node.",
           0, NULL, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column component_status[] = {
    COLUMN_NAME,
    COLUMN("Status", "string", "", "Status of the component conditions", 0, kin__print_component,
           NULL, NULL),
    COLUMN("Message", "string", "", "Message of the component conditions", 0, NULL, NULL, NULL),
    COLUMN("Error", "string", "", "Error of the component conditions", 0, NULL, NULL, NULL),
};

static const kin__columns kinds[] = {
    { KIND("", "Pod", pod), .conditions = kin__print_pod_conditions },
    { KIND("", "PodTemplate", pod_template) },
    { KIND("", "Node", node) },
    { KIND("", "Event", event) },
    { KIND("events.k8s.io", "Event", event) },
    { KIND("", "Namespace", namespace) },
    { KIND("", "ConfigMap", config_map) },
    { KIND("", "Secret", secret) },
    { KIND("", "ServiceAccount", service_account) },
    { KIND("", "ResourceQuota", resource_quota) },
    { KIND("", "ComponentStatus", component_status) },
};

const kin__columns_set kin__columns_core = { kinds, sizeof kinds / sizeof kinds[0] };
