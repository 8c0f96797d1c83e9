/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_test.c - a recorder from its making to its end, and what it writes.
 */
#include <pthread.h>

#include "base/inside.h"
#include "support/allocator.h"
#include "unit/controller/recording.h"

/* ---- what is written ------------------------------------------------------------------------ */

TEST(recorder, writes_what_was_told)
{
    kin_object *events[8];
    scene s;
    begin(&s);
    kin_object *node = make("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":"
                            "\"n-1\",\"uid\":\"u-2\"}}");

    kin_recorder_tell(s.recorder, s.pod, node, KIN_SEVERITY_WARNING, "FailedMount", "Mount",
                      "volume %s is %d%% full", "v", 100);
    flush(&s);

    ASSERT_EQ(list(&s, "shop", events), 1);
    expect_at(events[0], "eventTime", "2026-01-01T00:00:00.000000Z");
    expect_at(events[0], "reportingController", "example.com/foo");
    expect_at(events[0], "reportingInstance", "foo-1");
    expect_at(events[0], "reason", "FailedMount");
    expect_at(events[0], "action", "Mount");
    expect_at(events[0], "type", "Warning");
    expect_at(events[0], "note", "volume v is 100% full");
    expect_at(events[0], "regarding.kind", "Pod");
    expect_at(events[0], "regarding.apiVersion", "v1");
    expect_at(events[0], "regarding.name", "web-0");
    expect_at(events[0], "regarding.namespace", "shop");
    expect_at(events[0], "regarding.uid", "u-1");
    expect_at(events[0], "related.kind", "Node");
    expect_at(events[0], "related.name", "n-1");
    ASSERT_FALSE(kin_value_exists(kin_object_at(events[0], "series.count")));
    drop_all(events);

    kin_recorder_tell(s.recorder, node, NULL, KIN_SEVERITY_NORMAL, "Ready", "Look", "ready");
    flush(&s);
    ASSERT_EQ(list(&s, "default", events), 1);
    expect_at(events[0], "regarding.name", "n-1");
    drop_all(events);
    (void) kin_object_unref(node);
    ASSERT_EQ(status_of(&s).created, 2);
    finish(&s);
}

TEST(recorder, cuts_texts_between_characters)
{
    char reason[140];
    char note[1200];
    kin_object *events[8];
    scene s;
    begin(&s);

    memset(reason, 'r', sizeof reason);
    reason[139] = '\0';
    memset(note, 'n', sizeof note);
    note[1199] = '\0';
    memcpy(note + 1023, "\xc3\xbc", 2);
    kin_recorder_tell(s.recorder, s.pod, NULL, KIN_SEVERITY_NORMAL, reason, reason, "%s", note);
    flush(&s);

    ASSERT_EQ(list(&s, "shop", events), 1);
    reason[128] = '\0';
    note[1023] = '\0';
    expect_at(events[0], "reason", reason);
    expect_at(events[0], "action", reason);
    expect_at(events[0], "note", note);
    drop_all(events);
    finish(&s);
}

TEST(recorder, makes_a_series_of_what_is_told_again)
{
    scene s;
    begin(&s);

    tell(&s, "Made", 1);
    flush(&s);
    ASSERT_EQ(count_of_one(&s), 0);
    tell(&s, "Made", 2);
    flush(&s);
    ASSERT_EQ(count_of_one(&s), 2);
    tell(&s, "Made", 3);
    flush(&s);
    ASSERT_EQ(count_of_one(&s), 3);

    kin_recorder_status status = status_of(&s);
    ASSERT_EQ(status.told, 3);
    ASSERT_EQ(status.created, 1);
    ASSERT_EQ(status.repeated, 2);
    ASSERT_EQ(status.merged, 0);
    ASSERT_EQ(status.waiting, 0);
    ASSERT_EQ(status.error.code, KIN_OK);
    finish(&s);
}

