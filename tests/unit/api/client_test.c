/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_test.c - a client: made, waited for, freed.
 */
#include "api/client.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"
#include "net/loop_state.h"
#include "support/exposition.h"
#include "unit/api/calling.h"

#define LIST_MAPS "GET /api/v1/namespaces/shop/configmaps"

static stage s;
static kin_client *client;
static record records[8];
static kin_error err;

static void begin_with(const kin_client_options *options)
{
    stage_open(&s);
    answer_discovery(&s);
    client = open_client(&s, "", options);
    memset(records, 0, sizeof records);
}

static void begin(void)
{
    begin_with(NULL);
}

/* A client with a loop and a thread of its own, in real time. */
static void begin_alone(void)
{
    stage_open_server(&s, NULL);
    answer_discovery(&s);
    client = open_client(&s, "", NULL);
    memset(records, 0, sizeof records);
}

static void finish(void)
{
    kin_client_free(client);
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        kin_call_free(records[i].call);
        records[i].call = NULL;
    }
    stage_close(&s);
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

TEST(client, is_made_of_a_configuration)
{
    begin();
    ASSERT_STR_EQ(kin_config_server(kin_client_config(client)), s.base);
    ASSERT_TRUE(kin_client_loop(client) == s.loop);
    ASSERT_EQ(count_requests(&s), 0);
    kin_client_free(NULL);
    finish();
}

TEST(client, needs_options_that_were_initialised)
{
    kin_client_options options = { 0 };
    kin_client *made = NULL;
    begin();
    ASSERT_ERR(kin_client_new(client->config, &options, &made, &err), KIN_ERR_USAGE);
    ASSERT_TRUE(made == NULL);
    finish();
}

TEST(client, that_is_none_is_refused)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_object *object = NULL;
    request.verb = KIN_VERB_LIST;
    request.resource = "pods";

    ASSERT_ERR(kin_client_run(NULL, &request, NULL, NULL, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "request: there is no client");
    ASSERT_ERR(kin_client_start(NULL, &request, NULL, NULL, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "request: there is no client");
    ASSERT_ERR(kin_client_get(NULL, "pods", "shop", "web-0", &object, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "request: there is no client");
}

TEST(client, without_a_configuration_looks_for_one)
{
    kin_client *made = NULL;
    ASSERT_EQ(setenv("KUBECONFIG", "/nowhere/config", 1), 0);
    ASSERT_EQ(unsetenv("KUBERNETES_SERVICE_HOST"), 0);
    ASSERT_TRUE(kin_client_new(NULL, NULL, &made, &err) != KIN_OK);
    ASSERT_TRUE(made == NULL);
}

TEST(client, says_who_it_is)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_request request = list_maps();
    options.user_agent = "shopkeeper/2";
    begin_with(&options);
    answer(&s, LIST_MAPS, 200, MAPS("", ""));
    ASSERT_OK(kin_client_run(client, &request, NULL, NULL, &err));
    ASSERT_CONTAINS(call_at(&s, 1), "\r\nUser-Agent: shopkeeper/2\r\n");
    finish();
}

TEST(client, asks_for_gzip_unless_it_is_told_not_to)
{
    for (int i = 0; i < 2; i++) {
        kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
        kin_request request = list_maps();
        options.no_compression = i == 1;
        begin_with(&options);
        answer(&s, LIST_MAPS, 200, MAPS("", ""));
        ASSERT_OK(kin_client_run(client, &request, NULL, NULL, &err));
        ASSERT_EQ(strstr(call_at(&s, 1), "Accept-Encoding: gzip") != NULL, i == 0);
        finish();
    }
}

TEST(client, keeps_to_its_rate_and_lets_watches_pass)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_request list = list_maps();
    kin_request watch = watch_maps();
    options.requests_per_second = 0.5;
    options.burst = 2;
    begin_with(&options);
    answer_open(&s, LIST_MAPS "?watch", EVENT("ADDED", MAP("a", "1")));
    answer(&s, LIST_MAPS, 200, MAPS("", ""))->stays = true;

    for (int i = 0; i < 3; i++) {
        start_call(client, &records[i], &list);
    }
    wait_for_done(&s, &records[0]);
    wait_for_done(&s, &records[1]);
    start_call(client, &records[3], &watch);
    wait_until_told(&s, &records[3], "+a ");
    pass(&s, 1999);
    ASSERT_EQ(records[2].dones, 0);
    pass(&s, 1);
    wait_for_done(&s, &records[2]);
    finish();
}

