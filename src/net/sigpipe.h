/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/sigpipe.h - keeping SIGPIPE from a thread of the program.
 *
 * Writing to a connection that is gone raises it, and by default that ends the program.  libcurl
 * and its TLS libraries write without MSG_NOSIGNAL in places, and the disposition is the program's.
 * So the signal is blocked on this thread for a while, and one that came meanwhile is taken back.
 */
#ifndef KIN_NET_SIGPIPE_H
#define KIN_NET_SIGPIPE_H

#include <signal.h>
#include <stdbool.h>

/* The thread's state before. */
typedef struct kin__sigpipe {
    sigset_t mask;
    bool was_pending;
} kin__sigpipe;

void kin__sigpipe_block(kin__sigpipe *before);

/* On the same thread.  One that was pending before stays so. */
void kin__sigpipe_restore(const kin__sigpipe *before);

#endif /* KIN_NET_SIGPIPE_H */
