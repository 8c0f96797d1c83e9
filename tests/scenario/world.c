/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world.c - a server, its followers, and time.
 */
#include "scenario/world.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net/loop.h"

/* Of a handler that is to hear everything, whatever comes at once; the default may skip states. */
#define PATIENT_BOUND ((size_t) 1 << 20)

static kin_error err;

static void must(kin_err code)
{
    if (code != KIN_OK) {
        FAIL("%s: %s", kin_err_name(code), err.message);
    }
}

/* ---- the world ------------------------------------------------------------------------------ */

void world_open(world *w, const kin_server_options *options, world_time time)
{
    *w = (world){ .time = time, .leap_ms = LEAP_MS };
    w->options = options != NULL ? *options : (kin_server_options) KIN_SERVER_OPTIONS_INIT;
    w->followers = calloc(FOLLOWERS_MAX, sizeof *w->followers);
    ASSERT_TRUE(w->followers != NULL);
    world_start_server(w);
    if (time == QUICK) {
        kin__virtual_clock_init(&w->clock, 1000000, (kin_time){ 1767225600, 0 });
        must(kin__loop_new_with_clock(NULL, &w->clock.clock, &w->loop, &err));
    }
    w->client = world_connect(w, NULL, NULL);
}

void world_close(world *w)
{
    world_unfollow_all(w);
    kin_client_free(w->client);
    kin_loop_free(w->loop);
    kin_server_stop(w->server);
    free(w->followers);
}

void world_stop_server(world *w)
{
    kin_server_stop(w->server);
    w->server = NULL;
}

void world_start_server(world *w)
{
    must(kin_server_start(&w->options, &w->server, &err));
    w->options.port = (uint16_t) strtoul(strrchr(kin_server_url(w->server), ':') + 1, NULL, 10);
}

kin_client *world_connect(world *w, const char *kubeconfig, const kin_client_options *options)
{
    kin_client_options ours =
        options != NULL ? *options : (kin_client_options) KIN_CLIENT_OPTIONS_INIT;
    const char *from = kubeconfig != NULL ? kubeconfig : kin_server_kubeconfig(w->server);
    kin_config *config = NULL;
    kin_client *client = NULL;

    must(kin_config_from_text(from, strlen(from), NULL, NULL, &config, &err));
    ours.loop = w->loop;
    ours.requests_per_second = -1;
    must(kin_client_new(config, &ours, &client, &err));
    kin_config_unref(config);
    return client;
}

kin_client *world_connect_over(world *w, int port, const kin_client_options *options)
{
    static char kubeconfig[16384];
    char ours[16];
    const char *all = kin_server_kubeconfig(w->server);

    (void) snprintf(ours, sizeof ours, ":%d\"", world_port(w));
    const char *at = strstr(all, ours);
    ASSERT_TRUE(at != NULL);
    ASSERT_TRUE(snprintf(kubeconfig, sizeof kubeconfig, "%.*s:%d\"%s", (int) (at - all), all, port,
                         at + strlen(ours)) < (int) sizeof kubeconfig);
    return world_connect(w, kubeconfig, options);
}

int world_port(const world *w)
{
    return w->options.port;
}

static void on_trouble(void *context, const kin_error *error, int64_t retry_ms)
{
    follower *f = context;
    int status = error->http_status;

    (void) retry_ms;
    f->troubles[status > 0 && status < 600 ? status : 0]++;
}

follower *world_follow(world *w, kin_client *client, kin_informer_options options, const char *path)
{
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;

    ASSERT_TRUE(w->count < FOLLOWERS_MAX);
    follower *f = &w->followers[w->count++];
    memset(f, 0, sizeof *f);
    f->path = path;
    ledger_init(&f->told, "the handler");
    options.context = f;
    options.on_trouble = on_trouble;
    handler.context = &f->told;
    handler.on_add = handler.on_update = handler.on_delete = ledger_note_notification;
    handler.mode = KIN_DELIVERY_INLINE;
    handler.bound = PATIENT_BOUND;
    must(kin_informer_new(client != NULL ? client : w->client, &options, &f->informer, &err));
    must(kin_informer_add_handler(f->informer, &handler, &f->registration, &err));
    must(kin_informer_start(f->informer, &err));
    return f;
}

kin_informer_options maps_options(void)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.resource = "configmaps";
    return options;
}

void world_unfollow_all(world *w)
{
    while (w->count > 0) {
        follower *f = &w->followers[--w->count];

        kin_informer_free(f->informer);
        kin_registration_free(f->registration);
        ledger_fini(&f->told);
    }
}

/* ---- time ----------------------------------------------------------------------------------- */

