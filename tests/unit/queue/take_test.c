/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take_test.c - taking keys out of a work queue, and giving them back.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include "base/inside.h"
#include "queue/queue_state.h"
#include "support/allocator.h"
#include "unit/queue/support.h"

#define SOON_MS 10000 /* longer than it can take */

/* Somebody who takes one key. */
typedef struct taker {
    kin_queue *queue;
    kin_worker *worker;
    int64_t timeout_ms;
    kin_err code;
    char key[16];
    pthread_t thread;
} taker;

static void *take_one(void *context)
{
    taker *t = context;
    kin_queue_item item;

    t->code = kin_queue_take(t->queue, t->worker, t->timeout_ms, &item, NULL);
    if (t->code == KIN_OK) {
        memcpy(t->key, item.key.data, item.key.len);
        kin_queue_done(t->queue, &item);
    }
    return NULL;
}

static void start(taker *t, desk *d, kin_worker *worker)
{
    *t = (taker){ .queue = d->queue, .worker = worker, .timeout_ms = -1 };
    ASSERT_EQ(pthread_create(&t->thread, NULL, take_one, t), 0);
}

static void expect_taken(taker *t, const char *key)
{
    pthread_join(t->thread, NULL);
    ASSERT_OK(t->code);
    ASSERT_STR_EQ(t->key, key);
}

/* Until so many wait for a key, and one, or none, for what is due. */
static void await_waiting(desk *d, size_t ready, bool has_keeper)
{
    for (bool is_so = false; !is_so;) {
        kin__mutex_lock(&d->queue->lock);
        is_so = d->queue->ready_count == ready && d->queue->has_keeper == has_keeper;
        kin__mutex_unlock(&d->queue->lock);
        sched_yield();
    }
}

TEST(take, fails_when_nothing_comes)
{
    desk d;
    kin_error err;
    kin_queue_item item = { .ticket = 7 };
    desk_open(&d, NULL);

    ASSERT_ERR(kin_queue_take(d.queue, NULL, 0, &item, &err), KIN_ERR_TIMEOUT);

    ASSERT_MESSAGE(&err, "queue queue: take: nothing came");
    ASSERT_EQ(item.ticket, 7);
    desk_close(&d);
}

TEST(take, waits_as_long_as_it_is_told)
{
    kin_queue *queue = NULL;
    kin_queue_item item;
    ASSERT_OK(kin_queue_new(NULL, &queue, NULL));
    int64_t before_ms = kin__clock_now_ms(kin__clock_real());

    ASSERT_ERR(kin_queue_take(queue, NULL, 3, &item, NULL), KIN_ERR_TIMEOUT);

    ASSERT_TRUE(kin__clock_now_ms(kin__clock_real()) >= before_ms + 2);
    kin_queue_free(queue);
}

TEST(take, waits_for_a_key)
{
    desk d;
    taker t;
    desk_open(&d, NULL);
    start(&t, &d, NULL);

    add(&d, "a");

    expect_taken(&t, "a");
    desk_close(&d);
}

TEST(take, waits_for_a_key_that_is_due)
{
    desk d;
    taker t;
    desk_open(&d, NULL);
    start(&t, &d, NULL);
    await_waiting(&d, 1, false);

    add_later(&d, "a", 2);
    await_waiting(&d, 0, true);
    pass(&d, 2);

    expect_taken(&t, "a");
    desk_close(&d);
}

TEST(take, waits_for_the_key_that_is_due_first)
{
    desk d;
    taker t;
    desk_open(&d, NULL);
    add_later(&d, "a", 3600 * 1000);
    start(&t, &d, NULL);
    await_waiting(&d, 0, true);

    add_later(&d, "b", 1);
    pass(&d, 1);

    expect_taken(&t, "b");
    desk_close(&d);
}

TEST(take, by_the_one_who_waits_for_what_is_due_does_not_pass_over_what_comes_at_once)
{
    desk d;
    taker t;
    desk_open(&d, NULL);
    add_later(&d, "a", 3600 * 1000);
    start(&t, &d, NULL);
    await_waiting(&d, 0, true);

    add(&d, "b");

    expect_taken(&t, "b");
    desk_close(&d);
}

