/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/relay.h - a wire on loopback that a test can cut.
 *
 *     relay *r = relay_start(server_port);
 *     ... a client connects to relay_port(r) ...
 *     relay_cut(r, RELAY_RESET);
 *     relay_stop(r);
 *
 * Each connection to the relay is one to the server; bytes go through unread, TLS or not.  What
 * one side ends, the other sees ended in the same way: by a FIN or a reset.
 *
 * The port is never one that the kernel gives to clients, and stays the relay's while it refuses:
 * a client that tries again and again meets nobody else there, not even itself.
 *
 * What does not work fails the test.  Nothing here uses the library.
 *
 * Threading: thread-safe, but for relay_stop(), which is the last call.  Returns from each call
 * when it holds: what comes after a cut goes over new connections.
 */
#ifndef TESTS_SUPPORT_RELAY_H
#define TESTS_SUPPORT_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#define RELAY_CONNECTIONS_MAX 256

typedef struct relay relay;

/* To the port of 127.0.0.1.  It need not be there yet: as long as it is not, connections are
 * accepted and reset. */
relay *relay_start(int server_port);

/* Resets what is open.  NULL is ignored. */
void relay_stop(relay *r);

int relay_port(const relay *r);

typedef enum relay_end {
    RELAY_RESET, /* a RST to both sides */
    RELAY_CLOSE  /* a FIN to both sides, in the middle of whatever was under way */
} relay_end;

/* Ends all connections; bytes that are on their way are lost. */
void relay_cut(relay *r, relay_end how);

/* Nothing is forwarded, no end either, and nothing is closed.  New connections are accepted.  What
 * was on its way arrives when that is over. */
void relay_stall(relay *r, bool is_stalled);

/* Each byte arrives that much later; 0: at once. */
void relay_delay(relay *r, int delay_ms);

/* New connections are refused, as if nobody listened; those that are open stay. */
void relay_refuse(relay *r, bool is_refusing);

typedef struct relay_counts {
    uint64_t accepted; /* ever */
    uint64_t failed;   /* of them: the server did not take */
    uint64_t open;     /* now */
    uint64_t up_bytes; /* that were delivered to the server */
    uint64_t down_bytes;
} relay_counts;

relay_counts relay_count(relay *r);

#endif /* TESTS_SUPPORT_RELAY_H */
