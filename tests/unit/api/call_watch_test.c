/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_watch_test.c - calls that watch.
 */
#include "api/call.h"

#include "unit/api/one_call.h"

TEST(call_watch, watches_until_the_server_ends_it)
{
    kin_request request = watch_maps();
    begin();
    line *l = answer_open(&s, LIST_MAPS "?watch=true",
                          EVENT("ADDED", MAP("a", "1")) EVENT("MODIFIED", MAP("a", "2"))
                              EVENT("DELETED", MAP("a", "3")) BOOKMARK("9"));
    l->then = THEN_DOOR;
    l->later = "0\r\n\r\n";

    start_call(client, &r, &request);
    wait_until_told(&s, &r, "+a ~a -a |9 ");
    ASSERT_EQ(r.opens, 1);
    raw_open_door(s.server);
    wait_for_done(&s, &r);

    expect_success();
    ASSERT_EQ(r.count, 4);
    ASSERT_EQ(r.attempts, 1);
    ASSERT_CONTAINS(call_at(&s, 1), "allowWatchBookmarks=true");
    finish();
}

TEST(call_watch, says_when_a_watch_was_cut)
{
    kin_request request = watch_maps();
    begin();
    answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("a", "1")))->then = THEN_CUT;
    run(&request);
    expect_failure(KIN_ERR_CLOSED, "watch configmaps in shop: ");
    ASSERT_STR_EQ(r.told.chars, "+a ");
    ASSERT_EQ(r.attempts, 1);
    finish();

    begin();
    line *l = answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("a", "1")) "{\"type\":\"ADD");
    l->then = THEN_DOOR;
    l->later = "0\r\n\r\n";
    raw_open_door(s.server);
    run(&request);
    expect_failure(KIN_ERR_MALFORMED, "watch configmaps in shop: ");
    finish();
}

TEST(call_watch, ends_a_watch_after_an_error_in_it)
{
    kin_request request = watch_maps();
    begin();
    answer_open(&s, LIST_MAPS,
                EVENT("ADDED", MAP("a", "1"))
                    EVENT("ERROR", "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"too "
                                   "large\",\"code\":504,\"reason\":\"Timeout\",\"details\":{"
                                   "\"causes\":[{\"reason\":\"ResourceVersionTooLarge\"}]}}")
                        EVENT("ADDED", MAP("b", "1")));

    run(&request);

    expect_success();
    ASSERT_STR_EQ(r.told.chars, "+a ! ");
    ASSERT_ERR(r.event_error.code, KIN_ERR_SERVER);
    ASSERT_STR_EQ(r.cause, "ResourceVersionTooLarge");
    ASSERT_EQ(r.count, 2);
    finish();
}

TEST(call_watch, says_when_a_watch_was_refused)
{
    kin_request request = watch_maps();
    begin();
    answer_file(&s, LIST_MAPS, 410, JSON, "status-410-continue-expired.json");
    run(&request);
    expect_failure(KIN_ERR_EXPIRED, "watch configmaps in shop: ");
    ASSERT_EQ(r.opens, 0);
    finish();
}

TEST(call_watch, expects_bookmarks_where_there_have_been_some)
{
    kin_request request = watch_maps();
    begin();
    answer_open(&s, LIST_MAPS, BOOKMARK("1"));

    start_call(client, &r, &request);
    wait_until_told(&s, &r, "|1 ");
    pass(&s, 149999);
    ASSERT_EQ(r.dones, 0);
    pass(&s, 1);
    wait_for_done(&s, &r);

    expect_failure(KIN_ERR_TIMEOUT, "watch configmaps in shop: ");
    finish();
}

/* A watch that begins so, and shows a bookmark when the door opens. */
static void answer_with_a_late_bookmark(const char *beginning)
{
    static const char mark[] = BOOKMARK("2");
    static char later[512];
    line *l = answer_open(&s, LIST_MAPS, beginning);

    l->then = THEN_DOOR;
    l->holds = true;
    l->later = later;
    (void) snprintf(later, sizeof later, "%zx\r\n%s\r\n", sizeof mark - 1, mark);
}

