/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster.c - starting kin-cluster, and talking to it.
 *
 * The driver gets a session of its own: the harness kills the process group of a test that has
 * ended, and the driver must live on to clean up.  It notices the end of the test by its standard
 * input, a pipe whose other end nobody else has.
 */
#include "e2e/support/cluster.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

#define MAX_FLAGS 30

extern char **environ;

static const char *from_environment(const char *name);
static int spawn_driver(cluster *c, const char *const *flags);
static void read_ready(cluster *c, int fd);
static void read_facts(cluster *c);
static void read_fact(cluster *c, const char *name, char *out, size_t size);
static int connect_control(cluster *c);
static void write_all(int fd, const char *bytes, size_t len);
static void read_line(int fd, char *out, size_t size);

void cluster_use_shared(cluster *c)
{
    *c = (cluster){ .lifeline_fd = -1 };
    (void) snprintf(c->dir, sizeof c->dir, "%s", from_environment("KIN_E2E_CLUSTER"));
    read_facts(c);
}

void cluster_start(cluster *c, const char *const *flags)
{
    *c = (cluster){ .lifeline_fd = -1 };
    int output_fd = spawn_driver(c, flags);
    read_ready(c, output_fd);
    (void) close(output_fd);
    read_facts(c);
}

void cluster_stop(cluster *c)
{
    int status = 0;

    if (c->driver == 0) {
        return;
    }
    (void) close(c->lifeline_fd);
    if (waitpid(c->driver, &status, 0) != c->driver || status != 0) {
        FAIL("the cluster ended with status %d", status);
    }
    c->driver = 0;
    c->lifeline_fd = -1;
}

int cluster_port(const cluster *c)
{
    return (int) strtol(strrchr(c->server, ':') + 1, NULL, 10);
}

const char *cluster_path(cluster *c, const char *name)
{
    int len = snprintf(c->path, sizeof c->path, "%s/%s", c->dir, name);
    if (len < 0 || (size_t) len >= sizeof c->path) {
        FAIL("the path of %s is too long", name);
    }
    return c->path;
}

const char *cluster_command(cluster *c, const char *format, ...)
{
    char line[sizeof c->answer];
    va_list args;

    va_start(args, format);
    int len = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (len < 0 || (size_t) len >= sizeof line - 1) {
        FAIL("the command is too long");
    }
    line[len] = '\n';
    int fd = connect_control(c);
    write_all(fd, line, (size_t) len + 1);
    read_line(fd, c->answer, sizeof c->answer);
    (void) close(fd);
    line[len] = '\0';
    if (strncmp(c->answer, "ok", 2) != 0) {
        FAIL("%s: %s", line, c->answer);
    }
    return c->answer + (c->answer[2] == ' ' ? 3 : 2);
}

static const char *from_environment(const char *name)
{
    const char *value = getenv(name);
    if (value == NULL) {
        FAIL("%s is not set: tools/run-e2e runs this program", name);
    }
    return value;
}

/* Returns the end of a pipe from which its output is read. */
static int spawn_driver(cluster *c, const char *const *flags)
{
    const char *program = from_environment("KIN_E2E_DRIVER");
    const char *arguments[MAX_FLAGS + 2] = { program };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int input[2];
    int output[2];

    for (size_t i = 0; flags != NULL && flags[i] != NULL; i++) {
        if (i == MAX_FLAGS) {
            FAIL("more than %d flags", MAX_FLAGS);
        }
        arguments[i + 1] = flags[i];
    }
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) {
        FAIL("cannot make a pipe");
    }
    (void) posix_spawn_file_actions_init(&actions);
    (void) posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    (void) posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    (void) posix_spawnattr_init(&attributes);
    (void) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    int failure = posix_spawn(&c->driver, program, &actions, &attributes,
                              (char *const *) (uintptr_t) arguments, environ);
    (void) posix_spawnattr_destroy(&attributes);
    (void) posix_spawn_file_actions_destroy(&actions);
    (void) close(input[0]);
    (void) close(output[1]);
    if (failure != 0) {
        FAIL("cannot start %s: error %d", program, failure);
    }
    c->lifeline_fd = input[1];
    return output[0];
}

static void read_ready(cluster *c, int fd)
{
    char line[sizeof c->dir + 6];

    read_line(fd, line, sizeof line);
    if (strncmp(line, "ready ", 6) != 0) {
        FAIL("the cluster does not start: \"%s\"", line);
    }
    (void) snprintf(c->dir, sizeof c->dir, "%s", line + 6);
}

static void read_facts(cluster *c)
{
    read_fact(c, "server", c->server, sizeof c->server);
    read_fact(c, "users/admin/token", c->token, sizeof c->token);
}

static void read_fact(cluster *c, const char *name, char *out, size_t size)
{
    int fd = open(cluster_path(c, name), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        FAIL("cannot read %s", c->path);
    }
    read_line(fd, out, size);
    (void) close(fd);
}

static int connect_control(cluster *c)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    int len = snprintf(address.sun_path, sizeof address.sun_path, "%s/control", c->dir);
    if (len < 0 || (size_t) len >= sizeof address.sun_path) {
        FAIL("the path of the control socket is too long");
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *) &address, sizeof address) != 0) {
        FAIL("cannot connect to %s", address.sun_path);
    }
    return fd;
}

static void write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t count = send(fd, bytes, len, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) {
            FAIL("the driver takes no command");
        }
        if (count > 0) {
            bytes += count;
            len -= (size_t) count;
        }
    }
}

/* Up to the end of the line, which is left out, or of the file. */
static void read_line(int fd, char *out, size_t size)
{
    size_t len = 0;

    for (;;) {
        char byte;
        ssize_t count = read(fd, &byte, 1);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0 || byte == '\n') {
            break;
        }
        if (len + 1 == size) {
            FAIL("a line is longer than %zu", size);
        }
        out[len++] = byte;
    }
    out[len] = '\0';
}
