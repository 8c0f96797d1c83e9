/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - many watches of all pods at once: bench-watch COUNT
 *
 * When the server has accepted all of them it prints "open COUNT"; when its standard input ends,
 *
 *     told CHANGES ENDED
 *
 * where CHANGES is the sum over all watches, and ENDED how many watches are over, which should be
 * none.  The server's time is measured from outside.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "watchers.h"

int main(int argc, char **argv)
{
    static watchers all;
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 500;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_client *client;
    kin_error err;
    char rest[64];

    options.requests_per_second = -1;
    if (kin_client_new(NULL, &options, &client, &err) != KIN_OK ||
        watchers_start(&all, client, count, &err) != KIN_OK) {
        (void) fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    (void) printf("open %zu\n", atomic_load(&all.open));
    (void) fflush(stdout);
    while (read(STDIN_FILENO, rest, sizeof rest) > 0) {
    }
    (void) printf("told %zu %zu\n", atomic_load(&all.told), atomic_load(&all.ended));
    (void) fflush(stdout);
    _exit(0);
}
