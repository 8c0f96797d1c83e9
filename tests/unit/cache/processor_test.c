/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processor_test.c - what handlers are told, who comes late, and when they are synced.
 *
 * Mostly with handlers that the test drains, so that it says when what is told.
 */
#include "cache/processor.h"

#include "processor_support.h"
#include "support/allocator.h"

#define SECOND 1000

TEST(processor, tells_every_handler_everything_in_order)
{
    world w;
    diary a = DIARY;
    diary b = DIARY;
    diary c = DIARY;
    world_begin(&w, 0);
    kin_registration *queued = add_diary(&w, &a, KIN_DELIVERY_QUEUE);
    kin_registration *inlined = add_diary(&w, &b, KIN_DELIVERY_INLINE);
    kin_registration *pooled = add_diary(&w, &c, KIN_DELIVERY_POOL);

    change_pod(&w, 0, 1);
    change_pod(&w, 0, 2);
    change_pod(&w, 1, 3);
    delete_pod(&w, 0, 4);
    delete_pod(&w, 1, 0);

    const char *all = "A0@1 U0@1>2 A1@3 D0@2>4 D1@3>3t";
    ASSERT_STR_EQ(diary_read(&b), all);
    ASSERT_EQ(dispatch_all(queued), 5);
    ASSERT_STR_EQ(diary_read(&a), all);
    diary_await(&c, 5);
    ASSERT_STR_EQ(diary_read(&c), all);
    kin_registration_free(queued);
    kin_registration_free(inlined);
    ASSERT_OK(kin_registration_remove_and_wait(pooled, NULL));
    kin_registration_free(pooled);
    world_end(&w);
}

static void look_into_store(void *context, const kin_notification *n)
{
    world *w = context;
    kin_view view = kin_store_read(w->store);
    ASSERT_TRUE(kin_view_get(&view, n->key) == n->object);
    kin_store_done(&view);
    atomic_fetch_add(&w->wakes, 1);
}

TEST(processor, tells_a_change_when_the_store_has_it)
{
    world w;
    world_begin(&w, 0);
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.mode = KIN_DELIVERY_INLINE;
    options.context = &w;
    options.on_add = options.on_update = look_into_store;
    kin_registration *registration = add(&w, &options);

    open_batch(&w);
    put_pod(&w, 0, 1);
    ASSERT_EQ(atomic_load(&w.wakes), 0);
    close_batch(&w);
    change_pod(&w, 0, 2);

    ASSERT_EQ(atomic_load(&w.wakes), 2);
    kin_registration_free(registration);
    world_end(&w);
}

/* ---- coming late --------------------------------------------------------------------------- */

TEST(processor, tells_a_late_handler_first_what_the_store_has)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    first_list(&w, 1);
    change_pod(&w, 0, 2);

    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    change_pod(&w, 0, 3);
    delete_pod(&w, 0, 4);

    ASSERT_EQ(status_of(registration).pending, 3);
    dispatch_all(registration);
    ASSERT_STR_EQ(diary_read(&d), "A0@2i S U0@2>3 D0@3>4");
    kin_registration_free(registration);
    world_end(&w);
}

/* At each of the moments of a batch: nothing twice, nothing missing. */
TEST(processor, takes_handlers_in_the_middle_of_a_batch)
{
    world w;
    diary d[5] = { DIARY, DIARY, DIARY, DIARY, DIARY };
    kin_registration *r[5];
    world_begin(&w, 0);
    first_list(&w, 1);

    r[0] = add_diary(&w, &d[0], KIN_DELIVERY_QUEUE);
    open_batch(&w);
    r[1] = add_diary(&w, &d[1], KIN_DELIVERY_QUEUE);
    put_pod(&w, 0, 2);
    r[2] = add_diary(&w, &d[2], KIN_DELIVERY_QUEUE);
    put_pod(&w, 0, 3);
    publish(&w);
    r[3] = add_diary(&w, &d[3], KIN_DELIVERY_QUEUE);
    commit(&w);
    r[4] = add_diary(&w, &d[4], KIN_DELIVERY_QUEUE);
    change_pod(&w, 0, 4);

    for (size_t i = 0; i < 5; i++) {
        dispatch_all(r[i]);
        ASSERT_STR_EQ(diary_read(&d[i]), i < 3 ? "A0@1i S U0@1>2 U0@2>3 U0@3>4" : "A0@3i S U0@3>4");
        kin_registration_free(r[i]);
    }
    world_end(&w);
}

