/* SPDX-License-Identifier: Apache-2.0 */
/*
 * immutable_test.c - what an update may not change, in the words of kube-apiserver 1.36.3.
 */
#include "server/immutable.h"

#include "unit/server/writing.h"

#define APPS "/apis/apps/v1/namespaces/default"
#define RBAC "/apis/rbac.authorization.k8s.io/v1"
#define JOBS "/apis/batch/v1/namespaces/default/jobs"
#define CLASSES "/apis/storage.k8s.io/v1/storageclasses"
#define CONTAINERS "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}"
#define WORKLOAD                                                                                   \
    "{\"metadata\":{\"name\":\"w\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"       \
    "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}}," CONTAINERS "}}}"
#define OTHER_SELECTOR "{\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"c\"}}}}"
#define MISMATCH                                                                                   \
    "spec.template.metadata.labels: Invalid value: {\\\"a\\\":\\\"b\\\"}: `selector` does not "    \
    "match template `labels`"
#define FIXED_SELECTOR                                                                             \
    "spec.selector: Invalid value: {\\\"matchLabels\\\":{\\\"a\\\":\\\"c\\\"}}: field is "         \
    "immutable"

static void open_with(scene *s, const char *path, const char *body)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", path, JSON, body), 201);
}

TEST(immutable, are_selectors_of_workloads)
{
    scene s;

    open_with(&s, APPS "/deployments", WORKLOAD);
    ASSERT_ANSWER(&s, "PATCH", APPS "/deployments/w", MERGE, OTHER_SELECTOR, 422,
                  "Deployment.apps \\\"w\\\" is invalid: [" MISMATCH ", " FIXED_SELECTOR "]");
    ASSERT_EQ(ask(&s, "POST", APPS "/replicasets", JSON, WORKLOAD), 201);
    ASSERT_ANSWER(&s, "PATCH", APPS "/replicasets/w", MERGE, OTHER_SELECTOR, 422,
                  "ReplicaSet.apps \\\"w\\\" is invalid: [" MISMATCH ", " FIXED_SELECTOR "]");
    ASSERT_EQ(ask(&s, "POST", APPS "/daemonsets", JSON, WORKLOAD), 201);
    ASSERT_ANSWER(&s, "PATCH", APPS "/daemonsets/w", MERGE, OTHER_SELECTOR, 422,
                  "DaemonSet.apps \\\"w\\\" is invalid: [" FIXED_SELECTOR ", " MISMATCH "]");
    ASSERT_EQ(ask(&s, "POST", APPS "/statefulsets", JSON, WORKLOAD), 201);
    ASSERT_ANSWER(&s, "PATCH", APPS "/statefulsets/w", MERGE, OTHER_SELECTOR, 422,
                  "StatefulSet.apps \\\"w\\\" is invalid: [" MISMATCH
                  ", spec: Forbidden: updates to statefulset spec for fields other than "
                  "'replicas', ");
    ASSERT_ANSWER(&s, "PATCH", APPS "/statefulsets/w", MERGE,
                  "{\"spec\":{\"replicas\":3,\"minReadySeconds\":1}}", 200, "\"replicas\":3");
    scene_close(&s);
}

TEST(immutable, needs_a_selector_that_matches_its_template)
{
    static const char *const wrong[] = {
        "{\"matchLabels\":{\"a\":\"b\",\"x\":\"y\"}}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"x\",\"y\"]}]}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[\"b\"]}]}",
        "{\"matchExpressions\":[{\"key\":\"z\",\"operator\":\"Exists\"}]}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"DoesNotExist\"}]}",
    };
    static const char *const right[] = {
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"x\",\"b\"]}]}",
        "{\"matchExpressions\":[{\"key\":\"z\",\"operator\":\"NotIn\",\"values\":[\"b\"]}]}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}]}",
        "{\"matchExpressions\":[{\"key\":\"z\",\"operator\":\"DoesNotExist\"}]}",
    };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong + sizeof right / sizeof *right; i++) {
        bool is_wrong = i < sizeof wrong / sizeof *wrong;
        text body = { 0 };
        text_append(&body,
                    "{\"metadata\":{\"name\":\"w%zu\"},\"spec\":{\"selector\":%s,\"template\":{"
                    "\"metadata\":{\"labels\":{\"a\":\"b\"}}," CONTAINERS "}}}",
                    i, is_wrong ? wrong[i] : right[i - sizeof wrong / sizeof *wrong]);
        ASSERT_ANSWER(&s, "POST", APPS "/deployments", JSON, body.chars, is_wrong ? 422 : 201,
                      is_wrong ? MISMATCH : "\"selector\":");
    }
    scene_close(&s);
}

