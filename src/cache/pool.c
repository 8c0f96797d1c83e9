/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - workers, and the one that keeps watch.
 *
 * While jobs wait there is always a thread that is not busy, if the system and the limit allow:
 * with `threads` others busy it does not take a job, but waits for `patience_ms` to pass since the
 * last one was taken.  When it has, the busy ones are stuck: it goes to work, and sees to its
 * successor.
 *
 * A thread that waits lies on a pile and has a bell of its own.  The one that came last is woken
 * first: it is the one that the caches of the processor still know.  One of them stands in for the
 * pool's friend, if there is one, and is woken when there is no other and it can be spared.
 */
#include "cache/pool.h"

#include <assert.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bell.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/thread.h"

#define THREADS 2
#define MAX_THREADS 64
#define PATIENCE_MS 100

typedef struct worker {
    kin__link link; /* on the pile of those that wait */
    kin__bell bell;
    kin__pool *pool;
    kin__thread thread;
} worker;

struct kin__pool {
    size_t usual; /* threads that may be busy without anybody being stuck */
    size_t max;
    int64_t patience_ms;
    kin__pool_friend friend;
    pid_t pid; /* of the process that has the threads */
    kin__mutex lock;
    kin__list jobs GUARDED_BY(lock);
    kin__list waiting GUARDED_BY(lock);     /* workers, the newest last */
    size_t count GUARDED_BY(lock);          /* of threads */
    size_t busy GUARDED_BY(lock);           /* of these, inside a job */
    int64_t last_taken_ms GUARDED_BY(lock); /* or when the first of the waiting came */
    worker *posted GUARDED_BY(lock); /* stands in for the friend, or is about to; not on the pile */
    bool is_posted_coming GUARDED_BY(lock); /* it is dismissed, and free to come */
    size_t sent GUARDED_BY(lock);           /* jobs that the friend has */
    kin__cond returned;                     /* `sent` is 0 */
    bool is_ending GUARDED_BY(lock);
    worker workers[];
};

static size_t or_default(size_t value, size_t fallback);
static bool send_locked(kin__pool *pool, kin__pool_job *job) REQUIRES(pool->lock);
static worker *enqueue_locked(kin__pool *pool, kin__pool_job *job) REQUIRES(pool->lock);
static void work(void *context);
static void await_job_locked(kin__pool *pool, worker *w) REQUIRES(pool->lock);
static void sleep_locked(kin__pool *pool, worker *w) REQUIRES(pool->lock);
static bool stand_in_locked(kin__pool *pool, worker *w) REQUIRES(pool->lock);
static bool is_taking_locked(const kin__pool *pool) REQUIRES(pool->lock);
static void run_one_locked(kin__pool *pool) REQUIRES(pool->lock);
static void run_first_locked(kin__pool *pool) REQUIRES(pool->lock);
static bool has_idle_locked(const kin__pool *pool) REQUIRES(pool->lock);
static worker *see_to_keeper_locked(kin__pool *pool) REQUIRES(pool->lock);
static bool dismiss_locked(kin__pool *pool) REQUIRES(pool->lock);
static worker *take_waiting_locked(kin__pool *pool) REQUIRES(pool->lock);
static void wake_all_locked(kin__pool *pool) REQUIRES(pool->lock);
static void wake(worker *w);
static kin_err start_locked(kin__pool *pool, kin_error *err) REQUIRES(pool->lock);
static int64_t now_ms(void);

kin_err kin__pool_new(const kin__pool_options *options, kin__pool **out, kin_error *err)
{
    kin__pool_options o = options == NULL ? (kin__pool_options){ 0 } : *options;
    size_t usual = or_default(o.threads, THREADS);
    size_t max = or_default(o.max_threads, MAX_THREADS);
    max = max > usual ? max : usual + 1;
    kin__pool *pool = kin__alloc_zero(1, sizeof *pool + max * sizeof pool->workers[0]);

    if (pool == NULL) {
        return kin__error_no_memory(err);
    }
    pool->usual = usual;
    pool->max = max;
    pool->patience_ms = o.patience_ms == 0 ? PATIENCE_MS : o.patience_ms < 0 ? 0 : o.patience_ms;
    pool->friend = o.friend;
    pool->pid = getpid();
    kin__mutex_init(&pool->lock);
    kin__cond_init(&pool->returned);
    *out = pool;
    return KIN_OK;
}

