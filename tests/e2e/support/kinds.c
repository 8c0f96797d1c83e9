/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.c - the least a server accepts of each built-in kind.
 *
 * Found out by trying: kube-apiserver 1.36 takes these.
 */
#include "e2e/support/kinds.h"

#include <stdio.h>
#include <string.h>

#define CONTAINERS "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]"
#define TEMPLATE "{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{" CONTAINERS "}}"
#define RUN_ONCE "{\"spec\":{\"restartPolicy\":\"Never\"," CONTAINERS "}}"
#define SELECTOR "\"selector\":{\"matchLabels\":{\"a\":\"b\"}}"
#define RULES "\"rules\":[{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"get\"]}]"
#define ROLE_REF                                                                                   \
    "\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\","            \
    "\"name\":\"view\"},\"subjects\":[{\"kind\":\"User\",\"name\":\"nobody\","                     \
    "\"apiGroup\":\"rbac.authorization.k8s.io\"}]"
#define ABOUT_POD "{\"kind\":\"Pod\",\"namespace\":\"" KINDS_NAMESPACE "\",\"name\":\"x\"}"
#define MATCH_NOTHING                                                                              \
    "\"matchConstraints\":{\"resourceRules\":[{\"apiGroups\":[\"kin.example\"],"                   \
    "\"apiVersions\":[\"v1\"],\"operations\":[\"CREATE\"],\"resources\":[\"nothings\"]}]}"
#define DEVICES                                                                                    \
    "{\"devices\":{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"x\"}}]}}"
#define ASKS                                                                                       \
    "\"spec\":{\"resourceAttributes\":{\"namespace\":\"" KINDS_NAMESPACE "\","                     \
    "\"verb\":\"get\",\"resource\":\"pods\"}"

/* Of a key that was thrown away, for the name "e2e". */
#define CERTIFICATE_REQUEST                                                                        \
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IQUNBUUF3RGpFTU1Bb0dBMVVFQXd3RFpUSmxN" \
    "Rmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRApRZ0FFdStIcDN0UTBNYmhobTRrc3lhb0ZFNExsMHpBWURZalp2" \
    "dFBrYTR4RFFXTGN4Z1FNZ1VUK3VOVjkxaVRqClVTSEZtSElPeXNuZ1dZZ01aNm5lb2lqa3dxQUFNQW9HQ0NxR1NNNDlC" \
    "QU1DQTBrQU1FWUNJUUM2aEJhKzJVOGwKTmp4VjdDQndsREhXUmlmL0QzL0U2LzEzem93SGpORXVxQUloQUpCMm5UY3Rj" \
    "N1VHeUpBQlVJT2RDMEp0SVcxdQpsUFBGd0RaR1RvaEYxZnVrCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0t" \
    "LQo="

