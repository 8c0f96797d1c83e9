/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.c - codes, names and messages.
 *
 * A message is put together beside the error and copied in when it is whole, so that it may
 * quote the very error it goes into.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define ERR_NAMES(E)                                                                               \
    E(KIN_OK)                                                                                      \
    E(KIN_ERR_NO_MEMORY)                                                                           \
    E(KIN_ERR_USAGE)                                                                               \
    E(KIN_ERR_NOT_FOUND)                                                                           \
    E(KIN_ERR_MALFORMED)                                                                           \
    E(KIN_ERR_TYPE)                                                                                \
    E(KIN_ERR_RANGE)                                                                               \
    E(KIN_ERR_LIMIT)                                                                               \
    E(KIN_ERR_PARTIAL)                                                                             \
    E(KIN_ERR_SYSTEM)                                                                              \
    E(KIN_ERR_CANCELLED)                                                                           \
    E(KIN_ERR_TIMEOUT)                                                                             \
    E(KIN_ERR_CONNECT)                                                                             \
    E(KIN_ERR_TLS)                                                                                 \
    E(KIN_ERR_CLOSED)                                                                              \
    E(KIN_ERR_PROTOCOL)                                                                            \
    E(KIN_ERR_UNAUTHORIZED)                                                                        \
    E(KIN_ERR_FORBIDDEN)                                                                           \
    E(KIN_ERR_CONFLICT)                                                                            \
    E(KIN_ERR_EXPIRED)                                                                             \
    E(KIN_ERR_INVALID)                                                                             \
    E(KIN_ERR_THROTTLED)                                                                           \
    E(KIN_ERR_REFUSED)                                                                             \
    E(KIN_ERR_SERVER)

static kin_err set_code_and_message(kin_error *err, kin_err code, const char *format, va_list args)
    KIN__PRINTF(3, 0);
static kin_err set_message(kin_error *err, const char *message);

const char *kin_err_name(kin_err code)
{
    switch (code) {
#define E(name)                                                                                    \
    case name:                                                                                     \
        return #name;
        ERR_NAMES(E)
#undef E
    }
    return "unknown error";
}

kin_err kin_error_set(kin_error *err, kin_err code, const char *format, ...)
{
    kin_error unwanted;
    va_list args;

    va_start(args, format);
    (void) set_code_and_message(kin__error_or(err, &unwanted), code, format, args);
    va_end(args);
    return code;
}

kin_error *kin__error_or(kin_error *err, kin_error *unwanted)
{
    return err != NULL ? err : unwanted;
}

kin_err kin__error_set(kin_error *err, kin_err code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void) set_code_and_message(err, code, format, args);
    va_end(args);
    return code;
}

kin_err kin__error_prefix(kin_error *err, const char *format, ...)
{
    char message[2 * sizeof err->message + 2];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(message, sizeof err->message, format, args);
    va_end(args);
    size_t len = strlen(message);
    (void) snprintf(message + len, sizeof message - len, ": %s", err->message);
    return set_message(err, message);
}

kin_err kin__error_system(kin_error *err, int number, const char *format, ...)
{
    char words[sizeof err->message];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(words, sizeof words, format, args); /* cut is fine */
    va_end(args);
    const char *meaning = strerrordesc_np(number); /* English, whatever the program's locale is */
    if (meaning == NULL) {
        return kin__error_set(err, KIN_ERR_SYSTEM, "%s: error %d of the system", words, number);
    }
    return kin__error_set(err, KIN_ERR_SYSTEM, "%s: %s", words, meaning);
}

kin_err kin__error_told(kin_error *err, kin_err code, const char *who)
{
    if (err->message[0] == '\0') {
        return kin__error_set(err, code, "%s does not say why it failed", who);
    }
    err->code = code;
    return code;
}

kin_err kin__error_no_memory(kin_error *err)
{
    return kin__error_set(err, KIN_ERR_NO_MEMORY, "out of memory");
}

static kin_err set_code_and_message(kin_error *err, kin_err code, const char *format, va_list args)
{
    char message[sizeof err->message];

    (void) vsnprintf(message, sizeof message, format, args); /* cut is fine */
    memset(err, 0, sizeof *err);
    err->code = code;
    return set_message(err, message);
}

static kin_err set_message(kin_error *err, const char *message)
{
    size_t len = strnlen(message, sizeof err->message - 1);
    memcpy(err->message, message, len);
    err->message[len] = '\0';
    kin__utf8_clean_line(err->message);
    return err->code;
}
