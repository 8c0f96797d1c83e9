/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_workload.c - the columns of what runs pods, and how many.
 */
#include "server/columns_row.h"

static const kin__column replication_controller[] = {
    COLUMN_NAME,
    COLUMN("Desired", "integer", "",
           "Replicas is the number of desired replicas. This is a pointer to distinguish between "
           "explicit zero and unspecified. Defaults to 1. More info: "
           "https://kubernetes.io/docs/concepts/workloads/controllers/"
           "replicationcontroller#what-is-a-replicationcontroller",
           0, kin__print_number, "spec.replicas", NULL),
    COLUMN("Current", "integer", "",
           "Replicas is the most recently observed number of replicas. More info: "
           "https://kubernetes.io/docs/concepts/workloads/controllers/"
           "replicationcontroller#what-is-a-replicationcontroller",
           0, kin__print_number, "status.replicas", NULL),
    COLUMN("Ready", "integer", "", "The number of ready replicas for this replication controller.",
           0, kin__print_number, "status.readyReplicas", NULL),
    COLUMN_AGE,
    COLUMN_CONTAINERS("spec.template.spec.containers", 1),
    COLUMN_IMAGES("spec.template.spec.containers", 1),
    COLUMN(
        "Selector", "string", "",
        "Selector is a label query over pods that should match the Replicas count. If Selector is "
        "empty, it is defaulted to the labels present on the Pod template. Label keys and values "
        "that must match in order to be controlled by this replication controller, if empty "
        "defaulted to labels on Pod template. More info: "
        "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
        1, kin__print_labels, "spec.selector", NULL),
};

static const kin__column replica_set[] = {
    COLUMN_NAME,
    COLUMN("Desired", "integer", "",
           "Replicas is the number of desired pods. This is a pointer to distinguish between "
           "explicit zero and unspecified. Defaults to 1. More info: "
           "https://kubernetes.io/docs/concepts/workloads/controllers/replicaset",
           0, kin__print_number, "spec.replicas", NULL),
    COLUMN("Current", "integer", "",
           "Replicas is the most recently observed number of non-terminating pods. More info: "
           "https://kubernetes.io/docs/concepts/workloads/controllers/replicaset",
           0, kin__print_number, "status.replicas", NULL),
    COLUMN("Ready", "integer", "",
           "The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.",
           0, kin__print_number, "status.readyReplicas", NULL),
    COLUMN_AGE,
    COLUMN_CONTAINERS("spec.template.spec.containers", 1),
    COLUMN_IMAGES("spec.template.spec.containers", 1),
    COLUMN(
        "Selector", "string", "",
        "Selector is a label query over pods that should match the replica count. Label keys and "
        "values that must match in order to be controlled by this replica set. It must match the "
        "pod template's labels. More info: "
        "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
        1, kin__print_selector, "spec.selector", NULL),
};

static const kin__column deployment[] = {
    COLUMN_NAME,
    COLUMN("Ready", "string", "", "Number of the pod with ready state", 0,
           kin__print_ready_of_desired, NULL, NULL),
    COLUMN("Up-to-date", "string", "",
           "Total number of non-terminating pods targeted by this deployment that have the desired "
           "template spec.",
           0, kin__print_number, "status.updatedReplicas", NULL),
    COLUMN("Available", "string", "",
           "Total number of available non-terminating pods (ready for at least minReadySeconds) "
           "targeted by this deployment.",
           0, kin__print_number, "status.availableReplicas", NULL),
    COLUMN_AGE,
    COLUMN_CONTAINERS("spec.template.spec.containers", 1),
    COLUMN_IMAGES("spec.template.spec.containers", 1),
    COLUMN("Selector", "string", "",
           "Label selector for pods. Existing ReplicaSets whose pods are selected by this will be "
           "the ones affected by this deployment. It must match the pod template's labels.",
           1, kin__print_deployment_selector, "spec.selector", NULL),
};

static const kin__column stateful_set[] = {
    COLUMN_NAME,
    COLUMN("Ready", "string", "", "Number of the pod with ready state", 0,
           kin__print_ready_of_desired, NULL, NULL),
    COLUMN_AGE,
    COLUMN_CONTAINERS("spec.template.spec.containers", 1),
    COLUMN_IMAGES("spec.template.spec.containers", 1),
};

