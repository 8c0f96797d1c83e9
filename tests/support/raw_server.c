/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_server.c - threads that block on sockets, and are shaken off by shutdown().
 */
#include "support/raw_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/test.h"

#define CONNECTIONS_MAX 2048

typedef struct slot {
    raw_server *server;
    raw_connection *connection;
    pthread_t thread;
} slot;

struct raw_server {
    raw_server_options options;
    SSL_CTX *tls;
    int listener;
    int port;
    pthread_t acceptor;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t opened;
    bool is_open;
    bool is_stopping;
    int count;
    slot slots[CONNECTIONS_MAX];
};

static SSL_CTX *make_tls(const raw_server_options *options);
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                           const unsigned char *in, unsigned in_len, void *has_http2);
static void *accept_all(void *server);
static void *serve_one(void *slot);
static void start_connection(raw_server *server, int fd);
static void block_signals(void);

static void must(bool is_fine)
{
    if (!is_fine) {
        FAIL("cannot start a server");
    }
}

raw_server *raw_server_start(const raw_server_options *options)
{
    raw_server *server = calloc(1, sizeof *server);
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof address;
    must(server != NULL);
    server->options = *options;
    server->tls = options->tls != NULL ? make_tls(options) : NULL;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(server->listener >= 0 &&
         bind(server->listener, (struct sockaddr *) &address, sizeof address) == 0 &&
         listen(server->listener, 1024) == 0 &&
         getsockname(server->listener, (struct sockaddr *) &address, &len) == 0);
    server->port = ntohs(address.sin_port);
    (void) pthread_mutex_init(&server->lock, NULL);
    (void) pthread_cond_init(&server->opened, NULL);
    must(pthread_create(&server->acceptor, NULL, accept_all, server) == 0);
    return server;
}

void raw_server_stop(raw_server *server)
{
    if (server == NULL) {
        return;
    }
    (void) pthread_mutex_lock(&server->lock);
    server->is_stopping = true;
    server->is_open = true;
    (void) pthread_cond_broadcast(&server->opened);
    (void) shutdown(server->listener, SHUT_RDWR);
    (void) pthread_mutex_unlock(&server->lock);
    (void) pthread_join(server->acceptor, NULL);
    for (int i = 0; i < server->count; i++) {
        (void) shutdown(server->slots[i].connection->fd, SHUT_RDWR);
    }
    for (int i = 0; i < server->count; i++) {
        (void) pthread_join(server->slots[i].thread, NULL);
        (void) close(server->slots[i].connection->fd);
        free(server->slots[i].connection);
    }
    (void) close(server->listener);
    SSL_CTX_free(server->tls);
    (void) pthread_cond_destroy(&server->opened);
    (void) pthread_mutex_destroy(&server->lock);
    free(server);
}

int raw_server_port(const raw_server *server)
{
    return server->port;
}

int raw_server_count_connections(raw_server *server)
{
    (void) pthread_mutex_lock(&server->lock);
    int count = server->count;
    (void) pthread_mutex_unlock(&server->lock);
    return count;
}

bool raw_read(raw_connection *connection, char *bytes, size_t size, size_t *len)
{
    ssize_t count = connection->ssl != NULL ? SSL_read(connection->ssl, bytes, (int) size)
                                            : recv(connection->fd, bytes, size, 0);
    *len = count > 0 ? (size_t) count : 0;
    return count > 0;
}

bool raw_read_request(raw_connection *connection)
{
    connection->request_len = 0;
    connection->request[0] = '\0';
    for (;;) {
        char *end = strstr(connection->request, "\r\n\r\n");
        const char *length =
            end == NULL ? NULL : strcasestr(connection->request, "content-length:");
        size_t wanted = length == NULL ? 0 : strtoul(length + strlen("content-length:"), NULL, 10);
        if (end != NULL &&
            connection->request_len >= (size_t) (end - connection->request) + 4 + wanted) {
            return true;
        }
        size_t room = RAW_REQUEST_MAX - 1 - connection->request_len;
        size_t len;
        if (room == 0 ||
            !raw_read(connection, connection->request + connection->request_len, room, &len)) {
            return false;
        }
        connection->request_len += len;
        connection->request[connection->request_len] = '\0';
    }
}

bool raw_write(raw_connection *connection, const char *chars)
{
    return raw_write_bytes(connection, chars, strlen(chars));
}

