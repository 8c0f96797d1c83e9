/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_test.c - reading: one object, all, some.
 */
#include "kin/selector.h"
#include "store_support.h"
#include "support/allocator.h"

static kin_store *shop(const kin__store_options *options)
{
    kin_store *store = new_store(options);
    kin__store_begin(store);
    put(store, make_pod((pod){ .ns = "a", .name = "1", .node = "n", .labels = "\"app\":\"web\"" }));
    put(store, make_pod((pod){ .ns = "a", .name = "2", .node = "m", .labels = "\"app\":\"db\"" }));
    put(store, make_pod((pod){ .ns = "b", .name = "1", .node = "n", .labels = "\"app\":\"web\"" }));
    put(store, make_pod((pod){ .name = "whole" }));
    kin__store_publish(store);
    return store;
}

TEST(view, gets_by_key)
{
    kin_store *store = shop(NULL);
    kin_view view = kin_store_read(store);

    ASSERT_SLICE_EQ(kin_object_key(kin_view_get(&view, STR("a/2"))), "a/2");
    ASSERT_SLICE_EQ(kin_object_key(kin_view_get(&view, STR("whole"))), "whole");
    ASSERT_TRUE(kin_view_get(&view, STR("a/3")) == NULL);
    ASSERT_TRUE(kin_view_get(&view, kin_str_of(NULL)) == NULL);
    ASSERT_EQ(kin_view_count(&view), 4);
    kin_store_done(&view);
    kin__store_free(store);
}

TEST(view, walks_a_namespace_with_its_index_and_without)
{
    for (int i = 0; i < 2; i++) {
        kin__store_options options = { .no_namespace_index = i == 1 };
        kin_store *store = shop(&options);
        kin_view view = kin_store_read(store);

        ASSERT_STR_EQ(keys_of(kin_view_all(&view)), "a/1 a/2 b/1 whole");
        ASSERT_STR_EQ(keys_of(kin_view_in_namespace(&view, STR("a"))), "a/1 a/2");
        ASSERT_STR_EQ(keys_of(kin_view_in_namespace(&view, STR("c"))), "");
        ASSERT_STR_EQ(keys_of(kin_view_in_namespace(&view, STR(""))), "whole");
        ASSERT_STR_EQ(keys_of(kin_view_in_namespace(&view, kin_str_of(NULL))), "whole");
        ASSERT_EQ(kin_view_index_count(&view, "namespace", STR("a")), i == 1 ? 0 : 2);
        kin_store_done(&view);
        kin__store_free(store);
    }
}

TEST(view, walks_what_matches_selectors)
{
    kin_store *store = shop(NULL);
    kin_selector *labels = NULL;
    kin_field_selector *fields = NULL;
    ASSERT_OK(kin_selector_parse("app=web", &labels, NULL));
    ASSERT_OK(kin_field_selector_parse("metadata.namespace=a", &fields, NULL));
    kin_view view = kin_store_read(store);

    kin_view_iter iter = kin_view_all(&view);
    ASSERT_TRUE(kin_view_next_matching(&iter, labels, fields));
    ASSERT_SLICE_EQ(iter.key, "a/1");
    ASSERT_FALSE(kin_view_next_matching(&iter, labels, fields));
    ASSERT_FALSE(kin_view_next_matching(&iter, labels, fields));
    size_t counts[3] = { 0 };
    for (size_t i = 0; i < 3; i++) {
        iter = kin_view_all(&view);
        while (kin_view_next_matching(&iter, i == 0 ? labels : NULL, i == 1 ? fields : NULL)) {
            counts[i]++;
        }
    }

    ASSERT_EQ(counts[0], 2);
    ASSERT_EQ(counts[1], 2);
    ASSERT_EQ(counts[2], 4);
    kin_store_done(&view);
    kin_selector_free(labels);
    kin_field_selector_free(fields);
    kin__store_free(store);
}

