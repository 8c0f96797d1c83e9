/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_hooks_test.c - the program's functions, and what the store has already.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "unit/informer/scene.h"

static scene s;

TEST(informer_hooks, keeps_objects_that_a_new_list_shows_unchanged)
{
    scene_open(&s);
    sync_informer(&s);
    kin_view view = kin_store_read(kin_informer_store(s.informer));
    kin_object *before = kin_object_ref(kin_view_get(&view, kin_str_of("shop/a")));
    kin_store_done(&view);
    end_badly(&s, KIN_ERR_EXPIRED, 410, "too old");

    expect_call(&s, "list pods rv=12");
    send_object(&s, "a@5");
    send_object(&s, "b@14");
    end_page(&s, "15");

    ASSERT_EQ(s.known_count, 1);
    expect_told(&s, "add b@14");
    view = kin_store_read(kin_informer_store(s.informer));
    ASSERT_TRUE(kin_view_get(&view, kin_str_of("shop/a")) == before);
    kin_store_done(&view);
    kin_object_unref(before);
    ASSERT_EQ(status_of(&s).restarts, 1);
    scene_close(&s);
}

TEST(informer_hooks, take_what_a_new_list_shows_changed)
{
    scene_open(&s);
    sync_informer(&s);
    end_badly(&s, KIN_ERR_EXPIRED, 410, "too old");

    expect_call(&s, "list pods rv=12");
    send_object(&s, "a@14");
    end_page(&s, "15");

    ASSERT_EQ(s.known_count, 0);
    expect_told(&s, "update a@5 a@14");
    scene_close(&s);
}

static kin_err refuse_b(void *context, const kin_object *object, kin_object **out, kin_error *err)
{
    (void) context;
    if (kin_str_equal(kin_object_name(object), kin_str_of("b"))) {
        return kin__error_set(err, KIN_ERR_TYPE, "no");
    }
    *out = kin_object_ref(object);
    return KIN_OK;
}

TEST(informer_hooks, reports_what_the_transform_refuses)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.transform = refuse_b;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");

    send_object(&s, "a@5");
    send_object(&s, "b@6");
    end_page(&s, "12");

    expect_store(&s, "a@5");
    expect_trouble(&s, "KIN_ERR_TYPE for good");
    ASSERT_EQ(status_of(&s).refused, 1);
    scene_close(&s);
}

static kin_error last_trouble;

static void keep_trouble(void *context, const kin_error *err, int64_t retry_ms)
{
    (void) context;
    ASSERT_EQ(retry_ms, -1);
    last_trouble = *err;
}

/* A program may forget to set `err`, and need not: what is returned counts. */
static kin_err refuse_without_a_word(void *context, const kin_object *object, kin_object **out,
                                     kin_error *err)
{
    (void) context;
    (void) err;
    if (kin_str_equal(kin_object_name(object), kin_str_of("b"))) {
        return KIN_ERR_RANGE;
    }
    *out = kin_object_ref(object);
    return KIN_OK;
}

TEST(informer_hooks, report_a_transform_that_does_not_say_why)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.transform = refuse_without_a_word;
    options.on_trouble = keep_trouble;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");

    send_object(&s, "a@5");
    send_object(&s, "b@6");
    end_page(&s, "12");

    expect_store(&s, "a@5");
    ASSERT_ERR(last_trouble.code, KIN_ERR_RANGE);
    ASSERT_MESSAGE(&last_trouble, "transform \"shop/b\": the function does not say why it failed");
    scene_close(&s);
}

static kin_err give_nothing(void *context, const kin_object *object, kin_object **out,
                            kin_error *err)
{
    (void) context;
    (void) object;
    (void) out;
    (void) err;
    return KIN_OK;
}

TEST(informer_hooks, report_a_transform_that_gives_no_object)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.transform = give_nothing;
    options.on_trouble = keep_trouble;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");

    send_object(&s, "a@5");
    end_page(&s, "12");

    expect_store(&s, "");
    ASSERT_ERR(last_trouble.code, KIN_ERR_USAGE);
    ASSERT_MESSAGE(&last_trouble, "transform \"shop/a\": the function gave no object");
    scene_close(&s);
}

static kin_err make_no_key(void *context, const kin_object *object, char *out, size_t out_size,
                           size_t *out_len, kin_error *err)
{
    (void) context;
    (void) object;
    (void) out;
    (void) out_size;
    (void) out_len;
    (void) err;
    return KIN_ERR_RANGE;
}

TEST(informer_hooks, report_a_key_function_that_does_not_say_why)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.key = make_no_key;
    options.on_trouble = keep_trouble;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");

    send_object(&s, "a@5");
    end_page(&s, "12");

    expect_store(&s, "");
    ASSERT_ERR(last_trouble.code, KIN_ERR_RANGE);
    ASSERT_MESSAGE(&last_trouble, "the key function does not say why it failed");
    scene_close(&s);
}

/* The same object, with a label more. */
static kin_err mark(void *context, const kin_object *object, kin_object **out, kin_error *err)
{
    char json[256];
    int len = snprintf(json, sizeof json,
                       "{\"metadata\":{\"namespace\":\"%.*s\",\"name\":\"%.*s\",\"uid\":\"%.*s\","
                       "\"resourceVersion\":\"%.*s\",\"labels\":{\"marked\":\"yes\"}}}",
                       KIN_STR_ARG(kin_object_namespace(object)),
                       KIN_STR_ARG(kin_object_name(object)), KIN_STR_ARG(kin_object_uid(object)),
                       KIN_STR_ARG(kin_object_resource_version(object)));

    (void) context;
    return kin_object_from_json(json, (size_t) len, NULL, out, err);
}

