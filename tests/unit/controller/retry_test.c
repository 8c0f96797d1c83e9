/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retry_test.c - trying again when somebody else was faster.
 */
#include "controller/retry.h"

#include <stdio.h>
#include <string.h>

#include "base/inside.h"
#include "kin/testing/server.h"
#include "support/test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static kin_error err;

/* ---- the tries ------------------------------------------------------------------------------ */

typedef struct tries {
    int fails; /* so many times */
    kin_err code;
    const char *reason;
    int calls;
    int pauses;
    int64_t shortest_us;
    int64_t longest_us;
} tries;

static kin_err try(void *context, kin_error *error)
{
    tries *t = context;

    if (++t->calls > t->fails) {
        return KIN_OK;
    }
    error->code = t->code;
    (void) snprintf(error->reason, sizeof error->reason, "%s", t->reason != NULL ? t->reason : "");
    return t->code;
}

static void note_pause(void *context, int64_t us)
{
    tries *t = context;

    t->shortest_us = t->pauses == 0 || us < t->shortest_us ? us : t->shortest_us;
    t->longest_us = us > t->longest_us ? us : t->longest_us;
    t->pauses++;
}

static kin_err run_tries(tries *t)
{
    static uint64_t seed;
    kin__retry_pause pause = { .fn = note_pause, .context = t, .random = seed++ };

    return kin__retry_conflicts(&pause, try, t, &err);
}

TEST(retry, goes_on_until_nobody_was_faster)
{
    tries t = { .fails = 3, .code = KIN_ERR_CONFLICT };

    ASSERT_OK(run_tries(&t));
    ASSERT_EQ(t.calls, 4);
    ASSERT_EQ(t.pauses, 3);
}

TEST(retry, gives_up_after_five)
{
    tries t = { .fails = 100, .code = KIN_ERR_CONFLICT, .reason = "Conflict" };

    ASSERT_ERR(run_tries(&t), KIN_ERR_CONFLICT);
    ASSERT_EQ(t.calls, 5);
    ASSERT_EQ(t.pauses, 4);
    ASSERT_STR_EQ(err.reason, "Conflict");
}

TEST(retry, is_for_conflicts_only)
{
    tries failed = { .fails = 1, .code = KIN_ERR_SERVER };
    tries there = { .fails = 1, .code = KIN_ERR_CONFLICT, .reason = "AlreadyExists" };

    ASSERT_ERR(run_tries(&failed), KIN_ERR_SERVER);
    ASSERT_EQ(failed.calls, 1);
    ASSERT_ERR(run_tries(&there), KIN_ERR_CONFLICT);
    ASSERT_EQ(there.calls, 1);
}

TEST(retry, waits_ten_milliseconds_and_a_tenth_more_by_chance)
{
    tries all = { 0 };

    for (int i = 0; i < 500; i++) {
        tries t = { .fails = 100, .code = KIN_ERR_CONFLICT };
        (void) run_tries(&t);
        note_pause(&all, t.shortest_us);
        note_pause(&all, t.longest_us);
    }
    ASSERT_TRUE(all.shortest_us >= 10000 && all.shortest_us < 10100);
    ASSERT_TRUE(all.longest_us <= 11000 && all.longest_us > 10900);
}

TEST(retry, is_refused_where_waiting_is)
{
    tries t = { 0 };

    kin__inside_enter(KIN__INSIDE_LOOP);
    ASSERT_ERR(kin_retry_on_conflict(try, &t, &err), KIN_ERR_USAGE);
    kin__inside_leave(KIN__INSIDE_LOOP);
    kin__inside_enter(KIN__INSIDE_CHANGE);
    ASSERT_ERR(kin_retry_on_conflict(try, &t, NULL), KIN_ERR_USAGE);
    kin__inside_leave(KIN__INSIDE_CHANGE);
    ASSERT_EQ(t.calls, 0);
    kin__inside_enter(KIN__INSIDE_HANDLER);
    ASSERT_OK(kin_retry_on_conflict(try, &t, NULL));
    kin__inside_leave(KIN__INSIDE_HANDLER);
    ASSERT_EQ(t.calls, 1);
}

/* ---- modifying ------------------------------------------------------------------------------ */

typedef struct scene {
    kin_server *server;
    kin_client *client;
    kin_object *result;
    int calls;
    int rivals; /* how often somebody else is faster */
    kin_err code;
} scene;

