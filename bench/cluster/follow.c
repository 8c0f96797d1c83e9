/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.c - an informer of all pods, and what it takes: bench-follow [WORD ...]
 *
 * Keeps everything but managedFields, and has one handler.  Words are
 *
 *     json      instead of protobuf
 *     inline    the handler on the informer's loop, instead of the library's threads
 *     peak      looks for the most memory while it follows, which takes time
 *
 * When it is synced and the handler has been told all, it prints
 *
 *     synced VERSION OBJECTS OBJECT_KB ANONYMOUS_KB PEAK_KB
 *
 * and follows until its standard input ends; then
 *
 *     followed CHANGES ANONYMOUS_KB PEAK_KB RESTARTS P50_US P99_US
 *
 * ANONYMOUS_KB is what its anonymous memory has grown by since before there was a client, PEAK_KB
 * the most it had grown by (the second: since it was synced).  The last two are the time from a
 * write, as bench-change noted it in the object, to the handler.  The processor's time is measured
 * from outside.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "anonymous.h"
#include "change.h"
#include "kin/kin.h"

#define DELAYS_MAX (1u << 18)
#define PATIENCE_MS 120000

typedef struct tally {
    atomic_size_t changes;
    size_t delay_count;
    int64_t *delays_us;
    atomic_bool is_synced;
} tally;

static kin_informer *start(kin_client *client, int argc, char **argv, tally *told);
static bool has_word(int argc, char **argv, const char *word);
static void on_change(void *context, const kin_notification *n);
static void on_synced(void *context);
static void report_synced(const kin_informer *informer, long before_kb);
static void report_followed(const kin_informer *informer, tally *told, long before_kb);
static int compare(const void *a, const void *b);
static void must(kin_err code, const kin_error *err);

int main(int argc, char **argv)
{
    tally told = { .delays_us = malloc(DELAYS_MAX * sizeof(int64_t)) };
    kin_client *client;
    kin_error err;
    char rest[64];

    if (told.delays_us == NULL || !anonymous_watch()) {
        return 1;
    }
    memset(told.delays_us, 1, DELAYS_MAX * sizeof(int64_t)); /* our own memory, there from now on */
    long before_kb = anonymous_now();
    must(kin_client_new(NULL, NULL, &client, &err), &err);
    kin_informer *informer = start(client, argc, argv, &told);
    must(kin_informer_wait_synced(informer, PATIENCE_MS, &err), &err);
    while (!told.is_synced) {
        (void) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    report_synced(informer, before_kb);
    anonymous_follow(!has_word(argc, argv, "peak"));
    while (read(STDIN_FILENO, rest, sizeof rest) > 0) {
    }
    report_followed(informer, &told, before_kb);
    _exit(0); /* what there is goes with the process, as curl's does */
}

static kin_informer *start(kin_client *client, int argc, char **argv, tally *told)
{
    static const char *const unwanted[] = { "metadata.managedFields" };
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    kin_registration *registration;
    kin_informer *informer;
    kin_mask *mask;
    kin_error err;

    must(kin_mask_new(KIN_MASK_DROP, unwanted, 1, &mask, &err), &err);
    options.resource = "pods";
    options.mask = mask;
    options.encoding = has_word(argc, argv, "json") ? KIN_ENCODING_JSON : KIN_ENCODING_AUTO;
    handler.mode = has_word(argc, argv, "inline") ? KIN_DELIVERY_INLINE : KIN_DELIVERY_POOL;
    handler.context = told;
    handler.on_add = handler.on_update = handler.on_delete = on_change;
    handler.on_synced = on_synced;
    must(kin_informer_new(client, &options, &informer, &err), &err);
    must(kin_informer_add_handler(informer, &handler, &registration, &err), &err);
    must(kin_informer_start(informer, &err), &err);
    return informer;
}

static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static void on_change(void *context, const kin_notification *n)
{
    tally *told = context;
    kin_str sent;

    if (!told->is_synced) {
        return;
    }
    told->changes++;
    if (told->delay_count < DELAYS_MAX &&
        kin_value_str(kin_object_annotation(n->object, kin_str_of(BENCH_SENT)), NULL, 0, &sent) ==
            KIN_OK) {
        told->delays_us[told->delay_count++] = bench_now_us() - strtoll(sent.data, NULL, 10);
    }
}

static void on_synced(void *context)
{
    tally *told = context;

    told->is_synced = true;
}

static void report_synced(const kin_informer *informer, long before_kb)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_error err;

    must(kin_informer_get_status(informer, &status, &err), &err);
    (void) printf("synced %s %llu %llu %ld %ld\n", status.resource_version,
                  (unsigned long long) status.objects,
                  (unsigned long long) status.object_bytes / 1024, anonymous_now() - before_kb,
                  anonymous_peak() - before_kb);
    (void) fflush(stdout);
}

static void report_followed(const kin_informer *informer, tally *told, long before_kb)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    size_t count = told->delay_count;
    kin_error err;

    must(kin_informer_get_status(informer, &status, &err), &err);
    qsort(told->delays_us, count, sizeof told->delays_us[0], compare);
    (void) printf("followed %zu %ld %ld %llu %lld %lld\n", (size_t) told->changes,
                  anonymous_now() - before_kb, anonymous_peak() - before_kb,
                  (unsigned long long) status.restarts,
                  count == 0 ? 0LL : (long long) told->delays_us[count / 2],
                  count == 0 ? 0LL : (long long) told->delays_us[count * 99 / 100]);
    (void) fflush(stdout);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *) a;
    int64_t y = *(const int64_t *) b;

    return (x > y) - (x < y);
}

static void must(kin_err code, const kin_error *err)
{
    if (code != KIN_OK) {
        (void) fprintf(stderr, "%s\n", err->message);
        exit(1);
    }
}
