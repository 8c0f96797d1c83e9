/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_fault_test.c - what a real server does now and then, one thing at a time: informers take
 * it for what it is, and are right afterwards.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "e2e/support/calls.h"
#include "e2e/support/ledger.h"
#include "support/relay.h"

#define NS "kin-fault"
#define PATIENCE_MS 30000
#define RECOVERY_MS 5000
#define FOLLOWERS_MAX 64

static const char *const spaces[] = { NS, NULL };

/* An informer of the namespace's ConfigMaps, and what it told. */
typedef struct follower {
    kin_informer *informer;
    kin_registration *registration;
    ledger told;
    atomic_uint troubles[600]; /* by the server's status; 0: it gave none */
} follower;

static cluster c;
static kin_client *admin;
static kin_error err;
static follower followers[FOLLOWERS_MAX];
static size_t count;

/* ---- followers ------------------------------------------------------------------------------ */

static void on_trouble(void *context, const kin_error *error, int64_t retry_ms)
{
    follower *f = context;

    (void) retry_ms;
    if (error->http_status >= 0 && error->http_status < 600) {
        atomic_fetch_add(&f->troubles[error->http_status], 1);
    }
}

static kin_informer_options maps(void)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.resource = "configmaps";
    options.ns = NS;
    return options;
}

static follower *follow(kin_client *client, kin_informer_options options)
{
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;

    ASSERT_TRUE(count < FOLLOWERS_MAX);
    follower *f = &followers[count++];
    ledger_init(&f->told, "handler");
    options.context = f;
    options.on_trouble = on_trouble;
    handler.context = &f->told;
    handler.on_add = handler.on_update = handler.on_delete = ledger_note_notification;
    handler.mode = KIN_DELIVERY_INLINE;
    must_be_ok(kin_informer_new(client, &options, &f->informer, &err), &err);
    must_be_ok(kin_informer_add_handler(f->informer, &handler, &f->registration, &err), &err);
    must_be_ok(kin_informer_start(f->informer, &err), &err);
    return f;
}

static void unfollow_all(void)
{
    while (count > 0) {
        follower *f = &followers[--count];

        kin_informer_free(f->informer);
        kin_registration_free(f->registration);
        ledger_fini(&f->told);
    }
}

static kin_informer_status status_of(const follower *f)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    must_be_ok(kin_informer_get_status(f->informer, &status, &err), &err);
    return status;
}

static void must_sync(const follower *f)
{
    must_be_ok(kin_informer_wait_synced(f->informer, PATIENCE_MS, &err), &err);
}

/* Whatever versions have done: a marker that the writer knows is to be found in the store. */
static void await_map(const follower *f, const char *name)
{
    int64_t until_ms = now_ms() + PATIENCE_MS;
    bool is_there = false;
    char key[64];

    (void) snprintf(key, sizeof key, NS "/%s", name);
    while (!is_there) {
        kin_view view = kin_store_read(kin_informer_store(f->informer));

        is_there = kin_view_get(&view, kin_str_of(key)) != NULL;
        kin_store_done(&view);
        if (now_ms() > until_ms) {
            FAIL("%s is not there: %s, %s", key, kin_informer_state_name(status_of(f).state),
                 status_of(f).error.message);
        }
        rest_ms(2);
    }
}

/* Writes a last one, and waits until all have it.  Returns how long that took. */
static int64_t await_all(const char *name)
{
    int64_t began_ms = now_ms();

    write_map(admin, NS, name, "x");
    for (size_t i = 0; i < count; i++) {
        await_map(&followers[i], name);
    }
    return now_ms() - began_ms;
}

static void must_equal_server(const follower *f)
{
    ledger_states listed = list_states(admin, spaces, false);
    ledger_states stored = read_states(kin_informer_store(f->informer));
    ledger_states told = ledger_replay(&f->told);

    must_be_same_states("the store", &stored, &listed);
    must_be_same_states("the handler", &told, &listed);
    ledger_states_fini(&told);
    ledger_states_fini(&stored);
    ledger_states_fini(&listed);
}