static void put(scene *s, const char *json)
{
    if (kin_server_put(s->server, kin_str_of(json), NULL, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
}

static void begin(scene *s)
{
    kin_config *config = NULL;

    *s = (scene){ 0 };
    ASSERT_OK(kin_server_start(NULL, &s->server, &err));
    const char *kubeconfig = kin_server_kubeconfig(s->server);
    ASSERT_OK(kin_config_from_text(kubeconfig, strlen(kubeconfig), NULL, NULL, &config, &err));
    ASSERT_OK(kin_client_new(config, NULL, &s->client, &err));
    kin_config_unref(config);
    put(s, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\","
           "\"namespace\":\"default\"},\"data\":{\"k\":\"old\"}}");
}

static void finish(scene *s)
{
    (void) kin_object_unref(s->result);
    kin_client_free(s->client);
    kin_server_stop(s->server);
}

static kin_err set_key(void *context, const kin_object *object, kin_edit *edit, kin_error *error)
{
    scene *s = context;
    char json[256];

    ASSERT_SLICE_EQ(kin_object_name(object), "a");
    s->calls++;
    if (s->rivals > 0) {
        (void) snprintf(
            json, sizeof json,
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\","
            "\"namespace\":\"default\"},\"data\":{\"rival\":\"%d\"}}",
            s->rivals--);
        put(s, json);
    }
    if (s->code != KIN_OK) {
        error->code = s->code;
        return s->code;
    }
    return kin_edit_set_str(edit, "data.k", kin_str_of("new"), error);
}

static kin_err modify(scene *s, kin_modify_fn fn)
{
    return kin_client_modify(s->client, "configmaps", "default", "a", NULL, fn, s, &s->result,
                             &err);
}

static void expect_data(const scene *s, const char *want)
{
    char *json = NULL;
    size_t len = 0;

    ASSERT_OK(kin_value_json(kin_object_at(s->result, "data"), &json, &len, &err));
    ASSERT_STR_EQ(json, want);
    kin_free(json);
}

TEST(retry, modify_reads_changes_and_sends)
{
    scene s;
    begin(&s);

    ASSERT_OK(modify(&s, set_key));
    ASSERT_EQ(s.calls, 1);
    expect_data(&s, "{\"k\":\"new\"}");
    finish(&s);
}

TEST(retry, modify_begins_again_with_what_the_faster_one_wrote)
{
    scene s;
    begin(&s);

    s.rivals = 2;
    ASSERT_OK(modify(&s, set_key));
    ASSERT_EQ(s.calls, 3);
    expect_data(&s, "{\"k\":\"new\",\"rival\":\"1\"}");
    finish(&s);
}

TEST(retry, modify_gives_up_with_a_conflict)
{
    scene s;
    begin(&s);

    s.rivals = 100;
    ASSERT_ERR(modify(&s, set_key), KIN_ERR_CONFLICT);
    ASSERT_EQ(s.calls, 5);
    ASSERT_TRUE(s.result == NULL);
    finish(&s);
}

static kin_err change_nothing(void *context, const kin_object *object, kin_edit *edit,
                              kin_error *error)
{
    ((scene *) context)->calls++;
    (void) object;
    return kin_edit_set_str(edit, "data.k", kin_str_of("old"), error);
}

TEST(retry, modify_sends_nothing_when_nothing_was_changed)
{
    kin_server_counts before;
    kin_server_counts after;
    scene s;
    begin(&s);

    kin_object *object = NULL;
    ASSERT_OK(kin_client_get(s.client, "configmaps", "default", "a", &object, &err));
    kin_server_get_counts(s.server, &before);
    ASSERT_OK(modify(&s, change_nothing));
    kin_server_get_counts(s.server, &after);
    ASSERT_EQ(after.requests - before.requests, 1);
    ASSERT_TRUE(
        kin_str_equal(kin_object_resource_version(s.result), kin_object_resource_version(object)));
    (void) kin_object_unref(object);
    finish(&s);
}

TEST(retry, modify_ends_with_what_the_function_said)
{
    scene s;
    begin(&s);

    s.code = KIN_ERR_RANGE;
    ASSERT_ERR(modify(&s, set_key), KIN_ERR_RANGE);
    ASSERT_EQ(s.calls, 1);
    ASSERT_ERR(
        kin_client_modify(s.client, "configmaps", "default", "none", NULL, set_key, &s, NULL, NULL),
        KIN_ERR_NOT_FOUND);
    ASSERT_EQ(s.calls, 1);
    finish(&s);
}

static kin_err set_status(void *context, const kin_object *object, kin_edit *edit, kin_error *error)
{
    (void) context;
    ASSERT_SLICE_EQ(kin_object_kind(object), "Deployment");
    if (kin_edit_set_int64(edit, "spec.replicas", 9, error) != KIN_OK) {
        return error->code;
    }
    return kin_edit_set_int64(edit, "status.replicas", 2, error);
}

static kin_err set_scale(void *context, const kin_object *object, kin_edit *edit, kin_error *error)
{
    (void) context;
    ASSERT_SLICE_EQ(kin_object_kind(object), "Scale");
    return kin_edit_set_int64(edit, "spec.replicas", 5, error);
}

static int64_t number_at(const kin_object *object, const char *path)
{
    int64_t number = -1;

    ASSERT_OK(kin_value_int64(kin_object_at(object, path), &number));
    return number;
}

TEST(retry, modify_writes_a_status_and_nothing_else)
{
    scene s;
    begin(&s);
    put(&s, "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\","
            "\"namespace\":\"default\"},\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":{"
            "\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"
            "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}");

    ASSERT_OK(kin_client_modify(s.client, "deployments.apps", "default", "d", "status", set_status,
                                &s, &s.result, &err));
    ASSERT_EQ(number_at(s.result, "status.replicas"), 2);
    ASSERT_EQ(number_at(s.result, "spec.replicas"), 1);
    (void) kin_object_unref(s.result);
    if (kin_client_modify(s.client, "deployments.apps", "default", "d", "scale", set_scale, &s,
                          &s.result, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    ASSERT_EQ(number_at(s.result, "spec.replicas"), 5);
    finish(&s);
}

static void modify_inside(void *context)
{
    scene *s = context;

    s->code =
        kin_client_modify(s->client, "configmaps", "default", "a", NULL, set_key, s, NULL, &err);
}

TEST(retry, modify_is_refused_on_a_loop)
{
    scene s;
    begin(&s);

    ASSERT_OK(kin_loop_post(kin_client_loop(s.client), modify_inside, &s, &err));
    kin_client_free(s.client); /* after what was posted before */
    s.client = NULL;
    ASSERT_EQ(s.code, KIN_ERR_USAGE);
    ASSERT_EQ(s.calls, 0);
    finish(&s);
}
