/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.c - an error that this program itself has found.
 */
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

kin_err failure(kin_error *err, kin_err code, const char *format, ...)
{
    va_list arguments;

    *err = (kin_error){ .code = code };
    va_start(arguments, format);
    (void) vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    return code;
}
