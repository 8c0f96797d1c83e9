/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener_run_test.c - who is called, when, and for how long.
 */
#include "processor_support.h"

TEST(listener_run, holds_up_only_itself)
{
    world w;
    diary slow[3] = { DIARY, DIARY, DIARY };
    kin_registration *r[3];
    diary quick = DIARY;
    world_begin(&w, 0);
    for (size_t i = 0; i < 3; i++) { /* more than the pool has threads */
        diary_shut(&slow[i], true);
        r[i] = add_diary(&w, &slow[i], KIN_DELIVERY_POOL);
    }
    kin_registration *last = add_diary(&w, &quick, KIN_DELIVERY_POOL);

    change_pod(&w, 0, 1);
    change_pod(&w, 0, 2);
    diary_await(&quick, 2);

    ASSERT_STR_EQ(diary_read(&quick), "A0@1 U0@1>2");
    for (size_t i = 0; i < 3; i++) {
        diary_shut(&slow[i], false);
        diary_await(&slow[i], 2);
        ASSERT_OK(kin_registration_remove_and_wait(r[i], NULL));
        ASSERT_STR_EQ(diary_read(&slow[i]), "A0@1 U0@1>2 X");
        kin_registration_free(r[i]);
    }
    ASSERT_OK(kin_registration_remove_and_wait(last, NULL));
    kin_registration_free(last);
    world_end(&w);
}

/* The handler is in its last initial call: it has not been told before it returns. */
TEST(listener_run, syncs_a_handler_only_when_its_last_call_has_returned)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    diary_shut(&d, true);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_POOL);

    open_batch(&w);
    put_object(&w, numbered_pod(0, 1), true);
    close_batch(&w);
    diary_await_inside(&d);
    kin__processor_set_synced(w.processor);
    ASSERT_FALSE(kin_registration_has_synced(registration));
    diary_shut(&d, false);
    diary_await(&d, 2);

    ASSERT_TRUE(kin_registration_has_synced(registration));
    ASSERT_OK(kin_registration_remove_and_wait(registration, NULL));
    kin_registration_free(registration);
    world_end(&w);
}

TEST(listener_run, syncs_a_handler_whose_initial_objects_have_gone)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_QUEUE);
    options.bound = 1;
    kin_registration *registration = add(&w, &options);

    open_batch(&w); /* the list of another source, which was empty */
    close_batch(&w);
    first_list(&w, 2);
    delete_pod(&w, 0, 2);
    delete_pod(&w, 1, 3);

    ASSERT_TRUE(kin_registration_has_synced(registration));
    dispatch_all(registration);
    ASSERT_STR_EQ(diary_read(&d), "S");
    kin_registration_free(registration);
    world_end(&w);
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* One thread, two handlers with a long queue each: they take turns. */
TEST(listener_run, takes_turns_with_others_on_the_pool)
{
    world w;
    diary a = DIARY;
    diary b = DIARY;
    kin__pool_options one = { .threads = 1, .patience_ms = INT64_MAX / 4 };
    world_begin(&w, 0);
    kin__processor *processor = w.processor;
    kin__pool *pool = NULL;
    ASSERT_OK(kin__pool_new(&one, &pool, &w.err));
    kin__processor_options options = { .store = w.store, .pool = pool };
    ASSERT_OK(kin__processor_new(&options, &w.processor, &w.err));
    kin_registration *first = add_diary(&w, &a, KIN_DELIVERY_POOL);
    kin_registration *second = add_diary(&w, &b, KIN_DELIVERY_POOL);
    diary_shut(&a, true);
    diary_shut(&b, true);

    first_list(&w, 200);
    diary_await_inside(&a);
    diary_shut(&a, false); /* all of it, were it not for the other */
    diary_await_inside(&b);

    pthread_mutex_lock(&a.lock);
    ASSERT_TRUE(a.count < 200);
    pthread_mutex_unlock(&a.lock);
    diary_shut(&b, false);
    diary_await(&a, 201);
    diary_await(&b, 201);
    ASSERT_OK(kin_registration_remove_and_wait(first, NULL));
    ASSERT_OK(kin_registration_remove_and_wait(second, NULL));
    kin_registration_free(first);
    kin_registration_free(second);
    kin__processor_free(w.processor);
    kin__pool_free(pool);
    w.processor = processor;
    world_end(&w);
}

