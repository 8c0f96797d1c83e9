/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines_test.c - who waits at which priority, and whose turn it is.
 */
#include "queue/lines.h"

#include "support/random.h"
#include "support/test.h"

typedef struct person {
    kin__link link; /* first */
    int number;
    kin_priority priority;
} person;

#define CROWD 200

static kin__lines lines;
static person people[CROWD];

static void come(int number, kin_priority priority)
{
    person *p = &people[number];
    *p = (person){ .number = number, .priority = priority };
    kin__lines_push(&lines, &p->link, priority);
}

static const person *next(void)
{
    return (const person *) (const void *) kin__lines_pop(&lines);
}

TEST(lines, are_first_in_first_out)
{
    for (int i = 0; i < 10; i++) {
        come(i, KIN_PRIORITY_NORMAL);
    }

    for (int i = 0; i < 10; i++) {
        ASSERT_EQ(next()->number, i);
    }
    ASSERT_TRUE(next() == NULL);
}

TEST(lines, let_the_highest_go_first)
{
    come(0, KIN_PRIORITY_LOW);
    come(1, KIN_PRIORITY_NORMAL);
    come(2, KIN_PRIORITY_HIGH);
    come(3, KIN_PRIORITY_NORMAL);

    ASSERT_EQ(next()->number, 2);
    ASSERT_EQ(next()->number, 1);
    ASSERT_EQ(next()->number, 3);
    ASSERT_EQ(next()->number, 0);
    ASSERT_EQ(lines.count, 0);
}

TEST(lines, lose_who_goes_away)
{
    come(0, KIN_PRIORITY_NORMAL);
    come(1, KIN_PRIORITY_NORMAL);
    come(2, KIN_PRIORITY_NORMAL);

    kin__lines_remove(&lines, &people[1].link);

    ASSERT_EQ(lines.count, 2);
    ASSERT_EQ(next()->number, 0);
    ASSERT_EQ(next()->number, 2);
}

/* Fresh ones come without end; fifteen of them, then one of those who waited. */
TEST(lines, let_nobody_starve)
{
    int last_low = -1;
    for (int i = 0; i < 20; i++) {
        come(i, KIN_PRIORITY_LOW);
    }
    come(20, KIN_PRIORITY_HIGH);

    for (int turn = 1; turn <= 10 * KIN__LINES_TURNS; turn++) {
        const person *p = next();
        if (p->priority == KIN_PRIORITY_LOW) {
            ASSERT_EQ(p->number, last_low + 1);
            last_low = p->number;
        } else {
            come(20, KIN_PRIORITY_HIGH);
        }
        ASSERT_TRUE(last_low + 1 >= turn / KIN__LINES_TURNS);
    }
    ASSERT_TRUE(last_low <= 11); /* and the fresh ones have nearly all turns */
    while (next() != NULL) {
    }
}

/* Turns that others had while nobody waited here do not count. */
TEST(lines, give_nobody_who_comes_the_turns_of_before)
{
    for (int i = 0; i < 2 * KIN__LINES_TURNS; i++) {
        come(0, KIN_PRIORITY_HIGH);
        ASSERT_EQ(next()->number, 0);
    }
    come(1, KIN_PRIORITY_LOW);
    come(2, KIN_PRIORITY_HIGH);

    ASSERT_EQ(next()->number, 2);
    ASSERT_EQ(next()->number, 1);
}

/* However they come: of any sixteen turns each line that waits all the while has one. */
TEST(lines, keep_their_promise_in_every_order)
{
    uint64_t random = random_start(7);
    int passed[KIN__LINES] = { 0 };
    int waiting[KIN__LINES] = { 0 };
    bool is_in[CROWD] = { false };

    for (int round = 0; round < 200000; round++) {
        int number = (int) random_below(&random, CROWD);
        size_t line = random_below(&random, 10) < 8 ? 2 : random_below(&random, KIN__LINES);
        if (!is_in[number]) {
            come(number, (kin_priority) ((int) line - 1));
            is_in[number] = true;
            passed[line] = waiting[line]++ == 0 ? 0 : passed[line];
        }
        if (random_below(&random, 10) < 6) {
            const person *p = next();
            if (p == NULL) {
                continue;
            }
            is_in[p->number] = false;
            for (size_t i = 0; i < KIN__LINES; i++) {
                passed[i] = waiting[i] > 0 ? passed[i] + 1 : 0;
            }
            passed[p->priority + 1] = 0;
            waiting[p->priority + 1]--;
        }
        for (size_t i = 0; i < KIN__LINES; i++) {
            ASSERT_TRUE(passed[i] < KIN__LINES_TURNS);
        }
    }
    while (next() != NULL) {
    }
}
