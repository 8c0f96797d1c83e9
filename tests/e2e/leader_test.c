/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader_test.c - candidates in processes of their own, on a server: one leads, never two, and when
 * it ends, however it ends, another does.
 *
 * Each candidate writes down when it led, by the one clock of this machine; and the Lease is
 * watched.  From both it is checked what happened.  A lease lasts 3 s, is renewed for 2 s and tried
 * every 0.5 s; with its chance, up to 1.1 s.
 *
 * Run by tests/e2e/leader-election, which says where the programs are (KIN_CANDIDATES), and with
 * which server: the cluster, or the embedded one (KIN_EMBEDDED_KUBECONFIG, KIN_EMBEDDED_PID).
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "e2e/support/calls.h"

#define NS "kin-leader"
#define LEASE_MS 3000
#define RENEW_MS 2000
#define RETRY_MS 500
#define CHANCE_MS (RETRY_MS * 22 / 10)
#define CALL_MS 1000  /* of one call, at most */
#define BLIND_MS 1000 /* client-go misses a renewal in the same second as the one before */
#define SLACK_MS 1000 /* for a machine that has other things to do */
#define PATIENCE_MS 20000
#define SPANS_MAX 64
#define CANDIDATES_MAX 8

/* Microseconds of CLOCK_MONOTONIC. */
typedef struct span {
    int64_t from_us;
    int64_t to_us; /* INT64_MAX: it has not ended */
} span;

typedef struct candidate {
    char identity[32];
    bool is_go;
    pid_t pid;
    int orders_fd;
    int lines_fd;
    char bytes[256]; /* of a line that has not ended */
    size_t len;
    span spans[SPANS_MAX];
    size_t span_count;
    size_t ends; /* on_stopped */
    bool is_stopped;
    bool is_dead;
} candidate;

/* Who was seen to hold the Lease, by the watch. */
typedef struct holding {
    char holder[64];
    int64_t at_us;      /* the time that it wrote first ... */
    int64_t renewed_us; /* ... and last */
    int64_t transitions;
} holding;

static cluster c;
static bool is_embedded;
static pid_t server_pid;
static char kubeconfig[PATH_MAX];
static kin_client *client;
static kin_error err;
static char lease_name[32];
static candidate candidates[CANDIDATES_MAX];
static size_t count;

static pthread_mutex_t history_lock = PTHREAD_MUTEX_INITIALIZER;
static holding history[256];
static size_t history_count;
static kin_call *watch_call;
static atomic_bool is_watch_over;

