/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credentials_test.c - as whom the next request goes out.
 */
#include "config/credentials.h"

#include "config/exec_plugin.h"
#include "unit/config/making.h"

#define V1 "client.authentication.k8s.io/v1"
#define EXEC_USER                                                                                  \
    USER("exec: {command: plug, args: [a], apiVersion: " V1 ", interactiveMode: Never}")
#define TOKEN(token)                                                                               \
    "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{\"token\":\"" token "\"}}"
#define TOKEN_UNTIL(token, time)                                                                   \
    "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{\"token\":\"" token        \
    "\",\"expirationTimestamp\":\"" time "\"}}"
#define PAIR(name)                                                                                 \
    "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{"                          \
    "\"clientCertificateData\":\"-----BEGIN " name "-----END \","                                  \
    "\"clientKeyData\":\"-----BEGIN KEY-----END \"}}"

/* What a test works with.  The wall clock begins at 1970-01-01T00:16:40Z. */
typedef struct bench {
    virtual_machine m;
    kin__virtual_clock clock;
    kin__credentials *credentials;
    kin__credential credential;
    kin_error err;
    text log;
} bench;

static bench b;

static void note(void *context, kin_log_level level, const char *component, const char *message)
{
    text_append(context, "%d %s: %s|", (int) level, component, message);
}

static void begin(const char *yaml)
{
    kin_logger logger = KIN_LOGGER_INIT;
    logger.context = &b.log;
    logger.log = note;

    kin__virtual_clock_init(&b.clock, 5000, (kin_time){ 1000, 0 });
    text_clear(&b.log);
    kin_config *config = make_config(&b.m, yaml);
    ASSERT_OK(kin__credentials_new(config, &b.clock.clock, &logger, &b.credentials, &b.err));
    (void) kin_config_unref(config);
}

static void end(void)
{
    kin__credentials_free(b.credentials);
}

static kin__credentials_state get(void)
{
    return kin__credentials_get(b.credentials, &b.credential, &b.err);
}

/* That it is ready, with this as the first header; NULL: with none. */
static void expect_ready(const char *header)
{
    kin__credentials_state state = get();

    if (state == KIN__CREDENTIALS_FAILED) {
        FAIL("%s", b.err.message);
    }
    ASSERT_EQ(state, KIN__CREDENTIALS_READY);
    ASSERT_STR_EQ(b.credential.headers[0], header);
}

static void expect_failed(kin_err code, const char *message)
{
    ASSERT_EQ(get(), KIN__CREDENTIALS_FAILED);
    ASSERT_ERR(b.err.code, code);
    ASSERT_MESSAGE(&b.err, message);
}

static void start_plugin(void)
{
    kin__plugin_command command;
    bool is_ours = false;

    ASSERT_EQ(get(), KIN__CREDENTIALS_PLUGIN);
    ASSERT_OK(kin__credentials_plugin(b.credentials, &is_ours, &command, &b.err));
    ASSERT_TRUE(is_ours);
    ASSERT_STR_EQ(command.arguments[0], "plug");
    ASSERT_EQ(command.timeout_ms, 60000);
}

static void run_plugin(const char *output)
{
    start_plugin();
    kin__credentials_plugin_ended(b.credentials, NULL, 0, kin_str_of(output), STR(""));
}

TEST(credentials, of_a_static_token_never_change)
{
    virtual_machine_init(&b.m);
    begin(KUBECONFIG("server: 'https://s', certificate-authority-data: " PEM64, "token: t"));

    expect_ready("Authorization: Bearer t");
    uint64_t version = b.credential.version;
    ASSERT_SLICE_EQ(b.credential.ca, PEM);
    ASSERT_EQ(b.credential.certificate.len, 0);
    kin__virtual_clock_advance(&b.clock, 1000000);
    ASSERT_FALSE(kin__credentials_refused(b.credentials, version));
    expect_ready("Authorization: Bearer t");
    ASSERT_EQ(b.credential.version, version);
    end();
}

TEST(credentials, of_nobody_are_ready_too)
{
    virtual_machine_init(&b.m);
    begin(USER(""));

    expect_ready(NULL);
    ASSERT_EQ(b.credential.ca.len, 0);
    end();
}

