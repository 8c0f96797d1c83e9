/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.c - one request until its good answer or its last error.
 *
 * The way of an attempt: wait for the rate limit, get credentials (which may mean to wait for a
 * plugin), send; an answer of 2xx is handed on as it arrives, any other is kept, up to a limit, to
 * say what it says.  Then it is over, or the next attempt begins.
 *
 * A callback may free the exchange.  `depth` counts the callbacks that are on the stack; the memory
 * goes when the last of them returns.
 */
#include "api/exchange.h"

#include <string.h>

#include "api/retry.h"
#include "api/status.h"
#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"

#define REFUSAL_MAX 65536 /* bytes of an answer that is none, kept to say what it says */

struct kin__exchange {
    kin__wire *wire;
    kin__exchange_options options;
    kin__http_request *request; /* NULL: none is under way */
    kin__timer timer;           /* until the next attempt may go out */
    kin__identity_wait wait;
    kin__retry retry;
    uint64_t credential; /* the version that went out */
    uint32_t sent;
    int64_t sent_at; /* the last one, on the loop's clock */
    bool has_token;  /* of the rate limit, and has not used it */

    /* Of the last answer. */
    int http_status;
    uint32_t retry_after_ms;
    bool has_head; /* of this attempt */
    bool is_good;
    bool has_begun;        /* it has been handed on, be it only its head */
    kin__buf content_type; /* of a refusal */
    kin__buf refusal;
    kin__buf warnings;
    kin__status status;

    unsigned depth;
    bool is_freed;
    bool has_ended;
};

static void attempt(kin__exchange *x);
static void on_limit(kin__timer *timer, void *context);
static void on_identity(kin__identity_wait *wait);
static void send_it(kin__exchange *x);
static kin_err start_request(kin__exchange *x, const kin__credential *credential, kin_error *err);
static uint32_t left_ms(const kin__exchange *x);
static kin_err use_tls(kin__wire *wire, const kin__credential *credential, kin_error *err);
static kin_err write_headers(const kin__exchange *x, const kin__credential *credential,
                             kin__buf *texts, const char ***out, kin_error *err);
static kin_err on_head(void *context, const kin__http_head *head, kin_error *err);
static kin_err on_body(void *context, const char *bytes, size_t len, kin_error *err);
static void on_http_end(void *context, const kin_error *err);
static void count_answer(kin__exchange *x, int http_status);
static bool is_refusal(const kin__exchange *x, const kin_error *err);
static void finish_attempt(kin__exchange *x, kin_error *err);
static void wait_ms(kin__exchange *x, uint32_t ms);
static void end(kin__exchange *x, const kin_error *err);
static void give_token_back(kin__exchange *x);
static void leave(kin__exchange *x);
static void release(kin__exchange *x);

kin_err kin__exchange_start(kin__wire *wire, const kin__exchange_options *options,
                            kin__exchange **out, kin_error *err)
{
    kin__exchange *x = kin__alloc_zero(1, sizeof *x);

    if (x == NULL) {
        return kin__error_no_memory(err);
    }
    x->wire = wire;
    x->options = *options;
    x->timer.fire = on_limit;
    x->timer.context = x;
    x->wait.wake = on_identity;

    int64_t now = kin__loop_now_ms(wire->loop);
    int64_t wait = 0;
    if (options->is_limited && wire->limit != NULL) {
        wait = kin__bucket_reserve(wire->limit, now);
        x->has_token = true;
    }
    int64_t due = wait > INT64_MAX - now ? INT64_MAX : now + wait;
    if (options->deadline_at != 0 && due > options->deadline_at) {
        due = options->deadline_at;
    }
    if (kin__timer_set(wire->loop, &x->timer, due, err) != KIN_OK) {
        give_token_back(x);
        release(x);
        return err->code;
    }
    *out = x;
    return KIN_OK;
}

void kin__exchange_free(kin__exchange *exchange)
{
    if (exchange == NULL) {
        return;
    }
    kin__timer_clear(exchange->wire->loop, &exchange->timer);
    kin__identity_stop_waiting(&exchange->wait);
    give_token_back(exchange);
    if (exchange->request != NULL) {
        kin__request_metrics_end(&exchange->wire->metrics);
    }
    kin__http_request_free(exchange->request);
    exchange->request = NULL;
    exchange->is_freed = true;
    if (exchange->depth == 0) {
        release(exchange);
    }
}

kin_err kin__exchange_set_idle(kin__exchange *exchange, uint32_t idle_ms, kin_error *err)
{
    exchange->options.idle_ms = idle_ms;
    return exchange->request == NULL ? KIN_OK
                                     : kin__http_request_set_idle(exchange->request, idle_ms, err);
}

static void on_limit(kin__timer *timer, void *context)
{
    (void) timer;
    attempt(context);
}

static void on_identity(kin__identity_wait *wait)
{
    kin__exchange *x = KIN__OWNER(wait, kin__exchange, wait);

    kin__timer_clear(x->wire->loop, &x->timer);
    attempt(x);
}