/* That is told from the store, as it is when the batch is told. */
TEST(processor, takes_handlers_in_the_middle_of_the_first_list)
{
    world w;
    diary d[5] = { DIARY, DIARY, DIARY, DIARY, DIARY };
    kin_registration *r[5];
    world_begin(&w, 0);

    r[0] = add_diary(&w, &d[0], KIN_DELIVERY_QUEUE);
    open_batch(&w);
    r[1] = add_diary(&w, &d[1], KIN_DELIVERY_QUEUE);
    put_object(&w, numbered_pod(0, 1), true);
    r[2] = add_diary(&w, &d[2], KIN_DELIVERY_QUEUE);
    kin_registration_remove(r[1]);
    put_object(&w, numbered_pod(1, 1), true);
    publish(&w);
    r[3] = add_diary(&w, &d[3], KIN_DELIVERY_QUEUE);
    commit(&w);
    r[4] = add_diary(&w, &d[4], KIN_DELIVERY_QUEUE);
    kin__processor_set_synced(w.processor);
    change_pod(&w, 0, 2);

    for (size_t i = 0; i < 5; i++) {
        dispatch_all(r[i]);
        ASSERT_STR_EQ(diary_read(&d[i]), i == 1 ? "X" : "A0@1i A1@1i S U0@1>2");
        kin_registration_free(r[i]);
    }
    world_end(&w);
}

/* Else it would end a handler that may not have so much pending. */
TEST(processor, makes_no_notes_of_the_first_list)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_QUEUE);
    options.policy = KIN_BACKLOG_FAIL;
    options.bound = 1;
    kin_registration *registration = add(&w, &options);

    first_list(&w, 3);

    ASSERT_EQ(status_of(registration).state, KIN_REGISTRATION_ACTIVE);
    dispatch_all(registration);
    ASSERT_STR_EQ(diary_read(&d), "A0@1i A1@1i A2@1i S");
    kin_registration_free(registration);
    world_end(&w);
}

TEST(processor, begins_anew_with_a_first_list_that_the_store_has_dropped)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_QUEUE);

    open_batch(&w);
    put_object(&w, numbered_pod(0, 1), true);
    put_object(&w, numbered_pod(1, 1), true);
    kin__store_pause(w.store);
    open_batch(&w);
    kin__processor_unstage(w.processor);
    kin__processor_unstage(w.processor);
    put_object(&w, numbered_pod(0, 1), true);
    close_batch(&w);
    kin__processor_set_synced(w.processor);
    change_pod(&w, 1, 2);

    dispatch_all(registration);
    ASSERT_STR_EQ(diary_read(&d), "A0@1i S A1@2");
    kin_registration_free(registration);
    world_end(&w);
}

/* As a caller would that stages after publishing. */
TEST(processor, may_stage_after_publishing)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_object *object = numbered_pod(0, 1);
    const kin_object *before = NULL;
    kin_notification n = { KIN_NOTIFICATION_ADDED, kin_object_key(object), object, NULL, 0, 0, 0 };

    open_batch(&w);
    ASSERT_OK(kin__store_put(w.store, object, &before, &w.err));
    publish(&w);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    ASSERT_OK(kin__processor_stage(w.processor, &n, &w.err));
    commit(&w);

    dispatch_all(registration);
    ASSERT_STR_EQ(diary_read(&d), "A0@1i");
    kin_object_unref(object);
    kin_registration_free(registration);
    world_end(&w);
}

