/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange_test.c - one request until its good answer or its last error.
 */
#include "api/exchange.h"

#include "base/error.h"
#include "unit/api/stage.h"

#define STATUS_403                                                                                 \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"you may "     \
    "not\",\"reason\":\"Forbidden\",\"code\":403}"
#define WITH_CAUSE                                                                                 \
    "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"no\",\"code\":429,"                 \
    "\"metadata\":{\"continue\":\"next\"},\"details\":{\"causes\":[{\"reason\":\"Why\"}]}}"

/* What came of an exchange. */
typedef struct trial {
    kin__exchange *exchange;
    int opens;
    int status;
    text body;
    int pieces;
    int ends;
    bool has_failed;
    kin_error err;
    int end_status;
    uint32_t attempts;
    char cause[64];
    char token[64];
    char warnings[128];
    /* What to do inside. */
    bool frees_in_open;
    bool frees_in_body;
    bool frees_in_end;
    bool fails_in_open;
    bool fails_in_body;
} trial;

static stage s;
static kin__wire wire;
static kin__bucket limit;
static trial x;

static kin_err act(bool frees, bool fails, kin_error *err)
{
    if (frees) {
        kin__exchange_free(x.exchange);
        x.exchange = NULL;
    }
    return fails ? kin__error_set(err, KIN_ERR_MALFORMED, "not what I like") : KIN_OK;
}

static kin_err on_open(void *context, int http_status, kin_str content_type, kin_error *err)
{
    (void) content_type;
    ASSERT_TRUE(context == &x);
    x.opens++;
    x.status = http_status;
    return act(x.frees_in_open, x.fails_in_open, err);
}

static kin_err on_body(void *context, const char *bytes, size_t len, kin_error *err)
{
    (void) context;
    text_append(&x.body, "%.*s", (int) len, bytes);
    x.pieces++;
    return act(x.frees_in_body, x.fails_in_body, err);
}

static void on_end(void *context, const kin__exchange_end *end)
{
    kin_error unwanted;

    (void) context;
    x.ends++;
    x.has_failed = end->error != NULL;
    if (end->error != NULL) {
        x.err = *end->error;
    }
    x.end_status = end->http_status;
    x.attempts = end->attempts;
    (void) snprintf(x.cause, sizeof x.cause, "%s", end->cause != NULL ? end->cause : "");
    (void) snprintf(x.token, sizeof x.token, "%s",
                    end->continue_token != NULL ? end->continue_token : "");
    (void) snprintf(x.warnings, sizeof x.warnings, "%.*s", KIN_STR_ARG(end->warnings));
    (void) act(x.frees_in_end, false, &unwanted);
}

static void open_wire(const char *user)
{
    kin_error err;
    kin_logger logger = stage_logger(&s);
    kin_config *config = stage_config(&s, user);
    kin__http_options options = { .loop = s.loop, .base = s.base, .proxy = "" };

    wire = (kin__wire){ .loop = s.loop, .insecure = s.server_id != NULL, .no_compression = true };
    ASSERT_OK(kin__http_new(&options, &wire.http, &err));
    ASSERT_OK(kin__identity_new(s.loop, config, &logger, &wire.identity, &err));
    (void) kin_config_unref(config);
    x = (trial){ 0 };
}

static void begin(void)
{
    stage_open(&s);
    open_wire("token: secret");
}

static void finish(void)
{
    kin__exchange_free(x.exchange);
    x.exchange = NULL;
    kin__http_free(wire.http);
    kin__identity_free(wire.identity);
    stage_close(&s);
}

static void start(const kin__exchange_options *options)
{
    kin__exchange_options all = *options;
    kin_error err;

    all.method = all.method != NULL ? all.method : "GET";
    all.target = all.target != NULL ? all.target : "/x";
    all.accept = all.accept != NULL ? all.accept : JSON;
    all.handler = (kin__exchange_handler){ &x, on_open, on_body, on_end };
    ASSERT_OK(kin__exchange_start(&wire, &all, &x.exchange, &err));
    ASSERT_EQ(x.ends, 0);
}

static void wait_for_end(void)
{
    while (x.ends == 0) {
        turn(&s);
    }
}

static void run(const kin__exchange_options *options)
{
    start(options);
    wait_for_end();
}

