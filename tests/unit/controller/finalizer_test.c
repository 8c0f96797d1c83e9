/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finalizer_test.c - finalizers, and the beginning of a reconcile that has something to clean up.
 *
 * The two functions of a reconcile that it needs are played here.
 */
#include <string.h>

#include "kin/owner.h"
#include "object/edit.h"
#include "support/test.h"

#define HOLD "example.com/hold"
#define OBJECT(metadata)                                                                           \
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Foo\",\"metadata\":{\"name\":\"foo\","          \
    "\"namespace\":\"shop\",\"uid\":\"u\",\"resourceVersion\":\"7\"" metadata "},\"spec\":{}}"
#define FINALIZERS(list) ",\"finalizers\":[" list "]"
#define GOING ",\"deletionTimestamp\":\"2026-11-16T18:00:00Z\""

static kin_error err;
static text played; /* what a reconcile was asked for */
static kin_err patch_code;
static kin_err cleanup_code;

kin_err kin_reconcile_patch(kin_reconcile *r, const kin_edit *edit, const char *subresource,
                            kin_object **out, kin_error *error)
{
    char *patch = NULL;
    size_t len = 0;

    (void) r;
    if (kin_edit_merge_patch(edit, 0, &patch, &len, error) != KIN_OK) {
        return error->code;
    }
    text_append(&played, "patch %s %s %s;", subresource != NULL ? subresource : "-",
                out != NULL ? "out" : "-", patch);
    kin_free(patch);
    error->code = patch_code;
    return patch_code;
}

void kin_reconcile_again(kin_reconcile *r, int64_t after_ms)
{
    (void) r;
    text_append(&played, "again %d;", (int) after_ms);
}

static kin_err clean_up(void *context, kin_reconcile *r, const kin_object *object, kin_error *error)
{
    (void) r;
    text_append(&played, "clean up %.*s for %s;", KIN_STR_ARG(kin_object_name(object)),
                (const char *) context);
    error->code = cleanup_code;
    return cleanup_code;
}

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

static kin_err finalize(const char *json, bool *is_done)
{
    static char me[] = "me";
    kin_object *object = make(json, NULL);

    text_clear(&played);
    kin_err code = kin_reconcile_finalize(NULL, object, HOLD, clean_up, me, is_done, &err);
    (void) kin_object_unref(object);
    return code;
}

static void expect_done(const char *json, bool want_done, const char *want)
{
    bool is_done = !want_done;

    ASSERT_OK(finalize(json, &is_done));
    ASSERT_EQ(is_done, want_done);
    ASSERT_STR_EQ(played.chars, want);
}

typedef kin_err (*change_fn)(kin_edit *edit, const char *finalizer, kin_error *err);

static void expect_change(change_fn change, const char *json, const char *want)
{
    kin_object *object = make(json, NULL);
    kin_edit *edit = NULL;
    char *patch = NULL;
    size_t len = 0;

    ASSERT_OK(kin_object_edit(object, &edit, &err));
    ASSERT_OK(change(edit, HOLD, &err));
    ASSERT_OK(change(edit, HOLD, NULL));
    ASSERT_OK(kin_edit_merge_patch(edit, 0, &patch, &len, &err));
    ASSERT_STR_EQ(patch, want);
    kin_free(patch);
    kin_edit_free(edit);
    (void) kin_object_unref(object);
}

static void expect_held(const char *json, bool want)
{
    kin_object *object = make(json, NULL);

    ASSERT_EQ(kin_object_has_finalizer(object, HOLD), want);
    (void) kin_object_unref(object);
}

TEST(finalizer, is_found_by_its_name)
{
    expect_held(OBJECT(FINALIZERS("\"a\",\"" HOLD "\"")), true);
    expect_held(OBJECT(FINALIZERS("\"example.com\\/hold\"")), true);
    expect_held(OBJECT(FINALIZERS("\"a\",3,null,[\"" HOLD "\"]")), false);
    expect_held(OBJECT(""), false);
    expect_held(OBJECT(",\"finalizers\":{\"a\":\"" HOLD "\"}"), false);
}

TEST(finalizer, is_added_once)
{
    expect_change(kin_edit_add_finalizer, OBJECT(""),
                  "{\"metadata\":{\"finalizers\":[\"" HOLD "\"]}}");
    expect_change(kin_edit_add_finalizer, OBJECT(FINALIZERS("\"a\"")),
                  "{\"metadata\":{\"finalizers\":[\"a\",\"" HOLD "\"]}}");
    expect_change(kin_edit_add_finalizer, OBJECT(FINALIZERS("\"" HOLD "\"")), "{}");
}

TEST(finalizer, is_removed_wherever_it_is)
{
    expect_change(kin_edit_remove_finalizer, OBJECT(FINALIZERS("\"" HOLD "\",\"a\",\"" HOLD "\"")),
                  "{\"metadata\":{\"finalizers\":[\"a\"]}}");
    expect_change(kin_edit_remove_finalizer, OBJECT(FINALIZERS("\"" HOLD "\"")),
                  "{\"metadata\":{\"finalizers\":null}}");
    expect_change(kin_edit_remove_finalizer, OBJECT(FINALIZERS("\"a\"")), "{}");
    expect_change(kin_edit_remove_finalizer, OBJECT(""), "{}");
}