TEST(recorder, counts_a_thousand_in_a_few_writes)
{
    scene s;
    begin(&s);

    for (int i = 0; i < 1000; i++) {
        tell(&s, "Made", i);
        if (i % 100 == 50) {
            turn(&s);
        }
    }
    flush(&s);

    ASSERT_EQ(count_of_one(&s), 1000);
    kin_recorder_status status = status_of(&s);
    ASSERT_EQ(status.created, 1);
    ASSERT_TRUE(status.repeated >= 1 && status.repeated <= 24);
    ASSERT_TRUE(status.merged >= 1000 - 25);
    ASSERT_EQ(status.limited + status.dropped, 0);
    finish(&s);
}

TEST(recorder, limits_what_an_object_has)
{
    char reason[16];
    scene s;
    begin(&s);

    for (int i = 0; i < 40; i++) {
        (void) snprintf(reason, sizeof reason, "Reason%d", i);
        tell(&s, reason, i);
    }
    flush(&s);

    kin_recorder_status status = status_of(&s);
    ASSERT_EQ(status.created, 25);
    ASSERT_EQ(status.limited, 15);
    pass(&s, 5 * MINUTE);
    tell(&s, "Another", 1);
    tell(&s, "Third", 1);
    flush(&s);
    status = status_of(&s);
    ASSERT_EQ(status.created, 26);
    ASSERT_EQ(status.limited, 16);
    finish(&s);
}

TEST(recorder, writes_a_repetition_when_its_object_may_have_one)
{
    kin_recorder_options options = plain_options();
    scene s;
    options.burst = 1;
    options.refill_ms = 1000;
    begin_with(&s, options);

    tell(&s, "Made", 1);
    flush(&s);
    tell(&s, "Made", 2);
    pass(&s, 900);
    ASSERT_EQ(status_of(&s).waiting, 1);
    ASSERT_EQ(count_of_one(&s), 0);
    pass(&s, 101);
    settle(&s);
    ASSERT_EQ(count_of_one(&s), 2);
    finish(&s);
}

TEST(recorder, drops_what_is_too_much_to_wait)
{
    char reason[16];
    kin_recorder_options options = plain_options();
    scene s;
    options.waiting = 3;
    begin_with(&s, options);

    for (int i = 0; i < 5; i++) {
        (void) snprintf(reason, sizeof reason, "Reason%d", i);
        tell(&s, reason, i);
    }
    kin_recorder_status status = status_of(&s);
    ASSERT_EQ(status.waiting, 3);
    ASSERT_EQ(status.dropped, 2);
    ASSERT_EQ(status.error.code, KIN_ERR_LIMIT);
    flush(&s);
    ASSERT_EQ(status_of(&s).created, 3);
    finish(&s);
}

TEST(recorder, drops_what_makes_no_event)
{
    static char name[5000];
    static char json[6000];
    scene s;
    begin(&s);

    kin_recorder_tell(s.recorder, NULL, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "x");
    kin_recorder_tell(s.recorder, s.pod, NULL, KIN_SEVERITY_NORMAL, "", "Make", "x");
    kin_recorder_tell(s.recorder, s.pod, NULL, KIN_SEVERITY_NORMAL, "Made", NULL, "x");
    ASSERT_EQ(status_of(&s).dropped, 3);
    ASSERT_EQ(status_of(&s).error.code, KIN_ERR_USAGE);
    memset(name, 'a', sizeof name - 1);
    (void) snprintf(json, sizeof json, "{\"metadata\":{\"name\":\"%s\"}}", name);
    kin_object *giant = make(json);
    kin_recorder_tell(s.recorder, giant, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "x");
    (void) kin_object_unref(giant);
    ASSERT_EQ(status_of(&s).dropped, 4);
    ASSERT_EQ(status_of(&s).error.code, KIN_ERR_LIMIT);
    ASSERT_EQ(status_of(&s).told, 4);
    finish(&s);
}

/* ---- its life ------------------------------------------------------------------------------- */

