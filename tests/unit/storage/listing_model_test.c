/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing_model_test.c - random changes, and every servable revision compared with a plain model.
 *
 * The model keeps a copy of the whole state for each revision: for each key the revision that
 * wrote it, or 0.
 */
#include "keeping.h"
#include "storage/storage.h"
#include "support/random.h"

#define KEYS 48
#define STEPS 400
#define HISTORY 60

static char names[KEYS][16];
static uint64_t states[STEPS + 2][KEYS];

static kin__storage *storage;
static kin__collection *collection;

static void make_names(void)
{
    for (size_t i = 0; i < KEYS; i++) { /* in their order */
        (void) snprintf(names[i], sizeof names[i], "ns%zu/p%02zu", i / 12, i);
    }
}

static void step(uint64_t *random, uint64_t now)
{
    size_t key = random_below(random, KEYS);
    memcpy(states[now], states[now - 1], sizeof states[now]);
    if (states[now][key] != 0 && random_below(random, 2) == 0) {
        take(collection, names[key]);
        states[now][key] = 0;
    } else {
        put(collection, names[key]);
        states[now][key] = now;
    }
    if (random_below(random, 50) == 0) {
        kin__storage_compact(storage, now - random_below(random, 20));
    }
}

static void append_model(text *t, uint64_t revision, const kin__range *range)
{
    size_t count = 0;
    size_t remaining = 0;
    for (size_t i = 0; i < KEYS; i++) {
        kin_str key = kin_str_of(names[i]);
        if (states[revision][i] == 0 || !kin__str_starts_with(key, range->prefix) ||
            kin__str_compare(key, range->start) < 0) {
            continue;
        }
        if (range->limit != 0 && count == range->limit) {
            remaining++;
        } else {
            text_append(t, "%s@%llu ", names[i], (unsigned long long) states[revision][i]);
            count++;
        }
    }
    if (remaining > 0) {
        text_append(t, "+%zu", remaining);
    }
}

static void compare_one(uint64_t revision, const kin__range *range)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    text got = { 0 }, want = { 0 };
    kin_error err;

    ASSERT_OK(kin__collection_list(collection, range, &listing, &err));
    append_listing(&got, &listing);
    append_model(&want, revision, range);
    ASSERT_STR_EQ(got.chars, want.chars);
}

static void compare_all(uint64_t *random, uint64_t now)
{
    uint64_t oldest = kin__collection_oldest(collection);
    for (uint64_t revision = oldest < 1 ? 1 : oldest; revision <= now; revision++) {
        kin__range range = { .revision = revision };
        compare_one(revision, &range);
        range.limit = random_below(random, 8);
        range.start = kin_str_of(names[random_below(random, KEYS)]);
        compare_one(revision, &range);
        range.prefix = kin__str(names[random_below(random, KEYS)], 4);
        compare_one(revision, &range);
    }
    kin__range present = { .limit = random_below(random, 20) };
    compare_one(now, &present);
    if (oldest > 1) {
        AUTO(kin__listing_fini) kin__listing listing = { 0 };
        kin__range range = { .revision = oldest - 1 };
        kin_error err;
        ASSERT_ERR(kin__collection_list(collection, &range, &listing, &err), KIN_ERR_EXPIRED);
    }
}

TEST(listing_model, every_servable_revision_is_as_it_was)
{
    uint64_t random = random_start(2024);
    make_names();
    make_collection(HISTORY, &storage, &collection);

    for (uint64_t now = 2; now < STEPS + 2; now++) {
        step(&random, now);
        compare_all(&random, now);
    }

    kin__collection_free(collection);
    kin__storage_free(storage);
}