/* Until the answer to the n-th request has been dealt with, and nothing is under way. */
static void wait_for_answer(int n)
{
    wait_for_requests(&s, n);
    while (x.ends == 0 && kin__http_count(wire.http).running != 0) {
        turn(&s);
    }
}

static int64_t in_ms(int64_t ms)
{
    return kin__clock_now_ms(&s.clock.clock) + ms;
}

/* ---- good answers ---- */

TEST(exchange, tells_a_good_answer_in_pieces_as_it_arrives)
{
    begin();
    line *l = answer_open(&s, "GET /x", "hel");
    l->then = THEN_DOOR;
    l->later = "2\r\nlo\r\n0\r\n\r\n";

    start(&(kin__exchange_options){ 0 });
    while (x.body.len < 3) {
        turn(&s);
    }
    ASSERT_EQ(x.opens, 1);
    ASSERT_EQ(x.status, 200);
    ASSERT_STR_EQ(x.body.chars, "hel");
    ASSERT_EQ(x.ends, 0);
    raw_open_door(s.server);
    wait_for_end();

    ASSERT_FALSE(x.has_failed);
    ASSERT_STR_EQ(x.body.chars, "hello");
    ASSERT_EQ(x.pieces, 2);
    ASSERT_EQ(x.end_status, 200);
    ASSERT_EQ(x.attempts, 1);
    finish();
}

TEST(exchange, sends_its_headers_and_its_body)
{
    begin();
    answer(&s, "POST /x?a=1 ", 201, "{}");

    run(&(kin__exchange_options){ .class_ = KIN__HTTP_WRITE,
                                  .method = "POST",
                                  .target = "/x?a=1",
                                  .accept = "one/thing",
                                  .content_type = "another/thing",
                                  .body = kin_str_of("{\"a\":1}") });

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.status, 201);
    ASSERT_CONTAINS(request_at(&s, 1), "\r\nAccept: one/thing\r\n");
    ASSERT_CONTAINS(request_at(&s, 1), "\r\nContent-Type: another/thing\r\n");
    ASSERT_CONTAINS(request_at(&s, 1), "\r\n\r\n{\"a\":1}");
    finish();
}

TEST(exchange, sends_no_credentials_without_tls_but_says_for_whom_it_speaks)
{
    stage_open(&s);
    open_wire("token: secret, as: eve, as-groups: [ops]");
    answer(&s, NULL, 200, "{}");

    run(&(kin__exchange_options){ 0 });

    ASSERT_TRUE(strstr(request_at(&s, 1), "Authorization") == NULL);
    ASSERT_TRUE(strstr(request_at(&s, 1), "secret") == NULL);
    ASSERT_TRUE(strstr(request_at(&s, 1), "Content-Type") == NULL);
    ASSERT_CONTAINS(request_at(&s, 1), "\r\nImpersonate-User: eve\r\n");
    ASSERT_CONTAINS(request_at(&s, 1), "\r\nImpersonate-Group: ops\r\n");
    finish();
}

TEST(exchange, sends_credentials_over_tls)
{
    stage_open_tls(&s);
    open_wire("token: secret");
    answer(&s, NULL, 200, "{}");

    run(&(kin__exchange_options){ 0 });

    ASSERT_FALSE(x.has_failed);
    ASSERT_CONTAINS(request_at(&s, 1), "\r\nAuthorization: Bearer secret\r\n");
    finish();
}

TEST(exchange, tells_the_warnings_of_the_last_answer)
{
    begin();
    answer_with(&s, NULL, 503, JSON, "Retry-After: 1\r\nWarning: 299 - \"old\"\r\n", "{}");
    answer_with(&s, NULL, 200, JSON, "Warning: 299 - \"one\"\r\nWarning: 299 - \"two\"\r\n", "{}");

    start(&(kin__exchange_options){ 0 });
    wait_for_answer(1);
    pass(&s, 1000);
    wait_for_end();

    ASSERT_STR_EQ(x.warnings, "one\ntwo");
    finish();
}

/* ---- refusals ---- */

