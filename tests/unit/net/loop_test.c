/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop_test.c - a loop's life, and who runs it.
 */
#include "net/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/inside.h"
#include "base/thread.h"
#include "net/loop_state.h"
#include "support/test.h"

static kin_loop *new_loop(void)
{
    kin_loop *loop;
    kin_error err;
    ASSERT_OK(kin_loop_new(NULL, &loop, &err));
    return loop;
}

static void start(kin_loop *loop)
{
    kin_error err;
    ASSERT_OK(kin_loop_start(loop, &err));
}

/* Something a loop is asked to do, and that is waited for. */
typedef struct task {
    kin_loop *loop;
    void (*work)(struct task *task);
    _Atomic bool is_done;
    pthread_t by;
    char thread_name[32];
    kin_err code;
} task;

static void run_task(void *context)
{
    task *t = context;
    t->by = pthread_self();
    (void) pthread_getname_np(t->by, t->thread_name, sizeof t->thread_name);
    if (t->work != NULL) {
        t->work(t);
    }
    kin_loop *loop = t->loop;
    atomic_store(&t->is_done, true);
    kin__loop_wake_waiters(loop);
}

static void post(task *t)
{
    kin_error err;
    ASSERT_OK(kin_loop_post(t->loop, run_task, t, &err));
}

static void wait_for(task *t)
{
    kin_error err;
    ASSERT_OK(kin__loop_wait(t->loop, &t->is_done, &err));
}

static task run_on(kin_loop *loop, void (*work)(task *t))
{
    task t = { .loop = loop, .work = work };
    post(&t);
    wait_for(&t);
    return t;
}

/* ---- making it ----------------------------------------------------------------------------- */

TEST(loop, must_have_options_that_were_initialised)
{
    kin_loop_options options = { 0 };
    kin_loop *loop;
    kin_error err;

    ASSERT_ERR(kin_loop_new(&options, &loop, &err), KIN_ERR_USAGE);

    ASSERT_MESSAGE(&err, "kin_loop_options: not initialised (size is 0)");
}

static void say(void *context, kin_log_level level, const char *component, const char *message)
{
    (void) level;
    text_append(context, "%s: %s", component, message);
}

TEST(loop, keeps_its_logger)
{
    text log = { 0 };
    kin_loop_options options = KIN_LOOP_OPTIONS_INIT;
    kin_loop *loop;
    kin_error err;
    options.logger.log = say;
    options.logger.context = &log;

    ASSERT_OK(kin_loop_new(&options, &loop, &err));

    ASSERT_TRUE(kin__loop_logger(loop)->context == &log);
    ASSERT_TRUE(kin__loop_clock(loop) == kin__clock_real());
    kin_loop_free(loop);
}

static void let_two_seconds_pass(void *context)
{
    kin__virtual_clock_advance(context, 2000);
}

TEST(loop, counts_how_long_its_rounds_take)
{
    kin__virtual_clock clock;
    kin_metrics *metrics;
    kin_loop_options options = KIN_LOOP_OPTIONS_INIT;
    kin_loop *loop;
    char *chars = NULL;
    size_t len = 0;
    kin_error err;
    kin__virtual_clock_init(&clock, 1000, (kin_time){ 0 });
    ASSERT_OK(kin_metrics_new(&metrics, &err));
    options.metrics = metrics;
    ASSERT_OK(kin__loop_new_with_clock(&options, &clock.clock, &loop, &err));

    ASSERT_OK(kin_loop_post(loop, let_two_seconds_pass, &clock, &err));
    ASSERT_OK(kin_loop_dispatch(loop, 0, &err));
    ASSERT_OK(kin_loop_dispatch(loop, 0, &err));

    ASSERT_OK(kin_metrics_text(metrics, &chars, &len, &err));
    ASSERT_CONTAINS(chars, "kin_loop_round_duration_seconds_bucket{le=\"1\"} 1\n");
    ASSERT_CONTAINS(chars, "kin_loop_round_duration_seconds_sum 2\n");
    ASSERT_CONTAINS(chars, "kin_loop_round_duration_seconds_count 2\n");
    kin_free(chars);
    kin_loop_free(loop);
    kin_metrics_free(metrics);
}

