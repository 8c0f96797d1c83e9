/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_test.c - informers of a real server, whatever happens to it: afterwards the store equals
 * the server, and so does what a handler was told.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "e2e/support/calls.h"

#define NS "kin-informer"
#define THINGS_MAX 4096
#define PATIENCE_MS 30000

static cluster c;
static kin_client *client;
static kin_error err;

/* What a handler knows from what it was told. */
typedef struct thing {
    char key[128];
    char version[32];
} thing;

typedef struct model {
    pthread_mutex_t lock;
    thing things[THINGS_MAX];
    size_t count;
    size_t faults; /* told in a way that does not fit what was told before */
} model;

static model told;
static thing listed[THINGS_MAX];
static size_t listed_count;

/* ---- what is there ------------------------------------------------------------------------- */

static void note(thing *to, kin_str key, const kin_object *object)
{
    (void) snprintf(to->key, sizeof to->key, "%.*s", KIN_STR_ARG(key));
    (void) snprintf(to->version, sizeof to->version, "%.*s",
                    KIN_STR_ARG(kin_object_resource_version(object)));
}

static thing *find_told(kin_str key)
{
    for (size_t i = 0; i < told.count; i++) {
        if (kin_str_equal(kin_str_of(told.things[i].key), key)) {
            return &told.things[i];
        }
    }
    return NULL;
}

static bool fits(const kin_notification *n, const thing *known)
{
    if (n->type == KIN_NOTIFICATION_ADDED) {
        return known == NULL && n->before == NULL;
    }
    return known != NULL &&
           (n->before == NULL ||
            kin_str_equal(kin_str_of(known->version), kin_object_resource_version(n->before)));
}

static void on_change(void *context, const kin_notification *n)
{
    (void) context;
    (void) pthread_mutex_lock(&told.lock);
    thing *known = find_told(n->key);
    told.faults += fits(n, known) ? 0 : 1;
    if (n->type == KIN_NOTIFICATION_DELETED && known != NULL) {
        *known = told.things[--told.count];
    } else if (n->type != KIN_NOTIFICATION_DELETED && told.count < THINGS_MAX) {
        note(known != NULL ? known : &told.things[told.count++], n->key, n->object);
    }
    (void) pthread_mutex_unlock(&told.lock);
}

static int compare_things(const void *a, const void *b)
{
    return strcmp(((const thing *) a)->key, ((const thing *) b)->key);
}

static bool same_things(thing *a, size_t a_count, thing *b, size_t b_count)
{
    if (a_count != b_count) {
        return false;
    }
    qsort(a, a_count, sizeof *a, compare_things);
    qsort(b, b_count, sizeof *b, compare_things);
    for (size_t i = 0; i < a_count; i++) {
        if (strcmp(a[i].key, b[i].key) != 0 || strcmp(a[i].version, b[i].version) != 0) {
            return false;
        }
    }
    return true;
}

static bool note_listed(void *context, kin_object *object)
{
    (void) context;
    note(&listed[listed_count++], kin_object_key(object), object);
    return listed_count < THINGS_MAX;
}

static bool store_equals_server(kin_informer *informer, const char *resource, const char *ns)
{
    static thing stored[THINGS_MAX];
    size_t count = 0;

    listed_count = 0;
    if (kin_client_list(client, resource, ns, note_listed, NULL, &err) != KIN_OK) {
        return false;
    }
    kin_view view = kin_store_read(kin_informer_store(informer));
    kin_view_iter iter = kin_view_all(&view);
    while (count < THINGS_MAX && kin_view_next(&iter)) {
        note(&stored[count++], iter.key, iter.object);
    }
    kin_store_done(&view);
    return same_things(stored, count, listed, listed_count);
}

static bool told_equals_listed(void)
{
    (void) pthread_mutex_lock(&told.lock);
    bool is_same = same_things(told.things, told.count, listed, listed_count);
    (void) pthread_mutex_unlock(&told.lock);
    return is_same;
}

static void rest(void)
{
    (void) nanosleep(&(struct timespec){ .tv_nsec = 20 * 1000 * 1000 }, NULL);
}

static kin_informer_status status_of(kin_informer *informer)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    must_be_ok(kin_informer_get_status(informer, &status, &err), &err);
    return status;
}

