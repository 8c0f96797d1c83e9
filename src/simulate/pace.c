/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pace.c - so many changes a second.
 *
 * Whole seconds and their remainder are multiplied apart, so that nothing overflows in 580 years.
 */
#include "simulate/pace.h"

#define SECOND_NS 1000000000

static uint64_t due_until(const kin__sim_pace *pace, int64_t now_ns);

uint64_t kin__sim_pace_take(kin__sim_pace *pace, int64_t now_ns)
{
    uint64_t due = due_until(pace, now_ns);
    uint64_t burst = pace->rate < 10 ? 1 : pace->rate / 10;

    if (due <= pace->made) {
        return 0;
    }
    if (due - pace->made > pace->rate) {
        pace->made = due - pace->rate;
    }
    uint64_t count = due - pace->made < burst ? due - pace->made : burst;
    pace->made += count;
    return count;
}

/* Rounded up: then it is due indeed. */
int64_t kin__sim_pace_next_ns(const kin__sim_pace *pace)
{
    uint64_t next = pace->made + 1;
    uint64_t seconds = next / pace->rate;
    uint64_t rest_ns = (next % pace->rate * SECOND_NS + pace->rate - 1) / pace->rate;

    return pace->began_ns + (int64_t) (seconds * SECOND_NS + rest_ns);
}

static uint64_t due_until(const kin__sim_pace *pace, int64_t now_ns)
{
    uint64_t passed_ns = now_ns <= pace->began_ns ? 0 : (uint64_t) (now_ns - pace->began_ns);

    return passed_ns / SECOND_NS * pace->rate + passed_ns % SECOND_NS * pace->rate / SECOND_NS;
}
