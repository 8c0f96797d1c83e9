/* SPDX-License-Identifier: Apache-2.0 */
/*
 * e2e/support/calls.h - calls of the client, for tests that expect how they end.
 *
 * What does not work as a function says fails the test.  Requests are written in place:
 *
 *     kin_object *map = must_run(client, &(kin_request){ REQUEST, .verb = KIN_VERB_GET, ... });
 *
 * Threading: confined, but for a recorder, which a loop fills while the test reads it.
 */
#ifndef TESTS_E2E_SUPPORT_CALLS_H
#define TESTS_E2E_SUPPORT_CALLS_H

#include <pthread.h>

#include "e2e/support/cluster.h"
#include "kin/kin.h"
#include "support/test.h"

/* The first member of a request that is written in place. */
#define REQUEST .size = sizeof(kin_request)

/* A client with one of the cluster's kubeconfigs ("users/erin/kubeconfig"; NULL: the admin's).
 * `options` may be NULL: then there is no rate limit. */
kin_client *connect_as(cluster *c, const char *kubeconfig, const kin_client_options *options);

/* ... with a kubeconfig that is given as text. */
kin_client *connect_with_text(const char *kubeconfig, const kin_client_options *options);

/* ... over that port of loopback, behind which is the cluster's server, with the token in the file,
 * as it is there when it is asked for.  No rate limit. */
kin_client *connect_over(cluster *c, int port, const char *token_file, bool http1_only);

/* Returns what it made, or what was there already. */
void make_namespace(kin_client *client, const char *name);

/* Fails with the error's message. */
void must_be_ok(kin_err code, const kin_error *err);

/* Shared. */
kin_object *object_of(const char *json);

/* The object of the answer, shared; NULL when there is none. */
kin_object *must_run(kin_client *client, const kin_request *request);

/* ... with the whole reply, to be released with kin_reply_fini(). */
void must_run_to(kin_client *client, const kin_request *request, const kin_handler *handler,
                 kin_reply *reply);

/* How a call must fail.  0 and NULL: never mind; a message must contain `message`. */
typedef struct failure {
    kin_err code;
    int http_status;
    const char *reason;
    const char *message;
} failure;

/* Returns the reply, to be released with kin_reply_fini(). */
kin_reply must_fail(kin_client *client, const kin_request *request, failure want);

/* Releases the reply, too. */
void must_just_fail(kin_client *client, const kin_request *request, failure want);

/* A ConfigMap with one entry, "value". */
void write_map(kin_client *client, const char *ns, const char *name, const char *value);
void label_map(kin_client *client, const char *ns, const char *name, const char *value);
void delete_map(kin_client *client, const char *ns, const char *name);

/* "ADDED", and "?" for what is none. */
const char *event_name(kin_event_type type);

/* What a watch told, as lines: "open", "ADDED name", "BOOKMARK end", "ERROR 410", "done",
 * "done KIN_ERR_CANCELLED".  Other bookmarks come when the server likes, and are counted. */
typedef struct recorder {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    text lines;
    size_t events;    /* of objects */
    size_t bookmarks; /* but for that at the end of the initial events */
    bool is_open;
    bool has_initial;
    bool is_done;
    kin_error event_error; /* of an ERROR event */
    kin_error err;         /* it ended with; code KIN_OK: with none */
    char cause[64];
    char version[32]; /* of the newest object or bookmark */
    size_t bytes;     /* of the newest object */
    kin_call *call;
} recorder;

void recorder_init(recorder *r);

/* Starts it with the recorder as its handler. */
void recorder_start(recorder *r, kin_client *client, const kin_request *request);

/* Waits until there is such a line, 20 seconds at most. */
void recorder_wait(recorder *r, const char *line);
void recorder_wait_events(recorder *r, size_t count);

/* Waits for the end. */
void recorder_fini(recorder *r);

int64_t now_ms(void);
void rest_ms(int64_t ms);

#endif /* TESTS_E2E_SUPPORT_CALLS_H */
