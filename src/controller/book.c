/* SPDX-License-Identifier: Apache-2.0 */
/*
 * book.c - which Events there are to write, and when.
 *
 * Invariants
 *   - a series is in `series` from when it is made until it is released, under its key
 *   - IDLE: on `idle`; READY: on `ready`; LATER: in `later`; SENT: with the caller
 *   - all but the idle ones are on `waiting`, whose `waits_for` never falls from one to the next
 */
#include "controller/book.h"

#include "base/alloc.h"
#include "base/str.h"

#define NS_PER_SECOND 1000000000
#define NS_PER_MS 1000000

/* How many tokens an object has. */
typedef struct object_bucket {
    kin__link link;
    kin__bucket tokens;
    size_t key_len;
    char key[];
} object_bucket;

static kin__book_outcome begin(kin__book *book, const kin__told *told, size_t object_len,
                               int64_t now_ms, kin_time wall);
static kin__book_outcome repeat(kin__book *book, kin__event_series *series, int64_t now_ms,
                                kin_time wall);
static bool is_over(const kin__book *book, const kin__event_series *series, int64_t now_ms);
static bool queue(kin__book *book, kin__event_series *series, int64_t now_ms);
static bool reserve(kin__book *book, kin__event_series *series, int64_t now_ms);
static void wait_from_ticket(kin__book *book, kin__event_series *series);
static void push_first(kin__list *list, kin__link *link);
static void make_ready(kin__book *book, kin__event_series *series);
static void make_idle(kin__book *book, kin__event_series *series);
static void forget(kin__book *book, kin__event_series *series);
static uint64_t next_serial(kin__book *book, kin_time wall);
static kin__bucket *bucket_of(kin__book *book, kin_str object, int64_t now_ms);
static object_bucket *make_bucket(kin__book *book, kin_str object);
static void forget_buckets(kin__book *book, int64_t now_ms);
static void forget_bucket(kin__book *book, object_bucket *bucket);

void kin__book_fini(kin__book *book)
{
    kin__map_iter iter = kin__map_begin(&book->series);

    while (kin__map_next(&iter)) {
        kin__free(iter.value);
    }
    kin__map_clear(&book->series);
    kin__heap_fini(&book->later);
    for (kin__link *link; (link = kin__list_first(&book->objects)) != NULL;) {
        forget_bucket(book, KIN__OWNER(link, object_bucket, link));
    }
    kin__map_clear(&book->buckets);
    kin__buf_fini(&book->key);
}

kin__book_outcome kin__book_tell(kin__book *book, const kin__told *told, int64_t now_ms,
                                 kin_time wall)
{
    size_t object_len = 0;

    book->tickets++;
    if (!kin__told_key(told, &book->key, &object_len)) {
        return kin__buf_failed(&book->key) ? KIN__BOOK_NO_MEMORY : KIN__BOOK_TOO_LONG;
    }
    kin__event_series *series =
        kin__map_get(&book->series, kin__str(book->key.data, book->key.len));
    if (series != NULL && is_over(book, series, now_ms)) {
        forget(book, series);
        series = NULL;
    }
    return series != NULL ? repeat(book, series, now_ms, wall)
                          : begin(book, told, object_len, now_ms, wall);
}

kin__event_series *kin__book_next(kin__book *book, int64_t now_ms)
{
    for (kin__heap_node *node; (node = kin__heap_get_first(&book->later)) != NULL;) {
        kin__event_series *due = KIN__OWNER(node, kin__event_series, node);

        if (node->due > now_ms) {
            break;
        }
        (void) kin__heap_pop(&book->later);
        make_ready(book, due);
    }
    kin__link *link = kin__list_first(&book->ready);
    if (link == NULL) {
        return NULL;
    }
    kin__event_series *series = KIN__OWNER(link, kin__event_series, link);
    kin__list_remove(link);
    series->state = KIN__SERIES_SENT;
    series->ticket = 0;
    series->count_sent = series->count;
    series->last_sent = series->last;
    return series;
}

void kin__book_written(kin__book *book, kin__event_series *series, int64_t now_ms)
{
    series->is_made = true;
    series->tries = 0;
    make_idle(book, series);
    if (series->count > series->count_sent) {
        (void) queue(book, series, now_ms);
    }
}

void kin__book_failed(kin__book *book, kin__event_series *series)
{
    series->tries++;
    make_ready(book, series);
}

void kin__book_gave_up(kin__book *book, kin__event_series *series)
{
    series->tries = 0;
    make_idle(book, series);
    if (!series->is_made) {
        forget(book, series);
    }
}

