/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - client-go's shared informers and ours, side by side: on one server, under the same
 * writers, to which the same things happen at the same moments.
 *
 * Each runs in a process of its own, behind a relay of its own, and tells what its handlers are
 * told.  What either tells must be a walk through the true history of each object; both end where
 * the server is.  After each fault a marker is written, and it is measured when each has it.
 *
 * client-go is granted two things that it does: to tell an object again unchanged after a list, and
 * to tell one that was deleted and made again as an update.
 *
 * KIN_PEERS names the two programs' directory.  KIN_CHURN_SEED repeats a run.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "e2e/support/calls.h"
#include "e2e/support/ledger.h"
#include "support/random.h"
#include "support/relay.h"

#define PATIENCE_MS 60000
#define RECOVERY_MS 5000
#define ENOUGH_MS 10000 /* then client-go is not waited for any more, but at the end */
#define SLACK_MS 2000   /* both wait for a time by chance before they try again */
#define PEERS 2

extern char **environ;

static const char *const spaces[] = { "kin-peers-a", "kin-peers-b", NULL };

typedef struct peer {
    const char *name;
    relay *wire;
    char kubeconfig[64];
    pid_t pid;
    int lifeline_fd; /* it ends when this is closed */
    FILE *lines;
    pthread_t reader;
    ledger told;
    pthread_mutex_t lock;
    bool is_synced;      /* guarded by the lock */
    int64_t recovery_ms; /* of the last fault */
    int64_t total_ms;
    int64_t worst_ms;
    uint64_t connections;
} peer;

static cluster c;
static kin_client *admin;
static truth *known;
static uint64_t chance;
static peer peers[PEERS];
static peer *const ours = &peers[0];
static peer *const theirs = &peers[1];

static void rest_about(int64_t least_ms)
{
    rest_ms(least_ms + (int64_t) random_below(&chance, (size_t) least_ms));
}

/* ---- peers ---------------------------------------------------------------------------------- */

static kin_notification_type type_of(const char *word)
{
    return strcmp(word, "added") == 0     ? KIN_NOTIFICATION_ADDED
           : strcmp(word, "updated") == 0 ? KIN_NOTIFICATION_UPDATED
                                          : KIN_NOTIFICATION_DELETED;
}

static void *read_lines(void *context)
{
    peer *p = context;
    char text_line[512];

    while (fgets(text_line, sizeof text_line, p->lines) != NULL) {
        ledger_line line = { .now = { .version = 0 } };
        char type[16];
        unsigned long long version;
        unsigned long long before;

        if (strcmp(text_line, "synced\n") == 0) {
            (void) pthread_mutex_lock(&p->lock);
            p->is_synced = true;
            (void) pthread_mutex_unlock(&p->lock);
            continue;
        }
        if (sscanf(text_line, "%15s %95s %39s %llu %39s %llu", type, line.now.key, line.now.uid,
                   &version, line.before.uid, &before) != 6) {
            FAIL("%s says: %s", p->name, text_line);
        }
        line.type = type_of(type);
        line.now.version = version;
        line.before.version = before;
        ledger_note(&p->told, &line);
    }
    return NULL;
}

static void write_kubeconfig(peer *p)
{
    char ca[PATH_MAX];

    (void) snprintf(p->kubeconfig, sizeof p->kubeconfig, "/tmp/kin-peer-XXXXXX");
    int fd = mkstemp(p->kubeconfig);
    ASSERT_TRUE(fd >= 0);
    FILE *file = fdopen(fd, "w");
    ASSERT_TRUE(file != NULL);
    (void) snprintf(ca, sizeof ca, "%s", cluster_path(&c, "ca.crt"));
    (void) fprintf(file,
                   "apiVersion: v1\nkind: Config\n"
                   "clusters: [{name: c, cluster: {server: \"https://127.0.0.1:%d\", "
                   "certificate-authority: %s}}]\n"
                   "users: [{name: u, user: {tokenFile: %s}}]\n"
                   "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                   "current-context: x\n",
                   relay_port(p->wire), ca, cluster_path(&c, "users/tess/token"));
    (void) fclose(file);
}

