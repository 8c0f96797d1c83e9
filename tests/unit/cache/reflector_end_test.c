/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector_end_test.c - what follows the end of a watch, row by row of the table.
 */
#include "unit/cache/reflector_script.h"

/* A watch of which nothing was heard yet has ended; the wait is over, and it is the same again. */
static void refuse_watch(script *s, kin_error err, int64_t wait_ms, const char *again)
{
    end_badly(s, err);
    expect_wait(s, wait_ms);
    expect(s, again);
}

static void begin_watch(script *s)
{
    script_begin(s, NULL);
    expect(s, "list rv=0 limit=500");
    end_page(s, "12", NULL);
    expect(s, "watch rv=12");
    text_clear(&s->told);
}

/* ---- clean ends ---------------------------------------------------------------------------- */

TEST(reflector_end, of_a_short_and_empty_watch_is_a_failure)
{
    script s;
    begin_watch(&s);
    send_open(&s);
    pass(&s, 999);

    end_well(&s);

    expect_told(&s, "trouble KIN_ERR_PROTOCOL watching");
    expect_wait(&s, 800);
    expect(&s, "watch rv=12");
    script_end(&s);
}

TEST(reflector_end, of_a_watch_that_never_opened_is_a_failure_too)
{
    script s;
    begin_watch(&s);
    pass(&s, 10);

    end_well(&s);

    expect_told(&s, "trouble KIN_ERR_PROTOCOL watching");
    expect_wait(&s, 800);
    script_end(&s);
}

TEST(reflector_end, of_an_empty_watch_after_a_second_is_none)
{
    script s;
    begin_watch(&s);
    send_open(&s);
    pass(&s, 1000);

    end_well(&s);

    expect_told(&s, "");
    expect(&s, "watch rv=12");
    script_end(&s);
}

TEST(reflector_end, of_a_short_watch_with_events_is_none_twice)
{
    script s;
    begin_watch(&s);
    send_added(&s, "b@13");
    end_well(&s);
    expect(&s, "watch rv=13");
    send_added(&s, "c@14");
    end_badly(&s, cut());
    expect(&s, "watch rv=14");
    send_added(&s, "d@15");
    end_well(&s);

    expect_told(&s, "add b@13; add c@14; add d@15; trouble KIN_ERR_PROTOCOL watching");
    expect_wait(&s, 800);
    expect(&s, "watch rv=15");
    pass(&s, 1000);
    end_well(&s);
    expect(&s, "watch rv=15");
    send_added(&s, "e@16");
    end_well(&s);
    expect(&s, "watch rv=16");
    script_end(&s);
}

TEST(reflector_end, of_three_short_and_empty_watches_leads_to_a_list)
{
    script s;
    begin_watch(&s);

    end_well(&s);
    expect_wait(&s, 800);
    expect(&s, "watch rv=12");
    end_well(&s);
    expect_wait(&s, 1600);
    expect(&s, "watch rv=12");
    end_well(&s);

    expect_wait(&s, 3200);
    expect(&s, "list rv=12 limit=0");
    script_end(&s);
}

/* ---- versions that are gone ---------------------------------------------------------------- */

TEST(reflector_end, by_an_expired_event_leads_to_a_list_at_once)
{
    script s;
    begin_watch(&s);

    send_error(&s, expired());
    expect(&s, "cancel");
    end_cancelled(&s);

    expect_told(&s, "routine KIN_ERR_EXPIRED watching");
    expect(&s, "list rv=12 limit=0");
    script_end(&s);
}

TEST(reflector_end, by_an_expired_answer_leads_to_a_list_at_once)
{
    script s;
    begin_watch(&s);

    end_badly(&s, answer(KIN_ERR_EXPIRED, 410, "Gone"));

    expect(&s, "list rv=12 limit=0");
    script_end(&s);
}

TEST(reflector_end, by_an_error_event_needs_no_cancel_when_the_server_is_faster)
{
    script s;
    begin_watch(&s);

    send_error(&s, expired());
    end_well(&s);

    expect(&s, "list rv=12 limit=0");
    script_end(&s);
}