static const kin__column daemon_set[] = {
    COLUMN_NAME,
    COLUMN("Desired", "integer", "",
           "The total number of nodes that should be running the daemon pod (including nodes "
           "correctly running the daemon pod). More info: "
           "https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",
           0, kin__print_number, "status.desiredNumberScheduled", NULL),
    COLUMN("Current", "integer", "",
           "The number of nodes that are running at least 1 daemon pod and are supposed to run the "
           "daemon pod. More info: "
           "https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",
           0, kin__print_number, "status.currentNumberScheduled", NULL),
    COLUMN("Ready", "integer", "",
           "numberReady is the number of nodes that should be running the daemon pod and have one "
           "or more of the daemon pod running with a Ready Condition.",
           0, kin__print_number, "status.numberReady", NULL),
    COLUMN("Up-to-date", "integer", "",
           "The total number of nodes that are running updated daemon pod", 0, kin__print_number,
           "status.updatedNumberScheduled", NULL),
    COLUMN("Available", "integer", "",
           "The number of nodes that should be running the daemon pod and have one or more of the "
           "daemon pod running and available (ready for at least spec.minReadySeconds)",
           0, kin__print_number, "status.numberAvailable", NULL),
    COLUMN("Node Selector", "string", "",
           "NodeSelector is a selector which must be true for the pod to fit on a node. Selector "
           "which must match a node's labels for the pod to be scheduled on that node. More info: "
           "https://kubernetes.io/docs/concepts/configuration/assign-pod-node/",
           0, kin__print_labels, "spec.template.spec.nodeSelector", NULL),
    COLUMN_AGE,
    COLUMN_CONTAINERS("spec.template.spec.containers", 1),
    COLUMN_IMAGES("spec.template.spec.containers", 1),
    COLUMN(
        "Selector", "string", "",
        "A label query over pods that are managed by the daemon set. Must match in order to be "
        "controlled. It must match the pod template's labels. More info: "
        "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
        1, kin__print_selector, "spec.selector", NULL),
};

static const kin__column controller_revision[] = {
    COLUMN_NAME,
    COLUMN("Controller", "string", "", "Controller of the object", 0, kin__print_controller, NULL,
           NULL),
    COLUMN("Revision", "string", "",
           "Revision indicates the revision of the state represented by Data.", 0,
           kin__print_number, "revision", NULL),
    COLUMN_AGE,
};

static const kin__column job[] = {
    COLUMN_NAME,
    COLUMN("Status", "string", "", "Status of the job.", 0, kin__print_job_status, NULL, NULL),
    COLUMN(
        "Completions", "string", "",
        "The number of pods which reached phase Succeeded. The value increases monotonically for a "
        "given spec. However, it may decrease in reaction to scale down of elastic indexed jobs.",
        0, kin__print_job_completions, NULL, NULL),
    COLUMN("Duration", "string", "", "Time required to complete the job.", 0,
           kin__print_job_duration, NULL, NULL),
    COLUMN_AGE,
    COLUMN_CONTAINERS("spec.template.spec.containers", 1),
    COLUMN_IMAGES("spec.template.spec.containers", 1),
    COLUMN(
        "Selector", "string", "",
        "A label query over pods that should match the pod count. Normally, the system sets this "
        "field for you. More info: "
        "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
        1, kin__print_selector, "spec.selector", NULL),
};

static const kin__column cron_job[] = {
    COLUMN_NAME,
    COLUMN("Schedule", "string", "",
           "The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron.", 0,
           kin__print_text, "spec.schedule", NULL),
    COLUMN(
        "Timezone", "string", "",
        "The time zone name for the given schedule, see "
        "https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, this will "
        "default to the time zone of the kube-controller-manager process. The set of valid time "
        "zone names and the time zone offset is loaded from the system-wide time zone database by "
        "the API server during CronJob validation and the controller manager during execution. If "
        "no system-wide time zone database can be found a bundled version of the database is used "
        "instead. If the time zone name becomes invalid during the lifetime of a CronJob or due to "
        "a change in host configuration, the controller will stop creating new new Jobs and will "
        "create a system event with the reason UnknownTimeZone. More information can be found in "
        "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones",
        0, kin__print_text, "spec.timeZone", "<none>"),
    COLUMN("Suspend", "boolean", "",
           "This flag tells the controller to suspend subsequent executions, it does not apply to "
           "already started executions.  Defaults to false.",
           0, kin__print_suspended, "spec.suspend", NULL),
    COLUMN("Active", "integer", "", "A list of pointers to currently running jobs.", 0,
           kin__print_count, "status.active", NULL),
    COLUMN("Last Schedule", "string", "",
           "Information when was the last time the job was successfully scheduled.", 0,
           kin__print_span_since, "status.lastScheduleTime", "<none>"),
    COLUMN_AGE,
    COLUMN_CONTAINERS("spec.jobTemplate.spec.template.spec.containers", 1),
    COLUMN_IMAGES("spec.jobTemplate.spec.template.spec.containers", 1),
    COLUMN(
        "Selector", "string", "",
        "A label query over pods that should match the pod count. Normally, the system sets this "
        "field for you. More info: "
        "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
        1, kin__print_selector, "spec.jobTemplate.spec.selector", NULL),
};

