/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector_script.h - a reflector, a server that says what the test wants, and a sink that writes
 * down what it is told.
 *
 *     expect(&s, "list rv=0 limit=500");
 *     send_object(&s, "a@5");
 *     end_page(&s, "12", NULL);
 *     expect_told(&s, "replace@12 [a@5]");
 *     expect(&s, "watch rv=12");
 *
 * An object is written as name@version; it is a v1 Pod in the namespace "shop".  Time stands still
 * but for pass() and expect_wait().
 */
#ifndef TESTS_UNIT_CACHE_REFLECTOR_SCRIPT_H
#define TESTS_UNIT_CACHE_REFLECTOR_SCRIPT_H

#include "cache/reflector.h"
#include "support/test.h"

typedef struct script {
    kin__reflector *reflector;
    int64_t now_ms;
    kin_err sink_says;        /* what the sink answers to everything */
    uint32_t timeout_seconds; /* of the last watch that was asked for */
    text told;
} script;

/* Makes a reflector and starts it.  `options` is NULL or what differs from the defaults; the sink
 * is the script's, and there is no chance in waits. */
void script_begin(script *s, const kin__reflector_options *options);
void script_end(script *s);

/* The next action, in words: "list rv=0 limit=500 match=NotOlderThan continue=t", "probe rv=12",
 * "watch rv=12", "stream rv=12", "cancel", "stopped", "wait" (for an input). */
void expect(script *s, const char *action);

/* That the next action is to wait for so long; then it is over. */
void expect_wait(script *s, int64_t ms);

void pass(script *s, int64_t ms);

/* What the sink was told since the last time, as "replace@12 [a@5 b@6]", "add a@5", "update a@5",
 * "remove a@5", "bookmark 12", "trouble KIN_ERR_CONNECT watching", "routine ..."; with "; " between
 * them. */
void expect_told(script *s, const char *words);

void expect_state(script *s, kin__reflector_state state);
void expect_version(script *s, const char *version);

/* What arrives. */
void send_object(script *s, const char *object);
void end_page(script *s, const char *version, const char *token);
void send_open(script *s);
void send_added(script *s, const char *object);
void send_modified(script *s, const char *object);
void send_deleted(script *s, const char *object);
void send_bookmark(script *s, const char *version);
void send_initial_end(script *s, const char *version);
void send_error(script *s, kin_error error);
void end_well(script *s);
void end_badly(script *s, kin_error error);
void end_with_cause(script *s, kin_error error, const char *cause);
void end_cancelled(script *s);

/* The errors of servers. */
kin_error refused(void);   /* the connection */
kin_error cut(void);       /* the same, in the middle */
kin_error expired(void);   /* 410 */
kin_error too_large(void); /* 504, in the words of a server */
kin_error throttled(uint32_t retry_after_ms);
kin_error answer(kin_err code, int http_status, const char *reason);

/* An object of any kind; the caller drops it. */
kin_object *script_object(const char *api_version, const char *kind, const char *object);

/* A list at 0 with the object a@5, at version 12, and a watch from it that is open. */
void sync_by_list(script *s);
/* The same by a streaming list. */
void sync_by_stream(script *s);
/* Makes a reflector with the defaults, and does the first of these. */
void begin_synced(script *s);

#endif /* TESTS_UNIT_CACHE_REFLECTOR_SCRIPT_H */
