/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_watch_bench.c - what 500 open watches cost the embedded server when pods change.
 *
 * The server works in this process, and who watches in others.  The cost of a delivery is the
 * processor time of this process while pods change, less that of the same changes while nobody
 * watches, over the number of deliveries.  Beside it, in the same rounds and at the same pace, as
 * many bare write(2) of the same bytes to as many sockets of the same reader.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "measure.h"
#include "server_bench.h"
#include "server_sink.h"
#include "server_watchers.h"

#define WATCHES 500
#define RATE 50
#define SECONDS 2
#define CHANGES ((size_t) RATE * SECONDS)
#define DELIVERIES ((double) CHANGES * WATCHES)
#define ROUNDS 5
#define QUIET_S 0.3 /* what is on the way arrives within it */
#define PATIENCE_S 30.0

typedef struct scene {
    const bench_single_pods *single;
    kin_server *server;
    kin__buf scratch;
    int64_t mark; /* of the last change */
} scene;

static void bench_plain(scene *s, bench_sink *sink);
static void bench_tls(scene *s, bench_watchers *watching);
static void fill(scene *s);
static double change_quietly(scene *s);
static double deliver_plain(scene *s, const bench_sink *sink, size_t frame_len);
static double write_bare(const bench_sink *sink, const kin__buf *frame);
static void wait_for_bytes(const bench_sink *sink, size_t len);
static double change(scene *s);
static void frame_of_change(scene *s, kin__buf *frame);

void bench_server_watches(const bench_single_pods *single)
{
    bench_sink sink = bench_sink_start();
    bench_watchers watching = bench_watchers_start();
    scene plain = { .single = single };
    scene secure = { .single = single };

    plain.server = bench_server_start(true);
    fill(&plain);
    bench_plain(&plain, &sink);
    kin_server_stop(plain.server);
    secure.server = bench_server_start(false);
    fill(&secure);
    bench_tls(&secure, &watching);
    bench_watchers_stop(&watching);
    kin_server_stop(secure.server);
    bench_sink_stop(&sink);
    kin__buf_fini(&plain.scratch);
    kin__buf_fini(&secure.scratch);
}

static void bench_plain(scene *s, bench_sink *sink)
{
    double quiet[ROUNDS];
    double ours[ROUNDS];
    double bare[ROUNDS];
    kin__buf frame = { 0 };

    frame_of_change(s, &frame);
    for (size_t i = 0; i < ROUNDS; i++) {
        quiet[i] = change_quietly(s);
        ours[i] = deliver_plain(s, sink, frame.len) - quiet[i];
        bare[i] = write_bare(sink, &frame);
    }
    double each = bench_quantile(ours, ROUNDS, 0.5) / DELIVERIES;
    double least = bench_quantile(bare, ROUNDS, 0.5) / DELIVERIES;
    printf("  %d watches, %d changes a second, %zu bytes a delivery, plain HTTP/1.1:\n", WATCHES,
           RATE, frame.len);
    printf("    %.2f us of the processor a delivery, bare write(2) %.2f us: %.2f times; a change "
           "itself %.0f us\n",
           each * 1e6, least * 1e6, each / least,
           bench_quantile(quiet, ROUNDS, 0.5) / (double) CHANGES * 1e6);
    bench_promise_below("server: a delivery, beside a bare write(2)", each / least, 2.0, "x");
    kin__buf_fini(&frame);
}

static void bench_tls(scene *s, bench_watchers *watching)
{
    double quiet[ROUNDS];
    double ours[ROUNDS];

    for (size_t i = 0; i < ROUNDS; i++) {
        quiet[i] = change_quietly(s);
    }
    bench_watchers_open(watching, kin_server_kubeconfig(s->server), WATCHES);
    size_t told = 0;
    for (size_t i = 0; i < ROUNDS; i++) {
        double before = bench_process_s();
        double deadline = change(s) + PATIENCE_S;
        while (told < (i + 1) * CHANGES * WATCHES && bench_wall_s() < deadline) {
            bench_sleep_until(bench_wall_s() + QUIET_S / 4);
            told = bench_watchers_told(watching);
        }
        ours[i] = bench_process_s() - before;
    }
    if (told != ROUNDS * CHANGES * WATCHES) {
        bench_fail("%zu deliveries were made where %zu were due", told, ROUNDS * CHANGES * WATCHES);
    }
    double each =
        (bench_quantile(ours, ROUNDS, 0.5) - bench_quantile(quiet, ROUNDS, 0.5)) / DELIVERIES;
    printf("    the same over TLS and HTTP/2, as protobuf: %.2f us a delivery\n", each * 1e6);
}