TEST(credentials, follow_a_token_file)
{
    virtual_machine_init(&b.m);
    set_file(&b.m, "/kube/t", "one\n");
    begin(USER("tokenFile: t"));
    expect_ready("Authorization: Bearer one");
    uint64_t version = b.credential.version;
    uint64_t tls_version = b.credential.tls_version;

    set_file(&b.m, "/kube/t", "two\n");
    kin__virtual_clock_advance(&b.clock, 49999);
    expect_ready("Authorization: Bearer one");
    kin__virtual_clock_advance(&b.clock, 1);
    expect_ready("Authorization: Bearer two");

    ASSERT_TRUE(b.credential.version != version);
    ASSERT_EQ(b.credential.tls_version, tls_version);
    end();
}

TEST(credentials, read_a_token_file_again_after_a_401)
{
    virtual_machine_init(&b.m);
    set_file(&b.m, "/kube/t", "one");
    begin(USER("tokenFile: t"));
    expect_ready("Authorization: Bearer one");
    uint64_t version = b.credential.version;

    ASSERT_FALSE(kin__credentials_refused(b.credentials, version));
    set_file(&b.m, "/kube/t", "two");
    ASSERT_TRUE(kin__credentials_refused(b.credentials, version));
    expect_ready("Authorization: Bearer two");
    ASSERT_TRUE(kin__credentials_refused(b.credentials, version)); /* a late 401 to the old one */
    end();
}

TEST(credentials, keep_a_token_whose_file_is_gone_and_warn_once)
{
    virtual_machine_init(&b.m);
    set_file(&b.m, "/kube/t", "one");
    begin(USER("tokenFile: t"));
    expect_ready("Authorization: Bearer one");
    remove_file(&b.m, "/kube/t");

    for (int i = 0; i < 3; i++) {
        kin__virtual_clock_advance(&b.clock, 50000);
        expect_ready("Authorization: Bearer one");
    }

    ASSERT_STR_EQ(b.log.chars, "2 credentials: token file \"/kube/t\": no such file; going on with "
                               "what was there|");
    end();
}

TEST(credentials, fail_with_the_name_of_a_file_that_never_could_be_read)
{
    virtual_machine_init(&b.m);
    begin(USER("tokenFile: t"));
    expect_failed(KIN_ERR_NOT_FOUND, "token file \"/kube/t\": no such file");

    set_file(&b.m, "/kube/t", "one");
    expect_ready("Authorization: Bearer one");
    end();

    virtual_machine_init(&b.m);
    begin(KUBECONFIG("server: 'https://s', certificate-authority: ca", ""));
    expect_failed(KIN_ERR_NOT_FOUND, "certificate authority \"/kube/ca\": no such file");
    end();
}

/* An empty CA must not mean that everybody is trusted whom the system trusts. */
TEST(credentials, never_take_an_empty_ca_file_for_none)
{
    virtual_machine_init(&b.m);
    set_file(&b.m, "/kube/ca", "");
    begin(KUBECONFIG("server: 'https://s', certificate-authority: ca", ""));

    expect_failed(KIN_ERR_MALFORMED, "certificate authority \"/kube/ca\": it is empty");
    end();
}

TEST(credentials, prefer_the_token_file_and_fall_back_to_the_token)
{
    virtual_machine_init(&b.m);
    begin(USER("token: static, tokenFile: t"));
    expect_ready("Authorization: Bearer static");

    set_file(&b.m, "/kube/t", "one");
    kin__virtual_clock_advance(&b.clock, 50000);
    expect_ready("Authorization: Bearer one");
    end();
}