static int64_t now_us(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* ---- the Lease ------------------------------------------------------------------------------- */

static bool note_lease(void *context, const kin_event *event)
{
    char scratch[64];
    kin_str holder = { "", 0 };
    int64_t transitions = 0;
    kin_time renewed = { 0 };

    (void) context;
    if (event->object == NULL || event->type == KIN_EVENT_DELETED) {
        return true;
    }
    (void) !kin_value_str(kin_object_at(event->object, "spec.holderIdentity"), scratch,
                          sizeof scratch, &holder);
    (void) !kin_value_int64(kin_object_at(event->object, "spec.leaseTransitions"), &transitions);
    (void) !kin_value_time(kin_object_at(event->object, "spec.renewTime"), &renewed);
    int64_t renewed_us = renewed.seconds * 1000000 + renewed.nanoseconds / 1000;
    (void) pthread_mutex_lock(&history_lock);
    holding *last = history_count == 0 ? NULL : &history[history_count - 1];
    if (last == NULL || !kin_str_equal(kin_str_of(last->holder), holder)) {
        ASSERT_TRUE(history_count < sizeof history / sizeof history[0]);
        last = &history[history_count++];
        (void) snprintf(last->holder, sizeof last->holder, "%.*s", KIN_STR_ARG(holder));
        last->at_us = renewed_us;
    }
    last->renewed_us = renewed_us;
    last->transitions = transitions;
    (void) pthread_mutex_unlock(&history_lock);
    return true;
}

static void note_end(void *context, const kin_reply *reply, const kin_error *how)
{
    (void) context;
    (void) reply;
    (void) how;
    atomic_store(&is_watch_over, true);
}

static void watch_lease(void)
{
    kin_handler handler = KIN_HANDLER_INIT;
    char selector[64];

    (void) snprintf(selector, sizeof selector, "metadata.name=%s", lease_name);
    handler.on_event = note_lease;
    handler.on_done = note_end;
    must_be_ok(kin_client_start(client,
                                &(kin_request){ REQUEST, .verb = KIN_VERB_WATCH,
                                                .resource = "leases.coordination.k8s.io", .ns = NS,
                                                .field_selector = selector },
                                &handler, &watch_call, &err),
               &err);
}

/* How long the one who now holds it has to have waited since it was renewed. */
static int64_t least_idle_ms(const holding *now)
{
    return strncmp(now->holder, "go-", 3) == 0 ? LEASE_MS - BLIND_MS : LEASE_MS;
}

/* Nobody takes what another holds before it has run out: by their own times, which are of one
 * clock, and so whatever holds up this process. */
static void check_history(void)
{
    (void) pthread_mutex_lock(&history_lock);
    for (size_t i = 1; i < history_count; i++) {
        const holding *before = &history[i - 1];
        const holding *now = &history[i];
        int64_t idle_ms = (now->at_us - before->renewed_us) / 1000;

        if (before->holder[0] != '\0' && now->holder[0] != '\0' && idle_ms < least_idle_ms(now)) {
            FAIL("%s took the Lease %lld ms after %s had renewed it", now->holder,
                 (long long) idle_ms, before->holder);
        }
        ASSERT_EQ(now->transitions, before->transitions + (now->holder[0] == '\0' ? 0 : 1));
    }
    (void) pthread_mutex_unlock(&history_lock);
}

/* ---- the server ------------------------------------------------------------------------------ */

static void find_server(void)
{
    const char *path = getenv("KIN_EMBEDDED_KUBECONFIG");

    is_embedded = path != NULL;
    if (is_embedded) {
        (void) snprintf(kubeconfig, sizeof kubeconfig, "%s", path);
        server_pid = (pid_t) strtol(getenv("KIN_EMBEDDED_PID"), NULL, 10);
    } else {
        cluster_use_shared(&c);
        (void) snprintf(kubeconfig, sizeof kubeconfig, "%s", cluster_path(&c, "kubeconfig"));
    }
}

static void connect_to_server(void)
{
    kin_config_options from = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;

    from.path = kubeconfig;
    must_be_ok(kin_config_load(&from, &config, &err), &err);
    must_be_ok(kin_client_new(config, NULL, &client, &err), &err);
    kin_config_unref(config);
}

static void pause_server(void)
{
    if (is_embedded) {
        ASSERT_EQ(kill(server_pid, SIGSTOP), 0);
    } else {
        (void) cluster_command(&c, "pause");
    }
}

static void resume_server(void)
{
    if (is_embedded) {
        ASSERT_EQ(kill(server_pid, SIGCONT), 0);
    } else {
        (void) cluster_command(&c, "resume");
    }
}

/* ---- candidates ------------------------------------------------------------------------------ */

static void run(const candidate *a, int orders_fd, int lines_fd)
{
    char path[PATH_MAX];
    char *arguments[9] = { path,   kubeconfig, NS,    lease_name, (char *) (uintptr_t) a->identity,
                           "3000", "2000",     "500", NULL };

    (void) snprintf(path, sizeof path, "%s/candidate-%s", getenv("KIN_CANDIDATES"),
                    a->is_go ? "client-go" : "kinformer");
    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void) dup2(orders_fd, STDIN_FILENO);
    (void) dup2(lines_fd, STDOUT_FILENO);
    (void) execv(path, arguments);
    _exit(127);
}

