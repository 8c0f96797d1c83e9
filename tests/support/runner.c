/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner.c - main() of a test program.
 *
 * Each test is forked off with its output going to a file in memory, which is shown when the
 * test fails.  The runner itself has one thread and holds no memory of the library, so that each
 * child begins clean.  A child that ends without having said that it is done (a body that calls
 * exit(), say) has failed, whatever its status.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/allocator.h"
#include "support/belongings.h"
#include "support/test.h"

#define DEFAULT_TIME_LIMIT_MS 30000

/* What a child tells the runner, in memory that both share. */
typedef struct progress {
    bool is_done;          /* the body and all checks after it came to their end */
    alloc_failure failure; /* what is being tried in a failing body; else all zero */
} progress;

typedef struct outcome {
    bool is_timeout;
    int status; /* as waitpid() tells it */
} outcome;

static test__case *first_case;
static test__case *last_case;
static progress *current; /* of the test that runs; NULL with --no-fork */

static bool is_wanted(const test__case *test, int count, char **parts);
static bool run_forked(const test__case *test, long limit_ms);
static _Noreturn void run_child(const test__case *test, int output_fd);
static outcome watch_child(pid_t child, long limit_ms);
static bool wait_for(pid_t child, long limit_ms, int *status);
static bool report(const test__case *test, const outcome *end, long limit_ms, FILE *output);
static void print_case(const char *label, const test__case *test);
static void run_here(const test__case *test);
static void run_failing(const test__case *test);
static bool run_attempt(const test__case *test, alloc_failure failure);
static long time_limit_ms(void);
static long long now_ms(void);

void test__register(test__case *test)
{
    if (last_case == NULL) {
        first_case = test;
    } else {
        last_case->next = test;
    }
    last_case = test;
}

int main(int argc, char **argv)
{
    bool is_list = argc > 1 && strcmp(argv[1], "--list") == 0;
    bool is_direct = argc > 1 && strcmp(argv[1], "--no-fork") == 0;
    int skip = is_list || is_direct ? 2 : 1;
    int passed = 0;
    int failed = 0;

    use_test_allocator();
    for (const test__case *test = first_case; test != NULL; test = test->next) {
        if (!is_wanted(test, argc - skip, argv + skip)) {
            continue;
        }
        if (is_list) {
            print_case("", test);
            continue;
        }
        if (is_direct) {
            run_here(test);
            print_case("ok   ", test);
            passed++;
        } else if (run_forked(test, time_limit_ms())) {
            passed++;
        } else {
            failed++;
        }
    }
    if (!is_list) {
        (void) printf("%d passed, %d failed\n", passed, failed);
    }
    return failed == 0 && (is_list || passed > 0) ? 0 : 1;
}

static bool is_wanted(const test__case *test, int count, char **parts)
{
    for (int i = 0; i < count; i++) {
        if (strstr(test->noun, parts[i]) != NULL || strstr(test->sentence, parts[i]) != NULL) {
            return true;
        }
    }
    return count <= 0;
}

static bool run_forked(const test__case *test, long limit_ms)
{
    int fd = memfd_create("output", MFD_CLOEXEC);
    FILE *output = fd < 0 ? NULL : fdopen(fd, "w+");
    sigset_t child_signal;

    current =
        mmap(NULL, sizeof *current, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (output == NULL || current == MAP_FAILED) {
        FAIL("cannot prepare to run a test");
    }
    (void) sigemptyset(&child_signal);
    (void) sigaddset(&child_signal, SIGCHLD);
    (void) sigprocmask(SIG_BLOCK, &child_signal, NULL);
    (void) fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void) sigprocmask(SIG_UNBLOCK, &child_signal, NULL);
        run_child(test, fd);
    }
    outcome end = watch_child(child, limit_ms);
    bool is_passed = report(test, &end, limit_ms, output);
    (void) munmap(current, sizeof *current);
    (void) fclose(output);
    return is_passed;
}

/* It is in a group of its own, so Ctrl-C reaches the runner alone: whatever ends that one ends the
 * test. */
static _Noreturn void run_child(const test__case *test, int output_fd)
{
    (void) setpgid(0, 0);
    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void) dup2(output_fd, STDOUT_FILENO);
    (void) dup2(output_fd, STDERR_FILENO);
    (void) setvbuf(stdout, NULL, _IONBF, 0);
    run_here(test);
    current->is_done = true;
    exit(0); /* and not _exit(): ThreadSanitizer has its last word there */
}

