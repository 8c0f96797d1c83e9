/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector_stream_test.c - streaming lists, and when they become plain ones.
 */
#include <stdio.h>

#include "unit/cache/reflector_script.h"

static void begin_stream(script *s)
{
    kin__reflector_options options = { .mode = KIN__START_WATCH_LIST };

    script_begin(s, &options);
}

/* A plain list, and the watch after it. */
static void list_and_watch(script *s)
{
    expect(s, "list rv=0 limit=500");
    end_page(s, "12", NULL);
    expect(s, "watch rv=12");
    text_clear(&s->told);
}

/* A watch that is lost: the whole state is wanted again. */
static void lose_version(script *s)
{
    send_error(s, expired());
    end_well(s);
    text_clear(&s->told);
}

TEST(reflector_stream, tells_all_at_its_end_and_goes_on_as_a_watch)
{
    script s;
    begin_stream(&s);

    expect(&s, "stream rv=");
    expect_state(&s, KIN__REFLECTOR_STREAMING);
    send_open(&s);
    send_added(&s, "a@9");
    send_added(&s, "b@7");
    expect_told(&s, "");
    send_initial_end(&s, "12");
    expect_told(&s, "replace@12 [a@9 b@7]");
    send_modified(&s, "a@13");

    expect_told(&s, "update a@13");
    expect(&s, "wait");
    expect_state(&s, KIN__REFLECTOR_WATCHING);
    ASSERT_EQ(kin__reflector_look(s.reflector).watches, 1);
    ASSERT_EQ(kin__reflector_look(s.reflector).lists, 0);
    script_end(&s);
}

TEST(reflector_stream, has_no_version_before_its_end)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");

    send_added(&s, "a@9");
    send_modified(&s, "a@10");
    send_bookmark(&s, "11");
    expect_version(&s, "");
    ASSERT_FALSE(kin__reflector_look(s.reflector).is_synced);
    send_initial_end(&s, "12");

    expect_version(&s, "12");
    ASSERT_TRUE(kin__reflector_look(s.reflector).is_synced);
    script_end(&s);
}

TEST(reflector_stream, does_not_end_with_a_plain_bookmark)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");

    send_added(&s, "a@9");
    send_bookmark(&s, "12");

    expect_told(&s, "");
    expect_state(&s, KIN__REFLECTOR_STREAMING);
    script_end(&s);
}

TEST(reflector_stream, takes_changes_before_its_end_into_the_whole)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");

    send_added(&s, "a@1");
    send_added(&s, "b@2");
    send_added(&s, "c@3");
    send_modified(&s, "b@10");
    send_deleted(&s, "a@11");
    send_deleted(&s, "nobody@12");
    send_initial_end(&s, "13");

    expect_told(&s, "replace@13 [b@10 c@3]");
    script_end(&s);
}

TEST(reflector_stream, older_than_what_was_asked_for_is_not_taken)
{
    script s;
    begin_stream(&s);
    sync_by_stream(&s);
    lose_version(&s);
    expect(&s, "stream rv=12");

    send_added(&s, "a@3");
    send_initial_end(&s, "11");

    expect(&s, "cancel");
    end_cancelled(&s);
    expect_told(&s, "routine KIN_ERR_EXPIRED streaming");
    expect_version(&s, "12");
    expect(&s, "stream rv=");
    script_end(&s);
}

TEST(reflector_stream, of_the_newest_may_be_older_than_what_was_told)
{
    script s;
    begin_stream(&s);
    sync_by_stream(&s);
    lose_version(&s);
    expect(&s, "stream rv=12");
    end_with_cause(&s, too_large(), "ResourceVersionTooLarge");
    expect(&s, "stream rv=");
    text_clear(&s.told);

    send_added(&s, "a@3");
    send_initial_end(&s, "11");

    expect_told(&s, "replace@11 [a@3]");
    expect_version(&s, "11");
    script_end(&s);
}

TEST(reflector_stream, is_never_older_where_versions_do_not_rise)
{
    kin__reflector_options options = { .mode = KIN__START_WATCH_LIST,
                                       .has_unordered_versions = true };
    script s;
    script_begin(&s, &options);
    sync_by_stream(&s);
    lose_version(&s);
    expect(&s, "stream rv=12");

    send_added(&s, "a@3");
    send_initial_end(&s, "11");

    expect_told(&s, "replace@11 [a@3]");
    script_end(&s);
}

