/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane.c - libcurl's sockets and timer, put on the loop.
 *
 * libcurl tells by callbacks which sockets it waits for (waits) and which connections it opens and
 * closes (sockets); the former also has pipes of its resolver threads among them.
 */
#include "net/lane.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"

/* Of HTTP/2: the one in use, and one that the server is closing. */
#define KEPT_CONNECTIONS 2u

struct kin__lane_wait {
    kin__watched watched; /* first */
    ino_t inode;          /* of the socket that it waits for */
    kin__lane *lane;
    kin__lane_wait *previous;
    kin__lane_wait *next;
    bool must_look;
};

/*
 * libcurl 7.88 closes a socket that was still connecting without the callback for that.  So an
 * entry is only worth something while its descriptor is the socket it was made for.
 */
struct kin__lane_socket {
    int fd;
    ino_t inode; /* which no other socket has at the same time */
    kin__lane_socket *next;
};

static bool configure(kin__lane *lane, uint32_t streams);
static int socket_callback(CURL *easy, curl_socket_t fd, int what, void *lane, void *wait);
static int timer_callback(CURLM *multi, long timeout_ms, void *lane);
static curl_socket_t open_callback(void *way, curlsocktype purpose, struct curl_sockaddr *address);
static int close_callback(void *lane, curl_socket_t fd);
static void forget_closed(kin__lane *lane);
static void forget_socket(kin__lane_socket **place);
static ino_t inode_of(int fd);
static kin__lane_wait *add_wait(kin__lane *lane, curl_socket_t fd);
static void drop_wait(kin__lane *lane, kin__lane_wait *wait);
static void on_socket(kin__watched *watched, unsigned what, void *context);
static void on_timer(kin__timer *timer, void *context);
static void on_rest(kin__timer *timer, void *context);
static void on_look(kin__job *job, void *context);
static void look(kin__lane *lane);
static kin__lane_wait *find_unseen(const kin__lane *lane);
static void act(kin__lane *lane, curl_socket_t fd, int what);
static void detect_dead_host(int fd, uint32_t dead_host_ms);
static void set_number(int fd, int level, int option, int number);

kin_err kin__lane_new(kin_loop *loop, const kin__lane_owner *owner, uint32_t streams,
                      uint32_t dead_host_ms, kin__lane **out, kin_error *err)
{
    AUTO(kin__lane_free) kin__lane *lane = kin__alloc_zero(1, sizeof *lane);
    if (lane == NULL) {
        return kin__error_no_memory(err);
    }
    lane->loop = loop;
    lane->owner = *owner;
    lane->dead_host_ms = dead_host_ms;
    lane->timer = (kin__timer){ .fire = on_timer, .context = lane };
    lane->rest = (kin__timer){ .fire = on_rest, .context = lane };
    lane->look = (kin__job){ .run = on_look, .context = lane };
    lane->multi = curl_multi_init();
    if (lane->multi == NULL || !configure(lane, streams)) {
        return kin__error_no_memory(err);
    }
    *out = STEAL(lane);
    return KIN_OK;
}

void kin__lane_free(kin__lane *lane)
{
    if (lane == NULL) {
        return;
    }
    if (kin__loop_is_forked(lane->loop)) {
        kin__lane_sever(lane);
    }
    if (lane->multi != NULL) {
        (void) curl_multi_cleanup(lane->multi);
    }
    while (lane->waits != NULL) {
        drop_wait(lane, lane->waits);
    }
    while (lane->sockets != NULL) {
        forget_socket(&lane->sockets); /* libcurl has closed it */
    }
    kin__timer_clear(lane->loop, &lane->timer);
    kin__timer_clear(lane->loop, &lane->rest);
    (void) kin__loop_cancel_job(lane->loop, &lane->look);
    kin__free(lane);
}

CURLcode kin__lane_prepare(kin__lane *lane, CURL *easy, kin__lane_way *way, size_t buffer)
{
    way->lane = lane;
    way->buffer = buffer;
    CURLcode code = curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long) buffer);
    if (code == CURLE_OK) {
        code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_callback);
    }
    if (code == CURLE_OK) {
        code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, way);
    }
    if (code == CURLE_OK) {
        code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_callback);
    }
    if (code == CURLE_OK) {
        code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, lane);
    }
    return code;
}

