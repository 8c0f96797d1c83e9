/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/listener.h - the server itself: its port, and what its connections share.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_HTTPD_LISTENER_H
#define KIN_HTTPD_LISTENER_H

#include <netinet/in.h>
#include <openssl/ssl.h>

#include "base/list.h"
#include "httpd/httpd.h"

#define KIN__READ_MAX ((size_t) 64 * 1024)

struct kin__httpd {
    kin_loop *loop;
    void (*on_request)(kin__visit *visit, void *context);
    void *context;
    size_t body_max;
    kin__welcome welcome;
    SSL_CTX *tls; /* owned; NULL: none */
    kin__list connections;
    kin__list orphans; /* visits that are not answered yet, and nobody waits for the answer */
    kin__httpd_counts counts;
    uint16_t port;
    int port_fd;           /* bound, and not listening: the port stays ours while nobody listens */
    kin__watched listener; /* fd -1: nobody listens */
    kin__timer pause;      /* set: nothing is accepted until then */
    struct sockaddr_storage address; /* with the port */
    socklen_t address_len;
    int64_t date_s; /* of which second `date` is */
    char date[40];
    char *scratch; /* KIN__READ_MAX: what was just read */
    char *record;  /* KIN__RECORD_MAX: see kin__wire_write() */
};

/* A descriptor is free again: accepting goes on, if it was paused. */
void kin__httpd_note_closed(kin__httpd *httpd);

/* Takes it off the loop. */
void kin__httpd_unwatch(kin__httpd *httpd, kin__watched *watched);

/* "Mon, 02 Jan 2006 15:04:05 GMT".  Borrowed until the next call. */
kin_str kin__httpd_date(kin__httpd *httpd);

#endif /* KIN_HTTPD_LISTENER_H */