TEST(reflector_end, of_versions_that_expire_again_and_again_waits)
{
    script s;
    begin_watch(&s);
    send_error(&s, expired());
    end_well(&s);
    expect(&s, "list rv=12 limit=0");
    end_page(&s, "13", NULL);
    expect(&s, "watch rv=13");

    send_error(&s, expired());
    end_well(&s);
    expect_wait(&s, 800);
    expect(&s, "list rv=13 limit=0");
    end_page(&s, "14", NULL);
    expect(&s, "watch rv=14");
    send_bookmark(&s, "15");
    send_error(&s, expired());
    end_well(&s);

    expect(&s, "list rv=15 limit=0");
    script_end(&s);
}

TEST(reflector_end, at_a_version_from_the_future_lists_the_newest)
{
    script s;
    begin_watch(&s);

    send_error(&s, too_large());
    end_well(&s);

    expect(&s, "list rv= limit=500");
    script_end(&s);
}

TEST(reflector_end, of_a_watch_that_makes_no_sense_to_the_server_lists_the_newest_later)
{
    script s;
    begin_watch(&s);

    end_badly(&s, answer(KIN_ERR_INVALID, 422, "Invalid"));

    expect_told(&s, "trouble KIN_ERR_INVALID watching");
    expect_state(&s, KIN__REFLECTOR_FAILING);
    expect_wait(&s, 800);
    expect(&s, "list rv= limit=500");
    script_end(&s);
}

/* ---- versions from the future that nobody complains about ---------------------------------- */

TEST(reflector_end, of_a_silent_watch_asks_whether_the_server_is_that_far)
{
    script s;
    begin_watch(&s);
    send_open(&s);
    pass(&s, 75000);
    end_well(&s);

    expect(&s, "probe rv=12");
    expect_state(&s, KIN__REFLECTOR_RESUMING);
    send_object(&s, "a@3");
    end_page(&s, "20", NULL);

    expect(&s, "watch rv=12");
    expect_told(&s, "");
    script_end(&s);
}

TEST(reflector_end, of_a_silent_watch_lists_the_newest_when_the_server_is_behind)
{
    script s;
    begin_watch(&s);
    send_open(&s);
    pass(&s, 300000);
    end_well(&s);
    expect(&s, "probe rv=12");

    end_badly(&s, too_large());

    expect_told(&s, "routine KIN_ERR_SERVER resuming");
    expect(&s, "list rv= limit=500");
    send_object(&s, "a@2");
    end_page(&s, "3", NULL);
    expect_told(&s, "replace@3 [a@2]");
    expect(&s, "watch rv=3");
    send_modified(&s, "a@4");
    expect_told(&s, "update a@4");
    script_end(&s);
}

TEST(reflector_end, of_a_silent_watch_believes_the_version_of_the_answer)
{
    script s;
    begin_watch(&s);
    send_open(&s);
    pass(&s, 300000);
    end_well(&s);
    expect(&s, "probe rv=12");

    end_page(&s, "9", NULL);

    expect(&s, "list rv= limit=500");
    script_end(&s);
}

TEST(reflector_end, of_a_watch_with_bookmarks_asks_nothing)
{
    script s;
    begin_watch(&s);
    send_open(&s);
    pass(&s, 60000);
    send_bookmark(&s, "12");
    pass(&s, 240000);
    end_well(&s);

    expect(&s, "watch rv=12");
    script_end(&s);
}

TEST(reflector_end, asks_whether_the_server_is_that_far_when_it_was_not_there)
{
    script s;
    begin_watch(&s);
    send_open(&s);
    pass(&s, 5000);
    end_badly(&s, cut());
    expect(&s, "watch rv=12");
    end_badly(&s, refused());
    expect_wait(&s, 800);

    expect(&s, "probe rv=12");
    end_badly(&s, refused());
    expect_wait(&s, 1500);
    expect(&s, "probe rv=12");
    end_page(&s, "12", NULL);

    expect(&s, "watch rv=12");
    expect_told(&s, "routine KIN_ERR_CLOSED watching; trouble KIN_ERR_CONNECT watching; "
                    "trouble KIN_ERR_CONNECT resuming");
    script_end(&s);
}

TEST(reflector_end, of_a_probe_that_is_refused_leaves_it_to_the_watch)
{
    script s;
    begin_watch(&s);
    end_badly(&s, refused());
    expect_wait(&s, 800);
    expect(&s, "probe rv=12");

    end_badly(&s, expired());

    expect(&s, "watch rv=12");
    script_end(&s);
}

/* ---- servers that are away ----------------------------------------------------------------- */

