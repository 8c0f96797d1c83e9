/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener_test.c - the port, how connections are met, and how they are ended.
 */
#include <sys/resource.h>

#include "unit/httpd/house.h"

#define GET_HELLO "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
#define GET_PIPE "GET /pipe HTTP/1.1\r\nHost: x\r\n\r\n"

/* Whether somebody listens there. */
static bool can_connect(uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr = { .s_addr = htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_TRUE(fd >= 0);
    int result = connect(fd, (const struct sockaddr *) &address, sizeof address);
    (void) close(fd);
    return result == 0;
}

TEST(listener, needs_an_address)
{
    static const char *const bad[] = { NULL, "", "localhost", "127.0.0.1:80", "[::1]" };
    house *h = house_open();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        kin__httpd_options options = { .loop = h->loop, .address = bad[i] };
        kin__httpd *httpd;
        kin_error err;
        ASSERT_ERR(kin__httpd_new(&options, &httpd, &err), KIN_ERR_USAGE);
    }
    house_close(h);
}

TEST(listener, says_when_its_port_is_taken)
{
    house *h = house_open();
    kin__httpd_options options = { .loop = h->loop,
                                   .address = "127.0.0.1",
                                   .port = kin__httpd_port(h->httpd) };
    kin__httpd *httpd;
    kin_error err;
    char want[128];

    ASSERT_ERR(kin__httpd_new(&options, &httpd, &err), KIN_ERR_SYSTEM);

    (void) snprintf(want, sizeof want, "listen on 127.0.0.1 port %u: bind: Address already in use",
                    (unsigned) options.port);
    ASSERT_MESSAGE(&err, want);
    house_close(h);
}

TEST(listener, listens_on_the_port_it_is_told)
{
    house *h = house_open();
    uint16_t port = kin__httpd_port(h->httpd);
    kin_error err;
    kin__httpd_free(h->httpd);
    kin__httpd_options options = { .loop = h->loop,
                                   .address = "127.0.0.1",
                                   .port = port,
                                   .on_request = house_serve,
                                   .context = h };

    ASSERT_OK(kin__httpd_new(&options, &h->httpd, &err));

    ASSERT_EQ(kin__httpd_port(h->httpd), port);
    ASSERT_TRUE(can_connect(port));
    house_close(h);
}

TEST(listener, refuses_and_keeps_its_port)
{
    house *h = house_open();
    uint16_t port = kin__httpd_port(h->httpd);
    guest old;
    guest g;
    kin_error err;
    guest_connect(&old, h);
    guest_say(&old, h, GET_HELLO);

    ASSERT_OK(kin__httpd_set_welcome(h->httpd, KIN__WELCOME_REFUSE, &err));
    ASSERT_OK(kin__httpd_set_welcome(h->httpd, KIN__WELCOME_REFUSE, &err));
    ASSERT_FALSE(can_connect(port));
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr = { .s_addr = htonl(INADDR_LOOPBACK) } };
    ASSERT_TRUE(bind(fd, (const struct sockaddr *) &address, sizeof address) != 0);
    (void) close(fd);
    guest_say(&old, h, GET_HELLO);
    guest_hear(&old, h, "hello");
    ASSERT_OK(kin__httpd_set_welcome(h->httpd, KIN__WELCOME, &err));
    guest_connect(&g, h);
    guest_say(&g, h, GET_HELLO);
    guest_hear(&g, h, "hello");

    guest_leave(&old);
    guest_leave(&g);
    house_close(h);
}

TEST(listener, resets_or_ignores_new_connections)
{
    house *h = house_open();
    guest reset;
    guest ignored;
    guest g;
    kin_error err;

    ASSERT_OK(kin__httpd_set_welcome(h->httpd, KIN__WELCOME_RESET, &err));
    guest_connect(&reset, h);
    guest_hear_end(&reset, h);
    ASSERT_TRUE(reset.was_reset);
    ASSERT_OK(kin__httpd_set_welcome(h->httpd, KIN__WELCOME_IGNORE, &err));
    guest_connect(&ignored, h);
    guest_say(&ignored, h, GET_HELLO);
    while (kin__httpd_get_counts(h->httpd).connections < 2) {
        house_turn(h);
    }
    ASSERT_OK(kin__httpd_set_welcome(h->httpd, KIN__WELCOME, &err));
    guest_connect(&g, h);
    guest_say(&g, h, GET_HELLO);
    guest_hear(&g, h, "hello");

    guest_listen(&ignored);
    ASSERT_EQ(ignored.len, 0);
    ASSERT_FALSE(ignored.has_ended);
    ASSERT_EQ(h->visits, 1);
    kin__httpd_cut_all(h->httpd);
    guest_hear_end(&ignored, h);
    ASSERT_TRUE(ignored.was_reset);
    guest_leave(&reset);
    guest_leave(&ignored);
    guest_leave(&g);
    house_close(h);
}

TEST(listener, cuts_all_connections)
{
    house *h = house_open();
    guest guests[5];
    for (int i = 0; i < 5; i++) {
        guest_connect(&guests[i], h);
        guest_say(&guests[i], h, GET_PIPE);
        guest_hear(&guests[i], h, "\r\n\r\n");
    }

    kin__httpd_cut_all(h->httpd);

    for (int i = 0; i < 5; i++) {
        ASSERT_EQ(h->pipes[i].released, 1);
        guest_hear_end(&guests[i], h);
        ASSERT_TRUE(guests[i].was_reset);
        guest_leave(&guests[i]);
    }
    ASSERT_EQ(kin__httpd_get_counts(h->httpd).connections, 5);
    house_close(h);
}

TEST(listener, lets_the_next_answer_close_when_it_goes_away)
{
    house *h = house_open();
    guest g;
    guest_connect(&g, h);
    guest_say(&g, h, GET_HELLO);
    guest_hear(&g, h, "hello");

    kin__httpd_go_away(h->httpd);
    guest_forget(&g);
    guest_say(&g, h, GET_HELLO);
    guest_hear_end(&g, h);

    ASSERT_CONTAINS(g.heard, "Connection: close\r\n\r\nhello");
    guest_leave(&g);
    house_close(h);
}

/* Descriptors are used up: the loop must have nothing to do until one is free. */
TEST(listener, does_not_spin_without_descriptors)
{
    house *h = house_open();
    struct rlimit limit;
    guest first;
    guest second;
    kin_error err;
    guest_connect(&first, h);
    guest_say(&first, h, GET_HELLO);
    guest_connect(&second, h);
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int next = dup(0);
    ASSERT_TRUE(next >= 0);
    (void) close(next);
    struct rlimit tight = { .rlim_cur = (rlim_t) next, .rlim_max = limit.rlim_max };
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);

    ASSERT_OK(kin_loop_dispatch(h->loop, 10, &err));
    ASSERT_EQ(kin__httpd_get_counts(h->httpd).connections, 1);
    int64_t before_ns = kin__clock_now_ns(kin__clock_real());
    ASSERT_OK(kin_loop_dispatch(h->loop, 10, &err));
    ASSERT_TRUE(kin__clock_now_ns(kin__clock_real()) - before_ns > 5000000);
    guest_leave(&first);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    guest_say(&second, h, GET_HELLO);
    guest_hear(&second, h, "hello");

    guest_leave(&second);
    house_close(h);
}

TEST_FAILING_ALLOC(listener, fails_without_a_leak)
{
    static house h;
    kin_error err;
    h = (house){ 0 };
    kin_err code = house_try_open(&h, true, false, &err);
    kin__httpd_free(h.httpd);
    kin__authority_free(h.authority);
    kin_loop_free(h.loop);
    return code;
}
