/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader_race_test.c - a leader that many threads use at once.
 *
 * For ThreadSanitizer; and whatever they do, functions are called in pairs, and the Lease is let go
 * of only when nobody acts as the leader.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "unit/controller/stand.h"

#define ROUNDS 300

static stand s;
static _Atomic int depth;  /* of on_started and on_stopped */
static _Atomic int seated; /* the seat that stays acts */
static _Atomic int terms;
static _Atomic bool is_over;

static void on_started(void *context)
{
    (void) context;
    ASSERT_EQ(atomic_fetch_add(&depth, 1), 0);
    atomic_fetch_add(&terms, 1);
}

static void on_stopped(void *context)
{
    (void) context;
    ASSERT_EQ(atomic_load(&seated), 0);
    ASSERT_EQ(atomic_fetch_sub(&depth, 1), 1);
}

static void stay(void *context, bool is_leading)
{
    (void) context;
    ASSERT_EQ(atomic_load(&depth), 1);
    ASSERT_EQ(atomic_fetch_add(&seated, is_leading ? 1 : -1), is_leading ? 0 : 1);
}

static void sit(void *context, bool is_leading)
{
    bool *acts = context;

    ASSERT_TRUE(*acts != is_leading);
    *acts = is_leading;
}

static void *ask(void *unused)
{
    while (!atomic_load(&is_over)) {
        kin_leader_status status = KIN_LEADER_STATUS_INIT;

        (void) kin_leader_is_leading(s.leader);
        ASSERT_OK(kin_leader_get_status(s.leader, &status, NULL));
        ASSERT_OK(kin_leader_check(s.leader, 0, NULL));
    }
    return unused;
}

static void *come_and_go(void *unused)
{
    while (!atomic_load(&is_over)) {
        bool acts = false;
        kin__leader_seat seat = { .fn = sit, .context = &acts };

        kin__leader_attend(s.leader, &seat);
        (void) kin_leader_is_leading(s.leader);
        kin__leader_leave(s.leader, &seat);
    }
    return unused;
}

static void *start_and_stop(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_OK(kin_leader_start(s.leader, NULL));
        if (i % 3 == 0) {
            ASSERT_OK(kin_leader_wait(s.leader, -1, NULL));
        }
        while (i % 6 == 0 && atomic_load(&depth) == 0) {
            (void) sched_yield();
        }
        kin_err code = kin_leader_stop(s.leader, i % 2 == 0 ? -1 : 0, NULL);
        ASSERT_TRUE(code == KIN_OK || code == KIN_ERR_TIMEOUT);
        if (i % 2 == 0) {
            ASSERT_FALSE(kin_leader_is_leading(s.leader));
            ASSERT_EQ(atomic_load(&depth), 0);
        }
    }
    atomic_store(&is_over, true);
    return unused;
}

TEST(leader_race, keeps_its_promises_to_many_threads)
{
    static void *(*const bodies[])(void *) = { ask, come_and_go, come_and_go, start_and_stop };
    pthread_t threads[4];
    kin__leader_seat seat = { .fn = stay };

    stand_open(&s);
    kin_leader_options options = stand_options(&s);
    options.on_started = on_started;
    options.on_stopped = on_stopped;
    options.on_new_leader = NULL;
    s.is_ready = true;
    ASSERT_OK(stand_make(&s, &options));
    kin__leader_attend(s.leader, &seat);
    ASSERT_OK(kin_loop_start(s.loop, &s.err));

    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(pthread_create(&threads[i], NULL, bodies[i], NULL), 0);
    }
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(pthread_join(threads[i], NULL), 0);
    }

    ASSERT_TRUE(atomic_load(&terms) > 0);
    kin__leader_leave(s.leader, &seat);
    stand_close(&s);
    ASSERT_EQ(atomic_load(&depth), 0);
}