TEST(reflector_stream, may_be_empty)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");

    send_initial_end(&s, "12");

    expect_told(&s, "replace@12 []");
    script_end(&s);
}

TEST(reflector_stream, is_followed_by_watches_from_the_last_version)
{
    script s;
    begin_stream(&s);
    sync_by_stream(&s);
    send_added(&s, "b@14");
    pass(&s, 300000);

    end_well(&s);

    expect(&s, "watch rv=14");
    send_error(&s, expired());
    expect(&s, "cancel");
    end_cancelled(&s);
    expect_told(&s, "add b@14; routine KIN_ERR_EXPIRED watching");
    expect(&s, "stream rv=14");
    script_end(&s);
}

/* ---- servers that do not do it ------------------------------------------------------------- */

TEST(reflector_stream, becomes_a_list_when_it_is_refused)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");

    end_badly(&s, answer(KIN_ERR_INVALID, 422, "Invalid"));

    expect_told(&s, "routine KIN_ERR_INVALID streaming");
    list_and_watch(&s);
    script_end(&s);
}

TEST(reflector_stream, that_was_refused_is_tried_again_after_an_hour)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");
    end_badly(&s, answer(KIN_ERR_INVALID, 400, "BadRequest"));
    list_and_watch(&s);

    pass(&s, 3599999);
    lose_version(&s);
    expect(&s, "list rv=12 limit=0");
    end_page(&s, "13", NULL);
    expect(&s, "watch rv=13");
    pass(&s, 1);
    send_bookmark(&s, "14");
    lose_version(&s);

    expect(&s, "stream rv=14");
    script_end(&s);
}

TEST(reflector_stream, becomes_a_list_when_its_end_does_not_come)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");
    send_open(&s);
    pass(&s, 3000);
    send_added(&s, "a@9");

    expect_wait(&s, 10000);
    expect(&s, "cancel");
    send_initial_end(&s, "12");
    end_cancelled(&s);

    expect_told(&s, "routine KIN_ERR_TIMEOUT streaming");
    list_and_watch(&s);
    pass(&s, 60000);
    lose_version(&s);
    expect(&s, "list rv=12 limit=0");
    script_end(&s);
}

TEST(reflector_stream, becomes_a_list_when_it_does_not_open)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");

    expect_wait(&s, 30000);
    expect(&s, "cancel");
    end_cancelled(&s);

    list_and_watch(&s);
    lose_version(&s);
    expect(&s, "stream rv=12");
    script_end(&s);
}

TEST(reflector_stream, may_take_long_while_objects_come)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");

    for (int i = 0; i < 10000; i++) {
        char object[32];

        (void) snprintf(object, sizeof object, "pod-%05d@%d", i, i + 1);
        pass(&s, 20);
        send_added(&s, object);
        expect(&s, "wait");
    }
    send_initial_end(&s, "20000");

    expect_told(&s, "replace@20000 [10000 objects]");
    script_end(&s);
}

TEST(reflector_stream, of_changes_without_an_end_becomes_a_list)
{
    script s;
    int64_t begun_at;
    begin_stream(&s);
    expect(&s, "stream rv=");
    begun_at = s.now_ms;
    send_added(&s, "a@1");

    int i = 0;
    for (kin__action action = { 0 }; action.type != KIN__ACTION_CANCEL; i++) {
        char object[32];

        ASSERT_TRUE(i < 100);
        (void) snprintf(object, sizeof object, "new-%d@%d", i, i + 2);
        send_added(&s, object);
        pass(&s, 1000);
        action = kin__reflector_next(s.reflector, s.now_ms);
    }
    end_cancelled(&s);

    ASSERT_TRUE(s.now_ms - begun_at < 33000);
    expect(&s, "list rv=0 limit=500");
    script_end(&s);
}

TEST(reflector_stream, makes_no_progress_by_changes_of_what_is_known)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");
    send_added(&s, "a@1");

    pass(&s, 5000);
    send_modified(&s, "a@2");
    pass(&s, 5000);

    expect(&s, "cancel");
    script_end(&s);
}