int64_t kin__book_due_ms(const kin__book *book)
{
    const kin__heap_node *node = kin__heap_get_first(&book->later);
    const kin__link *link = kin__list_first(&book->idle);
    int64_t due_ms = node != NULL ? node->due : INT64_MAX;

    if (link != NULL) {
        const kin__event_series *first = KIN__OWNER(link, kin__event_series, link);
        int64_t over_ms = first->last_ms + book->options.series_ms + 1;

        due_ms = over_ms < due_ms ? over_ms : due_ms;
    }
    return due_ms;
}

void kin__book_sweep(kin__book *book, int64_t now_ms)
{
    for (kin__link *link; (link = kin__list_first(&book->idle)) != NULL;) {
        kin__event_series *series = KIN__OWNER(link, kin__event_series, link);

        if (!is_over(book, series, now_ms)) {
            return;
        }
        forget(book, series);
    }
}

uint64_t kin__book_hurry(kin__book *book)
{
    book->hurried = book->tickets;
    for (kin__heap_node *node; (node = kin__heap_pop(&book->later)) != NULL;) {
        make_ready(book, KIN__OWNER(node, kin__event_series, node));
    }
    return book->hurried;
}

bool kin__book_waits_for(const kin__book *book, uint64_t ticket)
{
    const kin__link *link = kin__list_first(&book->waiting);

    return link != NULL && KIN__OWNER(link, kin__event_series, waiting)->waits_for <= ticket;
}

static kin__book_outcome begin(kin__book *book, const kin__told *told, size_t object_len,
                               int64_t now_ms, kin_time wall)
{
    kin_str key = kin__str(book->key.data, book->key.len);
    kin_error err;

    if (book->waiting_count >= book->options.waiting) {
        return KIN__BOOK_FULL;
    }
    kin__bucket *bucket = bucket_of(book, kin__str(key.data, object_len), now_ms);
    if (bucket == NULL) {
        return KIN__BOOK_NO_MEMORY;
    }
    if (!kin__bucket_take(bucket, now_ms)) {
        return KIN__BOOK_LIMITED;
    }
    kin__event_series *series = kin__series_new(told, key, object_len);
    if (series == NULL || kin__map_put(&book->series, key, series, NULL, &err) != KIN_OK) {
        kin__bucket_give_back(bucket);
        kin__free(series);
        return KIN__BOOK_NO_MEMORY;
    }
    series->serial = next_serial(book, wall);
    series->first = series->last = wall;
    series->last_ms = now_ms;
    series->waits_for = book->tickets;
    kin__list_push(&book->waiting, &series->waiting);
    book->waiting_count++;
    make_ready(book, series);
    return KIN__BOOK_WAITS;
}

/* It counts in any case: should the series be written again, the number is right. */
static kin__book_outcome repeat(kin__book *book, kin__event_series *series, int64_t now_ms,
                                kin_time wall)
{
    series->count++;
    series->last = wall;
    series->last_ms = now_ms;
    if (series->ticket == 0) {
        series->ticket = book->tickets;
    }
    if (series->state != KIN__SERIES_IDLE) {
        return KIN__BOOK_MERGED;
    }
    if (book->waiting_count >= book->options.waiting) {
        series->ticket = 0;
        return KIN__BOOK_FULL;
    }
    return queue(book, series, now_ms) ? KIN__BOOK_WAITS : KIN__BOOK_LIMITED;
}

/* One that waits, for want of a connection perhaps, is never over. */
static bool is_over(const kin__book *book, const kin__event_series *series, int64_t now_ms)
{
    return series->state == KIN__SERIES_IDLE &&
           now_ms - series->last_ms > (int64_t) book->options.series_ms;
}

/* An idle one is to be written when its bucket says so; false when that would be later than its
 * series may last. */
static bool queue(kin__book *book, kin__event_series *series, int64_t now_ms)
{
    if (!reserve(book, series, now_ms)) {
        series->ticket = 0;
        return false;
    }
    kin__list_remove(&series->link);
    book->idle_count--;
    wait_from_ticket(book, series);
    if (kin__heap_node_is_in(&series->node)) {
        series->state = KIN__SERIES_LATER;
    } else {
        make_ready(book, series);
    }
    return true;
}

/* Takes a token; one that comes later puts the series among those that wait for it. */
static bool reserve(kin__book *book, kin__event_series *series, int64_t now_ms)
{
    kin__bucket *bucket = bucket_of(book, kin__series_object(series), now_ms);
    kin_error err;

    if (bucket == NULL) {
        return false;
    }
    int64_t after_ms = kin__bucket_reserve(bucket, now_ms);
    if (after_ms == 0 || series->ticket <= book->hurried) {
        return true;
    }
    if (after_ms > (int64_t) book->options.series_ms ||
        kin__heap_push(&book->later, &series->node, now_ms + after_ms, &err) != KIN_OK) {
        kin__bucket_give_back(bucket);
        return false;
    }
    return true;
}

