/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edit_test.c - a private, changeable copy of an object.
 */
#include "object/edit.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "json/string.h"
#include "object/object.h"
#include "support/merge_patch.h"
#include "support/random.h"
#include "support/test.h"

KIN__DEFINE_AUTO(kin_mask, kin_mask_free)
KIN__DEFINE_AUTO(char, kin_free)

static const char web[] =
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\","
    "\"namespace\":\"demo\",\"uid\":\"u-1\",\"resourceVersion\":\"7\",\"labels\":{\"app\":\"web\"},"
    "\"finalizers\":[\"example.com/a\"],\"managedFields\":[{\"manager\":\"m\"}]},"
    "\"spec\":{\"replicas\":1,\"paused\":null,\"template\":{\"spec\":{\"containers\":["
    "{\"name\":\"main\",\"image\":\"i:1\",\"ports\":[80]},{\"name\":\"side\",\"image\":\"s:1\"}]}}}"
    "}";

static kin_object *object_of(const char *json, const kin_mask *mask)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;

    options.mask = mask;
    ASSERT_OK(kin_object_from_json(json, strlen(json), &options, &object, NULL));
    return object;
}

static kin_edit *edit_of(const char *json, const kin_mask *mask)
{
    AUTO(kin_object_unref) const kin_object *object = object_of(json, mask);
    kin_edit *edit = NULL;
    ASSERT_OK(kin_object_edit(object, &edit, NULL));
    return edit;
}

static const char *patch_of(const kin_edit *edit, unsigned flags, text *out)
{
    AUTO(kin_free) char *json = NULL;
    size_t len = 0;

    ASSERT_OK(kin_edit_merge_patch(edit, flags, &json, &len, NULL));
    ASSERT_EQ(strlen(json), len);
    text_clear(out);
    text_append(out, "%s", json);
    return out->chars;
}

static const char *json_of(const kin_object *object, text *out)
{
    AUTO(kin_free) char *json = NULL;
    size_t len = 0;

    ASSERT_OK(kin_object_json(object, &json, &len, NULL));
    text_clear(out);
    text_append(out, "%.*s", (int) len, json);
    return out->chars;
}

/* `depth` arrays inside one another. */
static kin_str nested(size_t depth, text *out)
{
    text_clear(out);
    for (size_t i = 0; i < depth; i++) {
        text_append(out, "[");
    }
    for (size_t i = 0; i < depth; i++) {
        text_append(out, "]");
    }
    return kin__str(out->chars, out->len);
}

TEST(edit, is_unchanged_at_first)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    text got;

    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{}");
}

TEST(edit, sets_values_of_every_type)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    text got;

    ASSERT_OK(kin_edit_set_int64(edit, "spec.replicas", -3, NULL));
    ASSERT_OK(kin_edit_set_int64(edit, "spec.least", INT64_MIN, NULL));
    ASSERT_OK(kin_edit_set_double(edit, "spec.share", 0.5, NULL));
    ASSERT_OK(kin_edit_set_bool(edit, "spec.paused", true, NULL));
    ASSERT_OK(kin_edit_set_bool(edit, "spec.off", false, NULL));
    ASSERT_OK(kin_edit_set_str(edit, "metadata.labels.app", STR("\xc3\xa9\"\n\0<"), NULL));
    ASSERT_OK(kin_edit_set_str(edit, "metadata.labels.none", (kin_str){ NULL, 0 }, NULL));
    ASSERT_OK(kin_edit_set_json(edit, "spec.any", STR(" [ 1.50 , {\"a\" : null} ] "), NULL));

    ASSERT_STR_EQ(
        patch_of(edit, 0, &got),
        "{\"metadata\":{\"labels\":{\"app\":\"\xc3\xa9\\\"\\n\\u0000\\u003c\",\"none\":\"\"}},"
        "\"spec\":{\"replicas\":-3,\"paused\":true,\"least\":-9223372036854775808,"
        "\"share\":0.5,\"off\":false,\"any\":[1.50,{\"a\":null}]}}");
}

