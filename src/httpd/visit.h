/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/visit.h - a request and its answer, on whatever protocol.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_HTTPD_VISIT_H
#define KIN_HTTPD_VISIT_H

#include "base/buf.h"
#include "base/list.h"
#include "httpd/outgoing.h"

typedef struct kin__connection kin__connection;

typedef enum kin__framing {
    KIN__FRAMING_NONE,   /* no body at all */
    KIN__FRAMING_LENGTH, /* as many bytes as the head has said */
    KIN__FRAMING_CHUNKS,
    KIN__FRAMING_FRAMES, /* of a WebSocket: the source has framed it */
    KIN__FRAMING_CLOSE   /* until the connection ends: HTTP/1.0 */
} kin__framing;

struct kin__visit {
    kin__connection *connection; /* borrowed; NULL: it is gone */
    kin__link link;              /* on a list of its connection, or the httpd's orphans */
    kin__visit_request request;
    kin__buf text;  /* what the request's parts lie in */
    kin_str fields; /* in `text`; see kin__field_next() */
    kin__buf body;  /* of the request */
    kin__buf peer;
    void *data;
    void (*gone)(kin__visit *visit, void *context);
    void *gone_context;
    bool is_asked;    /* the layer above has it */
    bool is_answered; /* and has answered */
    bool is_over;     /* no longer anybody's: being released */
    bool is_resumed;  /* since it last said WAIT */
    bool is_head;     /* a HEAD request */
    /* Of HTTP/2: */
    int32_t stream;
    bool has_head;          /* of the request */
    bool has_fields;        /* beside the pseudo headers */
    bool is_head_too_large; /* what came beyond is not kept */
    bool is_received;       /* the request is whole */
    bool is_ready;          /* to be handed over */
    size_t head_cost;
    size_t fields_at; /* where `fields` will begin in `text` */
    kin__framing framing;
    kin__body_state state; /* what the source has said last */
    kin__body source;      /* `next` NULL: none */
    kin__buf head;         /* of the answer */
    kin__outgoing outgoing;
};

/* NULL: no memory. */
kin__visit *kin__visit_new(kin__connection *connection);

/* Hands it to the layer above.  Its connection is entered.  Without memory for that the connection
 * is closed. */
void kin__visit_ask(kin__visit *visit);

/* It is over: releases the source, tells that the client has gone if nobody has answered. */
void kin__visit_end(kin__visit *visit);

/* Releases the ones that nobody has answered. */
void kin__visits_end_orphans(kin__list *orphans);

/* Asks the source for more; as kin__outgoing_ask(). */
void kin__visit_pull(kin__visit *visit);

/* How long the body is that the first answer of the source has; false when that is not known, or it
 * is over `max`. */
bool kin__visit_get_length(const kin__visit *visit, size_t max, size_t *out);

#endif /* KIN_HTTPD_VISIT_H */
