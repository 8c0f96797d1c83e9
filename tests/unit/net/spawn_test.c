/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn_test.c - what a new process finds.
 */
#include "net/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

static const char *const no_environment[] = { NULL };

static void read_all(int fd, text *out)
{
    char bytes[512];
    for (;;) {
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        ASSERT_EQ(poll(&ready, 1, -1), 1);
        ssize_t got = read(fd, bytes, sizeof bytes);
        ASSERT_TRUE(got >= 0);
        if (got == 0) {
            return;
        }
        text_append(out, "%.*s", (int) got, bytes);
    }
}

/* Waits for it, and closes what it left; its wait status. */
static int finish(const kin__spawned *spawned, text *output, text *errors)
{
    struct pollfd ended = { .fd = spawned->pidfd, .events = POLLIN };
    int status;
    read_all(spawned->output_fd, output);
    read_all(spawned->errors_fd, errors);
    ASSERT_EQ(poll(&ended, 1, -1), 1);
    ASSERT_EQ(waitpid(spawned->pid, &status, 0), spawned->pid);
    (void) close(spawned->pidfd);
    (void) close(spawned->output_fd);
    (void) close(spawned->errors_fd);
    return status;
}

/* What a script writes to its output; it writes no errors. */
static const char *output_of(const char *script, const char *const *environment,
                             const char *directory)
{
    static text output;
    static text errors;
    const char *const arguments[] = { "/bin/sh", "-c", script, NULL };
    kin__spawned spawned;
    kin_error err;
    text_clear(&output);
    text_clear(&errors);
    ASSERT_OK(kin__spawn(arguments, environment, directory, &spawned, &err));
    ASSERT_EQ(finish(&spawned, &output, &errors), 0);
    ASSERT_STR_EQ(errors.chars, "");
    return output.chars;
}

TEST(spawn, gives_the_program_its_arguments)
{
    const char *const arguments[] = { "/bin/sh", "-c", "echo \"$0,$1,$2\"; echo oh >&2; exit 3",
                                      "a b",     "",   "\"c'",
                                      NULL };
    kin__spawned spawned;
    kin_error err;
    text output = { 0 };
    text errors = { 0 };

    ASSERT_OK(kin__spawn(arguments, no_environment, NULL, &spawned, &err));
    int status = finish(&spawned, &output, &errors);

    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 3);
    ASSERT_STR_EQ(output.chars, "a b,,\"c'\n");
    ASSERT_STR_EQ(errors.chars, "oh\n");
}

TEST(spawn, gives_the_program_this_environment_and_no_other)
{
    const char *const environment[] = { "FISH=red", "PATH=/usr/bin:/bin", NULL };

    ASSERT_STR_EQ(output_of("echo $FISH$HOME$USER", environment, NULL), "red\n");
}

TEST(spawn, starts_the_program_in_its_directory)
{
    ASSERT_STR_EQ(output_of("pwd -P", no_environment, "/"), "/\n");
    ASSERT_STR_EQ(output_of("pwd -P", no_environment, "/dev"), "/dev\n");
}

TEST(spawn, gives_the_program_nothing_to_read)
{
    int ends[2];
    int kept = fcntl(0, F_DUPFD_CLOEXEC, 10);
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    ASSERT_EQ(write(ends[1], "line\n", 5), 5);
    ASSERT_EQ(dup2(ends[0], 0), 0);

    ASSERT_STR_EQ(output_of("read line || echo end", no_environment, NULL), "end\n");

    (void) (kept >= 0 ? dup2(kept, 0) : close(0));
    (void) close(kept);
    (void) close(ends[0]);
    (void) close(ends[1]);
}

/* One of the program's own is not marked to be closed. */
TEST(spawn, gives_the_program_no_other_descriptors)
{
    int leaky = open("/dev/null", O_RDONLY);
    ASSERT_TRUE(leaky > 2);

    /* 3 is that of the directory itself. */
    const char *const environment[] = { "PATH=/usr/bin:/bin", NULL };
    ASSERT_STR_EQ(output_of("exec ls /proc/self/fd", environment, NULL), "0\n1\n2\n3\n");

    (void) close(leaky);
}

