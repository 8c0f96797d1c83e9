/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/sink.h - where a simulated cluster puts its objects.
 *
 * The embedded server (simulate/server_sink.h), or a test that looks at them.
 */
#ifndef KIN_SIMULATE_SINK_H
#define KIN_SIMULATE_SINK_H

#include "kin/common.h"

/* Both functions are required.  What they are given is borrowed for the call. */
typedef struct kin__sink {
    void *context;

    /* A whole object with apiVersion and kind: made, or in place of the one of its name. */
    kin_err (*put)(void *context, kin_str json, kin_error *err);

    kin_err (*remove)(void *context, const char *api_version, const char *kind, const char *ns,
                      const char *name, kin_error *err);
} kin__sink;

#endif /* KIN_SIMULATE_SINK_H */
