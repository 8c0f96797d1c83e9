/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add_test.c - putting keys into a work queue, now or later.
 */
#include <pthread.h>
#include <sched.h>

#include "base/inside.h"
#include "queue/queue_state.h"
#include "support/allocator.h"
#include "unit/queue/support.h"

/* ---- at once -------------------------------------------------------------------------------- */

TEST(add, keeps_the_order)
{
    desk d;
    desk_open(&d, NULL);

    add(&d, "b");
    add(&d, "a");
    add(&d, "c");

    expect_keys(&d, "b a c");
    desk_close(&d);
}

TEST(add, of_a_key_that_waits_changes_nothing)
{
    desk d;
    desk_open(&d, NULL);

    add(&d, "a");
    add(&d, "b");
    add(&d, "a");

    ASSERT_EQ(kin_queue_length(d.queue), 2);
    expect_keys(&d, "a b");
    desk_close(&d);
}

TEST(add, copies_the_key)
{
    desk d;
    desk_open(&d, NULL);
    char key[] = "a";

    add(&d, key);
    key[0] = 'x';

    expect_keys(&d, "a");
    desk_close(&d);
}

TEST(add, takes_any_bytes)
{
    desk d;
    kin_queue_item item;
    desk_open(&d, NULL);

    ASSERT_OK(kin_queue_add(d.queue, (kin_str){ NULL, 0 }, NULL, NULL));
    ASSERT_OK(kin_queue_add(d.queue, (kin_str){ "\0\xff", 2 }, NULL, NULL));

    ASSERT_OK(kin_queue_take(d.queue, NULL, 0, &item, NULL));
    ASSERT_EQ(item.key.len, 0);
    ASSERT_OK(kin_queue_take(d.queue, NULL, 0, &item, NULL));
    ASSERT_EQ(item.key.len, 2);
    ASSERT_TRUE(memcmp(item.key.data, "\0\xff", 2) == 0);
    desk_close(&d);
}

TEST(add, while_a_worker_has_the_key_makes_it_come_once_more)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");

    add(&d, "a");
    add(&d, "a");
    add(&d, "b");
    ASSERT_EQ(kin_queue_length(d.queue), 1);
    ASSERT_EQ(status_of(&d).added_again, 1);
    kin_queue_item b = take(&d, "b");
    expect_nothing(&d);
    kin_queue_done(d.queue, &a);

    expect_keys(&d, "a");
    kin_queue_done(d.queue, &b);
    expect_nothing(&d);
    desk_close(&d);
}

