/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_list_test.c - calls that list.
 */
#include "api/call.h"

#include "unit/api/one_call.h"

TEST(call_list, lists_page_after_page)
{
    kin_request request = list_maps();
    request.limit = 2;
    begin();
    answer_with(&s, LIST_MAPS "?limit=2 ", 200, JSON, "Warning: 299 - \"old\"\r\n",
                MAPS("\"resourceVersion\":\"10\",\"continue\":\"c&1\",\"remainingItemCount\":3",
                     MAP("a", "1") "," MAP("b", "2")));
    answer(&s, LIST_MAPS "?limit=2&continue=c%261 ", 200,
           MAPS("\"resourceVersion\":\"10\",\"continue\":\"c2\"", ""));
    answer(&s, LIST_MAPS "?limit=2&continue=c2 ", 200,
           MAPS("\"resourceVersion\":\"11\"", MAP("c", "3")));

    run(&request);

    expect_success();
    ASSERT_STR_EQ(r.told.chars, "a b c ");
    ASSERT_EQ(r.count, 3);
    ASSERT_EQ(r.attempts, 3);
    ASSERT_EQ(r.http_status, 200);
    ASSERT_STR_EQ(r.version, "11");
    ASSERT_STR_EQ(r.token, "");
    ASSERT_EQ(r.remaining, -1);
    ASSERT_FALSE(r.has_object);
    finish();
}

TEST(call_list, lists_one_page_when_it_is_told_so)
{
    kin_request request = list_maps();
    request.limit = 2;
    request.one_page = true;
    begin();
    answer(&s, LIST_MAPS "?limit=2 ", 200,
           MAPS("\"resourceVersion\":\"10\",\"continue\":\"c1\",\"remainingItemCount\":7",
                MAP("a", "1")));

    run(&request);

    expect_success();
    ASSERT_STR_EQ(r.told.chars, "a ");
    ASSERT_STR_EQ(r.token, "c1");
    ASSERT_EQ(r.remaining, 7);
    finish();
}

TEST(call_list, begins_with_the_page_it_is_told)
{
    kin_request request = list_maps();
    request.continue_token = "c9";
    begin();
    answer(&s, LIST_MAPS "?continue=c9 ", 200, MAPS("", ""));

    run(&request);

    expect_success();
    ASSERT_STR_EQ(r.told.chars, "");
    finish();
}

TEST(call_list, tells_how_to_go_on_when_a_page_has_expired)
{
    kin_request request = list_maps();
    begin();
    answer(&s, LIST_MAPS " ", 200,
           MAPS("\"resourceVersion\":\"10\",\"continue\":\"c1\"", MAP("a", "1")));
    answer_file(&s, LIST_MAPS "?continue=c1 ", 410, JSON, "status-410-continue-expired.json");

    run(&request);

    expect_failure(KIN_ERR_EXPIRED, "list configmaps in shop: ");
    ASSERT_STR_EQ(r.token, "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0Ijoidy0wXHUwMDAwIn0");
    ASSERT_EQ(r.http_status, 410);
    ASSERT_STR_EQ(r.told.chars, "a ");
    finish();
}

TEST(call_list, has_no_token_of_a_page_that_failed)
{
    kin_request request = list_maps();
    begin();
    answer(&s, LIST_MAPS " ", 200, MAPS("\"continue\":\"c1\"", MAP("a", "1")));
    answer(&s, LIST_MAPS "?continue=c1 ", 500, "{}");

    run(&request);

    expect_failure(KIN_ERR_SERVER, "list configmaps in shop: ");
    ASSERT_STR_EQ(r.token, "");
    finish();
}

TEST(call_list, fails_when_a_list_is_not_whole)
{
    kin_request request = list_maps();
    begin();
    answer(&s, LIST_MAPS, 200, "{\"kind\":\"ConfigMapList\",\"items\":[" MAP("a", "1"));
    run(&request);
    expect_failure(KIN_ERR_MALFORMED, "list configmaps in shop: ");
    finish();

    begin();
    answer_open(&s, LIST_MAPS, "{\"kind\":\"ConfigMapList\",\"items\":[" MAP("a", "1"))->then =
        THEN_CUT;
    run(&request);
    expect_failure(KIN_ERR_CLOSED, "list configmaps in shop: ");
    ASSERT_STR_EQ(r.told.chars, "a ");
    finish();
}

TEST(call_list, fails_when_the_answer_is_of_another_kind)
{
    kin_request request = list_maps();
    begin();
    answer(&s, LIST_MAPS, 200, MAPS("", "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}"));
    run(&request);
    expect_failure(KIN_ERR_PROTOCOL, "list configmaps in shop: ");
    finish();

    begin();
    answer_with(&s, LIST_MAPS, 200, "text/html", "", "<html>log in</html>");
    run(&request);
    expect_failure(KIN_ERR_PROTOCOL, "list configmaps in shop: ");
    ASSERT_EQ(r.http_status, 200);
    finish();
}

TEST(call_list, asks_of_each_page_what_it_was_asked)
{
    kin_request request = list_maps();
    request.label_selector = "app=web";
    request.limit = 1;
    begin();
    answer(&s, LIST_MAPS, 200, MAPS("\"continue\":\"c1\"", ""));
    answer(&s, LIST_MAPS, 200, MAPS("", ""));

    run(&request);

    expect_success();
    ASSERT_CONTAINS(call_at(&s, 1), "labelSelector=app%3Dweb");
    ASSERT_CONTAINS(call_at(&s, 2), "labelSelector=app%3Dweb");
    ASSERT_CONTAINS(call_at(&s, 2), "continue=c1");
    finish();
}

static kin_object *known;

static kin_object *know(void *context, kin_str ns, kin_str name, kin_str uid,
                        kin_str resource_version)
{
    ASSERT_TRUE(context == &r);
    ASSERT_SLICE_EQ(ns, "shop");
    ASSERT_SLICE_EQ(resource_version, "1");
    (void) uid;
    return kin_str_equal(name, kin_str_of("a")) ? kin_object_ref(known) : NULL;
}

TEST(call_list, takes_an_object_that_is_known_in_the_place_of_what_came)
{
    kin_request request = list_maps();
    kin_handler handler = recording(&r);
    kin_error err;
    begin();
    known = object_of(MAP("in-its-place", "1"), NULL);
    answer(&s, LIST_MAPS, 200, MAPS("", MAP("a", "1") "," MAP("b", "1")));

    ASSERT_OK(kin__client_start(client, &request, &handler, &(kin__call_options){ .known = know },
                                NULL, &err));
    wait_for_done(&s, &r);

    expect_success();
    ASSERT_STR_EQ(r.told.chars, "in-its-place b ");
    (void) kin_object_unref(known);
    finish();
}
