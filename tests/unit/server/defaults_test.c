/* SPDX-License-Identifier: Apache-2.0 */
/*
 * defaults_test.c - what is filled in, as a kube-apiserver 1.36 without admission plugins does it.
 */
#include "unit/server/writing.h"

#define APPS "/apis/apps/v1/namespaces/default"
#define TEMPLATE                                                                                   \
    "\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":"  \
    "\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}"
#define TEMPLATE_SPEC                                                                              \
    "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i:1\",\"resources\":{},"                \
    "\"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\","   \
    "\"imagePullPolicy\":\"IfNotPresent\"}],\"restartPolicy\":\"Always\","                         \
    "\"terminationGracePeriodSeconds\":30,\"dnsPolicy\":\"ClusterFirst\",\"securityContext\":{},"  \
    "\"schedulerName\":\"default-scheduler\"}}"

TEST(defaults, make_a_pod_whole)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(
        &s, "POST", DEFAULT "/pods", JSON,
        "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\","
        "\"image\":\"i\",\"ports\":[{\"containerPort\":80}]}],\"volumes\":[{\"name\":\"v\","
        "\"secret\":{\"secretName\":\"x\"}}]}}",
        201,
        "\"spec\":{\"volumes\":[{\"name\":\"v\",\"secret\":{\"secretName\":\"x\","
        "\"defaultMode\":420}}],\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"ports\":[{"
        "\"containerPort\":80,\"protocol\":\"TCP\"}],\"resources\":{},"
        "\"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePolicy\":"
        "\"File\",\"imagePullPolicy\":\"Always\"}],\"restartPolicy\":\"Always\","
        "\"terminationGracePeriodSeconds\":30,\"dnsPolicy\":\"ClusterFirst\","
        "\"securityContext\":{},\"schedulerName\":\"default-scheduler\","
        "\"enableServiceLinks\":true}");
    scene_close(&s);
}

/* As seen on kube-apiserver 1.36.3. */
TEST(defaults, tell_the_account_of_a_pod_by_both_names)
{
#define SAYS(old, new) "\"serviceAccountName\":\"" new "\",\"serviceAccount\":\"" old "\""
#define OF(spec) "{\"metadata\":{\"name\":\"x\"},\"spec\":{" spec "}}"
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", DEFAULT "/pods?dryRun=All", JSON,
                  OF("\"serviceAccountName\":\"bot\""), 201, SAYS("bot", "bot"));
    ASSERT_ANSWER(&s, "POST", DEFAULT "/pods?dryRun=All", JSON, OF("\"serviceAccount\":\"bot\""),
                  201, SAYS("bot", "bot"));
    ASSERT_ANSWER(&s, "POST", DEFAULT "/pods?dryRun=All", JSON, OF(SAYS("old", "bot")), 201,
                  SAYS("bot", "bot"));
    ASSERT_EQ(ask(&s, "POST", DEFAULT "/pods?dryRun=All", JSON, OF(SAYS("", ""))), 201);
    ASSERT_TRUE(strstr(s.body, "serviceAccount") == NULL);
    ASSERT_ANSWER(&s, "POST", APPS "/deployments", JSON,
                  OF("\"template\":{\"spec\":{\"serviceAccountName\":\"bot\"}}"), 201,
                  SAYS("bot", "bot"));
    ASSERT_ANSWER(&s, "PATCH", APPS "/deployments/x", MERGE,
                  "{\"spec\":{\"template\":{\"spec\":{\"serviceAccountName\":null}}}}", 200,
                  "\"generation\":1");
    ASSERT_CONTAINS(s.body, SAYS("bot", "bot"));
    ASSERT_EQ(ask(&s, "PATCH", APPS "/deployments/x", MERGE,
                  "{\"spec\":{\"template\":{\"spec\":{" SAYS("", "") "}}}}"),
              200);
    ASSERT_TRUE(strstr(s.body, "serviceAccount") == NULL);
    scene_close(&s);
#undef OF
#undef SAYS
}

TEST(defaults, make_workloads_whole)
{
    static const struct {
        const char *path, *says;
    } cases[] = {
        { APPS "/deployments",
          "\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{"
          "\"metadata\":{\"labels\":{\"a\":\"b\"}}," TEMPLATE_SPEC
          ",\"strategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxUnavailable\":\"25%\","
          "\"maxSurge\":\"25%\"}},\"revisionHistoryLimit\":10,\"progressDeadlineSeconds\":600},"
          "\"status\":{}}" },
        { APPS "/replicasets", TEMPLATE_SPEC "},\"status\":{\"replicas\":0}}" },
        { APPS "/statefulsets", TEMPLATE_SPEC
          ",\"serviceName\":\"\",\"podManagementPolicy\":\"OrderedReady\",\"updateStrategy\":{"
          "\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"partition\":0}},"
          "\"revisionHistoryLimit\":10,\"persistentVolumeClaimRetentionPolicy\":{\"whenDeleted\":"
          "\"Retain\",\"whenScaled\":\"Retain\"}},\"status\":{\"replicas\":0,"
          "\"availableReplicas\":0}}" },
        { APPS "/daemonsets",
          TEMPLATE_SPEC ",\"updateStrategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{"
                        "\"maxUnavailable\":1,\"maxSurge\":0}},\"revisionHistoryLimit\":10}" },
    };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_ANSWER(&s, "POST", cases[i].path, JSON,
                      "{\"metadata\":{\"name\":\"d\"},\"spec\":{" TEMPLATE "}}", 201,
                      cases[i].says);
    }
    scene_close(&s);
}

