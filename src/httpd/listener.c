/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener.c - the server itself.
 *
 * The port is bound twice: by a socket that never listens and keeps it, and by the one that does,
 * which may be closed for a while.  Linux allows both with SO_REUSEADDR.
 */
#include "httpd/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "httpd/connection.h"
#include "httpd/http2.h"
#include "httpd/tls.h"

#define BACKLOG 1024
#define ACCEPTS_MAX 64 /* in one turn */
#define PAUSE_MS 100   /* without descriptors, unless a connection closes before */

static void for_each(kin__httpd *httpd, void (*fn)(kin__connection *connection));
static void freeze(kin__connection *connection);
static void thaw(kin__connection *connection);
static void go_away(kin__connection *connection);
static kin_err set_address(kin__httpd *httpd, const kin__httpd_options *options, kin_error *err);
static kin_err keep_port(kin__httpd *httpd, kin_error *err);
static kin_err start_listening(kin__httpd *httpd, kin_error *err);
static int bind_socket(const kin__httpd *httpd, kin_error *err);
static void stop_listening(kin__httpd *httpd);
static void accept_some(kin__watched *watched, unsigned what, void *context);
static bool is_passing(int number);
static void welcome(kin__httpd *httpd, int fd);
static void pause_accepting(kin__httpd *httpd);
static void go_on_accepting(kin__timer *timer, void *context);

kin_err kin__httpd_new(const kin__httpd_options *options, kin__httpd **out, kin_error *err)
{
    AUTO(kin__httpd_free) kin__httpd *httpd = kin__alloc_zero(1, sizeof *httpd);
    if (httpd == NULL) {
        return kin__error_no_memory(err);
    }
    httpd->loop = options->loop;
    httpd->on_request = options->on_request;
    httpd->context = options->context;
    httpd->body_max = options->body_max;
    httpd->port_fd = -1;
    httpd->date_s = INT64_MIN;
    httpd->listener = (kin__watched){ .ready = accept_some, .context = httpd, .fd = -1 };
    httpd->pause = (kin__timer){ .fire = go_on_accepting, .context = httpd };
    httpd->scratch = kin__alloc(KIN__READ_MAX);
    httpd->record = kin__alloc(KIN__RECORD_MAX);
    if (httpd->scratch == NULL || httpd->record == NULL) {
        return kin__error_no_memory(err);
    }
    if (set_address(httpd, options, err) != KIN_OK) {
        return err->code;
    }
    if (options->authority != NULL &&
        kin__tls_new(options->authority, !options->has_no_http2, &httpd->tls, err) != KIN_OK) {
        return err->code;
    }
    if (keep_port(httpd, err) != KIN_OK || start_listening(httpd, err) != KIN_OK) {
        return kin__error_prefix(err, "listen on %s port %u", options->address,
                                 (unsigned) options->port);
    }
    *out = STEAL(httpd);
    return KIN_OK;
}

void kin__httpd_free(kin__httpd *httpd)
{
    if (httpd == NULL) {
        return;
    }
    stop_listening(httpd);
    kin__httpd_cut_all(httpd);
    kin__visits_end_orphans(&httpd->orphans);
    kin__timer_clear(httpd->loop, &httpd->pause);
    if (httpd->port_fd >= 0) {
        (void) close(httpd->port_fd);
    }
    kin__tls_free(httpd->tls);
    kin__free(httpd->scratch);
    kin__free(httpd->record);
    kin__free(httpd);
}

uint16_t kin__httpd_port(const kin__httpd *httpd)
{
    return httpd->port;
}

kin_err kin__httpd_set_welcome(kin__httpd *httpd, kin__welcome how, kin_error *err)
{
    if (how == KIN__WELCOME_REFUSE) {
        stop_listening(httpd);
    } else if (httpd->listener.fd < 0 && start_listening(httpd, err) != KIN_OK) {
        return err->code;
    }
    httpd->welcome = how;
    return KIN_OK;
}