TEST(client, does_not_hold_up_calls_that_are_not_to_wait)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin__call_options urgent = { .no_limit = true };
    kin_request list = list_maps();
    options.requests_per_second = 0.001;
    options.burst = 1;
    begin_with(&options);
    answer(&s, LIST_MAPS, 200, MAPS("", ""))->stays = true;
    start_call(client, &records[0], &list);
    wait_for_done(&s, &records[0]);

    kin_handler handler = recording(&records[1]);
    ASSERT_OK(kin__client_start(client, &list, &handler, &urgent, NULL, &err));
    wait_for_done(&s, &records[1]);

    ASSERT_EQ(records[1].err.code, KIN_OK);
    finish();
}

TEST(client, has_no_rate_when_that_is_wanted)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_request list = list_maps();
    options.requests_per_second = -1;
    options.burst = 1;
    begin_with(&options);
    answer(&s, LIST_MAPS, 200, MAPS("", ""))->stays = true;
    for (int i = 0; i < 8; i++) {
        start_call(client, &records[i], &list);
    }
    for (int i = 0; i < 8; i++) {
        wait_for_done(&s, &records[i]);
    }
    finish();
}

/* ---- waiting ---- */

TEST(client, runs_the_loop_itself_while_it_waits_when_nobody_does)
{
    kin_request request = get_map();
    kin_handler handler = recording(&records[0]);
    kin_reply reply = KIN_REPLY_INIT;
    begin();
    answer(&s, LIST_MAPS "/a", 200, MAP("a", "5"));
    ASSERT_OK(kin_client_run(client, &request, &handler, &reply, &err));
    ASSERT_SLICE_EQ(kin_object_resource_version(reply.object), "5");
    ASSERT_EQ(reply.count, 1);
    ASSERT_EQ(reply.attempts, 1);
    ASSERT_STR_EQ(records[0].told.chars, "a ");
    ASSERT_EQ(records[0].dones, 1);
    ASSERT_TRUE(records[0].has_object);
    kin_reply_fini(&reply);
    ASSERT_TRUE(reply.object == NULL);
    finish();
}

TEST(client, fills_in_the_reply_of_a_call_that_failed)
{
    kin_request request = list_maps();
    kin_reply reply = KIN_REPLY_INIT;
    begin();
    answer_file(&s, LIST_MAPS, 410, JSON, "status-410-continue-expired.json");
    ASSERT_ERR(kin_client_run(client, &request, NULL, &reply, &err), KIN_ERR_EXPIRED);
    ASSERT_EQ(reply.http_status, 410);
    ASSERT_TRUE(reply.continue_token != NULL);
    kin_reply_fini(&reply);
    ASSERT_ERR(kin_client_run(client, &request, NULL, NULL, NULL), KIN_ERR_SERVER);
    finish();
}

TEST(client, waits_for_a_watch)
{
    kin_request request = watch_maps();
    kin_handler handler = recording(&records[0]);
    begin();
    line *l = answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("a", "1")));
    l->then = THEN_DOOR;
    l->later = "0\r\n\r\n";
    raw_open_door(s.server);
    ASSERT_OK(kin_client_run(client, &request, &handler, NULL, &err));
    ASSERT_STR_EQ(records[0].told.chars, "+a ");
    ASSERT_EQ(records[0].opens, 1);
    finish();
}

static int refused;

/* Everything that waits, from a handler. */
static bool wait_inside(void *context, kin_object *object)
{
    kin_request request = get_map();
    kin_object *got = NULL;
    kin_resource *resource = NULL;
    char *version = NULL;

    (void) context;
    (void) object;
    refused += kin_client_run(client, &request, NULL, NULL, &err) == KIN_ERR_USAGE;
    ASSERT_CONTAINS(err.message, "kin_client_start()");
    refused += kin_client_get(client, "pods", "shop", "a", &got, NULL) == KIN_ERR_USAGE;
    refused += kin_client_resource(client, "pods", &resource, NULL) == KIN_ERR_USAGE;
    refused += kin_client_resource(client, "unknown", &resource, NULL) == KIN_ERR_USAGE;
    refused += kin_client_each_resource(client, NULL, NULL, NULL) == KIN_ERR_USAGE;
    refused += kin_client_server_version(client, &version, NULL) == KIN_ERR_USAGE;
    return true;
}

TEST(client, refuses_to_wait_on_its_own_loop)
{
    kin_request request = get_map();
    kin_handler handler = KIN_HANDLER_INIT;
    handler.on_object = wait_inside;
    refused = 0;
    begin();
    answer(&s, LIST_MAPS "/a", 200, MAP("a", "5"));
    ASSERT_OK(kin_client_run(client, &request, &handler, NULL, &err));
    ASSERT_EQ(refused, 6);
    finish();
}

