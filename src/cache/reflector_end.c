/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector_end.c - what follows the end of a page or watch: the table of reflector.h.
 *
 * "At once" cannot become a loop: each such step leads to another kind of request, or is counted
 * until one works.
 */
#include <string.h>

#include "base/str.h"
#include "cache/failure.h"
#include "cache/reflector_state.h"

#define SHORT_MS 1000          /* a watch that ends sooner, and empty, came to nothing */
#define SILENT_MS 75000        /* a watch without even a bookmark for so long is strange */
#define LONG_MS 5000           /* a server may become another one while we wait so long */
#define QUICK_ENDS_MAX 3       /* watches in a row that end at once though there are events */
#define WATCH_FAILURES_MAX 3   /* then the version is given up */
#define PAGE_FAILURES_MAX 5    /* then the list begins anew */
#define STREAM_CUTS_MAX 2      /* then the state is listed */
#define STREAM_THROTTLES_MAX 3 /* ... */
#define STARTING_DENIALS_MAX 3 /* then a server that came back means it */
#define NO_STREAM_MS (3600 * 1000)
#define INTERNAL_RESET_MS 60000 /* client-go's: after so long without one they are counted anew */

typedef struct fault {
    kin__failure kind;
    kin__ending ending;
    kin_error error;
} fault;

static bool find_fault(kin__reflector *r, const kin__call_end *end, int64_t now_ms, fault *out);
static void end_page(kin__reflector *r, const kin__call_end *end, int64_t now_ms);
static kin_err note_page(kin__reflector *r, const kin__call_end *end, kin_error *err);
static kin_err keep_text(kin__buf *buf, const char *text, kin_error *err);
static void fail_page(kin__reflector *r, const fault *why, int64_t now_ms);
static bool can_ask_otherwise(kin__reflector *r, kin__failure kind);
static void fail_stream(kin__reflector *r, const fault *why, int64_t now_ms);
static void list_instead(kin__reflector *r, const fault *why, int64_t now_ms);
static void end_watch(kin__reflector *r, int64_t now_ms);
static void end_quickly(kin__reflector *r, int64_t now_ms);
static void fail_watch(kin__reflector *r, const fault *why, int64_t now_ms);
static void go_on_watching(kin__reflector *r, int64_t now_ms);
static void cut_watch(kin__reflector *r, const fault *why, int64_t now_ms);
static void lose_version(kin__reflector *r, const fault *why, int64_t now_ms);
static void break_watch(kin__reflector *r, const fault *why, int64_t now_ms);
static bool may_watch_on(kin__reflector *r, const kin_error *err, int64_t now_ms);
static void end_probe(kin__reflector *r, const kin__call_end *end, int64_t now_ms);
static void fail_probe(kin__reflector *r, const fault *why, int64_t now_ms);
static void watch(kin__reflector *r, int64_t now_ms);
static void fetch_later(kin__reflector *r, const fault *why, int64_t now_ms);
static void later(kin__reflector *r, const fault *why, int64_t now_ms);
static kin__reflector_state trouble_of(const kin_error *err);

void kin__reflector_end(kin__reflector *reflector, const kin__call_end *end, int64_t now_ms)
{
    fault why;

    if (!reflector->is_under_way) {
        return;
    }
    reflector->is_under_way = reflector->wants_cancel = false;
    if (reflector->is_stopping) {
        return;
    }
    if (reflector->ending == KIN__ENDING_RESTART) {
        reflector->is_running = false;
        kin__reflector_start(reflector, now_ms);
        return;
    }
    bool has_failed = find_fault(reflector, end, now_ms, &why);
    switch (reflector->plan) {
    case KIN__PLAN_LIST:
        has_failed ? fail_page(reflector, &why, now_ms) : end_page(reflector, end, now_ms);
        break;
    case KIN__PLAN_STREAM:
        fail_stream(reflector, &why, now_ms);
        break;
    case KIN__PLAN_WATCH:
        has_failed ? fail_watch(reflector, &why, now_ms) : end_watch(reflector, now_ms);
        break;
    case KIN__PLAN_PROBE:
        has_failed ? fail_probe(reflector, &why, now_ms) : end_probe(reflector, end, now_ms);
        break;
    }
}