TEST(finalizer, of_a_partial_object_is_not_touched_when_a_mask_may_hide_some)
{
    const char *paths[] = { "spec" };
    kin_mask *mask = NULL;
    kin_edit *edit = NULL;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &err));
    kin_object *bare = make(OBJECT(""), mask);
    ASSERT_OK(kin_object_edit(bare, &edit, &err));
    ASSERT_ERR(kin_edit_add_finalizer(edit, HOLD, &err), KIN_ERR_PARTIAL);
    ASSERT_ERR(kin_edit_remove_finalizer(edit, HOLD, &err), KIN_ERR_PARTIAL);
    kin_edit_free(edit);

    kin_object *held = make(OBJECT(FINALIZERS("\"a\"")), mask);
    ASSERT_OK(kin_object_edit(held, &edit, &err));
    ASSERT_OK(kin_edit_add_finalizer(edit, HOLD, &err));
    ASSERT_OK(kin_edit_remove_finalizer(edit, HOLD, &err));
    kin_edit_free(edit);
    (void) kin_object_unref(bare);
    (void) kin_object_unref(held);
    kin_mask_free(mask);
}

TEST(finalizer, needs_a_name)
{
    kin_object *object = make(OBJECT(""), NULL);
    kin_edit *edit = NULL;
    bool is_done;

    ASSERT_OK(kin_object_edit(object, &edit, &err));
    ASSERT_ERR(kin_edit_add_finalizer(edit, "", &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_edit_add_finalizer(edit, NULL, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_edit_remove_finalizer(edit, NULL, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_reconcile_finalize(NULL, object, "", clean_up, NULL, &is_done, &err),
               KIN_ERR_USAGE);
    kin_edit_free(edit);
    (void) kin_object_unref(object);
}

TEST(finalizer, is_put_on_an_object_that_stays_before_anything_is_made)
{
    expect_done(OBJECT(""), true,
                "patch - - {\"metadata\":{\"finalizers\":[\"" HOLD "\"]}};again 0;");
    expect_done(OBJECT(FINALIZERS("\"a\"")), true,
                "patch - - {\"metadata\":{\"finalizers\":[\"a\",\"" HOLD "\"]}};again 0;");
}

TEST(finalizer, that_is_there_lets_the_reconcile_go_on)
{
    expect_done(OBJECT(FINALIZERS("\"" HOLD "\"")), false, "");
}

TEST(finalizer, goes_after_the_cleanup)
{
    expect_done(OBJECT(GOING FINALIZERS("\"" HOLD "\",\"b\"")), true,
                "clean up foo for me;patch - - {\"metadata\":{\"finalizers\":[\"b\"]}};");
}

TEST(finalizer, is_not_put_on_an_object_that_goes)
{
    expect_done(OBJECT(GOING), true, "");
    expect_done(OBJECT(GOING FINALIZERS("\"b\"")), true, "");
}

TEST(finalizer, stays_when_the_cleanup_fails)
{
    bool is_done = false;

    cleanup_code = KIN_ERR_SERVER;
    ASSERT_ERR(finalize(OBJECT(GOING FINALIZERS("\"" HOLD "\"")), &is_done), KIN_ERR_SERVER);
    ASSERT_STR_EQ(played.chars, "clean up foo for me;");
    ASSERT_FALSE(is_done);
}

TEST(finalizer, tells_what_the_server_refused)
{
    bool is_done = false;

    patch_code = KIN_ERR_CONFLICT;
    ASSERT_ERR(finalize(OBJECT(""), &is_done), KIN_ERR_CONFLICT);
    ASSERT_STR_EQ(played.chars, "patch - - {\"metadata\":{\"finalizers\":[\"" HOLD "\"]}};");
    ASSERT_ERR(finalize(OBJECT(GOING FINALIZERS("\"" HOLD "\"")), &is_done), KIN_ERR_CONFLICT);
    patch_code = KIN_ERR_NOT_FOUND;
    ASSERT_ERR(finalize(OBJECT(""), &is_done), KIN_ERR_NOT_FOUND);
    ASSERT_FALSE(is_done);
}

TEST(finalizer, of_an_object_that_was_forced_away_is_off)
{
    patch_code = KIN_ERR_NOT_FOUND;
    expect_done(OBJECT(GOING FINALIZERS("\"" HOLD "\"")), true,
                "clean up foo for me;patch - - {\"metadata\":{\"finalizers\":null}};");
}

static kin_err put_on_and_take_off(const char *json)
{
    kin_object *object = NULL;
    bool is_done;

    if (kin_object_from_json(json, strlen(json), NULL, &object, &err) != KIN_OK) {
        return err.code;
    }
    static char me[] = "me";
    kin_err code = kin_reconcile_finalize(NULL, object, HOLD, clean_up, me, &is_done, &err);
    (void) kin_object_unref(object);
    return code;
}

TEST_FAILING_ALLOC(finalizer, lack_of_memory_is_an_error_like_any_other)
{
    kin_err code = put_on_and_take_off(OBJECT(FINALIZERS("\"a\"")));

    if (code == KIN_OK) {
        code = put_on_and_take_off(OBJECT(GOING FINALIZERS("\"a\",\"" HOLD "\"")));
    }
    return code;
}
