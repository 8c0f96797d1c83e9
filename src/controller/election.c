/* SPDX-License-Identifier: Apache-2.0 */
/*
 * election.c - what a candidate does next.
 *
 * At most one call is under way.  A try is a chain of calls without a pause: a get, and the write
 * that follows from it.  Whatever ends it sets when the next one begins.
 *
 * Whether a write that got no answer was carried out is not known.  It does not matter for leading,
 * which only an answer begins or prolongs; and each write names the version it is based on, so that
 * one that arrives late is refused.  But from then on the Lease may bear our name: `may_hold`.
 */
#include "controller/election.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cache/jitter.h"

#define CALL_MS_MIN 1000
#define CONFLICTS_MAX 3 /* in one try */
#define RELEASED_S 1    /* what a Lease that is let go of lasts; as client-go writes it */

static void begin_try(kin__election *e, int64_t now_ms, kin_time wall, kin__election_action *out);
static void release(kin__election *e, int64_t now_ms, kin_time wall, kin__election_action *out);
static void call(kin__election *e, kin__election_action_type type, int64_t now_ms,
                 kin__election_action *out);
static kin__lease_record claim(const kin__election *e, kin_time wall);
static kin__lease_record letting_go(const kin__election *e, kin_time wall);
static bool is_in_other_hands(const kin__election *e, int64_t now_ms);
static int64_t runs_out_at(const kin__election *e);
static bool is_mine(const kin__election *e);
static void lead(kin__election *e, int64_t now_ms);
static void look_at_clock(kin__election *e, int64_t now_ms);
static void lose(kin__election *e);
static void miss(kin__election *e);
static void fail_try(kin__election *e, const kin_error *err, int64_t now_ms);
static void fail_release(kin__election *e, const kin_error *err, int64_t now_ms);
static void end_try(kin__election *e, int64_t now_ms, uint32_t retry_after_ms);
static void note_failure(kin__election *e, const kin_error *err);
static void see(kin__election *e, const kin__lease_record *record, int64_t at_ms);
static int64_t later(int64_t a, int64_t b);
static int64_t sooner(int64_t a, int64_t b);

void kin__election_init(kin__election *election, const kin__election_options *options)
{
    int64_t safe_ms = (int64_t) options->lease_ms * 10 / 12;

    memset(election, 0, sizeof *election);
    election->options = *options;
    election->self = kin__lease_holder_of(options->identity);
    election->options.identity = kin__str(NULL, 0);
    election->lead_ms = sooner(options->renew_ms, safe_ms);
    election->random = options->seed;
    election->is_settled = true;
    election->doing = KIN__ELECTION_WAIT;
}

void kin__election_start(kin__election *election, int64_t now_ms)
{
    if (!election->is_running) {
        election->is_running = true;
        election->is_stopping = election->is_trying = false;
        election->has_base = false;
        election->release_until_ms = 0;
        election->stop_error.code = KIN_OK;
        election->due_ms = now_ms;
    }
}

void kin__election_stop(kin__election *election, int64_t now_ms)
{
    if (election->is_running && !election->is_stopping) {
        look_at_clock(election, now_ms);
        lose(election);
        election->is_stopping = true;
        election->is_trying = election->was_read = false;
        election->wants_cancel = election->doing != KIN__ELECTION_WAIT;
    }
}

void kin__election_settle(kin__election *election, int64_t now_ms)
{
    look_at_clock(election, now_ms);
    election->is_settled = !election->is_leading;
}

void kin__election_next(kin__election *election, int64_t now_ms, kin_time wall,
                        kin__election_action *out)
{
    *out = (kin__election_action){ .type = KIN__ELECTION_WAIT, .until_ms = INT64_MAX };
    look_at_clock(election, now_ms);
    if (!election->is_running) {
        out->type = KIN__ELECTION_STOPPED;
    } else if (election->doing != KIN__ELECTION_WAIT) {
        out->type = election->wants_cancel ? KIN__ELECTION_CANCEL : KIN__ELECTION_WAIT;
        out->until_ms = election->is_leading ? election->leads_until_ms : INT64_MAX;
        election->wants_cancel = false;
    } else if (!election->is_leading && !election->is_settled) {
        return;
    } else if (election->is_stopping) {
        release(election, now_ms, wall, out);
    } else {
        begin_try(election, now_ms, wall, out);
    }
}

void kin__election_read(kin__election *election, const kin__lease_record *record, int64_t now_ms)
{
    look_at_clock(election, now_ms);
    bool was_leading = election->is_leading;

    election->doing = KIN__ELECTION_WAIT;
    see(election, record, now_ms);
    election->has_base = election->was_read = true;
    election->may_hold = is_mine(election);
    if (was_leading && !election->may_hold) {
        lose(election);
        end_try(election, now_ms, 0);
    }
    if (is_in_other_hands(election, now_ms)) {
        end_try(election, now_ms, 0);
        election->due_ms = sooner(election->due_ms, runs_out_at(election));
    }
}

