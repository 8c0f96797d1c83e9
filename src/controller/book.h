/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/book.h - which Events there are to write, and when: what a recorder decides.
 *
 * A series goes from telling to writing: it is new or was told again, waits until its object may
 * have something written (a bucket of tokens for each object), is taken by kin__book_next(), and
 * ends with one of the functions behind that.  What is told again while it waits or is being
 * written is counted, and written with the next one.
 *
 * Memory is bounded: so many series wait; so many more are remembered, those that waited least
 * recently go first; and so many buckets.
 *
 * Time is the caller's.  Threading: confined.
 */
#ifndef KIN_CONTROLLER_BOOK_H
#define KIN_CONTROLLER_BOOK_H

#include "base/bucket.h"
#include "base/map.h"
#include "controller/series.h"

#define KIN__BOOK_IDLE_MAX 4096 /* series that wait for repetitions */
#define KIN__BOOK_OBJECTS_MAX                                                                      \
    4096 /* buckets: as many as client-go remembers (maxLruCacheEntries) */

typedef struct kin__book_options {
    uint32_t burst;
    uint32_t refill_ms;
    uint32_t series_ms;
    uint32_t waiting;
} kin__book_options;

/* All zero but for the options: an empty book.  Does not move while anything is in it. */
typedef struct kin__book {
    kin__book_options options;
    kin__map series;   /* by key: those that repetitions count to */
    kin__list idle;    /* series with nothing to write; who was written first comes first */
    kin__list ready;   /* in order */
    kin__list waiting; /* all that are not idle, by `waits_for` */
    kin__heap later;   /* by when they may be written */
    kin__map buckets;  /* by object */
    kin__list objects; /* the buckets; the least recently used comes first */
    kin__buf key;      /* scratch */
    size_t idle_count;
    size_t waiting_count;
    uint64_t tickets; /* of what was told: rises by one each time */
    uint64_t hurried; /* what was told up to here waits for no bucket */
    uint64_t last_serial;
} kin__book;

void kin__book_fini(kin__book *book);

/* What became of something told. */
typedef enum kin__book_outcome {
    KIN__BOOK_WAITS,   /* it is to be written */
    KIN__BOOK_MERGED,  /* counted to one that waits or is being written */
    KIN__BOOK_LIMITED, /* its object has too many */
    KIN__BOOK_FULL,    /* too many wait */
    KIN__BOOK_TOO_LONG,
    KIN__BOOK_NO_MEMORY
} kin__book_outcome;

kin__book_outcome kin__book_tell(kin__book *book, const kin__told *told, int64_t now_ms,
                                 kin_time wall) KIN_MUST_CHECK;

/* The next to be written; NULL: none at the moment.  Its state is SENT until one of the functions
 * below is called. */
kin__event_series *kin__book_next(kin__book *book, int64_t now_ms);

/* It was written.  When it was told again meanwhile it waits once more, if its bucket allows. */
void kin__book_written(kin__book *book, kin__event_series *series, int64_t now_ms);

/* It was not, and waits again behind all that are ready. */
void kin__book_failed(kin__book *book, kin__event_series *series);

/* It was not, and will not be.  What the server does not have is forgotten, and the series with
 * it. */
void kin__book_gave_up(kin__book *book, kin__event_series *series);

/* When to look again, for kin__book_next() and kin__book_sweep(); INT64_MAX: not before something
 * happens. */
int64_t kin__book_due_ms(const kin__book *book);

/* Forgets series that are over. */
void kin__book_sweep(kin__book *book, int64_t now_ms);

/* All that was told up to now is to be written as soon as can be; returns its ticket ... */
uint64_t kin__book_hurry(kin__book *book);

/* ... for which this is true as long as some of it waits. */
bool kin__book_waits_for(const kin__book *book, uint64_t ticket);

#endif /* KIN_CONTROLLER_BOOK_H */