/* The first leaves without a key; the second waited for any, and has to wait for "a" now. */
TEST(take, leaves_somebody_to_wait_for_what_is_due)
{
    desk d;
    taker first = { .timeout_ms = 1 };
    taker second;
    desk_open(&d, NULL);
    first.queue = d.queue;
    add_later(&d, "a", 2);
    ASSERT_EQ(pthread_create(&first.thread, NULL, take_one, &first), 0);
    await_waiting(&d, 0, true);
    start(&second, &d, NULL);
    await_waiting(&d, 1, true);

    pass(&d, 1);
    pthread_join(first.thread, NULL);
    ASSERT_ERR(first.code, KIN_ERR_TIMEOUT);
    await_waiting(&d, 0, true);
    pass(&d, 1);

    expect_taken(&second, "a");
    desk_close(&d);
}

TEST(take, gives_no_key_to_two_workers)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");
    taker t;
    start(&t, &d, NULL);

    add(&d, "a");
    while (status_of(&d).added_again == 0) {
    }
    ASSERT_EQ(status_of(&d).taken, 1);
    kin_queue_done(d.queue, &a);

    expect_taken(&t, "a");
    desk_close(&d);
}

TEST(take, refuses_to_wait_in_a_handler)
{
    desk d;
    kin_error err;
    kin_queue_item item;
    desk_open(&d, NULL);

    kin__inside_enter(KIN__INSIDE_HANDLER);
    kin_err code = kin_queue_take(d.queue, NULL, -1, &item, &err);
    add(&d, "a");
    kin_err then = kin_queue_take(d.queue, NULL, -1, &item, NULL);
    kin__inside_leave(KIN__INSIDE_HANDLER);

    ASSERT_ERR(code, KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "queue queue: take: a handler or loop must not wait for a key");
    ASSERT_OK(then);
    desk_close(&d);
}

/* ---- giving back ---------------------------------------------------------------------------- */

TEST(done, empties_the_item_and_forgets_the_key)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");

    kin_queue_done(d.queue, &a);

    ASSERT_EQ(a.key.len, 0);
    ASSERT_EQ(a.ticket, 0);
    ASSERT_EQ(status_of(&d).held, 0);
    ASSERT_EQ(status_of(&d).remembered, 0);
    desk_close(&d);
}

TEST(done, a_second_time_is_ignored)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");
    kin_queue_item copy = a;
    kin_queue_item other_copy = a;
    kin_queue_done(d.queue, &a);
    add(&d, "a");
    kin_queue_item again = take(&d, "a");
    add(&d, "a");

    kin_queue_done(d.queue, &a);
    kin_queue_done(d.queue, &copy);
    kin_queue_retry(d.queue, &other_copy);

    expect_nothing(&d);
    ASSERT_EQ(status_of(&d).running, 1);
    ASSERT_EQ(kin_queue_failures(d.queue, kin_str_of("a")), 0);
    kin_queue_done(d.queue, &again);
    expect_keys(&d, "a");
    desk_close(&d);
}

TEST(retry, makes_the_key_come_later_each_time)
{
    desk d;
    kin_limiter limiter = KIN_LIMITER_INIT;
    limiter.base_ms = 10;
    desk_open_limited(&d, &limiter);
    add_at(&d, "a", KIN_PRIORITY_HIGH);

    for (uint32_t i = 0; i < 5; i++) {
        kin_queue_item a = take(&d, "a");
        ASSERT_EQ(a.failures, i);
        ASSERT_EQ(a.priority, KIN_PRIORITY_HIGH);
        kin_queue_retry(d.queue, &a);
        pass(&d, (10 << i) - 1);
        expect_nothing(&d);
        pass(&d, 1);
    }

    ASSERT_EQ(kin_queue_failures(d.queue, kin_str_of("a")), 5);
    desk_close(&d);
}

