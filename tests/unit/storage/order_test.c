/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order_test.c - records in the order of their keys.
 */
#include "storage/order.h"

#include "keeping.h"
#include "support/random.h"

#define MANY 5000

static kin__record *records[MANY];

static void make_many(void)
{
    kin_error err;
    for (size_t i = 0; i < MANY; i++) {
        char key[32];
        (void) snprintf(key, sizeof key, "ns-%zu/pod-%05zu", i % 7, i);
        ASSERT_OK(make_record(key, i + 1, &records[i], &err));
    }
}

static void free_many(void)
{
    for (size_t i = 0; i < MANY; i++) {
        kin__record_unref(records[i]);
    }
}

static void shuffle(uint64_t *random)
{
    for (size_t i = MANY - 1; i > 0; i--) {
        size_t other = random_below(random, i + 1);
        kin__record *swapped = records[i];
        records[i] = records[other];
        records[other] = swapped;
    }
}

/* That the walk, the ranks and the count agree. */
static void check_order(const kin__order *order, size_t want)
{
    kin__order_place place = { 0, 0 };
    kin_str last = { NULL, 0 };
    size_t count = 0;
    for (kin__record *record; (record = kin__order_at(order, place)) != NULL;
         place = kin__order_next(order, place)) {
        kin_str key = kin__record_key(record);
        ASSERT_TRUE(count == 0 || kin__str_compare(last, key) < 0);
        if (count % 97 == 0) {
            ASSERT_EQ(kin__order_rank(order, place), count);
            kin__order_place sought = kin__order_seek(order, key);
            ASSERT_TRUE(kin__order_at(order, sought) == record);
        }
        last = key;
        count++;
    }
    ASSERT_EQ(count, want);
    ASSERT_EQ(order->count, want);
    ASSERT_EQ(kin__order_rank(order, place), want);
}

static void put_all(kin__order *order)
{
    kin_error err;
    for (size_t i = 0; i < MANY; i++) {
        kin__record *before = records[0];
        ASSERT_OK(kin__order_put(order, records[i], &before, &err));
        ASSERT_TRUE(before == NULL);
    }
}

TEST(order, keeps_records_in_the_order_of_their_keys_however_they_come)
{
    uint64_t random = random_start(11);
    make_many();

    for (size_t round = 0; round < 4; round++) {
        kin__order order = { 0 };
        put_all(&order);
        check_order(&order, MANY);
        kin__order_fini(&order);
        shuffle(&random);
    }

    free_many();
}

TEST(order, finds_every_record_until_it_is_removed)
{
    uint64_t random = random_start(12);
    kin__order order = { 0 };
    make_many();
    put_all(&order);
    shuffle(&random);

    for (size_t i = 0; i < MANY; i++) {
        kin_str key = kin__record_key(records[i]);
        ASSERT_TRUE(kin__order_find(&order, key) == records[i]);
        ASSERT_TRUE(kin__order_remove(&order, key) == records[i]);
        ASSERT_TRUE(kin__order_find(&order, key) == NULL);
        ASSERT_TRUE(kin__order_remove(&order, key) == NULL);
        if (i % 500 == 0) {
            check_order(&order, MANY - 1 - i);
        }
    }

    ASSERT_EQ(order.branch_count, 0);
    kin__order_fini(&order);
    free_many();
}

TEST(order, gives_blocks_back_when_most_records_are_gone)
{
    kin__order order = { 0 };
    make_many();
    put_all(&order);
    size_t before = order.branch_count;

    for (size_t i = 0; i < MANY; i++) {
        if (i % 50 != 0) {
            ASSERT_TRUE(kin__order_remove(&order, kin__record_key(records[i])) != NULL);
        }
    }

    check_order(&order, MANY / 50);
    ASSERT_TRUE(before >= MANY / 256);
    ASSERT_TRUE(order.branch_count < 6);
    kin__order_fini(&order);
    free_many();
}

TEST(order, fills_blocks_when_keys_come_in_order)
{
    kin__order order = { 0 };
    kin_error err;
    kin__record *before = NULL;

    for (size_t i = 0; i < MANY; i++) {
        char key[32];
        (void) snprintf(key, sizeof key, "pod-%05zu", i);
        ASSERT_OK(make_record(key, i + 1, &records[i], &err));
        ASSERT_OK(kin__order_put(&order, records[i], &before, &err));
    }

    ASSERT_EQ(order.branch_count, MANY / 256 + 1);
    kin__order_fini(&order);
    free_many();
}

