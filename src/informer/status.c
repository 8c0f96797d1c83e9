/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - how an informer stands.
 *
 * The loop takes it down after each turn, for whoever asks: a question never waits for the loop.
 */
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "cache/version.h"
#include "informer/informer_state.h"

static int rank(kin_informer_state state);
static void add_source(kin__informer_facts *facts, const kin_error **error,
                       const kin__list_watch_status *status);
static void consult_book(kin_informer *informer, kin__informer_facts *facts);
static void fill_in(const kin_informer *informer, kin_informer_status *out);
static void fill_in_more(const kin_informer *informer, const kin__informer_facts *facts,
                         kin_informer_status *out);
static void count(kin_informer *informer, const kin__informer_facts *facts);
static int64_t index_count(const kin_view *view);
static int64_t ago(int64_t at_ms, int64_t now_ms);

const char *kin_informer_state_name(kin_informer_state state)
{
    static const char *const names[] = {
        "unknown",      "new",       "resolving", "listing", "watching", "unreachable",
        "unauthorized", "forbidden", "not found", "failing", "blocked",  "stopped",
    };

    return (size_t) state < sizeof names / sizeof names[0] ? names[state] : "unknown";
}

kin_err kin_informer_get_status(const kin_informer *informer, kin_informer_status *out,
                                kin_error *err)
{
    kin_error unwanted;
    kin_informer_status status;
    size_t their_size = out->size;

    err = kin__error_or(err, &unwanted);
    if (kin__options_read(&status, sizeof status, out, "kin_informer_status", err) != KIN_OK) {
        return err->code;
    }
    if (kin__loop_is_forked(informer->parts.loop)) {
        return kin__error_set(err, KIN_ERR_USAGE, "status of informer \"%s\": not after a fork",
                              informer->name);
    }
    fill_in(informer, &status);
    status.size = their_size;
    memcpy(out, &status, their_size < sizeof status ? their_size : sizeof status);
    return KIN_OK;
}

void kin__informer_note_facts(kin_informer *informer)
{
    kin__informer_facts facts = { .error_at_ms = -1, .heard_at_ms = -1, .opened_at_ms = -1 };
    const kin_error *error = NULL;

    for (size_t i = 0; i < informer->source_count; i++) {
        kin__list_watch_status status = kin__list_watch_look(informer->sources[i].driver);
        add_source(&facts, &error, &status);
    }
    if (rank(facts.state) < rank(KIN_INFORMER_BLOCKED) &&
        kin__controller_is_pending(informer->controller) &&
        kin__processor_is_blocked(informer->processor)) {
        facts.state = KIN_INFORMER_BLOCKED;
    }
    consult_book(informer, &facts);
    kin__mutex_lock(&informer->lock);
    if (error != NULL && (facts.failures != informer->facts.failures ||
                          facts.error_at_ms != informer->facts.error_at_ms)) {
        kin__kept_error_set(&informer->error, error);
    }
    informer->facts = facts;
    kin__mutex_unlock(&informer->lock);
    if (informer->metrics != NULL) {
        count(informer, &facts);
    }
}

static void count(kin_informer *informer, const kin__informer_facts *facts)
{
    kin_view view = kin_store_read(informer->store);
    kin__store_usage usage = kin__store_measure(informer->store);
    const kin__clock *clock = kin__loop_clock(informer->parts.loop);
    const int64_t now[KIN__INFORMER_NUMBERS] = {
        [KIN__INFORMER_OBJECTS] = (int64_t) kin_view_count(&view),
        [KIN__INFORMER_OBJECT_BYTES] = (int64_t) usage.object_bytes,
        [KIN__INFORMER_SYNCED] = atomic_load(&informer->is_synced),
        [KIN__INFORMER_FOLLOWING] = facts->state == KIN_INFORMER_WATCHING,
        [KIN__INFORMER_BLOCKED] = facts->state == KIN_INFORMER_BLOCKED,
        [KIN__INFORMER_DELTAS] = (int64_t) facts->deltas,
        [KIN__INFORMER_STORE_BYTES] = (int64_t) usage.structure_bytes,
        [KIN__INFORMER_UNRELEASED] = (int64_t) usage.unreleased,
        [KIN__INFORMER_INDEXES] = index_count(&view),
        [KIN__INFORMER_HANDLERS] = (int64_t) kin__processor_count(informer->processor),
        [KIN__INFORMER_LISTS] = (int64_t) facts->lists,
        [KIN__INFORMER_WATCHES] = (int64_t) facts->watches,
        [KIN__INFORMER_RESTARTS] = (int64_t) facts->restarts,
        [KIN__INFORMER_EVENTS] = (int64_t) facts->events,
        [KIN__INFORMER_BOOKMARKS] = (int64_t) facts->bookmarks,
        [KIN__INFORMER_REFUSED] = (int64_t) atomic_load(&informer->refused),
        [KIN__INFORMER_STALE] = (int64_t) facts->stale,
        [KIN__INFORMER_UNWANTED] = (int64_t) facts->unwanted,
    };

    kin__informer_metrics_stand(informer->metrics, kin_view_resource_version(&view, 0), clock,
                                ago(facts->heard_at_ms, kin__clock_now_ms(clock)));
    kin_store_done(&view);
    kin__informer_metrics_update(informer->metrics, now);
}

