/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit/queue/support.h - a queue on virtual time, and what comes out of it as words.
 */
#ifndef TESTS_UNIT_QUEUE_SUPPORT_H
#define TESTS_UNIT_QUEUE_SUPPORT_H

#include <string.h>

#include "queue/queue.h"
#include "support/test.h"

typedef struct desk {
    kin__virtual_clock clock;
    kin_queue *queue;
} desk;

/* `options` may be NULL. */
static inline void desk_open(desk *d, const kin_queue_options *options)
{
    kin_error err;

    kin__virtual_clock_init(&d->clock, 1000, (kin_time){ 0 });
    ASSERT_OK(kin__queue_new(options, &d->clock.clock, &d->queue, &err));
}

static inline void desk_close(desk *d)
{
    kin_queue_free(d->queue);
}

/* With these fields of a limiter alone. */
static inline void desk_open_limited(desk *d, const kin_limiter *limiter)
{
    kin_queue_options options = KIN_QUEUE_OPTIONS_INIT;

    options.limiter = limiter;
    desk_open(d, &options);
}

static inline void pass(desk *d, int64_t ms)
{
    kin__virtual_clock_advance(&d->clock, ms);
}

static inline void add(desk *d, const char *key)
{
    kin_error err;
    ASSERT_OK(kin_queue_add(d->queue, kin_str_of(key), NULL, &err));
}

static inline void add_at(desk *d, const char *key, kin_priority priority)
{
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;

    options.priority = priority;
    ASSERT_OK(kin_queue_add(d->queue, kin_str_of(key), &options, NULL));
}

static inline void add_later(desk *d, const char *key, int64_t delay_ms)
{
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;

    options.delay_ms = delay_ms;
    ASSERT_OK(kin_queue_add(d->queue, kin_str_of(key), &options, NULL));
}

static inline void add_instead(desk *d, const char *key, int64_t delay_ms)
{
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;

    options.delay_ms = delay_ms;
    options.replaces_later = true;
    ASSERT_OK(kin_queue_add(d->queue, kin_str_of(key), &options, NULL));
}

static inline void add_limited(desk *d, const char *key)
{
    ASSERT_OK(kin_queue_add_limited(d->queue, kin_str_of(key), NULL, NULL));
}

/* That `key` is next. */
static inline kin_queue_item take(desk *d, const char *key)
{
    kin_queue_item item;
    kin_error err;

    ASSERT_OK(kin_queue_take(d->queue, NULL, 0, &item, &err));
    ASSERT_SLICE_EQ(item.key, key);
    return item;
}

static inline void expect_nothing(desk *d)
{
    kin_queue_item item;
    ASSERT_ERR(kin_queue_take(d->queue, NULL, 0, &item, NULL), KIN_ERR_TIMEOUT);
}

/* Takes all that waits, and is done with it: "a b c". */
static inline void expect_keys(desk *d, const char *keys)
{
    text got = { 0 };
    kin_queue_item item;

    while (kin_queue_take(d->queue, NULL, 0, &item, NULL) == KIN_OK) {
        text_append(&got, "%s%.*s", got.len == 0 ? "" : " ", KIN_STR_ARG(item.key));
        kin_queue_done(d->queue, &item);
    }
    ASSERT_STR_EQ(got.chars, keys);
}

static inline kin_queue_status status_of(desk *d)
{
    kin_queue_status status = KIN_QUEUE_STATUS_INIT;
    ASSERT_OK(kin_queue_get_status(d->queue, &status, NULL));
    return status;
}

#endif /* TESTS_UNIT_QUEUE_SUPPORT_H */