TEST(add, refuses_what_makes_no_sense)
{
    static const char key[65536];
    desk d;
    kin_error err;
    kin_queue_add_options options = { 0 };
    desk_open(&d, NULL);

    ASSERT_ERR(kin_queue_add(d.queue, kin_str_of("a"), &options, &err), KIN_ERR_USAGE);
    options = (kin_queue_add_options) KIN_QUEUE_ADD_OPTIONS_INIT;
    options.priority = (kin_priority) 2;
    ASSERT_ERR(kin_queue_add(d.queue, kin_str_of("a"), &options, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "queue queue: there is no priority 2");
    ASSERT_ERR(kin_queue_add(d.queue, (kin_str){ key, 65536 }, NULL, &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "queue queue: a key of 65536 bytes is too long");

    expect_nothing(&d);
    ASSERT_EQ(status_of(&d).held, 0);
    desk_close(&d);
}

/* ---- priorities ----------------------------------------------------------------------------- */

TEST(add, lets_higher_priorities_go_first)
{
    desk d;
    desk_open(&d, NULL);

    add_at(&d, "old", KIN_PRIORITY_LOW);
    add(&d, "fresh");
    add_at(&d, "urgent", KIN_PRIORITY_HIGH);

    expect_keys(&d, "urgent fresh old");
    desk_close(&d);
}

TEST(add, raises_a_key_that_waits_and_never_lowers_it)
{
    desk d;
    desk_open(&d, NULL);

    add_at(&d, "a", KIN_PRIORITY_LOW);
    add_at(&d, "b", KIN_PRIORITY_LOW);
    add(&d, "c");
    add(&d, "b");
    add_at(&d, "c", KIN_PRIORITY_LOW);

    kin_queue_item c = take(&d, "c");
    kin_queue_item b = take(&d, "b");
    kin_queue_item a = take(&d, "a");
    ASSERT_EQ(c.priority, KIN_PRIORITY_NORMAL);
    ASSERT_EQ(b.priority, KIN_PRIORITY_NORMAL);
    ASSERT_EQ(a.priority, KIN_PRIORITY_LOW);
    desk_close(&d);
}

TEST(add, raises_a_key_that_a_worker_has)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");
    add(&d, "b");

    add_at(&d, "a", KIN_PRIORITY_LOW);
    add_at(&d, "a", KIN_PRIORITY_HIGH);
    add_at(&d, "a", KIN_PRIORITY_LOW);
    kin_queue_done(d.queue, &a);

    expect_keys(&d, "a b");
    desk_close(&d);
}

TEST(add, of_a_notification_puts_fresh_changes_first)
{
    desk d;
    desk_open(&d, NULL);
    kin_notification initial = { .type = KIN_NOTIFICATION_ADDED,
                                 .key = kin_str_of("initial"),
                                 .is_initial = true };
    kin_notification resync = { .type = KIN_NOTIFICATION_UPDATED,
                                .key = kin_str_of("resync"),
                                .is_resync = true };
    kin_notification fresh = { .type = KIN_NOTIFICATION_DELETED, .key = kin_str_of("fresh") };

    ASSERT_OK(kin_queue_add_notification(d.queue, &initial, NULL));
    ASSERT_OK(kin_queue_add_notification(d.queue, &resync, NULL));
    ASSERT_OK(kin_queue_add_notification(d.queue, &fresh, NULL));

    expect_keys(&d, "fresh initial resync");
    desk_close(&d);
}

/* ---- later ---------------------------------------------------------------------------------- */

TEST(add, for_later_comes_once_and_not_before_its_time)
{
    desk d;
    desk_open(&d, NULL);

    add_later(&d, "a", 50);
    ASSERT_EQ(kin_queue_length(d.queue), 0);
    ASSERT_EQ(status_of(&d).later, 1);
    pass(&d, 49);
    expect_nothing(&d);
    pass(&d, 1);

    ASSERT_EQ(kin_queue_length(d.queue), 1);
    expect_keys(&d, "a");
    pass(&d, 100000);
    expect_nothing(&d);
    desk_close(&d);
}

TEST(add, for_later_twice_comes_at_the_earlier_time)
{
    desk d;
    desk_open(&d, NULL);

    add_later(&d, "a", 50);
    add_later(&d, "a", 30);
    add_later(&d, "a", 70);
    pass(&d, 30);
    expect_keys(&d, "a");
    pass(&d, 100);

    expect_nothing(&d);
    desk_close(&d);
}

TEST(add, for_later_keeps_the_order_of_the_times)
{
    desk d;
    desk_open(&d, NULL);

    add_later(&d, "third", 30);
    add_later(&d, "first", 10);
    add_later(&d, "second", 20);
    pass(&d, 100);

    expect_keys(&d, "first second third");
    desk_close(&d);
}

TEST(add, for_later_serves_the_shorter_first_and_goes_on)
{
    desk d;
    desk_open(&d, NULL);

    add_later(&d, "a", 1000);
    add_later(&d, "b", 50);
    pass(&d, 60);
    expect_keys(&d, "b");
    add_later(&d, "c", 2000);
    pass(&d, 940);
    expect_keys(&d, "a");
    pass(&d, 1060);

    expect_keys(&d, "c");
    desk_close(&d);
}

TEST(add, at_once_leaves_what_is_to_come_later)
{
    desk d;
    desk_open(&d, NULL);

    add_later(&d, "a", 50);
    add(&d, "a");
    expect_keys(&d, "a");
    pass(&d, 50);

    expect_keys(&d, "a");
    desk_close(&d);
}

TEST(add, for_later_that_is_due_while_a_worker_has_the_key_comes_after_it)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");
    add_later(&d, "a", 50);

    pass(&d, 60);
    expect_nothing(&d);
    kin_queue_done(d.queue, &a);

    expect_keys(&d, "a");
    desk_close(&d);
}

TEST(add, puts_a_moment_off_when_it_is_told_so)
{
    desk d;
    desk_open(&d, NULL);

    add_later(&d, "a", 50);
    add_instead(&d, "a", 80);
    pass(&d, 79);
    expect_nothing(&d);
    pass(&d, 1);

    expect_keys(&d, "a");
    desk_close(&d);
}

TEST(add, at_once_instead_of_later_comes_once)
{
    desk d;
    desk_open(&d, NULL);

    add_later(&d, "a", 50);
    add_instead(&d, "a", 0);
    expect_keys(&d, "a");
    pass(&d, 50);

    expect_nothing(&d);
    ASSERT_EQ(status_of(&d).held, 0);
    desk_close(&d);
}

