/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/election.h - when a candidate looks at the Lease, writes it, and leads.
 *
 * A state machine without a socket, a thread or a clock.  Whoever drives it asks what to do
 * (kin__election_next()) after each input and when a wait is over, does it, and tells what came of
 * it.  `now_ms` is a time that never goes back and goes on while the machine sleeps.
 *
 * What it promises
 *   - It leads from the answer to a write of its own until `lead_ms` after that write, or the last
 *     one that renewed it, was handed out; `lead_ms` is renew_ms, or lease_ms / 1.2 where that is
 *     less.  It ends earlier when the Lease is seen in other hands.
 *   - It writes over another's name only when it has seen the same record for as long as that says
 *     it lasts (where it does not say, for lease_ms), each time by its own clock.
 *   - It writes only what it has just read, or what it wrote last, in that version.
 *   - Once it does not lead any more it writes nothing before kin__election_settle() has told that
 *     nobody acts as the leader; then it is a candidate again, or lets go of the Lease.
 *   - Letting go is tried for renew_ms, and told in the end.
 *
 * One try is a get and a write; while it leads, the write alone, and the get when that was refused.
 * The leader tries every retry_ms, counted from when a try begins; the others wait for that long
 * after one has ended, and up to 1.2 times as long again by chance, but not longer than until the
 * Lease runs out.
 *
 * Threading: confined.
 */
#ifndef KIN_CONTROLLER_ELECTION_H
#define KIN_CONTROLLER_ELECTION_H

#include "controller/lease.h"

typedef enum kin__election_action_type {
    KIN__ELECTION_WAIT,   /* nothing, until `until_ms`, or the next input */
    KIN__ELECTION_GET,    /* read the Lease */
    KIN__ELECTION_CREATE, /* make one with `record` */
    KIN__ELECTION_UPDATE, /* write `record` into what was last read or written, in that version */
    KIN__ELECTION_CANCEL, /* end what is under way; its end is told all the same */
    KIN__ELECTION_STOPPED /* nothing is left to do */
} kin__election_action_type;

typedef struct kin__election_action {
    kin__election_action_type type;
    int64_t until_ms;         /* WAIT; INT64_MAX: for ever */
    uint32_t deadline_ms;     /* GET, CREATE, UPDATE: how long it may take; 1 or more */
    kin__lease_record record; /* CREATE, UPDATE */
} kin__election_action;

/* All set. */
typedef struct kin__election_options {
    kin_str identity; /* copied; 1 to KIN__LEASE_HOLDER_MAX bytes */
    uint32_t lease_ms;
    uint32_t renew_ms;
    uint32_t retry_ms;
    bool keeps_on_stop;
    uint64_t seed; /* of what is left to chance */
} kin__election_options;

/* Private but for what it says below; made by kin__election_init().  Holds no memory. */
typedef struct kin__election {
    /* How it stands, for everybody to read. */
    bool is_leading;
    int64_t leads_until_ms;
    int64_t renewed_ms; /* when the last write that succeeded was handed out */
    uint64_t term;      /* how often it came to lead */
    uint64_t renewals;
    uint64_t slow;          /* of these, those that had to read first while it led */
    uint64_t failures;      /* tries that came to nothing, another's Lease apart */
    kin_error error;        /* of the last; code KIN_OK: none yet */
    kin_error stop_error;   /* what kept it from letting go when it stopped; KIN_OK: nothing */
    kin__lease_record seen; /* as last read or written */

    kin__election_options options;
    kin__lease_holder self;
    int64_t lead_ms;
    uint64_t random;
    bool is_running;
    bool is_stopping;
    bool is_settled; /* nobody acts as the leader */

    kin__election_action_type doing; /* GET, CREATE or UPDATE; WAIT: nothing is under way */
    bool wants_cancel;               /* of that, once */
    int64_t sent_ms;                 /* when that was handed out */
    kin__lease_record written;       /* what that writes */

    bool is_trying; /* a try has begun and not ended ... */
    int64_t try_ms; /* ... then */
    bool was_read;  /* the Lease was read in it ... */
    bool is_absent; /* ... and was not there */
    int conflicts;  /* in it, or while it lets go */
    int64_t due_ms; /* when the next try begins */

    bool has_base;   /* there is an object to write into, and it may be the newest */
    bool may_hold;   /* the Lease may bear our name on the server */
    bool has_seen;   /* `seen` means something ... */
    int64_t seen_ms; /* ... since then */

    int64_t release_until_ms; /* when letting go is given up; 0: it has not begun */
} kin__election;

/* A call may take half of renew_ms, but not less than a second, as client-go has it; and never
 * longer than it leads. */
void kin__election_init(kin__election *election, const kin__election_options *options);

/* Begins, or begins again once it has stopped; else nothing. */
void kin__election_start(kin__election *election, int64_t now_ms);

/* Leads no more, and ends. */
void kin__election_stop(kin__election *election, int64_t now_ms);

/* Nobody acts as the leader; while it leads, nothing. */
void kin__election_settle(kin__election *election, int64_t now_ms);

/* What to do now, at `wall` o'clock.  All but WAIT and STOPPED are said once. */
void kin__election_next(kin__election *election, int64_t now_ms, kin_time wall,
                        kin__election_action *out);

/* ---- what came of it; one of these for each GET, CREATE and UPDATE, cancelled or not --------- */

/* The Lease as it was read. */
void kin__election_read(kin__election *election, const kin__lease_record *record, int64_t now_ms);

/* What was to be written is.  `has_base`: there is an object of that version. */
void kin__election_wrote(kin__election *election, bool has_base, int64_t now_ms);

void kin__election_failed(kin__election *election, const kin_error *err, int64_t now_ms);

#endif /* KIN_CONTROLLER_ELECTION_H */
