/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity_test.c - as whom requests go out: the plugin that is run for those who wait.
 */
#include "api/identity.h"

#include <signal.h>

#include "unit/api/stage.h"

#define V1 "client.authentication.k8s.io/v1"
#define ANSWER(status)                                                                             \
    "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{" status "}}'\n"
#define COUNTED "cd \"${0%/*}\"; echo >>runs\n"

/* One who wants a credential. */
typedef struct asker {
    kin__identity_wait wait; /* first */
    kin_err code;            /* of the last get */
    bool is_there;
    kin__credential credential;
    char header[128]; /* the first one */
    kin_error err;
    int woken;
    bool asks_again;
    struct asker *stops; /* when it is woken */
} asker;

static stage s;
static kin__identity *identity_;
static asker askers[4];

static void ask(asker *a)
{
    a->is_there = false;
    a->code = kin__identity_get(identity_, &a->wait, &a->is_there, &a->credential, &a->err);
    if (a->code == KIN_OK && a->is_there) {
        (void) snprintf(a->header, sizeof a->header, "%s",
                        a->credential.headers[0] != NULL ? a->credential.headers[0] : "");
    }
}

static void on_wake(kin__identity_wait *wait)
{
    asker *a = (asker *) wait;

    ASSERT_FALSE(kin__link_is_on(&wait->link));
    a->woken++;
    if (a->stops != NULL) {
        kin__identity_stop_waiting(&a->stops->wait);
    }
    if (a->asks_again) {
        ask(a);
    }
}

/* `user` as in a kubeconfig. */
static void open_with(const char *user)
{
    kin_logger logger = stage_logger(&s);
    kin_config *config = stage_config(&s, user);
    kin_error err;

    ASSERT_OK(kin__identity_new(s.loop, config, &logger, &identity_, &err));
    (void) kin_config_unref(config);
    memset(askers, 0, sizeof askers);
    for (size_t i = 0; i < 4; i++) {
        askers[i].wait.wake = on_wake;
        askers[i].asks_again = true;
    }
}

static void begin(const char *program)
{
    char user[512];

    stage_open_loop(&s);
    (void) snprintf(s.base, sizeof s.base, "https://127.0.0.1:1");
    (void) pthread_mutex_init(&s.lock, NULL);
    (void) snprintf(user, sizeof user,
                    "exec: {command: /bin/sh, args: ['%s'], interactiveMode: Never, "
                    "installHint: 'get it', apiVersion: " V1 "}",
                    write_file(&s, "plugin", program));
    open_with(user);
}

static void finish(void)
{
    kin__identity_free(identity_);
    stage_close(&s);
}

static void wait_for(const asker *a)
{
    while (a->woken == 0) {
        turn(&s);
    }
}

TEST(identity, of_a_token_is_there_at_once)
{
    stage_open_loop(&s);
    (void) snprintf(s.base, sizeof s.base, "https://127.0.0.1:1");
    open_with("token: secret");

    ask(&askers[0]);

    ASSERT_OK(askers[0].code);
    ASSERT_TRUE(askers[0].is_there);
    ASSERT_STR_EQ(askers[0].header, "Authorization: Bearer secret");
    finish();
}

TEST(identity, runs_the_plugin_once_for_all_who_wait)
{
    begin(COUNTED ANSWER("\"token\":\"t\""));

    for (int i = 0; i < 3; i++) {
        ask(&askers[i]);
        ASSERT_OK(askers[i].code);
        ASSERT_FALSE(askers[i].is_there);
    }
    wait_for(&askers[2]);

    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(askers[i].woken, 1);
        ASSERT_TRUE(askers[i].is_there);
        ASSERT_STR_EQ(askers[i].header, "Authorization: Bearer t");
    }
    ask(&askers[3]);
    ASSERT_TRUE(askers[3].is_there);
    ASSERT_EQ(count_lines(&s, "runs"), 1);
    finish();
}

TEST(identity, tells_all_who_wait_why_the_plugin_failed)
{
    begin(COUNTED ANSWER("\"token\":\"hush\"") "echo the cat ate it >&2; exit 7");

    ask(&askers[0]);
    ask(&askers[1]);
    wait_for(&askers[1]);

    for (int i = 0; i < 2; i++) {
        ASSERT_ERR(askers[i].code, KIN_ERR_UNAUTHORIZED);
        ASSERT_CONTAINS(askers[i].err.message, "/bin/sh");
        ASSERT_CONTAINS(askers[i].err.message, "7");
        ASSERT_CONTAINS(askers[i].err.message, "the cat ate it");
        ASSERT_TRUE(strstr(askers[i].err.message, "hush") == NULL);
    }
    ASSERT_EQ(count_lines(&s, "runs"), 1);
    ASSERT_TRUE(strstr(s.log.chars, "hush") == NULL);
    finish();
}

