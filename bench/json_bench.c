/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_bench.c - going through 100 MB of pods: whose JSON code is how fast.
 *
 * Three kinds of work, all on the same bytes in the same rounds:
 *   borders     where each item begins and ends: in bytes that are known to be right and all there,
 *               or as they arrive, the list around the items checked and kept
 *   validating  the whole of RFC 8259
 *   framing     both: right items, cut out as the bytes arrive
 * The peers validate, and build a document (simdjson, cJSON) or call back for each value (yajl).
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "bench.h"
#include "json/cursor.h"
#include "json/framer.h"
#include "json/scanner.h"
#include "measure.h"
#include "peers.h"

#define CONTENDERS_MAX 24
#define CHUNK (16 * 1024)
#define ONE_POD_CALLS 10000
#define ONE_POD_CONTENDERS 3

/* What a contender works with; each uses what it needs. */
typedef struct json_work {
    const bench_pods *pods;
    peer_simdjson *simdjson;        /* borrowed */
    void *tree;                     /* cJSON's, until after the round */
    const kin__json_kernel *kernel; /* NULL: through the cursor */
    size_t chunk;                   /* bytes at a time */
    kin__json_rigour rigour;
    const char *first_item;
} json_work;

typedef struct json_contest {
    bench_contender contenders[CONTENDERS_MAX];
    json_work works[CONTENDERS_MAX];
    size_t count;
} json_contest;

/* One pod's bytes, and what goes over them. */
typedef struct one_pod {
    const char *json; /* padded */
    size_t len;
    peer_simdjson *simdjson;
    kin__json_scanner *scanner;
} one_pod;

static void bench_one_pod(const bench_pods *pods, peer_simdjson *simdjson);
static uint64_t parse_pod(void *context);
static uint64_t validate_pod(void *context);
static uint64_t make_pod(void *context);
static void add_peers(json_contest *contest, const bench_pods *pods, peer_simdjson *simdjson);
static void add_kernel(json_contest *contest, const bench_pods *pods,
                       const kin__json_kernel *kernel);
static void add_best(json_contest *contest, const bench_pods *pods);
static bench_contender *add(json_contest *contest, json_work work, uint64_t (*run)(void *context));
static void print_contest(const json_contest *contest, const bench_pods *pods);
static void promise(const json_contest *contest, const char *start, double times);
static const char *first_item(const bench_pods *pods);
static uint64_t run_simdjson(void *context);
static uint64_t run_yajl(void *context);
static uint64_t run_cjson(void *context);
static void drop_tree(void *context);
static uint64_t run_borders(void *context);
static uint64_t run_scanner(void *context);
static uint64_t run_framer(void *context);
static kin_err count_item(void *context, const kin__json_item *item, kin_error *err);

void bench_json(const bench_pods *pods)
{
    static json_contest contest; /* too large for the stack */
    const kin__json_kernel *kernels[5];

    peer_simdjson *simdjson = peer_simdjson_new();
    if (simdjson == NULL) {
        bench_fail("no memory for simdjson");
    }
    add_peers(&contest, pods, simdjson);
    add_best(&contest, pods);
    size_t kernel_count = kin__json_kernel_list(kernels);
    for (size_t i = 0; i < kernel_count; i++) {
        add_kernel(&contest, pods, kernels[i]);
    }

    bench_rounds(contest.contenders, contest.count);

    print_contest(&contest, pods);
    promise(&contest, "kin borders, cursor", 2);
    promise(&contest, "kin borders, 16 KB chunks arriving", 2);
    promise(&contest, "kin validating, scanner", 1);
    promise(&contest, "kin framing, one chunk", 1);
    promise(&contest, "kin framing, 16 KB chunks", 1);
    bench_one_pod(pods, simdjson);
    peer_simdjson_free(simdjson);
}

/* One pod again and again, as small documents arrive on a watch; all of it in the nearest caches,
 * and with it what simdjson writes. */
