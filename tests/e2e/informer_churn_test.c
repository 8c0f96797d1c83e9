/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_churn_test.c - informers of a server to which everything happens, while several writers
 * change what they follow.
 *
 * After each fault a marker is written, and all stores must have it within 5 s of the fault's end;
 * meanwhile no informer may ask the server more than a few times a second.  At the end
 * stores, handlers and server are compared, and all that handlers were told with the truth.
 *
 * What happens is chosen by chance.  KIN_CHURN_SEED repeats a run as far as the machine does, and
 * KIN_CHURN_SECONDS makes it longer; then TEST_TIME_LIMIT_MS must be raised as well.
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "e2e/support/calls.h"
#include "e2e/support/ledger.h"
#include "support/random.h"
#include "support/relay.h"

#define PATIENCE_MS 30000
#define RECOVERY_MS 5000 /* the promise */
#define HANDLERS_MAX 4
#define FOLLOWERS 5
/* Of handlers that are to hear everything: more than is written while a connection stands still.
 * With the default, 1,024, states may be skipped. */
#define PATIENT_BOUND ((size_t) 1 << 20)
#define REQUESTS_AT_ONCE 8    /* of one source, with a fault and its end */
#define REQUESTS_PER_SECOND 3 /* ... and for as long as it lasts */
#define CONNECTIONS_AT_ONCE 16
#define CONNECTIONS_PER_SECOND 6

static const char *const spaces[] = { "kin-churn-a", "kin-churn-b", "kin-churn-c", NULL };
static const char *const two_spaces[] = { "kin-churn-a", "kin-churn-b", NULL };
static const char *const first_space[] = { "kin-churn-a", NULL };
static const char *const last_space[] = { "kin-churn-c", NULL };

/* An informer, and its handlers. */
typedef struct follower {
    const char *name;
    const char *const *spaces; /* NULL: all there are */
    size_t sources;
    bool is_picked;
    kin_informer *informer;
    kin_registration *registrations[HANDLERS_MAX];
    ledger ledgers[HANDLERS_MAX];
    bool may_skip[HANDLERS_MAX];
    size_t count;
    uint64_t requests; /* when the fault began */
} follower;

static cluster c;
static relay *wire;
static kin_client *direct;  /* to the server itself; also the writers' */
static kin_client *relayed; /* HTTP/2 over the wire */
static kin_client *renewed; /* HTTP/1.1 over the wire, with a token that changes */
static truth *known;
static follower followers[FOLLOWERS];
static uint64_t chance;
static kin_error err;

static atomic_bool is_dispatching;
static pthread_t dispatcher;

/* From `least` on, and as much again by chance. */
static void rest_about(int64_t least_ms)
{
    rest_ms(least_ms + (int64_t) random_below(&chance, (size_t) least_ms));
}

static uint64_t number_from_environment(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);

    return value != NULL ? strtoull(value, NULL, 10) : otherwise;
}

/* ---- troubles ------------------------------------------------------------------------------ */

#define TROUBLES_MAX 64

/* The newest ones, for when something takes too long. */
typedef struct trouble {
    int64_t at_ms;
    int64_t retry_ms;
    const char *who;
    int http_status;
    char message[sizeof err.message];
} trouble;

static pthread_mutex_t troubles_lock = PTHREAD_MUTEX_INITIALIZER;
static trouble troubles[TROUBLES_MAX];
static size_t troubles_count;

static void on_trouble(void *context, const kin_error *error, int64_t retry_ms)
{
    const follower *f = context;

    (void) pthread_mutex_lock(&troubles_lock);
    trouble *t = &troubles[troubles_count++ % TROUBLES_MAX];
    *t = (trouble){ .at_ms = now_ms(), .retry_ms = retry_ms, .who = f->name };
    t->http_status = error->http_status;
    (void) snprintf(t->message, sizeof t->message, "%s", error->message);
    (void) pthread_mutex_unlock(&troubles_lock);
}

