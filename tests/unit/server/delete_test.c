/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delete_test.c - what DELETE removes, marks and leaves.
 */
#include "server/direct.h"
#include "unit/server/writing.h"

#define POD                                                                                        \
    "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"name\":"      \
    "\"c\","                                                                                       \
    "\"image\":\"i\"}]}}"

static void open_with(scene *s, const char *path, const char *body)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", path, JSON, body), 201);
}

TEST(delete, removes_at_once_and_says_what_it_was)
{
    scene s;
    char want[256];

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"c-3\"}}");
    snprintf(want, sizeof want,
             "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\","
             "\"details\":{\"name\":\"c-3\",\"kind\":\"configmaps\",\"uid\":\"%.36s\"}}",
             strstr(s.body, "\"uid\":\"") + 7);
    ASSERT_EQ(ask(&s, "DELETE", CONFIGMAPS "/c-3", JSON, "{\"propagationPolicy\":\"Background\"}"),
              200);
    ASSERT_STR_EQ(s.body, want);
    ASSERT_EQ(revision(&s), 4);
    ASSERT_EQ(ask(&s, "DELETE", CONFIGMAPS "/c-3", NULL, NULL), 404);
    scene_close(&s);
}

TEST(delete, waits_for_finalizers)
{
    scene s;

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"f-1\",\"finalizers\":[\"a.b/c\"]}}");
    kin__virtual_clock_advance(&s.clock, 5000);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/f-1", NULL, NULL, 200,
                  "\"resourceVersion\":\"4\",\"creationTimestamp\":\"2026-11-16T12:00:00Z\","
                  "\"deletionTimestamp\":\"2026-11-16T12:00:05Z\",\"deletionGracePeriodSeconds\":0,"
                  "\"finalizers\":[\"a.b/c\"]}}");
    kin__virtual_clock_advance(&s.clock, 5000);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/f-1?orphanDependents=false", NULL, NULL, 202,
                  "\"resourceVersion\":\"4\"");
    ASSERT_EQ(revision(&s), 4);
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/f-1", MERGE,
                  "{\"metadata\":{\"finalizers\":[\"a.b/c\",\"example.com/two\"]}}", 422,
                  "\"message\":\"ConfigMap \\\"f-1\\\" is invalid: metadata.finalizers: Forbidden: "
                  "no new finalizers can be added if the object is being deleted, found new "
                  "finalizers []string{\\\"example.com/two\\\"}\"");
    ASSERT_ANSWER(&s, "PATCH", CONFIGMAPS "/f-1", MERGE, "{\"metadata\":{\"finalizers\":null}}",
                  200, "\"resourceVersion\":\"4\"");
    ASSERT_EQ(ask(&s, "GET", CONFIGMAPS "/f-1", NULL, NULL), 404);
    scene_close(&s);
}

TEST(delete, has_preconditions)
{
    scene s;
    char uid[40];
    char want[320];

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"up\"}}");
    snprintf(uid, sizeof uid, "%.36s", strstr(s.body, "\"uid\":\"") + 7);
    snprintf(want, sizeof want,
             "\"message\":\"Operation cannot be fulfilled on ConfigMap \\\"up\\\": the UID in the "
             "precondition (x) does not match the UID in record (%s). The object might have been "
             "deleted and then recreated\",\"reason\":\"Conflict\",\"details\":{\"name\":\"up\","
             "\"kind\":\"ConfigMap\"},\"code\":409}",
             uid);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/up", JSON,
                  "{\"preconditions\":{\"uid\":\"x\",\"resourceVersion\":\"1\"}}", 409, want);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/up", JSON,
                  "{\"preconditions\":{\"resourceVersion\":\"1\"}}", 409,
                  "the ResourceVersion in the precondition (1) does not match the ResourceVersion "
                  "in record (3). The object might have been modified");
    scene_close(&s);
}

