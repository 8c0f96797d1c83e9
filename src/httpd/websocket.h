/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/websocket.h - the frames of a WebSocket (RFC 6455), and the key of its handshake.
 *
 * What a client sends is read as Go's golang.org/x/net/websocket reads it, which kube-apiserver
 * uses: its frames must be masked, reserved bits and unknown opcodes are not looked at, a ping is
 * answered with its first 125 bytes, and of messages nothing is kept.
 *
 * Threading: pure functions; a reader is confined.
 */
#ifndef KIN_HTTPD_WEBSOCKET_H
#define KIN_HTTPD_WEBSOCKET_H

#include "kin/common.h"

typedef enum kin__websocket_opcode {
    KIN__WEBSOCKET_TEXT = 1,
    KIN__WEBSOCKET_BINARY = 2,
    KIN__WEBSOCKET_CLOSE = 8,
    KIN__WEBSOCKET_PING = 9,
    KIN__WEBSOCKET_PONG = 10
} kin__websocket_opcode;

#define KIN__WEBSOCKET_HEAD_MAX 10     /* of a frame that is not masked */
#define KIN__WEBSOCKET_CONTROL_MAX 125 /* bytes in a ping, a pong, a close */
#define KIN__WEBSOCKET_FRAME_MAX ((uint64_t) 32 << 20)

/* Writes the head of a frame of `len` bytes that is a message by itself; returns the head's length.
 */
size_t kin__websocket_write_head(kin__websocket_opcode opcode, uint64_t len,
                                 char out[KIN__WEBSOCKET_HEAD_MAX]);

/* What the server says to a client's Sec-WebSocket-Key, without an end.  False: no memory. */
#define KIN__WEBSOCKET_ACCEPT_LEN 28
bool kin__websocket_accept(kin_str key, char out[KIN__WEBSOCKET_ACCEPT_LEN]);

/* All zero: between two frames. */
typedef struct kin__websocket_reader {
    unsigned char head[14];
    unsigned head_len; /* of it, that is there */
    bool is_inside;    /* the head is whole, and `left` bytes of its frame are still to come */
    uint64_t left;
    uint64_t at; /* in the frame: for the mask */
    unsigned control_len;
    char control[KIN__WEBSOCKET_CONTROL_MAX]; /* of a ping */
} kin__websocket_reader;

typedef enum kin__websocket_step {
    KIN__WEBSOCKET_ON,       /* all bytes are used, and nothing is to be done */
    KIN__WEBSOCKET_PINGED,   /* a ping has come: `control` is to be sent back */
    KIN__WEBSOCKET_CLOSED,   /* the client says that it is the end */
    KIN__WEBSOCKET_UNMASKED, /* a frame that is not masked */
    KIN__WEBSOCKET_TOO_LARGE /* a frame over KIN__WEBSOCKET_FRAME_MAX */
} kin__websocket_step;

/* Reads what a client has sent, up to the next thing to be done; `*used` says how far.  After the
 * last three nothing more is to be read. */
kin__websocket_step kin__websocket_read(kin__websocket_reader *reader, const char *bytes,
                                        size_t len, size_t *used);

/* Goes along with frames that the server sends. */
void kin__websocket_follow(kin__websocket_reader *reader, const char *bytes, size_t len);

/* Whether another frame may begin. */
bool kin__websocket_is_between(const kin__websocket_reader *reader);

#endif /* KIN_HTTPD_WEBSOCKET_H */