static const kin__column horizontal_pod_autoscaler[] = {
    COLUMN_NAME,
    COLUMN("Reference", "string", "",
           "scaleTargetRef points to the target resource to scale, and is used to the pods for "
           "which metrics should be collected, as well as to actually change the replica count.",
           0, kin__print_reference, "spec.scaleTargetRef", NULL),
    COLUMN("Targets", "string", "",
           "metrics contains the specifications for which to use to calculate the desired replica "
           "count (the maximum replica count across all metrics will be used).  The desired "
           "replica count is calculated multiplying the ratio between the target value and the "
           "current value by the current number of pods.  Ergo, metrics used must decrease as the "
           "pod count is increased, and vice-versa.  See the individual metric source types for "
           "more information about how each type of metric must respond. If not set, the default "
           "metric will be set to 80% average CPU utilization.",
           0, kin__print_metrics, NULL, NULL),
    COLUMN("MinPods", "string", "",
           "minReplicas is the lower limit for the number of replicas to which the autoscaler can "
           "scale down.  It defaults to 1 pod.  minReplicas is allowed to be 0 if the alpha "
           "feature gate HPAScaleToZero is enabled and at least one Object or External metric is "
           "configured.  Scaling is active as long as at least one metric value is available.",
           0, kin__print_int_or_text, "spec.minReplicas", "<unset>"),
    COLUMN("MaxPods", "string", "",
           "maxReplicas is the upper limit for the number of replicas to which the autoscaler can "
           "scale up. It cannot be less that minReplicas.",
           0, kin__print_number, "spec.maxReplicas", NULL),
    COLUMN("Replicas", "string", "",
           "currentReplicas is current number of replicas of pods managed by this autoscaler, as "
           "last seen by the autoscaler.",
           0, kin__print_number, "status.currentReplicas", NULL),
    COLUMN_AGE,
};

static const kin__column scale[] = {
    COLUMN("Name", "string", "", DESCRIBES_NAME, 0, kin__print_name, NULL, NULL),
    COLUMN("Desired", "integer", "",
           "replicas is the desired number of instances for the scaled object.", 0,
           kin__print_number, "spec.replicas", NULL),
    COLUMN("Available", "integer", "",
           "replicas is the actual number of observed instances of the scaled object.", 0,
           kin__print_number, "status.replicas", NULL),
    COLUMN_AGE,
};

static const kin__column pod_disruption_budget[] = {
    COLUMN_NAME,
    COLUMN("Min Available", "string", "", "The minimum number of pods that must be available.", 0,
           kin__print_int_or_text, "spec.minAvailable", "N/A"),
    COLUMN("Max Unavailable", "string", "", "The maximum number of pods that may be unavailable.",
           0, kin__print_int_or_text, "spec.maxUnavailable", "N/A"),
    COLUMN("Allowed Disruptions", "integer", "",
           "Calculated number of pods that may be disrupted at this time.", 0, kin__print_number,
           "status.disruptionsAllowed", NULL),
    COLUMN_AGE,
};

static const kin__columns kinds[] = {
    { KIND("", "ReplicationController", replication_controller) },
    { KIND("apps", "ReplicaSet", replica_set) },
    { KIND("apps", "Deployment", deployment) },
    { KIND("apps", "StatefulSet", stateful_set) },
    { KIND("apps", "DaemonSet", daemon_set) },
    { KIND("apps", "ControllerRevision", controller_revision) },
    { KIND("batch", "Job", job) },
    { KIND("batch", "CronJob", cron_job) },
    { KIND("autoscaling", "HorizontalPodAutoscaler", horizontal_pod_autoscaler) },
    { KIND("autoscaling", "Scale", scale) },
    { KIND("policy", "PodDisruptionBudget", pod_disruption_budget) },
};

const kin__columns_set kin__columns_workload = { kinds, sizeof kinds / sizeof kinds[0] };