TEST(add, for_later_has_the_highest_priority_that_was_wanted)
{
    desk d;
    kin_queue_add_options low = KIN_QUEUE_ADD_OPTIONS_INIT;
    low.priority = KIN_PRIORITY_LOW;
    low.delay_ms = 10;
    desk_open(&d, NULL);

    add_later(&d, "a", 50);
    ASSERT_OK(kin_queue_add(d.queue, kin_str_of("a"), &low, NULL));
    ASSERT_OK(kin_queue_add(d.queue, kin_str_of("b"), &low, NULL));
    pass(&d, 10);

    kin_queue_item a = take(&d, "a");
    kin_queue_item b = take(&d, "b");
    ASSERT_EQ(a.priority, KIN_PRIORITY_NORMAL);
    ASSERT_EQ(b.priority, KIN_PRIORITY_LOW);
    desk_close(&d);
}

TEST(add, for_ever_later_is_no_trouble)
{
    desk d;
    desk_open(&d, NULL);

    add_later(&d, "a", INT64_MAX);
    pass(&d, 1000000);

    expect_nothing(&d);
    ASSERT_TRUE(kin_queue_cancel(d.queue, kin_str_of("a")));
    desk_close(&d);
}

TEST(cancel, takes_back_what_was_to_come_later)
{
    desk d;
    desk_open(&d, NULL);
    add_later(&d, "a", 50);
    add_later(&d, "b", 50);
    add(&d, "b");

    ASSERT_TRUE(kin_queue_cancel(d.queue, kin_str_of("a")));
    ASSERT_TRUE(kin_queue_cancel(d.queue, kin_str_of("b")));
    ASSERT_FALSE(kin_queue_cancel(d.queue, kin_str_of("a")));
    ASSERT_FALSE(kin_queue_cancel(d.queue, kin_str_of("c")));

    expect_keys(&d, "b");
    pass(&d, 50);
    expect_nothing(&d);
    ASSERT_EQ(status_of(&d).held, 0);
    desk_close(&d);
}

/* ---- after failures ------------------------------------------------------------------------- */

TEST(add_limited, waits_longer_for_each_key_by_itself)
{
    desk d;
    kin_limiter limiter = KIN_LIMITER_INIT;
    limiter.base_ms = 1;
    limiter.max_ms = 1000;
    desk_open_limited(&d, &limiter);

    add_limited(&d, "one");
    pass(&d, 1);
    expect_keys(&d, "one");
    add_limited(&d, "one");
    add_limited(&d, "two");
    ASSERT_EQ(kin_queue_failures(d.queue, kin_str_of("one")), 2);
    ASSERT_EQ(kin_queue_failures(d.queue, kin_str_of("two")), 1);
    pass(&d, 1);
    expect_keys(&d, "two");
    pass(&d, 1);

    expect_keys(&d, "one");
    desk_close(&d);
}

TEST(add_limited, begins_anew_when_it_is_forgotten)
{
    desk d;
    kin_limiter limiter = KIN_LIMITER_INIT;
    limiter.base_ms = 1;
    desk_open_limited(&d, &limiter);
    for (int i = 0; i < 5; i++) {
        add_limited(&d, "a");
    }
    pass(&d, 1000);
    expect_keys(&d, "a");
    ASSERT_EQ(status_of(&d).remembered, 1);

    kin_queue_forget(d.queue, kin_str_of("a"));
    kin_queue_forget(d.queue, kin_str_of("b"));

    ASSERT_EQ(status_of(&d).remembered, 0);
    ASSERT_EQ(kin_queue_failures(d.queue, kin_str_of("a")), 0);
    add_limited(&d, "a");
    pass(&d, 1);
    expect_keys(&d, "a");
    desk_close(&d);
}

TEST(add_limited, forgotten_while_it_waits_still_comes)
{
    desk d;
    desk_open(&d, NULL);
    add_limited(&d, "a");

    kin_queue_forget(d.queue, kin_str_of("a"));
    pass(&d, 5);

    expect_keys(&d, "a");
    ASSERT_EQ(status_of(&d).held, 0);
    desk_close(&d);
}

static int64_t own_delay(void *context, kin_str key, uint32_t n)
{
    desk *d = context;
    ASSERT_SLICE_EQ(key, "a");
    ASSERT_EQ(kin_queue_failures(d->queue, key), n); /* the queue is not locked */
    return 10 + 10 * (int64_t) n;
}

