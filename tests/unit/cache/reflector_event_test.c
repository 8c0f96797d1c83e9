/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector_event_test.c - what a reflector makes of the events of a watch.
 */
#include <string.h>

#include "unit/cache/reflector_script.h"

static void send_of_kind(script *s, const char *api_version, const char *kind, const char *object)
{
    kin_object *made = script_object(api_version, kind, object);
    kin_event event = { .type = KIN_EVENT_ADDED,
                        .object = made,
                        .resource_version = kin_object_resource_version(made) };

    kin__reflector_event(s->reflector, &event, s->now_ms);
    kin_object_unref(made);
}

TEST(reflector_event, moves_the_version_whatever_its_type)
{
    script s;
    begin_synced(&s);

    send_added(&s, "b@13");
    expect_version(&s, "13");
    send_modified(&s, "b@14");
    expect_version(&s, "14");
    send_bookmark(&s, "20");
    expect_version(&s, "20");
    send_deleted(&s, "b@21");
    expect_version(&s, "21");
    expect_told(&s, "add b@13; update b@14; bookmark 20; remove b@21");
    script_end(&s);
}

TEST(reflector_event, is_dropped_when_it_is_not_newer_than_what_was_told)
{
    script s;
    begin_synced(&s);

    send_modified(&s, "a@55");
    send_modified(&s, "a@55");
    send_added(&s, "b@32");
    send_deleted(&s, "c@9");
    send_modified(&s, "a@100");

    expect_told(&s, "update a@55; trouble KIN_ERR_PROTOCOL watching; update a@100");
    ASSERT_EQ(kin__reflector_look(s.reflector).stale, 3);
    expect_version(&s, "100");
    script_end(&s);
}

TEST(reflector_event, is_taken_in_any_order_where_versions_have_none)
{
    script s;
    kin__reflector_options options = { .has_unordered_versions = true };
    script_begin(&s, &options);
    sync_by_list(&s);

    send_modified(&s, "a@55");
    send_added(&s, "b@32");

    expect_told(&s, "update a@55; add b@32");
    expect_version(&s, "32");
    script_end(&s);
}

TEST(reflector_event, is_taken_when_its_version_is_no_number)
{
    script s;
    begin_synced(&s);

    send_modified(&s, "a@x7");
    send_modified(&s, "a@x7");
    send_modified(&s, "a@b");

    expect_told(&s, "update a@x7; trouble KIN_ERR_PROTOCOL watching; update a@b");
    expect_version(&s, "b");
    script_end(&s);
}

TEST(reflector_event, without_a_version_leaves_the_version)
{
    script s;
    begin_synced(&s);

    send_modified(&s, "a@");

    expect_told(&s, "update a@");
    expect_version(&s, "12");
    script_end(&s);
}

TEST(reflector_event, compares_versions_as_numbers)
{
    script s;
    begin_synced(&s);

    send_modified(&s, "a@99");
    send_modified(&s, "a@100");
    send_modified(&s, "a@18446744073709551616");
    send_modified(&s, "a@9000000000000000000");

    ASSERT_EQ(kin__reflector_look(s.reflector).stale, 1);
    expect_version(&s, "18446744073709551616");
    script_end(&s);
}

TEST(reflector_event, that_repeats_a_bookmark_is_not_told)
{
    script s;
    begin_synced(&s);

    send_bookmark(&s, "20");
    send_bookmark(&s, "20");
    send_bookmark(&s, "19");
    send_bookmark(&s, "");

    expect_told(&s, "bookmark 20");
    expect_version(&s, "20");
    ASSERT_EQ(kin__reflector_look(s.reflector).bookmarks, 4);
    ASSERT_EQ(kin__reflector_look(s.reflector).stale, 0);
    script_end(&s);
}

TEST(reflector_event, is_resumed_after_a_bookmark)
{
    script s;
    begin_synced(&s);

    send_bookmark(&s, "90");
    pass(&s, 1000);
    end_well(&s);

    expect(&s, "watch rv=90");
    script_end(&s);
}

TEST(reflector_event, of_an_error_ends_the_watch)
{
    script s;
    begin_synced(&s);

    send_error(&s, expired());
    send_modified(&s, "a@13");

    expect(&s, "cancel");
    expect(&s, "wait");
    expect_told(&s, "");
    expect_version(&s, "12");
    script_end(&s);
}

