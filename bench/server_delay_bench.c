/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_delay_bench.c - from a write in the embedded server to the handler of an informer, and
 * from the server's start to its first answer.
 *
 * Server and informer are in this process, with TLS and HTTP/2 between them, as in a test.  Halfway
 * between two changes a byte goes through a pipe to a thread that waits for it: what the machine
 * takes for that, which a change needs twice over, is printed beside.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "kin/kin.h"
#include "measure.h"
#include "server_bench.h"

#define SECONDS 4
#define CHANGES_MAX ((size_t) 1000 * SECONDS)
#define PATIENCE_MS 20000
#define STARTS 50

/* What the handler notes. */
typedef struct delays {
    double seconds[CHANGES_MAX];
    atomic_size_t count;
} delays;

/* A thread that waits at a pipe for the time when it was woken. */
typedef struct waiter {
    delays noted;
    int ends[2];
    pthread_t thread;
} waiter;

static kin_client *connect_to(const kin_server *server, kin_config **out_config);
static kin_informer *follow(kin_client *client, delays *noted, kin_registration **out);
static void measure(kin_server *server, const bench_single_pods *single, delays *noted,
                    size_t rate);
static void change(kin_server *server, const bench_single_pods *single, size_t rate, size_t count,
                   const waiter *beside);
static void wait_for(const delays *noted, size_t count);
static void note(delays *noted, double seconds);
static void start_waiter(waiter *w);
static void stop_waiter(waiter *w);
static void *run_waiter(void *context);
static void on_change(void *context, const kin_notification *n);
static double start_once(void);

void bench_server_delays(const bench_single_pods *single)
{
    static delays noted;
    kin_server *server = bench_server_start(false);
    kin_config *config;
    kin_client *client = connect_to(server, &config);
    kin_registration *registration;
    kin__buf scratch = { 0 };
    kin_error err;

    for (size_t i = 0; i < BENCH_SINGLE_PODS; i++) {
        kin_str pod = bench_marked_pod(single, i, 0, &scratch);
        bench_must(kin_server_put(server, pod, NULL, &err), &err);
    }
    kin_informer *informer = follow(client, &noted, &registration);
    measure(server, single, &noted, 50);
    measure(server, single, &noted, 1000);
    kin_informer_free(informer);
    kin_registration_free(registration);
    kin_client_free(client);
    kin_config_unref(config);
    kin_server_stop(server);
    kin__buf_fini(&scratch);
}

void bench_server_starts(void)
{
    double seconds[STARTS];

    (void) start_once();
    for (size_t i = 0; i < STARTS; i++) {
        seconds[i] = start_once();
    }
    double median = bench_quantile(seconds, STARTS, 0.5);
    printf("  from kin_server_start() to the first answer, with TLS: %.1f ms, %d starts, %.1f to "
           "%.1f\n",
           median * 1e3, STARTS, seconds[0] * 1e3, seconds[STARTS - 1] * 1e3);
    bench_promise_below("server: from the start to the first answer", median * 1e3, 20, "ms");
}

static kin_client *connect_to(const kin_server *server, kin_config **out_config)
{
    const char *text = kin_server_kubeconfig(server);
    kin_client *client;
    kin_error err;

    bench_must(kin_config_from_text(text, strlen(text), NULL, NULL, out_config, &err), &err);
    bench_must(kin_client_new(*out_config, NULL, &client, &err), &err);
    return client;
}

static kin_informer *follow(kin_client *client, delays *noted, kin_registration **out)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    kin_informer *informer;
    kin_error err;

    options.resource = "pods";
    handler.context = noted;
    handler.on_update = on_change;
    bench_must(kin_informer_new(client, &options, &informer, &err), &err);
    bench_must(kin_informer_add_handler(informer, &handler, out, &err), &err);
    bench_must(kin_informer_start(informer, &err), &err);
    bench_must(kin_informer_wait_synced(informer, PATIENCE_MS, &err), &err);
    return informer;
}

