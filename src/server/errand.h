/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/errand.h - a call from outside: work for the loop, on the caller's stack, for which the
 * caller waits.
 */
#ifndef KIN_SERVER_ERRAND_H
#define KIN_SERVER_ERRAND_H

#include <stdatomic.h>

#include "server/server_state.h"

typedef struct kin__errand {
    kin_err (*run)(struct kin__errand *errand, kin_error *err); /* on the loop */
    /* What is asked for, and what comes of it; each call uses some. */
    kin_str text, body;
    const char *words[4];
    uint64_t number;
    kin_server_counts *counts;
    kin_server_answer *answer;
    /* Private from here on. */
    kin__job job;
    kin_server *server;
    kin_err code;
    kin_error err;
    _Atomic bool is_done;
} kin__errand;

/* Runs it; fails as it does, and with USAGE where nobody may wait: on a loop, and in a forked
 * child. */
kin_err kin__errand_run(kin_server *server, kin__errand *errand, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SERVER_ERRAND_H */
