/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconcile_record_test.c - a controller reads its writes.  It reads an informer whose loop nobody
 * runs once it has synced: its store stays behind until the test lets it go on.
 */
#include <stdlib.h>

#include "controller/reconcile.h"
#include "unit/controller/workshop.h"

/* About ConfigMaps; `other` is one more informer that it reads. */
typedef struct mill {
    workshop w;
    kin_loop *loop; /* of the other informer */
    kin_client *client;
    kin_informer *other;
    _Atomic int round;
    _Atomic int priority;                                             /* of the last one */
    _Atomic uint32_t failures;                                        /* likewise */
    kin_err (*act)(struct mill *m, kin_reconcile *r, kin_error *err); /* in the first round */
} mill;

static const kin_object *look_up(kin_informer *informer, const char *key)
{
    kin_view view = kin_store_read(kin_informer_store(informer));
    const kin_object *object = kin_object_ref(kin_view_get(&view, kin_str_of(key)));

    kin_store_done(&view);
    return object;
}

/* What the store of `other` has of default/s. */
static void note_other(mill *m)
{
    const kin_object *object = look_up(m->other, "default/s");
    kin_str value = kin_str_of("gone");
    char scratch[64];
    kin_time when;

    if (object != NULL) {
        value = kin_str_of("there");
        (void) !kin_value_str(kin_object_at(object, "metadata.annotations.value"), scratch,
                              sizeof scratch, &value);
        if (kin_object_deletion_time(object, &when)) {
            value = kin_str_of("going");
        }
    }
    note(&m->w, "%.*s", KIN_STR_ARG(value));
    kin_object_unref(object);
}

static kin_err reconcile(void *context, kin_reconcile *r, kin_error *err)
{
    mill *m = context;
    int round = atomic_fetch_add(&m->round, 1);

    m->priority = (int) r->item->priority;
    m->failures = kin_reconcile_failures(r);
    note_other(m);
    return round == 0 ? m->act(m, r, err) : KIN_OK;
}

static void mill_open(mill *m, const char *resource, kin_informer_options options,
                      kin_err (*act)(mill *m, kin_reconcile *r, kin_error *err))
{
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;

    memset(m, 0, sizeof *m);
    workshop_open(&m->w);
    ASSERT_OK(kin_loop_new(NULL, &m->loop, &m->w.err));
    client.loop = m->loop;
    ASSERT_OK(kin_client_new(kin_client_config(m->w.client), &client, &m->client, &m->w.err));
    options.resource = resource;
    ASSERT_OK(kin_informer_new(m->client, &options, &m->other, &m->w.err));
    m->act = act;
    m->w.options.reconcile = reconcile;
    m->w.options.context = m;
    m->w.options.write_wait_ms = 5000;
    make_controller_about_maps(&m->w);
    ASSERT_OK(kin_controller_reads(m->w.controller, m->other, &m->w.err));
    put_map(&m->w, "a", "1");
}

static void mill_start(mill *m)
{
    ASSERT_OK(kin_informer_start(m->other, &m->w.err));
    ASSERT_OK(kin_informer_wait_synced(m->other, -1, &m->w.err)); /* runs its loop */
    start(&m->w);
}

/* The other informer goes on. */
static void let_go_on(mill *m)
{
    ASSERT_OK(kin_loop_start(m->loop, &m->w.err));
}

static void mill_close(mill *m)
{
    kin_controller_free(m->w.controller);
    m->w.controller = NULL;
    kin_informer_free(m->other);
    kin_client_free(m->client);
    kin_loop_free(m->loop);
    workshop_close(&m->w);
}

