/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_model_test.c - a store beside a model that is too simple to be wrong.
 *
 * A random walk: puts, removals, batches, snapshots, indexes that come and go, memory that is
 * lacking.  After each step what the store says of one key must be what the model says; from time
 * to time all of it is compared, of the store and of every snapshot.
 */
#include "base/slab.h"
#include "store_support.h"
#include "support/allocator.h"
#include "support/random.h"

#define KEYS 600
#define NODES 7
#define SNAPSHOTS 5

/* What one version holds: of each key the version of its object, and its node; 0: nothing. */
typedef struct model {
    uint32_t versions[KEYS];
    uint8_t nodes[KEYS];
    bool has_index;
} model;

typedef struct world {
    uint64_t random;
    kin_store *store;
    model published;
    model draft;
    bool is_in_batch;
    uint32_t next_version;
    size_t keys; /* in use */
    kin_snapshot *snapshots[SNAPSHOTS];
    model shown[SNAPSHOTS];
    size_t failures;
} world;

static kin_object *pod_of(size_t key, uint32_t version, uint8_t node)
{
    char name[32];
    char version_text[16];
    char node_name[16];
    (void) snprintf(name, sizeof name, "pod-%zu", key);
    (void) snprintf(version_text, sizeof version_text, "%u", version);
    (void) snprintf(node_name, sizeof node_name, "node-%u", node);
    return make_pod(
        (pod){ .ns = "shop", .name = name, .version = version_text, .node = node_name });
}

/* The digits at the end. */
static uint32_t number_in(kin_str s)
{
    uint32_t number = 0;
    for (size_t i = 0; i < s.len; i++) {
        bool is_digit = s.data[i] >= '0' && s.data[i] <= '9';
        number = is_digit ? number * 10 + (uint32_t) (s.data[i] - '0') : 0;
    }
    return number;
}

static uint32_t version_of(const kin_object *object)
{
    return number_in(kin_object_resource_version(object));
}

static void compare_key(const kin_view *view, const model *m, size_t key)
{
    const kin_object *object = kin_view_get(view, numbered_key(key));
    ASSERT_EQ(object == NULL ? 0 : version_of(object), m->versions[key]);
}

static void compare_index(const kin_view *view, const model *m)
{
    size_t counts[NODES] = { 0 };
    for (size_t key = 0; key < KEYS; key++) {
        counts[m->nodes[key]] += m->versions[key] != 0 ? 1 : 0;
    }
    size_t distinct = 0;
    for (size_t node = 0; node < NODES; node++) {
        char value[16];
        (void) snprintf(value, sizeof value, "node-%zu", node);
        size_t wanted = m->has_index ? counts[node] : 0;
        distinct += wanted > 0 ? 1 : 0;
        ASSERT_EQ(kin_view_index_count(view, "node", kin_str_of(value)), wanted);
        size_t seen = 0;
        kin_view_iter iter = kin_view_by_index(view, "node", kin_str_of(value));
        while (kin_view_next(&iter)) {
            size_t key = number_in(iter.key);
            ASSERT_EQ(m->nodes[key], node);
            ASSERT_EQ(version_of(iter.object), m->versions[key]);
            seen++;
        }
        ASSERT_EQ(seen, wanted);
    }
    kin_index_iter values = { 0 };
    while (kin_view_next_value(view, "node", &values)) {
        ASSERT_TRUE(values.count > 0);
        distinct--;
    }
    ASSERT_EQ(distinct, 0);
}

static void compare_all(const kin_view *view, const model *m)
{
    size_t count = 0;
    for (size_t key = 0; key < KEYS; key++) {
        compare_key(view, m, key);
        count += m->versions[key] != 0 ? 1 : 0;
    }
    ASSERT_EQ(kin_view_count(view), count);
    ASSERT_EQ(count_walk(kin_view_all(view)), count);
    ASSERT_EQ(count_walk(kin_view_in_namespace(view, STR("shop"))), count);
    compare_index(view, m);
}

static void compare_world(world *w)
{
    kin_view view = kin_store_read(w->store);
    compare_all(&view, &w->published);
    kin_store_done(&view);
    if (w->is_in_batch) {
        view = kin__store_newest_view(w->store);
        compare_all(&view, &w->draft);
    }
    for (size_t i = 0; i < SNAPSHOTS; i++) {
        if (w->snapshots[i] != NULL) {
            compare_all(kin_snapshot_view(w->snapshots[i]), &w->shown[i]);
        }
    }
}

static void begin(world *w)
{
    if (!w->is_in_batch) {
        kin__store_begin(w->store);
        w->is_in_batch = true;
        w->draft = w->published;
    }
}

static void publish(world *w)
{
    if (w->is_in_batch) {
        kin__store_publish(w->store);
        w->is_in_batch = false;
        w->published = w->draft;
    }
}

/* One time in twenty memory will be lacking soon. */
static void plan_failure(world *w)
{
    if (random_below(&w->random, 20) == 0) {
        long long first = 1 + (long long) random_below(&w->random, 12);
        test_allocator_plan((alloc_failure){ first, random_below(&w->random, 2) == 0 });
    }
}