TEST(edit, makes_the_objects_on_the_way)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    text got;

    ASSERT_OK(kin_edit_set_str(edit, "metadata.annotations[\"example.com/note\"]", STR("n"), NULL));
    ASSERT_OK(kin_edit_set_int64(edit, "status.a.b.c", 1, NULL));
    ASSERT_OK(kin_edit_set_bool(edit, "spec.paused.now", true, NULL));

    ASSERT_STR_EQ(patch_of(edit, 0, &got),
                  "{\"metadata\":{\"annotations\":{\"example.com/note\":\"n\"}},"
                  "\"spec\":{\"paused\":{\"now\":true}},\"status\":{\"a\":{\"b\":{\"c\":1}}}}");
}

TEST(edit, changes_elements_by_number_and_by_filter)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    text got;

    ASSERT_OK(kin_edit_set_str(edit, "spec.template.spec.containers[?name==\"side\"].image",
                               STR("s:2"), NULL));
    ASSERT_OK(kin_edit_set_int64(edit, "spec.template.spec.containers[0].ports[-1]", 8080, NULL));

    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{\"spec\":{\"template\":{\"spec\":{\"containers\":["
                                           "{\"name\":\"main\",\"image\":\"i:1\",\"ports\":[8080]},"
                                           "{\"name\":\"side\",\"image\":\"s:2\"}]}}}}");
}

TEST(edit, removes_members_and_elements)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    text got;

    ASSERT_OK(kin_edit_remove(edit, "metadata.labels.app", NULL));
    ASSERT_OK(kin_edit_remove(edit, "spec.template.spec.containers[?name==\"main\"]", NULL));
    ASSERT_OK(kin_edit_remove(edit, "metadata.finalizers[-1]", NULL));
    ASSERT_OK(kin_edit_remove(edit, "spec.replicas", NULL));

    ASSERT_STR_EQ(patch_of(edit, 0, &got),
                  "{\"metadata\":{\"labels\":{\"app\":null},\"finalizers\":[]},"
                  "\"spec\":{\"template\":{\"spec\":{\"containers\":["
                  "{\"name\":\"side\",\"image\":\"s:1\"}]}},\"replicas\":null}}");
}

TEST(edit, removes_an_absent_member_without_a_failure)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    text got;

    ASSERT_OK(kin_edit_remove(edit, "metadata.annotations.obsolete", NULL));
    ASSERT_OK(kin_edit_remove(edit, "spec.paused.now", NULL));
    ASSERT_OK(kin_edit_remove(edit, "nobody", NULL));
    ASSERT_OK(kin_edit_remove(edit, "spec.template.spec.containers[0].command", NULL));

    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{}");
}

TEST(edit, appends_to_an_array_and_makes_one_that_is_absent_or_null)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    text got;

    ASSERT_OK(kin_edit_append_str(edit, "metadata.finalizers", STR("example.com/b"), NULL));
    ASSERT_OK(kin_edit_append_json(edit, "spec.paused", STR("{\"a\":1}"), NULL));
    ASSERT_OK(kin_edit_append_str(edit, "status.notes", STR("x"), NULL));
    ASSERT_OK(kin_edit_append_str(edit, "status.notes", STR("y"), NULL));

    ASSERT_STR_EQ(patch_of(edit, 0, &got),
                  "{\"metadata\":{\"finalizers\":[\"example.com/a\",\"example.com/b\"]},"
                  "\"spec\":{\"paused\":[{\"a\":1}]},\"status\":{\"notes\":[\"x\",\"y\"]}}");
}