TEST(reflector_end, of_a_watch_that_was_cut_watches_on_at_once)
{
    script s;
    begin_watch(&s);
    send_added(&s, "b@13");
    pass(&s, 1000);

    end_badly(&s, cut());

    expect(&s, "watch rv=13");
    expect_told(&s, "add b@13; routine KIN_ERR_CLOSED watching");
    script_end(&s);
}

TEST(reflector_end, of_a_watch_that_was_silent_too_long_is_told)
{
    script s;
    begin_watch(&s);
    send_bookmark(&s, "13");
    pass(&s, 150000);

    end_badly(&s, answer(KIN_ERR_TIMEOUT, 200, ""));

    expect_told(&s, "bookmark 13; trouble KIN_ERR_TIMEOUT watching");
    expect(&s, "watch rv=13");
    script_end(&s);
}

TEST(reflector_end, never_lists_because_the_connection_is_refused)
{
    script s;
    begin_watch(&s);
    end_badly(&s, refused());
    expect_state(&s, KIN__REFLECTOR_UNREACHABLE);
    for (int i = 0; i < 50; i++) {
        expect_wait(&s, i == 0 ? 800 : 1500);
        expect(&s, "probe rv=12");
        end_badly(&s, refused());
    }
    expect_wait(&s, 1500);
    expect(&s, "probe rv=12");
    end_page(&s, "12", NULL);
    expect(&s, "watch rv=12");
    send_open(&s);

    expect_state(&s, KIN__REFLECTOR_WATCHING);
    ASSERT_EQ(kin__reflector_look(s.reflector).replaces, 1);
    script_end(&s);
}

TEST(reflector_end, is_consistent_within_5_s_of_the_servers_return_whatever_chance_says)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        script s;
        kin__reflector_options options = { .away = { .jitter_percent = 100 }, .seed = seed };
        int attempts = 0;

        script_begin(&s, &options);
        sync_by_list(&s);
        pass(&s, 60000);
        end_badly(&s, cut());
        expect(&s, "watch rv=12");
        int64_t away_at = s.now_ms;
        while (s.now_ms - away_at < 60000) {
            attempts++;
            end_badly(&s, refused());
            kin__action action = kin__reflector_next(s.reflector, s.now_ms);
            ASSERT_EQ(action.type, KIN__ACTION_WAIT);
            ASSERT_TRUE(action.until_ms - s.now_ms <= 3000);
            s.now_ms = action.until_ms;
            expect(&s, "probe rv=12");
        }
        ASSERT_TRUE(attempts < 60);
        script_end(&s);
    }
}

TEST(reflector_end, of_a_gateway_without_a_server_is_one_that_is_away)
{
    script s;
    begin_watch(&s);

    refuse_watch(&s, answer(KIN_ERR_SERVER, 502, ""), 800, "probe rv=12");
    refuse_watch(&s, answer(KIN_ERR_SERVER, 503, ""), 1500, "probe rv=12");
    refuse_watch(&s, answer(KIN_ERR_SERVER, 504, ""), 1500, "probe rv=12");

    expect_state(&s, KIN__REFLECTOR_UNREACHABLE);
    script_end(&s);
}

TEST(reflector_end, comes_when_a_watch_does_not_open)
{
    script s;
    begin_watch(&s);

    expect_wait(&s, 90000);
    expect(&s, "cancel");
    end_cancelled(&s);

    expect_told(&s, "trouble KIN_ERR_TIMEOUT watching");
    expect_wait(&s, 800);
    expect(&s, "probe rv=12");
    script_end(&s);
}

/* A server that is killed cuts connections that it has not answered yet. */
TEST(reflector_end, asks_whether_the_server_is_that_far_when_nobody_answered)
{
    script s;
    begin_watch(&s);
    end_badly(&s, cut());
    expect_wait(&s, 800);

    expect(&s, "probe rv=12");
    end_badly(&s, too_large());

    expect(&s, "list rv= limit=500");
    script_end(&s);
}

/* ---- refusals ------------------------------------------------------------------------------ */

TEST(reflector_end, never_lists_because_the_server_is_overloaded)
{
    script s;
    kin__reflector_options options = { .refused = { .first_ms = 100 } };
    script_begin(&s, &options);
    sync_by_list(&s);

    refuse_watch(&s, throttled(0), 100, "watch rv=12");
    refuse_watch(&s, throttled(0), 200, "watch rv=12");
    refuse_watch(&s, throttled(0), 400, "watch rv=12");
    refuse_watch(&s, throttled(0), 800, "watch rv=12");
    send_open(&s);

    ASSERT_EQ(kin__reflector_look(s.reflector).lists, 1);
    ASSERT_EQ(kin__reflector_look(s.reflector).watches, 5);
    script_end(&s);
}