static void refuse(int status, const char *type, const char *body)
{
    begin();
    answer_with(&s, NULL, status, type, "", body);
    run(&(kin__exchange_options){ 0 });
    ASSERT_TRUE(x.has_failed);
    ASSERT_EQ(x.opens, 0);
    ASSERT_EQ(x.body.len, 0);
    ASSERT_EQ(x.end_status, status);
    ASSERT_EQ(x.err.http_status, status);
    ASSERT_EQ(x.attempts, 1);
}

TEST(exchange, makes_an_error_of_a_status_in_json)
{
    refuse(403, JSON, STATUS_403);
    ASSERT_ERR(x.err.code, KIN_ERR_FORBIDDEN);
    ASSERT_STR_EQ(x.err.reason, "Forbidden");
    ASSERT_CONTAINS(x.err.message, "you may not");
    finish();
}

TEST(exchange, makes_an_error_of_a_status_in_protobuf)
{
    begin();
    answer_file(&s, NULL, 404, "application/vnd.kubernetes.protobuf", "status-404-object.pb");

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_NOT_FOUND);
    ASSERT_STR_EQ(x.err.reason, "NotFound");
    ASSERT_CONTAINS(x.err.message, "not found");
    finish();
}

TEST(exchange, makes_an_error_of_text)
{
    refuse(404, "text/plain", "404 page not found\n");
    ASSERT_ERR(x.err.code, KIN_ERR_NOT_FOUND);
    ASSERT_CONTAINS(x.err.message, "404 page not found");
    finish();
}

TEST(exchange, makes_an_error_of_html_without_quoting_it)
{
    refuse(502, "text/html", "<html><b>Bad Gateway</b></html>");
    ASSERT_ERR(x.err.code, KIN_ERR_SERVER);
    ASSERT_TRUE(strstr(x.err.message, "<b>") == NULL);
    finish();
}

TEST(exchange, tells_the_first_cause_of_a_refusal_and_its_token)
{
    refuse(429, JSON, WITH_CAUSE);
    ASSERT_STR_EQ(x.cause, "Why");
    ASSERT_STR_EQ(x.token, "next");
    finish();
}

TEST(exchange, does_not_tell_the_cause_of_an_earlier_refusal)
{
    begin();
    answer_with(&s, NULL, 429, JSON, "Retry-After: 1\r\n", WITH_CAUSE);
    add_line(&s, NULL, "")->then = THEN_CUT;

    start(&(kin__exchange_options){ .method = "POST", .class_ = KIN__HTTP_WRITE });
    wait_for_answer(1);
    pass(&s, 1000);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_CLOSED);
    ASSERT_STR_EQ(x.cause, "");
    ASSERT_STR_EQ(x.token, "");
    finish();
}

/* Of two messages the last would count. */
TEST(exchange, keeps_only_the_beginning_of_a_long_refusal)
{
    static char body[100000];
    static char head[256];
    int len = snprintf(body, sizeof body, "{\"kind\":\"Status\",\"message\":\"one\",\"x\":\"");
    memset(body + len, 'x', sizeof body - (size_t) len - 1);
    (void) snprintf(body + sizeof body - 32, 32, "\",\"message\":\"two\"}");
    begin();
    (void) snprintf(head, sizeof head,
                    "HTTP/1.1 500 X\r\nContent-Type: " JSON "\r\nContent-Length: %zu\r\n\r\n",
                    strlen(body));
    line *l = add_line(&s, NULL, head);
    l->then = THEN_DOOR;
    l->later = body;
    raw_open_door(s.server);

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_SERVER);
    ASSERT_CONTAINS(x.err.message, "one");
    ASSERT_TRUE(strstr(x.err.message, "two") == NULL);
    finish();
}

/* As servers do that have not read our body. */
TEST(exchange, believes_a_refusal_that_is_cut_before_its_end)
{
    begin();
    add_line(&s, NULL,
             "HTTP/1.1 413 X\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\ntoo lar")
        ->then = THEN_CUT;

    run(&(kin__exchange_options){ .method = "POST", .class_ = KIN__HTTP_WRITE });

    ASSERT_ERR(x.err.code, KIN_ERR_REFUSED);
    ASSERT_EQ(x.err.http_status, 413);
    finish();
}

TEST(exchange, does_not_follow_a_redirect_and_says_where_it_leads)
{
    begin();
    answer_with(&s, NULL, 302, "text/html", "Location: https://elsewhere/login\r\n", "");

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_PROTOCOL);
    ASSERT_CONTAINS(x.err.message, "https://elsewhere/login");
    ASSERT_EQ(x.end_status, 302);
    ASSERT_EQ(count_requests(&s), 1);
    finish();
}

