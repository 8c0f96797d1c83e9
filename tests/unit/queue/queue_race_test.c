/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_race_test.c - many who add and many who work, at once.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/clock.h"
#include "support/random.h"
#include "unit/queue/support.h"

#define KEYS 40
#define ADDERS 4
#define WORKERS 5
#define ADDITIONS 4000

/* Each addition makes a new version of its key; a worker sees the version that is there when it has
 * taken the key. */
typedef struct site {
    kin_queue *queue;
    kin_worker *group; /* of some of the workers */
    atomic_int versions[KEYS];
    atomic_int seen[KEYS];
    atomic_int holders[KEYS];
    atomic_int refused; /* additions to a queue that was shut down */
    atomic_int seeds;
    bool has_delays;
    bool has_bound;
} site;

/* False: the queue is shut down. */
static bool add_one(site *s, uint64_t *random)
{
    char name[16];
    size_t k = random_below(random, KEYS);
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;
    options.priority = (kin_priority) ((int) random_below(random, 3) - 1);
    options.delay_ms = s->has_delays && random_below(random, 8) == 0 ? 1 : 0;
    options.room_timeout_ms = -1;
    atomic_fetch_add(&s->versions[k], 1);

    (void) snprintf(name, sizeof name, "space/%zu", k);
    kin_err code = kin_queue_add(s->queue, kin_str_of(name), &options, NULL);
    if (code == KIN_ERR_CANCELLED) {
        atomic_fetch_add(&s->refused, 1);
        return false;
    }
    ASSERT_OK(code);
    return true;
}

static void *add_many(void *context)
{
    site *s = context;
    uint64_t random = (uint64_t) atomic_fetch_add(&s->seeds, 1) + 100;

    for (int i = 0; i < ADDITIONS; i++) {
        ASSERT_TRUE(add_one(s, &random));
    }
    return NULL;
}

static void *add_until_the_end(void *context)
{
    site *s = context;
    uint64_t random = (uint64_t) atomic_fetch_add(&s->seeds, 1) + 100;

    while (add_one(s, &random)) {
    }
    return NULL;
}

static void see(site *s, kin_queue_item *item, uint64_t *random)
{
    int k = 0;
    for (size_t i = sizeof "space/" - 1; i < item->key.len; i++) {
        k = k * 10 + item->key.data[i] - '0';
    }
    ASSERT_EQ(atomic_fetch_add(&s->holders[k], 1), 0); /* nobody else has it */

    int version = atomic_load(&s->versions[k]);
    if (random_below(random, 16) == 0) {
        sched_yield();
    }
    atomic_store(&s->seen[k], version);
    ASSERT_EQ(atomic_fetch_sub(&s->holders[k], 1), 1);
    if (s->has_delays && random_below(random, 32) == 0) {
        kin_queue_retry(s->queue, item);
    } else {
        kin_queue_forget(s->queue, item->key);
        kin_queue_done(s->queue, item);
    }
}

static void work(site *s, kin_worker *group)
{
    uint64_t random = (uint64_t) atomic_fetch_add(&s->seeds, 1) + 200;
    kin_queue_item item;
    kin_err code;

    while ((code = kin_queue_take(s->queue, group, 5, &item, NULL)) != KIN_ERR_CANCELLED) {
        if (code == KIN_OK) {
            see(s, &item, &random);
        } else {
            ASSERT_ERR(code, KIN_ERR_TIMEOUT);
        }
    }
}

static void *work_to_the_end(void *context)
{
    site *s = context;
    work(s, NULL);
    return NULL;
}

static void *work_in_the_group(void *context)
{
    site *s = context;
    work(s, s->group);
    return NULL;
}

static void *drain(void *context)
{
    site *s = context;
    ASSERT_OK(kin_queue_drain(s->queue, -1, NULL));
    return NULL;
}

static void start(pthread_t *thread, void *(*run)(void *context), site *s)
{
    ASSERT_EQ(pthread_create(thread, NULL, run, s), 0);
}