TEST(add_limited, asks_the_function_of_the_program)
{
    desk d;
    kin_limiter limiter = KIN_LIMITER_INIT;
    limiter.delay_ms = own_delay;
    limiter.context = &d;
    desk_open_limited(&d, &limiter);

    add_limited(&d, "a");
    pass(&d, 9);
    expect_nothing(&d);
    pass(&d, 1);
    kin_queue_item a = take(&d, "a");
    kin_queue_retry(d.queue, &a);
    pass(&d, 19);
    expect_nothing(&d);
    pass(&d, 1);

    expect_keys(&d, "a");
    desk_close(&d);
}

/* ---- a bound -------------------------------------------------------------------------------- */

static void open_bounded(desk *d, size_t bound)
{
    kin_queue_options options = KIN_QUEUE_OPTIONS_INIT;
    options.bound = bound;
    options.name = "small";
    desk_open(d, &options);
}

static kin_err try_add(desk *d, const char *key, int64_t room_timeout_ms, kin_error *err)
{
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;
    options.room_timeout_ms = room_timeout_ms;
    return kin_queue_add(d->queue, kin_str_of(key), &options, err);
}

TEST(bound, refuses_new_keys_and_takes_those_that_are_there)
{
    desk d;
    kin_error err;
    open_bounded(&d, 2);
    add(&d, "a");
    add_later(&d, "b", 50);

    ASSERT_ERR(try_add(&d, "c", 0, &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "queue small: it is full: 2 keys");
    add(&d, "b");
    kin_queue_item a = take(&d, "a");
    ASSERT_ERR(try_add(&d, "c", 0, &err), KIN_ERR_LIMIT);
    add(&d, "a");
    kin_queue_done(d.queue, &a);
    expect_keys(&d, "b a");

    ASSERT_EQ(status_of(&d).held, 1);
    ASSERT_TRUE(kin_queue_cancel(d.queue, kin_str_of("b")));
    add(&d, "c");
    add(&d, "d");
    ASSERT_ERR(try_add(&d, "e", 0, &err), KIN_ERR_LIMIT);
    desk_close(&d);
}

/* Keys that are known by their failures alone are outside of it, and no way in. */
TEST(bound, holds_for_a_key_that_has_failed_before)
{
    kin_error err;
    desk d;
    open_bounded(&d, 1);
    add_limited(&d, "a");
    pass(&d, 5);
    expect_keys(&d, "a");
    ASSERT_EQ(status_of(&d).remembered, 1);
    add(&d, "b");

    ASSERT_ERR(try_add(&d, "a", 0, &err), KIN_ERR_LIMIT);

    ASSERT_EQ(kin_queue_failures(d.queue, kin_str_of("a")), 1);
    expect_keys(&d, "b");
    add(&d, "a");
    expect_keys(&d, "a");
    desk_close(&d);
}

typedef struct adder {
    desk *desk;
    const char *key;
    kin_err code;
} adder;

static void *add_when_there_is_room(void *context)
{
    adder *a = context;
    a->code = try_add(a->desk, a->key, -1, NULL);
    return NULL;
}

TEST(bound, lets_who_wants_to_wait_for_room)
{
    desk d;
    open_bounded(&d, 1);
    add(&d, "a");
    adder adders[2] = { { .desk = &d, .key = "b" }, { .desk = &d, .key = "c" } };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(pthread_create(&threads[i], NULL, add_when_there_is_room, &adders[i]), 0);
    }

    for (int taken = 0; taken < 3;) {
        kin_queue_item item;
        if (kin_queue_take(d.queue, NULL, -1, &item, NULL) == KIN_OK) {
            ASSERT_TRUE(status_of(&d).held <= 1);
            kin_queue_done(d.queue, &item);
            taken++;
        }
    }

    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        ASSERT_OK(adders[i].code);
    }
    desk_close(&d);
}

TEST(bound, stops_waiting_when_the_queue_is_shut_down)
{
    desk d;
    pthread_t thread;
    adder b = { .desk = &d, .key = "b" };
    open_bounded(&d, 1);
    add(&d, "a");
    ASSERT_EQ(pthread_create(&thread, NULL, add_when_there_is_room, &b), 0);
    for (bool is_waiting = false; !is_waiting;) {
        kin__mutex_lock(&d.queue->lock);
        is_waiting = d.queue->room_count == 1;
        kin__mutex_unlock(&d.queue->lock);
        (void) sched_yield();
    }

    kin_queue_shut_down(d.queue);

    pthread_join(thread, NULL);
    ASSERT_ERR(b.code, KIN_ERR_CANCELLED);
    desk_close(&d);
}

