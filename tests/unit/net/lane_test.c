/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane_test.c - libcurl on the loop, by itself.
 */
#include "net/lane.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit/net/exchange.h"

static void say_hello(raw_connection *connection)
{
    while (raw_read_request(connection)) {
        (void) raw_write(connection, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    }
}

static void say_nothing(raw_connection *connection)
{
    raw_wait_for_end(connection);
}

typedef struct stand {
    bench bench;
    kin__lane *lane;
    CURL *easy;
    kin__lane_way way;
    int rests;
    size_t body_len;
} stand;

static void on_ready(void *context, kin__lane *lane, curl_socket_t fd, int what)
{
    (void) context;
    kin__lane_drive(lane, fd, what);
}

static void on_rested(void *context, kin__lane *lane)
{
    stand *s = context;
    (void) lane;
    s->rests++;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    stand *s = context;
    (void) bytes;
    s->body_len += size * count;
    return size * count;
}

static void open_stand(stand *s, void (*serve)(raw_connection *connection))
{
    kin_error err;
    kin__lane_owner owner = { .context = s, .on_ready = on_ready, .on_rested = on_rested };
    bench_open(&s->bench, serve, NULL, &(kin__http_options){ 0 });
    ASSERT_OK(kin__lane_new(s->bench.loop, &owner, 100, 45000, &s->lane, &err));
}

static void add(stand *s)
{
    s->easy = curl_easy_init();
    ASSERT_TRUE(s->easy != NULL);
    ASSERT_EQ(curl_easy_setopt(s->easy, CURLOPT_URL, s->bench.base), CURLE_OK);
    ASSERT_EQ(curl_easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, on_body), CURLE_OK);
    ASSERT_EQ(curl_easy_setopt(s->easy, CURLOPT_WRITEDATA, s), CURLE_OK);
    ASSERT_EQ(kin__lane_prepare(s->lane, s->easy, &s->way, 4096), CURLE_OK);
    ASSERT_TRUE(kin__lane_add(s->lane, s->easy));
}

static void remove_transfer(stand *s)
{
    ASSERT_EQ(curl_multi_remove_handle(s->lane->multi, s->easy), CURLM_OK);
    curl_easy_cleanup(s->easy);
}

static void close_stand(stand *s)
{
    kin__lane_free(s->lane);
    bench_close(&s->bench);
}

TEST(lane, carries_a_transfer)
{
    stand s = { 0 };
    int left = 0;
    open_stand(&s, say_hello);
    add(&s);

    CURLMsg *message = NULL;
    while (message == NULL) {
        bench_turn(&s.bench);
        message = curl_multi_info_read(s.lane->multi, &left);
    }

    ASSERT_EQ(message->data.result, CURLE_OK);
    ASSERT_EQ(s.body_len, 5);
    ASSERT_EQ(s.lane->failure.code, KIN_OK);
    ASSERT_EQ(kin__lane_count_connections(s.lane), 1);
    remove_transfer(&s);
    close_stand(&s);
}

TEST(lane, counts_no_connection_that_was_given_up_while_it_was_made)
{
    stand s = { 0 };
    open_stand(&s, say_nothing);
    add(&s);
    ASSERT_EQ(kin__lane_count_connections(s.lane), 1);

    remove_transfer(&s);

    ASSERT_EQ(kin__lane_count_connections(s.lane), 0);
    close_stand(&s);
}

/* The number of a descriptor that libcurl has closed may be another file by now. */
TEST(lane, leaves_alone_what_has_taken_the_place_of_its_socket)
{
    stand s = { 0 };
    open_stand(&s, say_nothing);
    add(&s);
    remove_transfer(&s);
    int files[16];
    for (int i = 0; i < 16; i++) {
        files[i] = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    }

    kin__lane_sever(s.lane);
    kin__lane_free(s.lane);
    s.lane = NULL;

    for (int i = 0; i < 16; i++) {
        char byte = 1;
        ASSERT_EQ(read(files[i], &byte, 1), 1);
        ASSERT_EQ(byte, 0);
        ASSERT_EQ(close(files[i]), 0);
    }
    close_stand(&s);
}

TEST(lane, tells_when_it_has_rested)
{
    stand s = { 0 };
    open_stand(&s, say_hello);
    int64_t now_ms = kin__loop_now_ms(s.bench.loop);

    kin__lane_rest(s.lane, now_ms + 100);
    kin__lane_rest(s.lane, 0);
    kin__virtual_clock_advance(&s.bench.clock, 100);
    bench_turn(&s.bench);
    ASSERT_EQ(s.rests, 0);
    kin__lane_rest(s.lane, now_ms + 200);
    kin__virtual_clock_advance(&s.bench.clock, 100);
    bench_turn(&s.bench);

    ASSERT_EQ(s.rests, 1);
    close_stand(&s);
}

TEST(lane, leaves_the_signals_of_the_program_as_they_were)
{
    stand s = { 0 };
    sigset_t before;
    sigset_t after;
    open_stand(&s, say_nothing);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);

    add(&s);

    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    for (int i = 1; i < 32; i++) {
        ASSERT_EQ(sigismember(&before, i), sigismember(&after, i));
    }
    remove_transfer(&s);
    close_stand(&s);
}

TEST(lane, opens_sockets_that_notice_a_dead_host_and_are_not_inherited)
{
    stand s = { 0 };
    open_stand(&s, say_nothing);
    add(&s);
    while (raw_server_count_connections(s.bench.server) == 0) {
        bench_turn(&s.bench);
    }
    curl_socket_t fd = -1;
    for (int i = 3; i < 64 && fd < 0; i++) {
        int number = 0;
        socklen_t len = sizeof number;
        if (getsockopt(i, IPPROTO_TCP, TCP_USER_TIMEOUT, &number, &len) == 0 && number == 45000) {
            fd = i;
        }
    }

    ASSERT_TRUE(fd >= 0);
    int number = 0;
    socklen_t len = sizeof number;
    ASSERT_EQ(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &number, &len), 0);
    ASSERT_EQ(number, 1);
    ASSERT_EQ(getsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &number, &len), 0);
    ASSERT_EQ(number, 15);
    ASSERT_EQ(getsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &number, &len), 0);
    ASSERT_EQ(number, 5);
    ASSERT_TRUE((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    remove_transfer(&s);
    close_stand(&s);
}

TEST_FAILING_ALLOC(lane, fails_without_a_leak)
{
    kin_error err;
    kin_loop *loop = NULL;
    kin__lane *lane = NULL;
    kin__lane_owner owner = { .on_ready = on_ready, .on_rested = on_rested };
    if (kin_loop_new(NULL, &loop, &err) != KIN_OK) {
        return err.code;
    }
    kin_err code = kin__lane_new(loop, &owner, 100, 45000, &lane, &err);
    kin__lane_free(lane);
    kin_loop_free(loop);
    return code;
}
