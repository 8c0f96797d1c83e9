/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delta_line_test.c - the line of keys: order, finding, gaps, and memory.
 */
#include "cache/delta_line.h"

#include "unit/cache/delta_support.h"

static kin__delta delta_of(const kin_object *object)
{
    return (kin__delta){ .object = kin_object_ref(object), .type = KIN__DELTA_UPDATED };
}

static void push(kin__delta_line *line, const kin_object *object)
{
    kin_str key = kin_object_key(object);
    ASSERT_TRUE(kin__delta_line_push(line, kin__delta_line_find(line, key), key, false,
                                     delta_of(object)) != NULL);
}

/* The names of the keys, in their order. */
static const char *names(const kin__delta_line *line)
{
    static text t;
    size_t at = 0;

    text_clear(&t);
    for (kin__deltas *deltas; (deltas = kin__delta_line_next(line, &at)) != NULL;) {
        text_append(&t, "%s%.*s*%u", t.len == 0 ? "" : " ", KIN_STR_ARG(kin__deltas_key(deltas)),
                    deltas->count);
    }
    return t.chars;
}

/* An informer of what is not there has one. */
TEST(delta_line, takes_no_memory_for_nothing)
{
    kin__delta_line line = { 0 };

    ASSERT_TRUE(kin__delta_line_reserve(&line, 0));
    ASSERT_TRUE(line.keys == NULL && line.slots == NULL);
    ASSERT_TRUE(kin__delta_line_reserve(&line, 1));
    ASSERT_TRUE(line.keys != NULL && line.slots != NULL);
    kin__delta_line_clear(&line);
}

TEST(delta_line, keeps_the_order_of_first_deltas)
{
    kin__delta_line line = { 0 };
    things all = make_things("c@1 a@1 b@1 a@2");

    for (size_t i = 0; i < all.count; i++) {
        push(&line, all.objects[i]);
    }

    ASSERT_STR_EQ(names(&line), "c*1 a*2 b*1");
    ASSERT_EQ(line.delta_count, 4);
    drop_things(&all);
    kin__delta_line_clear(&line);
}

TEST(delta_line, has_keys_that_outlive_the_object_they_came_with)
{
    kin__delta_line line = { 0 };
    things all = make_things("a@1 a@2 a@3");
    kin__delta newest = { .object = all.objects[2], .type = KIN__DELTA_UPDATED };
    push(&line, all.objects[0]);
    push(&line, all.objects[1]);
    push(&line, all.objects[2]);

    kin__delta_line_exchange(&line, kin__delta_line_find(&line, STR("a")), &newest, 1);
    kin__delta_line_exchange_newest(kin__delta_line_find(&line, STR("a")),
                                    delta_of(all.objects[1]));
    kin_object_unref(all.objects[0]);
    kin_object_unref(all.objects[2]);

    ASSERT_STR_EQ(names(&line), "a*1");
    ASSERT_TRUE(kin__delta_line_find(&line, STR("a")) != NULL);
    ASSERT_EQ(line.delta_count, 1);
    kin_object_unref(all.objects[1]);
    kin__delta_line_clear(&line);
}

TEST(delta_line, copies_keys_that_no_object_has)
{
    kin__delta_line line = { 0 };
    char key[] = "elsewhere";

    ASSERT_TRUE(kin__delta_line_push(&line, NULL, kin_str_of(key), true,
                                     (kin__delta){ .type = KIN__DELTA_DELETED }) != NULL);
    key[0] = 'E';

    ASSERT_STR_EQ(names(&line), "elsewhere*1");
    kin__delta_line_clear(&line);
}

TEST(delta_line, gives_memory_back_when_nothing_waits)
{
    enum { COUNT = 1000 };
    static kin_object *objects[COUNT];
    kin__delta_line line = { 0 };
    kin__deltas first;
    for (size_t i = 0; i < COUNT; i++) {
        char name[16];
        (void) snprintf(name, sizeof name, "k%zu", i);
        objects[i] = thing(name, "1");
    }
    long long before = live_blocks();

    for (size_t i = 0; i < COUNT; i++) {
        push(&line, objects[i]);
    }
    ASSERT_EQ(live_blocks(), before + 2);
    while (kin__delta_line_pop(&line, &first)) {
        kin__deltas_fini(&first);
    }
    ASSERT_EQ(live_blocks(), before);

    for (size_t i = 0; i < COUNT; i++) {
        kin_object_unref(objects[i]);
    }
    kin__delta_line_clear(&line);
}

TEST(delta_line, does_not_grow_while_as_many_leave_as_come)
{
    kin__delta_line line = { 0 };
    kin__deltas first;
    things all = make_things("a@1 b@1 c@1 d@1 e@1");
    push(&line, all.objects[0]);

    for (size_t i = 1; i < 10000; i++) {
        push(&line, all.objects[i % all.count]);
        if (i % 3 == 0) {
            kin__delta_line_truncate(
                &line, kin__delta_line_find(&line, kin_object_key(all.objects[i % all.count])), 0);
        } else {
            ASSERT_TRUE(kin__delta_line_pop(&line, &first));
            kin__deltas_fini(&first);
        }
        if (kin__delta_line_count(&line) == 0) {
            push(&line, all.objects[i % all.count]);
        }
    }

    ASSERT_TRUE(line.capacity <= 16);
    drop_things(&all);
    kin__delta_line_clear(&line);
}

