/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/http.h - requests to one server, on libcurl: HTTP/2 or 1.1, TLS, proxies.
 *
 * Streams are admitted by us (net/admission.h), not by libcurl: with a thousand watches open a
 * write still goes out at once, and the connections stay few.  libcurl's own memory of secrets
 * (keys, headers) goes with the request or the connection.
 *
 * Threading: everything on the loop.
 */
#ifndef KIN_NET_HTTP_H
#define KIN_NET_HTTP_H

#include "net/loop.h"

typedef struct kin__http kin__http;
typedef struct kin__http_request kin__http_request;

typedef struct kin__http_options {
    kin_loop *loop;
    const char *base;       /* "https://10.0.0.1:6443" or with a path prefix, without a slash at
                               the end */
    const char *proxy;      /* its URL (http, https, socks5, socks5h); NULL: what the variables
                               HTTPS_PROXY, HTTP_PROXY and NO_PROXY say; "": none */
    const char *user_agent; /* NULL: "kinformer/VERSION" */
    bool http1_only;
    uint32_t connect_timeout_ms; /* to a connection ready for use, TLS included; 0: 30,000 */
    uint32_t dead_host_ms;       /* how long a host may not answer at all, by TCP keep-alive and
                                    user timeout; 0: 45,000 */
    uint32_t streams;            /* at most, on one HTTP/2 connection; 0: 100 */
    uint32_t connections;        /* at most; 0: 12 with HTTP/2, 1,024 with HTTP/1.1.  Where a
                                    server allows fewer than `streams` on one, or is closing
                                    some, as many more as make up for it */
} kin__http_options;

/* All is copied.  Fails with USAGE (no URL), NO_MEMORY. */
kin_err kin__http_new(const kin__http_options *options, kin__http **out,
                      kin_error *err) KIN_MUST_CHECK;

/* Ends all requests without calling on_end; their owners still free them.  Also from inside a
 * callback.  In a forked child the other side does not notice.  NULL is ignored. */
void kin__http_free(kin__http *http);

/* Whom to trust and who we are; PEM text, empty for none. */
typedef struct kin__http_tls {
    kin_str ca;          /* only these are trusted; empty: what the system trusts */
    kin_str certificate; /* with its chain */
    kin_str key;
    const char *server_name; /* to ask for and to verify; NULL: the host of `base` */
    bool insecure;           /* nothing is verified */
} kin__http_tls;

/* For connections from now on; copied.  Those that are open take no new requests and close when
 * their last one has ended.  Does nothing when nothing has changed.  Fails with NO_MEMORY;
 * that something is no PEM shows with the next connection, as TLS. */
kin_err kin__http_set_tls(kin__http *http, const kin__http_tls *tls, kin_error *err) KIN_MUST_CHECK;

/* What a request is, for admission. */
typedef enum kin__http_class {
    KIN__HTTP_READ,  /* gets and lists */
    KIN__HTTP_WATCH, /* streams that stay open */
    KIN__HTTP_WRITE  /* writes, leases: never behind any of the others */
} kin__http_class;

/* The head of the final answer (after 1xx).  Borrowed for the call. */
typedef struct kin__http_head {
    int status;
    kin_str content_type;    /* empty: none */
    kin_str location;        /* of a redirect, which is never followed */
    uint32_t retry_after_ms; /* of Retry-After in seconds or as a date; 0: none */
    bool is_http2;
    kin_str warnings; /* of the Warning headers with code 299: their texts, one a line */
    kin_str etag;
} kin__http_head;

typedef struct kin__http_handler {
    void *context;
    /* What these return other than KIN_OK (with `err` set) ends the request with that error. */
    kin_err (*on_head)(void *context, const kin__http_head *head, kin_error *err);
    kin_err (*on_body)(void *context, const char *bytes, size_t len, kin_error *err);
    /* Once, as the last; `err` is NULL when the whole answer came.  Not after
     * kin__http_request_free(). */
    void (*on_end)(void *context, const kin_error *err);
} kin__http_handler;

typedef struct kin__http_request_options {
    kin__http_class class_;
    const char *method;         /* "GET" */
    const char *target;         /* path and query, escaped: "/api/v1/pods?limit=500" */
    const char *const *headers; /* "Name: value" without line breaks, ends with NULL; NULL: none */
    kin_str body;               /* of POST, PUT, PATCH, DELETE; copied */
    bool accepts_gzip;          /* asks for gzip; on_body gets plain bytes */
    uint32_t deadline_ms;       /* for all of it, waiting for a place included; 0: none */
    uint32_t idle_ms;           /* without a byte, once it is sent; 0: none */
    uint32_t connect_ms;        /* as connect_timeout_ms, for this one alone where it is less; 0: as
                                   all */
    kin__http_handler handler;
} kin__http_request_options;

/*
 * Starts a request, or queues it for a place.  Its errors come through on_end, never before this
 * has returned:
 *   CONNECT  no such host, refused, unreachable, the proxy would not
 *   TLS      its certificate is not the server's, has expired, is signed by another, ...
 *   TIMEOUT  deadline, idle deadline, or connecting took too long: the message says which
 *   CLOSED   the connection was cut: before the answer, or inside it
 *   PROTOCOL what came is not HTTP, or not gzip
 * Where a connection cannot be made, all that wait for it end with the same error; where only one
 * of them would not wait for longer, that one.  A GET or HEAD
 * is sent again when a kept connection turns out to be closed; anything else never is.
 *
 * Each message names the server and what was asked ("GET https://...: ..."), never a header.
 *
 * `out` is owned by the caller; release with kin__http_request_free().  Fails with USAGE (a header
 * or target with a line break), NO_MEMORY.
 */
kin_err kin__http_start(kin__http *http, const kin__http_request_options *options,
                        kin__http_request **out, kin_error *err) KIN_MUST_CHECK;

/* Ends it at any moment, also from inside its own callbacks; no callback comes after.  With HTTP/2
 * the server hears of it at once or, before libcurl 8, with what is next sent on that connection.
 * NULL is ignored. */
void kin__http_request_free(kin__http_request *request);

/* Changes how long it may go without a byte from now on; 0: for ever. */
kin_err kin__http_request_set_idle(kin__http_request *request, uint32_t idle_ms,
                                   kin_error *err) KIN_MUST_CHECK;

/* For metrics and tests. */
typedef struct kin__http_counts {
    uint32_t connections; /* open now */
    uint32_t running;     /* requests that have a place */
    uint32_t waiting;     /* requests that wait for one */
} kin__http_counts;

kin__http_counts kin__http_count(const kin__http *http);

#endif /* KIN_NET_HTTP_H */