TEST(processor, runs_a_late_inline_handler_on_the_loop)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    first_list(&w, 1);

    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_INLINE);
    ASSERT_EQ(atomic_load(&w.wakes), 1);
    ASSERT_STR_EQ(diary_read(&d), "");
    kin__processor_run(w.processor);

    ASSERT_STR_EQ(diary_read(&d), "A0@1i S");
    kin_registration_free(registration);
    world_end(&w);
}

static void add_another(diary *d)
{
    static diary other = DIARY;
    if (d->self == NULL) {
        d->self = add_diary(d->world, &other, KIN_DELIVERY_INLINE);
    }
    if (d->count == 1) {
        ASSERT_STR_EQ(diary_read(&other), "A0@1i U0@1>2");
    }
}

TEST(processor, takes_a_handler_from_inside_a_handler)
{
    world w;
    diary d = DIARY;
    d.during = add_another;
    d.world = &w;
    world_begin(&w, 0);
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_INLINE);
    options.on_synced = NULL;
    options.on_end = NULL;
    kin_registration *registration = add(&w, &options);

    change_pod(&w, 0, 1);
    d.during = NULL;
    change_pod(&w, 0, 2);

    ASSERT_STR_EQ(diary_read(&d), "A0@1 U0@1>2");
    ASSERT_EQ(kin__processor_count(w.processor), 2);
    kin_registration_free(d.self);
    kin_registration_free(registration);
    world_end(&w);
}

/* ---- synced -------------------------------------------------------------------------------- */

/* As of several namespaces, whose lists come one after the other. */
TEST(processor, syncs_a_handler_when_the_last_of_several_first_lists_has_been_told)
{
    world w;
    diary d = DIARY;
    kin_error err;
    world_begin(&w, 0);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    d.self = registration;
    open_batch(&w);
    put_object(&w, numbered_pod(0, 1), true);
    close_batch(&w);
    ASSERT_OK(kin_registration_dispatch(registration, 1, NULL, &err));
    open_batch(&w);
    put_object(&w, numbered_pod(1, 1), true);
    close_batch(&w);

    kin__processor_set_synced(w.processor);

    ASSERT_FALSE(kin_registration_has_synced(registration));
    ASSERT_OK(kin_registration_dispatch(registration, 1, NULL, &err));
    ASSERT_TRUE(kin_registration_has_synced(registration));
    dispatch_all(registration);
    ASSERT_STR_EQ(diary_read(&d), "A0@1i A1@1i S");
    d.self = NULL;
    kin_registration_free(registration);
    world_end(&w);
}

/* However large they are: nobody is behind who has only just begun. */
TEST(processor, counts_no_first_list_against_a_handler_that_fails)
{
    world w;
    diary d = DIARY;
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_QUEUE);
    options.policy = KIN_BACKLOG_FAIL;
    options.bound = 1;
    world_begin(&w, 0);
    kin_registration *registration = add(&w, &options);
    for (size_t list = 0; list < 2; list++) {
        open_batch(&w);
        for (size_t i = 0; i < 3; i++) {
            put_object(&w, numbered_pod(3 * list + i, 1), true);
        }
        close_batch(&w);
    }
    kin__processor_set_synced(w.processor);

    ASSERT_EQ(status_of(registration).state, KIN_REGISTRATION_ACTIVE);
    ASSERT_EQ(status_of(registration).pending, 6);
    change_pod(&w, 0, 2);
    ASSERT_EQ(status_of(registration).state, KIN_REGISTRATION_ACTIVE);
    change_pod(&w, 0, 3);

    ASSERT_EQ(status_of(registration).state, KIN_REGISTRATION_FAILED);
    dispatch_all(registration);
    ASSERT_STR_EQ(diary_read(&d), "E X");
    kin_registration_free(registration);
    world_end(&w);
}

