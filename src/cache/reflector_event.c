/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector_event.c - what a reflector makes of what arrives.
 *
 * The memory for a version is there before the sink is told of it: what was told is always counted
 * as told, and no event comes twice.
 */
#include "base/str.h"
#include "cache/reflector_state.h"
#include "kin/key.h"

#define QUOTED_MAX 80

static bool is_taken(const kin__reflector *r);
static void take_bookmark(kin__reflector *r, const kin_event *event, int64_t now_ms);
static void end_initial(kin__reflector *r, kin_str version);
static void collect(kin__reflector *r, const kin_event *event, int64_t now_ms);
static void pass_on(kin__reflector *r, const kin_event *event, int64_t now_ms);
static kin_err tell_change(kin__reflector *r, const kin_event *event, kin_error *err);
static bool is_newer(const kin__reflector *r, kin_str version);
static void note_stale(kin__reflector *r, const kin_event *event, int64_t now_ms);
static kin_err reserve_version(kin__reflector *r, kin_str version, kin_error *err);
static void set_version(kin__reflector *r, kin_str version);
static bool is_usable(kin_str version);
static int quoted_len(kin_str s);

void kin__reflector_object(kin__reflector *reflector, kin_object *object, int64_t now_ms)
{
    kin_error err;

    if (!is_taken(reflector) || reflector->plan != KIN__PLAN_LIST) {
        return;
    }
    kin__reflector_works(reflector);
    if (kin__reflector_wants(reflector, object, now_ms) &&
        kin__initial_append(&reflector->initial, object, &err) != KIN_OK) {
        kin__reflector_fail(reflector, KIN__ENDING_LOCAL, &err);
    }
}

void kin__reflector_opened(kin__reflector *reflector, int64_t now_ms)
{
    if (!is_taken(reflector) || reflector->opened_at >= 0) {
        return;
    }
    reflector->opened_at = reflector->progress_at = now_ms;
    if (reflector->plan == KIN__PLAN_WATCH) {
        kin__backoff_good(&reflector->away, now_ms);
        kin__backoff_good(&reflector->refused, now_ms);
    }
    kin__reflector_works(reflector);
}

void kin__reflector_event(kin__reflector *reflector, const kin_event *event, int64_t now_ms)
{
    bool is_stream = reflector->plan == KIN__PLAN_STREAM;

    if (!is_taken(reflector) || (!is_stream && reflector->plan != KIN__PLAN_WATCH)) {
        return;
    }
    kin__reflector_opened(reflector, now_ms);
    if (event->type == KIN_EVENT_ERROR) {
        kin__reflector_fail(reflector, KIN__ENDING_EVENT, event->error);
    } else if (event->type == KIN_EVENT_BOOKMARK) {
        take_bookmark(reflector, event, now_ms);
    } else if (event->object != NULL && kin__reflector_wants(reflector, event->object, now_ms)) {
        reflector->signs++;
        if (is_stream) {
            collect(reflector, event, now_ms);
        } else {
            pass_on(reflector, event, now_ms);
        }
    }
}

void kin__reflector_works(kin__reflector *reflector)
{
    reflector->trouble = KIN__REFLECTOR_NEW;
    reflector->starting_denials = 0;
}

/* A list without a version is one that no watch can begin at: then the watch begins with the whole
 * state again, and after its end there is another list. */
kin_err kin__reflector_publish(kin__reflector *reflector, kin_str version, kin_error *err)
{
    const kin__reflector_sink *sink = &reflector->options.sink;
    kin__initial *initial = &reflector->initial;
    size_t count = kin__initial_count(initial);

    kin_err code = reserve_version(reflector, version, err);
    if (code == KIN_OK) {
        code = sink->replace(sink->context, kin__initial_objects(initial), count, version, err);
    }
    if (code != KIN_OK) {
        return code;
    }
    set_version(reflector, is_usable(version) ? version : STR(""));
    reflector->is_synced = true;
    reflector->is_unavailable = false;
    reflector->is_doubtful = false;
    reflector->is_full = false;
    reflector->stream_cuts = reflector->stream_throttles = 0;
    reflector->replaces++;
    reflector->events += count;
    kin__reflector_drop_partial(reflector);
    return KIN_OK;
}

