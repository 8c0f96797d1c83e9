/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.c - posix_spawnp, which does between fork and exec only what is safe there.
 *
 * glibc's reports what exec said, and runs no shell for a file that is no program.
 */
#include "net/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

#define FIRST_OWN_FD 3 /* behind the standard ones */

/* Both ends are closed when the process is given up. */
typedef struct ends {
    int read_fd;
    int write_fd;
} ends;

static kin_err start(const char *const *arguments, const char *const *environment,
                     const char *directory, const ends pipes[2], kin__spawned *out, kin_error *err);
static int set_actions(posix_spawn_file_actions_t *actions, const char *directory,
                       const ends pipes[2]);
static int set_attributes(posix_spawnattr_t *attributes);
static kin_err open_pidfd(kin__spawned *spawned, const char *program, kin_error *err);
static kin_err open_pipe(ends *out, kin_error *err);
static bool move_up(int *fd);
static void close_fd(int fd);

kin_err kin__spawn(const char *const *arguments, const char *const *environment,
                   const char *directory, kin__spawned *out, kin_error *err)
{
    ends pipes[2] = { { -1, -1 }, { -1, -1 } };
    kin__spawned spawned = { .pid = -1, .pidfd = -1 };

    kin_err code = open_pipe(&pipes[0], err);
    if (code == KIN_OK) {
        code = open_pipe(&pipes[1], err);
    }
    if (code == KIN_OK) {
        code = start(arguments, environment, directory, pipes, &spawned, err);
    }
    if (code == KIN_OK) {
        code = open_pidfd(&spawned, arguments[0], err);
    }
    close_fd(pipes[0].write_fd);
    close_fd(pipes[1].write_fd);
    if (code != KIN_OK) {
        close_fd(pipes[0].read_fd);
        close_fd(pipes[1].read_fd);
        return code;
    }
    spawned.output_fd = pipes[0].read_fd;
    spawned.errors_fd = pipes[1].read_fd;
    *out = spawned;
    return KIN_OK;
}

static kin_err start(const char *const *arguments, const char *const *environment,
                     const char *directory, const ends pipes[2], kin__spawned *out, kin_error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

    int number = posix_spawn_file_actions_init(&actions);
    if (number != 0) {
        return kin__error_system(err, number, "run \"%s\"", arguments[0]);
    }
    number = posix_spawnattr_init(&attributes);
    if (number == 0) {
        number = set_actions(&actions, directory, pipes);
        if (number == 0) {
            number = set_attributes(&attributes);
        }
        if (number == 0) {
            /* The words are not changed: the type is older than const. */
            number = posix_spawnp(&out->pid, arguments[0], &actions, &attributes,
                                  (char *const *) (uintptr_t) arguments,
                                  (char *const *) (uintptr_t) environment);
        }
        (void) posix_spawnattr_destroy(&attributes);
    }
    (void) posix_spawn_file_actions_destroy(&actions);
    return number == 0 ? KIN_OK : kin__error_system(err, number, "run \"%s\"", arguments[0]);
}

/* Its errno, or 0. */
static int set_actions(posix_spawn_file_actions_t *actions, const char *directory,
                       const ends pipes[2])
{
    int number = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (number == 0) {
        number = posix_spawn_file_actions_adddup2(actions, pipes[0].write_fd, 1);
    }
    if (number == 0) {
        number = posix_spawn_file_actions_adddup2(actions, pipes[1].write_fd, 2);
    }
    if (number == 0) {
        number = posix_spawn_file_actions_addclosefrom_np(actions, FIRST_OWN_FD);
    }
    if (number == 0 && directory != NULL) {
        number = posix_spawn_file_actions_addchdir_np(actions, directory);
    }
    return number;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t all;
    (void) sigemptyset(&none);
    (void) sigfillset(&all);
    (void) sigdelset(&all, SIGKILL);
    (void) sigdelset(&all, SIGSTOP);

    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    int number = posix_spawnattr_setflags(attributes, flags);
    if (number == 0) {
        number = posix_spawnattr_setpgroup(attributes, 0);
    }
    if (number == 0) {
        number = posix_spawnattr_setsigmask(attributes, &none);
    }
    if (number == 0) {
        number = posix_spawnattr_setsigdefault(attributes, &all);
    }
    return number;
}

/*
 * Where the program ignores SIGCHLD, or waits for any child, ours may be gone by now: that is no
 * failure.  Any other is one, and then the process must not go on unseen.
 */
static kin_err open_pidfd(kin__spawned *spawned, const char *program, kin_error *err)
{
    spawned->pidfd = (int) syscall(SYS_pidfd_open, spawned->pid, 0);
    if (spawned->pidfd < 0 ? errno == ESRCH : move_up(&spawned->pidfd)) {
        return KIN_OK;
    }
    int number = errno;
    close_fd(spawned->pidfd);
    (void) kill(-spawned->pid, SIGKILL);
    while (waitpid(spawned->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return kin__error_system(err, number, "run \"%s\": watch it", program);
}

static kin_err open_pipe(ends *out, kin_error *err)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) {
        return kin__error_system(err, errno, "make a pipe");
    }
    *out = (ends){ .read_fd = fds[0], .write_fd = fds[1] };
    if (!move_up(&out->read_fd) || !move_up(&out->write_fd) ||
        fcntl(out->read_fd, F_SETFL, O_NONBLOCK) != 0) {
        return kin__error_system(err, errno, "make a pipe");
    }
    return KIN_OK;
}

/* Behind the standard descriptors: a program may have closed those, and the child overwrites them.
 * On failure errno tells why. */
static bool move_up(int *fd)
{
    if (*fd >= FIRST_OWN_FD) {
        return true;
    }
    int higher = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
    if (higher < 0) {
        return false;
    }
    (void) close(*fd);
    *fd = higher;
    return true;
}

static void close_fd(int fd)
{
    if (fd >= 0) {
        (void) close(fd);
    }
}