/* Those from then on. */
static void print_troubles(int64_t since_ms)
{
    (void) pthread_mutex_lock(&troubles_lock);
    size_t first = troubles_count > TROUBLES_MAX ? troubles_count - TROUBLES_MAX : 0;
    for (size_t i = first; i < troubles_count; i++) {
        const trouble *t = &troubles[i % TROUBLES_MAX];

        if (t->at_ms >= since_ms) {
            (void) printf("  at %5lld ms, again in %5lld ms: %s: %d %s\n",
                          (long long) (t->at_ms - since_ms), (long long) t->retry_ms, t->who,
                          t->http_status, t->message);
        }
    }
    (void) pthread_mutex_unlock(&troubles_lock);
}

/* ---- followers ------------------------------------------------------------------------------ */

static void note_slowly(void *context, const kin_notification *n)
{
    ledger_note_notification(context, n);
    (void) nanosleep(&(struct timespec){ .tv_nsec = 300 * 1000 }, NULL);
}

static void add_handler(follower *f, const char *name, kin_registration_options options)
{
    ledger *l = &f->ledgers[f->count];

    ledger_init(l, name);
    l->is_picked = f->is_picked || options.label_selector != NULL;
    options.context = l;
    kin_notification_fn fn = options.bound != 0 ? note_slowly : ledger_note_notification;
    options.on_add = options.on_update = options.on_delete = fn;
    f->may_skip[f->count] = options.policy == KIN_BACKLOG_COALESCE && options.bound != 0;
    options.bound = options.bound != 0 ? options.bound : PATIENT_BOUND;
    must_be_ok(kin_informer_add_handler(f->informer, &options, &f->registrations[f->count++], &err),
               &err);
}

static void make(follower *f, kin_client *client, kin_informer_options *options)
{
    options->context = f;
    options->on_trouble = on_trouble;
    must_be_ok(kin_informer_new(client, options, &f->informer, &err), &err);
}

static kin_registration_options handler(kin_delivery mode, kin_backlog_policy policy, size_t bound)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;

    options.mode = mode;
    options.policy = policy;
    options.bound = bound;
    return options;
}

static void make_plain(follower *f)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    *f = (follower){ .name = "plain", .sources = 1 };
    options.resource = "configmaps";
    options.encoding = KIN_ENCODING_PROTOBUF;
    make(f, relayed, &options);
    add_handler(f, "plain: coalesce", handler(KIN_DELIVERY_POOL, KIN_BACKLOG_COALESCE, 4));
    add_handler(f, "plain: block", handler(KIN_DELIVERY_POOL, KIN_BACKLOG_BLOCK, 4));
    add_handler(f, "plain: inline", handler(KIN_DELIVERY_INLINE, KIN_BACKLOG_COALESCE, 0));
    add_handler(f, "plain: queue", handler(KIN_DELIVERY_QUEUE, KIN_BACKLOG_COALESCE, 0));
}

static void make_two(follower *f)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    *f = (follower){ .name = "two", .spaces = two_spaces, .sources = 2 };
    options.resource = "configmaps";
    options.namespaces = two_spaces;
    options.encoding = KIN_ENCODING_JSON;
    options.start = KIN_START_LIST;
    options.page_size = 7;
    make(f, relayed, &options);
    add_handler(f, "two: inline", handler(KIN_DELIVERY_INLINE, KIN_BACKLOG_COALESCE, 0));
    add_handler(f, "two: coalesce", handler(KIN_DELIVERY_POOL, KIN_BACKLOG_COALESCE, 2));
}

static void make_metadata(follower *f)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    *f = (follower){ .name = "metadata", .spaces = first_space, .sources = 1 };
    options.resource = "configmaps";
    options.ns = first_space[0];
    options.metadata_only = true;
    make(f, renewed, &options);
    add_handler(f, "metadata: inline", handler(KIN_DELIVERY_INLINE, KIN_BACKLOG_COALESCE, 0));
    add_handler(f, "metadata: queue", handler(KIN_DELIVERY_QUEUE, KIN_BACKLOG_BLOCK, 0));
}