/* ---- repeats ---- */

static void repeats_at_the_time_it_was_told(int status, const char *method)
{
    begin();
    answer_with(&s, NULL, status, "text/plain", "Retry-After: 5\r\n", "busy");
    answer(&s, NULL, 200, "{}");

    start(&(kin__exchange_options){ .method = method });
    wait_for_answer(1);
    pass(&s, 4999);
    ASSERT_EQ(count_requests(&s), 1);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.attempts, 2);
    ASSERT_EQ(x.opens, 1);
    finish();
}

TEST(exchange, is_repeated_when_the_server_says_when)
{
    repeats_at_the_time_it_was_told(429, "GET");
    repeats_at_the_time_it_was_told(503, "GET");
    repeats_at_the_time_it_was_told(500, "POST");
}

TEST(exchange, is_not_repeated_when_the_server_does_not_say_when)
{
    refuse(429, JSON, "{}");
    ASSERT_ERR(x.err.code, KIN_ERR_THROTTLED);
    finish();
    refuse(503, JSON, "{}");
    ASSERT_ERR(x.err.code, KIN_ERR_SERVER);
    finish();
}

TEST(exchange, is_not_repeated_for_a_refusal_that_will_stay_one)
{
    begin();
    answer_with(&s, NULL, 403, JSON, "Retry-After: 1\r\n", STATUS_403);

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_FORBIDDEN);
    ASSERT_EQ(x.attempts, 1);
    finish();
}

TEST(exchange, is_repeated_ten_times_at_most)
{
    begin();
    answer_with(&s, NULL, 503, "text/plain", "Retry-After: 1\r\n", "busy")->stays = true;

    start(&(kin__exchange_options){ 0 });
    for (int i = 1; i <= 11; i++) {
        wait_for_answer(i);
        pass(&s, 1000);
    }
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_SERVER);
    ASSERT_EQ(x.err.retry_after_ms, 1000);
    ASSERT_EQ(x.attempts, 11);
    ASSERT_EQ(count_requests(&s), 11);
    finish();
}

TEST(exchange, is_not_repeated_beyond_its_deadline)
{
    begin();
    answer_with(&s, NULL, 429, "text/plain", "Retry-After: 5\r\n", "busy")->stays = true;

    start(&(kin__exchange_options){ .deadline_at = in_ms(9000) });
    wait_for_answer(1);
    pass(&s, 5000);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_THROTTLED);
    ASSERT_EQ(x.attempts, 2);
    finish();
}

TEST(exchange, of_a_read_is_repeated_after_a_cut_before_the_answer)
{
    begin();
    add_line(&s, NULL, "")->then = THEN_CUT;
    answer(&s, NULL, 200, "{}");

    start(&(kin__exchange_options){ 0 });
    wait_for_answer(1);
    pass(&s, 999);
    ASSERT_EQ(count_requests(&s), 1);
    pass(&s, 1);
    wait_for_end();

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.attempts, 2);
    finish();
}

TEST(exchange, of_a_write_is_not_repeated_after_a_cut)
{
    static const char *const methods[] = { "POST", "PUT", "PATCH", "DELETE" };
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        begin();
        add_line(&s, NULL, "")->then = THEN_CUT;

        run(&(kin__exchange_options){ .class_ = KIN__HTTP_WRITE, .method = methods[i] });

        ASSERT_ERR(x.err.code, KIN_ERR_CLOSED);
        ASSERT_EQ(x.attempts, 1);
        ASSERT_EQ(x.end_status, 0);
        finish();
    }
}

TEST(exchange, is_not_repeated_once_an_answer_has_begun)
{
    begin();
    answer_open(&s, NULL, "half")->then = THEN_CUT;

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_CLOSED);
    ASSERT_EQ(x.opens, 1);
    ASSERT_STR_EQ(x.body.chars, "half");
    ASSERT_EQ(x.attempts, 1);
    finish();
}