TEST(reflector_event, of_another_kind_is_dropped_and_told_once)
{
    script s;
    kin__reflector_options options = { .api_version = "apps/v1", .kind = "Deployment" };
    script_begin(&s, &options);
    expect(&s, "list rv=0 limit=500");
    end_page(&s, "12", NULL);
    expect(&s, "watch rv=12");
    text_clear(&s.told);

    send_of_kind(&s, "v1", "Pod", "a@13");
    send_of_kind(&s, "apps/v1", "ReplicaSet", "b@14");
    send_of_kind(&s, "apps/v1beta1", "Deployment", "c@15");
    expect_version(&s, "12");
    send_of_kind(&s, "apps/v1", "Deployment", "d@16");

    expect_told(&s, "trouble KIN_ERR_PROTOCOL watching; add d@16");
    ASSERT_EQ(kin__reflector_look(s.reflector).unwanted, 3);
    expect_state(&s, KIN__REFLECTOR_WATCHING);
    script_end(&s);
}

TEST(reflector_event, may_be_of_any_kind_but_a_table)
{
    script s;
    begin_synced(&s);

    send_of_kind(&s, "meta.k8s.io/v1", "Table", "a@13");
    send_of_kind(&s, "meta.k8s.io/v1beta1", "Table", "a@14");
    send_of_kind(&s, "furniture.example.com/v1", "Table", "b@15");
    send_of_kind(&s, "v1", "Node", "c@16");

    expect_told(&s, "trouble KIN_ERR_PROTOCOL watching; add b@15; add c@16");
    ASSERT_EQ(kin__reflector_look(s.reflector).unwanted, 2);
    script_end(&s);
}

TEST(reflector_event, that_was_dropped_is_no_sign_of_life)
{
    script s;
    kin__reflector_options options = { .kind = "Deployment" };
    script_begin(&s, &options);
    expect(&s, "list rv=0 limit=500");
    end_page(&s, "12", NULL);
    expect(&s, "watch rv=12");
    send_of_kind(&s, "v1", "Pod", "a@13");

    end_well(&s);

    expect_wait(&s, 800);
    script_end(&s);
}

TEST(reflector_event, that_the_sink_does_not_take_leads_to_a_list)
{
    script s;
    begin_synced(&s);
    send_modified(&s, "a@13");

    s.sink_says = KIN_ERR_NO_MEMORY;
    send_added(&s, "b@14");
    s.sink_says = KIN_OK;
    send_added(&s, "c@15");

    expect_version(&s, "13");
    expect(&s, "cancel");
    end_cancelled(&s);
    expect_told(&s, "update a@13; add b@14; trouble KIN_ERR_NO_MEMORY watching");
    expect_wait(&s, 800);
    expect(&s, "list rv=13 limit=0");
    send_object(&s, "a@13");
    send_object(&s, "b@14");
    end_page(&s, "15", NULL);
    expect_told(&s, "replace@15 [a@13 b@14]");
    expect(&s, "watch rv=15");
    script_end(&s);
}

TEST(reflector_event, that_the_sink_never_takes_leads_to_fewer_and_fewer_lists)
{
    static const int64_t waits[] = { 800, 1600, 3200, 6400, 12800, 25600, 30000 };
    script s;
    begin_synced(&s);

    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        s.sink_says = KIN_ERR_USAGE;
        send_added(&s, "b@14");
        expect(&s, "cancel");
        end_cancelled(&s);
        expect_wait(&s, waits[i]);
        expect(&s, "list rv=12 limit=0");
        s.sink_says = KIN_OK;
        end_page(&s, "12", NULL);
        expect(&s, "watch rv=12");
    }
    script_end(&s);
}

TEST(reflector_event, of_a_bookmark_that_the_sink_does_not_take_leads_to_a_list)
{
    script s;
    begin_synced(&s);

    s.sink_says = KIN_ERR_NO_MEMORY;
    send_bookmark(&s, "14");

    expect_version(&s, "12");
    expect(&s, "cancel");
    end_cancelled(&s);
    expect_wait(&s, 800);
    expect(&s, "list rv=12 limit=0");
    script_end(&s);
}

TEST(reflector_event, needs_no_word_that_the_watch_is_open)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    end_page(&s, "12", NULL);
    expect(&s, "watch rv=12");

    send_added(&s, "a@13");

    expect_state(&s, KIN__REFLECTOR_WATCHING);
    script_end(&s);
}

TEST(reflector_event, of_a_watch_without_a_version_moves_it_once_something_changes)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    end_page(&s, "0", NULL);
    expect(&s, "watch rv=");
    text_clear(&s.told);

    send_added(&s, "a@9");
    send_added(&s, "b@7");
    expect_version(&s, "");
    send_modified(&s, "b@11");
    expect_version(&s, "11");
    send_added(&s, "c@12");

    expect_version(&s, "12");
    expect_told(&s, "add a@9; add b@7; update b@11; add c@12");
    script_end(&s);
}