TEST(client, shares_a_loop_with_another)
{
    static stage other;
    kin_request request = get_map();
    begin();
    stage_open_server(&other, NULL);
    other.loop = s.loop;
    answer_discovery(&other);
    kin_client *second = open_client(&other, "", NULL);
    other.loop = NULL;
    answer(&s, LIST_MAPS "/a", 200, MAP("one", "1"));
    answer(&other, LIST_MAPS "/a", 200, MAP("two", "2"));

    start_call(client, &records[0], &request);
    start_call(second, &records[1], &request);
    wait_for_done(&s, &records[0]);
    wait_for_done(&s, &records[1]);
    ASSERT_STR_EQ(records[0].told.chars, "one ");
    ASSERT_STR_EQ(records[1].told.chars, "two ");

    answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("a", "1")));
    request = watch_maps();
    start_call(client, &records[2], &request);
    wait_until_told(&s, &records[2], "+a ");
    kin_client_free(second);
    ASSERT_EQ(records[2].dones, 0);
    finish();
    stage_close(&other);
}

/* ---- free ---- */

TEST(client, tells_all_that_is_under_way_when_it_is_freed)
{
    kin_request list = list_maps();
    kin_request watch = watch_maps();
    begin();
    answer_open(&s, LIST_MAPS "?watch", EVENT("ADDED", MAP("a", "1")));
    add_line(&s, LIST_MAPS, "")->then = THEN_HOLD;
    answer_with(&s, LIST_MAPS, 503, JSON, "Retry-After: 5\r\n", "{}");
    start_call(client, &records[0], &watch);
    wait_until_told(&s, &records[0], "+a ");
    start_call(client, &records[1], &list);
    wait_for_requests(&s, 4);
    start_call(client, &records[2], &list);
    wait_for_requests(&s, 5);
    for (int i = 0; i < 5; i++) {
        turn(&s);
    }
    list.resource = "unknown"; /* asks for all resources again */
    start_call(client, &records[3], &list);
    turn(&s);
    start_call(client, &records[4], &list); /* has not begun */
    finish();
    for (int i = 0; i < 5; i++) {
        ASSERT_EQ(records[i].dones, 1);
        ASSERT_ERR(records[i].err.code, KIN_ERR_CANCELLED);
    }
}

static kin_err late_code;

static void start_again(void *context, const kin_reply *reply, const kin_error *failure)
{
    kin_request request = list_maps();

    (void) reply;
    (void) failure;
    record_done(context, reply, failure);
    late_code = kin_client_start(client, &request, NULL, NULL, NULL);
}

TEST(client, takes_no_calls_while_it_is_freed)
{
    kin_request request = watch_maps();
    kin_handler handler = recording(&records[0]);
    handler.on_done = start_again;
    begin();
    ASSERT_OK(kin_client_start(client, &request, &handler, NULL, &err));
    turn(&s);
    finish();
    ASSERT_EQ(records[0].dones, 1);
    ASSERT_ERR(late_code, KIN_ERR_CANCELLED);
}

static void start_late(void *context)
{
    kin_resource *maps = context;
    kin_request request = request_for(KIN_VERB_LIST, NULL, "shop", NULL);

    request.of = maps;
    start_call(client, &records[0], &request);
}

/* By something on the loop that cannot know. */
TEST(client, ends_a_call_that_is_started_while_it_is_about_to_be_freed)
{
    kin_resource *maps;
    begin();
    ASSERT_OK(kin_resource_new("", "v1", "configmaps", "ConfigMap", true, &maps, &err));
    ASSERT_OK(kin_loop_post(s.loop, start_late, maps, &err));
    kin_client_free(client);
    client = NULL;
    ASSERT_EQ(records[0].dones, 1);
    ASSERT_MESSAGE(&records[0].err, "list configmaps in shop: the client is being freed");
    (void) kin_resource_unref(maps);
    finish();
}

/* By a client that is being freed elsewhere. */
static bool is_held(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    bool is = loop->holders > 0;
    kin__mutex_unlock(&loop->lock);
    return is;
}

