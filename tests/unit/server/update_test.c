/* SPDX-License-Identifier: Apache-2.0 */
/*
 * update_test.c - what PUT replaces, and on what conditions.
 */
#include "unit/server/writing.h"

static void open_with(scene *s, const char *path, const char *body)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", path, JSON, body), 201);
}

static const char *uid_of(const scene *s)
{
    static char uid[64];

    snprintf(uid, sizeof uid, "%.36s", strstr(s->body, "\"uid\":\"") + 7);
    return uid;
}

TEST(update, replaces_what_is_there)
{
    scene s;

    open_with(&s, CONFIGMAPS,
              "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"y\"}},\"data\":{\"k\":\"v\"}}");
    ASSERT_ANSWER(&s, "PUT", CONFIGMAPS "/a", JSON,
                  "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"3\",\"creationTimestamp\":"
                  "\"2020-01-01T00:00:00Z\"},\"data\":{\"k\":\"n1\"}}",
                  200,
                  "\"resourceVersion\":\"4\",\"creationTimestamp\":\"2026-11-16T12:00:00Z\"},"
                  "\"data\":{\"k\":\"n1\"}}");
    scene_close(&s);
}

TEST(update, that_says_nothing_new_changes_nothing)
{
    scene s;

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}");
    uint64_t before = revision(&s);
    ASSERT_ANSWER(&s, "PUT", CONFIGMAPS "/a", JSON,
                  "{\"data\":{\"k\":\"v\"},\"metadata\":{\"name\":\"a\"}}", 200,
                  "\"resourceVersion\":\"3\"");
    ASSERT_EQ(revision(&s), before);
    scene_close(&s);
}

TEST(update, of_another_version_is_a_conflict)
{
    scene s;

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"c-1\"}}");
    ASSERT_ANSWER(
        &s, "PUT", CONFIGMAPS "/c-1", JSON,
        "{\"metadata\":{\"name\":\"c-1\",\"resourceVersion\":\"2\"}}", 409,
        "\"message\":\"Operation cannot be fulfilled on configmaps \\\"c-1\\\": the object "
        "has been modified; please apply your changes to the latest version and try "
        "again\",\"reason\":\"Conflict\",\"details\":{\"name\":\"c-1\",\"kind\":"
        "\"configmaps\"},\"code\":409}");
    ASSERT_ANSWER(&s, "PUT", CONFIGMAPS "/c-1", JSON,
                  "{\"metadata\":{\"name\":\"c-1\",\"resourceVersion\":\"abc\"}}", 500,
                  "\"message\":\"strconv.ParseUint: parsing \\\"abc\\\": invalid syntax\",\"code\":"
                  "500}");
    scene_close(&s);
}

TEST(update, of_another_uid_is_a_conflict_in_the_storages_words)
{
    scene s;
    char want[256];

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"c-1\"}}");
    snprintf(
        want, sizeof want,
        "StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/c-1, "
        "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: zzz,"
        " UID in object meta: %s\"",
        uid_of(&s));
    ASSERT_ANSWER(&s, "PUT", CONFIGMAPS "/c-1", JSON,
                  "{\"metadata\":{\"name\":\"c-1\",\"uid\":\"zzz\"}}", 409, want);
    scene_close(&s);
}

TEST(update, needs_the_name_of_the_path)
{
    scene s;

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"c-1\"}}");
    ASSERT_ANSWER(&s, "PUT", CONFIGMAPS "/c-1", JSON, "{\"metadata\":{\"name\":\"c-x\"}}", 400,
                  "the name of the object (c-x) does not match the name on the URL (c-1)");
    ASSERT_ANSWER(&s, "PUT", CONFIGMAPS "/c-1", JSON, "{\"data\":{\"k\":\"v\"}}", 400,
                  "the name of the object (c-1 based on URL) was undeterminable: name must be "
                  "provided");
    scene_close(&s);
}

