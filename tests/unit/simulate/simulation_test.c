/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulation_test.c - simulations for programs: options, steps, and the thread.
 *
 * The server is three functions of this program, in place of the real one.
 */
#include "kin/testing/simulation.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "support/test.h"
#include "unit/simulate/recorder.h"

/* Whoever waits for a number of calls is woken. */
struct kin_server {
    pthread_mutex_t lock;
    pthread_cond_t called;
    size_t calls;
    uint64_t digest;  /* of what was put, in its order */
    size_t fails_at;  /* 0: never */
    bool has_signals; /* on a thread that blocks none */
};

static kin_server server_of(size_t fails_at)
{
    return (kin_server){ .lock = PTHREAD_MUTEX_INITIALIZER,
                         .called = PTHREAD_COND_INITIALIZER,
                         .fails_at = fails_at };
}

static kin_err take(kin_server *server, const char *bytes, size_t len, kin_error *err)
{
    sigset_t blocked;

    (void) pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    (void) pthread_mutex_lock(&server->lock);
    server->calls++;
    server->has_signals = !sigismember(&blocked, SIGTERM);
    for (size_t i = 0; i < len; i++) {
        server->digest = (server->digest ^ (unsigned char) bytes[i]) * 0x100000001b3u;
    }
    bool has_failed = server->calls == server->fails_at;
    (void) pthread_cond_broadcast(&server->called);
    (void) pthread_mutex_unlock(&server->lock);
    if (has_failed && err != NULL) {
        *err = (kin_error){ .code = KIN_ERR_INVALID, .message = "it makes no sense" };
    }
    return has_failed ? KIN_ERR_INVALID : KIN_OK;
}

kin_err kin_server_put(kin_server *server, kin_str json, uint64_t *out_revision, kin_error *err)
{
    (void) out_revision;
    return take(server, json.data, json.len, err);
}

kin_err kin_server_put_list(kin_server *server, kin_str json, uint64_t *out_revision,
                            kin_error *err)
{
    (void) out_revision;
    return take(server, json.data, json.len, err);
}

kin_err kin_server_remove(kin_server *server, const char *api_version, const char *kind,
                          const char *ns, const char *name, uint64_t *out_revision, kin_error *err)
{
    (void) api_version;
    (void) kind;
    (void) ns;
    (void) out_revision;
    return take(server, name, strlen(name), err);
}

static void wait_for_calls(kin_server *server, size_t calls)
{
    (void) pthread_mutex_lock(&server->lock);
    while (server->calls < calls) {
        (void) pthread_cond_wait(&server->called, &server->lock);
    }
    (void) pthread_mutex_unlock(&server->lock);
}

static kin_simulation *simulation_of(kin_server *server, uint32_t rate)
{
    kin_simulation_options options = KIN_SIMULATION_OPTIONS_INIT;
    kin_simulation *simulation = NULL;

    options.pods = 50;
    options.rate = rate;
    options.seed = 7;
    ASSERT_OK(kin_simulation_new(server, &options, &simulation, NULL));
    return simulation;
}

TEST(simulation, has_defaults_for_everything)
{
    kin_server server = server_of(0);
    kin_simulation *simulation = NULL;
    kin_simulation_counts counts;

    ASSERT_OK(kin_simulation_new(&server, NULL, &simulation, NULL));
    kin_simulation_get_counts(simulation, &counts);

    ASSERT_EQ(counts.pods, 100);
    ASSERT_EQ(counts.nodes, 3);
    ASSERT_EQ(counts.changes, 0);
    ASSERT_EQ(counts.pending, 0);
    ASSERT_TRUE(counts.deployments > 5);
    ASSERT_TRUE(counts.endpoint_slices >= counts.deployments);
    ASSERT_TRUE(counts.replica_sets >= counts.deployments);
    ASSERT_TRUE(server.calls <= 3);
    kin_simulation_free(simulation);
}

