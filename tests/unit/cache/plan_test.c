/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_test.c - how sets follow the objects.
 */
#include "cache/plan.h"

#include "base/slab.h"
#include "store_support.h"
#include "support/allocator.h"

static const char *by_node(kin_store *store, const char *value)
{
    kin_view view = kin_store_read(store);
    const char *keys = keys_of(kin_view_by_index(&view, "node", kin_str_of(value)));
    kin_store_done(&view);
    return keys;
}

/* The values of an index, each with its number of objects: "n1:2 n2:1".  At most 8, sorted. */
static const char *values_of(kin_store *store, const char *index)
{
    static text result;
    kin_index_iter values[8];
    size_t count = 0;
    kin_view view = kin_store_read(store);
    kin_index_iter iter = { 0 };

    while (kin_view_next_value(&view, index, &iter)) {
        ASSERT_TRUE(count < 8);
        size_t at = count++;
        for (; at > 0 && kin__str_compare(iter.value, values[at - 1].value) < 0; at--) {
            values[at] = values[at - 1];
        }
        values[at] = iter;
    }
    text_clear(&result);
    for (size_t i = 0; i < count; i++) {
        text_append(&result, "%s%.*s:%zu", i == 0 ? "" : " ", KIN_STR_ARG(values[i].value),
                    values[i].count);
    }
    kin_store_done(&view);
    return result.chars;
}

/* An index function that says what it is told to. */
typedef struct rule {
    const char *value;
    size_t calls;
} rule;

static kin_err run_rule(void *context, const kin_object *object, kin_index_sink *sink,
                        kin_error *err)
{
    rule *r = context;
    (void) object;
    (void) err;
    r->calls++;
    kin_index_add(sink, kin_str_of(r->value));
    kin_index_add(sink, kin_str_of(r->value));
    return KIN_OK;
}

static void add_rule(kin_store *store, rule *r, kin_index_fn fn)
{
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    options.name = "node";
    options.fn = fn;
    options.context = r;
    ASSERT_OK(kin_store_add_index(store, &options, NULL));
}

TEST(plan, follows_objects_that_change_and_go)
{
    kin_store *store = new_store(NULL);
    add_path_index(store, "node", "spec.nodeName");
    put_alone(store, make_pod((pod){ .ns = "x", .name = "a", .node = "n1" }));
    put_alone(store, make_pod((pod){ .ns = "x", .name = "b", .node = "n1" }));

    put_alone(store, make_pod((pod){ .ns = "x", .name = "a", .node = "n2", .version = "2" }));
    ASSERT_STR_EQ(by_node(store, "n1"), "x/b");
    ASSERT_STR_EQ(by_node(store, "n2"), "x/a");
    put_alone(store, make_pod((pod){ .ns = "x", .name = "a", .node = "n2", .version = "3" }));
    kin_view view = kin_store_read(store);
    kin_view_iter iter = kin_view_by_index(&view, "node", STR("n2"));
    ASSERT_TRUE(kin_view_next(&iter));
    ASSERT_SLICE_EQ(kin_object_resource_version(iter.object), "3");
    kin_store_done(&view);
    remove_alone(store, STR("x/a"));
    ASSERT_STR_EQ(by_node(store, "n2"), "");

    kin__store_free(store);
}

TEST(plan, forgets_a_value_with_its_last_object)
{
    kin_store *store = new_store(NULL);
    add_path_index(store, "node", "spec.nodeName");
    put_alone(store, make_pod((pod){ .ns = "x", .name = "a", .node = "n1" }));
    put_alone(store, make_pod((pod){ .ns = "x", .name = "b", .node = "n1" }));
    put_alone(store, make_pod((pod){ .ns = "x", .name = "c", .node = "n2" }));

    ASSERT_STR_EQ(values_of(store, "node"), "n1:2 n2:1");
    remove_alone(store, STR("x/a"));
    ASSERT_STR_EQ(values_of(store, "node"), "n1:1 n2:1");
    remove_alone(store, STR("x/b"));
    ASSERT_STR_EQ(values_of(store, "node"), "n2:1");
    put_alone(store, make_pod((pod){ .ns = "x", .name = "c", .node = "n3", .version = "2" }));
    ASSERT_STR_EQ(values_of(store, "node"), "n3:1");
    kin__store_free(store);
}

TEST(plan, follows_objects_that_have_several_values)
{
    kin_store *store = new_store(NULL);
    add_path_index(store, "label", "metadata.labels[*]");
    put_alone(store,
              make_pod((pod){ .ns = "x", .name = "a", .labels = "\"1\":\"p\",\"2\":\"q\"" }));
    put_alone(store,
              make_pod((pod){ .ns = "x", .name = "b", .labels = "\"1\":\"q\",\"2\":\"r\"" }));
    ASSERT_STR_EQ(values_of(store, "label"), "p:1 q:2 r:1");

    put_alone(store, make_pod((pod){ .ns = "x",
                                     .name = "a",
                                     .version = "2",
                                     .labels = "\"1\":\"r\",\"2\":\"s\",\"3\":\"s\"" }));
    ASSERT_STR_EQ(values_of(store, "label"), "q:1 r:2 s:1");
    put_alone(store, make_pod((pod){ .ns = "x", .name = "b", .version = "2" }));
    ASSERT_STR_EQ(values_of(store, "label"), "r:1 s:1");
    remove_alone(store, STR("x/a"));
    ASSERT_STR_EQ(values_of(store, "label"), "");
    kin__store_free(store);
}

