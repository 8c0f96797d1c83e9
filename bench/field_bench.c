/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_bench.c - reading one field of a pod, and matching its labels.
 *
 * "Hot" is the same pod again and again, all of it in the nearest caches.  "All pods" takes one
 * pod after the other in random order, so that hardly a byte of it is near.  A reading is
 * what a program does: from the path to the string.
 *
 * What a reading in random order takes is mostly the memory's time, and differs with what else goes
 * on in the machine.  "Memory alone" shows how much: it looks at the same pods in the same order,
 * at one byte of each cache line that a reading goes over, and does nothing else.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench.h"
#include "kin/path.h"
#include "kin/selector.h"
#include "kin/value.h"
#include "measure.h"
#include "peers.h"

#define HOT_CALLS 200000
#define HOT_PARSE_CALLS 2000

/* The bytes that a reading goes over, beside the object's first ones. */
typedef struct field_bytes {
    const char *from;
    const char *to;
} field_bytes;

typedef struct field_work {
    kin_object *const *objects; /* in the order of reading */
    size_t count;
    const field_bytes *bytes; /* of each object */
    const char *text;         /* of the path */
    const kin_path *path;     /* NULL: by text */
    const kin_selector *selector;
    const char *part; /* the same place for the peers */
    const char *name;
    const void *tree;
    peer_simdjson *simdjson;
    const char *json;
    size_t json_len;
} field_work;

static void bench_field(kin_object *const *objects, size_t count, const char *part,
                        const char *name);
static double bench_field_of_peers(field_work *work);
static void bench_field_of_objects(field_work *work, size_t count, double tree);
static void bench_memory(field_work *work, size_t count, double tree);
static void bench_selector(kin_object *const *objects, size_t count, const char *text);
static void print_field(const char *text, const char *how, double seconds, double tree);
static uint64_t read_fields(void *context, size_t calls);
static uint64_t touch_lines(void *context, size_t calls);
static uint64_t match_labels(void *context, size_t calls);
static uint64_t read_tree(void *context, size_t calls);
static uint64_t parse_and_read(void *context, size_t calls);
static void shuffle(kin_object **objects, size_t count);

void bench_fields(const bench_pods *pods)
{
    kin_object **objects = bench_whole_objects(pods);

    shuffle(objects, pods->count);
    printf("\n%-30s %-26s %7s %25s\n", "fields: one of a pod", "", "", "beside a cJSON tree, hot");
    bench_field(objects, pods->count, "spec", "nodeName");
    bench_field(objects, pods->count, "status", "podIP");
    bench_drop_objects(objects, pods->count);
    kin__free(objects);
}

void bench_selectors(const bench_pods *pods)
{
    kin_object **objects = bench_whole_objects(pods);

    /* The first one stays: it is the hot one. */
    shuffle(objects + 1, pods->count - 1);
    printf("\n%-82s %9s %11s\n", "selectors: on a pod's labels", "hot", "all pods");
    /* All of them match the first pod, so that every requirement is looked at. */
    bench_selector(objects, pods->count, "app=api-0");
    bench_selector(objects, pods->count,
                   "app.kubernetes.io/name=api-0,tier in (web,api,cache,batch),!legacy");
    bench_selector(
        objects, pods->count,
        "app,pod-template-hash,tier!=proxy,topology.kubernetes.io/zone notin (us-east-1a)");
    bench_drop_objects(objects, pods->count);
    kin__free(objects);
}

static void bench_field(kin_object *const *objects, size_t count, const char *part,
                        const char *name)
{
    char text[64];
    kin_error err;
    kin_path *path;
    field_work work = { .objects = objects, .count = 1, .text = text, .part = part, .name = name };

    snprintf(text, sizeof text, "%s.%s", part, name);
    if (kin_path_new(text, &path, &err) != KIN_OK) {
        bench_fail("%s", err.message);
    }
    double tree = bench_field_of_peers(&work);
    bench_field_of_objects(&work, count, tree);
    work.path = path;
    bench_field_of_objects(&work, count, tree);
    bench_memory(&work, count, tree);
    kin_path_free(path);
}

/* Returns the seconds of a reading from cJSON's tree. */
static double bench_field_of_peers(field_work *work)
{
    char *json;
    size_t len;
    kin_error err;

    if (kin_object_json(work->objects[0], &json, &len, &err) != KIN_OK) {
        bench_fail("%s", err.message);
    }
    char *padded = kin__alloc_zero(len + BENCH_PADDING, 1);
    void *tree = peer_cjson_parse(json, len);
    peer_simdjson *simdjson = peer_simdjson_new();
    if (padded == NULL || tree == NULL || simdjson == NULL) {
        bench_fail("no memory");
    }
    memcpy(padded, json, len);
    work->tree = tree;
    work->simdjson = simdjson;
    work->json = padded;
    work->json_len = len;

    double from_tree = bench_each_call(read_tree, work, HOT_CALLS);
    double parsing = bench_each_call(parse_and_read, work, HOT_PARSE_CALLS);
    print_field(work->text, "cJSON tree, hot", from_tree, from_tree);
    print_field(work->text, "simdjson, parsing it, hot", parsing, from_tree);
    peer_simdjson_free(simdjson);
    peer_cjson_free(tree);
    kin__free(padded);
    kin_free(json);
    return from_tree;
}

