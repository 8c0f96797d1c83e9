/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_test.c - threads that come when they are needed.
 */
#include "cache/pool.h"

#include <pthread.h>

#include "support/test.h"

#define JOBS 12

/* Jobs that say when they run, and wait at a gate. */
typedef struct office {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t begun;
    size_t done;
    bool is_open;
    char order[JOBS + 1];
    char name[16];
    kin__pool *pool;
} office;

typedef struct task {
    kin__pool_job job; /* first */
    office *office;
    char letter;
    size_t rounds; /* how often it submits itself again */
} task;

#define OFFICE                                                                                     \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER                     \
    }

static void run_task(kin__pool_job *job)
{
    task *t = (task *) job;
    office *o = t->office;

    pthread_mutex_lock(&o->lock);
    if (o->begun < JOBS) {
        o->order[o->begun] = t->letter;
    }
    o->begun++;
    (void) pthread_getname_np(pthread_self(), o->name, sizeof o->name);
    pthread_cond_broadcast(&o->changed);
    while (!o->is_open) {
        pthread_cond_wait(&o->changed, &o->lock);
    }
    bool is_again = t->rounds > 0;
    t->rounds -= is_again;
    o->done += !is_again;
    pthread_cond_broadcast(&o->changed);
    if (is_again) {
        kin__pool_submit(o->pool, &t->job);
    }
    pthread_mutex_unlock(&o->lock);
}

static void submit(office *o, task *t, char letter)
{
    *t = (task){ .job.run = run_task, .office = o, .letter = letter };
    kin__pool_submit(o->pool, &t->job);
}

static void open_gate(office *o)
{
    pthread_mutex_lock(&o->lock);
    o->is_open = true;
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

static void await_begun(office *o, size_t count)
{
    pthread_mutex_lock(&o->lock);
    while (o->begun < count) {
        pthread_cond_wait(&o->changed, &o->lock);
    }
    pthread_mutex_unlock(&o->lock);
}

static void new_pool(office *o, size_t threads, size_t max_threads, int64_t patience_ms)
{
    kin_error err;
    kin__pool_options options = { threads, max_threads, patience_ms };
    ASSERT_OK(kin__pool_new(&options, &o->pool, &err));
    ASSERT_OK(kin__pool_prepare(o->pool, &err));
}

TEST(pool, starts_no_thread_before_it_is_prepared)
{
    kin_error err;
    kin__pool *pool = NULL;
    ASSERT_OK(kin__pool_new(NULL, &pool, &err));
    ASSERT_EQ(kin__pool_thread_count(pool), 0);

    ASSERT_OK(kin__pool_prepare(pool, &err));
    ASSERT_OK(kin__pool_prepare(pool, &err));

    ASSERT_EQ(kin__pool_thread_count(pool), 1);
    kin__pool_free(pool);
}

TEST(pool, runs_jobs_in_order_on_threads_with_a_name)
{
    office o = OFFICE;
    task tasks[JOBS];
    new_pool(&o, 1, 2, 3600 * 1000);

    for (size_t i = 0; i < JOBS; i++) {
        submit(&o, &tasks[i], (char) ('a' + i));
    }
    open_gate(&o);
    kin__pool_free(o.pool);

    ASSERT_EQ(o.done, JOBS);
    ASSERT_STR_EQ(o.order, "abcdefghijkl");
    ASSERT_STR_EQ(o.name, "kin-worker");
}

TEST(pool, has_no_more_threads_than_it_should_while_jobs_end)
{
    office o = OFFICE;
    task tasks[JOBS];
    new_pool(&o, 2, 8, 3600 * 1000);
    for (size_t i = 0; i < JOBS; i++) {
        submit(&o, &tasks[i], 'x');
    }

    await_begun(&o, 2);
    size_t count = kin__pool_thread_count(o.pool);
    open_gate(&o);
    kin__pool_free(o.pool);

    ASSERT_TRUE(count <= 3); /* and one that keeps watch */
    ASSERT_EQ(o.done, JOBS);
}

TEST(pool, starts_another_thread_when_all_are_stuck)
{
    office o = OFFICE;
    task tasks[6];
    new_pool(&o, 1, 6, -1);

    for (size_t i = 0; i < 6; i++) {
        submit(&o, &tasks[i], 'x');
    }
    await_begun(&o, 6);

    ASSERT_EQ(kin__pool_thread_count(o.pool), 6);
    open_gate(&o);
    kin__pool_free(o.pool);
}

/* With one that is stuck nobody submits anything more: the keeper has to notice by itself. */
TEST(pool, notices_by_itself_that_threads_are_stuck)
{
    office o = OFFICE;
    task tasks[4];
    new_pool(&o, 1, 8, 1);

    for (size_t i = 0; i < 4; i++) {
        submit(&o, &tasks[i], 'x');
    }
    await_begun(&o, 4);

    open_gate(&o);
    kin__pool_free(o.pool);
    ASSERT_EQ(o.done, 4);
}

TEST(pool, stays_within_its_limit)
{
    office o = OFFICE;
    task tasks[JOBS];
    new_pool(&o, 2, 3, -1);
    for (size_t i = 0; i < JOBS; i++) {
        submit(&o, &tasks[i], 'x');
    }

    await_begun(&o, 3);
    ASSERT_EQ(kin__pool_thread_count(o.pool), 3);
    ASSERT_EQ(o.begun, 3);
    open_gate(&o);
    kin__pool_free(o.pool);

    ASSERT_EQ(o.done, JOBS);
}

TEST(pool, lets_a_job_submit_itself_and_runs_all_before_it_goes)
{
    office o = OFFICE;
    task tasks[JOBS];
    new_pool(&o, 2, 3, 0);
    o.is_open = true;

    pthread_mutex_lock(&o.lock);
    for (size_t i = 0; i < JOBS; i++) {
        submit(&o, &tasks[i], 'x');
        tasks[i].rounds = 50;
    }
    pthread_mutex_unlock(&o.lock);
    kin__pool_free(o.pool);

    ASSERT_EQ(o.done, JOBS);
    ASSERT_EQ(o.begun, JOBS * 51);
}

static void *open_gate_thread(void *context)
{
    open_gate(context);
    return NULL;
}

/*
 * The keeper must not sleep out its patience, an hour, when the pool goes while a job still waits.
 * Whether the gate opens after the keeper went to sleep again is chance, so there are many rounds.
 */
TEST(pool, goes_as_soon_as_the_last_job_is_done)
{
    for (int round = 0; round < 200; round++) {
        office o = OFFICE;
        task tasks[3];
        pthread_t opener;
        new_pool(&o, 2, 3, 3600 * 1000);
        for (size_t i = 0; i < 3; i++) {
            submit(&o, &tasks[i], 'x');
        }

        await_begun(&o, 2);
        ASSERT_EQ(pthread_create(&opener, NULL, open_gate_thread, &o), 0);
        kin__pool_free(o.pool);
        pthread_join(opener, NULL);

        ASSERT_EQ(o.done, 3);
    }
}

TEST_FAILING_ALLOC(pool, is_made_or_not)
{
    kin__pool *pool = NULL;
    kin_error err;
    kin_err code = kin__pool_new(NULL, &pool, &err);

    kin__pool_free(pool);
    return code;
}