TEST(recorder, refuses_options_that_no_server_accepts)
{
    const char *bad[] = { NULL, "", "Foo Controller", "a/b/c", "example.com/" };
    char instance[140];
    kin_recorder_options options = plain_options();
    kin_recorder *recorder = NULL;
    scene s;
    begin(&s);

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        options.controller = bad[i];
        ASSERT_ERR(kin_recorder_new(s.client, &options, &recorder, &err), KIN_ERR_USAGE);
        ASSERT_CONTAINS(err.message, "controller");
    }
    options.controller = "foo";
    memset(instance, 'i', sizeof instance);
    instance[129] = '\0';
    options.instance = instance;
    ASSERT_ERR(kin_recorder_new(s.client, &options, &recorder, &err), KIN_ERR_USAGE);
    ASSERT_CONTAINS(err.message, "instance");
    options.size = 0;
    ASSERT_ERR(kin_recorder_new(s.client, &options, &recorder, NULL), KIN_ERR_USAGE);
    ASSERT_ERR(kin_recorder_new(s.client, NULL, &recorder, NULL), KIN_ERR_USAGE);
    ASSERT_TRUE(recorder == NULL);
    kin_recorder_free(NULL);
    finish(&s);
}

TEST(recorder, is_called_after_its_controller_and_host)
{
    char controller[160] = "";
    kin_recorder_options options = plain_options();
    scene s;
    options.instance = NULL;
    begin_with(&s, options);

    ASSERT_TRUE(strncmp(s.recorder->instance, "example.com/foo-", 16) == 0);
    ASSERT_TRUE(strlen(s.recorder->instance) > 16 && strlen(s.recorder->instance) <= 128);
    finish(&s);
    memset(controller, 'c', sizeof controller - 1);
    controller[150] = '/';
    options.controller = controller;
    begin_with(&s, options);
    ASSERT_EQ(strlen(s.recorder->instance), 128);
    finish(&s);
}