static bool is_marked(const kin_object *object)
{
    kin_str value;

    return kin_object_label(object, kin_str_of("marked"), &value);
}

static void check_marks(void *context, const kin_notification *n)
{
    ASSERT_TRUE(is_marked(n->object));
    ASSERT_TRUE(n->before == NULL || is_marked(n->before));
    ++*(int *) context;
}

TEST(informer_hooks, tells_and_keeps_what_the_transform_has_made)
{
    int told = 0;
    kin_registration *checker = NULL;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.transform = mark;
    begin_informer(&s, &options);
    handler.mode = KIN_DELIVERY_INLINE;
    handler.context = &told;
    handler.on_add = handler.on_update = handler.on_delete = check_marks;
    ASSERT_OK(kin_informer_add_handler(s.informer, &handler, &checker, &s.err));

    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12");
    send_open(&s);
    send_added(&s, "b@13");
    send_modified(&s, "a@14");
    send_deleted(&s, "b@15");

    ASSERT_EQ(told, 4);
    expect_store(&s, "a@14");
    kin_view view = kin_store_read(kin_informer_store(s.informer));
    ASSERT_TRUE(is_marked(kin_view_get(&view, kin_str_of("shop/a"))));
    kin_store_done(&view);
    kin_registration_free(checker);
    scene_close(&s);
}

static kin_err name_key(void *context, const kin_object *object, char *out, size_t out_size,
                        size_t *out_len, kin_error *err)
{
    kin_str name = kin_object_name(object);

    (void) context;
    (void) err;
    ASSERT_TRUE(name.len <= out_size);
    memcpy(out, name.data, name.len);
    *out_len = name.len;
    return KIN_OK;
}

TEST(informer_hooks, takes_keys_of_the_program)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.key = name_key;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");

    send_object(&s, "a@5");
    end_page(&s, "12");

    kin_view view = kin_store_read(kin_informer_store(s.informer));
    ASSERT_TRUE(kin_view_get(&view, kin_str_of("a")) != NULL);
    kin_store_done(&view);
    scene_close(&s);
}

static kin_err lie_about_length(void *context, const kin_object *object, char *out, size_t out_size,
                                size_t *out_len, kin_error *err)
{
    (void) context;
    (void) object;
    (void) err;
    ASSERT_EQ(out_size, KIN_INFORMER_KEY_MAX);
    memset(out, 'k', out_size);
    *out_len = out_size + 1;
    return KIN_OK;
}

TEST(informer_hooks, take_no_key_that_cannot_have_fitted)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.key = lie_about_length;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");

    send_object(&s, "a@5");
    end_page(&s, "12");

    expect_store(&s, "");
    expect_trouble(&s, "KIN_ERR_USAGE for good");
    scene_close(&s);
}

/* The name is the same, and it is another object. */
TEST(informer_hooks, do_not_take_an_object_for_one_that_was_made_again)
{
    scene_open(&s);
    sync_informer(&s);
    end_badly(&s, KIN_ERR_EXPIRED, 410, "too old");

    expect_call(&s, "list pods rv=12");
    send_object(&s, "a#2@5");
    end_page(&s, "15");

    ASSERT_EQ(s.known_count, 0);
    expect_told(&s, "tombstone a@5; add a@5");
    scene_close(&s);
}

static kin_err refuse_to_index(void *context, const kin_object *object, kin_index_sink *sink,
                               kin_error *err)
{
    (void) context;
    (void) object;
    (void) sink;
    return kin__error_set(err, KIN_ERR_TYPE, "no");
}

TEST(informer_hooks, count_what_an_index_refuses)
{
    scene_open(&s);
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    index.name = "bad";
    index.fn = refuse_to_index;
    kin_informer_options options = pods_options(&s);
    options.indexes = &index;
    options.index_count = 1;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");

    send_object(&s, "a@5");
    end_page(&s, "12");

    expect_store(&s, "a@5");
    expect_trouble(&s, "KIN_ERR_TYPE for good");
    ASSERT_EQ(status_of(&s).refused, 1);
    scene_close(&s);
}

static kin_err leave_out_without_a_word(void *context, const kin_object *object,
                                        kin_index_sink *sink, kin_error *err)
{
    (void) context;
    (void) object;
    (void) sink;
    (void) err;
    return KIN_ERR_RANGE;
}

TEST(informer_hooks, report_an_index_function_that_does_not_say_why)
{
    scene_open(&s);
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    index.name = "bad";
    index.fn = leave_out_without_a_word;
    kin_informer_options options = pods_options(&s);
    options.indexes = &index;
    options.index_count = 1;
    options.on_trouble = keep_trouble;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");

    send_object(&s, "a@5");
    end_page(&s, "12");

    expect_store(&s, "a@5");
    ASSERT_ERR(last_trouble.code, KIN_ERR_RANGE);
    ASSERT_MESSAGE(&last_trouble, "the function does not say why it failed");
    scene_close(&s);
}
