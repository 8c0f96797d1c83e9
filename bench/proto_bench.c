/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_bench.c - the same pods as protobuf: making objects, reading a field, writing JSON.
 *
 * The list is the one of pods.c, each pod turned into the message that a server would send, again
 * and again until there are 20,000.  As in object_bench.c, the measure for making objects is malloc
 * and memcpy of as many bytes as they keep, with fresh pages for both.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "bench.h"
#include "json/cursor.h"
#include "kin/path.h"
#include "measure.h"
#include "object/object.h"
#include "proto/parse.h"
#include "proto/reader.h"
#include "proto/render.h"

#define PODS 20000
#define CHUNK (16 * 1024)
#define HOT_CALLS 200000
#define TAIL_LEN 4 /* of an envelope, behind its message */
#define JSON_CALLS 2000

/* What is promised. */
#define TIMES_COPYING_MAX 1.5
#define FIELD_NS_MAX 100
#define JSON_MBPS_MIN 500
#define OVERHEAD_MAX 240 /* bytes of an object beside its message, the allocator's included */

/* What stays of a message when managedFields go: the bytes before them and those behind.  Copying
 * takes them from there, because these are the bytes that are kept: as many in one piece would be
 * others, and would spare it the jump over managedFields that objects have to make, too. */
typedef struct pod_parts {
    const char *head;
    size_t head_len;
    const char *tail;
    size_t tail_len;
} pod_parts;

typedef struct proto_pods {
    kin__buf answer; /* the list, in its envelope */
    uint32_t *lens;  /* of the messages */
    pod_parts *parts;
    size_t kept_total; /* bytes that objects without managedFields keep */
    kin_object **objects;
    void **copies;
} proto_pods;

typedef struct proto_work {
    proto_pods *pods;
    const kin_mask *mask;
    size_t chunk; /* 0: all at once */
    bool only_frames;
    kin__pb_message message;
    size_t made;
} proto_work;

/* Where the items go. */
typedef struct message_sink {
    kin__buf *list;
    uint32_t *lens;
    size_t count;
} message_sink;

typedef struct reading {
    kin_object *const *objects;
    size_t count;
    const kin_path *path;
} reading;

static void make_answer(const bench_pods *pods, proto_pods *out);
static kin_err append_pod(void *context, const kin__json_item *item, kin_error *err);
static void bench_making(proto_pods *pods, const kin_mask *mask, const kin_mask *none);
static void find_parts(proto_pods *pods);
static void bench_reading(proto_pods *pods);
static void bench_writing(proto_pods *pods);
static void print_memory(proto_pods *pods);
static uint64_t run_frames(void *context);
static kin_err keep_item(void *context, const kin__pb_item *item, kin_error *err);
static uint64_t run_copies(void *context);
static void give_memory_back(void *context);
static void drop_objects(void *context);
static void drop_copies(void *context);
static uint64_t read_fields(void *context, size_t calls);
static uint64_t write_json(void *context, size_t calls);

void bench_proto(const bench_pods *json_pods)
{
    static const char *const paths[] = { "metadata.managedFields" };
    proto_pods pods = { 0 };
    kin_mask *mask = NULL;
    kin_error err;

    if (kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &err) != KIN_OK) {
        bench_fail("mask: %s", err.message);
    }
    make_answer(json_pods, &pods);
    printf("\nThe same as protobuf: %d pods of %.0f bytes, %.1f MB.\n", PODS,
           (double) pods.answer.len / PODS, (double) pods.answer.len * 1e-6);
    bench_making(&pods, mask, NULL);

    proto_work work = { .pods = &pods, .mask = mask };
    (void) run_frames(&work);
    print_memory(&pods);
    bench_reading(&pods);
    bench_writing(&pods);
    drop_objects(&work);
    kin_mask_free(mask);
    kin__free(pods.objects);
    kin__free(pods.copies);
    kin__free(pods.lens);
    kin__free(pods.parts);
    kin__buf_fini(&pods.answer);
}

static void make_answer(const bench_pods *json_pods, proto_pods *out)
{
    kin__buf list = { 0 };
    kin_error err;
    message_sink sink = { .list = &list };
    kin__json_framer_options options = { .framing = KIN__JSON_LIST,
                                         .reach = kin__object_reach(NULL),
                                         .on_item = append_pod,
                                         .context = &sink };

    out->lens = kin__alloc_zero(PODS, sizeof *out->lens);
    out->parts = kin__alloc_zero(PODS, sizeof *out->parts);
    out->objects = kin__alloc_zero(PODS, sizeof *out->objects);
    out->copies = kin__alloc_zero(PODS, sizeof *out->copies);
    if (out->lens == NULL || out->parts == NULL || out->objects == NULL || out->copies == NULL ||
        !kin__buf_append(&list,
                         "\x0a\x05\x0a\x00\x12\x01"
                         "1",
                         7)) {
        bench_fail("no memory");
    }
    sink.lens = out->lens;
    while (sink.count < PODS) {
        kin__json_framer *framer;
        if (kin__json_framer_new(&options, &framer, &err) != KIN_OK ||
            kin__json_framer_feed(framer, json_pods->document.data, json_pods->document.len,
                                  &err) != KIN_OK) {
            bench_fail("pods as protobuf: %s", err.message);
        }
        kin__json_framer_free(framer);
    }
    if (!kin__pb_envelope_append(STR("v1"), STR("PodList"), kin__str(list.data, list.len),
                                 &out->answer)) {
        bench_fail("no memory");
    }
    kin__buf_fini(&list);
}