static bool has_worked(world *w, kin_err code)
{
    test_allocator_plan((alloc_failure){ 0 });
    if (code != KIN_OK) {
        ASSERT_ERR(code, KIN_ERR_NO_MEMORY);
        w->failures++;
    }
    return code == KIN_OK;
}

static void step_put(world *w)
{
    size_t key = random_below(&w->random, w->keys);
    uint8_t node = (uint8_t) random_below(&w->random, NODES);
    uint32_t version = w->next_version++;
    const kin_object *old = NULL;
    kin_error err;

    begin(w);
    kin_object *object = pod_of(key, version, node);
    plan_failure(w);
    if (has_worked(w, kin__store_put(w->store, object, &old, &err))) {
        ASSERT_EQ(old == NULL ? 0 : version_of(old), w->draft.versions[key]);
        w->draft.versions[key] = version;
        w->draft.nodes[key] = node;
    }
    kin_object_unref(object);
}

static void step_remove(world *w)
{
    size_t key = random_below(&w->random, w->keys);
    const kin_object *old = NULL;
    kin_error err;

    begin(w);
    plan_failure(w);
    if (has_worked(w, kin__store_remove(w->store, numbered_key(key), &old, &err))) {
        ASSERT_EQ(old == NULL ? 0 : version_of(old), w->draft.versions[key]);
        w->draft.versions[key] = 0;
    }
}

static void step_index(world *w)
{
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    kin_error err;

    options.name = "node";
    options.path = "spec.nodeName";
    publish(w);
    plan_failure(w);
    if (w->published.has_index) {
        if (has_worked(w, kin_store_remove_index(w->store, "node", &err))) {
            w->published.has_index = false;
        }
    } else if (has_worked(w, kin_store_add_index(w->store, &options, &err))) {
        w->published.has_index = true;
    }
}

static void step_snapshot(world *w)
{
    size_t i = random_below(&w->random, SNAPSHOTS);

    if (w->snapshots[i] != NULL) {
        kin_snapshot_free(w->snapshots[i]);
        w->snapshots[i] = NULL;
    } else {
        ASSERT_OK(kin_store_snapshot(w->store, &w->snapshots[i], NULL));
        w->shown[i] = w->published;
    }
}

/* Mostly puts while it grows, mostly removals while it shrinks. */
static void step(world *w, size_t number)
{
    size_t what = random_below(&w->random, 1000);
    bool is_growing = number / 3000 % 2 == 0;

    if (number % 6000 == 0) {
        w->keys = random_below(&w->random, 2) == 0 ? KEYS : 40;
        if (w->keys < KEYS) {
            begin(w);
            for (size_t key = 0; key < KEYS; key++) {
                take_out(w->store, numbered_key(key));
                w->draft.versions[key] = 0;
            }
        }
    }
    if (what < 5) {
        step_snapshot(w);
    } else if (what < 7) {
        step_index(w);
    } else if (what < 150) {
        publish(w);
    } else if ((what < 750) == is_growing) {
        step_put(w);
    } else {
        step_remove(w);
    }
}

static void walk_randomly(size_t steps, uint64_t seed, uint64_t blind, bool is_apart)
{
    kin__slab_set_apart(is_apart);
    kin__store_options options = { .hash_seed = seed, .blind_hash_bits = blind };
    static world w;
    w = (world){ .random = random_start(seed), .keys = KEYS, .next_version = 1 };
    w.store = new_store(&options);

    for (size_t i = 0; i < steps; i++) {
        step(&w, i);
        kin_view view = kin_store_read(w.store);
        compare_key(&view, &w.published, random_below(&w.random, KEYS));
        kin_store_done(&view);
        if (i % 1000 == 0) {
            compare_world(&w);
        }
    }

    compare_world(&w);
    publish(&w);
    kin__store_free(w.store);
    for (size_t i = 0; i < SNAPSHOTS; i++) {
        if (w.snapshots[i] != NULL) {
            compare_all(kin_snapshot_view(w.snapshots[i]), &w.shown[i]);
            kin_snapshot_free(w.snapshots[i]);
        }
    }
    printf("%zu steps, memory was lacking %zu times\n", steps, w.failures);
    kin__slab_set_apart(false);
}

TEST(store_model, agrees_over_a_million_steps)
{
    walk_randomly(1000000 / SLOWNESS, 20261116, 0, false);
}

TEST(store_model, agrees_while_memory_is_lacking)
{
    walk_randomly(200000 / SLOWNESS, 7, 0, true);
}

TEST(store_model, agrees_when_all_keys_have_the_same_hash)
{
    walk_randomly(60000 / SLOWNESS, 8, UINT64_MAX, true);
}

TEST(store_model, agrees_when_hashes_differ_in_their_tag_only)
{
    walk_randomly(60000 / SLOWNESS, 9, ~(uint64_t) 0xff, true);
}

TEST(store_model, agrees_when_hashes_have_four_bits)
{
    walk_randomly(60000 / SLOWNESS, 10, ~((uint64_t) 0xf << 60), true);
}
