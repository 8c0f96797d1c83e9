/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_bench.c - the embedded server: its parts, and what they share.
 *
 * Unlike the other parts this one measures elapsed time, because several processes and threads work
 * together.  So it prints the load of the machine.
 */
#include "server_bench.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "measure.h"

static void print_load(void);
static int compare(const void *a, const void *b);

void bench_server(const bench_pods *pods)
{
    bench_single_pods single;

    bench_single_pods_init(&single, pods);
    printf("\nserver: the embedded API server\n");
    print_load();
    bench_server_starts();
    bench_server_delays(&single);
    bench_server_watches(&single);
    bench_server_lists();
    print_load();
}

kin_server *bench_server_start(bool is_plain)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server *server;
    kin_error err;

    options.has_no_tls = is_plain;
    options.token = is_plain ? "" : NULL;
    bench_must(kin_server_start(&options, &server, &err), &err);
    return server;
}

uint16_t bench_server_port(const kin_server *server)
{
    const char *colon = strrchr(kin_server_url(server), ':');

    return (uint16_t) strtoul(colon + 1, NULL, 10);
}

void bench_must(kin_err code, const kin_error *err)
{
    if (code != KIN_OK) {
        bench_fail("%s", err->message);
    }
}

double bench_wall_s(void)
{
    struct timespec time;

    (void) clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

double bench_process_s(void)
{
    struct timespec time;

    (void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

void bench_sleep_until(double wall_s)
{
    time_t whole = (time_t) wall_s;
    struct timespec until = { .tv_sec = whole,
                              .tv_nsec = (long) ((wall_s - (double) whole) * 1e9) };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
    }
}

double bench_quantile(double *values, size_t count, double part)
{
    qsort(values, count, sizeof *values, compare);
    size_t place = (size_t) ((double) count * part);
    return values[place < count ? place : count - 1];
}

int bench_listen(uint16_t *out_port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *) &address, sizeof address) != 0 ||
        listen(fd, 1024) != 0 || getsockname(fd, (struct sockaddr *) &address, &len) != 0) {
        bench_fail("cannot listen");
    }
    *out_port = ntohs(address.sin_port);
    return fd;
}

static void print_load(void)
{
    double loads[1] = { 0 };

    (void) getloadavg(loads, 1);
    printf("  load of the machine over the last minute: %.1f\n", loads[0]);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *) a;
    double y = *(const double *) b;

    return (x > y) - (x < y);
}
