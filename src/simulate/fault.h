/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/fault.h - filling in a kin_error, with public headers only.
 */
#ifndef KIN_SIMULATE_FAULT_H
#define KIN_SIMULATE_FAULT_H

#include "kin/common.h"

/* Sets code and message and clears the rest; returns `code`.  `err` may be NULL.  The words hold
 * nothing that came from outside. */
kin_err kin__sim_fault(kin_error *err, kin_err code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The message for failed allocations; returns KIN_ERR_NO_MEMORY. */
kin_err kin__sim_no_memory(kin_error *err);

/* `from` into `err`, which may be NULL; returns its code. */
kin_err kin__sim_fault_copy(kin_error *err, const kin_error *from);

#endif /* KIN_SIMULATE_FAULT_H */
