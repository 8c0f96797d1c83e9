/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_watchers.c - the process with the watches, and how it is asked.
 */
#include "server_watchers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cluster/watchers.h"
#include "measure.h"

static void send_bytes(int fd, const void *bytes, size_t len);
static bool read_bytes(int fd, void *into, size_t len);
static _Noreturn void run(int fd);
static void open_all(int fd, watchers *all);

bench_watchers bench_watchers_start(void)
{
    return bench_child_start(run);
}

void bench_watchers_stop(bench_watchers *watching)
{
    bench_child_stop(watching);
}

void bench_watchers_open(const bench_watchers *watching, const char *kubeconfig, size_t count)
{
    size_t lengths[2] = { strlen(kubeconfig), count };
    size_t open;

    send_bytes(watching->fd, lengths, sizeof lengths);
    send_bytes(watching->fd, kubeconfig, lengths[0]);
    if (!read_bytes(watching->fd, &open, sizeof open) || open != count) {
        bench_fail("the server has not accepted all watches");
    }
}

size_t bench_watchers_told(const bench_watchers *watching)
{
    size_t told[2];

    send_bytes(watching->fd, "", 1);
    if (!read_bytes(watching->fd, told, sizeof told) || told[1] != 0) {
        bench_fail("a watch was ended");
    }
    return told[0];
}

static void send_bytes(int fd, const void *bytes, size_t len)
{
    if (write(fd, bytes, len) != (ssize_t) len) {
        bench_fail("the process with the watches has gone");
    }
}

static bool read_bytes(int fd, void *into, size_t len)
{
    return recv(fd, into, len, MSG_WAITALL) == (ssize_t) len;
}

/* ---- in the other process ---------------------------------------------------------------- */

static _Noreturn void run(int fd)
{
    static watchers all;
    char asked;

    open_all(fd, &all);
    while (read_bytes(fd, &asked, 1)) {
        size_t told[2] = { atomic_load(&all.told), atomic_load(&all.ended) };
        send_bytes(fd, told, sizeof told);
    }
    _exit(0);
}

static void open_all(int fd, watchers *all)
{
    size_t lengths[2];
    kin_config *config;
    kin_client *client;
    kin_error err;

    if (!read_bytes(fd, lengths, sizeof lengths)) {
        _exit(0);
    }
    char *text = malloc(lengths[0]);
    if (text == NULL || !read_bytes(fd, text, lengths[0])) {
        _exit(1);
    }
    if (kin_config_from_text(text, lengths[0], NULL, NULL, &config, &err) != KIN_OK ||
        kin_client_new(config, NULL, &client, &err) != KIN_OK ||
        watchers_start(all, client, lengths[1], &err) != KIN_OK) {
        bench_fail("%s", err.message);
    }
    free(text);
    size_t open = atomic_load(&all->open);
    send_bytes(fd, &open, sizeof open);
}