TEST(defaults, make_containers_for_debugging_whole)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", DEFAULT "/pods", JSON,
                  "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                  "\"image\":\"i\"}]}}"),
              201);
    ASSERT_ANSWER(&s, "PATCH", DEFAULT "/pods/p/ephemeralcontainers", MERGE,
                  "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"e\",\"image\":\"x:1\"}]}}", 200,
                  "\"ephemeralContainers\":[{\"name\":\"e\",\"image\":\"x:1\",\"resources\":{},"
                  "\"terminationMessagePath\":\"/dev/termination-log\","
                  "\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":\"IfNotPresent\"}]");
    scene_close(&s);
}

TEST(defaults, make_claims_of_stateful_sets_whole)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "POST", APPS "/statefulsets", JSON,
                  "{\"metadata\":{\"name\":\"s\"},\"spec\":{" TEMPLATE
                  ",\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"d\"},\"spec\":{}}]}}",
                  201,
                  "\"metadata\":{\"name\":\"d\"},\"spec\":{\"resources\":{},\"volumeMode\":"
                  "\"Filesystem\"},\"status\":{\"phase\":\"Pending\"}}]");
    scene_close(&s);
}

TEST(defaults, reach_into_pods)
{
    static const struct {
        const char *path, *body, *says;
    } cases[] = {
        { "/api/v1/namespaces/default/pods?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"hostNetwork\":true,\"contain"
          "ers\":[{\"name\":\"c\",\"image\":\"i:1\",\"ports\":[{\"containerPort\":80"
          "}]}]}}",
          "\"ports\":[{\"hostPort\":80,\"containerPort\":80,\"protocol\":\"TCP\"}"
          "]" },
        { "/api/v1/namespaces/default/pods?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"containers\":[{\"name\":\"c\",\""
          "image\":\"i:1\",\"lifecycle\":{\"preStop\":{\"httpGet\":{\"port\":80}}}"
          "}]}}",
          "\"httpGet\":{\"path\":\"/\",\"port\":80,\"scheme\":\"HTTP\"}" },
        { "/api/v1/namespaces/default/pods?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"containers\":[{\"name\":\"c\",\""
          "image\":\"i:1\"}],\"volumes\":[{\"name\":\"v\",\"downwardAPI\":{\"items\""
          ":[{\"path\":\"a\",\"fieldRef\":{\"fieldPath\":\"metadata.name\"}}]}}]}"
          "}",
          "\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.name\"}" },
        { "/api/v1/namespaces/default/pods?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"containers\":[{\"name\":\"c\",\""
          "image\":\"i:1\"}],\"volumes\":[{\"name\":\"v\",\"projected\":{\"sources\""
          ":[{\"serviceAccountToken\":{\"path\":\"t\"}}]}}]}}",
          "\"expirationSeconds\":3600" },
        { "/api/v1/namespaces/default/pods?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"containers\":[{\"name\":\"c\",\""
          "image\":\"i:1\"}],\"volumes\":[{\"name\":\"v\",\"ephemeral\":{\"volumeCl"
          "aimTemplate\":{\"spec\":{}}}}]}}",
          "\"volumeMode\":\"Filesystem\"" },
        { "/apis/apps/v1/namespaces/default/statefulsets?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"selector\":{\"matchLabels\":{"
          "\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\""
          ":{\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}},\"volumeClaimTe"
          "mplates\":[{\"metadata\":{\"name\":\"v\"},\"spec\":{}}]}}",
          "\"volumeMode\":\"Filesystem\"},\"status\":{\"phase\":\"Pending\"}" },
    };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_ANSWER(&s, "POST", cases[i].path, JSON, cases[i].body, 201, cases[i].says);
    }
    scene_close(&s);
}

