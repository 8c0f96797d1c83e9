/* SPDX-License-Identifier: Apache-2.0 */
/*
 * anonymous.c - reads /proc/self/status.
 */
#include "anonymous.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define SAMPLE_MS 20
#define FOLLOW_MS 1000

static atomic_long peak_kb;
static atomic_int pause_ms = SAMPLE_MS;

static void *watch(void *context)
{
    for (;;) {
        (void) anonymous_peak();
        struct timespec pause = { .tv_sec = pause_ms / 1000,
                                  .tv_nsec = pause_ms % 1000 * 1000000L };
        (void) nanosleep(&pause, NULL);
    }
    return context;
}

bool anonymous_watch(void)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, watch, NULL) == 0 && pthread_detach(thread) == 0;
}

long anonymous_now(void)
{
    char line[128];
    long kb = 0;
    FILE *status = fopen("/proc/self/status", "r");

    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "RssAnon: %ld", &kb) == 1) {
            break;
        }
    }
    if (status != NULL) {
        (void) fclose(status);
    }
    return kb;
}

long anonymous_peak(void)
{
    long now = anonymous_now();
    long seen = atomic_load(&peak_kb);

    while (now > seen && !atomic_compare_exchange_weak(&peak_kb, &seen, now)) {
    }
    return now > seen ? now : seen;
}

void anonymous_follow(bool is_rare)
{
    atomic_store(&peak_kb, 0);
    atomic_store(&pause_ms, is_rare ? FOLLOW_MS : SAMPLE_MS);
}