static candidate *put_up(bool is_go)
{
    int orders[2];
    int lines[2];

    ASSERT_TRUE(count < CANDIDATES_MAX);
    candidate *a = &candidates[count++];
    memset(a, 0, sizeof *a);
    a->is_go = is_go;
    (void) snprintf(a->identity, sizeof a->identity, "%s-%zu", is_go ? "go" : "kin", count);
    ASSERT_EQ(pipe2(orders, O_CLOEXEC), 0);
    ASSERT_EQ(pipe2(lines, O_CLOEXEC), 0);
    a->pid = fork();
    ASSERT_TRUE(a->pid >= 0);
    if (a->pid == 0) {
        run(a, orders[0], lines[1]);
    }
    (void) close(orders[0]);
    (void) close(lines[1]);
    a->orders_fd = orders[1];
    a->lines_fd = lines[0];
    ASSERT_EQ(fcntl(a->lines_fd, F_SETFL, O_NONBLOCK), 0);
    return a;
}

static void take_line(candidate *a, const char *line)
{
    long long at_us = 0;

    if (sscanf(line, "yes %lld", &at_us) == 1) {
        ASSERT_TRUE(a->span_count < SPANS_MAX);
        a->spans[a->span_count++] = (span){ at_us, INT64_MAX };
    } else if (sscanf(line, "no %lld", &at_us) == 1) {
        if (a->span_count > 0) { /* client-go says so of who never led, too */
            a->spans[a->span_count - 1].to_us = at_us;
        }
    } else if (strcmp(line, "end") == 0) {
        a->ends++;
    } else if (strcmp(line, "stopped KIN_OK") == 0) {
        a->is_stopped = true;
    } else {
        FAIL("%s says: %s", a->identity, line);
    }
}

static void read_lines(candidate *a)
{
    char byte;

    while (read(a->lines_fd, &byte, 1) == 1) {
        if (byte == '\n') {
            a->bytes[a->len] = '\0';
            a->len = 0;
            take_line(a, a->bytes);
        } else if (a->len < sizeof a->bytes - 1) {
            a->bytes[a->len++] = byte;
        }
    }
}

static void order(candidate *a, const char *words)
{
    ASSERT_EQ(write(a->orders_fd, words, strlen(words)), (ssize_t) strlen(words));
}

static bool is_leading(candidate *a)
{
    read_lines(a);
    return a->span_count > 0 && a->spans[a->span_count - 1].to_us == INT64_MAX && !a->is_dead;
}

/* When it came to lead. */
static int64_t await_leading(candidate *a, int64_t within_ms)
{
    int64_t until_us = now_us() + within_ms * 1000;

    while (!is_leading(a)) {
        if (now_us() > until_us) {
            FAIL("%s does not lead within %lld ms", a->identity, (long long) within_ms);
        }
        rest_ms(2);
    }
    return a->spans[a->span_count - 1].from_us;
}

/* When it led for the last time. */
static int64_t await_no_longer(candidate *a, int64_t within_ms)
{
    int64_t until_us = now_us() + within_ms * 1000;

    while (is_leading(a)) {
        if (now_us() > until_us) {
            FAIL("%s still leads after %lld ms", a->identity, (long long) within_ms);
        }
        rest_ms(2);
    }
    return a->spans[a->span_count - 1].to_us;
}

static void stop(candidate *a)
{
    int64_t until_us = now_us() + (int64_t) PATIENCE_MS * 1000;

    order(a, "stop\n");
    for (read_lines(a); !a->is_stopped; read_lines(a)) {
        ASSERT_TRUE(now_us() < until_us);
        rest_ms(2);
    }
    a->is_stopped = false;
    (void) await_no_longer(a, SLACK_MS); /* it is asked every 2 ms */
}

/* What it has written is in the pipe; what it wrote no end of has ended now. */
static int64_t kill_off(candidate *a)
{
    int64_t at_us = now_us();

    ASSERT_EQ(kill(a->pid, SIGKILL), 0);
    ASSERT_EQ(waitpid(a->pid, NULL, 0), a->pid);
    read_lines(a);
    a->is_dead = true;
    if (a->span_count > 0 && a->spans[a->span_count - 1].to_us == INT64_MAX) {
        a->spans[a->span_count - 1].to_us = at_us;
    }
    return at_us;
}