TEST(defaults, make_small_kinds_whole)
{
    static const struct {
        const char *path, *body, *says;
    } cases[] = {
        { "/api/v1/namespaces/default/services?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"sessionAffinity\":\"ClientIP"
          "\",\"ports\":[{\"port\":80}]}}",
          "\"sessionAffinityConfig\":{\"clientIP\":{\"timeoutSeconds\":10800}"
          "}" },
        { "/api/v1/namespaces/default/services?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"externalIPs\":[\"1.2.3.4\"],\""
          "ports\":[{\"port\":80}]}}",
          "\"externalTrafficPolicy\":\"Cluster\"" },
        { "/api/v1/namespaces/default/endpoints?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"subsets\":[{\"ports\":[{\"port\":80}]}]"
          "}",
          "\"ports\":[{\"port\":80,\"protocol\":\"TCP\"}]" },
        { "/api/v1/namespaces/default/limitranges?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"limits\":[{\"type\":\"Containe"
          "r\",\"max\":{\"cpu\":\"1\"},\"default\":{\"memory\":\"1Gi\"},\"min\":{\"pods"
          "\":\"1\"}}]}}",
          "\"default\":{\"cpu\":\"1\",\"memory\":\"1Gi\"},\"defaultRequest\":{\"cpu\""
          ":\"1\",\"memory\":\"1Gi\",\"pods\":\"1\"}" },
        { "/api/v1/nodes?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"podCIDR\":\"10.1.0.0/24\"}}",
          "\"podCIDRs\":[\"10.1.0.0/24\"]" },
        { "/apis/networking.k8s.io/v1/ingressclasses?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"controller\":\"a.b/c\",\"param"
          "eters\":{\"kind\":\"K\",\"name\":\"n\"}}}",
          "\"scope\":\"Cluster\"" },
        { "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"podSelector\":{},\"ingress\":"
          "[{\"ports\":[{\"port\":80}]}]}}",
          "\"ports\":[{\"protocol\":\"TCP\",\"port\":80}]" },
        { "/apis/storage.k8s.io/v1/csidrivers?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{}}",
          "\"spec\":{\"attachRequired\":true,\"podInfoOnMount\":false,\"volume"
          "LifecycleModes\":[\"Persistent\"],\"storageCapacity\":false,\"fsGr"
          "oupPolicy\":\"ReadWriteOnceWithFSType\",\"requiresRepublish\":fal"
          "se,\"seLinuxMount\":false}" },
        { "/apis/apiregistration.k8s.io/v1/apiservices?dryRun=All",
          "{\"metadata\":{\"name\":\"v1.g.example.com\"},\"spec\":{\"group\":\"g.e"
          "xample.com\",\"version\":\"v1\",\"groupPriorityMinimum\":100,\"versi"
          "onPriority\":10,\"service\":{\"name\":\"s\",\"namespace\":\"n\"}}}",
          "\"port\":443" },
        { "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"matchingPrecedence\":0,\"pri"
          "orityLevelConfiguration\":{\"name\":\"exempt\"}}}",
          "\"matchingPrecedence\":1000" },
        { "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"type\":\"Limited\",\"limited\":"
          "{\"limitResponse\":{\"type\":\"Queue\",\"queuing\":{}}}}}",
          "\"limited\":{\"nominalConcurrencyShares\":30,\"limitResponse\":{\"t"
          "ype\":\"Queue\",\"queuing\":{\"queues\":64,\"handSize\":8,\"queueLengt"
          "hLimit\":50}},\"lendablePercent\":0}" },
    };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_ANSWER(&s, "POST", cases[i].path, JSON, cases[i].body, 201, cases[i].says);
    }
    scene_close(&s);
}

TEST(defaults, make_admission_whole)
{
    static const struct {
        const char *path, *body, *says;
    } cases[] = {
        { "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"webhooks\":[{\"name\":\"a.b.c\",\"client"
          "Config\":{\"service\":{\"name\":\"s\",\"namespace\":\"n\"}},\"sideEffect"
          "s\":\"None\",\"admissionReviewVersions\":[\"v1\"],\"rules\":[{\"operat"
          "ions\":[\"*\"],\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources"
          "\":[\"pods\"]}]}]}",
          "\"failurePolicy\":\"Fail\",\"matchPolicy\":\"Equivalent\",\"namespace"
          "Selector\":{},\"objectSelector\":{},\"sideEffects\":\"None\",\"timeo"
          "utSeconds\":10,\"admissionReviewVersions\":[\"v1\"],\"reinvocation"
          "Policy\":\"Never\"" },
        { "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"webhooks\":[{\"name\":\"a.b.c\",\"client"
          "Config\":{\"service\":{\"name\":\"s\",\"namespace\":\"n\"}},\"sideEffect"
          "s\":\"None\",\"admissionReviewVersions\":[\"v1\"],\"rules\":[{\"operat"
          "ions\":[\"*\"],\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources"
          "\":[\"pods\"]}]}]}",
          "\"service\":{\"namespace\":\"n\",\"name\":\"s\",\"port\":443}},\"rules\":["
          "{\"operations\":[\"*\"],\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"r"
          "esources\":[\"pods\"],\"scope\":\"*\"}]" },
        { "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"matchConstraints\":{}}}",
          "\"matchConstraints\":{\"namespaceSelector\":{},\"objectSelector\":"
          "{},\"matchPolicy\":\"Equivalent\"},\"failurePolicy\":\"Fail\"" },
        { "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings?dryRun=All",
          "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"policyName\":\"p\"}}",
          "\"spec\":{\"policyName\":\"p\"}" },
    };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_ANSWER(&s, "POST", cases[i].path, JSON, cases[i].body, 201, cases[i].says);
    }
    scene_close(&s);
}

TEST_FAILING_ALLOC(defaults, survive_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int status = ask(&s, "POST", APPS "/deployments", JSON,
                         "{\"metadata\":{\"name\":\"d\"},\"spec\":{" TEMPLATE "}}");
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 201 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
