/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expectations_test.c - what was sent for a ReplicaSet and has not been seen yet.
 *
 * The program's own memory is malloc's: the linker puts the functions below in between, and they
 * fail on command.
 */
#include "replicaset_controller/expectations.h"

#include <pthread.h>
#include <stdio.h>

#include "support/test.h"

#define MINUTES_5 (INT64_C(5) * 60 * 1000)
#define START_MS 1000

static int allocations_left = -1; /* until one fails; below 0: none does */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool fails(void)
{
    return allocations_left >= 0 && allocations_left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

static expecting set(const char *key, const char *uid)
{
    return (expecting){ kin_str_of(key), kin_str_of(uid) };
}

static const char *const web = "shop/web";

static bool expect(expectations *e, expected what, const char *pod, int64_t now_ms)
{
    return expectations_add(e, set(web, "1"), what, kin_str_of(pod), now_ms);
}

static bool lower(expectations *e, expected what, const char *pod)
{
    return expectations_lower(e, set(web, "1"), what, kin_str_of(pod));
}

static int64_t left(expectations *e, int64_t now_ms)
{
    return expectations_left_ms(e, set(web, "1"), now_ms);
}

TEST(expectations, expects_nothing_of_a_set_for_which_nothing_was_sent)
{
    expectations *e = expectations_new();

    ASSERT_EQ(left(e, START_MS), 0);
    ASSERT_FALSE(lower(e, EXPECTED_CREATION, "a"));

    expectations_free(e);
}

TEST(expectations, are_met_when_the_last_pod_has_been_seen)
{
    expectations *e = expectations_new();
    ASSERT_TRUE(expect(e, EXPECTED_CREATION, "a", START_MS));
    ASSERT_TRUE(expect(e, EXPECTED_CREATION, "b", START_MS));
    ASSERT_TRUE(expect(e, EXPECTED_DELETION, "uid-c", START_MS));

    ASSERT_FALSE(lower(e, EXPECTED_CREATION, "b"));
    ASSERT_FALSE(lower(e, EXPECTED_DELETION, "uid-c"));
    ASSERT_TRUE(left(e, START_MS) > 0);
    ASSERT_TRUE(lower(e, EXPECTED_CREATION, "a"));

    ASSERT_EQ(left(e, START_MS), 0);
    expectations_free(e);
}

TEST(expectations, are_lowered_once_by_a_pod_that_is_told_twice_and_by_no_other)
{
    expectations *e = expectations_new();
    ASSERT_TRUE(expect(e, EXPECTED_CREATION, "a", START_MS));
    ASSERT_TRUE(expect(e, EXPECTED_CREATION, "b", START_MS));

    ASSERT_FALSE(lower(e, EXPECTED_CREATION, "a"));
    ASSERT_FALSE(lower(e, EXPECTED_CREATION, "a"));
    ASSERT_FALSE(lower(e, EXPECTED_CREATION, "another"));
    ASSERT_FALSE(lower(e, EXPECTED_DELETION, "b"));

    ASSERT_TRUE(left(e, START_MS) > 0);
    ASSERT_TRUE(lower(e, EXPECTED_CREATION, "b"));
    expectations_free(e);
}

TEST(expectations, keep_a_pod_once_that_is_expected_twice)
{
    expectations *e = expectations_new();
    ASSERT_TRUE(expect(e, EXPECTED_DELETION, "uid-a", START_MS));
    ASSERT_TRUE(expect(e, EXPECTED_DELETION, "uid-a", START_MS));

    ASSERT_TRUE(lower(e, EXPECTED_DELETION, "uid-a"));

    ASSERT_EQ(left(e, START_MS), 0);
    expectations_free(e);
}

TEST(expectations, expire_five_minutes_after_the_last_was_sent)
{
    expectations *e = expectations_new();
    ASSERT_TRUE(expect(e, EXPECTED_CREATION, "a", START_MS));
    ASSERT_EQ(left(e, START_MS), MINUTES_5);
    ASSERT_TRUE(expect(e, EXPECTED_CREATION, "b", START_MS + 10));

    ASSERT_EQ(left(e, START_MS + MINUTES_5), 10);
    ASSERT_EQ(left(e, START_MS + 9 + MINUTES_5), 1);
    ASSERT_EQ(left(e, START_MS + 10 + MINUTES_5), 0);

    expectations_free(e);
}

TEST(expectations, are_those_of_one_set_and_not_of_its_neighbours)
{
    expectations *e = expectations_new();
    char key[32];

    for (int i = 0; i < 100; i++) {
        (void) snprintf(key, sizeof key, "shop/web-%d", i);
        ASSERT_TRUE(
            expectations_add(e, set(key, key), EXPECTED_CREATION, kin_str_of("a"), START_MS));
    }
    for (int i = 0; i < 100; i += 2) {
        (void) snprintf(key, sizeof key, "shop/web-%d", i);
        ASSERT_TRUE(expectations_lower(e, set(key, key), EXPECTED_CREATION, kin_str_of("a")));
    }

    for (int i = 0; i < 100; i++) {
        (void) snprintf(key, sizeof key, "shop/web-%d", i);
        ASSERT_EQ(expectations_left_ms(e, set(key, key), START_MS), i % 2 == 0 ? 0 : MINUTES_5);
    }
    expectations_free(e);
}

/* Of a set that was deleted and made anew. */
TEST(expectations, are_not_those_of_another_set_with_its_name)
{
    expectations *e = expectations_new();
    ASSERT_TRUE(expect(e, EXPECTED_CREATION, "a", START_MS));

    ASSERT_EQ(expectations_left_ms(e, set(web, "2"), START_MS), 0);
    ASSERT_FALSE(expectations_lower(e, set(web, "2"), EXPECTED_CREATION, kin_str_of("a")));
    ASSERT_TRUE(expectations_add(e, set(web, "2"), EXPECTED_CREATION, kin_str_of("b"), START_MS));

    ASSERT_EQ(left(e, START_MS), 0);
    ASSERT_EQ(expectations_left_ms(e, set(web, "2"), START_MS), MINUTES_5);
    ASSERT_TRUE(expectations_lower(e, set(web, "2"), EXPECTED_CREATION, kin_str_of("b")));
    expectations_free(e);
}

TEST(expectations, are_forgotten_with_their_set)
{
    expectations *e = expectations_new();
    ASSERT_TRUE(expect(e, EXPECTED_CREATION, "a", START_MS));

    expectations_forget(e, kin_str_of("shop/other"));
    ASSERT_TRUE(left(e, START_MS) > 0);
    expectations_forget(e, kin_str_of(web));

    ASSERT_EQ(left(e, START_MS), 0);
    ASSERT_FALSE(lower(e, EXPECTED_CREATION, "a"));
    expectations_free(e);
}

TEST(expectations, know_what_is_in_doubt_until_it_is_believed_or_seen)
{
    expectations *e = expectations_new();
    char name[64] = "";
    ASSERT_TRUE(expect(e, EXPECTED_CREATION, "a", START_MS));
    ASSERT_TRUE(expect(e, EXPECTED_CREATION, "b", START_MS));
    ASSERT_TRUE(expect(e, EXPECTED_CREATION, "c", START_MS));
    ASSERT_FALSE(expectations_get_doubt(e, set(web, "1"), name, sizeof name));

    expectations_doubt(e, set(web, "1"), kin_str_of("b"));
    ASSERT_FALSE(expectations_get_doubt(e, set(web, "2"), name, sizeof name));
    ASSERT_TRUE(expectations_get_doubt(e, set(web, "1"), name, sizeof name));
    ASSERT_STR_EQ(name, "b");
    expectations_believe(e, set(web, "1"), kin_str_of("b"));
    ASSERT_FALSE(expectations_get_doubt(e, set(web, "1"), name, sizeof name));
    ASSERT_FALSE(lower(e, EXPECTED_CREATION, "a"));
    ASSERT_FALSE(lower(e, EXPECTED_CREATION, "c"));
    ASSERT_TRUE(left(e, START_MS) > 0); /* for it is expected still */

    expectations_doubt(e, set(web, "1"), kin_str_of("b"));
    ASSERT_TRUE(lower(e, EXPECTED_CREATION, "b"));
    ASSERT_FALSE(expectations_get_doubt(e, set(web, "1"), name, sizeof name));
    expectations_doubt(e, set(web, "1"), kin_str_of("b")); /* the watch was faster */
    ASSERT_EQ(left(e, START_MS), 0);
    expectations_free(e);
}

/* Each allocation in turn.  Five pods: the row grows. */
TEST(expectations, expect_no_more_than_before_when_there_is_no_memory)
{
    static const char *const pods[] = { "a", "b", "c", "d", "e" };
    int failures = 0;
    bool is_whole = false;

    for (int n = 0; !is_whole; n++) {
        expectations *e = NULL;
        size_t added = 0;

        allocations_left = n;
        e = expectations_new();
        while (e != NULL && added < 5 && expect(e, EXPECTED_CREATION, pods[added], START_MS)) {
            added++;
        }
        allocations_left = -1;
        is_whole = added == 5;
        failures += is_whole ? 0 : 1;
        for (size_t i = 0; e != NULL && i < added; i++) {
            ASSERT_EQ(lower(e, EXPECTED_CREATION, pods[i]), i + 1 == added);
        }
        ASSERT_TRUE(e == NULL || left(e, START_MS) == 0);
        expectations_free(e);
    }

    ASSERT_TRUE(failures > 5);
}

static void *lower_all(void *context)
{
    char name[16];
    size_t last = 0;

    for (int i = 0; i < 1000; i++) {
        (void) snprintf(name, sizeof name, "%d", i);
        last += lower(context, EXPECTED_CREATION, name) ? 1 : 0;
    }
    return (void *) last;
}

/* Two are told of the same pods: one of them sees the last. */
TEST(expectations, may_be_lowered_by_several_threads)
{
    expectations *e = expectations_new();
    pthread_t threads[2];
    void *last[2];
    char name[16];

    for (int i = 0; i < 1000; i++) {
        (void) snprintf(name, sizeof name, "%d", i);
        ASSERT_TRUE(expect(e, EXPECTED_CREATION, name, START_MS));
    }
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(pthread_create(&threads[i], NULL, lower_all, e), 0);
    }
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(pthread_join(threads[i], &last[i]), 0);
    }

    ASSERT_EQ((size_t) last[0] + (size_t) last[1], 1);
    ASSERT_EQ(left(e, START_MS), 0);
    expectations_free(e);
}
