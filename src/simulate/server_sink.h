/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/server_sink.h - the embedded server as a sink.
 *
 * Between begin and end objects are gathered into lists of about a megabyte, each of which is one
 * call to the server.  All zero but for the server is a sink to begin with.
 *
 * Threading: confined.
 */
#ifndef KIN_SIMULATE_SERVER_SINK_H
#define KIN_SIMULATE_SERVER_SINK_H

#include "kin/testing/server.h"
#include "simulate/sink.h"
#include "simulate/text.h"

typedef struct kin__server_sink {
    kin_server *server; /* borrowed */
    bool is_gathering;
    kin__sim_text list;
} kin__server_sink;

/* Borrows `self`, which does not move from then on. */
kin__sink kin__server_sink_of(kin__server_sink *self);

void kin__server_sink_begin(kin__server_sink *self);

/* Hands over what is left, and releases the memory. */
kin_err kin__server_sink_end(kin__server_sink *self, kin_error *err) KIN_MUST_CHECK;

void kin__server_sink_fini(kin__server_sink *self);

#endif /* KIN_SIMULATE_SERVER_SINK_H */