/* The key comes again, and is not begun. */
static void expect_waiting_at(mill *m, kin_priority priority)
{
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;

    options.priority = priority;
    ASSERT_OK(kin_controller_add(m->w.controller, kin_str_of("default/a"), &options, &m->w.err));
    bool is_parked = false;
    while (!is_parked) {
        kin__mutex_lock(&m->w.controller->lock);
        is_parked = m->w.controller->written.parked_count == 1;
        kin__mutex_unlock(&m->w.controller->lock);
        (void) sched_yield();
    }
    ASSERT_ERR(kin_controller_wait_idle(m->w.controller, 0, &m->w.err), KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(m->w.err.message, "what was written has not come back");
}

static void expect_waiting(mill *m)
{
    expect_waiting_at(m, KIN_PRIORITY_NORMAL);
}

/* Nothing is owed any more. */
static bool is_paid(mill *m)
{
    kin__mutex_lock(&m->w.controller->lock);
    size_t count = m->w.controller->written.count + m->w.controller->written.debts.count;
    kin__mutex_unlock(&m->w.controller->lock);
    return count == 0;
}

static void await_round(mill *m, int round)
{
    while (status_of(&m->w).succeeded < (uint64_t) round) {
        (void) sched_yield();
    }
}

static kin_object *secret_of(const char *name, const char *labels, const char *value)
{
    return object_of("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":"
                     "\"default\",\"name\":\"%s\",\"labels\":{%s},\"annotations\":{\"value\":"
                     "\"%s\"}}}",
                     name, labels, value);
}

static kin_err create_secret(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_object *secret = secret_of("s", "", "new");
    kin_err code = kin_reconcile_create(r, secret, NULL, err);

    (void) m;
    kin_object_unref(secret);
    return code;
}

TEST(reconcile_record, has_a_reconcile_see_what_the_last_one_created)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, create_secret);
    mill_start(&m);
    await_round(&m, 1);
    expect_waiting(&m);
    expect_seen(&m.w, "gone");

    let_go_on(&m);
    await_idle(&m.w);

    expect_seen(&m.w, "new");
    ASSERT_EQ(status_of(&m.w).stale, 0);
    ASSERT_TRUE(is_paid(&m));
    mill_close(&m);
}

/* The store had it before the answer came, and the informer has nothing more to do. */
static kin_err record_what_is_there(mill *m, kin_reconcile *r, kin_error *err)
{
    uint64_t revision = put_map(&m->w, "z", "1");
    char version[32];

    (void) err;
    await_version(&m->w, m->w.maps, "default/z", revision);
    await_loop(&m->w);
    await_loop(&m->w);
    (void) snprintf(version, sizeof version, "%llu", (unsigned long long) revision);
    const kin__reconcile_write write = { .group = kin_str_of(""),
                                         .kind = kin_str_of("ConfigMap"),
                                         .key = kin_str_of("default/z"),
                                         .version = kin_str_of(version) };
    kin__reconcile_record(r, &write);
    return KIN_OK;
}

TEST(reconcile_record, does_not_wait_for_what_the_store_has_already)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, record_what_is_there);
    mill_start(&m);
    await_round(&m, 2);

    await_idle(&m.w);

    ASSERT_TRUE(is_paid(&m));
    mill_close(&m);
}

static kin_err patch_secret(mill *m, kin_reconcile *r, kin_error *err)
{
    const kin_object *secret = look_up(m->other, "default/s");
    kin_edit *edit = NULL;

    ASSERT_OK(kin_object_edit(secret, &edit, err));
    ASSERT_OK(kin_edit_set_str(edit, "metadata.annotations.value", kin_str_of("patched"), err));
    kin_err code = kin_reconcile_patch(r, edit, NULL, NULL, err);
    kin_edit_free(edit);
    kin_object_unref(secret);
    return code;
}

static void put_secret(mill *m, const char *more)
{
    put(&m->w,
        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":\"default\","
        "\"name\":\"s\",\"annotations\":{\"value\":\"old\"}%s}}",
        more);
}

TEST(reconcile_record, has_a_reconcile_see_what_the_last_one_changed)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, patch_secret);
    put_secret(&m, "");
    mill_start(&m);
    await_round(&m, 1);
    expect_waiting(&m);
    expect_seen(&m.w, "old");

    let_go_on(&m);
    await_idle(&m.w);

    expect_seen(&m.w, "patched");
    mill_close(&m);
}

static kin_err delete_secret(mill *m, kin_reconcile *r, kin_error *err)
{
    const kin_object *secret = look_up(m->other, "default/s");
    kin_err code = kin_reconcile_delete(r, secret, NULL, err);

    kin_object_unref(secret);
    return code;
}

TEST(reconcile_record, has_a_reconcile_see_that_what_was_deleted_is_gone)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, delete_secret);
    put_secret(&m, "");
    mill_start(&m);
    await_round(&m, 1);
    expect_waiting(&m);
    expect_seen(&m.w, "old");

    let_go_on(&m);
    await_idle(&m.w);

    expect_seen(&m.w, "gone");
    mill_close(&m);
}