static void all_must_equal_server(void)
{
    for (size_t i = 0; i < count; i++) {
        must_equal_server(&followers[i]);
    }
}

static void make_changes(const char *prefix)
{
    char name[48];

    for (int i = 0; i < 8; i++) {
        (void) snprintf(name, sizeof name, "%s-%d", prefix, i);
        write_map(admin, NS, name, "new");
        if (i % 3 == 0) {
            label_map(admin, NS, name, "changed");
        }
        if (i % 4 == 1) {
            delete_map(admin, NS, name);
        }
    }
}

/* ---- sessions ------------------------------------------------------------------------------- */

static void open_session(bool is_own)
{
    if (is_own) {
        cluster_start(&c, NULL);
    } else {
        cluster_use_shared(&c);
    }
    admin = connect_as(&c, NULL, NULL);
    make_namespace(admin, NS);
    must_run_to(admin,
                &(kin_request){ REQUEST, .verb = KIN_VERB_DELETE_COLLECTION,
                                .resource = "configmaps", .ns = NS },
                NULL, NULL);
}

static void close_session(void)
{
    unfollow_all();
    kin_client_free(admin);
    cluster_stop(&c);
}

/* The server's start, while the test goes on. */
static void *start_server(void *context)
{
    (void) cluster_command(context, "start");
    return NULL;
}

/* ---- a server that starts ------------------------------------------------------------------- */

/* Asks until the answer is 403, which a server that has just begun gives to anybody with rights. */
static bool await_forbidden(kin_client *client, const kin_resource *of)
{
    kin_request list = { REQUEST, .verb = KIN_VERB_LIST, .of = of, .ns = NS, .deadline_ms = 1000 };
    int64_t until_ms = now_ms() + PATIENCE_MS;

    for (;;) {
        kin_err code = kin_client_run(client, &list, NULL, NULL, &err);

        if (code == KIN_OK || now_ms() > until_ms) {
            return false;
        }
        if (code == KIN_ERR_FORBIDDEN) {
            return true;
        }
        rest_ms(3);
    }
}

/* Once in a while the moment is over before anybody asks; then it is tried again. */
TEST(informer_fault, sits_out_the_403_of_a_server_that_starts)
{
    bool was_forbidden = false;
    kin_resource *of = NULL;

    open_session(true);
    (void) cluster_command(&c, "user fred list,watch:configmaps");
    must_be_ok(kin_client_resource(admin, "configmaps", &of, &err), &err);
    kin_client *fred = connect_as(&c, "users/fred/kubeconfig", NULL);
    cluster same = c;
    for (int i = 0; i < 4 && !was_forbidden; i++) {
        pthread_t starter;

        (void) cluster_command(&c, "kill");
        ASSERT_EQ(pthread_create(&starter, NULL, start_server, &same), 0);
        was_forbidden = await_forbidden(fred, of);
        for (int n = 0; n < 4 && was_forbidden; n++) {
            kin_informer_options options = maps();
            options.of = of;
            options.resource = NULL;
            options.start = n % 2 == 0 ? KIN_START_LIST : KIN_START_WATCH_LIST;
            (void) follow(fred, options);
        }
        int64_t began_ms = now_ms();
        (void) pthread_join(starter, NULL);
        for (size_t n = 0; n < count; n++) {
            must_sync(&followers[n]);
        }
        (void) printf("in sync %lld ms after a 403\n", (long long) (now_ms() - began_ms));
        ASSERT_TRUE(count == 0 || now_ms() - began_ms < RECOVERY_MS);
    }

    ASSERT_TRUE(was_forbidden);
    unsigned seen = 0;
    for (size_t n = 0; n < count; n++) {
        seen += followers[n].troubles[403];
    }
    (void) printf("informers have seen %u such answers\n", seen);
    make_changes("after");
    (void) await_all("last");
    all_must_equal_server();
    unfollow_all();
    kin_client_free(fred);
    kin_resource_unref(of);
    close_session();
}

