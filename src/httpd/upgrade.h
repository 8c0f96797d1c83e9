/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/upgrade.h - a connection of HTTP/1.1 that has become a WebSocket.
 *
 * What the source of the answer gives is sent as it is: whole frames, one behind the other.  Pongs
 * go between them, one at a time: while one waits to be sent nothing more is read, so that a client
 * who pings and does not listen holds nothing but its own connection.
 *
 * Threading: confined to the loop; the connection is entered.
 */
#ifndef KIN_HTTPD_UPGRADE_H
#define KIN_HTTPD_UPGRADE_H

#include "httpd/head.h"
#include "httpd/visit.h"
#include "httpd/websocket.h"

#define KIN__UPGRADE_PONG_MAX (2 + KIN__WEBSOCKET_CONTROL_MAX)

typedef struct kin__upgrade {
    kin__websocket_reader in;
    kin__websocket_reader out;
    bool is_pinged; /* a pong waits for the end of what is being sent */
    bool is_ending; /* the client has said all, or nonsense: `last_words` are what is still said */
    kin_str last_words;               /* static */
    char pong[KIN__UPGRADE_PONG_MAX]; /* that is being sent */
} kin__upgrade;

/* NULL: no memory.  Release with kin__free(). */
kin__upgrade *kin__upgrade_new(void);

/* Appends the answer to a request for a WebSocket, `protocols` being those that the client offers:
 * 101, or why not, which `*is_refused` says.  False: no memory. */
bool kin__upgrade_answer(const kin__visit *visit, kin_str protocols, kin__buf *out,
                         bool *is_refused);

/* Bytes from the client; how many are used: all, unless a pong waits. */
size_t kin__upgrade_read(kin__upgrade *upgrade, const char *bytes, size_t len);

/* The client will say no more. */
void kin__upgrade_note_end(kin__upgrade *upgrade);

/* Of what the source has just given: puts a pong in front where one waits, and behind the last
 * frame that it is the end. */
void kin__upgrade_frame(kin__upgrade *upgrade, kin__outgoing *outgoing, bool is_last);

/* Puts a pong into what is empty; false when none waits, or a frame is not ended. */
bool kin__upgrade_put_pong(kin__upgrade *upgrade, kin__outgoing *outgoing);

/* What is said before the connection ends, in the middle of a frame nothing. */
kin_str kin__upgrade_last_words(const kin__upgrade *upgrade);

#endif /* KIN_HTTPD_UPGRADE_H */