/* On `waiting`, by its ticket.  That is the newest, or one that was given while the series was
 * being written: then the series goes to the front, as if it had waited for as long as the first
 * one there.  Whoever waits for something told may so wait for one more write, but never for one
 * too few. */
static void wait_from_ticket(kin__book *book, kin__event_series *series)
{
    const kin__link *first = kin__list_first(&book->waiting);

    book->waiting_count++;
    series->waits_for = series->ticket;
    if (first == NULL || series->ticket == book->tickets) {
        kin__list_push(&book->waiting, &series->waiting);
        return;
    }
    uint64_t oldest = KIN__OWNER(first, kin__event_series, waiting)->waits_for;
    if (series->waits_for > oldest) {
        series->waits_for = oldest;
    }
    push_first(&book->waiting, &series->waiting);
}

static void push_first(kin__list *list, kin__link *link)
{
    link->prev = &list->head;
    link->next = list->head.next;
    link->next->prev = link;
    list->head.next = link;
}

static void make_ready(kin__book *book, kin__event_series *series)
{
    series->state = KIN__SERIES_READY;
    kin__list_push(&book->ready, &series->link);
}

/* One that was sent. */
static void make_idle(kin__book *book, kin__event_series *series)
{
    series->state = KIN__SERIES_IDLE;
    kin__list_remove(&series->waiting);
    book->waiting_count--;
    kin__list_push(&book->idle, &series->link);
    if (++book->idle_count > KIN__BOOK_IDLE_MAX) {
        forget(book, KIN__OWNER(kin__list_first(&book->idle), kin__event_series, link));
    }
}

/* An idle one. */
static void forget(kin__book *book, kin__event_series *series)
{
    kin__list_remove(&series->link);
    book->idle_count--;
    (void) kin__map_remove(&book->series, kin__series_key(series));
    kin__free(series);
}

/* Nanoseconds since 1970, as client-go takes them; the next number when that is taken. */
static uint64_t next_serial(kin__book *book, kin_time wall)
{
    uint64_t serial = (uint64_t) wall.seconds * NS_PER_SECOND + (uint64_t) wall.nanoseconds;

    if (serial <= book->last_serial) {
        serial = book->last_serial + 1;
    }
    book->last_serial = serial;
    return serial;
}

/* NULL: no memory. */
static kin__bucket *bucket_of(kin__book *book, kin_str object, int64_t now_ms)
{
    object_bucket *bucket = kin__map_get(&book->buckets, object);

    if (bucket == NULL) {
        forget_buckets(book, now_ms);
        bucket = make_bucket(book, object);
        if (bucket == NULL) {
            return NULL;
        }
    }
    kin__list_remove(&bucket->link);
    kin__list_push(&book->objects, &bucket->link);
    return &bucket->tokens;
}

static object_bucket *make_bucket(kin__book *book, kin_str object)
{
    object_bucket *bucket = kin__alloc_zero(1, sizeof *bucket + object.len);
    kin_error err;

    if (bucket == NULL || kin__map_put(&book->buckets, object, bucket, NULL, &err) != KIN_OK) {
        kin__free(bucket);
        return NULL;
    }
    kin__bucket_init(&bucket->tokens, 1000.0 / book->options.refill_ms, book->options.burst);
    bucket->key_len = object.len;
    memcpy(bucket->key, object.data, object.len);
    return bucket;
}

/* Makes room for one more: a full bucket is as good as none.  Two at a time, so that they go faster
 * than they come. */
static void forget_buckets(kin__book *book, int64_t now_ms)
{
    for (int i = 0; i < 2; i++) {
        kin__link *link = kin__list_first(&book->objects);
        object_bucket *oldest = link != NULL ? KIN__OWNER(link, object_bucket, link) : NULL;

        if (oldest == NULL || (oldest->tokens.full_at_ns > now_ms * NS_PER_MS &&
                               book->buckets.count < KIN__BOOK_OBJECTS_MAX)) {
            return;
        }
        forget_bucket(book, oldest);
    }
}

static void forget_bucket(kin__book *book, object_bucket *bucket)
{
    kin__list_remove(&bucket->link);
    (void) kin__map_remove(&book->buckets, kin__str(bucket->key, bucket->key_len));
    kin__free(bucket);
}