static void bench_one_pod(const bench_pods *pods, peer_simdjson *simdjson)
{
    const char *item = first_item(pods);
    size_t len = (size_t) (kin__json_skip((kin__json){ item, item + pods->document.len }) - item);
    char *padded = kin__alloc_zero(len + BENCH_PADDING, 1);
    one_pod pod = { padded, len, simdjson, NULL };
    kin__json_scanner_options options = { 0 };
    kin_error err;

    if (padded == NULL || kin__json_scanner_new(&options, &pod.scanner, &err) != KIN_OK) {
        bench_fail("no memory");
    }
    memcpy(padded, item, len);
    bench_contender contenders[] = {
        { .name = "simdjson DOM", .run = parse_pod },
        { .name = "kin validating, scanner", .run = validate_pod },
        { .name = "kin object, whole, kin_object_from_json()", .run = make_pod },
    };
    for (size_t i = 0; i < ONE_POD_CONTENDERS; i++) {
        contenders[i].context = &pod;
        contenders[i].expected = ONE_POD_CALLS;
    }
    bench_rounds(contenders, ONE_POD_CONTENDERS);
    printf("\n%-48s %10s %21s\n", "json: one pod, hot", "", "beside simdjson's DOM");
    for (size_t i = 0; i < ONE_POD_CONTENDERS; i++) {
        double seconds = bench_median(&contenders[i]) / ONE_POD_CALLS;
        printf("  %-46s %5.2f GB/s %19.2f x   %.2f us\n", contenders[i].name,
               (double) len / seconds * 1e-9,
               bench_median(&contenders[0]) / bench_median(&contenders[i]), seconds * 1e6);
    }
    kin__json_scanner_free(pod.scanner);
    kin__free(padded);
}

static uint64_t parse_pod(void *context)
{
    const one_pod *pod = context;
    uint64_t count = 0;

    for (size_t i = 0; i < ONE_POD_CALLS; i++) {
        bool is_right =
            peer_simdjson_field(pod->simdjson, pod->json, pod->len, "spec", "nodeName") > 0;
        count += is_right ? 1 : 0;
    }
    return count;
}

static uint64_t validate_pod(void *context)
{
    const one_pod *pod = context;
    kin_error err;
    uint64_t count = 0;

    for (size_t i = 0; i < ONE_POD_CALLS; i++) {
        kin__json_scanner_reset(pod->scanner);
        bool is_right = kin__json_scanner_feed(pod->scanner, pod->json, pod->len, &err) == KIN_OK &&
                        kin__json_scanner_finish(pod->scanner, &err) == KIN_OK;
        count += is_right ? 1 : 0;
    }
    return count;
}

static uint64_t make_pod(void *context)
{
    const one_pod *pod = context;
    uint64_t count = 0;

    for (size_t i = 0; i < ONE_POD_CALLS; i++) {
        kin_object *object;
        if (kin_object_from_json(pod->json, pod->len, NULL, &object, NULL) == KIN_OK) {
            count++;
            kin_object_unref(object);
        }
    }
    return count;
}

static void add_peers(json_contest *contest, const bench_pods *pods, peer_simdjson *simdjson)
{
    bench_contender *c =
        add(contest, (json_work){ .pods = pods, .simdjson = simdjson }, run_simdjson);
    snprintf(c->name, sizeof c->name, "simdjson %s DOM (%s)", peer_simdjson_version(),
             peer_simdjson_implementation());
    c = add(contest, (json_work){ .pods = pods }, run_yajl);
    snprintf(c->name, sizeof c->name, "yajl %s callbacks", peer_yajl_version());
    c = add(contest, (json_work){ .pods = pods }, run_cjson);
    snprintf(c->name, sizeof c->name, "cJSON %s tree", peer_cjson_version());
    c->after = drop_tree;
}

