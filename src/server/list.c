/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - LIST: which revision, which page, and the answer.
 *
 *   resourceVersion   match          limit       what is listed
 *   ""                -              any         the present state
 *   "0"               - or NotOlder  ignored *)  the present state
 *   N                 -              none        the present state, once it is N or newer
 *   N                 -              some        the state at N
 *   N                 Exact          any         the state at N
 *   N                 NotOlderThan   any         the present state, once it is N or newer
 *   continue          -              any **)     the rest, at the revision of the first page
 *
 *   *) uncached kinds keep to it   **) ignored with resourceVersion "0" for cached ones
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "server/continue_token.h"
#include "server/deed.h"
#include "server/list_answer.h"
#include "server/record_form.h"
#include "server/record_version.h"
#include "server/too_large.h"
#include "server/version_param.h"

#define TOO_OLD "The resourceVersion for the provided list is too old."
#define PAGE_TOO_OLD                                                                               \
    "The provided continue parameter is too old to display a consistent list result. You can "     \
    "start a new list without the continue parameter, or use the continue token in this response " \
    "to retrieve the remainder of the results. Continuing with the provided token results in an "  \
    "inconsistent list - objects that were created, modified, or deleted between the time the "    \
    "first chunk was returned and now may show up in the list."

/* What is to be listed. */
typedef struct list_wish {
    uint64_t revision; /* exactly this one, or at least; 0: any */
    bool is_exact;
    bool is_continued;
    bool is_whole; /* the other pages are told with the first */
    size_t limit;  /* 0: none */
    kin__continue token;
    kin__buf start; /* the first key */
} list_wish;

/* What was found, and what its metadata says. */
typedef struct page {
    uint64_t revision;
    kin__listing listing;
    bool has_more;
    size_t remaining;
    kin__buf token; /* for the next page */
} page;

static void wish_fini(list_wish *wish);
KIN__DEFINE_AUTO_FINI(list_wish, wish_fini)
static void page_fini(page *p);
KIN__DEFINE_AUTO_FINI(page, page_fini)

static bool read_wish(const kin__asked *asked, const kin__filter *filter, list_wish *out,
                      kin__refusal *no);
static bool read_token(const kin__asked *asked, const kin__filter *filter, list_wish *out,
                       kin__refusal *no);
static bool read_version(const kin__params *params, list_wish *out, kin__refusal *no);
static size_t limit_of(const kin__asked *asked);
static bool take(const kin__asked *asked, kin__filter *filter, const list_wish *wish,
                 uint64_t revision, kin__listing *out, kin__refusal *no);
static bool take_one(const kin__collection *collection, const kin__filter *filter,
                     kin__range *range, kin__listing *out, kin_error *err);
static bool matches(void *context, const kin_object *object);
static bool refuse_expired(const list_wish *wish, kin__refusal *no);
static bool convert(const kin__served *served, kin__listing *listing);
static bool enlarge(const kin__spoil *spoil, kin__listing *listing);
static bool copy_listing(const kin__listing *from, kin__listing *out, kin__refusal *no);
static bool note_rest(const kin__asked *asked, const kin__filter *filter, page *p,
                      kin__refusal *no);
static bool answer_page(kin__asked *asked, const kin__filter *filter, page *p, kin__answer *answer,
                        kin__refusal *no);
static bool write_token(const kin__asked *asked, const kin__filter *filter, uint64_t revision,
                        const kin__listing *listing, kin__buf *out);
static bool is_set(const char *text);
static bool is(const char *text, const char *word);

bool kin__serve_list(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    AUTO(kin__filter_free) kin__filter *filter = NULL;

    return kin__options_check(asked->route.served, &asked->params, no) &&
           kin__filter_new(asked, &filter, no) &&
           kin__list_objects(asked, filter, NULL, answer, no);
}

