/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_bench.c - making an object of each pod of the list, and what it occupies.
 *
 * The measure beside it is malloc and memcpy of as many bytes as the objects keep: less than that
 * cannot be done.  Each round begins with an allocator that has given its memory back, so
 * both pay for fresh pages, as a program does that lists for the first time.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "bench.h"
#include "json/framer.h"
#include "measure.h"
#include "object/object.h"
#include "peers.h"

#define CHUNK (16 * 1024)

typedef struct object_work {
    const bench_pods *pods;
    const kin_mask *mask;
    size_t chunk; /* 0: all at once */
    kin_object **objects;
    size_t made;
    size_t copy_bytes; /* for each pod, when nothing but copying is done */
    void **copies;
} object_work;

/* Where the framer's items go. */
typedef struct item_sink {
    kin_object_options options;
    kin_object **objects;
    size_t count;
    size_t capacity;
} item_sink;

static void print_object_lines(const bench_contender *contenders, size_t count,
                               const bench_pods *pods);
static void print_memory(const bench_pods *pods, kin_object **objects, const kin_mask *mask);
static size_t average_size(kin_object *const *objects, size_t count, size_t *out_kept);
static size_t tree_bytes(const bench_pods *pods);
static kin_err keep_item(void *context, const kin__json_item *item, kin_error *err);
static uint64_t run_objects(void *context);
static uint64_t run_copies(void *context);
static void give_memory_back(void *context);
static void drop_objects(void *context);
static void drop_copies(void *context);
static kin_mask *mask_of_managed_fields(void);

void bench_objects(const bench_pods *pods)
{
    kin_mask *mask = mask_of_managed_fields();
    kin_object **objects = kin__alloc_zero(pods->count, sizeof *objects);
    void **copies = kin__alloc_zero(pods->count, sizeof *copies);
    size_t kept_whole;
    size_t kept_masked;

    if (objects == NULL || copies == NULL) {
        bench_fail("no memory");
    }
    size_t count = bench_make_objects(pods, NULL, 0, objects);
    (void) average_size(objects, count, &kept_whole);
    bench_drop_objects(objects, count);
    count = bench_make_objects(pods, mask, 0, objects);
    (void) average_size(objects, count, &kept_masked);
    bench_drop_objects(objects, count);

    object_work works[] = {
        { .pods = pods, .copies = copies, .copy_bytes = kept_masked },
        { .pods = pods, .objects = objects, .mask = mask },
        { .pods = pods, .objects = objects, .mask = mask, .chunk = CHUNK },
        { .pods = pods, .copies = copies, .copy_bytes = kept_whole },
        { .pods = pods, .objects = objects },
    };
    bench_contender contenders[] = {
        { .name = "malloc and memcpy, without managedFields", .run = run_copies },
        { .name = "objects without managedFields", .run = run_objects },
        { .name = "objects without managedFields, 16 KB chunks", .run = run_objects },
        { .name = "malloc and memcpy, whole", .run = run_copies },
        { .name = "objects, whole", .run = run_objects },
    };
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        contenders[i].context = &works[i];
        contenders[i].before = give_memory_back;
        contenders[i].after = works[i].copies != NULL ? drop_copies : drop_objects;
        contenders[i].expected = pods->count;
    }

    bench_rounds(contenders, sizeof works / sizeof works[0]);

    print_object_lines(contenders, sizeof works / sizeof works[0], pods);
    print_memory(pods, objects, mask);
    kin__free(copies);
    kin__free(objects);
    kin_mask_free(mask);
}

size_t bench_make_objects(const bench_pods *pods, const kin_mask *mask, size_t chunk,
                          kin_object **out)
{
    kin__json_framer *framer;
    kin_error err;
    item_sink sink = { KIN_OBJECT_OPTIONS_INIT, out, 0, pods->count };
    kin__json_framer_options options = { .framing = KIN__JSON_LIST,
                                         .reach = kin__object_reach(mask),
                                         .on_item = keep_item,
                                         .context = &sink };

    sink.options.mask = mask;
    sink.options.api_version = "v1";
    sink.options.kind = "Pod";
    if (kin__json_framer_new(&options, &framer, &err) != KIN_OK) {
        bench_fail("framer: %s", err.message);
    }
    size_t len = pods->document.len;
    size_t step = chunk == 0 ? len : chunk;
    for (size_t at = 0; at < len; at += step) {
        size_t bytes = len - at < step ? len - at : step;
        if (kin__json_framer_feed(framer, pods->document.data + at, bytes, &err) != KIN_OK) {
            bench_fail("objects: %s", err.message);
        }
    }
    if (kin__json_framer_finish(framer, &err) != KIN_OK) {
        bench_fail("objects: %s", err.message);
    }
    kin__json_framer_free(framer);
    return sink.count;
}