TEST(loop, cannot_be_made_without_descriptors)
{
    struct rlimit limit;
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int next = dup(0);
    ASSERT_TRUE(next >= 0);
    (void) close(next);

    for (int more = 0; more < 3; more++) {
        struct rlimit tight = { .rlim_cur = (rlim_t) (next + more), .rlim_max = limit.rlim_max };
        kin_loop *loop;
        kin_error err;
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
        ASSERT_ERR(kin_loop_new(NULL, &loop, &err), KIN_ERR_SYSTEM);
        ASSERT_MESSAGE(&err, "make a loop: Too many open files");
    }

    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST_FAILING_ALLOC(loop, fails_without_a_leak)
{
    kin_loop_options options = KIN_LOOP_OPTIONS_INIT;
    kin_loop *loop = NULL;
    kin_error err;
    kin_err code = kin_metrics_new(&options.metrics, &err);
    if (code == KIN_OK) {
        code = kin_loop_new(&options, &loop, &err);
    }
    if (code == KIN_OK) {
        code = kin_loop_start(loop, &err);
    }
    kin_loop_free(loop);
    kin_metrics_free(options.metrics);
    return code;
}

TEST(loop, that_is_none_can_be_freed)
{
    kin_loop_free(NULL);
}

static void free_from_inside(task *t)
{
    kin_loop_free(t->loop);
}

TEST(loop, is_not_freed_from_itself)
{
    text log = { 0 };
    kin_loop_options options = KIN_LOOP_OPTIONS_INIT;
    kin_loop *loop;
    kin_error err;
    options.logger.log = say;
    options.logger.context = &log;
    ASSERT_OK(kin_loop_new(&options, &loop, &err));

    (void) run_on(loop, free_from_inside);

    ASSERT_STR_EQ(log.chars, "loop: not freed: the call came from the loop");
    kin_loop_free(loop);
}

/* ---- its thread ---------------------------------------------------------------------------- */

static void expect_to_be_inside(task *t)
{
    t->code = kin_loop_is_inside(t->loop) ? KIN_OK : KIN_ERR_TYPE;
}

TEST(loop, runs_on_a_thread_with_a_name)
{
    kin_loop *loop = new_loop();
    start(loop);

    task t = run_on(loop, expect_to_be_inside);

    ASSERT_STR_EQ(t.thread_name, "kin-loop");
    ASSERT_FALSE(pthread_equal(t.by, pthread_self()));
    ASSERT_OK(t.code);
    ASSERT_FALSE(kin_loop_is_inside(loop));
    kin_loop_free(loop);
}

TEST(loop, runs_on_one_thread_only)
{
    kin_loop *loop = new_loop();
    kin_error err;
    start(loop);

    ASSERT_ERR(kin_loop_start(loop, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "the loop is running already");
    ASSERT_ERR(kin_loop_dispatch(loop, 0, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "the loop is running already");

    kin_loop_free(loop);
}

static void run_from_inside(task *t)
{
    kin_error err;
    _Atomic bool never = false;
    ASSERT_ERR(kin_loop_dispatch(t->loop, 0, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_loop_start(t->loop, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin__loop_wait(t->loop, &never, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "the loop cannot wait for itself");
}

TEST(loop, is_not_run_from_itself)
{
    kin_loop *loop = new_loop();
    kin_error err;

    task t = { .loop = loop, .work = run_from_inside };
    post(&t);
    ASSERT_OK(kin_loop_dispatch(loop, 0, &err));
    (void) run_on(loop, run_from_inside);
    start(loop);
    (void) run_on(loop, run_from_inside);

    kin_loop_free(loop);
}

TEST(loop, rests_between_stop_and_start)
{
    kin_loop *loop = new_loop();
    kin_error err;
    task t = { .loop = loop };
    kin_loop_stop(loop);
    start(loop);
    (void) run_on(loop, NULL);

    kin_loop_stop(loop);
    kin_loop_stop(loop);
    post(&t);
    ASSERT_FALSE(atomic_load(&t.is_done));
    ASSERT_OK(kin_loop_dispatch(loop, 0, &err));
    ASSERT_TRUE(atomic_load(&t.is_done));
    start(loop);

    ASSERT_STR_EQ(run_on(loop, NULL).thread_name, "kin-loop");
    kin_loop_free(loop);
}

static void stop_from_inside(task *t)
{
    kin_loop_stop(t->loop);
}

TEST(loop, is_stopped_from_itself)
{
    kin_loop *loop = new_loop();
    kin_error err;
    start(loop);

    (void) run_on(loop, stop_from_inside);
    ASSERT_OK(kin_loop_dispatch(loop, 0, &err));
    start(loop);
    (void) run_on(loop, stop_from_inside);
    start(loop);
    ASSERT_STR_EQ(run_on(loop, stop_from_inside).thread_name, "kin-loop");
    task t = run_on(loop, stop_from_inside);

    ASSERT_TRUE(pthread_equal(t.by, pthread_self()));
    kin_loop_free(loop);
}

static void start_and_stop(void *context)
{
    kin_loop *loop = context;
    for (int i = 0; i < 50; i++) {
        kin_error err;
        kin_err code = kin_loop_start(loop, &err);
        ASSERT_TRUE(code == KIN_OK || code == KIN_ERR_USAGE);
        (void) run_on(loop, i % 3 == 0 ? stop_from_inside : NULL);
        kin_loop_stop(loop);
        code = kin_loop_dispatch(loop, 0, &err);
        ASSERT_TRUE(code == KIN_OK || code == KIN_ERR_USAGE);
    }
}

TEST(loop, may_be_started_and_stopped_by_everybody_at_once)
{
    kin__thread threads[4];
    kin_loop *loop = new_loop();
    kin_error err;

    for (size_t i = 0; i < 4; i++) {
        ASSERT_OK(kin__thread_start(&threads[i], "starter", start_and_stop, loop, &err));
    }
    for (size_t i = 0; i < 4; i++) {
        kin__thread_join(&threads[i]);
    }

    (void) run_on(loop, NULL);
    kin_loop_free(loop);
}

/* ---- waiting ------------------------------------------------------------------------------- */

/* A thread that waits for something on the loop. */
typedef struct waiter {
    kin__thread thread;
    task task;
    kin_err code;
} waiter;

static void wait_in_thread(void *context)
{
    waiter *w = context;
    kin_error err;
    w->code = kin__loop_wait(w->task.loop, &w->task.is_done, &err);
}

static void start_waiter(waiter *w, kin_loop *loop)
{
    kin_error err;
    *w = (waiter){ .task = { .loop = loop } };
    ASSERT_OK(kin__thread_start(&w->thread, "waiter", wait_in_thread, w, &err));
}

static void join_waiter(waiter *w)
{
    kin__thread_join(&w->thread);
    ASSERT_OK(w->code);
}

/* That the loop is run like this; the harness ends a test that waits for ever. */
static void await_runner(kin_loop *loop, kin__runner runner)
{
    for (;;) {
        kin__mutex_lock(&loop->lock);
        bool is = loop->runner == runner;
        kin__mutex_unlock(&loop->lock);
        if (is) {
            return;
        }
        (void) sched_yield();
    }
}

TEST(loop, is_run_by_who_waits_when_nobody_else_does)
{
    kin_loop *loop = new_loop();

    task t = run_on(loop, expect_to_be_inside);

    ASSERT_TRUE(pthread_equal(t.by, pthread_self()));
    ASSERT_OK(t.code);
    ASSERT_FALSE(kin_loop_is_inside(loop));
    kin_loop_free(loop);
}

TEST(loop, does_not_wait_for_what_is_done)
{
    kin_loop *loop = new_loop();
    _Atomic bool done = true;
    kin_error err;

    ASSERT_OK(kin__loop_wait(loop, &done, &err));

    kin_loop_free(loop);
}

TEST(loop, is_taken_over_by_the_next_waiter)
{
    kin_loop *loop = new_loop();
    waiter waiters[3];
    start_waiter(&waiters[0], loop);
    await_runner(loop, KIN__RUN_BY_WAITER);
    start_waiter(&waiters[1], loop);
    start_waiter(&waiters[2], loop);

    for (size_t i = 0; i < 3; i++) {
        post(&waiters[i].task);
        join_waiter(&waiters[i]);
    }

    kin_loop_free(loop);
}

TEST(loop, lets_who_is_done_go_while_another_runs_it)
{
    kin_loop *loop = new_loop();
    waiter driver;
    waiter other;
    start_waiter(&driver, loop);
    await_runner(loop, KIN__RUN_BY_WAITER);
    start_waiter(&other, loop);

    post(&other.task);
    join_waiter(&other);
    await_runner(loop, KIN__RUN_BY_WAITER);
    ASSERT_TRUE(pthread_equal(other.task.by, driver.thread.os));
    post(&driver.task);
    join_waiter(&driver);

    kin_loop_free(loop);
}

TEST(loop, is_dispatched_although_somebody_waits)
{
    kin_loop *loop = new_loop();
    kin_error err;
    waiter w;
    start_waiter(&w, loop);

    for (int i = 0; i < 20; i++) {
        await_runner(loop, KIN__RUN_BY_WAITER);
        ASSERT_OK(kin_loop_dispatch(loop, 0, &err));
    }
    post(&w.task);
    join_waiter(&w);

    kin_loop_free(loop);
}

TEST(loop, is_started_although_somebody_waits)
{
    kin_loop *loop = new_loop();
    waiter w;
    start_waiter(&w, loop);
    await_runner(loop, KIN__RUN_BY_WAITER);

    start(loop);
    await_runner(loop, KIN__RUN_BY_THREAD);
    kin_loop_stop(loop);
    await_runner(loop, KIN__RUN_BY_WAITER);
    post(&w.task);
    join_waiter(&w);

    ASSERT_TRUE(pthread_equal(w.task.by, w.thread.os));
    kin_loop_free(loop);
}

static void wait_often(void *context)
{
    for (int i = 0; i < 200; i++) {
        (void) run_on(context, NULL);
    }
}

TEST(loop, is_waited_for_by_many)
{
    kin__thread threads[4];
    kin_loop *loop = new_loop();
    kin_error err;

    for (size_t i = 0; i < 4; i++) {
        ASSERT_OK(kin__thread_start(&threads[i], "waiter", wait_often, loop, &err));
    }
    for (int i = 0; i < 50; i++) {
        ASSERT_OK(kin_loop_dispatch(loop, 0, &err));
    }
    start(loop);
    kin_loop_stop(loop);
    for (size_t i = 0; i < 4; i++) {
        kin__thread_join(&threads[i]);
    }

    kin_loop_free(loop);
}

static void count_signal(int number)
{
    (void) number;
}

TEST(loop, returns_from_dispatch_when_a_signal_came)
{
    kin_loop *loop = new_loop();
    kin_error err;
    struct sigaction action = { .sa_handler = count_signal };
    sigset_t set;
    ASSERT_EQ(sigaction(SIGALRM, &action, NULL), 0);
    (void) sigemptyset(&set);
    timer_t timer;
    ASSERT_EQ(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0); /* raises SIGALRM */
    struct itimerspec soon = { .it_value = { .tv_nsec = 1000 * 1000 },
                               .it_interval = { .tv_nsec = 1000 * 1000 } };
    ASSERT_EQ(timer_settime(timer, 0, &soon, NULL), 0);

    ASSERT_OK(kin_loop_dispatch(loop, -1, &err));

    ASSERT_EQ(timer_delete(timer), 0);
    kin_loop_free(loop);
}

/* Something else lies under its number: waiting is refused, not repeated without end. */
TEST(loop, says_so_when_the_program_closed_its_descriptor)
{
    kin_loop *loop = new_loop();
    kin_error err;
    _Atomic bool never = false;
    int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(dup2(other, kin_loop_fd(loop)), kin_loop_fd(loop));

    ASSERT_ERR(kin_loop_dispatch(loop, -1, &err), KIN_ERR_SYSTEM);
    ASSERT_MESSAGE(&err, "wait for descriptors: Invalid argument");
    ASSERT_ERR(kin__loop_wait(loop, &never, &err), KIN_ERR_SYSTEM);

    kin_loop_free(loop);
    (void) close(other);
}

/* ---- signals ------------------------------------------------------------------------------- */

static void write_to_nobody(task *t)
{
    int ends[2];
    (void) t;
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    (void) close(ends[0]);
    ASSERT_EQ(write(ends[1], "x", 1), -1);
    ASSERT_EQ(errno, EPIPE);
    (void) close(ends[1]);
}

/* Its disposition is the default: whoever gets it dies of it. */
TEST(loop, spares_the_program_sigpipe)
{
    kin_loop *loop = new_loop();
    kin_error err;
    sigset_t mask;
    sigset_t pending;

    task t = { .loop = loop, .work = write_to_nobody };
    post(&t);
    ASSERT_OK(kin_loop_dispatch(loop, 0, &err));
    ASSERT_TRUE(atomic_load(&t.is_done));
    (void) run_on(loop, write_to_nobody);
    start(loop);
    (void) run_on(loop, write_to_nobody);

    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    ASSERT_EQ(sigpending(&pending), 0);
    ASSERT_FALSE(sigismember(&mask, SIGPIPE));
    ASSERT_FALSE(sigismember(&pending, SIGPIPE));
    kin_loop_free(loop);
}

/* ---- fork ---------------------------------------------------------------------------------- */

static void ignore_ready(kin__watched *watched, unsigned what, void *context)
{
    char bytes[16];
    (void) what;
    ASSERT_TRUE(read(watched->fd, bytes, sizeof bytes) > 0);
    run_task(context);
}

static void use_and_free_in_child(kin_loop *loop, kin__watched *watched, kin__timer *timer)
{
    kin_error err;
    _Atomic bool never = false;
    kin__job job = { .is_waiting = true };
    ASSERT_TRUE(kin__loop_is_forked(loop));
    ASSERT_FALSE(kin_loop_is_inside(loop));
    ASSERT_EQ(kin_loop_fd(loop), -1);
    ASSERT_ERR(kin_loop_start(loop, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "a loop works only in the process that made it, not after a fork");
    ASSERT_ERR(kin_loop_dispatch(loop, 0, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_loop_post(loop, run_task, NULL, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin__loop_wait(loop, &never, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin__timer_set(loop, timer, 0, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin__watch(loop, watched, KIN__WRITABLE, &err), KIN_ERR_USAGE);
    kin__loop_post_job(loop, &job);
    ASSERT_TRUE(kin__loop_cancel_job(loop, &job));
    kin__loop_wake_waiters(loop);
    kin_loop_stop(loop);
    kin__timer_clear(loop, timer);
    ASSERT_FALSE(kin__timer_is_set(timer));
    ASSERT_OK(kin__watch(loop, watched, 0, &err));
    kin_loop_free(loop);
}

static void fork_and_free(kin_loop *loop, kin__watched *watched, kin__timer *timer)
{
    pid_t child = fork();
    ASSERT_TRUE(child >= 0);
    if (child == 0) {
        use_and_free_in_child(loop, watched, timer);
        _exit(0);
    }
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void watch_pipe(kin_loop *loop, kin__watched *watched, kin__timer *timer)
{
    kin_error err;
    ASSERT_OK(kin__watch(loop, watched, KIN__READABLE, &err));
    ASSERT_OK(kin__timer_set(loop, timer, INT64_MAX, &err));
}

TEST(loop, works_on_after_a_child_has_freed_it)
{
    kin_loop *loop = new_loop();
    int ends[2];
    task t = { .loop = loop };
    kin__timer timer = { 0 };
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    kin__watched watched = { .ready = ignore_ready, .context = &t, .fd = ends[0] };
    watch_pipe(loop, &watched, &timer);

    fork_and_free(loop, &watched, &timer);
    start(loop);
    fork_and_free(loop, &watched, &timer);

    (void) run_on(loop, NULL);
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    wait_for(&t);
    kin_loop_free(loop);
    (void) close(ends[0]);
    (void) close(ends[1]);
}

static void fork_from_inside(task *t)
{
    kin__watched watched = { 0 };
    kin__timer timer = { 0 };
    fork_and_free(t->loop, &watched, &timer);
}

/* With the lock as it is in the middle of a post, from a callback, and while somebody waits. */
TEST(loop, may_be_forked_at_any_moment)
{
    kin_loop *loop = new_loop();
    kin__watched watched = { 0 };
    kin__timer timer = { 0 };
    waiter w;
    start_waiter(&w, loop);
    await_runner(loop, KIN__RUN_BY_WAITER);

    kin__mutex_lock(&loop->lock);
    fork_and_free(loop, &watched, &timer);
    kin__mutex_unlock(&loop->lock);
    post(&w.task);
    join_waiter(&w);
    (void) run_on(loop, fork_from_inside);
    start(loop);
    (void) run_on(loop, fork_from_inside);

    kin_loop_free(loop);
}

TEST(loop, that_is_held_lives_until_it_is_let_go)
{
    kin_loop *loop = new_loop();
    task t = { .loop = loop };
    kin_error err;
    start(loop);
    kin__loop_hold(loop);
    kin__loop_hold(loop);
    kin__loop_let_go(loop);

    kin_loop_free(loop);

    post(&t); /* nobody runs it but who waits */
    ASSERT_OK(kin__loop_wait(loop, &t.is_done, &err));
    kin__loop_let_go(loop);
}

TEST(loop, is_not_waited_for_inside_a_change_of_a_store)
{
    kin_loop *loop = new_loop();
    kin_error err;
    start(loop);
    kin__inside_enter(KIN__INSIDE_CHANGE);

    ASSERT_ERR(kin__loop_check_wait(loop, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_loop_dispatch(loop, 0, &err), KIN_ERR_USAGE);
    kin_loop_stop(loop); /* and goes on */
    kin_loop_free(loop); /* not now */

    kin__inside_leave(KIN__INSIDE_CHANGE);
    ASSERT_OK(kin__loop_check_wait(loop, &err));
    kin_loop_free(loop);
}
