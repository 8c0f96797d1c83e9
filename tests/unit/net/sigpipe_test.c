/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigpipe_test.c - a signal that a program does not get to see.
 */
#include "net/sigpipe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "support/test.h"

static void write_to_nobody(void)
{
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    (void) close(ends[0]);

    ASSERT_EQ(write(ends[1], "x", 1), -1);
    ASSERT_EQ(errno, EPIPE);

    (void) close(ends[1]);
}

static bool is_pending(void)
{
    sigset_t pending;
    ASSERT_EQ(sigpending(&pending), 0);
    return sigismember(&pending, SIGPIPE) == 1;
}

static bool is_blocked(void)
{
    sigset_t mask;
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    return sigismember(&mask, SIGPIPE) == 1;
}

static void block_as_the_program(void)
{
    sigset_t set;
    (void) sigemptyset(&set);
    (void) sigaddset(&set, SIGPIPE);
    ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
}

/* Its disposition is the default: a test that gets the signal dies of it. */
TEST(sigpipe, is_taken_back)
{
    kin__sigpipe before;

    kin__sigpipe_block(&before);
    write_to_nobody();
    ASSERT_TRUE(is_pending());
    kin__sigpipe_restore(&before);

    ASSERT_FALSE(is_pending());
    ASSERT_FALSE(is_blocked());
}

TEST(sigpipe, stays_blocked_where_it_was)
{
    kin__sigpipe before;
    block_as_the_program();

    kin__sigpipe_block(&before);
    write_to_nobody();
    kin__sigpipe_restore(&before);

    ASSERT_TRUE(is_blocked());
    ASSERT_FALSE(is_pending());
}

TEST(sigpipe, stays_pending_where_it_was)
{
    kin__sigpipe before;
    block_as_the_program();
    write_to_nobody();

    kin__sigpipe_block(&before);
    write_to_nobody();
    kin__sigpipe_restore(&before);

    ASSERT_TRUE(is_pending());
}

TEST(sigpipe, leaves_other_signals_alone)
{
    kin__sigpipe before;
    sigset_t mask;

    kin__sigpipe_block(&before);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    kin__sigpipe_restore(&before);

    for (int number = 1; number < 32; number++) {
        ASSERT_EQ(sigismember(&mask, number), number == SIGPIPE);
    }
}