TEST(reconcile_record, has_a_reconcile_see_that_what_was_deleted_is_going)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, delete_secret);
    put_secret(&m, ",\"finalizers\":[\"example.com/x\"]");
    mill_start(&m);
    await_round(&m, 1);
    expect_waiting(&m);
    expect_seen(&m.w, "old");

    let_go_on(&m);
    await_idle(&m.w);

    expect_seen(&m.w, "going");
    mill_close(&m);
}

/* Not there before it has come: its absence is no proof that it is gone. */
static kin_err create_and_delete(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_object *secret = secret_of("s", "", "new");
    kin_object *made = NULL;

    (void) m;
    ASSERT_OK(kin_reconcile_create(r, secret, &made, err));
    kin_err code = kin_reconcile_delete(r, made, NULL, err);
    kin_object_unref(secret);
    kin_object_unref(made);
    return code;
}

TEST(reconcile_record, waits_for_what_was_created_and_deleted_at_once)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, create_and_delete);
    mill_start(&m);
    await_round(&m, 1);
    expect_waiting(&m);
    expect_seen(&m.w, "gone");

    let_go_on(&m);
    await_idle(&m.w);

    expect_seen(&m.w, "gone");
    mill_close(&m);
}

/* ---- any other call ------------------------------------------------------------------------- */

static kin_err delete_by_name(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    (void) m;
    request.verb = KIN_VERB_DELETE;
    request.resource = "secret";
    request.ns = "default";
    request.name = "s";
    return kin_reconcile_run(r, &request, NULL, err);
}

/* In the namespace of the configuration. */
static kin_err delete_by_name_alone(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    (void) m;
    request.verb = KIN_VERB_DELETE;
    request.resource = "secret";
    request.name = "s";
    return kin_reconcile_run(r, &request, NULL, err);
}

static kin_err delete_all(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    (void) m;
    request.verb = KIN_VERB_DELETE_COLLECTION;
    request.resource = "secrets";
    request.ns = "default";
    return kin_reconcile_run(r, &request, NULL, err);
}

static kin_err update_secret(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_object *secret = secret_of("s", "", "updated");

    (void) m;
    request.verb = KIN_VERB_UPDATE;
    request.object = secret;
    kin_err code = kin_reconcile_run(r, &request, NULL, err);
    kin_object_unref(secret);
    return code;
}

static void expect_run(kin_err (*act)(mill *m, kin_reconcile *r, kin_error *err), const char *after)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, act);
    put_secret(&m, "");
    mill_start(&m);
    await_round(&m, 1);
    expect_waiting(&m);
    expect_seen(&m.w, "old");
    let_go_on(&m);
    await_idle(&m.w);
    expect_seen(&m.w, after);
    mill_close(&m);
}

TEST(reconcile_record, waits_for_a_delete_by_name)
{
    expect_run(delete_by_name, "gone");
    expect_run(delete_by_name_alone, "gone");
}

TEST(reconcile_record, waits_for_a_delete_of_many)
{
    expect_run(delete_all, "gone");
}

TEST(reconcile_record, waits_for_an_update)
{
    expect_run(update_secret, "updated");
}

static kin_err try_a_create(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_object *secret = secret_of("s", "", "new");

    (void) m;
    request.verb = KIN_VERB_CREATE;
    request.object = secret;
    request.dry_run = true;
    kin_err code = kin_reconcile_run(r, &request, NULL, err);
    kin_object_unref(secret);
    return code;
}

static kin_err try_a_delete(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    (void) m;
    request.verb = KIN_VERB_DELETE;
    request.resource = "secret";
    request.ns = "default";
    request.name = "s";
    request.dry_run = true;
    return kin_reconcile_run(r, &request, NULL, err);
}

static kin_err try_to_delete_all(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    (void) m;
    request.verb = KIN_VERB_DELETE_COLLECTION;
    request.resource = "secrets";
    request.ns = "default";
    request.dry_run = true;
    return kin_reconcile_run(r, &request, NULL, err);
}