TEST(edit, says_what_is_wrong_and_changes_nothing)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    kin_error err;
    text got;

    ASSERT_ERR(kin_edit_set_int64(edit, "spec.replicas.max", 1, &err), KIN_ERR_TYPE);
    ASSERT_MESSAGE(&err, "set spec.replicas.max: step 3 wants an object and finds a value of type "
                         "number");
    ASSERT_ERR(kin_edit_set_str(edit, "spec.template.spec.containers[2].image", STR("i"), &err),
               KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "set spec.template.spec.containers[2].image: there is no element [2]");
    ASSERT_ERR(kin_edit_set_bool(edit, "spec.a.b[0].c", true, &err), KIN_ERR_NOT_FOUND);
    ASSERT_ERR(kin_edit_set_bool(edit, "spec[*]", true, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_edit_set_json(edit, "", STR("{}"), &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_edit_set_json(edit, "a.[", STR("{}"), &err), KIN_ERR_MALFORMED);
    ASSERT_ERR(kin_edit_remove(edit, "metadata.finalizers[1]", &err), KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "remove metadata.finalizers[1]: there is no element [1]");
    ASSERT_ERR(kin_edit_remove(edit, "metadata.name.first", &err), KIN_ERR_TYPE);
    ASSERT_ERR(kin_edit_remove(edit, NULL, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_edit_append_str(edit, "metadata.name", STR("x"), &err), KIN_ERR_TYPE);
    ASSERT_MESSAGE(&err, "append to metadata.name: the value is of type string and not an array");
    ASSERT_ERR(kin_edit_append_json(edit, "metadata.labels", STR("1"), NULL), KIN_ERR_TYPE);

    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{}");
}

TEST(edit, takes_only_what_json_can_say)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    static const char *const malformed[] = { "",     " ",          "{",        "1 2",
                                             "[1,]", "'a'",        "\"\xff\"", "\"\\ud800\"",
                                             "nul",  "{\"a\":1}}", "01" };
    kin_error err;
    text got;

    ASSERT_ERR(kin_edit_set_str(edit, "spec.a", STR("\xc3"), &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "set spec.a: the string is not valid UTF-8");
    ASSERT_ERR(kin_edit_append_str(edit, "spec.a", STR("\xed\xa0\x80"), &err), KIN_ERR_MALFORMED);
    ASSERT_ERR(kin_edit_set_str(edit, "spec.\xff", STR(""), &err), KIN_ERR_MALFORMED);
    ASSERT_ERR(kin_edit_set_double(edit, "spec.a", INFINITY, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_edit_set_double(edit, "spec.a", -INFINITY, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_edit_set_double(edit, "spec.a", (double) NAN, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_edit_set_json(edit, "spec.a", (kin_str){ NULL, 0 }, &err), KIN_ERR_MALFORMED);
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        kin_str json = kin_str_of(malformed[i]);
        ASSERT_ERR(kin_edit_set_json(edit, "spec.a", json, &err), KIN_ERR_MALFORMED);
        ASSERT_ERR(kin_edit_append_json(edit, "spec.a", json, &err), KIN_ERR_MALFORMED);
    }

    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{}");
}

/* What is allowed is just what an object may be made of. */
TEST(edit, nests_a_thousand_levels_and_no_more)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    AUTO(kin_object_unref) const kin_object *object = NULL;
    kin_object *made = NULL;
    kin_error err;
    static text json;

    ASSERT_ERR(kin_edit_set_json(edit, "deep.deeper", nested(999, &json), &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "set deep.deeper: the copy would nest deeper than 1000");
    ASSERT_ERR(kin_edit_append_json(edit, "deep", nested(999, &json), &err), KIN_ERR_LIMIT);
    ASSERT_ERR(kin_edit_set_json(edit, "deep", nested(1001, &json), &err), KIN_ERR_LIMIT);
    ASSERT_OK(kin_edit_set_json(edit, "deep", nested(999, &json), &err));
    ASSERT_OK(kin_edit_set_json(edit, "deep2.deeper", nested(998, &json), &err));
    ASSERT_OK(kin_edit_append_json(edit, "deep3", nested(998, &json), &err));

    ASSERT_OK(kin_edit_object(edit, &made, &err));
    object = made;
    ASSERT_TRUE(kin_value_exists(kin_object_at(object, "deep3[0][0]")));
}

TEST(edit, leaves_the_original_alone_and_outlives_it)
{
    const kin_object *object = object_of(web, NULL);
    AUTO(kin_edit_free) kin_edit *edit = NULL;
    static text before;
    static text after;

    (void) json_of(object, &before);
    ASSERT_OK(kin_object_edit(object, &edit, NULL));
    ASSERT_OK(kin_edit_set_str(edit, "metadata.name", STR("other"), NULL));
    ASSERT_OK(kin_edit_remove(edit, "spec", NULL));
    ASSERT_STR_EQ(json_of(object, &after), before.chars);
    object = kin_object_unref(object);

    ASSERT_STR_EQ(patch_of(edit, KIN_PATCH_IF_UNCHANGED, &after),
                  "{\"metadata\":{\"resourceVersion\":\"7\",\"name\":\"other\"},\"spec\":null}");
}

TEST(edit, becomes_a_new_object)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    AUTO(kin_object_unref) const kin_object *object = NULL;
    kin_object *made = NULL;
    static text got;

    ASSERT_OK(kin_edit_set_str(edit, "metadata.name", STR("other"), NULL));
    ASSERT_OK(kin_edit_set_str(edit, "metadata.labels.tier", STR("front"), NULL));
    ASSERT_OK(kin_edit_remove(edit, "metadata.managedFields", NULL));
    ASSERT_OK(kin_edit_remove(edit, "spec.template", NULL));
    ASSERT_OK(kin_edit_object(edit, &made, NULL));
    object = made;

    ASSERT_SLICE_EQ(kin_object_key(object), "demo/other");
    ASSERT_EQ(kin_object_label_count(object), 2);
    ASSERT_STR_EQ(json_of(object, &got),
                  "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":"
                  "\"other\",\"namespace\":\"demo\",\"uid\":\"u-1\",\"resourceVersion\":\"7\","
                  "\"labels\":{\"app\":\"web\",\"tier\":\"front\"},"
                  "\"finalizers\":[\"example.com/a\"]},\"spec\":{\"replicas\":1,\"paused\":null}}");
    ASSERT_FALSE(kin_object_is_partial(object));
}

TEST(edit, becomes_no_object_without_a_name)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    kin_object *made = NULL;
    kin_error err;
    text got;

    ASSERT_OK(kin_edit_remove(edit, "metadata.name", NULL));
    ASSERT_ERR(kin_edit_object(edit, &made, &err), KIN_ERR_MALFORMED);

    ASSERT_CONTAINS(err.message, "make an object of an edit: ");
    ASSERT_TRUE(made == NULL);
    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{\"metadata\":{\"name\":null}}");
}

TEST(edit, puts_preconditions_into_its_patch)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    text got;

    ASSERT_STR_EQ(patch_of(edit, KIN_PATCH_IF_UNCHANGED, &got),
                  "{\"metadata\":{\"resourceVersion\":\"7\"}}");
    ASSERT_STR_EQ(patch_of(edit, KIN_PATCH_IF_SAME_UID, &got), "{\"metadata\":{\"uid\":\"u-1\"}}");
    ASSERT_OK(kin_edit_set_str(edit, "metadata.resourceVersion", STR("8"), NULL));
    ASSERT_OK(kin_edit_remove(edit, "metadata.uid", NULL));
    ASSERT_OK(kin_edit_set_int64(edit, "spec.replicas", 2, NULL));
    ASSERT_STR_EQ(patch_of(edit, KIN_PATCH_IF_UNCHANGED | KIN_PATCH_IF_SAME_UID, &got),
                  "{\"metadata\":{\"resourceVersion\":\"7\",\"uid\":\"u-1\"},"
                  "\"spec\":{\"replicas\":2}}");
    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{\"metadata\":{\"resourceVersion\":\"8\",\"uid\":null},"
                                           "\"spec\":{\"replicas\":2}}");
}

TEST(edit, refuses_flags_that_it_does_not_know_or_cannot_keep)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of("{\"metadata\":{\"name\":\"n\"}}", NULL);
    char *json = NULL;
    size_t len = 99;
    kin_error err;

    ASSERT_ERR(kin_edit_merge_patch(edit, 4, &json, &len, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "make a merge patch of an edit: the flags 0x4 are not all known");
    ASSERT_ERR(kin_edit_merge_patch(edit, KIN_PATCH_IF_UNCHANGED, &json, &len, &err),
               KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "make a merge patch of an edit: the object has no resourceVersion");
    ASSERT_ERR(kin_edit_merge_patch(edit, KIN_PATCH_IF_SAME_UID, &json, &len, &err),
               KIN_ERR_NOT_FOUND);
    ASSERT_TRUE(json == NULL);
    ASSERT_EQ(len, 99);
}

TEST(edit, of_a_partial_object_can_only_become_a_patch)
{
    const char *paths[] = { "spec.template" };
    AUTO(kin_mask_free) kin_mask *mask = NULL;
    kin_object *made = NULL;
    kin_error err;
    text got;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, NULL));
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, mask);
    ASSERT_OK(kin_edit_append_str(edit, "metadata.finalizers", STR("example.com/b"), NULL));

    ASSERT_ERR(kin_edit_object(edit, &made, &err), KIN_ERR_PARTIAL);
    ASSERT_MESSAGE(&err, "make an object of an edit: the original is partial");
    ASSERT_TRUE(made == NULL);
    ASSERT_STR_EQ(patch_of(edit, 0, &got),
                  "{\"metadata\":{\"finalizers\":[\"example.com/a\",\"example.com/b\"]}}");
}