TEST(identity, runs_a_plugin_that_failed_again_after_a_pause)
{
    begin(COUNTED "[ $(wc -l <runs) -gt 1 ] || exit 1\n" ANSWER("\"token\":\"t\""));

    ask(&askers[0]);
    wait_for(&askers[0]);
    ASSERT_ERR(askers[0].code, KIN_ERR_UNAUTHORIZED);
    pass(&s, 999);
    ask(&askers[1]);
    ASSERT_ERR(askers[1].code, KIN_ERR_UNAUTHORIZED);
    pass(&s, 1);
    ask(&askers[2]);
    ASSERT_OK(askers[2].code);
    wait_for(&askers[2]);

    ASSERT_STR_EQ(askers[2].header, "Authorization: Bearer t");
    ASSERT_EQ(count_lines(&s, "runs"), 2);
    finish();
}

TEST(identity, quotes_nothing_of_an_answer_it_cannot_use)
{
    static const char *const programs[] = {
        "echo hush",
        "echo '{\"hush\":'",
        ANSWER("\"token\":[\"hush\"]"),
        ANSWER("\"clientKeyData\":\"hush\""),
        ANSWER("\"token\":\"hush\\\\nhush\""),
        ANSWER("\"token\":\"hush\",\"expirationTimestamp\":\"hush\""),
        "head -c 2000000 /dev/zero; echo hush",
    };
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        begin(programs[i]);
        ask(&askers[0]);
        wait_for(&askers[0]);
        ASSERT_ERR(askers[0].code, KIN_ERR_UNAUTHORIZED);
        ASSERT_TRUE(strstr(askers[0].err.message, "hush") == NULL);
        ASSERT_TRUE(strstr(s.log.chars, "hush") == NULL);
        finish();
    }
}

TEST(identity, names_a_plugin_that_is_not_there)
{
    stage_open_loop(&s);
    (void) snprintf(s.base, sizeof s.base, "https://127.0.0.1:1");
    open_with("exec: {command: /nowhere/plugin, interactiveMode: Never, "
              "installHint: 'get it at the shop', apiVersion: " V1 "}");

    ask(&askers[0]);
    ASSERT_ERR(askers[0].code, KIN_ERR_UNAUTHORIZED);
    ASSERT_CONTAINS(askers[0].err.message, "/nowhere/plugin");
    ASSERT_CONTAINS(askers[0].err.message, "get it at the shop");
    ASSERT_FALSE(kin__link_is_on(&askers[0].wait.link));
    ask(&askers[1]);
    ASSERT_ERR(askers[1].code, KIN_ERR_UNAUTHORIZED);
    ASSERT_CONTAINS(askers[1].err.message, "get it at the shop");
    finish();
}

TEST(identity, kills_a_plugin_that_hangs)
{
    char path[128];
    long pid = 0;
    begin("cd \"${0%/*}\"; echo $$ >pid; exec sleep 600");

    ask(&askers[0]);
    while (count_lines(&s, "pid") == 0) {
        turn(&s);
    }
    pass(&s, 59999);
    ASSERT_EQ(askers[0].woken, 0);
    pass(&s, 1);
    wait_for(&askers[0]);

    ASSERT_ERR(askers[0].code, KIN_ERR_UNAUTHORIZED);
    ASSERT_CONTAINS(askers[0].err.message, "did not end in time");
    (void) snprintf(path, sizeof path, "%s/pid", s.directory);
    FILE *file = fopen(path, "re");
    ASSERT_TRUE(file != NULL && fscanf(file, "%ld", &pid) == 1);
    (void) fclose(file);
    ASSERT_TRUE(pid > 1 && kill((pid_t) pid, 0) != 0);
    finish();
}

TEST(identity, wakes_nobody_who_has_gone)
{
    begin(COUNTED ANSWER("\"token\":\"t\""));

    ask(&askers[0]);
    ask(&askers[1]);
    ask(&askers[2]);
    askers[1].stops = &askers[2];
    kin__identity_stop_waiting(&askers[0].wait);
    kin__identity_stop_waiting(&askers[0].wait);
    wait_for(&askers[1]);
    pass(&s, 0);

    ASSERT_EQ(askers[0].woken, 0);
    ASSERT_EQ(askers[1].woken, 1);
    ASSERT_EQ(askers[2].woken, 0);
    finish();
}