static void expect_no_wait(kin_err (*act)(mill *m, kin_reconcile *r, kin_error *err), bool is_there,
                           const char *seen)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, act);
    if (is_there) {
        put_secret(&m, "");
    }
    mill_start(&m);
    await_idle(&m.w);
    ASSERT_OK(kin_controller_add(m.w.controller, kin_str_of("default/a"), NULL, &m.w.err));
    await_idle(&m.w);

    expect_seen(&m.w, seen);
    mill_close(&m);
}

TEST(reconcile_record, does_not_wait_for_what_was_only_tried)
{
    expect_no_wait(try_a_create, false, "gone gone");
    expect_no_wait(try_a_delete, true, "old old");
    expect_no_wait(try_to_delete_all, true, "old old");
}

/* ---- in vain -------------------------------------------------------------------------------- */

TEST(reconcile_record, does_not_wait_for_stores_that_will_never_have_it)
{
    kin_informer_options elsewhere = KIN_INFORMER_OPTIONS_INIT;
    kin_informer_options labelled = KIN_INFORMER_OPTIONS_INIT;
    kin_informer_options named = KIN_INFORMER_OPTIONS_INIT;

    elsewhere.ns = "kube-system";
    labelled.label_selector = "app=web";
    named.field_selector = "metadata.name=t";
    const kin_informer_options all[] = { elsewhere, labelled, named };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        mill m;

        mill_open(&m, "secrets", all[i], create_secret);
        mill_start(&m);
        await_round(&m, 1);
        await_idle(&m.w);
        ASSERT_OK(kin_controller_add(m.w.controller, kin_str_of("default/a"), NULL, &m.w.err));
        await_idle(&m.w);
        expect_seen(&m.w, "gone gone");
        mill_close(&m);
    }
}

/* The versions of one server mean nothing to another. */
TEST(reconcile_record, does_not_wait_for_stores_of_another_server)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server *server = NULL;
    kin_config *config = NULL;
    mill m = { .act = create_secret };

    workshop_open(&m.w);
    options.has_no_tls = true;
    options.token = "";
    ASSERT_OK(kin_server_start(&options, &server, &m.w.err));
    const char *kubeconfig = kin_server_kubeconfig(server);
    ASSERT_OK(kin_config_from_text(kubeconfig, strlen(kubeconfig), NULL, NULL, &config, &m.w.err));
    ASSERT_OK(kin_client_new(config, NULL, &m.client, &m.w.err));
    kin_config_unref(config);
    kin_informer_options secrets = KIN_INFORMER_OPTIONS_INIT;
    secrets.resource = "secrets";
    ASSERT_OK(kin_informer_new(m.client, &secrets, &m.other, &m.w.err));
    m.w.options.reconcile = reconcile;
    m.w.options.context = &m;
    make_controller_about_maps(&m.w);
    ASSERT_OK(kin_controller_reads(m.w.controller, m.other, &m.w.err));
    for (int i = 0; i < 20; i++) {
        put_map(&m.w, "a", "1"); /* its versions are ahead */
    }
    ASSERT_OK(kin_informer_start(m.other, &m.w.err));
    start(&m.w);
    await_idle(&m.w);

    ASSERT_OK(kin_controller_add(m.w.controller, kin_str_of("default/a"), NULL, &m.w.err));
    await_idle(&m.w);

    expect_seen(&m.w, "gone gone");
    mill_close(&m);
    kin_server_stop(server);
}

static kin_err create_labelled(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_object *secret = secret_of("s", "\"app\":\"web\"", "new");
    kin_err code = kin_reconcile_create(r, secret, NULL, err);

    (void) m;
    kin_object_unref(secret);
    return code;
}

TEST(reconcile_record, waits_for_what_a_selector_matches)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    options.label_selector = "app=web";
    mill_open(&m, "secrets", options, create_labelled);
    mill_start(&m);
    await_round(&m, 1);
    expect_waiting(&m);
    expect_seen(&m.w, "gone");

    let_go_on(&m);
    await_idle(&m.w);

    expect_seen(&m.w, "new");
    mill_close(&m);
}

static kin_err create_and_relabel(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_object *secret = secret_of("s", "\"app\":\"web\"", "new");
    kin_object *made = NULL;
    kin_edit *edit = NULL;

    (void) m;
    ASSERT_OK(kin_reconcile_create(r, secret, &made, err));
    ASSERT_OK(kin_object_edit(made, &edit, err));
    ASSERT_OK(kin_edit_set_str(edit, "metadata.labels.app", kin_str_of("other"), err));
    kin_err code = kin_reconcile_patch(r, edit, NULL, NULL, err);
    kin_edit_free(edit);
    kin_object_unref(made);
    kin_object_unref(secret);
    return code;
}

