/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demo.c - kin demo: shows informers at work, on a simulated cluster or a real one.
 *
 * One informer each for pods, deployments and nodes; their handlers are called on this thread.  In
 * the simulated cluster a config map is written every now and then with the time in it, and a
 * handler on the loop looks how long ago that was: the lag.
 */
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/change.h"
#include "cli/command.h"
#include "cli/dashboard.h"
#include "cli/duration.h"
#include "cli/fault.h"
#include "cli/screen.h"
#include "cli/signals.h"
#include "cli/simulated.h"
#include "kin/factory.h"
#include "kin/testing/server.h"

#define RESOURCES KIN__CLI_DASHBOARD_RESOURCES
#define DURATION_MS 30000
#define PAGE_MS 250
#define SUMMARY_MS 5000
#define PROBE_MS 500
#define SYNC_MS 30000
#define STEP_MS 100
#define CHANGES_SHOWN 2
#define PROBE "kin-demo-probe"

static const char *const names[RESOURCES] = { "pods", "deployments", "nodes" };

typedef struct demo {
    kin__cli *cli;
    kin__cli_signals signals;
    kin_server *server;         /* NULL: a real cluster */
    kin_simulation *simulation; /* likewise */
    kin_client *client;
    kin_factory *factory;
    kin_informer *informers[RESOURCES];
    kin_registration *registrations[RESOURCES];
    kin_registration *probe;
    kin__cli_dashboard page;
    kin__cli_text title;
    kin__cli_text text;
    bool is_real;
    bool has_screen;
    bool is_over;
    int64_t start_us;
    int64_t next_page_us;
    int64_t next_probe_us;
    _Atomic int64_t lag_us; /* written on the loop; -1: none yet */
    _Atomic int64_t longest_lag_us;

    pthread_mutex_t lock;
    bool is_refused;   /* guarded by it: the server will not have it */
    kin_error refusal; /* likewise: why */
} demo;

/* Of one handler. */
typedef struct hearer {
    demo *d;
    size_t resource;
} hearer;

static kin_err read_duration(demo *d, kin_error *err);
static kin_err reach(demo *d, kin_error *err);
static kin_err begin(demo *d, kin_error *err);
static kin_err start_cluster(demo *d, kin_error *err);
static kin_err start_informers(demo *d, hearer *hearers, kin_error *err);
static kin_err wait_for_sync(demo *d, kin_error *err);
static bool see_refusal(demo *d, kin_error *err);
static kin_err start_probe(demo *d, kin_error *err);
static void end(demo *d);
static void follow(demo *d);
static void wait_for_something(demo *d);
static void see_signals(demo *d);
static void see_changes(demo *d);
static void see_time(demo *d);
static void write_probe(demo *d);
static void measure(demo *d);
static uint64_t resident_bytes(void);
static void show(demo *d);
static void on_change(void *context, const kin_notification *n);
static void on_trouble(void *context, const kin_error *err, int64_t retry_ms);
static void on_probe(void *context, const kin_notification *n);
static int64_t now_us(void);

int kin__cli_demo(kin__cli *cli)
{
    demo d = { .cli = cli, .lag_us = -1, .lock = PTHREAD_MUTEX_INITIALIZER };
    hearer hearers[RESOURCES];
    kin_error err;
    int status = KIN__CLI_DONE;

    if (read_duration(&d, &err) != KIN_OK) {
        return kin__cli_misuse(cli, &err);
    }
    d.signals.fd = -1;
    d.has_screen = kin__cli_screen_is_possible(cli->out);
    kin_err code = reach(&d, &err);
    if (code == KIN_OK) {
        code = kin__cli_signals_open(&d.signals, d.has_screen, &err);
    }
    if (code == KIN_OK) {
        code = begin(&d, &err);
    }
    if (code == KIN_OK) {
        code = start_informers(&d, hearers, &err);
    }
    if (code == KIN_OK) {
        follow(&d);
    } else {
        status = kin__cli_fail(cli, &err);
    }
    end(&d);
    return status;
}