/* libcurl may start a thread to resolve the host's name: signals are for the program's threads. */
bool kin__lane_add(kin__lane *lane, CURL *easy)
{
    sigset_t all;
    sigset_t before;

    if (curl_multi_add_handle(lane->multi, easy) != CURLM_OK) {
        return false;
    }
    (void) sigfillset(&all);
    (void) pthread_sigmask(SIG_BLOCK, &all, &before);
    kin__lane_drive(lane, CURL_SOCKET_TIMEOUT, 0);
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    return true;
}

void kin__lane_remove(kin__lane *lane, CURL *easy, const kin__lane_way *way)
{
    (void) curl_multi_remove_handle(lane->multi, easy);
    if (!way->is_whole && !lane->seats.is_pool && lane->waits != NULL) {
        lane->may_hold = true;
        kin__loop_post_job(lane->loop, &lane->look);
    }
}

/* What was more than a buffer takes has filled one.  While it looks, what comes may not be all. */
void kin__lane_received(kin__lane_way *way, size_t len)
{
    kin__lane *lane = way->lane;
    way->received = len + (way->drive == lane->drives ? way->received : 0);
    way->drive = lane->drives;
    if ((lane->is_looking || way->received >= way->buffer) && !lane->seats.is_pool) {
        lane->may_hold = true;
    }
}

void kin__lane_keep(kin__lane *lane, uint32_t connections)
{
    (void) curl_multi_setopt(lane->multi, CURLMOPT_MAXCONNECTS, (long) connections);
}

uint32_t kin__lane_count_connections(kin__lane *lane)
{
    uint32_t count = 0;
    forget_closed(lane);
    for (const kin__lane_socket *entry = lane->sockets; entry != NULL; entry = entry->next) {
        count++;
    }
    return count;
}

void kin__lane_drive(kin__lane *lane, curl_socket_t fd, int what)
{
    lane->drives++;
    if (lane->must_look) {
        lane->must_look = false;
        look(lane);
    } else {
        act(lane, fd, what);
    }
    if (lane->may_hold) {
        kin__loop_post_job(lane->loop, &lane->look);
    }
}

void kin__lane_sever(kin__lane *lane)
{
    if (lane->is_severed) {
        return;
    }
    lane->is_severed = true;
    forget_closed(lane);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const kin__lane_socket *socket = lane->sockets; socket != NULL; socket = socket->next) {
        if (nowhere < 0 || dup3(nowhere, socket->fd, O_CLOEXEC) < 0) {
            (void) close(socket->fd);
        }
    }
    if (nowhere >= 0) {
        (void) close(nowhere);
    }
}

/* Without memory for the timer the connection stays until it is used or freed. */
void kin__lane_rest(kin__lane *lane, int64_t due_ms)
{
    kin_error unwanted;
    if (due_ms == 0) {
        kin__timer_clear(lane->loop, &lane->rest);
    } else if (kin__timer_set(lane->loop, &lane->rest, due_ms, &unwanted) != KIN_OK) {
        return;
    }
}

static bool configure(kin__lane *lane, uint32_t streams)
{
    CURLM *multi = lane->multi;
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket_callback) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, lane) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer_callback) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_TIMERDATA, lane) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long) streams) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long) KEPT_CONNECTIONS) == CURLM_OK;
}

static int socket_callback(CURL *easy, curl_socket_t fd, int what, void *context, void *known)
{
    kin__lane *lane = context;
    kin__lane_wait *wait = known;
    kin_error err;
    (void) easy;

    if (what == CURL_POLL_REMOVE) {
        if (wait != NULL) {
            drop_wait(lane, wait);
        }
        return 0;
    }
    if (wait == NULL) {
        wait = add_wait(lane, fd);
        if (wait == NULL) {
            (void) kin__error_no_memory(&lane->failure);
            return -1;
        }
    }
    unsigned wanted = ((what & CURL_POLL_IN) != 0 ? (unsigned) KIN__READABLE : 0u) |
                      ((what & CURL_POLL_OUT) != 0 ? (unsigned) KIN__WRITABLE : 0u);
    if (lane->is_severed) {
        return 0;
    }
    wait->inode = inode_of(fd);
    if (kin__watch(lane->loop, &wait->watched, wanted, &err) != KIN_OK) {
        lane->failure = err;
        return -1;
    }
    return 0;
}