TEST(processor, syncs_a_handler_when_the_first_list_has_been_told)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    d.self = registration;
    kin_error err;

    ASSERT_FALSE(kin_registration_has_synced(registration));
    first_list(&w, 3);
    change_pod(&w, 7, 2);
    ASSERT_OK(kin_registration_dispatch(registration, 2, NULL, &err));
    ASSERT_FALSE(kin_registration_has_synced(registration));
    ASSERT_OK(kin_registration_dispatch(registration, 1, NULL, &err));

    ASSERT_TRUE(kin_registration_has_synced(registration));
    dispatch_all(registration);
    ASSERT_STR_EQ(diary_read(&d), "A0@1i A1@1i A2@1i S A7@2");
    d.self = NULL;
    kin_registration_free(registration);
    world_end(&w);
}

TEST(processor, syncs_at_once_when_the_first_list_is_empty)
{
    world w;
    diary early = DIARY;
    diary late = DIARY;
    world_begin(&w, 0);
    kin_registration *first = add_diary(&w, &early, KIN_DELIVERY_QUEUE);

    first_list(&w, 0);
    kin_registration *second = add_diary(&w, &late, KIN_DELIVERY_QUEUE);

    ASSERT_TRUE(kin_registration_has_synced(first));
    ASSERT_TRUE(kin_registration_has_synced(second));
    ASSERT_EQ(dispatch_all(first), 1);
    ASSERT_STR_EQ(diary_read(&early), "S");
    kin__processor_set_synced(w.processor);
    ASSERT_EQ(dispatch_all(first), 0);
    kin_registration_free(first);
    kin_registration_free(second);
    world_end(&w);
}

TEST(processor, does_not_sync_a_late_handler_before_it_was_told_the_store)
{
    world w;
    diary d = DIARY;
    kin_error err;
    world_begin(&w, 0);
    first_list(&w, 2);

    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_QUEUE);

    ASSERT_FALSE(kin_registration_has_synced(registration));
    ASSERT_OK(kin_registration_dispatch(registration, 1, NULL, &err));
    ASSERT_FALSE(kin_registration_has_synced(registration));
    dispatch_all(registration);
    ASSERT_TRUE(kin_registration_has_synced(registration));
    ASSERT_EQ(d.count, 3);
    kin_registration_free(registration);
    world_end(&w);
}

/* ---- unchanged and resync ------------------------------------------------------------------ */

/* A new list: pod 0 as it was, pod 1 changed. */
static void list_again(world *w)
{
    open_batch(w);
    put_object(w, numbered_pod(0, 1), false);
    put_object(w, numbered_pod(1, 2), false);
    close_batch(w);
}

TEST(processor, does_not_tell_what_a_new_list_shows_unchanged_unless_asked_to)
{
    world w;
    diary plain = DIARY;
    diary curious = DIARY;
    world_begin(&w, 0);
    kin_registration *first = add_diary(&w, &plain, KIN_DELIVERY_INLINE);
    kin_registration_options options = diary_options(&curious, KIN_DELIVERY_INLINE);
    options.tells_unchanged = true;
    kin_registration *second = add(&w, &options);
    first_list(&w, 2);

    list_again(&w);

    ASSERT_STR_EQ(diary_read(&plain), "A0@1i A1@1i S U1@1>2");
    ASSERT_STR_EQ(diary_read(&curious), "A0@1i A1@1i S U0@1>1 U1@1>2");
    kin_registration_free(first);
    kin_registration_free(second);
    world_end(&w);
}

static void resync(world *w, int64_t now_ms)
{
    if (!kin__processor_tick_resync(w->processor, now_ms)) {
        return;
    }
    kin_view view = kin_store_read(w->store);
    kin_view_iter iter = kin_view_all(&view);
    while (kin_view_next(&iter)) {
        kin_notification n = { .type = KIN_NOTIFICATION_UPDATED,
                               .key = iter.key,
                               .object = iter.object,
                               .before = iter.object,
                               .is_resync = true };
        ASSERT_OK(kin__processor_stage(w->processor, &n, &w->err));
    }
    kin_store_done(&view);
    commit(w);
}

