/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backoff.c - how long to wait before something that failed is tried again.
 */
#include "cache/backoff.h"

#include "cache/jitter.h"

#define FIRST_MS 800
#define CAP_MS 30000
#define JITTER_PERCENT 100
#define HEALTHY_MS 30000
#define ASKED_MAX_MS 120000u
#define WAIT_MAX_MS (24 * 3600 * 1000) /* keeps all sums within 32 bits */

static uint32_t or_default(uint32_t value, uint32_t fallback);
static void begin_anew_if_healthy(kin__backoff *backoff, int64_t now_ms);
static uint32_t with_chance(kin__backoff *backoff, uint32_t ms, uint32_t percent);

void kin__backoff_init(kin__backoff *backoff, const kin__backoff_options *options, uint64_t seed)
{
    *backoff = (kin__backoff){
        .options = { .first_ms = or_default(options->first_ms, FIRST_MS),
                     .cap_ms = or_default(options->cap_ms, CAP_MS),
                     .jitter_percent =
                         options->jitter_percent == 0 ? JITTER_PERCENT : options->jitter_percent,
                     .healthy_ms = or_default(options->healthy_ms, HEALTHY_MS) },
        .random = seed,
        .good_since = -1,
    };
    if (backoff->options.first_ms > backoff->options.cap_ms) {
        backoff->options.first_ms = backoff->options.cap_ms;
    }
    if (backoff->options.jitter_percent > 100) {
        backoff->options.jitter_percent = 100;
    }
    backoff->next_ms = backoff->options.first_ms;
}

void kin__backoff_good(kin__backoff *backoff, int64_t now_ms)
{
    if (backoff->good_since < 0) {
        backoff->good_since = now_ms;
    }
}

uint32_t kin__backoff_failed(kin__backoff *backoff, int64_t now_ms)
{
    begin_anew_if_healthy(backoff, now_ms);
    uint32_t ms = backoff->next_ms;
    uint32_t cap = backoff->options.cap_ms;

    backoff->next_ms = ms > cap / 2 ? cap : ms * 2;
    int percent = backoff->options.jitter_percent;
    return with_chance(backoff, ms, percent < 0 ? 0 : (uint32_t) percent);
}

uint32_t kin__backoff_asked(kin__backoff *backoff, uint32_t asked_ms)
{
    uint32_t ms = asked_ms > ASKED_MAX_MS ? ASKED_MAX_MS : asked_ms;

    backoff->good_since = -1;
    ms = with_chance(backoff, ms, 25);
    return ms > ASKED_MAX_MS ? ASKED_MAX_MS : ms;
}

static uint32_t or_default(uint32_t value, uint32_t fallback)
{
    if (value == 0) {
        return fallback;
    }
    return value > WAIT_MAX_MS ? WAIT_MAX_MS : value;
}

static void begin_anew_if_healthy(kin__backoff *backoff, int64_t now_ms)
{
    if (backoff->good_since >= 0 && now_ms - backoff->good_since >= backoff->options.healthy_ms) {
        backoff->next_ms = backoff->options.first_ms;
    }
    backoff->good_since = -1;
}

static uint32_t with_chance(kin__backoff *backoff, uint32_t ms, uint32_t percent)
{
    uint64_t range = (uint64_t) ms * percent / 100;

    return ms + kin__jitter(&backoff->random, (uint32_t) range);
}