/* What stays as it was when it happened. */
static void consult_book(kin_informer *informer, kin__informer_facts *facts)
{
    kin__informer_book *book = &informer->book;
    const kin__clock *clock = kin__loop_clock(informer->parts.loop);

    if (book->started_at_ms < 0 && informer->is_running) {
        book->started_at_ms = kin__clock_now_ms(clock);
    }
    if (book->sync_ms < 0 && book->started_at_ms >= 0 && atomic_load(&informer->is_synced)) {
        book->sync_ms = kin__clock_now_ms(clock) - book->started_at_ms;
    }
    facts->sync_ms = book->sync_ms;
    facts->list_ms = book->list_ms;
    memcpy(facts->reasons, book->reasons, sizeof facts->reasons);
    facts->deltas = kin__controller_deltas(informer->controller);
}

static int64_t index_count(const kin_view *view)
{
    return (int64_t) ((const kin__version *) view->version)->index_count;
}

/* The higher, the worse off. */
static int rank(kin_informer_state state)
{
    switch (state) {
    case KIN_INFORMER_STOPPED:
        return 1;
    case KIN_INFORMER_NEW:
        return 2;
    case KIN_INFORMER_WATCHING:
        return 3;
    case KIN_INFORMER_LISTING:
        return 4;
    case KIN_INFORMER_RESOLVING:
        return 5;
    case KIN_INFORMER_BLOCKED:
        return 6;
    case KIN_INFORMER_UNREACHABLE:
        return 7;
    case KIN_INFORMER_FAILING:
        return 8;
    case KIN_INFORMER_UNAUTHORIZED:
        return 9;
    case KIN_INFORMER_FORBIDDEN:
        return 10;
    case KIN_INFORMER_NOT_FOUND:
        return 11;
    default:
        return 0;
    }
}

static void add_source(kin__informer_facts *facts, const kin_error **error,
                       const kin__list_watch_status *status)
{
    const kin__reflector_status *reflector = &status->reflector;

    if (rank(status->state) > rank(facts->state)) {
        facts->state = status->state;
    }
    facts->lists += reflector->lists;
    facts->watches += reflector->watches;
    facts->restarts += reflector->replaces > 1 ? reflector->replaces - 1 : 0;
    facts->events += reflector->events;
    facts->bookmarks += reflector->bookmarks;
    facts->stale += reflector->stale;
    facts->unwanted += reflector->unwanted;
    if (status->opened_at_ms > facts->opened_at_ms) {
        facts->opened_at_ms = status->opened_at_ms;
    }
    facts->failures += status->failures;
    if (status->error != NULL && status->error_at_ms > facts->error_at_ms) {
        *error = status->error;
        facts->error_at_ms = status->error_at_ms;
    }
    if (status->heard_at_ms >= 0 &&
        (facts->heard_at_ms < 0 || status->heard_at_ms < facts->heard_at_ms)) {
        facts->heard_at_ms = status->heard_at_ms;
    }
}

static void fill_in(const kin_informer *informer, kin_informer_status *out)
{
    /* The lock is no part of what the caller promised not to change. */
    kin_informer *mine = (kin_informer *) (uintptr_t) informer;
    int64_t now_ms = kin__clock_now_ms(kin__loop_clock(informer->parts.loop));

    kin__mutex_lock(&mine->lock);
    kin__informer_facts facts = mine->facts;
    const kin_error *error = kin__kept_error_get(&mine->error);
    out->error = error == NULL ? (kin_error){ .code = KIN_OK } : *error;
    kin__mutex_unlock(&mine->lock);
    kin_view view = kin_store_read(informer->store);
    kin_str version = kin_view_resource_version(&view, 0);

    out->state = facts.state;
    out->is_synced = atomic_load(&informer->is_synced);
    out->objects = kin_view_count(&view);
    out->object_bytes = kin__store_measure(informer->store).object_bytes;
    out->lists = facts.lists;
    out->watches = facts.watches;
    out->restarts = facts.restarts;
    out->events = facts.events;
    out->bookmarks = facts.bookmarks;
    out->failures = facts.failures;
    out->refused = atomic_load(&informer->refused);
    out->error_ms = ago(facts.error_at_ms, now_ms);
    out->silent_ms = ago(facts.heard_at_ms, now_ms);
    memset(out->resource_version, 0, sizeof out->resource_version);
    if (version.len != 0 && version.len < sizeof out->resource_version) {
        memcpy(out->resource_version, version.data, version.len);
    }
    out->indexes = (uint64_t) index_count(&view);
    kin_store_done(&view);
    fill_in_more(informer, &facts, out);
}

static void fill_in_more(const kin_informer *informer, const kin__informer_facts *facts,
                         kin_informer_status *out)
{
    kin__store_usage usage = kin__store_measure(informer->store);
    int64_t now_ms = kin__clock_now_ms(kin__loop_clock(informer->parts.loop));

    out->queued = facts->deltas;
    out->store_bytes = usage.structure_bytes;
    out->unreleased = usage.unreleased;
    out->handlers = kin__processor_count(informer->processor);
    out->stale = facts->stale;
    out->unwanted = facts->unwanted;
    out->unreachable = facts->reasons[KIN__REASON_UNREACHABLE];
    out->denied = facts->reasons[KIN__REASON_DENIED];
    out->missing = facts->reasons[KIN__REASON_MISSING];
    out->expired = facts->reasons[KIN__REASON_EXPIRED];
    out->throttled = facts->reasons[KIN__REASON_THROTTLED];
    out->broken = facts->reasons[KIN__REASON_BROKEN];
    out->local = facts->reasons[KIN__REASON_LOCAL];
    out->sync_ms = facts->sync_ms;
    out->list_ms = facts->list_ms;
    out->watch_ms = ago(facts->opened_at_ms, now_ms);
}

static int64_t ago(int64_t at_ms, int64_t now_ms)
{
    if (at_ms < 0) {
        return -1;
    }
    return now_ms > at_ms ? now_ms - at_ms : 0;
}