/* Also what the test has started, and left running, is ended. */
static outcome watch_child(pid_t child, long limit_ms)
{
    outcome end = { 0 };

    if (child < 0) {
        FAIL("cannot fork");
    }
    (void) setpgid(child, child);
    if (!wait_for(child, limit_ms, &end.status)) {
        end.is_timeout = true;
        (void) kill(-child, SIGKILL);
        (void) waitpid(child, &end.status, 0);
    }
    (void) kill(-child, SIGKILL);
    return end;
}

/* SIGCHLD is blocked, so that none is missed between looking and waiting. */
static bool wait_for(pid_t child, long limit_ms, int *status)
{
    long long deadline = now_ms() + limit_ms;
    sigset_t child_signal;

    (void) sigemptyset(&child_signal);
    (void) sigaddset(&child_signal, SIGCHLD);
    while (waitpid(child, status, WNOHANG) == 0) {
        long long left = deadline - now_ms();
        if (left <= 0) {
            return false;
        }
        struct timespec wait = { .tv_sec = (time_t) (left / 1000),
                                 .tv_nsec = (long) (left % 1000) * 1000000 };
        (void) sigtimedwait(&child_signal, NULL, &wait);
    }
    return true;
}

static bool report(const test__case *test, const outcome *end, long limit_ms, FILE *output)
{
    char line[4096];

    if (!end->is_timeout && current->is_done && end->status == 0) {
        print_case("ok   ", test);
        return true;
    }
    print_case("FAIL ", test);
    if (current->failure.first != 0) {
        (void) printf("     with allocation %lld%s failing:\n", current->failure.first,
                      current->failure.is_lasting ? " and all that follow" : "");
    }
    rewind(output);
    while (fgets(line, sizeof line, output) != NULL) {
        (void) printf("     %s%s", line, strchr(line, '\n') == NULL ? "\n" : "");
    }
    if (end->is_timeout) {
        (void) printf("     ran over the time limit of %ld ms\n", limit_ms);
    } else if (WIFSIGNALED(end->status)) {
        (void) printf("     killed by signal %d (%s)\n", WTERMSIG(end->status),
                      strsignal(WTERMSIG(end->status)));
    } else if (WEXITSTATUS(end->status) != 1) {
        (void) printf("     %s, with status %d\n",
                      current->is_done ? "ended" : "ended in the midst", WEXITSTATUS(end->status));
    }
    return false;
}

static void print_case(const char *label, const test__case *test)
{
    (void) printf("%s%s ", label, test->noun);
    for (const char *c = test->sentence; *c != '\0'; c++) {
        (void) putchar(*c == '_' ? ' ' : *c);
    }
    (void) printf("\n");
}

/* Returns when the test has passed; fails as an assertion does otherwise. */
static void run_here(const test__case *test)
{
    belongings before;

    belongings_note(&before);
    if (test->body != NULL) {
        test->body();
    } else {
        run_failing(test);
    }
    if (!belongings_check(&before)) {
        FAIL("the test leaves something behind");
    }
}

static void run_failing(const test__case *test)
{
    long long first = 1;

    while (run_attempt(test, (alloc_failure){ first, false })) {
        (void) run_attempt(test, (alloc_failure){ first, true });
        first++;
    }
    if (current != NULL) {
        current->failure = (alloc_failure){ 0 };
    }
    if (first == 1) {
        FAIL("the body allocates nothing, so no failure was tried");
    }
}

/* True when an allocation failed, as planned, and the body coped with it. */
static bool run_attempt(const test__case *test, alloc_failure failure)
{
    long long blocks = live_blocks();

    if (current != NULL) {
        current->failure = failure;
    }
    test_allocator_plan(failure);
    kin_err code = test->failing_body();
    bool has_failed = test_allocator_failures() != 0;
    test_allocator_plan((alloc_failure){ 0 });

    kin_err want = has_failed ? KIN_ERR_NO_MEMORY : KIN_OK;
    if (code != want) {
        FAIL("the body returned %s, want %s", kin_err_name(code), kin_err_name(want));
    }
    if (live_blocks() != blocks) {
        FAIL("the body leaked %lld blocks", live_blocks() - blocks);
    }
    return has_failed;
}

static long time_limit_ms(void)
{
    const char *wanted = getenv("TEST_TIME_LIMIT_MS");
    long limit = wanted == NULL ? 0 : strtol(wanted, NULL, 10);
    return limit > 0 ? limit : DEFAULT_TIME_LIMIT_MS;
}

static long long now_ms(void)
{
    struct timespec now;
    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
