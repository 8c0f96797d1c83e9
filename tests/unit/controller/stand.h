/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stand.h - a leader, and a server that has one Lease, without a socket.
 *
 *     stand_open(&s);
 *     stand_begin(&s, NULL);
 *     expect_call(&s, "get");
 *     answer(&s);
 *     expect_call(&s, "create me");
 *     answer(&s);
 *     expect_told(&s, "new me; started");
 *
 * The loop is run by the test's own thread, on a clock that stands still but for pass() and
 * sleep_for(); the leader's functions run on its own thread.  With `is_ready` the server answers by
 * itself.
 */
#ifndef TESTS_UNIT_CONTROLLER_STAND_H
#define TESTS_UNIT_CONTROLLER_STAND_H

#include "base/clock.h"
#include "controller/leader_state.h"
#include "support/test.h"

typedef struct stand {
    kin__virtual_clock clock;
    kin_loop *loop;
    kin_leader *leader;
    kin_error err;

    /* The server. */
    bool is_ready;
    bool is_there; /* the Lease */
    int version;
    text lease; /* its spec */
    kin_err start_says;
    void (*on_start)(struct stand *s); /* inside a turn; NULL: nothing */

    /* The call under way. */
    bool has_call;
    kin_verb verb;
    kin_request request;
    kin__call_options options;
    kin_handler handler;
    kin_object *object; /* that it sends */
    kin__job serve_job;
    kin__job cancel_job;
    int calls; /* all */

    kin__mutex lock;
    kin__cond news;
    text told;       /* guarded, as all below */
    bool is_held_up; /* on_stopped does not return */
    text logged;
} stand;

void stand_open(stand *s);
kin_err stand_try_to_open(stand *s) KIN_MUST_CHECK;
void stand_close(stand *s);

/* What is usual: name "foo" in "shop", identity "me", 15, 10 and 2 s, and functions that write down
 * what they are told. */
kin_leader_options stand_options(stand *s);

/* Makes a leader and starts it; NULL: as usual. */
void stand_begin(stand *s, const kin_leader_options *options);
kin_err stand_make(stand *s, const kin_leader_options *options) KIN_MUST_CHECK;

/* Makes it lead, by a server that answers by itself. */
void stand_lead(stand *s);

/* Runs the loop until nothing is left to do at this moment. */
void settle(stand *s);
void pass(stand *s, int64_t ms);
void sleep_for(stand *s, int64_t ms); /* the machine does; the loop is not run */

/* The call under way: "get", "create me", "update me", "update nobody"; "": none. */
void expect_call(stand *s, const char *words);
void answer(stand *s);
void answer_badly(stand *s, kin_err code, int http_status);

/* Another candidate writes. */
void put_lease(stand *s, const char *holder, int duration_s, int renewed);
void put_spec(stand *s, const char *spec);

/* Waits until exactly this was told since the last time: "started", "stopped", "new me", with
 * "; " between them; and runs the loop. */
void expect_told(stand *s, const char *words);
void tell(stand *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* on_stopped returns only when it is let go. */
void hold_up(stand *s);
void let_go(stand *s);

kin_leader_status status_of(stand *s);

#endif /* TESTS_UNIT_CONTROLLER_STAND_H */