static int timer_callback(CURLM *multi, long timeout_ms, void *context)
{
    kin__lane *lane = context;
    kin_error err;
    (void) multi;

    if (timeout_ms < 0 || lane->is_severed) {
        kin__timer_clear(lane->loop, &lane->timer);
        return 0;
    }
    int64_t due_ms = kin__loop_now_ms(lane->loop) + timeout_ms;
    if (kin__timer_set(lane->loop, &lane->timer, due_ms, &err) != KIN_OK) {
        lane->failure = err;
        return -1;
    }
    return 0;
}

static curl_socket_t open_callback(void *context, curlsocktype purpose,
                                   struct curl_sockaddr *address)
{
    kin__lane_way *way = context;
    kin__lane *lane = way->lane;
    (void) purpose;

    if (way->is_placed && !lane->seats.is_pool) {
        way->is_lost = true;
        return CURL_SOCKET_BAD;
    }
    kin__lane_socket *entry = kin__alloc(sizeof *entry);
    if (entry == NULL) {
        (void) kin__error_no_memory(&lane->failure);
        return CURL_SOCKET_BAD;
    }
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0) {
        kin__free(entry);
        return CURL_SOCKET_BAD;
    }
    detect_dead_host(fd, lane->dead_host_ms);
    forget_closed(lane);
    *entry = (kin__lane_socket){ .fd = fd, .inode = inode_of(fd), .next = lane->sockets };
    lane->sockets = entry;
    return fd;
}

static int close_callback(void *context, curl_socket_t fd)
{
    kin__lane *lane = context;
    for (kin__lane_socket **place = &lane->sockets; *place != NULL; place = &(*place)->next) {
        if ((*place)->fd == fd) {
            forget_socket(place);
            break;
        }
    }
    return close(fd);
}

static void forget_closed(kin__lane *lane)
{
    for (kin__lane_socket **place = &lane->sockets; *place != NULL;) {
        if (inode_of((*place)->fd) != (*place)->inode) {
            forget_socket(place);
        } else {
            place = &(*place)->next;
        }
    }
}

static void forget_socket(kin__lane_socket **place)
{
    kin__lane_socket *entry = *place;
    *place = entry->next;
    kin__free(entry);
}

/* 0: not open.  It is also asked of numbers that may be another thread's by now, which is not using
 * them; ThreadSanitizer would take fstat() for it. */
static ino_t inode_of(int fd)
{
    struct statx status;
    struct stat old;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_INO, &status) == 0) {
        return (ino_t) status.stx_ino;
    }
    return errno != EBADF && fstat(fd, &old) == 0 ? old.st_ino : 0; /* not allowed everywhere */
}

static kin__lane_wait *add_wait(kin__lane *lane, curl_socket_t fd)
{
    kin__lane_wait *wait = kin__alloc_zero(1, sizeof *wait);
    if (wait == NULL) {
        return NULL;
    }
    wait->watched = (kin__watched){ .ready = on_socket, .context = lane, .fd = fd };
    wait->lane = lane;
    wait->next = lane->waits;
    if (wait->next != NULL) {
        wait->next->previous = wait;
    }
    lane->waits = wait;
    (void) curl_multi_assign(lane->multi, fd, wait); /* fails only for a socket it does not know */
    return wait;
}

/* Of a socket that was still connecting libcurl 7.88 tells this after it has closed it, maybe much
 * later: then the number may be that of a socket of another lane, which must stay on the loop. */