int64_t world_now_ms(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void world_turn(world *w)
{
    struct pollfd poller = { .fd = w->loop == NULL ? -1 : kin_loop_fd(w->loop), .events = POLLIN };

    if (poll(&poller, 1, 1) == 0 && w->time == QUICK) {
        kin__virtual_clock_advance(&w->clock, w->leap_ms);
    }
    if (w->loop != NULL) {
        must(kin_loop_dispatch(w->loop, 0, &err));
    }
}

void world_pass(world *w, int64_t ms)
{
    for (int64_t passed = 0; passed < ms; passed += ms / 20) {
        kin__virtual_clock_advance(&w->clock, ms / 20);
        world_turn(w);
    }
}

kin_informer_status status_of(const follower *f)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    must(kin_informer_get_status(f->informer, &status, &err));
    return status;
}

void world_explain(world *w)
{
    kin_server_counts counts = { 0 };

    if (w->server != NULL) {
        kin_server_get_counts(w->server, &counts);
    }
    (void) printf("the server has %llu watches, sent %llu events and %llu bytes\n",
                  (unsigned long long) counts.watches, (unsigned long long) counts.events,
                  (unsigned long long) counts.bytes_out);
    for (size_t i = 0; i < w->count && i < 8; i++) {
        kin_informer_status status = status_of(&w->followers[i]);

        (void) printf("%zu is %s at %s: %llu objects, %llu lists, %llu watches, %llu restarts, "
                      "%llu failures; silent for %lld ms; %lld ms ago: %s\n",
                      i, kin_informer_state_name(status.state), status.resource_version,
                      (unsigned long long) status.objects, (unsigned long long) status.lists,
                      (unsigned long long) status.watches, (unsigned long long) status.restarts,
                      (unsigned long long) status.failures, (long long) status.silent_ms,
                      (long long) status.error_ms, status.error.message);
    }
}

/* ---- truth ---------------------------------------------------------------------------------- */

static void copy_text(kin_value object, const char *path, char *out, size_t size)
{
    kin_str found = { NULL, 0 };

    out[0] = '\0';
    if (kin_value_str(kin_value_at(object, path), NULL, 0, &found) == KIN_OK) {
        (void) snprintf(out, size, "%.*s", KIN_STR_ARG(found));
    }
}

static void add_state(ledger_states *states, kin_value object)
{
    ledger_state state = { .version = 0 };
    char ns[64];
    char name[256];
    char version[32];

    copy_text(object, "metadata.namespace", ns, sizeof ns);
    copy_text(object, "metadata.name", name, sizeof name);
    copy_text(object, "metadata.uid", state.uid, sizeof state.uid);
    copy_text(object, "metadata.resourceVersion", version, sizeof version);
    ASSERT_TRUE(snprintf(state.key, sizeof state.key, "%s%s%s", ns, ns[0] == '\0' ? "" : "/",
                         name) < (int) sizeof state.key);
    state.version = strtoull(version, NULL, 10);
    if (states->count == states->capacity) {
        states->capacity = states->capacity == 0 ? 256 : 2 * states->capacity;
        states->states = realloc(states->states, states->capacity * sizeof *states->states);
        ASSERT_TRUE(states->states != NULL);
    }
    states->states[states->count++] = state;
}

/* What the server lists under a path. */
static ledger_states states_at(world *w, const char *path)
{
    ledger_states states = { NULL, 0, 0 };
    kin_object *list = NULL;
    kin_server_answer answer = ask(w, "GET", path, "", 200);

    /* A list has no name of its own. */
    char *named = malloc(answer.len + 128);
    ASSERT_TRUE(named != NULL);
    int len = snprintf(named, answer.len + 128,
                       "{\"apiVersion\":\"v1\",\"kind\":\"List\","
                       "\"metadata\":{\"name\":\"list\"},\"of\":%s}",
                       answer.body);
    must(kin_object_from_json(named, (size_t) len, NULL, &list, &err));
    kin_iter items = kin_value_iter(kin_object_at(list, "of.items"));
    while (kin_iter_next(&items)) {
        add_state(&states, items.value);
    }
    kin_object_unref(list);
    free(named);
    kin_server_answer_fini(&answer);
    return states;
}

static int compare_states(const void *a, const void *b)
{
    return strcmp(((const ledger_state *) a)->key, ((const ledger_state *) b)->key);
}

static bool are_same(ledger_states *got, ledger_states *want)
{
    if (got->count != want->count) {
        return false;
    }
    if (got->count > 0) {
        qsort(got->states, got->count, sizeof *got->states, compare_states);
        qsort(want->states, want->count, sizeof *want->states, compare_states);
    }
    for (size_t i = 0; i < got->count; i++) {
        const ledger_state *g = &got->states[i];
        const ledger_state *t = &want->states[i];

        if (strcmp(g->key, t->key) != 0 || strcmp(g->uid, t->uid) != 0 ||
            g->version != t->version) {
            return false;
        }
    }
    return true;
}

static ledger_states states_told(ledger *told)
{
    (void) pthread_mutex_lock(&told->lock);
    ledger_states states = ledger_replay(told);
    (void) pthread_mutex_unlock(&told->lock);
    return states;
}