TEST(exchange, is_not_repeated_once_the_head_of_an_answer_has_come)
{
    begin();
    answer_open(&s, NULL, "")->then = THEN_CUT;

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_CLOSED);
    ASSERT_EQ(x.opens, 1);
    ASSERT_EQ(x.attempts, 1);
    finish();
}

TEST(exchange, is_not_repeated_when_there_is_nobody_to_talk_to)
{
    begin();
    kin__http_free(wire.http);
    kin__http_options options = { .loop = s.loop, .base = "http://127.0.0.1:1", .proxy = "" };
    kin_error err;
    ASSERT_OK(kin__http_new(&options, &wire.http, &err));

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_CONNECT);
    ASSERT_EQ(x.attempts, 1);
    finish();
}

/* ---- credentials that are refused ---- */

TEST(exchange, renews_a_token_from_its_file_once)
{
    char user[256];
    stage_open_tls(&s);
    (void) snprintf(user, sizeof user, "tokenFile: '%s'", write_file(&s, "token", "old"));
    open_wire(user);
    line *l = answer(&s, NULL, 401, "{}");
    l->stays = true;

    run(&(kin__exchange_options){ 0 });
    ASSERT_ERR(x.err.code, KIN_ERR_UNAUTHORIZED);
    ASSERT_EQ(x.attempts, 1);
    ASSERT_CONTAINS(request_at(&s, 1), "Bearer old");

    kin__exchange_free(x.exchange);
    x = (trial){ 0 };
    (void) write_file(&s, "token", "new");
    run(&(kin__exchange_options){ .method = "POST", .class_ = KIN__HTTP_WRITE });
    ASSERT_ERR(x.err.code, KIN_ERR_UNAUTHORIZED);
    ASSERT_EQ(x.attempts, 2);
    ASSERT_CONTAINS(request_at(&s, 2), "Bearer old");
    ASSERT_CONTAINS(request_at(&s, 3), "Bearer new");
    ASSERT_TRUE(strstr(x.err.message, "new") == NULL);
    finish();
}

TEST(exchange, goes_on_with_a_renewed_token)
{
    char user[256];
    stage_open_tls(&s);
    (void) snprintf(user, sizeof user, "tokenFile: '%s'", write_file(&s, "token", "old"));
    open_wire(user);
    line *l = answer(&s, NULL, 401, "{}");
    l->then = THEN_DOOR;
    l->len = 0;
    l->later = "HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n";
    answer(&s, NULL, 200, "{}");

    start(&(kin__exchange_options){ 0 });
    wait_for_requests(&s, 1);
    (void) write_file(&s, "token", "new");
    raw_open_door(s.server);
    wait_for_end();

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.attempts, 2);
    ASSERT_CONTAINS(request_at(&s, 2), "Bearer new");
    finish();
}

static void open_wire_with_plugin(const char *program)
{
    char user[512];
    (void) snprintf(user, sizeof user,
                    "exec: {command: /bin/sh, args: ['%s'], interactiveMode: Never, "
                    "apiVersion: client.authentication.k8s.io/v1}",
                    write_file(&s, "plugin", program));
    open_wire(user);
}

#define COUNTING_PLUGIN                                                                            \
    "cd \"${0%/*}\"; echo >>runs; n=$(wc -l <runs)\n"                                              \
    "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","       \
    "\"status\":{\"token\":\"t'$n'\"}}'\n"

TEST(exchange, runs_the_plugin_again_when_its_token_is_refused)
{
    stage_open_tls(&s);
    open_wire_with_plugin(COUNTING_PLUGIN);
    answer(&s, NULL, 200, "{}");
    answer(&s, NULL, 401, "{}");
    answer(&s, NULL, 200, "{}");

    run(&(kin__exchange_options){ 0 });
    ASSERT_FALSE(x.has_failed);
    kin__exchange_free(x.exchange);
    x = (trial){ 0 };
    pass(&s, 20000);
    run(&(kin__exchange_options){ 0 });

    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(x.attempts, 2);
    ASSERT_CONTAINS(request_at(&s, 1), "Bearer t1\r\n");
    ASSERT_CONTAINS(request_at(&s, 2), "Bearer t1\r\n");
    ASSERT_CONTAINS(request_at(&s, 3), "Bearer t2\r\n");
    ASSERT_EQ(count_lines(&s, "runs"), 2);
    finish();
}

