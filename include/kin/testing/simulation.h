/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/testing/simulation.h - a cluster that looks real and never rests, inside the embedded server.
 *
 *     kin_simulation_options options = KIN_SIMULATION_OPTIONS_INIT;
 *     options.pods = 1000;
 *     options.rate = 50;
 *     kin_simulation *simulation = NULL;
 *     if (kin_simulation_new(server, &options, &simulation, &err)) { ... }
 *     kin_simulation_start(simulation, &err);             50 changes a second, or
 *     kin_simulation_step(simulation, 200, &err);         the next 200 now
 *     kin_simulation_free(simulation);
 *
 * Namespaces, nodes with their leases, deployments, replica sets, pods of about 7 KB, services with
 * endpoint slices, config maps and events: complete objects, as a real server has them, with
 * managed fields and everything that is filled in by default.
 *
 * A change is one write.  Half of them and more are leases that are renewed; the others are
 * what happens in a cluster: deployments roll out and scale, pods are made, scheduled, started, get
 * ready, crash and go, replica sets, deployments and endpoint slices follow, events are recorded
 * and expire.
 *
 * What it promises
 *   - The same options give the same objects and the same changes in the same order, byte for byte.
 *     Its time is its own: it begins at `start_s`, and each change is 1 / `rate` seconds later.
 *   - At any moment: who is named as an owner, and the node a pod is on, is there; no name is there
 *     twice; the number of pods is within a fifth of `pods` (within 2 below 10).
 *   - After kin_simulation_settle(): the counts of replica sets and deployments add up, and the
 *     endpoint slices of a service list exactly its ready pods as ready.
 *
 * It writes to its own objects and to nothing else.  Whoever changes or removes one of them sees it
 * written over, or written again.
 *
 * Part of libkin-testing, not of libkin: functions may change from one version to the next.
 *
 * Threading: thread-safe, but for kin_simulation_free(), which is the last call of all.
 */
#ifndef KIN_TESTING_SIMULATION_H
#define KIN_TESTING_SIMULATION_H

#include "kin/common.h"
#include "kin/testing/server.h"

KIN_BEGIN_DECLS

#define KIN_SIMULATION_PODS_MAX 1000000
#define KIN_SIMULATION_NODES_MAX 15000
#define KIN_SIMULATION_RATE_MAX 1000000

typedef struct kin_simulation kin_simulation;

/* Zero means the default for every field; a seed of 0 is a seed. */
typedef struct kin_simulation_options {
    size_t size;    /* set by KIN_SIMULATION_OPTIONS_INIT */
    uint32_t pods;  /* about that many, all the time; 0: 100 */
    uint32_t nodes; /* 0: one for every 40 pods, and 3 at least */
    uint32_t rate;  /* changes a second; 0: 10 */
    uint32_t reserved;
    uint64_t seed;
    int64_t start_s; /* when it begins, in Unix time; what is there then is older; 0: the beginning
                        of 2026, in UTC */
} kin_simulation_options;

#define KIN_SIMULATION_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(kin_simulation_options), 0, 0, 0, 0, 0, 0                                           \
    }

/*
 * Puts the whole cluster into the server before it returns.  Nothing changes yet.
 *
 * server   borrowed: outlives the simulation
 * options  borrowed for the call; NULL for the defaults
 * out      owned by the caller; release with kin_simulation_free()
 *
 * Fails with RANGE (over one of the limits above), USAGE (options not initialised), NO_MEMORY, and
 * with what the server refuses; what was written by then stays there.
 */
KIN_API KIN_MUST_CHECK kin_err kin_simulation_new(kin_server *server,
                                                  const kin_simulation_options *options,
                                                  kin_simulation **out, kin_error *err);

/* Stops it first.  The objects stay in the server.  NULL is ignored. */
KIN_API void kin_simulation_free(kin_simulation *simulation);

/*
 * The next `count` changes now, on the caller's thread.
 *
 * Fails with USAGE while it is started, with NO_MEMORY, and with what the server refuses.  A
 * simulation that failed once has lost its server's state: it fails the same way from then on.
 */
KIN_API KIN_MUST_CHECK kin_err kin_simulation_step(kin_simulation *simulation, uint64_t count,
                                                   kin_error *err);

/* All changes now that follow from earlier ones, and no others: rollouts end, pods get ready,
 * counts add up.  Fails as kin_simulation_step(). */
KIN_API KIN_MUST_CHECK kin_err kin_simulation_settle(kin_simulation *simulation, kin_error *err);

/*
 * A thread of its own ("kin-simulate") makes `rate` changes a second from now on, evenly spread.
 * When it is held up it catches up in bursts of at most a tenth of a second's changes; what it
 * is behind by more than a second is let go.
 *
 * Fails with USAGE when it is started already, with LIMIT (no more threads).
 */
KIN_API KIN_MUST_CHECK kin_err kin_simulation_start(kin_simulation *simulation, kin_error *err);

/*
 * The thread is gone when it returns; kin_simulation_start() and kin_simulation_step() go on where
 * it was.  Does nothing when it is not started.  Returns what ended the thread before its time: as
 * kin_simulation_step().
 */
KIN_API kin_err kin_simulation_stop(kin_simulation *simulation, kin_error *err);

/* What there is now, and how much has happened. */
typedef struct kin_simulation_counts {
    uint64_t changes;     /* made since kin_simulation_new() */
    uint64_t pending;     /* things that wait to be looked at; 0 after kin_simulation_settle() */
    uint64_t namespaces;  /* its own, beside those a server has */
    uint64_t nodes;       /* and as many leases */
    uint64_t deployments; /* and as many services and config maps */
    uint64_t replica_sets;
    uint64_t pods;
    uint64_t endpoint_slices;
    uint64_t events;
} kin_simulation_counts;

KIN_API void kin_simulation_get_counts(kin_simulation *simulation, kin_simulation_counts *out);

KIN_END_DECLS
#endif /* KIN_TESTING_SIMULATION_H */
