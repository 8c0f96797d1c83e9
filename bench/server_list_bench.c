/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_list_bench.c - 100,000 pods in the embedded server: filling it, its memory, and lists of
 * all of them over plain HTTP/1.1 to a process that throws the bytes away.
 *
 * Beside it a bare program writes as many bytes from memory to the same reader.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cluster/anonymous.h"
#include "measure.h"
#include "server_bench.h"
#include "server_sink.h"

#define PODS 100000
#define POD_BYTES 7220 /* about */
#define LIST_BYTES ((size_t) 100 * 1000 * 1000)
#define ROUNDS 5

#define LIST_OF(type)                                                                              \
    "GET /api/v1/pods HTTP/1.1\r\nHost: bench\r\nAccept: " type "\r\nConnection: close\r\n\r\n"
#define JSON LIST_OF("application/json")
#define PROTOBUF LIST_OF("application/vnd.kubernetes.protobuf")

/* All that is held, and who asks for it. */
typedef struct scene {
    kin_server *server;
    bench_sink sink;
    uint16_t port;
    int bare;
    uint16_t bare_port;
    kin_server_answer body; /* what the bare program writes */
} scene;

/* Of lists in one encoding. */
typedef struct rates {
    double ours[ROUNDS]; /* MB/s */
    double bare[ROUNDS];
    double cpu[ROUNDS]; /* of this process: seconds */
} rates;

static size_t fill(kin_server *server);
static void print_memory(long before_kb, size_t pods, const char *when);
static void measure(scene *s, const char *name, const char *request, double promised);
static bench_taken take(const scene *s, const char *request);
static bench_taken take_bare(const scene *s, size_t len);

void bench_server_lists(void)
{
    scene s = { .sink = bench_sink_start() };
    kin_error err;

    s.bare = bench_listen(&s.bare_port);
    s.server = bench_server_start(true);
    s.port = bench_server_port(s.server);
    long before_kb = anonymous_now();
    size_t pods = fill(s.server);
    print_memory(before_kb, pods, "filled");
    bench_must(kin_server_ask(s.server, "GET", "/api/v1/pods", NULL, kin_str_of(""), &s.body, &err),
               &err);
    measure(&s, "JSON", JSON, 500);
    bench_taken first = take(&s, PROTOBUF);
    printf("  the first list as protobuf, whose forms are made: %.2f s, %.0f MB/s\n", first.all_s,
           (double) first.bytes * 1e-6 / first.all_s);
    measure(&s, "protobuf", PROTOBUF, 1000);
    kin_server_answer_fini(&s.body);
    print_memory(before_kb, pods, "with its protobuf");
    kin_server_stop(s.server);
    bench_sink_stop(&s.sink);
    close(s.bare);
}

/* In lists of 100 MB; returns how many pods it is, about PODS. */
static size_t fill(kin_server *server)
{
    kin_server_counts counts;
    size_t bytes = 0;
    size_t pods = 0;
    double took = 0;
    double used = 0;
    kin_error err;

    for (uint64_t seed = 1; pods < PODS; seed++) {
        bench_pods list;
        size_t left = (PODS - pods) * POD_BYTES;
        if (!bench_pods_init(&list, left < LIST_BYTES ? left : LIST_BYTES, seed)) {
            bench_fail("no memory for the pods");
        }
        double begin = bench_wall_s();
        double cpu = bench_process_s();
        bench_must(kin_server_put_list(server, (kin_str){ list.document.data, list.document.len },
                                       NULL, &err),
                   &err);
        took += bench_wall_s() - begin;
        used += bench_process_s() - cpu;
        pods += list.count;
        bytes += list.document.len;
        bench_pods_fini(&list);
    }
    kin_server_get_counts(server, &counts);
    if (counts.objects < pods) {
        bench_fail("of %zu pods the server holds %llu", pods, (unsigned long long) counts.objects);
    }
    printf("  filled with %zu pods of %zu bytes in %.1f s: %.0f us of the processor for each\n",
           pods, bytes / pods, took, used * 1e6 / (double) pods);
    return pods;
}

static void print_memory(long before_kb, size_t pods, const char *when)
{
    printf("  memory, %s: %.0f bytes a pod\n", when,
           (double) (anonymous_now() - before_kb) * 1024 / (double) pods);
}

static void measure(scene *s, const char *name, const char *request, double promised)
{
    rates r;
    char what[80];

    for (size_t i = 0; i < ROUNDS; i++) {
        double cpu = bench_process_s();
        bench_taken ours = take(s, request);
        r.cpu[i] = bench_process_s() - cpu;
        bench_taken bare = take_bare(s, ours.bytes);
        r.ours[i] = (double) ours.bytes * 1e-6 / ours.all_s;
        r.bare[i] = (double) bare.bytes * 1e-6 / bare.all_s;
        if (i == 0) {
            printf("  list, %s: %.0f MB, the first byte after %.0f ms\n", name,
                   (double) ours.bytes * 1e-6, ours.first_s * 1e3);
        }
    }
    double rate = bench_quantile(r.ours, ROUNDS, 0.5);
    double bare = bench_quantile(r.bare, ROUNDS, 0.5);
    printf("    %.0f MB/s (%.0f to %.0f), bare writes %.0f MB/s: %.2f of them; %.2f s of the "
           "processor\n",
           rate, r.ours[0], r.ours[ROUNDS - 1], bare, rate / bare,
           bench_quantile(r.cpu, ROUNDS, 0.5));
    snprintf(what, sizeof what, "server: a list of 100,000 pods, %s", name);
    bench_promise_at_least(what, rate, promised, "MB/s");
}

static bench_taken take(const scene *s, const char *request)
{
    bench_sink_begin(&s->sink, s->port, request);
    return bench_sink_end(&s->sink);
}

static bench_taken take_bare(const scene *s, size_t len)
{
    bench_sink_begin(&s->sink, s->bare_port, "GET");
    int fd = accept(s->bare, NULL, NULL);
    const char *at = s->body.body;
    size_t left = len < s->body.len ? len : s->body.len;
    char request[4];

    if (fd < 0 || read(fd, request, sizeof request) <= 0) {
        bench_fail("the process that reads does not ask");
    }
    while (left > 0) {
        ssize_t done = write(fd, at, left);
        if (done <= 0) {
            bench_fail("a bare write fails");
        }
        at += done;
        left -= (size_t) done;
    }
    close(fd);
    return bench_sink_end(&s->sink);
}
