/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader.c - a leader, for the threads of the program.
 *
 * Whether it leads is two numbers: until when, and what time it is.  A stop sets the first to 0
 * under the lock, and under the lock only the life that is still wanted sets it again: nobody sees
 * it lead once kin_leader_stop() has been called.
 *
 * To free it three things must end, in this order: the candidacy, the functions, and what lies on
 * the loop.
 */
#include <string.h>

#include "base/error.h"
#include "base/inside.h"
#include "base/log.h"
#include "base/options.h"
#include "controller/leader_state.h"

#define NS_PER_MS 1000000

static uint64_t begin_stop(kin_leader *leader);
static kin_err check_may_wait(const kin_leader *leader, kin_error *err);
static void fill_in(kin_leader *leader, kin_leader_status *out);

void kin_leader_free(kin_leader *leader)
{
    kin__leader_wait gone = { .kind = KIN__LEADER_WAIT_GONE, .deadline_ms = -1 };
    kin_error err;

    if (leader == NULL || kin__loop_is_forked(leader->parts.loop)) {
        return;
    }
    if (check_may_wait(leader, &err) != KIN_OK) {
        kin__log(&leader->parts.logger, KIN_LOG_ERROR, "leader", "%s: not freed: %s", leader->name,
                 err.message);
        return;
    }
    if (kin_leader_stop(leader, leader->options.renew_ms, &err) != KIN_OK) {
        kin__log(&leader->parts.logger, KIN_LOG_WARNING, "leader",
                 "freed all the same, and the Lease runs out: %s", err.message);
    }
    kin__leader_end_teller(leader);
    if (kin__leader_wait_for(leader, &gone, &err) == KIN_OK) {
        kin__leader_release(leader);
    }
}

kin_err kin_leader_start(kin_leader *leader, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (kin__loop_is_forked(leader->parts.loop)) {
        return kin__error_set(err, KIN_ERR_USAGE, "start leader \"%s\": not after a fork",
                              leader->name);
    }
    kin__mutex_lock(&leader->lock);
    leader->is_wanted = true;
    kin__mutex_unlock(&leader->lock);
    kin__leader_wake(leader);
    return KIN_OK;
}

kin_err kin_leader_stop(kin_leader *leader, int64_t deadline_ms, kin_error *err)
{
    kin_error unwanted;
    kin__leader_wait wait = { .kind = KIN__LEADER_WAIT_STOPPED, .deadline_ms = deadline_ms };

    err = kin__error_or(err, &unwanted);
    if (kin__loop_is_forked(leader->parts.loop)) {
        return kin__error_set(err, KIN_ERR_USAGE, "stop leader \"%s\": not after a fork",
                              leader->name);
    }
    wait.life = begin_stop(leader);
    if (check_may_wait(leader, err) != KIN_OK ||
        kin__leader_wait_for(leader, &wait, err) != KIN_OK) {
        return kin__error_prefix(err, "stop leader \"%s\"", leader->name);
    }
    return KIN_OK;
}

bool kin_leader_is_leading(const kin_leader *leader)
{
    return kin__clock_boot_ns(leader->clock) < atomic_load(&leader->leads_until_ns);
}

kin_err kin_leader_wait(kin_leader *leader, int64_t deadline_ms, kin_error *err)
{
    kin_error unwanted;
    kin__leader_wait wait = { .kind = KIN__LEADER_WAIT_LEADING, .deadline_ms = deadline_ms };

    err = kin__error_or(err, &unwanted);
    if (check_may_wait(leader, err) == KIN_OK) {
        kin__mutex_lock(&leader->lock);
        bool is_wanted = leader->is_wanted;
        wait.life = leader->life;
        kin__mutex_unlock(&leader->lock);
        if (!is_wanted) {
            kin__error_set(err, KIN_ERR_USAGE, "it is not started");
        } else if (kin__leader_wait_for(leader, &wait, err) == KIN_OK) {
            return KIN_OK;
        }
    }
    return kin__error_prefix(err, "wait until \"%s\" leads", leader->name);
}

kin_err kin_leader_check(const kin_leader *leader, int64_t tolerance_ms, kin_error *err)
{
    kin_error unwanted;
    int64_t renewed_ns = atomic_load(&leader->renewed_ns);
    int64_t passed_ms = (kin__clock_boot_ns(leader->clock) - renewed_ns) / NS_PER_MS;
    int64_t lease_ms = leader->options.lease_ms;

    if (renewed_ns == 0 || passed_ms - lease_ms <= tolerance_ms) {
        return KIN_OK;
    }
    return kin__error_set(kin__error_or(err, &unwanted), KIN_ERR_TIMEOUT,
                          "check leader \"%s\": it acts as the leader, and has not renewed its "
                          "Lease for %lld ms",
                          leader->name, (long long) passed_ms);
}

kin_err kin_leader_get_status(const kin_leader *leader, kin_leader_status *out, kin_error *err)
{
    kin_error unwanted;
    kin_leader_status status;
    size_t their_size = out->size;

    err = kin__error_or(err, &unwanted);
    if (kin__options_read(&status, sizeof status, out, "kin_leader_status", err) != KIN_OK) {
        return err->code;
    }
    if (kin__loop_is_forked(leader->parts.loop)) {
        return kin__error_set(err, KIN_ERR_USAGE, "status of leader \"%s\": not after a fork",
                              leader->name);
    }
    fill_in(kin__leader_of(leader), &status);
    status.size = their_size;
    memcpy(out, &status, their_size < sizeof status ? their_size : sizeof status);
    return KIN_OK;
}

/* The life that ends. */
static uint64_t begin_stop(kin_leader *leader)
{
    kin__mutex_lock(&leader->lock);
    if (leader->is_wanted) {
        leader->is_wanted = false;
        leader->life++;
        leader->term = 0;
        atomic_store(&leader->leads_until_ns, 0);
        kin__cond_broadcast(&leader->news);
    }
    uint64_t life = leader->life;
    kin__mutex_unlock(&leader->lock);
    kin__leader_wake(leader);
    return life;
}

/* A term ends, and another one begins, when its functions and its controllers have returned: these
 * may wait for handlers and reconciles. */
static kin_err check_may_wait(const kin_leader *leader, kin_error *err)
{
    if (kin__inside_is(KIN__INSIDE_HANDLER) || kin__inside_is(KIN__INSIDE_RECONCILE)) {
        return kin__error_set(err, KIN_ERR_USAGE, "not from a handler or a reconcile");
    }
    if (kin__leader_is_teller(leader)) {
        return kin__error_set(err, KIN_ERR_USAGE, "not from its own functions, which it waits for");
    }
    return kin__loop_check_wait(leader->parts.loop, err);
}

static void fill_in(kin_leader *leader, kin_leader_status *out)
{
    kin__mutex_lock(&leader->lock);
    const kin__leader_facts *facts = &leader->facts;
    int64_t left_ns = atomic_load(&leader->leads_until_ns) - kin__clock_boot_ns(leader->clock);

    out->is_candidate = leader->is_wanted;
    out->is_leading = left_ns > 0;
    out->left_ms = left_ns > 0 ? (left_ns + NS_PER_MS - 1) / NS_PER_MS : 0;
    memcpy(out->identity, leader->identity, sizeof out->identity);
    memcpy(out->holder, facts->holder.name, sizeof out->holder);
    out->transitions = facts->transitions;
    out->renewals = facts->renewals;
    out->failures = facts->failures;
    out->error = facts->error;
    kin__mutex_unlock(&leader->lock);
}