TEST(exchange, does_not_run_a_plugin_again_that_gives_what_is_refused_at_once)
{
    stage_open_tls(&s);
    open_wire_with_plugin(COUNTING_PLUGIN);
    answer(&s, NULL, 401, "{}")->stays = true;

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_UNAUTHORIZED);
    ASSERT_EQ(x.attempts, 1);
    ASSERT_EQ(count_lines(&s, "runs"), 1);
    finish();
}

TEST(exchange, ends_when_there_are_no_credentials)
{
    stage_open_tls(&s);
    open_wire_with_plugin("echo not today >&2; exit 3");

    run(&(kin__exchange_options){ 0 });

    ASSERT_ERR(x.err.code, KIN_ERR_UNAUTHORIZED);
    ASSERT_CONTAINS(x.err.message, "not today");
    ASSERT_EQ(x.attempts, 0);
    ASSERT_EQ(count_requests(&s), 0);
    finish();
}

TEST(exchange, waits_for_credentials_no_longer_than_its_deadline)
{
    stage_open_tls(&s);
    open_wire_with_plugin("exec sleep 600");

    start(&(kin__exchange_options){ .deadline_at = in_ms(5000) });
    for (int i = 0; i < 3; i++) {
        turn(&s);
    }
    pass(&s, 4999);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(x.err.message, "credentials");
    finish();
}

/* ---- time ---- */

TEST(exchange, waits_for_its_turn)
{
    begin();
    kin__bucket_init(&limit, 2, 1);
    wire.limit = &limit;
    answer(&s, NULL, 200, "{}")->stays = true;

    run(&(kin__exchange_options){ .is_limited = true });
    ASSERT_FALSE(x.has_failed);
    kin__exchange_free(x.exchange);
    x = (trial){ 0 };
    start(&(kin__exchange_options){ .is_limited = true });
    pass(&s, 499);
    ASSERT_EQ(count_requests(&s), 1);
    pass(&s, 1);
    wait_for_end();
    ASSERT_EQ(count_requests(&s), 2);

    kin__exchange_free(x.exchange);
    x = (trial){ 0 };
    run(&(kin__exchange_options){ 0 });
    ASSERT_EQ(count_requests(&s), 3);
    finish();
}

TEST(exchange, waits_for_its_turn_no_longer_than_its_deadline)
{
    begin();
    kin__bucket_init(&limit, 0.01, 1);
    ASSERT_TRUE(kin__bucket_take(&limit, in_ms(0)));
    wire.limit = &limit;

    start(&(kin__exchange_options){ .is_limited = true, .deadline_at = in_ms(3000) });
    pass(&s, 2999);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(x.err.message, "rate limit");
    ASSERT_EQ(x.attempts, 0);
    finish();
}

TEST(exchange, that_is_given_up_leaves_its_turn_to_others)
{
    begin();
    kin__bucket_init(&limit, 1, 1);
    wire.limit = &limit;
    answer(&s, NULL, 200, "{}")->stays = true;
    for (int i = 0; i < 3; i++) {
        start(&(kin__exchange_options){ .is_limited = true });
        kin__exchange_free(x.exchange);
    }

    run(&(kin__exchange_options){ .is_limited = true });
    ASSERT_FALSE(x.has_failed);
    kin__exchange_free(x.exchange);
    x = (trial){ 0 };
    start(&(kin__exchange_options){ .is_limited = true });
    pass(&s, 999);
    ASSERT_EQ(count_requests(&s), 1);
    finish();
}

TEST(exchange, has_one_deadline_for_all_attempts)
{
    begin();
    answer_with(&s, NULL, 503, "text/plain", "Retry-After: 4\r\n", "busy");
    add_line(&s, NULL, "")->then = THEN_HOLD;

    start(&(kin__exchange_options){ .deadline_at = in_ms(10000) });
    wait_for_answer(1);
    pass(&s, 4000);
    wait_for_requests(&s, 2);
    pass(&s, 5999);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_EQ(x.attempts, 2);
    finish();
}

TEST(exchange, ends_when_no_byte_comes_for_too_long)
{
    begin();
    answer_open(&s, NULL, "a");

    start(&(kin__exchange_options){ .idle_ms = 7000 });
    while (x.body.len == 0) {
        turn(&s);
    }
    pass(&s, 6999);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    ASSERT_EQ(x.end_status, 200);
    finish();
}