static void start_process(peer *p, const char *program)
{
    const char *dir = getenv("KIN_PEERS");
    char path[PATH_MAX];
    const char *arguments[] = { path, p->kubeconfig, spaces[0], spaces[1], NULL };
    posix_spawn_file_actions_t actions;
    int input[2];
    int output[2];

    ASSERT_TRUE(dir != NULL && pipe2(input, O_CLOEXEC) == 0 && pipe2(output, O_CLOEXEC) == 0);
    (void) snprintf(path, sizeof path, "%s/%s", dir, program);
    (void) posix_spawn_file_actions_init(&actions);
    (void) posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    (void) posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    (void) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int status =
        posix_spawn(&p->pid, path, &actions, NULL, (char *const *) (uintptr_t) arguments, environ);
    (void) posix_spawn_file_actions_destroy(&actions);
    (void) close(input[0]);
    (void) close(output[1]);
    if (status != 0) {
        FAIL("cannot start %s", path);
    }
    p->lifeline_fd = input[1];
    p->lines = fdopen(output[0], "r");
    ASSERT_TRUE(p->lines != NULL);
}

static void start_peer(peer *p, const char *name, const char *program, int port)
{
    *p = (peer){ .name = name, .wire = relay_start(port) };
    ledger_init(&p->told, name);
    (void) pthread_mutex_init(&p->lock, NULL);
    write_kubeconfig(p);
    start_process(p, program);
    ASSERT_EQ(pthread_create(&p->reader, NULL, read_lines, p), 0);
}

static void await_synced(peer *p)
{
    int64_t until_ms = now_ms() + PATIENCE_MS;
    bool is_synced = false;

    while (!is_synced) {
        (void) pthread_mutex_lock(&p->lock);
        is_synced = p->is_synced;
        (void) pthread_mutex_unlock(&p->lock);
        if (now_ms() > until_ms) {
            FAIL("%s does not sync", p->name);
        }
        rest_ms(2);
    }
}

static void stop_peer(peer *p)
{
    int status = 0;

    (void) close(p->lifeline_fd);
    ASSERT_EQ(waitpid(p->pid, &status, 0), p->pid);
    ASSERT_EQ(status, 0);
    (void) pthread_join(p->reader, NULL);
    (void) fclose(p->lines);
    (void) unlink(p->kubeconfig);
    relay_stop(p->wire);
    ledger_fini(&p->told);
    (void) pthread_mutex_destroy(&p->lock);
}

/* ---- what happens --------------------------------------------------------------------------- */

static void for_both(void (*act)(relay *wire))
{
    act(ours->wire);
    act(theirs->wire);
}

static void reset_wire(relay *wire)
{
    relay_cut(wire, RELAY_RESET);
}

static void close_wire(relay *wire)
{
    relay_cut(wire, RELAY_CLOSE);
}

static void refuse_and_reset(relay *wire)
{
    relay_refuse(wire, true);
    relay_cut(wire, RELAY_RESET);
}

static void accept_again(relay *wire)
{
    relay_refuse(wire, false);
}

static void stall(relay *wire)
{
    relay_stall(wire, true);
}

static void flow_again(relay *wire)
{
    relay_stall(wire, false);
}

static void reset_both(void)
{
    for_both(reset_wire);
}

static void close_both(void)
{
    for_both(close_wire);
}

static void refuse_both(void)
{
    for_both(refuse_and_reset);
    rest_about(1000);
    for_both(accept_again);
}

static void stall_both(void)
{
    for_both(stall);
    rest_about(600);
    for_both(flow_again);
}

static void restart_server(void)
{
    (void) cluster_command(&c, "restart");
}

static void pause_server(void)
{
    (void) cluster_command(&c, "pause");
    rest_about(600);
    (void) cluster_command(&c, "resume");
}

static void compact_while_away(void)
{
    for_both(refuse_and_reset);
    rest_about(200);
    (void) cluster_command(&c, "compact");
    (void) cluster_command(&c, "restart");
    for_both(accept_again);
}

typedef struct fault {
    const char *name;
    void (*happen)(void);
} fault;

static const fault faults[] = {
    { "reset", reset_both },
    { "restart", restart_server },
    { "close", close_both },
    { "stall", stall_both },
    { "refuse", refuse_both },
    { "pause", pause_server },
    { "compact while away", compact_while_away },
};

