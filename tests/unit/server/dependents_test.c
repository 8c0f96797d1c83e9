/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dependents_test.c - finalizers for a garbage collector.
 */
#include "server/dependents.h"

#include "unit/server/writing.h"

#define TEMPLATE                                                                                   \
    "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":"   \
    "\"c\",\"image\":\"i:1\"}]}}"

static kin_err open_with_collector(scene *s, kin_error *err)
{
    kin_err code = scene_open(s, err);

    s->engine.has_collector = true;
    return code;
}

static void make(scene *s, const char *name, const char *finalizers)
{
    char body[256];

    (void) snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"%s\",\"finalizers\":[%s]}}", name,
                    finalizers);
    ASSERT_EQ(ask(s, "POST", CONFIGMAPS, JSON, body), 201);
}

TEST(dependents, are_left_to_the_collector_by_a_finalizer)
{
    scene s;
    kin_error err;

    ASSERT_OK(open_with_collector(&s, &err));
    make(&s, "a", "");
    make(&s, "b", "");
    make(&s, "c", "");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/a?propagationPolicy=Foreground", NULL, NULL, 200,
                  "\"finalizers\":[\"foregroundDeletion\"]");
    ASSERT_CONTAINS(s.body, "\"deletionTimestamp\":\"2026-11-16T12:00:00Z\","
                            "\"deletionGracePeriodSeconds\":0");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/b", JSON, "{\"propagationPolicy\":\"Orphan\"}", 200,
                  "\"finalizers\":[\"orphan\"]");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/c?orphanDependents=true", NULL, NULL, 200,
                  "\"finalizers\":[\"orphan\"]");
    ASSERT_EQ(ask(&s, "PATCH", CONFIGMAPS "/a", MERGE, "{\"metadata\":{\"finalizers\":null}}"),
              200);
    ASSERT_EQ(ask(&s, "GET", CONFIGMAPS "/a", NULL, NULL), 404);
    scene_close(&s);
}

TEST(dependents, are_nobodys_concern_without_a_collector)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    make(&s, "a", "");
    ASSERT_EQ(ask(&s, "DELETE", CONFIGMAPS "/a?propagationPolicy=Foreground", NULL, NULL), 200);
    ASSERT_EQ(ask(&s, "GET", CONFIGMAPS "/a", NULL, NULL), 404);
    scene_close(&s);
}

TEST(dependents, are_treated_as_the_last_deletion_says)
{
    scene s;
    kin_error err;

    ASSERT_OK(open_with_collector(&s, &err));
    make(&s, "a", "\"example.com/own\",\"orphan\"");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/a", NULL, NULL, 200,
                  "\"finalizers\":[\"example.com/own\",\"orphan\"]");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/a?propagationPolicy=Foreground", NULL, NULL, 200,
                  "\"finalizers\":[\"example.com/own\",\"foregroundDeletion\"]");
    ASSERT_ANSWER(&s, "DELETE", CONFIGMAPS "/a?propagationPolicy=Background", NULL, NULL, 200,
                  "\"finalizers\":[\"example.com/own\"]");
    make(&s, "b", "\"orphan\"");
    ASSERT_EQ(ask(&s, "DELETE", CONFIGMAPS "/b?propagationPolicy=Background", NULL, NULL), 200);
    ASSERT_EQ(ask(&s, "GET", CONFIGMAPS "/b", NULL, NULL), 404);
    scene_close(&s);
}

TEST(dependents, of_old_kinds_are_orphaned_unless_it_is_said)
{
    scene s;
    kin_error err;

    ASSERT_OK(open_with_collector(&s, &err));
    ASSERT_EQ(ask(&s, "POST", DEFAULT "/replicationcontrollers", JSON,
                  "{\"metadata\":{\"name\":\"r\"},\"spec\":{" TEMPLATE "}}"),
              201);
    ASSERT_ANSWER(&s, "DELETE", DEFAULT "/replicationcontrollers/r", NULL, NULL, 200,
                  "\"finalizers\":[\"orphan\"]");
    make(&s, "a", "");
    ASSERT_EQ(ask(&s, "DELETE", CONFIGMAPS "/a", NULL, NULL), 200);
    ASSERT_EQ(ask(&s, "GET", CONFIGMAPS "/a", NULL, NULL), 404);
    scene_close(&s);
}

TEST_FAILING_ALLOC(dependents, survive_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = open_with_collector(&s, &err);

    if (code == KIN_OK) {
        int status = ask(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"name\":\"a\"}}");
        if (status == 201) {
            status = ask(&s, "DELETE", CONFIGMAPS "/a?propagationPolicy=Orphan", NULL, NULL);
        }
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 200 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
