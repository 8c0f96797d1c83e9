/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.c - rounds, medians and the table of promises.
 */
#include "measure.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROMISES_MAX 64

typedef struct promise {
    char what[80];
    double got;
    double promised;
    const char *unit;
    bool is_ceiling; /* else a floor */
} promise;

static promise promises[PROMISES_MAX];
static size_t promise_count;
static volatile uint64_t used;

static void run_once(bench_contender *contender, double *out_seconds);
static void note(const char *what, double got, double promised, const char *unit, bool is_ceiling);
static bool holds(const promise *p);
static double now(void);
static int compare_doubles(const void *a, const void *b);

void bench_rounds(bench_contender *contenders, size_t count)
{
    double unwanted;

    for (size_t i = 0; i < count; i++) {
        run_once(&contenders[i], &unwanted);
    }
    for (size_t round = 0; round < BENCH_ROUNDS; round++) {
        for (size_t i = 0; i < count; i++) {
            bench_contender *contender = &contenders[(i + round) % count];
            run_once(contender, &contender->seconds[round]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        qsort(contenders[i].seconds, BENCH_ROUNDS, sizeof(double), compare_doubles);
    }
}

double bench_median(const bench_contender *contender)
{
    return contender->seconds[BENCH_ROUNDS / 2];
}

double bench_each_call(uint64_t (*run)(void *context, size_t calls), void *context, size_t calls)
{
    double seconds[BENCH_ROUNDS];

    bench_use(run(context, calls));
    for (size_t round = 0; round < BENCH_ROUNDS; round++) {
        double start = now();
        bench_use(run(context, calls));
        seconds[round] = now() - start;
    }
    qsort(seconds, BENCH_ROUNDS, sizeof(double), compare_doubles);
    return seconds[BENCH_ROUNDS / 2] / (double) calls;
}

void bench_use(uint64_t value)
{
    used = value;
}

void bench_promise_at_least(const char *what, double got, double promised, const char *unit)
{
    note(what, got, promised, unit, false);
}

void bench_promise_below(const char *what, double got, double promised, const char *unit)
{
    note(what, got, promised, unit, true);
}

size_t bench_promises_print(void)
{
    size_t missed = 0;

    printf("\n%-56s %17s %12s\n", "promised", "", "measured");
    for (size_t i = 0; i < promise_count; i++) {
        const promise *p = &promises[i];
        printf("%-56s %8s %5g %-2s %9.2f %-2s  %s\n", p->what, p->is_ceiling ? "under" : "at least",
               p->promised, p->unit, p->got, p->unit, holds(p) ? "holds" : "MISSED");
        missed += holds(p) ? 0 : 1;
    }
    return missed;
}

void bench_fail(const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fputs("bench: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static void run_once(bench_contender *contender, double *out_seconds)
{
    if (contender->before != NULL) {
        contender->before(contender->context);
    }
    double start = now();
    uint64_t found = contender->run(contender->context);
    *out_seconds = now() - start;
    if (contender->after != NULL) {
        contender->after(contender->context);
    }
    if (found != contender->expected) {
        bench_fail("%s found %" PRIu64 " where there are %" PRIu64, contender->name, found,
                   contender->expected);
    }
}

static void note(const char *what, double got, double promised, const char *unit, bool is_ceiling)
{
    if (promise_count == PROMISES_MAX) {
        bench_fail("too many promises");
    }
    promise *p = &promises[promise_count++];
    snprintf(p->what, sizeof p->what, "%s", what);
    p->got = got;
    p->promised = promised;
    p->unit = unit;
    p->is_ceiling = is_ceiling;
}

static bool holds(const promise *p)
{
    return p->is_ceiling ? p->got < p->promised : p->got >= p->promised;
}

static double now(void)
{
    struct timespec time;

    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) {
        bench_fail("there is no clock for the thread's processor time");
    }
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
    double x;
    double y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}