TEST(immutable, is_the_role_of_a_binding)
{
    static const char body[] =
        "{\"metadata\":{\"name\":\"b\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"view\"}}";
    scene s;

    open_with(&s, RBAC "/clusterrolebindings", body);
    ASSERT_ANSWER(&s, "PATCH", RBAC "/clusterrolebindings/b", MERGE,
                  "{\"roleRef\":{\"name\":\"edit\"}}", 422,
                  "roleRef: Invalid value: {\\\"APIGroup\\\":\\\"rbac.authorization.k8s.io\\\","
                  "\\\"Kind\\\":\\\"ClusterRole\\\",\\\"Name\\\":\\\"edit\\\"}: cannot change "
                  "roleRef");
    ASSERT_EQ(ask(&s, "POST", RBAC "/namespaces/default/rolebindings", JSON, body), 201);
    ASSERT_ANSWER(&s, "PATCH", RBAC "/namespaces/default/rolebindings/b", MERGE,
                  "{\"roleRef\":{\"kind\":\"Role\"}}", 422, "cannot change roleRef");
    ASSERT_EQ(ask(&s, "PUT", RBAC "/namespaces/default/rolebindings/b", JSON, body), 200);
    scene_close(&s);
}

TEST(immutable, is_the_address_of_a_service)
{
    scene s;

    open_with(&s, DEFAULT "/services",
              "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"ports\":[{\"port\":80}],\"clusterIP\":"
              "\"10.96.0.10\"}}");
    ASSERT_ANSWER(&s, "PATCH", DEFAULT "/services/s", MERGE,
                  "{\"spec\":{\"clusterIP\":\"10.96.0.11\"}}", 422,
                  "Service \\\"s\\\" is invalid: spec.clusterIPs[0]: Invalid value: "
                  "[\\\"10.96.0.11\\\"]: may not change once set");
    ASSERT_ANSWER(&s, "PATCH", DEFAULT "/services/s", MERGE, "{\"spec\":{\"clusterIP\":\"None\"}}",
                  422, "may not change once set");
    ASSERT_ANSWER(&s, "PATCH", DEFAULT "/services/s", MERGE,
                  "{\"spec\":{\"clusterIP\":null,\"clusterIPs\":null}}", 200, "\"10.96.0.10\"");
    ASSERT_EQ(ask(&s, "PATCH", DEFAULT "/services/s", MERGE,
                  "{\"spec\":{\"type\":\"ExternalName\",\"externalName\":\"x\"}}"),
              200);
    scene_close(&s);
}

TEST(immutable, is_most_of_a_pod)
{
    scene s;

    open_with(&s, DEFAULT "/pods", "{\"metadata\":{\"name\":\"p\"}," CONTAINERS "}");
    ASSERT_ANSWER(&s, "PATCH", DEFAULT "/pods/p", MERGE, "{\"spec\":{\"nodeName\":\"n\"}}", 422,
                  "Pod \\\"p\\\" is invalid: spec: Forbidden: pod updates may not change fields "
                  "other than `spec.containers[*].image`,");
    ASSERT_EQ(ask(&s, "PATCH", DEFAULT "/pods/p", MERGE,
                  "{\"spec\":{\"activeDeadlineSeconds\":5,\"tolerations\":[{\"key\":\"k\"}],"
                  "\"containers\":[{\"name\":\"c\",\"image\":\"j\",\"imagePullPolicy\":"
                  "\"Always\"}]}}"),
              200);
    ASSERT_EQ(
        ask(&s, "PATCH", DEFAULT "/pods/p", MERGE, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"),
        200);
    scene_close(&s);
}

TEST(immutable, is_what_claims_classes_and_jobs_are)
{
    scene s;

    open_with(&s, CLASSES,
              "{\"metadata\":{\"name\":\"c\"},\"provisioner\":\"a/b\",\"parameters\":{\"x\":"
              "\"y\"}}");
    ASSERT_ANSWER(&s, "PATCH", CLASSES "/c", MERGE, "{\"provisioner\":\"d/e\",\"parameters\":null}",
                  422,
                  "[parameters: Invalid value: null: field is immutable, provisioner: Invalid "
                  "value: \\\"d/e\\\": field is immutable]");
    ASSERT_EQ(ask(&s, "POST", JOBS, JSON,
                  "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{" CONTAINERS "}}}"),
              201);
    ASSERT_ANSWER(&s, "PATCH", JOBS "/j", MERGE, "{\"spec\":{\"completions\":4}}", 422,
                  "Job.batch \\\"j\\\" is invalid: spec.completions: Invalid value: 4: field is "
                  "immutable");
    ASSERT_EQ(ask(&s, "PATCH", JOBS "/j", MERGE, "{\"spec\":{\"parallelism\":4}}"), 200);
    ASSERT_EQ(ask(&s, "POST", DEFAULT "/persistentvolumeclaims", JSON,
                  "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
                  "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}"),
              201);
    ASSERT_ANSWER(&s, "PATCH", DEFAULT "/persistentvolumeclaims/c", MERGE,
                  "{\"spec\":{\"accessModes\":[\"ReadWriteMany\"]}}", 422,
                  "spec: Forbidden: spec is immutable after creation except resources.requests");
    ASSERT_EQ(ask(&s, "PATCH", DEFAULT "/persistentvolumeclaims/c", MERGE,
                  "{\"spec\":{\"volumeName\":\"v\"}}"),
              200);
    scene_close(&s);
}

TEST_FAILING_ALLOC(immutable, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        bool is_done = ask(&s, "POST", APPS "/statefulsets", JSON, WORKLOAD) != 0 &&
                       ask(&s, "PATCH", APPS "/statefulsets/w", MERGE, OTHER_SELECTOR) != 0;
        code = is_done ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}
