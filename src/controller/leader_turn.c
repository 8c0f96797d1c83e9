/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader_turn.c - drives the election on the loop, in turns.
 *
 * A turn obeys start and stop, does what the election wants, and publishes how it stands.  Whether
 * the teller acts as the leader is asked under the same lock under which it is told that it no
 * longer leads: it cannot begin in between.
 *
 * The Lease is written with PUT: the object as it was read, the record in it changed.  What else is
 * in it goes back as it came, because it is read and written as JSON; its version goes along, and
 * makes the server refuse it when another has written.  A merge patch would do the same with fewer
 * bytes; but roles that are made for client-go allow get, create and update, and not patch.
 */
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "controller/leader_state.h"

#define NS_PER_MS 1000000

/* What the program wants, as of this turn. */
typedef struct wish {
    bool is_wanted;
    uint64_t life;
} wish;

static void take_turn(kin__job *job, void *context);
static void on_timer(kin__timer *timer, void *context);
static void turn(kin_leader *leader);
static wish obey(kin_leader *leader);
static bool act(kin_leader *leader, wish wished);
static bool end_life(kin_leader *leader, wish wished);
static void start_call(kin_leader *leader, const kin__election_action *action);
static kin_err ask(kin_leader *leader, const kin__election_action *action, kin_error *err);
static kin_err start(kin_leader *leader, const kin_request *request, kin_error *err);
static void on_done(void *context, const kin_reply *reply, const kin_error *err);
static void take_answer(kin_leader *leader, const kin_reply *reply, const kin_error *err);
static void keep_base(kin_leader *leader, kin_object *object);
static void set_timer(kin_leader *leader, int64_t until_ms);
static bool publish(kin_leader *leader);
static void note_facts(kin__leader_facts *facts, const kin__election *election);
static void talk(kin_leader *leader);
static int64_t now_of(const kin_leader *leader);

void kin__leader_prepare(kin_leader *leader)
{
    leader->turn_job = (kin__job){ .run = take_turn, .context = leader };
    leader->timer.fire = on_timer;
    leader->timer.context = leader;
}

void kin__leader_wake(kin_leader *leader)
{
    kin__loop_post_job(leader->parts.loop, &leader->turn_job);
}

static void take_turn(kin__job *job, void *context)
{
    (void) job;
    turn(context);
}

static void on_timer(kin__timer *timer, void *context)
{
    (void) timer;
    turn(context);
}

static void turn(kin_leader *leader)
{
    if (leader->is_leaving) {
        kin__leader_serve_waits(leader);
        return;
    }
    wish wished = obey(leader);
    do {
        if (publish(leader)) {
            kin__election_settle(&leader->election, now_of(leader));
        }
    } while (act(leader, wished));
    (void) publish(leader);
    talk(leader);
    kin__leader_serve_waits(leader);
}

static wish obey(kin_leader *leader)
{
    kin__mutex_lock(&leader->lock);
    wish wished = { leader->is_wanted, leader->life };
    kin__mutex_unlock(&leader->lock);

    if (!wished.is_wanted || wished.life != leader->obeyed) {
        kin__election_stop(&leader->election, now_of(leader));
    }
    return wished;
}

/* True when there may be more to do at once. */
static bool act(kin_leader *leader, wish wished)
{
    kin__election_action action;

    kin__election_next(&leader->election, now_of(leader), kin__clock_wall(leader->clock), &action);
    switch (action.type) {
    case KIN__ELECTION_WAIT:
        set_timer(leader, action.until_ms);
        return false;
    case KIN__ELECTION_STOPPED:
        return end_life(leader, wished);
    case KIN__ELECTION_CANCEL:
        if (leader->call != NULL) {
            leader->parts.caller.cancel(leader->call);
        }
        return true;
    case KIN__ELECTION_GET:
    case KIN__ELECTION_CREATE:
    case KIN__ELECTION_UPDATE:
        start_call(leader, &action);
        return true;
    }
    return false;
}

