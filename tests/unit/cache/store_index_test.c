/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_index_test.c - indexes that come and go while a store is in use.
 */
#include "base/slab.h"
#include "base/thread.h"
#include "cache/store_state.h"
#include "store_support.h"

typedef struct nested {
    kin_store *store;
    kin_err code;
    kin_err removed;
} nested;

TEST(store_index, is_seen_by_views_that_were_opened_while_it_was_there)
{
    kin_store *store = new_store(NULL);
    put_alone(store, make_pod((pod){ .ns = "x", .name = "a", .node = "n1" }));

    kin_view before = kin_store_read(store);
    add_path_index(store, "node", "spec.nodeName");
    kin_view with = kin_store_read(store);
    ASSERT_OK(kin_store_remove_index(store, "node", NULL));
    kin_view after = kin_store_read(store);
    remove_alone(store, STR("x/a"));

    ASSERT_EQ(kin_view_index_count(&before, "node", STR("n1")), 0);
    ASSERT_STR_EQ(keys_of(kin_view_by_index(&with, "node", STR("n1"))), "x/a");
    ASSERT_EQ(kin_view_index_count(&after, "node", STR("n1")), 0);
    kin_store_done(&after);
    kin_store_done(&with);
    kin_store_done(&before);
    kin__store_free(store);
}

