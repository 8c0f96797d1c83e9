/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_test.c - what is at hand of an object, and its references.
 */
#include "object/object.h"

#include <pthread.h>
#include <stdio.h>

#include "base/str.h"
#include "unit/object/making.h"

static const char pod[] =
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"web-0\",\"namespace\":"
    "\"shop\","
    "\"uid\":\"5f0e\",\"resourceVersion\":\"1042\",\"generation\":7,"
    "\"creationTimestamp\":\"2026-11-15T21:48:12Z\",\"deletionTimestamp\":\"2026-11-16T00:00:00Z\","
    "\"labels\":{\"app\":\"web\",\"tier\":\"front\"},"
    "\"annotations\":{\"note\":\"a\\nb\",\"plain\":\"yes\"},"
    "\"ownerReferences\":[{\"name\":\"x\"},{\"name\":\"y\",\"controller\":false},"
    "{\"name\":\"z\",\"controller\":true}]},\"spec\":{\"nodeName\":\"n1\"}}";

static const char bare[] = "{\"metadata\":{\"name\":\"n\"}}";

TEST(object, tells_what_identifies_it)
{
    kin_object *object = make(pod);

    ASSERT_SLICE_EQ(kin_object_key(object), "shop/web-0");
    ASSERT_SLICE_EQ(kin_object_namespace(object), "shop");
    ASSERT_SLICE_EQ(kin_object_name(object), "web-0");
    ASSERT_SLICE_EQ(kin_object_uid(object), "5f0e");
    ASSERT_SLICE_EQ(kin_object_resource_version(object), "1042");
    ASSERT_SLICE_EQ(kin_object_api_version(object), "v1");
    ASSERT_SLICE_EQ(kin_object_kind(object), "Pod");
    ASSERT_EQ(kin_object_generation(object), 7);
    kin_object_unref(object);
}

TEST(object, tells_its_times)
{
    kin_object *object = make(pod);
    kin_time time = { 0 };

    ASSERT_TRUE(kin_object_creation_time(object, &time));
    ASSERT_EQ(time.seconds, 1794779292);
    ASSERT_EQ(time.nanoseconds, 0);
    ASSERT_TRUE(kin_object_deletion_time(object, &time));
    ASSERT_EQ(time.seconds, 1794787200);
    kin_object_unref(object);
}

TEST(object, without_them_tells_nothing)
{
    kin_object *object = make(bare);
    kin_time time = { 1, 2 };
    kin_str value = { NULL, 3 };

    ASSERT_SLICE_EQ(kin_object_key(object), "n");
    ASSERT_SLICE_EQ(kin_object_namespace(object), "");
    ASSERT_SLICE_EQ(kin_object_name(object), "n");
    ASSERT_SLICE_EQ(kin_object_uid(object), "");
    ASSERT_SLICE_EQ(kin_object_resource_version(object), "");
    ASSERT_SLICE_EQ(kin_object_api_version(object), "");
    ASSERT_SLICE_EQ(kin_object_kind(object), "");
    ASSERT_EQ(kin_object_generation(object), 0);
    ASSERT_FALSE(kin_object_creation_time(object, &time));
    ASSERT_FALSE(kin_object_deletion_time(object, &time));
    ASSERT_EQ(time.seconds, 1);
    ASSERT_EQ(kin_object_label_count(object), 0);
    ASSERT_FALSE(kin_object_label(object, STR("app"), &value));
    ASSERT_FALSE(kin_object_label_at(object, 0, &value, &value));
    ASSERT_EQ(value.len, 3);
    ASSERT_FALSE(kin_value_exists(kin_object_annotations(object)));
    ASSERT_FALSE(kin_value_exists(kin_object_annotation(object, STR("note"))));
    ASSERT_FALSE(kin_value_exists(kin_object_owners(object)));
    ASSERT_FALSE(kin_value_exists(kin_object_controller_owner(object)));
    ASSERT_FALSE(kin_object_is_partial(object));
    kin_object_unref(object);
}

TEST(object, finds_its_labels_by_key_and_by_number)
{
    kin_object *object = make(pod);
    kin_str key;
    kin_str value;

    ASSERT_EQ(kin_object_label_count(object), 2);
    ASSERT_TRUE(kin_object_label(object, STR("tier"), &value));
    ASSERT_SLICE_EQ(value, "front");
    ASSERT_TRUE(kin_object_label_at(object, 0, &key, &value));
    ASSERT_SLICE_EQ(key, "app");
    ASSERT_SLICE_EQ(value, "web");
    ASSERT_FALSE(kin_object_label_at(object, 2, &key, &value));
    ASSERT_FALSE(kin_object_label(object, STR("ap"), &value));
    ASSERT_FALSE(kin_object_label(object, STR("zzz"), &value));
    ASSERT_FALSE(kin_object_label(object, STR(""), &value));
    kin_object_unref(object);
}