TEST(delete, reads_its_options_from_the_body_or_the_query)
{
    scene s;

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"c\"}}");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/c", JSON, "{\"propagationPolicy\":\"X\"}", 422,
                  "\"message\":\"DeleteOptions.meta.k8s.io \\\"\\\" is invalid: propagationPolicy: "
                  "Unsupported value: \\\"X\\\": supported values: \\\"Foreground\\\", "
                  "\\\"Background\\\", \\\"Orphan\\\", \\\"nil\\\"\",\"reason\":\"Invalid\","
                  "\"details\":{\"group\":\"meta.k8s.io\",\"kind\":\"DeleteOptions\",\"causes\":[{"
                  "\"reason\":\"FieldValueNotSupported\"");
    ASSERT_EQ(ask(&s, "DELETE", CONFIGMAPS "/c?propagationPolicy=X", NULL, NULL), 422);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/c", JSON,
                  "{\"orphanDependents\":true,\"propagationPolicy\":\"Orphan\"}", 422,
                  "propagationPolicy: Invalid value: \\\"Orphan\\\": orphanDependents and "
                  "deletionPropagation cannot be both set");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/c", JSON, "{\"dryRun\":[\"x\"]}", 422,
                  "dryRun: Unsupported value: [\\\"x\\\"]: supported values: \\\"All\\\"");
    ASSERT_ANSWER(
        &s, "DELETE", CONFIGMAPS "/c", JSON, "{bad", 400,
        "\"message\":\"couldn't get version/kind; json parse error: invalid character 'b' "
        "looking for beginning of object key string\"");
    ASSERT_ANSWER(
        &s, "DELETE", CONFIGMAPS "/c", JSON, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}", 400,
        "\"message\":\"no kind \\\"Pod\\\" is registered for version \\\"v1\\\" in scheme "
        "\\\"pkg/runtime/scheme.go:111\\\"\"");
    ASSERT_EQ(ask(&s, "DELETE", CONFIGMAPS "/c", "text/plain", "{}"), 415);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/c?dryRun=All", NULL, NULL, 200, "Success");
    ASSERT_EQ(revision(&s), 3);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/c", JSON,
                  "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"apps/v1\",\"foo\":1}", 200,
                  "Success");
    scene_close(&s);
}

TEST(delete, reads_its_preconditions_from_the_query_of_a_request_without_a_body)
{
    scene s;
    char target[160];

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"c\"}}");
    snprintf(target, sizeof target, CONFIGMAPS "/c?resourceVersion=3&uid=%.36s",
             strstr(s.body, "\"uid\":\"") + 7);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/c?uid=x&resourceVersion=1", NULL, NULL, 409,
                  "the UID in the precondition (x) does not match the UID in record (");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/c?uid=&resourceVersion=1", NULL, NULL, 409,
                  "the ResourceVersion in the precondition (1) does not match");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "?uid=x", NULL, NULL, 409,
                  "\"message\":\"Operation cannot be fulfilled on ConfigMap \\\"c\\\": the UID in "
                  "the precondition (x)");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/c?uid=x&dryRun=All", JSON, "{\"dryRun\":[\"All\"]}",
                  200, "Success");
    ASSERT_EQ(revision(&s), 3);
    ASSERT_ANSWER(&s, "DELETE", target, NULL, NULL, 200, "Success");
    scene_close(&s);
}

TEST(delete, takes_options_in_protobuf)
{
    /* An envelope of apps/v1 DeleteOptions with preconditions.uid "x", as client-go sends it. */
    static const char bytes[] = "k8s\0\n\030\n\007apps/v1\022\rDeleteOptions\022\005\022\003\n\001x"
                                "\032\0\"\0";
    scene s;

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"c\"}}");
    ASSERT_EQ(ask_as(&s, JSON, "DELETE", CONFIGMAPS "/c", "application/vnd.kubernetes.protobuf",
                     kin__str(bytes, sizeof bytes - 1)),
              409);
    ASSERT_CONTAINS(s.body, "the UID in the precondition (x) does not match");
    scene_close(&s);
}