bool raw_write_bytes(raw_connection *connection, const char *bytes, size_t len)
{
    while (len != 0) {
        size_t piece = len < 1 << 20 ? len : 1 << 20;
        ssize_t count = connection->ssl != NULL ? SSL_write(connection->ssl, bytes, (int) piece)
                                                : send(connection->fd, bytes, piece, MSG_NOSIGNAL);
        if (count <= 0) {
            return false;
        }
        bytes += count;
        len -= (size_t) count;
    }
    return true;
}

void raw_wait_for_end(raw_connection *connection)
{
    char bytes[4096];
    size_t len;
    while (raw_read(connection, bytes, sizeof bytes, &len)) {
    }
}

/* The descriptor stays until the server is stopped; a socket that is connected to nothing takes its
 * place. */
void raw_reset(raw_connection *connection)
{
    struct linger now = { .l_onoff = 1 };
    (void) setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(fd >= 0 && dup2(fd, connection->fd) >= 0);
    (void) close(fd);
}

void raw_open_door(raw_server *server)
{
    (void) pthread_mutex_lock(&server->lock);
    server->is_open = true;
    (void) pthread_cond_broadcast(&server->opened);
    (void) pthread_mutex_unlock(&server->lock);
}

bool raw_wait_at_door(raw_connection *connection)
{
    raw_server *server = connection->server;
    (void) pthread_mutex_lock(&server->lock);
    while (!server->is_open) {
        (void) pthread_cond_wait(&server->opened, &server->lock);
    }
    bool is_stopping = server->is_stopping;
    (void) pthread_mutex_unlock(&server->lock);
    return !is_stopping;
}

static SSL_CTX *make_tls(const raw_server_options *options)
{
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    must(tls != NULL && SSL_CTX_use_certificate(tls, options->tls->certificate) == 1 &&
         SSL_CTX_use_PrivateKey(tls, options->tls->key) == 1);
    SSL_CTX_set_alpn_select_cb(tls, choose_protocol, options->has_http2 ? tls : NULL);
    if (options->client_ca != NULL) {
        must(X509_STORE_add_cert(SSL_CTX_get_cert_store(tls), options->client_ca->certificate) ==
             1);
        SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    return tls;
}

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                           const unsigned char *in, unsigned in_len, void *has_http2)
{
    static const unsigned char both[] = "\2h2\10http/1.1";
    static const unsigned char one[] = "\10http/1.1";
    const unsigned char *ours = has_http2 != NULL ? both : one;
    unsigned len = has_http2 != NULL ? sizeof both - 1 : sizeof one - 1;
    unsigned char *chosen;
    (void) ssl;

    if (SSL_select_next_proto(&chosen, out_len, ours, len, in, in_len) != OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_NOACK;
    }
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static void *accept_all(void *context)
{
    raw_server *server = context;
    block_signals();
    for (;;) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            return NULL;
        }
        int at_once = 1;
        (void) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
        start_connection(server, fd);
    }
}

static void start_connection(raw_server *server, int fd)
{
    (void) pthread_mutex_lock(&server->lock);
    slot *place = &server->slots[server->count];
    raw_connection *connection = calloc(1, sizeof *connection);
    must(server->count < CONNECTIONS_MAX && connection != NULL);
    connection->server = server;
    connection->context = server->options.context;
    connection->fd = fd;
    connection->number = server->count + 1;
    *place = (slot){ .server = server, .connection = connection };
    must(pthread_create(&place->thread, NULL, serve_one, place) == 0);
    server->count++;
    (void) pthread_mutex_unlock(&server->lock);
}

static void *serve_one(void *context)
{
    slot *place = context;
    raw_connection *connection = place->connection;
    bool is_fine = true;

    block_signals();
    if (place->server->tls != NULL) {
        connection->ssl = SSL_new(place->server->tls);
        must(connection->ssl != NULL && SSL_set_fd(connection->ssl, connection->fd) == 1);
        is_fine = SSL_accept(connection->ssl) == 1;
    }
    if (is_fine) {
        place->server->options.serve(connection);
    }
    if (connection->ssl != NULL) {
        if (is_fine) {
            (void) SSL_shutdown(connection->ssl);
        }
        SSL_free(connection->ssl);
        connection->ssl = NULL;
    }
    (void) shutdown(connection->fd, SHUT_RDWR);
    return NULL;
}

/* SIGPIPE above all: OpenSSL writes without MSG_NOSIGNAL. */
static void block_signals(void)
{
    sigset_t all;
    (void) sigfillset(&all);
    (void) pthread_sigmask(SIG_BLOCK, &all, NULL);
}
