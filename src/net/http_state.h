/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/http_state.h - what is inside an HTTP client, for the files that make it up.
 *
 *   http.c           making, freeing, lanes, admission
 *   http_request.c   one request: its options, its callbacks, its end
 *   http_material.c  whom to trust and who we are
 *
 * Callbacks of the caller may do anything, also free the request they belong to, or all of it.  So
 * whatever may call one stands between kin__http_enter() and kin__http_leave(), and what was freed
 * meanwhile goes when the outermost of these is left.
 */
#ifndef KIN_NET_HTTP_STATE_H
#define KIN_NET_HTTP_STATE_H

#include "base/buf.h"
#include "base/kept_error.h"
#include "net/gunzip.h"
#include "net/http_head.h"
#include "net/lane.h"

typedef struct kin__http_material kin__http_material;

struct kin__http {
    kin_loop *loop;
    /* Owned. */
    char *scheme;      /* "https" */
    char *host;        /* "10.0.0.1", "[::1]" */
    char *port;        /* "6443" */
    char *prefix;      /* "" or "/k8s" */
    char *address;     /* "10.0.0.1:6443" */
    char *host_header; /* "Host: 10.0.0.1:6443" */
    char *user_agent;
    char *proxy; /* "": none */

    bool has_tls;
    bool is_http1_only;
    uint32_t connect_timeout_ms;
    uint32_t dead_host_ms;

    kin__http_material *material; /* shared: for lanes that are opened from now on */
    kin__admission admission;
    kin__http_request *requests; /* that have not ended */
    kin__http_request *doomed;   /* to be taken from libcurl when it is not running */
    kin__job job;
    uint32_t depth; /* of kin__http_enter() */
    bool is_dying;
};

struct kin__http_request {
    kin__ticket ticket; /* first */
    kin__http *http;    /* NULL: it has ended */
    kin__lane *lane;    /* NULL: it waits, or has ended */
    kin__lane_way way;
    uint32_t losses; /* connections it was on that the server closed */
    CURL *easy;
    struct curl_slist *headers;
    char *method;
    char *target; /* NULL: it is answered */
    kin__buf body;
    kin__http_handler handler;

    kin__timer timer;       /* for whatever is due first */
    int64_t deadline_at_ms; /* INT64_MAX: none */
    int64_t connect_at_ms;
    int64_t last_byte_ms;
    uint32_t deadline_ms;
    uint32_t idle_ms;
    uint32_t connect_ms;

    kin__head_reader head;
    kin__gunzip *gunzip;
    uint64_t received; /* bytes of the body, as they came */
    bool accepts_gzip;
    bool is_placed; /* has been on a connection */
    bool is_repeatable;
    bool is_quiet; /* no more callbacks */
    bool is_doomed;
    bool is_freed;           /* by its owner, while libcurl was running */
    kin__kept_error failure; /* of the caller's callbacks */
    char detail[CURL_ERROR_SIZE];

    kin__http_request *previous;
    kin__http_request *next;
    kin__http_request *next_doomed;
};

/* ---- http.c ---- */

void kin__http_enter(kin__http *http);
void kin__http_leave(kin__http *http);

/* The end of a request: takes it from its lane or queue and from the loop. */
void kin__http_detach(kin__http *http, kin__http_request *request);

/* Ends a request that has failed; and where it could not be connected, those that wait for the same
 * connection, which need not try one after the other. */
void kin__http_fail(kin__http *http, kin__http_request *request, const kin_error *err);

/* ---- http_request.c ---- */

/* Detaches it, and tells its handler: `err` without the words before it, NULL when all is well. */
void kin__http_request_end(kin__http_request *request, const kin_error *err);

/* Ready for its lane, whose material it uses from now on.  Fails with NO_MEMORY, TLS. */
kin_err kin__http_request_prepare(kin__http_request *request, kin_error *err) KIN_MUST_CHECK;

/* libcurl is through with it. */
void kin__http_request_done(kin__http_request *request, CURLcode code, kin_error *err);

/* Releases its memory; it is detached. */
void kin__http_request_release(kin__http_request *request);

/* ---- http_material.c ---- */

struct kin__http_material {
    uint32_t refs; /* on the loop only */
    kin__buf ca;
    kin__buf certificate;
    kin__buf key;
    char *server_name;             /* NULL: the host */
    struct curl_slist *connect_to; /* the host, when there is a server name */
    bool insecure;
};

/* A copy of `tls`; NULL: all zero.  `address` is "host:port".  Shared.  Fails with NO_MEMORY. */
kin_err kin__http_material_new(const kin__http_tls *tls, const char *address,
                               kin__http_material **out, kin_error *err) KIN_MUST_CHECK;
kin__http_material *kin__http_material_ref(kin__http_material *material);
void kin__http_material_unref(kin__http_material *material); /* NULL is ignored */
KIN__DEFINE_AUTO(kin__http_material, kin__http_material_unref)

bool kin__http_material_equal(const kin__http_material *a, const kin__http_material *b);

/* Borrowed by `easy` until it is cleaned up. */
CURLcode kin__http_material_apply(const kin__http_material *material, CURL *easy);

#endif /* KIN_NET_HTTP_STATE_H */