TEST(client, is_freed_after_a_handler_that_frees_it)
{
    kin_request request = watch_maps();
    begin();
    answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("a", "1")) EVENT("ADDED", MAP("b", "1")));
    records[0].frees = client;
    start_call(client, &records[0], &request);
    while (records[0].frees != NULL) {
        turn(&s);
    }

    while (is_held(s.loop)) {
        (void) sched_yield();
    }
    client = NULL;
    ASSERT_EQ(records[0].dones, 1);
    ASSERT_EQ(records[0].err.code, KIN_ERR_CANCELLED);
    ASSERT_STR_EQ(s.log.chars, "");
    finish();
}

/* ---- threads ---- */

typedef struct flag {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count;
} flag;

static flag ended = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
static flag opened = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };

static void raise_flag(flag *f)
{
    (void) pthread_mutex_lock(&f->lock);
    f->count++;
    (void) pthread_cond_broadcast(&f->changed);
    (void) pthread_mutex_unlock(&f->lock);
}

static void wait_for_flag(flag *f, int count)
{
    (void) pthread_mutex_lock(&f->lock);
    while (f->count < count) {
        (void) pthread_cond_wait(&f->changed, &f->lock);
    }
    (void) pthread_mutex_unlock(&f->lock);
}

static bool flag_event(void *context, const kin_event *event)
{
    (void) context;
    (void) event;
    raise_flag(&opened);
    return true;
}

static void flag_done(void *context, const kin_reply *reply, const kin_error *failure)
{
    (void) context;
    (void) reply;
    ASSERT_TRUE(failure == NULL || failure->code == KIN_ERR_CANCELLED);
    raise_flag(&ended);
}

static kin_call *calls[20];

static void cancel_all(void *context)
{
    (void) context;
    for (int i = 0; i < 20; i++) {
        kin_call_cancel(calls[i]);
    }
}

TEST(client, can_be_told_to_cancel_by_any_thread)
{
    kin_request watch = watch_maps();
    kin_request get = get_map();
    kin_handler handler = KIN_HANDLER_INIT;
    kin__thread threads[2];
    handler.on_event = flag_event;
    handler.on_done = flag_done;
    ended.count = opened.count = 0;
    begin_alone();
    answer_open(&s, LIST_MAPS "?watch", EVENT("ADDED", MAP("a", "1")))->stays = true;
    answer(&s, LIST_MAPS "/a", 200, MAP("a", "1"))->stays = true;

    for (int i = 0; i < 20; i++) {
        ASSERT_OK(kin_client_start(client, i % 2 == 0 ? &watch : &get, &handler, &calls[i], &err));
    }
    wait_for_flag(&opened, 5);
    for (int i = 0; i < 2; i++) {
        ASSERT_OK(kin__thread_start(&threads[i], "canceller", cancel_all, NULL, &err));
    }
    wait_for_flag(&ended, 20);
    for (int i = 0; i < 2; i++) {
        kin__thread_join(&threads[i]);
    }
    for (int i = 0; i < 20; i++) {
        kin_call_free(calls[i]);
    }
    finish();
    ASSERT_EQ(ended.count, 20);
}

static void get_often(void *context)
{
    (void) context;
    for (int i = 0; i < 10; i++) {
        kin_object *map;
        kin_error mine;

        ASSERT_OK(kin_client_get(client, "configmaps", "shop", "a", &map, &mine));
        ASSERT_SLICE_EQ(kin_object_name(map), "a");
        (void) kin_object_unref(map);
    }
}

TEST(client, serves_many_threads_at_once)
{
    kin__thread threads[4];
    begin_alone();
    answer(&s, LIST_MAPS "/a", 200, MAP("a", "1"))->stays = true;
    for (int i = 0; i < 4; i++) {
        ASSERT_OK(kin__thread_start(&threads[i], "getter", get_often, NULL, &err));
    }
    for (int i = 0; i < 4; i++) {
        kin__thread_join(&threads[i]);
    }
    ASSERT_FALSE(kin_loop_is_inside(kin_client_loop(client)));
    finish();
}

/* On a loop that nobody runs: one of them does, for all. */
TEST(client, serves_many_threads_that_run_its_loop_themselves)
{
    kin__thread threads[4];
    begin();
    answer(&s, LIST_MAPS "/a", 200, MAP("a", "1"))->stays = true;
    for (int i = 0; i < 4; i++) {
        ASSERT_OK(kin__thread_start(&threads[i], "getter", get_often, NULL, &err));
    }
    for (int i = 0; i < 4; i++) {
        kin__thread_join(&threads[i]);
    }
    finish();
}

