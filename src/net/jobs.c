/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs.c - calls from other threads: a list, and an eventfd that is readable while it is news.
 *
 * A job is taken off before it runs, so it may post itself again or go away.  Each has a number; a
 * round runs those with a number below the next one when it comes to them, so jobs that post jobs
 * hold up nothing else.  What the loop itself posts is run by the same round, or known to be left
 * over at its end: nobody has to be woken.
 */
#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "net/loop_state.h"

/* A job of kin_loop_post(). */
typedef struct post {
    kin__job job; /* first */
    void (*fn)(void *context);
    void *context;
} post;

static uint64_t begin(kin_loop *loop) EXCLUDES(loop->lock);
static kin__job *take_below(kin_loop *loop, uint64_t limit) EXCLUDES(loop->lock);
static void append_locked(kin_loop *loop, kin__job *job) REQUIRES(loop->lock);
static void remove_locked(kin_loop *loop, kin__job *job) REQUIRES(loop->lock);
static void run_post(kin__job *job, void *context);

kin_err kin_loop_post(kin_loop *loop, void (*fn)(void *context), void *context, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);

    if (kin__loop_is_forked(loop)) {
        return kin__loop_error_forked(err);
    }
    post *p = kin__alloc_zero(1, sizeof *p);
    if (p == NULL) {
        return kin__error_no_memory(err);
    }
    p->job.run = run_post;
    p->fn = fn;
    p->context = context;
    kin__loop_post_job(loop, &p->job);
    return KIN_OK;
}

void kin__loop_post_job(kin_loop *loop, kin__job *job)
{
    if (kin__loop_is_forked(loop)) {
        return;
    }
    bool is_inside =
        atomic_load_explicit(&loop->inside, memory_order_relaxed) == kin__thread_mark();
    kin__mutex_lock(&loop->lock);
    if (!job->is_waiting) {
        append_locked(loop, job);
        if (!is_inside) {
            kin__loop_wake_locked(loop);
        }
    }
    kin__mutex_unlock(&loop->lock);
}

/* In a child nobody knows who held the lock when it was forked, and nobody walks the list. */
bool kin__loop_cancel_job(kin_loop *loop, kin__job *job)
{
    if (kin__loop_is_forked(loop)) {
        return job->is_waiting;
    }
    kin__mutex_lock(&loop->lock);
    bool was_waiting = job->is_waiting;
    if (was_waiting) {
        remove_locked(loop, job);
    }
    kin__mutex_unlock(&loop->lock);
    return was_waiting;
}

void kin__jobs_run(kin_loop *loop)
{
    uint64_t limit = begin(loop);
    for (kin__job *job; (job = take_below(loop, limit)) != NULL;) {
        job->run(job, job->context);
    }
    kin__mutex_lock(&loop->lock);
    if (loop->first_job != NULL) {
        kin__loop_wake_locked(loop);
    }
    kin__mutex_unlock(&loop->lock);
}

UNCHECKED_LOCKS void kin__jobs_drop(kin_loop *loop)
{
    while (loop->first_job != NULL) {
        kin__job *job = loop->first_job;
        remove_locked(loop, job);
        if (job->run == run_post) {
            kin__free(job);
        }
    }
}

void kin__loop_wake_locked(kin_loop *loop)
{
    if (loop->is_woken) {
        return;
    }
    loop->is_woken = true;
    uint64_t one = 1;
    ssize_t written;
    do {
        written = write(loop->event_fd, &one, sizeof one);
    } while (written < 0 && errno == EINTR);
    assert(written == (ssize_t) sizeof one); /* from 0 to 1: never full */
}

/* What wakes from here on shows in the next round. */
static uint64_t begin(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    if (loop->is_woken) {
        loop->is_woken = false;
        uint64_t count;
        ssize_t got;
        do {
            got = read(loop->event_fd, &count, sizeof count);
        } while (got < 0 && errno == EINTR);
    }
    uint64_t limit = loop->next_order;
    kin__mutex_unlock(&loop->lock);
    return limit;
}

static kin__job *take_below(kin_loop *loop, uint64_t limit)
{
    kin__mutex_lock(&loop->lock);
    kin__job *job = loop->first_job;
    if (job != NULL && job->order >= limit) {
        job = NULL;
    }
    if (job != NULL) {
        remove_locked(loop, job);
    }
    kin__mutex_unlock(&loop->lock);
    return job;
}

static void append_locked(kin_loop *loop, kin__job *job)
{
    job->is_waiting = true;
    job->order = loop->next_order++;
    job->next = NULL;
    job->previous = loop->last_job;
    if (loop->last_job != NULL) {
        loop->last_job->next = job;
    } else {
        loop->first_job = job;
    }
    loop->last_job = job;
}

static void remove_locked(kin_loop *loop, kin__job *job)
{
    if (job->previous != NULL) {
        job->previous->next = job->next;
    } else {
        loop->first_job = job->next;
    }
    if (job->next != NULL) {
        job->next->previous = job->previous;
    } else {
        loop->last_job = job->previous;
    }
    job->next = NULL;
    job->previous = NULL;
    job->is_waiting = false;
}

static void run_post(kin__job *job, void *context)
{
    (void) context;
    post p = *(post *) job;
    kin__free(job);
    p.fn(p.context);
}