/* The promise. */
static void check_never_two(void)
{
    for (size_t i = 0; i < count; i++) {
        read_lines(&candidates[i]);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            for (size_t m = 0; m < candidates[i].span_count; m++) {
                for (size_t n = 0; n < candidates[k].span_count; n++) {
                    span a = candidates[i].spans[m];
                    span b = candidates[k].spans[n];
                    int64_t from_us = a.from_us > b.from_us ? a.from_us : b.from_us;
                    int64_t to_us = a.to_us < b.to_us ? a.to_us : b.to_us;
                    if (from_us < to_us) {
                        FAIL("%s and %s led at once for %lld us", candidates[i].identity,
                             candidates[k].identity, (long long) (to_us - from_us));
                    }
                }
            }
        }
    }
}

/* ---- a test ---------------------------------------------------------------------------------- */

static void begin(const char *name)
{
    find_server();
    connect_to_server();
    make_namespace(client, NS);
    (void) snprintf(lease_name, sizeof lease_name, "%s-%d", name, (int) getpid());
    watch_lease();
}

static void finish(void)
{
    check_never_two();
    for (size_t i = 0; i < count; i++) {
        if (!candidates[i].is_dead) {
            (void) kill_off(&candidates[i]);
        }
        (void) close(candidates[i].orders_fd);
        (void) close(candidates[i].lines_fd);
    }
    check_history();
    kin_call_cancel(watch_call);
    while (!atomic_load(&is_watch_over)) {
        rest_ms(1);
    }
    kin_call_free(watch_call);
    kin_client_free(client);
}

static int64_t ms_between(int64_t from_us, int64_t to_us)
{
    return (to_us - from_us) / 1000;
}

TEST(leader_e2e, is_followed_by_another_when_it_is_killed)
{
    begin("killed");
    candidate *a = put_up(false);
    await_leading(a, PATIENCE_MS);
    candidate *b = put_up(false);
    rest_ms(2000);

    int64_t killed_us = kill_off(a);
    int64_t leads_us = await_leading(b, PATIENCE_MS);

    ASSERT_TRUE(ms_between(killed_us, leads_us) >= LEASE_MS - RETRY_MS - SLACK_MS);
    ASSERT_TRUE(ms_between(killed_us, leads_us) <= LEASE_MS + CHANCE_MS + SLACK_MS);
    finish();
}

TEST(leader_e2e, is_followed_by_another_at_once_when_it_stops)
{
    begin("stopped");
    candidate *a = put_up(false);
    await_leading(a, PATIENCE_MS);
    candidate *b = put_up(false);
    rest_ms(1500);

    for (int i = 0; i < 4; i++) {
        candidate *from = i % 2 == 0 ? a : b;
        candidate *to = i % 2 == 0 ? b : a;
        size_t ends = from->ends;

        int64_t stopped_us = now_us();
        stop(from);
        ASSERT_EQ(from->ends, ends + 1);
        int64_t leads_us = await_leading(to, PATIENCE_MS);
        ASSERT_TRUE(ms_between(stopped_us, leads_us) <= CHANCE_MS + SLACK_MS);
        order(from, "start\n");
        rest_ms(1500);
    }
    finish();
}

TEST(leader_e2e, gives_up_in_time_when_the_server_stands_still)
{
    begin("paused");
    candidate *a = put_up(false);
    await_leading(a, PATIENCE_MS);
    candidate *b = put_up(false);
    rest_ms(2000);

    pause_server();
    int64_t paused_us = now_us();
    int64_t last_us = await_no_longer(a, RENEW_MS + SLACK_MS);
    rest_ms(3000);
    ASSERT_FALSE(is_leading(a) || is_leading(b));
    ASSERT_EQ(a->ends, 1);
    int64_t resumed_us = now_us();
    resume_server();

    ASSERT_TRUE(ms_between(paused_us, last_us) <= RENEW_MS);
    while (!is_leading(a) && !is_leading(b)) {
        ASSERT_TRUE(ms_between(resumed_us, now_us()) <= CALL_MS + CHANCE_MS + 2 * SLACK_MS);
        rest_ms(2);
    }
    rest_ms(3000);
    finish();
}