TEST(simulation, refuses_what_is_over_its_limits)
{
    static const struct {
        kin_simulation_options options;
        kin_err code;
        const char *message;
    } rows[] = {
        { { .size = sizeof(kin_simulation_options), .pods = 1000001 },
          KIN_ERR_RANGE,
          "simulate 1000001 pods: at most 1000000" },
        { { .size = sizeof(kin_simulation_options), .nodes = 15001 },
          KIN_ERR_RANGE,
          "simulate 15001 nodes: at most 15000" },
        { { .size = sizeof(kin_simulation_options), .rate = 1000001 },
          KIN_ERR_RANGE,
          "simulate 1000001 changes a second: at most 1000000" },
        { { .size = sizeof(kin_simulation_options), .start_s = -5 },
          KIN_ERR_RANGE,
          "simulate from second -5 on: not between 1971 and 9998" },
        { { .size = 0 }, KIN_ERR_USAGE, "kin_simulation_options: not initialised (size is 0)" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kin_server server = server_of(0);
        kin_simulation *simulation = NULL;
        kin_error err;
        ASSERT_ERR(kin_simulation_new(&server, &rows[i].options, &simulation, &err), rows[i].code);
        ASSERT_MESSAGE(&err, rows[i].message);
        ASSERT_TRUE(simulation == NULL);
        ASSERT_EQ(server.calls, 0);
    }
}

TEST(simulation, refuses_options_of_the_future_that_are_not_zero)
{
    struct {
        kin_simulation_options options;
        uint64_t more;
    } newer = { .options = KIN_SIMULATION_OPTIONS_INIT, .more = 0 };
    kin_server server = server_of(0);
    kin_simulation *simulation = NULL;

    newer.options.size = sizeof newer;
    ASSERT_OK(kin_simulation_new(&server, &newer.options, &simulation, NULL));
    kin_simulation_free(simulation);
    newer.more = 1;

    ASSERT_ERR(kin_simulation_new(&server, &newer.options, &simulation, NULL), KIN_ERR_USAGE);
}

TEST(simulation, steps_and_settles_the_same_way_each_time)
{
    uint64_t digests[2];

    for (int i = 0; i < 2; i++) {
        kin_server server = server_of(0);
        kin_simulation *simulation = simulation_of(&server, 0);
        kin_simulation_counts counts;
        ASSERT_OK(kin_simulation_step(simulation, 3000, NULL));
        kin_simulation_get_counts(simulation, &counts);
        ASSERT_EQ(counts.changes, 3000);
        ASSERT_OK(kin_simulation_settle(simulation, NULL));
        kin_simulation_get_counts(simulation, &counts);
        ASSERT_EQ(counts.pending, 0);
        digests[i] = server.digest;
        kin_simulation_free(simulation);
    }

    ASSERT_EQ(digests[0], digests[1]);
}

TEST(simulation, makes_changes_by_itself_until_it_is_stopped)
{
    kin_server server = server_of(0);
    kin_simulation *simulation = simulation_of(&server, 100000);
    size_t before = server.calls;
    kin_simulation_counts counts;

    ASSERT_OK(kin_simulation_start(simulation, NULL));
    ASSERT_ERR(kin_simulation_start(simulation, NULL), KIN_ERR_USAGE);
    ASSERT_ERR(kin_simulation_step(simulation, 1, NULL), KIN_ERR_USAGE);
    ASSERT_ERR(kin_simulation_settle(simulation, NULL), KIN_ERR_USAGE);
    wait_for_calls(&server, before + 500);
    ASSERT_FALSE(server.has_signals);
    ASSERT_OK(kin_simulation_stop(simulation, NULL));
    size_t calls = server.calls;
    kin_simulation_get_counts(simulation, &counts);

    ASSERT_EQ(counts.changes, calls - before);
    ASSERT_OK(kin_simulation_stop(simulation, NULL));
    ASSERT_OK(kin_simulation_step(simulation, 3, NULL));
    ASSERT_EQ(server.calls, calls + 3);
    kin_simulation_free(simulation);
}

TEST(simulation, makes_the_same_changes_on_its_thread_as_by_steps)
{
    kin_server by_thread = server_of(0);
    kin_server by_steps = server_of(0);
    kin_simulation *simulation = simulation_of(&by_thread, 100000);
    kin_simulation *other = simulation_of(&by_steps, 100000);

    ASSERT_OK(kin_simulation_start(simulation, NULL));
    wait_for_calls(&by_thread, by_thread.calls + 1000);
    ASSERT_OK(kin_simulation_stop(simulation, NULL));
    ASSERT_OK(kin_simulation_step(other, by_thread.calls - by_steps.calls, NULL));

    ASSERT_EQ(by_thread.digest, by_steps.digest);
    kin_simulation_free(simulation);
    kin_simulation_free(other);
}

TEST(simulation, stops_when_it_is_freed_though_the_next_change_is_far_away)
{
    kin_server server = server_of(0);
    kin_simulation *simulation = simulation_of(&server, 1);

    ASSERT_OK(kin_simulation_start(simulation, NULL));
    kin_simulation_free(simulation);
    kin_simulation_free(NULL);
}

TEST(simulation, tells_at_the_stop_what_ended_its_thread)
{
    kin_server server = server_of(0);
    kin_simulation *simulation = simulation_of(&server, 100000);
    kin_error err;

    server.fails_at = server.calls + 10;
    ASSERT_OK(kin_simulation_start(simulation, NULL));
    wait_for_calls(&server, server.fails_at);

    ASSERT_ERR(kin_simulation_stop(simulation, &err), KIN_ERR_INVALID);
    ASSERT_MESSAGE(&err, "it makes no sense");
    ASSERT_ERR(kin_simulation_step(simulation, 1, &err), KIN_ERR_INVALID);
    ASSERT_EQ(server.calls, server.fails_at);
    kin_simulation_free(simulation);
}

TEST(simulation, fails_when_the_server_refuses_its_objects)
{
    kin_server server = server_of(1);
    kin_simulation *simulation = NULL;
    kin_error err;

    ASSERT_ERR(kin_simulation_new(&server, NULL, &simulation, &err), KIN_ERR_INVALID);

    ASSERT_MESSAGE(&err, "it makes no sense");
    ASSERT_TRUE(simulation == NULL);
}

static void *stop(void *argument)
{
    ASSERT_OK(kin_simulation_stop(argument, NULL));
    return NULL;
}

TEST(simulation, may_be_stopped_and_counted_by_several_at_once)
{
    kin_server server = server_of(0);
    kin_simulation *simulation = simulation_of(&server, 100000);

    for (int i = 0; i < 50; i++) {
        pthread_t other;
        kin_simulation_counts counts;
        ASSERT_OK(kin_simulation_start(simulation, NULL));
        ASSERT_EQ(pthread_create(&other, NULL, stop, simulation), 0);
        kin_simulation_get_counts(simulation, &counts);
        ASSERT_OK(kin_simulation_stop(simulation, NULL));
        ASSERT_EQ(pthread_join(other, NULL), 0);
    }
    kin_simulation_free(simulation);
}

TEST_FAILING_ALLOC(simulation, lacks_nothing_but_memory)
{
    kin_server server = server_of(0);
    kin_simulation_options options = KIN_SIMULATION_OPTIONS_INIT;
    kin_simulation *simulation = NULL;
    kin_error err;

    use_counted_memory();
    options.pods = 20;
    kin_err code = kin_simulation_new(&server, &options, &simulation, &err);
    if (code == KIN_OK) {
        code = kin_simulation_step(simulation, 500, &err);
        kin_simulation_free(simulation);
    }
    return code;
}
