/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c - a loop's life, and who runs it.
 *
 * Whoever runs rounds has taken the loop: a thread of its own for as long as that lives,
 * kin_loop_dispatch() for one round, a thread in kin__loop_wait() for as many as it takes.  The
 * last gives way: a thread that claims the loop gets it after the current round, and the waiter
 * goes on waiting.  All of this is told through `changed`.  A loop's own thread may be away for a
 * while, and a guard in its place (guard.c).
 *
 * After a fork the child has none of the threads, and locks in an unknown state.  So each function
 * looks at the process first, and in a child locks nothing.
 */
#include "net/loop.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/inside.h"
#include "base/log.h"
#include "base/options.h"
#include "net/loop_state.h"
#include "net/sigpipe.h"

static kin_err open_descriptors(kin_loop *loop, kin_error *err);
static kin_err count_into(kin_loop *loop, kin_metrics *metrics, kin_error *err);
static void close_descriptors(kin_loop *loop);
static void free_in_child(kin_loop *loop);
static void release(kin_loop *loop);
static bool is_let_go(kin_loop *loop) EXCLUDES(loop->lock);
static void run_thread(void *context);
static void await_waiter_locked(kin_loop *loop) REQUIRES(loop->lock);
static void await_ended_thread_locked(kin_loop *loop) REQUIRES(loop->lock);
static void join_locked(kin_loop *loop) REQUIRES(loop->lock);
static bool is_stopping(kin_loop *loop) EXCLUDES(loop->lock);
static bool is_claimed(kin_loop *loop) EXCLUDES(loop->lock);
static kin_err drive(kin_loop *loop, const _Atomic bool *done, kin_error *err) EXCLUDES(loop->lock);
static bool may_wait_for(const kin_loop *loop);
static kin_err error_running(kin_error *err);
static kin_err error_changing(kin_error *err);

kin_err kin_loop_new(const kin_loop_options *options, kin_loop **out, kin_error *err)
{
    kin_error unwanted;
    return kin__loop_new_with_clock(options, kin__clock_real(), out, kin__error_or(err, &unwanted));
}

kin_err kin__loop_new_with_clock(const kin_loop_options *options, const kin__clock *clock,
                                 kin_loop **out, kin_error *err)
{
    kin_loop_options ours;
    if (kin__options_read(&ours, sizeof ours, options, "kin_loop_options", err) != KIN_OK) {
        return err->code;
    }
    kin_loop *loop = kin__alloc_zero(1, sizeof *loop);
    if (loop == NULL) {
        return kin__error_no_memory(err);
    }
    loop->logger = ours.logger;
    loop->clock = clock;
    loop->has_real_clock = clock == kin__clock_real();
    loop->pid = getpid();
    loop->post_fd = loop->call_fd = -1;
    atomic_init(&loop->inside, NULL);
    atomic_init(&loop->own_thread, NULL);
    if (open_descriptors(loop, err) != KIN_OK || kin__round_prepare(loop, err) != KIN_OK ||
        count_into(loop, ours.metrics, err) != KIN_OK) {
        close_descriptors(loop);
        kin__free(loop);
        return err->code;
    }
    kin__mutex_init(&loop->lock);
    kin__cond_init(&loop->changed);
    *out = loop;
    return KIN_OK;
}

void kin_loop_free(kin_loop *loop)
{
    if (loop == NULL) {
        return;
    }
    if (kin__loop_is_forked(loop)) {
        free_in_child(loop);
        return;
    }
    if (!may_wait_for(loop)) {
        kin__log(&loop->logger, KIN_LOG_ERROR, "loop", "not freed: the call came from %s",
                 kin_loop_is_inside(loop)           ? "the loop"
                 : kin__loop_is_own_thread(loop)    ? "a handler that its thread has called"
                 : kin__inside_is(KIN__INSIDE_LOOP) ? "another loop"
                                                    : "inside a change of a store");
        return;
    }
    kin_loop_stop(loop);
    if (is_let_go(loop)) {
        release(loop);
    }
}