static void drop_wait(kin__lane *lane, kin__lane_wait *wait)
{
    kin_error unwanted;
    if (inode_of(wait->watched.fd) != wait->inode) {
        kin__watch_forget(lane->loop, &wait->watched);
    } else if (kin__watch(lane->loop, &wait->watched, 0, &unwanted) != KIN_OK) {
        assert(false); /* taking off never fails */
    }
    if (wait->previous != NULL) {
        wait->previous->next = wait->next;
    } else {
        lane->waits = wait->next;
    }
    if (wait->next != NULL) {
        wait->next->previous = wait->previous;
    }
    kin__free(wait);
}

/* Of a broken socket libcurl finds out the reason by itself, when it reads or writes. */
static void on_socket(kin__watched *watched, unsigned what, void *context)
{
    kin__lane *lane = context;
    unsigned seen = (what & KIN__BROKEN) != 0 ? what | watched->wanted : what;
    int bits = ((seen & KIN__READABLE) != 0 ? CURL_CSELECT_IN : 0) |
               ((seen & KIN__WRITABLE) != 0 ? CURL_CSELECT_OUT : 0);
    lane->owner.on_ready(lane->owner.context, lane, watched->fd, bits);
}

static void on_timer(kin__timer *timer, void *context)
{
    kin__lane *lane = context;
    (void) timer;
    lane->owner.on_ready(lane->owner.context, lane, CURL_SOCKET_TIMEOUT, 0);
}

static void on_rest(kin__timer *timer, void *context)
{
    kin__lane *lane = context;
    (void) timer;
    lane->owner.on_rested(lane->owner.context, lane);
}

static void on_look(kin__job *job, void *context)
{
    kin__lane *lane = context;
    (void) job;
    lane->must_look = true;
    lane->owner.on_ready(lane->owner.context, lane, CURL_SOCKET_TIMEOUT, 0);
}

/* While libcurl works on one socket it may drop any of them. */
static void look(kin__lane *lane)
{
    lane->may_hold = false;
    lane->is_looking = true;
    for (kin__lane_wait *wait = lane->waits; wait != NULL; wait = wait->next) {
        wait->must_look = true;
    }
    for (kin__lane_wait *wait; (wait = find_unseen(lane)) != NULL;) {
        wait->must_look = false;
        act(lane, wait->watched.fd, CURL_CSELECT_IN);
    }
    lane->is_looking = false;
}

static kin__lane_wait *find_unseen(const kin__lane *lane)
{
    kin__lane_wait *wait = lane->waits;
    while (wait != NULL && !wait->must_look) {
        wait = wait->next;
    }
    return wait;
}

static void act(kin__lane *lane, curl_socket_t fd, int what)
{
    int running;
    lane->is_inside = true;
    CURLMcode code = curl_multi_socket_action(lane->multi, fd, what, &running);
    lane->is_inside = false;
    lane->is_driven = true;
    if (code == CURLM_OUT_OF_MEMORY) {
        (void) kin__error_no_memory(&lane->failure);
    } else if (code != CURLM_OK && lane->failure.code == KIN_OK) {
        (void) kin__error_set(&lane->failure, KIN_ERR_SYSTEM, "libcurl: %s",
                              curl_multi_strerror(code));
    }
}

/*
 * Data that is not acknowledged, and probes of a silent connection, end it after `dead_host_ms`
 * (tcp(7): TCP_USER_TIMEOUT overrides the number of probes).  A kernel that does not know one of
 * these does without.
 */
static void detect_dead_host(int fd, uint32_t dead_host_ms)
{
    int seconds = (int) (dead_host_ms / 1000);
    int idle = seconds / 3 > 0 ? seconds / 3 : 1;
    int interval = seconds / 9 > 0 ? seconds / 9 : 1;

    set_number(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_number(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle);
    set_number(fd, IPPROTO_TCP, TCP_KEEPINTVL, interval);
    set_number(fd, IPPROTO_TCP, TCP_KEEPCNT, 6);
    set_number(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (int) dead_host_ms);
}

static void set_number(int fd, int level, int option, int number)
{
    (void) setsockopt(fd, level, option, &number, sizeof number);
}