static void attempt(kin__exchange *x)
{
    x->depth++;
    send_it(x);
    leave(x);
}

static void send_it(kin__exchange *x)
{
    kin__credential credential;
    bool is_there;
    kin_error err;

    if (x->options.deadline_at != 0 && kin__loop_now_ms(x->wire->loop) >= x->options.deadline_at) {
        kin__error_set(&err, KIN_ERR_TIMEOUT, "%s",
                       kin__link_is_on(&x->wait.link) ? "no credentials before the deadline"
                       : x->sent == 0 ? "no turn within the rate limit before the deadline"
                                      : "no good answer before the deadline");
        end(x, &err);
        return;
    }
    if (kin__identity_get(x->wire->identity, &x->wait, &is_there, &credential, &err) != KIN_OK) {
        end(x, &err);
        return;
    }
    if (is_there) {
        if (start_request(x, &credential, &err) != KIN_OK) {
            end(x, &err);
        }
    } else if (x->options.deadline_at != 0 &&
               kin__timer_set(x->wire->loop, &x->timer, x->options.deadline_at, &err) != KIN_OK) {
        end(x, &err);
    }
}

static kin_err start_request(kin__exchange *x, const kin__credential *credential, kin_error *err)
{
    kin__wire *wire = x->wire;
    AUTO(kin__buf_fini) kin__buf texts = { 0 };
    const char **headers = NULL;

    if (use_tls(wire, credential, err) != KIN_OK ||
        write_headers(x, credential, &texts, &headers, err) != KIN_OK) {
        return err->code;
    }
    kin__http_request_options options = {
        .class_ = x->options.class_,
        .method = x->options.method,
        .target = x->options.target,
        .headers = headers,
        .body = x->options.body,
        .accepts_gzip = !wire->no_compression,
        .deadline_ms = left_ms(x),
        .idle_ms = x->options.idle_ms,
        .connect_ms = x->options.connect_ms,
        .handler = { .context = x, .on_head = on_head, .on_body = on_body, .on_end = on_http_end },
    };
    kin_err code = kin__http_start(wire->http, &options, &x->request, err);
    kin__free(headers);
    if (code == KIN_OK) {
        kin__status_fini(&x->status);
        x->has_head = false;
        x->is_good = false;
        x->credential = credential->version;
        x->has_token = false;
        x->sent++;
        x->sent_at = kin__loop_now_ms(wire->loop);
        kin__request_metrics_begin(&wire->metrics);
    }
    return code;
}

/* Until the deadline, and never 0 where there is one; one that is too far off for HTTP is none. */
static uint32_t left_ms(const kin__exchange *x)
{
    int64_t left = x->options.deadline_at - kin__loop_now_ms(x->wire->loop);

    if (x->options.deadline_at == 0 || left > UINT32_MAX) {
        return 0;
    }
    return left < 1 ? 1 : (uint32_t) left;
}

static kin_err use_tls(kin__wire *wire, const kin__credential *credential, kin_error *err)
{
    kin__http_tls tls = {
        .ca = credential->ca,
        .certificate = credential->certificate,
        .key = credential->key,
        .server_name = wire->server_name,
        .insecure = wire->insecure,
    };

    if (credential->tls_version == wire->tls_version) {
        return KIN_OK;
    }
    if (kin__http_set_tls(wire->http, &tls, err) != KIN_OK) {
        return err->code;
    }
    wire->tls_version = credential->tls_version;
    return KIN_OK;
}

/* `out` is a block for kin__free(); its texts lie in `texts` and in the credential. */
static kin_err write_headers(const kin__exchange *x, const kin__credential *credential,
                             kin__buf *texts, const char ***out, kin_error *err)
{
    size_t count = 0;

    while (credential->headers != NULL && credential->headers[count] != NULL) {
        count++;
    }
    const char **headers = kin__alloc_zero(count + 3, sizeof *headers);
    if (headers == NULL) {
        return kin__error_no_memory(err);
    }
    kin__buf_append_format(texts, "Accept: %s", x->options.accept);
    kin__buf_append_byte(texts, '\0');
    size_t type = texts->len;
    if (x->options.content_type != NULL) {
        kin__buf_append_format(texts, "Content-Type: %s", x->options.content_type);
        kin__buf_append_byte(texts, '\0');
    }
    if (kin__buf_failed(texts)) {
        kin__free(headers);
        return kin__error_no_memory(err);
    }
    if (count != 0) {
        memcpy(headers, credential->headers, count * sizeof *headers);
    }
    headers[count++] = texts->data;
    headers[count] = x->options.content_type != NULL ? texts->data + type : NULL;
    *out = headers;
    return KIN_OK;
}

