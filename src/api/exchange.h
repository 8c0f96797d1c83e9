/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/exchange.h - a request and its good answer: credentials, rate limit and repeats included.
 *
 * What goes wrong on the way and can be mended is mended here (api/retry.h): whoever starts an
 * exchange sees one good answer, in pieces as it arrives, or one error.
 *
 * Threading: on the loop.
 */
#ifndef KIN_API_EXCHANGE_H
#define KIN_API_EXCHANGE_H

#include "api/identity.h"
#include "api/request_metrics.h"
#include "base/bucket.h"
#include "net/http.h"

/* What the exchanges of a client share; borrowed by each until its end. */
typedef struct kin__wire {
    kin_loop *loop;
    kin__http *http;
    kin__identity *identity;
    uint64_t tls_version;    /* of the credentials that `http` has; 0: none yet */
    kin__bucket *limit;      /* NULL: as many as there are */
    const char *server_name; /* of TLS; NULL: the host's */
    bool insecure;
    bool no_compression;
    kin__request_metrics metrics;
} kin__wire;

/* How it ended.  Borrowed for the call. */
typedef struct kin__exchange_end {
    const kin_error *error; /* NULL: the whole of a good answer has come */
    int http_status;        /* of the last answer; 0: none */
    uint32_t attempts;
    const char *cause;          /* of a refusal; NULL: none */
    const char *continue_token; /* ... */
    kin_str warnings;           /* one a line */
} kin__exchange_end;

typedef struct kin__exchange_handler {
    void *context;
    /* What these return other than KIN_OK ends it with that error. */
    kin_err (*on_open)(void *context, int http_status, kin_str content_type, kin_error *err);
    kin_err (*on_body)(void *context, const char *bytes, size_t len, kin_error *err);
    /* Once, as the last; never from inside start.  The exchange may be freed in it. */
    void (*on_end)(void *context, const kin__exchange_end *end);
} kin__exchange_handler;

/* Texts are borrowed until the end of the exchange; target and body until on_open, since what is
 * answered is never sent again. */
typedef struct kin__exchange_options {
    kin__http_class class_;
    const char *method;
    const char *target;
    const char *accept;
    const char *content_type; /* NULL: no body */
    kin_str body;
    bool is_limited;     /* by the client's rate limit */
    bool no_retry;       /* but after a 401, with renewed credentials */
    int64_t deadline_at; /* on the loop's clock; 0: none */
    uint32_t idle_ms;    /* 0: none */
    uint32_t connect_ms; /* 0: as the client's */
    kin__exchange_handler handler;
} kin__exchange_options;

typedef struct kin__exchange kin__exchange;

/* `wire` is borrowed until free.  Fails with NO_MEMORY. */
kin_err kin__exchange_start(kin__wire *wire, const kin__exchange_options *options,
                            kin__exchange **out, kin_error *err) KIN_MUST_CHECK;

/* Ends it without a word, also from inside its callbacks.  NULL is ignored. */
void kin__exchange_free(kin__exchange *exchange);

/* How long it may go without a byte from now on; 0: for ever. */
kin_err kin__exchange_set_idle(kin__exchange *exchange, uint32_t idle_ms,
                               kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_API_EXCHANGE_H */
