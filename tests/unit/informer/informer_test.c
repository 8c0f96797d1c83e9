/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_test.c - an informer's life.
 */
#include "informer/informer.h"

#include "support/allocator.h"
#include "unit/informer/scene.h"

static scene s;

TEST(informer, lists_watches_and_tells)
{
    scene_open(&s);
    sync_informer(&s);

    send_added(&s, "b@13");
    send_modified(&s, "a@14");
    send_deleted(&s, "b@15");

    expect_told(&s, "add b@13; update a@5 a@14; delete b@15");
    expect_store(&s, "a@14");
    expect_state(&s, KIN_INFORMER_WATCHING);
    scene_close(&s);
}

TEST(informer, does_nothing_before_it_is_started)
{
    scene_open(&s);
    ASSERT_OK(make_informer(&s, NULL));

    expect_no_call(&s);
    expect_state(&s, KIN_INFORMER_NEW);
    ASSERT_FALSE(kin_informer_has_synced(s.informer));
    ASSERT_ERR(kin_informer_wait_synced(s.informer, -1, &s.err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&s.err, "wait until informer \"pods\" is synced: it is not started");
    scene_close(&s);
}

TEST(informer, shows_its_life_from_new_to_stopped)
{
    scene_open(&s);
    s.has_no_resources = true;
    ASSERT_OK(make_informer(&s, NULL));
    expect_state(&s, KIN_INFORMER_NEW);
    ASSERT_OK(kin_informer_start(s.informer, &s.err));
    expect_state(&s, KIN_INFORMER_RESOLVING);
    answer_resource(&s, NULL);
    expect_state(&s, KIN_INFORMER_LISTING);
    expect_call(&s, "list pods rv=0");
    ASSERT_FALSE(kin_informer_has_synced(s.informer));
    end_page(&s, "12");
    ASSERT_TRUE(kin_informer_has_synced(s.informer));
    expect_call(&s, "watch pods rv=12");
    send_open(&s);
    expect_state(&s, KIN_INFORMER_WATCHING);

    ASSERT_OK(kin_informer_stop(s.informer, -1, &s.err));

    expect_state(&s, KIN_INFORMER_STOPPED);
    ASSERT_TRUE(kin_informer_has_synced(s.informer));
    expect_no_call(&s);
    scene_close(&s);
}

TEST(informer, loses_nothing_between_list_and_watch)
{
    scene_open(&s);
    begin_informer(&s, NULL);
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    send_object(&s, "b@6");
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12"); /* whatever came after the list comes with it */

    pass(&s, 60000);
    send_open(&s);
    send_modified(&s, "a@13");
    send_deleted(&s, "b@14");

    expect_told(&s, "add a@5 first; add b@6 first; synced; update a@5 a@13; delete b@14");
    scene_close(&s);
}

TEST(informer, takes_all_of_a_round_in_one_version)
{
    scene_open(&s);
    sync_informer(&s);
    kin_view view = kin_store_read(kin_informer_store(s.informer));
    uint64_t before = kin_view_number(&view);
    kin_store_done(&view);

    /* Two events that arrive before the loop has a turn. */
    kin_object *b = scene_object("b@13");
    kin_object *c = scene_object("c@14");
    kin_event events[] = { { .type = KIN_EVENT_ADDED, .object = b },
                           { .type = KIN_EVENT_ADDED, .object = c } };
    for (int i = 0; i < 2; i++) {
        events[i].resource_version = kin_object_resource_version(events[i].object);
        (void) s.at->handler.on_event(s.at->handler.context, &events[i]);
    }
    kin_object_unref(b);
    kin_object_unref(c);
    settle(&s);

    view = kin_store_read(kin_informer_store(s.informer));
    ASSERT_EQ(kin_view_number(&view), before + 1);
    ASSERT_SLICE_EQ(kin_view_resource_version(&view, 0), "14");
    kin_store_done(&view);
    expect_told(&s, "add b@13; add c@14");
    scene_close(&s);
}

TEST(informer, goes_on_from_where_it_was_when_it_is_started_again)
{
    scene_open(&s);
    sync_informer(&s);

    ASSERT_OK(kin_informer_stop(s.informer, 0, &s.err));
    expect_state(&s, KIN_INFORMER_STOPPED);
    expect_store(&s, "a@5");
    ASSERT_TRUE(kin_informer_has_synced(s.informer));
    ASSERT_OK(kin_informer_start(s.informer, &s.err));

    expect_call(&s, "list pods rv=12"); /* one object, to see whether the server has that version */
    end_page(&s, "20");
    expect_call(&s, "watch pods rv=12");
    send_open(&s);
    send_modified(&s, "a@21");
    expect_told(&s, "update a@5 a@21");
    scene_close(&s);
}

static void count_end(void *context)
{
    ++*(int *) context;
}

/* A handler that the program drains, and does not. */
static kin_registration *add_idler(int *ends, kin_backlog_policy policy)
{
    kin_registration *registration = NULL;
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;

    options.context = ends;
    options.on_end = count_end;
    options.mode = KIN_DELIVERY_QUEUE;
    options.policy = policy;
    options.bound = 1;
    ASSERT_OK(kin_informer_add_handler(s.informer, &options, &registration, &s.err));
    return registration;
}

TEST(informer, drops_what_is_pending_with_its_handlers_when_a_stop_says_so)
{
    int ends = 0;
    kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;
    scene_open(&s);
    sync_informer(&s);
    kin_registration *idle = add_idler(&ends, KIN_BACKLOG_COALESCE);
    send_added(&s, "b@13");

    ASSERT_OK(kin_informer_stop_and_drop(s.informer, -1, &s.err));

    ASSERT_EQ(ends, 1);
    ASSERT_OK(kin_registration_get_status(idle, &status, &s.err));
    ASSERT_EQ(status.state, KIN_REGISTRATION_STOPPED);
    ASSERT_EQ(status.pending, 0);
    ASSERT_EQ(status.told, 0);
    ASSERT_EQ(status.dropped, 2);
    ASSERT_EQ(status_of(&s).handlers, 0);
    expect_state(&s, KIN_INFORMER_STOPPED);
    expect_store(&s, "a@5 b@13");
    kin_registration_free(idle);
    ASSERT_EQ(ends, 1);
    scene_close(&s);
}

TEST(informer, takes_what_a_handler_held_up_when_that_is_dropped)
{
    int ends = 0;
    scene_open(&s);
    sync_informer(&s);
    kin_registration *slow = add_idler(&ends, KIN_BACKLOG_BLOCK);
    send_added(&s, "b@13");
    send_added(&s, "c@14");
    expect_store(&s, "a@5 b@13");

    ASSERT_OK(kin_informer_stop_and_drop(s.informer, -1, &s.err));

    expect_store(&s, "a@5 b@13 c@14");
    kin_registration_free(slow);
    scene_close(&s);
}

TEST(informer, begins_with_the_store_for_handlers_that_come_after_a_drop)
{
    scene_open(&s);
    sync_informer(&s);
    ASSERT_OK(kin_informer_stop_and_drop(s.informer, 0, &s.err));
    kin_registration_free(s.registration);

    add_recorder(&s);
    ASSERT_OK(kin_informer_start(s.informer, &s.err));

    expect_call(&s, "list pods rv=12");
    expect_told(&s, "add a@5 first; synced");
    end_page(&s, "20");
    expect_call(&s, "watch pods rv=12");
    send_open(&s);
    send_modified(&s, "a@21");
    expect_told(&s, "update a@5 a@21");
    scene_close(&s);
}

TEST(informer, may_be_stopped_and_started_at_any_moment)
{
    scene_open(&s);
    begin_informer(&s, NULL);
    expect_call(&s, "list pods rv=0");

    ASSERT_OK(kin_informer_stop(s.informer, -1, &s.err));
    ASSERT_OK(kin_informer_stop(s.informer, -1, &s.err));
    ASSERT_OK(kin_informer_start(s.informer, &s.err));
    ASSERT_OK(kin_informer_start(s.informer, &s.err));

    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_told(&s, "add a@5 first; synced");
    scene_close(&s);
}

TEST(informer, may_be_stopped_before_it_knows_the_resource)
{
    scene_open(&s);
    s.has_no_resources = true;
    begin_informer(&s, NULL);
    expect_state(&s, KIN_INFORMER_RESOLVING);

    ASSERT_OK(kin_informer_stop(s.informer, -1, &s.err));

    expect_state(&s, KIN_INFORMER_STOPPED);
    answer_resource(&s, NULL);
    expect_no_call(&s);
    scene_close(&s);
}

TEST(informer, is_freed_while_a_call_is_under_way)
{
    scene_open(&s);
    begin_informer(&s, NULL);
    expect_call(&s, "list pods rv=0");

    scene_close(&s);
}

TEST(informer, tells_handlers_that_come_late_what_is_there)
{
    kin_registration *late = NULL;

    scene_open(&s);
    sync_informer(&s);
    kin_registration_options options = recorder(&s);

    ASSERT_OK(kin_informer_add_handler(s.informer, &options, &late, &s.err));
    settle(&s);

    expect_told(&s, "add a@5 first; synced");
    ASSERT_TRUE(kin_registration_has_synced(late));
    kin_registration_free(late);
    scene_close(&s);
}

TEST(informer, syncs_with_nothing)
{
    scene_open(&s);
    begin_informer(&s, NULL);
    expect_call(&s, "list pods rv=0");

    end_page(&s, "12");

    expect_told(&s, "synced");
    ASSERT_TRUE(kin_informer_has_synced(s.informer));
    scene_close(&s);
}

TEST(informer, tells_what_was_deleted_or_made_again_while_nobody_looked)
{
    scene_open(&s);
    sync_informer(&s);
    send_added(&s, "b@13");
    text_clear(&s.told);
    end_badly(&s, KIN_ERR_EXPIRED, 410, "too old");

    expect_call(&s, "list pods rv=13");
    send_object(&s, "a#2@14");
    end_page(&s, "15");

    expect_told(&s, "tombstone b@13; tombstone a@5; add a@14");
    scene_close(&s);
}

TEST(informer, tells_what_was_made_again_as_an_update_where_that_is_wanted)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.recreated_is_update = true;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12");
    end_badly(&s, KIN_ERR_EXPIRED, 410, "too old");
    text_clear(&s.told);

    expect_call(&s, "list pods rv=12");
    send_object(&s, "a#2@14");
    end_page(&s, "15");

    expect_told(&s, "update a@5 a@14");
    scene_close(&s);
}