/* What went wrong; false: nothing.  A sink that refuses may do so for long, and each time all is
 * fetched again: that waits as for a broken server.  Our own reason to end it comes before what the
 * end says, which is then only that it was cancelled.  A streaming list that ends before its end
 * has failed, however well. */
static bool find_fault(kin__reflector *r, const kin__call_end *end, int64_t now_ms, fault *out)
{
    const char *cause = NULL;

    *out = (fault){ .ending = r->ending };
    switch (r->ending) {
    case KIN__ENDING_EVENT:
    case KIN__ENDING_SINK:
    case KIN__ENDING_LOCAL:
        out->error = *kin__kept_error_get(&r->error);
        break;
    case KIN__ENDING_SLOW:
        kin__error_set(&out->error, KIN_ERR_TIMEOUT,
                       "a streaming list came to %zu objects and no end in %lld ms",
                       kin__initial_count(&r->initial), (long long) (now_ms - r->asked_at));
        break;
    case KIN__ENDING_NO_OPEN:
        kin__error_set(&out->error, KIN_ERR_TIMEOUT, "the watch was not answered");
        break;
    default:
        if (end->error != NULL) {
            out->error = *end->error;
            cause = end->cause;
        } else if (r->plan == KIN__PLAN_STREAM) {
            kin__error_set(&out->error, KIN_ERR_PROTOCOL,
                           "a streaming list ended after %zu objects",
                           kin__initial_count(&r->initial));
        } else {
            return false;
        }
    }
    out->kind =
        r->ending == KIN__ENDING_SINK ? KIN__FAILURE_BROKEN : kin__failure_of(&out->error, cause);
    return true;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void end_page(kin__reflector *r, const kin__call_end *end, int64_t now_ms)
{
    fault why = { .ending = KIN__ENDING_NONE };

    if (note_page(r, end, &why.error) != KIN_OK) {
        why.kind = kin__failure_of(&why.error, NULL);
        fail_page(r, &why, now_ms);
        return;
    }
    if (r->first_version == r->version.data &&
        kin__reflector_is_behind(r, kin__str(r->page_version.data, r->page_version.len))) {
        why.kind = KIN__FAILURE_TOO_LARGE;
        kin__error_set(&why.error, KIN_ERR_EXPIRED,
                       "the server lists version %s, which is older than what was asked for",
                       r->page_version.data);
        fail_page(r, &why, now_ms);
        return;
    }
    kin__reflector_works(r);
    r->page_failures = 0;
    kin__initial_mark(&r->initial);
    r->due_at = now_ms;
    if (r->continue_token.len > 0) {
        r->is_paged = r->is_paged || strcmp(r->first_version, "0") == 0;
        return;
    }
    kin_str version = kin__str(r->page_version.data, r->page_version.len);
    if (kin__reflector_publish(r, version, &why.error) != KIN_OK) {
        why.kind = KIN__FAILURE_BROKEN;
        fetch_later(r, &why, now_ms);
        return;
    }
    watch(r, now_ms);
}

/* The version of a list in pages is that of the first one.  A token that leads to itself would lead
 * there for ever. */
static kin_err note_page(kin__reflector *r, const kin__call_end *end, kin_error *err)
{
    const char *token = end->continue_token != NULL ? end->continue_token : "";

    if (token[0] != '\0' && r->continue_token.len > 0 &&
        strcmp(token, r->continue_token.data) == 0) {
        return kin__error_set(err, KIN_ERR_PROTOCOL, "the server repeats a page of the list");
    }
    if (r->continue_token.len == 0 &&
        keep_text(&r->page_version, end->resource_version, err) != KIN_OK) {
        return err->code;
    }
    return keep_text(&r->continue_token, token, err);
}

/* Leaves the buffer as it was when there is no memory. */
static kin_err keep_text(kin__buf *buf, const char *text, kin_error *err)
{
    kin_str slice = kin_str_of(text);

    if (slice.len + 1 > buf->len && !kin__buf_reserve(buf, slice.len + 1 - buf->len)) {
        return kin__error_no_memory(err);
    }
    kin__buf_clear(buf);
    kin__buf_append_str(buf, slice);
    kin__buf_append_byte(buf, '\0');
    buf->len--;
    return KIN_OK;
}

static void fail_page(kin__reflector *r, const fault *why, int64_t now_ms)
{
    kin__initial_rewind(&r->initial);
    if (can_ask_otherwise(r, why->kind)) {
        kin__reflector_drop_partial(r);
        r->due_at = now_ms;
        kin__reflector_tell(r, &why->error, true, now_ms);
        return;
    }
    if (++r->page_failures >= PAGE_FAILURES_MAX) {
        kin__reflector_drop_partial(r);
    }
    later(r, why, now_ms);
}

/* Pages that have expired, or that the server does not know: all in one, of the same version.  A
 * version that is not to be had: the newest. */
static bool can_ask_otherwise(kin__reflector *r, kin__failure kind)
{
    if (kind != KIN__FAILURE_EXPIRED && kind != KIN__FAILURE_TOO_LARGE &&
        kind != KIN__FAILURE_UNFIT) {
        return false;
    }
    if (r->continue_token.len > 0 && !r->is_full) {
        r->is_full = true;
        return true;
    }
    if (r->first_version[0] != '\0' && !r->is_unavailable) {
        r->is_unavailable = true;
        return true;
    }
    return false;
}

/* ---- streaming lists ------------------------------------------------------------------------ */

static void fail_stream(kin__reflector *r, const fault *why, int64_t now_ms)
{
    bool has_opened = r->opened_at >= 0;

    kin__reflector_drop_partial(r);
    if (why->ending == KIN__ENDING_SINK) {
        later(r, why, now_ms);
        return;
    }
    switch (why->kind) {
    case KIN__FAILURE_EXPIRED:
    case KIN__FAILURE_TOO_LARGE:
        if (r->is_unavailable || r->version.len == 0) {
            later(r, why, now_ms);
        } else {
            r->is_unavailable = true;
            r->due_at = now_ms;
            kin__reflector_tell(r, &why->error, true, now_ms);
        }
        return;
    case KIN__FAILURE_THROTTLED:
        if (++r->stream_throttles >= STREAM_THROTTLES_MAX) {
            r->plan = KIN__PLAN_LIST;
        }
        later(r, why, now_ms);
        return;
    case KIN__FAILURE_AWAY:
        if (why->ending == KIN__ENDING_SLOW) {
            r->no_stream_until = has_opened ? now_ms + NO_STREAM_MS : r->no_stream_until;
            list_instead(r, why, now_ms);
            return;
        }
        if (has_opened && ++r->stream_cuts >= STREAM_CUTS_MAX) {
            r->plan = KIN__PLAN_LIST;
        }
        later(r, why, now_ms);
        return;
    case KIN__FAILURE_LOCAL:
        later(r, why, now_ms);
        return;
    case KIN__FAILURE_UNFIT:
        r->no_stream_until = now_ms + NO_STREAM_MS;
        break;
    case KIN__FAILURE_DENIED:
    case KIN__FAILURE_BROKEN:
        break;
    }
    list_instead(r, why, now_ms);
}

static void list_instead(kin__reflector *r, const fault *why, int64_t now_ms)
{
    r->plan = KIN__PLAN_LIST;
    r->due_at = now_ms;
    r->stream_cuts = r->stream_throttles = 0;
    kin__reflector_tell(r, &why->error, true, now_ms);
}

/* ---- watches -------------------------------------------------------------------------------- */

static void end_watch(kin__reflector *r, int64_t now_ms)
{
    fault why = { .kind = KIN__FAILURE_BROKEN };

    if (now_ms - r->asked_at < SHORT_MS) {
        if (r->signs == 0) {
            kin__error_set(&why.error, KIN_ERR_PROTOCOL,
                           "the watch ended within a second, without an event");
            break_watch(r, &why, now_ms);
        } else {
            end_quickly(r, now_ms);
        }
        return;
    }
    go_on_watching(r, now_ms);
}

/* Some such ends are a server that cannot keep up; many are one that would be asked all the time.
 */
static void end_quickly(kin__reflector *r, int64_t now_ms)
{
    fault why = { .kind = KIN__FAILURE_AWAY };

    watch(r, now_ms);
    if (++r->quick_ends >= QUICK_ENDS_MAX) {
        kin__error_set(&why.error, KIN_ERR_PROTOCOL,
                       "watches end within a second, again and again");
        later(r, &why, now_ms);
    }
}

/* One that was open for a while and has ended, or was cut. */
static void go_on_watching(kin__reflector *r, int64_t now_ms)
{
    r->watch_failures = r->quick_ends = r->expiries = 0;
    if (r->signs == 0 && now_ms - r->asked_at >= SILENT_MS) {
        r->is_doubtful = true;
    }
    watch(r, now_ms);
}

static void fail_watch(kin__reflector *r, const fault *why, int64_t now_ms)
{
    if (why->ending == KIN__ENDING_SINK) {
        fetch_later(r, why, now_ms);
        return;
    }
    switch (why->kind) {
    case KIN__FAILURE_EXPIRED:
    case KIN__FAILURE_TOO_LARGE:
        lose_version(r, why, now_ms);
        return;
    case KIN__FAILURE_UNFIT:
        r->is_unavailable = true;
        fetch_later(r, why, now_ms);
        return;
    case KIN__FAILURE_BROKEN:
        if (why->ending == KIN__ENDING_EVENT && !may_watch_on(r, &why->error, now_ms)) {
            fetch_later(r, why, now_ms);
        } else {
            break_watch(r, why, now_ms);
        }
        return;
    case KIN__FAILURE_AWAY:
        if (why->ending == KIN__ENDING_EVENT) {
            fetch_later(r, why, now_ms);
        } else {
            cut_watch(r, why, now_ms);
        }
        return;
    case KIN__FAILURE_THROTTLED:
    case KIN__FAILURE_DENIED:
    case KIN__FAILURE_LOCAL:
        break;
    }
    watch(r, now_ms);
    later(r, why, now_ms);
}

/* Nobody there any more, or from the beginning. */
static void cut_watch(kin__reflector *r, const fault *why, int64_t now_ms)
{
    bool was_open = r->opened_at >= 0;

    if (was_open && now_ms - r->asked_at >= SHORT_MS) {
        go_on_watching(r, now_ms);
        kin__reflector_tell(r, &why->error, why->error.code == KIN_ERR_CLOSED, now_ms);
    } else if (was_open && r->signs > 0) {
        end_quickly(r, now_ms);
    } else {
        r->is_doubtful = true;
        watch(r, now_ms);
        later(r, why, now_ms);
    }
}

/* The first time at once: nothing is wrong with the server.  If the version that it lists then is
 * gone again, something is. */
static void lose_version(kin__reflector *r, const fault *why, int64_t now_ms)
{
    r->is_unavailable = r->is_unavailable || why->kind == KIN__FAILURE_TOO_LARGE;
    if (r->expiries++ > 0) {
        fetch_later(r, why, now_ms);
        return;
    }
    kin__reflector_fetch(r, now_ms);
    kin__reflector_tell(r, &why->error, true, now_ms);
}

/* It came to nothing, and nobody can say that it will the next time. */
static void break_watch(kin__reflector *r, const fault *why, int64_t now_ms)
{
    if (++r->watch_failures >= WATCH_FAILURES_MAX) {
        r->watch_failures = 0;
        fetch_later(r, why, now_ms);
        return;
    }
    watch(r, now_ms);
    later(r, why, now_ms);
}

/* Whether an ERROR event is an internal error, and one that the program wants to sit out. */
static bool may_watch_on(kin__reflector *r, const kin_error *err, int64_t now_ms)
{
    bool is_internal = err->http_status == 500 &&
                       (err->reason[0] == '\0' || strcmp(err->reason, "InternalError") == 0);

    if (!is_internal || r->options.internal_retry_ms == 0) {
        return false;
    }
    if (r->internal_since < 0 || now_ms - r->internal_last > INTERNAL_RESET_MS) {
        r->internal_since = now_ms;
    }
    r->internal_last = now_ms;
    r->watch_failures = 0;
    return now_ms - r->internal_since <= r->options.internal_retry_ms;
}

/* ---- probes --------------------------------------------------------------------------------- */

static void end_probe(kin__reflector *r, const kin__call_end *end, int64_t now_ms)
{
    fault why = { .kind = KIN__FAILURE_TOO_LARGE };

    kin__reflector_works(r);
    r->is_doubtful = false;
    if (kin__reflector_is_behind(r, kin_str_of(end->resource_version))) {
        kin__error_set(&why.error, KIN_ERR_EXPIRED,
                       "the server's version is older than what it had told: it lists %s",
                       end->resource_version);
        lose_version(r, &why, now_ms);
        return;
    }
    watch(r, now_ms);
}

/* What else is wrong, the watch will say. */
static void fail_probe(kin__reflector *r, const fault *why, int64_t now_ms)
{
    switch (why->kind) {
    case KIN__FAILURE_TOO_LARGE:
        lose_version(r, why, now_ms);
        return;
    case KIN__FAILURE_AWAY:
    case KIN__FAILURE_THROTTLED:
    case KIN__FAILURE_LOCAL:
        later(r, why, now_ms);
        return;
    case KIN__FAILURE_DENIED:
        if (r->starting_denials > 0) {
            later(r, why, now_ms);
            return;
        }
        break;
    default:
        break;
    }
    r->is_doubtful = false;
    watch(r, now_ms);
}

/* ---- what comes next ------------------------------------------------------------------------ */

/* From a version that cannot be resumed from, only the first watch after a list. */
static void watch(kin__reflector *r, int64_t now_ms)
{
    if (r->version.len == 0 && r->plan == KIN__PLAN_WATCH) {
        kin__reflector_fetch(r, now_ms);
        return;
    }
    r->plan = r->is_doubtful ? KIN__PLAN_PROBE : KIN__PLAN_WATCH;
    r->due_at = now_ms;
}

static void fetch_later(kin__reflector *r, const fault *why, int64_t now_ms)
{
    kin__reflector_fetch(r, now_ms);
    later(r, why, now_ms);
}

/* Puts off what is planned, and tells why.  A server that has just come back denies everything for
 * half a second, before it has read who may do what.  That is no sign of anything, and moves no
 * sequence: else a server that restarts often would be left alone for longer each time. */
static void later(kin__reflector *r, const fault *why, int64_t now_ms)
{
    kin__failure kind = why->kind;
    const kin_error *err = &why->error;
    bool is_starting = kind == KIN__FAILURE_DENIED && r->starting_denials > 0;
    bool says_when =
        err->retry_after_ms > 0 && (kind == KIN__FAILURE_THROTTLED || kind == KIN__FAILURE_AWAY ||
                                    kind == KIN__FAILURE_TOO_LARGE || kind == KIN__FAILURE_BROKEN);
    bool is_short = kind == KIN__FAILURE_AWAY || kind == KIN__FAILURE_LOCAL;

    if (kind == KIN__FAILURE_AWAY) {
        r->starting_denials = STARTING_DENIALS_MAX;
    } else if (is_starting) {
        r->starting_denials--;
    }
    r->due_at = now_ms;
    r->due_at += says_when     ? kin__backoff_asked(&r->refused, err->retry_after_ms)
                 : is_starting ? kin__backoff_failed(&r->starting, now_ms)
                 : is_short    ? kin__backoff_failed(&r->away, now_ms)
                               : kin__backoff_failed(&r->refused, now_ms);
    if (r->plan == KIN__PLAN_WATCH && r->due_at - now_ms >= LONG_MS) {
        r->is_doubtful = true;
        r->plan = KIN__PLAN_PROBE;
    }
    r->trouble = trouble_of(err);
    kin__reflector_tell(r, err, false, now_ms);
}

static kin__reflector_state trouble_of(const kin_error *err)
{
    switch (err->code) {
    case KIN_ERR_UNAUTHORIZED:
        return KIN__REFLECTOR_UNAUTHORIZED;
    case KIN_ERR_FORBIDDEN:
        return KIN__REFLECTOR_FORBIDDEN;
    case KIN_ERR_NOT_FOUND:
        return KIN__REFLECTOR_NOT_FOUND;
    default:
        return kin__failure_of(err, NULL) == KIN__FAILURE_AWAY ? KIN__REFLECTOR_UNREACHABLE
                                                               : KIN__REFLECTOR_FAILING;
    }
}
