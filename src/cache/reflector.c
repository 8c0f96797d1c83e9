/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector.c - what a reflector does next, and how it stands.
 *
 * At most one call is under way.  While one is, `plan` says what it is; else what comes at
 * `due_at`.
 */
#include "cache/reflector.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cache/jitter.h"
#include "cache/reflector_state.h"

#define AWAY_CAP_MS 1500
#define WATCH_SECONDS 300
#define WATCH_SECONDS_MAX (24 * 3600)
#define PAGE_SIZE 500
#define NOT_OLDER "NotOlderThan"

#define PROGRESS_MS 10000   /* of a streaming list: between two objects that are new */
#define STREAM_MS 30000     /* ... until it opens; then again for all of it ... */
#define STREAM_OBJECT_MS 20 /* ... and for each object */
/* Of a watch.  Some proxies hold its head back until the first event: a bookmark, after 60 s. */
#define OPEN_MS 90000

static kin_err copy_names(kin__reflector *r, const kin__reflector_options *options, kin_error *err);
static kin__action begin(kin__reflector *r, int64_t now_ms);
static kin__action begin_list(kin__reflector *r);
static kin__action begin_probe(kin__reflector *r);
static kin__action begin_watch(kin__reflector *r);
static const char *version_to_list(const kin__reflector *r);
static uint32_t page_limit(const kin__reflector *r);
static uint32_t watch_seconds(kin__reflector *r);
static kin__action look_after(kin__reflector *r, int64_t now_ms);
static int64_t deadline_of(const kin__reflector *r);
static kin__action wait_until(int64_t until_ms);
static kin__reflector_state state_of(const kin__reflector *r);
static kin__reflector_state doing(const kin__reflector *r);

kin_err kin__reflector_new(const kin__reflector_options *options, kin__reflector **out,
                           kin_error *err)
{
    AUTO(kin__reflector_free) kin__reflector *r = kin__alloc_zero(1, sizeof *r);

    if (r == NULL) {
        return kin__error_no_memory(err);
    }
    r->options = *options;
    if (copy_names(r, options, err) != KIN_OK) {
        return err->code;
    }
    if (r->options.away.cap_ms == 0) {
        r->options.away.cap_ms = AWAY_CAP_MS;
    }
    kin__backoff_init(&r->away, &r->options.away, options->seed);
    kin__backoff_init(&r->refused, &r->options.refused, options->seed + 1);
    kin__backoff_options starting = r->options.refused;
    starting.cap_ms = r->refused.options.first_ms;
    kin__backoff_init(&r->starting, &starting, options->seed + 2);
    r->random = options->seed + 3;
    r->error_at = -1;
    r->internal_since = -1;
    r->opened_at = -1;
    *out = STEAL(r);
    return KIN_OK;
}

void kin__reflector_free(kin__reflector *reflector)
{
    if (reflector != NULL) {
        kin__initial_clear(&reflector->initial);
        kin__kept_error_clear(&reflector->error);
        kin__buf_fini(&reflector->names);
        kin__buf_fini(&reflector->version);
        kin__buf_fini(&reflector->page_version);
        kin__buf_fini(&reflector->continue_token);
        kin__free(reflector);
    }
}

void kin__reflector_start(kin__reflector *reflector, int64_t now_ms)
{
    if (reflector->is_stopping && reflector->is_under_way) {
        reflector->is_stopping = false;
        kin__reflector_cancel(reflector, KIN__ENDING_RESTART);
        return;
    }
    if (reflector->is_running && !reflector->is_stopping) {
        return;
    }
    reflector->has_started = reflector->is_running = true;
    reflector->is_stopping = false;
    if (reflector->version.len > 0 && !reflector->is_unavailable) {
        reflector->is_synced = true;
        reflector->is_doubtful = true;
        reflector->plan = KIN__PLAN_PROBE;
        reflector->due_at = now_ms;
    } else {
        kin__reflector_fetch(reflector, now_ms);
    }
}

void kin__reflector_stop(kin__reflector *reflector, int64_t now_ms)
{
    (void) now_ms;
    if (reflector->is_running) {
        reflector->is_stopping = true;
        reflector->wants_cancel = reflector->is_under_way;
        kin__reflector_drop_partial(reflector);
    }
}

kin__action kin__reflector_next(kin__reflector *reflector, int64_t now_ms)
{
    if (reflector->is_running && reflector->is_under_way) {
        return look_after(reflector, now_ms);
    }
    if (!reflector->is_running || reflector->is_stopping) {
        reflector->is_running = reflector->is_stopping = false;
        return (kin__action){ .type = KIN__ACTION_STOPPED };
    }
    if (now_ms < reflector->due_at) {
        return wait_until(reflector->due_at);
    }
    return begin(reflector, now_ms);
}

