/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_test.c - one at a time, and waiting for one another.
 */
#include "base/lock.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "support/test.h"

#define THREAD_COUNT 4
#define ROUND_COUNT 20000

typedef struct shared {
    kin__mutex lock;
    kin__cond has_changed;
    int count GUARDED_BY(lock);
    bool is_open GUARDED_BY(lock);
} shared;

static void shared_init(shared *s)
{
    *s = (shared){ 0 };
    kin__mutex_init(&s->lock);
    kin__cond_init(&s->has_changed);
}

static void shared_fini(shared *s)
{
    kin__cond_fini(&s->has_changed);
    kin__mutex_fini(&s->lock);
}

static int count_of(shared *s)
{
    kin__mutex_lock(&s->lock);
    int count = s->count;
    kin__mutex_unlock(&s->lock);
    return count;
}

static void start(kin__thread *threads, size_t count, void (*run)(void *context), shared *s)
{
    kin_error err;
    for (size_t i = 0; i < count; i++) {
        ASSERT_OK(kin__thread_start(&threads[i], "test", run, s, &err));
    }
}

static void join(kin__thread *threads, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        kin__thread_join(&threads[i]);
    }
}

static void count_up(void *context)
{
    shared *s = context;
    for (int i = 0; i < ROUND_COUNT; i++) {
        kin__mutex_lock(&s->lock);
        s->count++;
        kin__mutex_unlock(&s->lock);
    }
}

TEST(mutex, lets_one_in_at_a_time)
{
    shared s;
    shared_init(&s);
    kin__thread threads[THREAD_COUNT];

    start(threads, THREAD_COUNT, count_up, &s);
    join(threads, THREAD_COUNT);

    ASSERT_EQ(count_of(&s), THREAD_COUNT * ROUND_COUNT);
    shared_fini(&s);
}

/* Counts itself as arrived, waits for the gate, counts itself again. */
static void pass_gate(void *context)
{
    shared *s = context;
    kin__mutex_lock(&s->lock);
    s->count++;
    kin__cond_broadcast(&s->has_changed);
    while (!s->is_open) {
        kin__cond_wait(&s->has_changed, &s->lock);
    }
    s->count++;
    kin__mutex_unlock(&s->lock);
}

TEST(cond, wakes_all_who_wait)
{
    shared s;
    shared_init(&s);
    kin__thread threads[THREAD_COUNT];

    start(threads, THREAD_COUNT, pass_gate, &s);
    kin__mutex_lock(&s.lock);
    while (s.count < THREAD_COUNT) {
        kin__cond_wait(&s.has_changed, &s.lock);
    }
    s.is_open = true;
    kin__cond_broadcast(&s.has_changed);
    kin__mutex_unlock(&s.lock);
    join(threads, THREAD_COUNT);

    ASSERT_EQ(count_of(&s), 2 * THREAD_COUNT);
    shared_fini(&s);
}

static void open_gate(void *context)
{
    shared *s = context;
    kin__mutex_lock(&s->lock);
    s->is_open = true;
    kin__cond_signal(&s->has_changed);
    kin__mutex_unlock(&s->lock);
}

TEST(cond, is_woken_before_the_deadline)
{
    shared s;
    shared_init(&s);
    kin__thread thread;
    int64_t deadline_ms = kin__clock_now_ms(kin__clock_real()) + 3600 * 1000;
    bool is_in_time = true;

    kin__mutex_lock(&s.lock);
    start(&thread, 1, open_gate, &s);
    while (!s.is_open && is_in_time) {
        is_in_time = kin__cond_wait_until(&s.has_changed, &s.lock, deadline_ms);
    }
    kin__mutex_unlock(&s.lock);
    join(&thread, 1);

    ASSERT_TRUE(is_in_time);
    shared_fini(&s);
}

TEST(cond, gives_up_at_the_deadline_and_not_before)
{
    shared s;
    shared_init(&s);
    const kin__clock *clock = kin__clock_real();
    int64_t deadline_ms = kin__clock_now_ms(clock) + 5;
    bool is_in_time = true;

    kin__mutex_lock(&s.lock);
    while (is_in_time) {
        is_in_time = kin__cond_wait_until(&s.has_changed, &s.lock, deadline_ms);
    }
    kin__mutex_unlock(&s.lock);

    ASSERT_TRUE(kin__clock_now_ms(clock) >= deadline_ms);
    shared_fini(&s);
}

TEST(cond, gives_up_at_once_when_the_deadline_is_long_past)
{
    shared s;
    shared_init(&s);

    kin__mutex_lock(&s.lock);
    ASSERT_FALSE(kin__cond_wait_until(&s.has_changed, &s.lock, 0));
    ASSERT_FALSE(kin__cond_wait_until(&s.has_changed, &s.lock, -1));
    ASSERT_FALSE(kin__cond_wait_until(&s.has_changed, &s.lock, INT64_MIN));
    kin__mutex_unlock(&s.lock);

    shared_fini(&s);
}

/* Whoever has no deadline may say so with the latest one there is. */
TEST(cond, takes_the_latest_deadline_there_is)
{
    shared s;
    shared_init(&s);
    kin__thread thread;
    bool is_in_time = true;

    kin__mutex_lock(&s.lock);
    start(&thread, 1, open_gate, &s);
    while (!s.is_open && is_in_time) {
        is_in_time = kin__cond_wait_until(&s.has_changed, &s.lock, INT64_MAX);
    }
    kin__mutex_unlock(&s.lock);
    join(&thread, 1);

    ASSERT_TRUE(is_in_time);
    shared_fini(&s);
}

#ifndef NDEBUG
/* The signal that ended a process which did `mistake`; 0 when it survived. */
static int signal_of(void (*mistake)(kin__mutex *mutex))
{
    pid_t child = fork();
    ASSERT_TRUE(child >= 0);
    if (child == 0) {
        struct rlimit no_core = { 0, 0 };
        (void) setrlimit(RLIMIT_CORE, &no_core);
        (void) signal(SIGABRT, SIG_DFL);
        kin__mutex mutex;
        kin__mutex_init(&mutex);
        mistake(&mutex);
        _exit(0);
    }
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

UNCHECKED_LOCKS static void lock_twice(kin__mutex *mutex)
{
    kin__mutex_lock(mutex);
    kin__mutex_lock(mutex);
}

UNCHECKED_LOCKS static void unlock_only(kin__mutex *mutex)
{
    kin__mutex_unlock(mutex);
}

TEST(mutex, ends_the_process_on_a_mistake_in_a_debug_build)
{
    ASSERT_EQ(signal_of(lock_twice), SIGABRT);
    ASSERT_EQ(signal_of(unlock_only), SIGABRT);
}
#endif