TEST(reflector_stream, that_ends_before_its_end_becomes_a_list_once)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");
    send_added(&s, "a@9");
    pass(&s, 2000);

    end_well(&s);

    expect_told(&s, "routine KIN_ERR_PROTOCOL streaming");
    list_and_watch(&s);
    lose_version(&s);
    expect(&s, "stream rv=12");
    script_end(&s);
}

TEST(reflector_stream, whose_end_has_no_version_becomes_a_list)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");

    send_initial_end(&s, "");

    expect(&s, "cancel");
    end_cancelled(&s);
    list_and_watch(&s);
    script_end(&s);
}

/* ---- failures ------------------------------------------------------------------------------ */

TEST(reflector_stream, is_asked_for_again_when_the_connection_is_refused)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");
    end_badly(&s, refused());
    expect_wait(&s, 800);
    expect(&s, "stream rv=");
    end_badly(&s, refused());
    expect_wait(&s, 1500);
    expect_told(&s, "trouble KIN_ERR_CONNECT streaming; trouble KIN_ERR_CONNECT streaming");

    sync_by_stream(&s);
    script_end(&s);
}

TEST(reflector_stream, begins_with_nothing_after_it_was_cut_and_becomes_a_list_the_second_time)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");
    send_added(&s, "a@9");
    end_badly(&s, cut());
    expect_wait(&s, 800);
    expect(&s, "stream rv=");
    ASSERT_EQ(kin__reflector_look(s.reflector).collected, 0);
    send_added(&s, "b@9");
    end_badly(&s, cut());

    expect_wait(&s, 1500);
    list_and_watch(&s);
    script_end(&s);
}

TEST(reflector_stream, waits_for_an_overloaded_server_twice)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");
    end_badly(&s, throttled(0));
    expect_wait(&s, 800);
    expect(&s, "stream rv=");
    end_badly(&s, throttled(0));
    expect_wait(&s, 1600);
    expect(&s, "stream rv=");
    end_badly(&s, throttled(0));
    expect_wait(&s, 3200);

    list_and_watch(&s);
    script_end(&s);
}

TEST(reflector_stream, becomes_a_list_when_watching_is_forbidden)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");
    end_badly(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"));
    list_and_watch(&s);

    end_badly(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"));

    expect_state(&s, KIN__REFLECTOR_FORBIDDEN);
    ASSERT_TRUE(kin__reflector_look(s.reflector).is_synced);
    script_end(&s);
}

TEST(reflector_stream, becomes_a_list_when_the_server_is_broken)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");

    send_error(&s, answer(KIN_ERR_SERVER, 500, "InternalError"));
    expect(&s, "cancel");
    end_cancelled(&s);

    list_and_watch(&s);
    script_end(&s);
}

TEST(reflector_stream, of_a_version_that_is_not_to_be_had_begins_at_the_newest)
{
    script s;
    begin_stream(&s);
    sync_by_stream(&s);
    lose_version(&s);
    expect(&s, "stream rv=12");

    send_error(&s, too_large());
    expect(&s, "cancel");
    end_cancelled(&s);

    expect(&s, "stream rv=");
    send_initial_end(&s, "3");
    expect_told(&s, "routine KIN_ERR_SERVER streaming; replace@3 []");
    lose_version(&s);
    expect_wait(&s, 800);
    expect(&s, "stream rv=3");
    end_badly(&s, expired());
    expect(&s, "stream rv=");
    end_badly(&s, expired());
    expect_wait(&s, 1600);
    script_end(&s);
}

TEST(reflector_stream, is_told_again_when_the_sink_does_not_take_it)
{
    script s;
    begin_stream(&s);
    expect(&s, "stream rv=");
    send_added(&s, "a@9");
    s.sink_says = KIN_ERR_NO_MEMORY;
    send_initial_end(&s, "12");
    s.sink_says = KIN_OK;
    send_modified(&s, "a@13");

    expect(&s, "cancel");
    end_cancelled(&s);
    expect_told(&s, "replace@12 [a@9]; trouble KIN_ERR_NO_MEMORY streaming");
    expect_version(&s, "");
    expect_wait(&s, 800);

    sync_by_stream(&s);
    script_end(&s);
}
