/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay.c - one thread that polls; the sockets never block.
 *
 * A connection is two pipes, one each way.  A pipe holds pieces of what it has read, each with the
 * time when it is due; it reads while it has room for a piece.  Whoever wants something sets it
 * under the lock, wakes the thread and waits until a round of it has seen that.
 */
#include "support/relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "support/test.h"

#define PIECES 32
#define PIECE_BYTES 8192
#define PORT_FIRST 20000 /* up to where clients' ports begin */
#define PORT_COUNT 12000
#define PORT_ATTEMPTS 100

typedef struct piece {
    int64_t due_ms;
    size_t len;
    size_t sent;
    char bytes[PIECE_BYTES];
} piece;

typedef struct pipe_way {
    piece pieces[PIECES]; /* a ring */
    size_t first;
    size_t count;
    bool is_ended;  /* nothing more comes from its source */
    bool is_closed; /* and its destination has been told */
    uint64_t bytes; /* delivered */
} pipe_way;

/* ways[0] goes up, from fds[0] (the client) to fds[1] (the server); ways[1] down. */
typedef struct connection {
    int fds[2];
    bool is_connected; /* to the server */
    bool is_draining;  /* cut by a FIN: what comes is dropped until both sides have closed */
    pipe_way ways[2];
} connection;

struct relay {
    int server_port;
    int port;
    int listener;
    int wake_fd;
    pthread_t thread;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t seen;
    uint64_t wishes; /* how many were made */
    uint64_t rounds; /* the wish that the last round has seen */
    bool is_stopping;
    bool is_stalled;
    bool is_refusing;
    bool is_listening;
    int delay_ms;
    int cut; /* a relay_end; -1: none */
    relay_counts counts;

    /* The thread's. */
    connection *connections[RELAY_CONNECTIONS_MAX];
    size_t count;
    struct pollfd polled[2 + 2 * RELAY_CONNECTIONS_MAX];
};

static void *run(void *context);
static void serve_locked(relay *r, size_t at);
static int listen_somewhere(relay *r);
static void wish_locked(relay *r);
static void obey_locked(relay *r);
static void cut_all_locked(relay *r);
static void wait_for_something(relay *r, bool is_stalled);
static void ask(relay *r, size_t at, bool is_stalled, int64_t now_ms, int *wait_ms);
static void accept_all_locked(relay *r);
static bool connect_up(connection *c, int port);
static bool move(connection *c, int64_t now_ms, int delay_ms);
static bool take_in(pipe_way *way, int fd, int64_t due_ms);
static bool give_out(pipe_way *way, int fd, int64_t now_ms);
static bool drain(connection *c);
static void drop_locked(relay *r, size_t at, bool is_reset);
static void reset_and_close(int fd);

static void must(bool is_fine)
{
    if (!is_fine) {
        FAIL("cannot start a relay");
    }
}