static void make_picked(follower *f)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    *f = (follower){ .name = "picked", .sources = 1, .is_picked = true };
    options.resource = "configmaps";
    options.label_selector = "pick=yes";
    make(f, direct, &options);
    add_handler(f, "picked: inline", handler(KIN_DELIVERY_INLINE, KIN_BACKLOG_COALESCE, 0));
    add_handler(f, "picked: block", handler(KIN_DELIVERY_POOL, KIN_BACKLOG_BLOCK, 8));
}

static void make_streamed(follower *f)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    *f = (follower){ .name = "streamed", .spaces = last_space, .sources = 1 };
    options.resource = "configmaps";
    options.ns = last_space[0];
    options.start = KIN_START_WATCH_LIST;
    make(f, renewed, &options);
    add_handler(f, "streamed: inline", handler(KIN_DELIVERY_INLINE, KIN_BACKLOG_COALESCE, 0));
    kin_registration_options picked = handler(KIN_DELIVERY_POOL, KIN_BACKLOG_COALESCE, 0);
    picked.label_selector = "pick=yes";
    add_handler(f, "streamed: picked", picked);
}

/* Drains all queues. */
static void *dispatch(void *context)
{
    (void) context;
    while (atomic_load(&is_dispatching)) {
        for (size_t i = 0; i < FOLLOWERS; i++) {
            for (size_t at = 0; at < followers[i].count; at++) {
                kin_registration *registration = followers[i].registrations[at];
                kin_error error;

                if (kin_registration_fd(registration) >= 0 &&
                    kin_registration_dispatch(registration, 0, NULL, &error) != KIN_OK) {
                    FAIL("dispatch: %s", error.message);
                }
            }
        }
        rest_ms(5);
    }
    return NULL;
}

static kin_informer_status status_of(const follower *f)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    must_be_ok(kin_informer_get_status(f->informer, &status, &err), &err);
    return status;
}

static uint64_t requests_of(const follower *f)
{
    return status_of(f).lists + status_of(f).watches;
}

static void explain(const follower *f)
{
    kin_informer_status status = status_of(f);

    (void) printf("%s is %s at %s, %llu objects, %llu lists, %llu watches, %llu restarts, "
                  "%llu events, %llu failures; silent for %lld ms; %lld ms ago: %s\n",
                  f->name, kin_informer_state_name(status.state), status.resource_version,
                  (unsigned long long) status.objects, (unsigned long long) status.lists,
                  (unsigned long long) status.watches, (unsigned long long) status.restarts,
                  (unsigned long long) status.events, (unsigned long long) status.failures,
                  (long long) status.silent_ms, (long long) status.error_ms, status.error.message);
}

/* ---- what happens ------------------------------------------------------------------------- */

static void reset_wire(void)
{
    relay_cut(wire, RELAY_RESET);
}

static void close_wire(void)
{
    relay_cut(wire, RELAY_CLOSE);
}

static void cut_often(void)
{
    for (int i = 0; i < 5; i++) {
        relay_cut(wire, random_below(&chance, 2) == 0 ? RELAY_RESET : RELAY_CLOSE);
        rest_about(30);
    }
}

static void stall_wire(void)
{
    relay_stall(wire, true);
    rest_about(500);
    relay_stall(wire, false);
}

static void stall_and_cut_wire(void)
{
    relay_stall(wire, true);
    rest_about(500);
    relay_cut(wire, RELAY_RESET);
    relay_stall(wire, false);
}

static void stall_wire_for_long(void)
{
    relay_stall(wire, true);
    rest_about(2500);
    relay_stall(wire, false);
}

static void delay_wire(void)
{
    relay_delay(wire, 150);
    rest_about(300);
    relay_cut(wire, RELAY_CLOSE);
    rest_about(700);
    relay_delay(wire, 0);
}

static void refuse_on_wire(void)
{
    relay_refuse(wire, true);
    relay_cut(wire, RELAY_RESET);
    rest_about(1000);
    relay_refuse(wire, false);
}

static void restart_server(void)
{
    (void) cluster_command(&c, "restart");
}