TEST(delete, gives_running_pods_grace_that_can_only_shrink)
{
    scene s;

    open_with(&s, DEFAULT "/pods", POD);
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/pods/p", NULL, NULL, 200,
                  "\"resourceVersion\":\"4\",\"generation\":2,\"creationTimestamp\":"
                  "\"2026-11-16T12:00:00Z\",\"deletionTimestamp\":\"2026-11-16T12:00:30Z\","
                  "\"deletionGracePeriodSeconds\":30");
    kin__virtual_clock_advance(&s.clock, 3000);
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/pods/p", NULL, NULL, 200, "\"resourceVersion\":\"4\"");
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/pods/p?gracePeriodSeconds=5", NULL, NULL, 200,
                  "\"resourceVersion\":\"5\",\"generation\":2,\"creationTimestamp\":"
                  "\"2026-11-16T12:00:00Z\",\"deletionTimestamp\":\"2026-11-16T12:00:05Z\","
                  "\"deletionGracePeriodSeconds\":5");
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/pods/p?gracePeriodSeconds=50", NULL, NULL, 200,
                  "\"resourceVersion\":\"5\"");
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/pods/p?gracePeriodSeconds=-1", NULL, NULL, 200,
                  "\"deletionGracePeriodSeconds\":1");
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/pods/p?gracePeriodSeconds=0", NULL, NULL, 200,
                  "\"resourceVersion\":\"8\"");
    ASSERT_CONTAINS(s.body, "\"deletionGracePeriodSeconds\":0");
    ASSERT_EQ(revision(&s), 8);
    ASSERT_EQ(ask(&s, "GET", DEFAULT "/pods/p", NULL, NULL), 404);
    scene_close(&s);
}

/* Whose end is beyond what a date can say. */
TEST(delete, of_a_pod_with_endless_grace_can_be_hastened)
{
    scene s;

    open_with(&s, DEFAULT "/pods",
              "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\",\"containers\":[{"
              "\"name\":\"c\",\"image\":\"i\"}],\"terminationGracePeriodSeconds\":"
              "9223372036854775807}}");
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/pods/p", NULL, NULL, 200,
                  "\"deletionTimestamp\":\"2026-11-16T11:59:59Z\","
                  "\"deletionGracePeriodSeconds\":9223372036854775807");
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/pods/p?gracePeriodSeconds=5", NULL, NULL, 200,
                  "\"deletionTimestamp\":\"2026-11-16T12:00:05Z\","
                  "\"deletionGracePeriodSeconds\":5");
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/pods/p?gracePeriodSeconds=0", NULL, NULL, 200,
                  "\"deletionTimestamp\":\"2026-11-16T12:00:00Z\","
                  "\"deletionGracePeriodSeconds\":0");
    ASSERT_EQ(ask(&s, "GET", DEFAULT "/pods/p", NULL, NULL), 404);
    scene_close(&s);
}

TEST(delete, of_a_pod_on_no_node_is_two_changes_at_once)
{
    scene s;

    open_with(&s, DEFAULT "/pods",
              "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
              "\"i\"}]}}");
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/pods/p", NULL, NULL, 200,
                  "\"resourceVersion\":\"5\",\"generation\":2");
    ASSERT_EQ(revision(&s), 5);
    ASSERT_EQ(ask(&s, "GET", DEFAULT "/pods/p", NULL, NULL), 404);
    scene_close(&s);
}