bool kin__reflector_wants(kin__reflector *reflector, const kin_object *object, int64_t now_ms)
{
    const kin__reflector_options *options = &reflector->options;
    kin_str api_version = kin_object_api_version(object);
    kin_str kind = kin_object_kind(object);
    kin_error err;
    bool is_wanted;

    if (options->kind != NULL) {
        is_wanted = kin__str_equal(kind, kin_str_of(options->kind)) &&
                    (options->api_version == NULL ||
                     kin__str_equal(api_version, kin_str_of(options->api_version)));
    } else {
        is_wanted = !kin__str_equal(kind, STR("Table")) ||
                    !kin__str_starts_with(api_version, STR("meta.k8s.io/"));
    }
    if (is_wanted) {
        return true;
    }
    reflector->unwanted++;
    if (!reflector->has_told_unwanted) {
        reflector->has_told_unwanted = true;
        kin__error_set(&err, KIN_ERR_PROTOCOL,
                       "an object of another kind was dropped: %.*s of %.*s", quoted_len(kind),
                       kind.data, quoted_len(api_version), api_version.data);
        kin__reflector_tell(reflector, &err, false, now_ms);
    }
    return false;
}

bool kin__reflector_is_behind(const kin__reflector *reflector, kin_str version)
{
    kin_str last = kin__str(reflector->version.data, reflector->version.len);
    kin_error unwanted;
    int order;

    return !reflector->options.has_unordered_versions &&
           kin_resource_version_compare(version, last, &order, &unwanted) == KIN_OK && order < 0;
}

static bool is_taken(const kin__reflector *r)
{
    return r->is_under_way && !r->wants_cancel && !r->is_stopping;
}

static void take_bookmark(kin__reflector *r, const kin_event *event, int64_t now_ms)
{
    const kin__reflector_sink *sink = &r->options.sink;
    kin_str version = event->resource_version;
    kin_error err;

    r->bookmarks++;
    r->signs++;
    r->progress_at = now_ms;
    if (r->plan == KIN__PLAN_STREAM) {
        if (event->is_initial_end) {
            end_initial(r, version);
        }
        return;
    }
    r->watch_failures = r->expiries = 0;
    r->is_doubtful = false;
    if (!is_usable(version) || !is_newer(r, version)) {
        return;
    }
    if (reserve_version(r, version, &err) != KIN_OK) {
        kin__reflector_fail(r, KIN__ENDING_LOCAL, &err);
    } else if (sink->bookmark != NULL && sink->bookmark(sink->context, version, &err) != KIN_OK) {
        kin__reflector_fail(r, KIN__ENDING_SINK, &err);
    } else {
        set_version(r, version);
        r->is_ordered = true;
    }
}

/* The stream goes on as a watch.  One that is older than it was to be is refused, as a list is. */
static void end_initial(kin__reflector *r, kin_str version)
{
    kin_error err;

    if (!is_usable(version)) {
        kin__error_set(&err, KIN_ERR_PROTOCOL, "the end of a streaming list has no version");
        kin__reflector_fail(r, KIN__ENDING_EVENT, &err);
    } else if (!r->is_unavailable && kin__reflector_is_behind(r, version)) {
        kin__error_set(&err, KIN_ERR_EXPIRED,
                       "the server streams version %.*s, which is older than what was asked for",
                       quoted_len(version), version.data);
        kin__reflector_fail(r, KIN__ENDING_EVENT, &err);
    } else if (kin__reflector_publish(r, version, &err) != KIN_OK) {
        kin__reflector_fail(r, KIN__ENDING_SINK, &err);
    } else {
        r->plan = KIN__PLAN_WATCH;
        r->doing = KIN__REFLECTOR_WATCHING;
        r->is_ordered = true;
        kin__backoff_good(&r->away, r->progress_at);
        kin__backoff_good(&r->refused, r->progress_at);
    }
}

