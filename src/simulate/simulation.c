/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulation.c - simulated clusters for programs: options, locks, and the thread.
 *
 * `work` is held over changes, and so while the server is waited for; `lock` for a few
 * instructions, and over starting a thread.  Whoever takes both takes `work` first.  Counts are
 * copied out after each burst, so that reading them waits for no server.
 */
#include "kin/testing/simulation.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "simulate/cluster.h"
#include "simulate/fault.h"
#include "simulate/memory.h"
#include "simulate/pace.h"
#include "simulate/server_sink.h"

#define SECOND_NS 1000000000
#define START_S 1767225600 /* 2026-01-01T00:00:00Z */
#define START_LAST_S                                                                               \
    253370764800               /* the beginning of 9999: four digits for a year, a year ahead      \
                                */
#define START_FIRST_S 31536000 /* 1971: what is there then is older */

struct kin_simulation {
    kin__server_sink sink;
    uint32_t rate;

    pthread_mutex_t work;
    kin__cluster cluster; /* guarded by work */

    pthread_mutex_t lock;
    pthread_cond_t wake; /* is_stopping has become true */
    pthread_t thread;
    bool is_started; /* from here on guarded by lock */
    bool is_stopping;
    kin_simulation_counts counts;
};

static kin_err options_read(const kin_simulation_options *theirs, kin_simulation_options *ours,
                            kin_error *err);
static kin_err options_check(const kin_simulation_options *options, kin_error *err);
static kin_err fill(kin_simulation *simulation, const kin_simulation_options *options,
                    kin_error *err);
static void locks_init(kin_simulation *simulation);
static bool is_started(kin_simulation *simulation);
static kin_err steps(kin_simulation *simulation, uint64_t count, kin_error *err);
static void counts_copy(kin_simulation *simulation);
static int thread_start(kin_simulation *simulation);
static void *thread_main(void *argument);
static bool wait_until(kin_simulation *simulation, int64_t at_ns);
static int64_t now_ns(void);

kin_err kin_simulation_new(kin_server *server, const kin_simulation_options *options,
                           kin_simulation **out, kin_error *err)
{
    kin_simulation_options ours;
    kin_err code = options_read(options, &ours, err);

    if (code) {
        return code;
    }
    kin_simulation *simulation = kin__sim_alloc_zero(1, sizeof *simulation);
    if (simulation == NULL) {
        return kin__sim_no_memory(err);
    }
    simulation->sink.server = server;
    simulation->rate = ours.rate;
    code = fill(simulation, &ours, err);
    if (code) {
        kin__server_sink_fini(&simulation->sink);
        kin__sim_release(simulation);
        return code;
    }
    locks_init(simulation);
    kin__cluster_get_counts(&simulation->cluster, &simulation->counts);
    *out = simulation;
    return KIN_OK;
}

void kin_simulation_free(kin_simulation *simulation)
{
    if (simulation == NULL) {
        return;
    }
    (void) kin_simulation_stop(simulation, NULL); /* whoever frees it does not ask how it went */
    kin__cluster_fini(&simulation->cluster);
    kin__server_sink_fini(&simulation->sink);
    (void) pthread_cond_destroy(&simulation->wake);
    (void) pthread_mutex_destroy(&simulation->lock);
    (void) pthread_mutex_destroy(&simulation->work);
    kin__sim_release(simulation);
}

kin_err kin_simulation_step(kin_simulation *simulation, uint64_t count, kin_error *err)
{
    if (is_started(simulation)) {
        return kin__sim_fault(err, KIN_ERR_USAGE,
                              "step the simulation: its thread makes the changes");
    }
    return steps(simulation, count, err);
}

kin_err kin_simulation_settle(kin_simulation *simulation, kin_error *err)
{
    if (is_started(simulation)) {
        return kin__sim_fault(err, KIN_ERR_USAGE,
                              "settle the simulation: its thread makes the changes");
    }
    (void) pthread_mutex_lock(&simulation->work);
    kin_err code = kin__cluster_settle(&simulation->cluster, err);
    counts_copy(simulation);
    (void) pthread_mutex_unlock(&simulation->work);
    return code;
}

