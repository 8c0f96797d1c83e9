/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_test.c - that the harness can fail.
 *
 * Runs the tests of failures.c, one at a time, as a program of its own and looks at what it says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "support/test.h"

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#define FINDS_LEAKS true
#else
#define FINDS_LEAKS false
#endif

#if defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
#define FINDS_RACES true
#else
#define FINDS_RACES false
#endif

typedef struct result {
    text output;
    int status;
} result;

/* TEST_WRAPPER runs programs of another architecture. */
static void run(const char *arguments, const char *environment, result *out)
{
    const char *wrapper = getenv("TEST_WRAPPER");
    char line[512];
    text command = { 0 };

    *out = (result){ 0 };
    text_append(&command, "%s %s '%s' %s 2>&1", environment, wrapper == NULL ? "" : wrapper,
                FAILURES_PROGRAM, arguments);
    FILE *pipe = popen(command.chars, "r");
    ASSERT_TRUE(pipe != NULL);
    while (fgets(line, sizeof line, pipe) != NULL) {
        text_append(&out->output, "%s", line);
    }
    int status = pclose(pipe);
    ASSERT_TRUE(WIFEXITED(status));
    out->status = WEXITSTATUS(status);
}

/* That the one test with this name fails, and says this. */
static void expect_failure(const char *sentence, const char *words)
{
    static result got;

    run(sentence, "TEST_TIME_LIMIT_MS=5000", &got);
    ASSERT_CONTAINS(got.output.chars, words);
    ASSERT_CONTAINS(got.output.chars, "\n0 passed, 1 failed\n");
    ASSERT_EQ(got.status, 1);
}

static void expect_pass(const char *sentence)
{
    static result got;

    run(sentence, "", &got);
    ASSERT_CONTAINS(got.output.chars, "\n1 passed, 0 failed\n");
    ASSERT_EQ(got.status, 0);
}

TEST(runner, passes_what_is_right)
{
    static result got;

    run("of_nothing", "", &got);

    ASSERT_STR_EQ(got.output.chars, "ok   failure of nothing\n"
                                    "ok   failure of nothing with a thread\n"
                                    "2 passed, 0 failed\n");
    ASSERT_EQ(got.status, 0);
}

TEST(runner, fails_when_no_test_has_the_name)
{
    static result got;

    run("no_such_test", "", &got);

    ASSERT_STR_EQ(got.output.chars, "0 passed, 0 failed\n");
    ASSERT_EQ(got.status, 1);
}

TEST(runner, shows_what_was_wrong_and_where)
{
    expect_failure("of_integers", "FAIL failure of integers\n"
                                  "     1 + 1\n"
                                  "       got  2\n"
                                  "       want 3\n"
                                  "       at ");
    expect_failure("of_integers", "failures.c:");
}

TEST(runner, fails_each_kind_of_assertion)
{
    expect_failure("of_a_condition", "three < 2 is false");
    expect_failure("of_a_denial", "three > 2 is true");
    expect_failure("of_signs", "got  -1\n       want 18446744073709551615\n");
    expect_failure("of_doubles", "got  0.5\n       want 0.25\n");
    expect_failure("of_strings", "got  \"one \\\"two\\\"\\n\"\n       want \"one two\"\n");
    expect_failure("of_strings", "lengths 10 and 7, first difference at byte 4");
    expect_failure("of_a_null_string", "got  NULL\n       want \"\"\n");
    expect_failure("of_slices", "got  \"abc\"\n       want \"abd\"\n");
    expect_failure("of_a_part", "got  \"abc\"\n       part \"cd\"\n");
    expect_failure("of_a_code", "got  KIN_ERR_TYPE (-5)\n       want KIN_ERR_RANGE (-6)\n");
    expect_failure("of_a_call", "got  KIN_ERR_LIMIT (-7)\n       want KIN_OK (0)\n");
    expect_failure("of_a_message", "got  \"read: no\"\n       want \"write: no\"\n");
}

TEST(runner, fails_when_a_helper_cannot_do_its_work)
{
    expect_failure("of_a_full_text", "a text holds 16383 bytes at most");
    expect_failure("of_a_missing_fixture", "no-such-file");
}

TEST(runner, fails_a_test_that_crashes)
{
    expect_failure("by_a_crash", "killed by signal 6 (Aborted)");
}

TEST(runner, fails_a_test_that_exits_with_status_0)
{
    expect_failure("by_leaving_early", "ended in the midst, with status 0");
}

TEST(runner, fails_a_test_that_ends_badly_after_all_went_well)
{
    expect_failure("by_a_bad_end", "ended, with status 3");
}

TEST(runner, ends_a_test_that_runs_over_its_time_limit)
{
    static result got;

    run("by_never_ending", "TEST_TIME_LIMIT_MS=50", &got);

    ASSERT_CONTAINS(got.output.chars, "ran over the time limit of 50 ms");
    ASSERT_CONTAINS(got.output.chars, "\n0 passed, 1 failed\n");
}

TEST(runner, fails_a_test_that_loses_memory_of_the_library)
{
    expect_failure("by_lost_memory", "leaked memory: 1 block of the library's allocator");
}

TEST(runner, fails_a_test_that_releases_too_much)
{
    expect_failure("by_releasing_what", "released 1 more blocks than were allocated");
}

TEST(runner, fails_a_test_that_loses_a_file_descriptor)
{
    expect_failure("by_a_lost_descriptor", "(/dev/null)");
}

TEST(runner, fails_a_test_that_closes_a_descriptor_of_others)
{
    expect_failure("by_closing", "closed file descriptor 0, which is not its own");
}

TEST(runner, fails_a_test_that_leaves_a_thread_running)
{
    expect_failure("by_a_thread", "threads still running: 1");
}

TEST(runner, lets_a_sanitizer_find_what_only_it_can_see)
{
    if (FINDS_LEAKS) {
        expect_failure("by_a_lost_heap_block", "LeakSanitizer");
    } else {
        expect_pass("by_a_lost_heap_block");
    }
    if (FINDS_RACES) {
        expect_failure("by_a_race", "ThreadSanitizer: data race");
    } else {
        expect_pass("by_a_race");
    }
}

TEST(failing_alloc, passes_a_body_that_copes)
{
    expect_pass("accepts_a_body");
}

TEST(failing_alloc, fails_a_body_that_does_not_cope)
{
    expect_failure("that_hides", "with allocation 1 failing:");
    expect_failure("that_hides", "returned KIN_OK, want KIN_ERR_NO_MEMORY");
    expect_failure("returns_another", "returned KIN_ERR_LIMIT, want KIN_ERR_NO_MEMORY");
    expect_failure("without_reason", "with allocation 3 failing:\n"
                                     "     the body returned KIN_ERR_NO_MEMORY, want KIN_OK");
    expect_failure("that_leaks", "the body leaked 1 blocks");
    expect_failure("when_all_fail", "with allocation 1 and all that follow failing:");
}

TEST(failing_alloc, fails_a_body_that_allocates_nothing)
{
    expect_failure("allocates_nothing", "no failure was tried");
}
