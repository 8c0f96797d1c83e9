/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/leader.h - of several processes, one leads: leader election on a Lease.
 *
 * Every candidate tries to write its name on one Lease object.  Whose name is there leads, for as
 * long as it renews it; when it no longer does, another takes over.  Candidates of client-go can
 * take part: the Lease means the same to both.
 *
 *     kin_leader_options options = KIN_LEADER_OPTIONS_INIT;
 *     options.ns = "kube-system";
 *     options.name = "foo-controller";
 *     options.on_started = ...;  options.on_stopped = ...;
 *     kin_leader_new(client, &options, &leader, &err);
 *     kin_leader_start(leader, &err);
 *
 * or as `leader` of a kin_controller (kin/controller.h), without any function.
 *
 * What it promises
 *   - kin_leader_is_leading() is false before another candidate may lead: it looks at the clock
 *     each time, so also in a process that was stopped and continued.  It counts from when the last
 *     successful renewal was sent, by a clock that goes on while the machine sleeps, and for no
 *     longer than `renew_ms`, nor than a lease divided by 1.2.  (What the program has sent to the
 *     server just before may still arrive later: writes carry a version.)
 *   - Another's Lease is taken only when it has not changed for as long as it says it lasts, by our
 *     own clock; clocks need not agree, only go at the same pace, to 1.2 times.
 *   - When it stops it lets go of the Lease, so that another need not wait.
 *   - Leading can be lost and had again in the same process; but not before its functions have
 *     returned.
 *
 * What it cannot promise: somebody who deletes the Lease, or writes into it by hand, lets another
 * lead while this one does not know yet.  Nor that informers are up to date when it comes to lead:
 * controllers see to that themselves; other programs list what they must not get wrong.  Candidates
 * of client-go take over up to a second early, because they do not see the second of two renewals
 * within one second: where they take part, `renew_ms` is to be a second less than `lease_ms`, or
 * more, as by default.
 *
 * It needs the right to get, create and update leases of coordination.k8s.io, as client-go does.
 * Its calls neither wait for the client's rate limit nor count for it.
 *
 * Threading: thread-safe, but for kin_leader_free().  Functions of the program run on a thread of
 * the library that is this leader's own, one at a time and in order; they may block.  But what
 * comes next on that thread waits for them: controllers begin when on_started has returned, which
 * may prepare what they need; and that leading has ended is told no earlier than that.
 */
#ifndef KIN_LEADER_H
#define KIN_LEADER_H

#include "kin/client.h"

KIN_BEGIN_DECLS

typedef struct kin_leader kin_leader;

/* Zero means absent or the default for every field.  Strings are copied. */
typedef struct kin_leader_options {
    size_t size;          /* set by KIN_LEADER_OPTIONS_INIT */
    const char *ns;       /* of the Lease; NULL: the configuration's */
    const char *name;     /* of the Lease; needed */
    const char *identity; /* of this candidate, no other's, of 255 bytes at most; NULL: host name
                             and a random part */
    /* How long a Lease lasts that is not renewed; how long the leader tries to renew it before it
     * gives up; and how long candidates wait between two tries (and up to 1.2 times that in
     * addition, by chance, while they do not lead; never beyond the time when the Lease runs out).
     * lease > renew > 1.2 x retry.  0: 15,000, 10,000, 2,000; a lease is whole seconds, and 20 days
     * at most. */
    uint32_t lease_ms;
    uint32_t renew_ms;
    uint32_t retry_ms;
    bool keep_on_stop; /* do not let go of the Lease: it runs out */
    void *context;
    void (*on_started)(void *context); /* it leads now */
    void (*on_stopped)(void *context); /* it no longer does; after each on_started */
    /* Another one leads than before, or the first that is seen; this one included.  Of a name of
     * more than 255 bytes, these. */
    void (*on_new_leader)(void *context, const char *identity);
    kin_logger logger;    /* copied; without one, the client's */
    kin_metrics *metrics; /* leader_election_master_status and _slowpath_total {name="..."}, as
                             client-go's; NULL: nothing is counted */
} kin_leader_options;

