/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resync.c - periods of resync; the numbers are those of client-go's shared informer.
 */
#include "cache/resync.h"

/* Nothing waits longer, and no sum overflows. */
#define LONGEST_MS ((int64_t) 100 * 366 * 24 * 3600 * 1000)

static int64_t clamp(int64_t period_ms);
static int64_t effective(const kin__resync *resync, int64_t wanted_ms);

void kin__resync_init(kin__resync *resync, int64_t default_ms)
{
    int64_t period_ms = default_ms <= 0 ? 0 : clamp(default_ms);

    *resync = (kin__resync){ .default_ms = period_ms, .check_ms = period_ms };
}

void kin__resync_add(kin__resync *resync, kin__resync_entry *entry, int64_t wanted_ms,
                     int64_t now_ms)
{
    int64_t wanted = wanted_ms == 0 ? resync->default_ms : wanted_ms < 0 ? 0 : clamp(wanted_ms);

    if (wanted > 0 && wanted < resync->check_ms && !resync->is_started) {
        resync->check_ms = wanted; /* those of all others are longer, and stay */
    }
    *entry = (kin__resync_entry){ .wanted_ms = wanted, .effective_ms = effective(resync, wanted) };
    entry->next_ms = now_ms + entry->effective_ms;
    kin__list_push(&resync->entries, &entry->link);
}

void kin__resync_remove(kin__resync_entry *entry)
{
    kin__list_remove(&entry->link);
}

void kin__resync_start(kin__resync *resync, int64_t now_ms)
{
    resync->is_started = true;
    resync->next_tick_ms = now_ms + resync->check_ms;
}

int64_t kin__resync_next_tick_ms(const kin__resync *resync)
{
    bool is_ticking =
        resync->is_started && resync->check_ms > 0 && kin__list_first(&resync->entries) != NULL;

    return is_ticking ? resync->next_tick_ms : KIN__RESYNC_NO_TICK;
}

bool kin__resync_tick(kin__resync *resync, int64_t now_ms)
{
    bool is_any_due = false;

    if (now_ms < kin__resync_next_tick_ms(resync)) {
        return false;
    }
    resync->next_tick_ms = now_ms + resync->check_ms;
    for (kin__link *link = kin__list_first(&resync->entries); link != NULL;
         link = kin__list_next(&resync->entries, link)) {
        kin__resync_entry *entry = KIN__OWNER(link, kin__resync_entry, link);

        entry->is_due = entry->effective_ms > 0 && now_ms >= entry->next_ms;
        if (entry->is_due) {
            entry->next_ms = now_ms + entry->effective_ms;
            is_any_due = true;
        }
    }
    return is_any_due;
}

static int64_t clamp(int64_t period_ms)
{
    if (period_ms < KIN__RESYNC_MIN_MS) {
        return KIN__RESYNC_MIN_MS;
    }
    return period_ms > LONGEST_MS ? LONGEST_MS : period_ms;
}

static int64_t effective(const kin__resync *resync, int64_t wanted_ms)
{
    if (wanted_ms == 0 || resync->check_ms == 0) {
        return 0;
    }
    return wanted_ms < resync->check_ms ? resync->check_ms : wanted_ms;
}