kin__reflector_status kin__reflector_look(const kin__reflector *reflector)
{
    return (kin__reflector_status){
        .state = state_of(reflector),
        .is_synced = reflector->is_synced,
        .resource_version = kin__str(reflector->version.data, reflector->version.len),
        .error = reflector->error_at >= 0 ? kin__kept_error_get(&reflector->error) : NULL,
        .error_at_ms = reflector->error_at,
        .failures = reflector->failures,
        .lists = reflector->lists,
        .watches = reflector->watches,
        .replaces = reflector->replaces,
        .events = reflector->events,
        .bookmarks = reflector->bookmarks,
        .unwanted = reflector->unwanted,
        .stale = reflector->stale,
        .collected = kin__initial_count(&reflector->initial),
    };
}

const char *kin__reflector_state_name(kin__reflector_state state)
{
    static const char *const names[] = {
        "new",          "listing",   "streaming", "watching", "resuming", "unreachable",
        "unauthorized", "forbidden", "not found", "failing",  "stopped",
    };

    return (size_t) state < sizeof names / sizeof names[0] ? names[state] : "unknown";
}

void kin__reflector_fetch(kin__reflector *reflector, int64_t now_ms)
{
    const kin__reflector_options *options = &reflector->options;
    bool wants_stream = options->mode == KIN__START_WATCH_LIST ||
                        (options->mode == KIN__START_AUTO && options->is_protobuf);

    kin__reflector_drop_partial(reflector);
    reflector->is_full = false;
    reflector->plan =
        wants_stream && now_ms >= reflector->no_stream_until ? KIN__PLAN_STREAM : KIN__PLAN_LIST;
    reflector->due_at = now_ms;
}

void kin__reflector_drop_partial(kin__reflector *reflector)
{
    kin__initial_clear(&reflector->initial);
    kin__buf_clear(&reflector->page_version);
    kin__buf_clear(&reflector->continue_token);
    reflector->page_failures = 0;
}

void kin__reflector_cancel(kin__reflector *reflector, kin__ending ending)
{
    reflector->ending = ending;
    reflector->wants_cancel = true;
}

void kin__reflector_fail(kin__reflector *reflector, kin__ending ending, const kin_error *err)
{
    kin__kept_error_set(&reflector->error, err);
    kin__reflector_cancel(reflector, ending);
}

void kin__reflector_tell(kin__reflector *reflector, const kin_error *err, bool is_routine,
                         int64_t now_ms)
{
    const kin__reflector_sink *sink = &reflector->options.sink;
    kin__reflector_trouble trouble = {
        .error = err,
        .doing = reflector->doing,
        .is_routine = is_routine,
        .retry_at_ms = reflector->is_under_way ? now_ms : reflector->due_at,
    };

    kin__kept_error_set(&reflector->error, err);
    reflector->error_at = now_ms;
    if (!is_routine) {
        reflector->failures++;
    }
    if (sink->trouble != NULL) {
        sink->trouble(sink->context, &trouble);
    }
}

/* The names, each terminated, in one piece; NULL where there is none. */
static kin_err copy_names(kin__reflector *r, const kin__reflector_options *options, kin_error *err)
{
    kin_str api_version = kin_str_of(options->api_version);
    kin_str kind = kin_str_of(options->kind);
    bool has_version =
        options->resource_version != NULL && strcmp(options->resource_version, "0") != 0;
    kin_str version = kin_str_of(has_version ? options->resource_version : "");

    if (!kin__buf_append_str(&r->names, api_version) || !kin__buf_append_byte(&r->names, '\0') ||
        !kin__buf_append_str(&r->names, kind) || !kin__buf_append_byte(&r->names, '\0') ||
        !kin__buf_append_str(&r->version, version) || !kin__buf_append_byte(&r->version, '\0')) {
        return kin__error_no_memory(err);
    }
    r->version.len--;
    r->options.api_version = options->api_version != NULL ? r->names.data : NULL;
    r->options.kind = options->kind != NULL ? r->names.data + api_version.len + 1 : NULL;
    r->options.resource_version = NULL;
    return KIN_OK;
}

static kin__action begin(kin__reflector *r, int64_t now_ms)
{
    r->is_under_way = true;
    r->doing = doing(r);
    r->wants_cancel = r->has_told_cancel = false;
    r->ending = KIN__ENDING_NONE;
    r->asked_at = now_ms;
    r->opened_at = -1;
    r->signs = 0;
    switch (r->plan) {
    case KIN__PLAN_LIST:
        return begin_list(r);
    case KIN__PLAN_PROBE:
        return begin_probe(r);
    default:
        return begin_watch(r);
    }
}

/* On later pages the token says which version it is; servers refuse any other word on it. */
static kin__action begin_list(kin__reflector *r)
{
    bool is_first = r->continue_token.len == 0;

    r->lists++;
    if (is_first) {
        r->first_version = version_to_list(r);
        r->limit = page_limit(r);
    }
    /* Without a word on it, a limit would make it this very version, which may be gone by now. */
    bool needs_match = is_first && r->limit > 0 && r->first_version == r->version.data;
    return (kin__action){
        .type = KIN__ACTION_LIST,
        .list = { .resource_version = is_first ? r->first_version : "",
                  .match = needs_match ? NOT_OLDER : NULL,
                  .continue_token = is_first ? NULL : r->continue_token.data,
                  .limit = r->limit },
    };
}

