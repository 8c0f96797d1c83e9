/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_test.c - indexes by path and by function, and how they follow the objects.
 */
#include "cache/index.h"

#include "base/slab.h"
#include "store_support.h"
#include "support/allocator.h"

static const char *by_node(kin_store *store, const char *value)
{
    kin_view view = kin_store_read(store);
    const char *keys = keys_of(kin_view_by_index(&view, "node", kin_str_of(value)));
    ASSERT_EQ(kin_view_index_count(&view, "node", kin_str_of(value)),
              count_walk(kin_view_by_index(&view, "node", kin_str_of(value))));
    kin_store_done(&view);
    return keys;
}

TEST(index, finds_objects_by_a_path)
{
    kin_store *store = new_store(NULL);
    put_alone(store, make_pod((pod){ .ns = "x", .name = "a", .node = "n1" }));

    add_path_index(store, "node", "spec.nodeName");
    put_alone(store, make_pod((pod){ .ns = "x", .name = "b", .node = "n1" }));
    put_alone(store, make_pod((pod){ .ns = "x", .name = "c", .node = "n2" }));

    ASSERT_STR_EQ(by_node(store, "n1"), "x/a x/b");
    ASSERT_STR_EQ(by_node(store, "n2"), "x/c");
    ASSERT_STR_EQ(by_node(store, "n3"), "");
    kin__store_free(store);
}

TEST(index, has_each_value_that_a_path_leads_to)
{
    kin_store *store = new_store(NULL);
    add_path_index(store, "label", "metadata.labels[*]");
    add_path_index(store, "ip", "status.podIPs[*].ip");

    put_alone(store, make_pod((pod){ .ns = "x",
                                     .name = "a",
                                     .labels = "\"app\":\"web\",\"tier\":\"web\",\"e\":\"a\\nb\"",
                                     .ips = "{\"ip\":\"10.0.0.1\"},{\"ip\":\"fd00::1\"},{},"
                                            "{\"ip\":7},{\"ip\":true},{\"ip\":null}" }));

    kin_view view = kin_store_read(store);
    ASSERT_STR_EQ(keys_of(kin_view_by_index(&view, "label", STR("web"))), "x/a");
    ASSERT_STR_EQ(keys_of(kin_view_by_index(&view, "label", STR("a\nb"))), "x/a");
    ASSERT_STR_EQ(keys_of(kin_view_by_index(&view, "ip", STR("10.0.0.1"))), "x/a");
    ASSERT_STR_EQ(keys_of(kin_view_by_index(&view, "ip", STR("fd00::1"))), "x/a");
    ASSERT_STR_EQ(keys_of(kin_view_by_index(&view, "ip", STR("7"))), "x/a");
    ASSERT_STR_EQ(keys_of(kin_view_by_index(&view, "ip", STR("true"))), "x/a");
    kin_index_iter values = { 0 };
    size_t count = 0;
    while (kin_view_next_value(&view, "ip", &values)) {
        ASSERT_EQ(values.count, 1);
        count++;
    }
    ASSERT_EQ(count, 4);
    ASSERT_FALSE(kin_view_next_value(&view, "ip", &values));
    kin_store_done(&view);
    kin__store_free(store);
}

/* ---- functions --------------------------------------------------------------------------- */

typedef struct rule {
    kin_store *store;
    const char *fails_on; /* a name */
    const char *value;
    kin_err nested;
    size_t reported;
    size_t calls;
} rule;

static kin_err run_rule(void *context, const kin_object *object, kin_index_sink *sink,
                        kin_error *err)
{
    rule *r = context;
    r->calls++;
    kin_index_add(sink, kin_str_of(r->value));
    kin_index_add(sink, kin_str_of(r->value));
    if (r->fails_on != NULL && kin_str_equal(kin_object_name(object), kin_str_of(r->fails_on))) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "I do not like it");
    }
    return KIN_OK;
}

static void note_error(void *context, const char *index, const kin_object *object,
                       const kin_error *err)
{
    rule *r = context;
    r->reported++;
    ASSERT_STR_EQ(index, "node");
    ASSERT_SLICE_EQ(kin_object_name(object), r->fails_on);
    ASSERT_STR_EQ(err->message, "I do not like it");
    ASSERT_EQ(err->code, KIN_ERR_MALFORMED);
}