TEST(spawn, works_where_the_program_has_closed_its_standard_descriptors)
{
    const char *const arguments[] = { "/bin/sh", "-c", "echo out; echo err >&2", NULL };
    for (unsigned closed = 1; closed < 8; closed++) {
        kin__spawned spawned;
        kin_error err;
        text output = { 0 };
        text errors = { 0 };
        int kept[3];
        for (int fd = 0; fd < 3; fd++) {
            kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10); /* -1 where it was closed before */
            if ((closed & 1u << fd) != 0) {
                (void) close(fd);
            }
        }

        kin_err code = kin__spawn(arguments, no_environment, NULL, &spawned, &err);
        for (int fd = 0; fd < 3; fd++) {
            if (kept[fd] >= 0) {
                (void) dup2(kept[fd], fd);
                (void) close(kept[fd]);
            }
        }

        ASSERT_OK(code);
        ASSERT_TRUE(spawned.output_fd > 2 && spawned.errors_fd > 2 && spawned.pidfd > 2);
        ASSERT_EQ(finish(&spawned, &output, &errors), 0);
        ASSERT_STR_EQ(output.chars, "out\n");
        ASSERT_STR_EQ(errors.chars, "err\n");
    }
}

TEST(spawn, gives_the_program_a_clean_set_of_signals)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigset_t mask;
    (void) sigemptyset(&mask);
    (void) sigaddset(&mask, SIGTERM);
    ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &mask, NULL), 0);
    ASSERT_EQ(sigaction(SIGPIPE, &ignore, NULL), 0);
    ASSERT_EQ(sigaction(SIGINT, &ignore, NULL), 0);
    const char *const environment[] = { "PATH=/usr/bin:/bin", NULL };

    const char *got = output_of("exec grep -E 'Sig(Blk|Ign)' /proc/self/status", environment, NULL);

    ASSERT_CONTAINS(got, "SigBlk:\t0000000000000000\nSigIgn:\t");
    /* 32 and 33 are the C library's own. */
    ASSERT_EQ(strtoull(strrchr(got, '\t'), NULL, 16) & 0x7fffffff, 0);
}

TEST(spawn, puts_the_program_into_a_group_of_its_own)
{
    const char *const arguments[] = { "/bin/sh", "-c", "read line </proc/self/stat; exit 0", NULL };
    kin__spawned spawned;
    kin_error err;
    text ignored = { 0 };

    ASSERT_OK(kin__spawn(arguments, no_environment, NULL, &spawned, &err));

    ASSERT_EQ(getpgid(spawned.pid), spawned.pid); /* also as a zombie */
    ASSERT_EQ(finish(&spawned, &ignored, &ignored), 0);
}

static void expect_refused(const char *program, const char *directory, const char *message)
{
    const char *const arguments[] = { program, NULL };
    kin__spawned spawned;
    kin_error err;

    ASSERT_ERR(kin__spawn(arguments, no_environment, directory, &spawned, &err), KIN_ERR_SYSTEM);

    ASSERT_MESSAGE(&err, message);
    ASSERT_EQ(waitpid(-1, NULL, WNOHANG), -1);
    ASSERT_EQ(errno, ECHILD);
}

TEST(spawn, says_what_is_wrong_with_the_program)
{
    expect_refused("/no/such/program", NULL, "run \"/no/such/program\": No such file or directory");
    expect_refused("no-such-program", NULL, "run \"no-such-program\": No such file or directory");
    expect_refused("/bin/sh", "/no/such/directory", "run \"/bin/sh\": No such file or directory");
    expect_refused("/dev/null", NULL, "run \"/dev/null\": Permission denied");
    expect_refused("/", NULL, "run \"/\": Permission denied");
}

TEST(spawn, searches_a_name_in_the_path)
{
    const char *const arguments[] = { "true", NULL };
    kin__spawned spawned;
    kin_error err;
    text ignored = { 0 };

    ASSERT_OK(kin__spawn(arguments, no_environment, NULL, &spawned, &err));

    ASSERT_EQ(finish(&spawned, &ignored, &ignored), 0);
}

TEST(spawn, leaves_nothing_when_there_are_no_descriptors)
{
    const char *const arguments[] = { "/bin/sh", "-c", "exit 0", NULL };
    struct rlimit limit;
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int next = dup(0);
    ASSERT_TRUE(next >= 0);
    (void) close(next);

    /* Two pipes and a pidfd. */
    for (int more = 0; more < 5; more++) {
        struct rlimit tight = { .rlim_cur = (rlim_t) (next + more), .rlim_max = limit.rlim_max };
        kin__spawned spawned;
        kin_error err;
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
        ASSERT_ERR(kin__spawn(arguments, no_environment, NULL, &spawned, &err), KIN_ERR_SYSTEM);
        ASSERT_CONTAINS(err.message, "Too many open files");
        ASSERT_EQ(waitpid(-1, NULL, WNOHANG), -1);
    }

    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}
