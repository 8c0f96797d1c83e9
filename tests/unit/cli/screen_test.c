/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen_test.c - a page on a terminal.
 */
#include "cli/screen.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

static void expect_drawn(const char *page, size_t columns, size_t lines, const char *want)
{
    kin__cli_text out = { 0 };

    kin__cli_screen_draw(kin_str_of(page), columns, lines, &out);
    ASSERT_STR_EQ(kin__cli_text_chars(&out), want);
    kin__cli_text_fini(&out);
}

TEST(screen, draws_a_page_over_the_last)
{
    expect_drawn("one\ntwo\n", 0, 0, "\x1b[Hone\x1b[K\r\ntwo\x1b[K\x1b[J");
    expect_drawn("", 0, 0, "\x1b[H\x1b[J");
}

TEST(screen, cuts_a_page_to_the_terminal)
{
    expect_drawn("abc\ngr\xc3\xbc\xc3\x9f\nmore\n", 3, 2,
                 "\x1b[Habc\x1b[K\r\ngr\xc3\xbc\x1b[K\x1b[J");
}

TEST(screen, is_for_terminals)
{
    FILE *file = fopen("/dev/null", "we");

    setenv("TERM", "xterm", 1);
    ASSERT_FALSE(kin__cli_screen_is_possible(file));
    fclose(file);
}

/* What the terminal gets, from opening to closing. */
TEST(screen, gives_the_terminal_back)
{
    char bytes[256] = "";
    FILE *file = tmpfile();

    kin__cli_screen_open(file);
    kin__cli_screen_show(kin_str_of("page"));
    kin__cli_screen_close();
    kin__cli_screen_close();

    rewind(file);
    ASSERT_TRUE(fread(bytes, 1, sizeof bytes - 1, file) > 0);
    ASSERT_STR_EQ(
        bytes, "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[Hpage\x1b[K\x1b[J\x1b[H\x1b[J\x1b[?25h\x1b[?1049l");
    fclose(file);
}

/* Runs `end` in a child with a page open; what the terminal got last. */
static void expect_left_by(void (*end)(void))
{
    char bytes[256] = "";
    FILE *file = tmpfile();
    const char want[] = "\x1b[H\x1b[J\x1b[?25h\x1b[?1049l";
    pid_t child = fork();

    if (child == 0) {
        kin__cli_screen_open(file);
        end();
        _exit(9);
    }
    ASSERT_EQ(waitpid(child, NULL, 0), child);
    rewind(file);
    size_t len = fread(bytes, 1, sizeof bytes - 1, file);
    ASSERT_TRUE(len > sizeof want);
    ASSERT_STR_EQ(bytes + len - (sizeof want - 1), want);
    fclose(file);
}

static void leave(void)
{
    exit(0);
}

static void crash(void)
{
    raise(SIGSEGV);
}

TEST(screen, gives_the_terminal_back_when_the_program_exits_or_crashes)
{
    expect_left_by(leave);
    expect_left_by(crash);
    expect_left_by(abort);
}
