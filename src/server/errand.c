/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errand.c - posted to the loop, and waited for.
 */
#include "server/errand.h"

static void on_errand(kin__job *job, void *context);

kin_err kin__errand_run(kin_server *server, kin__errand *e, kin_error *err)
{
    e->server = server;
    e->job.run = on_errand;
    e->job.context = e;
    if (kin__loop_check_wait(server->loop, err)) {
        return err->code;
    }
    kin__loop_post_job(server->loop, &e->job);
    if (kin__loop_wait(server->loop, &e->is_done, err)) {
        (void) kin__loop_cancel_job(server->loop, &e->job);
        return err->code;
    }
    if (e->code != KIN_OK) {
        *err = e->err;
    }
    return e->code;
}

static void on_errand(kin__job *job, void *context)
{
    kin__errand *e = context;
    kin_loop *loop = e->server->loop;

    (void) job;
    e->code = e->run(e, &e->err);
    atomic_store_explicit(&e->is_done, true, memory_order_release);
    kin__loop_wake_waiters(loop);
}