static void fill(scene *s)
{
    kin_error err;

    for (size_t i = 0; i < BENCH_SINGLE_PODS; i++) {
        kin_str pod = bench_marked_pod(s->single, i, 0, &s->scratch);
        bench_must(kin_server_put(s->server, pod, NULL, &err), &err);
    }
}

static double change_quietly(scene *s)
{
    double before = bench_process_s();

    bench_sleep_until(change(s) + QUIET_S);
    return bench_process_s() - before;
}

static double deliver_plain(scene *s, const bench_sink *sink, size_t frame_len)
{
    char request[BENCH_SINK_REQUEST];
    kin_server_counts counts;
    double deadline = bench_wall_s() + PATIENCE_S;

    (void) snprintf(request, sizeof request,
                    "GET /api/v1/pods?watch=1&resourceVersion=%llu HTTP/1.1\r\nHost: bench\r\n"
                    "Accept: application/json\r\n\r\n",
                    (unsigned long long) kin_server_revision(s->server));
    bench_sink_open(sink, bench_server_port(s->server), WATCHES, request);
    double before = bench_process_s();
    (void) change(s);
    wait_for_bytes(sink, CHANGES * WATCHES * (frame_len - 64)); /* pods differ a little */
    bench_sleep_until(bench_wall_s() + QUIET_S);
    double used = bench_process_s() - before;
    bench_sink_close(sink);
    do {
        bench_sleep_until(bench_wall_s() + 0.01);
        kin_server_get_counts(s->server, &counts);
    } while (counts.watches > 0 && bench_wall_s() < deadline);
    return used;
}

static double write_bare(const bench_sink *sink, const kin__buf *frame)
{
    int sockets[WATCHES];
    uint16_t port;
    int listener = bench_listen(&port);

    bench_sink_open(sink, port, WATCHES, "");
    for (size_t i = 0; i < WATCHES; i++) {
        sockets[i] = accept(listener, NULL, NULL);
    }
    double before = bench_process_s();
    double due = bench_wall_s();
    for (size_t change_no = 0; change_no < CHANGES; change_no++) {
        for (size_t i = 0; i < WATCHES; i++) {
            if (write(sockets[i], frame->data, frame->len) != (ssize_t) frame->len) {
                bench_fail("a bare write fails");
            }
        }
        bench_sleep_until(due += 1.0 / RATE);
    }
    wait_for_bytes(sink, CHANGES * WATCHES * frame->len);
    bench_sleep_until(bench_wall_s() + QUIET_S);
    double used = bench_process_s() - before;
    bench_sink_close(sink);
    for (size_t i = 0; i < WATCHES; i++) {
        close(sockets[i]);
    }
    close(listener);
    return used;
}

static void wait_for_bytes(const bench_sink *sink, size_t len)
{
    double deadline = bench_wall_s() + PATIENCE_S;

    while (bench_sink_bytes(sink) < len) {
        if (bench_wall_s() > deadline) {
            bench_fail("only %llu bytes of %zu were delivered",
                       (unsigned long long) bench_sink_bytes(sink), len);
        }
        bench_sleep_until(bench_wall_s() + 0.01);
    }
}

/* All of a round's changes; returns when that was, in bench_wall_s(). */
static double change(scene *s)
{
    double due = bench_wall_s();
    kin_error err;

    for (size_t i = 0; i < CHANGES; i++) {
        kin_str pod = bench_marked_pod(s->single, (size_t) s->mark, s->mark + 1, &s->scratch);
        s->mark++;
        bench_must(kin_server_put(s->server, pod, NULL, &err), &err);
        bench_sleep_until(due += 1.0 / RATE);
    }
    return bench_wall_s();
}

/* What a watch sends for one: a chunk. */
static void frame_of_change(scene *s, kin__buf *frame)
{
    kin_server_answer answer;
    char path[80];
    kin_error err;

    (void) snprintf(path, sizeof path, "/api/v1/pods?watch=1&resourceVersion=%llu",
                    (unsigned long long) kin_server_revision(s->server));
    kin_str pod = bench_marked_pod(s->single, 0, ++s->mark, &s->scratch);
    bench_must(kin_server_put(s->server, pod, NULL, &err), &err);
    bench_must(kin_server_ask(s->server, "GET", path, NULL, STR(""), &answer, &err), &err);
    if (answer.status != 200 || !kin__buf_append_format(frame, "%zx\r\n", answer.len) ||
        !kin__buf_append(frame, answer.body, answer.len) ||
        !kin__buf_append_str(frame, STR("\r\n"))) {
        bench_fail("a watch is answered with %d", answer.status);
    }
    kin_server_answer_fini(&answer);
}