TEST(store_index, must_have_a_name_of_its_own_and_one_rule)
{
    kin_store *store = new_store(NULL);
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    kin_error err;

    options.name = "node";
    ASSERT_ERR(kin_store_add_index(store, &options, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "add the index \"node\": one of path and fn is required");
    options.path = "spec..nodeName";
    ASSERT_ERR(kin_store_add_index(store, &options, &err), KIN_ERR_MALFORMED);
    options.path = "spec.nodeName";
    options.name = "namespace";
    ASSERT_ERR(kin_store_add_index(store, &options, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "add the index \"namespace\": the name is taken");
    options.name = NULL;
    ASSERT_ERR(kin_store_add_index(store, &options, &err), KIN_ERR_USAGE);
    options.size = 0;
    ASSERT_ERR(kin_store_add_index(store, &options, NULL), KIN_ERR_USAGE);
    ASSERT_ERR(kin_store_remove_index(store, "node", &err), KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "remove the index \"node\": there is none of that name");
    ASSERT_ERR(kin_store_remove_index(store, NULL, NULL), KIN_ERR_NOT_FOUND);

    kin__store_free(store);
}

static kin_err add_another_index(void *context, const kin_object *object, kin_index_sink *sink,
                                 kin_error *err)
{
    nested *n = context;
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    (void) object;
    (void) sink;
    options.name = "other";
    options.path = "kind";
    n->code = kin_store_add_index(n->store, &options, err);
    n->removed = kin_store_remove_index(n->store, "namespace", err);
    kin_view view = kin_store_read(n->store); /* reading is allowed */
    kin_store_done(&view);
    return KIN_OK;
}

TEST(store_index, cannot_be_added_from_inside_an_index_function)
{
    kin_store *store = new_store(NULL);
    nested n = { .store = store };
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    options.name = "node";
    options.fn = add_another_index;
    options.context = &n;
    put_alone(store, make_pod((pod){ .ns = "x", .name = "a" }));

    ASSERT_OK(kin_store_add_index(store, &options, NULL));

    ASSERT_ERR(n.code, KIN_ERR_USAGE);
    ASSERT_ERR(n.removed, KIN_ERR_USAGE);
    kin__store_free(store);
}

/* As when an informer is freed by the index function: another thread does it, and waits. */
typedef struct freeing {
    kin_store *store;
    kin__thread thread;
    bool is_begun;
    int nudges;
    bool is_open; /* the batch, at the last nudge */
} freeing;

static void free_store(void *context)
{
    kin__store_free(((freeing *) context)->store);
}

static kin_err let_it_be_freed(void *context, const kin_object *object, kin_index_sink *sink,
                               kin_error *err)
{
    freeing *f = context;

    (void) object;
    (void) sink;
    if (f->is_begun) {
        return KIN_OK;
    }
    f->is_begun = true;
    return kin__thread_start(&f->thread, "test-free", free_store, f, err);
}

TEST(store_index, may_be_the_last_thing_that_happens_to_a_store)
{
    for (int i = 0; i < 600 / SLOWNESS; i++) {
        freeing f = { .store = new_store(NULL) };
        kin_index_options options = KIN_INDEX_OPTIONS_INIT;
        options.name = "node";
        options.fn = let_it_be_freed;
        options.context = &f;
        put_alone(f.store, make_pod((pod){ .ns = "x", .name = "a" }));

        ASSERT_OK(kin_store_add_index(f.store, &options, NULL));

        kin__thread_join(&f.thread);
    }
}

/* What is told of its end is told while nobody can have freed the store. */
static void note_batch(void *context)
{
    freeing *f = context;

    f->nudges++;
    f->is_open = atomic_load(&f->store->writer) == kin__store_thread();
}

TEST(store_index, tells_of_what_waits_before_its_batch_ends)
{
    freeing f = { .nudges = 0 };
    kin__store_options options = { .on_unread = note_batch, .context = &f };
    f.store = new_store(&options);
    put_alone(f.store, make_pod((pod){ .ns = "x", .name = "a", .node = "n1" }));
    kin_view view = kin_store_read(f.store);

    add_path_index(f.store, "node", "spec.nodeName");
    ASSERT_EQ(f.nudges, 1);
    ASSERT_TRUE(f.is_open);
    f.is_open = false;
    ASSERT_OK(kin_store_remove_index(f.store, "node", NULL));
    ASSERT_EQ(f.nudges, 2);
    ASSERT_TRUE(f.is_open);

    kin_store_done(&view);
    kin__store_free(f.store);
}

TEST(store_index, of_many_values_comes_and_goes)
{
    kin_store *store = new_store(NULL);
    put_numbered(store, 5000 / SLOWNESS, 1);
    size_t bytes = kin__store_measure(store).structure_bytes;

    add_path_index(store, "uid", "metadata.uid");
    kin_view view = kin_store_read(store);
    kin_index_iter values = { 0 };
    size_t count = 0;
    while (kin_view_next_value(&view, "uid", &values)) {
        count++;
    }
    ASSERT_EQ(count, 5000 / SLOWNESS);
    kin_store_done(&view);
    ASSERT_OK(kin_store_remove_index(store, "uid", NULL));

    ASSERT_TRUE(kin__store_measure(store).structure_bytes < bytes + 64);
    ASSERT_EQ(kin__store_measure(store).unreleased, 0);
    kin__store_free(store);
}

TEST_FAILING_ALLOC(store_index, is_added_wholly_or_not_at_all)
{
    kin__slab_set_apart(true);
    kin_store *store = NULL;
    kin_error err;
    kin_err code = kin__store_new(NULL, &store, &err);
    if (code != KIN_OK) {
        return code;
    }
    size_t count = 0;
    for (size_t i = 0; i < 6; i++) {
        char name[16];
        const kin_object *old;
        kin_object *object = NULL;
        (void) snprintf(name, sizeof name, "pod-%zu", i);
        kin__store_begin(store);
        kin_err step = make_pod_or_fail((pod){ .ns = "x",
                                               .name = name,
                                               .node = i < 3 ? "n1" : "n\\u0032",
                                               .labels = "\"a\":\"1\",\"b\":\"2\"" },
                                        &object, &err);
        step = step == KIN_OK ? kin__store_put(store, object, &old, &err) : step;
        kin__store_publish(store);
        kin_object_unref(object);
        count += step == KIN_OK ? 1 : 0;
        code = step == KIN_OK ? code : step;
    }
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    options.name = "node";
    options.path = "spec.nodeName";
    kin_err added = kin_store_add_index(store, &options, &err);
    options.name = "label";
    options.path = "metadata.labels[*]";
    kin_err labels = kin_store_add_index(store, &options, &err);

    kin_view view = kin_store_read(store);
    size_t found = kin_view_index_count(&view, "node", STR("n1")) +
                   kin_view_index_count(&view, "node", STR("n2"));
    ASSERT_EQ(found, added == KIN_OK ? count : 0);
    ASSERT_EQ(kin_view_index_count(&view, "label", STR("1")), labels == KIN_OK ? count : 0);
    kin_store_done(&view);
    kin_err removed = added == KIN_OK ? kin_store_remove_index(store, "node", &err) : KIN_OK;
    kin__store_free(store);
    code = added == KIN_OK ? code : added;
    code = labels == KIN_OK ? code : labels;
    return removed == KIN_OK ? code : removed;
}
