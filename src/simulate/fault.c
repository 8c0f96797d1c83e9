/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.c - filling in a kin_error.
 */
#include "simulate/fault.h"

#include <stdarg.h>
#include <stdio.h>

kin_err kin__sim_fault(kin_error *err, kin_err code, const char *format, ...)
{
    va_list args;

    if (err != NULL) {
        *err = (kin_error){ .code = code };
        va_start(args, format);
        (void) vsnprintf(err->message, sizeof err->message, format, args); /* a cut one will do */
        va_end(args);
    }
    return code;
}

kin_err kin__sim_no_memory(kin_error *err)
{
    return kin__sim_fault(err, KIN_ERR_NO_MEMORY, "out of memory");
}

kin_err kin__sim_fault_copy(kin_error *err, const kin_error *from)
{
    if (err != NULL) {
        *err = *from;
    }
    return from->code;
}
