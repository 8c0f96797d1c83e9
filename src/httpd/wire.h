/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/wire.h - a connected socket, bare or with TLS.  Nothing here waits.
 *
 * Threading: confined.
 */
#ifndef KIN_HTTPD_WIRE_H
#define KIN_HTTPD_WIRE_H

#include <openssl/ssl.h>
#include <sys/uio.h>

#include "kin/common.h"

#define KIN__RECORD_MAX ((size_t) 16 * 1024) /* of one TLS record */

typedef enum kin__wire_state {
    KIN__WIRE_DONE,
    KIN__WIRE_WAIT,    /* nothing now; for reading, unless is_waiting_to_write says otherwise */
    KIN__WIRE_END,     /* the other side has said all */
    KIN__WIRE_NOT_TLS, /* of a handshake: the other side speaks bare HTTP */
    KIN__WIRE_BROKEN
} kin__wire_state;

typedef struct kin__wire {
    int fd;           /* owned */
    SSL *ssl;         /* owned; NULL: bare */
    size_t retry_len; /* of the record that could not be sent: it has to be the same again */
    bool is_waiting_to_write; /* what had to be read needs something to be sent */
} kin__wire;

/* Until DONE, before anything is read or written.  Not for a bare one. */
kin__wire_state kin__wire_shake_hands(kin__wire *wire);

/* DONE: `*got` bytes have come, one at least. */
kin__wire_state kin__wire_read(kin__wire *wire, char *into, size_t capacity, size_t *got);

/*
 * Sends as much as goes: DONE when that is all, else WAIT; `*sent` says how much.  After WAIT the
 * same bytes follow, from where it stopped; more may have come behind them.  `record` has room for
 * KIN__RECORD_MAX bytes; with TLS what is small is put together in it.
 */
kin__wire_state kin__wire_write(kin__wire *wire, const struct iovec *parts, size_t count,
                                char *record, size_t *sent);

/* No more will be sent; the other side may still say something. */
void kin__wire_end(kin__wire *wire);

void kin__wire_close(kin__wire *wire, bool with_reset);

#endif /* KIN_HTTPD_WIRE_H */
