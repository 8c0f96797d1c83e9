/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinformer.c - a candidate that writes down when it leads; the lines are those of
 * ../peers/client-go/candidate.
 *
 *     candidate-kinformer KUBECONFIG NAMESPACE NAME IDENTITY LEASE_MS RENEW_MS RETRY_MS
 *
 *     yes MICROSECONDS    it leads: seen then, by kin_leader_is_leading() or on_started
 *     no MICROSECONDS     it no longer does: seen to lead then for the last time
 *     end                 on_stopped was called
 *     stopped WORD        kin_leader_stop() has returned that
 *
 * Times are of CLOCK_MONOTONIC.  It is asked every 2 ms.  A line "stop" on its standard input ends
 * the candidacy, "start" begins another; the end of the input ends the process, which lets go of
 * nothing.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <kin/kin.h>

#define SAMPLE_NS 2000000

static kin_leader *leader;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long long now_us(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* In one piece, whatever happens to the process next. */
static void say(const char *word, long long at_us)
{
    char line[64];
    int len = at_us < 0 ? snprintf(line, sizeof line, "%s\n", word)
                        : snprintf(line, sizeof line, "%s %lld\n", word, at_us);

    (void) pthread_mutex_lock(&lock);
    if (write(STDOUT_FILENO, line, (size_t) len) != len) {
        _exit(1);
    }
    (void) pthread_mutex_unlock(&lock);
}

/* It led at some moment between the two times around the question: what is written is the span in
 * which it did for certain. */
static void *watch(void *unused)
{
    struct timespec pause = { 0, SAMPLE_NS };
    bool was_leading = false;
    long long last_us = 0;

    for (;;) {
        long long before_us = now_us();
        bool is_leading = kin_leader_is_leading(leader);

        if (is_leading && !was_leading) {
            say("yes", now_us());
        } else if (!is_leading && was_leading) {
            say("no", last_us);
        }
        last_us = before_us;
        was_leading = is_leading;
        (void) nanosleep(&pause, NULL);
    }
    return unused;
}

static void on_stopped(void *unused)
{
    (void) unused;
    say("end", -1);
}

static kin_err connect_with(const char *kubeconfig, kin_client **out, kin_error *err)
{
    kin_config_options from = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;

    from.path = kubeconfig;
    kin_err code = kin_config_load(&from, &config, err);
    if (code == KIN_OK) {
        code = kin_client_new(config, NULL, out, err);
        kin_config_unref(config);
    }
    return code;
}

static void obey(const char *order, kin_error *err)
{
    char words[64];

    if (strcmp(order, "stop\n") == 0) {
        kin_err code = kin_leader_stop(leader, 10000, err);
        (void) snprintf(words, sizeof words, "stopped %s", kin_err_name(code));
        say(words, -1);
    } else if (kin_leader_start(leader, err) != KIN_OK) {
        say(err->message, -1);
    }
}

int main(int argc, char **argv)
{
    kin_leader_options options = KIN_LEADER_OPTIONS_INIT;
    kin_client *client = NULL;
    pthread_t watcher;
    kin_error err;
    char order[64];

    if (argc != 8) {
        return 2;
    }
    options.ns = argv[2];
    options.name = argv[3];
    options.identity = argv[4];
    options.lease_ms = (uint32_t) strtoul(argv[5], NULL, 10);
    options.renew_ms = (uint32_t) strtoul(argv[6], NULL, 10);
    options.retry_ms = (uint32_t) strtoul(argv[7], NULL, 10);
    options.on_stopped = on_stopped;
    if (connect_with(argv[1], &client, &err) != KIN_OK ||
        kin_leader_new(client, &options, &leader, &err) != KIN_OK ||
        kin_leader_start(leader, &err) != KIN_OK) {
        (void) fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    if (pthread_create(&watcher, NULL, watch, NULL) != 0) {
        return 1;
    }
    while (fgets(order, sizeof order, stdin) != NULL) {
        obey(order, &err);
    }
    _exit(0);
}