TEST(credentials, follow_certificate_key_and_ca_files)
{
    virtual_machine_init(&b.m);
    set_file(&b.m, "/kube/ca", "1" PEM);
    set_file(&b.m, "/kube/crt", "2" PEM);
    set_file(&b.m, "/kube/key", "3" PEM);
    begin(KUBECONFIG("server: 'https://s', certificate-authority: ca",
                     "client-certificate: crt, client-key: key"));
    expect_ready(NULL);
    ASSERT_SLICE_EQ(b.credential.ca, "1" PEM);
    ASSERT_SLICE_EQ(b.credential.certificate, "2" PEM);
    ASSERT_SLICE_EQ(b.credential.key, "3" PEM);
    uint64_t tls_version = b.credential.tls_version;

    kin__virtual_clock_advance(&b.clock, 10000);
    expect_ready(NULL);
    ASSERT_EQ(b.credential.tls_version, tls_version);

    set_file(&b.m, "/kube/crt", "4" PEM);
    kin__virtual_clock_advance(&b.clock, 10000);
    expect_ready(NULL);
    ASSERT_SLICE_EQ(b.credential.certificate, "4" PEM);
    ASSERT_TRUE(b.credential.tls_version != tls_version);

    tls_version = b.credential.tls_version;
    set_file(&b.m, "/kube/ca", "5" PEM);
    kin__virtual_clock_advance(&b.clock, 10000);
    expect_ready(NULL);
    ASSERT_SLICE_EQ(b.credential.ca, "5" PEM);
    ASSERT_TRUE(b.credential.tls_version != tls_version);
    end();
}

TEST(credentials, are_not_even_read_for_http)
{
    virtual_machine_init(&b.m);
    begin(KUBECONFIG("server: 'http://s', certificate-authority: ca",
                     "tokenFile: t, client-certificate: crt, client-key: key, as: a"));

    expect_ready("Impersonate-User: a");

    ASSERT_TRUE(b.credential.headers[1] == NULL);
    ASSERT_EQ(b.credential.ca.len, 0);
    ASSERT_EQ(b.credential.certificate.len, 0);
    ASSERT_EQ(b.m.looks, 0);
    ASSERT_FALSE(kin__credentials_refused(b.credentials, b.credential.version));
    end();
}

TEST(credentials, of_inline_certificates_are_not_sent_over_http)
{
    virtual_machine_init(&b.m);
    begin(KUBECONFIG("server: 'http://s'",
                     "client-certificate-data: " PEM64 ", client-key-data: " PEM64));

    expect_ready(NULL);
    ASSERT_EQ(b.credential.certificate.len, 0);
    ASSERT_EQ(b.credential.key.len, 0);
    end();
}

TEST(credentials, have_no_key_without_a_certificate)
{
    virtual_machine_init(&b.m);
    begin(USER("token: t, client-key-data: " PEM64));

    expect_ready("Authorization: Bearer t");
    ASSERT_EQ(b.credential.key.len, 0);
    end();
}

TEST(credentials, come_from_a_plugin_that_runs_once)
{
    kin__plugin_command command;
    bool is_ours = true;
    virtual_machine_init(&b.m);
    set_variable(&b.m, "PATH=/bin");
    begin(EXEC_USER);

    start_plugin();
    ASSERT_EQ(get(), KIN__CREDENTIALS_PLUGIN);
    ASSERT_OK(kin__credentials_plugin(b.credentials, &is_ours, &command, &b.err));
    ASSERT_FALSE(is_ours);
    kin__credentials_plugin_ended(b.credentials, NULL, 0, STR(TOKEN("t1")), STR("a warning\n"));

    expect_ready("Authorization: Bearer t1");
    kin__virtual_clock_advance(&b.clock, 1000000000);
    expect_ready("Authorization: Bearer t1");
    end();
}

TEST(credentials, tell_a_plugin_its_arguments_variables_and_the_ca_of_its_cluster)
{
    kin__plugin_command command;
    bool is_ours;
    virtual_machine_init(&b.m);
    set_variable(&b.m, "PATH=/bin");
    set_file(&b.m, "/kube/ca", PEM);
    begin(
        KUBECONFIG("server: 's:1', certificate-authority: ca",
                   "exec: {command: plug, args: [a b], env: [{name: X, value: z}], apiVersion: " V1
                   ", interactiveMode: Never, provideClusterInfo: true}"));
    ASSERT_EQ(get(), KIN__CREDENTIALS_PLUGIN);

    ASSERT_OK(kin__credentials_plugin(b.credentials, &is_ours, &command, &b.err));

    ASSERT_STR_EQ(command.arguments[1], "a b");
    ASSERT_STR_EQ(command.environment[0], "PATH=/bin");
    ASSERT_STR_EQ(command.environment[1], "X=z");
    ASSERT_CONTAINS(command.environment[2], "\"server\":\"https://s:1\"");
    ASSERT_CONTAINS(command.environment[2], "\"certificate-authority-data\":\"" PEM64 "\"");
    ASSERT_TRUE(command.environment[3] == NULL);
    end();
}