/* What the library does by itself on this processor. */
static void add_best(json_contest *contest, const bench_pods *pods)
{
    const char *name = kin__json_kernel_best()->name;
    size_t all = pods->document.len;
    const kin__json_kernel *best = kin__json_kernel_best();

    bench_contender *c =
        add(contest, (json_work){ .pods = pods, .first_item = first_item(pods) }, run_borders);
    snprintf(c->name, sizeof c->name, "kin borders, cursor (%s)", name);
    json_work borders = { .pods = pods, .kernel = best, .rigour = KIN__JSON_BORDERS };
    borders.chunk = all;
    c = add(contest, borders, run_framer);
    snprintf(c->name, sizeof c->name, "kin borders, one chunk (%s)", name);
    borders.chunk = CHUNK;
    c = add(contest, borders, run_framer);
    snprintf(c->name, sizeof c->name, "kin borders, 16 KB chunks arriving (%s)", name);
    c = add(contest, (json_work){ .pods = pods, .chunk = all, .kernel = best }, run_scanner);
    snprintf(c->name, sizeof c->name, "kin validating, scanner (%s)", name);
    c = add(contest, (json_work){ .pods = pods, .chunk = CHUNK, .kernel = best }, run_scanner);
    snprintf(c->name, sizeof c->name, "kin validating, 16 KB chunks (%s)", name);
    c = add(contest, (json_work){ .pods = pods, .chunk = all, .kernel = best }, run_framer);
    snprintf(c->name, sizeof c->name, "kin framing, one chunk (%s)", name);
    c = add(contest, (json_work){ .pods = pods, .chunk = CHUNK, .kernel = best }, run_framer);
    snprintf(c->name, sizeof c->name, "kin framing, 16 KB chunks (%s)", name);
}

static void add_kernel(json_contest *contest, const bench_pods *pods,
                       const kin__json_kernel *kernel)
{
    size_t all = pods->document.len;

    bench_contender *c =
        add(contest, (json_work){ .pods = pods, .kernel = kernel, .first_item = first_item(pods) },
            run_borders);
    snprintf(c->name, sizeof c->name, "kernel %s: borders", kernel->name);
    c = add(contest, (json_work){ .pods = pods, .chunk = all, .kernel = kernel }, run_scanner);
    snprintf(c->name, sizeof c->name, "kernel %s: validating", kernel->name);
    c = add(contest, (json_work){ .pods = pods, .chunk = all, .kernel = kernel }, run_framer);
    snprintf(c->name, sizeof c->name, "kernel %s: framing", kernel->name);
}

static bench_contender *add(json_contest *contest, json_work work, uint64_t (*run)(void *context))
{
    if (contest->count == CONTENDERS_MAX) {
        bench_fail("too many contenders");
    }
    json_work *kept = &contest->works[contest->count];
    bench_contender *contender = &contest->contenders[contest->count];
    contest->count++;
    *kept = work;
    *contender = (bench_contender){ .run = run, .context = kept, .expected = work.pods->count };
    return contender;
}

static void print_contest(const json_contest *contest, const bench_pods *pods)
{
    double simdjson = bench_median(&contest->contenders[0]);

    printf("\n%-48s %10s %21s\n", "json: through the list", "", "beside simdjson's DOM");
    for (size_t i = 0; i < contest->count; i++) {
        double seconds = bench_median(&contest->contenders[i]);
        printf("  %-46s %5.2f GB/s %19.2f x\n", contest->contenders[i].name,
               (double) pods->document.len / seconds * 1e-9, simdjson / seconds);
    }
}

static void promise(const json_contest *contest, const char *start, double times)
{
    double simdjson = bench_median(&contest->contenders[0]);

    for (size_t i = 0; i < contest->count; i++) {
        const bench_contender *c = &contest->contenders[i];
        if (strncmp(c->name, start, strlen(start)) == 0) {
            char what[64];
            snprintf(what, sizeof what, "%s, to simdjson's DOM", start);
            bench_promise_at_least(what, simdjson / bench_median(c), times, "x");
        }
    }
}

static const char *first_item(const bench_pods *pods)
{
    kin__json document = kin__json_of(kin__str(pods->document.data, pods->document.len));
    kin__json item = kin__json_element(kin__json_member(document, STR("items")), 0);

    if (item.at == NULL) {
        bench_fail("the cursor finds no first item");
    }
    return item.at;
}