static void keep_server_down(void)
{
    (void) cluster_command(&c, "kill");
    rest_about(1500);
    (void) cluster_command(&c, "start");
}

static void pause_server(void)
{
    (void) cluster_command(&c, "pause");
    rest_about(700);
    (void) cluster_command(&c, "resume");
}

static void pause_etcd(void)
{
    (void) cluster_command(&c, "pause etcd");
    rest_about(700);
    relay_cut(wire, RELAY_RESET);
    rest_about(300);
    (void) cluster_command(&c, "resume etcd");
}

/* The watches go on from the server's memory. */
static void compact(void)
{
    (void) cluster_command(&c, "compact");
    relay_cut(wire, RELAY_RESET);
}

/* What they stopped at is nowhere any more. */
static void compact_while_away(void)
{
    relay_refuse(wire, true);
    relay_cut(wire, RELAY_RESET);
    rest_about(200);
    (void) cluster_command(&c, "compact");
    (void) cluster_command(&c, "restart");
    relay_refuse(wire, false);
}

/* A server that was restarted does not remember the old token. */
static void renew_token(void)
{
    (void) cluster_command(&c, "token tess");
    (void) cluster_command(&c, "restart");
}

typedef struct fault {
    const char *name;
    void (*happen)(void);
} fault;

static const fault on_the_wire[] = {
    { "reset", reset_wire },
    { "close", close_wire },
    { "cut often", cut_often },
    { "stall", stall_wire },
    { "stall and cut", stall_and_cut_wire },
    { "long stall", stall_wire_for_long },
    { "delay", delay_wire },
    { "refuse", refuse_on_wire },
};

static const fault anywhere[] = {
    { "reset", reset_wire },
    { "stall and cut", stall_and_cut_wire },
    { "refuse", refuse_on_wire },
    { "restart", restart_server },
    { "down", keep_server_down },
    { "pause", pause_server },
    { "etcd paused", pause_etcd },
    { "compact", compact },
    { "compact while away", compact_while_away },
    { "new token", renew_token },
};

/* ---- consistency ---------------------------------------------------------------------------- */

typedef struct marker {
    char key[TRUTH_KEY_MAX];
    uint64_t version;
} marker;

static bool is_in(const follower *f, const char *ns)
{
    for (size_t i = 0; f->spaces != NULL && f->spaces[i] != NULL; i++) {
        if (strcmp(f->spaces[i], ns) == 0) {
            return true;
        }
    }
    return f->spaces == NULL;
}

static void await_in_store(follower *f, const marker *m)
{
    char digits[32];
    kin_error why;

    (void) snprintf(digits, sizeof digits, "%llu", (unsigned long long) m->version);
    if (kin_informer_wait_for(f->informer, kin_str_of(m->key), kin_str_of(digits), PATIENCE_MS,
                              &why) != KIN_OK) {
        explain(f);
        FAIL("%s has no %s %s: %s", f->name, m->key, digits, why.message);
    }
}

static void await_told(follower *f, const marker *m)
{
    int64_t until_ms = now_ms() + PATIENCE_MS;

    for (size_t at = 0; at < f->count; at++) {
        while (!ledger_told_of(&f->ledgers[at], m->key, m->version)) {
            if (now_ms() > until_ms) {
                explain(f);
                FAIL("%s was not told of %s", f->ledgers[at].name, m->key);
            }
            rest_ms(2);
        }
    }
}

/* Until all have what is written now.  Returns when the stores had it; the handlers, some of which
 * are slow, may take longer. */
static int64_t await_all(void)
{
    marker markers[sizeof spaces / sizeof *spaces];

    for (size_t n = 0; spaces[n] != NULL; n++) {
        markers[n].version =
            truth_mark(known, direct, spaces[n], markers[n].key, sizeof markers[n].key);
        for (size_t i = 0; i < FOLLOWERS; i++) {
            if (is_in(&followers[i], spaces[n])) {
                await_in_store(&followers[i], &markers[n]);
            }
        }
    }
    int64_t stored_ms = now_ms();
    for (size_t n = 0; spaces[n] != NULL; n++) {
        for (size_t i = 0; i < FOLLOWERS; i++) {
            if (is_in(&followers[i], spaces[n])) {
                await_told(&followers[i], &markers[n]);
            }
        }
    }
    return stored_ms;
}

