/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite_test.c - an array of an edit's metadata, written anew.
 */
#include "controller/rewrite.h"

#include <string.h>

#include "base/str.h"
#include "support/test.h"

#define PATH "metadata.finalizers"

static kin_error err;

static kin_edit *edit_of(const char *json)
{
    kin_object *object = NULL;
    kin_edit *edit = NULL;

    ASSERT_OK(kin_object_from_json(json, strlen(json), NULL, &object, &err));
    ASSERT_OK(kin_object_edit(object, &edit, &err));
    (void) kin_object_unref(object);
    return edit;
}

static void expect_patch(const kin_edit *edit, const char *want)
{
    char *patch = NULL;
    size_t len = 0;

    ASSERT_OK(kin_edit_merge_patch(edit, 0, &patch, &len, &err));
    ASSERT_STR_EQ(patch, want);
    kin_free(patch);
}

TEST(rewrite, changes_the_edit_at_its_end_alone)
{
    AUTO(kin__rewrite_fini) kin__rewrite rewrite = { 0 };
    AUTO(kin_edit_free)
    kin_edit *edit = edit_of("{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"x\",{\"y\":1}]}}");

    ASSERT_OK(kin__rewrite_begin(&rewrite, edit, PATH, &err));
    kin__rewrite_add(&rewrite, STR("\"new\""));
    ASSERT_OK(kin__rewrite_keep(&rewrite, kin_value_element(rewrite.elements, 1), &err));
    expect_patch(edit, "{}");
    ASSERT_OK(kin__rewrite_end(&rewrite, &err));
    expect_patch(edit, "{\"metadata\":{\"finalizers\":[\"new\",{\"y\":1}]}}");
}

TEST(rewrite, begins_with_what_was_edited_before)
{
    AUTO(kin__rewrite_fini) kin__rewrite rewrite = { 0 };
    AUTO(kin_edit_free) kin_edit *edit = edit_of("{\"metadata\":{\"name\":\"a\"}}");

    ASSERT_OK(kin_edit_set_json(edit, PATH, STR("[\"b\"]"), &err));
    ASSERT_OK(kin__rewrite_begin(&rewrite, edit, PATH, &err));
    ASSERT_EQ(kin_value_count(rewrite.elements), 1);
    ASSERT_OK(kin__rewrite_end(&rewrite, &err));
    expect_patch(edit, "{}");
}

TEST(rewrite, of_something_else_is_refused)
{
    AUTO(kin__rewrite_fini) kin__rewrite rewrite = { 0 };
    AUTO(kin_edit_free)
    kin_edit *edit = edit_of("{\"metadata\":{\"name\":\"a\",\"finalizers\":\"b\"}}");

    ASSERT_ERR(kin__rewrite_begin(&rewrite, edit, PATH, &err), KIN_ERR_TYPE);
    ASSERT_MESSAGE(&err, "metadata.finalizers is no array: string");
}

static kin_err rewrite_one(kin_edit *edit)
{
    AUTO(kin__rewrite_fini) kin__rewrite rewrite = { 0 };

    if (kin__rewrite_begin(&rewrite, edit, PATH, &err) != KIN_OK ||
        kin__rewrite_keep(&rewrite, kin_value_element(rewrite.elements, 0), &err) != KIN_OK) {
        return err.code;
    }
    kin__rewrite_add(&rewrite, STR("\"new\""));
    return kin__rewrite_end(&rewrite, &err);
}

TEST_FAILING_ALLOC(rewrite, lack_of_memory_is_an_error_like_any_other)
{
    static const char json[] = "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"x\"]}}";
    kin_object *object = NULL;
    AUTO(kin_edit_free) kin_edit *edit = NULL;
    kin_err code = kin_object_from_json(json, sizeof json - 1, NULL, &object, &err);

    if (code == KIN_OK) {
        code = kin_object_edit(object, &edit, &err);
    }
    if (code == KIN_OK) {
        code = rewrite_one(edit);
    }
    (void) kin_object_unref(object);
    return code;
}
