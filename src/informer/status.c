/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - how an informer stands.
 *
 * The loop takes it down after each turn, for whoever asks: a question never waits for the loop.
 */
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "informer/informer_state.h"

static int rank(kin_informer_state state);
static void add_source(kin__informer_facts *facts, const kin__list_watch_status *status);
static void fill_in(const kin_informer *informer, kin_informer_status *out);
static void count(kin_informer *informer, const kin__informer_facts *facts);
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
    kin__informer_facts facts = { .error_at_ms = -1, .heard_at_ms = -1 };

    for (size_t i = 0; i < informer->source_count; i++) {
        kin__list_watch_status status = kin__list_watch_look(informer->sources[i].driver);
        add_source(&facts, &status);
    }
    if (rank(facts.state) < rank(KIN_INFORMER_BLOCKED) &&
        kin__controller_is_pending(informer->controller) &&
        kin__processor_is_blocked(informer->processor)) {
        facts.state = KIN_INFORMER_BLOCKED;
    }
    kin__mutex_lock(&informer->lock);
    informer->facts = facts;
    kin__mutex_unlock(&informer->lock);
    if (informer->metrics.is_wanted) {
        count(informer, &facts);
    }
}

static void count(kin_informer *informer, const kin__informer_facts *facts)
{
    kin_view view = kin_store_read(informer->store);
    const int64_t now[KIN__INFORMER_NUMBERS] = {
        [KIN__INFORMER_OBJECTS] = (int64_t) kin_view_count(&view),
        [KIN__INFORMER_OBJECT_BYTES] = (int64_t) kin__store_measure(informer->store).object_bytes,
        [KIN__INFORMER_SYNCED] = atomic_load(&informer->is_synced),
        [KIN__INFORMER_FOLLOWING] = facts->state == KIN_INFORMER_WATCHING,
        [KIN__INFORMER_BLOCKED] = facts->state == KIN_INFORMER_BLOCKED,
        [KIN__INFORMER_DELTAS] = (int64_t) kin__controller_deltas(informer->controller),
        [KIN__INFORMER_LISTS] = (int64_t) facts->lists,
        [KIN__INFORMER_WATCHES] = (int64_t) facts->watches,
        [KIN__INFORMER_RESTARTS] = (int64_t) facts->restarts,
        [KIN__INFORMER_EVENTS] = (int64_t) facts->events,
        [KIN__INFORMER_BOOKMARKS] = (int64_t) facts->bookmarks,
        [KIN__INFORMER_FAILURES] = (int64_t) facts->failures,
        [KIN__INFORMER_REFUSED] = (int64_t) atomic_load(&informer->refused),
    };

    kin_store_done(&view);
    kin__informer_metrics_update(&informer->metrics, now);
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

static void add_source(kin__informer_facts *facts, const kin__list_watch_status *status)
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
    facts->failures += status->failures;
    if (status->error != NULL && status->error_at_ms > facts->error_at_ms) {
        facts->error = *status->error;
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
    out->error = facts.error;
    memset(out->resource_version, 0, sizeof out->resource_version);
    if (version.len != 0 && version.len < sizeof out->resource_version) {
        memcpy(out->resource_version, version.data, version.len);
    }
    kin_store_done(&view);
}

static int64_t ago(int64_t at_ms, int64_t now_ms)
{
    if (at_ms < 0) {
        return -1;
    }
    return now_ms > at_ms ? now_ms - at_ms : 0;
}