/* ---- a custom resource that has just been made ---------------------------------------------- */

static void create_definition(const char *plural)
{
    char json[1024];

    (void) snprintf(
        json, sizeof json,
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
        "\"metadata\":{\"name\":\"%s.fault.kin\"},\"spec\":{\"group\":\"fault.kin\","
        "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"%s\",\"kind\":\"K%s\"},"
        "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,"
        "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
        "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}",
        plural, plural, plural);
    kin_object *definition = object_of(json);
    must_be_ok(kin_client_create(admin, definition, NULL, &err), &err);
    kin_object_unref(definition);
}

static void create_thing(const char *plural, const kin_resource *of)
{
    char body[256];
    int64_t began_ms = now_ms();
    kin_request create = { REQUEST, .verb = KIN_VERB_CREATE, .of = of, .ns = NS };

    (void) snprintf(body, sizeof body,
                    "{\"apiVersion\":\"fault.kin/v1\",\"kind\":\"K%s\","
                    "\"metadata\":{\"name\":\"first\"}}",
                    plural);
    create.body = kin_str_of(body);
    while (kin_client_run(admin, &create, NULL, NULL, &err) != KIN_OK) {
        ASSERT_TRUE(now_ms() - began_ms < PATIENCE_MS);
        rest_ms(20);
    }
    (void) printf("the first object took %lld ms, ", (long long) (now_ms() - began_ms));
}

/* The path is a 404, then lists are 429 and the first write takes two seconds. */
TEST(informer_fault, follows_a_custom_resource_from_its_first_moment)
{
    open_session(false);
    for (int i = 0; i < 3; i++) {
        char plural[16];
        char name[48];
        kin_resource *of = NULL;
        char kind[16];

        (void) snprintf(plural, sizeof plural, "news%d", i);
        (void) snprintf(name, sizeof name, "%s.fault.kin", plural);
        (void) snprintf(kind, sizeof kind, "Knews%d", i);
        must_be_ok(kin_resource_new("fault.kin", "v1", plural, kind, true, &of, &err), &err);
        kin_informer_options options = maps();
        options.resource = NULL;
        options.of = of;
        create_definition(plural);
        int64_t began_ms = now_ms();
        follower *known = follow(admin, options);
        options.start = KIN_START_WATCH_LIST;
        follower *streamed = follow(admin, options);
        options.of = NULL;
        options.resource = name;
        follower *named = follow(admin, options);

        create_thing(plural, of);
        await_map(known, "first");
        await_map(streamed, "first");
        await_map(named, "first");

        (void) printf("all have it after %lld ms; 404: %u %u, 429: %u %u, 503: %u %u\n",
                      (long long) (now_ms() - began_ms), known->troubles[404], named->troubles[404],
                      known->troubles[429], named->troubles[429], known->troubles[503],
                      named->troubles[503]);
        ASSERT_TRUE(now_ms() - began_ms < 2000 + RECOVERY_MS);
        unfollow_all();
        kin_resource_unref(of);
        must_be_ok(kin_client_delete(admin, "customresourcedefinitions", NULL, name, &err), &err);
    }
    close_session();
}

/* ---- watches that end ----------------------------------------------------------------------- */

/* While nothing is read, more comes than all buffers on the way hold; so the server gives the
 * watch up, with an end like any other. */
