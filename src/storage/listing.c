/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.c - the objects of a collection, now or as they were.
 *
 * What there was at an older revision is the present order with an overlay: for each key that was
 * changed since, the state before the first of those changes.  Both are sorted, and are read
 * together as one.
 */
#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/str.h"
#include "storage/collection.h"
#include "storage/storage.h"

#define FIRST_RECORDS 64

/* One key of the overlay; while it is made, one change. */
typedef struct patch {
    kin_str key;
    uint64_t number;     /* of the change */
    kin__record *before; /* what there was; NULL: nothing */
    kin__record *after;  /* what there is; NULL: nothing */
} patch;

/* Everything that exists in the range, in order. */
typedef struct walk {
    const kin__order *order;
    kin__order_place place;
    size_t left;    /* of the order, not yet passed */
    patch *patches; /* owned */
    size_t patch_count;
    size_t patch;
} walk;

static kin_err make_listing(const kin__range *range, walk *w, kin__listing *out, kin_error *err);
static bool push(kin__listing *listing, size_t *capacity, kin__record *record);
static kin_err walk_init(walk *w, const kin__collection *collection, const kin__range *range,
                         kin_error *err);
static void walk_fini(walk *w);
KIN__DEFINE_AUTO_FINI(walk, walk_fini)
static size_t walk_count(const walk *w);
static kin__record *walk_next(walk *w);
static kin__record *walk_order(walk *w);
static kin_err make_overlay(walk *w, const kin__collection *collection, const kin__range *range,
                            kin_str first, kin_error *err);
static size_t collect(patch *patches, const kin__collection *collection, const kin__range *range,
                      kin_str first);
static int compare(const void *context, const void *a, const void *b);
static size_t squeeze(patch *patches, size_t count);
static kin_str first_key(const kin__range *range);

kin_err kin__collection_list(const kin__collection *collection, const kin__range *range,
                             kin__listing *out, kin_error *err)
{
    AUTO(walk_fini) walk w = { 0 };

    uint64_t oldest = kin__collection_oldest(collection);
    if (range->revision != 0 && range->revision < oldest) {
        return kin__error_set(err, KIN_ERR_EXPIRED,
                              "list at revision %llu: %llu is the oldest one that is known",
                              (unsigned long long) range->revision, (unsigned long long) oldest);
    }
    kin_err code = walk_init(&w, collection, range, err);
    return code == KIN_OK ? make_listing(range, &w, out, err) : code;
}

void kin__listing_fini(kin__listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) {
        kin__record_unref(listing->records[i]);
    }
    kin__free(listing->records);
    *listing = (kin__listing){ 0 };
}

static kin_err make_listing(const kin__range *range, walk *w, kin__listing *out, kin_error *err)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    size_t left = walk_count(w);
    size_t capacity = 0;

    if (range->matches == NULL) { /* then it is known how many there will be */
        capacity = range->limit > 0 && range->limit < left ? range->limit : left;
        listing.records = capacity > 0 ? kin__alloc(capacity * sizeof(kin__record *)) : NULL;
        if (capacity > 0 && listing.records == NULL) {
            return kin__error_no_memory(err);
        }
    }
    while (left > 0 && (range->limit == 0 || listing.count < range->limit)) {
        kin__record *record = walk_next(w);
        left--;
        if (range->matches != NULL && !range->matches(range->context, record->object)) {
            continue;
        }
        if (!push(&listing, &capacity, record)) {
            return kin__error_no_memory(err);
        }
    }
    listing.has_more = left > 0;
    listing.remaining = left;
    *out = listing;
    listing = (kin__listing){ 0 };
    return KIN_OK;
}

static bool push(kin__listing *listing, size_t *capacity, kin__record *record)
{
    if (listing->count == *capacity) {
        size_t more = *capacity == 0 ? FIRST_RECORDS : *capacity * 2;
        kin__record **records = kin__realloc(listing->records, more * sizeof(kin__record *));
        if (records == NULL) {
            return false;
        }
        listing->records = records;
        *capacity = more;
    }
    listing->records[listing->count++] = kin__record_ref(record);
    return true;
}