TEST(credentials, of_a_plugin_are_renewed_when_they_have_expired)
{
    virtual_machine_init(&b.m);
    begin(EXEC_USER);
    run_plugin(TOKEN_UNTIL("t1", "1970-01-01T00:17:40Z")); /* in 60 s */
    expect_ready("Authorization: Bearer t1");
    uint64_t version = b.credential.version;

    kin__virtual_clock_advance(&b.clock, 60000);
    expect_ready("Authorization: Bearer t1");
    kin__virtual_clock_advance(&b.clock, 1);
    run_plugin(TOKEN("t2"));

    expect_ready("Authorization: Bearer t2");
    ASSERT_TRUE(b.credential.version != version);
    end();
}

TEST(credentials, of_a_plugin_are_renewed_after_a_401)
{
    virtual_machine_init(&b.m);
    begin(EXEC_USER);
    run_plugin(TOKEN("t1"));
    expect_ready("Authorization: Bearer t1");
    uint64_t version = b.credential.version;
    kin__virtual_clock_advance(&b.clock, 10000);

    ASSERT_TRUE(kin__credentials_refused(b.credentials, version));
    ASSERT_TRUE(kin__credentials_refused(b.credentials, version));
    run_plugin(TOKEN("t2"));
    expect_ready("Authorization: Bearer t2");

    ASSERT_TRUE(
        kin__credentials_refused(b.credentials, version)); /* a late one, to the old token */
    expect_ready("Authorization: Bearer t2");
    end();
}

/* A plugin whose answers the server never takes must not run without a pause. */
TEST(credentials, that_are_refused_at_once_are_renewed_with_a_growing_pause)
{
    static const int pauses_ms[] = { 1000, 2000, 4000, 8000, 16000, 30000, 30000 };
    virtual_machine_init(&b.m);
    begin(EXEC_USER);
    run_plugin(TOKEN("t1"));

    for (size_t i = 0; i < sizeof pauses_ms / sizeof pauses_ms[0]; i++) {
        expect_ready("Authorization: Bearer t1");
        ASSERT_FALSE(kin__credentials_refused(b.credentials, b.credential.version));
        expect_ready("Authorization: Bearer t1");
        kin__virtual_clock_advance(&b.clock, pauses_ms[i] - 1);
        expect_ready("Authorization: Bearer t1");
        kin__virtual_clock_advance(&b.clock, 1);
        run_plugin(TOKEN("t1"));
    }
    end();
}

/* Nor one whose answers are always too old by our clock. */
TEST(credentials, that_have_expired_when_they_come_are_used_for_a_growing_pause)
{
    static const int pauses_ms[] = { 1000, 2000, 4000 };
    virtual_machine_init(&b.m);
    begin(EXEC_USER);
    run_plugin(TOKEN_UNTIL("t1", "1970-01-01T00:00:00Z"));

    for (size_t i = 0; i < sizeof pauses_ms / sizeof pauses_ms[0]; i++) {
        expect_ready("Authorization: Bearer t1");
        kin__virtual_clock_advance(&b.clock, pauses_ms[i] - 1);
        expect_ready("Authorization: Bearer t1");
        kin__virtual_clock_advance(&b.clock, 1);
        run_plugin(TOKEN_UNTIL("t1", "1970-01-01T00:00:00Z"));
    }
    kin__virtual_clock_advance(&b.clock, 8000);
    run_plugin(TOKEN("t2"));
    expect_ready("Authorization: Bearer t2");
    end();
}

