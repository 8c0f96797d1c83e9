/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registration_test.c - queues, bounds, filters and ends of a handler.
 */
#include "kin/registration.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processor_support.h"

static bool is_readable(const kin_registration *registration)
{
    struct pollfd p = { .fd = kin_registration_fd(registration), .events = POLLIN };
    ASSERT_TRUE(p.fd >= 0);
    return poll(&p, 1, 0) == 1;
}

/* ---- a queue of the program's ---------------------------------------------------------------- */

TEST(registration, is_readable_while_there_is_something_to_dispatch)
{
    world w;
    diary d = DIARY;
    kin_error err;
    size_t told = 0;
    world_begin(&w, 0);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_QUEUE);

    ASSERT_FALSE(is_readable(r));
    change_pod(&w, 0, 1);
    change_pod(&w, 0, 2);
    change_pod(&w, 0, 3);
    ASSERT_TRUE(is_readable(r));
    ASSERT_OK(kin_registration_dispatch(r, 2, &told, &err));
    ASSERT_EQ(told, 2);
    ASSERT_TRUE(is_readable(r));
    ASSERT_OK(kin_registration_dispatch(r, 2, &told, &err));
    ASSERT_EQ(told, 1);

    ASSERT_FALSE(is_readable(r));
    ASSERT_STR_EQ(diary_read(&d), "A0@1 U0@1>2 U0@2>3");
    kin_registration_free(r);
    world_end(&w);
}

TEST(registration, refuses_to_dispatch_what_is_no_queue)
{
    world w;
    diary d = DIARY;
    kin_error err;
    size_t told = 7;
    world_begin(&w, 0);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_INLINE);

    ASSERT_ERR(kin_registration_dispatch(r, 0, &told, &err), KIN_ERR_USAGE);

    ASSERT_MESSAGE(&err, "dispatch handler \"diary\": its mode is not KIN_DELIVERY_QUEUE");
    ASSERT_EQ(told, 7);
    ASSERT_EQ(kin_registration_fd(r), -1);
    kin_registration_free(r);
    world_end(&w);
}

static void change_again(diary *d)
{
    if (d->count < 1000) {
        change_pod(d->world, 0, d->count + 2);
    }
}

TEST(registration, does_not_keep_the_program_when_changes_never_end)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    d.world = &w;
    d.during = change_again;

    change_pod(&w, 0, 1);
    ASSERT_TRUE(dispatch_all(r) < 10);

    ASSERT_TRUE(is_readable(r));
    d.during = NULL;
    kin_registration_free(r);
    world_end(&w);
}

static void dispatch_inside(diary *d)
{
    d->outcome = kin_registration_dispatch(d->self, 0, NULL, &d->err);
}

TEST(registration, refuses_to_dispatch_twice_at_once)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    d.self = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    d.during = dispatch_inside;

    change_pod(&w, 0, 1);
    dispatch_all(d.self);

    ASSERT_EQ(d.outcome, KIN_ERR_USAGE);
    ASSERT_STR_EQ(d.err.message, "dispatch handler \"diary\": it is being called already");
    d.during = NULL;
    kin_registration_free(d.self);
    world_end(&w);
}

/* ---- removal --------------------------------------------------------------------------------- */

TEST(registration, is_told_nothing_after_its_removal)
{
    world w;
    diary a = DIARY;
    diary b = DIARY;
    world_begin(&w, 0);
    kin_registration *first = add_diary(&w, &a, KIN_DELIVERY_QUEUE);
    kin_registration *second = add_diary(&w, &b, KIN_DELIVERY_INLINE);
    ASSERT_EQ(kin__processor_count(w.processor), 2);
    change_pod(&w, 0, 1);

    kin_registration_remove(first);
    kin_registration_remove(first);
    change_pod(&w, 0, 2);

    ASSERT_EQ(kin__processor_count(w.processor), 1);
    ASSERT_EQ(dispatch_all(first), 0);
    ASSERT_FALSE(is_readable(first));
    ASSERT_STR_EQ(diary_read(&a), "X");
    ASSERT_STR_EQ(diary_read(&b), "A0@1 U0@1>2");
    ASSERT_EQ(status_of(first).state, KIN_REGISTRATION_REMOVED);
    kin_registration_free(first);
    kin_registration_free(second);
    ASSERT_EQ(kin__processor_count(w.processor), 0);
    world_end(&w);
}

