/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_test.c - links inside the caller's own structs.
 */
#include "base/list.h"

#include "support/test.h"

typedef struct item {
    int number;
    kin__link link;
} item;

static int number_of(const kin__link *link)
{
    return KIN__OWNER(link, const item, link)->number;
}

TEST(list, is_empty_when_all_zero)
{
    kin__list list = { 0 };
    kin__link link = { 0 };

    ASSERT_TRUE(kin__list_first(&list) == NULL);
    ASSERT_TRUE(kin__list_last(&list) == NULL);
    ASSERT_FALSE(kin__link_is_on(&link));
}

TEST(list, keeps_the_order_of_pushes)
{
    kin__list list = { 0 };
    item items[3] = { { .number = 0 }, { .number = 1 }, { .number = 2 } };

    for (int i = 0; i < 3; i++) {
        kin__list_push(&list, &items[i].link);
    }

    kin__link *link = kin__list_first(&list);
    for (int i = 0; i < 3; i++, link = kin__list_next(&list, link)) {
        ASSERT_EQ(number_of(link), i);
    }
    ASSERT_TRUE(link == NULL);
    ASSERT_EQ(number_of(kin__list_last(&list)), 2);
}

TEST(list, closes_the_gap_of_what_is_removed)
{
    kin__list list = { 0 };
    item items[3] = { { .number = 0 }, { .number = 1 }, { .number = 2 } };
    for (int i = 0; i < 3; i++) {
        kin__list_push(&list, &items[i].link);
    }

    kin__list_remove(&items[1].link);

    ASSERT_FALSE(kin__link_is_on(&items[1].link));
    ASSERT_EQ(number_of(kin__list_first(&list)), 0);
    ASSERT_EQ(number_of(kin__list_next(&list, kin__list_first(&list))), 2);
}

TEST(list, lets_a_removed_link_be_removed_again_and_pushed_anew)
{
    kin__list list = { 0 };
    item only = { .number = 7 };
    kin__list_push(&list, &only.link);

    kin__list_remove(&only.link);
    kin__list_remove(&only.link);
    ASSERT_TRUE(kin__list_first(&list) == NULL);
    ASSERT_TRUE(kin__list_last(&list) == NULL);
    kin__list_push(&list, &only.link);

    ASSERT_EQ(number_of(kin__list_first(&list)), 7);
}

TEST(list, moves_all_behind_those_that_are_there)
{
    kin__list to = { 0 };
    kin__list from = { 0 };
    item items[3] = { { .number = 0 }, { .number = 1 }, { .number = 2 } };
    kin__list_push(&to, &items[0].link);
    kin__list_push(&from, &items[1].link);
    kin__list_push(&from, &items[2].link);

    kin__list_move_all(&to, &from);

    ASSERT_TRUE(kin__list_first(&from) == NULL);
    kin__link *link = kin__list_first(&to);
    for (int i = 0; i < 3; i++, link = kin__list_next(&to, link)) {
        ASSERT_EQ(number_of(link), i);
    }
    ASSERT_TRUE(link == NULL);
}
