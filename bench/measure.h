/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h - how long things take, and whether that is what was promised.
 *
 * Contenders for the same work run in turn, a round after the other, so that whatever disturbs
 * the machine disturbs all of them.  What counts is the median of a contender's rounds.  Time is
 * the processor time of the thread: other programs on the machine do not count.
 */
#ifndef KIN_BENCH_MEASURE_H
#define KIN_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_ROUNDS 7

/* One way to do some work. */
typedef struct bench_contender {
    char name[64];
    uint64_t (*run)(void *context); /* the work; returns what it found */
    void (*before)(void *context);  /* not measured; NULL: nothing */
    void (*after)(void *context);   /* the same */
    void *context;
    uint64_t expected;            /* anything else found ends the program */
    double seconds[BENCH_ROUNDS]; /* filled in; sorted afterwards */
} bench_contender;

/* Runs all in turn: one round to warm up, then BENCH_ROUNDS that count. */
void bench_rounds(bench_contender *contenders, size_t count);

/* In seconds; after bench_rounds(). */
double bench_median(const bench_contender *contender);

/* Seconds for one of `calls` calls of which `run(context, calls)` makes many: the median of
 * several measurements, after one to warm up. */
double bench_each_call(uint64_t (*run)(void *context, size_t calls), void *context, size_t calls);

/* What one round of a contender keeps alive against the compiler's wish. */
void bench_use(uint64_t value);

/* Notes a promised figure and whether it holds. */
void bench_promise_at_least(const char *what, double got, double promised, const char *unit);
void bench_promise_below(const char *what, double got, double promised, const char *unit);

/* Prints what was noted; returns how many do not hold. */
size_t bench_promises_print(void);

/* Prints one line to standard error and ends the program. */
_Noreturn void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* KIN_BENCH_MEASURE_H */