static void measure(kin_server *server, const bench_single_pods *single, delays *noted, size_t rate)
{
    static waiter beside;
    size_t count = rate * SECONDS;
    char what[80];

    atomic_store(&noted->count, 0);
    start_waiter(&beside);
    change(server, single, rate, count, &beside);
    wait_for(noted, count);
    wait_for(&beside.noted, count);
    stop_waiter(&beside);
    double p99 = bench_quantile(noted->seconds, count, 0.99) * 1e3;
    double woken = bench_quantile(beside.noted.seconds, count, 0.99) * 1e3;
    printf("  from a write to the handler, %zu changes a second: %.2f ms in the middle, %.2f ms "
           "for 99 of 100, %.2f ms at most\n",
           rate, noted->seconds[count / 2] * 1e3, p99, noted->seconds[count - 1] * 1e3);
    printf("    waking a thread meanwhile: %.2f, %.2f and %.2f ms\n",
           beside.noted.seconds[count / 2] * 1e3, woken, beside.noted.seconds[count - 1] * 1e3);
    (void) snprintf(what, sizeof what, "server: write to handler, 99 of 100, %zu a second", rate);
    bench_promise_below(what, p99, 1.0, "ms");
}

static void change(kin_server *server, const bench_single_pods *single, size_t rate, size_t count,
                   const waiter *beside)
{
    kin__buf scratch = { 0 };
    double gap = 1.0 / (double) rate;
    double due = bench_wall_s();
    kin_error err;

    for (size_t i = 0; i < count; i++) {
        double sent = bench_wall_s();
        kin_str pod = bench_marked_pod(single, i, (int64_t) (sent * 1e9), &scratch);
        bench_must(kin_server_put(server, pod, NULL, &err), &err);
        bench_sleep_until(due + gap / 2);
        sent = bench_wall_s();
        if (write(beside->ends[1], &sent, sizeof sent) != (ssize_t) sizeof sent) {
            bench_fail("the pipe is full");
        }
        bench_sleep_until(due += gap);
    }
    kin__buf_fini(&scratch);
}

static void wait_for(const delays *noted, size_t count)
{
    double deadline = bench_wall_s() + PATIENCE_MS / 1e3;

    while (atomic_load(&noted->count) < count) {
        if (bench_wall_s() > deadline) {
            bench_fail("%zu were told of %zu", atomic_load(&noted->count), count);
        }
        bench_sleep_until(bench_wall_s() + 0.01);
    }
}

static void on_change(void *context, const kin_notification *n)
{
    kin_str sent;
    double now = bench_wall_s();

    if (kin_value_str(kin_object_annotation(n->object, kin_str_of(BENCH_MARK)), NULL, 0, &sent) ==
        KIN_OK) {
        note(context, now - (double) strtoll(sent.data, NULL, 10) * 1e-9);
    }
}

/* By one thread at a time. */
static void note(delays *noted, double seconds)
{
    size_t place = atomic_load(&noted->count);

    if (place < CHANGES_MAX) {
        noted->seconds[place] = seconds;
        atomic_store(&noted->count, place + 1);
    }
}

static void start_waiter(waiter *w)
{
    atomic_store(&w->noted.count, 0);
    if (pipe(w->ends) != 0 || pthread_create(&w->thread, NULL, run_waiter, w) != 0) {
        bench_fail("no thread to be woken");
    }
}

static void stop_waiter(waiter *w)
{
    close(w->ends[1]);
    (void) pthread_join(w->thread, NULL);
    close(w->ends[0]);
}

static void *run_waiter(void *context)
{
    waiter *w = context;
    double sent;

    while (read(w->ends[0], &sent, sizeof sent) == (ssize_t) sizeof sent) {
        note(&w->noted, bench_wall_s() - sent);
    }
    return NULL;
}

/* The question is for an object, by the library's client; its making counts too. */
static double start_once(void)
{
    double begin = bench_wall_s();
    kin_server *server = bench_server_start(false);
    kin_config *config;
    kin_client *client = connect_to(server, &config);
    kin_request request = KIN_REQUEST_INIT;
    kin_resource *namespaces;
    kin_error err;

    bench_must(kin_resource_new("", "v1", "namespaces", "Namespace", false, &namespaces, &err),
               &err);
    request.verb = KIN_VERB_GET;
    request.of = namespaces;
    request.name = "default";
    bench_must(kin_client_run(client, &request, NULL, NULL, &err), &err);
    double took = bench_wall_s() - begin;
    kin_resource_unref(namespaces);
    kin_client_free(client);
    kin_config_unref(config);
    kin_server_stop(server);
    return took;
}
