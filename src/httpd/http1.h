/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/http1.h - HTTP/1.1 on a connection: one request after the other.
 *
 * Threading: confined to the loop; the connection is entered.
 */
#ifndef KIN_HTTPD_HTTP1_H
#define KIN_HTTPD_HTTP1_H

#include "httpd/chunks.h"
#include "httpd/head.h"
#include "httpd/upgrade.h"
#include "httpd/visit.h"

typedef enum kin__http1_stage {
    KIN__HTTP1_HEAD, /* waits for a request */
    KIN__HTTP1_LENGTH,
    KIN__HTTP1_CHUNKS,
    KIN__HTTP1_ANSWER,  /* the visit is the layer's above, or being answered */
    KIN__HTTP1_UPGRADED /* it is answered, and what comes are frames of a WebSocket */
} kin__http1_stage;

typedef struct kin__http1 {
    kin__http1_stage stage;
    kin__visit *visit; /* owned; NULL while a head is awaited */
    kin__buf in;       /* what has come and is not read yet */
    size_t in_at;      /* how much of `in` is used up */
    size_t scanned;    /* of the head, see kin__head_find_end() */
    uint64_t left;     /* of the body */
    kin__chunks chunks;
    kin__upgrade *upgrade; /* owned; NULL: none */
    unsigned minor;        /* of the request's version */
    bool is_kept;          /* the connection goes on after this answer */
    bool is_all_here;      /* the client will say no more */
    bool is_leaving;       /* the next answer is the last */
} kin__http1;

void kin__http1_fini(kin__http1 *http1);

/* Bytes that have arrived. */
void kin__http1_feed(kin__connection *connection, const char *bytes, size_t len);

/* The client has said all it will. */
void kin__http1_note_end(kin__connection *connection);

/* Goes on with requests that have come in the meantime. */
void kin__http1_run(kin__connection *connection);

/* Whether there is room for more. */
bool kin__http1_wants_input(const kin__connection *connection);

/* Sends what there is to send. */
void kin__http1_pump(kin__connection *connection);

/* The source has been asked for the first time.  Fails with NO_MEMORY. */
kin_err kin__http1_reply(kin__visit *visit, int status, const kin__visit_field *fields,
                         size_t count, kin_error *err) KIN_MUST_CHECK;

/* The same for a WebSocket; the source has not been asked. */
kin_err kin__http1_upgrade(kin__visit *visit, kin_str protocols, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_HTTPD_HTTP1_H */