TEST(listener_run, tells_all_before_the_waiting_ends)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    diary_shut(&d, true);
    kin_registration *r = add_diary(&w, &d, KIN_DELIVERY_POOL);
    diary queued = DIARY;
    kin_registration *other = add_diary(&w, &queued, KIN_DELIVERY_QUEUE);
    first_list(&w, 100);

    ASSERT_ERR(kin__processor_await(w.processor, 0, &w.err), KIN_ERR_TIMEOUT);
    diary_shut(&d, false);
    ASSERT_OK(kin__processor_await(w.processor, INT64_MAX, &w.err));

    ASSERT_EQ(d.count, 101);
    ASSERT_EQ(queued.count, 0);
    kin_registration_free(r);
    kin_registration_free(other);
    world_end(&w);
}

/* What is told is not touched by what is pushed meanwhile. */
TEST(listener_run, begins_at_what_is_being_told)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    diary_shut(&d, true);
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_POOL);
    options.bound = 1;
    kin_registration *r = add(&w, &options);
    change_pod(&w, 0, 1);
    diary_await_inside(&d);

    change_pod(&w, 0, 2);
    change_pod(&w, 0, 3);
    change_pod(&w, 0, 4);
    diary_shut(&d, false);
    diary_await(&d, 2);

    ASSERT_STR_EQ(diary_read(&d), "A0@1 U0@1>4");
    ASSERT_OK(kin_registration_remove_and_wait(r, NULL));
    kin_registration_free(r);
    world_end(&w);
}

/* The end of a bound's blocking is told from wherever the handler runs. */
TEST(listener_run, wakes_the_informer_when_there_is_room_again)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    diary_shut(&d, true);
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_POOL);
    options.bound = 2;
    options.policy = KIN_BACKLOG_BLOCK;
    kin_registration *r = add(&w, &options);
    change_pod(&w, 0, 1);
    diary_await_inside(&d);
    change_pod(&w, 0, 2);
    change_pod(&w, 0, 3);
    ASSERT_TRUE(kin__processor_is_blocked(w.processor));
    ASSERT_EQ(atomic_load(&w.wakes), 0);

    diary_shut(&d, false);
    diary_await(&d, 3);

    ASSERT_EQ(atomic_load(&w.wakes), 1);
    ASSERT_FALSE(kin__processor_is_blocked(w.processor));
    ASSERT_OK(kin_registration_remove_and_wait(r, NULL));
    kin_registration_free(r);
    world_end(&w);
}

static void *remove_registration(void *context)
{
    diary *d = context;
    kin_registration_remove(d->self);
    return NULL;
}

/* The listener stands in the pool's line when it is removed: its last call is made by whoever
 * removes it, and its turn on the pool comes meanwhile. */
TEST(listener_run, leaves_the_last_call_alone)
{
    world w;
    diary first = DIARY;
    diary d = DIARY;
    diary last = DIARY;
    pthread_t thread;
    kin__pool_options one = { .threads = 1, .patience_ms = INT64_MAX / 4 };
    world_begin(&w, 0);
    kin__pool *pool = NULL;
    ASSERT_OK(kin__pool_new(&one, &pool, &w.err));
    kin__processor_options options = { .store = w.store, .pool = pool };
    kin__processor_free(w.processor);
    ASSERT_OK(kin__processor_new(&options, &w.processor, &w.err));
    diary *diaries[] = { &first, &d, &last };
    kin_registration *r[3];
    for (size_t i = 0; i < 3; i++) {
        r[i] = add_diary(&w, diaries[i], KIN_DELIVERY_POOL);
    }
    d.self = r[1];
    diary_shut(&first, true);
    diary_shut(&d, true);

    change_pod(&w, 0, 1);
    diary_await_inside(&first); /* the pool's one thread */
    ASSERT_EQ(pthread_create(&thread, NULL, remove_registration, &d), 0);
    diary_await_inside(&d); /* in its end */
    diary_shut(&first, false);
    diary_await(&last, 1); /* so its turn has come and gone */
    ASSERT_TRUE(status_of(r[1]).is_running);
    diary_shut(&d, false);
    ASSERT_EQ(pthread_join(thread, NULL), 0);

    ASSERT_FALSE(status_of(r[1]).is_running);
    ASSERT_STR_EQ(diary_read(&d), "X");
    for (size_t i = 0; i < 3; i++) {
        ASSERT_OK(kin_registration_remove_and_wait(r[i], NULL));
        kin_registration_free(r[i]);
    }
    kin__processor_free(w.processor);
    w.processor = NULL;
    kin__pool_free(pool);
    world_end(&w);
}
