/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/pool.h - a few threads that run handlers, shared by any number of informers.
 *
 * Threads are called "kin-worker" and start when there is work for them, a few at most.  When these
 * are all busy and nothing that waits has been taken for a while, they are taken to be stuck in
 * handlers, and one more starts: so handlers that never return hold up nobody else, until as many
 * are stuck as the pool may have threads.
 *
 * A pool may have a friend (kin__pool_friend), who is asked first.
 *
 * Jobs are the caller's and nothing is allocated for them: to submit one cannot fail.
 *
 * Threading: thread-safe, but for kin__pool_free(), which is the last call.
 */
#ifndef KIN_CACHE_POOL_H
#define KIN_CACHE_POOL_H

#include "base/cleanup.h"
#include "base/list.h"
#include "kin/common.h"

typedef struct kin__pool kin__pool;

/* Does not move while it is submitted.  Belongs to whoever runs it from the moment it runs. */
typedef struct kin__pool_job {
    kin__link link;
    void (*run)(struct kin__pool_job *job);
    kin__pool *pool; /* where it was submitted; private */
} kin__pool_job;

/*
 * Somebody beside the pool who does jobs while one of the pool's threads, which has nothing to do,
 * stands in for it: a thread of a loop, which has woken up anyway, saves a job the waking of
 * another.  All functions are thread-safe.
 */
typedef struct kin__pool_friend {
    void *context;
    /* True: it will call kin__pool_run_sent().  False: it does not want the job. */
    bool (*send)(void *context, kin__pool_job *job);
    /* Stands in until it is dismissed.  False: there is no need, or no more. */
    bool (*stand)(void *context);
    /* Who stands in, or is about to, is to return.  False: not before its friend is back. */
    bool (*dismiss)(void *context);
} kin__pool_friend;

/* Zero means the default for every field. */
typedef struct kin__pool_options {
    size_t threads;          /* that run jobs as long as none is stuck; 0: 2 */
    size_t max_threads;      /* 0: 64; at least one more than `threads` */
    int64_t patience_ms;     /* how long nothing is taken before threads count as stuck; 0: 100;
                                negative: at once */
    kin__pool_friend friend; /* its functions are NULL: there is none */
} kin__pool_options;

/* `options` may be NULL.  Starts no thread.  Fails with NO_MEMORY. */
kin_err kin__pool_new(const kin__pool_options *options, kin__pool **out,
                      kin_error *err) KIN_MUST_CHECK;

/* Runs what was submitted, and waits for the threads: for a job that does not end, without end. Not
 * from a job.  In a forked child it waits for nobody, and leaves the memory.  NULL is ignored. */
void kin__pool_free(kin__pool *pool);
KIN__DEFINE_AUTO(kin__pool, kin__pool_free)

/* Sees to it that there is a thread, so that what is submitted will run.  Fails with LIMIT. */
kin_err kin__pool_prepare(kin__pool *pool, kin_error *err) KIN_MUST_CHECK;

/* Runs `job` soon; those submitted earlier begin earlier.  The pool was prepared, and the job is
 * not submitted already. */
void kin__pool_submit(kin__pool *pool, kin__pool_job *job);

/* By a friend, once for each job that it was sent: does it, and what else waits if there is no
 * thread for it.  The pool is there until this has returned. */
void kin__pool_run_sent(kin__pool_job *job);

/* How many threads there are. */
size_t kin__pool_thread_count(kin__pool *pool);

#endif /* KIN_CACHE_POOL_H */