TEST(delete, of_a_collection_tells_what_there_was)
{
    scene s;

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"a\",\"labels\":{\"dc\":\"1\"}}}");
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, JSON,
                  "{\"metadata\":{\"name\":\"b\",\"labels\":{\"dc\":\"1\"},\"finalizers\":["
                  "\"a.b/c\"]}}"),
              201);
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"name\":\"other\"}}"), 201);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "?labelSelector=dc%3D1&dryRun=All", NULL, NULL, 200,
                  "\"name\":\"a\"");
    ASSERT_EQ(revision(&s), 5);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "?labelSelector=dc%3D1", NULL, NULL, 200,
                  "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
                  "\"resourceVersion\":\"5\"},\"items\":[{\"metadata\":{\"name\":\"a\"");
    ASSERT_TRUE(strstr(s.body, "deletionTimestamp") == NULL);
    ASSERT_TRUE(strstr(s.body, "other") == NULL);
    ASSERT_EQ(ask(&s, "GET", CONFIGMAPS "/a", NULL, NULL), 404);
    ASSERT_ANSWER(&s, "GET", CONFIGMAPS "/b", NULL, NULL, 200, "deletionTimestamp");
    ASSERT_EQ(ask(&s, "GET", CONFIGMAPS "/other", NULL, NULL), 200);
    scene_close(&s);
}

static void open_with_five(scene *s)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    for (char name = 'a'; name <= 'e'; name++) {
        char body[64];
        snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"%c\"}}", name);
        ASSERT_EQ(ask(s, "POST", CONFIGMAPS, JSON, body), 201);
    }
}

/* The rest of `query` behind the token of the last answer. */
static const char *continued(const scene *s, const char *query)
{
    static char target[512];
    const char *token = strstr(s->body, "\"continue\":\"");

    ASSERT_TRUE(token != NULL);
    token += strlen("\"continue\":\"");
    snprintf(target, sizeof target, CONFIGMAPS "?continue=%.*s%s", (int) strcspn(token, "\""),
             token, query);
    return target;
}

TEST(delete, of_a_collection_goes_on_where_a_page_ended)
{
    scene s;

    open_with_five(&s);
    ASSERT_EQ(ask(&s, "GET", CONFIGMAPS "?limit=2", NULL, NULL), 200);
    ASSERT_EQ(ask(&s, "DELETE", continued(&s, "&limit=1"), NULL, NULL), 200);
    ASSERT_CONTAINS(s.body, "\"remainingItemCount\":2");
    ASSERT_CONTAINS(s.body, "\"items\":[{\"metadata\":{\"name\":\"c\"");
    ASSERT_TRUE(strstr(s.body, "\"name\":\"d\"") == NULL);
    ASSERT_EQ(ask(&s, "DELETE", continued(&s, ""), NULL, NULL), 200);
    ASSERT_CONTAINS(s.body, "\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{"
                            "\"name\":\"d\"");
    ASSERT_ANSWER(&s, "GET", CONFIGMAPS, NULL, NULL, 200, "\"name\":\"b\"");
    ASSERT_TRUE(strstr(s.body, "\"name\":\"c\"") == NULL);
    ASSERT_TRUE(strstr(s.body, "\"name\":\"e\"") == NULL);
    scene_close(&s);
}

TEST(delete, of_a_collection_refuses_a_page_that_is_none_and_deletes_nothing)
{
    scene s;

    open_with_five(&s);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "?continue=abc", NULL, NULL, 400,
                  "\"message\":\"invalid continue token: continue key is not valid: ");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "?continue=abc&propagationPolicy=X", NULL, NULL, 422,
                  "DeleteOptions.meta.k8s.io");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "?fieldSelector=a%3Db&propagationPolicy=X", NULL, NULL,
                  400, "is not a known field selector");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "?resourceVersionMatch=X&propagationPolicy=X", NULL,
                  NULL, 422, "ListOptions.meta.k8s.io");
    ASSERT_EQ(ask(&s, "GET", CONFIGMAPS "?limit=2", NULL, NULL), 200);
    char target[512];
    snprintf(target, sizeof target, "%s", continued(&s, ""));
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"name\":\"f\"}}"), 201);
    kin__storage_compact(s.engine.storage, revision(&s));
    ASSERT_ANSWER(&s, "DELETE", target, NULL, NULL, 410,
                  "\"message\":\"The provided continue parameter is too old to display a "
                  "consistent list result.");
    ASSERT_CONTAINS(s.body, "\"metadata\":{\"continue\":\"");
    ASSERT_EQ(revision(&s), 8);
    ASSERT_EQ(ask(&s, "DELETE", continued(&s, "&limit=1"), NULL, NULL), 200);
    ASSERT_CONTAINS(s.body, "\"items\":[{\"metadata\":{\"name\":\"c\"");
    scene_close(&s);
}