TEST(object, finds_each_of_many_labels)
{
    text json = { 0 };
    char key[8];
    kin_str value;

    text_append(&json, "{\"metadata\":{\"name\":\"n\",\"labels\":{");
    for (int i = 0; i < 100; i++) {
        text_append(&json, "%s\"k%d\":\"v%d\"", i > 0 ? "," : "", i * 37 % 100, i * 37 % 100);
    }
    text_append(&json, "}}}");
    kin_object *object = make(json.chars);
    for (int i = 0; i < 100; i++) {
        text want = { 0 };
        text_append(&want, "v%d", i);
        (void) snprintf(key, sizeof key, "k%d", i);

        ASSERT_TRUE(kin_object_label(object, kin_str_of(key), &value));
        ASSERT_SLICE_EQ(value, want.chars);
    }
    kin_object_unref(object);
}

TEST(object, reaches_its_annotations_and_owners)
{
    kin_object *object = make(pod);
    text got = { 0 };

    append_value(&got, kin_object_annotation(object, STR("plain")));
    append_value(&got, kin_object_annotation(object, STR("absent")));
    append_value(&got, kin_object_annotations(object));
    append_value(&got, kin_value_member(kin_object_controller_owner(object), STR("name")));

    ASSERT_STR_EQ(got.chars, "\"yes\"missing{\"note\":\"a\\nb\",\"plain\":\"yes\"}\"z\"");
    ASSERT_EQ(kin_value_count(kin_object_owners(object)), 3);
    kin_object_unref(object);
}

TEST(object, is_compact)
{
    kin_object *object = make(bare);

    ASSERT_TRUE(sizeof(kin_object) <= 88);
    ASSERT_EQ(sizeof(kin__label), 12);
    /* One top-level field and a key of one byte. */
    ASSERT_EQ(kin_object_size(object), sizeof(kin_object) + 4 + 1 + strlen(bare));
    kin_object_unref(object);
}

TEST(object, goes_with_its_last_reference)
{
    long long before = live_blocks();
    kin_object *object = make(pod);

    ASSERT_TRUE(kin_object_ref(object) == object);
    ASSERT_EQ(live_blocks(), before + 1);
    ASSERT_TRUE(kin_object_unref(object) == NULL);
    ASSERT_SLICE_EQ(kin_object_name(object), "web-0");
    ASSERT_TRUE(kin_object_unref(object) == NULL);

    ASSERT_EQ(live_blocks(), before);
}

TEST(object, that_is_null_has_no_references)
{
    ASSERT_TRUE(kin_object_ref(NULL) == NULL);
    ASSERT_TRUE(kin_object_unref(NULL) == NULL);
}

static void *take_and_drop(void *context)
{
    const kin_object *object = context;

    for (int i = 0; i < 2000; i++) {
        kin_object *mine = kin_object_ref(object);
        ASSERT_EQ(kin_object_name(mine).len, 5);
        kin_object_unref(mine);
    }
    kin_object_unref(object);
    return NULL;
}

/* Each thread reads the object and drops the reference it was given; one of them drops the last. */
TEST(object, may_lose_its_last_reference_on_any_thread)
{
    pthread_t threads[4];
    long long before = live_blocks();

    for (int round = 0; round < 20; round++) {
        kin_object *object = make(pod);
        for (size_t i = 0; i < 4; i++) {
            ASSERT_EQ(pthread_create(&threads[i], NULL, take_and_drop, kin_object_ref(object)), 0);
        }
        kin_object_unref(object);
        for (size_t i = 0; i < 4; i++) {
            ASSERT_EQ(pthread_join(threads[i], NULL), 0);
        }
    }
    ASSERT_EQ(live_blocks(), before);
}

TEST(object, equals_one_that_says_the_same)
{
    kin_object *a = make("{\"metadata\":{\"name\":\"n\"},\"a\":1}");
    kin_object *b = make("{\"a\":1.0,\"metadata\":{\"name\":\"\\u006e\"}}");
    kin_object *c = make("{\"a\":2,\"metadata\":{\"name\":\"n\"}}");
    bool is_equal = false;

    ASSERT_OK(kin_object_equal(a, b, &is_equal));
    ASSERT_TRUE(is_equal);
    ASSERT_OK(kin_object_equal(a, c, &is_equal));
    ASSERT_FALSE(is_equal);
    kin_object_unref(a);
    kin_object_unref(b);
    kin_object_unref(c);
}

TEST(object, writes_compact_json)
{
    check_json(make(" { \"metadata\" :\n{\"name\": \"a b\" } , \"x\":[ 1 , 2 ]\t}\r\n"),
               "{\"metadata\":{\"name\":\"a b\"},\"x\":[1,2]}");
}

TEST_FAILING_ALLOC(object, is_written_as_json)
{
    kin_object *object = NULL;
    char *json = NULL;
    size_t len = 0;
    kin_err code = kin_object_from_json(pod, sizeof pod - 1, NULL, &object, NULL);

    if (code == KIN_OK) {
        code = kin_object_json(object, &json, &len, NULL);
    }
    if (code == KIN_OK) {
        ASSERT_STR_EQ(json, pod);
    }
    kin_free(json);
    kin_object_unref(object);
    return code;
}
