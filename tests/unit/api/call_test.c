/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_test.c - how calls end, and what they say.
 */
#include "api/call.h"

#include <pthread.h>

#include "unit/api/one_call.h"

/* ---- ends ---- */

TEST(call, ends_when_its_handler_says_so)
{
    kin_request list = list_maps();
    kin_request watch = watch_maps();
    kin_request get = get_map();
    begin();
    r.stops_after = 2;
    answer(&s, LIST_MAPS, 200,
           MAPS("\"continue\":\"c\"", MAP("a", "1") "," MAP("b", "1") "," MAP("c", "1")));
    run(&list);
    expect_failure(KIN_ERR_CANCELLED, "list configmaps in shop: ");
    ASSERT_STR_EQ(r.told.chars, "a b ");

    r = (record){ .stops_after = 2 };
    answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("a", "1")) EVENT("ADDED", MAP("b", "1")));
    run(&watch);
    expect_failure(KIN_ERR_CANCELLED, "watch configmaps in shop: ");
    ASSERT_STR_EQ(r.told.chars, "+a ");

    r = (record){ .stops_after = 1 };
    answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("a", "1")));
    run(&watch);
    expect_failure(KIN_ERR_CANCELLED, "watch configmaps in shop: ");
    ASSERT_STR_EQ(r.told.chars, "");

    r = (record){ .stops_after = 1 };
    answer(&s, LIST_MAPS "/a", 200, MAP("a", "1"));
    run(&get);
    expect_failure(KIN_ERR_CANCELLED, "get configmaps shop/a: ");
    finish();
}

TEST(call, can_be_cancelled_at_any_moment)
{
    kin_request request = watch_maps();
    /* Before it has begun. */
    begin();
    start_call(client, &r, &request);
    kin_call_cancel(r.call);
    kin_call_cancel(r.call);
    wait_for_done(&s, &r);
    expect_failure(KIN_ERR_CANCELLED, "watch configmaps in shop: ");
    kin_call_cancel(r.call);
    pass(&s, 0);
    ASSERT_EQ(r.dones, 1);
    finish();

    /* While it asks for the resource. */
    begin();
    s.lines[0].then = THEN_HOLD;
    s.lines[0].len = 0;
    start_call(client, &r, &request);
    wait_for_requests(&s, 1);
    kin_call_cancel(r.call);
    wait_for_done(&s, &r);
    ASSERT_ERR(r.err.code, KIN_ERR_CANCELLED);
    finish();

    /* In the middle of it, by its handler. */
    begin();
    answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("a", "1")));
    r.cancels = true;
    start_call(client, &r, &request);
    wait_for_done(&s, &r);
    ASSERT_ERR(r.err.code, KIN_ERR_CANCELLED);
    ASSERT_EQ(r.dones, 1);
    finish();

    /* ... that ends it as well. */
    begin();
    answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("a", "1")));
    r.cancels = true;
    r.stops_after = 1;
    start_call(client, &r, &request);
    wait_for_done(&s, &r);
    pass(&s, 0);
    ASSERT_ERR(r.err.code, KIN_ERR_CANCELLED);
    ASSERT_EQ(r.dones, 1);
    finish();
}

TEST(call, goes_on_when_its_handle_is_freed)
{
    kin_request request = get_map();
    begin();
    answer(&s, LIST_MAPS "/a", 200, MAP("a", "1"));
    start_call(client, &r, &request);
    kin_call_free(r.call);
    r.call = NULL;
    kin_call_free(NULL);
    wait_for_done(&s, &r);
    expect_success();
    finish();
}

static void free_in_done(void *context, const kin_reply *reply, const kin_error *err)
{
    record_done(context, reply, err);
    kin_call_cancel(r.call);
    kin_call_free(r.call);
    r.call = NULL;
}

TEST(call, may_give_up_its_handle_when_it_is_done)
{
    kin_request request = get_map();
    kin_handler handler = recording(&r);
    kin_error err;
    handler.on_done = free_in_done;
    begin();
    answer(&s, LIST_MAPS "/a", 200, MAP("a", "1"));
    ASSERT_OK(kin_client_start(client, &request, &handler, &r.call, &err));
    wait_for_done(&s, &r);
    expect_success();
    finish();
}