#define KIN_LEADER_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(kin_leader_options), NULL, NULL, NULL, 0, 0, 0, false, NULL, NULL, NULL, NULL,      \
            KIN_LOGGER_INIT, NULL                                                                  \
    }

/*
 * client   borrowed until the leader is freed
 * out      owned by the caller; release with kin_leader_free()
 *
 * Fails with USAGE (which option), SYSTEM, LIMIT, NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_leader_new(kin_client *client, const kin_leader_options *options,
                                              kin_leader **out, kin_error *err);

/* kin_leader_stop() for `renew_ms` at most, and its functions have returned.  NULL is ignored. From
 * a loop, a handler, a reconcile or its own functions nothing is freed, and an error is logged. */
KIN_API void kin_leader_free(kin_leader *leader);

/* Becomes a candidate; returns at once.  Does nothing when it is one.  Fails with USAGE (after a
 * fork). */
KIN_API KIN_MUST_CHECK kin_err kin_leader_start(kin_leader *leader, kin_error *err);

/*
 * Is no candidate any more, and does not lead from the first moment on; on_stopped is called, and
 * only when that has returned the Lease is let go of.  Returns when all that is done, or
 * `deadline_ms` from now (below 0: without a deadline).  Fails with TIMEOUT (it goes on by itself),
 * USAGE (from a loop, a handler, a reconcile or its own functions: it stops, and nobody waits), and
 * as any call when the Lease could not be written for `renew_ms`: then it runs out.
 */
KIN_API KIN_MUST_CHECK kin_err kin_leader_stop(kin_leader *leader, int64_t deadline_ms,
                                               kin_error *err);

/* Whether it leads at this very moment. */
KIN_API bool kin_leader_is_leading(const kin_leader *leader);

/* Waits until it does.  Fails with TIMEOUT (the message says who leads), CANCELLED (stopped), USAGE
 * (not started; from a loop, a handler, a reconcile or its own functions, for which it may have to
 * wait itself). */
KIN_API KIN_MUST_CHECK kin_err kin_leader_wait(kin_leader *leader, int64_t deadline_ms,
                                               kin_error *err);

/* For a health check: fails with TIMEOUT when it believes to lead, or its functions have not yet
 * returned from being told that it does not, and it has not renewed the Lease for longer than it
 * lasts and `tolerance_ms` more; something hangs then. */
KIN_API KIN_MUST_CHECK kin_err kin_leader_check(const kin_leader *leader, int64_t tolerance_ms,
                                                kin_error *err);

typedef struct kin_leader_status {
    size_t size; /* set by KIN_LEADER_STATUS_INIT */
    bool is_candidate;
    bool is_leading;
    char identity[256];  /* its own */
    char holder[256];    /* who leads, as last seen; "": nobody, or not known */
    int64_t transitions; /* how often the Lease has changed hands, as last seen */
    int64_t left_ms;     /* how long it leads if nothing is renewed; 0: it does not */
    uint64_t renewals;
    uint64_t failures; /* tries that did not reach the server or were refused */
    kin_error error;   /* of the last; code KIN_OK: none */
} kin_leader_status;

#define KIN_LEADER_STATUS_INIT                                                                     \
    {                                                                                              \
        sizeof(kin_leader_status), false, false, "", "", 0, 0, 0, 0,                               \
        {                                                                                          \
            KIN_OK, 0, 0, "", ""                                                                   \
        }                                                                                          \
    }

/* Fails with USAGE when `out` is not initialised. */
KIN_API KIN_MUST_CHECK kin_err kin_leader_get_status(const kin_leader *leader,
                                                     kin_leader_status *out, kin_error *err);

KIN_END_DECLS
#endif /* KIN_LEADER_H */
