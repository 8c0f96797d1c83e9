/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c - the system's time, and a time of one's own.
 */
#include "base/clock.h"

#include <assert.h>
#include <time.h>

#define NS_PER_MS 1000000
#define NS_PER_SECOND 1000000000

static int64_t real_now_ns(const kin__clock *clock);
static int64_t real_boot_ns(const kin__clock *clock);
static kin_time real_wall(const kin__clock *clock);
static int64_t virtual_now_ns(const kin__clock *clock);
static int64_t virtual_boot_ns(const kin__clock *clock);
static kin_time virtual_wall(const kin__clock *clock);

static const kin__clock real_clock = { real_now_ns, real_boot_ns, real_wall };

const kin__clock *kin__clock_real(void)
{
    return &real_clock;
}

int64_t kin__clock_now_ns(const kin__clock *clock)
{
    return clock->now_ns(clock);
}

int64_t kin__clock_now_ms(const kin__clock *clock)
{
    return clock->now_ns(clock) / NS_PER_MS;
}

int64_t kin__clock_boot_ns(const kin__clock *clock)
{
    return clock->boot_ns(clock);
}

int64_t kin__clock_boot_ms(const kin__clock *clock)
{
    return clock->boot_ns(clock) / NS_PER_MS;
}

kin_time kin__clock_wall(const kin__clock *clock)
{
    return clock->wall(clock);
}

void kin__virtual_clock_init(kin__virtual_clock *clock, int64_t now_ms, kin_time wall)
{
    assert(now_ms >= 0);
    clock->clock = (kin__clock){ virtual_now_ns, virtual_boot_ns, virtual_wall };
    clock->start_ns = now_ms * NS_PER_MS;
    clock->start_wall = wall;
    atomic_init(&clock->passed_ns, 0);
    atomic_init(&clock->slept_ns, 0);
}

/* Sequentially consistent, as the load in passed(): a test that advances the clock and then
 * wakes a thread expects that thread to see it. */
void kin__virtual_clock_advance(kin__virtual_clock *clock, int64_t ms)
{
    assert(ms >= 0);
    atomic_fetch_add(&clock->passed_ns, ms * NS_PER_MS);
}

void kin__virtual_clock_sleep(kin__virtual_clock *clock, int64_t ms)
{
    assert(ms >= 0);
    atomic_fetch_add(&clock->slept_ns, ms * NS_PER_MS);
}

/* clock_gettime() fails only for a clock that does not exist; these three do on every Linux. */
static struct timespec system_time(clockid_t id)
{
    struct timespec now = { 0 };
    int result = clock_gettime(id, &now);
    assert(result == 0);
    (void) result;
    return now;
}

static int64_t nanoseconds_of(struct timespec time)
{
    return (int64_t) time.tv_sec * NS_PER_SECOND + time.tv_nsec;
}

static int64_t real_now_ns(const kin__clock *clock)
{
    (void) clock;
    return nanoseconds_of(system_time(CLOCK_MONOTONIC));
}

static int64_t real_boot_ns(const kin__clock *clock)
{
    (void) clock;
    return nanoseconds_of(system_time(CLOCK_BOOTTIME));
}

static kin_time real_wall(const kin__clock *clock)
{
    (void) clock;
    struct timespec now = system_time(CLOCK_REALTIME);
    return (kin_time){ now.tv_sec, (int32_t) now.tv_nsec };
}

static const kin__virtual_clock *virtual_of(const kin__clock *clock)
{
    return (const kin__virtual_clock *) clock;
}

static int64_t virtual_now_ns(const kin__clock *clock)
{
    const kin__virtual_clock *ours = virtual_of(clock);
    return ours->start_ns + atomic_load(&ours->passed_ns);
}

static int64_t virtual_boot_ns(const kin__clock *clock)
{
    return virtual_now_ns(clock) + atomic_load(&virtual_of(clock)->slept_ns);
}

static kin_time virtual_wall(const kin__clock *clock)
{
    const kin__virtual_clock *ours = virtual_of(clock);
    int64_t passed_ns = atomic_load(&ours->passed_ns) + atomic_load(&ours->slept_ns);
    int64_t nanoseconds = ours->start_wall.nanoseconds + passed_ns % NS_PER_SECOND;
    return (kin_time){
        .seconds =
            ours->start_wall.seconds + passed_ns / NS_PER_SECOND + nanoseconds / NS_PER_SECOND,
        .nanoseconds = (int32_t) (nanoseconds % NS_PER_SECOND),
    };
}
