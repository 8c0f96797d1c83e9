/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector_list_test.c - versions, pages and failures of lists.
 */
#include "unit/cache/reflector_script.h"

/* A watch whose version is gone: the next thing is a list. */
static void lose_version(script *s)
{
    send_error(s, expired());
    expect(s, "cancel");
    end_cancelled(s);
    expect_told(s, "routine KIN_ERR_EXPIRED watching");
}

TEST(reflector_list, collects_pages)
{
    script s;
    script_begin(&s, NULL);

    expect(&s, "list rv=0 limit=500");
    send_object(&s, "a@5");
    end_page(&s, "12", "t1");
    expect(&s, "list rv= limit=500 continue=t1");
    send_object(&s, "b@6");
    end_page(&s, "12", "t2");
    expect(&s, "list rv= limit=500 continue=t2");
    expect_told(&s, "");
    end_page(&s, "12", NULL);

    expect_told(&s, "replace@12 [a@5 b@6]");
    expect(&s, "watch rv=12");
    script_end(&s);
}

TEST(reflector_list, has_the_version_of_its_first_page)
{
    script s;
    script_begin(&s, NULL);

    expect(&s, "list rv=0 limit=500");
    end_page(&s, "12", "t1");
    expect(&s, "list rv= limit=500 continue=t1");
    end_page(&s, "15", NULL);

    expect_told(&s, "replace@12 []");
    expect(&s, "watch rv=12");
    script_end(&s);
}

TEST(reflector_list, again_is_not_older_than_the_last_version_and_not_in_pages)
{
    script s;
    begin_synced(&s);

    lose_version(&s);

    expect(&s, "list rv=12 limit=0");
    send_object(&s, "b@30");
    end_page(&s, "31", NULL);
    expect_told(&s, "replace@31 [b@30]");
    expect(&s, "watch rv=31");
    script_end(&s);
}

TEST(reflector_list, again_is_in_pages_where_the_server_has_no_cache)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    end_page(&s, "12", "t1");
    expect(&s, "list rv= limit=500 continue=t1");
    end_page(&s, "12", NULL);
    expect_told(&s, "replace@12 []");
    expect(&s, "watch rv=12");

    lose_version(&s);

    expect(&s, "list rv=12 limit=500 match=NotOlderThan");
    script_end(&s);
}

TEST(reflector_list, is_in_pages_as_the_program_says)
{
    script s;
    kin__reflector_options options = { .page_size = 4 };
    script_begin(&s, &options);
    expect(&s, "list rv=0 limit=4");
    end_page(&s, "10", "t1");
    expect(&s, "list rv= limit=4 continue=t1");
    end_page(&s, "10", NULL);
    expect_told(&s, "replace@10 []");
    expect(&s, "watch rv=10");

    lose_version(&s);

    expect(&s, "list rv=10 limit=4 match=NotOlderThan");
    script_end(&s);
}

TEST(reflector_list, is_never_in_pages_when_the_program_says_so)
{
    script s;
    kin__reflector_options options = { .page_size = -1 };
    script_begin(&s, &options);

    expect(&s, "list rv=0 limit=0");
    script_end(&s);
}

TEST(reflector_list, of_an_expired_version_becomes_one_of_the_newest_at_once)
{
    script s;
    begin_synced(&s);
    lose_version(&s);
    expect(&s, "list rv=12 limit=0");

    end_badly(&s, expired());

    expect_told(&s, "routine KIN_ERR_EXPIRED listing");
    expect(&s, "list rv= limit=500");
    end_page(&s, "40", NULL);
    expect_told(&s, "replace@40 []");
    expect(&s, "watch rv=40");
    send_bookmark(&s, "41");
    expect_told(&s, "bookmark 41");
    lose_version(&s);
    expect(&s, "list rv=41 limit=0");
    script_end(&s);
}

TEST(reflector_list, waits_when_even_the_newest_has_expired)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    end_badly(&s, expired());
    expect(&s, "list rv= limit=500");

    end_badly(&s, expired());

    expect_told(&s, "routine KIN_ERR_EXPIRED listing; trouble KIN_ERR_EXPIRED listing");
    expect_wait(&s, 800);
    expect(&s, "list rv= limit=500");
    script_end(&s);
}

TEST(reflector_list, of_a_version_that_is_too_large_becomes_one_of_the_newest)
{
    script s;
    begin_synced(&s);
    lose_version(&s);
    expect(&s, "list rv=12 limit=0");

    end_with_cause(&s, answer(KIN_ERR_SERVER, 504, "Timeout"), "ResourceVersionTooLarge");

    expect(&s, "list rv= limit=500");
    end_page(&s, "3", NULL);
    expect_told(&s, "routine KIN_ERR_SERVER listing; replace@3 []");
    expect(&s, "watch rv=3");
    send_added(&s, "x@4");
    expect_told(&s, "add x@4");
    script_end(&s);
}

TEST(reflector_list, knows_a_version_that_is_too_large_by_its_words)
{
    script s;
    begin_synced(&s);
    lose_version(&s);
    expect(&s, "list rv=12 limit=0");

    end_badly(&s, too_large());

    expect(&s, "list rv= limit=500");
    script_end(&s);
}