/* Returns after how long. */
static int64_t await_equal(kin_informer *informer, const char *resource, const char *ns)
{
    int64_t began_ms = now_ms();

    while (!store_equals_server(informer, resource, ns) || !told_equals_listed()) {
        if (now_ms() - began_ms > PATIENCE_MS) {
            kin_informer_status status = status_of(informer);
            FAIL("not equal after %d ms: %s, %s", PATIENCE_MS,
                 kin_informer_state_name(status.state), status.error.message);
        }
        rest();
    }
    ASSERT_EQ(told.faults, 0);
    return now_ms() - began_ms;
}

static void await_state(kin_informer *informer, kin_informer_state state)
{
    int64_t began_ms = now_ms();

    while (status_of(informer).state != state) {
        if (now_ms() - began_ms > PATIENCE_MS) {
            FAIL("it is %s, not %s", kin_informer_state_name(status_of(informer).state),
                 kin_informer_state_name(state));
        }
        rest();
    }
}

/* ---- informers ------------------------------------------------------------------------------ */

static kin_informer *start_informer(const kin_informer_options *options,
                                    kin_registration **registration)
{
    kin_informer *informer = NULL;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;

    told.count = told.faults = 0;
    must_be_ok(kin_informer_new(client, options, &informer, &err), &err);
    handler.on_add = handler.on_update = handler.on_delete = on_change;
    if (registration != NULL) {
        must_be_ok(kin_informer_add_handler(informer, &handler, registration, &err), &err);
    }
    must_be_ok(kin_informer_start(informer, &err), &err);
    return informer;
}

static kin_informer_options maps_options(void)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.resource = "configmaps";
    options.ns = NS;
    return options;
}

static void open_session(const char *const *flags, bool is_own)
{
    (void) pthread_mutex_init(&told.lock, NULL);
    if (is_own) {
        cluster_start(&c, flags);
    } else {
        cluster_use_shared(&c);
    }
    client = connect_as(&c, NULL, NULL);
    make_namespace(client, NS);
}

static void close_session(void)
{
    kin_client_free(client);
    cluster_stop(&c);
}

/* Makes some, changes some, deletes some. */
static void make_changes(int round)
{
    for (int i = 0; i < 12; i++) {
        char name[32];

        (void) snprintf(name, sizeof name, "m%d-%d", round, i);
        write_map(client, NS, name, "new");
        if (i % 3 == 0) {
            label_map(client, NS, name, "changed");
        }
        if (i % 4 == 1) {
            delete_map(client, NS, name);
        }
    }
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void follow_changes(kin_start start, kin_encoding encoding)
{
    kin_registration *registration = NULL;

    open_session(NULL, false);
    kin_informer_options options = maps_options();
    options.start = start;
    options.encoding = encoding;
    make_changes((int) start * 10 + (int) encoding);
    kin_informer *informer = start_informer(&options, &registration);
    must_be_ok(kin_informer_wait_synced(informer, PATIENCE_MS, &err), &err);
    await_equal(informer, "configmaps", NS);

    make_changes(100 + (int) start * 10 + (int) encoding);

    await_equal(informer, "configmaps", NS);
    ASSERT_EQ(status_of(informer).state, KIN_INFORMER_WATCHING);
    ASSERT_EQ(status_of(informer).restarts, 0);
    ASSERT_EQ(status_of(informer).failures, 0);
    kin_registration_free(registration);
    kin_informer_free(informer);
    close_session();
}

TEST(informer, follows_a_list_in_json)
{
    follow_changes(KIN_START_LIST, KIN_ENCODING_JSON);
}

TEST(informer, follows_a_streaming_list_in_protobuf)
{
    follow_changes(KIN_START_WATCH_LIST, KIN_ENCODING_PROTOBUF);
}

TEST(informer, follows_as_suits)
{
    follow_changes(KIN_START_AUTO, KIN_ENCODING_AUTO);
}

TEST(informer, shows_what_was_written)
{
    open_session(NULL, false);
    kin_informer_options options = maps_options();
    kin_informer *informer = start_informer(&options, NULL);
    must_be_ok(kin_informer_wait_synced(informer, PATIENCE_MS, &err), &err);

    for (int i = 0; i < 20; i++) {
        char body[128];

        (void) snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"written-%d\"}}", i);
        kin_object *map = must_run(client, &(kin_request){ REQUEST, .verb = KIN_VERB_CREATE,
                                                           .resource = "configmaps", .ns = NS,
                                                           .body = kin_str_of(body) });
        must_be_ok(kin_informer_wait_for(informer, kin_object_key(map),
                                         kin_object_resource_version(map), PATIENCE_MS, &err),
                   &err);
        kin_view view = kin_store_read(kin_informer_store(informer));
        const kin_object *stored = kin_view_get(&view, kin_object_key(map));
        ASSERT_TRUE(stored != NULL && kin_str_equal(kin_object_resource_version(stored),
                                                    kin_object_resource_version(map)));
        kin_store_done(&view);
        char name[32];
        (void) snprintf(name, sizeof name, "written-%d", i);
        delete_map(client, NS, name);
        kin_object_unref(map);
    }
    kin_informer_free(informer);
    close_session();
}