TEST(recorder, a_status_that_is_not_initialised_is_refused)
{
    kin_recorder_status status = { 0 };
    scene s;
    begin(&s);

    ASSERT_ERR(kin_recorder_get_status(s.recorder, &status, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_recorder_get_status(s.recorder, NULL, NULL), KIN_ERR_USAGE);
    finish(&s);
}

/* Of a program that was built when there were fewer fields. */
TEST(recorder, a_status_that_is_shorter_than_ours_is_filled_in_as_far_as_it_goes)
{
    kin_recorder_status status = KIN_RECORDER_STATUS_INIT;
    scene s;
    begin(&s);
    status.size = offsetof(kin_recorder_status, error);
    status.told = 7;
    status.error.code = KIN_ERR_TIMEOUT;

    ASSERT_OK(kin_recorder_get_status(s.recorder, &status, &err));

    ASSERT_EQ(status.told, 0);
    ASSERT_EQ(status.size, offsetof(kin_recorder_status, error));
    ASSERT_EQ(status.error.code, KIN_ERR_TIMEOUT);
    finish(&s);
}

TEST(recorder, a_flush_ends_at_its_deadline_and_says_why)
{
    scene s;
    begin(&s);

    ASSERT_OK(kin_recorder_flush(s.recorder, 0, &err));
    (void) fault(&s, "{\"do\":\"refuse\"}");
    tell(&s, "Made", 1);
    while (status_of(&s).error.code == KIN_OK) {
        turn(&s);
    }
    ASSERT_ERR(kin_recorder_flush(s.recorder, 0, &err), KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(err.message, "1 wait; the last error: ");
    finish(&s);
}

typedef struct inside {
    scene *s;
    kin_err flush_code;
    bool frees;
} inside;

static void act_inside(void *context)
{
    inside *in = context;

    tell(in->s, "Inside", 1);
    in->flush_code = kin_recorder_flush(in->s->recorder, 0, NULL);
    if (in->frees) {
        kin_recorder_free(in->s->recorder);
        in->s->recorder = NULL;
    }
}

TEST(recorder, tells_on_the_loop_and_does_not_wait_there)
{
    scene s;
    begin(&s);
    inside in = { .s = &s };

    must(kin_loop_post(s.loop, act_inside, &in, &err));
    turn(&s);
    ASSERT_EQ(in.flush_code, KIN_ERR_USAGE);
    flush(&s);
    ASSERT_EQ(count_of_one(&s), 0);
    finish(&s);
}

TEST(recorder, tells_in_a_handler_and_does_not_wait_there)
{
    scene s;
    begin(&s);
    inside in = { .s = &s };

    kin__inside_enter(KIN__INSIDE_HANDLER);
    act_inside(&in);
    kin__inside_leave(KIN__INSIDE_HANDLER);
    ASSERT_EQ(in.flush_code, KIN_ERR_USAGE);
    flush(&s);
    ASSERT_EQ(count_of_one(&s), 0);
    finish(&s);
}

TEST(recorder, is_freed_in_a_handler_when_that_has_returned)
{
    scene s;
    begin(&s);
    inside in = { .s = &s, .frees = true };

    tell(&s, "Made", 1);
    turn(&s);
    kin__inside_enter(KIN__INSIDE_HANDLER);
    act_inside(&in);
    kin__inside_leave(KIN__INSIDE_HANDLER);
    finish(&s);
}

static size_t count_remembered(scene *s)
{
    kin__mutex_lock(&s->recorder->lock);
    size_t count = s->recorder->book.series.count;
    kin__mutex_unlock(&s->recorder->lock);
    return count;
}

TEST(recorder, forgets_series_that_are_over_and_leaves_nothing_on_the_loop)
{
    scene s;
    begin(&s);

    tell(&s, "Made", 1);
    flush(&s);
    ASSERT_EQ(count_remembered(&s), 1);
    pass(&s, 6 * MINUTE + 1);
    ASSERT_EQ(count_remembered(&s), 0);
    tell(&s, "Made", 1);
    flush(&s);
    kin_recorder_free(s.recorder);
    s.recorder = NULL;
    pass(&s, 6 * MINUTE + 1);
    finish(&s);
}

TEST(recorder, is_freed_on_the_loop_when_that_has_returned)
{
    scene s;
    begin(&s);
    inside in = { .s = &s, .frees = true };

    tell(&s, "Made", 1);
    turn(&s);
    must(kin_loop_post(s.loop, act_inside, &in, &err));
    turn(&s);
    ASSERT_TRUE(s.recorder == NULL);
    finish(&s); /* the client ends what was under way; the test's end finds what was left behind */
}

TEST(recorder, drops_what_is_not_written_when_it_is_freed)
{
    scene s;
    begin(&s);

    (void) fault(&s, "{\"do\":\"ignore\"}");
    for (int i = 0; i < 20; i++) {
        char reason[16];
        (void) snprintf(reason, sizeof reason, "Reason%d", i);
        tell(&s, reason, i);
    }
    turn(&s);
    ASSERT_EQ(s.recorder->call_count, 8);
    finish(&s);
}

#define TELLERS 4
#define EACH 500

static void *tell_many(void *context)
{
    scene *s = context;

    for (int i = 0; i < EACH; i++) {
        tell(s, "Made", i);
        if (i % 50 == 0) {
            ASSERT_TRUE(status_of(s).told > 0);
        }
    }
    return NULL;
}

TEST(recorder, many_threads_tell_at_once)
{
    pthread_t threads[TELLERS];
    kin_config *config = NULL;
    kin_recorder_options options = plain_options();
    scene s;
    begin(&s);
    kin_recorder_free(s.recorder);
    kin_client_free(s.client);

    const char *kubeconfig = kin_server_kubeconfig(s.server);
    must(kin_config_from_text(kubeconfig, strlen(kubeconfig), NULL, NULL, &config, &err));
    must(kin_client_new(config, NULL, &s.client, &err)); /* with a thread of its own */
    kin_config_unref(config);
    must(kin_recorder_new(s.client, &options, &s.recorder, &err));
    for (int i = 0; i < TELLERS; i++) {
        ASSERT_EQ(pthread_create(&threads[i], NULL, tell_many, &s), 0);
    }
    for (int i = 0; i < TELLERS; i++) {
        ASSERT_EQ(pthread_join(threads[i], NULL), 0);
    }
    must(kin_recorder_flush(s.recorder, 20000, &err));
    ASSERT_EQ(count_of_one(&s), TELLERS * EACH);
    ASSERT_EQ(status_of(&s).told, TELLERS * EACH);
    finish(&s);
}

/* ---- memory --------------------------------------------------------------------------------- */

static const char nowhere[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"current-context\":\"a\","
    "\"contexts\":[{\"name\":\"a\",\"context\":{\"cluster\":\"a\"}}],"
    "\"clusters\":[{\"name\":\"a\",\"cluster\":{\"server\":"
    "\"http://127.0.0.1:1\"}}]}";

/* Nothing runs the loop: what is told is only stored. */
static kin_err tell_some(kin_client *client, const kin_object *pod)
{
    kin_recorder_options options = plain_options();
    kin_recorder_status status = KIN_RECORDER_STATUS_INIT;
    kin_recorder *recorder = NULL;

    if (kin_recorder_new(client, &options, &recorder, &err) != KIN_OK) {
        return err.code;
    }
    kin_recorder_tell(recorder, pod, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "x");
    kin_recorder_tell(recorder, pod, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "x");
    kin_recorder_tell(recorder, pod, NULL, KIN_SEVERITY_WARNING, "Lost", "Look", "y");
    must(kin_recorder_get_status(recorder, &status, &err));
    (void) kin__loop_cancel_job(kin_client_loop(client), &recorder->work_job);
    kin_recorder_free(recorder);
    ASSERT_EQ(status.told, 3);
    ASSERT_TRUE(status.waiting + status.merged + status.dropped == 3);
    return status.dropped != 0 ? status.error.code : KIN_OK;
}

static kin_err with_client(kin_err (*fn)(kin_client *client, const kin_object *pod))
{
    static const char json[] = "{\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\"}}";
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config *config = NULL;
    kin_client *client = NULL;
    kin_object *pod = NULL;
    kin_loop *loop = NULL;
    kin_err code = kin_loop_new(NULL, &loop, &err);

    options.loop = loop;
    if (code == KIN_OK) {
        code = kin_object_from_json(json, sizeof json - 1, NULL, &pod, &err);
    }
    if (code == KIN_OK) {
        code = kin_config_from_text(nowhere, sizeof nowhere - 1, NULL, NULL, &config, &err);
    }
    if (code == KIN_OK) {
        code = kin_client_new(config, &options, &client, &err);
    }
    if (code == KIN_OK) {
        code = fn(client, pod);
    }
    kin_client_free(client);
    kin_config_unref(config);
    kin_loop_free(loop);
    (void) kin_object_unref(pod);
    return code;
}

TEST_FAILING_ALLOC(recorder, what_cannot_be_stored_is_dropped_and_counted)
{
    return with_client(tell_some);
}

TEST(recorder, whichever_allocation_fails_an_event_is_written_or_counted)
{
    kin_recorder_options options = plain_options();
    long long failures = 1;
    uint64_t told = 0;
    scene s;
    options.burst = 100000;
    begin_with(&s, options);
    tell(&s, "First", 0);
    flush(&s);

    for (int first = 1; failures != 0; first++) {
        char reason[24];
        (void) snprintf(reason, sizeof reason, "Reason%d", first);
        test_allocator_plan((alloc_failure){ .first = first });
        tell(&s, reason, first);
        tell(&s, reason, first);
        turn(&s);
        failures = test_allocator_failures();
        test_allocator_plan((alloc_failure){ 0 });
        settle(&s);
        told += 2;
    }
    kin_recorder_status status = status_of(&s);
    ASSERT_EQ(status.told, told + 1);
    ASSERT_TRUE(status.created + status.dropped >= told / 2);
    ASSERT_TRUE(status.created > told / 4);
    finish(&s);
}