TEST(credentials, of_a_plugin_may_be_a_certificate)
{
    virtual_machine_init(&b.m);
    begin(EXEC_USER);
    run_plugin(PAIR("one"));
    expect_ready(NULL);
    ASSERT_SLICE_EQ(b.credential.certificate, "-----BEGIN one-----END ");
    ASSERT_SLICE_EQ(b.credential.key, "-----BEGIN KEY-----END ");
    uint64_t tls_version = b.credential.tls_version;

    kin__virtual_clock_advance(&b.clock, 20000);
    ASSERT_TRUE(kin__credentials_refused(b.credentials, b.credential.version));
    run_plugin(PAIR("one"));
    expect_ready(NULL);
    ASSERT_EQ(b.credential.tls_version, tls_version);

    kin__virtual_clock_advance(&b.clock, 20000);
    ASSERT_TRUE(kin__credentials_refused(b.credentials, b.credential.version));
    run_plugin(PAIR("two"));
    expect_ready(NULL);
    ASSERT_SLICE_EQ(b.credential.certificate, "-----BEGIN two-----END ");
    ASSERT_TRUE(b.credential.tls_version != tls_version);
    end();
}

TEST(credentials, fail_with_what_the_plugin_wrote_to_standard_error)
{
    virtual_machine_init(&b.m);
    begin(EXEC_USER);
    start_plugin();
    kin__credentials_plugin_ended(b.credentials, NULL, 3, STR("its output"),
                                  STR("\n  please \x1b log in:\n\trun plug login\n"));

    expect_failed(KIN_ERR_UNAUTHORIZED,
                  "exec plugin \"plug\": it ended with status 3: please ? log "
                  "in: run plug login");
    end();
}

TEST(credentials, fail_with_the_end_of_a_long_standard_error)
{
    static char errors[5000];
    virtual_machine_init(&b.m);
    memset(errors, 'x', sizeof errors);
    memcpy(errors + sizeof errors - 4, " end", 4);
    begin(EXEC_USER);
    start_plugin();
    kin__credentials_plugin_ended(b.credentials, NULL, 1, STR(""), kin__str(errors, sizeof errors));

    ASSERT_EQ(get(), KIN__CREDENTIALS_FAILED);
    ASSERT_CONTAINS(b.err.message, "xxx end");
    end();
}

TEST(credentials, fail_with_the_install_hint_when_there_is_no_such_program)
{
    kin_error run_error;
    virtual_machine_init(&b.m);
    begin(USER("exec: {command: plug, apiVersion: " V1
               ", interactiveMode: Never, installHint: \"get it at\\nhttps://x\"}"));
    (void) kin__error_set(&run_error, KIN_ERR_SYSTEM, "no such program");
    start_plugin();
    kin__credentials_plugin_ended(b.credentials, &run_error, -1, STR(""), STR(""));

    expect_failed(KIN_ERR_UNAUTHORIZED,
                  "exec plugin \"plug\": no such program; get it at?https://x");
    end();
}

TEST(credentials, fail_when_the_plugin_hangs)
{
    kin_error run_error;
    virtual_machine_init(&b.m);
    begin(EXEC_USER);
    (void) kin__error_set(&run_error, KIN_ERR_TIMEOUT, "it did not end within 60 s");
    start_plugin();
    kin__credentials_plugin_ended(b.credentials, &run_error, -1, STR(""), STR("waiting"));

    expect_failed(KIN_ERR_UNAUTHORIZED,
                  "exec plugin \"plug\": it did not end within 60 s: waiting");
    end();
}

TEST(credentials, fail_when_the_answer_makes_no_sense_without_quoting_it)
{
    virtual_machine_init(&b.m);
    begin(EXEC_USER);
    run_plugin("SECRET");

    expect_failed(KIN_ERR_UNAUTHORIZED, "exec plugin \"plug\": its answer is no JSON");
    end();
}

TEST(credentials, let_a_failed_plugin_run_again_after_a_growing_pause)
{
    static const int pauses_ms[] = { 1000, 2000, 4000, 8000, 16000, 30000, 30000 };
    virtual_machine_init(&b.m);
    begin(EXEC_USER);

    for (size_t i = 0; i < sizeof pauses_ms / sizeof pauses_ms[0]; i++) {
        run_plugin("");
        ASSERT_EQ(get(), KIN__CREDENTIALS_FAILED);
        kin__virtual_clock_advance(&b.clock, pauses_ms[i] - 1);
        ASSERT_EQ(get(), KIN__CREDENTIALS_FAILED);
        kin__virtual_clock_advance(&b.clock, 1);
    }
    run_plugin(TOKEN("t1"));
    expect_ready("Authorization: Bearer t1");
    kin__virtual_clock_advance(&b.clock, 20000);
    ASSERT_TRUE(kin__credentials_refused(b.credentials, b.credential.version));
    run_plugin("");
    ASSERT_EQ(get(), KIN__CREDENTIALS_FAILED);
    kin__virtual_clock_advance(&b.clock, 1000);
    ASSERT_EQ(get(), KIN__CREDENTIALS_PLUGIN);
    end();
}