TEST(exchange, can_be_told_another_idle_time)
{
    kin_error err;
    begin();
    answer_open(&s, NULL, "a");

    start(&(kin__exchange_options){ 0 });
    ASSERT_OK(kin__exchange_set_idle(x.exchange, 5000, &err));
    while (x.body.len == 0) {
        turn(&s);
    }
    ASSERT_OK(kin__exchange_set_idle(x.exchange, 20000, &err));
    pass(&s, 19999);
    ASSERT_EQ(x.ends, 0);
    pass(&s, 1);
    wait_for_end();

    ASSERT_ERR(x.err.code, KIN_ERR_TIMEOUT);
    finish();
}

/* ---- free ---- */

TEST(exchange, can_be_freed_in_each_of_its_callbacks)
{
    for (int i = 0; i < 6; i++) {
        begin();
        x.frees_in_open = i == 0 || i == 3;
        x.frees_in_body = i == 1 || i == 4;
        x.frees_in_end = i == 2 || i == 5;
        x.fails_in_open = i == 3;
        x.fails_in_body = i == 4;
        answer_open(&s, NULL, "body")->then = i == 2 ? THEN_CUT : THEN_HOLD;
        if (i == 5) {
            s.lines[0].is_used = true;
            answer(&s, NULL, 403, STATUS_403);
        }

        start(&(kin__exchange_options){ 0 });
        while (x.exchange != NULL) {
            turn(&s);
        }
        pass(&s, 100000);

        ASSERT_EQ(x.ends, i == 2 || i == 5);
        ASSERT_EQ(kin__http_count(wire.http).running, 0);
        finish();
    }
}

TEST(exchange, ends_with_what_its_callbacks_say)
{
    for (int i = 0; i < 2; i++) {
        begin();
        x.fails_in_open = i == 0;
        x.fails_in_body = i == 1;
        answer_open(&s, NULL, "body");

        run(&(kin__exchange_options){ 0 });

        ASSERT_ERR(x.err.code, KIN_ERR_MALFORMED);
        ASSERT_CONTAINS(x.err.message, "not what I like");
        ASSERT_EQ(x.attempts, 1);
        finish();
    }
}

TEST(exchange, can_be_freed_while_it_waits)
{
    /* For its turn. */
    begin();
    kin__bucket_init(&limit, 1, 1);
    ASSERT_TRUE(kin__bucket_take(&limit, in_ms(0)));
    wire.limit = &limit;
    start(&(kin__exchange_options){ .is_limited = true });
    finish();

    /* For the time of its next attempt. */
    begin();
    answer_with(&s, NULL, 503, "text/plain", "Retry-After: 4\r\n", "busy");
    start(&(kin__exchange_options){ 0 });
    wait_for_answer(1);
    finish();

    /* For an answer. */
    begin();
    add_line(&s, NULL, "")->then = THEN_HOLD;
    start(&(kin__exchange_options){ 0 });
    wait_for_requests(&s, 1);
    finish();

    /* For credentials. */
    stage_open_tls(&s);
    open_wire_with_plugin(COUNTING_PLUGIN);
    answer(&s, NULL, 200, "{}")->stays = true;
    start(&(kin__exchange_options){ 0 });
    turn(&s);
    kin__exchange_free(x.exchange);
    run(&(kin__exchange_options){ 0 });
    ASSERT_FALSE(x.has_failed);
    ASSERT_EQ(count_requests(&s), 1);
    finish();
}

/* ---- memory ---- */

TEST_FAILING_ALLOC(exchange, fails_without_memory)
{
    kin__exchange_options options = { .method = "GET", .target = "/x", .accept = JSON };
    kin__wire nothing = { 0 };
    kin_error err;
    kin__exchange *made;

    kin__virtual_clock_init(&s.clock, 1000000, (kin_time){ 0 });
    kin_err code = kin__loop_new_with_clock(NULL, &s.clock.clock, &nothing.loop, &err);
    if (code == KIN_OK) {
        code = kin__exchange_start(&nothing, &options, &made, &err);
    }
    if (code == KIN_OK) {
        kin__exchange_free(made);
    }
    kin_loop_free(nothing.loop);
    return code;
}