void kin__pool_free(kin__pool *pool)
{
    if (pool == NULL || pool->pid != getpid()) {
        return;
    }
    kin__mutex_lock(&pool->lock);
    while (pool->sent > 0) {
        kin__cond_wait(&pool->returned, &pool->lock);
    }
    pool->is_ending = true;
    size_t count = pool->count;
    wake_all_locked(pool);
    kin__mutex_unlock(&pool->lock);

    for (size_t i = 0; i < count; i++) {
        kin__thread_join(&pool->workers[i].thread);
    }
    kin__cond_fini(&pool->returned);
    kin__mutex_fini(&pool->lock);
    kin__free(pool);
}

kin_err kin__pool_prepare(kin__pool *pool, kin_error *err)
{
    kin__mutex_lock(&pool->lock);
    kin_err code = pool->count == 0 ? start_locked(pool, err) : KIN_OK;
    kin__mutex_unlock(&pool->lock);
    return code;
}

void kin__pool_submit(kin__pool *pool, kin__pool_job *job)
{
    job->pool = pool;
    kin__mutex_lock(&pool->lock);
    assert(pool->count > 0);
    worker *woken = send_locked(pool, job) ? NULL : enqueue_locked(pool, job);
    kin__mutex_unlock(&pool->lock);
    wake(woken); /* without the lock, which it wants first */
}

void kin__pool_run_sent(kin__pool_job *job)
{
    kin__pool *pool = job->pool; /* the job may be gone when it has run */

    job->run(job);
    kin__mutex_lock(&pool->lock);
    while (kin__list_first(&pool->jobs) != NULL && !has_idle_locked(pool)) {
        run_first_locked(pool);
    }
    if (--pool->sent == 0) {
        kin__cond_broadcast(&pool->returned);
    }
    kin__mutex_unlock(&pool->lock);
}

size_t kin__pool_thread_count(kin__pool *pool)
{
    kin__mutex_lock(&pool->lock);
    size_t count = pool->count;
    kin__mutex_unlock(&pool->lock);
    return count;
}

static size_t or_default(size_t value, size_t fallback)
{
    return value == 0 ? fallback : value;
}

/* What came before it and waits goes first. */
static bool send_locked(kin__pool *pool, kin__pool_job *job)
{
    bool is_sent = pool->friend.send != NULL && kin__list_first(&pool->jobs) == NULL &&
                   pool->friend.send(pool->friend.context, job);

    pool->sent += is_sent;
    return is_sent;
}

/* Who is to be woken; NULL: nobody. */
static worker *enqueue_locked(kin__pool *pool, kin__pool_job *job)
{
    if (kin__list_first(&pool->jobs) == NULL) {
        pool->last_taken_ms = now_ms();
    }
    kin__list_push(&pool->jobs, &job->link);
    return see_to_keeper_locked(pool);
}

static void work(void *context)
{
    worker *w = context;
    kin__pool *pool = w->pool;

    kin__mutex_lock(&pool->lock);
    for (;;) {
        await_job_locked(pool, w);
        if (kin__list_first(&pool->jobs) == NULL) {
            break;
        }
        run_one_locked(pool);
    }
    kin__mutex_unlock(&pool->lock);
}

/* Returns with a job to be taken, or without one when the pool ends. */
static void await_job_locked(kin__pool *pool, worker *w)
{
    while (!is_taking_locked(pool)) {
        if (kin__list_first(&pool->jobs) == NULL && pool->is_ending) {
            return;
        }
        sleep_locked(pool, w);
    }
}

/* Until it is woken, or its patience ends: it has some only while jobs wait. */
static void sleep_locked(kin__pool *pool, worker *w)
{
    if (stand_in_locked(pool, w)) {
        return;
    }
    bool is_keeper = kin__list_first(&pool->jobs) != NULL;
    int64_t deadline_ms = pool->last_taken_ms + pool->patience_ms;

    kin__list_push(&pool->waiting, &w->link);
    kin__mutex_unlock(&pool->lock);
    if (is_keeper) {
        (void) kin__bell_wait_until(&w->bell, deadline_ms);
    } else {
        kin__bell_wait(&w->bell);
    }
    kin__mutex_lock(&pool->lock);
    kin__list_remove(&w->link);
}

