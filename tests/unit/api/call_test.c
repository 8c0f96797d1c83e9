/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_test.c - one call, from its request to its on_done.
 */
#include "api/call.h"

#include "kin/path.h"
#include "unit/api/calling.h"

#define LIST_MAPS "GET /api/v1/namespaces/shop/configmaps"

static stage s;
static kin_client *client;
static record r;

static void begin(void)
{
    stage_open(&s);
    answer_discovery(&s);
    client = open_client(&s, "", NULL);
    r = (record){ 0 };
}

static void finish(void)
{
    kin_client_free(client);
    kin_call_free(r.call);
    r.call = NULL;
    stage_close(&s);
}

static void run(const kin_request *request)
{
    run_call(&s, client, &r, request);
}

static kin_request list_maps(void)
{
    return request_for(KIN_VERB_LIST, "configmaps", "shop", NULL);
}

static kin_request watch_maps(void)
{
    return request_for(KIN_VERB_WATCH, "configmaps", "shop", NULL);
}

static kin_request get_map(void)
{
    return request_for(KIN_VERB_GET, "configmaps", "shop", "a");
}

static void expect_success(void)
{
    if (r.has_failed) {
        FAIL("%s", r.err.message);
    }
}

static void expect_failure(kin_err code, const char *beginning)
{
    ASSERT_TRUE(r.has_failed);
    ASSERT_ERR(r.err.code, code);
    if (strncmp(r.err.message, beginning, strlen(beginning)) != 0) {
        FAIL("\"%s\" does not begin with \"%s\"", r.err.message, beginning);
    }
}

/* ---- lists ---- */

TEST(call, lists_page_after_page)
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

TEST(call, lists_one_page_when_it_is_told_so)
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

TEST(call, begins_with_the_page_it_is_told)
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

TEST(call, tells_how_to_go_on_when_a_page_has_expired)
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

TEST(call, has_no_token_of_a_page_that_failed)
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

TEST(call, fails_when_a_list_is_not_whole)
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

TEST(call, fails_when_the_answer_is_of_another_kind)
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

TEST(call, asks_of_each_page_what_it_was_asked)
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

TEST(call, takes_an_object_that_is_known_in_the_place_of_what_came)
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

/* ---- objects ---- */

TEST(call, gets_an_object)
{
    kin_request request = get_map();
    begin();
    answer_with(&s, "GET /api/v1/namespaces/shop/configmaps/a ", 200, JSON,
                "Warning: 299 - \"old\"\r\n", MAP("a", "5"));

    run(&request);

    expect_success();
    ASSERT_TRUE(r.has_object);
    ASSERT_STR_EQ(r.told.chars, "a ");
    ASSERT_STR_EQ(r.warnings, "old");
    ASSERT_EQ(r.count, 1);
    ASSERT_CONTAINS(call_at(&s, 1), "\r\nAccept: application/json");
    finish();
}

TEST(call, gets_an_object_in_protobuf_where_that_is_known)
{
    kin_request request = request_for(KIN_VERB_GET, "pods", NULL, "web-0");
    request.encoding = KIN_ENCODING_AUTO;
    begin();
    answer_file(&s, "GET /api/v1/namespaces/shop/pods/web-0 ", 200,
                "application/vnd.kubernetes.protobuf", "list-pod-get.pb");

    run(&request);

    expect_success();
    ASSERT_TRUE(r.has_object);
    ASSERT_STR_EQ(r.kind, "Pod");
    ASSERT_CONTAINS(call_at(&s, 1), "\r\nAccept: application/vnd.kubernetes.protobuf");
    finish();
}

TEST(call, refuses_protobuf_where_it_is_not_known)
{
    kin_request request = request_for(KIN_VERB_GET, "widgets", "shop", "w");
    request.encoding = KIN_ENCODING_PROTOBUF;
    begin();
    run(&request);
    expect_failure(KIN_ERR_USAGE, "get widgets shop/w: ");
    ASSERT_EQ(count_requests(&s), 2);
    finish();
}

TEST(call, fails_when_there_is_no_such_object)
{
    kin_request request = get_map();
    begin();
    answer_file(&s, "GET /api/v1/namespaces/shop/configmaps/a", 404, JSON,
                "status-404-object.json");

    run(&request);

    expect_failure(KIN_ERR_NOT_FOUND, "get configmaps shop/a: ");
    ASSERT_STR_EQ(r.err.reason, "NotFound");
    ASSERT_EQ(r.err.http_status, 404);
    ASSERT_EQ(r.http_status, 404);
    ASSERT_FALSE(r.has_object);
    finish();
}

TEST(call, fails_when_the_server_says_nothing)
{
    kin_request request = get_map();
    begin();
    answer(&s, "GET /api/v1/namespaces/shop/configmaps/a", 200, "");
    run(&request);
    expect_failure(KIN_ERR_MALFORMED, "get configmaps shop/a: ");
    finish();
}

TEST(call, deletes_with_an_object_or_a_status_for_an_answer)
{
    kin_request request = request_for(KIN_VERB_DELETE, "configmaps", "shop", "a");
    request.propagation = "Foreground";
    begin();
    answer(&s, "DELETE /api/v1/namespaces/shop/configmaps/a", 200, MAP("a", "6"));
    run(&request);
    expect_success();
    ASSERT_TRUE(r.has_object);
    ASSERT_CONTAINS(call_at(&s, 1), "\"propagationPolicy\":\"Foreground\"");
    ASSERT_CONTAINS(call_at(&s, 1), "\r\nContent-Type: application/json\r\n");

    r = (record){ 0 };
    answer_file(&s, "DELETE /api/v1/namespaces/shop/configmaps/a", 200, JSON,
                "write-configmap-delete.json");
    run(&request);
    expect_success();
    ASSERT_FALSE(r.has_object);
    ASSERT_EQ(r.count, 0);
    finish();
}

