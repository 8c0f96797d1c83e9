/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ending_test.c - shutting a work queue down, at once or when all is done.
 */
#include <pthread.h>
#include <sched.h>

#include "base/inside.h"
#include "queue/queue_state.h"
#include "unit/queue/support.h"

static void expect_over(desk *d)
{
    kin_queue_item item;
    kin_error err;

    ASSERT_ERR(kin_queue_take(d->queue, NULL, -1, &item, &err), KIN_ERR_CANCELLED);
    ASSERT_MESSAGE(&err, "queue queue: take: it is shut down");
}

TEST(shut_down, takes_nothing_more_and_serves_what_waits)
{
    desk d;
    kin_error err;
    desk_open(&d, NULL);
    add(&d, "a");
    add(&d, "b");

    kin_queue_shut_down(d.queue);
    kin_queue_shut_down(d.queue);

    ASSERT_ERR(kin_queue_add(d.queue, kin_str_of("c"), NULL, &err), KIN_ERR_CANCELLED);
    ASSERT_MESSAGE(&err, "queue queue: it is shut down");
    ASSERT_ERR(kin_queue_add_limited(d.queue, kin_str_of("a"), NULL, &err), KIN_ERR_CANCELLED);
    ASSERT_TRUE(status_of(&d).is_shut_down);
    expect_keys(&d, "a b");
    expect_over(&d);
    desk_close(&d);
}

TEST(shut_down, does_not_wait_for_workers)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");

    kin_queue_shut_down(d.queue);

    expect_over(&d);
    ASSERT_EQ(status_of(&d).running, 1);
    kin_queue_done(d.queue, &a);
    desk_close(&d);
}

TEST(shut_down, drops_what_was_to_come_later)
{
    desk d;
    desk_open(&d, NULL);
    add_later(&d, "a", 50);
    add_limited(&d, "b");
    add_later(&d, "c", 50);
    add(&d, "c");

    kin_queue_shut_down(d.queue);
    pass(&d, 100);

    ASSERT_EQ(status_of(&d).later, 0);
    expect_keys(&d, "c");
    expect_over(&d);
    desk_close(&d);
}

typedef struct crew {
    kin_queue *queue;
    pthread_mutex_t lock;
    int taken;
    int ended;
} crew;

static void *work(void *context)
{
    crew *c = context;
    kin_queue_item item;

    while (kin_queue_take(c->queue, NULL, -1, &item, NULL) == KIN_OK) {
        pthread_mutex_lock(&c->lock);
        c->taken++;
        pthread_mutex_unlock(&c->lock);
        kin_queue_done(c->queue, &item);
    }
    pthread_mutex_lock(&c->lock);
    c->ended++;
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* One of them waits for what is due. */
static void await_waiting(desk *d, size_t count)
{
    for (bool is_so = false; !is_so;) {
        kin__mutex_lock(&d->queue->lock);
        is_so = d->queue->has_keeper && d->queue->ready_count + 1 == count;
        kin__mutex_unlock(&d->queue->lock);
        (void) sched_yield();
    }
}

TEST(shut_down, wakes_all_who_wait)
{
    for (int round = 0; round < 20; round++) {
        desk d;
        desk_open(&d, NULL);
        crew c = { .queue = d.queue, .lock = PTHREAD_MUTEX_INITIALIZER };
        pthread_t threads[5];
        add_later(&d, "later", 3600 * 1000);
        for (int i = 0; i < 5; i++) {
            ASSERT_EQ(pthread_create(&threads[i], NULL, work, &c), 0);
        }
        await_waiting(&d, 5);

        kin_queue_shut_down(d.queue);
        for (int i = 0; i < 5; i++) {
            pthread_join(threads[i], NULL);
        }

        ASSERT_EQ(c.ended, 5);
        ASSERT_EQ(c.taken, 0);
        desk_close(&d);
    }
}

TEST(shut_down_now, drops_what_waits)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    add(&d, "b");
    add_later(&d, "c", 50);
    kin_queue_item a = take(&d, "a");
    add(&d, "a");

    kin_queue_shut_down_now(d.queue);

    expect_over(&d);
    kin_queue_done(d.queue, &a);
    expect_over(&d);
    ASSERT_EQ(status_of(&d).held, 0);
    desk_close(&d);
}

/* ---- draining ------------------------------------------------------------------------------- */

typedef struct drainer {
    kin_queue *queue;
    kin_err code;
    pthread_t thread;
} drainer;

static void *drain(void *context)
{
    drainer *dr = context;
    dr->code = kin_queue_drain(dr->queue, -1, NULL);
    return NULL;
}

static void start_drain(drainer *dr, desk *d)
{
    *dr = (drainer){ .queue = d->queue };
    ASSERT_EQ(pthread_create(&dr->thread, NULL, drain, dr), 0);
    while (!status_of(d).is_shut_down) {
    }
}

