/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scene.h - an informer, and a server that says what the test wants, without a socket.
 *
 *     scene_open(&s);
 *     begin_informer(&s, NULL);
 *     expect_call(&s, "list pods rv=0");
 *     send_object(&s, "a@5");
 *     end_page(&s, "12");
 *     expect_told(&s, "add a@5 first; synced");
 *     expect_call(&s, "watch pods rv=12");
 *
 * The loop is run by the test's own thread, on a clock that stands still but for pass(); or, with
 * scene_open_alone(), by a thread of its own in real time.  An object is written as name@version,
 * in the namespace "shop"; "ns/name@version" is in another one.  Its uid is "u-name", and with
 * "name#2@version" it is "u-name#2".
 */
#ifndef TESTS_UNIT_INFORMER_SCENE_H
#define TESTS_UNIT_INFORMER_SCENE_H

#include <stdatomic.h>

#include "base/clock.h"
#include "informer/informer.h"
#include "support/test.h"

#define CALLS_MAX 64 /* that are under way or looked at; older ones are forgotten */

/* A call that the informer has made. */
typedef struct scene_call {
    struct scene *scene;
    kin_handler handler;
    kin__call_options options;
    char words[256];
    kin_verb verb;
    /* As asked for, but for the strings that are in `words`. */
    kin_request request;
    kin__job cancel_job;
    bool is_over;
} scene_call;

typedef struct scene {
    kin__virtual_clock clock;
    kin_loop *loop;
    kin__pool *pool;
    kin_informer *informer;
    kin_registration *registration;
    kin_resource *pods;
    kin_error err;
    bool is_alone;

    bool has_no_resources; /* the server tells nothing until answer_resource() */
    kin__list questions;
    kin_err start_says; /* what a call fails with at once */
    int call_count;
    int seen;                    /* calls that were expected */
    scene_call *at;              /* the one under way that is spoken to */
    scene_call calls[CALLS_MAX]; /* the last ones: number n at n % CALLS_MAX */
    int known_count;             /* objects that were there already */
    text told;
    text troubles;
    int64_t retry_ms; /* of the last trouble */
} scene;

void scene_open(scene *s);
void scene_open_alone(scene *s);
/* After a failure too, scene_close() is to be called. */
kin_err scene_try_to_open(scene *s) KIN_MUST_CHECK;
void scene_close(scene *s);

/* Makes an informer with an inline handler that writes down what it is told, and starts it.
 * `options` is NULL or what differs from the defaults. */
void begin_informer(scene *s, const kin_informer_options *options);
kin_informer_options pods_options(scene *s);
/* Only makes it. */
kin_err make_informer(scene *s, const kin_informer_options *options);
void add_recorder(scene *s);
kin_registration_options recorder(scene *s);

/* Runs the loop until nothing is left to do at this moment. */
void settle(scene *s);
void pass(scene *s, int64_t ms);

/* The next call it has made: "list pods rv=0 limit=500", "list pods in shop rv=7 NotOlderThan",
 * "watch pods rv=12", "stream pods rv=".  From here on it is spoken to. */
void expect_call(scene *s, const char *words);
void expect_no_call(scene *s);
/* The next one, whatever it is; false: there is none. */
bool take_call(scene *s);
/* Speaks to the call with that number from the beginning, from 0. */
void speak_to(scene *s, int number);

/* What arrives. */
void send_object(scene *s, const char *object);
void end_page(scene *s, const char *version);
void end_page_with_token(scene *s, const char *version, const char *token);
void send_open(scene *s);
void send_added(scene *s, const char *object);
void send_modified(scene *s, const char *object);
void send_deleted(scene *s, const char *object);
void send_bookmark(scene *s, const char *version);
/* The bookmark at the end of a streaming list's objects. */
void send_initial_end(scene *s, const char *version);
/* An ERROR event; the watch is still to be ended. */
void send_error(scene *s, kin_err code, int http_status, const char *message);
void end_well(scene *s);
void end_badly(scene *s, kin_err code, int http_status, const char *message);
/* The same, with all that an error may say. */
void end_with(scene *s, const kin_error *err);
void end_with_cause(scene *s, const kin_error *err, const char *cause);
/* Answers the questions for the resource: with it, or with an error (NULL: it). */
void answer_resource(scene *s, const kin_error *err);

/* What the recorder was told since the last time: "add a@5 first", "update a@5 a@6", "resync a@5",
 * "delete a@6", "tombstone a@6", "synced"; with "; " between them. */
void expect_told(scene *s, const char *words);
/* The same of on_trouble, as "KIN_ERR_CONNECT", "KIN_ERR_TYPE for good". */
void expect_trouble(scene *s, const char *words);

void expect_state(scene *s, kin_informer_state state);
kin_informer_status status_of(scene *s);

/* All objects of the store, as "a@5 b@6", sorted. */
void expect_store(scene *s, const char *objects);

/* A list at 0 with a@5, at version 12, and a watch from it that is open. */
void sync_informer(scene *s);

/* NULL: there is no memory. */
kin_object *scene_object(const char *object);

#endif /* TESTS_UNIT_INFORMER_SCENE_H */