TEST(processor, resyncs_those_whose_period_is_over)
{
    world w;
    diary d[3] = { DIARY, DIARY, DIARY };
    kin_registration *r[3];
    const int64_t periods[] = { KIN_RESYNC_NEVER, 2 * SECOND, 3 * SECOND };
    world_begin(&w, SECOND);
    for (size_t i = 0; i < 3; i++) {
        kin_registration_options options = diary_options(&d[i], KIN_DELIVERY_INLINE);
        options.resync_ms = periods[i];
        r[i] = add(&w, &options);
    }
    first_list(&w, 1);
    kin__processor_start_resync(w.processor, 0);
    for (size_t i = 0; i < 3; i++) {
        ASSERT_STR_EQ(diary_read(&d[i]), "A0@1i S");
    }

    for (int64_t now_ms; (now_ms = kin__processor_next_resync_ms(w.processor)) <= 6 * SECOND;) {
        resync(&w, now_ms);
    }

    ASSERT_STR_EQ(diary_read(&d[0]), "");
    ASSERT_STR_EQ(diary_read(&d[1]), "U0@1>1r U0@1>1r U0@1>1r");
    ASSERT_STR_EQ(diary_read(&d[2]), "U0@1>1r U0@1>1r");
    for (size_t i = 0; i < 3; i++) {
        kin_registration_free(r[i]);
    }
    world_end(&w);
}

/* A resync changes nothing in the store: whoever joined at its version is told all the same. */
TEST(processor, resyncs_one_that_has_just_come)
{
    world w;
    diary d = DIARY;
    world_begin(&w, SECOND);
    first_list(&w, 1);
    kin__processor_start_resync(w.processor, 0);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    dispatch_all(registration);

    resync(&w, SECOND);

    dispatch_all(registration);
    ASSERT_STR_EQ(diary_read(&d), "A0@1i S U0@1>1r");
    kin_registration_free(registration);
    world_end(&w);
}

/* ---- memory -------------------------------------------------------------------------------- */

TEST(processor, takes_back_what_was_staged_last)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_INLINE);
    kin_object *object = numbered_pod(5, 1);
    kin_notification n = { KIN_NOTIFICATION_ADDED, kin_object_key(object), object, NULL, 0, 0, 0 };

    open_batch(&w);
    put_pod(&w, 0, 1);
    ASSERT_OK(kin__processor_stage(w.processor, &n, &w.err));
    kin__processor_unstage(w.processor);
    close_batch(&w);
    kin__processor_unstage(w.processor);

    ASSERT_STR_EQ(diary_read(&d), "A0@1");
    kin_object_unref(object);
    kin_registration_free(registration);
    world_end(&w);
}

/* Whichever allocation fails: what could not be staged is told to nobody, and what was to all. */
TEST(processor, stages_for_all_or_for_nobody)
{
    for (long long failing = 1; failing < 100; failing++) {
        world w;
        diary a = DIARY;
        diary b = DIARY;
        world_begin(&w, 0);
        kin_registration *first = add_diary(&w, &a, KIN_DELIVERY_INLINE);
        kin_registration *second = add_diary(&w, &b, KIN_DELIVERY_INLINE);
        kin_object *object = numbered_pod(5, 1);
        kin_notification n = {
            KIN_NOTIFICATION_ADDED, kin_object_key(object), object, NULL, 0, 0, 0
        };

        open_batch(&w);
        put_pod(&w, 0, 1);
        test_allocator_plan((alloc_failure){ failing, true });
        kin_err code = kin__processor_stage(w.processor, &n, &w.err);
        if (code != KIN_OK) {
            ASSERT_ERR(code, KIN_ERR_NO_MEMORY);
        }
        test_allocator_plan((alloc_failure){ 0 });
        publish(&w);
        test_allocator_plan((alloc_failure){ 1, true });
        commit(&w); /* needs nothing */
        test_allocator_plan((alloc_failure){ 0 });

        const char *told = code == KIN_OK ? "A0@1 A5@1" : "A0@1";
        ASSERT_STR_EQ(diary_read(&a), told);
        ASSERT_STR_EQ(diary_read(&b), told);
        kin_registration_free(first);
        kin_registration_free(second);
        world_end(&w);
        kin_object_unref(object);
        if (code == KIN_OK) {
            ASSERT_EQ(failing, 4); /* two listeners, and one for those who join */
            return;
        }
    }
    FAIL("always out of memory");
}

