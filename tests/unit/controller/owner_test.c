/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner_test.c - owner references, read and written.
 */
#include "kin/owner.h"

#include <string.h>

#include "object/edit.h"
#include "support/test.h"

#define OWNER                                                                                      \
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Foo\",\"metadata\":{\"name\":\"foo\","          \
    "\"namespace\":\"shop\",\"uid\":\"u-1\"}}"
#define OURS                                                                                       \
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Foo\",\"name\":\"foo\",\"uid\":\"u-1\","        \
    "\"controller\":true,\"blockOwnerDeletion\":true}"
#define THEIRS "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"u-2\"}"
#define RULERS                                                                                     \
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"u-2\",\"controller\":true}"
#define POD(owners)                                                                                \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\",\"namespace\":"        \
    "\"shop\",\"uid\":\"p\",\"resourceVersion\":\"7\"" owners "},\"spec\":{\"nodeName\":\"n\"}}"
#define REFS(list) ",\"ownerReferences\":[" list "]"

static kin_error err;

static kin_object *make(const char *json, const kin_mask *mask)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;

    options.mask = mask;
    if (kin_object_from_json(json, strlen(json), &options, &object, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    return object;
}

static kin_edit *edit_of(const char *json)
{
    kin_object *object = make(json, NULL);
    kin_edit *edit = NULL;

    ASSERT_OK(kin_object_edit(object, &edit, &err));
    (void) kin_object_unref(object);
    return edit;
}

static void expect_patch(kin_edit *edit, const char *want)
{
    char *patch = NULL;
    size_t len = 0;

    ASSERT_OK(kin_edit_merge_patch(edit, 0, &patch, &len, &err));
    ASSERT_STR_EQ(patch, want);
    kin_free(patch);
}

static void expect_controlled(const char *pod, const char *owner, bool want)
{
    kin_object *p = make(pod, NULL);
    kin_object *o = make(owner, NULL);

    ASSERT_EQ(kin_object_is_controlled_by(p, o), want);
    (void) kin_object_unref(p);
    (void) kin_object_unref(o);
}

static void expect_set(const char *pod, const char *want)
{
    kin_edit *edit = edit_of(pod);
    kin_object *owner = make(OWNER, NULL);

    ASSERT_OK(kin_edit_set_controller(edit, owner, &err));
    expect_patch(edit, want);
    kin_edit_free(edit);
    (void) kin_object_unref(owner);
}

static void expect_refused(const char *pod, const char *owner, kin_err want)
{
    kin_edit *edit = edit_of(pod);
    kin_object *o = make(owner, NULL);

    ASSERT_ERR(kin_edit_set_controller(edit, o, &err), want);
    ASSERT_ERR(kin_edit_set_controller(edit, o, NULL), want);
    expect_patch(edit, "{}");
    kin_edit_free(edit);
    (void) kin_object_unref(o);
}

static void expect_removed(const char *pod, const char *want)
{
    kin_edit *edit = edit_of(pod);
    kin_object *owner = make(OWNER, NULL);

    ASSERT_OK(kin_edit_remove_owner(edit, owner, &err));
    expect_patch(edit, want);
    kin_edit_free(edit);
    (void) kin_object_unref(owner);
}

TEST(owner, controls_what_names_it_by_uid)
{
    expect_controlled(POD(REFS(THEIRS "," OURS)), OWNER, true);
    expect_controlled(POD(REFS("{\"uid\":\"u\\u002d1\",\"controller\":true}")), OWNER, true);
    expect_controlled(POD(REFS(THEIRS)), OWNER, false);
    expect_controlled(POD(""), OWNER, false);
    expect_controlled(POD(REFS("{\"uid\":\"u-1\",\"name\":\"foo\"}")), OWNER, false);
    expect_controlled(POD(REFS("{\"uid\":\"u-9\",\"name\":\"foo\",\"controller\":true}")), OWNER,
                      false);
}

TEST(owner, without_a_uid_controls_nothing)
{
    expect_controlled(POD(REFS("{\"uid\":\"\",\"controller\":true}")),
                      "{\"apiVersion\":\"v1\",\"kind\":\"Foo\",\"metadata\":{\"name\":\"foo\"}}",
                      false);
    expect_controlled(POD(REFS("{\"controller\":true}")),
                      "{\"apiVersion\":\"v1\",\"kind\":\"Foo\",\"metadata\":{\"name\":\"foo\"}}",
                      false);
}

TEST(owner, becomes_the_controller)
{
    expect_set(POD(""), "{\"metadata\":{\"ownerReferences\":[" OURS "]}}");
    expect_set(POD(",\"ownerReferences\":null"), "{\"metadata\":{\"ownerReferences\":[" OURS "]}}");
    expect_set(POD(REFS(THEIRS)), "{\"metadata\":{\"ownerReferences\":[" THEIRS "," OURS "]}}");
}

TEST(owner, that_is_the_controller_changes_nothing)
{
    expect_set(POD(REFS(THEIRS "," OURS)), "{}");
    expect_set(POD(REFS("{\"controller\":true,\"blockOwnerDeletion\":true,\"uid\":\"u-1\",\"name\":"
                        "\"foo\",\"kind\":\"Foo\",\"apiVersion\":\"example.com/v1\"}")),
               "{}");
}

TEST(owner, that_was_named_already_becomes_the_controller_in_its_place)
{
    expect_set(POD(REFS("{\"uid\":\"u-1\",\"kind\":\"Old\"}," THEIRS)),
               "{\"metadata\":{\"ownerReferences\":[" OURS "," THEIRS "]}}");
    expect_set(POD(REFS("{\"uid\":\"u-1\"}," THEIRS "," OURS)),
               "{\"metadata\":{\"ownerReferences\":[" OURS "," THEIRS "]}}");
}

TEST(owner, of_any_name_is_written_as_json)
{
    kin_edit *edit = edit_of(POD(""));
    kin_object *owner = make("{\"apiVersion\":\"v1\",\"kind\":\"K\\\"\\n\",\"metadata\":{\"name\":"
                             "\"a\\\\b\",\"uid\":\"\\\"\"}}",
                             NULL);

    ASSERT_OK(kin_edit_set_controller(edit, owner, &err));
    expect_patch(edit, "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":"
                       "\"K\\\"\\n\",\"name\":\"a\\\\b\",\"uid\":\"\\\"\",\"controller\":true,"
                       "\"blockOwnerDeletion\":true}]}}");
    kin_edit_free(edit);
    (void) kin_object_unref(owner);
}

TEST(owner, does_not_take_what_another_controls)
{
    expect_refused(POD(REFS(RULERS)), OWNER, KIN_ERR_CONFLICT);
    ASSERT_MESSAGE(&err, "set the controller of an object: it has another already: \"n\"");
    expect_refused(POD(REFS("{\"uid\":\"u-1\"}," RULERS)), OWNER, KIN_ERR_CONFLICT);
    expect_refused(POD(REFS("{\"controller\":true}")), OWNER, KIN_ERR_CONFLICT);
}

TEST(owner, needs_a_uid_an_api_version_and_a_kind)
{
    expect_refused(POD(""), "{\"apiVersion\":\"v1\",\"kind\":\"A\",\"metadata\":{\"name\":\"a\"}}",
                   KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "set the controller of an object: the owner has no uid");
    expect_refused(POD(""), "{\"kind\":\"A\",\"metadata\":{\"name\":\"a\",\"uid\":\"u\"}}",
                   KIN_ERR_USAGE);
    expect_refused(POD(""), "{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"uid\":\"u\"}}",
                   KIN_ERR_USAGE);
}

TEST(owner, of_another_namespace_is_refused)
{
    const char *cluster = "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\","
                          "\"uid\":\"u\"}}";
    kin_edit *edit = edit_of(POD(""));
    kin_object *owner = make(cluster, NULL);

    expect_refused("{\"metadata\":{\"name\":\"web\",\"namespace\":\"other\"}}", OWNER,
                   KIN_ERR_USAGE);
    expect_refused("{\"metadata\":{\"name\":\"web\"}}", OWNER, KIN_ERR_USAGE);
    ASSERT_OK(kin_edit_set_controller(edit, owner, &err));
    kin_edit_free(edit);
    (void) kin_object_unref(owner);
}

TEST(owner, counts_in_the_namespace_that_was_edited)
{
    kin_edit *edit = edit_of("{\"metadata\":{\"name\":\"web\",\"namespace\":\"other\"}}");
    kin_object *owner = make(OWNER, NULL);

    ASSERT_OK(kin_edit_set_str(edit, "metadata.namespace", kin_str_of("shop"), &err));
    ASSERT_OK(kin_edit_set_controller(edit, owner, &err));
    ASSERT_OK(kin_edit_remove(edit, "metadata.ownerReferences", &err));
    ASSERT_OK(kin_edit_set_controller(edit, owner, &err));
    expect_patch(edit, "{\"metadata\":{\"namespace\":\"shop\",\"ownerReferences\":[" OURS "]}}");
    kin_edit_free(edit);
    (void) kin_object_unref(owner);
}

TEST(owner, is_taken_away_wherever_it_is_named)
{
    expect_removed(POD(REFS(THEIRS "," OURS)), "{\"metadata\":{\"ownerReferences\":[" THEIRS "]}}");
    expect_removed(POD(REFS("{\"uid\":\"u-1\"}," THEIRS "," OURS)),
                   "{\"metadata\":{\"ownerReferences\":[" THEIRS "]}}");
    expect_removed(POD(REFS(OURS)), "{\"metadata\":{\"ownerReferences\":null}}");
    expect_removed(POD(REFS(THEIRS)), "{}");
    expect_removed(POD(REFS("")), "{}");
    expect_removed(POD(""), "{}");
}

TEST(owner, without_a_uid_is_not_taken_away)
{
    kin_edit *edit = edit_of(POD(REFS("{\"uid\":\"\"}")));
    kin_object *owner = make("{\"metadata\":{\"name\":\"a\"}}", NULL);

    ASSERT_ERR(kin_edit_remove_owner(edit, owner, &err), KIN_ERR_USAGE);
    expect_patch(edit, "{}");
    kin_edit_free(edit);
    (void) kin_object_unref(owner);
}

TEST(owner, of_a_partial_object_is_not_touched_when_a_mask_may_hide_some)
{
    const char *paths[] = { "spec" };
    kin_object *owner = make(OWNER, NULL);
    kin_mask *mask = NULL;
    kin_edit *edit = NULL;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &err));
    kin_object *bare = make(POD(""), mask);
    ASSERT_OK(kin_object_edit(bare, &edit, &err));
    ASSERT_ERR(kin_edit_set_controller(edit, owner, &err), KIN_ERR_PARTIAL);
    ASSERT_ERR(kin_edit_remove_owner(edit, owner, &err), KIN_ERR_PARTIAL);
    expect_patch(edit, "{}");
    kin_edit_free(edit);

    kin_object *owned = make(POD(REFS(THEIRS)), mask);
    ASSERT_OK(kin_object_edit(owned, &edit, &err));
    ASSERT_OK(kin_edit_set_controller(edit, owner, &err));
    expect_patch(edit, "{\"metadata\":{\"ownerReferences\":[" THEIRS "," OURS "]}}");
    kin_edit_free(edit);
    (void) kin_object_unref(bare);
    (void) kin_object_unref(owned);
    (void) kin_object_unref(owner);
    kin_mask_free(mask);
}

