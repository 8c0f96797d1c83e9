/* SPDX-License-Identifier: Apache-2.0 */
/*
 * review_test.c - what is created and never kept.
 */
#include "server/guard.h"
#include "unit/server/writing.h"

#define AUTHORIZATION "/apis/authorization.k8s.io/v1"
#define AUTHENTICATION "/apis/authentication.k8s.io/v1"
#define PODS DEFAULT "/pods"
#define POD                                                                                        \
    "{\"metadata\":{\"name\":\"p1\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}" \
    "}"

TEST(review, says_yes_to_who_asks_whether_he_may)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", AUTHORIZATION "/selfsubjectaccessreviews", JSON,
                  "{\"spec\":{\"resourceAttributes\":{\"verb\":\"get\",\"resource\":\"pods\"}}}"),
              201);
    ASSERT_STR_EQ(s.body, "{\"kind\":\"SelfSubjectAccessReview\",\"apiVersion\":"
                          "\"authorization.k8s.io/v1\",\"metadata\":{},\"spec\":{"
                          "\"resourceAttributes\":{\"verb\":\"get\",\"resource\":\"pods\"}},"
                          "\"status\":{\"allowed\":true}}");
    ASSERT_ANSWER(&s, "POST", AUTHORIZATION "/selfsubjectrulesreviews", JSON,
                  "{\"spec\":{\"namespace\":\"default\"}}", 201,
                  "\"resourceRules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":["
                  "\"*\"]}]");
    ASSERT_ANSWER(&s, "POST", AUTHENTICATION "/selfsubjectreviews", JSON, "{}", 201,
                  "\"metadata\":{\"creationTimestamp\":\"2026-11-16T12:00:00Z\"},\"status\":{"
                  "\"userInfo\":{\"username\":\"kin\"");
    ASSERT_EQ(revision(&s), 2);
    scene_close(&s);
}

TEST(review, says_that_its_list_lacks_what_is_forbidden)
{
    scene s;
    kin__guard guard = { 0 };
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    s.engine.guard = &guard;
    ASSERT_ANSWER(&s, "POST", AUTHORIZATION "/selfsubjectrulesreviews", JSON,
                  "{\"spec\":{\"namespace\":\"default\"}}", 201, "\"incomplete\":false}}");
    ASSERT_OK(kin__guard_set_rules(&guard, STR("[{\"verbs\":[\"get\"]}]"), &err));
    ASSERT_ANSWER(&s, "POST", AUTHORIZATION "/selfsubjectrulesreviews", JSON,
                  "{\"spec\":{\"namespace\":\"default\"}}", 201,
                  "\"incomplete\":true,\"evaluationError\":\"what is forbidden cannot be told "
                  "here\"}}");
    kin__guard_fini(&guard);
    scene_close(&s);
}

/* Whether a review says that it is allowed. */
static bool is_allowed(scene *s, const char *resource, const char *spec)
{
    char path[128], body[256];

    (void) snprintf(path, sizeof path, AUTHORIZATION "/%s", resource);
    (void) snprintf(body, sizeof body, "{\"spec\":%s}", spec);
    ASSERT_EQ(ask(s, "POST", path, JSON, body), 201);
    return strstr(s->body, "\"status\":{\"allowed\":true}") != NULL;
}

TEST(review, says_no_where_a_rule_forbids_it)
{
#define SELF "selfsubjectaccessreviews"
#define OTHER "subjectaccessreviews"
#define RESOURCE(members) "{\"resourceAttributes\":{" members "}}"
    scene s;
    kin__guard guard = { 0 };
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_OK(kin__guard_set_rules(&guard,
                                   STR("[{\"verbs\":[\"list\"],\"resources\":[\"secrets\"],"
                                       "\"namespaces\":[\"kube-system\"]},"
                                       "{\"resources\":[\"deployments.apps\"]}]"),
                                   &err));
    s.engine.guard = &guard;
    ASSERT_FALSE(is_allowed(&s, SELF,
                            RESOURCE("\"verb\":\"list\",\"resource\":\"secrets\","
                                     "\"namespace\":\"kube-system\"")));
    ASSERT_TRUE(is_allowed(&s, SELF, RESOURCE("\"verb\":\"list\",\"resource\":\"secrets\"")));
    ASSERT_TRUE(is_allowed(&s, SELF,
                           RESOURCE("\"verb\":\"get\",\"resource\":\"secrets\","
                                    "\"namespace\":\"kube-system\"")));
    ASSERT_FALSE(is_allowed(&s, SELF,
                            RESOURCE("\"verb\":\"use\",\"group\":\"apps\","
                                     "\"resource\":\"deployments\"")));
    ASSERT_FALSE(
        is_allowed(&s, SELF, RESOURCE("\"verb\":\"*\",\"group\":\"*\",\"resource\":\"*\"")));
    ASSERT_TRUE(
        is_allowed(&s, SELF, "{\"nonResourceAttributes\":{\"path\":\"/api\",\"verb\":\"get\"}}"));
    ASSERT_FALSE(is_allowed(&s, OTHER,
                            "{\"user\":\"system:anonymous\",\"nonResourceAttributes\":{"
                            "\"path\":\"/api\",\"verb\":\"get\"}}"));
    kin__guard_fini(&guard);
    scene_close(&s);
}