static kin_err read_duration(demo *d, kin_error *err)
{
    const char *variable = getenv("DEMO_SECONDS");
    int64_t duration_ms = DURATION_MS;

    if (d->cli->options.duration_ms >= 0) {
        duration_ms = d->cli->options.duration_ms;
    } else if (variable != NULL && variable[0] != '\0' &&
               !kin__cli_duration_parse(variable, &duration_ms)) {
        return kin__cli_refuse(err, "DEMO_SECONDS is \"%s\", and should be a number", variable);
    }
    d->page.duration_ms = duration_ms;
    return KIN_OK;
}

/* A real cluster: whether there is one is asked before Ctrl-C is taken over. */
static kin_err reach(demo *d, kin_error *err)
{
    const char *variable = getenv("KIN_DEMO_CLUSTER");
    kin_resource *resource = NULL;

    d->is_real = variable != NULL && strcmp(variable, "1") == 0;
    if (!d->is_real) {
        return KIN_OK;
    }
    kin_err code = kin__cli_connect(d->cli, &d->client, err);
    if (code == KIN_OK) {
        code = kin_client_resource(d->client, names[0], &resource, err);
    }
    kin_resource_unref(resource);
    return code;
}

static kin_err begin(demo *d, kin_error *err)
{
    kin_err code = d->is_real ? KIN_OK : start_cluster(d, err);

    if (code != KIN_OK) {
        return code;
    }
    kin__cli_text_say(&d->title, "kinformer %s: informers of %s %s", kin_version(),
                      d->is_real ? "the cluster" : "a simulated cluster",
                      kin_config_server(kin_client_config(d->client)));
    d->page.title = kin__cli_text_chars(&d->title);
    return kin_factory_new(d->client, NULL, &d->factory, err);
}

static kin_err start_cluster(demo *d, kin_error *err)
{
    kin__cli_options options = d->cli->options;
    kin_config *config = NULL;
    kin_err code = kin_server_start(NULL, &d->server, err);

    options.pods = options.pods >= 0 ? options.pods : 100;
    options.rate = options.rate >= 0 ? options.rate : 100;
    options.seed = options.seed >= 0 ? options.seed : (int64_t) time(NULL);
    if (code == KIN_OK) {
        code = kin__cli_simulated_start(d->server, &options, &d->simulation, err);
    }
    if (code == KIN_OK) {
        const char *text = kin_server_kubeconfig(d->server);
        code = kin_config_from_text(text, strlen(text), NULL, NULL, &config, err);
    }
    if (code == KIN_OK) {
        code = kin_client_new(config, NULL, &d->client, err);
    }
    kin_config_unref(config);
    return code;
}

static kin_err start_informers(demo *d, hearer *hearers, kin_error *err)
{
    for (size_t i = 0; i < RESOURCES; i++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;

        options.resource = names[i];
        options.context = d;
        options.on_trouble = on_trouble;
        hearers[i] = (hearer){ d, i };
        handler.mode = KIN_DELIVERY_QUEUE;
        handler.context = &hearers[i];
        handler.on_add = handler.on_update = handler.on_delete = on_change;
        d->page.resources[i].name = names[i];
        d->page.resources[i].state = "";
        if (kin_factory_informer(d->factory, &options, &d->informers[i], err) != KIN_OK ||
            kin_informer_add_handler(d->informers[i], &handler, &d->registrations[i], err) != 0) {
            return err->code;
        }
    }
    if (d->server != NULL && start_probe(d, err) != KIN_OK) {
        return err->code;
    }
    kin_err code = kin_factory_start(d->factory, err);
    return code == KIN_OK ? wait_for_sync(d, err) : code;
}

/* In small steps, because Ctrl-C ends it too. */
static kin_err wait_for_sync(demo *d, kin_error *err)
{
    kin_err code = KIN_ERR_TIMEOUT;

    for (int64_t ms = 0; ms < SYNC_MS && code == KIN_ERR_TIMEOUT && !d->is_over; ms += STEP_MS) {
        code = kin_factory_wait_synced(d->factory, STEP_MS, err);
        see_signals(d);
        if (code != KIN_OK && see_refusal(d, err)) {
            return err->code;
        }
    }
    return d->is_over ? KIN_OK : code;
}

static bool see_refusal(demo *d, kin_error *err)
{
    pthread_mutex_lock(&d->lock);
    bool is_refused = d->is_refused;
    if (is_refused) {
        *err = d->refusal;
    }
    pthread_mutex_unlock(&d->lock);
    return is_refused;
}

