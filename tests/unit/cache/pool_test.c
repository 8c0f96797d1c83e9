/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_test.c - threads that come when they are needed.
 */
#include "cache/pool.h"

#include <pthread.h>
#include <string.h>

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
    kin__pool_options options = { .threads = threads,
                                  .max_threads = max_threads,
                                  .patience_ms = patience_ms };
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

/* ---- a pool with a friend ------------------------------------------------------------------- */

/* Takes a job when asked to, and keeps it until the test has it run. */
typedef struct friend_of_pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_willing;
    bool can_spare;
    bool is_dismissed;
    size_t standing; /* threads */
    kin__pool_job *job;
} friend_of_pool;

#define FRIEND                                                                                     \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .can_spare = true  \
    }

static bool take_job(void *context, kin__pool_job *job)
{
    friend_of_pool *f = context;

    if (!f->is_willing || f->job != NULL) {
        return false;
    }
    f->job = job;
    return true;
}

static bool stand(void *context)
{
    friend_of_pool *f = context;

    pthread_mutex_lock(&f->lock);
    f->standing++;
    pthread_cond_broadcast(&f->changed);
    while (!f->is_dismissed) {
        pthread_cond_wait(&f->changed, &f->lock);
    }
    f->is_dismissed = false;
    f->standing--;
    pthread_mutex_unlock(&f->lock);
    return true;
}

static bool cannot_stand(void *context)
{
    (void) context;
    return false;
}

static bool dismiss(void *context)
{
    friend_of_pool *f = context;

    pthread_mutex_lock(&f->lock);
    bool is_spared = f->can_spare;
    f->is_dismissed = is_spared;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
    return is_spared;
}

static size_t count_standing(friend_of_pool *f)
{
    pthread_mutex_lock(&f->lock);
    size_t count = f->standing;
    pthread_mutex_unlock(&f->lock);
    return count;
}

static void set_can_spare(friend_of_pool *f, bool can_spare)
{
    pthread_mutex_lock(&f->lock);
    f->can_spare = can_spare;
    pthread_mutex_unlock(&f->lock);
}

static void new_pool_with(office *o, friend_of_pool *f, bool (*its_stand)(void *context))
{
    kin_error err;
    kin__pool_options options = {
        .patience_ms = 3600 * 1000,
        .friend = { f, take_job, its_stand, dismiss },
    };

    ASSERT_OK(kin__pool_new(&options, &o->pool, &err));
    ASSERT_OK(kin__pool_prepare(o->pool, &err));
}

static void await_standing(friend_of_pool *f)
{
    pthread_mutex_lock(&f->lock);
    while (f->standing == 0) {
        pthread_cond_wait(&f->changed, &f->lock);
    }
    pthread_mutex_unlock(&f->lock);
}

TEST(pool, asks_its_friend_first)
{
    office o = OFFICE;
    friend_of_pool f = FRIEND;
    task a;
    new_pool_with(&o, &f, stand);
    o.is_open = f.is_willing = true;

    submit(&o, &a, 'a');
    ASSERT_TRUE(f.job == &a.job);
    ASSERT_EQ(o.begun, 0);
    kin__pool_run_sent(f.job);

    ASSERT_EQ(o.done, 1);
    ASSERT_TRUE(strcmp(o.name, "kin-worker") != 0);
    kin__pool_free(o.pool);
}

TEST(pool, does_itself_what_its_friend_does_not_want)
{
    office o = OFFICE;
    friend_of_pool f = FRIEND;
    task a, b;
    new_pool_with(&o, &f, stand);
    o.is_open = f.is_willing = true;

    submit(&o, &a, 'a');
    submit(&o, &b, 'b'); /* a friend has one at a time */
    await_begun(&o, 1);
    ASSERT_STR_EQ(o.name, "kin-worker");
    kin__pool_run_sent(f.job);
    kin__pool_free(o.pool);

    ASSERT_EQ(o.done, 2);
    ASSERT_STR_EQ(o.order, "ba");
}

TEST(pool, sends_nothing_past_what_waits)
{
    office o = OFFICE;
    friend_of_pool f = FRIEND;
    task tasks[4];
    new_pool_with(&o, &f, stand);

    submit(&o, &tasks[0], 'a');
    submit(&o, &tasks[1], 'b');
    await_begun(&o, 2);
    submit(&o, &tasks[2], 'c'); /* two are busy: it waits */
    f.is_willing = true;
    submit(&o, &tasks[3], 'd');

    ASSERT_TRUE(f.job == NULL);
    open_gate(&o);
    kin__pool_free(o.pool);
    ASSERT_EQ(o.done, 4);
}