TEST(informer, keeps_its_handlers_when_that_of_another_is_removed)
{
    kin_registration *foreign = NULL;
    scene_open(&s);
    ASSERT_OK(make_informer(&s, NULL));
    kin_informer *other = s.informer;
    kin_registration_options options = recorder(&s);
    ASSERT_OK(kin_informer_add_handler(other, &options, &foreign, &s.err));
    begin_informer(&s, NULL);

    kin_registration_remove(foreign);

    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_told(&s, "add a@5 first; synced");
    kin_registration_free(foreign);
    kin_informer_free(other);
    scene_close(&s);
}

TEST(informer, that_is_forbidden_says_so_at_once_and_disturbs_nobody)
{
    scene_open(&s);
    begin_informer(&s, NULL);
    kin_informer *forbidden = s.informer;
    kin_registration *its = s.registration;
    kin_informer_options options = pods_options(&s);
    options.ns = "shop";
    begin_informer(&s, &options);
    kin_informer *allowed = s.informer;
    expect_call(&s, "list pods rv=0");

    end_badly(&s, KIN_ERR_FORBIDDEN, 403, "you may not");

    s.informer = forbidden;
    expect_state(&s, KIN_INFORMER_FORBIDDEN);
    ASSERT_EQ(status_of(&s).lists, 1);
    ASSERT_STR_EQ(status_of(&s).error.message, "you may not");
    s.informer = allowed;
    expect_call(&s, "list pods in shop rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_call(&s, "watch pods in shop rv=12");
    send_open(&s);
    send_added(&s, "b@13");
    expect_told(&s, "add a@5 first; synced; add b@13");
    expect_state(&s, KIN_INFORMER_WATCHING);
    kin_informer_free(forbidden);
    kin_registration_free(its);
    scene_close(&s);
}

TEST(informer, follows_several_namespaces)
{
    const char *const namespaces[] = { "shop", "bank", NULL };
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.namespaces = namespaces;
    begin_informer(&s, &options);

    expect_call(&s, "list pods in shop rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_told(&s, "add a@5 first");
    ASSERT_FALSE(kin_informer_has_synced(s.informer));
    expect_call(&s, "list pods in bank rv=0");
    send_object(&s, "bank/b@7");
    end_page(&s, "13");

    expect_told(&s, "add b@7 first; synced");
    expect_store(&s, "a@5 b@7");
    ASSERT_TRUE(kin_informer_has_synced(s.informer));
    scene_close(&s);
}

TEST(informer, has_its_worst_namespace_s_state)
{
    const char *const namespaces[] = { "shop", "bank", NULL };
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.namespaces = namespaces;
    begin_informer(&s, &options);
    expect_call(&s, "list pods in shop rv=0");
    end_badly(&s, KIN_ERR_FORBIDDEN, 403, "you may not");
    expect_call(&s, "list pods in bank rv=0");

    end_page(&s, "12");

    expect_state(&s, KIN_INFORMER_FORBIDDEN);
    ASSERT_CONTAINS(status_of(&s).error.message, "you may not");
    scene_close(&s);
}

/* A server that comes back is not asked by all of them in the same moment. */
TEST(informer, asks_for_its_namespaces_at_different_times_after_a_failure)
{
    const char *const namespaces[] = { "a", "b", "c", "d", "e", "f", "g", "h", NULL };
    int most = 0;
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.namespaces = namespaces;
    begin_informer(&s, &options);
    while (take_call(&s)) {
        end_badly(&s, KIN_ERR_CONNECT, 0, "refused");
    }
    ASSERT_EQ(s.call_count, 8);

    for (int i = 0; i < 100; i++) {
        int before = s.call_count;
        pass(&s, 20);
        most = s.call_count - before > most ? s.call_count - before : most;
    }

    ASSERT_EQ(s.call_count, 16);
    ASSERT_TRUE(most < 5);
    scene_close(&s);
}

TEST(informer, resyncs_those_who_want_it)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.resync_ms = 10000;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_told(&s, "add a@5 first; synced");

    pass(&s, 9999);
    expect_told(&s, "");
    pass(&s, 1);
    expect_told(&s, "resync a@5");
    pass(&s, 10000);
    expect_told(&s, "resync a@5");
    scene_close(&s);
}

TEST(informer, resyncs_nobody_while_it_is_stopped)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.resync_ms = 10000;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_told(&s, "add a@5 first; synced");

    ASSERT_OK(kin_informer_stop(s.informer, -1, &s.err));
    pass(&s, 60000);
    expect_told(&s, "");
    ASSERT_OK(kin_informer_start(s.informer, &s.err));
    pass(&s, 10000);
    expect_told(&s, "resync a@5");
    scene_close(&s);
}