/* What a mask has left out looks absent, and may be there on the server all the same. */
TEST(edit, of_a_partial_object_removes_what_it_cannot_see)
{
    const char *paths[] = { "spec" };
    AUTO(kin_mask_free) kin_mask *mask = NULL;
    text got;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, NULL));
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, mask);
    ASSERT_OK(kin_edit_remove(edit, "spec.paused", NULL));
    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{\"spec\":{\"paused\":null}}");
    ASSERT_OK(kin_edit_set_bool(edit, "spec.paused", true, NULL));
    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{\"spec\":{\"paused\":true}}");

    AUTO(kin_edit_free) kin_edit *whole = edit_of(web, NULL);
    ASSERT_OK(kin_edit_remove(whole, "spec.absent", NULL));
    ASSERT_STR_EQ(patch_of(whole, 0, &got), "{}");
}

TEST(edit, of_a_partial_object_appends_to_no_array_it_cannot_see)
{
    const char *paths[] = { "metadata.finalizers" };
    AUTO(kin_mask_free) kin_mask *mask = NULL;
    kin_error err;
    text got;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, NULL));
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, mask);
    ASSERT_ERR(kin_edit_append_str(edit, "metadata.finalizers", STR("b"), &err), KIN_ERR_PARTIAL);
    ASSERT_MESSAGE(&err,
                   "append to metadata.finalizers: a mask may have left out this array; set it "
                   "to replace it");
    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{}");
    ASSERT_OK(kin_edit_set_json(edit, "metadata.finalizers", STR("[\"a\"]"), NULL));
    ASSERT_OK(kin_edit_append_str(edit, "metadata.finalizers", STR("b"), NULL));
    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{\"metadata\":{\"finalizers\":[\"a\",\"b\"]}}");
}