/* ---- comparing ------------------------------------------------------------------------------ */

/* When both have what is written now, in both namespaces.  Theirs is waited for that long. */
static void await_markers(int64_t since_ms, int64_t theirs_ms)
{
    char keys[2][TRUTH_KEY_MAX];
    uint64_t versions[2];
    bool has[PEERS] = { false, false };

    for (size_t n = 0; n < 2; n++) {
        versions[n] = truth_mark(known, admin, spaces[n], keys[n], sizeof keys[n]);
    }
    while (!has[0] || !has[1]) {
        for (size_t i = 0; i < PEERS; i++) {
            if (!has[i] && ledger_told_of(&peers[i].told, keys[0], versions[0]) &&
                ledger_told_of(&peers[i].told, keys[1], versions[1])) {
                has[i] = true;
                peers[i].recovery_ms = now_ms() - since_ms;
            }
        }
        if (has[0] && now_ms() - since_ms > theirs_ms) {
            theirs->recovery_ms = theirs_ms;
            return;
        }
        if (now_ms() - since_ms > PATIENCE_MS) {
            FAIL("%s has no marker", ours->name);
        }
        rest_ms(1);
    }
}

static void suffer(const fault *f)
{
    for (size_t i = 0; i < PEERS; i++) {
        peers[i].connections = relay_count(peers[i].wire).accepted;
    }
    f->happen();
    await_markers(now_ms(), ENOUGH_MS);
    (void) printf("%-18s", f->name);
    for (size_t i = 0; i < PEERS; i++) {
        peer *p = &peers[i];

        p->total_ms += p->recovery_ms;
        p->worst_ms = p->recovery_ms > p->worst_ms ? p->recovery_ms : p->worst_ms;
        (void) printf("  %s right after %5lld ms, %2llu connections", p->name,
                      (long long) p->recovery_ms,
                      (unsigned long long) (relay_count(p->wire).accepted - p->connections));
    }
    (void) printf("\n");
    ASSERT_TRUE(ours->recovery_ms <= RECOVERY_MS);
    rest_about(1000);
}

static void check(const peer *p)
{
    ledger_states listed = list_states(admin, spaces, false);
    ledger_states told = ledger_replay(&p->told);

    ledger_check(&p->told, known);
    must_be_same_states(p->name, &told, &listed);
    (void) printf("%s: %zu told, %zu states skipped; right again after %lld ms in all, %lld ms at "
                  "worst\n",
                  p->name, p->told.count, ledger_count_skipped(&p->told, known, spaces),
                  (long long) p->total_ms, (long long) p->worst_ms);
    ledger_states_fini(&told);
    ledger_states_fini(&listed);
}

static void open_session(void)
{
    const char *seed = getenv("KIN_CHURN_SEED");

    chance = random_start(seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t) time(NULL));
    cluster_start(&c, NULL);
    admin = connect_as(&c, NULL, NULL);
    make_namespace(admin, spaces[0]);
    make_namespace(admin, spaces[1]);
    (void) cluster_command(&c, "user tess list,watch:configmaps");
    int port = cluster_port(&c);
    start_peer(ours, "kinformer", "peer-kinformer", port);
    start_peer(theirs, "client-go", "peer-client-go", port);
    theirs->told.is_lax = true;
    await_synced(ours);
    await_synced(theirs);
    known = calloc(1, sizeof *known);
    ASSERT_TRUE(known != NULL);
    truth_start(known, admin, spaces, 3, 8, random_next(&chance));
    await_markers(now_ms(), PATIENCE_MS);
}

static void close_session(void)
{
    stop_peer(ours);
    stop_peer(theirs);
    truth_fini(known);
    free(known);
    kin_client_free(admin);
    cluster_stop(&c);
}

TEST(peers, tell_the_same_history_and_kinformer_no_later)
{
    open_session();

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        suffer(&faults[i]);
    }
    truth_stop(known);
    await_markers(now_ms(), PATIENCE_MS);

    (void) printf("%llu writes, %llu failed\n", (unsigned long long) known->writes,
                  (unsigned long long) known->failures);
    check(ours);
    check(theirs);
    ASSERT_TRUE(ours->total_ms <= theirs->total_ms + SLACK_MS);
    close_session();
}
