/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/server_state.h - what a server is made of; for server.c, attend.c and control.c.
 *
 * All but the texts that never change belongs to the loop.
 */
#ifndef KIN_SERVER_SERVER_STATE_H
#define KIN_SERVER_SERVER_STATE_H

#include "httpd/httpd.h"
#include "kin/testing/server.h"
#include "server/deed.h"
#include "server/fault.h"
#include "server/guard.h"
#include "server/watch.h"

#define KIN__BODY_MAX (3u << 20) /* of a request; kube-apiserver has the same */

struct kin_server {
    kin_loop *loop;            /* owned, with its thread */
    kin__authority *authority; /* NULL: no TLS */
    kin__httpd *httpd;
    kin__engine engine;
    kin__guard guard;
    kin__faults faults;
    kin__list put_off;   /* visits that wait for their time: attend.c */
    kin__timer welcome;  /* ends a fault of connections */
    uint64_t welcome_id; /* whose it is */
    kin__timer freeze;   /* ends one */
    uint64_t freeze_id;  /* whose it is */
    char *url;           /* owned */
    char *kubeconfig;    /* owned */
    char *authority_pem; /* owned: certificate and key; NULL: no TLS */
};

/* kin_server_start() with a clock of the caller's, borrowed for the server's life: for tests, in
 * which only kin__virtual_clock_advance() and a call afterwards make time pass. */
kin_err kin__server_start_with_clock(const kin_server_options *options, const kin__clock *clock,
                                     kin_server **out, kin_error *err) KIN_MUST_CHECK;

/* A request has come: httpd's on_request. */
void kin__attend(kin__visit *visit, void *server);
void kin__attend_end(kin_server *server); /* drops those that were put off */

/* /kin/faults and its neighbours. */
bool kin__control_serves(kin_str path);
bool kin__control(kin_server *server, kin_str method, kin_str path, kin_str body,
                  kin__answer *answer, kin__refusal *no);

/* What control and the public functions share; all on the loop. */
kin_err kin__server_add_fault(kin_server *server, kin_str json, uint64_t *out_id,
                              kin_error *err) KIN_MUST_CHECK;
kin_err kin__server_end_fault(kin_server *server, uint64_t id, kin_error *err) KIN_MUST_CHECK;
void kin__server_compact(kin_server *server, uint64_t revision);
void kin__server_count(const kin_server *server, kin_server_counts *out);

#endif /* KIN_SERVER_SERVER_STATE_H */