/* What was refused is of no use, even while the plugin cannot give anything better. */
TEST(credentials, that_were_refused_do_not_come_back_when_the_plugin_fails)
{
    virtual_machine_init(&b.m);
    begin(EXEC_USER);
    run_plugin(TOKEN("t1"));
    expect_ready("Authorization: Bearer t1");
    kin__virtual_clock_advance(&b.clock, 20000);
    ASSERT_TRUE(kin__credentials_refused(b.credentials, b.credential.version));

    run_plugin("");

    expect_failed(KIN_ERR_UNAUTHORIZED, "exec plugin \"plug\": its answer is no JSON");
    end();
}

TEST(credentials, of_anything_else_leave_the_plugin_alone)
{
    virtual_machine_init(&b.m);
    begin(USER("token: t, exec: {command: plug, apiVersion: " V1 ", interactiveMode: Never}"));

    expect_ready("Authorization: Bearer t");
    end();
}

TEST(credentials, take_no_more_memory_when_they_are_renewed)
{
    virtual_machine_init(&b.m);
    set_file(&b.m, "/kube/ca", PEM);
    begin(KUBECONFIG("server: 'https://s', certificate-authority: ca",
                     "exec: {command: plug, apiVersion: " V1 ", interactiveMode: Never}"));
    run_plugin(TOKEN("t0"));
    expect_ready("Authorization: Bearer t0");
    long long blocks = live_blocks();

    for (int i = 0; i < 10; i++) {
        kin__virtual_clock_advance(&b.clock, 20000);
        ASSERT_TRUE(kin__credentials_refused(b.credentials, b.credential.version));
        set_file(&b.m, "/kube/ca", i % 2 == 0 ? PEM PEM : PEM);
        run_plugin(TOKEN("t1"));
        expect_ready("Authorization: Bearer t1");
    }

    ASSERT_EQ(live_blocks(), blocks);
    end();
}

TEST(credentials, may_go_while_the_plugin_runs)
{
    virtual_machine_init(&b.m);
    begin(EXEC_USER);
    start_plugin();
    end();
}

TEST_FAILING_ALLOC(credentials, say_that_there_is_no_memory)
{
    kin_config *config = NULL;
    kin__credentials *credentials = NULL;
    kin__plugin_command command;
    kin__credential credential;
    bool is_ours;
    kin_error err;
    virtual_machine_init(&b.m);
    kin__virtual_clock_init(&b.clock, 0, (kin_time){ 0, 0 });
    set_file(&b.m, "/kube/ca", PEM);

    kin_err code = kin__config_from_text(
        &b.m.machine,
        STR(KUBECONFIG("server: 'https://s', certificate-authority: ca",
                       "exec: {command: p, apiVersion: " V1 ", interactiveMode: Never}, as: a")),
        "/kube", &no_options, &config, &err);
    if (code == KIN_OK) {
        code = kin__credentials_new(config, &b.clock.clock, NULL, &credentials, &err);
    }
    if (code == KIN_OK &&
        kin__credentials_get(credentials, &credential, &err) == KIN__CREDENTIALS_FAILED) {
        code = err.code;
    }
    if (code == KIN_OK) {
        code = kin__credentials_plugin(credentials, &is_ours, &command, &err);
    }
    if (code == KIN_OK) {
        kin__credentials_plugin_ended(credentials, NULL, 0, STR(TOKEN("t")), STR(""));
        code = kin__credentials_get(credentials, &credential, &err) == KIN__CREDENTIALS_READY
                   ? KIN_OK
                   : err.code;
    }
    kin__credentials_free(credentials);
    (void) kin_config_unref(config);
    return code;
}
