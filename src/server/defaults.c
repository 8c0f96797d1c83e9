/* SPDX-License-Identifier: Apache-2.0 */
/*
 * defaults.c - what a server fills into objects of its own kinds.
 *
 * Plain values are rows of a table; a row may depend on what another member says.  What is no plain
 * value is in default_kinds.c.  After SetDefaults_* of k8s.io/kubernetes, pkg/apis.
 */
#include "server/defaults.h"

#include "base/str.h"
#include "server/default_kinds.h"
#include "server/default_path.h"
#include "server/strategy.h"

#define RBAC "rbac.authorization.k8s.io"
#define ADMISSION "admissionregistration.k8s.io"
#define FLOWS "flowcontrol.apiserver.k8s.io"

/* At `path` (server/default_path.h) of objects of that resource there is at least `json`. */
typedef struct row {
    const char *group, *resource, *path, *json;
    const char *only_path, *only_value; /* where this member says so; NULL: always */
} row;

static const row rows[] = {
    { "", "replicationcontrollers", "spec.replicas", "1", NULL, NULL },
    { "", "secrets", "type", "\"Opaque\"", NULL, NULL },
    { "", "persistentvolumeclaims", "spec.volumeMode", "\"Filesystem\"", NULL, NULL },
    { "", "persistentvolumeclaims", "status.phase", "\"Pending\"", NULL, NULL },
    { "", "persistentvolumes", "spec.volumeMode", "\"Filesystem\"", NULL, NULL },
    { "", "persistentvolumes", "spec.persistentVolumeReclaimPolicy", "\"Retain\"", NULL, NULL },
    { "", "persistentvolumes", "status.phase", "\"Pending\"", NULL, NULL },
    { "", "persistentvolumes", "spec.iscsi?.iscsiInterface~", "\"default\"", NULL, NULL },
    { "", "endpoints", "subsets[].ports[].protocol~", "\"TCP\"", NULL, NULL },
    { "", "pods", "spec.enableServiceLinks", "true", NULL, NULL },
    { "", "services", "spec.type", "\"ClusterIP\"", NULL, NULL },
    { "", "services", "spec.sessionAffinity", "\"None\"", NULL, NULL },
    { "", "services", "spec.sessionAffinityConfig.clientIP.timeoutSeconds", "10800",
      "spec.sessionAffinity", "ClientIP" },
    { "", "services", "spec.internalTrafficPolicy", "\"Cluster\"", "spec.type", "ClusterIP" },
    { "", "services", "spec.internalTrafficPolicy", "\"Cluster\"", "spec.type", "NodePort" },
    { "", "services", "spec.internalTrafficPolicy", "\"Cluster\"", "spec.type", "LoadBalancer" },
    { "", "services", "spec.externalTrafficPolicy", "\"Cluster\"", "spec.type", "NodePort" },
    { "", "services", "spec.externalTrafficPolicy", "\"Cluster\"", "spec.type", "LoadBalancer" },
    { "", "services", "spec.allocateLoadBalancerNodePorts", "true", "spec.type", "LoadBalancer" },
    { "apps", "deployments", "spec.replicas", "1", NULL, NULL },
    { "apps", "deployments", "spec.strategy.type", "\"RollingUpdate\"", NULL, NULL },
    { "apps", "deployments", "spec.strategy.rollingUpdate.maxUnavailable", "\"25%\"",
      "spec.strategy.type", "RollingUpdate" },
    { "apps", "deployments", "spec.strategy.rollingUpdate.maxSurge", "\"25%\"",
      "spec.strategy.type", "RollingUpdate" },
    { "apps", "deployments", "spec.revisionHistoryLimit", "10", NULL, NULL },
    { "apps", "deployments", "spec.progressDeadlineSeconds", "600", NULL, NULL },
    { "apps", "replicasets", "spec.replicas", "1", NULL, NULL },
    { "apps", "statefulsets", "spec.replicas", "1", NULL, NULL },
    { "apps", "statefulsets", "spec.podManagementPolicy", "\"OrderedReady\"", NULL, NULL },
    { "apps", "statefulsets", "spec.updateStrategy.type", "\"RollingUpdate\"", NULL, NULL },
    { "apps", "statefulsets", "spec.updateStrategy.rollingUpdate.partition", "0",
      "spec.updateStrategy.type", "RollingUpdate" },
    { "apps", "statefulsets", "spec.revisionHistoryLimit", "10", NULL, NULL },
    { "apps", "statefulsets", "spec.persistentVolumeClaimRetentionPolicy.whenDeleted", "\"Retain\"",
      NULL, NULL },
    { "apps", "statefulsets", "spec.persistentVolumeClaimRetentionPolicy.whenScaled", "\"Retain\"",
      NULL, NULL },
    { "apps", "statefulsets", "spec.volumeClaimTemplates[].spec.volumeMode", "\"Filesystem\"", NULL,
      NULL },
    { "apps", "statefulsets", "spec.volumeClaimTemplates[].status.phase", "\"Pending\"", NULL,
      NULL },
    { "apps", "daemonsets", "spec.updateStrategy.type", "\"RollingUpdate\"", NULL, NULL },
    { "apps", "daemonsets", "spec.updateStrategy.rollingUpdate.maxUnavailable", "1",
      "spec.updateStrategy.type", "RollingUpdate" },
    { "apps", "daemonsets", "spec.updateStrategy.rollingUpdate.maxSurge", "0",
      "spec.updateStrategy.type", "RollingUpdate" },
    { "apps", "daemonsets", "spec.revisionHistoryLimit", "10", NULL, NULL },
    { "autoscaling", "horizontalpodautoscalers", "spec.minReplicas", "1", NULL, NULL },
    { "batch", "jobs", "spec.completionMode", "\"NonIndexed\"", NULL, NULL },
    { "batch", "jobs", "spec.suspend", "false", NULL, NULL },
    { "batch", "jobs", "spec.manualSelector", "false", NULL, NULL },
    { "batch", "jobs", "spec.podFailurePolicy?.rules[].onPodConditions[].status~", "\"True\"", NULL,
      NULL },
    { "batch", "cronjobs", "spec.concurrencyPolicy", "\"Allow\"", NULL, NULL },
    { "batch", "cronjobs", "spec.suspend", "false", NULL, NULL },
    { "batch", "cronjobs", "spec.successfulJobsHistoryLimit", "3", NULL, NULL },
    { "batch", "cronjobs", "spec.failedJobsHistoryLimit", "1", NULL, NULL },
    { "storage.k8s.io", "storageclasses", "reclaimPolicy", "\"Delete\"", NULL, NULL },
    { "storage.k8s.io", "storageclasses", "volumeBindingMode", "\"Immediate\"", NULL, NULL },
    { "scheduling.k8s.io", "priorityclasses", "preemptionPolicy", "\"PreemptLowerPriority\"", NULL,
      NULL },
    { "networking.k8s.io", "ingressclasses", "spec.parameters?.scope", "\"Cluster\"", NULL, NULL },
    { "networking.k8s.io", "networkpolicies", "spec.ingress[].ports[].protocol", "\"TCP\"", NULL,
      NULL },
    { "networking.k8s.io", "networkpolicies", "spec.egress[].ports[].protocol", "\"TCP\"", NULL,
      NULL },
    { "storage.k8s.io", "csidrivers", "spec.attachRequired", "true", NULL, NULL },
    { "storage.k8s.io", "csidrivers", "spec.podInfoOnMount", "false", NULL, NULL },
    { "storage.k8s.io", "csidrivers", "spec.storageCapacity", "false", NULL, NULL },
    { "storage.k8s.io", "csidrivers", "spec.fsGroupPolicy", "\"ReadWriteOnceWithFSType\"", NULL,
      NULL },
    { "storage.k8s.io", "csidrivers", "spec.volumeLifecycleModes", "[\"Persistent\"]", NULL, NULL },
    { "storage.k8s.io", "csidrivers", "spec.requiresRepublish", "false", NULL, NULL },
    { "storage.k8s.io", "csidrivers", "spec.seLinuxMount", "false", NULL, NULL },
    { "apiregistration.k8s.io", "apiservices", "spec.service?.port", "443", NULL, NULL },
    { FLOWS, "flowschemas", "spec.matchingPrecedence~", "1000", NULL, NULL },
    { FLOWS, "prioritylevelconfigurations", "spec.limited?.nominalConcurrencyShares", "30", NULL,
      NULL },
    { FLOWS, "prioritylevelconfigurations", "spec.limited?.lendablePercent", "0", NULL, NULL },
    { FLOWS, "prioritylevelconfigurations", "spec.exempt?.nominalConcurrencyShares", "0", NULL,
      NULL },
    { FLOWS, "prioritylevelconfigurations", "spec.exempt?.lendablePercent", "0", NULL, NULL },
    { FLOWS, "prioritylevelconfigurations", "spec.limited?.limitResponse?.queuing?.queues~", "64",
      NULL, NULL },
    { FLOWS, "prioritylevelconfigurations", "spec.limited?.limitResponse?.queuing?.handSize~", "8",
      NULL, NULL },
    { FLOWS, "prioritylevelconfigurations",
      "spec.limited?.limitResponse?.queuing?.queueLengthLimit~", "50", NULL, NULL },
    { ADMISSION, "validatingwebhookconfigurations", "webhooks[].failurePolicy", "\"Fail\"", NULL,
      NULL },
    { ADMISSION, "validatingwebhookconfigurations", "webhooks[].matchPolicy", "\"Equivalent\"",
      NULL, NULL },
    { ADMISSION, "validatingwebhookconfigurations", "webhooks[].namespaceSelector", "{}", NULL,
      NULL },
    { ADMISSION, "validatingwebhookconfigurations", "webhooks[].objectSelector", "{}", NULL, NULL },
    { ADMISSION, "validatingwebhookconfigurations", "webhooks[].timeoutSeconds", "10", NULL, NULL },
    { ADMISSION, "validatingwebhookconfigurations", "webhooks[].rules[].scope", "\"*\"", NULL,
      NULL },
    { ADMISSION, "validatingwebhookconfigurations", "webhooks[].clientConfig?.service?.port", "443",
      NULL, NULL },
    { ADMISSION, "mutatingwebhookconfigurations", "webhooks[].failurePolicy", "\"Fail\"", NULL,
      NULL },
    { ADMISSION, "mutatingwebhookconfigurations", "webhooks[].matchPolicy", "\"Equivalent\"", NULL,
      NULL },
    { ADMISSION, "mutatingwebhookconfigurations", "webhooks[].namespaceSelector", "{}", NULL,
      NULL },
    { ADMISSION, "mutatingwebhookconfigurations", "webhooks[].objectSelector", "{}", NULL, NULL },
    { ADMISSION, "mutatingwebhookconfigurations", "webhooks[].timeoutSeconds", "10", NULL, NULL },
    { ADMISSION, "mutatingwebhookconfigurations", "webhooks[].rules[].scope", "\"*\"", NULL, NULL },
    { ADMISSION, "mutatingwebhookconfigurations", "webhooks[].clientConfig?.service?.port", "443",
      NULL, NULL },
    { ADMISSION, "mutatingwebhookconfigurations", "webhooks[].reinvocationPolicy", "\"Never\"",
      NULL, NULL },
    { ADMISSION, "validatingadmissionpolicies", "spec.failurePolicy", "\"Fail\"", NULL, NULL },
    { ADMISSION, "validatingadmissionpolicies", "spec.matchConstraints?.matchPolicy",
      "\"Equivalent\"", NULL, NULL },
    { ADMISSION, "validatingadmissionpolicies", "spec.matchConstraints?.namespaceSelector", "{}",
      NULL, NULL },
    { ADMISSION, "validatingadmissionpolicies", "spec.matchConstraints?.objectSelector", "{}", NULL,
      NULL },
    { ADMISSION, "validatingadmissionpolicies", "spec.matchConstraints?.resourceRules[].scope",
      "\"*\"", NULL, NULL },
    { ADMISSION, "validatingadmissionpolicies",
      "spec.matchConstraints?.excludeResourceRules[].scope", "\"*\"", NULL, NULL },
    { ADMISSION, "mutatingadmissionpolicies", "spec.failurePolicy", "\"Fail\"", NULL, NULL },
    { ADMISSION, "mutatingadmissionpolicies", "spec.matchConstraints?.matchPolicy",
      "\"Equivalent\"", NULL, NULL },
    { ADMISSION, "mutatingadmissionpolicies", "spec.matchConstraints?.namespaceSelector", "{}",
      NULL, NULL },
    { ADMISSION, "mutatingadmissionpolicies", "spec.matchConstraints?.objectSelector", "{}", NULL,
      NULL },
    { ADMISSION, "mutatingadmissionpolicies", "spec.matchConstraints?.resourceRules[].scope",
      "\"*\"", NULL, NULL },
    { ADMISSION, "mutatingadmissionpolicies", "spec.matchConstraints?.excludeResourceRules[].scope",
      "\"*\"", NULL, NULL },
    { ADMISSION, "validatingadmissionpolicybindings", "spec.matchResources?.matchPolicy",
      "\"Equivalent\"", NULL, NULL },
    { ADMISSION, "validatingadmissionpolicybindings", "spec.matchResources?.namespaceSelector",
      "{}", NULL, NULL },
    { ADMISSION, "validatingadmissionpolicybindings", "spec.matchResources?.objectSelector", "{}",
      NULL, NULL },
    { ADMISSION, "validatingadmissionpolicybindings", "spec.matchResources?.resourceRules[].scope",
      "\"*\"", NULL, NULL },
    { ADMISSION, "validatingadmissionpolicybindings",
      "spec.matchResources?.excludeResourceRules[].scope", "\"*\"", NULL, NULL },
    { ADMISSION, "mutatingadmissionpolicybindings", "spec.matchResources?.matchPolicy",
      "\"Equivalent\"", NULL, NULL },
    { ADMISSION, "mutatingadmissionpolicybindings", "spec.matchResources?.namespaceSelector", "{}",
      NULL, NULL },
    { ADMISSION, "mutatingadmissionpolicybindings", "spec.matchResources?.objectSelector", "{}",
      NULL, NULL },
    { ADMISSION, "mutatingadmissionpolicybindings", "spec.matchResources?.resourceRules[].scope",
      "\"*\"", NULL, NULL },
    { ADMISSION, "mutatingadmissionpolicybindings",
      "spec.matchResources?.excludeResourceRules[].scope", "\"*\"", NULL, NULL },
    { RBAC, "rolebindings", "roleRef.apiGroup", "\"" RBAC "\"", NULL, NULL },
    { RBAC, "clusterrolebindings", "roleRef.apiGroup", "\"" RBAC "\"", NULL, NULL },
};