/* The store has it not yet, and will see it come and go: both are waited for. */
/* A Scale is answered: whether the Deployment matches is not known. */
static kin_err scale_deployment(mill *m, kin_reconcile *r, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    (void) m;
    request.verb = KIN_VERB_PATCH;
    request.resource = "deployments.apps";
    request.ns = "default";
    request.name = "s";
    request.subresource = "scale";
    request.body = kin_str_of("{\"spec\":{\"replicas\":3}}");
    return kin_reconcile_run(r, &request, NULL, err);
}

static void scale(mill *m, const char *label_selector)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.label_selector = label_selector;
    mill_open(m, "deployments.apps", options, scale_deployment);
    put(&m->w, "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"namespace\":"
               "\"default\",\"name\":\"s\",\"labels\":{\"app\":\"web\"}},\"spec\":{\"replicas\":1,"
               "\"selector\":{\"matchLabels\":{\"app\":\"web\"}},\"template\":{\"metadata\":{"
               "\"labels\":{\"app\":\"web\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
               "\"i\"}]}}}}");
    mill_start(m);
    await_round(m, 1);
}

TEST(reconcile_record, waits_for_a_scale_where_the_store_has_the_object)
{
    mill m;

    scale(&m, "app=web");

    expect_waiting(&m);
    mill_close(&m);
}

TEST(reconcile_record, does_not_wait_for_a_scale_of_what_a_selector_left_out)
{
    mill m;

    scale(&m, "app=shop");

    await_idle(&m.w);
    ASSERT_TRUE(is_paid(&m));
    mill_close(&m);
}

TEST(reconcile_record, waits_for_what_was_taken_out_of_a_selector_at_once)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    options.label_selector = "app=web";
    mill_open(&m, "secrets", options, create_and_relabel);
    mill_start(&m);
    await_round(&m, 1);
    expect_waiting(&m);
    kin__mutex_lock(&m.w.controller->lock);
    ASSERT_EQ(m.w.controller->written.count, 2);
    kin__mutex_unlock(&m.w.controller->lock);

    let_go_on(&m);
    await_idle(&m.w);

    expect_seen(&m.w, "gone gone");
    ASSERT_TRUE(is_paid(&m));
    mill_close(&m);
}

TEST(reconcile_record, has_a_key_that_waited_for_it_come_as_it_came)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, create_secret);
    mill_start(&m);
    await_round(&m, 1);
    ASSERT_EQ(m.priority, KIN_PRIORITY_LOW);
    expect_waiting_at(&m, KIN_PRIORITY_HIGH);

    let_go_on(&m);
    await_idle(&m.w);

    ASSERT_EQ(m.priority, KIN_PRIORITY_HIGH);
    expect_seen(&m.w, "gone new");
    mill_close(&m);
}

/* ---- too long ------------------------------------------------------------------------------- */

static void note_trouble(void *context, kin_str key, const kin_error *err, int64_t retry_ms)
{
    mill *m = context;

    (void) err;
    note(&m->w, "%.*s:%lld", KIN_STR_ARG(key), (long long) retry_ms);
}

TEST(reconcile_record, fails_without_a_call_what_waits_for_too_long_and_goes_on_waiting)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, create_secret);
    m.w.controller->options.on_trouble = note_trouble;
    mill_start(&m);
    await_round(&m, 1);
    expect_waiting(&m);
    await_timer(&m.w);
    expect_seen(&m.w, "gone");

    pass(&m.w, 4999);
    ASSERT_EQ(status_of(&m.w).stale, 0);
    pass(&m.w, 1);
    while (status_of(&m.w).stale == 0) {
        (void) sched_yield();
    }
    ASSERT_EQ(status_of(&m.w).stale, 1);
    ASSERT_EQ(status_of(&m.w).failed, 1);
    ASSERT_EQ(status_of(&m.w).error.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(status_of(&m.w).error.message,
                    "what was written has not come back within 5000 ms: informer \"secrets\" lacks "
                    "default/s in version ");
    await_seen(&m.w, "default/a:5000");
    expect_seen(&m.w, "default/a:5000");

    let_go_on(&m); /* no limiter's wait: it is woken by the store */
    await_idle(&m.w);
    expect_seen(&m.w, "new");
    ASSERT_EQ(m.failures, 0);
    mill_close(&m);
}