static void bench_field_of_objects(field_work *work, size_t count, double tree)
{
    const char *how = work->path == NULL ? "text" : "compiled";
    char what[96];

    work->count = 1;
    double hot = bench_each_call(read_fields, work, HOT_CALLS);
    snprintf(what, sizeof what, "kin, %s, hot", how);
    print_field(work->text, what, hot, tree);
    snprintf(what, sizeof what, "%s, %s path, hot", work->text, how);
    bench_promise_below(what, hot * 1e9, 1000, "ns");

    work->count = count;
    double cold = bench_each_call(read_fields, work, count);
    snprintf(what, sizeof what, "kin, %s, all pods", how);
    print_field(work->text, what, cold, tree);
    snprintf(what, sizeof what, "%s, %s path, all pods", work->text, how);
    bench_promise_below(what, cold * 1e9, 1000, "ns");
}

static void bench_memory(field_work *work, size_t count, double tree)
{
    field_bytes *bytes = kin__alloc_zero(count, sizeof *bytes);
    if (bytes == NULL) {
        bench_fail("no memory");
    }
    for (size_t i = 0; i < count; i++) {
        bytes[i].from = kin_object_at(work->objects[i], work->part).at;
        bytes[i].to = kin_object_at_path(work->objects[i], work->path).at;
    }
    work->bytes = bytes;
    print_field(work->text, "memory alone, all pods", bench_each_call(touch_lines, work, count),
                tree);
    kin__free(bytes);
}

static void bench_selector(kin_object *const *objects, size_t count, const char *text)
{
    kin_selector *selector;
    kin_error err;
    char what[80];

    if (kin_selector_parse(text, &selector, &err) != KIN_OK) {
        bench_fail("selector: %s", err.message);
    }
    if (!kin_selector_matches(selector, objects[0])) {
        bench_fail("\"%s\" does not match the first pod", text);
    }
    field_work work = { .objects = objects, .count = 1, .selector = selector };
    double hot = bench_each_call(match_labels, &work, HOT_CALLS);
    work.count = count;
    double cold = bench_each_call(match_labels, &work, count);
    printf("  %-80s %6.1f ns %8.1f ns\n", text, hot * 1e9, cold * 1e9);
    snprintf(what, sizeof what, "selector, hot: %.34s%s", text, strlen(text) > 34 ? "..." : "");
    bench_promise_below(what, hot * 1e9, 40, "ns");
    kin_selector_free(selector);
}

static void print_field(const char *text, const char *how, double seconds, double tree)
{
    printf("  %-28s %-26s %7.1f ns %22.2f x\n", text, how, seconds * 1e9, tree / seconds);
}

static uint64_t read_fields(void *context, size_t calls)
{
    const field_work *work = context;
    uint64_t sum = 0;
    size_t next = 0;

    for (size_t i = 0; i < calls; i++) {
        const kin_object *object = work->objects[next];
        kin_str text;
        kin_value value = work->path == NULL ? kin_object_at(object, work->text)
                                             : kin_object_at_path(object, work->path);
        if (kin_value_str(value, NULL, 0, &text) != KIN_OK || text.len == 0) {
            bench_fail("%s: no string there", work->text);
        }
        sum += text.len + (unsigned char) text.data[text.len - 1];
        next = next + 1 == work->count ? 0 : next + 1;
    }
    return sum;
}

/* Zero for every value that comes up here, which neither compiler nor processor know: what is added
 * to it has to wait for the value. */
static inline uint64_t zero_after(uint64_t value)
{
    __asm__ volatile("" : "+r"(value));
    return value >> 63;
}

/* The object first, then where its fields are, then the field: none is known before the one before
 * it, and so each is waited for.  The lines of the field are asked for all at once. */
static uint64_t touch_lines(void *context, size_t calls)
{
    const field_work *work = context;
    uint64_t sum = 0;

    for (size_t i = 0; i < calls; i++) {
        const unsigned char *object = (const unsigned char *) work->objects[i];
        uint64_t seen = object[zero_after(sum)];
        seen = object[192 + zero_after(seen)];
        const char *at = work->bytes[i].from + zero_after(seen);
        for (; at < work->bytes[i].to; at += 64) {
            sum += (unsigned char) *at;
        }
    }
    return sum;
}

static uint64_t match_labels(void *context, size_t calls)
{
    const field_work *work = context;
    uint64_t matches = 0;
    size_t next = 0;

    for (size_t i = 0; i < calls; i++) {
        matches += kin_selector_matches(work->selector, work->objects[next]) ? 1 : 0;
        next = next + 1 == work->count ? 0 : next + 1;
    }
    return matches;
}

static uint64_t read_tree(void *context, size_t calls)
{
    const field_work *work = context;
    uint64_t sum = 0;

    for (size_t i = 0; i < calls; i++) {
        uint64_t len = peer_cjson_field(work->tree, work->part, work->name);
        if (len == 0) {
            bench_fail("%s: cJSON finds no string there", work->text);
        }
        sum += len;
    }
    return sum;
}

static uint64_t parse_and_read(void *context, size_t calls)
{
    const field_work *work = context;
    uint64_t sum = 0;

    for (size_t i = 0; i < calls; i++) {
        uint64_t len =
            peer_simdjson_field(work->simdjson, work->json, work->json_len, work->part, work->name);
        if (len == 0) {
            bench_fail("%s: simdjson finds no string there", work->text);
        }
        sum += len;
    }
    return sum;
}

/* Fisher and Yates, with a generator that is good enough for that. */
static void shuffle(kin_object **objects, size_t count)
{
    uint64_t seed = 42;

    for (size_t i = count; i > 1; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t other = (size_t) ((seed >> 32) % i);
        kin_object *object = objects[i - 1];
        objects[i - 1] = objects[other];
        objects[other] = object;
    }
}