static kin_err add_to_world(kin_store *store, kin_error *err)
{
    AUTO(kin__processor_free) kin__processor *processor = NULL;
    kin__processor_options o = { .store = store };
    kin_registration *registration = NULL;
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.mode = KIN_DELIVERY_QUEUE;
    options.label_selector = "app=web";
    options.field_selector = "spec.nodeName=a";
    kin_err code = kin__processor_new(&o, &processor, err);

    if (code == KIN_OK) {
        code = kin__processor_add(processor, &options, 0, &registration, err);
    }
    kin_registration_free(registration);
    return code;
}

TEST_FAILING_ALLOC(processor, takes_a_handler_or_says_that_it_cannot)
{
    kin_store *store = NULL;
    kin_object *object = NULL;
    const kin_object *before = NULL;
    kin_error err;
    kin_err code = kin__store_new(NULL, &store, &err);

    if (code == KIN_OK) {
        code = make_pod_or_fail((pod){ .name = "web" }, &object, &err);
    }
    if (code == KIN_OK) {
        kin__store_begin(store);
        code = kin__store_put(store, object, &before, &err);
        kin__store_publish(store);
    }
    if (code == KIN_OK) {
        code = add_to_world(store, &err);
    }
    kin_object_unref(object);
    kin__store_free(store);
    return code;
}

/* Joining an open batch needs memory for all that was staged. */
TEST(processor, takes_a_handler_into_an_open_batch_or_not_at_all)
{
    world w;
    diary d = DIARY;
    kin_registration *registration = NULL;
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_QUEUE);
    kin_err code = KIN_ERR_NO_MEMORY;
    world_begin(&w, 0);
    open_batch(&w);
    put_pod(&w, 0, 1);
    put_pod(&w, 1, 1);

    for (long long failing = 1; code != KIN_OK; failing++) {
        test_allocator_plan((alloc_failure){ failing, false });
        code = kin__processor_add(w.processor, &options, 0, &registration, &w.err);
        ASSERT_TRUE(code == KIN_OK || code == KIN_ERR_NO_MEMORY);
        ASSERT_EQ(kin__processor_count(w.processor), code == KIN_OK);
    }
    test_allocator_plan((alloc_failure){ 0 });
    close_batch(&w);

    dispatch_all(registration);
    ASSERT_STR_EQ(diary_read(&d), "A0@1 A1@1");
    kin_registration_free(registration);
    world_end(&w);
}

/* ---- stopping ------------------------------------------------------------------------------ */

TEST(processor, takes_no_handler_once_it_is_stopped)
{
    world w;
    diary d = DIARY;
    kin_registration *registration = NULL;
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_QUEUE);
    world_begin(&w, 0);
    ASSERT_OK(kin__processor_stop(w.processor, false, INT64_MAX, &w.err));

    ASSERT_ERR(kin__processor_add(w.processor, &options, 0, &registration, &w.err), KIN_ERR_USAGE);

    ASSERT_MESSAGE(&w.err, "add a handler: \"diary\" was not added to shared informer because it "
                           "has stopped already");
    ASSERT_STR_EQ(diary_read(&d), "");
    world_end(&w);
}