static int64_t clock_ms(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

relay *relay_start(int server_port)
{
    relay *r = calloc(1, sizeof *r);

    must(r != NULL);
    r->server_port = server_port;
    r->cut = -1;
    r->is_listening = true;
    r->listener = listen_somewhere(r);
    r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    must(r->wake_fd >= 0);
    (void) pthread_mutex_init(&r->lock, NULL);
    (void) pthread_cond_init(&r->seen, NULL);
    must(pthread_create(&r->thread, NULL, run, r) == 0);
    return r;
}

void relay_stop(relay *r)
{
    if (r == NULL) {
        return;
    }
    (void) pthread_mutex_lock(&r->lock);
    r->is_stopping = true;
    r->cut = RELAY_RESET;
    wish_locked(r);
    (void) pthread_mutex_unlock(&r->lock);
    (void) pthread_join(r->thread, NULL);
    (void) close(r->listener);
    (void) close(r->wake_fd);
    (void) pthread_cond_destroy(&r->seen);
    (void) pthread_mutex_destroy(&r->lock);
    free(r);
}

int relay_port(const relay *r)
{
    return r->port;
}

void relay_cut(relay *r, relay_end how)
{
    (void) pthread_mutex_lock(&r->lock);
    r->cut = (int) how;
    wish_locked(r);
    (void) pthread_mutex_unlock(&r->lock);
}

void relay_stall(relay *r, bool is_stalled)
{
    (void) pthread_mutex_lock(&r->lock);
    r->is_stalled = is_stalled;
    wish_locked(r);
    (void) pthread_mutex_unlock(&r->lock);
}

void relay_delay(relay *r, int delay_ms)
{
    (void) pthread_mutex_lock(&r->lock);
    r->delay_ms = delay_ms;
    wish_locked(r);
    (void) pthread_mutex_unlock(&r->lock);
}

void relay_refuse(relay *r, bool is_refusing)
{
    (void) pthread_mutex_lock(&r->lock);
    r->is_refusing = is_refusing;
    wish_locked(r);
    (void) pthread_mutex_unlock(&r->lock);
}

relay_counts relay_count(relay *r)
{
    (void) pthread_mutex_lock(&r->lock);
    relay_counts counts = r->counts;
    (void) pthread_mutex_unlock(&r->lock);
    return counts;
}

/* Returns when a round has seen it. */
static void wish_locked(relay *r)
{
    const uint64_t one = 1;
    uint64_t mine = ++r->wishes;

    must(write(r->wake_fd, &one, sizeof one) == (ssize_t) sizeof one);
    while (r->rounds < mine) {
        (void) pthread_cond_wait(&r->seen, &r->lock);
    }
}

/* With an explicit port the socket keeps it when it ceases to listen. */
static int listen_somewhere(relay *r)
{
    unsigned from = (unsigned) getpid() * 7919u + (unsigned) clock_ms();
    const int yes = 1;

    for (unsigned i = 0; i < PORT_ATTEMPTS; i++) {
        struct sockaddr_in address = { .sin_family = AF_INET };
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

        must(fd >= 0);
        r->port = PORT_FIRST + (int) ((from + i * 31) % PORT_COUNT);
        address.sin_port = htons((uint16_t) r->port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        (void) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (bind(fd, (struct sockaddr *) &address, sizeof address) == 0 && listen(fd, 512) == 0) {
            return fd;
        }
        (void) close(fd);
    }
    must(false);
    return -1;
}

static void *run(void *context)
{
    relay *r = context;
    sigset_t all;
    bool is_stopping = false;

    (void) sigfillset(&all);
    (void) pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (!is_stopping) {
        (void) pthread_mutex_lock(&r->lock);
        obey_locked(r);
        is_stopping = r->is_stopping;
        bool is_stalled = r->is_stalled;
        (void) pthread_mutex_unlock(&r->lock);
        if (is_stopping) {
            break;
        }
        wait_for_something(r, is_stalled);

        (void) pthread_mutex_lock(&r->lock);
        accept_all_locked(r);
        for (size_t at = r->count; at-- > 0 && !r->is_stalled;) {
            serve_locked(r, at);
        }
        (void) pthread_mutex_unlock(&r->lock);
    }
    return NULL;
}

static void serve_locked(relay *r, size_t at)
{
    connection *c = r->connections[at];
    uint64_t up_bytes = c->ways[0].bytes;
    uint64_t down_bytes = c->ways[1].bytes;
    bool is_fine = move(c, clock_ms(), r->delay_ms);

    r->counts.up_bytes += c->ways[0].bytes - up_bytes;
    r->counts.down_bytes += c->ways[1].bytes - down_bytes;
    r->counts.failed += c->is_connected || is_fine ? 0 : 1;
    if (!is_fine || (c->ways[0].is_closed && c->ways[1].is_closed)) {
        drop_locked(r, at, !is_fine);
    }
}

static void obey_locked(relay *r)
{
    if (r->is_refusing == r->is_listening) {
        r->is_listening = !r->is_refusing;
        must(r->is_listening ? listen(r->listener, 512) == 0
                             : shutdown(r->listener, SHUT_RDWR) == 0);
    }
    if (r->cut >= 0) {
        cut_all_locked(r);
    }
    r->rounds = r->wishes;
    (void) pthread_cond_broadcast(&r->seen);
}

/* Also those that wait to be accepted. */
static void cut_all_locked(relay *r)
{
    accept_all_locked(r);
    for (size_t at = r->count; at-- > 0;) {
        connection *c = r->connections[at];

        if (r->cut == RELAY_RESET || !c->is_connected) {
            drop_locked(r, at, true);
        } else if (!c->is_draining) {
            c->is_draining = true;
            (void) shutdown(c->fds[0], SHUT_WR);
            (void) shutdown(c->fds[1], SHUT_WR);
            c->ways[0] = c->ways[1] = (pipe_way){ .is_ended = false };
        }
    }
    r->cut = -1;
}

static void wait_for_something(relay *r, bool is_stalled)
{
    int wait_ms = INT_MAX;
    int64_t now_ms = clock_ms();
    uint64_t ignored;

    r->polled[0] = (struct pollfd){ .fd = r->wake_fd, .events = POLLIN };
    bool has_room = r->is_listening && r->count < RELAY_CONNECTIONS_MAX;
    r->polled[1] = (struct pollfd){ .fd = has_room ? r->listener : -1, .events = POLLIN };
    for (size_t at = 0; at < r->count; at++) {
        ask(r, at, is_stalled, now_ms, &wait_ms);
    }
    (void) poll(r->polled, 2 + 2 * (nfds_t) r->count, wait_ms == INT_MAX ? -1 : wait_ms);
    (void) !read(r->wake_fd, &ignored, sizeof ignored);
}

/* A socket that is waited for in no way is left out: its end would be seen again and again. */
static void ask(relay *r, size_t at, bool is_stalled, int64_t now_ms, int *wait_ms)
{
    connection *c = r->connections[at];
    short events[2] = { 0, 0 };

    for (int i = 0; i < 2 && !is_stalled; i++) {
        pipe_way *way = &c->ways[i];
        const piece *next = &way->pieces[way->first];

        if (!way->is_ended && way->count < PIECES && c->is_connected) {
            events[i] |= POLLIN;
        }
        if (way->count > 0 && next->due_ms <= now_ms) {
            events[1 - i] |= POLLOUT;
        } else if (way->count > 0 && next->due_ms - now_ms < *wait_ms) {
            *wait_ms = (int) (next->due_ms - now_ms);
        }
    }
    if (!c->is_connected && !is_stalled) {
        events[1] |= POLLOUT;
    }
    for (int i = 0; i < 2; i++) {
        r->polled[2 + 2 * at + (size_t) i] =
            (struct pollfd){ .fd = events[i] != 0 ? c->fds[i] : -1, .events = events[i] };
    }
}

static void accept_all_locked(relay *r)
{
    const int yes = 1;
    int fd;

    while (r->is_listening && r->count < RELAY_CONNECTIONS_MAX &&
           (fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        connection *c = calloc(1, sizeof *c);

        must(c != NULL);
        (void) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        r->counts.accepted++;
        c->fds[0] = fd;
        r->connections[r->count++] = c;
        r->counts.open = r->count;
        if (!connect_up(c, r->server_port)) {
            r->counts.failed++;
            drop_locked(r, r->count - 1, true);
        }
    }
}

/* False: nobody is there, and it is known already. */
static bool connect_up(connection *c, int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t) port) };
    const int yes = 1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->fds[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    must(c->fds[1] >= 0);
    (void) setsockopt(c->fds[1], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return connect(c->fds[1], (struct sockaddr *) &address, sizeof address) == 0 ||
           errno == EINPROGRESS;
}

/* False: a side was reset, and so is the other to be. */
static bool move(connection *c, int64_t now_ms, int delay_ms)
{
    if (!c->is_connected) {
        struct pollfd up = { .fd = c->fds[1], .events = POLLOUT };
        int failure = 0;
        socklen_t len = sizeof failure;

        if (poll(&up, 1, 0) == 0) {
            return true;
        }
        (void) getsockopt(c->fds[1], SOL_SOCKET, SO_ERROR, &failure, &len);
        if (failure != 0) {
            return false;
        }
        c->is_connected = true;
    }
    if (c->is_draining) {
        return drain(c);
    }
    for (int i = 0; i < 2; i++) {
        if (!take_in(&c->ways[i], c->fds[i], now_ms + delay_ms) ||
            !give_out(&c->ways[i], c->fds[1 - i], now_ms)) {
            return false;
        }
    }
    return true;
}

static bool take_in(pipe_way *way, int fd, int64_t due_ms)
{
    while (!way->is_ended && way->count < PIECES) {
        piece *p = &way->pieces[(way->first + way->count) % PIECES];
        ssize_t len = recv(fd, p->bytes, sizeof p->bytes, 0);

        if (len < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        way->is_ended = len == 0;
        p->due_ms = due_ms;
        p->len = (size_t) len;
        p->sent = 0;
        way->count += len > 0 ? 1 : 0;
    }
    return true;
}

static bool give_out(pipe_way *way, int fd, int64_t now_ms)
{
    while (way->count > 0 && way->pieces[way->first].due_ms <= now_ms) {
        piece *p = &way->pieces[way->first];
        ssize_t len = send(fd, p->bytes + p->sent, p->len - p->sent, MSG_NOSIGNAL);

        if (len < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        p->sent += (size_t) len;
        way->bytes += (uint64_t) len;
        if (p->sent == p->len) {
            way->first = (way->first + 1) % PIECES;
            way->count--;
        }
    }
    if (way->is_ended && way->count == 0 && !way->is_closed) {
        way->is_closed = true;
        (void) shutdown(fd, SHUT_WR);
    }
    return true;
}

/* Both have had their FIN.  Closing at once would send a reset to whoever still speaks. */
static bool drain(connection *c)
{
    char dropped[PIECE_BYTES];

    for (int i = 0; i < 2; i++) {
        ssize_t len = 1;

        while (!c->ways[i].is_closed && len > 0) {
            len = recv(c->fds[i], dropped, sizeof dropped, 0);
        }
        if (len == 0 || (len < 0 && errno != EAGAIN && errno != EINTR)) {
            c->ways[i].is_ended = c->ways[i].is_closed = true;
        }
    }
    return true;
}

static void drop_locked(relay *r, size_t at, bool is_reset)
{
    connection *c = r->connections[at];

    for (int i = 0; i < 2; i++) {
        if (is_reset) {
            reset_and_close(c->fds[i]);
        } else {
            (void) close(c->fds[i]);
        }
    }
    free(c);
    r->connections[at] = r->connections[--r->count];
    r->counts.open = r->count;
}

static void reset_and_close(int fd)
{
    const struct linger now = { .l_onoff = 1 };

    (void) setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    (void) close(fd);
}
