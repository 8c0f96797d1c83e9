/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller_test.c - a controller: its options, and what it looks at.
 */
#include "unit/controller/workshop.h"

/* ---- its options ---------------------------------------------------------------------------- */

static void expect_refused(workshop *w, const char *message)
{
    ASSERT_ERR(kin_controller_new(w->client, &w->options, &w->controller, &w->err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&w->err, message);
}

TEST(controller, says_which_option_is_wrong)
{
    workshop w;

    workshop_open(&w);
    w.options.name = NULL;
    expect_refused(&w, "make a controller: kin_controller_options: `name` is needed");
    w.options.name = "";
    expect_refused(&w, "make a controller: kin_controller_options: `name` is needed");
    w.options.name = "test";
    w.options.reconcile = NULL;
    expect_refused(&w, "make a controller: kin_controller_options: `reconcile` is needed");
    w.options.reconcile = note_key;
    w.options.workers = 1001;
    expect_refused(&w,
                   "make a controller: kin_controller_options: `workers`: 1000 at most, not 1001");
    w.options.workers = 1000;
    w.options.size = 0;
    ASSERT_ERR(kin_controller_new(w.client, &w.options, &w.controller, &w.err), KIN_ERR_USAGE);
    w.options.size = sizeof w.options;
    ASSERT_ERR(kin_controller_new(NULL, &w.options, &w.controller, &w.err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&w.err, "make a controller: there is no client");

    make_controller(&w);
    workshop_close(&w);
}

TEST(controller, has_one_worker_and_half_a_minute_for_writes_unless_told_otherwise)
{
    workshop w;

    workshop_open(&w);
    make_controller(&w);

    ASSERT_EQ(w.controller->options.workers, 1);
    ASSERT_EQ(w.controller->options.write_wait_ms, 30000);
    workshop_close(&w);
}

TEST(controller, copies_its_name_and_limiter)
{
    kin_limiter limiter = KIN_LIMITER_INIT;
    char name[] = "a name that is longer than a thread's";
    workshop w;

    workshop_open(&w);
    w.options.name = name;
    w.options.limiter = &limiter;
    make_controller(&w);
    memset(name, 'x', sizeof name - 1);
    memset(&limiter, 0, sizeof limiter);

    ASSERT_ERR(kin_controller_start(w.controller, &w.err), KIN_ERR_USAGE);

    ASSERT_CONTAINS(w.err.message, "a name that is longer than a thread's");
    workshop_close(&w);
}

/* ---- what it looks at ----------------------------------------------------------------------- */

static kin_err own_key(void *context, const kin_object *object, char *out, size_t out_size,
                       size_t *out_len, kin_error *err)
{
    (void) context;
    (void) object;
    (void) out;
    (void) out_size;
    (void) err;
    *out_len = 0;
    return KIN_OK;
}

static void map_nothing(void *context, const kin_object *object, kin_concerned *concerned)
{
    (void) context;
    (void) object;
    (void) concerned;
}

TEST(controller, refuses_a_second_kind_and_keys_of_their_own)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    workshop w;

    workshop_open(&w);
    options.resource = "secrets";
    options.key = own_key;
    kin_informer *secrets = make_informer(&w, options);
    make_controller_about_maps(&w);

    ASSERT_ERR(kin_controller_about(w.controller, w.maps, NULL, &w.err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&w.err, "controller \"test\": be about \"configmaps\": it is about "
                           "\"configmaps\" already");
    ASSERT_ERR(kin_controller_owns(w.controller, secrets, NULL, &w.err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&w.err, "controller \"test\": look at \"secrets\": it has keys of its own");
    ASSERT_ERR(kin_controller_reads(w.controller, secrets, &w.err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_controller_maps(w.controller, secrets, NULL, map_nothing, NULL, &w.err),
               KIN_ERR_USAGE);
    ASSERT_ERR(kin_controller_maps(w.controller, w.maps, NULL, NULL, NULL, &w.err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&w.err, "controller \"test\": map \"configmaps\": without a function");
    kin_controller_free(w.controller);
    w.controller = NULL;
    kin_informer_free(secrets);
    workshop_close(&w);
}

TEST(controller, may_look_at_one_informer_in_several_ways)
{
    workshop w;

    workshop_open(&w);
    make_controller_about_maps(&w);
    ASSERT_OK(kin_controller_owns(w.controller, w.maps, NULL, &w.err));
    ASSERT_OK(kin_controller_maps(w.controller, w.maps, NULL, map_nothing, NULL, &w.err));
    put(&w, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"default\","
            "\"name\":\"b\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
            "\"name\":\"a\",\"uid\":\"u\",\"controller\":true}]}}");
    start(&w);

    await_idle(&w);

    pthread_mutex_lock(&w.lock);
    ASSERT_CONTAINS(w.seen.chars, "default/a");
    ASSERT_CONTAINS(w.seen.chars, "default/b");
    pthread_mutex_unlock(&w.lock);
    workshop_close(&w);
}

TEST(controller, takes_keys_by_hand)
{
    kin_queue_add_options later = KIN_QUEUE_ADD_OPTIONS_INIT;
    workshop w;

    workshop_open(&w);
    make_controller_about_maps(&w);
    later.delay_ms = 1000;
    ASSERT_OK(kin_controller_add(w.controller, kin_str_of("x/now"), NULL, &w.err));
    ASSERT_OK(kin_controller_add(w.controller, kin_str_of("x/later"), &later, &w.err));
    start(&w);
    await_idle(&w);
    expect_seen(&w, "x/now");

    pass(&w, 1000);
    await_idle(&w);

    expect_seen(&w, "x/later");
    workshop_close(&w);
}

/* ---- without memory ------------------------------------------------------------------------- */

/* On a loop that nobody runs: nothing happens but what the calls themselves do. */
typedef struct bare {
    kin_loop *loop;
    kin_client *client;
    kin_informer *informer;
    kin_controller *controller;
} bare;

static kin_err make_bare(bare *b, kin_error *err)
{
    static const char kubeconfig[] =
        "{\"clusters\":[{\"name\":\"c\",\"cluster\":{\"server\":\"http://127.0.0.1:1\"}}],"
        "\"contexts\":[{\"name\":\"x\",\"context\":{\"cluster\":\"c\"}}],\"current-context\":"
        "\"x\"}";
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_informer_options informer = KIN_INFORMER_OPTIONS_INIT;
    kin_config *config = NULL;

    if (kin_config_from_text(kubeconfig, strlen(kubeconfig), NULL, NULL, &config, err) != KIN_OK) {
        return err->code;
    }
    kin_err code = kin_loop_new(NULL, &b->loop, err);
    client.loop = b->loop;
    if (code == KIN_OK) {
        code = kin_client_new(config, &client, &b->client, err);
    }
    kin_config_unref(config);
    informer.resource = "configmaps";
    informer.label_selector = "a=b";
    informer.field_selector = "metadata.name=c";
    return code != KIN_OK ? code : kin_informer_new(b->client, &informer, &b->informer, err);
}

static kin_err set_up(bare *b, kin_metrics *metrics, kin_error *err)
{
    kin_controller_options options = KIN_CONTROLLER_OPTIONS_INIT;

    options.name = "test";
    options.reconcile = note_key;
    options.workers = 2;
    options.metrics = metrics;
    if (make_bare(b, err) != KIN_OK ||
        kin_controller_new(b->client, &options, &b->controller, err) != KIN_OK ||
        kin_controller_about(b->controller, b->informer, NULL, err) != KIN_OK ||
        kin_controller_owns(b->controller, b->informer, NULL, err) != KIN_OK ||
        kin_controller_maps(b->controller, b->informer, NULL, map_nothing, NULL, err) != KIN_OK ||
        kin_controller_reads(b->controller, b->informer, err) != KIN_OK) {
        return err->code;
    }
    return kin_controller_start(b->controller, err);
}

TEST_FAILING_ALLOC(controller, survives_every_failed_allocation)
{
    kin_metrics *metrics = NULL;
    bare b = { 0 };
    kin_error err;
    kin_err code = kin_metrics_new(&metrics, &err);

    if (code == KIN_OK) {
        code = set_up(&b, metrics, &err);
    }
    if (code == KIN_ERR_NO_MEMORY && b.controller != NULL) {
        /* As if it had not been tried: what is missing can be asked for again. */
        kin_controller_status status = KIN_CONTROLLER_STATUS_INIT;
        ASSERT_OK(kin_controller_get_status(b.controller, &status, NULL));
        ASSERT_FALSE(status.is_stopped);
    }
    kin_controller_free(b.controller);
    kin_informer_free(b.informer);
    kin_client_free(b.client);
    kin_loop_free(b.loop);
    kin_metrics_free(metrics);
    return code;
}