TEST(view, walks_the_values_of_an_index)
{
    kin_store *store = shop(NULL);
    kin_view view = kin_store_read(store);
    kin_index_iter iter = { 0 };
    size_t objects = 0;
    size_t values = 0;

    while (kin_view_next_value(&view, "namespace", &iter)) {
        ASSERT_EQ(iter.count, count_walk(kin_view_by_index(&view, "namespace", iter.value)));
        objects += iter.count;
        values++;
    }
    ASSERT_FALSE(kin_view_next_value(&view, "namespace", &iter));
    ASSERT_EQ(values, 3);
    ASSERT_EQ(objects, 4);
    iter = (kin_index_iter){ 0 };
    ASSERT_FALSE(kin_view_next_value(&view, "unknown", &iter));
    ASSERT_FALSE(kin_view_next_value(&view, "unknown", &iter));
    kin_store_done(&view);
    kin__store_free(store);
}

TEST(view, walks_the_only_value_of_an_index_once)
{
    kin_store *store = new_store(NULL);
    put_alone(store, make_pod((pod){ .ns = "a", .name = "1" }));
    kin_view view = kin_store_read(store);
    kin_index_iter iter = { 0 };

    ASSERT_TRUE(kin_view_next_value(&view, "namespace", &iter));
    ASSERT_SLICE_EQ(iter.value, "a");
    ASSERT_FALSE(kin_view_next_value(&view, "namespace", &iter));
    ASSERT_FALSE(kin_view_next_value(&view, "namespace", &iter));
    kin_store_done(&view);
    kin__store_free(store);
}

TEST(view, names_its_indexes)
{
    kin_error err;
    kin_index_options by_name = KIN_INDEX_OPTIONS_INIT;
    by_name.name = "name";
    by_name.path = "metadata.name";
    kin_store *store = shop(NULL);
    kin_view before = kin_store_read(store);
    ASSERT_OK(kin_store_add_index(store, &by_name, &err));

    kin_view view = kin_store_read(store);

    ASSERT_STR_EQ(kin_view_index_name(&view, 0), "namespace");
    ASSERT_STR_EQ(kin_view_index_name(&view, 1), "name");
    ASSERT_TRUE(kin_view_index_name(&view, 2) == NULL);
    ASSERT_TRUE(kin_view_index_name(&before, 1) == NULL);
    kin_store_done(&view);
    kin_store_done(&before);
    kin__store_free(store);
}

TEST(view, finds_nothing_in_an_index_there_is_not)
{
    kin_store *store = shop(NULL);
    kin_view view = kin_store_read(store);

    ASSERT_STR_EQ(keys_of(kin_view_by_index(&view, "unknown", STR("a"))), "");
    ASSERT_EQ(kin_view_index_count(&view, "unknown", STR("a")), 0);
    kin_store_done(&view);
    kin__store_free(store);
}

TEST(view, allocates_nothing)
{
    kin_store *store = shop(NULL);
    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });

    kin_view view = kin_store_read(store);
    ASSERT_TRUE(kin_view_get(&view, STR("a/1")) != NULL);
    ASSERT_EQ(count_walk(kin_view_all(&view)), 4);
    ASSERT_EQ(count_walk(kin_view_in_namespace(&view, STR("a"))), 2);
    kin_store_done(&view);

    ASSERT_EQ(test_allocator_requests(), 0);
    test_allocator_plan((alloc_failure){ 0 });
    kin__store_free(store);
}

TEST(view, can_be_opened_inside_another)
{
    kin_store *store = shop(NULL);
    kin_store *other = shop(NULL);

    kin_view outer = kin_store_read(store);
    kin_view inner = kin_store_read(other);
    kin_store_done(&outer);
    remove_alone(store, STR("a/1"));
    remove_alone(other, STR("a/1"));

    ASSERT_TRUE(kin_view_get(&inner, STR("a/1")) != NULL);
    kin_store_done(&inner);
    (void) kin__store_collect(store);
    (void) kin__store_collect(other);
    ASSERT_EQ(kin__store_measure(store).unreleased, 0);
    kin__store_free(store);
    kin__store_free(other);
}