static uint64_t run_simdjson(void *context)
{
    json_work *work = context;
    return peer_simdjson_list(work->simdjson, work->pods->document.data, work->pods->document.len);
}

/* Containers around an item: the list and its array. */
static uint64_t run_yajl(void *context)
{
    json_work *work = context;
    return peer_yajl_count(work->pods->document.data, work->pods->document.len, 2);
}

static uint64_t run_cjson(void *context)
{
    json_work *work = context;

    work->tree = peer_cjson_parse(work->pods->document.data, work->pods->document.len);
    return work->tree == NULL ? 0 : peer_cjson_items(work->tree);
}

/* The allocator puts millions of small blocks together again when it is next asked for a larger
 * one: here, and not in the next contender's time. */
static void drop_tree(void *context)
{
    json_work *work = context;

    peer_cjson_free(work->tree);
    kin__free(kin__alloc(64 * 1024));
}

/* From item to item; the list is compact, so that a comma follows an item at once. */
static uint64_t run_borders(void *context)
{
    json_work *work = context;
    const char *end = work->pods->document.data + work->pods->document.len;
    const char *at = work->first_item;
    uint64_t count = 0;

    for (;;) {
        const char *after = work->kernel == NULL ? kin__json_skip((kin__json){ at, end })
                                                 : work->kernel->container_end(at + 1, end);
        if (after == NULL || after >= end) {
            return 0;
        }
        count++;
        if (*after != ',') {
            return count;
        }
        at = after + 1;
    }
}

/* The scanner counts nothing; that it has no complaint stands for all items. */
static uint64_t run_scanner(void *context)
{
    json_work *work = context;
    kin__json_scanner *scanner;
    kin_error err;
    kin__json_scanner_options options = { .kernel = work->kernel };

    if (kin__json_scanner_new(&options, &scanner, &err) != KIN_OK) {
        bench_fail("scanner: %s", err.message);
    }
    size_t len = work->pods->document.len;
    for (size_t at = 0; at < len; at += work->chunk) {
        size_t chunk = len - at < work->chunk ? len - at : work->chunk;
        if (kin__json_scanner_feed(scanner, work->pods->document.data + at, chunk, &err) !=
            KIN_OK) {
            bench_fail("scanner: %s", err.message);
        }
    }
    if (kin__json_scanner_finish(scanner, &err) != KIN_OK) {
        bench_fail("scanner: %s", err.message);
    }
    kin__json_scanner_free(scanner);
    return work->pods->count;
}

static uint64_t run_framer(void *context)
{
    json_work *work = context;
    kin__json_framer *framer;
    kin_error err;
    uint64_t count = 0;
    kin__json_framer_options options = { .framing = KIN__JSON_LIST,
                                         .rigour = work->rigour,
                                         .on_item = count_item,
                                         .context = &count,
                                         .kernel = work->kernel };

    if (kin__json_framer_new(&options, &framer, &err) != KIN_OK) {
        bench_fail("framer: %s", err.message);
    }
    size_t len = work->pods->document.len;
    for (size_t at = 0; at < len; at += work->chunk) {
        size_t chunk = len - at < work->chunk ? len - at : work->chunk;
        if (kin__json_framer_feed(framer, work->pods->document.data + at, chunk, &err) != KIN_OK) {
            bench_fail("framer: %s", err.message);
        }
    }
    if (kin__json_framer_finish(framer, &err) != KIN_OK) {
        bench_fail("framer: %s", err.message);
    }
    kin__json_framer_free(framer);
    return count;
}

static kin_err count_item(void *context, const kin__json_item *item, kin_error *err)
{
    uint64_t *count = context;

    (void) err; /* counting cannot fail */
    *count += item->bytes.data[0] == '{' && item->bytes.data[item->bytes.len - 1] == '}' ? 1 : 0;
    return KIN_OK;
}
