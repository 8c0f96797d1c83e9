/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - errands of a loop's own thread, and the one that stands in for it.
 *
 * The guard waits at an epoll descriptor of its own, in which the loop's is: switched on, once,
 * when the own thread leaves, and off when it is back.  Between these the loop's events wake nobody
 * but the own thread.  To switch is a call of the system, but wakes nobody.
 *
 *     own thread   on the loop ──► away ──► on the loop, or home until the guard gives it back
 *     guard        standing ──► on the loop, when something comes while the other is away
 *
 * A loop whose thread is away counts as claimed: nobody else begins to run it.
 */
#include "net/guard.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "net/loop_state.h"

static void leave(kin_loop *loop) EXCLUDES(loop->lock);
static void come_back(kin_loop *loop) EXCLUDES(loop->lock);
static bool may_stand_locked(kin_loop *loop) REQUIRES(loop->lock);
static bool open_post_locked(kin_loop *loop) REQUIRES(loop->lock);
static bool add_to_post(kin_loop *loop, int fd, uint32_t events);
static bool stays_locked(const kin_loop *loop) REQUIRES(loop->lock);
static bool await_news(kin_loop *loop);
static void stand_in_locked(kin_loop *loop) REQUIRES(loop->lock);
static void heed_loop_locked(kin_loop *loop, bool is_heeded) REQUIRES(loop->lock);
static void hush_locked(kin_loop *loop) REQUIRES(loop->lock);

bool kin__loop_send(kin_loop *loop, const kin__errand *errand)
{
    if (kin__loop_is_forked(loop) || !kin__loop_is_own_thread(loop) || loop->errand.run != NULL) {
        return false;
    }
    kin__mutex_lock(&loop->lock);
    if (loop->has_guard && !loop->is_dismissed && !loop->is_stopping) {
        loop->errand = *errand;
        loop->is_away = true; /* as good as */
    }
    kin__mutex_unlock(&loop->lock);
    return loop->errand.run != NULL;
}

void kin__loop_run_errands(kin_loop *loop)
{
    if (loop->errand.run == NULL) {
        return;
    }
    leave(loop);
    while (loop->errand.run != NULL) { /* each may send the thread on another */
        kin__errand errand = loop->errand;
        loop->errand = (kin__errand){ 0 };
        errand.run(errand.context);
    }
    come_back(loop);
}

bool kin__loop_is_own_thread(const kin_loop *loop)
{
    return atomic_load_explicit(&loop->own_thread, memory_order_relaxed) == kin__thread_mark();
}

bool kin__loop_stand_guard(kin_loop *loop)
{
    if (kin__loop_is_forked(loop)) {
        return false;
    }
    kin__mutex_lock(&loop->lock);
    if (may_stand_locked(loop)) {
        loop->has_guard = true;
        while (stays_locked(loop)) {
            kin__mutex_unlock(&loop->lock);
            bool has_news = await_news(loop);
            kin__mutex_lock(&loop->lock);
            hush_locked(loop);
            if (has_news && loop->is_away && loop->runner == KIN__RUN_BY_NOBODY) {
                stand_in_locked(loop);
            }
        }
        loop->has_guard = false;
    }
    bool was_dismissed = loop->is_dismissed;
    loop->is_dismissed = false;
    kin__mutex_unlock(&loop->lock);
    return was_dismissed;
}

bool kin__loop_dismiss_guard(kin_loop *loop)
{
    if (kin__loop_is_forked(loop)) {
        return true;
    }
    kin__mutex_lock(&loop->lock);
    loop->is_dismissed = true;
    bool is_spared = !loop->is_away;
    if (is_spared) {
        kin__loop_call_guard_locked(loop);
    }
    kin__mutex_unlock(&loop->lock);
    return is_spared;
}