static kin_err start_probe(demo *d, kin_error *err)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    kin_informer *informer = NULL;

    options.resource = "configmaps";
    options.ns = "default";
    options.field_selector = "metadata.name=" PROBE;
    handler.mode = KIN_DELIVERY_INLINE;
    handler.context = d;
    handler.on_add = handler.on_update = on_probe;
    kin_err code = kin_factory_informer(d->factory, &options, &informer, err);
    return code == KIN_OK ? kin_informer_add_handler(informer, &handler, &d->probe, err) : code;
}

/* What was shown on the screen goes with it: the last state is printed where it stays. */
static void end(demo *d)
{
    kin__cli_screen_close();
    if (d->start_us > 0) {
        measure(d);
        kin__cli_dashboard_summarize(&d->page, &d->text);
        kin__cli_print(d->cli, &d->text);
    }
    for (size_t i = 0; i < RESOURCES; i++) {
        kin_registration_free(d->registrations[i]);
    }
    kin_registration_free(d->probe);
    kin_factory_free(d->factory);
    kin_client_free(d->client);
    kin_simulation_free(d->simulation);
    kin_server_stop(d->server);
    kin__cli_dashboard_fini(&d->page);
    kin__cli_text_fini(&d->title);
    kin__cli_text_fini(&d->text);
    if (d->signals.fd >= 0) {
        kin__cli_signals_close(&d->signals);
    }
}

/* ---- waiting ------------------------------------------------------------------------------- */

static void follow(demo *d)
{
    d->start_us = d->next_page_us = d->next_probe_us = now_us();
    if (d->has_screen) {
        kin__cli_screen_open(d->cli->out);
    } else {
        fprintf(d->cli->out, "%s\n", d->page.title);
    }
    while (!d->is_over) {
        see_signals(d);
        see_changes(d);
        see_time(d);
        fflush(d->cli->out);
        if (!d->is_over) {
            wait_for_something(d);
        }
    }
}

static void wait_for_something(demo *d)
{
    struct pollfd fds[RESOURCES + 1] = { { d->signals.fd, POLLIN, 0 } };
    int64_t next = d->next_page_us;

    for (size_t i = 0; i < RESOURCES; i++) {
        fds[i + 1] = (struct pollfd){ kin_registration_fd(d->registrations[i]), POLLIN, 0 };
    }
    next = d->next_probe_us < next ? d->next_probe_us : next;
    int64_t left = (next - now_us()) / 1000 + 1;
    (void) poll(fds, RESOURCES + 1, left > 0 ? (int) left : 0);
}

static void see_signals(demo *d)
{
    int number = 0;

    while ((number = kin__cli_signals_take(&d->signals)) != 0) {
        if (number == SIGTSTP) {
            kin__cli_screen_suspend(d->cli->out);
        } else if (number != SIGWINCH) {
            d->is_over = true;
        }
        d->next_page_us = 0;
    }
}

static void see_changes(demo *d)
{
    kin_error err;

    for (size_t i = 0; i < RESOURCES; i++) {
        if (kin_registration_dispatch(d->registrations[i], 0, NULL, &err) != KIN_OK) {
            d->is_over = true;
        }
    }
}

static void see_time(demo *d)
{
    int64_t now = now_us();

    d->page.elapsed_ms = (now - d->start_us) / 1000;
    if (d->page.duration_ms > 0 && d->page.elapsed_ms >= d->page.duration_ms) {
        d->is_over = true;
    }
    if (now >= d->next_probe_us) {
        write_probe(d);
        d->next_probe_us = now + PROBE_MS * 1000;
    }
    if (now >= d->next_page_us) {
        measure(d);
        show(d);
        d->next_page_us = now + (d->has_screen ? PAGE_MS : SUMMARY_MS) * 1000;
    }
}

static void write_probe(demo *d)
{
    char json[256];
    kin_error err;

    if (d->server == NULL) {
        return;
    }
    int len =
        snprintf(json, sizeof json,
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" PROBE
                 "\",\"namespace\":\"default\"},\"data\":{\"sent\":\"%" PRId64 "\"}}",
                 now_us());
    if (kin_server_put(d->server, (kin_str){ json, (size_t) len }, NULL, &err) != KIN_OK) {
        atomic_store(&d->lag_us, -1);
    }
}