void kin__election_wrote(kin__election *election, bool has_base, int64_t now_ms)
{
    look_at_clock(election, now_ms);
    election->doing = KIN__ELECTION_WAIT;
    see(election, &election->written, election->sent_ms);
    election->has_base = has_base;
    election->may_hold = is_mine(election);
    if (election->is_stopping) {
        election->stop_error.code = KIN_OK;
        return;
    }
    lead(election, now_ms);
    end_try(election, now_ms, 0);
}

void kin__election_failed(kin__election *election, const kin_error *err, int64_t now_ms)
{
    bool is_claim = election->doing != KIN__ELECTION_GET &&
                    kin__lease_holder_equal(&election->written.holder, &election->self);
    bool is_refused = err->http_status >= 400 && err->http_status < 500;

    look_at_clock(election, now_ms);
    election->may_hold = election->may_hold || (is_claim && !is_refused);
    if (election->is_stopping) {
        fail_release(election, err, now_ms);
    } else {
        fail_try(election, err, now_ms);
    }
    election->doing = KIN__ELECTION_WAIT;
}

/* ---- what to do ------------------------------------------------------------------------------ */

static void begin_try(kin__election *e, int64_t now_ms, kin_time wall, kin__election_action *out)
{
    if (!e->is_trying) {
        if (now_ms < e->due_ms) {
            out->until_ms = e->is_leading ? sooner(e->due_ms, e->leads_until_ms) : e->due_ms;
            return;
        }
        e->is_trying = true;
        e->was_read = e->is_absent = false;
        e->conflicts = 0;
        e->try_ms = now_ms;
    }
    if (!e->is_absent && !e->was_read && !(e->is_leading && e->has_base)) {
        call(e, KIN__ELECTION_GET, now_ms, out);
        return;
    }
    e->written = claim(e, wall);
    call(e, e->is_absent ? KIN__ELECTION_CREATE : KIN__ELECTION_UPDATE, now_ms, out);
}

static void release(kin__election *e, int64_t now_ms, kin_time wall, kin__election_action *out)
{
    bool has_begun = e->release_until_ms != 0;

    if (!e->may_hold || e->options.keeps_on_stop || (has_begun && now_ms >= e->release_until_ms)) {
        e->is_running = false;
        out->type = KIN__ELECTION_STOPPED;
        return;
    }
    if (!has_begun) {
        e->release_until_ms = now_ms + e->options.renew_ms;
        e->conflicts = 0;
        e->due_ms = now_ms;
    }
    if (now_ms < e->due_ms) {
        out->until_ms = sooner(e->due_ms, e->release_until_ms);
    } else if (e->has_base) {
        e->written = letting_go(e, wall);
        call(e, KIN__ELECTION_UPDATE, now_ms, out);
    } else {
        call(e, KIN__ELECTION_GET, now_ms, out);
    }
}

static void call(kin__election *e, kin__election_action_type type, int64_t now_ms,
                 kin__election_action *out)
{
    int64_t deadline_ms = later(CALL_MS_MIN, e->options.renew_ms / 2);

    if (e->is_leading) {
        deadline_ms = sooner(deadline_ms, e->leads_until_ms - now_ms);
    } else if (e->is_stopping) {
        deadline_ms = sooner(deadline_ms, e->release_until_ms - now_ms);
    }
    e->doing = type;
    e->sent_ms = now_ms;
    out->type = type;
    out->deadline_ms = (uint32_t) later(deadline_ms, 1);
    out->record = e->written;
}

/* Times are as fine as a Lease can say. */
static kin_time in_micros(kin_time time)
{
    return (kin_time){ time.seconds, time.nanoseconds / 1000 * 1000 };
}

/* Who held it already, in this life or another one, goes on from there. */
static kin__lease_record claim(const kin__election *e, kin_time wall)
{
    kin__lease_record record = {
        .holder = e->self,
        .duration_s = e->options.lease_ms / 1000,
        .acquired = in_micros(wall),
        .renewed = in_micros(wall),
    };

    if (!e->is_absent) {
        bool is_kept = is_mine(e) && e->seen.acquired.seconds != 0;
        int64_t transitions = e->seen.transitions + (is_mine(e) ? 0 : 1);
        record.transitions = sooner(transitions, INT32_MAX);
        record.acquired = is_kept ? e->seen.acquired : record.acquired;
    }
    return record;
}

