/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_test.c - small scripts, on virtual time.
 */
#include "net/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kin/sys/allocator.h"
#include "support/test.h"

static kin__virtual_clock virtual_clock;

/* A process and what became of it. */
typedef struct run {
    kin_loop *loop;
    kin__process *process;
    bool is_freed_inside;
    int ends; /* how often it ended */
    kin_err code;
    int status;
    size_t output_len;
    size_t errors_len;
    char output[256]; /* the first ones, terminated */
    char errors[KIN__PROCESS_ERRORS_MAX + 1];
} run;

static kin_loop *new_loop(void)
{
    kin_loop *loop;
    kin_error err;
    kin__virtual_clock_init(&virtual_clock, 0, (kin_time){ 0 });
    ASSERT_OK(kin__loop_new_with_clock(NULL, &virtual_clock.clock, &loop, &err));
    return loop;
}

static void copy(char *to, size_t size, kin_str from)
{
    size_t len = from.len < size - 1 ? from.len : size - 1;
    memcpy(to, from.data, len);
    to[len] = '\0';
}

static void note_end(void *context, const kin__process_end *end)
{
    run *r = context;
    r->ends++;
    r->code = end->code;
    r->status = end->status;
    r->output_len = end->output.len;
    r->errors_len = end->errors.len;
    if (end->output.len > 0) {
        copy(r->output, sizeof r->output, end->output);
    }
    copy(r->errors, sizeof r->errors, end->errors);
    if (r->is_freed_inside) {
        kin__process_free(r->process);
        r->process = NULL;
    }
}

static const char *const plain_environment[] = { "PATH=/usr/bin:/bin", NULL };

static kin_err start_with(run *r, kin_loop *loop, const char *script, uint32_t timeout_ms,
                          kin_error *err)
{
    const char *const arguments[] = { "/bin/sh", "-c", script, NULL };
    kin__process_options options = {
        .arguments = arguments,
        .environment = plain_environment,
        .timeout_ms = timeout_ms,
        .on_end = note_end,
        .context = r,
    };
    *r = (run){ .loop = loop };
    return kin__process_start(loop, &options, &r->process, err);
}

static void start(run *r, const char *script, uint32_t timeout_ms)
{
    kin_error err;
    ASSERT_OK(start_with(r, new_loop(), script, timeout_ms, &err));
}

static void turn(run *r, int timeout_ms)
{
    kin_error err;
    ASSERT_OK(kin_loop_dispatch(r->loop, timeout_ms, &err));
}

/* Until it has ended, without any virtual time. */
static void finish(run *r)
{
    while (r->ends == 0) {
        turn(r, -1);
    }
}

static void end(run *r)
{
    kin__process_free(r->process);
    kin_loop_free(r->loop);
    ASSERT_EQ(waitpid(-1, NULL, WNOHANG), -1);
    ASSERT_EQ(errno, ECHILD);
}

/* From start to end. */
static run run_script(const char *script)
{
    run r;
    start(&r, script, 1000);
    finish(&r);
    turn(&r, 0);
    ASSERT_EQ(r.ends, 1);
    end(&r);
    return r;
}

TEST(process, tells_what_it_wrote_and_how_it_ended)
{
    run r = run_script("echo out; echo err >&2; exit 7");

    ASSERT_OK(r.code);
    ASSERT_EQ(r.status, 7);
    ASSERT_STR_EQ(r.output, "out\n");
    ASSERT_STR_EQ(r.errors, "err\n");
}

TEST(process, may_say_nothing)
{
    run r = run_script("exit 0");

    ASSERT_OK(r.code);
    ASSERT_EQ(r.status, 0);
    ASSERT_EQ(r.output_len, 0);
    ASSERT_EQ(r.errors_len, 0);
}

TEST(process, may_close_its_output_long_before_it_ends)
{
    run r = run_script("echo out; exec >&- 2>&-; kill -0 $$; exit 4");

    ASSERT_EQ(r.status, 4);
    ASSERT_STR_EQ(r.output, "out\n");
}

TEST(process, may_die_of_a_signal)
{
    run r = run_script("echo out; kill -TERM $$");

    ASSERT_OK(r.code);
    ASSERT_EQ(r.status, 128 + SIGTERM);
    ASSERT_STR_EQ(r.output, "out\n");
}

TEST(process, may_write_up_to_a_limit)
{
    run r = run_script("head -c 1048576 /dev/zero | tr '\\0' x");

    ASSERT_OK(r.code);
    ASSERT_EQ(r.status, 0);
    ASSERT_EQ(r.output_len, KIN__PROCESS_OUTPUT_MAX);
}