TEST(pool, calls_the_one_that_stands_in_when_there_is_no_other)
{
    office o = OFFICE;
    friend_of_pool f = FRIEND;
    task a;
    new_pool_with(&o, &f, stand);
    await_standing(&f);

    submit(&o, &a, 'a');
    await_begun(&o, 1);

    ASSERT_EQ(kin__pool_thread_count(o.pool), 1);
    open_gate(&o);
    kin__pool_free(o.pool);
    ASSERT_EQ(f.standing, 0);
}

TEST(pool, starts_another_while_its_friend_is_busy)
{
    office o = OFFICE;
    friend_of_pool f = FRIEND;
    task a, b;
    new_pool_with(&o, &f, stand);
    await_standing(&f);
    o.is_open = f.is_willing = true;
    submit(&o, &a, 'a');

    submit(&o, &b, 'b');
    await_begun(&o, 1);

    ASSERT_EQ(kin__pool_thread_count(o.pool), 2);
    ASSERT_EQ(count_standing(&f), 1);
    kin__pool_run_sent(f.job);
    kin__pool_free(o.pool);
    ASSERT_EQ(f.standing, 0);
}

TEST(pool, starts_another_when_the_one_that_stands_in_cannot_be_spared)
{
    office o = OFFICE;
    friend_of_pool f = FRIEND;
    task a;
    new_pool_with(&o, &f, stand);
    await_standing(&f);
    set_can_spare(&f, false);

    submit(&o, &a, 'a');
    await_begun(&o, 1);

    ASSERT_EQ(kin__pool_thread_count(o.pool), 2);
    ASSERT_EQ(count_standing(&f), 1);
    set_can_spare(&f, true);
    open_gate(&o);
    kin__pool_free(o.pool);
    ASSERT_EQ(f.standing, 0);
}

/* All threads that there may be are busy or stand in: what was sent is followed by what waits. */
TEST(pool, lets_its_friend_do_what_nobody_else_can)
{
    office o = OFFICE;
    office slow = OFFICE;
    friend_of_pool f = FRIEND;
    task stuck, sent, waiting;
    kin_error err;
    kin__pool_options options = {
        .threads = 1,
        .max_threads = 2,
        .patience_ms = 3600 * 1000,
        .friend = { &f, take_job, stand, dismiss },
    };
    ASSERT_OK(kin__pool_new(&options, &o.pool, &err));
    ASSERT_OK(kin__pool_prepare(o.pool, &err));
    await_standing(&f);
    slow.pool = o.pool;
    set_can_spare(&f, false);
    submit(&slow, &stuck, 's');
    await_begun(&slow, 1);
    f.is_willing = o.is_open = true;
    submit(&o, &sent, 'a');

    submit(&o, &waiting, 'b');
    kin__pool_run_sent(f.job);

    ASSERT_STR_EQ(o.order, "ab");
    set_can_spare(&f, true);
    open_gate(&slow);
    kin__pool_free(o.pool);
    ASSERT_EQ(slow.done, 1);
}

TEST(pool, waits_as_ever_when_nobody_is_to_stand_in)
{
    office o = OFFICE;
    friend_of_pool f = FRIEND;
    task tasks[JOBS];
    new_pool_with(&o, &f, cannot_stand);
    o.is_open = true;

    for (size_t i = 0; i < JOBS; i++) {
        submit(&o, &tasks[i], 'x');
        await_begun(&o, i + 1);
    }
    kin__pool_free(o.pool);

    ASSERT_EQ(o.done, JOBS);
}

static void *run_sent_late(void *context)
{
    friend_of_pool *f = context;
    kin__pool_run_sent(f->job);
    return NULL;
}

TEST(pool, waits_for_its_friend_before_it_goes)
{
    for (int round = 0; round < 100; round++) {
        office o = OFFICE;
        friend_of_pool f = FRIEND;
        task a;
        pthread_t late;
        new_pool_with(&o, &f, stand);
        o.is_open = f.is_willing = true;
        submit(&o, &a, 'a');

        ASSERT_EQ(pthread_create(&late, NULL, run_sent_late, &f), 0);
        kin__pool_free(o.pool);

        ASSERT_EQ(o.done, 1);
        pthread_join(late, NULL);
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
