/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_test.c - a work queue: made, and looked at.
 */
#include "queue/queue.h"

#include "unit/queue/support.h"

TEST(queue, refuses_options_that_are_not_initialised)
{
    kin_queue *queue = NULL;
    kin_error err;
    kin_queue_options options = { 0 };
    kin_limiter limiter = KIN_LIMITER_INIT;

    ASSERT_ERR(kin_queue_new(&options, &queue, &err), KIN_ERR_USAGE);
    options = (kin_queue_options) KIN_QUEUE_OPTIONS_INIT;
    options.limiter = &limiter;
    options.name = "pods";
    limiter.slow_ms = -1;
    ASSERT_ERR(kin_queue_new(&options, &queue, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "queue pods: kin_limiter: a time or rate is negative");
    ASSERT_TRUE(queue == NULL);
    kin_queue_free(NULL);
}

TEST(queue, tells_how_it_fares)
{
    desk d;
    desk_open(&d, NULL);
    for (int i = 0; i < 3; i++) {
        add(&d, i == 0 ? "a" : i == 1 ? "b" : "c");
    }
    kin_queue_item a = take(&d, "a");
    add(&d, "a");
    add_later(&d, "c", 50);
    add_limited(&d, "failed");
    ASSERT_TRUE(kin_queue_cancel(d.queue, kin_str_of("failed")));
    pass(&d, 7);

    kin_queue_status status = status_of(&d);

    ASSERT_FALSE(status.is_shut_down);
    ASSERT_EQ(status.waiting, 2);
    ASSERT_EQ(status.running, 1);
    ASSERT_EQ(status.added_again, 1);
    ASSERT_EQ(status.later, 1);
    ASSERT_EQ(status.held, 3);
    ASSERT_EQ(status.remembered, 1);
    ASSERT_EQ(status.taken, 1);
    ASSERT_EQ(status.longest_running_ms, 7);
    kin_queue_done(d.queue, &a);
    desk_close(&d);
}

TEST(queue, tells_older_programs_what_they_know)
{
    desk d;
    kin_queue_status status = KIN_QUEUE_STATUS_INIT;
    desk_open(&d, NULL);
    add(&d, "a");
    status.size = offsetof(kin_queue_status, running);
    status.running = 99;

    ASSERT_OK(kin_queue_get_status(d.queue, &status, NULL));
    ASSERT_EQ(status.waiting, 1);
    ASSERT_EQ(status.running, 99);
    status.size = 0;

    ASSERT_ERR(kin_queue_get_status(d.queue, &status, NULL), KIN_ERR_USAGE);
    desk_close(&d);
}

TEST(queue, keeps_nothing_of_a_key_that_is_done)
{
    desk d;
    desk_open(&d, NULL);
    for (int i = 0; i < 20000; i++) {
        ASSERT_OK(kin_queue_add(d.queue, (kin_str){ (const char *) &i, sizeof i }, NULL, NULL));
    }
    long long blocks = live_blocks();
    kin_queue_item item;

    while (kin_queue_take(d.queue, NULL, 0, &item, NULL) == KIN_OK) {
        kin_queue_done(d.queue, &item);
    }

    ASSERT_EQ(status_of(&d).held, 0);
    ASSERT_EQ(status_of(&d).remembered, 0);
    ASSERT_TRUE(live_blocks() < blocks - 18000);
    desk_close(&d);
}

TEST(queue, may_go_with_keys_in_every_state)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    (void) take(&d, "a");
    add(&d, "a");
    add(&d, "b");
    add_later(&d, "c", 50);
    add_limited(&d, "d");

    desk_close(&d);
}

TEST_FAILING_ALLOC(queue, is_made_or_not)
{
    kin_queue_options options = KIN_QUEUE_OPTIONS_INIT;
    kin_queue *queue = NULL;
    kin_error err;
    kin_err code = kin_metrics_new(&options.metrics, &err);

    if (code == KIN_OK) {
        code = kin_queue_new(&options, &queue, &err);
        kin_queue_free(queue);
        kin_metrics_free(options.metrics);
    }
    return code;
}