static void open_site(site *s)
{
    kin_queue_options options = KIN_QUEUE_OPTIONS_INIT;
    kin_limiter limiter = KIN_LIMITER_INIT;
    limiter.base_ms = 1;
    limiter.max_ms = 2;
    options.limiter = &limiter;
    options.bound = s->has_bound ? KEYS / 4 : 0;
    ASSERT_OK(kin_metrics_new(&options.metrics, NULL));
    ASSERT_OK(kin_queue_new(&options, &s->queue, NULL));
    ASSERT_OK(kin_worker_new(s->queue, &s->group, NULL));
    kin_metrics_free(options.metrics);
}

static void close_site(site *s)
{
    kin_worker_free(s->group);
    kin_queue_free(s->queue);
}

static void expect_all_seen(site *s)
{
    for (size_t k = 0; k < KEYS; k++) {
        ASSERT_EQ(atomic_load(&s->seen[k]), atomic_load(&s->versions[k]));
    }
}

static void await_nothing_later(site *s)
{
    kin_queue_status status = KIN_QUEUE_STATUS_INIT;
    do {
        sched_yield();
        ASSERT_OK(kin_queue_get_status(s->queue, &status, NULL));
    } while (status.held > 0);
}

/* Half of the workers are stopped in between, and others come. */
static void race(site *s)
{
    pthread_t adders[ADDERS];
    pthread_t workers[WORKERS];
    pthread_t group[2];
    open_site(s);
    for (int i = 0; i < WORKERS; i++) {
        start(&workers[i], work_to_the_end, s);
    }
    start(&group[0], work_in_the_group, s);
    start(&group[1], work_in_the_group, s);
    for (int i = 0; i < ADDERS; i++) {
        start(&adders[i], add_many, s);
    }

    kin_worker_stop(s->group);
    for (int i = 0; i < 2; i++) {
        pthread_join(group[i], NULL);
    }
    for (int i = 0; i < ADDERS; i++) {
        pthread_join(adders[i], NULL);
    }
    if (s->has_delays) {
        await_nothing_later(s);
    }
    ASSERT_OK(kin_queue_drain(s->queue, -1, NULL));

    expect_all_seen(s);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i], NULL);
    }
    close_site(s);
}

TEST(queue_race, loses_nothing_and_gives_no_key_to_two)
{
    static site s;
    race(&s);
}

TEST(queue_race, loses_nothing_that_comes_later_or_again)
{
    static site s = { .has_delays = true };
    race(&s);
}

TEST(queue_race, loses_nothing_where_there_is_little_room)
{
    static site s = { .has_bound = true };
    race(&s);
}

/* Whoever is told that the key was added has it seen before the drain is over. */
TEST(queue_race, drains_while_many_add)
{
    static site s;
    pthread_t adders[ADDERS];
    pthread_t workers[WORKERS];
    pthread_t drainers[2];
    open_site(&s);
    for (int i = 0; i < WORKERS; i++) {
        start(&workers[i], work_to_the_end, &s);
    }
    for (int i = 0; i < ADDERS; i++) {
        start(&adders[i], add_until_the_end, &s);
    }
    kin_queue_status status = KIN_QUEUE_STATUS_INIT;
    while (status.taken < 100) {
        sched_yield();
        ASSERT_OK(kin_queue_get_status(s.queue, &status, NULL));
    }

    start(&drainers[0], drain, &s);
    start(&drainers[1], drain, &s);
    pthread_join(drainers[0], NULL);
    ASSERT_OK(kin_queue_get_status(s.queue, &status, NULL));
    ASSERT_EQ(status.held, 0);
    pthread_join(drainers[1], NULL);

    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i], NULL);
    }
    for (int i = 0; i < ADDERS; i++) {
        pthread_join(adders[i], NULL);
    }
    int missing = 0;
    for (size_t k = 0; k < KEYS; k++) {
        missing += atomic_load(&s.versions[k]) - atomic_load(&s.seen[k]);
    }
    ASSERT_TRUE(missing <= atomic_load(&s.refused));
    close_site(&s);
}