TEST(call_watch, expects_nothing_of_bookmarks_that_are_days_apart)
{
    kin_request request = watch_maps();
    begin();
    answer_with_a_late_bookmark(EVENT("ADDED", MAP("a", "1")));

    start_call(client, &r, &request);
    wait_until_told(&s, &r, "+a ");
    pass(&s, 100000000);
    raw_open_door(s.server);
    wait_until_told(&s, &r, "+a |2 ");
    pass(&s, 10000000000);
    ASSERT_EQ(r.dones, 0);
    finish();
}

TEST(call_watch, expects_a_bookmark_within_two_and_a_half_periods)
{
    kin_request request = watch_maps();
    begin();
    answer_with_a_late_bookmark(BOOKMARK("1"));

    start_call(client, &r, &request);
    wait_until_told(&s, &r, "|1 ");
    pass(&s, 100000);
    raw_open_door(s.server);
    wait_until_told(&s, &r, "|1 |2 ");
    pass(&s, 249999);
    ASSERT_EQ(r.dones, 0);
    pass(&s, 1);
    wait_for_done(&s, &r);

    expect_failure(KIN_ERR_TIMEOUT, "watch configmaps in shop: ");
    finish();
}

#define INITIAL_END                                                                                \
    EVENT("BOOKMARK",                                                                              \
          "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"       \
          "\"1\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")

TEST(call_watch, expects_nothing_of_a_watch_that_has_shown_no_bookmarks)
{
    static const char *const beginnings[] = { EVENT("ADDED", MAP("a", "1")), INITIAL_END };
    static const char *const told[] = { "+a ", "|1 " };
    for (int i = 0; i < 2; i++) {
        kin_request request = watch_maps();
        begin();
        answer_open(&s, LIST_MAPS, beginnings[i]);
        start_call(client, &r, &request);
        wait_until_told(&s, &r, told[i]);
        pass(&s, 100000000);
        ASSERT_EQ(r.dones, 0);
        finish();
        ASSERT_EQ(r.dones, 1);
        ASSERT_ERR(r.err.code, KIN_ERR_CANCELLED);
    }
}

TEST(call_watch, waits_for_a_watch_as_long_as_it_is_told)
{
    kin_request request = watch_maps();
    request.idle_ms = 5000;
    begin();
    answer_open(&s, LIST_MAPS, BOOKMARK("1"));
    start_call(client, &r, &request);
    wait_until_told(&s, &r, "|1 ");
    pass(&s, 5000);
    wait_for_done(&s, &r);
    expect_failure(KIN_ERR_TIMEOUT, "watch configmaps in shop: ");
    finish();

    request.idle_ms = 0;
    request.timeout_seconds = 100;
    begin();
    answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("a", "1")));
    start_call(client, &r, &request);
    wait_until_told(&s, &r, "+a ");
    ASSERT_CONTAINS(call_at(&s, 1), "timeoutSeconds=100");
    pass(&s, 129999);
    ASSERT_EQ(r.dones, 0);
    pass(&s, 1);
    wait_for_done(&s, &r);
    expect_failure(KIN_ERR_TIMEOUT, "watch configmaps in shop: ");
    finish();
}

/* Whether or not it is told for how long it is to last: a server accepts a watch at once. */
TEST(call_watch, does_not_wait_for_ever_to_be_accepted)
{
    kin_request request = watch_maps();
    request.timeout_seconds = 300;
    begin();
    add_line(&s, LIST_MAPS, "")->then = THEN_HOLD;
    start_call(client, &r, &request);
    wait_for_requests(&s, 3);
    pass(&s, 59999);
    ASSERT_EQ(r.dones, 0);
    pass(&s, 1);
    wait_for_done(&s, &r);
    expect_failure(KIN_ERR_TIMEOUT, "watch configmaps in shop: ");
    ASSERT_CONTAINS(r.err.message, "no answer for 60 s");
    ASSERT_EQ(r.opens, 0);
    finish();
}