/* A version without a match means that very state: there is a limit, though none was given. */
TEST(delete, of_a_collection_at_a_version_is_of_what_there_was_then)
{
    scene s;

    open_with_five(&s);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "?resourceVersion=3", NULL, NULL, 200,
                  "\"metadata\":{\"resourceVersion\":\"3\"},\"items\":[{\"metadata\":{\"name\":"
                  "\"a\"");
    ASSERT_TRUE(strstr(s.body, "\"name\":\"b\"") == NULL);
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "?resourceVersion=0", NULL, NULL, 409,
                  "\\\"b\\\": the ResourceVersion in the precondition (0) does not match the "
                  "ResourceVersion in record (4)");
    ASSERT_ANSWER(&s, "GET", CONFIGMAPS, NULL, NULL, 200,
                  "\"items\":[{\"metadata\":{\"name\":"
                  "\"b\"");
    scene_close(&s);
}

/* The metadata of the first page and the items of all: as seen on kube-apiserver 1.36.3. */
TEST(delete, of_a_collection_of_many_pages_is_of_all_of_them)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    scene s;
    kin_error err;
    uint64_t newest;

    ASSERT_OK(scene_open(&s, &err));
    for (int i = 0; i < KIN__DELETED_AT_ONCE + 3; i++) {
        char body[128];
        snprintf(body, sizeof body,
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":"
                 "\"default\",\"name\":\"c%05d\"}}",
                 i);
        ASSERT_TRUE(kin__put_direct(&s.engine, kin_str_of(body), &newest, &no));
    }
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS, NULL, NULL, 200, "\"remainingItemCount\":3}");
    ASSERT_CONTAINS(s.body, "\"continue\":\"");
    ASSERT_CONTAINS(s.body, "\"name\":\"c00000\"");
    ASSERT_CONTAINS(s.body, "\"name\":\"c10002\"");
    ASSERT_ANSWER(&s, "GET", CONFIGMAPS, NULL, NULL, 200, "\"items\":[]");
    scene_close(&s);
}

TEST_FAILING_ALLOC(delete, of_a_collection_survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int made = ask(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"name\":\"a\"}}");
        int status = made == 0 ? 0 : ask(&s, "DELETE", CONFIGMAPS "?uid=", NULL, NULL);
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 200 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}

TEST(delete, in_a_dry_run_tells_the_version_that_is_there)
{
    scene s;

    open_with(&s, DEFAULT "/services",
              "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"ports\":[{\"port\":1}]}}");
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/services/a?dryRun=All", NULL, NULL, 200,
                  "\"resourceVersion\":\"3\"");
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/services/a", NULL, NULL, 200,
                  "\"resourceVersion\":\"4\"");
    scene_close(&s);
}

TEST(delete, is_not_for_every_namespace)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(
        &s, "DELETE", "/api/v1/namespaces/default", NULL, NULL, 403,
        "\"message\":\"namespaces \\\"default\\\" is forbidden: this namespace may not be "
        "deleted\",\"reason\":\"Forbidden\",\"details\":{\"name\":\"default\",\"kind\":"
        "\"namespaces\"},\"code\":403}");
    scene_close(&s);
}

TEST_FAILING_ALLOC(delete, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int made = ask(&s, "POST", DEFAULT "/pods", JSON, POD);
        int status = made == 0
                         ? 0
                         : ask(&s, "DELETE", DEFAULT "/pods/p", JSON, "{\"gracePeriodSeconds\":0}");
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 200 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