TEST(bound, stops_waiting_when_the_time_is_over)
{
    kin_queue_options options = KIN_QUEUE_OPTIONS_INIT;
    kin_queue *queue = NULL;
    options.bound = 1;
    ASSERT_OK(kin_queue_new(&options, &queue, NULL));
    desk d = { .queue = queue };
    add(&d, "a");

    ASSERT_ERR(try_add(&d, "b", 1, NULL), KIN_ERR_LIMIT);
    kin_queue_free(queue);
}

TEST(bound, lets_no_loop_and_no_index_function_wait)
{
    static const kin__inside places[] = { KIN__INSIDE_LOOP, KIN__INSIDE_CHANGE };
    desk d;
    kin_error err;
    open_bounded(&d, 1);
    add(&d, "a");

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        kin__inside_enter(places[i]);
        kin_err code = try_add(&d, "b", -1, &err);
        kin__inside_leave(places[i]);

        ASSERT_ERR(code, KIN_ERR_USAGE);
        ASSERT_MESSAGE(&err, "queue small: it is full, and a loop must not wait for room");
    }
    desk_close(&d);
}

TEST(retry, counts_failures_for_ever)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");
    kin__mutex_lock(&d.queue->lock);
    d.queue->tickets.seats[a.place].entry->failures = UINT32_MAX;
    kin__mutex_unlock(&d.queue->lock);

    kin_queue_retry(d.queue, &a);

    ASSERT_EQ(kin_queue_failures(d.queue, kin_str_of("a")), UINT32_MAX);
    desk_close(&d);
}

/* ---- memory --------------------------------------------------------------------------------- */

TEST(add, of_a_key_that_a_worker_has_needs_no_memory)
{
    desk d;
    desk_open(&d, NULL);
    add(&d, "a");
    kin_queue_item a = take(&d, "a");
    test_allocator_plan((alloc_failure){ 1, true });

    add(&d, "a");
    kin_queue_done(d.queue, &a);
    expect_keys(&d, "a");

    test_allocator_plan((alloc_failure){ 0 });
    desk_close(&d);
}

TEST(add, that_fails_leaves_nothing_behind)
{
    desk d;
    desk_open(&d, NULL);
    test_allocator_plan((alloc_failure){ 2, true });
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;
    options.delay_ms = 50;

    kin_err code = kin_queue_add(d.queue, kin_str_of("a"), &options, NULL);

    test_allocator_plan((alloc_failure){ 0 });
    ASSERT_ERR(code, KIN_ERR_NO_MEMORY);
    ASSERT_EQ(status_of(&d).held, 0);
    ASSERT_EQ(status_of(&d).remembered, 0);
    ASSERT_EQ(kin_queue_failures(d.queue, kin_str_of("a")), 0);
    desk_close(&d);
}

/* Three tokens are there: the key that could not be added has had none of them. */
TEST(add_limited, that_fails_takes_no_token)
{
    kin_limiter limiter = KIN_LIMITER_INIT;
    limiter.rate = 0.1;
    limiter.burst = 3;
    limiter.base_ms = 1;
    desk d;
    desk_open_limited(&d, &limiter);
    add(&d, "x"); /* its entry, and no heap yet */
    test_allocator_plan((alloc_failure){ 1, true });

    kin_err code = kin_queue_add_limited(d.queue, kin_str_of("x"), NULL, NULL);

    test_allocator_plan((alloc_failure){ 0 });
    ASSERT_ERR(code, KIN_ERR_NO_MEMORY);
    expect_keys(&d, "x");
    add_limited(&d, "a");
    add_limited(&d, "b");
    add_limited(&d, "c");
    pass(&d, 1);
    expect_keys(&d, "a b c");
    desk_close(&d);
}

TEST_FAILING_ALLOC(add, works_or_says_that_there_is_no_memory)
{
    kin_queue *queue = NULL;
    kin_queue_item item;
    kin_error err;
    kin__virtual_clock clock;
    kin__virtual_clock_init(&clock, 1000, (kin_time){ 0 });
    kin_err code = kin__queue_new(NULL, &clock.clock, &queue, &err);

    for (int i = 0; i < 100 && code == KIN_OK; i++) {
        char key[2] = { (char) i, 'k' };
        code = kin_queue_add_limited(queue, (kin_str){ key, 2 }, NULL, &err);
    }
    if (code == KIN_OK) {
        code = kin_queue_add(queue, kin_str_of("now"), NULL, &err);
    }
    if (code == KIN_OK) {
        code = kin_queue_take(queue, NULL, 0, &item, &err);
    }
    kin_queue_free(queue);
    return code;
}
