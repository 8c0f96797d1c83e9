/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/httpd.h - an HTTP server on a loop: what the layer above sees of it.
 *
 * A kin__httpd listens; each request that has come whole, head and body, is a kin__visit, handed to
 * `on_request`.  The layer above answers it then or later, once: with bytes, or with a source from
 * which the connection takes pieces whenever it can send.  HTTP/1.1 (keep-alive, pipelined requests
 * one after the other, chunked bodies both ways, Expect: 100-continue, WebSockets) and, over TLS by
 * ALPN, HTTP/2.
 *
 * What it promises
 *   - A connection holds at most one reading buffer and what the source has just given; a client
 *     that does not read holds up only its own visits.
 *   - Heads over 1 MiB are refused with 431, broken ones with 400; bodies over `body_max` are not
 *     kept: the visit then says so (is_too_large), and the connection ends after the answer.
 *   - Every visit ends once, and then its source is released, also when the client goes away.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_HTTPD_HTTPD_H
#define KIN_HTTPD_HTTPD_H

#include "httpd/authority.h"
#include "kin/log.h"
#include "net/loop.h"

typedef struct kin__httpd kin__httpd;
typedef struct kin__visit kin__visit;

typedef struct kin__httpd_options {
    kin_loop *loop;                  /* borrowed for the server's life */
    const char *address;             /* "127.0.0.1", "::1" */
    uint16_t port;                   /* 0: a free one */
    const kin__authority *authority; /* whose certificate it shows; borrowed for its life; NULL: no
                                        TLS */
    bool has_no_http2;
    size_t body_max;
    void (*on_request)(kin__visit *visit, void *context);
    void *context;
} kin__httpd_options;

/* Fails with SYSTEM (the port is taken), USAGE (no address), TLS, NO_MEMORY. */
kin_err kin__httpd_new(const kin__httpd_options *options, kin__httpd **out,
                       kin_error *err) KIN_MUST_CHECK;

/* Cuts what is open; sources are released within the call.  Not from inside a function that a
 * server has called.  NULL is ignored. */
void kin__httpd_free(kin__httpd *httpd);
KIN__DEFINE_AUTO(kin__httpd, kin__httpd_free)

uint16_t kin__httpd_port(const kin__httpd *httpd);

/* How new connections are met, for tests of clients. */
typedef enum kin__welcome {
    KIN__WELCOME,        /* they are served */
    KIN__WELCOME_REFUSE, /* nobody listens on the port; it is kept for later */
    KIN__WELCOME_RESET,  /* accepted, and reset at once */
    KIN__WELCOME_IGNORE  /* accepted, and nothing is ever read or said */
} kin__welcome;

kin_err kin__httpd_set_welcome(kin__httpd *httpd, kin__welcome how, kin_error *err) KIN_MUST_CHECK;

/* Resets every connection that is open; also from inside on_request. */
void kin__httpd_cut_all(kin__httpd *httpd);

/* Every connection that is open stands as if its host were gone: nothing is read, said or closed,
 * not even a ping answered, until they thaw.  Then they go on.  Connections to come are served; so
 * is the one from inside whose on_request this is called. */
void kin__httpd_freeze(kin__httpd *httpd);
void kin__httpd_thaw(kin__httpd *httpd);

/* HTTP/2 connections are told to go away: what is open goes on, new requests come on new ones.
 * HTTP/1.1: the next answer closes. */
void kin__httpd_go_away(kin__httpd *httpd);

typedef struct kin__httpd_counts {
    uint64_t connections; /* ever accepted */
    uint64_t visits;      /* ever begun */
    uint64_t bytes_out;   /* of bodies */
} kin__httpd_counts;

kin__httpd_counts kin__httpd_get_counts(const kin__httpd *httpd);

/* ---- a request ------------------------------------------------------------------------------ */

typedef struct kin__visit_request {
    kin_str method; /* "GET" */
    kin_str path;   /* as it came, escapes and all, without the query: "/api/v1/pods" */
    kin_str query;  /* behind the '?', without it */
    kin_str body;
    bool is_too_large; /* the body was over body_max; `body` is empty */
    bool is_http2;
    bool is_foreign;            /* with a certificate that is not good: see peer_name */
    kin_str peer_name;          /* CN of the client's certificate, if the authority signed it */
    kin_str peer_organizations; /* its O's, one behind the other, each ended by '\n' */
} kin__visit_request;

/* Borrowed, until the visit is answered and over. */
const kin__visit_request *kin__visit_get_request(const kin__visit *visit);

/* The first header of that name (any case) and, with `*at` going on from 0, the next ones; empty
 * data when there is none (any more). */
bool kin__visit_header(const kin__visit *visit, const char *name, size_t *at, kin_str *out);