static void check_requests(int64_t took_ms)
{
    for (size_t i = 0; i < FOLLOWERS; i++) {
        follower *f = &followers[i];
        uint64_t requests = requests_of(f) - f->requests;
        uint64_t most =
            f->sources * (REQUESTS_AT_ONCE + REQUESTS_PER_SECOND * (uint64_t) took_ms / 1000);

        (void) printf(" %llu", (unsigned long long) requests);
        if (requests > most) {
            explain(f);
            FAIL("%s asked %llu times in %lld ms", f->name, (unsigned long long) requests,
                 (long long) took_ms);
        }
    }
}

static void suffer(const fault *f)
{
    uint64_t connections = relay_count(wire).accepted;
    int64_t began_ms = now_ms();

    for (size_t i = 0; i < FOLLOWERS; i++) {
        followers[i].requests = requests_of(&followers[i]);
    }
    f->happen();
    int64_t ended_ms = now_ms();
    int64_t stored_ms = await_all();
    int64_t told_ms = now_ms();
    connections = relay_count(wire).accepted - connections;
    (void) printf("%-18s %5lld ms; stores right after %4lld ms, all told after %4lld ms; "
                  "%2llu connections; requests",
                  f->name, (long long) (ended_ms - began_ms), (long long) (stored_ms - ended_ms),
                  (long long) (told_ms - ended_ms), (unsigned long long) connections);
    check_requests(told_ms - began_ms);
    (void) printf("\n");
    if (stored_ms - ended_ms > RECOVERY_MS - 1000) {
        print_troubles(began_ms);
    }
    if (stored_ms - ended_ms > RECOVERY_MS) {
        print_troubles(began_ms);
        FAIL("not right again within %d ms", RECOVERY_MS);
    }
    ASSERT_TRUE(connections <= CONNECTIONS_AT_ONCE +
                                   CONNECTIONS_PER_SECOND * (uint64_t) (told_ms - began_ms) / 1000);
    rest_about(100);
}

/* All of them in an order by chance, and again until the time is over. */
static void suffer_all(const fault *faults, size_t count)
{
    int64_t until_ms = now_ms() + (int64_t) number_from_environment("KIN_CHURN_SECONDS", 0) * 1000;
    size_t order[16] = { 0 };

    do {
        for (size_t i = 0; i < count; i++) {
            size_t at = random_below(&chance, i + 1);

            order[i] = order[at];
            order[at] = i;
        }
        for (size_t i = 0; i < count; i++) {
            suffer(&faults[order[i]]);
        }
    } while (now_ms() < until_ms);
}

static void await_quiet(const follower *f)
{
    for (size_t at = 0; at < f->count; at++) {
        kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;

        do {
            rest_ms(5);
            must_be_ok(kin_registration_get_status(f->registrations[at], &status, &err), &err);
        } while (status.pending > 0 || status.is_running);
        ASSERT_EQ(status.state, KIN_REGISTRATION_ACTIVE);
    }
}

static void check_follower(const follower *f, bool is_complete)
{
    ledger_states listed = list_states(direct, f->spaces, f->is_picked);
    ledger_states stored = read_states(kin_informer_store(f->informer));

    explain(f);
    await_quiet(f);
    must_be_same_states(f->name, &stored, &listed);
    if (is_complete) {
        ASSERT_EQ(status_of(f).restarts, 0); /* each list may hide states */
    }
    for (size_t at = 0; at < f->count; at++) {
        const ledger *l = &f->ledgers[at];
        ledger_states told = ledger_replay(l);
        ledger_states picked = list_states(direct, f->spaces, l->is_picked);

        ledger_check(l, known);
        must_be_same_states(l->name, &told, &picked);
        size_t skipped = ledger_count_skipped(l, known, f->spaces);
        (void) printf("%-18s %6zu told, %5zu states skipped\n", l->name, l->count, skipped);
        if (is_complete && !f->may_skip[at]) {
            ASSERT_EQ(skipped, 0);
        }
        ledger_states_fini(&told);
        ledger_states_fini(&picked);
    }
    ledger_states_fini(&stored);
    ledger_states_fini(&listed);
}

