/* SPDX-License-Identifier: Apache-2.0 */
/*
 * book_test.c - which Events are written when, in virtual time.
 */
#include "controller/book.h"

#include <stdio.h>

#include "base/str.h"
#include "support/allocator.h"
#include "support/test.h"

#define MINUTE 60000

static kin__book book;
static int64_t now_ms;

static void begin(kin__book_options options)
{
    now_ms = 1000000;
    book = (kin__book){ .options = options };
}

static void begin_plain(void)
{
    begin((kin__book_options){
        .burst = 3, .refill_ms = 5 * MINUTE, .series_ms = 6 * MINUTE, .waiting = 10 });
}

static kin__book_outcome tell(const char *object, const char *reason)
{
    kin__told told = { .severity = KIN_SEVERITY_NORMAL };

    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_NAME] = kin_str_of(object);
    told.texts[KIN__TOLD_REASON] = kin_str_of(reason);
    return kin__book_tell(&book, &told, now_ms, (kin_time){ now_ms / 1000, 0 });
}

static kin__event_series *next(void)
{
    return kin__book_next(&book, now_ms);
}

/* "a/Made x3": what is to be written next. */
static kin__event_series *expect_next(const char *want)
{
    kin__event_series *series = next();
    kin__told told;
    text got = { 0 };

    if (series == NULL) {
        FAIL("nothing is to be written, want %s", want);
    }
    kin__series_told(series, &told);
    text_append(&got, "%.*s/%.*s x%d",
                KIN_STR_ARG(told.texts[KIN__TOLD_REGARDING + KIN__TOLD_NAME]),
                KIN_STR_ARG(told.texts[KIN__TOLD_REASON]), (int) series->count_sent);
    ASSERT_STR_EQ(got.chars, want);
    return series;
}

static void write_next(const char *want)
{
    kin__book_written(&book, expect_next(want), now_ms);
}

static void expect_nothing(void)
{
    ASSERT_TRUE(next() == NULL);
}

TEST(book, what_is_told_is_written_in_order)
{
    begin_plain();
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_WAITS);
    ASSERT_EQ(tell("b", "Made"), KIN__BOOK_WAITS);
    ASSERT_EQ(tell("a", "Gone"), KIN__BOOK_WAITS);
    ASSERT_EQ(book.waiting_count, 3);

    write_next("a/Made x1");
    write_next("b/Made x1");
    write_next("a/Gone x1");
    expect_nothing();
    ASSERT_EQ(book.waiting_count, 0);
    kin__book_fini(&book);
}

TEST(book, what_is_told_again_belongs_to_the_first)
{
    begin_plain();
    (void) !tell("a", "Made");
    write_next("a/Made x1");
    now_ms += 6 * MINUTE;
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_WAITS);

    kin__event_series *series = expect_next("a/Made x2");
    ASSERT_TRUE(series->is_made);
    ASSERT_EQ(series->last_sent.seconds, now_ms / 1000);
    ASSERT_EQ(series->first.seconds, now_ms / 1000 - 360);
    kin__book_written(&book, series, now_ms);
    kin__book_fini(&book);
}

TEST(book, a_series_ends_some_time_after_the_last)
{
    begin_plain();
    (void) !tell("a", "Made");
    kin__event_series *first = expect_next("a/Made x1");
    uint64_t serial = first->serial;
    kin__book_written(&book, first, now_ms);
    now_ms += 6 * MINUTE + 1;
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_WAITS);

    kin__event_series *second = expect_next("a/Made x1");
    ASSERT_FALSE(second->is_made);
    ASSERT_TRUE(second->serial != serial);
    kin__book_written(&book, second, now_ms);
    kin__book_fini(&book);
}

TEST(book, a_series_that_waits_does_not_end)
{
    begin_plain();
    (void) !tell("a", "Made");
    now_ms += 60 * MINUTE;
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_MERGED);
    kin__event_series *series = expect_next("a/Made x2");
    now_ms += 60 * MINUTE;
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_MERGED);
    kin__book_written(&book, series, now_ms);
    write_next("a/Made x3");
    kin__book_fini(&book);
}

TEST(book, what_waits_takes_up_what_is_told_again)
{
    begin_plain();
    (void) !tell("a", "Made");
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_MERGED);
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_MERGED);
    ASSERT_EQ(book.waiting_count, 1);

    write_next("a/Made x3");
    expect_nothing();
    kin__book_fini(&book);
}