TEST(leader_e2e, does_not_lead_when_it_goes_on_after_it_was_stopped_by_a_signal)
{
    begin("signal");
    candidate *a = put_up(false);
    await_leading(a, PATIENCE_MS);
    candidate *b = put_up(false);
    rest_ms(2000);

    for (int i = 0; i < 2; i++) {
        candidate *from = i % 2 == 0 ? a : b;
        candidate *to = i % 2 == 0 ? b : a;

        ASSERT_EQ(kill(from->pid, SIGSTOP), 0);
        int64_t stopped_us = now_us();
        int64_t leads_us = await_leading(to, PATIENCE_MS);
        ASSERT_TRUE(ms_between(stopped_us, leads_us) <= LEASE_MS + CHANCE_MS + SLACK_MS);
        rest_ms(500);
        ASSERT_EQ(kill(from->pid, SIGCONT), 0);
        (void) await_no_longer(from, SLACK_MS);
        rest_ms(3000);
        ASSERT_TRUE(is_leading(to));
    }
    finish();
}

/* So short that nobody has taken over: it leads on, and nobody has noticed. */
TEST(leader_e2e, leads_on_after_a_short_sleep)
{
    begin("short");
    candidate *a = put_up(false);
    await_leading(a, PATIENCE_MS);
    put_up(false);
    rest_ms(1000);
    for (int i = 0; i < 5; i++) {
        ASSERT_EQ(kill(a->pid, SIGSTOP), 0);
        rest_ms(600);
        ASSERT_EQ(kill(a->pid, SIGCONT), 0);
        rest_ms(1200);
    }

    ASSERT_TRUE(is_leading(a));
    ASSERT_EQ(a->span_count, 1);
    finish();
}

TEST(leader_e2e, hands_over_to_client_go_and_back)
{
    begin("go");
    candidate *ours = put_up(false);
    await_leading(ours, PATIENCE_MS);
    candidate *theirs = put_up(true);
    rest_ms(2500);

    int64_t stopped_us = now_us();
    stop(ours);
    int64_t leads_us = await_leading(theirs, PATIENCE_MS);
    ASSERT_TRUE(ms_between(stopped_us, leads_us) <= CHANCE_MS + SLACK_MS);
    order(ours, "start\n");
    rest_ms(2500);
    ASSERT_TRUE(is_leading(theirs));

    stopped_us = now_us();
    stop(theirs);
    leads_us = await_leading(ours, PATIENCE_MS);
    ASSERT_TRUE(ms_between(stopped_us, leads_us) <= CHANCE_MS + SLACK_MS);
    finish();
}

TEST(leader_e2e, follows_a_client_go_that_was_killed_and_is_followed_by_one)
{
    begin("gokill");
    candidate *theirs = put_up(true);
    await_leading(theirs, PATIENCE_MS);
    candidate *ours = put_up(false);
    rest_ms(2500);
    int64_t killed_us = kill_off(theirs);
    int64_t leads_us = await_leading(ours, PATIENCE_MS);
    ASSERT_TRUE(ms_between(killed_us, leads_us) <= LEASE_MS + CHANCE_MS + SLACK_MS);

    candidate *again = put_up(true);
    rest_ms(2500);
    ASSERT_FALSE(is_leading(again));
    killed_us = kill_off(ours);
    leads_us = await_leading(again, PATIENCE_MS);

    /* It looks only every so often, also when the Lease runs out. */
    ASSERT_TRUE(ms_between(killed_us, leads_us) <= LEASE_MS + 2 * CHANCE_MS + SLACK_MS);
    finish();
}

TEST(leader_e2e, is_one_of_five)
{
    begin("five");
    for (int i = 0; i < 5; i++) {
        put_up(i == 4);
    }
    for (int round = 0; round < 3; round++) {
        candidate *leading = NULL;
        int64_t until_us = now_us() + (int64_t) PATIENCE_MS * 1000;

        while (leading == NULL) {
            for (size_t i = 0; i < count; i++) {
                leading = is_leading(&candidates[i]) ? &candidates[i] : leading;
            }
            ASSERT_TRUE(now_us() < until_us);
            rest_ms(2);
        }
        rest_ms(1000);
        if (round % 2 == 0) {
            (void) kill_off(leading);
        } else {
            stop(leading);
        }
    }
    finish();
}