TEST(edit, changes_no_array_of_an_object_whose_arrays_are_partial)
{
    const char *paths[] = { "spec.template.spec.containers[*].image" };
    AUTO(kin_mask_free) kin_mask *mask = NULL;
    char *json = NULL;
    size_t len = 0;
    kin_error err;
    text got;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, NULL));
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, mask);
    ASSERT_OK(kin_edit_set_int64(edit, "spec.replicas", 2, NULL));
    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{\"spec\":{\"replicas\":2}}");
    ASSERT_OK(kin_edit_set_str(edit, "spec.template.spec.containers[0].name", STR("n"), NULL));

    ASSERT_ERR(kin_edit_merge_patch(edit, 0, &json, &len, &err), KIN_ERR_PARTIAL);
    ASSERT_CONTAINS(err.message, "a mask may have left out parts of it");
    ASSERT_TRUE(json == NULL);
    ASSERT_OK(kin_edit_remove(edit, "spec.template.spec.containers", NULL));
    ASSERT_STR_EQ(patch_of(edit, 0, &got),
                  "{\"spec\":{\"replicas\":2,\"template\":{\"spec\":{\"containers\":null}}}}");
}

TEST(edit, of_an_object_without_managed_fields_is_whole)
{
    const char *paths[] = { "metadata.managedFields" };
    AUTO(kin_mask_free) kin_mask *mask = NULL;
    AUTO(kin_object_unref) const kin_object *object = NULL;
    kin_object *made = NULL;
    text got;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, NULL));
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, mask);
    ASSERT_OK(kin_edit_remove(edit, "metadata.finalizers[0]", NULL));

    ASSERT_OK(kin_edit_object(edit, &made, NULL));
    object = made;
    ASSERT_EQ(kin_value_count(kin_object_at(object, "metadata.finalizers")), 0);
    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{\"metadata\":{\"finalizers\":[]}}");
}

