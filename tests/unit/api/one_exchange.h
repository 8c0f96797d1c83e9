/* SPDX-License-Identifier: Apache-2.0 */
/*
 * one_exchange.h - a stage with a wire, and the one exchange that a test makes.
 */
#ifndef TESTS_UNIT_API_ONE_EXCHANGE_H
#define TESTS_UNIT_API_ONE_EXCHANGE_H

#include "api/exchange.h"
#include "base/error.h"
#include "unit/api/stage.h"

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
static trial x;

static inline kin_err act(bool frees, bool fails, kin_error *err)
{
    if (frees) {
        kin__exchange_free(x.exchange);
        x.exchange = NULL;
    }
    return fails ? kin__error_set(err, KIN_ERR_MALFORMED, "not what I like") : KIN_OK;
}

static inline kin_err on_open(void *context, int http_status, kin_str content_type, kin_error *err)
{
    (void) content_type;
    ASSERT_TRUE(context == &x);
    x.opens++;
    x.status = http_status;
    return act(x.frees_in_open, x.fails_in_open, err);
}

static inline kin_err on_body(void *context, const char *bytes, size_t len, kin_error *err)
{
    (void) context;
    text_append(&x.body, "%.*s", (int) len, bytes);
    x.pieces++;
    return act(x.frees_in_body, x.fails_in_body, err);
}

static inline void on_end(void *context, const kin__exchange_end *end)
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

static inline void open_wire(const char *user)
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

static inline void begin(void)
{
    stage_open(&s);
    open_wire("token: secret");
}

static inline void finish(void)
{
    kin__exchange_free(x.exchange);
    x.exchange = NULL;
    kin__http_free(wire.http);
    kin__identity_free(wire.identity);
    stage_close(&s);
}

static inline void start(const kin__exchange_options *options)
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

static inline void wait_for_end(void)
{
    while (x.ends == 0) {
        turn(&s);
    }
}

static inline void run(const kin__exchange_options *options)
{
    start(options);
    wait_for_end();
}

/* Until the answer to the n-th request has been dealt with, and nothing is under way. */
static inline void wait_for_answer(int n)
{
    wait_for_requests(&s, n);
    while (x.ends == 0 && kin__http_count(wire.http).running != 0) {
        turn(&s);
    }
}

static inline int64_t in_ms(int64_t ms)
{
    return kin__clock_now_ms(&s.clock.clock) + ms;
}

static inline void open_wire_with_plugin(const char *program)
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

static inline void refuse(int status, const char *type, const char *body)
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

#endif /* TESTS_UNIT_API_ONE_EXCHANGE_H */
