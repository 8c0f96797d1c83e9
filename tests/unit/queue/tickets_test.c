/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tickets_test.c - which worker has which key, and since when.
 */
#include "queue/tickets.h"

#include "support/test.h"

static kin__tickets tickets;
/* Only their addresses count. */
static char places[100];

static kin__entry *entry_at(size_t i)
{
    return (kin__entry *) (void *) &places[i];
}

static kin_queue_item give(size_t entry, int64_t now_ns)
{
    kin_queue_item item = { 0 };
    kin_error err;

    ASSERT_OK(kin__tickets_reserve(&tickets, &err));
    kin__tickets_give(&tickets, entry_at(entry), now_ns, &item);
    return item;
}

TEST(tickets, find_who_has_what)
{
    kin_queue_item items[100];
    for (size_t i = 0; i < 100; i++) {
        items[i] = give(i, 5);
    }

    ASSERT_EQ(tickets.count, 100);
    for (size_t i = 0; i < 100; i++) {
        ASSERT_TRUE(kin__tickets_find(&tickets, &items[i])->entry == entry_at(i));
    }
    kin__tickets_fini(&tickets);
}

TEST(tickets, count_once)
{
    kin_queue_item first = give(0, 5);
    kin__tickets_return(&tickets, kin__tickets_find(&tickets, &first));

    ASSERT_TRUE(kin__tickets_find(&tickets, &first) == NULL);
    kin_queue_item second = give(1, 5);

    ASSERT_EQ(second.place, first.place);
    ASSERT_TRUE(kin__tickets_find(&tickets, &first) == NULL);
    ASSERT_TRUE(kin__tickets_find(&tickets, &second) != NULL);
    kin__tickets_fini(&tickets);
}

TEST(tickets, that_were_never_given_are_none)
{
    kin_queue_item none = { 0 };
    kin_queue_item wild = { .place = SIZE_MAX, .ticket = 1 };

    ASSERT_TRUE(kin__tickets_find(&tickets, &none) == NULL);
    (void) give(0, 5);

    ASSERT_TRUE(kin__tickets_find(&tickets, &none) == NULL);
    ASSERT_TRUE(kin__tickets_find(&tickets, &wild) == NULL);
    kin__tickets_fini(&tickets);
}

TEST(tickets, say_how_long_they_have_been_out)
{
    int64_t longest;
    int64_t sum;
    kin_queue_item first = give(0, 100);
    (void) give(1, 400);

    kin__tickets_times(&tickets, 1000, &longest, &sum);
    ASSERT_EQ(longest, 900);
    ASSERT_EQ(sum, 1500);
    kin__tickets_return(&tickets, kin__tickets_find(&tickets, &first));
    kin__tickets_times(&tickets, 1000, &longest, &sum);

    ASSERT_EQ(longest, 600);
    ASSERT_EQ(sum, 600);
    kin__tickets_fini(&tickets);
}

TEST_FAILING_ALLOC(tickets, have_a_seat_or_say_that_there_is_none)
{
    kin_error err;
    kin_queue_item item;
    kin_err code = KIN_OK;

    for (size_t i = 0; i < 20 && code == KIN_OK; i++) {
        code = kin__tickets_reserve(&tickets, &err);
        if (code == KIN_OK) {
            kin__tickets_give(&tickets, entry_at(i), 0, &item);
        }
    }
    kin__tickets_fini(&tickets);
    return code;
}
