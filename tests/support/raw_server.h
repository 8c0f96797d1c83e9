/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/raw_server.h - a server on loopback that says exactly what a test wants it to say.
 *
 * Each connection has a thread that runs the test's function, which reads and writes bytes as it
 * likes: half an answer, garbage, nothing at all.  A read or write on a connection that is gone
 * returns false; the function then returns.  Whatever blocks ends when the server is stopped.
 */
#ifndef TESTS_SUPPORT_RAW_SERVER_H
#define TESTS_SUPPORT_RAW_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "support/certificates.h"

#define RAW_REQUEST_MAX (1536 * 1024)

typedef struct raw_server raw_server;

typedef struct raw_connection {
    raw_server *server;
    void *context; /* the options' */
    int fd;
    SSL *ssl;                      /* NULL: no TLS */
    int number;                    /* from 1, as they came */
    char request[RAW_REQUEST_MAX]; /* the last one, terminated: head and body */
    size_t request_len;
} raw_connection;

typedef struct raw_server_options {
    void (*serve)(raw_connection *connection);
    void *context;
    const identity *tls;       /* who it is; NULL: no TLS */
    const identity *client_ca; /* asks for a certificate signed by this one; NULL: does not */
    bool has_http2;            /* offers h2 */
} raw_server_options;

/* Fails the test when it cannot. */
raw_server *raw_server_start(const raw_server_options *options);
void raw_server_stop(raw_server *server);

int raw_server_port(const raw_server *server);
int raw_server_count_connections(raw_server *server); /* all that were ever accepted */

/* Reads a head and the body that its Content-Length announces. */
bool raw_read_request(raw_connection *connection);

/* Some bytes, at least one. */
bool raw_read(raw_connection *connection, char *bytes, size_t size, size_t *len);
bool raw_write(raw_connection *connection, const char *chars);
bool raw_write_bytes(raw_connection *connection, const char *bytes, size_t len);

/* Waits until the other side has closed. */
void raw_wait_for_end(raw_connection *connection);

/* Breaks the connection at once: the other side gets a reset. */
void raw_reset(raw_connection *connection);

/* A door that the test opens: connections wait in raw_wait_at_door(). */
void raw_open_door(raw_server *server);
bool raw_wait_at_door(raw_connection *connection);

#endif /* TESTS_SUPPORT_RAW_SERVER_H */
