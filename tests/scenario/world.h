/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world.h - the embedded API server, informers of it over real connections, and what must hold
 * after whatever happens: stores and handlers know what the server has.
 *
 * The server lives in real time, on a thread of its own.  The informers' time is either real too,
 * on a thread of their own, or quick: the test runs their loop, and when nothing comes for a
 * millisecond, time leaps.  So waits of seconds take none, and everything else happens as ever.
 */
#ifndef TESTS_SCENARIO_WORLD_H
#define TESTS_SCENARIO_WORLD_H

#include "base/clock.h"
#include "e2e/support/ledger.h"
#include "kin/kin.h"
#include "kin/testing/server.h"
#include "support/test.h"

#define FOLLOWERS_MAX 400
#define PATIENCE_MS 20000 /* real ones, before a test gives up */
#define LEAP_MS 40        /* quick time, for one real millisecond in which nothing comes */

#define MAPS "/api/v1/configmaps"
#define PODS "/api/v1/pods"

typedef enum world_time { QUICK, REAL } world_time;

/* An informer, what its handler was told, and what it should know. */
typedef struct follower {
    const char *path; /* of the list that is the truth */
    kin_informer *informer;
    kin_registration *registration;
    ledger told;
    unsigned troubles[600]; /* by HTTP status; 0: all others */
} follower;

typedef struct world {
    kin_server_options options;
    kin_server *server;
    world_time time;
    kin__virtual_clock clock; /* of the quick one */
    int64_t leap_ms;
    kin_loop *loop; /* NULL: the client's own */
    kin_client *client;
    follower *followers;
    size_t count;
} world;

/* `options` may be NULL. */
void world_open(world *w, const kin_server_options *options, world_time time);
void world_close(world *w);

/* The server goes, and another one comes to the same port, with nothing in it. */
void world_stop_server(world *w);
void world_start_server(world *w);

/* A client of the server, on the world's loop and without a rate limit.  Both may be NULL. */
kin_client *world_connect(world *w, const char *kubeconfig, const kin_client_options *options);

/* The same over another port: that of a relay (support/relay.h) to world_port(). */
kin_client *world_connect_over(world *w, int port, const kin_client_options *options);
int world_port(const world *w);

/* Starts an informer with a handler.  `client` NULL: the world's. */
follower *world_follow(world *w, kin_client *client, kin_informer_options options,
                       const char *path);
kin_informer_options maps_options(void);
void world_unfollow_all(world *w);

/* A little time passes. */
void world_turn(world *w);

/* So much passes for the informers of a quick world, in steps. */
void world_pass(world *w, int64_t ms);

#define AWAIT(w, condition)                                                                        \
    for (int64_t until_ms_ = world_now_ms() + PATIENCE_MS; !(condition); world_turn(w))            \
        if (world_now_ms() > until_ms_) {                                                          \
            world_explain(w);                                                                      \
            FAIL("still not: %s", #condition);                                                     \
        }

int64_t world_now_ms(void); /* real ones */
void world_explain(world *w);

kin_informer_status status_of(const follower *f);

/* Until all were synced once; and until the server has a watch of each of them, too. */
void world_await_synced(world *w);
void world_await_watching(world *w);

/* Until all stores and handlers know what the server has; and what handlers were told must fit. */
void world_await_equal(world *w);

/* The same where the server itself went back in time: what handlers were told before does not fit.
 */
void world_await_same(world *w);

/* Whether another handler knows what the server lists under a path. */
bool world_was_told(world *w, ledger *told, const char *path);

/* ---- what happens --------------------------------------------------------------------------- */

uint64_t put(world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint64_t put_map(world *w, const char *name, const char *value); /* in "default" */
void remove_map(world *w, const char *name);

/* Makes, changes and removes some maps. */
void make_changes(world *w, const char *prefix);

uint64_t fault(world *w, const char *json);
void end_faults(world *w);

/* How often it was met. */
unsigned met(world *w, uint64_t id);

/* Asks without a connection.  Fails the test when the status is another one.  Release the answer.
 */
kin_server_answer ask(world *w, const char *method, const char *path, const char *body, int status);
void tell(world *w, const char *method, const char *path, const char *body, int status);

#endif /* TESTS_SCENARIO_WORLD_H */