kin_err kin_loop_start(kin_loop *loop, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);

    if (kin__loop_is_forked(loop)) {
        return kin__loop_error_forked(err);
    }
    if (kin_loop_is_inside(loop)) {
        return error_running(err);
    }
    kin__mutex_lock(&loop->lock);
    if (may_wait_for(loop)) {
        await_ended_thread_locked(loop);
    }
    kin_err code = KIN_OK;
    if (loop->has_thread || loop->runner == KIN__RUN_BY_DISPATCH) {
        code = error_running(err);
    } else {
        code = kin__thread_start(&loop->thread, "kin-loop", run_thread, loop, err);
    }
    if (code == KIN_OK) {
        loop->has_thread = true;
        loop->is_stopping = false;
        loop->claims++; /* for the thread: from now on no waiter begins to run the loop */
    }
    kin__mutex_unlock(&loop->lock);
    return code;
}

void kin_loop_stop(kin_loop *loop)
{
    if (kin__loop_is_forked(loop)) {
        return;
    }
    kin__mutex_lock(&loop->lock);
    if (loop->has_thread) {
        loop->is_stopping = true;
        kin__loop_wake_locked(loop);
        kin__loop_call_guard_locked(loop);
        kin__cond_broadcast(&loop->changed);
        if (may_wait_for(loop)) {
            join_locked(loop);
        }
    }
    kin__mutex_unlock(&loop->lock);
}

int kin_loop_fd(const kin_loop *loop)
{
    return kin__loop_is_forked(loop) ? -1 : loop->epoll_fd;
}

kin_err kin_loop_dispatch(kin_loop *loop, int timeout_ms, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);

    if (kin__loop_is_forked(loop)) {
        return kin__loop_error_forked(err);
    }
    if (kin_loop_is_inside(loop)) {
        return error_running(err);
    }
    if (kin__inside_is(KIN__INSIDE_CHANGE)) {
        return error_changing(err);
    }
    kin__mutex_lock(&loop->lock);
    if (may_wait_for(loop)) {
        await_ended_thread_locked(loop);
        loop->claims++;
        await_waiter_locked(loop);
        loop->claims--;
    }
    if (loop->has_thread || loop->runner != KIN__RUN_BY_NOBODY) {
        kin__mutex_unlock(&loop->lock);
        return error_running(err);
    }
    kin__loop_take_locked(loop, KIN__RUN_BY_DISPATCH);
    kin__mutex_unlock(&loop->lock);

    kin__sigpipe before;
    kin__sigpipe_block(&before);
    kin_err code = kin__round_run(loop, timeout_ms, err);
    kin__sigpipe_restore(&before);

    kin__mutex_lock(&loop->lock);
    kin__loop_give_back_locked(loop);
    kin__mutex_unlock(&loop->lock);
    return code;
}

bool kin_loop_is_inside(const kin_loop *loop)
{
    return atomic_load_explicit(&loop->inside, memory_order_relaxed) == kin__thread_mark() &&
           !kin__loop_is_forked(loop);
}

const kin__clock *kin__loop_clock(const kin_loop *loop)
{
    return loop->clock;
}

const kin_logger *kin__loop_logger(const kin_loop *loop)
{
    return &loop->logger;
}

bool kin__loop_is_forked(const kin_loop *loop)
{
    return getpid() != loop->pid;
}

kin_err kin__loop_check_wait(const kin_loop *loop, kin_error *err)
{
    if (kin__loop_is_forked(loop)) {
        return kin__loop_error_forked(err);
    }
    if (kin__inside_is(KIN__INSIDE_LOOP)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              kin_loop_is_inside(loop) ? "the loop cannot wait for itself"
                                                       : "a loop does not wait for another");
    }
    return kin__inside_is(KIN__INSIDE_CHANGE) ? error_changing(err) : KIN_OK;
}