/* Where kinds have the spec of a pod. */
static const struct {
    const char *group, *resource, *path;
} pod_specs[] = {
    { "", "pods", "spec" },
    { "", "replicationcontrollers", "spec.template.spec" },
    { "", "podtemplates", "template.spec" },
    { "apps", "deployments", "spec.template.spec" },
    { "apps", "replicasets", "spec.template.spec" },
    { "apps", "statefulsets", "spec.template.spec" },
    { "apps", "daemonsets", "spec.template.spec" },
    { "batch", "jobs", "spec.template.spec" },
    { "batch", "cronjobs", "spec.jobTemplate.spec.template.spec" },
};

bool kin__defaults_apply(kin__write *write)
{
    const kin__served *served = write->served;

    if (write->is_direct || (served->traits & KIN__IS_CUSTOM) != 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        if (!kin__served_is(served, r->group, r->resource)) {
            continue;
        }
        if (r->only_path != NULL) {
            const kin__node *decides = kin__default_find(write->object, r->only_path);
            if (decides == NULL ||
                !kin__str_equal(kin__node_text(decides), kin_str_of(r->only_value))) {
                continue;
            }
        }
        if (!kin__default_at(write->object, r->path, r->json)) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof pod_specs / sizeof pod_specs[0]; i++) {
        if (kin__served_is(served, pod_specs[i].group, pod_specs[i].resource) &&
            !kin__default_pod_spec(kin__default_find(write->object, pod_specs[i].path))) {
            return false;
        }
    }
    return kin__default_by_kind(write);
}
