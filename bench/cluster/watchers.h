/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watchers.h - many watches of all pods, by one client.
 */
#ifndef KIN_BENCH_WATCHERS_H
#define KIN_BENCH_WATCHERS_H

#include <stdatomic.h>

#include "kin/kin.h"

typedef struct watchers {
    atomic_size_t open;  /* how many the server has accepted */
    atomic_size_t told;  /* changes, over all watches; without bookmarks */
    atomic_size_t ended; /* none should */
} watchers;

/* Starts `count` of them from the present state on, and waits until all are accepted. */
kin_err watchers_start(watchers *all, kin_client *client, size_t count, kin_error *err);

#endif /* KIN_BENCH_WATCHERS_H */