/* What closing one calls may close others. */
void kin__httpd_cut_all(kin__httpd *httpd)
{
    for (kin__link *link; (link = kin__list_first(&httpd->connections)) != NULL;) {
        kin__connection *connection = KIN__OWNER(link, kin__connection, link);
        kin__connection_enter(connection);
        kin__connection_close(connection, true);
        kin__connection_leave(connection);
    }
}

void kin__httpd_freeze(kin__httpd *httpd)
{
    for_each(httpd, freeze);
}

void kin__httpd_thaw(kin__httpd *httpd)
{
    for_each(httpd, thaw);
}

void kin__httpd_go_away(kin__httpd *httpd)
{
    for_each(httpd, go_away);
}

kin__httpd_counts kin__httpd_get_counts(const kin__httpd *httpd)
{
    return httpd->counts;
}

/* Moving a timer that is set cannot fail. */
void kin__httpd_note_closed(kin__httpd *httpd)
{
    kin_error err;
    if (kin__timer_is_set(&httpd->pause) &&
        kin__timer_set(httpd->loop, &httpd->pause, 0, &err) != KIN_OK) {
        kin__timer_clear(httpd->loop, &httpd->pause);
    }
}

void kin__httpd_unwatch(kin__httpd *httpd, kin__watched *watched)
{
    kin_error err;
    kin_err never = kin__watch(httpd->loop, watched, 0, &err);
    (void) never;
}

kin_str kin__httpd_date(kin__httpd *httpd)
{
    int64_t now_s = kin__clock_wall(kin__loop_clock(httpd->loop)).seconds;
    if (now_s != httpd->date_s) {
        static const char *const days[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
        static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
        time_t seconds = (time_t) now_s;
        struct tm tm = { 0 };
        (void) gmtime_r(&seconds, &tm);
        (void) snprintf(httpd->date, sizeof httpd->date, "%s, %02d %s %04d %02d:%02d:%02d GMT",
                        days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon], tm.tm_year + 1900,
                        tm.tm_hour, tm.tm_min, tm.tm_sec);
        httpd->date_s = now_s;
    }
    return kin_str_of(httpd->date);
}

/* What is called here may close this or other connections: those are then on neither list. */
static void for_each(kin__httpd *httpd, void (*fn)(kin__connection *connection))
{
    kin__list all = { 0 };
    kin__list_move_all(&all, &httpd->connections);
    for (kin__link *link; (link = kin__list_first(&all)) != NULL;) {
        kin__connection *connection = KIN__OWNER(link, kin__connection, link);
        kin__list_remove(link);
        kin__list_push(&httpd->connections, link);
        kin__connection_enter(connection);
        fn(connection);
        kin__connection_leave(connection);
    }
}

/* Not the one that is being served, whose request it may be that this happens. */
static void freeze(kin__connection *connection)
{
    connection->is_frozen = connection->is_frozen || connection->depth == 1;
}

/* What waits to be sent is, when the socket says that it can. */
static void thaw(kin__connection *connection)
{
    connection->is_blocked = connection->is_blocked || connection->is_frozen;
    connection->is_frozen = false;
}

static void go_away(kin__connection *connection)
{
    connection->http1.is_leaving = true;
    if (connection->stage == KIN__STAGE_HTTP2) {
        kin__http2_go_away(connection);
    }
}