TEST(call, may_be_cancelled_when_it_and_the_client_are_gone)
{
    kin_request request = get_map();
    begin();
    start_call(client, &r, &request);
    kin_client_free(client);
    ASSERT_EQ(r.dones, 1);
    ASSERT_ERR(r.err.code, KIN_ERR_CANCELLED);
    kin_call_cancel(r.call);
    kin_call_free(r.call);
    r.call = NULL;
    stage_close(&s);
}

static void *cancel_it(void *call)
{
    kin_call_cancel(call);
    return NULL;
}

/* What comes too late touches nothing, and leaves nothing behind. */
TEST(call, may_be_cancelled_while_the_client_goes)
{
    kin_request request = get_map();
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        begin();
        start_call(client, &r, &request);
        ASSERT_EQ(pthread_create(&thread, NULL, cancel_it, r.call), 0);
        kin_client_free(client);
        ASSERT_EQ(r.dones, 1);
        ASSERT_EQ(pthread_join(thread, NULL), 0);
        kin_call_free(r.call);
        r.call = NULL;
        stage_close(&s);
    }
}

TEST(call, has_a_deadline)
{
    kin_request request = get_map();
    request.deadline_ms = 5000;
    begin();
    s.lines[0].then = THEN_HOLD;
    s.lines[0].len = 0;
    start_call(client, &r, &request);
    wait_for_requests(&s, 1);
    pass(&s, 4999);
    ASSERT_EQ(r.dones, 0);
    pass(&s, 1);
    wait_for_done(&s, &r);
    expect_failure(KIN_ERR_TIMEOUT, "get configmaps shop/a: the server did not tell its resources");
    finish();

    request.deadline_ms = 0;
    request.idle_ms = 1000000;
    begin();
    add_line(&s, LIST_MAPS "/a", "")->then = THEN_HOLD;
    start_call(client, &r, &request);
    wait_for_requests(&s, 3);
    pass(&s, 59999);
    ASSERT_EQ(r.dones, 0);
    pass(&s, 1);
    wait_for_done(&s, &r);
    expect_failure(KIN_ERR_TIMEOUT, "get configmaps shop/a: ");
    finish();

    request = list_maps();
    request.idle_ms = 1000000;
    begin();
    add_line(&s, LIST_MAPS, "")->then = THEN_HOLD;
    start_call(client, &r, &request);
    wait_for_requests(&s, 3);
    pass(&s, 599999);
    ASSERT_EQ(r.dones, 0);
    pass(&s, 1);
    wait_for_done(&s, &r);
    expect_failure(KIN_ERR_TIMEOUT, "list configmaps in shop: ");
    finish();
}

TEST(call, ends_when_no_byte_comes_for_a_minute)
{
    kin_request request = list_maps();
    begin();
    add_line(&s, LIST_MAPS, "")->then = THEN_HOLD;
    start_call(client, &r, &request);
    wait_for_requests(&s, 3);
    pass(&s, 59999);
    ASSERT_EQ(r.dones, 0);
    pass(&s, 1);
    wait_for_done(&s, &r);
    expect_failure(KIN_ERR_TIMEOUT, "list configmaps in shop: ");
    finish();
}

TEST(call, counts_its_attempts)
{
    kin_request request = get_map();
    begin();
    answer_with(&s, LIST_MAPS "/a", 503, "text/plain", "Retry-After: 3\r\n", "busy");
    answer(&s, LIST_MAPS "/a", 200, MAP("a", "1"));
    start_call(client, &r, &request);
    wait_for_requests(&s, 3);
    while (kin__http_count(client->wire.http).running != 0) {
        turn(&s);
    }
    pass(&s, 3000);
    wait_for_done(&s, &r);
    expect_success();
    ASSERT_EQ(r.attempts, 2);
    finish();
}