static void add_rule(kin_store *store, rule *r, kin_index_fn fn)
{
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    options.name = "node";
    options.fn = fn;
    options.context = r;
    ASSERT_OK(kin_store_add_index(store, &options, NULL));
}

TEST(index, leaves_out_an_object_on_which_its_function_fails)
{
    rule r = { .fails_on = "b", .value = "v" };
    kin__store_options options = { .on_index_error = note_error, .context = &r };
    kin_store *store = new_store(&options);
    put_alone(store, make_pod((pod){ .ns = "x", .name = "b" }));
    add_rule(store, &r, run_rule);
    ASSERT_EQ(r.reported, 1);

    kin__store_begin(store);
    put(store, make_pod((pod){ .ns = "x", .name = "a" }));
    put(store, make_pod((pod){ .ns = "x", .name = "b", .version = "2" }));
    put(store, make_pod((pod){ .ns = "x", .name = "c" }));
    kin__store_publish(store);

    ASSERT_EQ(r.reported, 2);
    ASSERT_STR_EQ(by_node(store, "v"), "x/a x/c");
    kin_view view = kin_store_read(store);
    ASSERT_EQ(kin_view_count(&view), 3);
    ASSERT_STR_EQ(keys_of(kin_view_in_namespace(&view, STR("x"))), "x/a x/b x/c");
    kin_store_done(&view);
    remove_alone(store, STR("x/b"));
    kin__store_free(store);
}

TEST(index, can_have_empty_values)
{
    rule r = { .value = "" };
    kin_store *store = new_store(NULL);
    add_rule(store, &r, run_rule);

    put_alone(store, make_pod((pod){ .ns = "x", .name = "a" }));

    ASSERT_STR_EQ(by_node(store, ""), "x/a");
    remove_alone(store, STR("x/a"));
    ASSERT_STR_EQ(by_node(store, ""), "");
    kin__store_free(store);
}

static kin_err add_a_long_value(void *context, const kin_object *object, kin_index_sink *sink,
                                kin_error *err)
{
    static char value[65536];
    (void) context;
    (void) err;
    memset(value, 'v', sizeof value);
    size_t len = kin_str_equal(kin_object_name(object), STR("long")) ? 65536 : 65535;
    kin_index_add(sink, STR("v"));
    kin_index_add(sink, kin__str(value, len));
    return KIN_OK;
}

TEST(index, leaves_out_an_object_with_a_value_of_64_kilobytes)
{
    kin_store *store = new_store(NULL);
    add_rule(store, NULL, add_a_long_value);

    put_alone(store, make_pod((pod){ .ns = "x", .name = "long" }));
    put_alone(store, make_pod((pod){ .ns = "x", .name = "short" }));

    ASSERT_STR_EQ(by_node(store, "v"), "x/short");
    kin__store_free(store);
}

TEST_FAILING_ALLOC(index, evaluates_its_rule_wholly_or_not_at_all)
{
    kin__slab_set_apart(true);
    kin__batch batch = { .number = 1 };
    kin__index_values values = { 0 };
    kin__index_rule *made = NULL;
    kin_object *object = NULL;
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    kin_error err;
    bool is_ours = false;
    options.name = "label";
    options.path = "metadata.labels[*]";
    kin_err code = kin__index_rule_make(&batch, &options, &made, &err);
    if (code == KIN_OK) {
        code = make_pod_or_fail(
            (pod){ .name = "a", .labels = "\"a\":\"1\",\"b\":\"\\u0032\",\"c\":\"\"" }, &object,
            &err);
    }
    if (code == KIN_OK) {
        code = kin__index_evaluate(made, 3, &batch, object, &values, &is_ours, &err);
        ASSERT_EQ(values.count, code == KIN_OK ? 3 : 0);
        ASSERT_EQ(is_ours, code != KIN_OK);
    }
    kin__index_values_fini(&values);
    kin_object_unref(object);
    if (made != NULL) {
        kin__part_free(&made->part);
    }
    return code;
}