TEST(reflector_list, whose_page_has_expired_comes_in_one_at_the_same_version)
{
    script s;
    kin__reflector_options options = { .page_size = 4 };
    script_begin(&s, &options);
    expect(&s, "list rv=0 limit=4");
    end_page(&s, "10", NULL);
    expect(&s, "watch rv=10");
    send_error(&s, expired());
    expect(&s, "cancel");
    end_cancelled(&s);
    expect(&s, "list rv=10 limit=4 match=NotOlderThan");
    send_object(&s, "a@5");
    end_page(&s, "10", "t1");
    expect(&s, "list rv= limit=4 continue=t1");

    end_badly(&s, expired());

    expect(&s, "list rv=10 limit=0");
    send_object(&s, "a@5");
    send_object(&s, "b@6");
    end_page(&s, "11", NULL);
    expect_told(&s, "replace@10 []; routine KIN_ERR_EXPIRED watching; "
                    "routine KIN_ERR_EXPIRED listing; replace@11 [a@5 b@6]");
    expect(&s, "watch rv=11");
    script_end(&s);
}

TEST(reflector_list, does_not_ask_all_the_time_when_pages_expire_for_ever)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    end_page(&s, "10", "t1");
    expect(&s, "list rv= limit=500 continue=t1");
    end_badly(&s, expired());
    expect(&s, "list rv=0 limit=0");
    end_page(&s, "10", "t1");
    expect(&s, "list rv= limit=0 continue=t1");
    end_badly(&s, expired());
    expect(&s, "list rv= limit=0");
    end_page(&s, "10", "t1");
    expect(&s, "list rv= limit=0 continue=t1");

    end_badly(&s, expired());

    expect_wait(&s, 800);
    script_end(&s);
}

TEST(reflector_list, asks_for_the_same_page_again_when_one_fails)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    send_object(&s, "a@5");
    end_page(&s, "12", "t1");
    expect(&s, "list rv= limit=500 continue=t1");
    send_object(&s, "b@6");

    end_badly(&s, cut());

    expect_told(&s, "trouble KIN_ERR_CLOSED listing");
    expect_wait(&s, 800);
    expect(&s, "list rv= limit=500 continue=t1");
    send_object(&s, "b@6");
    send_object(&s, "c@7");
    end_page(&s, "12", NULL);
    expect_told(&s, "replace@12 [a@5 b@6 c@7]");
    script_end(&s);
}

TEST(reflector_list, begins_anew_when_a_page_fails_again_and_again)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    send_object(&s, "a@5");
    end_page(&s, "12", "t1");

    for (int i = 0; i < 5; i++) {
        expect(&s, "list rv= limit=500 continue=t1");
        end_badly(&s, answer(KIN_ERR_MALFORMED, 200, ""));
        pass(&s, 30000);
    }

    expect(&s, "list rv=0 limit=500");
    ASSERT_EQ(kin__reflector_look(s.reflector).collected, 0);
    script_end(&s);
}

TEST(reflector_list, comes_in_one_when_the_server_does_not_know_its_own_token)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    end_page(&s, "12", "t1");
    expect(&s, "list rv= limit=500 continue=t1");

    end_badly(&s, answer(KIN_ERR_INVALID, 400, "BadRequest"));

    expect(&s, "list rv=0 limit=0");
    script_end(&s);
}

TEST(reflector_list, does_not_follow_a_token_that_leads_to_itself)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    end_page(&s, "12", "t1");
    expect(&s, "list rv= limit=500 continue=t1");

    end_page(&s, "12", "t1");

    expect_told(&s, "trouble KIN_ERR_PROTOCOL listing");
    expect_wait(&s, 800);
    script_end(&s);
}

TEST(reflector_list, of_a_version_that_makes_no_sense_becomes_one_of_the_newest)
{
    script s;
    kin__reflector_options options = { .resource_version = "abc" };
    script_begin(&s, &options);
    expect(&s, "probe rv=abc");
    end_badly(&s, answer(KIN_ERR_INVALID, 400, "BadRequest"));
    expect(&s, "watch rv=abc");
    end_badly(&s, answer(KIN_ERR_SERVER, 500, ""));
    expect_wait(&s, 800);
    expect(&s, "watch rv=abc");
    end_badly(&s, answer(KIN_ERR_SERVER, 500, ""));
    expect_wait(&s, 1600);
    expect(&s, "watch rv=abc");
    end_badly(&s, answer(KIN_ERR_SERVER, 500, ""));
    expect_wait(&s, 3200);
    expect(&s, "list rv=abc limit=0");

    end_badly(&s, answer(KIN_ERR_INVALID, 400, "BadRequest"));

    expect(&s, "list rv= limit=500");
    script_end(&s);
}

TEST(reflector_list, that_is_refused_is_told_at_once_and_asked_again_ever_later)
{
    static const int64_t waits[] = { 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000 };
    script s;
    script_begin(&s, NULL);

    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        expect(&s, "list rv=0 limit=500");
        end_badly(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"));
        expect_told(&s, "trouble KIN_ERR_FORBIDDEN listing");
        expect_state(&s, KIN__REFLECTOR_FORBIDDEN);
        expect_wait(&s, waits[i]);
    }
    script_end(&s);
}