TEST(identity, goes_on_when_all_who_waited_have_gone)
{
    begin(COUNTED ANSWER("\"token\":\"t\""));

    ask(&askers[0]);
    kin__identity_stop_waiting(&askers[0].wait);
    ask(&askers[1]);
    wait_for(&askers[1]);

    ASSERT_TRUE(askers[1].is_there);
    ASSERT_EQ(count_lines(&s, "runs"), 1);
    finish();
}

TEST(identity, stops_the_plugin_when_it_is_freed)
{
    begin("exec sleep 600");

    ask(&askers[0]);
    kin__identity_stop_waiting(&askers[0].wait);
    finish();
}

TEST(identity, runs_the_plugin_again_when_its_credential_has_expired)
{
    begin(COUNTED ANSWER("\"token\":\"t'$(wc -l <runs)'\","
                         "\"expirationTimestamp\":\"2026-10-14T17:46:50Z\""));

    ask(&askers[0]);
    wait_for(&askers[0]);
    ASSERT_STR_EQ(askers[0].header, "Authorization: Bearer t1");
    pass(&s, 9000);
    ask(&askers[1]);
    ASSERT_STR_EQ(askers[1].header, "Authorization: Bearer t1");
    finish();
}

/* A clock that is wrong by an hour is no reason to run it over and over. */
TEST(identity, uses_a_credential_that_has_expired_when_it_comes)
{
    begin(COUNTED ANSWER("\"token\":\"t\",\"expirationTimestamp\":\"2020-01-01T00:00:00Z\""));

    ask(&askers[0]);
    wait_for(&askers[0]);
    for (int i = 0; i < 50 && !askers[0].is_there; i++) {
        turn(&s);
    }

    ASSERT_TRUE(askers[0].is_there);
    ASSERT_EQ(count_lines(&s, "runs"), 1);
    finish();
}

TEST(identity, is_renewed_when_the_server_refuses_it)
{
    begin(COUNTED ANSWER("\"token\":\"t'$(wc -l <runs)'\""));

    ask(&askers[0]);
    wait_for(&askers[0]);
    uint64_t version = askers[0].credential.version;
    pass(&s, 20000);
    ASSERT_TRUE(kin__identity_refused(identity_, version));
    ask(&askers[1]);
    ask(&askers[2]);
    ASSERT_FALSE(askers[1].is_there);
    wait_for(&askers[2]);
    ASSERT_STR_EQ(askers[1].header, "Authorization: Bearer t2");
    ASSERT_STR_EQ(askers[2].header, "Authorization: Bearer t2");
    ASSERT_TRUE(kin__identity_refused(identity_, version));
    ASSERT_EQ(count_lines(&s, "runs"), 2);
    finish();
}

/* Not the plugin's own fate: what comes of that is told by a later get. */
TEST_FAILING_ALLOC(identity, fails_without_memory)
{
    static const char yaml[] =
        "{apiVersion: v1, kind: Config, current-context: x, contexts: [{name: x, context: "
        "{cluster: c, user: u}}], clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}], "
        "users: [{name: u, user: {exec: {command: /bin/true, interactiveMode: Never, "
        "apiVersion: " V1 "}}}]}";
    asker a = { .wait = { .wake = on_wake } };
    kin_loop *loop = NULL;
    kin_config *config = NULL;
    kin_error err;

    identity_ = NULL;
    kin__virtual_clock_init(&s.clock, 1000000, (kin_time){ 0 });
    kin_err code = kin_config_from_text(yaml, sizeof yaml - 1, NULL, NULL, &config, &err);
    if (code == KIN_OK) {
        code = kin__loop_new_with_clock(NULL, &s.clock.clock, &loop, &err);
    }
    if (code == KIN_OK) {
        code = kin__identity_new(loop, config, NULL, &identity_, &err);
    }
    if (code == KIN_OK) {
        ask(&a);
        code = a.code;
        ASSERT_EQ(code == KIN_OK, kin__link_is_on(&a.wait.link));
        kin__identity_stop_waiting(&a.wait);
    }
    kin__identity_free(identity_);
    (void) kin_config_unref(config);
    kin_loop_free(loop);
    return code;
}