/* ---- sessions ------------------------------------------------------------------------------- */

static kin_client *connect_with(int port, const char *token, bool http1_only)
{
    char path[PATH_MAX];

    (void) snprintf(path, sizeof path, "%s", cluster_path(&c, token));
    return connect_over(&c, port, path, http1_only);
}

static void open_session(bool is_own)
{
    chance = random_start(number_from_environment("KIN_CHURN_SEED", (uint64_t) time(NULL)));
    if (is_own) {
        cluster_start(&c, NULL);
    } else {
        cluster_use_shared(&c);
    }
    direct = connect_as(&c, NULL, NULL);
    for (size_t n = 0; spaces[n] != NULL; n++) {
        make_namespace(direct, spaces[n]);
        must_run_to(direct,
                    &(kin_request){ REQUEST, .verb = KIN_VERB_DELETE_COLLECTION,
                                    .resource = "configmaps", .ns = spaces[n] },
                    NULL, NULL);
    }
    (void) cluster_command(&c, "user tess list,watch:configmaps");
    wire = relay_start(cluster_port(&c));
    relayed = connect_with(relay_port(wire), "users/admin/token", false);
    renewed = connect_with(relay_port(wire), "users/tess/token", true);
    make_plain(&followers[0]);
    make_two(&followers[1]);
    make_metadata(&followers[2]);
    make_picked(&followers[3]);
    make_streamed(&followers[4]);
}

static void start_all(void)
{
    atomic_store(&is_dispatching, true);
    ASSERT_EQ(pthread_create(&dispatcher, NULL, dispatch, NULL), 0);
    for (size_t i = 0; i < FOLLOWERS; i++) {
        must_be_ok(kin_informer_start(followers[i].informer, &err), &err);
    }
    for (size_t i = 0; i < FOLLOWERS; i++) {
        must_be_ok(kin_informer_wait_synced(followers[i].informer, PATIENCE_MS, &err), &err);
    }
    known = calloc(1, sizeof *known);
    ASSERT_TRUE(known != NULL);
    truth_start(known, direct, spaces, 4, 6, random_next(&chance));
    (void) await_all();
}

static void close_session(void)
{
    atomic_store(&is_dispatching, false);
    (void) pthread_join(dispatcher, NULL);
    for (size_t i = 0; i < FOLLOWERS; i++) {
        follower *f = &followers[i];

        kin_informer_free(f->informer);
        for (size_t at = 0; at < f->count; at++) {
            kin_registration_free(f->registrations[at]);
            ledger_fini(&f->ledgers[at]);
        }
    }
    truth_fini(known);
    free(known);
    kin_client_free(renewed);
    kin_client_free(relayed);
    relay_stop(wire);
    kin_client_free(direct);
    cluster_stop(&c);
}

static void churn(const fault *faults, size_t count, bool is_complete)
{
    start_all();

    suffer_all(faults, count);

    truth_stop(known);
    (void) await_all();
    (void) printf("%llu writes, %llu failed\n", (unsigned long long) known->writes,
                  (unsigned long long) known->failures);
    for (size_t i = 0; i < FOLLOWERS; i++) {
        check_follower(&followers[i], is_complete);
    }
}

TEST(informer_churn, loses_nothing_when_connections_break)
{
    open_session(false);

    churn(on_the_wire, sizeof on_the_wire / sizeof *on_the_wire, true);

    close_session();
}

TEST(informer_churn, is_right_whatever_happens_to_the_server)
{
    open_session(true);

    churn(anywhere, sizeof anywhere / sizeof *anywhere, false);

    close_session();
}