kin_err kin__loop_wait(kin_loop *loop, const _Atomic bool *done, kin_error *err)
{
    kin_err code = kin__loop_check_wait(loop, err);
    if (code != KIN_OK) {
        return code;
    }
    kin__mutex_lock(&loop->lock);
    while (code == KIN_OK && !atomic_load(done)) {
        if (loop->runner != KIN__RUN_BY_NOBODY || loop->claims > 0) {
            kin__cond_wait(&loop->changed, &loop->lock);
            continue;
        }
        kin__loop_take_locked(loop, KIN__RUN_BY_WAITER);
        kin__mutex_unlock(&loop->lock);
        code = drive(loop, done, err);
        kin__mutex_lock(&loop->lock);
        kin__loop_give_back_locked(loop);
    }
    kin__mutex_unlock(&loop->lock);
    return code;
}

/* With the lock: a waiter that has just looked is asleep by now. */
void kin__loop_wake_waiters(kin_loop *loop)
{
    if (kin__loop_is_forked(loop)) {
        return;
    }
    kin__mutex_lock(&loop->lock);
    kin__cond_broadcast(&loop->changed);
    kin__mutex_unlock(&loop->lock);
}

void kin__loop_hold(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    loop->holders++;
    kin__mutex_unlock(&loop->lock);
}

void kin__loop_let_go(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    bool is_last = --loop->holders == 0 && loop->is_freed;
    kin__mutex_unlock(&loop->lock);
    if (is_last) {
        release(loop);
    }
}

void kin__loop_take_locked(kin_loop *loop, kin__runner runner)
{
    loop->runner = runner;
    atomic_store_explicit(&loop->inside, kin__thread_mark(), memory_order_relaxed);
    kin__inside_enter(KIN__INSIDE_LOOP);
}

void kin__loop_put_down_locked(kin_loop *loop)
{
    loop->runner = KIN__RUN_BY_NOBODY;
    atomic_store_explicit(&loop->inside, NULL, memory_order_relaxed);
    kin__inside_leave(KIN__INSIDE_LOOP);
}

void kin__loop_give_back_locked(kin_loop *loop)
{
    kin__loop_put_down_locked(loop);
    kin__cond_broadcast(&loop->changed);
}

const void *kin__thread_mark(void)
{
    static _Thread_local char mark;
    return &mark;
}

kin_err kin__loop_error_forked(kin_error *err)
{
    return kin__error_set(err, KIN_ERR_USAGE,
                          "a loop works only in the process that made it, not after a fork");
}

static kin_err open_descriptors(kin_loop *loop, kin_error *err)
{
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int number = errno;
    loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (loop->epoll_fd >= 0 && loop->event_fd >= 0 && loop->timer_fd >= 0) {
        return KIN_OK;
    }
    return kin__error_system(err, loop->timer_fd < 0 ? errno : number, "make a loop");
}

/* From 10 microseconds, which is an event or two, to a function that waits. */
static kin_err count_into(kin_loop *loop, kin_metrics *metrics, kin_error *err)
{
    static const int64_t bounds[] = { 10000, 100000, 1000000, 10000000, 100000000, 1000000000 };
    const kin__metric rounds = {
        .name = "kin_loop_round_duration_seconds",
        .help = "How long the rounds of a loop take: all that runs on it waits for them.",
        .unit = KIN__UNIT_SECONDS,
        .bounds = bounds,
        .bound_count = sizeof bounds / sizeof bounds[0],
    };

    loop->is_counting = metrics != NULL;
    return kin__histogram_init(&loop->round_seconds, metrics, &rounds, err);
}

static void close_descriptors(kin_loop *loop)
{
    kin__loop_close_post(loop);
    int fds[] = { loop->epoll_fd, loop->event_fd, loop->timer_fd };
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (fds[i] >= 0) {
            (void) close(fds[i]);
        }
    }
}

/*
 * Closing our copies of the descriptors leaves the parent's as they are.  Where another thread was
 * running the loop its timers may be half changed, and jobs may be half posted at any time: that
 * memory stays until the child ends.  So do the locks, which others may seem to hold.
 */
static void free_in_child(kin_loop *loop)
{
    const void *inside = atomic_load_explicit(&loop->inside, memory_order_relaxed);
    if (inside == NULL || inside == kin__thread_mark()) {
        kin__heap_fini(&loop->timers);
    }
    close_descriptors(loop);
    kin__free(loop);
}