bool kin__list_objects(kin__asked *asked, kin__filter *filter, kin__listing *out_all,
                       kin__answer *answer, kin__refusal *no)
{
    AUTO(wish_fini) list_wish wish = { 0 };
    AUTO(page_fini) page first = { 0 };
    kin__params *params = &asked->params;

    if (out_all != NULL && (!params->has_limit || params->limit == 0)) {
        params->has_limit = wish.is_whole = true;
        params->limit = KIN__DELETED_AT_ONCE;
    }
    if (!read_wish(asked, filter, &wish, no)) {
        return false;
    }
    uint64_t present = kin__asked_present(asked);
    bool is_newer = wish.revision > present;
    if (is_newer && !asked->lies) {
        return kin__await_revision(asked, wish.revision, answer, no);
    }
    first.revision = wish.is_exact && !is_newer ? wish.revision : present;
    if (!take(asked, filter, &wish, first.revision, &first.listing, no) ||
        !note_rest(asked, filter, &first, no)) {
        return false;
    }
    if (wish.is_whole && first.listing.has_more) {
        kin__listing_fini(&first.listing);
        wish.limit = 0;
        if (!take(asked, filter, &wish, first.revision, &first.listing, no)) {
            return false;
        }
    }
    return (out_all == NULL || copy_listing(&first.listing, out_all, no)) &&
           answer_page(asked, filter, &first, answer, no);
}

/* ---- the wish ------------------------------------------------------------------------------- */

static void wish_fini(list_wish *wish)
{
    kin__continue_fini(&wish->token);
    kin__buf_fini(&wish->start);
}

static bool read_wish(const kin__asked *asked, const kin__filter *filter, list_wish *out,
                      kin__refusal *no)
{
    out->limit = limit_of(asked);
    return is_set(asked->params.continue_token) ? read_token(asked, filter, out, no)
                                                : read_version(&asked->params, out, no);
}

static bool read_token(const kin__asked *asked, const kin__filter *filter, list_wish *out,
                       kin__refusal *no)
{
    const kin__params *params = &asked->params;

    if (!kin__continue_read(params->continue_token, &out->token, no)) {
        return false;
    }
    if (is_set(params->resource_version) && !is(params->resource_version, "0")) {
        return kin__refuse_bad_request(
            no, "specifying resource version is not allowed when using continue");
    }
    out->is_continued = true;
    out->is_exact = out->token.revision > 0;
    out->revision = out->is_exact ? (uint64_t) out->token.revision : 0;
    (void) kin__buf_append_str(&out->start, kin__filter_prefix(filter));
    (void) kin__buf_append(&out->start, out->token.start.data, out->token.start.len);
    return !kin__buf_failed(&out->start) || kin__refuse_no_memory(no);
}

/* A limit without a match means Exact, for the sake of those who page since before there was a
 * match. */
static bool read_version(const kin__params *params, list_wish *out, kin__refusal *no)
{
    if (!kin__version_read_for_list(params->resource_version, &out->revision, no)) {
        return false;
    }
    const char *match = params->resource_version_match;
    bool has_limit = params->has_limit && params->limit > 0;
    out->is_exact = out->revision > 0 && (is(match, "Exact") || (!is_set(match) && has_limit));
    return true;
}

static size_t limit_of(const kin__asked *asked)
{
    bool is_cached = (asked->route.served->traits & KIN__IS_UNCACHED) == 0;

    if (!asked->params.has_limit || asked->params.limit <= 0 ||
        (is_cached && is(asked->params.resource_version, "0"))) {
        return 0;
    }
    return (size_t) asked->params.limit;
}

/* ---- the objects ---------------------------------------------------------------------------- */

static bool take(const kin__asked *asked, kin__filter *filter, const list_wish *wish,
                 uint64_t revision, kin__listing *out, kin__refusal *no)
{
    const kin__served *served = asked->route.served;
    kin__range range = { .prefix = kin__filter_prefix(filter),
                         .start = kin__str(wish->start.data, wish->start.len),
                         .limit = wish->limit,
                         .context = filter };
    kin_error err;

    if (revision != kin__storage_revision(asked->engine->storage)) {
        range.revision = revision;
    }
    if (asked->present == 0 && revision < asked->engine->lists_from) {
        return refuse_expired(wish, no);
    }
    if (!kin__filter_is_all(filter)) {
        range.matches = matches;
    }
    bool is_taken = kin__filter_key(filter).len > 0
                        ? take_one(served->collection, filter, &range, out, &err)
                        : kin__collection_list(served->collection, &range, out, &err) == KIN_OK;
    if (!is_taken) {
        return err.code == KIN_ERR_EXPIRED ? refuse_expired(wish, no) : kin__refuse_no_memory(no);
    }
    return (convert(served, out) && enlarge(&asked->spoil, out)) || kin__refuse_no_memory(no);
}