TEST(informer, is_right_again_after_whatever_happens_to_the_server)
{
    kin_registration *registration = NULL;

    open_session(NULL, true);
    kin_informer_options options = maps_options();
    kin_informer *informer = start_informer(&options, &registration);
    must_be_ok(kin_informer_wait_synced(informer, PATIENCE_MS, &err), &err);
    make_changes(1);
    await_equal(informer, "configmaps", NS);

    (void) cluster_command(&c, "restart");
    make_changes(2);
    ASSERT_TRUE(await_equal(informer, "configmaps", NS) < 8000);

    (void) cluster_command(&c, "kill");
    await_state(informer, KIN_INFORMER_UNREACHABLE);
    (void) cluster_command(&c, "start");
    make_changes(3);
    ASSERT_TRUE(await_equal(informer, "configmaps", NS) < 8000);

    (void) cluster_command(&c, "pause");
    (void) nanosleep(&(struct timespec){ .tv_sec = 2 }, NULL);
    (void) cluster_command(&c, "resume");
    make_changes(4);
    ASSERT_TRUE(await_equal(informer, "configmaps", NS) < 8000);

    kin_registration_free(registration);
    kin_informer_free(informer);
    close_session();
}

TEST(informer, is_right_again_when_its_version_was_compacted_away)
{
    kin_registration *registration = NULL;

    open_session(NULL, true);
    kin_informer_options options = maps_options();
    kin_informer *informer = start_informer(&options, &registration);
    must_be_ok(kin_informer_wait_synced(informer, PATIENCE_MS, &err), &err);
    make_changes(1);
    await_equal(informer, "configmaps", NS);

    must_be_ok(kin_informer_stop(informer, -1, &err), &err);
    make_changes(2);
    delete_map(client, NS, "m1-0");
    (void) cluster_command(&c, "compact");
    (void) cluster_command(&c, "restart");
    must_be_ok(kin_informer_start(informer, &err), &err);

    await_equal(informer, "configmaps", NS);
    ASSERT_TRUE(status_of(informer).restarts >= 1);
    make_changes(3);
    await_equal(informer, "configmaps", NS);
    kin_registration_free(registration);
    kin_informer_free(informer);
    close_session();
}

TEST(informer, goes_on_after_a_stop_without_another_list)
{
    kin_registration *registration = NULL;

    open_session(NULL, false);
    kin_informer_options options = maps_options();
    kin_informer *informer = start_informer(&options, &registration);
    must_be_ok(kin_informer_wait_synced(informer, PATIENCE_MS, &err), &err);
    must_be_ok(kin_informer_stop(informer, -1, &err), &err);
    make_changes(200);

    must_be_ok(kin_informer_start(informer, &err), &err);

    await_equal(informer, "configmaps", NS);
    ASSERT_EQ(status_of(informer).restarts, 0);
    kin_registration_free(registration);
    kin_informer_free(informer);
    close_session();
}

