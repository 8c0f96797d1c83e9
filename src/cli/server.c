/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - kin server: runs an API server in memory until it is told to end.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/fault.h"
#include "cli/signals.h"
#include "cli/simulated.h"
#include "kin/testing/server.h"

typedef struct server {
    kin__cli *cli;
    kin__cli_signals signals;
    kin_server *server;
    kin_simulation *simulation;
    kin__cli_text path; /* of the kubeconfig */
    bool is_temporary;  /* it is to be removed at the end */
    bool is_written;
} server;

static kin_err start(server *s, kin_error *err);
static kin_err write_kubeconfig(server *s, kin_error *err);
static int open_kubeconfig(server *s, kin_error *err);
static kin_err write_all(int fd, kin_str text);
static void announce(server *s);
static void wait_for_end(server *s);
static void end(server *s);

int kin__cli_server(kin__cli *cli)
{
    server s = { .cli = cli };
    kin_error err;
    int status = KIN__CLI_DONE;

    if (kin__cli_signals_open(&s.signals, false, &err) != KIN_OK) {
        return kin__cli_fail(cli, &err);
    }
    if (start(&s, &err) != KIN_OK) {
        status = kin__cli_fail(cli, &err);
    } else {
        announce(&s);
        wait_for_end(&s);
    }
    end(&s);
    return status;
}

/* The cluster is there before anybody is told where. */
static kin_err start(server *s, kin_error *err)
{
    const kin__cli_options *own = &s->cli->options;
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;

    options.address = own->address;
    options.port = (uint16_t) own->port;
    options.has_no_tls = own->is_http;
    options.token = own->token == NULL && own->is_http ? "" : own->token;
    options.is_furnished = !own->is_bare;
    options.has_collector = own->has_collector;
    options.history_max = (uint32_t) own->history;
    kin_err code = kin_server_start(&options, &s->server, err);
    if (code == KIN_OK && kin__cli_simulated_is_wanted(own)) {
        code = kin__cli_simulated_start(s->server, own, &s->simulation, err);
    }
    return code == KIN_OK ? write_kubeconfig(s, err) : code;
}

/* For its owner's eyes only: there is a token in it. */
static kin_err write_kubeconfig(server *s, kin_error *err)
{
    kin_str text = kin_str_of(kin_server_kubeconfig(s->server));
    int fd = open_kubeconfig(s, err);

    if (fd < 0) {
        return err->code;
    }
    s->is_written = true;
    kin_err code = write_all(fd, text);
    if (code == KIN_OK) {
        code = write_all(fd, kin_str_of("\n"));
    }
    if (close(fd) != 0 || code != KIN_OK) {
        return kin__cli_system(err, "%s cannot be written", kin__cli_text_chars(&s->path));
    }
    return KIN_OK;
}

static int open_kubeconfig(server *s, kin_error *err)
{
    const char *wanted = s->cli->options.kubeconfig_out;
    const char *directory = getenv("TMPDIR");
    int fd = -1;

    if (wanted != NULL) {
        kin__cli_text_say(&s->path, "%s", wanted);
        fd = open(wanted, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    } else {
        bool has_directory = directory != NULL && directory[0] != '\0';
        kin__cli_text_say(&s->path, "%s/kin-server-XXXXXX", has_directory ? directory : "/tmp");
        fd = mkostemp(s->path.chars, O_CLOEXEC);
        s->is_temporary = true;
    }
    if (fd < 0) {
        (void) kin__cli_system(err, "%s cannot be written", kin__cli_text_chars(&s->path));
    }
    return fd;
}

static kin_err write_all(int fd, kin_str text)
{
    while (text.len > 0) {
        ssize_t count = write(fd, text.data, text.len);
        if (count < 0 && errno != EINTR) {
            return KIN_ERR_SYSTEM;
        }
        text.data += count > 0 ? count : 0;
        text.len -= count > 0 ? (size_t) count : 0;
    }
    return KIN_OK;
}

static void announce(server *s)
{
    char whole[PATH_MAX];
    const char *path = kin__cli_text_chars(&s->path);
    const char *shown = realpath(path, whole) != NULL ? whole : path;

    fprintf(s->cli->out, "ready at %s: export KUBECONFIG=%s\n", kin_server_url(s->server), shown);
    fflush(s->cli->out);
}

static void wait_for_end(server *s)
{
    struct pollfd fd = { s->signals.fd, POLLIN, 0 };

    while (kin__cli_signals_take(&s->signals) == 0) {
        (void) poll(&fd, 1, -1);
    }
}

static void end(server *s)
{
    kin_simulation_free(s->simulation);
    kin_server_stop(s->server);
    if (s->is_temporary && s->is_written) {
        (void) unlink(kin__cli_text_chars(&s->path));
    }
    kin__cli_text_fini(&s->path);
    kin__cli_signals_close(&s->signals);
}
