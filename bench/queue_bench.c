/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_bench.c - keys through a work queue, on one thread.
 *
 * A round is an addition, a taking and a giving back.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "bench.h"
#include "kin/queue.h"
#include "measure.h"

#define CALLS 2000000
#define KEY_ROOM 32

/* Keys of 30 bytes, so many of which wait at once. */
typedef struct belt {
    kin_queue *queue;
    size_t count;
    size_t batch;
    size_t next;
    char (*keys)[KEY_ROOM];
} belt;

static void belt_init(belt *b, size_t count, size_t batch, kin_metrics *metrics)
{
    kin_queue_options options = KIN_QUEUE_OPTIONS_INIT;
    kin_error err;

    options.metrics = metrics;
    *b = (belt){ .count = count, .batch = batch };
    b->keys = kin__alloc(count * sizeof b->keys[0]);
    if (b->keys == NULL || kin_queue_new(&options, &b->queue, &err) != KIN_OK) {
        bench_fail("no memory for a queue");
    }
    for (size_t i = 0; i < count; i++) {
        snprintf(b->keys[i], KEY_ROOM, "namespace-%02zu/deployment-%06zu", i % 40, i % 1000000);
    }
}

static void belt_fini(belt *b)
{
    kin_queue_free(b->queue);
    kin__free(b->keys);
}

static void add_next(belt *b)
{
    kin_str key = { b->keys[b->next], 30 };

    b->next = b->next + 1 == b->count ? 0 : b->next + 1;
    if (kin_queue_add(b->queue, key, NULL, NULL) != KIN_OK) {
        bench_fail("a key could not be added");
    }
}

static uint64_t run_belt(void *context, size_t calls)
{
    belt *b = context;
    kin_queue_item item;
    uint64_t taken = 0;

    for (size_t done = 0; done < calls; done += b->batch) {
        for (size_t i = 0; i < b->batch; i++) {
            add_next(b);
        }
        for (size_t i = 0; i < b->batch; i++) {
            if (kin_queue_take(b->queue, NULL, 0, &item, NULL) != KIN_OK) {
                bench_fail("a key was lost");
            }
            taken += item.key.len;
            kin_queue_done(b->queue, &item);
        }
    }
    return taken;
}

/* Keys that wait already: most additions of a busy queue. */
static uint64_t add_again(void *context, size_t calls)
{
    for (size_t i = 0; i < calls; i++) {
        add_next(context);
    }
    return calls;
}

/* As when each is put off: half of the keys are to come later at any time. */
static uint64_t run_later(void *context, size_t calls)
{
    belt *b = context;
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;
    options.delay_ms = 3600 * 1000;
    uint64_t cancelled = 0;

    for (size_t i = 0; i < calls; i++) {
        kin_str key = { b->keys[i % b->count], 30 };
        if (kin_queue_add(b->queue, key, &options, NULL) != KIN_OK) {
            bench_fail("a key could not be added");
        }
        if (i >= b->count / 2) {
            key.data = b->keys[(i - b->count / 2) % b->count];
            cancelled += kin_queue_cancel(b->queue, key);
        }
    }
    return cancelled;
}

static double print(const char *what, double seconds)
{
    printf("  %-46s %7.1f ns %9.1f million a second\n", what, seconds * 1e9, 1e-6 / seconds);
    return 1e-6 / seconds;
}

static double bench_belt(const char *what, size_t count, size_t batch, kin_metrics *metrics)
{
    belt b;

    belt_init(&b, count, batch, metrics);
    double rate = print(what, bench_each_call(run_belt, &b, CALLS));
    belt_fini(&b);
    return rate;
}

void bench_queue(const bench_pods *pods)
{
    kin_metrics *metrics = NULL;
    belt b;

    (void) pods;
    printf("\nwork queue: add, take and done of keys of 30 bytes\n");
    (void) bench_belt("one key at a time, of 20,000", 20000, 1, NULL);
    double rate = bench_belt("1,000 that wait, of 20,000", 20000, 1000, NULL);
    (void) bench_belt("100,000 that wait", 100000, 100000, NULL);
    if (kin_metrics_new(&metrics, NULL) != KIN_OK) {
        bench_fail("no memory");
    }
    (void) bench_belt("1,000 that wait, of 20,000, with metrics", 20000, 1000, metrics);
    belt_init(&b, 1000, 1, NULL);
    (void) add_again(&b, 1000);
    (void) print("adding one of 1,000 that wait already", bench_each_call(add_again, &b, CALLS));
    belt_fini(&b);
    belt_init(&b, 20000, 1, NULL);
    (void) print("for later and cancelled, 10,000 at once", bench_each_call(run_later, &b, CALLS));
    belt_fini(&b);
    kin_metrics_free(metrics);
    bench_promise_at_least("add, take and done of a key", rate, 5, "million a second");
}
