/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - GET of one object.
 *
 * Any resource version but one that is yet to come gives the present state.
 */
#include "base/str.h"
#include "server/deed.h"
#include "server/scale.h"
#include "server/too_large.h"
#include "server/version_param.h"

static bool read_version(const kin__asked *asked, uint64_t *out, kin__refusal *no);
static bool find(const kin__asked *asked, kin__record **out, kin__refusal *no);
static bool shows_object(kin_str sub);
static bool find_at(const kin__asked *asked, kin_str key, uint64_t revision, kin__record **out,
                    kin__refusal *no);

bool kin__serve_get(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    AUTO(kin__record_unref) kin__record *record = NULL;
    kin_str sub = asked->route.sub;
    uint64_t version = 0;

    if (!read_version(asked, &version, no)) {
        return false;
    }
    if (version > kin__asked_present(asked) && !asked->lies) {
        return kin__await_revision(asked, version, answer, no);
    }
    if (kin__str_equal(sub, STR("scale"))) {
        return kin__serve_scale_get(asked, answer, no);
    }
    if (!shows_object(sub)) {
        return kin__refuse_unknown(no);
    }
    if (!find(asked, &record, no)) {
        return false;
    }
    if (record == NULL) {
        return kin__refuse_not_found(no, asked->route.served, asked->route.name);
    }
    return kin__answer_object(asked, record, 200, answer, no);
}

/* Subresources that are the object itself, or parts of it that are written apart. */
static bool shows_object(kin_str sub)
{
    return sub.len == 0 || kin__str_equal(sub, STR("status")) ||
           kin__str_equal(sub, STR("approval")) ||
           kin__str_equal(sub, STR("ephemeralcontainers")) || kin__str_equal(sub, STR("resize"));
}

/* Without a cache it is read by the same function as that of a list. */
static bool read_version(const kin__asked *asked, uint64_t *out, kin__refusal *no)
{
    const char *text = asked->params.resource_version;

    return (asked->route.served->traits & KIN__IS_UNCACHED) != 0
               ? kin__version_read_for_list(text, out, no)
               : kin__version_read_for_watch(text, out, no);
}

/* A new reference; NULL when there is no such object. */
static bool find(const kin__asked *asked, kin__record **out, kin__refusal *no)
{
    const kin__route *route = &asked->route;
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    uint64_t present = kin__asked_present(asked);

    if (route->served->is_namespaced) {
        (void) kin__buf_append_str(&text, route->ns);
        (void) kin__buf_append_byte(&text, '/');
    }
    (void) kin__buf_append_str(&text, route->name);
    if (kin__buf_failed(&text)) {
        return kin__refuse_no_memory(no);
    }
    kin_str key = kin__str(text.data, text.len);
    if (present != kin__storage_revision(asked->engine->storage)) {
        return find_at(asked, key, present, out, no);
    }
    kin__record *record = kin__collection_get(route->served->collection, key);
    *out = record == NULL ? NULL : kin__record_ref(record);
    return true;
}

/* What was forgotten since is answered as it is now. */
static bool find_at(const kin__asked *asked, kin_str key, uint64_t revision, kin__record **out,
                    kin__refusal *no)
{
    const kin__collection *collection = asked->route.served->collection;
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    kin__range range = { .prefix = key, .start = key, .revision = revision, .limit = 1 };
    kin_error err;

    if (revision < kin__collection_oldest(collection)) {
        range.revision = 0;
    }
    if (kin__collection_list(collection, &range, &listing, &err) != KIN_OK) {
        return kin__refuse_no_memory(no);
    }
    bool is_there = listing.count > 0 && kin__str_equal(kin__record_key(listing.records[0]), key);
    *out = is_there ? kin__record_ref(listing.records[0]) : NULL;
    return true;
}