static kin_err set_address(kin__httpd *httpd, const kin__httpd_options *options, kin_error *err)
{
    struct sockaddr_in *four = (struct sockaddr_in *) (void *) &httpd->address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *) (void *) &httpd->address;
    if (options->address != NULL && inet_pton(AF_INET, options->address, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(options->port);
        httpd->address_len = sizeof *four;
        return KIN_OK;
    }
    if (options->address != NULL && inet_pton(AF_INET6, options->address, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(options->port);
        httpd->address_len = sizeof *six;
        return KIN_OK;
    }
    return kin__error_set(err, KIN_ERR_USAGE, "listen on \"%s\": not an address",
                          options->address == NULL ? "" : options->address);
}

/* The port of both kinds of address lies at the same place; 0 is a free one from here on. */
static kin_err keep_port(kin__httpd *httpd, kin_error *err)
{
    httpd->port_fd = bind_socket(httpd, err);
    if (httpd->port_fd < 0) {
        return err->code;
    }
    struct sockaddr *address = (struct sockaddr *) (void *) &httpd->address;
    if (getsockname(httpd->port_fd, address, &httpd->address_len) != 0) {
        return kin__error_system(err, errno, "getsockname");
    }
    const struct sockaddr_in *four = (const struct sockaddr_in *) (const void *) &httpd->address;
    httpd->port = ntohs(four->sin_port);
    return KIN_OK;
}

/* Accepted connections inherit TCP_NODELAY. */
static kin_err start_listening(kin__httpd *httpd, kin_error *err)
{
    int fd = bind_socket(httpd, err);
    if (fd < 0) {
        return err->code;
    }
    int yes = 1;
    httpd->listener.fd = fd;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0 ||
        listen(fd, BACKLOG) != 0) {
        kin__error_system(err, errno, "listen");
        stop_listening(httpd);
        return err->code;
    }
    if (kin__watch(httpd->loop, &httpd->listener, KIN__READABLE, err) != KIN_OK) {
        stop_listening(httpd);
        return err->code;
    }
    return KIN_OK;
}

static int bind_socket(const kin__httpd *httpd, kin_error *err)
{
    const struct sockaddr *address = (const struct sockaddr *) (const void *) &httpd->address;
    int yes = 1;
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        kin__error_system(err, errno, "socket");
        return -1;
    }
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, address, httpd->address_len) != 0) {
        kin__error_system(err, errno, "bind");
        (void) close(fd);
        return -1;
    }
    return fd;
}

static void stop_listening(kin__httpd *httpd)
{
    if (httpd->listener.fd >= 0) {
        kin__httpd_unwatch(httpd, &httpd->listener);
        (void) close(httpd->listener.fd);
        httpd->listener.fd = -1;
    }
}

static void accept_some(kin__watched *watched, unsigned what, void *context)
{
    (void) what;
    kin__httpd *httpd = context;
    for (int i = 0; i < ACCEPTS_MAX; i++) {
        int fd = accept4(watched->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            welcome(httpd, fd);
        } else if (errno == EAGAIN) {
            return;
        } else if (!is_passing(errno)) {
            pause_accepting(httpd);
            return;
        }
    }
}

/* accept(2): errors of the connection that was to be accepted; the next one may be fine. */
static bool is_passing(int number)
{
    switch (number) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case ENETUNREACH:
        return true;
    default:
        return false;
    }
}

static void welcome(kin__httpd *httpd, int fd)
{
    httpd->counts.connections++;
    if (httpd->welcome == KIN__WELCOME_RESET) {
        kin__wire wire = { .fd = fd };
        kin__wire_close(&wire, true);
        return;
    }
    kin__connection_open(httpd, fd, httpd->welcome == KIN__WELCOME_IGNORE);
}

/* No descriptor or no memory for one: the listening socket stays readable, and waiting for it would
 * turn in circles. */
static void pause_accepting(kin__httpd *httpd)
{
    kin_error err;
    int64_t due_ms = kin__loop_now_ms(httpd->loop) + PAUSE_MS;
    if (kin__timer_set(httpd->loop, &httpd->pause, due_ms, &err) == KIN_OK) {
        kin__httpd_unwatch(httpd, &httpd->listener);
    }
}

static void go_on_accepting(kin__timer *timer, void *context)
{
    (void) timer;
    kin__httpd *httpd = context;
    kin_error err;
    if (httpd->listener.fd >= 0 &&
        kin__watch(httpd->loop, &httpd->listener, KIN__READABLE, &err) != KIN_OK) {
        pause_accepting(httpd);
    }
}