TEST(drain, returns_at_once_when_nothing_is_left)
{
    desk d;
    desk_open(&d, NULL);
    add_later(&d, "a", 50);

    ASSERT_OK(kin_queue_drain(d.queue, 0, NULL));
    expect_over(&d);
    desk_close(&d);
}

TEST(drain, waits_for_what_workers_have)
{
    desk d;
    drainer dr;
    kin_error err;
    desk_open(&d, NULL);
    add(&d, "a");
    add(&d, "b");
    kin_queue_item a = take(&d, "a");
    kin_queue_item b = take(&d, "b");
    start_drain(&dr, &d);

    kin_queue_done(d.queue, &a);
    ASSERT_ERR(kin_queue_drain(d.queue, 0, &err), KIN_ERR_TIMEOUT);
    ASSERT_MESSAGE(&err, "queue queue: drain: 0 keys wait, workers have 1");
    kin_queue_done(d.queue, &b);

    pthread_join(dr.thread, NULL);
    ASSERT_OK(dr.code);
    desk_close(&d);
}

/* client-go returns as soon as no worker has anything, though keys wait. */
TEST(drain, waits_for_what_nobody_has_taken_yet)
{
    desk d;
    drainer dr;
    kin_error err;
    desk_open(&d, NULL);
    add(&d, "a");
    add(&d, "b");
    start_drain(&dr, &d);

    ASSERT_ERR(kin_queue_drain(d.queue, 0, &err), KIN_ERR_TIMEOUT);
    ASSERT_MESSAGE(&err, "queue queue: drain: 2 keys wait, workers have 0");
    kin_queue_item a = take(&d, "a");
    kin_queue_done(d.queue, &a);
    ASSERT_ERR(kin_queue_drain(d.queue, 0, NULL), KIN_ERR_TIMEOUT);
    expect_keys(&d, "b");

    pthread_join(dr.thread, NULL);
    ASSERT_OK(dr.code);
    desk_close(&d);
}

TEST(drain, serves_again_what_was_added_while_a_worker_had_it)
{
    desk d;
    drainer dr;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");
    add(&d, "a");
    start_drain(&dr, &d);

    expect_nothing(&d); /* and not that it is over: "a" comes again */
    kin_queue_done(d.queue, &a);
    a = take(&d, "a");
    ASSERT_ERR(kin_queue_drain(d.queue, 0, NULL), KIN_ERR_TIMEOUT);
    kin_queue_done(d.queue, &a);

    pthread_join(dr.thread, NULL);
    ASSERT_OK(dr.code);
    expect_over(&d);
    desk_close(&d);
}

TEST(drain, ends_when_all_is_dropped)
{
    desk d;
    drainer dr;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");
    start_drain(&dr, &d);

    kin_queue_shut_down(d.queue);
    ASSERT_ERR(kin_queue_drain(d.queue, 0, NULL), KIN_ERR_TIMEOUT);
    kin_queue_shut_down_now(d.queue);

    pthread_join(dr.thread, NULL);
    ASSERT_ERR(dr.code, KIN_ERR_CANCELLED);
    kin_queue_done(d.queue, &a);
    desk_close(&d);
}

TEST(drain, of_what_was_dropped_waits_for_the_workers)
{
    desk d;
    drainer dr;
    desk_open(&d, NULL);
    add(&d, "a");
    add(&d, "b");
    kin_queue_item a = take(&d, "a");
    kin_queue_shut_down_now(d.queue);

    ASSERT_ERR(kin_queue_drain(d.queue, 0, NULL), KIN_ERR_TIMEOUT);
    start_drain(&dr, &d);
    kin_queue_done(d.queue, &a);

    pthread_join(dr.thread, NULL);
    ASSERT_OK(dr.code);
    desk_close(&d);
}

TEST(drain, waits_as_long_as_it_is_told)
{
    kin_queue *queue = NULL;
    ASSERT_OK(kin_queue_new(NULL, &queue, NULL));
    desk d = { .queue = queue };
    add(&d, "a");

    ASSERT_ERR(kin_queue_drain(queue, 2, NULL), KIN_ERR_TIMEOUT);
    ASSERT_TRUE(status_of(&d).is_shut_down);
    kin_queue_free(queue);
}

TEST(drain, refuses_to_wait_in_a_handler)
{
    desk d;
    kin_error err;
    desk_open(&d, NULL);
    add(&d, "a");

    kin__inside_enter(KIN__INSIDE_HANDLER);
    kin_err code = kin_queue_drain(d.queue, -1, &err);
    kin__inside_leave(KIN__INSIDE_HANDLER);

    ASSERT_ERR(code, KIN_ERR_USAGE);
    ASSERT_TRUE(status_of(&d).is_shut_down);
    desk_close(&d);
}