TEST(informer, says_that_it_may_not_and_disturbs_nobody)
{
    open_session(NULL, false);
    (void) cluster_command(&c, "user irene list,watch:configmaps@" NS);
    kin_client *admin = client;
    client = connect_as(&c, "users/irene/kubeconfig", NULL);
    kin_informer_options options = maps_options();
    kin_informer *maps = start_informer(&options, NULL);
    options.resource = "secrets";
    kin_informer *secrets = start_informer(&options, NULL);

    must_be_ok(kin_informer_wait_synced(maps, PATIENCE_MS, &err), &err);
    await_state(secrets, KIN_INFORMER_FORBIDDEN);
    ASSERT_ERR(kin_informer_wait_synced(secrets, 0, &err), KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(err.message, "forbidden");
    (void) cluster_command(&c, "user irene list,watch:configmaps,secrets@" NS);
    must_be_ok(kin_informer_wait_synced(secrets, PATIENCE_MS, &err), &err);

    kin_informer_free(maps);
    kin_informer_free(secrets);
    kin_client_free(client);
    client = admin;
    close_session();
}

static void create_definition(const char *plural, const char *version)
{
    char json[1024];

    (void) snprintf(
        json, sizeof json,
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
        "\"metadata\":{\"name\":\"%s.informer.kin\"},\"spec\":{\"group\":\"informer.kin\","
        "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"%s\",\"kind\":\"K%s\"},"
        "\"versions\":[{\"name\":\"%s\",\"served\":true,\"storage\":true,"
        "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
        "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}",
        plural, plural, plural, version);
    kin_object *definition = object_of(json);
    must_be_ok(kin_client_create(client, definition, NULL, &err), &err);
    kin_object_unref(definition);
}

static void delete_definition(const char *plural)
{
    char name[64];

    (void) snprintf(name, sizeof name, "%s.informer.kin", plural);
    must_be_ok(kin_client_delete(client, "customresourcedefinitions", NULL, name, &err), &err);
}

TEST(informer, finds_a_resource_that_comes_later)
{
    open_session(NULL, false);
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    options.resource = "gadgets.informer.kin";
    kin_informer *informer = start_informer(&options, NULL);
    await_state(informer, KIN_INFORMER_NOT_FOUND);

    create_definition("gadgets", "v1");

    must_be_ok(kin_informer_wait_synced(informer, PATIENCE_MS, &err), &err);
    kin_informer_free(informer);
    delete_definition("gadgets");
    close_session();
}

TEST(informer, finds_a_resource_that_comes_back_as_another_version)
{
    open_session(NULL, false);
    create_definition("gizmos", "v1");
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    options.resource = "gizmos.informer.kin";
    kin_informer *informer = start_informer(&options, NULL);
    must_be_ok(kin_informer_wait_synced(informer, PATIENCE_MS, &err), &err);
    delete_definition("gizmos");
    await_state(informer, KIN_INFORMER_NOT_FOUND);

    create_definition("gizmos", "v2");
    await_state(informer, KIN_INFORMER_WATCHING);

    kin_object *gizmo = object_of("{\"apiVersion\":\"informer.kin/v2\",\"kind\":\"Kgizmos\","
                                  "\"metadata\":{\"name\":\"one\",\"namespace\":\"" NS "\"}}");
    kin_object *made = NULL;
    must_be_ok(kin_client_create(client, gizmo, &made, &err), &err);
    must_be_ok(kin_informer_wait_for(informer, kin_object_key(made),
                                     kin_object_resource_version(made), PATIENCE_MS, &err),
               &err);
    kin_object_unref(gizmo);
    kin_object_unref(made);
    kin_informer_free(informer);
    delete_definition("gizmos");
    close_session();
}

TEST(informer, keeps_metadata_alone)
{
    open_session(NULL, false);
    write_map(client, NS, "meta", "value");
    kin_informer_options options = maps_options();
    options.metadata_only = true;
    kin_informer *informer = start_informer(&options, NULL);

    must_be_ok(kin_informer_wait_synced(informer, PATIENCE_MS, &err), &err);

    kin_view view = kin_store_read(kin_informer_store(informer));
    const kin_object *map = kin_view_get(&view, kin_str_of(NS "/meta"));
    ASSERT_TRUE(map != NULL);
    ASSERT_SLICE_EQ(kin_object_kind(map), "PartialObjectMetadata");
    kin_store_done(&view);
    kin_informer_free(informer);
    delete_map(client, NS, "meta");
    close_session();
}

TEST(informer, has_many_beside_it_on_few_connections)
{
    enum { MANY = 200 };
    static kin_informer *many[MANY];

    open_session(NULL, false);
    kin_informer_options options = maps_options();
    for (int i = 0; i < MANY; i++) {
        many[i] = start_informer(&options, NULL);
    }
    for (int i = 0; i < MANY; i++) {
        must_be_ok(kin_informer_wait_synced(many[i], PATIENCE_MS, &err), &err);
    }
    write_map(client, NS, "for-many", "x");
    for (int i = 0; i < MANY; i++) {
        kin_view view = kin_store_read(kin_informer_store(many[i]));
        bool has_it = kin_view_get(&view, kin_str_of(NS "/for-many")) != NULL;

        kin_store_done(&view);
        while (!has_it) {
            rest();
            view = kin_store_read(kin_informer_store(many[i]));
            has_it = kin_view_get(&view, kin_str_of(NS "/for-many")) != NULL;
            kin_store_done(&view);
        }
    }
    for (int i = 0; i < MANY; i++) {
        kin_informer_free(many[i]);
    }
    delete_map(client, NS, "for-many");
    close_session();
}