/* Items of a list lack apiVersion and kind; they are part of the copy, and never of the patch. */
TEST(edit, knows_the_api_version_and_kind_that_the_bytes_lack)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *item = NULL;
    kin_object *made = NULL;
    kin_str json = STR("{\"metadata\":{\"name\":\"n\"},\"data\":{}}");
    text got;

    options.api_version = "v1";
    options.kind = "ConfigMap";
    ASSERT_OK(kin_object_from_json(json.data, json.len, &options, &item, NULL));
    AUTO(kin_object_unref) const kin_object *original = item;
    AUTO(kin_edit_free) kin_edit *edit = NULL;
    ASSERT_OK(kin_object_edit(original, &edit, NULL));

    ASSERT_STR_EQ(patch_of(edit, 0, &got), "{}");
    ASSERT_OK(kin_edit_object(edit, &made, NULL));
    AUTO(kin_object_unref) const kin_object *copy = made;
    ASSERT_SLICE_EQ(kin_object_kind(copy), "ConfigMap");
    ASSERT_SLICE_EQ(kin_object_api_version(copy), "v1");
}

TEST(edit, is_freed_when_there_is_none)
{
    kin_edit_free(NULL);
}

/* ---- random edits of real objects ----------------------------------------------------------- */

/* One more step from `node` to a child of it, or to a member that is not there yet. */
static const kin__node *add_step(uint64_t *random, const kin__node *node, kin__buf *path)
{
    size_t count = kin__node_count(node);
    size_t chosen = random_below(random, count + 1);
    kin__node_iter iter = { 0 };

    if (kin__node_type(node) == KIN_TYPE_ARRAY && count > 0) {
        chosen %= count;
        bool is_back = random_below(random, 4) == 0;
        ASSERT_TRUE(kin__buf_append_format(path, "[%s%zu]", is_back ? "-" : "",
                                           is_back ? count - chosen : chosen));
        return kin__node_element(node, chosen);
    }
    if (kin__node_type(node) == KIN_TYPE_OBJECT && chosen < count) {
        for (size_t i = 0; i <= chosen; i++) {
            ASSERT_TRUE(kin__node_next(node, &iter));
        }
        ASSERT_TRUE(kin__buf_append_byte(path, '['));
        ASSERT_TRUE(kin__json_append_string(path, iter.name));
        ASSERT_TRUE(kin__buf_append_byte(path, ']'));
        return iter.value;
    }
    ASSERT_TRUE(kin__buf_append_format(path, "[\"new-%zu\"]", random_below(random, 3)));
    return NULL;
}

static void random_path(uint64_t *random, const kin__node *root, kin__buf *path)
{
    const kin__node *node = root;
    size_t steps = 1 + random_below(random, 7);

    kin__buf_clear(path);
    for (size_t i = 0; i < steps && node != NULL; i++) {
        node = add_step(random, node, path);
    }
    if (random_below(random, 8) == 0) {
        ASSERT_TRUE(kin__buf_append_format(path, ".below"));
    }
    ASSERT_TRUE(kin__buf_append_byte(path, '\0'));
}

static kin_err random_change(uint64_t *random, kin_edit *edit, const char *path)
{
    static const char *const values[] = {
        "null",   "true",         "0",
        "[]",     "{}",           "{\"a\":null,\"b\":{\"c\":[1]}}",
        "[null]", "\"\\u20ac<\"", "[{\"d\":null}]",
        "1e400",
    };
    kin_str json = kin_str_of(values[random_below(random, sizeof values / sizeof values[0])]);

    switch (random_below(random, 8)) {
    case 0:
        return kin_edit_set_str(edit, path, STR("text"), NULL);
    case 1:
        return kin_edit_set_int64(edit, path, (int64_t) random_next(random), NULL);
    case 2:
        return kin_edit_set_double(edit, path, (double) random_below(random, 9) / 7, NULL);
    case 3:
    case 4:
        return kin_edit_remove(edit, path, NULL);
    case 5:
        return kin_edit_append_json(edit, path, json, NULL);
    default:
        return kin_edit_set_json(edit, path, json, NULL);
    }
}