TEST(reconcile_record, ends_its_wait_when_the_controller_stops)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, create_secret);
    mill_start(&m);
    await_round(&m, 1);
    expect_waiting(&m);

    ASSERT_OK(kin_controller_stop(m.w.controller, 0, &m.w.err));

    mill_close(&m);
}

/* Nobody else is held up. */
TEST(reconcile_record, lets_the_worker_serve_other_keys_meanwhile)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    mill_open(&m, "secrets", options, create_secret);
    mill_start(&m);
    await_round(&m, 1);
    expect_waiting(&m);

    ASSERT_OK(kin_controller_add(m.w.controller, kin_str_of("default/b"), NULL, &m.w.err));
    await_round(&m, 2);

    expect_seen(&m.w, "gone gone");
    mill_close(&m);
}

/* ---- with a watch that is stalled ----------------------------------------------------------- */

/* The controller's own kind: it makes the ConfigMap default/s, and looks for it. */
static kin_err create_map(void *context, kin_reconcile *r, kin_error *err)
{
    workshop *w = context;
    const kin_object *found = look_up(w->maps, "default/s");
    kin_object *wanted = map_of("s", "1");
    kin_err code = KIN_OK;

    note(w, "%s", found == NULL ? "gone" : "there");
    if (found == NULL) {
        code = kin_reconcile_create(r, wanted, NULL, err);
    }
    kin_object_unref(wanted);
    kin_object_unref(found);
    return code;
}

TEST(reconcile_record, holds_a_key_back_while_the_watch_is_stalled)
{
    mill m = { 0 };

    workshop_open(&m.w);
    m.w.options.reconcile = create_map;
    make_controller_about_maps(&m.w);
    put_map(&m.w, "a", "1");
    uint64_t stall = fault(&m.w, "{\"do\":\"stall\",\"verb\":\"watch\",\"after_events\":2}");
    start(&m.w); /* a streaming list: the object, and the end of the list */
    await_round(&m, 1);
    expect_waiting(&m);
    expect_seen(&m.w, "gone");

    ASSERT_OK(kin_server_end_fault(m.w.server, stall, &m.w.err));
    fault(&m.w, "{\"do\":\"cut-all\"}"); /* the informer comes back */
    await_seen(&m.w, "there");
    await_idle(&m.w);

    workshop_close(&m.w);
}

/* ---- with a server that begins anew --------------------------------------------------------- */

/* Another one at the same place, as empty as the first was. */
static void make_server_anew(workshop *w)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    const char *port = strrchr(kin_server_url(w->server), ':');

    ASSERT_TRUE(port != NULL);
    options.has_no_tls = true;
    options.token = "";
    options.port = (uint16_t) strtoul(port + 1, NULL, 10);
    kin_server_stop(w->server);
    ASSERT_OK(kin_server_start(&options, &w->server, &w->err));
}

TEST(reconcile_record, does_not_wait_for_what_a_server_has_forgotten)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    mill m;

    options.retry_first_ms = 5;
    options.retry_max_ms = 20;
    mill_open(&m, "secrets", options, create_secret);
    for (int i = 0; i < 100; i++) {
        put_map(&m.w, "a", i % 2 == 0 ? "1" : "2");
    }
    fault(&m.w,
          "{\"do\":\"stall\",\"verb\":\"watch\",\"resource\":\"secrets\",\"after_events\":1}");
    mill_start(&m); /* a streaming list, and its end */
    await_round(&m, 1);
    expect_waiting(&m);
    expect_seen(&m.w, "gone");

    make_server_anew(&m.w);
    let_go_on(&m);
    while (
        !is_paid(&m)) { /* it takes a watch from a version to come; until the client lists anew */
        fault(&m.w, "{\"do\":\"expire\",\"verb\":\"watch\",\"now\":true}");
        (void) sched_yield();
    }

    await_seen(&m.w, "gone");
    ASSERT_EQ(status_of(&m.w).stale, 0);
    mill_close(&m);
}