TEST(registration, of_the_same_handler_is_another_one)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_INLINE);
    options.on_end = NULL;
    kin_registration *first = add(&w, &options);
    kin_registration *second = add(&w, &options);

    change_pod(&w, 0, 1);
    ASSERT_STR_EQ(diary_read(&d), "A0@1 A0@1");
    kin_registration_remove(first);
    change_pod(&w, 0, 2);

    ASSERT_STR_EQ(diary_read(&d), "U0@1>2");
    kin_registration_free(first);
    kin_registration_free(second);
    world_end(&w);
}

TEST(registration, is_removed_while_a_call_is_being_made)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    diary_shut(&d, true);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_POOL);
    change_pod(&w, 0, 1);
    change_pod(&w, 0, 2);
    diary_await_inside(&d);

    kin_registration_remove(r);

    ASSERT_TRUE(status_of(r).is_running);
    ASSERT_STR_EQ(diary_read(&d), "");
    diary_shut(&d, false);
    diary_await(&d, 2);
    ASSERT_STR_EQ(diary_read(&d), "A0@1 X");
    kin_registration_free(r);
    world_end(&w);
}

static void *remove_and_wait(void *context)
{
    diary *d = context;
    d->outcome = kin_registration_remove_and_wait(d->self, &d->err);
    ASSERT_EQ(d->count, 2); /* the call, and the end */
    return NULL;
}

TEST(registration, is_removed_and_the_call_waited_for)
{
    world w;
    diary d = DIARY;
    pthread_t thread;
    world_begin(&w, 0);
    diary_shut(&d, true);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_POOL);
    d.self = r;
    change_pod(&w, 0, 1);
    change_pod(&w, 0, 2);
    diary_await_inside(&d);

    ASSERT_EQ(pthread_create(&thread, NULL, remove_and_wait, &d), 0);
    while (status_of(r).state == KIN_REGISTRATION_ACTIVE) {
        (void) sched_yield();
    }
    diary_shut(&d, false);
    ASSERT_EQ(pthread_join(thread, NULL), 0);

    ASSERT_EQ(d.outcome, KIN_OK);
    ASSERT_STR_EQ(diary_read(&d), "A0@1 X");
    kin_registration_free(r);
    world_end(&w);
}

static void remove_myself(diary *d)
{
    d->during = NULL;
    d->outcome = kin_registration_remove_and_wait(d->self, &d->err);
    ASSERT_EQ(status_of(d->self).state, KIN_REGISTRATION_ACTIVE);
    kin_registration_remove(d->self);
}

TEST(registration, does_not_wait_for_itself)
{
    static const kin_delivery modes[] = { KIN_DELIVERY_POOL, KIN_DELIVERY_QUEUE,
                                          KIN_DELIVERY_INLINE };
    for (size_t i = 0; i < 3; i++) {
        world w;
        diary d = DIARY;
        world_begin(&w, 0);
        kin_registration *r = add_diary(&w, &d, modes[i]);
        d.self = r;
        d.during = remove_myself;

        open_batch(&w);
        put_pod(&w, 0, 1);
        put_pod(&w, 0, 2);
        close_batch(&w);
        if (modes[i] == KIN_DELIVERY_QUEUE) {
            dispatch_all(r);
        }
        diary_await(&d, 2);

        ASSERT_EQ(d.outcome, KIN_ERR_USAGE);
        ASSERT_CONTAINS(d.err.message, "remove handler \"diary\" and wait: not from a handler");
        ASSERT_STR_EQ(diary_read(&d), "A0@1 X");
        kin_registration_free(r);
        world_end(&w);
    }
}

TEST(registration, is_not_waited_for_on_the_loop)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    atomic_store(&w.is_on_loop, true);

    ASSERT_ERR(kin_registration_remove_and_wait(r, &w.err), KIN_ERR_USAGE);

    ASSERT_EQ(status_of(r).state, KIN_REGISTRATION_ACTIVE);
    kin_registration_free(r);
    world_end(&w);
}

static void free_myself(diary *d)
{
    d->during = NULL;
    kin_registration_free(d->self);
    d->self = NULL;
}

TEST(registration, may_be_freed_by_its_own_handler)
{
    static const kin_delivery modes[] = { KIN_DELIVERY_POOL, KIN_DELIVERY_QUEUE,
                                          KIN_DELIVERY_INLINE };
    for (size_t i = 0; i < 6; i++) {
        world w;
        diary d = DIARY;
        bool is_late = i >= 3; /* in the middle of what the store had */
        world_begin(&w, 0);
        if (is_late) {
            first_list(&w, 2);
        }
        d.during = free_myself;
        diary_shut(&d, true);
        kin_delivery mode = modes[i % 3];
        kin_registration *r = d.self = add_diary(&w, &d, mode);
        diary_shut(&d, false);

        if (!is_late) {
            first_list(&w, 2);
        }
        kin__processor_run(w.processor);
        if (mode == KIN_DELIVERY_QUEUE) {
            dispatch_all(r);
        }
        diary_await(&d, 2);

        ASSERT_EQ(d.count, 2); /* one call, and the end */
        world_end(&w);
    }
}