TEST(informer_fault, gets_what_the_server_left_out_of_a_slow_watch)
{
    enum { MAPS = 400, BYTES = 60000 };
    static char value[BYTES + 512];

    open_session(false);
    relay *wire = relay_start(cluster_port(&c));
    char token_file[PATH_MAX];
    (void) snprintf(token_file, sizeof token_file, "%s", cluster_path(&c, "users/admin/token"));
    kin_client *client = connect_over(&c, relay_port(wire), token_file, true);
    follower *f = follow(client, maps());
    must_sync(f);
    uint64_t watches = status_of(f).watches;
    relay_stall(wire, true);
    for (int i = 0; i < MAPS; i++) {
        (void) snprintf(value, sizeof value,
                        "{\"metadata\":{\"name\":\"big-%d\"},\"data\":{\"v\":\"%0*d\"}}", i, BYTES,
                        i);
        kin_object_unref(must_run(admin, &(kin_request){ REQUEST, .verb = KIN_VERB_CREATE,
                                                         .resource = "configmaps", .ns = NS,
                                                         .body = kin_str_of(value) }));
    }
    relay_stall(wire, false);

    (void) await_all("last");

    kin_informer_status status = status_of(f);
    (void) printf("%llu watches, %llu failures, %llu restarts\n",
                  (unsigned long long) (status.watches - watches),
                  (unsigned long long) status.failures, (unsigned long long) status.restarts);
    ASSERT_TRUE(status.watches > watches);
    ASSERT_EQ(status.failures, 0);
    ASSERT_EQ(status.restarts, 0);
    ASSERT_EQ(f->told.count, MAPS + 1);
    all_must_equal_server();
    unfollow_all();
    kin_client_free(client);
    relay_stop(wire);
    close_session();
}

/* The server accepts the watch, and says it inside. */
TEST(informer_fault, lists_again_when_an_error_event_says_410)
{
    recorder r;

    open_session(true);
    follower *f = follow(admin, maps());
    must_sync(f);
    make_changes("before");
    (void) await_all("stop");
    must_be_ok(kin_informer_stop(f->informer, -1, &err), &err);
    kin_informer_status stopped = status_of(f);
    make_changes("unseen");
    (void) cluster_command(&c, "compact");
    (void) cluster_command(&c, "restart");

    recorder_start(&r, admin,
                   &(kin_request){ REQUEST, .verb = KIN_VERB_WATCH, .resource = "configmaps",
                                   .ns = NS, .resource_version = stopped.resource_version });
    recorder_wait(&r, "ERROR 410");
    ASSERT_TRUE(r.is_open);
    recorder_fini(&r);
    int64_t began_ms = now_ms();
    must_be_ok(kin_informer_start(f->informer, &err), &err);
    (void) await_all("last");

    (void) printf("right again after %lld ms\n", (long long) (now_ms() - began_ms));
    ASSERT_TRUE(now_ms() - began_ms < 1000);
    ASSERT_EQ(status_of(f).restarts, stopped.restarts + 1);
    ASSERT_EQ(status_of(f).failures, stopped.failures);
    all_must_equal_server();
    close_session();
}

/* ---- a past that comes back ----------------------------------------------------------------- */

/* The server accepts a watch from the future and is silent: a list must find it out. */
TEST(informer_fault, notices_that_the_server_was_restored_from_a_backup)
{
    recorder r;

    open_session(true);
    make_changes("before");
    (void) cluster_command(&c, "save");
    kin_informer_options options = maps();
    (void) follow(admin, options);
    options.encoding = KIN_ENCODING_JSON;
    options.start = KIN_START_LIST;
    (void) follow(admin, options);
    for (int i = 0; i < 10; i++) {
        char prefix[32];

        (void) snprintf(prefix, sizeof prefix, "lost-%d", i);
        make_changes(prefix);
    }
    (void) await_all("lost");
    all_must_equal_server();
    follower *stopped = follow(admin, maps());
    must_sync(stopped);
    must_be_ok(kin_informer_stop(stopped->informer, -1, &err), &err);
    kin_informer_status before = status_of(stopped);

    (void) cluster_command(&c, "restore");
    int64_t began_ms = now_ms();
    must_be_ok(kin_informer_start(stopped->informer, &err), &err);
    recorder_start(&r, admin,
                   &(kin_request){ REQUEST, .verb = KIN_VERB_WATCH, .resource = "configmaps",
                                   .ns = NS, .resource_version = before.resource_version });
    recorder_wait(&r, "open");
    (void) await_all("found");

    (void) printf("right again after %lld ms\n", (long long) (now_ms() - began_ms));
    all_must_equal_server();
    ASSERT_EQ(r.events, 0);
    kin_call_cancel(r.call);
    recorder_fini(&r);
    ASSERT_TRUE(now_ms() - began_ms < 3000 + RECOVERY_MS);
    close_session();
}