/* The edited copy; metadata is kept right, so that it is an object still. */
static kin__node *edited_tree(const kin_edit *edit)
{
    kin_object *made = NULL;
    char *json = NULL;
    size_t len = 0;

    ASSERT_OK(kin_edit_object(edit, &made, NULL));
    ASSERT_OK(kin_object_json(made, &json, &len, NULL));
    kin__node *tree = merge_patch_tree(json, len);
    kin_free(json);
    (void) kin_object_unref(made);
    return tree;
}

static void edit_at_random(uint64_t *random, const kin_object *object)
{
    AUTO(kin_edit_free) kin_edit *edit = NULL;
    AUTO(kin__buf_fini) kin__buf path = { 0 };
    AUTO(kin_free) char *json = NULL;
    size_t len = 0;

    ASSERT_OK(kin_object_json(object, &json, &len, NULL));
    AUTO(kin__node_free) kin__node *before = merge_patch_tree(json, len);
    ASSERT_OK(kin_object_edit(object, &edit, NULL));
    for (size_t changes = random_below(random, 12); changes > 0; changes--) {
        random_path(random, before, &path);
        bool is_metadata = strncmp(path.data, "[\"metadata\"]", 12) == 0;
        bool is_type = strncmp(path.data, "[\"kind\"]", 8) == 0 ||
                       strncmp(path.data, "[\"apiVersion\"]", 14) == 0;
        if (!is_metadata && !is_type) {
            (void) random_change(random, edit, path.data); /* what fails must change nothing */
        } else {
            ASSERT_OK(kin_edit_set_str(edit, "metadata.annotations.touched", STR("yes"), NULL));
        }
    }
    AUTO(kin__node_free) kin__node *after = edited_tree(edit);
    AUTO(kin_free) char *patch = NULL;
    ASSERT_OK(kin_edit_merge_patch(edit, KIN_PATCH_IF_UNCHANGED, &patch, &len, NULL));
    AUTO(kin__node_free) kin__node *patch_tree = merge_patch_tree(patch, len);
    if (!merge_patch_makes(before, patch_tree, after)) {
        FAIL("the patch does not make the copy: %s", patch);
    }
}

static void edit_items_at_random(uint64_t *random, const char *fixture)
{
    size_t len = 0;
    char *bytes = read_fixture(fixture, &len);
    AUTO(kin__node_free) kin__node *list = merge_patch_tree(bytes, len);
    kin__node_iter iter = { 0 };
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;

    options.api_version = "v1";
    options.kind = "Item";
    free_fixture(bytes);
    while (kin__node_next(kin__node_member(list, STR("items")), &iter)) {
        AUTO(kin__buf_fini) kin__buf json = { 0 };
        kin_object *object = NULL;
        ASSERT_TRUE(kin__node_append_json(iter.value, &json));
        ASSERT_OK(kin_object_from_json(json.data, json.len, &options, &object, NULL));
        for (int i = 0; i < 20; i++) {
            edit_at_random(random, object);
        }
        (void) kin_object_unref(object);
    }
}

TEST(edit, makes_patches_that_lead_from_the_original_to_the_copy)
{
    uint64_t random = random_start(20261115);

    edit_items_at_random(&random, "list-pods-20.json");
    edit_items_at_random(&random, "list-configmaps.json");
    edit_items_at_random(&random, "list-widgets-crd.json");
    edit_items_at_random(&random, "list-namespaces-2.json");
}

/* ---- without memory ------------------------------------------------------------------------- */

/* Every function that changes the copy, in turn; after a failure the copy is what it was before. */
static kin_err change_all(kin_edit *edit, size_t *done)
{
    kin_err code = KIN_OK;

    for (*done = 0; code == KIN_OK && *done < 7; *done += code == KIN_OK) {
        switch (*done) {
        case 0:
            code = kin_edit_set_str(edit, "status.a.b.c", STR("x"), NULL);
            break;
        case 1:
            code = kin_edit_set_int64(edit, "spec.paused.d", 5, NULL);
            break;
        case 2:
            code = kin_edit_set_double(edit, "spec.e.f", 0.25, NULL);
            break;
        case 3:
            code = kin_edit_set_bool(edit, "metadata.finalizers[0]", true, NULL);
            break;
        case 4:
            code = kin_edit_set_json(edit, "g.h", STR("{\"i\":[1,{}]}"), NULL);
            break;
        case 5:
            code = kin_edit_append_str(edit, "j.k", STR("x"), NULL);
            break;
        default:
            code = kin_edit_append_json(edit, "metadata.finalizers", STR("[2]"), NULL);
            break;
        }
    }
    return code;
}