TEST(call, is_not_repeated_for_a_caller_that_does_so_itself)
{
    kin_request request = list_maps();
    kin_handler handler = recording(&r);
    kin__call_options options = { .no_retry = true };
    kin_error err;
    begin();
    answer_with(&s, LIST_MAPS, 503, "text/plain", "Retry-After: 3\r\n", "busy");
    ASSERT_OK(kin__client_start(client, &request, &handler, &options, NULL, &err));
    wait_for_done(&s, &r);
    expect_failure(KIN_ERR_SERVER, "list configmaps in shop: ");
    ASSERT_EQ(r.err.retry_after_ms, 3000);
    ASSERT_EQ(r.attempts, 1);
    finish();
}

/* ---- what was wanted ---- */

static void expect_description(const kin_request *request, const char *beginning)
{
    begin();
    answer_with(&s, NULL, 418, "text/plain", "", "teapot")->stays = true;
    run(request);
    expect_failure(KIN_ERR_REFUSED, beginning);
    finish();
}

TEST(call, says_first_what_was_wanted)
{
    kin_object *map = object_of(MAP("a", "1"), NULL);
    kin_request request = request_for(KIN_VERB_LIST, "configmaps-short", NULL, NULL);
    expect_description(&request, "list configmaps: ");
    request = request_for(KIN_VERB_GET, "namespaces", "shop", "shop");
    expect_description(&request, "get namespaces shop: ");
    request = request_for(KIN_VERB_DELETE_COLLECTION, "pods", "shop", NULL);
    expect_description(&request, "delete pods in shop: ");
    request = request_for(KIN_VERB_PATCH, "widgets", "shop", "w");
    request.body = kin_str_of("{}");
    expect_description(&request, "patch widgets shop/w: ");
    request = request_for(KIN_VERB_UPDATE, NULL, NULL, NULL);
    request.object = map;
    expect_description(&request, "update configmaps shop/a: ");
    (void) kin_object_unref(map);
}

TEST(call, names_what_the_server_does_not_have)
{
    kin_object *thing = object_of("{\"apiVersion\":\"x/v1\",\"kind\":\"Thing\",\"metadata\":{"
                                  "\"name\":\"t\"}}",
                                  NULL);
    kin_request request = request_for(KIN_VERB_GET, "things", "shop", "t");
    begin();
    run(&request);
    expect_failure(KIN_ERR_NOT_FOUND, "get things shop/t: the server has no resource \"things\"");
    ASSERT_EQ(r.attempts, 0);

    request = request_for(KIN_VERB_CREATE, NULL, "shop", NULL);
    request.object = thing;
    r = (record){ 0 };
    run(&request);
    expect_failure(KIN_ERR_NOT_FOUND, "create Thing shop/t: the server has no resource \"Thing\"");
    (void) kin_object_unref(thing);
    finish();
}

TEST(call, of_a_known_resource_asks_for_nothing_else)
{
    kin_resource *pods;
    kin_error err;
    kin_request request = request_for(KIN_VERB_LIST, NULL, "shop", NULL);
    ASSERT_OK(kin_resource_new("", "v1", "configmaps", "ConfigMap", true, &pods, &err));
    request.of = pods;
    begin();
    answer(&s, LIST_MAPS, 200, MAPS("", MAP("a", "1")));
    run(&request);
    expect_success();
    ASSERT_EQ(count_requests(&s), 1);

    r = (record){ 0 };
    start_call(client, &r, &request);
    kin_client_free(client);
    client = NULL;
    expect_failure(KIN_ERR_CANCELLED, "list configmaps in shop: ");
    (void) kin_resource_unref(pods);
    finish();
}

TEST(call, that_makes_no_sense_is_refused_at_once)
{
    kin_request request = request_for(KIN_VERB_GET, "pods", "shop", NULL);
    kin_handler handler = recording(&r);
    kin_error err;
    begin();
    ASSERT_ERR(kin_client_start(client, &request, &handler, NULL, &err), KIN_ERR_USAGE);
    ASSERT_CONTAINS(err.message, "name");
    request = request_for((kin_verb) 99, "pods", "shop", NULL);
    ASSERT_ERR(kin_client_start(client, &request, &handler, NULL, NULL), KIN_ERR_USAGE);
    request.size = 0;
    ASSERT_ERR(kin_client_start(client, &request, &handler, NULL, NULL), KIN_ERR_USAGE);
    ASSERT_EQ(r.dones, 0);
    finish();
}
