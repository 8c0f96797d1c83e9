/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/exec_answer.h - what an exec plugin answered.
 *
 * Threading: a pure function.
 */
#ifndef KIN_CONFIG_EXEC_ANSWER_H
#define KIN_CONFIG_EXEC_ANSWER_H

#include "config/kubeconfig.h"
#include "kin/value.h"

/* What a plugin answered. */
typedef struct kin__exec_credential {
    const char *token;   /* NULL: none */
    kin_str certificate; /* PEM; empty: none */
    kin_str key;
    bool expires;
    kin_time expiry; /* when it does */
} kin__exec_credential;

/* Reads an ExecCredential in JSON.  Fails with MALFORMED, NO_MEMORY; no message quotes what the
 * plugin wrote. */
kin_err kin__exec_answer(const kin__exec *exec, kin_str output, kin__vault *vault,
                         kin__exec_credential *out, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CONFIG_EXEC_ANSWER_H */
