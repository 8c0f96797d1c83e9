/* SPDX-License-Identifier: Apache-2.0 */
/*
 * round.c - one round of a loop: wait, then descriptors, timers and jobs.
 *
 * Timers come after descriptors: after a long pause what has arrived meanwhile is read before
 * anybody's time is found to be up.  Jobs come last, because the others post them.
 *
 * The earliest timer is also that of timer_fd, so that the epoll descriptor is readable when it is
 * due, whoever polls it.  timer_fd is set where a round ends, and at once outside of one.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>

#include "base/error.h"
#include "base/log.h"
#include "net/loop_state.h"

#define NEVER_MS INT64_MAX

static kin_err add_own(kin_loop *loop, int *fd, kin_error *err);
static bool has_due_timer(const kin_loop *loop);
static void serve_descriptors(kin_loop *loop);
static void fire_timers(kin_loop *loop);
static void arm(kin_loop *loop);
static int control(kin_loop *loop, int operation, kin__watched *watched, unsigned wanted);
static void take_off(kin_loop *loop, kin__watched *watched);
static void drop_events(kin_loop *loop, const kin__watched *watched);
static uint32_t events_of(unsigned wanted);
static unsigned what_of(uint32_t events);

kin_err kin__round_prepare(kin_loop *loop, kin_error *err)
{
    loop->armed_ms = NEVER_MS;
    loop->now_ms = kin__clock_now_ms(loop->clock);
    if (add_own(loop, &loop->event_fd, err) != KIN_OK) {
        return err->code;
    }
    return add_own(loop, &loop->timer_fd, err);
}

kin_err kin__round_run(kin_loop *loop, int timeout_ms, kin_error *err)
{
    loop->now_ms = kin__clock_now_ms(loop->clock);
    int timeout = has_due_timer(loop) ? 0 : timeout_ms;
    int count = epoll_wait(loop->epoll_fd, loop->events, KIN__ROUND_EVENTS, timeout);
    if (count < 0 && errno != EINTR) {
        return kin__error_system(err, errno, "wait for descriptors");
    }
    loop->event_count = count < 0 ? 0 : count;
    loop->now_ms = kin__clock_now_ms(loop->clock);
    int64_t from_ns = loop->is_counting ? kin__clock_now_ns(loop->clock) : 0;
    serve_descriptors(loop);
    fire_timers(loop);
    kin__jobs_run(loop);
    arm(loop);
    if (loop->is_counting) {
        kin__histogram_observe(&loop->round_seconds, kin__clock_now_ns(loop->clock) - from_ns);
    }
    return KIN_OK;
}

int64_t kin__loop_now_ms(const kin_loop *loop)
{
    return loop->now_ms;
}

/*
 * A timer that is set to the past is set to now, behind all that are due already: this is what lets
 * fire_timers() tell them apart.
 */
kin_err kin__timer_set(kin_loop *loop, kin__timer *timer, int64_t due_ms, kin_error *err)
{
    if (kin__loop_is_forked(loop)) {
        return kin__loop_error_forked(err);
    }
    int64_t due = due_ms < loop->now_ms ? loop->now_ms : due_ms;
    if (kin__timer_is_set(timer)) {
        kin__heap_move(&loop->timers, &timer->node, due);
    } else if (kin__heap_push(&loop->timers, &timer->node, due, err) != KIN_OK) {
        return err->code;
    }
    if (!kin_loop_is_inside(loop)) {
        arm(loop);
    }
    return KIN_OK;
}

/* In a child the heap is left alone: another thread may have been at work on it. */
void kin__timer_clear(kin_loop *loop, kin__timer *timer)
{
    if (!kin__timer_is_set(timer)) {
        return;
    }
    if (kin__loop_is_forked(loop)) {
        timer->node.place = 0;
        return;
    }
    kin__heap_remove(&loop->timers, &timer->node);
}

kin_err kin__watch(kin_loop *loop, kin__watched *watched, unsigned wanted, kin_error *err)
{
    unsigned asked = wanted & (KIN__READABLE | KIN__WRITABLE);
    if (asked == 0) {
        take_off(loop, watched);
        return KIN_OK;
    }
    if (kin__loop_is_forked(loop)) {
        return kin__loop_error_forked(err);
    }
    if (asked == watched->wanted) {
        return KIN_OK;
    }
    int operation = watched->wanted == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    int number = control(loop, operation, watched, asked);
    if (number != 0) {
        return kin__error_system(err, number, "wait for descriptor %d", watched->fd);
    }
    watched->wanted = asked;
    return KIN_OK;
}

void kin__watch_forget(kin_loop *loop, kin__watched *watched)
{
    watched->wanted = 0;
    if (!kin__loop_is_forked(loop)) {
        drop_events(loop, watched);
    }
}