static kin__lease_record letting_go(const kin__election *e, kin_time wall)
{
    return (kin__lease_record){
        .duration_s = RELEASED_S,
        .transitions = e->seen.transitions,
        .acquired = in_micros(wall),
        .renewed = in_micros(wall),
    };
}

/* ---- who leads ------------------------------------------------------------------------------- */

static bool is_in_other_hands(const kin__election *e, int64_t now_ms)
{
    return e->seen.holder.len > 0 && !is_mine(e) && now_ms < runs_out_at(e);
}

/* If it does not change any more. */
static int64_t runs_out_at(const kin__election *e)
{
    int64_t lasts_ms =
        e->seen.duration_s > 0 ? e->seen.duration_s * 1000 : (int64_t) e->options.lease_ms;

    return e->seen_ms + lasts_ms;
}

static bool is_mine(const kin__election *e)
{
    return kin__lease_holder_equal(&e->seen.holder, &e->self);
}

/* Who got an answer so late that it would not lead any more, or whose last term is still being
 * ended, has the Lease and does not lead: the next try is soon enough. */
static void lead(kin__election *e, int64_t now_ms)
{
    int64_t until_ms = e->sent_ms + e->lead_ms;

    if (until_ms <= now_ms || (!e->is_leading && !e->is_settled)) {
        return;
    }
    e->slow += e->is_leading && e->was_read ? 1 : 0;
    e->term += e->is_leading ? 0 : 1;
    e->is_leading = true;
    e->is_settled = false;
    e->leads_until_ms = until_ms;
    e->renewed_ms = e->sent_ms;
    e->renewals++;
}

/* Before each input: no answer that comes too late prolongs what has ended. */
static void look_at_clock(kin__election *e, int64_t now_ms)
{
    if (e->is_leading && now_ms >= e->leads_until_ms) {
        lose(e);
    }
}

static void lose(kin__election *e)
{
    e->is_leading = false;
}

/* ---- what went wrong ------------------------------------------------------------------------- */

/* The object is another one by now: it is read again. */
static void miss(kin__election *e)
{
    e->has_base = e->was_read = e->is_absent = false;
    e->conflicts++;
}

static void fail_try(kin__election *e, const kin_error *err, int64_t now_ms)
{
    static const kin__lease_record nothing;
    bool is_gone = err->http_status == 404;

    if (e->doing == KIN__ELECTION_GET && is_gone) {
        see(e, &nothing, now_ms);
        e->has_base = e->may_hold = false;
        e->is_absent = true;
        return;
    }
    bool is_conflict =
        err->code == KIN_ERR_CONFLICT || (e->doing == KIN__ELECTION_UPDATE && is_gone);
    if (is_conflict) {
        miss(e);
        if (e->conflicts < CONFLICTS_MAX) {
            return;
        }
    }
    note_failure(e, err);
    end_try(e, now_ms, err->retry_after_ms);
}

/* Of what had begun before, the end is all that matters. */
static void fail_release(kin__election *e, const kin_error *err, int64_t now_ms)
{
    bool has_begun = e->release_until_ms != 0;
    bool is_conflict = err->code == KIN_ERR_CONFLICT;

    miss(e);
    if (!has_begun) {
        return;
    }
    if (err->http_status == 404) {
        e->may_hold = false;
        e->stop_error.code = KIN_OK;
        return;
    }
    note_failure(e, err);
    e->stop_error = *err;
    if (!is_conflict || e->conflicts >= CONFLICTS_MAX) {
        e->due_ms =
            now_ms + later(e->options.retry_ms, sooner(err->retry_after_ms, e->options.renew_ms));
    }
}

/* A leader that is asked to wait for long has no time for that. */
static void end_try(kin__election *e, int64_t now_ms, uint32_t retry_after_ms)
{
    int64_t retry_ms = e->options.retry_ms;

    e->is_trying = false;
    if (e->is_leading) {
        e->due_ms = later(e->try_ms + retry_ms, now_ms + sooner(retry_after_ms, retry_ms));
    } else {
        int64_t chance_ms = kin__jitter(&e->random, (uint32_t) (retry_ms * 12 / 10));
        e->due_ms =
            now_ms + later(retry_ms + chance_ms, sooner(retry_after_ms, e->options.lease_ms));
    }
}

static void note_failure(kin__election *e, const kin_error *err)
{
    e->failures++;
    e->error = *err;
}

static void see(kin__election *e, const kin__lease_record *record, int64_t at_ms)
{
    if (!e->has_seen || !kin__lease_record_equal(&e->seen, record)) {
        e->has_seen = true;
        e->seen = *record;
        e->seen_ms = at_ms;
    }
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