static void free_at_end(void *context)
{
    diary *d = context;
    kin_registration_free(d->self);
    diary_end(context);
}

TEST(registration, may_be_freed_when_it_ends)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_QUEUE);
    options.on_end = free_at_end;
    d.self = add(&w, &options);
    change_pod(&w, 0, 1);

    kin_registration_remove(d.self);

    ASSERT_STR_EQ(diary_read(&d), "X");
    world_end(&w);
}

TEST(registration, releases_what_it_held_when_it_is_removed)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    for (size_t i = 0; i < 50; i++) {
        change_pod(&w, i, 1);
    }
    long long before = live_blocks();

    kin_registration_remove(r);

    ASSERT_TRUE(live_blocks() <= before - 50);
    ASSERT_EQ(status_of(r).pending, 0);
    kin_registration_free(r);
    world_end(&w);
}

TEST(registration, releases_the_snapshot_that_it_was_telling)
{
    for (size_t i = 0; i < 2; i++) {
        world w;
        diary d = DIARY;
        world_begin(&w, 0);
        first_list(&w, 50);
        long long without = live_blocks();
        kin_registration_options options = diary_options(&d, KIN_DELIVERY_QUEUE);
        options.on_synced = NULL;
        kin_registration *r = d.self = add(&w, &options);
        long long with = live_blocks();

        if (i == 0) {
            kin_registration_remove(r);
        } else {
            d.during = remove_myself;
            dispatch_all(r);
        }

        ASSERT_EQ(live_blocks(), with - 1); /* and the handle is there */
        kin_registration_free(r);
        open_batch(&w); /* where those that are removed go */
        put_pod(&w, 0, 2);
        close_batch(&w);
        ASSERT_TRUE(live_blocks() <= without + 1);
        world_end(&w);
    }
}

TEST(registration, is_refused_in_a_forked_child)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    change_pod(&w, 0, 1);

    pid_t child = fork();
    if (child == 0) {
        kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;
        bool is_right = kin_registration_dispatch(r, 0, NULL, NULL) == KIN_ERR_USAGE &&
                        kin_registration_remove_and_wait(r, NULL) == KIN_ERR_USAGE &&
                        kin_registration_get_status(r, &status, NULL) == KIN_ERR_USAGE;
        kin_registration_remove(r);
        kin_registration_free(r);
        _exit(is_right ? 0 : 1);
    }
    int result = -1;
    ASSERT_EQ(waitpid(child, &result, 0), child);

    ASSERT_EQ(result, 0);
    ASSERT_EQ(dispatch_all(r), 1);
    kin_registration_free(r);
    world_end(&w);
}

/* ---- waiting for it -------------------------------------------------------------------------- */

TEST(registration, is_waited_for_until_it_was_told_what_was_there)
{
    world w;
    diary d = DIARY;
    kin_error err;
    world_begin(&w, 0);
    change_pod(&w, 0, 1);
    kin__processor_set_synced(w.processor);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_POOL);

    ASSERT_OK(kin_registration_wait_synced(r, -1, &err));

    ASSERT_TRUE(kin_registration_has_synced(r));
    ASSERT_OK(kin_registration_wait_synced(r, 0, &err));
    ASSERT_OK(kin_registration_remove_and_wait(r, &err));
    kin_registration_free(r);
    world_end(&w);
}

TEST(registration, is_waited_for_until_the_deadline)
{
    world w;
    diary d = DIARY;
    kin_error err;
    world_begin(&w, 0);
    change_pod(&w, 0, 1);
    kin__processor_set_synced(w.processor);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_QUEUE);

    ASSERT_ERR(kin_registration_wait_synced(r, 1, &err), KIN_ERR_TIMEOUT);

    ASSERT_MESSAGE(&err, "sync handler \"diary\": not within 1 ms: 1 notifications are pending");
    dispatch_all(r);
    ASSERT_OK(kin_registration_wait_synced(r, 1, &err));
    kin_registration_free(r);
    world_end(&w);
}

TEST(registration, that_has_ended_is_not_waited_for)
{
    world w;
    diary d = DIARY;
    kin_error err;
    world_begin(&w, 0);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    kin_registration_remove(r);

    ASSERT_ERR(kin_registration_wait_synced(r, -1, &err), KIN_ERR_CANCELLED);

    ASSERT_MESSAGE(&err, "sync handler \"diary\": it has ended");
    kin_registration_free(r);
    world_end(&w);
}