/* No thread runs it. */
static void release(kin_loop *loop)
{
    kin__jobs_drop(loop);
    kin__heap_fini(&loop->timers);
    kin__histogram_fini(&loop->round_seconds);
    close_descriptors(loop);
    kin__cond_fini(&loop->changed);
    kin__mutex_fini(&loop->lock);
    kin__free(loop);
}

/* Else the last holder frees it. */
static bool is_let_go(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    loop->is_freed = loop->holders > 0;
    bool is = !loop->is_freed;
    kin__mutex_unlock(&loop->lock);
    return is;
}

static void run_thread(void *context)
{
    kin_loop *loop = context;
    kin_error err;

    kin__mutex_lock(&loop->lock);
    await_waiter_locked(loop);
    loop->claims--;
    kin__loop_take_locked(loop, KIN__RUN_BY_THREAD);
    kin__mutex_unlock(&loop->lock);
    atomic_store_explicit(&loop->own_thread, kin__thread_mark(), memory_order_relaxed);
    while (!is_stopping(loop)) {
        if (kin__round_run(loop, -1, &err) != KIN_OK) {
            kin__log(&loop->logger, KIN_LOG_ERROR, "loop", "the thread ends: %s", err.message);
            break;
        }
        kin__loop_run_errands(loop);
    }
    atomic_store_explicit(&loop->own_thread, NULL, memory_order_relaxed);
    kin__mutex_lock(&loop->lock);
    kin__loop_give_back_locked(loop);
    kin__mutex_unlock(&loop->lock);
}

/* Runs rounds on a thread of the program. */
static kin_err drive(kin_loop *loop, const _Atomic bool *done, kin_error *err)
{
    kin_err code = KIN_OK;
    kin__sigpipe before;

    kin__sigpipe_block(&before);
    while (code == KIN_OK && !atomic_load(done) && !is_claimed(loop)) {
        code = kin__round_run(loop, -1, err);
    }
    kin__sigpipe_restore(&before);
    return code;
}

/* With a claim.  Returns when no waiter runs the loop. */
static void await_waiter_locked(kin_loop *loop)
{
    while (loop->runner == KIN__RUN_BY_WAITER) {
        kin__loop_wake_locked(loop);
        kin__cond_wait(&loop->changed, &loop->lock);
    }
}

/* One that was stopped from the loop itself has nobody who waited for it. */
static void await_ended_thread_locked(kin_loop *loop)
{
    while (loop->has_thread && loop->is_stopping) {
        join_locked(loop);
    }
}

/* One joins, the others wait for it to have joined. */
static void join_locked(kin_loop *loop)
{
    if (loop->is_joining) {
        while (loop->is_joining) {
            kin__cond_wait(&loop->changed, &loop->lock);
        }
        return;
    }
    loop->is_joining = true;
    kin__mutex_unlock(&loop->lock);
    kin__thread_join(&loop->thread);
    kin__mutex_lock(&loop->lock);
    loop->is_joining = false;
    loop->has_thread = false;
    loop->is_stopping = false;
    kin__cond_broadcast(&loop->changed);
}

static bool is_stopping(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    bool is = loop->is_stopping;
    kin__mutex_unlock(&loop->lock);
    return is;
}

static bool is_claimed(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    bool is = loop->claims > 0;
    kin__mutex_unlock(&loop->lock);
    return is;
}

/* Two loops that wait for each other would do so for ever, so none may wait; nor who changes a
 * store, which a loop may wait for; nor a thread for itself. */
static bool may_wait_for(const kin_loop *loop)
{
    return !kin__inside_is(KIN__INSIDE_LOOP) && !kin__inside_is(KIN__INSIDE_CHANGE) &&
           !kin__loop_is_own_thread(loop);
}

static kin_err error_running(kin_error *err)
{
    return kin__error_set(err, KIN_ERR_USAGE, "the loop is running already");
}

static kin_err error_changing(kin_error *err)
{
    return kin__error_set(err, KIN_ERR_USAGE,
                          "not from inside a change of a store, which the loop may wait for");
}