TEST(retry, needs_no_memory)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");
    test_allocator_plan((alloc_failure){ 1, true });

    kin_queue_retry(d.queue, &a);

    test_allocator_plan((alloc_failure){ 0 });
    expect_keys(&d, "a");
    desk_close(&d);
}

TEST(retry, in_a_queue_that_is_shut_down_is_only_done)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");
    kin_queue_shut_down(d.queue);

    kin_queue_retry(d.queue, &a);

    ASSERT_EQ(status_of(&d).held, 0);
    ASSERT_EQ(status_of(&d).later, 0);
    desk_close(&d);
}

/* ---- workers -------------------------------------------------------------------------------- */

TEST(worker, is_stopped_while_others_go_on)
{
    for (int round = 0; round < 50; round++) {
        desk d;
        kin_worker *worker = NULL;
        taker stopped[2];
        taker other;
        desk_open(&d, NULL);
        ASSERT_OK(kin_worker_new(d.queue, &worker, NULL));
        start(&stopped[0], &d, worker);
        start(&stopped[1], &d, worker);
        start(&other, &d, NULL);

        kin_worker_stop(worker);
        kin_worker_stop(worker);
        for (int i = 0; i < 2; i++) {
            pthread_join(stopped[i].thread, NULL);
            ASSERT_ERR(stopped[i].code, KIN_ERR_CANCELLED);
        }
        add(&d, "a");

        expect_taken(&other, "a");
        kin_worker_free(worker);
        desk_close(&d);
    }
}

TEST(worker, is_stopped_while_it_waits_for_what_is_due)
{
    desk d;
    kin_worker *worker = NULL;
    taker keeper;
    taker other;
    desk_open(&d, NULL);
    ASSERT_OK(kin_worker_new(d.queue, &worker, NULL));
    add_later(&d, "a", 3600 * 1000);
    start(&keeper, &d, worker);
    await_waiting(&d, 0, true);
    start(&other, &d, NULL);
    await_waiting(&d, 1, true);

    kin_worker_stop(worker);

    pthread_join(keeper.thread, NULL);
    ASSERT_ERR(keeper.code, KIN_ERR_CANCELLED);
    await_waiting(&d, 0, true); /* the other one waits for it now */
    add(&d, "b");
    expect_taken(&other, "b");
    kin_worker_free(worker);
    desk_close(&d);
}

/* A key comes and wakes the worker that is stopped at that moment: another has to get it.  The one
 * that waits longest is woken; should it be the other, there is nothing to pass on. */
TEST(worker, that_is_stopped_passes_on_what_woke_it)
{
    desk d;
    kin_worker *worker = NULL;
    taker stopped;
    taker other;
    desk_open(&d, NULL);
    ASSERT_OK(kin_worker_new(d.queue, &worker, NULL));
    start(&stopped, &d, worker);
    await_waiting(&d, 1, false);
    start(&other, &d, NULL);
    await_waiting(&d, 2, false);

    kin__mutex_lock(&d.queue->lock);
    kin__entry *entry = kin__entries_add(&d.queue->entries, 1, kin_str_of("a"));
    kin__queue_add_locked(d.queue, entry, KIN_PRIORITY_NORMAL);
    kin__queue_settle_locked(d.queue, entry, false);
    worker->is_stopped = true; /* and nobody else is woken for that */
    kin__mutex_unlock(&d.queue->lock);

    expect_taken(&other, "a");
    kin_worker_stop(worker);
    pthread_join(stopped.thread, NULL);
    ASSERT_ERR(stopped.code, KIN_ERR_CANCELLED);
    kin_worker_free(worker);
    desk_close(&d);
}

TEST(worker, that_is_stopped_takes_nothing_more)
{
    desk d;
    kin_error err;
    kin_worker *worker = NULL;
    kin_queue_item item;
    desk_open(&d, NULL);
    ASSERT_OK(kin_worker_new(d.queue, &worker, NULL));
    add(&d, "a");
    add(&d, "b");
    ASSERT_OK(kin_queue_take(d.queue, worker, 0, &item, NULL));

    kin_worker_stop(worker);
    kin_queue_done(d.queue, &item);

    ASSERT_ERR(kin_queue_take(d.queue, worker, 0, &item, &err), KIN_ERR_CANCELLED);
    ASSERT_MESSAGE(&err, "queue queue: take: the worker is stopped");
    expect_keys(&d, "b");
    kin_worker_free(worker);
    kin_worker_free(NULL);
    desk_close(&d);
}