TEST(processor, drops_what_is_pending_when_it_is_stopped)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    change_pod(&w, 0, 1);

    ASSERT_OK(kin__processor_stop(w.processor, false, INT64_MAX, &w.err));
    change_pod(&w, 0, 2);

    ASSERT_EQ(dispatch_all(registration), 0);
    ASSERT_STR_EQ(diary_read(&d), "X");
    ASSERT_EQ(status_of(registration).state, KIN_REGISTRATION_STOPPED);
    ASSERT_EQ(status_of(registration).pending, 0);
    kin_registration_free(registration);
    world_end(&w);
}

/* Adds itself again, each time it ends. */
typedef struct phoenix {
    world *w;
    int lives;
    kin_registration *registrations[8];
} phoenix;

static void rise(void *context);

static void add_phoenix(phoenix *p)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;

    options.context = p;
    options.on_end = rise;
    options.mode = KIN_DELIVERY_QUEUE;
    ASSERT_TRUE(p->lives < 8);
    ASSERT_OK(kin__processor_add(p->w->processor, &options, 0, &p->registrations[p->lives++],
                                 &p->w->err));
}

static void rise(void *context)
{
    phoenix *p = context;

    if (p->w != NULL) {
        add_phoenix(p);
    }
}

TEST(processor, drops_those_there_are_and_not_who_comes_at_their_end)
{
    world w;
    diary d = DIARY;
    phoenix bird = { .w = &w };
    world_begin(&w, 0);
    add_phoenix(&bird);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    change_pod(&w, 0, 1);

    kin__processor_drop(w.processor);
    change_pod(&w, 0, 2);

    ASSERT_OK(kin__processor_await_ended(w.processor, 0, &w.err));
    ASSERT_EQ(dispatch_all(registration), 0);
    ASSERT_STR_EQ(diary_read(&d), "X");
    ASSERT_EQ(status_of(registration).dropped, 1);
    ASSERT_EQ(bird.lives, 2);
    ASSERT_EQ(status_of(bird.registrations[1]).state, KIN_REGISTRATION_ACTIVE);
    ASSERT_EQ(kin__processor_count(w.processor), 1);
    bird.w = NULL;
    kin_registration_free(bird.registrations[0]);
    kin_registration_free(bird.registrations[1]);
    kin_registration_free(registration);
    world_end(&w);
}

TEST(processor, tells_what_is_pending_when_it_is_drained)
{
    world w;
    diary pooled = DIARY;
    diary queued = DIARY;
    world_begin(&w, 0);
    diary_shut(&pooled, true);
    kin_registration *first = add_diary(&w, &pooled, KIN_DELIVERY_POOL);
    kin_registration *second = add_diary(&w, &queued, KIN_DELIVERY_QUEUE);
    change_pod(&w, 0, 1);
    change_pod(&w, 0, 2);
    diary_await_inside(&pooled);

    ASSERT_ERR(kin__processor_stop(w.processor, true, 0, &w.err), KIN_ERR_TIMEOUT);
    ASSERT_MESSAGE(&w.err, "wait for the handlers: \"diary\" is still being called");
    diary_shut(&pooled, false);
    ASSERT_OK(kin__processor_stop(w.processor, true, INT64_MAX, &w.err));

    ASSERT_STR_EQ(diary_read(&pooled), "A0@1 U0@1>2 X");
    world_end(&w);
    ASSERT_EQ(dispatch_all(second), 2); /* the program's own, also when all else is gone */
    ASSERT_STR_EQ(diary_read(&queued), "A0@1 U0@1>2 X");
    kin_registration_free(first);
    kin_registration_free(second);
}