TEST(call, deletes_a_collection)
{
    kin_request request = request_for(KIN_VERB_DELETE_COLLECTION, "configmaps", "shop", NULL);
    begin();
    answer(&s, "DELETE /api/v1/namespaces/shop/configmaps", 200,
           MAPS("\"resourceVersion\":\"9\"", MAP("a", "1") "," MAP("b", "2")));
    run(&request);
    expect_success();
    ASSERT_STR_EQ(r.told.chars, "a b ");
    ASSERT_FALSE(r.has_object);
    finish();
}

TEST(call, finds_the_resource_of_an_object_that_is_to_be_created)
{
    kin_object *map = object_of(MAP("a", ""), NULL);
    kin_request request = request_for(KIN_VERB_CREATE, NULL, NULL, NULL);
    request.object = map;
    begin();
    answer(&s, "POST /api/v1/namespaces/shop/configmaps ", 201, MAP("a", "1"));

    run(&request);

    expect_success();
    ASSERT_EQ(r.http_status, 201);
    ASSERT_TRUE(r.has_object);
    ASSERT_CONTAINS(call_at(&s, 1), "\r\n\r\n{\"kind\":\"ConfigMap\"");
    (void) kin_object_unref(map);
    finish();
}

TEST(call, creates_an_object_that_the_server_is_to_name)
{
    kin_object_options nameless = KIN_OBJECT_OPTIONS_INIT;
    nameless.allows_no_name = true;
    kin_object *map = object_of("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                                "\"generateName\":\"a-\",\"namespace\":\"inn\"}}",
                                &nameless);
    kin_request request = request_for(KIN_VERB_CREATE, NULL, NULL, NULL);
    request.object = map;
    begin();
    answer(&s, "POST /api/v1/namespaces/inn/configmaps ", 201, MAP("a-x7", "1"));
    run(&request);
    expect_success();
    ASSERT_STR_EQ(r.told.chars, "a-x7 ");

    r = (record){ 0 };
    answer(&s, "POST /api/v1/namespaces/inn/configmaps ", 409, "{}");
    run(&request);
    expect_failure(KIN_ERR_CONFLICT, "create configmaps in inn: ");
    (void) kin_object_unref(map);
    finish();
}

TEST(call, does_not_write_an_object_that_is_partial)
{
    static const char *const paths[] = { "data" };
    static const kin_verb verbs[] = { KIN_VERB_CREATE, KIN_VERB_UPDATE };
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_mask *mask;
    kin_error err;
    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &err));
    options.mask = mask;
    kin_object *map = object_of(MAP("a", "1"), &options);
    for (size_t i = 0; i < 2; i++) {
        kin_request request = request_for(verbs[i], "configmaps", NULL, NULL);
        request.object = map;
        begin();
        run(&request);
        expect_failure(KIN_ERR_PARTIAL,
                       i == 0 ? "create configmaps shop/a: " : "update configmaps shop/a: ");
        ASSERT_EQ(count_requests(&s), 2);
        finish();
    }
    (void) kin_object_unref(map);
    kin_mask_free(mask);
}

TEST(call, keeps_of_an_object_what_its_mask_says)
{
    static const char *const paths[] = { "data" };
    kin_request request = list_maps();
    kin_mask *mask;
    kin_error err;
    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &err));
    request.mask = mask;
    begin();
    answer(&s, LIST_MAPS, 200, MAPS("", MAP("a", "1")));
    run(&request);
    expect_success();
    ASSERT_TRUE(r.was_partial);
    finish();
    kin_mask_free(mask);
}

TEST(call, asks_for_metadata_alone)
{
    kin_request request = list_maps();
    request.metadata_only = true;
    begin();
    answer(&s, LIST_MAPS, 200,
           "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
           "\"metadata\":{\"resourceVersion\":\"3\"},\"items\":[{\"kind\":"
           "\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"name\":"
           "\"a\",\"namespace\":\"shop\",\"uid\":\"u\",\"resourceVersion\":\"1\"}}]}");
    run(&request);
    expect_success();
    ASSERT_STR_EQ(r.told.chars, "a ");
    ASSERT_STR_EQ(r.kind, "PartialObjectMetadata");
    ASSERT_CONTAINS(call_at(&s, 1), "as=PartialObjectMetadataList");
    finish();
}

/* ---- watches ---- */

TEST(call, watches_until_the_server_ends_it)
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

TEST(call, says_when_a_watch_was_cut)
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

TEST(call, ends_a_watch_after_an_error_in_it)
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

TEST(call, says_when_a_watch_was_refused)
{
    kin_request request = watch_maps();
    begin();
    answer_file(&s, LIST_MAPS, 410, JSON, "status-410-continue-expired.json");
    run(&request);
    expect_failure(KIN_ERR_EXPIRED, "watch configmaps in shop: ");
    ASSERT_EQ(r.opens, 0);
    finish();
}

TEST(call, expects_bookmarks_where_there_have_been_some)
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

TEST(call, expects_nothing_of_bookmarks_that_are_days_apart)
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

TEST(call, expects_a_bookmark_within_two_and_a_half_periods)
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

TEST(call, expects_nothing_of_a_watch_that_has_shown_no_bookmarks)
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

TEST(call, waits_for_a_watch_as_long_as_it_is_told)
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