/* True: it was needed for a while, or is now; there may be something to do for it. */
static bool stand_in_locked(kin__pool *pool, worker *w)
{
    if (pool->friend.stand == NULL || pool->posted != NULL || pool->is_ending ||
        kin__list_first(&pool->jobs) != NULL) {
        return false;
    }
    pool->posted = w;
    kin__mutex_unlock(&pool->lock);
    bool was_dismissed = pool->friend.stand(pool->friend.context);
    kin__mutex_lock(&pool->lock);
    pool->posted = NULL;
    pool->is_posted_coming = false;
    return was_dismissed;
}

static bool is_taking_locked(const kin__pool *pool)
{
    return kin__list_first(&pool->jobs) != NULL &&
           (pool->busy < pool->usual || now_ms() >= pool->last_taken_ms + pool->patience_ms);
}

static void run_one_locked(kin__pool *pool)
{
    pool->busy++;
    run_first_locked(pool);
    pool->busy--;
}

/* With the lock let go of while it runs. */
static void run_first_locked(kin__pool *pool)
{
    kin__link *link = kin__list_first(&pool->jobs);
    kin__pool_job *job = KIN__OWNER(link, kin__pool_job, link);

    kin__list_remove(link);
    pool->last_taken_ms = now_ms();
    worker *woken = see_to_keeper_locked(pool);
    kin__mutex_unlock(&pool->lock);
    wake(woken);
    job->run(job);
    kin__mutex_lock(&pool->lock);
}

/* Whether one waits, or has been woken and will see what there is. */
static bool has_idle_locked(const kin__pool *pool)
{
    return pool->busy + (pool->posted != NULL && !pool->is_posted_coming) < pool->count;
}

/*
 * Who is to be woken, if anybody.  One that is not busy and does not wait has been woken already,
 * and will see what there is.  When no thread can be had, those that are there go on; it is tried
 * again with the next job.  Once the last job of an ending pool is taken the keeper has nothing to
 * watch, and must hear of it: it would sleep until its patience ends.
 */
static worker *see_to_keeper_locked(kin__pool *pool)
{
    kin_error unwanted;

    if (kin__list_first(&pool->jobs) == NULL) {
        if (pool->is_ending) {
            wake_all_locked(pool);
        }
        return NULL;
    }
    if (!has_idle_locked(pool) && !dismiss_locked(pool) && pool->count < pool->max &&
        !pool->is_ending) {
        (void) start_locked(pool, &unwanted);
    }
    return take_waiting_locked(pool);
}

/* True: the one that stands in for the friend comes, and will see what there is.  While the friend
 * is busy it is not even asked to; at the end it is, and comes when it can. */
static bool dismiss_locked(kin__pool *pool)
{
    if (pool->posted != NULL && pool->sent == 0 && pool->friend.dismiss(pool->friend.context)) {
        pool->is_posted_coming = true;
    }
    return pool->is_posted_coming;
}

/* NULL: nobody waits. */
static worker *take_waiting_locked(kin__pool *pool)
{
    kin__link *link = kin__list_last(&pool->waiting);

    if (link == NULL) {
        return NULL;
    }
    kin__list_remove(link);
    return KIN__OWNER(link, worker, link);
}

static void wake_all_locked(kin__pool *pool)
{
    (void) dismiss_locked(pool);
    for (worker *w; (w = take_waiting_locked(pool)) != NULL;) {
        wake(w);
    }
}

/* NULL is ignored. */
static void wake(worker *w)
{
    if (w != NULL) {
        kin__bell_ring(&w->bell);
    }
}

static kin_err start_locked(kin__pool *pool, kin_error *err)
{
    worker *w = &pool->workers[pool->count];

    w->pool = pool;
    kin_err code = kin__thread_start(&w->thread, "kin-worker", work, w, err);
    if (code == KIN_OK) {
        pool->count++;
    }
    return code;
}

static int64_t now_ms(void)
{
    return kin__clock_now_ms(kin__clock_real());
}