static kin_err append_pod(void *context, const kin__json_item *item, kin_error *err)
{
    message_sink *sink = context;
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    uint8_t length[10];

    if (sink->count == PODS) {
        return KIN_OK;
    }
    if (kin__pb_from_json(kin__pb_message_of(STR("v1"), STR("Pod")), kin__json_of(item->bytes),
                          &message, err) != KIN_OK) {
        return err->code;
    }
    sink->lens[sink->count++] = (uint32_t) message.len;
    if (!kin__buf_append_byte(sink->list, 0x12) ||
        !kin__buf_append(sink->list, (const char *) length,
                         kin__pb_put_varint(message.len, length)) ||
        !kin__buf_append(sink->list, message.data, message.len)) {
        return kin__error_no_memory(err);
    }
    return KIN_OK;
}

static void bench_making(proto_pods *pods, const kin_mask *mask, const kin_mask *none)
{
    proto_work works[] = {
        { .pods = pods },
        { .pods = pods, .only_frames = true },
        { .pods = pods, .mask = mask },
        { .pods = pods, .mask = mask, .chunk = CHUNK },
        { .pods = pods, .mask = none },
    };
    bench_contender contenders[] = {
        { .name = "malloc and memcpy, without managedFields", .run = run_copies },
        { .name = "framing alone", .run = run_frames },
        { .name = "objects without managedFields", .run = run_frames },
        { .name = "objects without managedFields, 16 KB chunks", .run = run_frames },
        { .name = "objects, whole", .run = run_frames },
    };
    size_t count = sizeof works / sizeof works[0];

    proto_work first = { .pods = pods, .mask = mask };
    (void) run_frames(&first);
    find_parts(pods);
    drop_objects(&first);
    for (size_t i = 0; i < count; i++) {
        contenders[i].context = &works[i];
        contenders[i].before = give_memory_back;
        contenders[i].after = contenders[i].run == run_copies ? drop_copies : drop_objects;
        contenders[i].expected = PODS;
    }
    bench_rounds(contenders, count);

    double copying = bench_median(&contenders[0]);
    printf("\n%-48s %10s %13s %22s\n", "protobuf: an object of each pod", "", "",
           "beside malloc and memcpy");
    for (size_t i = 0; i < count; i++) {
        double seconds = bench_median(&contenders[i]);
        printf("  %-46s %5.2f GB/s %7.2f us/pod %21.2f x\n", contenders[i].name,
               (double) pods->answer.len / seconds * 1e-9, seconds / PODS * 1e6, copying / seconds);
    }
    bench_promise_below("protobuf objects, beside copying their bytes",
                        bench_median(&contenders[2]) / copying, TIMES_COPYING_MAX, "times");
}

/* The objects were made without managedFields, which lie in one piece. */
static void find_parts(proto_pods *pods)
{
    const char *end = pods->answer.data + pods->answer.len - TAIL_LEN;

    for (size_t i = PODS; i > 0; i--) {
        const kin_object *object = pods->objects[i - 1];
        pod_parts *parts = &pods->parts[i - 1];
        size_t len = pods->lens[i - 1];
        const char *message = end - len;
        kin_str kept = kin__object_bytes(object);
        size_t same = 0;
        while (same < kept.len && message[len - 1 - same] == kept.data[kept.len - 1 - same]) {
            same++;
        }
        *parts = (pod_parts){ message, kept.len - same, end - same, same };
        pods->kept_total += kept.len;
        end = message - 1 - kin__pb_varint_size(len);
    }
}

static void print_memory(proto_pods *pods)
{
    size_t held = 0;

    for (size_t i = 0; i < PODS; i++) {
        /* The allocator keeps the size of a block before it. */
        held += malloc_usable_size(pods->objects[i]) + sizeof(size_t);
    }
    double each = (double) held / PODS;
    double kept = (double) pods->kept_total / PODS;
    printf("\n%-48s %6.0f bytes for %.0f of protobuf\n",
           "protobuf: memory of a pod without managedFields", each, kept);
    bench_promise_below("protobuf pod, bytes beside its message", each - kept, OVERHEAD_MAX,
                        "bytes");
}