TEST(delta_line, uses_little_memory_again_after_all_was_taken)
{
    kin__delta_line line = { 0 };
    kin__delta_line taken;
    kin_object *object = thing("a", "1");
    push(&line, object);
    const kin__deltas *place = line.keys;

    kin__delta_line_take(&line, &taken);
    ASSERT_EQ(kin__delta_line_count(&line), 0);
    ASSERT_TRUE(kin__delta_line_find(&line, STR("a")) == NULL);
    ASSERT_STR_EQ(names(&taken), "a*1");
    kin__delta_line_give_back(&line, &taken);
    push(&line, object);

    ASSERT_TRUE(line.keys == place);
    kin_object_unref(object);
    kin__delta_line_clear(&line);
}

/* ---- against an array that is searched from end to end -----------------------------------------
 */

#define KEYS 300

typedef struct model {
    size_t keys[KEYS]; /* in line */
    size_t counts[KEYS];
    size_t len;
} model;

static size_t place_in(const model *m, size_t key)
{
    size_t i = 0;
    while (i < m->len && m->keys[i] != key) {
        i++;
    }
    return i;
}

static void take_from(model *m, size_t place)
{
    m->len--;
    for (size_t i = place; i < m->len; i++) {
        m->keys[i] = m->keys[i + 1];
    }
}

static void compare(const model *m, const kin__delta_line *line, kin_object *const *objects)
{
    size_t at = 0;
    size_t total = 0;

    ASSERT_EQ(kin__delta_line_count(line), m->len);
    for (size_t i = 0; i < m->len; i++) {
        kin_str key = kin_object_key(objects[m->keys[i]]);
        const kin__deltas *deltas = kin__delta_line_next(line, &at);
        ASSERT_TRUE(deltas != NULL && kin__str_equal(kin__deltas_key(deltas), key));
        ASSERT_TRUE(kin__delta_line_find(line, key) == deltas);
        ASSERT_EQ(deltas->count, m->counts[m->keys[i]]);
        total += deltas->count;
    }
    ASSERT_TRUE(kin__delta_line_next(line, &at) == NULL);
    ASSERT_EQ(line->delta_count, total);
}

static void step(model *m, kin__delta_line *line, kin_object *const *objects, size_t dice,
                 size_t key)
{
    size_t place = place_in(m, key);
    kin__deltas first;

    if (dice < 6) {
        push(line, objects[key]);
        if (place == m->len) {
            m->keys[m->len++] = key;
            m->counts[key] = 0;
        }
        m->counts[key]++;
    } else if (dice < 8 && m->len > 0) {
        ASSERT_TRUE(kin__delta_line_pop(line, &first));
        kin__deltas_fini(&first);
        take_from(m, 0);
    } else if (place < m->len) {
        size_t kept = m->counts[key] / 2;
        kin__delta_line_truncate(line, kin__delta_line_find(line, kin_object_key(objects[key])),
                                 kept);
        m->counts[key] = kept;
        if (kept == 0) {
            take_from(m, place);
        }
    }
}

TEST(delta_line, does_what_a_simple_one_does)
{
    static kin_object *objects[KEYS];
    static model m;
    kin__delta_line line = { 0 };
    uint64_t random = random_start(20261116);
    for (size_t i = 0; i < KEYS; i++) {
        char name[16];
        (void) snprintf(name, sizeof name, "k%zu", i);
        objects[i] = thing(name, "1");
    }

    for (size_t i = 0; i < 200000 / SLOWER; i++) {
        /* Now many keys, now few. */
        size_t keys = i / 5000 % 2 == 0 ? KEYS : 5;
        step(&m, &line, objects, random_below(&random, 10), random_below(&random, keys));
        if (i % 50 == 0) {
            compare(&m, &line, objects);
        }
    }

    for (size_t i = 0; i < KEYS; i++) {
        kin_object_unref(objects[i]);
    }
    kin__delta_line_clear(&line);
}

TEST_FAILING_ALLOC(delta_line, stays_as_it_was_without_memory)
{
    kin__delta_line line = { 0 };
    kin_object *objects[20];
    size_t count = 0;
    kin_error err;
    kin_err code = KIN_OK;

    for (; count < 20 && code == KIN_OK; count += code == KIN_OK) {
        char name[8];
        (void) snprintf(name, sizeof name, "k%zu", count % 12);
        code = make_thing_or_fail("", name, "1", "1", &objects[count], &err);
    }
    for (size_t i = 0; i < count && code == KIN_OK; i++) {
        kin_str key = kin_object_key(objects[i]);
        size_t before = line.delta_count;
        kin__delta delta = delta_of(objects[i]);
        if (kin__delta_line_push(&line, kin__delta_line_find(&line, key), key, i % 2 == 0, delta) ==
            NULL) {
            kin_object_unref(delta.object);
            ASSERT_EQ(line.delta_count, before);
            code = KIN_ERR_NO_MEMORY;
        }
    }
    if (code == KIN_OK && !kin__delta_line_reserve(&line, 100)) {
        code = KIN_ERR_NO_MEMORY;
    }
    kin__delta_line_clear(&line);
    while (count > 0) {
        kin_object_unref(objects[--count]);
    }
    return code;
}