/* True for each of the changes above that shows in the copy. */
static size_t count_changes(const kin_object *object)
{
    static const char *const paths[] = {
        "status.a.b.c", "spec.paused.d", "spec.e.f", "g.h.i[1]", "j.k[0]", "metadata.finalizers[1]"
    };
    size_t count = kin_value_type(kin_object_at(object, "metadata.finalizers[0]")) == KIN_TYPE_BOOL;

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        count += kin_value_exists(kin_object_at(object, paths[i]));
    }
    return count;
}

TEST_FAILING_ALLOC(edit, copies_changes_and_ends_with_failing_allocations)
{
    AUTO(kin_object_unref) const kin_object *object = NULL;
    AUTO(kin_edit_free) kin_edit *edit = NULL;
    AUTO(kin_free) char *patch = NULL;
    kin_object *made = NULL;
    size_t len = 0;
    size_t done = 0;

    kin_err code = kin_object_from_json(web, sizeof web - 1, NULL, &made, NULL);
    if (code != KIN_OK) {
        return code;
    }
    object = made;
    code = kin_object_edit(object, &edit, NULL);
    if (code != KIN_OK) {
        ASSERT_TRUE(edit == NULL);
        return code;
    }
    code = change_all(edit, &done);
    kin_err end_code = kin_edit_object(edit, &made, NULL);
    if (end_code == KIN_OK) {
        ASSERT_EQ(count_changes(made), done);
        (void) kin_object_unref(made);
        end_code = kin_edit_merge_patch(edit, KIN_PATCH_IF_UNCHANGED, &patch, &len, NULL);
        ASSERT_TRUE((patch != NULL) == (end_code == KIN_OK));
    }
    return code != KIN_OK ? code : end_code;
}

TEST(edit, shows_its_metadata_as_they_are_by_now)
{
    AUTO(kin_edit_free) kin_edit *edit = edit_of(web, NULL);
    kin_object *metadata = NULL;
    kin_error err;

    ASSERT_OK(kin_edit_set_str(edit, "metadata.namespace", STR("moved"), &err));
    ASSERT_OK(kin__edit_metadata(edit, &metadata, &err));
    ASSERT_SLICE_EQ(kin_object_namespace(metadata), "moved");
    ASSERT_SLICE_EQ(kin_object_kind(metadata), "");
    ASSERT_FALSE(kin_value_exists(kin_object_at(metadata, "spec")));
    (void) kin_object_unref(metadata);
    ASSERT_OK(kin_edit_remove(edit, "metadata", &err));
    ASSERT_OK(kin__edit_metadata(edit, &metadata, &err));
    ASSERT_SLICE_EQ(kin_object_name(metadata), "");
    (void) kin_object_unref(metadata);
    ASSERT_OK(kin_edit_set_str(edit, "metadata", STR("none"), &err));
    ASSERT_ERR(kin__edit_metadata(edit, &metadata, &err), KIN_ERR_MALFORMED);
    ASSERT_FALSE(kin__edit_is_partial(edit));
}

TEST_FAILING_ALLOC(edit, removes_without_needing_memory)
{
    AUTO(kin_object_unref) const kin_object *object = NULL;
    AUTO(kin_edit_free) kin_edit *edit = NULL;
    kin_object *made = NULL;

    kin_err code = kin_object_from_json(web, sizeof web - 1, NULL, &made, NULL);
    if (code != KIN_OK) {
        return code;
    }
    object = made;
    code = kin_object_edit(object, &edit, NULL);
    if (code != KIN_OK) {
        return code;
    }
    ASSERT_OK(kin_edit_remove(edit, "metadata.finalizers[0]", NULL));
    ASSERT_OK(kin_edit_remove(edit, "spec", NULL));
    return KIN_OK;
}
