/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - how a watch begins.
 *
 *   resourceVersion   sendInitialEvents   begins with
 *   "" or "0"         true or unset       the present state, then changes
 *   N                 true                the same, once the revision has reached N (3 s at most)
 *   "" or "0"         false               nothing: changes from now on
 *   N                 false or unset      changes after N; 410 when those are not all there any
 * more
 *
 * What is wrong with a watch whose version could be read is told on the stream, as an ERROR.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/str.h"
#include "server/random.h"
#include "server/version_param.h"
#include "server/watch_state.h"

/* Where no time-out is asked for: 30 minutes to an hour, as kube-apiserver's --min-request-timeout
 * has it. */
#define TIMEOUT_MS 1800000

static bool begin(kin__watching *watch, kin__asked *asked, uint64_t version, kin__refusal *no);
static bool keep_words(kin__watching *watch, const kin__route *route);
static bool begin_with_state(kin__watching *watch, uint64_t version, uint64_t present);
static bool begin_behind(kin__watching *watch, uint64_t version);
static bool set_error(kin__watching *watch, const kin__refusal *no);
static bool open_watch(kin__watching *watch, kin__asked *asked, kin__refusal *no);
static int64_t deadline_of(const kin__asked *asked);

bool kin__serve_watch(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    uint64_t version = 0;

    if (!kin__options_check(asked->route.served, &asked->params, no)) {
        return false;
    }
    kin__watching *watch = kin__alloc_zero(1, sizeof *watch);
    if (watch == NULL) {
        return kin__refuse_no_memory(no);
    }
    watch->engine = asked->engine;
    watch->visit = asked->visit;
    watch->served = kin__served_ref(asked->route.served);
    watch->form = asked->form;
    watch->spoil = asked->spoil;
    watch->is_websocket = asked->is_websocket;
    watch->wants_bookmarks = asked->params.allow_watch_bookmarks;
    /* What is wrong with the selectors is told before what is wrong with the version. */
    if (!kin__filter_new(asked, &watch->filter, no) ||
        !kin__version_read_for_watch(asked->params.resource_version, &version, no) ||
        !begin(watch, asked, version, no) || !open_watch(watch, asked, no)) {
        kin__watching_release(watch);
        return false;
    }
    answer->is_upgrade = watch->is_websocket;
    answer->body = (kin__body){ kin__watching_next, kin__watching_release, watch };
    answer->content_type = asked->form.encoding == KIN__FORM_PROTO
                               ? "application/vnd.kubernetes.protobuf;stream=watch"
                               : "application/json";
    return true;
}

static bool begin(kin__watching *watch, kin__asked *asked, uint64_t version, kin__refusal *no)
{
    const kin__params *params = &asked->params;
    uint64_t present =
        asked->present != 0 ? asked->present : kin__storage_revision(asked->engine->storage);
    bool is_done = false;

    if (!keep_words(watch, &asked->route)) {
        return kin__refuse_no_memory(no);
    }
    if (params->has_timeout_seconds && params->timeout_seconds < 0) {
        watch->phase = KIN__WATCH_OVER;
        is_done = true;
    } else if (params->send_initial_events == KIN__TRUE ||
               (version == 0 && params->send_initial_events == KIN__UNSET)) {
        is_done = begin_with_state(watch, asked->lies ? 0 : version, present);
    } else {
        is_done = begin_behind(watch, version == 0 ? present : version);
    }
    if (!is_done) {
        return kin__refuse_no_memory(no);
    }
    return watch->form.shape != KIN__SHAPE_TABLE || kin__table_view_new(asked, &watch->table, no);
}

/* What faults are compared with while it is open. */
static bool keep_words(kin__watching *watch, const kin__route *route)
{
    kin_str name = route->is_name_selected ? route->name : STR("");

    if (!kin__buf_append_str(&watch->words, route->path) ||
        !kin__buf_append_str(&watch->words, name)) {
        return false;
    }
    watch->path = kin__str(watch->words.data, route->path.len);
    watch->name = kin__str(watch->words.data + route->path.len, name.len);
    return true;
}

static bool begin_with_state(kin__watching *watch, uint64_t version, uint64_t present)
{
    watch->wants_initial_end = watch->wants_bookmarks;
    if (version > present) {
        watch->phase = KIN__WATCH_WAITING;
        watch->initial_revision = version;
        return true;
    }
    return kin__watching_take_initial(watch, present);
}

static bool begin_behind(kin__watching *watch, uint64_t version)
{
    const kin__collection *collection = watch->served->collection;
    uint64_t oldest = kin__collection_oldest(collection);

    watch->phase = KIN__WATCH_LIVE;
    watch->start_revision = version;
    watch->next_change = kin__collection_change_after(collection, version);
    if (version >= oldest) {
        return true;
    }
    AUTO(kin__refusal_fini) kin__refusal old = { 0 };
    if ((watch->served->traits & KIN__IS_UNCACHED) != 0) {
        (void) kin__refuse(&old, 410, "Expired",
                           "The resourceVersion for the provided watch is too old.");
    } else {
        (void) kin__refuse(&old, 410, "Expired",
                           "too old resource version: %" PRIu64 " (%" PRIu64 ")", version, oldest);
    }
    return set_error(watch, &old);
}

static bool set_error(kin__watching *watch, const kin__refusal *no)
{
    watch->error = kin__frame_of_refusal(no, watch->form.encoding);
    return watch->error != NULL;
}

static bool open_watch(kin__watching *watch, kin__asked *asked, kin__refusal *no)
{
    kin_error err;

    watch->deadline_ms = deadline_of(asked);
    if (watch->visit == NULL || watch->phase == KIN__WATCH_OVER) {
        return true;
    }
    if (kin__watching_enter(watch, &err) || kin__watching_set_timers(watch, &err)) {
        return kin__refuse_no_memory(no);
    }
    return true;
}

static int64_t deadline_of(const kin__asked *asked)
{
    int64_t now = kin__loop_now_ms(asked->engine->loop);
    int64_t seconds = asked->params.has_timeout_seconds ? asked->params.timeout_seconds : 0;

    if (seconds > 0) {
        return seconds > INT32_MAX ? INT64_MAX : now + seconds * 1000;
    }
    return now + TIMEOUT_MS + (int64_t) kin__random_below(asked->engine, TIMEOUT_MS);
}
