/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.c - mutexes and condition variables on those of POSIX threads.
 *
 * Every call has a result that can only tell of a mistake of ours: asserted, then ignored.
 */
#include "base/lock.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

#ifdef NDEBUG
#define MUTEX_TYPE PTHREAD_MUTEX_NORMAL
#else
#define MUTEX_TYPE PTHREAD_MUTEX_ERRORCHECK
#endif

static void expect_zero(int result);

void kin__mutex_init(kin__mutex *mutex)
{
    pthread_mutexattr_t attributes;

    expect_zero(pthread_mutexattr_init(&attributes));
    expect_zero(pthread_mutexattr_settype(&attributes, MUTEX_TYPE));
    expect_zero(pthread_mutex_init(&mutex->os, &attributes));
    expect_zero(pthread_mutexattr_destroy(&attributes));
}

void kin__mutex_fini(kin__mutex *mutex)
{
    expect_zero(pthread_mutex_destroy(&mutex->os));
}

UNCHECKED_LOCKS void kin__mutex_lock(kin__mutex *mutex)
{
    expect_zero(pthread_mutex_lock(&mutex->os));
}

UNCHECKED_LOCKS void kin__mutex_unlock(kin__mutex *mutex)
{
    expect_zero(pthread_mutex_unlock(&mutex->os));
}

/* Deadlines on the monotonic clock: setting the date neither wakes nor delays anybody. */
void kin__cond_init(kin__cond *cond)
{
    pthread_condattr_t attributes;

    expect_zero(pthread_condattr_init(&attributes));
    expect_zero(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
    expect_zero(pthread_cond_init(&cond->os, &attributes));
    expect_zero(pthread_condattr_destroy(&attributes));
}

void kin__cond_fini(kin__cond *cond)
{
    expect_zero(pthread_cond_destroy(&cond->os));
}

void kin__cond_signal(kin__cond *cond)
{
    expect_zero(pthread_cond_signal(&cond->os));
}

void kin__cond_broadcast(kin__cond *cond)
{
    expect_zero(pthread_cond_broadcast(&cond->os));
}

void kin__cond_wait(kin__cond *cond, kin__mutex *mutex)
{
    expect_zero(pthread_cond_wait(&cond->os, &mutex->os));
}

bool kin__cond_wait_until(kin__cond *cond, kin__mutex *mutex, int64_t deadline_ms)
{
    int64_t since_start = deadline_ms < 0 ? 0 : deadline_ms;
    struct timespec deadline = {
        .tv_sec = (time_t) (since_start / 1000),
        .tv_nsec = (long) (since_start % 1000) * 1000000,
    };
    int result = pthread_cond_timedwait(&cond->os, &mutex->os, &deadline);
    if (result == ETIMEDOUT) {
        return false;
    }
    expect_zero(result);
    return true;
}

static void expect_zero(int result)
{
    assert(result == 0);
    (void) result;
}