void bench_drop_objects(kin_object **objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        objects[i] = kin_object_unref(objects[i]);
    }
}

kin_object **bench_whole_objects(const bench_pods *pods)
{
    kin_object **objects = kin__alloc_zero(pods->count, sizeof *objects);

    if (objects == NULL) {
        bench_fail("no memory");
    }
    if (bench_make_objects(pods, NULL, 0, objects) != pods->count) {
        bench_fail("not every pod became an object");
    }
    return objects;
}

static void print_object_lines(const bench_contender *contenders, size_t count,
                               const bench_pods *pods)
{
    double copying = 0;

    printf("\n%-48s %10s %13s %22s\n", "objects: one of each pod", "", "",
           "beside malloc and memcpy");
    for (size_t i = 0; i < count; i++) {
        double seconds = bench_median(&contenders[i]);
        if (contenders[i].run == run_copies) {
            copying = seconds;
        }
        printf("  %-46s %5.2f GB/s %7.2f us/pod %21.2f x\n", contenders[i].name,
               (double) pods->document.len / seconds * 1e-9, seconds / (double) pods->count * 1e6,
               copying / seconds);
    }
}

static void print_memory(const bench_pods *pods, kin_object **objects, const kin_mask *mask)
{
    size_t kept;
    size_t tree = tree_bytes(pods);

    printf("\n%-48s %14s %14s %22s\n", "memory: of each pod", "", "JSON in it",
           "beside a cJSON tree");
    printf("  %-46s %8zu bytes %8.0f bytes %21.2f x\n", "cJSON tree, whole", tree, pods->bytes_each,
           1.0);
    const kin_mask *const masks[] = { NULL, mask };
    const char *const names[] = { "object, whole", "object without managedFields" };
    for (size_t i = 0; i < 2; i++) {
        size_t count = bench_make_objects(pods, masks[i], 0, objects);
        size_t size = average_size(objects, count, &kept);
        bench_drop_objects(objects, count);
        printf("  %-46s %8zu bytes %8zu bytes %21.2f x\n", names[i], size, kept,
               (double) size / (double) tree);
    }
}

static size_t average_size(kin_object *const *objects, size_t count, size_t *out_kept)
{
    size_t total = 0;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        total += kin_object_size(objects[i]);
        kept += objects[i]->bytes_len;
    }
    *out_kept = kept / count;
    return total / count;
}

/* What the allocator has handed out more after parsing than before, for each pod. */
static size_t tree_bytes(const bench_pods *pods)
{
    struct mallinfo2 before = mallinfo2();
    void *tree = peer_cjson_parse(pods->document.data, pods->document.len);
    struct mallinfo2 after = mallinfo2();

    if (tree == NULL) {
        bench_fail("no memory for cJSON");
    }
    peer_cjson_free(tree);
    return (after.uordblks - before.uordblks) / pods->count;
}

static kin_err keep_item(void *context, const kin__json_item *item, kin_error *err)
{
    item_sink *sink = context;

    if (sink->count == sink->capacity) {
        bench_fail("more items than pods");
    }
    kin_err code = kin__object_from_item(item, &sink->options, &sink->objects[sink->count], err);
    sink->count += code == KIN_OK ? 1 : 0;
    return code;
}

static uint64_t run_objects(void *context)
{
    object_work *work = context;

    work->made = bench_make_objects(work->pods, work->mask, work->chunk, work->objects);
    return work->made;
}

static uint64_t run_copies(void *context)
{
    object_work *work = context;
    const char *at = work->pods->document.data;
    size_t stride = work->pods->document.len / work->pods->count;

    work->made = 0;
    for (size_t i = 0; i < work->pods->count; i++) {
        void *copy = malloc(work->copy_bytes);
        if (copy == NULL) {
            bench_fail("no memory");
        }
        memcpy(copy, at, work->copy_bytes);
        work->copies[i] = copy;
        work->made++;
        at += stride;
    }
    return work->made;
}

static void give_memory_back(void *context)
{
    (void) context;
    malloc_trim(0);
}

static void drop_objects(void *context)
{
    object_work *work = context;
    bench_drop_objects(work->objects, work->made);
}

static void drop_copies(void *context)
{
    object_work *work = context;

    for (size_t i = 0; i < work->made; i++) {
        bench_use(*(unsigned char *) work->copies[i]);
        free(work->copies[i]);
    }
}

static kin_mask *mask_of_managed_fields(void)
{
    static const char *const paths[] = { "metadata.managedFields" };
    kin_mask *mask;
    kin_error err;

    if (kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &err) != KIN_OK) {
        bench_fail("mask: %s", err.message);
    }
    return mask;
}