TEST(reflector_list, of_a_resource_that_is_not_there_says_so)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");

    end_badly(&s, answer(KIN_ERR_NOT_FOUND, 404, ""));

    expect_told(&s, "trouble KIN_ERR_NOT_FOUND listing");
    expect_state(&s, KIN__REFLECTOR_NOT_FOUND);
    expect_wait(&s, 800);
    expect(&s, "list rv=0 limit=500");
    script_end(&s);
}

TEST(reflector_list, gets_over_a_server_that_forbids_everything_while_it_starts)
{
    script s;
    script_begin(&s, NULL);
    for (int i = 0; i < 20; i++) {
        expect(&s, "list rv=0 limit=500");
        end_badly(&s, refused());
        expect_wait(&s, i == 0 ? 800 : 1500);
    }
    int64_t back_at = s.now_ms;

    expect(&s, "list rv=0 limit=500");
    end_badly(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"));
    expect_wait(&s, 800);
    expect(&s, "list rv=0 limit=500");
    end_page(&s, "12", NULL);

    ASSERT_TRUE(s.now_ms - back_at < 5000);
    expect(&s, "watch rv=12");
    script_end(&s);
}

TEST(reflector_list, waits_as_long_as_the_server_asks)
{
    script s;
    kin_error err = throttled(5000);
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");

    end_badly(&s, err);

    kin__action action = kin__reflector_next(s.reflector, s.now_ms);
    ASSERT_EQ(action.type, KIN__ACTION_WAIT);
    ASSERT_TRUE(action.until_ms - s.now_ms >= 5000 && action.until_ms - s.now_ms < 6250);
    expect_told(&s, "trouble KIN_ERR_THROTTLED listing");
    script_end(&s);
}

TEST(reflector_list, understands_refusals_in_plain_text)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    end_badly(&s, answer(KIN_ERR_THROTTLED, 429, ""));
    expect_told(&s, "trouble KIN_ERR_THROTTLED listing");
    expect_wait(&s, 800);
    expect(&s, "list rv=0 limit=500");

    end_badly(&s, answer(KIN_ERR_EXPIRED, 410, ""));

    expect(&s, "list rv= limit=500");
    script_end(&s);
}

TEST(reflector_list, without_a_version_is_watched_from_the_beginning_and_then_listed_again)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    send_object(&s, "a@5");
    end_page(&s, NULL, NULL);
    expect_told(&s, "replace@ [a@5]");

    expect(&s, "watch rv=");
    send_added(&s, "a@5");
    send_added(&s, "b@3");
    expect_version(&s, "");
    pass(&s, 2000);
    end_well(&s);

    expect_told(&s, "add a@5; add b@3");
    expect(&s, "list rv= limit=500");
    script_end(&s);
}

TEST(reflector_list, is_told_again_when_the_sink_does_not_take_it)
{
    script s;
    script_begin(&s, NULL);
    expect(&s, "list rv=0 limit=500");
    send_object(&s, "a@5");
    s.sink_says = KIN_ERR_NO_MEMORY;
    end_page(&s, "12", NULL);
    expect_told(&s, "replace@12 [a@5]; trouble KIN_ERR_NO_MEMORY listing");
    ASSERT_FALSE(kin__reflector_look(s.reflector).is_synced);

    s.sink_says = KIN_OK;
    expect_wait(&s, 800);
    expect(&s, "list rv=0 limit=500");
    send_object(&s, "a@5");
    end_page(&s, "13", NULL);

    expect_told(&s, "replace@13 [a@5]");
    script_end(&s);
}

TEST(reflector_list, drops_an_object_of_another_kind_and_says_so_once)
{
    script s;
    kin__reflector_options options = { .api_version = "v1", .kind = "Pod" };
    script_begin(&s, &options);
    expect(&s, "list rv=0 limit=500");
    for (int i = 0; i < 2; i++) {
        kin_object *node = script_object("v1", "Node", "n@1");

        kin__reflector_object(s.reflector, node, s.now_ms);
        kin_object_unref(node);
    }
    send_object(&s, "a@5");

    end_page(&s, "12", NULL);

    expect_told(&s, "trouble KIN_ERR_PROTOCOL listing; replace@12 [a@5]");
    ASSERT_EQ(kin__reflector_look(s.reflector).unwanted, 2);
    script_end(&s);
}

TEST(reflector_list, holds_no_object_once_it_is_told)
{
    script s;
    script_begin(&s, NULL);
    long long before = live_blocks();
    expect(&s, "list rv=0 limit=500");
    for (int i = 0; i < 100; i++) {
        send_object(&s, "a@5");
    }
    ASSERT_EQ(kin__reflector_look(s.reflector).collected, 100);

    end_page(&s, "12", NULL);

    ASSERT_TRUE(live_blocks() <= before + 2); /* two short texts: the versions */
    text_clear(&s.told);
    script_end(&s);
}