TEST(book, what_is_told_while_it_is_written_is_written_next)
{
    begin_plain();
    (void) !tell("a", "Made");
    kin__event_series *series = expect_next("a/Made x1");
    for (int i = 0; i < 999; i++) {
        ASSERT_EQ(tell("a", "Made"), KIN__BOOK_MERGED);
    }
    expect_nothing();
    ASSERT_EQ(series->count_sent, 1);
    kin__book_written(&book, series, now_ms);

    write_next("a/Made x1000");
    expect_nothing();
    kin__book_fini(&book);
}

TEST(book, an_object_has_a_burst_and_then_one_each_refill)
{
    begin_plain();
    ASSERT_EQ(tell("a", "1"), KIN__BOOK_WAITS);
    ASSERT_EQ(tell("a", "2"), KIN__BOOK_WAITS);
    ASSERT_EQ(tell("a", "3"), KIN__BOOK_WAITS);
    ASSERT_EQ(tell("a", "4"), KIN__BOOK_LIMITED);
    ASSERT_EQ(tell("b", "4"), KIN__BOOK_WAITS);
    now_ms += 5 * MINUTE - 1;
    ASSERT_EQ(tell("a", "5"), KIN__BOOK_LIMITED);
    now_ms += 1;
    ASSERT_EQ(tell("a", "6"), KIN__BOOK_WAITS);
    ASSERT_EQ(tell("a", "7"), KIN__BOOK_LIMITED);
    kin__book_fini(&book);
}

TEST(book, a_repetition_without_a_token_is_written_when_there_is_one)
{
    begin_plain();
    for (int i = 1; i <= 3; i++) {
        char want[32];
        (void) snprintf(want, sizeof want, "a/Made x%d", i);
        ASSERT_EQ(tell("a", "Made"), KIN__BOOK_WAITS);
        write_next(want);
    }
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_WAITS);
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_MERGED);
    expect_nothing();
    ASSERT_EQ(kin__book_due_ms(&book), now_ms + 5 * MINUTE);
    now_ms += 5 * MINUTE - 1;
    expect_nothing();
    now_ms += 1;

    write_next("a/Made x5");
    kin__book_fini(&book);
}

TEST(book, a_repetition_that_would_wait_for_too_long_only_counts)
{
    begin_plain();
    (void) !tell("a", "1");
    (void) !tell("a", "2");
    write_next("a/1 x1");
    write_next("a/2 x1");
    (void) !tell("a", "1");
    write_next("a/1 x2");
    ASSERT_EQ(tell("a", "1"), KIN__BOOK_WAITS);   /* in 5 minutes */
    ASSERT_EQ(tell("a", "2"), KIN__BOOK_LIMITED); /* would be in 10 */
    ASSERT_EQ(book.waiting_count, 1);
    now_ms += 5 * MINUTE;
    write_next("a/1 x3");
    now_ms += MINUTE / 2;
    ASSERT_EQ(tell("a", "2"), KIN__BOOK_WAITS);
    now_ms += 5 * MINUTE;
    write_next("a/2 x3");
    kin__book_fini(&book);
}

TEST(book, only_so_many_wait)
{
    char name[16];
    begin_plain();

    for (int i = 0; i < 10; i++) {
        (void) snprintf(name, sizeof name, "o%d", i);
        ASSERT_EQ(tell(name, "Made"), KIN__BOOK_WAITS);
    }
    ASSERT_EQ(tell("more", "Made"), KIN__BOOK_FULL);
    ASSERT_EQ(tell("o3", "Made"), KIN__BOOK_MERGED);
    write_next("o0/Made x1");
    ASSERT_EQ(tell("more", "Made"), KIN__BOOK_WAITS);
    ASSERT_EQ(tell("o0", "Made"), KIN__BOOK_FULL);
    kin__book_fini(&book);
}

TEST(book, what_failed_is_tried_again_behind_the_others)
{
    begin_plain();
    (void) !tell("a", "Made");
    (void) !tell("b", "Made");
    kin__event_series *series = expect_next("a/Made x1");
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_MERGED);
    kin__book_failed(&book, series);
    ASSERT_EQ(series->tries, 1);

    write_next("b/Made x1");
    write_next("a/Made x2");
    ASSERT_EQ(series->tries, 0);
    ASSERT_EQ(book.waiting_count, 0);
    kin__book_fini(&book);
}

TEST(book, what_is_given_up_begins_anew)
{
    begin_plain();
    (void) !tell("a", "Made");
    kin__book_gave_up(&book, expect_next("a/Made x1"));
    ASSERT_EQ(book.waiting_count, 0);
    ASSERT_EQ(book.series.count, 0);
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_WAITS);
    write_next("a/Made x1");
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_WAITS);
    kin__book_gave_up(&book, expect_next("a/Made x2"));

    ASSERT_EQ(book.series.count, 1);
    now_ms += 5 * MINUTE;
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_WAITS);
    write_next("a/Made x3");
    kin__book_fini(&book);
}