TEST(reflector_end, asks_whether_the_server_is_that_far_after_a_long_wait)
{
    script s;
    kin__reflector_options options = { .refused = { .first_ms = 5000 } };
    script_begin(&s, &options);
    sync_by_list(&s);

    refuse_watch(&s, throttled(0), 5000, "probe rv=12");
    end_page(&s, "13", NULL);

    expect(&s, "watch rv=12");
    script_end(&s);
}

TEST(reflector_end, by_an_event_of_an_overloaded_server_waits_and_watches)
{
    script s;
    begin_watch(&s);
    refuse_watch(&s, throttled(0), 800, "watch rv=12");

    send_error(&s, throttled(0));
    expect(&s, "cancel");
    end_cancelled(&s);

    expect_wait(&s, 1600);
    expect(&s, "watch rv=12");
    script_end(&s);
}

TEST(reflector_end, waits_as_long_as_an_overloaded_server_asks)
{
    script s;
    begin_watch(&s);

    end_badly(&s, throttled(7000));

    kin__action action = kin__reflector_next(s.reflector, s.now_ms);
    ASSERT_EQ(action.type, KIN__ACTION_WAIT);
    ASSERT_TRUE(action.until_ms - s.now_ms >= 7000 && action.until_ms - s.now_ms < 8750);
    script_end(&s);
}

