/* SPDX-License-Identifier: Apache-2.0 */
/*
 * initial_test.c - objects of a list or of the beginning of a watch, and a plain list of them that
 * must agree.
 */
#include "cache/initial.h"

#include <stdio.h>
#include <string.h>

#include "support/random.h"
#include "support/test.h"

static kin_object *make(const char *name, int version)
{
    char json[256];
    kin_object *object = NULL;
    kin_error err;
    int len =
        snprintf(json, sizeof json, "{\"metadata\":{\"name\":\"%s\",\"resourceVersion\":\"%d\"}}",
                 name, version);

    if (kin_object_from_json(json, (size_t) len, NULL, &object, &err) != KIN_OK) {
        ASSERT_EQ(err.code, KIN_ERR_NO_MEMORY);
        return NULL;
    }
    return object;
}

static bool put(kin__initial *initial, const char *name, int version)
{
    kin_object *object = make(name, version);
    bool is_new = false;
    kin_error err;

    ASSERT_OK(kin__initial_put(initial, object, &is_new, &err));
    kin_object_unref(object);
    return is_new;
}

static void append(kin__initial *initial, const char *name, int version)
{
    kin_object *object = make(name, version);
    kin_error err;

    ASSERT_OK(kin__initial_append(initial, object, &err));
    kin_object_unref(object);
}

static void take_out(kin__initial *initial, const char *name)
{
    kin_error err;

    ASSERT_OK(kin__initial_remove(initial, kin_str_of(name), &err));
}

static void assert_content(kin__initial *initial, const char *want)
{
    size_t count = kin__initial_count(initial);
    kin_object *const *objects = kin__initial_objects(initial);
    text got = { 0 };

    for (size_t i = 0; i < count; i++) {
        text_append(&got, "%s%.*s@%.*s", i > 0 ? " " : "", KIN_STR_ARG(kin_object_key(objects[i])),
                    KIN_STR_ARG(kin_object_resource_version(objects[i])));
    }
    ASSERT_STR_EQ(got.chars, want);
}

TEST(initial, keeps_a_list_in_its_order)
{
    AUTO(kin__initial_clear) kin__initial initial = { 0 };

    append(&initial, "b", 1);
    append(&initial, "a", 2);
    append(&initial, "c", 3);

    assert_content(&initial, "b@1 a@2 c@3");
}

TEST(initial, is_empty_when_all_zero)
{
    AUTO(kin__initial_clear) kin__initial initial = { 0 };

    ASSERT_EQ(kin__initial_count(&initial), 0);
    assert_content(&initial, "");
}

TEST(initial, goes_back_to_its_mark)
{
    AUTO(kin__initial_clear) kin__initial initial = { 0 };

    append(&initial, "a", 1);
    kin__initial_mark(&initial);
    append(&initial, "b", 2);
    kin__initial_rewind(&initial);
    append(&initial, "c", 3);

    assert_content(&initial, "a@1 c@3");
}

TEST(initial, has_nothing_but_pointers_while_keys_rise)
{
    AUTO(kin__initial_clear) kin__initial initial = { 0 };

    ASSERT_TRUE(put(&initial, "a", 1));
    ASSERT_TRUE(put(&initial, "b", 2));
    ASSERT_TRUE(put(&initial, "b-1", 3));

    ASSERT_TRUE(initial.slots == NULL);
    assert_content(&initial, "a@1 b@2 b-1@3");
}

TEST(initial, takes_objects_in_any_order)
{
    AUTO(kin__initial_clear) kin__initial initial = { 0 };

    ASSERT_TRUE(put(&initial, "b", 1));
    ASSERT_TRUE(put(&initial, "a", 2));
    ASSERT_FALSE(put(&initial, "b", 3));

    assert_content(&initial, "b@3 a@2");
}

TEST(initial, replaces_what_comes_again)
{
    AUTO(kin__initial_clear) kin__initial initial = { 0 };

    put(&initial, "a", 1);
    put(&initial, "b", 2);

    ASSERT_FALSE(put(&initial, "b", 3));
    assert_content(&initial, "a@1 b@3");
}