/* ---- a database that stands still ----------------------------------------------------------- */

/* Watches are open and silent; a streaming list has not even a head; a plain one from the server's
 * memory is answered. */
TEST(informer_fault, sits_out_a_database_that_stands_still)
{
    open_session(true);
    make_changes("before");
    follower *running = follow(admin, maps());
    must_sync(running);
    uint64_t watches = status_of(running).watches;
    (void) cluster_command(&c, "pause etcd");
    kin_informer_options options = maps();
    options.start = KIN_START_WATCH_LIST;
    follower *streamed = follow(admin, options);
    options.start = KIN_START_LIST;
    follower *listed = follow(admin, options);
    rest_ms(4000);

    kin_informer_status status = status_of(running);
    ASSERT_EQ(status.state, KIN_INFORMER_WATCHING);
    ASSERT_EQ(status.watches, watches);
    ASSERT_EQ(status.failures, 0);
    ASSERT_FALSE(kin_informer_has_synced(streamed->informer));
    (void) printf("meanwhile a streaming list is %s, a list is %s\n",
                  kin_informer_state_name(status_of(streamed).state),
                  kin_informer_state_name(status_of(listed).state));
    (void) cluster_command(&c, "resume etcd");
    (void) printf("all have a write after %lld ms\n", (long long) await_all("last"));

    ASSERT_EQ(status_of(running).watches, watches);
    all_must_equal_server();
    close_session();
}

/* ---- credentials ---------------------------------------------------------------------------- */

static void copy_token(const char *to)
{
    char token[128] = "";
    FILE *in = fopen(cluster_path(&c, "users/gina/token"), "r");
    FILE *out = fopen(to, "w");

    ASSERT_TRUE(in != NULL && out != NULL && fgets(token, sizeof token, in) != NULL);
    ASSERT_TRUE(fputs(token, out) >= 0);
    (void) fclose(in);
    (void) fclose(out);
}

/* With HTTP/2 the server says GOAWAY before it says 401: the watches beside it go on, or are begun
 * anew elsewhere. */
TEST(informer_fault, keeps_its_watches_beside_a_401)
{
    char token_file[] = "/tmp/kin-fault-XXXXXX";
    follower *late = NULL;
    int64_t until_ms;

    open_session(false);
    int fd = mkstemp(token_file);
    ASSERT_TRUE(fd >= 0);
    (void) close(fd);
    (void) cluster_command(&c, "user gina list,watch:configmaps");
    copy_token(token_file);
    kin_client *gina = connect_over(&c, cluster_port(&c), token_file, false);
    for (int i = 0; i < 3; i++) {
        must_sync(follow(gina, maps()));
    }
    (void) cluster_command(&c, "token gina");
    until_ms = now_ms() + PATIENCE_MS;
    do {
        ASSERT_TRUE(now_ms() < until_ms && count < FOLLOWERS_MAX);
        late = follow(gina, maps());
        rest_ms(500);
    } while (status_of(late).state != KIN_INFORMER_UNAUTHORIZED);

    make_changes("beside");
    write_map(admin, NS, "seen", "x");
    for (int i = 0; i < 3; i++) {
        await_map(&followers[i], "seen");
        kin_informer_status status = status_of(&followers[i]);
        ASSERT_EQ(status.restarts, 0);
        (void) printf("%s, %llu watches, %llu failures\n", kin_informer_state_name(status.state),
                      (unsigned long long) status.watches, (unsigned long long) status.failures);
    }
    copy_token(token_file);
    int64_t began_ms = now_ms();
    must_sync(late);
    (void) printf("in sync %lld ms after a new token\n", (long long) (now_ms() - began_ms));
    (void) await_all("last");
    all_must_equal_server();
    unfollow_all();
    kin_client_free(gina);
    (void) unlink(token_file);
    close_session();
}
