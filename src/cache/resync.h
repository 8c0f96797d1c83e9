/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/resync.h - which handlers are to be told everything again, and when.
 *
 * As client-go computes it.  An informer has a default period, which is also its first check
 * period; without one nobody is resynced.  A handler asks for a period of its own: below a second
 * it becomes a second.  One that is shorter than the check period becomes the check period while
 * the informer is not started, and afterwards is raised to it.  At each tick, one check period
 * apart, those whose period is over are due: so a period is rounded up to a multiple of the check
 * period.
 *
 * Threading: confined.  Time is told, never asked for.
 */
#ifndef KIN_CACHE_RESYNC_H
#define KIN_CACHE_RESYNC_H

#include "base/list.h"
#include "kin/common.h"

#define KIN__RESYNC_MIN_MS 1000
#define KIN__RESYNC_NO_TICK INT64_MAX

typedef struct kin__resync {
    kin__list entries;
    int64_t default_ms; /* 0: no resyncs at all */
    int64_t check_ms;
    int64_t next_tick_ms;
    bool is_started;
} kin__resync;

/* A handler's share.  Does not move while it is added. */
typedef struct kin__resync_entry {
    kin__link link;
    int64_t wanted_ms;    /* 0: never */
    int64_t effective_ms; /* 0: never */
    int64_t next_ms;      /* when it is due */
    bool is_due;          /* as of the last tick */
} kin__resync_entry;

/* `default_ms` of 0 or less: none. */
void kin__resync_init(kin__resync *resync, int64_t default_ms);

/* `wanted_ms`: 0: the default; negative: never. */
void kin__resync_add(kin__resync *resync, kin__resync_entry *entry, int64_t wanted_ms,
                     int64_t now_ms);
void kin__resync_remove(kin__resync_entry *entry);

/* From now on the check period stays, and ticks come. */
void kin__resync_start(kin__resync *resync, int64_t now_ms);

/* When kin__resync_tick() wants to be called; KIN__RESYNC_NO_TICK: never, as it is now. */
int64_t kin__resync_next_tick_ms(const kin__resync *resync);

/* Sets `is_due` of every entry; true when one is due.  Before its time it changes nothing and is
 * false. */
bool kin__resync_tick(kin__resync *resync, int64_t now_ms);

#endif /* KIN_CACHE_RESYNC_H */
