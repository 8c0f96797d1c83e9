/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals_test.c - Ctrl-C and the like, as something to wait for.
 */
#include "cli/signals.h"

#include <poll.h>

#include "support/test.h"

static kin_error err;

static bool is_readable(int fd)
{
    struct pollfd own = { fd, POLLIN, 0 };

    return poll(&own, 1, 0) == 1;
}

TEST(signals, make_a_descriptor_readable)
{
    kin__cli_signals signals;

    ASSERT_OK(kin__cli_signals_open(&signals, false, &err));
    ASSERT_FALSE(is_readable(signals.fd));
    ASSERT_EQ(kin__cli_signals_take(&signals), 0);
    raise(SIGINT);
    raise(SIGTERM);

    ASSERT_TRUE(is_readable(signals.fd));
    ASSERT_EQ(kin__cli_signals_take(&signals), SIGINT);
    ASSERT_EQ(kin__cli_signals_take(&signals), SIGTERM);
    ASSERT_EQ(kin__cli_signals_take(&signals), 0);
    kin__cli_signals_close(&signals);
}

TEST(signals, of_screens_are_taken_where_there_is_one)
{
    kin__cli_signals signals;

    ASSERT_OK(kin__cli_signals_open(&signals, true, &err));
    raise(SIGTSTP);

    ASSERT_EQ(kin__cli_signals_take(&signals), SIGTSTP);
    kin__cli_signals_close(&signals);
}

TEST(signals, are_as_before_in_the_end)
{
    kin__cli_signals signals;
    sigset_t mask;

    ASSERT_OK(kin__cli_signals_open(&signals, false, &err));
    raise(SIGINT); /* nobody takes it, and it does not end the program */
    kin__cli_signals_close(&signals);

    sigprocmask(SIG_BLOCK, NULL, &mask);
    ASSERT_EQ(sigismember(&mask, SIGINT), 0);
    ASSERT_EQ(signals.fd, -1);
}
