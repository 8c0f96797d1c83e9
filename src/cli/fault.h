/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/fault.h - errors of the command itself.
 *
 * What others wrote is made safe to show.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CLI_FAULT_H
#define KIN_CLI_FAULT_H

#include "cli/text.h"
#include "kin/common.h"

/* Sets `err` and returns its code.  USAGE: what the user wrote makes no sense. */
kin_err kin__cli_refuse(kin_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* SYSTEM: the same, with what errno means behind it. */
kin_err kin__cli_system(kin_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An error of the library in fewer words: whoever typed a command knows what was wanted.  Of an
 * answer of the server only the server's words; of a connection, where to, and what happened:
 * "https://10.0.0.1:6443: connection refused". */
void kin__cli_fault_show(const kin_error *err, kin__cli_text *out);

#endif /* KIN_CLI_FAULT_H */