/* The first key from there on is the one, or it is not there. */
static bool take_one(const kin__collection *collection, const kin__filter *filter,
                     kin__range *range, kin__listing *out, kin_error *err)
{
    kin_str key = kin__filter_key(filter);

    range->prefix = key;
    range->start = key;
    range->limit = 1;
    range->matches = NULL;
    if (kin__collection_list(collection, range, out, err) != KIN_OK) {
        return false;
    }
    if (out->count > 0 && !kin__filter_matches(filter, out->records[0]->object)) {
        kin__listing_fini(out);
    }
    out->has_more = false;
    out->remaining = 0;
    return true;
}

static bool matches(void *context, const kin_object *object)
{
    return kin__filter_matches(context, object);
}

/* Whoever continues may go on without consistency. */
static bool refuse_expired(const list_wish *wish, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf token = { 0 };

    if (!wish->is_continued) {
        return kin__refuse(no, 410, "Expired", TOO_OLD);
    }
    if (!kin__continue_write(-1, false, kin__str(wish->token.start.data, wish->token.start.len),
                             &token)) {
        return kin__refuse_no_memory(no);
    }
    (void) kin__refuse(no, 410, "Expired", "%s", PAGE_TOO_OLD);
    kin__refusal_set_continue(no, kin__str(token.data, token.len));
    return false;
}

static bool convert(const kin__served *served, kin__listing *listing)
{
    for (size_t i = 0; !kin__records_are_native(served) && i < listing->count; i++) {
        kin__record *converted = kin__record_for(served, listing->records[i]);
        if (converted == NULL) {
            return false;
        }
        kin__record_unref(listing->records[i]);
        listing->records[i] = converted;
    }
    return true;
}

static bool copy_listing(const kin__listing *from, kin__listing *out, kin__refusal *no)
{
    out->records = kin__alloc_zero(from->count + 1, sizeof(kin__record *));
    if (out->records == NULL) {
        return kin__refuse_no_memory(no);
    }
    for (size_t i = 0; i < from->count; i++) {
        out->records[i] = kin__record_ref(from->records[i]);
    }
    out->count = from->count;
    return true;
}

/* What a fault may do to one of them: that behind `after` others. */
static bool enlarge(const kin__spoil *spoil, kin__listing *listing)
{
    if (spoil->act != KIN__SPOIL_OVERSIZE || spoil->after >= listing->count) {
        return true;
    }
    kin__record **item = &listing->records[spoil->after];
    kin__record *larger = kin__record_enlarged(*item, spoil->size);
    if (larger == NULL) {
        return false;
    }
    kin__record_unref(*item);
    *item = larger;
    return true;
}

/* ---- the answer ----------------------------------------------------------------------------- */

static void page_fini(page *p)
{
    kin__listing_fini(&p->listing);
    kin__buf_fini(&p->token);
}

/* What the metadata says of the pages behind this one. */
static bool note_rest(const kin__asked *asked, const kin__filter *filter, page *p, kin__refusal *no)
{
    p->has_more = p->listing.has_more;
    p->remaining = p->listing.remaining;
    return !p->has_more || write_token(asked, filter, p->revision, &p->listing, &p->token) ||
           kin__refuse_no_memory(no);
}

static bool answer_page(kin__asked *asked, const kin__filter *filter, page *p, kin__answer *answer,
                        kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf version = { 0 };

    if (!kin__buf_append_format(&version, "%" PRIu64, p->revision)) {
        return kin__refuse_no_memory(no);
    }
    const kin__list_meta meta = {
        .resource_version = kin__str(version.data, version.len),
        .next = kin__str(p->token.data, p->token.len),
        .remaining = (int64_t) p->remaining,
        .has_remaining = p->has_more && kin__filter_is_all(filter),
    };
    return kin__answer_list(asked, &meta, &p->listing, answer, no);
}

/* The next page begins behind the last item's key. */
static bool write_token(const kin__asked *asked, const kin__filter *filter, uint64_t revision,
                        const kin__listing *listing, kin__buf *out)
{
    AUTO(kin__buf_fini) kin__buf start = { 0 };
    bool is_cached = (asked->route.served->traits & KIN__IS_UNCACHED) == 0;
    kin_str key = kin__record_key(listing->records[listing->count - 1]);
    size_t prefix = kin__filter_prefix(filter).len;

    return kin__buf_append(&start, key.data + prefix, key.len - prefix) &&
           kin__buf_append_byte(&start, '\0') &&
           kin__continue_write((int64_t) revision, is_cached, kin__str(start.data, start.len), out);
}

static bool is_set(const char *text)
{
    return text != NULL && *text != '\0';
}

static bool is(const char *text, const char *word)
{
    return text != NULL && strcmp(text, word) == 0;
}
