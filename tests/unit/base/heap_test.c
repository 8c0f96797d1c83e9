/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_test.c - what is due next.
 */
#include "base/heap.h"

#include <string.h>

#include "support/allocator.h"
#include "support/random.h"
#include "support/test.h"

/* A thing with a letter for a name. */
typedef struct item {
    kin__heap_node node; /* first */
    char name;
} item;

static item items[] = {
    { .name = 'a' }, { .name = 'b' }, { .name = 'c' }, { .name = 'd' }, { .name = 'e' },
};

static void push(kin__heap *heap, item *i, int64_t due)
{
    kin_error err;
    ASSERT_OK(kin__heap_push(heap, &i->node, due, &err));
}

/* Pops all and writes their names down. */
static const char *drain(kin__heap *heap)
{
    static text got;
    text_clear(&got);
    for (;;) {
        item *i = (item *) kin__heap_pop(heap);
        if (i == NULL) {
            return got.chars;
        }
        ASSERT_FALSE(kin__heap_node_is_in(&i->node));
        text_append(&got, "%c", i->name);
    }
}

TEST(heap, is_empty_when_all_zero)
{
    AUTO(kin__heap_fini) kin__heap heap = { 0 };

    ASSERT_TRUE(kin__heap_get_first(&heap) == NULL);
    ASSERT_TRUE(kin__heap_pop(&heap) == NULL);
    ASSERT_FALSE(kin__heap_node_is_in(&items[0].node));
}

TEST(heap, gives_what_is_due_first)
{
    AUTO(kin__heap_fini) kin__heap heap = { 0 };
    push(&heap, &items[0], 30);
    push(&heap, &items[1], INT64_MIN);
    push(&heap, &items[2], INT64_MAX);
    push(&heap, &items[3], -20);

    ASSERT_TRUE(kin__heap_get_first(&heap) == &items[1].node);
    ASSERT_EQ(kin__heap_get_first(&heap)->due, INT64_MIN);
    ASSERT_TRUE(kin__heap_node_is_in(&items[1].node));
    ASSERT_STR_EQ(drain(&heap), "bdac");
}

TEST(heap, gives_equals_in_the_order_they_were_pushed)
{
    AUTO(kin__heap_fini) kin__heap heap = { 0 };
    push(&heap, &items[0], 20);
    push(&heap, &items[1], 10);
    push(&heap, &items[2], 10);
    push(&heap, &items[3], 10);
    push(&heap, &items[4], 10);

    ASSERT_STR_EQ(drain(&heap), "bcdea");
}

TEST(heap, forgets_one_that_is_removed)
{
    for (size_t removed = 0; removed < 5; removed++) {
        AUTO(kin__heap_fini) kin__heap heap = { 0 };
        text want = { 0 };
        for (size_t i = 0; i < 5; i++) {
            push(&heap, &items[i], (int64_t) i);
            text_append(&want, i == removed ? "%.0s" : "%s", (char[]){ items[i].name, '\0' });
        }

        kin__heap_remove(&heap, &items[removed].node);

        ASSERT_FALSE(kin__heap_node_is_in(&items[removed].node));
        ASSERT_STR_EQ(drain(&heap), want.chars);
    }
}

TEST(heap, moves_one_to_another_time)
{
    AUTO(kin__heap_fini) kin__heap heap = { 0 };
    for (size_t i = 0; i < 5; i++) {
        push(&heap, &items[i], (int64_t) i * 10);
    }

    kin__heap_move(&heap, &items[0].node, 35);
    kin__heap_move(&heap, &items[4].node, -1);
    kin__heap_move(&heap, &items[2].node, 25);

    ASSERT_EQ(items[0].node.due, 35);
    ASSERT_STR_EQ(drain(&heap), "ebcda");
}

TEST(heap, lets_one_that_moves_stand_last_among_equals)
{
    AUTO(kin__heap_fini) kin__heap heap = { 0 };
    push(&heap, &items[0], 10);
    push(&heap, &items[1], 10);
    push(&heap, &items[2], 10);

    kin__heap_move(&heap, &items[0].node, 10);

    ASSERT_STR_EQ(drain(&heap), "bca");
}