/* Where it runs the loop itself it hears of it in its next round, as everybody. */
void kin__loop_call_guard_locked(kin_loop *loop)
{
    uint64_t one = 1;

    if (!loop->has_guard) {
        return;
    }
    if (loop->runner == KIN__RUN_BY_GUARD) {
        if (!kin_loop_is_inside(loop)) {
            kin__loop_wake_locked(loop);
        }
    } else if (!loop->is_guard_called) {
        loop->is_guard_called = write(loop->call_fd, &one, sizeof one) == (ssize_t) sizeof one;
    }
}

static void leave(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    kin__loop_put_down_locked(loop);
    loop->claims++;
    heed_loop_locked(loop, true);
    kin__mutex_unlock(&loop->lock);
}

static void come_back(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    loop->is_away = false;
    if (loop->is_stopping || loop->is_dismissed) {
        kin__loop_call_guard_locked(loop); /* it had to stay until now */
    }
    while (loop->runner != KIN__RUN_BY_NOBODY) {
        kin__cond_wait(&loop->changed, &loop->lock);
    }
    heed_loop_locked(loop, false);
    loop->claims--;
    kin__loop_take_locked(loop, KIN__RUN_BY_THREAD);
    kin__mutex_unlock(&loop->lock);
}

static bool may_stand_locked(kin_loop *loop)
{
    return !loop->has_guard && stays_locked(loop) && open_post_locked(loop);
}

/* The descriptors stay as long as the loop. */
static bool open_post_locked(kin_loop *loop)
{
    if (loop->post_fd >= 0) {
        return true;
    }
    loop->post_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->call_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->post_fd >= 0 && loop->call_fd >= 0 && add_to_post(loop, loop->call_fd, EPOLLIN) &&
        add_to_post(loop, loop->epoll_fd, EPOLLONESHOT)) {
        return true;
    }
    kin__loop_close_post(loop);
    return false;
}

void kin__loop_close_post(kin_loop *loop)
{
    int *fds[] = { &loop->post_fd, &loop->call_fd };

    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (*fds[i] >= 0) {
            (void) close(*fds[i]);
        }
        *fds[i] = -1;
    }
}

static bool add_to_post(kin_loop *loop, int fd, uint32_t events)
{
    struct epoll_event event = { .events = events, .data = { .fd = fd } };
    return epoll_ctl(loop->post_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool stays_locked(const kin_loop *loop)
{
    return loop->is_away || (loop->has_thread && !loop->is_stopping && !loop->is_dismissed);
}

/* Whether there is something to do on the loop, and not just a call. */
static bool await_news(kin_loop *loop)
{
    struct epoll_event event;
    int count = epoll_wait(loop->post_fd, &event, 1, -1);

    return count < 0 ? errno != EINTR : event.data.fd == loop->epoll_fd;
}

/* Until the loop's own thread is home, which waits until a round has ended: nobody is woken for
 * it before there is something to do. */
static void stand_in_locked(kin_loop *loop)
{
    kin_err code = KIN_OK;
    kin_error err;

    kin__loop_take_locked(loop, KIN__RUN_BY_GUARD);
    while (code == KIN_OK && loop->is_away) {
        kin__mutex_unlock(&loop->lock);
        code = kin__round_run(loop, -1, &err);
        kin__mutex_lock(&loop->lock);
    }
    kin__loop_give_back_locked(loop);
}

/* Once it has been seen it is off by itself. */
static void heed_loop_locked(kin_loop *loop, bool is_heeded)
{
    struct epoll_event event = { .events = (is_heeded ? EPOLLIN : 0u) | EPOLLONESHOT,
                                 .data = { .fd = loop->epoll_fd } };
    (void) epoll_ctl(loop->post_fd, EPOLL_CTL_MOD, loop->epoll_fd, &event);
}

/* A call that has been heard. */
static void hush_locked(kin_loop *loop)
{
    uint64_t count;

    if (loop->is_guard_called) {
        (void) !read(loop->call_fd, &count, sizeof count);
        loop->is_guard_called = false;
    }
}
