/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_test.c - the newest changes of a collection.
 */
#include "storage/history.h"

#include "keeping.h"

static int released;

static void release(void *frames)
{
    *(int *) frames = 1;
    released++;
}

static void add(kin__history *history, uint64_t revision)
{
    kin__record *record = NULL;
    kin_error err;

    ASSERT_OK(make_record("a", revision, &record, &err));
    ASSERT_TRUE(kin__history_reserve(history));
    kin__history_add(history, (kin__change){ revision, NULL, record, NULL });
}

TEST(history, numbers_changes_from_zero)
{
    kin__history history = { .max = 100 };

    for (uint64_t i = 0; i < 40; i++) {
        add(&history, 10 + 2 * i);
    }

    ASSERT_EQ(history.first, 0);
    ASSERT_EQ(history.end, 40);
    for (uint64_t i = 0; i < 40; i++) {
        ASSERT_EQ(kin__history_at(&history, i)->revision, 10 + 2 * i);
    }
    ASSERT_TRUE(kin__history_at(&history, 40) == NULL);
    kin__history_fini(&history);
}

TEST(history, forgets_the_oldest_when_it_is_full)
{
    kin__history history = { .max = 20 };

    for (uint64_t i = 1; i <= 100; i++) {
        add(&history, i);
    }

    ASSERT_EQ(history.first, 80);
    ASSERT_EQ(history.forgotten, 80);
    ASSERT_TRUE(kin__history_at(&history, 79) == NULL);
    ASSERT_EQ(kin__history_at(&history, 80)->revision, 81);
    ASSERT_EQ(kin__history_at(&history, 99)->revision, 100);
    kin__history_fini(&history);
}

TEST(history, finds_the_first_change_after_a_revision)
{
    kin__history history = { .max = 10 };
    ASSERT_EQ(kin__history_after(&history, 0), 0);

    for (uint64_t i = 1; i <= 15; i++) {
        add(&history, 10 * i);
    }

    ASSERT_EQ(kin__history_after(&history, 0), 5);
    ASSERT_EQ(kin__history_after(&history, 59), 5);
    ASSERT_EQ(kin__history_after(&history, 60), 6);
    ASSERT_EQ(kin__history_after(&history, 149), 14);
    ASSERT_EQ(kin__history_after(&history, 150), 15);
    kin__history_fini(&history);
}

TEST(history, releases_frames_and_records_of_what_it_forgets)
{
    kin__history history = { .max = 10, .release_frames = release };
    long long before = live_blocks();
    int frames[2] = { 0, 0 };

    add(&history, 1);
    add(&history, 2);
    kin__history_at(&history, 0)->frames = &frames[0];
    kin__history_at(&history, 1)->frames = &frames[1];
    kin__history_forget(&history, 1);
    ASSERT_EQ(frames[0], 1);
    ASSERT_EQ(frames[1], 0);
    kin__history_fini(&history);

    ASSERT_EQ(released, 2);
    ASSERT_EQ(live_blocks(), before);
}

TEST_FAILING_ALLOC(history, is_as_it_was_without_memory)
{
    kin__history history = { .max = 1000 };
    kin_err code = KIN_OK;

    for (uint64_t i = 0; code == KIN_OK && i < 100; i++) {
        if (kin__history_reserve(&history)) {
            kin__history_add(&history, (kin__change){ i + 1, NULL, NULL, NULL });
        } else {
            code = KIN_ERR_NO_MEMORY;
            ASSERT_EQ(history.end, i);
            ASSERT_TRUE(i == 0 || kin__history_at(&history, i - 1)->revision == i);
        }
    }
    kin__history_fini(&history);
    return code;
}