bool world_was_told(world *w, ledger *told, const char *path)
{
    ledger_states listed = states_at(w, path);
    ledger_states states = states_told(told);
    bool result = are_same(&states, &listed);

    ledger_states_fini(&states);
    ledger_states_fini(&listed);
    return result;
}

/* With `must_be`, fails with the first difference. */
static bool is_equal(world *w, follower *f, bool must_be)
{
    ledger_states listed = states_at(w, f->path);
    ledger_states stored = read_states(kin_informer_store(f->informer));
    ledger_states told = states_told(&f->told);
    bool result = are_same(&stored, &listed) && are_same(&told, &listed);

    if (!result && must_be) {
        world_explain(w);
        must_be_same_states("the store", &stored, &listed);
        must_be_same_states("the handler", &told, &listed);
    }
    ledger_states_fini(&told);
    ledger_states_fini(&stored);
    ledger_states_fini(&listed);
    return result;
}

static void check_story(follower *f)
{
    static truth unknown; /* of objects that nobody noted any state may be true */

    (void) pthread_mutex_lock(&f->told.lock);
    ledger_check(&f->told, &unknown);
    (void) pthread_mutex_unlock(&f->told.lock);
}

void world_await_synced(world *w)
{
    for (size_t i = 0; i < w->count; i++) {
        AWAIT(w, kin_informer_has_synced(w->followers[i].informer))
    }
}

static uint64_t open_watches(const world *w)
{
    kin_server_counts counts;

    kin_server_get_counts(w->server, &counts);
    return counts.watches;
}

void world_await_watching(world *w)
{
    world_await_synced(w);
    AWAIT(w, open_watches(w) >= w->count)
}

void world_await_same(world *w)
{
    for (size_t i = 0; i < w->count; i++) {
        int64_t until_ms = world_now_ms() + PATIENCE_MS;

        while (!is_equal(w, &w->followers[i], world_now_ms() > until_ms)) {
            world_turn(w);
        }
    }
}

void world_await_equal(world *w)
{
    world_await_same(w);
    for (size_t i = 0; i < w->count; i++) {
        check_story(&w->followers[i]);
    }
}

/* ---- what happens --------------------------------------------------------------------------- */

uint64_t put(world *w, const char *format, ...)
{
    static text json;
    uint64_t revision;
    va_list args;

    text_clear(&json);
    va_start(args, format);
    json.len = (size_t) vsnprintf(json.chars, sizeof json.chars, format, args);
    va_end(args);
    ASSERT_TRUE(json.len < sizeof json.chars);
    must(kin_server_put(w->server, (kin_str){ json.chars, json.len }, &revision, &err));
    return revision;
}

uint64_t put_map(world *w, const char *name, const char *value)
{
    return put(w,
               "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":"
               "\"default\",\"name\":\"%s\",\"labels\":{\"is\":\"%s\"}},\"data\":{\"v\":\"%s\"}}",
               name, value, value);
}

void remove_map(world *w, const char *name)
{
    must(kin_server_remove(w->server, "v1", "ConfigMap", "default", name, NULL, &err));
}

void make_changes(world *w, const char *prefix)
{
    char name[48];

    for (int i = 0; i < 8; i++) {
        (void) snprintf(name, sizeof name, "%s-%d", prefix, i);
        put_map(w, name, "new");
        if (i % 3 == 0) {
            put_map(w, name, "changed");
        }
        if (i % 4 == 1) {
            remove_map(w, name);
        }
        if (i % 8 == 5) {
            put_map(w, name, "again");
        }
    }
}

uint64_t fault(world *w, const char *json)
{
    uint64_t id;

    must(kin_server_fault(w->server, kin_str_of(json), &id, &err));
    return id;
}

void end_faults(world *w)
{
    must(kin_server_end_fault(w->server, 0, &err));
}

unsigned met(world *w, uint64_t id)
{
    char mark[32];
    kin_server_answer answer = ask(w, "GET", "/kin/faults", "", 200);

    (void) snprintf(mark, sizeof mark, "{\"id\":%llu,", (unsigned long long) id);
    const char *at = strstr(answer.body, mark);
    at = at == NULL ? NULL : strstr(at, "\"met\":");
    if (at == NULL) {
        FAIL("no fault %llu in %s", (unsigned long long) id, answer.body);
    }
    unsigned count = (unsigned) strtoul(at + strlen("\"met\":"), NULL, 10);
    kin_server_answer_fini(&answer);
    return count;
}

kin_server_answer ask(world *w, const char *method, const char *path, const char *body, int status)
{
    kin_server_answer answer;

    must(kin_server_ask(w->server, method, path, NULL, kin_str_of(body), &answer, &err));
    if (answer.status != status) {
        FAIL("%s %s: %d %s", method, path, answer.status, answer.body);
    }
    return answer;
}

void tell(world *w, const char *method, const char *path, const char *body, int status)
{
    kin_server_answer answer = ask(w, method, path, body, status);

    kin_server_answer_fini(&answer);
}
