/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_test.c - the moment of a write.
 */
#include "server/write.h"

#include "server/field.h"
#include "unit/server/writing.h"

static kin__served *served_of(scene *s, const char *resource)
{
    return kin__shelf_find(s->engine.shelf, STR(""), STR("v1"), kin_str_of(resource));
}

TEST(write, commits_once_and_not_when_nothing_is_new)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__record_unref) kin__record *first = NULL;
    AUTO(kin__record_unref) kin__record *second = NULL;
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    kin__write write = { 0 };
    kin__write_init(&write, &s.engine, served_of(&s, "nodes"));
    write.object = kin__tree_of(STR("{\"metadata\":{\"name\":\"n\"}}"));
    ASSERT_TRUE(kin__write_commit(&write, &first, &no));
    ASSERT_EQ(first->revision, 3);
    ASSERT_EQ(first->head_len, strlen("{\"kind\":\"Node\",\"apiVersion\":\"v1\","));
    ASSERT_TRUE(strncmp(kin__record_text(first).data + first->head_len, "\"metadata\"", 10) == 0);

    write.before = kin__record_ref(first);
    ASSERT_TRUE(kin__write_commit(&write, &second, &no));
    ASSERT_TRUE(second == first);
    ASSERT_EQ(revision(&s), 3);
    kin__write_fini(&write);
    scene_close(&s);
}

/* Revisions go from one digit to two. */
TEST(write, says_a_change_under_its_new_version)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    kin__write write = { 0 };
    kin__write_init(&write, &s.engine, served_of(&s, "nodes"));
    write.object = kin__tree_of(STR("{\"metadata\":{\"name\":\"n\"},\"spec\":{\"podCIDR\":\"\"}}"));
    for (uint64_t i = 3; i < 13; i++) {
        AUTO(kin__record_unref) kin__record *again = NULL;
        kin__record *made = NULL;
        char version[24];

        snprintf(version, sizeof version, "%d", (int) i);
        ASSERT_TRUE(
            kin__field_set_text(kin__field(write.object, "spec"), "podCIDR", kin_str_of(version)));
        ASSERT_TRUE(kin__write_commit(&write, &made, &no));
        ASSERT_EQ(made->revision, i);
        ASSERT_SLICE_EQ(kin_object_resource_version(made->object), version);
        ASSERT_SLICE_EQ(kin__field_text(kin__field(write.object, "metadata"), "resourceVersion"),
                        version);
        ASSERT_TRUE(kin__write_record(write.stored, write.object, i, &again, &no));
        ASSERT_TRUE(kin__str_equal(kin__record_text(made), kin__record_text(again)));
        kin__record_unref(write.before);
        write.before = made;
    }
    kin__write_fini(&write);
    scene_close(&s);
}

TEST(write, tells_a_removal_with_its_own_version_or_another)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__record_unref) kin__record *told = NULL;
    AUTO(kin__write_fini) kin__write write = { 0 };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", CONFIGMAPS, JSON, "{\"metadata\":{\"name\":\"a\"}}"), 201);
    kin__write_init(&write, &s.engine, served_of(&s, "configmaps"));
    ASSERT_TRUE(kin__write_load(&write, STR("default"), STR("a"), &no));
    write.is_dry = true;
    ASSERT_TRUE(kin__write_remove(&write, 0, NULL, &no));
    ASSERT_EQ(revision(&s), 3);
    write.is_dry = false;
    ASSERT_TRUE(kin__write_remove(&write, 0, &told, &no));
    ASSERT_EQ(revision(&s), 4);
    ASSERT_SLICE_EQ(kin_object_resource_version(told->object), "4");
    kin__write_fini(&write);
    scene_close(&s);
}

TEST(write, keeps_the_first_of_owners_that_are_equal)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(
        &s, "POST", CONFIGMAPS, JSON,
        "{\"metadata\":{\"name\":\"a\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":"
        "\"Pod\",\"name\":\"a\",\"uid\":\"1\"},{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
        "\"name\":\"a\",\"uid\":\"1\"}]}}",
        201,
        "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"a\","
        "\"uid\":\"1\"}]}}");
    ASSERT_STR_EQ(s.warnings, ".metadata.ownerReferences contains duplicate entries; API server "
                              "dedups owner references in 1.20+, and may reject such requests as "
                              "early as 1.24; please fix your requests; duplicate UID(s) observed: "
                              "1");
    scene_close(&s);
}

TEST(write, remembers_warnings_while_their_buffer_grows)
{
    AUTO(kin__answer_fini) kin__answer answer = { 0 };
    char text_of[64];

    for (int i = 0; i < KIN__WARNINGS + 3; i++) {
        snprintf(text_of, sizeof text_of, "warning %d of many, long enough to move the buffer", i);
        ASSERT_TRUE(kin__answer_warn(&answer, kin_str_of(text_of)));
    }
    ASSERT_EQ(answer.warning_count, KIN__WARNINGS);
    ASSERT_SLICE_EQ(answer.warnings[0], "warning 0 of many, long enough to move the buffer");
    ASSERT_SLICE_EQ(answer.warnings[9], "warning 9 of many, long enough to move the buffer");
}

TEST_FAILING_ALLOC(write, changes_nothing_without_memory)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__record_unref) kin__record *made = NULL;
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        kin__write write = { 0 };
        kin__write_init(&write, &s.engine, served_of(&s, "nodes"));
        write.object = kin__tree_of(STR("{\"metadata\":{\"name\":\"n\"}}"));
        uint64_t before = revision(&s);
        bool is_done = write.object != NULL && kin__write_commit(&write, &made, &no);
        ASSERT_EQ(revision(&s), before + (is_done ? 1 : 0));
        if (is_done) {
            AUTO(kin__record_unref) kin__record *changed = NULL;
            write.before = kin__record_ref(made);
            is_done = kin__field_set_json(write.object, "spec", "{\"podCIDR\":\"10.0.0.0/24\"}") &&
                      kin__write_commit(&write, &changed, &no);
            ASSERT_EQ(revision(&s), before + (is_done ? 2 : 1));
        }
        code = is_done ? KIN_OK : KIN_ERR_NO_MEMORY;
        kin__write_fini(&write);
    }
    kin__record_unref(made);
    made = NULL;
    scene_close(&s);
    return code;
}