TEST(book, forgets_series_that_are_over)
{
    begin_plain();
    (void) !tell("a", "Made");
    (void) !tell("b", "Made");
    write_next("a/Made x1");
    ASSERT_EQ(kin__book_due_ms(&book), now_ms + 6 * MINUTE + 1);
    now_ms += 6 * MINUTE;
    kin__book_sweep(&book, now_ms);
    ASSERT_EQ(book.series.count, 2);
    now_ms += 1;
    kin__book_sweep(&book, now_ms);

    ASSERT_EQ(book.series.count, 1); /* b waits yet */
    ASSERT_EQ(kin__book_due_ms(&book), INT64_MAX);
    write_next("b/Made x1");
    kin__book_fini(&book);
}

TEST(book, remembers_a_limited_number_of_series_and_objects)
{
    char name[32];
    begin((kin__book_options){
        .burst = 3, .refill_ms = 5 * MINUTE, .series_ms = 6 * MINUTE, .waiting = 10 });

    for (int i = 0; i < 3 * KIN__BOOK_IDLE_MAX; i++) {
        (void) snprintf(name, sizeof name, "object-%d", i);
        ASSERT_EQ(tell(name, "Made"), KIN__BOOK_WAITS);
        kin__book_written(&book, next(), now_ms);
        ASSERT_TRUE(book.series.count <= KIN__BOOK_IDLE_MAX + 1);
        ASSERT_TRUE(book.buckets.count <= KIN__BOOK_OBJECTS_MAX);
    }
    ASSERT_EQ(book.idle_count, KIN__BOOK_IDLE_MAX);
    ASSERT_EQ(tell(name, "Made"), KIN__BOOK_WAITS);
    ASSERT_EQ(next()->count_sent, 2);
    kin__book_fini(&book);
}

TEST(book, forgets_objects_whose_buckets_are_full_again)
{
    char name[32];
    begin_plain();

    for (int i = 0; i < 100; i++) {
        (void) snprintf(name, sizeof name, "object-%d", i);
        (void) !tell(name, "Made");
        kin__book_written(&book, next(), now_ms);
    }
    ASSERT_EQ(book.buckets.count, 100);
    now_ms += 5 * MINUTE;
    for (int i = 0; i < 60; i++) {
        (void) snprintf(name, sizeof name, "later-%d", i);
        (void) !tell(name, "Made");
        kin__book_written(&book, next(), now_ms);
    }

    ASSERT_TRUE(book.buckets.count <= 60);
    kin__book_fini(&book);
}

TEST(book, a_hurry_waits_for_no_token)
{
    begin_plain();
    for (int i = 0; i < 3; i++) {
        (void) !tell("a", "Made");
        kin__book_written(&book, next(), now_ms);
    }
    (void) !tell("a", "Made");
    expect_nothing();
    uint64_t ticket = kin__book_hurry(&book);
    ASSERT_TRUE(kin__book_waits_for(&book, ticket));

    kin__event_series *series = expect_next("a/Made x4");
    ASSERT_TRUE(kin__book_waits_for(&book, ticket));
    kin__book_written(&book, series, now_ms);
    ASSERT_FALSE(kin__book_waits_for(&book, ticket));
    now_ms += 4 * MINUTE; /* two tokens are owed: the next one comes in 6 */
    ASSERT_EQ(tell("a", "Made"), KIN__BOOK_WAITS);
    expect_nothing();
    kin__book_fini(&book);
}

TEST(book, a_hurry_waits_for_what_was_told_while_it_was_written)
{
    begin_plain();
    for (int i = 0; i < 3; i++) {
        (void) !tell("a", "Made");
        kin__book_written(&book, next(), now_ms);
    }
    (void) !tell("b", "Made");
    kin__event_series *series = expect_next("b/Made x1");
    (void) !tell("b", "Made");
    uint64_t ticket = kin__book_hurry(&book);
    (void) !tell("c", "Made");
    kin__book_written(&book, series, now_ms);
    ASSERT_TRUE(kin__book_waits_for(&book, ticket));

    write_next("c/Made x1");
    ASSERT_TRUE(kin__book_waits_for(&book, ticket));
    series = expect_next("b/Made x2");
    (void) !tell("b", "Made");
    kin__book_written(&book, series, now_ms);
    ASSERT_FALSE(kin__book_waits_for(&book, ticket));
    ASSERT_EQ(book.waiting_count, 1);
    kin__book_fini(&book);
}