TEST(reflector_end, of_a_forbidden_watch_keeps_the_version_and_says_so)
{
    script s;
    begin_watch(&s);

    end_badly(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"));

    expect_told(&s, "trouble KIN_ERR_FORBIDDEN watching");
    expect_state(&s, KIN__REFLECTOR_FORBIDDEN);
    expect_wait(&s, 800);
    expect(&s, "watch rv=12");
    send_open(&s);
    expect_state(&s, KIN__REFLECTOR_WATCHING);
    script_end(&s);
}

/* Three times; then it means it, and the probe is not what decides. */
TEST(reflector_end, by_a_403_after_an_outage_is_a_server_that_starts)
{
    script s;
    begin_watch(&s);
    end_badly(&s, refused());
    expect_wait(&s, 800);
    expect(&s, "probe rv=12");
    for (int i = 0; i < 3; i++) {
        end_badly(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"));
        expect_state(&s, KIN__REFLECTOR_FORBIDDEN);
        expect_wait(&s, 800);
        expect(&s, "probe rv=12");
    }
    end_badly(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"));
    expect(&s, "watch rv=12");

    refuse_watch(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"), 800, "watch rv=12");
    refuse_watch(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"), 1600, "watch rv=12");

    script_end(&s);
}

TEST(reflector_end, by_a_403_is_meant_when_the_server_has_worked_since_its_outage)
{
    script s;
    begin_watch(&s);
    end_badly(&s, refused());
    expect_wait(&s, 800);
    expect(&s, "probe rv=12");
    end_page(&s, "12", NULL);
    expect(&s, "watch rv=12");

    refuse_watch(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"), 800, "watch rv=12");
    refuse_watch(&s, answer(KIN_ERR_FORBIDDEN, 403, "Forbidden"), 1600, "watch rv=12");

    script_end(&s);
}

TEST(reflector_end, of_a_watch_without_credentials_keeps_the_version_and_says_so)
{
    script s;
    begin_watch(&s);

    end_badly(&s, answer(KIN_ERR_UNAUTHORIZED, 401, "Unauthorized"));

    expect_state(&s, KIN__REFLECTOR_UNAUTHORIZED);
    expect_wait(&s, 800);
    expect(&s, "watch rv=12");
    script_end(&s);
}

TEST(reflector_end, waits_from_the_first_wait_on_only_after_a_healthy_period)
{
    script s;
    begin_watch(&s);
    refuse_watch(&s, throttled(0), 800, "watch rv=12");
    send_open(&s);
    pass(&s, 29999);
    end_badly(&s, cut());
    expect(&s, "watch rv=12");
    refuse_watch(&s, throttled(0), 1600, "watch rv=12");
    send_open(&s);
    pass(&s, 30000);
    end_badly(&s, cut());
    expect(&s, "watch rv=12");

    refuse_watch(&s, throttled(0), 800, "watch rv=12");
    script_end(&s);
}

/* ---- servers that are broken --------------------------------------------------------------- */

TEST(reflector_end, by_an_internal_error_watches_twice_more_and_then_lists)
{
    script s;
    begin_watch(&s);

    refuse_watch(&s, answer(KIN_ERR_SERVER, 500, ""), 800, "watch rv=12");
    refuse_watch(&s, answer(KIN_ERR_SERVER, 500, ""), 1600, "watch rv=12");
    refuse_watch(&s, answer(KIN_ERR_SERVER, 500, ""), 3200, "list rv=12 limit=0");
    script_end(&s);
}

TEST(reflector_end, by_internal_errors_that_are_not_in_a_row_never_leads_to_a_list)
{
    script s;
    begin_watch(&s);

    refuse_watch(&s, answer(KIN_ERR_SERVER, 500, ""), 800, "watch rv=12");
    refuse_watch(&s, answer(KIN_ERR_SERVER, 500, ""), 1600, "watch rv=12");
    send_added(&s, "b@13");
    refuse_watch(&s, answer(KIN_ERR_SERVER, 500, ""), 3200, "watch rv=13");
    script_end(&s);
}

TEST(reflector_end, by_an_event_of_a_server_that_is_away_lists_later)
{
    script s;
    begin_watch(&s);

    send_error(&s, answer(KIN_ERR_SERVER, 503, "ServiceUnavailable"));
    end_well(&s);

    expect_wait(&s, 800);
    expect(&s, "list rv=12 limit=0");
    script_end(&s);
}

TEST(reflector_end, by_an_event_that_cannot_be_read_watches_on_and_then_lists)
{
    script s;
    begin_watch(&s);
    send_added(&s, "b@13");

    refuse_watch(&s, answer(KIN_ERR_MALFORMED, 200, ""), 800, "watch rv=13");
    refuse_watch(&s, answer(KIN_ERR_MALFORMED, 200, ""), 1600, "watch rv=13");
    refuse_watch(&s, answer(KIN_ERR_MALFORMED, 200, ""), 3200, "list rv=13 limit=0");
    script_end(&s);
}

TEST(reflector_end, by_an_object_that_the_server_cannot_read_lists_and_drops_it)
{
    script s;
    script_begin(&s, NULL);
    sync_by_list(&s);

    send_error(&s, answer(KIN_ERR_SERVER, 500, "StorageReadError"));
    expect(&s, "cancel");
    end_cancelled(&s);

    expect_wait(&s, 800);
    expect(&s, "list rv=12 limit=0");
    end_page(&s, "14", NULL);
    expect_told(&s, "trouble KIN_ERR_SERVER watching; replace@14 []");
    script_end(&s);
}

TEST(reflector_end, by_internal_errors_is_sat_out_as_long_as_the_program_says)
{
    script s;
    kin__reflector_options options = { .internal_retry_ms = 30000,
                                       .refused = { .first_ms = 1000, .cap_ms = 1000 } };
    int watches = 0;
    script_begin(&s, &options);
    sync_by_list(&s);

    for (;;) {
        send_error(&s, answer(KIN_ERR_SERVER, 500, "InternalError"));
        end_well(&s);
        expect_wait(&s, 1000);
        if (kin__reflector_next(s.reflector, s.now_ms).type == KIN__ACTION_LIST) {
            break;
        }
        watches++;
    }
    ASSERT_EQ(watches, 31);
    end_page(&s, "20", NULL);
    expect(&s, "watch rv=20");
    pass(&s, 60001);
    send_error(&s, answer(KIN_ERR_SERVER, 500, "InternalError"));
    end_well(&s);

    expect_wait(&s, 1000);
    expect(&s, "watch rv=20");
    script_end(&s);
}

TEST(reflector_end, by_other_errors_does_not_count_as_an_internal_one)
{
    script s;
    kin__reflector_options options = { .internal_retry_ms = 30000 };
    script_begin(&s, &options);
    sync_by_list(&s);

    send_error(&s, answer(KIN_ERR_SERVER, 500, "StorageReadError"));
    end_well(&s);

    expect_wait(&s, 800);
    expect(&s, "list rv=12 limit=0");
    script_end(&s);
}