/* ---- without memory ---------------------------------------------------------------------------
 */

/* Says something to the call that was made last, if there is memory to say it. */
static void serve_last_call(void)
{
    scene_call *call = s.call_count == 0 ? NULL : &s.calls[s.call_count - 1];
    kin_object *a = scene_object("a@5");
    kin_object *b = scene_object("b@13");

    if (call != NULL && !call->is_over && a != NULL && b != NULL) {
        s.at = call;
        if (call->verb == KIN_VERB_LIST) {
            (void) call->handler.on_object(call->handler.context, a);
            end_page(&s, "12");
        } else {
            kin_event event = { .type = KIN_EVENT_ADDED, .object = b };
            event.resource_version = kin_object_resource_version(b);
            send_open(&s);
            (void) call->handler.on_event(call->handler.context, &event);
        }
    }
    kin_object_unref(a);
    kin_object_unref(b);
}

static bool has_both(void)
{
    kin_view view = kin_store_read(kin_informer_store(s.informer));
    size_t count = kin_view_count(&view);

    kin_store_done(&view);
    return count == 2;
}

TEST(informer, tries_again_by_itself_when_there_was_no_memory)
{
    scene_open(&s);
    sync_informer(&s);
    kin_object *b = scene_object("b@13");
    kin_event event = { .type = KIN_EVENT_ADDED, .object = b };
    event.resource_version = kin_object_resource_version(b);
    (void) s.at->handler.on_event(s.at->handler.context, &event);

    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
    ASSERT_OK(kin_loop_dispatch(s.loop, 0, &s.err));
    ASSERT_TRUE(test_allocator_failures() > 0);
    test_allocator_plan((alloc_failure){ 0 });
    settle(&s);
    expect_told(&s, "");
    pass(&s, 100);

    expect_told(&s, "add b@13");
    kin_object_unref(b);
    scene_close(&s);
}

TEST_FAILING_ALLOC(informer, loses_nothing_for_lack_of_memory)
{
    kin_err code = scene_try_to_open(&s);
    if (code == KIN_OK) {
        code = make_informer(&s, NULL);
    }
    kin_registration_options options = recorder(&s);
    if (code == KIN_OK) {
        code = kin_informer_add_handler(s.informer, &options, &s.registration, &s.err);
    }
    if (code == KIN_OK) {
        ASSERT_OK(kin_informer_start(s.informer, &s.err));
        for (int i = 0; i < 12 && !has_both(); i++) {
            settle(&s);
            serve_last_call();
            pass(&s, 3000);
        }
        if (test_allocator_failures() <= 1) {
            expect_told(&s, "add a@5 first; synced; add b@13");
        }
        code = test_allocator_failures() == 0 ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}