/* One header after the other, with `*at` going on from 0; false when there is none any more. */
bool kin__visit_next_header(const kin__visit *visit, size_t *at, kin_str *name, kin_str *value);

/* A word of the layer above with each visit; NULL at first. */
void kin__visit_set_data(kin__visit *visit, void *data);
void *kin__visit_get_data(const kin__visit *visit);

/* ---- the answer ----------------------------------------------------------------------------- */

typedef struct kin__visit_field {
    kin_str name; /* "Content-Type" as HTTP/1.1 has it; lower case on HTTP/2 */
    kin_str value;
} kin__visit_field;

typedef enum kin__body_state {
    KIN__BODY_MORE, /* pieces were given, one at least; ask again when they are sent */
    KIN__BODY_WAIT, /* nothing now, or nothing behind these pieces: kin__visit_resume() says when */
    KIN__BODY_END,  /* the body is complete; pieces given with it are its last */
    KIN__BODY_CUT,  /* after the pieces given with it the connection is closed, the body unended; on
                       HTTP/2 the stream is reset */
    KIN__BODY_RESET /* the same, and the whole connection is reset */
} kin__body_state;

#define KIN__BODY_PIECES 64

/* The pieces that are to be sent next, in order; at most KIN__BODY_PIECES. */
typedef struct kin__body_pieces {
    kin_str pieces[KIN__BODY_PIECES]; /* borrowed until `next` is called again, or `release` */
    size_t count;
} kin__body_pieces;

typedef struct kin__body {
    /* Asked for whenever the connection can send; `out` comes with count 0.  Not called again after
     * END, CUT, RESET. */
    kin__body_state (*next)(void *context, kin__body_pieces *out);
    /* Once, when the visit is over, whatever way it ended.  After it nothing is called.  May use
     * other visits and the server, but not free that. */
    void (*release)(void *context);
    void *context;
} kin__body;

/*
 * Sends status and headers at once, together with what the source has when it is asked for the
 * first time, within the call.  Date, and what frames the body, are added: Content-Length for a
 * source that ends with its first answer and has up to 2,048 bytes (on HTTP/2 4,096), else chunked,
 * as Go's server does it; where `fields` have a Content-Length, that counts.  The visit is
 * consumed: it may be over when this returns.  `fields` are borrowed for the call; line breaks in
 * their values become spaces.  A HEAD request gets no body.  With "Connection: close" among the
 * fields the connection ends: on HTTP/2 it is told to go away, before the answer, as by Go's
 * server.
 *
 * Fails with NO_MEMORY; then the connection is closed, and the source is released all the same.
 */
kin_err kin__visit_reply(kin__visit *visit, int status, const kin__visit_field *fields,
                         size_t count, const kin__body *body, kin_error *err) KIN_MUST_CHECK;

/* The same for a body that is there: `body` is consumed. */
kin_err kin__visit_reply_bytes(kin__visit *visit, int status, const kin__visit_field *fields,
                               size_t count, kin__buf *body, kin_error *err) KIN_MUST_CHECK;

/* Whether it asks for a WebSocket.  Never on HTTP/2. */
bool kin__visit_wants_websocket(const kin__visit *visit);

/*
 * Answers a request that does: the connection becomes a WebSocket, and what the source gives is
 * sent as it is.  It gives frames (httpd/websocket.h), in pieces that may end anywhere; it is ended
 * by a Close.  Pings are answered between frames, messages are ignored, and a client that closes,
 * or sends what is no frame, ends the visit.  `protocols` is what it offers
 * (Sec-WebSocket-Protocol), or what is left of that: one is accepted, and none; several are
 * refused.  A handshake that is wrong is refused as golang.org/x/net/websocket does it, and the
 * connection closed; then the source is released without having been asked.
 *
 * The visit is consumed.  Fails with NO_MEMORY, as kin__visit_reply() does.
 */
kin_err kin__visit_upgrade(kin__visit *visit, kin_str protocols, const kin__body *body,
                           kin_error *err) KIN_MUST_CHECK;

/* No answer at all: the connection is closed, or reset.  On HTTP/2 only the stream is reset, or
 * with `with_reset` the whole connection. */
void kin__visit_drop(kin__visit *visit, bool with_reset);

/* The source that said WAIT has something again.  What can be sent is sent within the call, so that
 * the visit may be over when it returns; from inside on_request of the same connection, when that
 * returns.  Never called from within `next`. */
void kin__visit_resume(kin__visit *visit);

/* Called when the client goes away before the answer, for work that is put off; the visit is over
 * when `gone` returns.  NULL: nobody, and the visit stays until it is answered or dropped, which
 * then has no effect. */
void kin__visit_on_gone(kin__visit *visit, void (*gone)(kin__visit *visit, void *context),
                        void *context);

#endif /* KIN_HTTPD_HTTPD_H */