/* ---- a walk --------------------------------------------------------------------------------- */

static kin_err walk_init(walk *w, const kin__collection *collection, const kin__range *range,
                         kin_error *err)
{
    kin_str first = first_key(range);
    kin__order_place end = kin__order_seek_past(&collection->order, range->prefix);

    w->order = &collection->order;
    w->place = kin__order_seek(w->order, first);
    size_t before = kin__order_rank(w->order, w->place);
    size_t before_end = kin__order_rank(w->order, end);
    w->left = before_end > before ? before_end - before : 0;
    return range->revision == 0 ? KIN_OK : make_overlay(w, collection, range, first, err);
}

static void walk_fini(walk *w)
{
    kin__free(w->patches);
}

static size_t walk_count(const walk *w)
{
    size_t count = w->left;
    for (size_t i = 0; i < w->patch_count; i++) {
        count += w->patches[i].before != NULL;
        count -= w->patches[i].after != NULL;
    }
    return count;
}

/* Called no more often than walk_count() says. */
static kin__record *walk_next(walk *w)
{
    for (;;) {
        kin__record *present = w->left > 0 ? kin__order_at(w->order, w->place) : NULL;
        if (w->patch == w->patch_count) {
            assert(present != NULL);
            return walk_order(w);
        }
        const patch *p = &w->patches[w->patch];
        if (present != NULL && kin__str_compare(kin__record_key(present), p->key) < 0) {
            return walk_order(w);
        }
        w->patch++;
        if (p->after != NULL) { /* it is what the order has under that key */
            (void) walk_order(w);
        }
        if (p->before != NULL) {
            return p->before;
        }
    }
}

static kin__record *walk_order(walk *w)
{
    kin__record *record = kin__order_at(w->order, w->place);
    w->place = kin__order_next(w->order, w->place);
    w->left--;
    return record;
}

/* ---- the overlay ---------------------------------------------------------------------------- */

static kin_err make_overlay(walk *w, const kin__collection *collection, const kin__range *range,
                            kin_str first, kin_error *err)
{
    uint64_t from = kin__history_after(&collection->history, range->revision);
    uint64_t changes = collection->history.end - from;
    if (changes == 0) {
        return KIN_OK;
    }
    w->patches = kin__alloc((size_t) changes * sizeof *w->patches);
    if (w->patches == NULL) {
        return kin__error_no_memory(err);
    }
    size_t count = collect(w->patches, collection, range, first);
    kin__sort(w->patches, count, sizeof *w->patches, compare, NULL);
    w->patch_count = squeeze(w->patches, count);
    return KIN_OK;
}

static size_t collect(patch *patches, const kin__collection *collection, const kin__range *range,
                      kin_str first)
{
    const kin__history *history = &collection->history;
    size_t count = 0;
    for (uint64_t n = kin__history_after(history, range->revision); n < history->end; n++) {
        const kin__change *change = kin__history_at(history, n);
        kin_str key = kin__record_key(change->after != NULL ? change->after : change->before);
        if (kin__str_starts_with(key, range->prefix) && kin__str_compare(key, first) >= 0) {
            patches[count++] = (patch){ key, n, change->before, change->after };
        }
    }
    return count;
}

static int compare(const void *context, const void *a, const void *b)
{
    const patch *x = a;
    const patch *y = b;
    int order = kin__str_compare(x->key, y->key);

    (void) context;
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/* One for each key: what was before the first change, and is after the last. */
static size_t squeeze(patch *patches, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && kin__str_equal(patches[kept - 1].key, patches[i].key)) {
            patches[kept - 1].after = patches[i].after;
        } else {
            patches[kept++] = patches[i];
        }
    }
    return kept;
}

static kin_str first_key(const kin__range *range)
{
    return kin__str_compare(range->start, range->prefix) < 0 ? range->prefix : range->start;
}