TEST(review, binds_a_pod_once)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", PODS, JSON, POD), 201);
    ASSERT_EQ(
        ask(&s, "POST", PODS "/p1/binding", JSON,
            "{\"metadata\":{\"name\":\"p1\"},\"target\":{\"kind\":\"Node\",\"name\":\"n1\"}}"),
        201);
    ASSERT_STR_EQ(s.body, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                          "\"Success\",\"code\":201}");
    ASSERT_ANSWER(&s, "GET", PODS "/p1", NULL, NULL, 200, "\"nodeName\":\"n1\"");
    ASSERT_CONTAINS(s.body, "\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\","
                            "\"lastProbeTime\":null,\"lastTransitionTime\":"
                            "\"2026-11-16T12:00:00Z\"}]");
    ASSERT_CONTAINS(s.body, "\"generation\":1");
    ASSERT_ANSWER(
        &s, "POST", PODS "/p1/binding", JSON,
        "{\"metadata\":{\"name\":\"p1\"},\"target\":{\"kind\":\"Node\",\"name\":\"n1\"}}", 409,
        "\"message\":\"Operation cannot be fulfilled on pods/binding \\\"p1\\\": pod p1 is "
        "already assigned to node \\\"n1\\\"\",\"reason\":\"Conflict\",\"details\":{"
        "\"name\":\"p1\",\"kind\":\"pods/binding\"},\"code\":409}");
    scene_close(&s);
}

TEST(review, binds_the_pod_that_a_binding_is_named_after)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", PODS, JSON, POD), 201);
    ASSERT_ANSWER(&s, "POST", DEFAULT "/bindings", JSON,
                  "{\"metadata\":{\"name\":\"p2\"},\"target\":{\"name\":\"n1\"}}", 404,
                  "pods \\\"p2\\\" not found");
    ASSERT_ANSWER(&s, "POST", DEFAULT "/bindings", JSON,
                  "{\"metadata\":{\"name\":\"p1\"},\"target\":{\"name\":\"n1\"}}", 201,
                  "\"status\":\"Success\",\"code\":201}");
    ASSERT_ANSWER(&s, "GET", PODS "/p1", NULL, NULL, 200, "\"nodeName\":\"n1\"");
    scene_close(&s);
}

TEST(review, evicts)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", PODS, JSON, POD), 201);
    ASSERT_ANSWER(&s, "POST", PODS "/p1/eviction", JSON,
                  "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":"
                  "\"p1\"}}",
                  201, "\"status\":\"Success\",\"code\":201}");
    ASSERT_EQ(ask(&s, "GET", PODS "/p1", NULL, NULL), 404);
    ASSERT_ANSWER(&s, "POST", PODS "/p1/eviction", JSON,
                  "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":"
                  "\"p1\"}}",
                  404, "pods \\\"p1\\\" not found");
    scene_close(&s);
}

TEST_FAILING_ALLOC(review, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        bool is_made = ask(&s, "POST", PODS, JSON, POD) != 0 &&
                       ask(&s, "POST", PODS "/p1/binding", JSON,
                           "{\"metadata\":{\"name\":\"p1\"},\"target\":{\"name\":\"n1\"}}") != 0 &&
                       ask(&s, "POST", AUTHENTICATION "/selfsubjectreviews", JSON, "{}") != 0;
        code = is_made ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}