static void measure(demo *d)
{
    kin_error err;

    for (size_t i = 0; i < RESOURCES; i++) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;
        kin__cli_dashboard_resource *r = &d->page.resources[i];
        if (kin_informer_get_status(d->informers[i], &status, &err) == KIN_OK) {
            r->state = kin_informer_state_name(status.state);
            r->objects = status.objects;
            r->bytes = status.object_bytes + status.store_bytes;
        }
    }
    d->page.lag_us = atomic_load(&d->lag_us);
    d->page.longest_lag_us = atomic_load(&d->longest_lag_us);
    d->page.resident_bytes = resident_bytes();
}

/* Of the whole program, the server included; proc(5). */
static uint64_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long long pages = 0;

    if (file == NULL) {
        return 0;
    }
    if (fscanf(file, "%*u %llu", &pages) != 1) {
        pages = 0;
    }
    fclose(file);
    return (uint64_t) pages * (uint64_t) sysconf(_SC_PAGESIZE);
}

static void show(demo *d)
{
    if (d->has_screen) {
        kin_view pods = kin_store_read(kin_informer_store(d->informers[0]));
        kin__cli_dashboard_show(&d->page, &pods, &d->text);
        kin_store_done(&pods);
        kin__cli_screen_show(kin__cli_text_str(&d->text));
        kin__cli_text_clear(&d->text);
    } else {
        kin__cli_dashboard_summarize(&d->page, &d->text);
        kin__cli_print(d->cli, &d->text);
    }
}

/* ---- what informers tell ------------------------------------------------------------------- */

/* "  12.1s  pods MODIFIED shop/web-0  status.phase Pending -> Running"; heartbeats are counted, and
 * told nobody. */
static void on_change(void *context, const kin_notification *n)
{
    static const char *const types[] = { "", "ADDED", "MODIFIED", "DELETED" };
    const hearer *h = context;
    demo *d = h->d;
    kin__cli_text line = { 0 };
    kin__cli_changes changes;
    bool is_update = n->type == KIN_NOTIFICATION_UPDATED && n->before != NULL;

    if (n->is_initial || d->start_us == 0) {
        return;
    }
    d->page.resources[h->resource].changes++;
    if (is_update) {
        kin__cli_changes_find(n->before, n->object, &changes);
        if (!kin__cli_changes_are_telling(&changes)) {
            return;
        }
    }
    kin__cli_text_say(&line, "%5.1fs  %-11s %-8s  ", (double) (now_us() - d->start_us) / 1e6,
                      names[h->resource], types[n->type]);
    kin__cli_text_safe(&line, n->key);
    if (is_update) {
        kin__cli_text_say(&line, "  ");
        kin__cli_changes_show(&changes, CHANGES_SHOWN, &line);
    }
    kin__cli_dashboard_tell(&d->page, kin__cli_text_str(&line));
    if (!d->has_screen) {
        kin__cli_text_append(&line, kin_str_of("\n"));
        kin__cli_print(d->cli, &line);
    }
    kin__cli_text_fini(&line);
}

/* On the loop.  What the server refuses it will refuse again. */
static void on_trouble(void *context, const kin_error *err, int64_t retry_ms)
{
    demo *d = context;

    (void) retry_ms;
    if (err->code == KIN_ERR_FORBIDDEN || err->code == KIN_ERR_UNAUTHORIZED ||
        err->code == KIN_ERR_NOT_FOUND) {
        pthread_mutex_lock(&d->lock);
        d->refusal = d->is_refused ? d->refusal : *err;
        d->is_refused = true;
        pthread_mutex_unlock(&d->lock);
    }
}

/* On the loop. */
static void on_probe(void *context, const kin_notification *n)
{
    demo *d = context;
    char digits[24];
    kin_str sent;

    if (kin_value_str(kin_object_at(n->object, "data.sent"), NULL, 0, &sent) != KIN_OK ||
        n->is_initial) {
        return;
    }
    snprintf(digits, sizeof digits, "%.*s", KIN_STR_ARG(sent));
    int64_t lag = now_us() - strtoll(digits, NULL, 10);
    atomic_store(&d->lag_us, lag);
    if (lag > atomic_load(&d->longest_lag_us)) {
        atomic_store(&d->longest_lag_us, lag);
    }
}

static int64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