static const kind_sample samples[] = {
    { .resource = "bindings", .why_not = "it binds a pod, and is nothing that could be read" },
    { .resource = "componentstatuses", .why_not = "the server makes them" },
    { .resource = "configmaps", .rest = ",\"data\":{\"a\":\"b\"},\"binaryData\":{\"z\":\"AAEC\"}" },
    { .resource = "endpoints",
      .rest = ",\"subsets\":[{\"addresses\":[{\"ip\":\"10.1.1.1\"}],"
              "\"ports\":[{\"port\":80}]}]" },
    { .resource = "events",
      .rest = ",\"involvedObject\":" ABOUT_POD ",\"reason\":\"Tested\","
              "\"message\":\"m\",\"type\":\"Normal\"" },
    { .resource = "limitranges",
      .rest = ",\"spec\":{\"limits\":[{\"type\":\"Container\","
              "\"default\":{\"cpu\":\"500m\"}}]}" },
    { .resource = "namespaces", .name = "kin-kinds-inner" },
    { .resource = "nodes", .rest = ",\"spec\":{\"unschedulable\":true}" },
    { .resource = "persistentvolumeclaims",
      .rest = ",\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
              "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}" },
    { .resource = "persistentvolumes",
      .rest = ",\"spec\":{\"capacity\":{\"storage\":\"1Gi\"},"
              "\"accessModes\":[\"ReadWriteOnce\"],"
              "\"hostPath\":{\"path\":\"/nowhere\"}}" },
    { .resource = "pods", .rest = ",\"spec\":{" CONTAINERS "}" },
    { .resource = "podtemplates", .rest = ",\"template\":" TEMPLATE },
    { .resource = "replicationcontrollers",
      .rest = ",\"spec\":{\"replicas\":1,\"selector\":{\"a\":\"b\"},"
              "\"template\":" TEMPLATE "}" },
    { .resource = "resourcequotas", .rest = ",\"spec\":{\"hard\":{\"pods\":\"10\"}}" },
    { .resource = "secrets", .rest = ",\"data\":{\"a\":\"YWJj\"},\"type\":\"Opaque\"" },
    { .resource = "serviceaccounts", .rest = NULL },
    { .resource = "services",
      .rest = ",\"spec\":{\"ports\":[{\"port\":80}],\"selector\":{\"a\":\"b\"}}" },

    { .resource = "apiservices.apiregistration.k8s.io",
      .name = "v1.kin.example",
      .rest = ",\"spec\":{\"group\":\"kin.example\",\"version\":\"v1\","
              "\"groupPriorityMinimum\":1000,\"versionPriority\":15,"
              "\"service\":{\"name\":\"x\",\"namespace\":\"default\"},"
              "\"insecureSkipTLSVerify\":true}" },

    { .resource = "controllerrevisions.apps",
      .rest = ",\"data\":{\"a\":{\"b\":1}},\"revision\":1" },
    { .resource = "daemonsets.apps", .rest = ",\"spec\":{" SELECTOR ",\"template\":" TEMPLATE "}" },
    { .resource = "deployments.apps",
      .rest = ",\"spec\":{\"replicas\":2," SELECTOR ",\"template\":" TEMPLATE "}" },
    { .resource = "replicasets.apps",
      .rest = ",\"spec\":{" SELECTOR ",\"template\":" TEMPLATE "}" },
    { .resource = "statefulsets.apps",
      .rest = ",\"spec\":{\"serviceName\":\"s\"," SELECTOR ",\"template\":" TEMPLATE "}" },

    { .resource = "events.events.k8s.io",
      .rest = ",\"eventTime\":\"2026-01-01T00:00:00.123456Z\",\"regarding\":" ABOUT_POD
              ",\"reason\":\"R\",\"action\":\"A\",\"type\":\"Normal\","
              "\"reportingController\":\"example.com/c\",\"reportingInstance\":\"i\"" },

    { .resource = "selfsubjectreviews.authentication.k8s.io", .rest = NULL },
    { .resource = "tokenreviews.authentication.k8s.io", .rest = ",\"spec\":{\"token\":\"none\"}" },
    { .resource = "localsubjectaccessreviews.authorization.k8s.io",
      .rest = "," ASKS ",\"user\":\"x\"}" },
    { .resource = "selfsubjectaccessreviews.authorization.k8s.io", .rest = "," ASKS "}" },
    { .resource = "selfsubjectrulesreviews.authorization.k8s.io",
      .rest = ",\"spec\":{\"namespace\":\"" KINDS_NAMESPACE "\"}" },
    { .resource = "subjectaccessreviews.authorization.k8s.io",
      .rest = "," ASKS ",\"user\":\"x\"}" },

    { .resource = "horizontalpodautoscalers.autoscaling",
      .rest = ",\"spec\":{\"maxReplicas\":3,\"scaleTargetRef\":{\"apiVersion\":\"apps/v1\","
              "\"kind\":\"Deployment\",\"name\":\"x\"}}" },
    { .resource = "cronjobs.batch",
      .rest = ",\"spec\":{\"schedule\":\"0 0 1 1 *\",\"jobTemplate\":{"
              "\"spec\":{\"template\":" RUN_ONCE "}}}" },
    { .resource = "jobs.batch", .rest = ",\"spec\":{\"template\":" RUN_ONCE "}" },
    { .resource = "certificatesigningrequests.certificates.k8s.io",
      .rest = ",\"spec\":{\"request\":\"" CERTIFICATE_REQUEST
              "\",\"signerName\":\"example.com/s\",\"usages\":[\"client auth\"]}" },

    { .resource = "ingressclasses.networking.k8s.io",
      .rest = ",\"spec\":{\"controller\":\"example.com/c\"}" },
    { .resource = "ingresses.networking.k8s.io",
      .rest = ",\"spec\":{\"defaultBackend\":{\"service\":{"
              "\"name\":\"s\",\"port\":{\"number\":80}}}}" },
    { .resource = "ipaddresses.networking.k8s.io",
      .name = "10.0.0.77",
      .rest = ",\"spec\":{\"parentRef\":{\"resource\":\"services\",\"namespace\":\"default\","
              "\"name\":\"x\"}}" },
    { .resource = "networkpolicies.networking.k8s.io", .rest = ",\"spec\":{\"podSelector\":{}}" },
    { .resource = "servicecidrs.networking.k8s.io",
      .rest = ",\"spec\":{\"cidrs\":[\"10.9.0.0/24\"]}" },
    { .resource = "poddisruptionbudgets.policy",
      .rest = ",\"spec\":{\"minAvailable\":1," SELECTOR "}" },
    { .resource = "clusterrolebindings.rbac.authorization.k8s.io", .rest = "," ROLE_REF },
    { .resource = "clusterroles.rbac.authorization.k8s.io", .rest = "," RULES },
    { .resource = "rolebindings.rbac.authorization.k8s.io", .rest = "," ROLE_REF },
    { .resource = "roles.rbac.authorization.k8s.io", .rest = "," RULES },

    { .resource = "csidrivers.storage.k8s.io", .rest = ",\"spec\":{\"attachRequired\":false}" },
    { .resource = "csinodes.storage.k8s.io", .rest = ",\"spec\":{\"drivers\":[]}" },
    { .resource = "csistoragecapacities.storage.k8s.io",
      .rest = ",\"storageClassName\":\"x\",\"capacity\":\"1Gi\"" },
    { .resource = "storageclasses.storage.k8s.io", .rest = ",\"provisioner\":\"example.com/p\"" },
    { .resource = "volumeattachments.storage.k8s.io",
      .rest = ",\"spec\":{\"attacher\":\"example.com\",\"nodeName\":\"n\","
              "\"source\":{\"persistentVolumeName\":\"pv\"}}" },
    { .resource = "volumeattributesclasses.storage.k8s.io",
      .rest = ",\"driverName\":\"example.com\",\"parameters\":{\"a\":\"b\"}" },

    { .resource = "mutatingadmissionpolicies.admissionregistration.k8s.io",
      .rest = ",\"spec\":{" MATCH_NOTHING ",\"failurePolicy\":\"Ignore\","
              "\"reinvocationPolicy\":\"Never\",\"mutations\":[{"
              "\"patchType\":\"ApplyConfiguration\","
              "\"applyConfiguration\":{\"expression\":\"Object{}\"}}]}" },
    { .resource = "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
      .rest = ",\"spec\":{\"policyName\":\"none\"}" },
    { .resource = "mutatingwebhookconfigurations.admissionregistration.k8s.io", .rest = NULL },
    { .resource = "validatingadmissionpolicies.admissionregistration.k8s.io",
      .rest = ",\"spec\":{" MATCH_NOTHING ",\"validations\":[{\"expression\":\"true\"}]}" },
    { .resource = "validatingadmissionpolicybindings.admissionregistration.k8s.io",
      .rest = ",\"spec\":{\"policyName\":\"none\",\"validationActions\":[\"Deny\"]}" },
    { .resource = "validatingwebhookconfigurations.admissionregistration.k8s.io", .rest = NULL },

    { .resource = "customresourcedefinitions.apiextensions.k8s.io",
      .name = "nothings.kin-e2e.example",
      .rest = ",\"spec\":{\"group\":\"kin-e2e.example\",\"scope\":\"Namespaced\","
              "\"names\":{\"plural\":\"nothings\",\"kind\":\"Nothing\"},\"versions\":[{"
              "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
              "\"openAPIV3Schema\":{\"type\":\"object\","
              "\"x-kubernetes-preserve-unknown-fields\":true}}}]}" },
    { .resource = "priorityclasses.scheduling.k8s.io", .rest = ",\"value\":10" },
    { .resource = "leases.coordination.k8s.io",
      .rest = ",\"spec\":{\"holderIdentity\":\"x\","
              "\"renewTime\":\"2026-01-01T00:00:00.123456Z\"}" },
    { .resource = "runtimeclasses.node.k8s.io", .rest = ",\"handler\":\"h\"" },
    { .resource = "endpointslices.discovery.k8s.io",
      .rest = ",\"addressType\":\"IPv4\",\"endpoints\":[{\"addresses\":[\"10.1.1.1\"]}],"
              "\"ports\":[]" },
    { .resource = "deviceclasses.resource.k8s.io", .rest = ",\"spec\":{}" },
    { .resource = "resourceclaims.resource.k8s.io", .rest = ",\"spec\":" DEVICES },
    { .resource = "resourceclaimtemplates.resource.k8s.io",
      .rest = ",\"spec\":{\"spec\":" DEVICES "}" },
    { .resource = "resourceslices.resource.k8s.io",
      .rest = ",\"spec\":{\"driver\":\"example.com\",\"allNodes\":true,\"devices\":[],"
              "\"pool\":{\"name\":\"p\",\"generation\":1,\"resourceSliceCount\":1}}" },
    { .resource = "flowschemas.flowcontrol.apiserver.k8s.io",
      .rest = ",\"spec\":{\"priorityLevelConfiguration\":{\"name\":\"catch-all\"},"
              "\"matchingPrecedence\":9000}" },
    { .resource = "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
      .rest = ",\"spec\":{\"type\":\"Limited\",\"limited\":{\"nominalConcurrencyShares\":1,"
              "\"limitResponse\":{\"type\":\"Reject\"}}}" },
};

const kind_sample *kind_sample_of(const kin_resource *resource)
{
    char name[256];
    const char *group = kin_resource_group(resource);

    (void) snprintf(name, sizeof name, "%s%s%s", kin_resource_name(resource),
                    group[0] == '\0' ? "" : ".", group);
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        if (strcmp(samples[i].resource, name) == 0) {
            return &samples[i];
        }
    }
    return NULL;
}

const char *kind_sample_name(const kind_sample *sample)
{
    return sample->name != NULL ? sample->name : "kin-e2e";
}