static void bench_reading(proto_pods *pods)
{
    static const char *const texts[] = { "spec.nodeName", "status.podIP",
                                         "metadata.labels[\"app\"]", "spec.containers[0].image" };
    kin_error err;

    printf("\n%-48s %9s %11s\n", "protobuf: one field of a pod, compiled path", "hot", "all pods");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        reading work = { .objects = pods->objects, .count = 1 };
        kin_path *path;
        if (kin_path_new(texts[i], &path, &err) != KIN_OK) {
            bench_fail("%s", err.message);
        }
        work.path = path;
        double hot = bench_each_call(read_fields, &work, HOT_CALLS);
        work.count = PODS;
        double all = bench_each_call(read_fields, &work, HOT_CALLS);
        printf("  %-46s %6.0f ns %8.0f ns\n", texts[i], hot * 1e9, all * 1e9);
        if (i == 0) {
            bench_promise_below("protobuf, spec.nodeName, compiled path, hot", hot * 1e9,
                                FIELD_NS_MAX, "ns");
        }
        kin_path_free(path);
    }
}

static void bench_writing(proto_pods *pods)
{
    reading work = { .objects = pods->objects, .count = PODS };
    double seconds = bench_each_call(write_json, &work, JSON_CALLS);
    double bytes = (double) write_json(&work, JSON_CALLS) / JSON_CALLS;

    printf("\n%-48s %6.2f us/pod %6.0f MB/s\n", "protobuf: JSON of a pod", seconds * 1e6,
           bytes / seconds * 1e-6);
    bench_promise_at_least("protobuf, writing JSON", bytes / seconds * 1e-6, JSON_MBPS_MIN, "MB/s");
}

static uint64_t run_frames(void *context)
{
    proto_work *work = context;
    const kin__buf *answer = &work->pods->answer;
    kin__pb_framer_options options = {
        .framing = KIN__PB_ANSWER,
        .on_item = keep_item,
        .context = work,
    };
    kin__pb_framer *framer;
    kin_error err;

    work->made = 0;
    if (kin__pb_framer_new(&options, &framer, &err) != KIN_OK) {
        bench_fail("framer: %s", err.message);
    }
    size_t step = work->chunk == 0 ? answer->len : work->chunk;
    for (size_t at = 0; at < answer->len; at += step) {
        size_t len = answer->len - at < step ? answer->len - at : step;
        if (kin__pb_framer_feed(framer, answer->data + at, len, &err) != KIN_OK) {
            bench_fail("framer: %s", err.message);
        }
    }
    kin__pb_framer_free(framer);
    return work->made;
}

static kin_err keep_item(void *context, const kin__pb_item *item, kin_error *err)
{
    proto_work *work = context;
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_err code = KIN_OK;

    if (!work->only_frames) {
        options.mask = work->mask;
        work->message =
            work->made == 0 ? kin__pb_message_of(item->api_version, item->kind) : work->message;
        code = kin__object_from_message(item, work->message, &options,
                                        &work->pods->objects[work->made], err);
    }
    work->made++;
    return code;
}

static uint64_t run_copies(void *context)
{
    proto_work *work = context;
    proto_pods *pods = work->pods;

    for (size_t i = 0; i < PODS; i++) {
        const pod_parts *parts = &pods->parts[i];
        char *copy = malloc(parts->head_len + parts->tail_len);
        if (copy == NULL) {
            bench_fail("no memory");
        }
        memcpy(copy, parts->head, parts->head_len);
        memcpy(copy + parts->head_len, parts->tail, parts->tail_len);
        pods->copies[i] = copy;
    }
    work->made = PODS;
    return PODS;
}

static void give_memory_back(void *context)
{
    (void) context;
    malloc_trim(0);
}

static void drop_objects(void *context)
{
    proto_work *work = context;

    for (size_t i = 0; i < work->made && !work->only_frames; i++) {
        kin_object_unref(work->pods->objects[i]);
    }
}

static void drop_copies(void *context)
{
    proto_work *work = context;

    for (size_t i = 0; i < work->made; i++) {
        bench_use(*(unsigned char *) work->pods->copies[i]);
        free(work->pods->copies[i]);
    }
}

static uint64_t read_fields(void *context, size_t calls)
{
    const reading *work = context;
    uint64_t sum = 0;
    size_t at = 0;

    for (size_t i = 0; i < calls; i++) {
        kin_str text;
        kin_value value = kin_object_at_path(work->objects[at], work->path);
        if (kin_value_str(value, NULL, 0, &text) != KIN_OK) {
            bench_fail("no such field");
        }
        sum += text.len;
        at = (at + 7919) % work->count;
    }
    return sum;
}

/* Returns the bytes written. */
static uint64_t write_json(void *context, size_t calls)
{
    const reading *work = context;
    uint64_t sum = 0;

    for (size_t i = 0; i < calls; i++) {
        char *json;
        size_t len;
        kin_error err;
        if (kin_object_json(work->objects[i % work->count], &json, &len, &err) != KIN_OK) {
            bench_fail("%s", err.message);
        }
        sum += len;
        kin_free(json);
    }
    return sum;
}