TEST(initial, removes_and_takes_back)
{
    AUTO(kin__initial_clear) kin__initial initial = { 0 };

    put(&initial, "a", 1);
    put(&initial, "b", 2);
    take_out(&initial, "a");
    take_out(&initial, "nobody");
    ASSERT_EQ(kin__initial_count(&initial), 1);
    ASSERT_TRUE(put(&initial, "a", 3));

    assert_content(&initial, "b@2 a@3");
}

TEST(initial, can_be_changed_after_it_was_looked_at)
{
    AUTO(kin__initial_clear) kin__initial initial = { 0 };

    put(&initial, "a", 1);
    put(&initial, "b", 2);
    take_out(&initial, "a");
    assert_content(&initial, "b@2");

    ASSERT_FALSE(put(&initial, "b", 3));
    ASSERT_TRUE(put(&initial, "a", 4));
    assert_content(&initial, "b@3 a@4");
}

TEST(initial, does_not_grow_with_what_comes_and_goes)
{
    AUTO(kin__initial_clear) kin__initial initial = { 0 };

    put(&initial, "z", 1);
    for (int i = 0; i < 10000; i++) {
        put(&initial, "a", i);
        take_out(&initial, "a");
    }

    ASSERT_TRUE(initial.capacity <= 1024);
    ASSERT_TRUE(initial.slot_count <= 1024);
    assert_content(&initial, "z@1");
}

TEST(initial, agrees_with_a_plain_list)
{
    enum { NAMES = 300 };
    AUTO(kin__initial_clear) kin__initial initial = { 0 };
    int versions[NAMES] = { 0 }; /* 0: not there */
    uint64_t random = random_start(42);
    size_t count = 0;

    for (int i = 1; i < 20000; i++) {
        size_t which = random_below(&random, NAMES);
        char name[16];

        (void) snprintf(name, sizeof name, "pod-%zu", which);
        if (random_below(&random, 3) == 0) {
            take_out(&initial, name);
            count -= versions[which] != 0;
            versions[which] = 0;
        } else {
            ASSERT_EQ(put(&initial, name, i), versions[which] == 0);
            count += versions[which] == 0;
            versions[which] = i;
        }
        ASSERT_EQ(kin__initial_count(&initial), count);
    }

    kin_object *const *objects = kin__initial_objects(&initial);
    for (size_t i = 0; i < count; i++) {
        char want[16];
        int which = 0;

        ASSERT_EQ(sscanf(kin_object_key(objects[i]).data, "pod-%d", &which), 1);
        (void) snprintf(want, sizeof want, "%d", versions[which]);
        ASSERT_SLICE_EQ(kin_object_resource_version(objects[i]), want);
    }
}

static kin_err put_some(kin__initial *initial, kin_object *const *objects, kin_error *err)
{
    bool is_new;

    for (int i = 0; i < 100; i++) {
        if (kin__initial_put(initial, objects[i % 3], &is_new, err) != KIN_OK) {
            size_t count = kin__initial_count(initial);

            ASSERT_TRUE(count <= 3);
            return err->code;
        }
    }
    return kin__initial_remove(initial, kin_str_of("a"), err);
}

TEST_FAILING_ALLOC(initial, is_as_it_was_without_memory)
{
    AUTO(kin__initial_clear) kin__initial initial = { 0 };
    kin_object *objects[] = { make("b", 1), make("a", 2), make("c", 3) };
    kin_error err = { .code = KIN_ERR_NO_MEMORY };
    kin_err code = KIN_ERR_NO_MEMORY;

    if (objects[0] != NULL && objects[1] != NULL && objects[2] != NULL) {
        code = put_some(&initial, objects, &err);
    }
    for (int i = 0; i < 3; i++) {
        kin_object_unref(objects[i]);
    }
    return code;
}