kin_err kin_simulation_start(kin_simulation *simulation, kin_error *err)
{
    int result = 0;

    (void) pthread_mutex_lock(&simulation->lock);
    bool was_started = simulation->is_started;
    if (!was_started) {
        simulation->is_stopping = false;
        result = thread_start(simulation);
        simulation->is_started = result == 0;
    }
    (void) pthread_mutex_unlock(&simulation->lock);
    if (was_started) {
        return kin__sim_fault(err, KIN_ERR_USAGE, "start the simulation: it is started already");
    }
    if (result != 0) {
        return kin__sim_fault(err, KIN_ERR_LIMIT,
                              "start thread \"kin-simulate\": error %d of the system", result);
    }
    return KIN_OK;
}

/* Of two that stop at once one joins the thread, and the other one waits for it in `work`, or finds
 * it done. */
kin_err kin_simulation_stop(kin_simulation *simulation, kin_error *err)
{
    (void) pthread_mutex_lock(&simulation->lock);
    bool is_mine = simulation->is_started && !simulation->is_stopping;
    simulation->is_stopping = simulation->is_started;
    (void) pthread_cond_broadcast(&simulation->wake);
    (void) pthread_mutex_unlock(&simulation->lock);
    if (is_mine) {
        (void) pthread_join(simulation->thread, NULL); /* it is ours to join */
        (void) pthread_mutex_lock(&simulation->lock);
        simulation->is_started = false;
        simulation->is_stopping = false;
        (void) pthread_cond_broadcast(&simulation->wake);
        (void) pthread_mutex_unlock(&simulation->lock);
    }
    (void) pthread_mutex_lock(&simulation->lock);
    while (simulation->is_stopping) {
        (void) pthread_cond_wait(&simulation->wake, &simulation->lock);
    }
    (void) pthread_mutex_unlock(&simulation->lock);
    return steps(simulation, 0, err);
}

void kin_simulation_get_counts(kin_simulation *simulation, kin_simulation_counts *out)
{
    (void) pthread_mutex_lock(&simulation->lock);
    *out = simulation->counts;
    (void) pthread_mutex_unlock(&simulation->lock);
}

/* A longer struct, of a newer program, is taken while what we do not know is zero. */
static kin_err options_read(const kin_simulation_options *theirs, kin_simulation_options *ours,
                            kin_error *err)
{
    size_t size = theirs == NULL ? 0 : theirs->size;

    if (theirs != NULL && (size < sizeof size || size > 65536)) {
        return kin__sim_fault(err, KIN_ERR_USAGE,
                              "kin_simulation_options: not initialised (size is %zu)", size);
    }
    for (size_t i = sizeof *ours; i < size; i++) {
        if (((const unsigned char *) theirs)[i] != 0) {
            return kin__sim_fault(err, KIN_ERR_USAGE,
                                  "kin_simulation_options: asks for something this version "
                                  "cannot do");
        }
    }
    *ours = (kin_simulation_options){ 0 };
    if (theirs != NULL) {
        memcpy(ours, theirs, size < sizeof *ours ? size : sizeof *ours);
    }
    ours->size = sizeof *ours;
    ours->pods = ours->pods == 0 ? 100 : ours->pods;
    ours->rate = ours->rate == 0 ? 10 : ours->rate;
    ours->start_s = ours->start_s == 0 ? START_S : ours->start_s;
    if (ours->nodes == 0) {
        ours->nodes = ours->pods / 40 < 3 ? 3 : ours->pods / 40;
        ours->nodes =
            ours->nodes > KIN_SIMULATION_NODES_MAX ? KIN_SIMULATION_NODES_MAX : ours->nodes;
    }
    return options_check(ours, err);
}

static kin_err options_check(const kin_simulation_options *options, kin_error *err)
{
    if (options->pods > KIN_SIMULATION_PODS_MAX) {
        return kin__sim_fault(err, KIN_ERR_RANGE, "simulate %u pods: at most %d", options->pods,
                              KIN_SIMULATION_PODS_MAX);
    }
    if (options->nodes > KIN_SIMULATION_NODES_MAX) {
        return kin__sim_fault(err, KIN_ERR_RANGE, "simulate %u nodes: at most %d", options->nodes,
                              KIN_SIMULATION_NODES_MAX);
    }
    if (options->rate > KIN_SIMULATION_RATE_MAX) {
        return kin__sim_fault(err, KIN_ERR_RANGE, "simulate %u changes a second: at most %d",
                              options->rate, KIN_SIMULATION_RATE_MAX);
    }
    if (options->start_s < START_FIRST_S || options->start_s > START_LAST_S) {
        return kin__sim_fault(err, KIN_ERR_RANGE,
                              "simulate from second %lld on: not between 1971 and 9998",
                              (long long) options->start_s);
    }
    return KIN_OK;
}

