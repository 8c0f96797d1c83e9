/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/outgoing.h - what a body's source has just given, on its way out.
 *
 * The pieces stay where the source has them; what frames them lies around them, so that one
 * writev(2) sends all of it.  What was sent is cut off at the front.
 *
 * All zero is empty.  Threading: confined.
 */
#ifndef KIN_HTTPD_OUTGOING_H
#define KIN_HTTPD_OUTGOING_H

#include <sys/uio.h>

#include "httpd/httpd.h"

#define KIN__OUTGOING_FRONT 2 /* a head, and a chunk's size */
#define KIN__OUTGOING_PARTS (KIN__OUTGOING_FRONT + KIN__BODY_PIECES + 1)

typedef struct kin__outgoing {
    struct iovec parts[KIN__OUTGOING_PARTS];
    unsigned first;
    unsigned end; /* behind the last one; `first` when nothing is left */
    size_t len;   /* bytes that are left */
    char size[20];
} kin__outgoing;

/* Asks the source for its next pieces.  Nothing is left when it is called; empty pieces are left
 * out. */
kin__body_state kin__outgoing_ask(kin__outgoing *outgoing, const kin__body *body);

/* Makes a chunk of the pieces, if there are any; with `is_last` the end of the body behind it.
 * Once, after kin__outgoing_ask(). */
void kin__outgoing_make_chunk(kin__outgoing *outgoing, bool is_last);

/* Puts bytes in front, once and as the last step; borrowed. */
void kin__outgoing_put_first(kin__outgoing *outgoing, kin_str bytes);

/* Puts bytes behind the pieces, once; borrowed. */
void kin__outgoing_put_last(kin__outgoing *outgoing, kin_str bytes);

/* Cuts off what was sent: `count` of `len`. */
void kin__outgoing_cut(kin__outgoing *outgoing, size_t count);

void kin__outgoing_clear(kin__outgoing *outgoing);

#endif /* KIN_HTTPD_OUTGOING_H */