TEST(processor, waits_for_the_call_that_is_being_made)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    diary_shut(&d, true);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_POOL);
    change_pod(&w, 0, 1);
    change_pod(&w, 0, 2);
    diary_await_inside(&d);

    ASSERT_ERR(kin__processor_stop(w.processor, false, 0, &w.err), KIN_ERR_TIMEOUT);
    diary_shut(&d, false);
    ASSERT_OK(kin__processor_stop(w.processor, false, INT64_MAX, &w.err));

    ASSERT_STR_EQ(diary_read(&d), "A0@1 X");
    kin_registration_free(registration);
    world_end(&w);
}

/* Its call may use the informer, whoever has removed it. */
TEST(processor, waits_for_the_last_call_of_one_that_was_removed)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    diary_shut(&d, true);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_POOL);
    change_pod(&w, 0, 1);
    diary_await_inside(&d);
    kin_registration_remove(registration);
    change_pod(&w, 0, 2);

    ASSERT_ERR(kin__processor_stop(w.processor, false, 0, &w.err), KIN_ERR_TIMEOUT);
    diary_shut(&d, false);
    ASSERT_OK(kin__processor_stop(w.processor, false, INT64_MAX, &w.err));

    ASSERT_STR_EQ(diary_read(&d), "A0@1 X");
    kin_registration_free(registration);
    world_end(&w);
}

static void stop_from_inside(diary *d)
{
    d->during = NULL;
    d->outcome = kin__processor_stop(d->world->processor, false, INT64_MAX, &d->err);
}

TEST(processor, stops_from_a_handler_without_waiting)
{
    world w;
    diary d = DIARY;
    d.world = &w;
    d.during = stop_from_inside;
    world_begin(&w, 0);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_INLINE);

    change_pod(&w, 0, 1);
    change_pod(&w, 0, 2);

    ASSERT_EQ(d.outcome, KIN_ERR_USAGE);
    ASSERT_CONTAINS(d.err.message, "wait for the handlers: not from one");
    ASSERT_STR_EQ(diary_read(&d), "A0@1 X");
    kin_registration_free(registration);
    world_end(&w);
}

TEST(processor, may_go_before_its_registrations)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    change_pod(&w, 0, 1);

    world_end(&w);

    ASSERT_STR_EQ(diary_read(&d), "X");
    ASSERT_EQ(dispatch_all(registration), 0);
    kin_registration_remove(registration);
    atomic_store(&w.is_on_loop, true); /* it is asked no more */
    ASSERT_OK(kin_registration_remove_and_wait(registration, NULL));
    ASSERT_STR_EQ(diary_read(&d), "");
    kin_registration_free(registration);
}

TEST(processor, may_go_before_registrations_that_ended_before)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *registration = add_diary(&w, &d, KIN_DELIVERY_QUEUE);
    kin_registration_remove(registration);
    change_pod(&w, 0, 1); /* it is not on the list any more */

    world_end(&w);

    atomic_store(&w.is_on_loop, true); /* it is asked no more */
    ASSERT_OK(kin_registration_remove_and_wait(registration, NULL));
    kin_registration_free(registration);
}

/* In every combination of handlers that come, go and stay. */
TEST(processor, leaves_nothing_behind)
{
    for (unsigned bits = 0; bits < 32; bits++) {
        world w;
        diary d = DIARY;
        world_begin(&w, 0);
        kin_registration *early = (bits & 1) != 0 ? add_diary(&w, &d, KIN_DELIVERY_POOL) : NULL;
        if ((bits & 2) != 0) {
            first_list(&w, 3);
        }
        diary late_diary = DIARY;
        kin_registration *late =
            (bits & 4) != 0 ? add_diary(&w, &late_diary, KIN_DELIVERY_POOL) : NULL;
        if ((bits & 8) != 0) {
            kin_registration_free(early);
            early = NULL;
        }
        if ((bits & 16) != 0) {
            ASSERT_OK(kin__processor_stop(w.processor, false, INT64_MAX, &w.err));
        }
        world_end(&w); /* joins the threads */
        kin_registration_free(early);
        kin_registration_free(late);
    }
}