TEST(heap, leaves_the_node_alone_when_there_is_no_memory)
{
    AUTO(kin__heap_fini) kin__heap heap = { 0 };
    item fresh = { .name = 'x' };
    kin_error err;

    test_allocator_plan((alloc_failure){ .first = 1 });
    kin_err code = kin__heap_push(&heap, &fresh.node, 7, &err);
    test_allocator_plan((alloc_failure){ 0 });

    ASSERT_ERR(code, KIN_ERR_NO_MEMORY);
    ASSERT_FALSE(kin__heap_node_is_in(&fresh.node));
    ASSERT_EQ(fresh.node.due, 0);
    ASSERT_EQ(heap.count, 0);
}

#define MANY 1000

/* New ones each time they are asked for: no test finds what another left. */
static item *many_items(void)
{
    static item many[MANY];
    memset(many, 0, sizeof many);
    return many;
}

TEST(heap, gives_memory_back_after_a_burst_if_it_can)
{
    AUTO(kin__heap_fini) kin__heap heap = { 0 };
    item *many = many_items();
    for (size_t i = 0; i < MANY; i++) {
        push(&heap, &many[i], 0);
    }
    size_t capacity = heap.capacity;

    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
    for (size_t i = 0; i < MANY - 100; i++) {
        ASSERT_TRUE(kin__heap_pop(&heap) == &many[i].node);
    }
    test_allocator_plan((alloc_failure){ 0 });
    ASSERT_EQ(heap.capacity, capacity);

    for (size_t i = MANY - 100; i < MANY; i++) {
        ASSERT_TRUE(kin__heap_pop(&heap) == &many[i].node);
    }
    ASSERT_TRUE(heap.capacity <= 16);
}

TEST_FAILING_ALLOC(heap, fails_without_a_leak)
{
    AUTO(kin__heap_fini) kin__heap heap = { 0 };
    item *many = many_items();
    kin_error err;

    for (size_t i = 0; i < 100; i++) {
        if (kin__heap_push(&heap, &many[i].node, 0, &err) != KIN_OK) {
            return err.code;
        }
    }
    return KIN_OK;
}

/* The invariants that heap.c names. */
static void check(const kin__heap *heap)
{
    for (size_t i = 0; i < heap->count; i++) {
        const kin__heap_node *node = heap->nodes[i];
        const kin__heap_node *parent = heap->nodes[i == 0 ? 0 : (i - 1) / 2];
        ASSERT_EQ(node->place, i + 1);
        ASSERT_TRUE(parent->due < node->due ||
                    (parent->due == node->due && parent->order <= node->order));
    }
}

/* The one the model would give: the earliest, and among equals the oldest. */
static item *earliest_of(item *many)
{
    item *first = NULL;
    for (size_t i = 0; i < MANY; i++) {
        item *it = &many[i];
        if (kin__heap_node_is_in(&it->node) &&
            (first == NULL || it->node.due < first->node.due ||
             (it->node.due == first->node.due && it->node.order < first->node.order))) {
            first = it;
        }
    }
    return first;
}

static void change(kin__heap *heap, item *many, uint64_t *random)
{
    item *it = &many[random_below(random, MANY)];
    int64_t due = (int64_t) random_below(random, 50);
    if (!kin__heap_node_is_in(&it->node)) {
        push(heap, it, due);
    } else if (random_below(random, 2) == 0) {
        kin__heap_move(heap, &it->node, due);
    } else {
        kin__heap_remove(heap, &it->node);
    }
}

TEST(heap, agrees_with_a_search_through_everything)
{
    AUTO(kin__heap_fini) kin__heap heap = { 0 };
    item *many = many_items();
    uint64_t random = random_start(20261117);

    for (size_t round = 0; round < 500; round++) {
        for (size_t i = 0; i < 20; i++) {
            change(&heap, many, &random);
        }
        check(&heap);
        item *want = earliest_of(many);
        ASSERT_TRUE(kin__heap_pop(&heap) == (want == NULL ? NULL : &want->node));
        check(&heap);
    }
}