static kin_err add_own(kin_loop *loop, int *fd, kin_error *err)
{
    struct epoll_event event = { .events = EPOLLIN, .data = { .ptr = fd } };
    if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, *fd, &event) != 0) {
        return kin__error_system(err, errno, "make a loop");
    }
    return KIN_OK;
}

static bool has_due_timer(const kin_loop *loop)
{
    const kin__heap_node *first = kin__heap_get_first(&loop->timers);
    return first != NULL && first->due <= loop->now_ms;
}

/* A callback may take off any descriptor: its place is then empty, or what is left of its wishes
 * counts. */
static void serve_descriptors(kin_loop *loop)
{
    for (int i = 0; i < loop->event_count; i++) {
        void *pointer = loop->events[i].data.ptr;
        if (pointer == NULL || pointer == &loop->event_fd || pointer == &loop->timer_fd) {
            continue;
        }
        kin__watched *watched = pointer;
        unsigned what = what_of(loop->events[i].events) & (watched->wanted | KIN__BROKEN);
        if (what != 0) {
            watched->ready(watched, what, watched->context);
        }
    }
    loop->event_count = 0;
}

/*
 * Those that are set while this runs are due now or later and have a higher order than those that
 * were due before, so they come last: the first of them ends it.
 */
static void fire_timers(kin_loop *loop)
{
    uint64_t limit = loop->timers.next_order;
    while (has_due_timer(loop) && kin__heap_get_first(&loop->timers)->order < limit) {
        kin__timer *timer = (kin__timer *) kin__heap_pop(&loop->timers);
        timer->fire(timer, timer->context);
    }
}

/* Setting it makes it unreadable until the new time comes.  Once it has come, the timer it stood
 * for has fired: whatever is the first now is another time, or due as well. */
static void arm(kin_loop *loop)
{
    const kin__heap_node *first = kin__heap_get_first(&loop->timers);
    int64_t due_ms = first == NULL || !loop->has_real_clock ? NEVER_MS : first->due;
    if (due_ms == loop->armed_ms) {
        return;
    }
    struct itimerspec when = { 0 };
    if (due_ms != NEVER_MS) {
        when.it_value.tv_sec = (time_t) (due_ms / 1000);
        when.it_value.tv_nsec = (long) (due_ms % 1000) * 1000000;
        if (due_ms == 0) {
            when.it_value.tv_nsec = 1; /* zero would switch it off */
        }
    }
    if (timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &when, NULL) != 0) {
        kin__log(&loop->logger, KIN_LOG_ERROR, "loop",
                 "timers will be late: error %d of the system", errno);
        return;
    }
    loop->armed_ms = due_ms;
}

/* The errno, or 0.  A descriptor that was closed and made anew under the same number is one that
 * epoll has forgotten. */
static int control(kin_loop *loop, int operation, kin__watched *watched, unsigned wanted)
{
    struct epoll_event event = { .events = events_of(wanted), .data = { .ptr = watched } };
    if (epoll_ctl(loop->epoll_fd, operation, watched->fd, &event) == 0) {
        return 0;
    }
    if (operation == EPOLL_CTL_MOD && errno == ENOENT &&
        epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, watched->fd, &event) == 0) {
        return 0;
    }
    return errno;
}

/*
 * Deleting fails only where nothing is left to delete.  In a child it would take the descriptor off
 * the parent's loop: epoll's set is shared.
 */
static void take_off(kin_loop *loop, kin__watched *watched)
{
    if (watched->wanted == 0) {
        return;
    }
    watched->wanted = 0;
    if (kin__loop_is_forked(loop)) {
        return;
    }
    (void) epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watched->fd, NULL);
    drop_events(loop, watched);
}

/* What was seen of it in this round. */
static void drop_events(kin_loop *loop, const kin__watched *watched)
{
    for (int i = 0; i < loop->event_count; i++) {
        if (loop->events[i].data.ptr == watched) {
            loop->events[i].data.ptr = NULL;
        }
    }
}

static uint32_t events_of(unsigned wanted)
{
    return ((wanted & KIN__READABLE) != 0 ? EPOLLIN : 0u) |
           ((wanted & KIN__WRITABLE) != 0 ? EPOLLOUT : 0u);
}

static unsigned what_of(uint32_t events)
{
    return ((events & EPOLLIN) != 0 ? (unsigned) KIN__READABLE : 0u) |
           ((events & EPOLLOUT) != 0 ? (unsigned) KIN__WRITABLE : 0u) |
           ((events & (EPOLLERR | EPOLLHUP)) != 0 ? (unsigned) KIN__BROKEN : 0u);
}