TEST(book, a_hurry_waits_for_no_token_of_what_was_told_while_it_was_written)
{
    begin_plain();
    for (int i = 0; i < 2; i++) {
        (void) !tell("a", "Made");
        kin__book_written(&book, next(), now_ms);
    }
    (void) !tell("a", "Made");
    kin__event_series *series = expect_next("a/Made x3");
    (void) !tell("a", "Made");
    (void) kin__book_hurry(&book);
    kin__book_written(&book, series, now_ms);

    write_next("a/Made x4");
    kin__book_fini(&book);
}

TEST(book, a_hurry_waits_for_the_last_whatever_comes_in_between)
{
    begin_plain();
    (void) !tell("a", "Made");
    kin__event_series *series = expect_next("a/Made x1");
    (void) !tell("b", "Made");
    uint64_t ticket = kin__book_hurry(&book);
    (void) !tell("a", "Made");
    (void) !tell("c", "Made");
    kin__book_written(&book, series, now_ms);

    ASSERT_TRUE(kin__book_waits_for(&book, ticket));
    write_next("b/Made x1");
    kin__book_fini(&book);
}

TEST(book, a_hurry_does_not_wait_for_what_is_told_after_it)
{
    begin_plain();
    (void) !tell("a", "Made");
    uint64_t ticket = kin__book_hurry(&book);
    (void) !tell("b", "Made");
    write_next("a/Made x1");
    ASSERT_FALSE(kin__book_waits_for(&book, ticket));
    ASSERT_TRUE(kin__book_waits_for(&book, kin__book_hurry(&book)));
    kin__book_fini(&book);
}

TEST(book, what_was_limited_before_a_hurry_does_not_get_around_the_bucket)
{
    begin_plain();
    (void) !tell("a", "1");
    (void) !tell("a", "2");
    write_next("a/1 x1");
    write_next("a/2 x1");
    (void) !tell("a", "1");
    write_next("a/1 x2");
    ASSERT_EQ(tell("a", "1"), KIN__BOOK_WAITS);
    ASSERT_EQ(tell("a", "2"), KIN__BOOK_LIMITED);
    (void) kin__book_hurry(&book);
    write_next("a/1 x3");
    now_ms += MINUTE;

    ASSERT_EQ(tell("a", "2"), KIN__BOOK_LIMITED);
    expect_nothing();
    kin__book_fini(&book);
}

TEST(book, names_are_never_the_same)
{
    begin_plain();
    (void) !tell("a", "1");
    (void) !tell("a", "2");
    kin__event_series *one = next();
    kin__event_series *two = next();
    ASSERT_TRUE(one->serial != two->serial);
    ASSERT_EQ(one->serial, (uint64_t) now_ms * 1000000);
    kin__book_fini(&book);
}

TEST(book, what_cannot_be_stored_takes_no_token)
{
    begin_plain();
    (void) !tell("a", "1");
    (void) !tell("a", "2");
    test_allocator_plan((alloc_failure){ .first = 1 });
    ASSERT_EQ(tell("a", "3"), KIN__BOOK_NO_MEMORY);
    test_allocator_plan((alloc_failure){ 0 });
    ASSERT_EQ(tell("a", "3"), KIN__BOOK_WAITS);
    ASSERT_EQ(tell("a", "4"), KIN__BOOK_LIMITED);
    kin__book_fini(&book);
}

static bool has_no_memory(kin__book_outcome outcome)
{
    return outcome == KIN__BOOK_NO_MEMORY;
}

TEST_FAILING_ALLOC(book, what_cannot_be_stored_is_dropped)
{
    begin_plain();
    bool is_short = has_no_memory(tell("a", "1"));
    is_short |= has_no_memory(tell("a", "2"));
    is_short |= has_no_memory(tell("b", "1"));
    for (kin__event_series *series; (series = next()) != NULL;) {
        kin__book_written(&book, series, now_ms);
    }
    for (int i = 0; i < 6; i++) {
        kin__book_outcome outcome = tell("a", "1");
        is_short |= has_no_memory(outcome) || (i > 0 && outcome == KIN__BOOK_LIMITED);
        for (kin__event_series *series; (series = next()) != NULL;) {
            kin__book_written(&book, series, now_ms);
        }
    }
    ASSERT_TRUE(book.waiting_count <= 1);
    kin__book_fini(&book);
    return is_short ? KIN_ERR_NO_MEMORY : KIN_OK;
}