TEST(plan, survives_a_function_that_changes_its_mind)
{
    rule r = { .value = "first" };
    kin_store *store = new_store(NULL);
    add_rule(store, &r, run_rule);
    put_alone(store, make_pod((pod){ .ns = "x", .name = "a" }));
    put_alone(store, make_pod((pod){ .ns = "x", .name = "b" }));
    put_alone(store, make_pod((pod){ .ns = "x", .name = "c" }));

    r.value = "second";
    remove_alone(store, STR("x/a"));
    put_alone(store, make_pod((pod){ .ns = "x", .name = "b", .version = "2" }));

    ASSERT_STR_EQ(by_node(store, "first"), "x/c");
    ASSERT_STR_EQ(by_node(store, "second"), "x/b");
    kin__store_free(store);
}

TEST(plan, asks_once_when_the_values_stay)
{
    rule r = { .value = "v" };
    kin_store *store = new_store(NULL);
    add_rule(store, &r, run_rule);
    put_alone(store, make_pod((pod){ .ns = "x", .name = "a" }));
    r.calls = 0;

    put_alone(store, make_pod((pod){ .ns = "x", .name = "a", .version = "2" }));

    ASSERT_EQ(r.calls, 1);
    kin__store_free(store);
}

TEST(plan, finds_strays_also_when_there_are_other_values)
{
    rule r = { .value = "first" };
    kin_store *store = new_store(NULL);
    add_path_index(store, "label", "metadata.labels[*]");
    add_rule(store, &r, run_rule);
    for (size_t i = 0; i < 200; i++) {
        put_alone(store, numbered_pod(i, 1));
    }

    r.value = "second";
    for (size_t i = 0; i < 200; i += 2) {
        put_alone(store, numbered_pod(i, 2));
    }
    for (size_t i = 1; i < 200; i += 4) {
        remove_alone(store, numbered_key(i));
    }

    kin_view view = kin_store_read(store);
    ASSERT_EQ(kin_view_index_count(&view, "node", STR("first")), 50);
    ASSERT_EQ(kin_view_index_count(&view, "node", STR("second")), 100);
    kin_store_done(&view);
    kin__store_free(store);
}

TEST(plan, takes_values_that_come_and_go_at_once)
{
    kin_store *store = new_store(NULL);
    add_path_index(store, "label", "metadata.labels[*]");
    put_alone(
        store,
        make_pod((pod){ .ns = "x", .name = "a", .labels = "\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"" }));

    put_alone(
        store,
        make_pod((pod){ .ns = "x", .name = "a", .labels = "\"a\":\"2\",\"b\":\"3\",\"c\":\"4\"" }));

    kin_view view = kin_store_read(store);
    ASSERT_EQ(kin_view_index_count(&view, "label", STR("1")), 0);
    ASSERT_EQ(kin_view_index_count(&view, "label", STR("2")), 1);
    ASSERT_EQ(kin_view_index_count(&view, "label", STR("3")), 1);
    ASSERT_EQ(kin_view_index_count(&view, "label", STR("4")), 1);
    kin_index_iter values = { 0 };
    size_t count = 0;
    while (kin_view_next_value(&view, "label", &values)) {
        count++;
    }
    ASSERT_EQ(count, 3);
    kin_store_done(&view);
    kin__store_free(store);
}

/* Three values come, two go: with each of its allocations failing, all of it happens or nothing. */
TEST(plan, leaves_no_empty_values_without_memory)
{
    kin__slab_set_apart(true);
    kin_store *store = new_store(NULL);
    kin_error err;
    const kin_object *old;
    add_path_index(store, "label", "metadata.labels[*]");
    kin_object *before =
        make_pod((pod){ .ns = "x", .name = "a", .labels = "\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"" });
    kin_object *after =
        make_pod((pod){ .ns = "x", .name = "a", .labels = "\"a\":\"3\",\"b\":\"4\",\"c\":\"5\"" });
    put_alone(store, kin_object_ref(before));

    for (long long failing = 1;; failing++) {
        kin__store_begin(store);
        test_allocator_plan((alloc_failure){ failing, failing % 2 == 0 });
        kin_err code = kin__store_put(store, after, &old, &err);
        test_allocator_plan((alloc_failure){ 0 });
        kin_view view = kin__store_newest_view(store);
        kin_index_iter values = { 0 };
        size_t count = 0;
        while (kin_view_next_value(&view, "label", &values)) {
            ASSERT_EQ(values.count, 1);
            count++;
        }
        ASSERT_EQ(count, 3);
        ASSERT_EQ(kin_view_index_count(&view, "label", STR("1")), code == KIN_OK ? 0 : 1);
        ASSERT_EQ(kin_view_index_count(&view, "label", STR("5")), code == KIN_OK ? 1 : 0);
        kin__store_publish(store);
        if (code == KIN_OK) {
            ASSERT_TRUE(failing > 5);
            break;
        }
    }
    kin_object_unref(before);
    kin_object_unref(after);
    kin__store_free(store);
}