TEST(update, of_what_is_missing_is_refused_or_makes_it)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(&s, "PUT", CONFIGMAPS "/nope", JSON, "{\"metadata\":{\"name\":\"nope\"}}", 404,
                  "configmaps \\\"nope\\\" not found");
    ASSERT_ANSWER(&s, "PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l1", JSON,
                  "{\"metadata\":{\"name\":\"l1\"}}", 201, "\"name\":\"l1\"");
    ASSERT_ANSWER(&s, "PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l1", JSON,
                  "{\"metadata\":{\"name\":\"l1\"},\"spec\":{\"leaseDurationSeconds\":5}}", 422,
                  "\"message\":\"leases.coordination.k8s.io \\\"l1\\\" is invalid: "
                  "metadata.resourceVersion: Invalid value: 0: must be specified for an update\","
                  "\"reason\":\"Invalid\",\"details\":{\"name\":\"l1\",\"group\":"
                  "\"coordination.k8s.io\",\"kind\":\"leases\",\"causes\":[{\"reason\":"
                  "\"FieldValueInvalid\",\"message\":\"Invalid value: 0: must be specified for an "
                  "update\",\"field\":\"metadata.resourceVersion\"}]},\"code\":422}");
    scene_close(&s);
}

TEST(update, cannot_begin_a_deletion)
{
    scene s;

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"up\"}}");
    ASSERT_ANSWER(&s, "PUT", CONFIGMAPS "/up", JSON,
                  "{\"metadata\":{\"name\":\"up\",\"deletionTimestamp\":\"2020-01-01T00:00:00Z\","
                  "\"deletionGracePeriodSeconds\":5}}",
                  422,
                  "\"message\":\"ConfigMap \\\"up\\\" is invalid: [metadata.deletionTimestamp: "
                  "Invalid value: \\\"2020-01-01T00:00:00Z\\\": field is immutable, "
                  "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable]\"");
    scene_close(&s);
}

TEST(update, that_takes_the_last_finalizer_away_deletes)
{
    scene s;

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"a.b/c\"]}}");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/f", NULL, NULL, 200, "\"deletionTimestamp\"");
    ASSERT_ANSWER(
        &s, "PUT", CONFIGMAPS "/f", JSON, "{\"metadata\":{\"name\":\"f\"},\"data\":{\"k\":\"v2\"}}",
        200,
        "\"resourceVersion\":\"4\",\"creationTimestamp\":\"2026-11-16T12:00:00Z\","
        "\"deletionTimestamp\":\"2026-11-16T12:00:00Z\",\"deletionGracePeriodSeconds\":0},"
        "\"data\":{\"k\":\"v2\"}}");
    ASSERT_EQ(revision(&s), 5);
    ASSERT_EQ(ask(&s, "GET", CONFIGMAPS "/f", NULL, NULL), 404);
    kin__served *served = kin__shelf_find(s.engine.shelf, STR(""), STR("v1"), STR("configmaps"));
    uint64_t last = kin__collection_end_change(served->collection) - 1;
    kin__change *change = kin__collection_change(served->collection, last);
    ASSERT_TRUE(change->after == NULL);
    ASSERT_TRUE(strstr(kin__record_text(change->before).data, "a.b/c") != NULL);
    scene_close(&s);
}

TEST(update, is_dry_when_it_is_told_to_be)
{
    scene s;

    open_with(&s, CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}");
    uint64_t before = revision(&s);
    ASSERT_ANSWER(&s, "PUT", CONFIGMAPS "/a?dryRun=All", JSON,
                  "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"w\"}}", 200, "\"k\":\"w\"");
    ASSERT_CONTAINS(s.body, "\"resourceVersion\":\"3\"");
    ASSERT_EQ(revision(&s), before);
    scene_close(&s);
}

TEST_FAILING_ALLOC(update, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int made = ask(&s, "POST", DEFAULT "/services", JSON,
                       "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"ports\":[{\"port\":1}]}}");
        int status = made == 0
                         ? 0
                         : ask(&s, "PUT", DEFAULT "/services/a", JSON,
                               "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"ports\":[{\"port\":"
                               "2}]}}");
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 200 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