/* True when another one has begun. */
static bool end_life(kin_leader *leader, wish wished)
{
    leader->ended = wished.life;
    leader->end_error = leader->election.stop_error;
    keep_base(leader, NULL);
    if (wished.is_wanted) {
        leader->obeyed = wished.life;
        kin__election_start(&leader->election, now_of(leader));
        return true;
    }
    kin__timer_clear(leader->parts.loop, &leader->timer);
    return false;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void start_call(kin_leader *leader, const kin__election_action *action)
{
    kin_error err;

    if (ask(leader, action, &err) != KIN_OK) {
        kin__election_failed(&leader->election, &err, now_of(leader));
    }
}

static kin_err ask(kin_leader *leader, const kin__election_action *action, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_object *object = NULL;
    kin_err code = KIN_OK;

    request.verb = KIN_VERB_GET;
    request.encoding = KIN_ENCODING_JSON;
    request.of = leader->leases;
    request.ns = leader->ns;
    request.name = leader->name;
    request.deadline_ms = action->deadline_ms;
    if (action->type == KIN__ELECTION_CREATE) {
        request.verb = KIN_VERB_CREATE;
        request.name = NULL;
        code = kin__lease_make(leader->ns, leader->name, &action->record, &object, err);
    } else if (action->type == KIN__ELECTION_UPDATE) {
        request.verb = KIN_VERB_UPDATE;
        code = kin__lease_write(leader->base, &action->record, &object, err);
    }
    request.object = object;
    if (code == KIN_OK) {
        code = start(leader, &request, err);
    }
    kin_object_unref(object);
    return code;
}

static kin_err start(kin_leader *leader, const kin_request *request, kin_error *err)
{
    const kin__caller *caller = &leader->parts.caller;
    kin__call_options options = { .no_retry = true, .no_limit = true };
    kin_handler handler = KIN_HANDLER_INIT;

    handler.context = leader;
    handler.on_done = on_done;
    return caller->start(caller->context, request, &handler, &options, &leader->call, err);
}

static void on_done(void *context, const kin_reply *reply, const kin_error *err)
{
    kin_leader *leader = context;

    leader->parts.caller.release(leader->call);
    leader->call = NULL;
    take_answer(leader, reply, err);
    turn(leader);
}

static void take_answer(kin_leader *leader, const kin_reply *reply, const kin_error *err)
{
    kin__election *election = &leader->election;
    bool is_get = election->doing == KIN__ELECTION_GET;
    int64_t now_ms = now_of(leader);
    kin__lease_record record;
    kin_error failure;

    if (err != NULL) {
        kin__election_failed(election, err, now_ms);
        return;
    }
    if (!is_get) {
        keep_base(leader, reply->object);
        kin__election_wrote(election, reply->object != NULL, now_ms);
        return;
    }
    if (reply->object == NULL) {
        kin__error_set(&failure, KIN_ERR_PROTOCOL, "the server sent no Lease");
        kin__election_failed(election, &failure, now_ms);
    } else if (kin__lease_read(reply->object, &record, &failure) != KIN_OK) {
        kin__election_failed(election, &failure, now_ms);
    } else {
        keep_base(leader, reply->object);
        kin__election_read(election, &record, now_ms);
    }
}

static void keep_base(kin_leader *leader, kin_object *object)
{
    kin_object *before = leader->base;

    leader->base = kin_object_ref(object);
    kin_object_unref(before);
}

/* The loop's clock stands still while the machine sleeps: then it is later than it was to be, and
 * kin_leader_is_leading() knows. */
static void set_timer(kin_leader *leader, int64_t until_ms)
{
    kin_loop *loop = leader->parts.loop;
    kin_error err;

    if (until_ms == INT64_MAX) {
        kin__timer_clear(loop, &leader->timer);
        return;
    }
    int64_t due_ms = kin__loop_now_ms(loop) + (until_ms - now_of(leader));
    if (kin__timer_set(loop, &leader->timer, due_ms, &err) != KIN_OK) {
        kin__leader_wake(leader);
    }
}

/* ---- what is told ---------------------------------------------------------------------------- */

/* True when nobody acts as the leader, nor will before the next time. */
static bool publish(kin_leader *leader)
{
    const kin__election *election = &leader->election;

    kin__mutex_lock(&leader->lock);
    bool is_leading = election->is_leading && leader->is_wanted && leader->life == leader->obeyed;
    uint64_t term = is_leading ? election->term : 0;
    bool is_quiet = term == 0 && leader->told == 0;

    atomic_store(&leader->leads_until_ns, is_leading ? election->leads_until_ms * NS_PER_MS : 0);
    if (is_leading || is_quiet) {
        atomic_store(&leader->renewed_ns, is_leading ? election->renewed_ms * NS_PER_MS : 0);
    }
    leader->term = term;
    note_facts(&leader->facts, election);
    kin__cond_broadcast(&leader->news);
    kin__mutex_unlock(&leader->lock);
    kin__counter_add(&leader->slow_counter, election->slow - leader->slow_shown);
    leader->slow_shown = election->slow;
    return is_quiet;
}

static void note_facts(kin__leader_facts *facts, const kin__election *election)
{
    facts->holder = election->seen.holder;
    facts->transitions = election->seen.transitions;
    facts->renewals = election->renewals;
    if (facts->failures != election->failures) {
        facts->failures = election->failures;
        facts->error = election->error;
    }
}

static void talk(kin_leader *leader)
{
    const kin_logger *logger = &leader->parts.logger;
    const kin__election *election = &leader->election;

    if (election->failures != leader->failures_shown) {
        leader->failures_shown = election->failures;
        kin__log(logger, KIN_LOG_WARNING, "leader", "%s/%s: tries again soon: %s", leader->ns,
                 leader->name, election->error.message);
    }
    if (election->is_leading != leader->was_leading) {
        leader->was_leading = election->is_leading;
        kin__log(logger, KIN_LOG_INFO, "leader", "%s/%s: \"%s\" %s", leader->ns, leader->name,
                 leader->identity, election->is_leading ? "leads" : "no longer leads");
    }
}

static int64_t now_of(const kin_leader *leader)
{
    return kin__clock_boot_ms(leader->clock);
}
