/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.c - a page on a terminal that is written over and over.
 *
 * The page is the terminal's alternate screen, without a cursor (xterm's control sequences, which
 * every terminal of today knows).  Lines are written over in place, so that nothing flickers.
 */
#include "cli/screen.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ENTER "\x1b[?1049h\x1b[?25l\x1b[2J"
/* Empty: of a page that is there tmux shows lines afterwards when the terminal was made larger. */
#define LEAVE "\x1b[H\x1b[J\x1b[?25h\x1b[?1049l"
#define HOME "\x1b[H"
#define CLEAR_LINE "\x1b[K"
#define CLEAR_REST "\x1b[J"

static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
enum { CRASHES = sizeof crashes / sizeof crashes[0] };

static FILE *terminal;                         /* while one is open */
static volatile sig_atomic_t terminal_fd = -1; /* the same, for a crash */
static struct sigaction before[CRASHES];

static void on_crash(int number);
static void on_exit_of_program(void);
static void put(kin_str bytes);

bool kin__cli_screen_is_possible(FILE *out)
{
    const char *kind = getenv("TERM");

    return isatty(fileno(out)) == 1 && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
}

void kin__cli_screen_open(FILE *out)
{
    static bool has_exit_handler;
    struct sigaction action = { .sa_handler = on_crash, .sa_flags = (int) SA_RESETHAND };

    if (!has_exit_handler) {
        has_exit_handler = atexit(on_exit_of_program) == 0;
    }
    for (size_t i = 0; i < CRASHES; i++) {
        sigaction(crashes[i], &action, &before[i]);
    }
    terminal = out;
    terminal_fd = fileno(out);
    put(kin_str_of(ENTER));
}

void kin__cli_screen_close(void)
{
    if (terminal == NULL) {
        return;
    }
    put(kin_str_of(LEAVE));
    terminal = NULL;
    terminal_fd = -1;
    for (size_t i = 0; i < CRASHES; i++) {
        sigaction(crashes[i], &before[i], NULL);
    }
}

void kin__cli_screen_suspend(FILE *out)
{
    bool was_open = terminal != NULL;

    kin__cli_screen_close();
    raise(SIGSTOP);
    if (was_open) {
        kin__cli_screen_open(out);
    }
}

void kin__cli_screen_show(kin_str page)
{
    struct winsize size = { 0, 0, 0, 0 };
    kin__cli_text bytes = { 0 };

    (void) ioctl(fileno(terminal), TIOCGWINSZ, &size);
    kin__cli_screen_draw(page, size.ws_col, size.ws_row, &bytes);
    put(kin__cli_text_str(&bytes));
    kin__cli_text_fini(&bytes);
}

/* The last line has no end: one at the bottom of the terminal would move everything up. */
void kin__cli_screen_draw(kin_str page, size_t columns, size_t lines, kin__cli_text *out)
{
    size_t at = 0;

    kin__cli_text_append(out, kin_str_of(HOME));
    for (size_t line = 0; at < page.len && (lines == 0 || line < lines); line++) {
        const char *begin = page.data + at;
        const char *end = memchr(begin, '\n', page.len - at);
        size_t len = end != NULL ? (size_t) (end - begin) : page.len - at;
        kin_str text = { begin, len };
        text.len = columns > 0 ? kin__cli_text_cut(text, columns) : len;
        kin__cli_text_append(out, kin_str_of(line > 0 ? "\r\n" : ""));
        kin__cli_text_append(out, text);
        kin__cli_text_append(out, kin_str_of(CLEAR_LINE));
        at += len + 1;
    }
    kin__cli_text_append(out, kin_str_of(CLEAR_REST));
}

static void put(kin_str bytes)
{
    fwrite(bytes.data, 1, bytes.len, terminal);
    fflush(terminal);
}

/* In a signal handler: nothing but write().  The signal is raised again when it returns. */
static void on_crash(int number)
{
    if (terminal_fd >= 0) {
        (void) !write(terminal_fd, LEAVE, sizeof LEAVE - 1);
    }
    raise(number);
}

static void on_exit_of_program(void)
{
    kin__cli_screen_close();
}