static kin__action begin_probe(kin__reflector *r)
{
    r->lists++;
    return (kin__action){
        .type = KIN__ACTION_LIST,
        .list = { .resource_version = r->version.data,
                  .match = NOT_OLDER,
                  .limit = 1,
                  .is_probe = true },
    };
}

/* A streaming list from "0" could be older than what was told before. */
static kin__action begin_watch(kin__reflector *r)
{
    bool is_stream = r->plan == KIN__PLAN_STREAM;

    r->watches++;
    r->is_ordered = !is_stream && r->version.len > 0;
    return (kin__action){
        .type = KIN__ACTION_WATCH,
        .watch = { .resource_version =
                       r->version.len > 0 && !r->is_unavailable ? r->version.data : "",
                   .match = is_stream ? NOT_OLDER : NULL,
                   .timeout_seconds = watch_seconds(r),
                   .initial_events = is_stream,
                   .idle_ms = r->options.idle_ms },
    };
}

/* Only the very first list may be of any version: a later one must not go back in time. */
static const char *version_to_list(const kin__reflector *r)
{
    if (r->is_unavailable) {
        return "";
    }
    if (r->version.len > 0) {
        return r->version.data;
    }
    return r->is_synced ? "" : "0";
}

/* Lists not older than a version come from the server's memory, but not when they are to come in
 * pages; those of the newest version come from its database.  Of any version, the limit counts only
 * where the server has no cache. */
static uint32_t page_limit(const kin__reflector *r)
{
    if (r->is_full || r->options.page_size < 0) {
        return 0;
    }
    if (r->options.page_size > 0) {
        return (uint32_t) r->options.page_size;
    }
    return r->first_version != r->version.data || r->is_paged ? PAGE_SIZE : 0;
}

static uint32_t watch_seconds(kin__reflector *r)
{
    uint32_t least = r->options.watch_seconds;

    if (least == 0) {
        least = WATCH_SECONDS;
    } else if (least > WATCH_SECONDS_MAX) {
        least = WATCH_SECONDS_MAX;
    }
    return least + kin__jitter(&r->random, least + 1);
}

static kin__action look_after(kin__reflector *r, int64_t now_ms)
{
    int64_t deadline = deadline_of(r);

    if (!r->wants_cancel && now_ms >= deadline) {
        kin__reflector_cancel(r,
                              r->plan == KIN__PLAN_STREAM ? KIN__ENDING_SLOW : KIN__ENDING_NO_OPEN);
    }
    if (r->wants_cancel && !r->has_told_cancel) {
        r->has_told_cancel = true;
        return (kin__action){ .type = KIN__ACTION_CANCEL };
    }
    return wait_until(r->wants_cancel ? KIN__NEVER : deadline);
}

static int64_t deadline_of(const kin__reflector *r)
{
    if (r->plan == KIN__PLAN_STREAM && r->opened_at < 0) {
        return r->asked_at + STREAM_MS;
    }
    if (r->plan == KIN__PLAN_STREAM) {
        int64_t objects = (int64_t) kin__initial_count(&r->initial);
        int64_t whole = r->opened_at + STREAM_MS + objects * STREAM_OBJECT_MS;
        int64_t progress = r->progress_at + PROGRESS_MS;

        return progress < whole ? progress : whole;
    }
    return r->plan == KIN__PLAN_WATCH && r->opened_at < 0 ? r->asked_at + OPEN_MS : KIN__NEVER;
}

static kin__action wait_until(int64_t until_ms)
{
    return (kin__action){ .type = KIN__ACTION_WAIT, .until_ms = until_ms };
}

/* A trouble shows until an attempt works, also while the next one is under way. */
static kin__reflector_state state_of(const kin__reflector *r)
{
    if (!r->is_running) {
        return r->has_started ? KIN__REFLECTOR_STOPPED : KIN__REFLECTOR_NEW;
    }
    if (r->trouble != KIN__REFLECTOR_NEW) {
        return r->trouble;
    }
    return r->plan == KIN__PLAN_WATCH && (!r->is_under_way || r->opened_at < 0)
               ? KIN__REFLECTOR_RESUMING
               : doing(r);
}

static kin__reflector_state doing(const kin__reflector *r)
{
    switch (r->plan) {
    case KIN__PLAN_LIST:
        return KIN__REFLECTOR_LISTING;
    case KIN__PLAN_STREAM:
        return KIN__REFLECTOR_STREAMING;
    case KIN__PLAN_PROBE:
        return KIN__REFLECTOR_RESUMING;
    default:
        return KIN__REFLECTOR_WATCHING;
    }
}