TEST(order, stays_dense_when_keys_come_backwards_between_full_blocks)
{
    kin__order order = { 0 };
    kin_error err;
    kin__record *before = NULL;

    for (size_t i = 0; i < MANY; i++) {
        char key[32];
        size_t number = i < 512 ? i * 10000 : 2559999 - i; /* then they fall between two blocks */
        (void) snprintf(key, sizeof key, "pod-%07zu", number);
        ASSERT_OK(make_record(key, i + 1, &records[i], &err));
        ASSERT_OK(kin__order_put(&order, records[i], &before, &err));
    }

    check_order(&order, MANY);
    ASSERT_TRUE(order.branch_count <= MANY / 128 + 2);
    kin__order_fini(&order);
    free_many();
}

TEST(order, splits_a_full_block_at_any_place)
{
    kin__record *before = NULL;
    kin__record *late = NULL;
    kin_error err;
    char key[32];
    for (size_t i = 0; i < 256; i++) {
        (void) snprintf(key, sizeof key, "pod-%03zu", i);
        ASSERT_OK(make_record(key, i + 1, &records[i], &err));
    }

    for (size_t at = 0; at <= 256; at++) {
        kin__order order = { 0 };
        for (size_t i = 0; i < 256; i++) {
            ASSERT_OK(kin__order_put(&order, records[i], &before, &err));
        }
        (void) snprintf(key, sizeof key, at == 0 ? "a" : "pod-%03zu-", at - 1);
        ASSERT_OK(make_record(key, 1, &late, &err));
        ASSERT_OK(kin__order_put(&order, late, &before, &err));
        check_order(&order, 257);
        ASSERT_EQ(kin__order_rank(&order, kin__order_seek(&order, kin__record_key(late))), at);
        kin__order_fini(&order);
        kin__record_unref(late);
    }

    for (size_t i = 0; i < 256; i++) {
        kin__record_unref(records[i]);
    }
}

TEST(order, puts_a_record_in_the_place_of_another_with_its_key)
{
    kin__order order = { 0 };
    kin__record *old = NULL, *new = NULL, *before = NULL;
    kin_error err;

    ASSERT_OK(make_record("a", 1, &old, &err));
    ASSERT_OK(make_record("a", 2, &new, &err));
    ASSERT_OK(kin__order_put(&order, old, &before, &err));
    ASSERT_OK(kin__order_put(&order, new, &before, &err));
    ASSERT_TRUE(before == old);
    kin__record_unref(old); /* nothing points into it any more */

    ASSERT_EQ(order.count, 1);
    ASSERT_TRUE(kin__order_find(&order, STR("a")) == new);
    kin__order_fini(&order);
    kin__record_unref(new);
}

TEST(order, seeks_past_a_prefix)
{
    static const char *const keys[] = { "a", "a/x", "b/x", "b/y", "b0", "c/x" };
    kin__order order = { 0 };
    kin__record *before = NULL;
    kin_error err;
    for (size_t i = 0; i < 6; i++) {
        ASSERT_OK(make_record(keys[i], 1, &records[i], &err));
        ASSERT_OK(kin__order_put(&order, records[i], &before, &err));
    }

    ASSERT_EQ(kin__order_rank(&order, kin__order_seek(&order, STR("b/"))), 2);
    ASSERT_EQ(kin__order_rank(&order, kin__order_seek_past(&order, STR("b/"))), 4);
    ASSERT_EQ(kin__order_rank(&order, kin__order_seek_past(&order, STR(""))), 6);
    ASSERT_EQ(kin__order_rank(&order, kin__order_seek_past(&order, STR("zz"))), 6);
    ASSERT_EQ(kin__order_rank(&order, kin__order_seek_past(&order, STR("0"))), 0);

    kin__order_fini(&order);
    for (size_t i = 0; i < 6; i++) {
        kin__record_unref(records[i]);
    }
}

TEST(order, is_empty_when_all_zero)
{
    kin__order order = { 0 };

    ASSERT_TRUE(kin__order_find(&order, STR("a")) == NULL);
    ASSERT_TRUE(kin__order_remove(&order, STR("a")) == NULL);
    ASSERT_TRUE(kin__order_at(&order, kin__order_seek(&order, STR(""))) == NULL);
    kin__order_fini(&order);
}

TEST_FAILING_ALLOC(order, is_as_it_was_without_memory)
{
    kin__order order = { 0 };
    kin__record *made[300] = { NULL };
    kin_err code = KIN_OK;
    kin_error err;
    size_t count = 0;

    while (code == KIN_OK && count < 300) {
        char key[32];
        kin__record *before = NULL;
        (void) snprintf(key, sizeof key, "pod-%05zu", count * 7919 % 10007);
        code = make_record(key, 1, &made[count], &err);
        if (code == KIN_OK) {
            code = kin__order_put(&order, made[count++], &before, &err);
            if (code != KIN_OK) {
                check_order(&order, count - 1);
            }
        }
    }
    kin__order_fini(&order);
    for (size_t i = 0; i < count; i++) {
        kin__record_unref(made[i]);
    }
    return code;
}