TEST(process, is_killed_when_it_writes_more)
{
    run r = run_script("head -c 1048577 /dev/zero | tr '\\0' x; exec sleep 1000");

    ASSERT_ERR(r.code, KIN_ERR_LIMIT);
    ASSERT_EQ(r.output_len, KIN__PROCESS_OUTPUT_MAX);
    ASSERT_EQ(r.status, 128 + SIGKILL);
}

TEST(process, is_remembered_for_its_last_errors)
{
    run r = run_script("head -c 100000 /dev/zero | tr '\\0' x >&2; printf last >&2");
    ASSERT_EQ(r.errors_len, KIN__PROCESS_ERRORS_MAX);
    ASSERT_STR_EQ(r.errors + KIN__PROCESS_ERRORS_MAX - 6, "xxlast");

    r = run_script("printf first >&2; head -c 4090 /dev/zero | tr '\\0' x >&2; printf last >&2");
    ASSERT_EQ(r.errors_len, KIN__PROCESS_ERRORS_MAX);
    ASSERT_TRUE(strncmp(r.errors, "stxx", 4) == 0 || strncmp(r.errors, "rstx", 4) == 0);
    ASSERT_STR_EQ(r.errors + KIN__PROCESS_ERRORS_MAX - 5, "xlast");
}

/* All of it is in the pipe when it is read. */
TEST(process, is_remembered_for_its_last_errors_also_when_they_come_at_once)
{
    run r;
    siginfo_t info;
    start(&r, "printf '%08000dlast' 0 >&2", 1000);
    ASSERT_EQ(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);

    finish(&r);

    ASSERT_EQ(r.errors_len, KIN__PROCESS_ERRORS_MAX);
    ASSERT_STR_EQ(r.errors + KIN__PROCESS_ERRORS_MAX - 6, "00last");
    end(&r);
}

/* Until the first bytes have come, and were read. */
static void await_output(run *r)
{
    struct pollfd ready = { .fd = kin_loop_fd(r->loop), .events = POLLIN };
    ASSERT_EQ(poll(&ready, 1, -1), 1);
    turn(r, 0);
}

TEST(process, is_killed_with_its_children_when_its_time_is_up)
{
    run r;
    start(&r, "sleep 1000 & echo $!; wait", 5000);
    await_output(&r);

    kin__virtual_clock_advance(&virtual_clock, 4999);
    turn(&r, 0);
    ASSERT_EQ(r.ends, 0);
    kin__virtual_clock_advance(&virtual_clock, 1);
    finish(&r);

    ASSERT_ERR(r.code, KIN_ERR_TIMEOUT);
    ASSERT_EQ(r.status, 128 + SIGKILL);
    /* That both pipes came to their end without more time says that the child is dead as well. */
    ASSERT_TRUE(r.output_len > 0);
    end(&r);
}

/* Stops until it is continued. */
static pid_t await_stop(void)
{
    siginfo_t info;
    ASSERT_EQ(waitid(P_ALL, 0, &info, WSTOPPED), 0);
    return info.si_pid;
}

TEST(process, has_no_time_limit_without_one)
{
    run r;
    start(&r, "kill -STOP $$; exit 3", 0);
    pid_t pid = await_stop();

    kin__virtual_clock_advance(&virtual_clock, (int64_t) 1000 * 24 * 3600 * 1000);
    turn(&r, 0);
    ASSERT_EQ(kill(pid, SIGCONT), 0);
    finish(&r);

    ASSERT_OK(r.code);
    ASSERT_EQ(r.status, 3);
    end(&r);
}

/* The grandchild lives on, holding the pipes, until the test has seen it. */
TEST(process, is_over_although_a_grandchild_holds_its_output)
{
    run r;
    start(&r, "setsid sleep 1000 & echo $!; exit 5", 1000);
    for (;;) {
        turn(&r, -1); /* output, then the end */
        siginfo_t info = { 0 };
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0) {
            break;
        }
    }
    turn(&r, 0);
    turn(&r, 0);
    ASSERT_EQ(r.ends, 0);

    kin__virtual_clock_advance(&virtual_clock, 99);
    turn(&r, 0);
    ASSERT_EQ(r.ends, 0);
    kin__virtual_clock_advance(&virtual_clock, 1);
    turn(&r, 0);

    ASSERT_EQ(r.ends, 1);
    ASSERT_OK(r.code);
    ASSERT_EQ(r.status, 5);
    pid_t grandchild = (pid_t) strtol(r.output, NULL, 10);
    ASSERT_TRUE(grandchild > 1);
    ASSERT_EQ(kill(grandchild, SIGKILL), 0);
    end(&r);
}