TEST(client, with_a_thread_of_its_own_is_freed_with_calls_under_way)
{
    kin_request watch = watch_maps();
    kin_handler handler = KIN_HANDLER_INIT;
    handler.on_event = flag_event;
    handler.on_done = flag_done;
    ended.count = opened.count = 0;
    begin_alone();
    answer_open(&s, LIST_MAPS "?watch", EVENT("ADDED", MAP("a", "1")))->stays = true;
    for (int i = 0; i < 3; i++) {
        ASSERT_OK(kin_client_start(client, &watch, &handler, NULL, &err));
    }
    wait_for_flag(&opened, 1);
    finish();
    ASSERT_EQ(ended.count, 3);
}

/* ---- fork ---- */

static int be_a_child(void)
{
    kin_request request = list_maps();
    kin_reply reply = KIN_REPLY_INIT;
    kin_resource *resource;
    int wrong = 0;

    wrong += kin_client_start(client, &request, NULL, NULL, NULL) != KIN_ERR_USAGE;
    wrong += kin_client_run(client, &request, NULL, &reply, NULL) != KIN_ERR_USAGE;
    wrong += kin_client_resource(client, "pods", &resource, NULL) != KIN_ERR_USAGE;
    kin_call_cancel(records[0].call);
    long long before = live_blocks();
    kin_client_free(client);
    wrong += live_blocks() >= before;
    wrong += records[0].dones != 0;
    return wrong;
}

/* A watch that says "a", and "b" when the door opens. */
static void answer_twice(void)
{
    static const char event[] = EVENT("ADDED", MAP("b", "1"));
    static char later[512];
    line *l = answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("a", "1")));

    l->then = THEN_DOOR;
    l->holds = true;
    l->later = later;
    (void) snprintf(later, sizeof later, "%zx\r\n%s\r\n", sizeof event - 1, event);
}

static void fork_a_child(void)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        _exit(be_a_child());
    }
    ASSERT_TRUE(child > 0 && waitpid(child, &status, 0) == child);
    ASSERT_EQ(status, 0);
}

TEST(client, may_be_freed_by_a_child_and_goes_on_in_its_parent)
{
    kin_request request = watch_maps();
    begin();
    answer_twice();
    start_call(client, &records[0], &request);
    wait_until_told(&s, &records[0], "+a ");
    fork_a_child();
    raw_open_door(s.server);
    wait_until_told(&s, &records[0], "+a +b ");
    finish();
    ASSERT_EQ(records[0].dones, 1);
}

TEST(client, with_a_thread_of_its_own_may_be_freed_by_a_child)
{
    kin_request request = watch_maps();
    kin_handler handler = KIN_HANDLER_INIT;
    handler.on_event = flag_event;
    handler.on_done = flag_done;
    ended.count = opened.count = 0;
    begin_alone();
    answer_twice();
    ASSERT_OK(kin_client_start(client, &request, &handler, &records[0].call, &err));
    wait_for_flag(&opened, 1);
    fork_a_child();
    raw_open_door(s.server);
    wait_for_flag(&opened, 2);
    finish();
    ASSERT_EQ(ended.count, 1);
}

TEST(client, needs_a_reply_that_was_initialised)
{
    kin_request request = get_map();
    kin_reply reply = { 0 };
    begin();
    ASSERT_ERR(kin_client_run(client, &request, NULL, &reply, &err), KIN_ERR_USAGE);
    ASSERT_CONTAINS(err.message, "kin_reply");
    finish();
}

/* ---- numbers ---- */

TEST(client, counts_its_requests)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_metrics *metrics = NULL;
    char *chars = NULL;
    size_t len = 0;
    stage_open(&s);
    answer_discovery(&s);
    answer(&s, LIST_MAPS, 200, MAPS("\"resourceVersion\":\"12\"", MAP("a", "5")));
    answer(&s, LIST_MAPS, 403, "{\"kind\":\"Status\",\"code\":403}");
    ASSERT_OK(kin_metrics_new(&metrics, &err));
    options.metrics = metrics;
    client = open_client(&s, "", &options);
    kin_request request = request_for(KIN_VERB_LIST, "configmaps", "shop", NULL);

    run_call(&s, client, &records[0], &request);
    run_call(&s, client, &records[1], &request);

    ASSERT_OK(kin_metrics_text(metrics, &chars, &len, &err));
    check_exposition(chars);
    ASSERT_CONTAINS(chars, "kin_client_requests_total{code=\"200\",verb=\"get\"} 3\n");
    ASSERT_CONTAINS(chars, "kin_client_requests_total{code=\"403\",verb=\"get\"} 1\n");
    ASSERT_CONTAINS(chars, "kin_client_requests 0\n");
    kin_free(chars);
    finish();
    kin_metrics_free(metrics);
}