TEST(owner, references_that_are_no_array_are_an_error)
{
    kin_edit *edit = edit_of(POD(""));
    kin_object *owner = make(OWNER, NULL);

    ASSERT_OK(kin_edit_set_json(edit, "metadata.ownerReferences", kin_str_of("{\"a\":1}"), &err));
    ASSERT_TRUE(kin_edit_set_controller(edit, owner, &err) != KIN_OK);
    ASSERT_OK(kin_edit_set_json(edit, "metadata", kin_str_of("3"), &err));
    ASSERT_TRUE(kin_edit_set_controller(edit, owner, &err) != KIN_OK);
    ASSERT_OK(kin_edit_remove(edit, "metadata", &err));
    ASSERT_ERR(kin_edit_set_controller(edit, owner, &err), KIN_ERR_USAGE);
    kin_edit_free(edit);
    (void) kin_object_unref(owner);
}

static kin_err set_and_remove(kin_edit *edit, const kin_object *owner)
{
    if (kin_edit_set_controller(edit, owner, &err) != KIN_OK) {
        return err.code;
    }
    return kin_edit_remove_owner(edit, owner, &err);
}

TEST_FAILING_ALLOC(owner, lack_of_memory_is_an_error_like_any_other)
{
    kin_object *pod = NULL;
    kin_object *owner = NULL;
    kin_edit *edit = NULL;
    const char *json = POD(REFS(THEIRS));
    kin_err code = kin_object_from_json(json, strlen(json), NULL, &pod, &err);

    if (code == KIN_OK) {
        code = kin_object_from_json(OWNER, strlen(OWNER), NULL, &owner, &err);
    }
    if (code == KIN_OK) {
        code = kin_object_edit(pod, &edit, &err);
    }
    if (code == KIN_OK) {
        code = set_and_remove(edit, owner);
    }
    kin_edit_free(edit);
    (void) kin_object_unref(pod);
    (void) kin_object_unref(owner);
    return code;
}