/* With the cluster made or not, nothing of it is left behind on failure. */
static kin_err fill(kin_simulation *simulation, const kin_simulation_options *options,
                    kin_error *err)
{
    kin__sink sink = kin__server_sink_of(&simulation->sink);

    kin__server_sink_begin(&simulation->sink);
    kin_err code = kin__cluster_init(&simulation->cluster, options, &sink, err);
    if (code) {
        return code;
    }
    code = kin__server_sink_end(&simulation->sink, err);
    if (code) {
        kin__cluster_fini(&simulation->cluster);
    }
    return code;
}

/* None of these can fail with these arguments, on glibc and musl. */
static void locks_init(kin_simulation *simulation)
{
    pthread_condattr_t attributes;

    (void) pthread_mutex_init(&simulation->work, NULL);
    (void) pthread_mutex_init(&simulation->lock, NULL);
    (void) pthread_condattr_init(&attributes);
    (void) pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void) pthread_cond_init(&simulation->wake, &attributes);
    (void) pthread_condattr_destroy(&attributes);
}

static bool is_started(kin_simulation *simulation)
{
    (void) pthread_mutex_lock(&simulation->lock);
    bool is = simulation->is_started;
    (void) pthread_mutex_unlock(&simulation->lock);
    return is;
}

/* None at all tells whether it has failed before. */
static kin_err steps(kin_simulation *simulation, uint64_t count, kin_error *err)
{
    (void) pthread_mutex_lock(&simulation->work);
    kin_err code = kin__sim_fault_copy(err, &simulation->cluster.failure);
    for (uint64_t i = 0; i < count && code == KIN_OK; i++) {
        code = kin__cluster_step(&simulation->cluster, err);
    }
    counts_copy(simulation);
    (void) pthread_mutex_unlock(&simulation->work);
    return code;
}

static void counts_copy(kin_simulation *simulation)
{
    (void) pthread_mutex_lock(&simulation->lock);
    kin__cluster_get_counts(&simulation->cluster, &simulation->counts);
    (void) pthread_mutex_unlock(&simulation->lock);
}

/* The program's signals are for the program's threads: all but those of a fault of its own are
 * blocked in this one from its first instant. */
static int thread_start(kin_simulation *simulation)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
    sigset_t blocked;
    sigset_t before;

    (void) sigfillset(&blocked); /* these two fail only for numbers that are no signals */
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        (void) sigdelset(&blocked, faults[i]);
    }
    (void) pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int result = pthread_create(&simulation->thread, NULL, thread_main, simulation);
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

/* After a failure it waits to be stopped: `failure` of the cluster tells the rest. */
static void *thread_main(void *argument)
{
    kin_simulation *simulation = argument;
    kin__sim_pace pace = { .rate = simulation->rate, .began_ns = now_ns() };

    (void) pthread_setname_np(pthread_self(), "kin-simulate"); /* a name is a courtesy */
    while (wait_until(simulation, kin__sim_pace_next_ns(&pace))) {
        if (steps(simulation, kin__sim_pace_take(&pace, now_ns()), NULL)) {
            break;
        }
    }
    return NULL;
}

/* False when it is to stop. */
static bool wait_until(kin_simulation *simulation, int64_t at_ns)
{
    struct timespec deadline = { .tv_sec = (time_t) (at_ns / SECOND_NS),
                                 .tv_nsec = (long) (at_ns % SECOND_NS) };

    (void) pthread_mutex_lock(&simulation->lock);
    while (!simulation->is_stopping && now_ns() < at_ns) {
        (void) pthread_cond_timedwait(&simulation->wake, &simulation->lock, &deadline);
    }
    bool is_stopping = simulation->is_stopping;
    (void) pthread_mutex_unlock(&simulation->lock);
    return !is_stopping;
}

static int64_t now_ns(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now); /* every Linux has it */
    return (int64_t) now.tv_sec * SECOND_NS + now.tv_nsec;
}
