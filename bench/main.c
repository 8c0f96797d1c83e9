/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - measures the library on 100 MB of pods.
 *
 *     kin-bench [json] [objects] [fields] [selectors] [proto] [store] [queue] [server]
 *
 * Without arguments all parts run, and the table of promises is complete.  Ends with 1 when
 * a promised figure does not hold.  Use a release build.
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "measure.h"

#define DOCUMENT_BYTES (100u * 1000 * 1000)
#define SEED 1

typedef struct part {
    const char *name;
    void (*run)(const bench_pods *pods);
} part;

static const part parts[] = {
    { "json", bench_json },           { "objects", bench_objects }, { "fields", bench_fields },
    { "selectors", bench_selectors }, { "proto", bench_proto },     { "store", bench_store },
    { "queue", bench_queue },         { "server", bench_server },
};

#define PART_COUNT (sizeof parts / sizeof parts[0])

static bool is_wanted(const char *name, int argc, char **argv);
static bool is_part(const char *name);

int main(int argc, char **argv)
{
    bench_pods pods;

    for (int i = 1; i < argc; i++) {
        if (!is_part(argv[i])) {
            bench_fail("\"%s\" is no part; there are json, objects, fields, selectors, proto, "
                       "store, queue and server",
                       argv[i]);
        }
    }
#ifndef NDEBUG
    puts("This is no release build: the figures say little.");
#endif
    if (!bench_pods_init(&pods, DOCUMENT_BYTES, SEED)) {
        bench_fail("no memory for the pods");
    }
    if (pods.bytes_each < 6500 || pods.bytes_each > 7500) {
        bench_fail("pods of %.0f bytes are not realistic", pods.bytes_each);
    }
    printf("A list of %zu pods of %.0f bytes, %.1f MB of JSON; medians of %d rounds, processor "
           "time.\n",
           pods.count, pods.bytes_each, (double) pods.document.len * 1e-6, BENCH_ROUNDS);
    for (size_t i = 0; i < PART_COUNT; i++) {
        if (is_wanted(parts[i].name, argc, argv)) {
            parts[i].run(&pods);
            fflush(stdout);
        }
    }
    size_t missed = bench_promises_print();
    bench_pods_fini(&pods);
    return missed == 0 ? 0 : 1;
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            return true;
        }
    }
    return argc == 1;
}

static bool is_part(const char *name)
{
    for (size_t i = 0; i < PART_COUNT; i++) {
        if (strcmp(parts[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}
