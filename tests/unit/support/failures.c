/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failures.c - tests that fail, each in another way, for runner_test.c.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "support/test.h"

TEST(failure, of_nothing)
{
    ASSERT_TRUE(true);
    ASSERT_FALSE(false);
    ASSERT_EQ(UINT64_MAX, UINT64_MAX);
    ASSERT_EQ((char) 1, (size_t) 1);
    ASSERT_DOUBLE_EQ(0.5, 0.5);
    ASSERT_STR_EQ("a", "a");
    ASSERT_STR_EQ(NULL, NULL);
    ASSERT_SLICE_EQ(((kin_str){ NULL, 0 }), "");
    ASSERT_CONTAINS("abc", "b");
    ASSERT_OK(KIN_OK);
}

static void *end_at_once(void *context)
{
    return context;
}

TEST(failure, of_nothing_with_a_thread)
{
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, NULL, end_at_once, NULL), 0);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
}

TEST(failure, of_a_condition)
{
    int three = 3;
    ASSERT_TRUE(three < 2);
}

TEST(failure, of_a_denial)
{
    int three = 3;
    ASSERT_FALSE(three > 2);
}

TEST(failure, of_integers)
{
    ASSERT_EQ(1 + 1, 3);
}

TEST(failure, of_signs)
{
    ASSERT_EQ((int64_t) -1, UINT64_MAX);
}

TEST(failure, of_doubles)
{
    ASSERT_DOUBLE_EQ(0.5, 0.25);
}

TEST(failure, of_strings)
{
    ASSERT_STR_EQ("one \"two\"\n", "one two");
}

TEST(failure, of_a_null_string)
{
    ASSERT_STR_EQ(NULL, "");
}

TEST(failure, of_slices)
{
    ASSERT_SLICE_EQ(((kin_str){ "abcdef", 3 }), "abd");
}

TEST(failure, of_a_part)
{
    ASSERT_CONTAINS("abc", "cd");
}

TEST(failure, of_a_code)
{
    ASSERT_ERR(KIN_ERR_TYPE, KIN_ERR_RANGE);
}

TEST(failure, of_a_call)
{
    ASSERT_OK(KIN_ERR_LIMIT);
}

TEST(failure, of_a_message)
{
    kin_error err = { .message = "read: no" };
    ASSERT_MESSAGE(&err, "write: no");
}

TEST(failure, of_a_full_text)
{
    text t = { 0 };
    for (;;) {
        text_append(&t, "more and more, %d", 1);
    }
}

TEST(failure, of_a_missing_fixture)
{
    free_fixture(read_fixture("no-such-file", NULL));
}

TEST(failure, by_a_crash)
{
    abort();
}

TEST(failure, by_leaving_early)
{
    exit(0);
}

static void end_with_status_3(void)
{
    _exit(3);
}

/* As a sanitizer that has its say when all is done. */
TEST(failure, by_a_bad_end)
{
    ASSERT_EQ(atexit(end_with_status_3), 0);
}

TEST(failure, by_never_ending)
{
    for (;;) {
        (void) pause();
    }
}

TEST(failure, by_lost_memory)
{
    ASSERT_TRUE(kin__alloc(7) != NULL);
}

TEST(failure, by_releasing_what_was_not_allocated)
{
    kin__free(malloc(7));
}

TEST(failure, by_a_lost_descriptor)
{
    ASSERT_TRUE(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0);
}

TEST(failure, by_closing_what_is_not_its_own)
{
    ASSERT_EQ(close(STDIN_FILENO), 0);
}

static void *sleep_for_ever(void *context)
{
    (void) context;
    for (;;) {
        (void) pause();
    }
    return NULL;
}

TEST(failure, by_a_thread_left_running)
{
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, NULL, sleep_for_ever, NULL), 0);
    ASSERT_EQ(pthread_detach(thread), 0);
}

static void *volatile lost;

/* Not through the library: only a sanitizer can see it. */
TEST(failure, by_a_lost_heap_block)
{
    lost = malloc(7);
    ASSERT_TRUE(lost != NULL);
    lost = NULL;
}

static int shared_number;

static void *count_up(void *context)
{
    (void) context;
    for (int i = 0; i < 1000; i++) {
        shared_number++;
    }
    return NULL;
}

/* Only a sanitizer can see it. */
TEST(failure, by_a_race)
{
    pthread_t threads[2];
    ASSERT_EQ(pthread_create(&threads[0], NULL, count_up, NULL), 0);
    ASSERT_EQ(pthread_create(&threads[1], NULL, count_up, NULL), 0);
    ASSERT_EQ(pthread_join(threads[0], NULL), 0);
    ASSERT_EQ(pthread_join(threads[1], NULL), 0);
}

/* Allocates two blocks and copes with the failure of either. */
static kin_err allocate_twice(void)
{
    void *first = kin__alloc(1);
    void *second = kin__alloc(1);
    bool has_both = first != NULL && second != NULL;
    kin__free(first);
    kin__free(second);
    return has_both ? KIN_OK : KIN_ERR_NO_MEMORY;
}

TEST_FAILING_ALLOC(failing_alloc, accepts_a_body_that_copes)
{
    return allocate_twice();
}

TEST_FAILING_ALLOC(failing_alloc, of_a_body_that_hides_the_failure)
{
    (void) allocate_twice();
    return KIN_OK;
}

TEST_FAILING_ALLOC(failing_alloc, of_a_body_that_returns_another_code)
{
    return allocate_twice() == KIN_OK ? KIN_OK : KIN_ERR_LIMIT;
}

TEST_FAILING_ALLOC(failing_alloc, of_a_body_that_fails_without_reason)
{
    (void) allocate_twice();
    return KIN_ERR_NO_MEMORY;
}

TEST_FAILING_ALLOC(failing_alloc, of_a_body_that_leaks_on_failure)
{
    void *first = kin__alloc(1);
    void *second = kin__alloc(1);
    if (first == NULL || second == NULL) {
        return KIN_ERR_NO_MEMORY;
    }
    kin__free(first);
    kin__free(second);
    return KIN_OK;
}

/* Its retry works as long as only one allocation fails. */
TEST_FAILING_ALLOC(failing_alloc, of_a_body_that_crashes_when_all_fail)
{
    void *first = kin__alloc(1);
    if (first == NULL) {
        void *again = kin__alloc(1);
        if (again == NULL) {
            abort();
        }
        kin__free(again);
        return KIN_ERR_NO_MEMORY;
    }
    kin__free(first);
    return KIN_OK;
}

TEST_FAILING_ALLOC(failing_alloc, of_a_body_that_allocates_nothing)
{
    return KIN_OK;
}