static kin_err on_head(void *context, const kin__http_head *head, kin_error *err)
{
    kin__exchange *x = context;
    kin_err code = KIN_OK;

    x->has_head = true;
    x->http_status = head->status;
    count_answer(x, head->status);
    x->retry_after_ms = head->retry_after_ms;
    x->is_good = head->status >= 200 && head->status < 300;
    kin__buf_clear(&x->content_type);
    kin__buf_clear(&x->refusal);
    kin__buf_clear(&x->warnings);
    if (!x->is_good) {
        kin__buf_append_str(&x->content_type, head->content_type);
    }
    kin__buf_append_str(&x->warnings, head->warnings);
    if (head->status >= 300 && head->status < 400) {
        return kin__error_set(err, KIN_ERR_PROTOCOL,
                              "redirected to %.*s (%d), which is not followed",
                              KIN_STR_ARG(head->location), head->status);
    }
    if (kin__buf_failed(&x->content_type) || kin__buf_failed(&x->warnings)) {
        return kin__error_no_memory(err);
    }
    if (x->is_good) {
        x->has_begun = true;
        x->depth++;
        code = x->options.handler.on_open(x->options.handler.context, head->status,
                                          head->content_type, err);
        leave(x);
    }
    return code;
}

static kin_err on_body(void *context, const char *bytes, size_t len, kin_error *err)
{
    kin__exchange *x = context;

    if (!x->is_good) {
        size_t room = REFUSAL_MAX - x->refusal.len;

        kin__buf_append(&x->refusal, bytes, len < room ? len : room);
        return kin__buf_failed(&x->refusal) ? kin__error_no_memory(err) : KIN_OK;
    }
    x->depth++;
    kin_err code = x->options.handler.on_body(x->options.handler.context, bytes, len, err);
    leave(x);
    return code;
}

static void on_http_end(void *context, const kin_error *err)
{
    kin__exchange *x = context;
    kin_error mine;

    x->depth++;
    kin__http_request_free(x->request);
    x->request = NULL;
    kin__request_metrics_end(&x->wire->metrics);
    if (!x->has_head) {
        count_answer(x, 0);
    }
    if (err != NULL && !is_refusal(x, err)) {
        mine = *err;
        finish_attempt(x, &mine);
    } else if (!x->is_good) {
        kin__status_fini(&x->status);
        kin__status_read(x->http_status, kin__str(x->content_type.data, x->content_type.len),
                         kin__str(x->refusal.data, x->refusal.len), x->retry_after_ms, &x->status,
                         &mine);
        finish_attempt(x, &mine);
    } else {
        end(x, NULL);
    }
    leave(x);
}

static void count_answer(kin__exchange *x, int http_status)
{
    kin__request_metrics_answer(&x->wire->metrics, x->options.method,
                                x->options.class_ == KIN__HTTP_WATCH, http_status,
                                kin__loop_now_ms(x->wire->loop) - x->sent_at);
}

/* A server that does not want us may say so and cut the connection before its last word, the more
 * so when it has not read our body: what its head said still counts. */
static bool is_refusal(const kin__exchange *x, const kin_error *err)
{
    return err->code == KIN_ERR_CLOSED && x->has_head && !x->is_good;
}

static void finish_attempt(kin__exchange *x, kin_error *err)
{
    bool is_read = strcmp(x->options.method, "GET") == 0;
    kin__retry_answer next = kin__retry_next(&x->retry, err, is_read, x->has_begun);

    switch (next.kind) {
    case KIN__RETRY_RENEWED:
        if (kin__identity_refused(x->wire->identity, x->credential)) {
            wait_ms(x, 0);
            return;
        }
        break;
    case KIN__RETRY_LATER:
        if (!x->options.no_retry &&
            (x->options.deadline_at == 0 ||
             kin__loop_now_ms(x->wire->loop) + next.wait_ms < x->options.deadline_at)) {
            wait_ms(x, next.wait_ms);
            return;
        }
        break;
    case KIN__RETRY_NO:
        break;
    }
    end(x, err);
}

static void wait_ms(kin__exchange *x, uint32_t ms)
{
    kin_error err;

    if (kin__timer_set(x->wire->loop, &x->timer, kin__loop_now_ms(x->wire->loop) + ms, &err) !=
        KIN_OK) {
        end(x, &err);
    }
}

static void end(kin__exchange *x, const kin_error *err)
{
    kin__exchange_end how = {
        .error = err,
        .http_status = x->http_status,
        .attempts = x->sent,
        .cause = err != NULL ? x->status.cause : NULL,
        .continue_token = err != NULL ? x->status.continue_token : NULL,
        .warnings = kin__str(x->warnings.data, x->warnings.len),
    };

    if (!x->has_ended && !x->is_freed) {
        x->has_ended = true;
        x->options.handler.on_end(x->options.handler.context, &how);
    }
}

/* So that calls that were given up hold up nobody. */
static void give_token_back(kin__exchange *x)
{
    if (x->has_token) {
        x->has_token = false;
        kin__bucket_give_back(x->wire->limit);
    }
}

static void leave(kin__exchange *x)
{
    if (--x->depth == 0 && x->is_freed) {
        release(x);
    }
}

static void release(kin__exchange *x)
{
    kin__buf_fini(&x->content_type);
    kin__buf_fini(&x->refusal);
    kin__buf_fini(&x->warnings);
    kin__status_fini(&x->status);
    kin__free(x);
}