/* Of a streaming list, before its end: versions do not rise yet, and a change may come of what has
 * been sent already. */
static void collect(kin__reflector *r, const kin_event *event, int64_t now_ms)
{
    kin_error err;
    bool is_new = false;
    kin_err code = event->type == KIN_EVENT_DELETED
                       ? kin__initial_remove(&r->initial, kin_object_key(event->object), &err)
                       : kin__initial_put(&r->initial, event->object, &is_new, &err);

    if (code != KIN_OK) {
        kin__reflector_fail(r, KIN__ENDING_LOCAL, &err);
    } else if (is_new) {
        r->progress_at = now_ms;
    }
}

static void pass_on(kin__reflector *r, const kin_event *event, int64_t now_ms)
{
    kin_str version = event->resource_version;
    kin_error err;

    if (!is_newer(r, version)) {
        note_stale(r, event, now_ms);
        return;
    }
    if (reserve_version(r, version, &err) != KIN_OK) {
        kin__reflector_fail(r, KIN__ENDING_LOCAL, &err);
        return;
    }
    if (tell_change(r, event, &err) != KIN_OK) {
        kin__reflector_fail(r, KIN__ENDING_SINK, &err);
        return;
    }
    r->events++;
    r->watch_failures = r->expiries = 0;
    r->is_doubtful = false;
    /* The objects at the beginning of a watch without a version come in any order. */
    if (is_usable(version) && (r->is_ordered || event->type != KIN_EVENT_ADDED)) {
        set_version(r, version);
        r->is_ordered = true;
    }
}

static kin_err tell_change(kin__reflector *r, const kin_event *event, kin_error *err)
{
    const kin__reflector_sink *sink = &r->options.sink;

    switch (event->type) {
    case KIN_EVENT_ADDED:
        return sink->add(sink->context, event->object, err);
    case KIN_EVENT_DELETED:
        return sink->remove(sink->context, event->object, err);
    default:
        return sink->update(sink->context, event->object, err);
    }
}

/* Versions that are no numbers are taken as they come. */
static bool is_newer(const kin__reflector *r, kin_str version)
{
    kin_str last = kin__str(r->version.data, r->version.len);
    kin_error unwanted;
    int order;

    if (!r->is_ordered || r->options.has_unordered_versions || last.len == 0) {
        return true;
    }
    if (kin_resource_version_compare(version, last, &order, &unwanted) != KIN_OK) {
        return !kin__str_equal(version, last);
    }
    return order > 0;
}

static void note_stale(kin__reflector *r, const kin_event *event, int64_t now_ms)
{
    kin_str key = kin_object_key(event->object);
    kin_error err;

    r->stale++;
    if (!r->has_told_stale) {
        r->has_told_stale = true;
        kin__error_set(&err, KIN_ERR_PROTOCOL,
                       "an event that comes too late was dropped: %.*s at version %.*s, after %.*s",
                       quoted_len(key), key.data, quoted_len(event->resource_version),
                       event->resource_version.data,
                       quoted_len(kin__str(r->version.data, r->version.len)), r->version.data);
        kin__reflector_tell(r, &err, false, now_ms);
    }
}

static kin_err reserve_version(kin__reflector *r, kin_str version, kin_error *err)
{
    size_t size = version.len + 1;

    return size <= r->version.len || kin__buf_reserve(&r->version, size - r->version.len)
               ? KIN_OK
               : kin__error_no_memory(err);
}

static void set_version(kin__reflector *r, kin_str version)
{
    kin__buf_clear(&r->version);
    kin__buf_append_str(&r->version, version);
    kin__buf_append_byte(&r->version, '\0');
    r->version.len--;
}

/* Whether a watch can begin at it. */
static bool is_usable(kin_str version)
{
    return version.len > 0 && !kin__str_equal(version, STR("0"));
}

static int quoted_len(kin_str s)
{
    return (int) (s.len < QUOTED_MAX ? s.len : QUOTED_MAX);
}