TEST(process, is_killed_when_it_is_freed)
{
    run r;
    start(&r, "sleep 1000 & echo $!; wait", 1000);
    await_output(&r);

    end(&r);

    ASSERT_EQ(r.ends, 0);
}

TEST(process, may_be_freed_when_it_ends)
{
    run r;
    start(&r, "echo out", 1000);
    r.is_freed_inside = true;

    finish(&r);

    ASSERT_TRUE(r.process == NULL);
    ASSERT_STR_EQ(r.output, "out\n");
    end(&r);
}

TEST(process, that_is_none_can_be_freed)
{
    kin__process_free(NULL);
}

TEST(process, must_exist)
{
    const char *const arguments[] = { "/no/such/plugin", NULL };
    kin__process_options options = { .arguments = arguments, .environment = plain_environment };
    kin__process *process = NULL;
    kin_loop *loop = new_loop();
    kin_error err;

    ASSERT_ERR(kin__process_start(loop, &options, &process, &err), KIN_ERR_SYSTEM);

    ASSERT_MESSAGE(&err, "run \"/no/such/plugin\": No such file or directory");
    ASSERT_TRUE(process == NULL);
    kin_loop_free(loop);
}

/* Then the kernel waits for it, and nobody learns how it ended. */
TEST(process, ends_with_an_unknown_status_where_sigchld_is_ignored)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    ASSERT_EQ(sigaction(SIGCHLD, &ignore, NULL), 0);

    for (int i = 0; i < 20; i++) {
        run r = run_script("echo out; exit 7");

        ASSERT_OK(r.code);
        ASSERT_EQ(r.status, -1);
        ASSERT_STR_EQ(r.output, "out\n");
    }
}

TEST(process, ends_with_an_unknown_status_where_the_program_waited_for_it)
{
    run r;
    start(&r, "echo out; exit 7", 1000);
    int status;
    ASSERT_TRUE(waitpid(-1, &status, 0) > 0);

    finish(&r);

    ASSERT_OK(r.code);
    ASSERT_EQ(r.status, -1);
    ASSERT_STR_EQ(r.output, "out\n");
    end(&r);
}

/* A child of a fork frees its copy: the process lives, and the parent sees it end. */
TEST(process, is_not_killed_by_a_forked_child)
{
    run r;
    start(&r, "echo a; kill -STOP $$; echo b", 1000);

    pid_t child = fork();
    ASSERT_TRUE(child >= 0);
    if (child == 0) {
        kin__process_free(r.process);
        kin_loop_free(r.loop);
        _exit(0);
    }
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(kill(await_stop(), SIGCONT), 0);
    finish(&r);

    ASSERT_OK(r.code);
    ASSERT_EQ(r.status, 0);
    ASSERT_STR_EQ(r.output, "a\nb\n");
    end(&r);
}

/* What memory looks like when it is given back. */
static bool found_secret;

static void *take(void *context, size_t bytes)
{
    (void) context;
    return malloc(bytes);
}

static void *retake(void *context, void *memory, size_t bytes)
{
    (void) context;
    return realloc(memory, bytes);
}

static void look_and_release(void *context, void *memory)
{
    (void) context;
    found_secret = found_secret || (memory != NULL && memcmp(memory, "s3cr3t", 6) == 0);
    free(memory);
}

TEST(process, wipes_what_it_wrote)
{
    kin_allocator allocator = KIN_ALLOCATOR_INIT;
    kin_error err;
    allocator.alloc = take;
    allocator.realloc = retake;
    allocator.release = look_and_release;
    ASSERT_OK(kin_allocator_set(&allocator, &err));

    run r = run_script("printf s3cr3t; head -c 200000 /dev/zero");
    ASSERT_EQ(r.output_len, 200006);
    start(&r, "printf s3cr3t; exec sleep 1000", 1000);
    await_output(&r);
    end(&r);

    use_test_allocator();
    ASSERT_FALSE(found_secret);
}

TEST_FAILING_ALLOC(process, fails_without_a_leak)
{
    kin_loop *loop;
    kin_error err;
    run r;
    kin__virtual_clock_init(&virtual_clock, 0, (kin_time){ 0 });
    if (kin__loop_new_with_clock(NULL, &virtual_clock.clock, &loop, &err) != KIN_OK) {
        return err.code;
    }
    kin_err code = start_with(&r, loop, "head -c 20000 /dev/zero", 1000, &err);
    if (code == KIN_OK) {
        finish(&r);
        code = r.code;
        kin__process_free(r.process);
    }
    kin_loop_free(loop);
    return code;
}