TEST_FAILING_ALLOC(worker, is_made_or_not)
{
    kin_queue *queue = NULL;
    kin_worker *worker = NULL;
    kin_error err;
    kin_err code = kin_queue_new(NULL, &queue, &err);

    if (code == KIN_OK) {
        code = kin_worker_new(queue, &worker, &err);
    }
    kin_worker_free(worker);
    kin_queue_free(queue);
    return code;
}

/* ---- an event loop -------------------------------------------------------------------------- */

static bool is_readable(int fd, int timeout_ms)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    return poll(&poll_fd, 1, timeout_ms) == 1;
}

TEST(fd, is_readable_while_there_is_something_to_take)
{
    desk d;
    int fd = -1;
    int same = -1;
    desk_open(&d, NULL);
    add(&d, "a");
    ASSERT_OK(kin_queue_fd(d.queue, &fd, NULL));
    ASSERT_OK(kin_queue_fd(d.queue, &same, NULL));
    add(&d, "b");

    ASSERT_EQ(fd, same);
    ASSERT_TRUE(is_readable(fd, SOON_MS));
    kin_queue_item a = take(&d, "a");
    ASSERT_TRUE(is_readable(fd, SOON_MS));
    add(&d, "a");
    kin_queue_item b = take(&d, "b");
    ASSERT_FALSE(is_readable(fd, 0));
    kin_queue_done(d.queue, &a);
    ASSERT_TRUE(is_readable(fd, SOON_MS));
    expect_keys(&d, "a");
    ASSERT_FALSE(is_readable(fd, 0));

    kin_queue_done(d.queue, &b);
    kin_queue_shut_down(d.queue);
    ASSERT_TRUE(is_readable(fd, SOON_MS));
    desk_close(&d);
}

TEST(fd, becomes_readable_when_a_key_is_due)
{
    kin_queue *queue = NULL;
    int fd = -1;
    ASSERT_OK(kin_queue_new(NULL, &queue, NULL));
    ASSERT_OK(kin_queue_fd(queue, &fd, NULL));
    desk d = { .queue = queue };

    add_later(&d, "a", 3600 * 1000);
    add_later(&d, "b", 2);
    ASSERT_TRUE(is_readable(fd, SOON_MS));
    expect_keys(&d, "b");
    ASSERT_FALSE(is_readable(fd, 0));

    ASSERT_TRUE(kin_queue_cancel(queue, kin_str_of("a")));
    kin__mutex_lock(&queue->lock);
    ASSERT_EQ(queue->alarm.at_ns, KIN__ALARM_NEVER);
    kin__mutex_unlock(&queue->lock);
    kin_queue_free(queue);
}

TEST(fail, says_when_the_key_comes_again_and_leaves_it_with_its_worker)
{
    kin_limiter limiter = KIN_LIMITER_INIT;
    desk d;

    limiter.base_ms = 100;
    desk_open_limited(&d, &limiter);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");

    ASSERT_EQ(kin__queue_fail(d.queue, &a), 100);
    pass(&d, 100);
    expect_nothing(&d); /* it is due, and still has a worker */
    ASSERT_EQ(status_of(&d).running, 1);
    kin_queue_done(d.queue, &a);
    a = take(&d, "a");
    ASSERT_EQ(a.failures, 1);
    add_later(&d, "a", 30); /* the earliest counts */
    ASSERT_EQ(kin__queue_fail(d.queue, &a), 30);
    kin_queue_shut_down_now(d.queue);
    ASSERT_EQ(kin__queue_fail(d.queue, &a), -1);
    kin_queue_done(d.queue, &a);
    desk_close(&d);
}
